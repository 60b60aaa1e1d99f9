#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

/* What the frame header of a JPEG picture says. */
typedef struct {
    uint32_t width;
    uint32_t height;
    int32_t components;
    int32_t bits_per_sample;
    int32_t is_progressive;
    int32_t is_arithmetic;
    /* J_COLOR_SPACE of the data: 1 gray, 2 RGB, 3 YCbCr, 4 CMYK, 5 YCCK, 0 unknown. */
    int32_t color_space;
    int32_t has_adobe_marker;
    int32_t adobe_transform;
    int32_t has_jfif_marker;
    int32_t density_unit;
    int32_t x_density;
    int32_t y_density;
} CJPEG_header;

#define CJPEG_MESSAGE_BYTES 200

/* Reads the header with libjpeg. Returns 0, or -1 and a message ending in NUL.
   libjpeg reports errors by longjmp, which never leaves this function. */
int CJPEG_read_header(const uint8_t *bytes, size_t count, CJPEG_header *header,
                      char message[CJPEG_MESSAGE_BYTES]);

#endif
