#ifndef CSYSTEM_H
#define CSYSTEM_H

#include "CFile.h"
#include "CThread.h"

#endif
