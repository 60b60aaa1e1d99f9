#include "CText.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* HarfBuzz's stable interface, as far as it is used (hb.h, hb-subset.h). */
typedef struct hb_blob_t hb_blob_t;
typedef struct hb_buffer_t hb_buffer_t;
typedef struct hb_face_t hb_face_t;
typedef struct hb_font_t hb_font_t;
typedef struct hb_map_t hb_map_t;
typedef struct hb_set_t hb_set_t;
typedef struct hb_subset_input_t hb_subset_input_t;
typedef struct hb_subset_plan_t hb_subset_plan_t;
typedef struct hb_unicode_funcs_t hb_unicode_funcs_t;

typedef struct {
    uint32_t codepoint;
    uint32_t mask;
    uint32_t cluster;
    uint32_t var1;
    uint32_t var2;
} hb_glyph_info_t;

typedef struct {
    int32_t x_advance;
    int32_t y_advance;
    int32_t x_offset;
    int32_t y_offset;
    uint32_t var;
} hb_glyph_position_t;

typedef hb_blob_t *(*reference_table_t)(hb_face_t *, uint32_t, void *);

enum {
    MEMORY_MODE_WRITABLE = 2,
    DIRECTION_LTR = 4,
    DIRECTION_RTL = 5,
    /* Marks keep the index of their own character. */
    CLUSTER_LEVEL_MONOTONE_CHARACTERS = 1,
    SUBSET_FLAGS_NO_HINTING = 1,
    SUBSET_SETS_DROP_TABLE_TAG = 3
};

#define FUNCTIONS(F)                                                                              \
    F(hb_blob_t *, blob_create, (const char *, unsigned, int, void *, void (*)(void *)))          \
    F(hb_blob_t *, blob_reference, (hb_blob_t *))                                                 \
    F(void, blob_destroy, (hb_blob_t *))                                                          \
    F(const char *, blob_get_data, (hb_blob_t *, unsigned *))                                     \
    F(hb_face_t *, face_create_for_tables, (reference_table_t, void *, void (*)(void *)))         \
    F(void, face_destroy, (hb_face_t *))                                                          \
    F(hb_blob_t *, face_reference_blob, (hb_face_t *))                                            \
    F(hb_font_t *, font_create, (hb_face_t *))                                                    \
    F(void, font_destroy, (hb_font_t *))                                                          \
    F(int, font_get_nominal_glyph, (hb_font_t *, uint32_t, uint32_t *))                           \
    F(hb_buffer_t *, buffer_create, (void))                                                       \
    F(void, buffer_destroy, (hb_buffer_t *))                                                      \
    F(int, buffer_allocation_successful, (hb_buffer_t *))                                         \
    F(void, buffer_add_codepoints, (hb_buffer_t *, const uint32_t *, int, unsigned, int))         \
    F(void, buffer_set_cluster_level, (hb_buffer_t *, int))                                       \
    F(void, buffer_set_direction, (hb_buffer_t *, int))                                           \
    F(void, buffer_set_script, (hb_buffer_t *, uint32_t))                                         \
    F(void, buffer_guess_segment_properties, (hb_buffer_t *))                                     \
    F(hb_glyph_info_t *, buffer_get_glyph_infos, (hb_buffer_t *, unsigned *))                     \
    F(hb_glyph_position_t *, buffer_get_glyph_positions, (hb_buffer_t *, unsigned *))             \
    F(void, shape, (hb_font_t *, hb_buffer_t *, const void *, unsigned))                          \
    F(uint32_t, script_from_iso15924_tag, (uint32_t))                                             \
    F(int, script_get_horizontal_direction, (uint32_t))                                           \
    F(hb_unicode_funcs_t *, unicode_funcs_get_default, (void))                                    \
    F(uint32_t, unicode_script, (hb_unicode_funcs_t *, uint32_t))                                 \
    F(int, unicode_compose, (hb_unicode_funcs_t *, uint32_t, uint32_t, uint32_t *))               \
    F(void, set_add, (hb_set_t *, uint32_t))                                                      \
    F(uint32_t, map_get, (const hb_map_t *, uint32_t))

#define SUBSET_FUNCTIONS(F)                                                                       \
    F(hb_subset_input_t *, subset_input_create_or_fail, (void))                                   \
    F(void, subset_input_destroy, (hb_subset_input_t *))                                          \
    F(void, subset_input_set_flags, (hb_subset_input_t *, unsigned))                              \
    F(hb_set_t *, subset_input_glyph_set, (hb_subset_input_t *))                                  \
    F(hb_set_t *, subset_input_set, (hb_subset_input_t *, int))                                   \
    F(hb_subset_plan_t *, subset_plan_create_or_fail, (hb_face_t *, const hb_subset_input_t *))   \
    F(hb_face_t *, subset_plan_execute_or_fail, (hb_subset_plan_t *))                             \
    F(void, subset_plan_destroy, (hb_subset_plan_t *))                                            \
    F(const hb_map_t *, subset_plan_old_to_new_glyph_mapping, (const hb_subset_plan_t *))

