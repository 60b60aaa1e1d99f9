#ifndef CVERSIONS_H
#define CVERSIONS_H

#include <stddef.h>

/* How a library states its version: by a function of nothing, of a pointer (called with NULL) or
   of a number (called with 0), or in a variable with a string. */
enum CLoaded_version_kind {
    CLOADED_OF_NOTHING,
    CLOADED_OF_POINTER,
    CLOADED_OF_NUMBER,
    CLOADED_VARIABLE
};

/* Writes the version text of a library, empty if it states none. Returns whether the library is
   installed. */
int CLoaded_version(
    const char *library, const char *name, enum CLoaded_version_kind kind, char *buffer,
    size_t size);

#endif
