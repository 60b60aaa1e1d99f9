#ifndef CPNG_H
#define CPNG_H

#include <stddef.h>
#include <stdint.h>

/* libpng, loaded on first use: few commands read PNG pictures. The few prototypes of its
   simplified interface are declared in shims.c, so that building needs no headers of it. */

enum {
    CPNG_READ = 0,
    /* The library is not installed, or lacks a function. */
    CPNG_MISSING,
    CPNG_MALFORMED,
    CPNG_TOO_LARGE,
    CPNG_NO_MEMORY
};

#define CPNG_MESSAGE_BYTES 64

typedef struct {
    uint32_t width;
    uint32_t height;
    /* 1 grey, 2 grey and alpha, 3 red, green and blue, 4 these and alpha; alpha not multiplied. */
    uint32_t channels;
    /* Rows from the top, 8 bits a sample, sRGB; to be freed with free. NULL unless read. */
    uint8_t *pixels;
    /* What is wrong, ending in NUL. */
    char message[CPNG_MESSAGE_BYTES];
} CPNG_picture;

/* Decodes a PNG of any kind. Returns one of the above. libpng reports errors by longjmp, which
   its simplified interface keeps to itself. */
int CPNG_read(const uint8_t *bytes, size_t count, uint64_t sample_limit, CPNG_picture *picture);

#endif
