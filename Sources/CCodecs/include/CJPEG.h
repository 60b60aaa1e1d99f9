#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#define CJPEG_MESSAGE_BYTES 200

/* The input and output of an image. The functions must return normally: libjpeg calls them, and
   its error handling unwinds only its own frames. */
typedef struct {
    void *context;
    /* Reads up to `count` bytes at `offset`. Returns their number, 0 at the end, -1 on failure. */
    int64_t (*read)(void *context, uint64_t offset, uint8_t *buffer, size_t count);
    /* Writes all bytes. Returns 0, or -1 on failure. */
    int32_t (*write)(void *context, const uint8_t *bytes, size_t count);
} CJPEG_streams;

/* Options of a conversion. */
typedef struct {
    /* Nonzero: the coefficients are unchanged, and the three fields below are unused. */
    int32_t is_lossless;
    /* libjpeg's scaled decoding: 1 to 16 eighths. */
    int32_t eighths;
    /* Side of the squares that are then reduced to one pixel each: 1 or more. */
    int32_t shrink;
    /* Quality, 1 to 100. */
    int32_t quality;
    /* Nonzero: only the luminance is kept. */
    int32_t is_gray;
    /* Nonzero: writes no image file but its rows from the top, with one byte of gray or three
       bytes of RGB per pixel. */
    int32_t is_raw;
    /* Maximum number of scans. memory_limit is the maximum memory of libjpeg, in bytes. */
    int32_t scan_limit;
    /* Maximum number of pixels in all scans together. */
    int64_t scan_pixel_limit;
    int64_t memory_limit;
} CJPEG_options;

/* The properties of the output. */
typedef struct {
    uint32_t width;
    uint32_t height;
    int32_t components;
    /* The first defect that libjpeg tolerated. */
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

/* Converts an image to a Huffman-coded one. Omits all application markers except those that
   determine the colors. Rows pass through one at a time, but progressive images and lossless
   conversion keep the coefficients. Returns CJPEG_DONE, or an error code and a message ending in
   NUL. */
int CJPEG_transcode(const CJPEG_streams *streams, const CJPEG_options *options,
                    CJPEG_result *result, char message[CJPEG_MESSAGE_BYTES]);

#endif
