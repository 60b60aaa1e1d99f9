#include "loader.h"

#include <dlfcn.h>
#include <string.h>

int loader_load(const char *library, int flags, const struct loader_symbol *symbols, size_t count) {
    void *handle = dlopen(library, flags | RTLD_LOCAL);
    if (!handle) return LOADER_NOT_INSTALLED;
    int result = LOADER_LOADED;
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(handle, symbols[i].name);
        /* POSIX permits converting an object pointer to a function pointer; standard C requires
           a copy. */
        memcpy(symbols[i].pointer, &found, sizeof found);
        if (!found) result = LOADER_TOO_OLD;
    }
    return result;
}
