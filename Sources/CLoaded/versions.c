#include "CVersions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int CLoaded_version(
    const char *library, const char *name, enum CLoaded_version_kind kind, char *buffer,
    size_t size) {
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return 0;
    buffer[0] = 0;
    void *found = name ? dlsym(handle, name) : NULL;
    const char *text = NULL;
    if (found) {
        union {
            void *pointer;
            const char *(*of_nothing)(void);
            const char *(*of_pointer)(const void *);
            const char *(*of_number)(int);
        } function = {.pointer = found};
        switch (kind) {
        case CLOADED_OF_NOTHING: text = function.of_nothing(); break;
        case CLOADED_OF_POINTER: text = function.of_pointer(NULL); break;
        case CLOADED_OF_NUMBER: text = function.of_number(0); break;
        case CLOADED_VARIABLE: memcpy(&text, found, sizeof text); break;
        }
    }
    if (text) snprintf(buffer, size, "%s", text);
    return 1;
}
