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

typedef struct {
    uint32_t width;
    uint32_t height;
    /* 1 grey, 3 red, green and blue. */
    uint32_t components;
    /* Rows from the top; to be freed with free. NULL unless decoded. */
    uint8_t *pixels;
} CJPEG_pixels;

/* Decodes a picture of at most `pixel_limit` pixels with one or three components.
   Returns 0, or -1 and a message ending in NUL. */
int CJPEG_decode(const uint8_t *bytes, size_t count, uint64_t pixel_limit, CJPEG_pixels *pixels,
                 char message[CJPEG_MESSAGE_BYTES]);

/* Where a picture comes from and goes to. The functions must return normally: they are called
   from inside libjpeg, whose error handling jumps over its own frames only. */
typedef struct {
    void *context;
    /* Reads up to `count` bytes at `offset`. Returns how many, 0 at the end, -1 on failure. */
    int64_t (*read)(void *context, uint64_t offset, uint8_t *buffer, size_t count);
    /* Takes all bytes. Returns 0, or -1 on failure. */
    int32_t (*write)(void *context, const uint8_t *bytes, size_t count);
} CJPEG_streams;

/* How a picture is to be written anew. */
typedef struct {
    /* Not zero: the coefficients are kept as they are, and the three fields below are unused. */
    int32_t is_lossless;
    /* libjpeg's scaled decoding: 1 to 16 eighths. */
    int32_t eighths;
    /* After that, squares of so many pixels become one: 1 or more. */
    int32_t shrink;
    /* 1 to 100. */
    int32_t quality;
    /* Not zero: only brightness is kept. */
    int32_t is_gray;
    /* The most scans that are read, and the most bytes that libjpeg may take. */
    int32_t scan_limit;
    /* The most pixels of all scans together. */
    int64_t scan_pixel_limit;
    int64_t memory_limit;
} CJPEG_options;

/* What was written. */
typedef struct {
    uint32_t width;
    uint32_t height;
    int32_t components;
    /* Oddities that libjpeg put up with, and the first of them. */
    int64_t warnings;
    char warning[CJPEG_MESSAGE_BYTES];
} CJPEG_result;

enum {
    CJPEG_DONE = 0,
    CJPEG_MALFORMED = -1,  /* libjpeg's message */
    CJPEG_TRUNCATED = -2,  /* the data ends before the picture does */
    CJPEG_CORRUPT = -3,    /* the picture's data does not decode */
    CJPEG_TOO_LARGE = -4,  /* more scans or memory than permitted */
    CJPEG_STREAM_FAILED = -5 /* `read` or `write` failed */
};

/* Reads a picture and writes it anew as a Huffman-coded one without any application markers but
   those that say how to read the colours. Rows pass through one at a time, except that
   progressive pictures and lossless work keep the coefficients.
   Returns CJPEG_DONE, or a code above and a message ending in NUL. */
int CJPEG_transcode(const CJPEG_streams *streams, const CJPEG_options *options,
                    CJPEG_result *result, char message[CJPEG_MESSAGE_BYTES]);

#endif
