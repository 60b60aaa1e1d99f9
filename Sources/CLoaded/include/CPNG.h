#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

/* libpng, loaded on first use, because few commands read PNG images. The few prototypes of its
   simplified interface are declared in png.c, so that building does not need its headers. */

enum {
    CPNG_READ = 0,
    /* The library is not installed, or lacks a function. */
    CPNG_MISSING,
    CPNG_MALFORMED,
    CPNG_NO_MEMORY
};

#define CPNG_MESSAGE_BYTES 64

typedef struct {
    uint32_t width;
    uint32_t height;
    /* 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha; colors are not premultiplied. */
    uint32_t channels;
    /* Whether decoding takes more time and memory than the number of samples suggests:
       interlaced, or 16 bits. */
    uint32_t is_costly;
    /* The error message, ending in NUL. */
    char message[CPNG_MESSAGE_BYTES];
} CPNG_picture;

/* Reads the header of any PNG. Returns one of the above. libpng reports errors by longjmp, which
   its simplified interface handles itself. */
int CPNG_inspect(const uint8_t *bytes, size_t count, CPNG_picture *picture);

/* Decodes an inspected PNG: rows from the top, 8 bits per sample, sRGB. `pixels` has space for
   the width, height and channels that CPNG_inspect returned. */
int CPNG_read(const uint8_t *bytes, size_t count, CPNG_picture *picture, uint8_t *pixels);

#endif
