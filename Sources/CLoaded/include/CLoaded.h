#ifndef CLOADED_H
#define CLOADED_H

#include "CCryptoki.h"
#include "CCurl.h"
#include "CExpat.h"
#include "CPNG.h"
#include "CQR.h"
#include "CText.h"
#include "CVersions.h"

#endif
