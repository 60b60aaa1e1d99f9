#ifndef CCODECS_H
#define CCODECS_H

#include "CJPEG.h"
#include "CZlib.h"

#endif
