#define _DEFAULT_SOURCE
#include "CText.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The part of GNU libidn that is used (stringprep.h). */
static int (*stringprep_profile)(const char *in, char **out, const char *profile, int flags);

static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
    static const struct loader_symbol symbols[] = {{"stringprep_profile", &stringprep_profile}};
    LOADER_LOAD("libidn.so.12", symbols);
}

int CText_saslprep(const uint8_t *text, size_t count, uint8_t **prepared, size_t *prepared_count) {
    pthread_once(&loaded, load);
    if (!stringprep_profile) return CTEXT_NO_STRINGPREP;
    char *input = calloc(1, count + 1);
    if (!input) return CTEXT_UNSUITABLE;
    memcpy(input, text, count);
    char *output = NULL;
    /* Characters that are unassigned in Unicode 3.2 are unchanged (RFC 3454, section 7:
       queries). */
    int result = strlen(input) == count ? stringprep_profile(input, &output, "SASLprep", 0) : -1;
    CText_free_secret((uint8_t *)input, count);
    if (result != 0 || !output) return CTEXT_UNSUITABLE;
    *prepared = (uint8_t *)output;
    *prepared_count = strlen(output);
    return CTEXT_LOADED;
}

void CText_free_secret(uint8_t *bytes, size_t count) {
    if (!bytes) return;
    explicit_bzero(bytes, count);
    free(bytes);
}
