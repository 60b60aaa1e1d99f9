#include "CPNG.h"
#include "loader.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* libpng's simplified interface (png.h, "SIMPLIFIED API"), which is stable in all of 1.6. */
typedef struct {
    void *opaque;
    uint32_t version;
    uint32_t width;
    uint32_t height;
    uint32_t format;
    uint32_t flags;
    uint32_t colormap_entries;
    uint32_t warning_or_error;
    char message[64];
} png_image;

enum {
    IMAGE_VERSION = 1,
    FORMAT_FLAG_ALPHA = 1,
    FORMAT_FLAG_COLOR = 2,
    /* 16 bits per sample of linear light, colors premultiplied by alpha. */
    FORMAT_FLAG_LINEAR = 4,
    /* 16-bit samples without a gamma are sRGB like all others, not linear light. */
    FLAG_16BIT_SRGB = 4,
    /* Values of warning_or_error: 0 none, 1 warning, 2 or more error. */
    STATE_MASK = 3,
    STATE_WARNING = 1,
    /* Position in the file of the interlace method, the last byte of the header (ISO/IEC 15948
       §11.2.2). */
    INTERLACE_OFFSET = 28
};

static struct {
    int (*begin)(png_image *, const void *, size_t);
    int (*finish)(png_image *, const void *, void *, int32_t, void *);
    void (*discard)(png_image *);
} png;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
    static const struct loader_symbol symbols[] = {
        {"png_image_begin_read_from_memory", &png.begin},
        {"png_image_finish_read", &png.finish},
        {"png_image_free", &png.discard},
    };
    load_result = LOADER_LOAD("libpng16.so.16", symbols);
}

/* The 8-bit sample for linear light: the inverse of the power function that libpng uses for
   sRGB. */
static uint8_t encode(double light) {
    return (uint8_t)lround(255 * pow(light < 1 ? light : 1, 1 / 2.2));
}

/* Converts linear samples to 8-bit sRGB. */
static void encode_all(const uint16_t *linear, uint8_t *pixels, size_t count, uint32_t channels) {
    uint32_t colors = channels - (channels % 2 == 0);
    for (size_t i = 0; i < count; i++, linear += channels, pixels += channels) {
        double alpha = colors < channels ? linear[colors] / 65535.0 : 1;
        for (uint32_t c = 0; c < colors; c++)
            pixels[c] = alpha > 0 ? encode(linear[c] / 65535.0 / alpha) : 0;
        if (colors < channels) pixels[colors] = (uint8_t)lround(255 * alpha);
    }
}

/* Reads the header. The image must then be finished or discarded. */
static int begin(const uint8_t *bytes, size_t count, png_image *image, CPNG_picture *picture) {
    pthread_once(&loaded, load);
    if (load_result != LOADER_LOADED) return CPNG_MISSING;
    memset(image, 0, sizeof *image);
    image->version = IMAGE_VERSION;
    if (!png.begin(image, bytes, count)) {
        memcpy(picture->message, image->message, sizeof picture->message);
        return CPNG_MALFORMED;
    }
    return CPNG_READ;
}

static int is_interlaced(const uint8_t *bytes, size_t count) {
    return count > INTERLACE_OFFSET && bytes[INTERLACE_OFFSET] != 0;
}

int CPNG_inspect(const uint8_t *bytes, size_t count, CPNG_picture *picture) {
    memset(picture, 0, sizeof *picture);
    png_image image;
    int status = begin(bytes, count, &image, picture);
    if (status != CPNG_READ) return status;
    picture->width = image.width;
    picture->height = image.height;
    picture->channels =
        (image.format & FORMAT_FLAG_COLOR ? 3 : 1) + (image.format & FORMAT_FLAG_ALPHA);
    picture->is_costly = image.format & FORMAT_FLAG_LINEAR || is_interlaced(bytes, count);
    png.discard(&image);
    return CPNG_READ;
}

int CPNG_read(const uint8_t *bytes, size_t count, CPNG_picture *picture, uint8_t *pixels) {
    png_image image;
    int status = begin(bytes, count, &image, picture);
    if (status != CPNG_READ) return status;
    image.flags |= FLAG_16BIT_SRGB;
    /* libpng 1.6.39 mixes up the rows of interlaced images when it converts 16 bits to 8. Linear
       samples are read in this case. */
    int is_linear = image.format & FORMAT_FLAG_LINEAR && is_interlaced(bytes, count);
    image.format &= FORMAT_FLAG_ALPHA | FORMAT_FLAG_COLOR;
    size_t pixel_count = (size_t)picture->width * picture->height;
    uint16_t *linear = NULL;
    if (is_linear) {
        image.format |= FORMAT_FLAG_LINEAR;
        linear = calloc(pixel_count, picture->channels * sizeof *linear);
        if (!linear) {
            png.discard(&image);
            return CPNG_NO_MEMORY;
        }
    }
    void *target = linear ? (void *)linear : pixels;
    /* Frees the image's memory in any case. */
    int is_good = png.finish(&image, NULL, target, 0, NULL) &&
                  (image.warning_or_error & STATE_MASK) <= STATE_WARNING;
    if (is_good && linear) encode_all(linear, pixels, pixel_count, picture->channels);
    free(linear);
    if (is_good) return CPNG_READ;
    memcpy(picture->message, image.message, sizeof picture->message);
    return CPNG_MALFORMED;
}
