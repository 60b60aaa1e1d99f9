#include "CText.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>

/* Written once, under pthread_once. */
static struct CText_functions hb;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
#define SYMBOL(result, name, parameters) {"hb_" #name, &hb.name},
    static const struct loader_symbol symbols[] = {CTEXT_FUNCTIONS(SYMBOL)};
    static const struct loader_symbol subset_symbols[] = {CTEXT_SUBSET_FUNCTIONS(SYMBOL)};
    int text = LOADER_LOAD("libharfbuzz.so.0", symbols);
    int subset = LOADER_LOAD("libharfbuzz-subset.so.0", subset_symbols);
    load_result = text == LOADER_NOT_INSTALLED     ? CTEXT_NO_HARFBUZZ
                  : subset == LOADER_NOT_INSTALLED ? CTEXT_NO_SUBSETTER
                  : text || subset                 ? CTEXT_TOO_OLD
                                                   : CTEXT_LOADED;
}

int CText_load(struct CText_functions *functions) {
    pthread_once(&loaded, load);
    if (load_result == CTEXT_LOADED) *functions = hb;
    return load_result;
}
