#ifndef CTEXT_H
#define CTEXT_H

#include <stddef.h>
#include <stdint.h>

/* HarfBuzz, loaded on first use: most commands set no text, and linking the library would cost
   each of them its start. Its few prototypes are declared in text.c, so that building needs no
   headers of it. */

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

/* Loads the libraries once; returns one of the above. Every other function needs CTEXT_LOADED. */
int CText_load(void);

/* A font whose tables are read when HarfBuzz asks for them. */
typedef struct CText_font CText_font;

/* With into NULL, returns the size of a table, 0 when the font has none; otherwise copies it, at
   most capacity bytes, and returns how many there were. */
typedef size_t (*CText_read_table)(void *context, uint32_t tag, uint8_t *into, size_t capacity);

/* The context must outlive the font. NULL when memory is short. */
CText_font *CText_font_create(CText_read_table read, void *context);
void CText_font_destroy(CText_font *font);

/* The glyph of a character without shaping; 0 when the font has none. */
uint32_t CText_font_glyph(const CText_font *font, uint32_t character);

/* One glyph, in the order of drawing from left to right; lengths in font units. */
typedef struct {
    uint32_t glyph;
    /* Index of the first character that the glyph stands for. */
    uint32_t cluster;
    int32_t advance;
    int32_t x_offset;
    int32_t y_offset;
} CText_glyph;

/* Shapes count characters of one script (its ISO 15924 tag) and direction. Returns the number of
   glyphs and sets *glyphs, to be freed with CText_free; -1 when memory is short. */
ptrdiff_t CText_shape(const CText_font *font, const uint32_t *text, size_t count, uint32_t script,
                      int is_right_to_left, CText_glyph **glyphs);

/* Makes a font file of these glyphs, without hinting and without what only shaping needs. The
   glyphs are renumbered: new_glyphs gets count numbers. Returns the size and sets *bytes, to be
   freed with CText_free; 0 when the font cannot be subset. */
size_t CText_subset(const CText_font *font, const uint32_t *glyphs, size_t count,
                    uint32_t *new_glyphs, uint8_t **bytes);

/* The tag of a character's script; Zyyy common, Zinh inherited. */
uint32_t CText_script(uint32_t character);
int CText_is_right_to_left_script(uint32_t script);
/* The canonical composition of two characters; 0 when there is none. */
uint32_t CText_compose(uint32_t first, uint32_t second);

/* Directions of text. */
enum { CTEXT_LEFT_TO_RIGHT, CTEXT_RIGHT_TO_LEFT, CTEXT_NO_DIRECTION, CTEXT_NO_BIDI };

/* Sets the embedding levels (UAX #9) of count characters with FriBidi, which is loaded on first use;
   CTEXT_NO_DIRECTION leaves the direction to the text. Returns the direction, CTEXT_NO_DIRECTION if
   no character has one, or CTEXT_NO_BIDI. */
int CText_levels(const uint32_t *text, size_t count, int direction, uint8_t *levels);

/* Prepares a password (RFC 4013) of count bytes with GNU libidn, which is loaded on first use.
   Returns CTEXT_LOADED and sets *prepared and *prepared_count; CTEXT_UNSUITABLE;
   CTEXT_NO_STRINGPREP. */
int CText_saslprep(const uint8_t *text, size_t count, uint8_t **prepared, size_t *prepared_count);
void CText_free(void *memory);
/* Wipes and frees. */
void CText_free_secret(uint8_t *bytes, size_t count);

#endif
