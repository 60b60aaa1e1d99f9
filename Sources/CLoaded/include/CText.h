#ifndef CTEXT_H
#define CTEXT_H

#include <stddef.h>
#include <stdint.h>

/* The part of HarfBuzz's stable interface that is used (hb.h, hb-subset.h). The library is
   loaded on first use: most commands set no text, and linking it would delay the start of each. */
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
    uint32_t codepoint, mask, cluster, var1, var2;
} CText_glyph_info;

typedef struct {
    int32_t x_advance, y_advance, x_offset, y_offset;
    uint32_t var;
} CText_glyph_position;

typedef hb_blob_t *(*CText_reference_table)(hb_face_t *, uint32_t tag, void *context);

enum {
    CTEXT_MEMORY_MODE_DUPLICATE = 0,
    CTEXT_DIRECTION_LTR = 4,
    CTEXT_DIRECTION_RTL = 5,
    /* Marks keep the index of their own character. */
    CTEXT_CLUSTER_LEVEL_MONOTONE_CHARACTERS = 1,
    CTEXT_SUBSET_FLAGS_NO_HINTING = 1,
    CTEXT_SUBSET_SETS_DROP_TABLE_TAG = 3
};

#define CTEXT_FUNCTIONS(F)                                                                        \
    F(hb_blob_t *, blob_create, (const char *, unsigned, int, void *, void (*)(void *)))          \
    F(hb_blob_t *, blob_reference, (hb_blob_t *))                                                 \
    F(void, blob_destroy, (hb_blob_t *))                                                          \
    F(const char *, blob_get_data, (hb_blob_t *, unsigned *))                                     \
    F(hb_face_t *, face_create_for_tables, (CText_reference_table, void *, void (*)(void *)))     \
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
    F(CText_glyph_info *, buffer_get_glyph_infos, (hb_buffer_t *, unsigned *))                    \
    F(CText_glyph_position *, buffer_get_glyph_positions, (hb_buffer_t *, unsigned *))            \
    F(void, shape, (hb_font_t *, hb_buffer_t *, const void *, unsigned))                          \
    F(uint32_t, script_from_iso15924_tag, (uint32_t))                                             \
    F(int, script_get_horizontal_direction, (uint32_t))                                           \
    F(hb_unicode_funcs_t *, unicode_funcs_get_default, (void))                                    \
    F(uint32_t, unicode_script, (hb_unicode_funcs_t *, uint32_t))                                 \
    F(int, unicode_compose, (hb_unicode_funcs_t *, uint32_t, uint32_t, uint32_t *))               \
    F(void, set_add, (hb_set_t *, uint32_t))                                                      \
    F(uint32_t, map_get, (const hb_map_t *, uint32_t))

#define CTEXT_SUBSET_FUNCTIONS(F)                                                                 \
    F(hb_subset_input_t *, subset_input_create_or_fail, (void))                                   \
    F(void, subset_input_destroy, (hb_subset_input_t *))                                          \
    F(void, subset_input_set_flags, (hb_subset_input_t *, unsigned))                              \
    F(hb_set_t *, subset_input_glyph_set, (hb_subset_input_t *))                                  \
    F(hb_set_t *, subset_input_set, (hb_subset_input_t *, int))                                   \
    F(hb_subset_plan_t *, subset_plan_create_or_fail, (hb_face_t *, const hb_subset_input_t *))   \
    F(hb_face_t *, subset_plan_execute_or_fail, (hb_subset_plan_t *))                             \
    F(void, subset_plan_destroy, (hb_subset_plan_t *))                                            \
    F(const hb_map_t *, subset_plan_old_to_new_glyph_mapping, (const hb_subset_plan_t *))

#define CTEXT_FIELD(result, name, parameters) result(*name) parameters;
struct __attribute__((swift_attr("@safe"))) CText_functions {
    CTEXT_FUNCTIONS(CTEXT_FIELD)
    CTEXT_SUBSET_FUNCTIONS(CTEXT_FIELD)
};
#undef CTEXT_FIELD

enum {
    CTEXT_LOADED = 0,
    CTEXT_NO_HARFBUZZ,
    CTEXT_NO_SUBSETTER,
    /* A function is missing: the library is older than 6.0. */
    CTEXT_TOO_OLD,
    CTEXT_NO_STRINGPREP,
    /* The text cannot be prepared. */
    CTEXT_UNSUITABLE
};

/* Loads the libraries once; returns one of the above. Sets *functions if that is CTEXT_LOADED. */
int CText_load(struct CText_functions *functions);

/* Directions of text. */
enum { CTEXT_LEFT_TO_RIGHT, CTEXT_RIGHT_TO_LEFT, CTEXT_NO_DIRECTION, CTEXT_NO_BIDI };

/* Sets the embedding levels (UAX #9) of count characters with FriBidi, which is loaded on first
   use. CTEXT_NO_DIRECTION derives the direction from the text. Returns the direction,
   CTEXT_NO_DIRECTION if no character has one, or CTEXT_NO_BIDI. */
int CText_levels(const uint32_t *text, size_t count, int direction, uint8_t *levels);

/* Prepares a password (RFC 4013) of count bytes with GNU libidn, which is loaded on first use.
   Returns CTEXT_LOADED and sets *prepared and *prepared_count; CTEXT_UNSUITABLE;
   CTEXT_NO_STRINGPREP. */
int CText_saslprep(const uint8_t *text, size_t count, uint8_t **prepared, size_t *prepared_count);
/* Wipes and frees a prepared password. */
void CText_free_secret(uint8_t *bytes, size_t count);

#endif