/* Written once, under pthread_once. */
static struct {
    FUNCTIONS(LOADER_FIELD)
    SUBSET_FUNCTIONS(LOADER_FIELD)
} hb;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
#define SYMBOL(result, name, parameters) {"hb_" #name, &hb.name},
    static const struct loader_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    static const struct loader_symbol subset_symbols[] = {SUBSET_FUNCTIONS(SYMBOL)};
    int text = LOADER_LOAD("libharfbuzz.so.0", symbols);
    int subset = LOADER_LOAD("libharfbuzz-subset.so.0", subset_symbols);
    load_result = text == LOADER_NOT_INSTALLED     ? CTEXT_NO_HARFBUZZ
                  : subset == LOADER_NOT_INSTALLED ? CTEXT_NO_SUBSETTER
                  : text || subset                 ? CTEXT_TOO_OLD
                                                   : CTEXT_LOADED;
}

int CText_load(void) {
    pthread_once(&loaded, load);
    return load_result;
}

/* A table that was read. */
struct table {
    struct table *next;
    uint32_t tag;
    hb_blob_t *blob;
};

struct CText_font {
    CText_read_table read;
    void *context;
    hb_face_t *face;
    hb_font_t *font;
    /* Kept as long as the font: the subsetter of HarfBuzz 6.0 lets go of tables that it copies
       glyphs from later, which harms nobody whose tables are parts of one file in memory. */
    struct table *tables;
};

static hb_blob_t *reference_table(hb_face_t *face, uint32_t tag, void *context) {
    (void)face;
    struct CText_font *font = context;
    for (struct table *known = font->tables; known; known = known->next) {
        if (known->tag == tag) return hb.blob_reference(known->blob);
    }
    size_t count = tag ? font->read(font->context, tag, NULL, 0) : 0;
    if (count == 0 || count > INT32_MAX) return NULL;
    struct table *table = malloc(sizeof *table);
    uint8_t *bytes = table ? malloc(count) : NULL;
    if (!bytes || font->read(font->context, tag, bytes, count) != count) {
        free(table);
        free(bytes);
        return NULL;
    }
    /* Writable: HarfBuzz mends what is slightly wrong in a table and refuses the rest. */
    table->blob =
        hb.blob_create((const char *)bytes, (unsigned)count, MEMORY_MODE_WRITABLE, bytes, free);
    table->tag = tag;
    table->next = font->tables;
    font->tables = table;
    return hb.blob_reference(table->blob);
}

CText_font *CText_font_create(CText_read_table read, void *context) {
    struct CText_font *font = calloc(1, sizeof *font);
    if (!font) return NULL;
    font->read = read;
    font->context = context;
    /* Out of memory these return inert objects, which have no glyphs. */
    font->face = hb.face_create_for_tables(reference_table, font, NULL);
    font->font = hb.font_create(font->face);
    return font;
}

void CText_font_destroy(CText_font *font) {
    if (!font) return;
    hb.font_destroy(font->font);
    hb.face_destroy(font->face);
    while (font->tables) {
        struct table *table = font->tables;
        font->tables = table->next;
        hb.blob_destroy(table->blob);
        free(table);
    }
    free(font);
}

uint32_t CText_font_glyph(const CText_font *font, uint32_t character) {
    uint32_t glyph = 0;
    return hb.font_get_nominal_glyph(font->font, character, &glyph) ? glyph : 0;
}

ptrdiff_t CText_shape(const CText_font *font, const uint32_t *text, size_t count, uint32_t script,
                      int is_right_to_left, CText_glyph **glyphs) {
    *glyphs = NULL;
    if (count > INT32_MAX) return -1;
    hb_buffer_t *buffer = hb.buffer_create();
    hb.buffer_set_cluster_level(buffer, CLUSTER_LEVEL_MONOTONE_CHARACTERS);
    hb.buffer_add_codepoints(buffer, text, (int)count, 0, (int)count);
    hb.buffer_set_direction(buffer, is_right_to_left ? DIRECTION_RTL : DIRECTION_LTR);
    hb.buffer_set_script(buffer, hb.script_from_iso15924_tag(script));
    /* The language, which nothing else says. */
    hb.buffer_guess_segment_properties(buffer);
    hb.shape(font->font, buffer, NULL, 0);

    ptrdiff_t result = -1;
    unsigned length = 0;
    const hb_glyph_info_t *infos = hb.buffer_get_glyph_infos(buffer, &length);
    const hb_glyph_position_t *positions = hb.buffer_get_glyph_positions(buffer, &length);
    CText_glyph *out = calloc(length ? length : 1, sizeof *out);
    if (out && hb.buffer_allocation_successful(buffer) && (length == 0 || (infos && positions))) {
        for (unsigned i = 0; i < length; i++) {
            out[i].glyph = infos[i].codepoint;
            out[i].cluster = infos[i].cluster;
            out[i].advance = positions[i].x_advance;
            out[i].x_offset = positions[i].x_offset;
            out[i].y_offset = positions[i].y_offset;
        }
        *glyphs = out;
        result = length;
    } else {
        free(out);
    }
    hb.buffer_destroy(buffer);
    return result;
}

