#include "CText.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* The part of FriBidi's stable interface that is used (fribidi.h). */
enum { TYPE_NEUTRAL = 0x40, TYPE_LEFT_TO_RIGHT = 0x110, TYPE_RIGHT_TO_LEFT = 0x111 };

static void (*get_bidi_types)(const uint32_t *text, int count, uint32_t *types);
static void (*get_bracket_types)(const uint32_t *text, int count, const uint32_t *types,
                                 uint32_t *brackets);
/* Sets the direction if it is neutral and a character has a direction. */
static signed char (*get_levels)(const uint32_t *types, const uint32_t *brackets, int count,
                                 uint32_t *direction, signed char *levels);

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
    static const struct loader_symbol symbols[] = {
        {"fribidi_get_bidi_types", &get_bidi_types},
        {"fribidi_get_bracket_types", &get_bracket_types},
        {"fribidi_get_par_embedding_levels_ex", &get_levels},
    };
    load_result = LOADER_LOAD("libfribidi.so.0", symbols);
}

int CText_levels(const uint32_t *text, size_t count, int direction, uint8_t *levels) {
    pthread_once(&loaded, load);
    if (load_result != LOADER_LOADED) return CTEXT_NO_BIDI;
    if (count == 0) return CTEXT_NO_DIRECTION;
    uint32_t *types = calloc(count, 2 * sizeof *types);
    if (!types) return CTEXT_NO_BIDI;
    uint32_t *brackets = types + count;
    get_bidi_types(text, (int)count, types);
    get_bracket_types(text, (int)count, types, brackets);
    uint32_t found = TYPE_NEUTRAL;
    int is_done = get_levels(types, brackets, (int)count, &found, (signed char *)levels);
    uint32_t base = direction == CTEXT_LEFT_TO_RIGHT ? TYPE_LEFT_TO_RIGHT : TYPE_RIGHT_TO_LEFT;
    if (is_done && direction != CTEXT_NO_DIRECTION)
        is_done = get_levels(types, brackets, (int)count, &base, (signed char *)levels);
    free(types);
    if (!is_done) return CTEXT_NO_BIDI;
    if (found == TYPE_NEUTRAL) return CTEXT_NO_DIRECTION;
    if (direction != CTEXT_NO_DIRECTION) return direction;
    return found == TYPE_RIGHT_TO_LEFT ? CTEXT_RIGHT_TO_LEFT : CTEXT_LEFT_TO_RIGHT;
}
