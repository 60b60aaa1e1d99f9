#ifndef CCODECS_H
#define CCODECS_H

#include "CJPEG.h"
#include "CSearch.h"
#include "CZlib.h"

#endif
