#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

/* libpng, loaded on first use: few commands read PNG pictures. The few prototypes of its
   simplified interface are declared in png.c, so that building needs no headers of it. */

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
    /* 1 grey, 2 grey and alpha, 3 red, green and blue, 4 these and alpha; alpha not multiplied. */
    uint32_t channels;
    /* Whether decoding takes more time and memory than the samples: interlaced, or 16 bits. */
    uint32_t is_costly;
    /* What is wrong, ending in NUL. */
    char message[CPNG_MESSAGE_BYTES];
} CPNG_picture;

/* Tells what a PNG of any kind holds, by its header. Returns one of the above. libpng reports errors
   by longjmp, which its simplified interface keeps to itself. */
int CPNG_inspect(const uint8_t *bytes, size_t count, CPNG_picture *picture);

/* Decodes an inspected PNG: rows from the top, 8 bits a sample, sRGB. `pixels` has room for width,
   height and channels as they were told. */
int CPNG_read(const uint8_t *bytes, size_t count, CPNG_picture *picture, uint8_t *pixels);

#endif
