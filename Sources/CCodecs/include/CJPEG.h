#ifndef CJPEG_H
#define CJPEG_H

#include <stddef.h>
#include <stdint.h>

#define CJPEG_MESSAGE_BYTES 200

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
    /* Not zero: no picture is written, but its rows from the top, one byte of gray or three of red,
       green and blue a pixel. */
    int32_t is_raw;
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
    /* The first oddity that libjpeg put up with. */
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