#define TAG(a, b, c, d) \
    ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Tables that a font inside a PDF does not need (ISO 32000-2 Table 125). Without the layout
   tables the subset holds the glyphs that are used and none that they might be replaced by. */
static const uint32_t dropped[] = {
    TAG('B', 'A', 'S', 'E'), TAG('G', 'D', 'E', 'F'), TAG('G', 'P', 'O', 'S'),
    TAG('G', 'S', 'U', 'B'), TAG('H', 'V', 'A', 'R'), TAG('M', 'V', 'A', 'R'),
    TAG('O', 'S', '/', '2'), TAG('S', 'T', 'A', 'T'), TAG('V', 'O', 'R', 'G'),
    TAG('V', 'V', 'A', 'R'), TAG('V', 'D', 'M', 'X'), TAG('M', 'A', 'T', 'H'),
    TAG('C', 'O', 'L', 'R'), TAG('C', 'P', 'A', 'L'), TAG('C', 'B', 'D', 'T'),
    TAG('C', 'B', 'L', 'C'), TAG('S', 'V', 'G', ' '), TAG('s', 'b', 'i', 'x'),
    TAG('a', 'v', 'a', 'r'), TAG('c', 'm', 'a', 'p'), TAG('c', 'v', 'a', 'r'),
    TAG('f', 'v', 'a', 'r'), TAG('g', 'a', 's', 'p'), TAG('g', 'v', 'a', 'r'),
    TAG('h', 'd', 'm', 'x'), TAG('k', 'e', 'r', 'n'), TAG('m', 'e', 't', 'a'),
    TAG('m', 'o', 'r', 't'), TAG('m', 'o', 'r', 'x'), TAG('n', 'a', 'm', 'e'),
    TAG('p', 'o', 's', 't'), TAG('v', 'h', 'e', 'a'), TAG('v', 'm', 't', 'x'),
    TAG('D', 'S', 'I', 'G'), TAG('L', 'T', 'S', 'H'), TAG('P', 'C', 'L', 'T'),
};

size_t CText_subset(const CText_font *font, const uint32_t *glyphs, size_t count,
                    uint32_t *new_glyphs, uint8_t **bytes) {
    size_t result = 0;
    *bytes = NULL;
    hb_subset_input_t *input = hb.subset_input_create_or_fail();
    if (!input) return 0;
    hb.subset_input_set_flags(input, SUBSET_FLAGS_NO_HINTING);
    hb_set_t *wanted = hb.subset_input_glyph_set(input);
    for (size_t i = 0; i < count; i++) hb.set_add(wanted, glyphs[i]);
    hb_set_t *tables = hb.subset_input_set(input, SUBSET_SETS_DROP_TABLE_TAG);
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) hb.set_add(tables, dropped[i]);

    hb_subset_plan_t *plan = hb.subset_plan_create_or_fail(font->face, input);
    hb_face_t *face = plan ? hb.subset_plan_execute_or_fail(plan) : NULL;
    if (face) {
        const hb_map_t *map = hb.subset_plan_old_to_new_glyph_mapping(plan);
        for (size_t i = 0; i < count; i++) new_glyphs[i] = hb.map_get(map, glyphs[i]);
        hb_blob_t *blob = hb.face_reference_blob(face);
        unsigned length = 0;
        const char *data = hb.blob_get_data(blob, &length);
        *bytes = data && length ? malloc(length) : NULL;
        if (*bytes) {
            memcpy(*bytes, data, length);
            result = length;
        }
        hb.blob_destroy(blob);
        hb.face_destroy(face);
    }
    if (plan) hb.subset_plan_destroy(plan);
    hb.subset_input_destroy(input);
    return result;
}

uint32_t CText_script(uint32_t character) {
    return hb.unicode_script(hb.unicode_funcs_get_default(), character);
}

int CText_is_right_to_left_script(uint32_t script) {
    return hb.script_get_horizontal_direction(script) == DIRECTION_RTL;
}

uint32_t CText_compose(uint32_t first, uint32_t second) {
    uint32_t composed = 0;
    hb_unicode_funcs_t *unicode = hb.unicode_funcs_get_default();
    return hb.unicode_compose(unicode, first, second, &composed) ? composed : 0;
}

