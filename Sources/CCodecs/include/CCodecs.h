#ifndef CCODECS_H
#define CCODECS_H

#include "CJPEG.h"
#include "CPNG.h"
#include "CZlib.h"

#endif
