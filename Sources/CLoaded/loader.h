#ifndef LOADER_H
#define LOADER_H

#include <stddef.h>

/* A function of a library, and the pointer that gets its address. */
struct loader_symbol {
    const char *name;
    void *pointer;
};

enum { LOADER_LOADED, LOADER_NOT_INSTALLED, LOADER_TOO_OLD };

/* Loads a library with the flags of dlopen and finds functions in it; returns one of the above,
   LOADER_TOO_OLD if one of them is missing. */
int loader_load(const char *library, int flags, const struct loader_symbol *symbols, size_t count);

/* The functions of a library are a list of F(result, name, parameters): fields of a structure. */
#define LOADER_FIELD(result, name, parameters) result(*name) parameters;

/* Loads a library when it is first needed. */
#define LOADER_LOAD(library, symbols)                                                             \
    loader_load(library, RTLD_LAZY, symbols, sizeof(symbols) / sizeof *(symbols))

#endif
