#ifndef LOADER_H
#define LOADER_H

#include <stddef.h>

/* The name of a library function, and the pointer that receives its address. */
struct loader_symbol {
    const char *name;
    void *pointer;
};

enum { LOADER_LOADED, LOADER_NOT_INSTALLED, LOADER_TOO_OLD };

/* Loads a library with the flags of dlopen and looks up functions in it. Returns one of the
   above; LOADER_TOO_OLD if a function is missing. */
int loader_load(const char *library, int flags, const struct loader_symbol *symbols, size_t count);

/* Expands a list F(result, name, parameters) of library functions to fields of a structure. */
#define LOADER_FIELD(result, name, parameters) result(*name) parameters;

/* Loads a library with lazy binding. */
#define LOADER_LOAD(library, symbols)                                                             \
    loader_load(library, RTLD_LAZY, symbols, sizeof(symbols) / sizeof *(symbols))

#endif
