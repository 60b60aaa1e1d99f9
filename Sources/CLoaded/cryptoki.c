#include "CCryptoki.h"
#include "loader.h"

#include <dlfcn.h>
#include <stdio.h>

_Static_assert(sizeof(struct CCryptoki_info) == 88 && sizeof(struct CCryptoki_slot) == 112
                   && sizeof(struct CCryptoki_token) == 208,
               "the layout that modules have");
_Static_assert(sizeof(void *) != 8
                   || (offsetof(struct CCryptoki_functions, Login) == 152
                       && offsetof(struct CCryptoki_functions, FindObjects) == 224
                       && offsetof(struct CCryptoki_functions, Decrypt) == 280
                       && offsetof(struct CCryptoki_functions, Sign) == 352
                       && offsetof(struct CCryptoki_functions, DeriveKey) == 504),
               "the order that modules have");

const struct CCryptoki_functions *CCryptoki_load(const char *path, char *reason,
                                                 size_t reason_size) {
    CCryptoki_number (*get_list)(const struct CCryptoki_functions **) = NULL;
    const struct loader_symbol symbol = {"C_GetFunctionList", &get_list};
    switch (loader_load(path, RTLD_NOW, &symbol, 1)) {
    case LOADER_NOT_INSTALLED: {
        const char *words = dlerror();
        snprintf(reason, reason_size, "%s", words ? words : "cannot be loaded");
        return NULL;
    }
    case LOADER_TOO_OLD:
        snprintf(reason, reason_size, "is no PKCS#11 module (no C_GetFunctionList)");
        return NULL;
    }
    const struct CCryptoki_functions *list = NULL;
    CCryptoki_number code = get_list(&list);
    if (code == 0 && list && list->version.major >= 2) return list;
    snprintf(reason, reason_size, "C_GetFunctionList failed with code 0x%lx", code);
    return NULL;
}
