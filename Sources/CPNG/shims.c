#include "CPNG.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* libpng's simplified interface (png.h, "SIMPLIFIED API"), stable in all of 1.6. */
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
    /* 16 bits a sample of linear light, colours multiplied by alpha. */
    FORMAT_FLAG_LINEAR = 4,
    /* 16 bits without a gamma are sRGB like all others, not linear light. */
    FLAG_16BIT_SRGB = 4,
    /* In warning_or_error: 0 none, 1 warning, from 2 error. */
    STATE_MASK = 3,
    STATE_WARNING = 1,
    /* Of the header's byte that says so, from the file's start (ISO/IEC 15948 §11.2.2). */
    INTERLACE_OFFSET = 28
};

static struct {
    int (*begin)(png_image *, const void *, size_t);
    int (*finish)(png_image *, const void *, void *, int32_t, void *);
    void (*discard)(png_image *);
} png;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int is_missing;

static void find(void *library, const char *name, void *function) {
    void *found = dlsym(library, name);
    /* POSIX lets an object pointer become a function pointer; C wants it said by copying. */
    memcpy(function, &found, sizeof found);
    is_missing |= !found;
}

static void load(void) {
    void *library = dlopen("libpng16.so.16", RTLD_LAZY | RTLD_LOCAL);
    is_missing = !library;
    if (is_missing) return;
    find(library, "png_image_begin_read_from_memory", &png.begin);
    find(library, "png_image_finish_read", &png.finish);
    find(library, "png_image_free", &png.discard);
}

/* The 8-bit sample of an amount of linear light: the reverse of the power that libpng takes sRGB
   for. */
static uint8_t encode(double light) {
    return (uint8_t)lround(255 * pow(light < 1 ? light : 1, 1 / 2.2));
}

/* Makes 8-bit sRGB of linear samples. */
static void encode_all(const uint16_t *linear, uint8_t *pixels, size_t count, uint32_t channels) {
    uint32_t colors = channels - (channels % 2 == 0);
    for (size_t i = 0; i < count; i++, linear += channels, pixels += channels) {
        double alpha = colors < channels ? linear[colors] / 65535.0 : 1;
        for (uint32_t c = 0; c < colors; c++)
            pixels[c] = alpha > 0 ? encode(linear[c] / 65535.0 / alpha) : 0;
        if (colors < channels) pixels[colors] = (uint8_t)lround(255 * alpha);
    }
}

int CPNG_read(const uint8_t *bytes, size_t count, uint64_t sample_limit, CPNG_picture *picture) {
    memset(picture, 0, sizeof *picture);
    pthread_once(&loaded, load);
    if (is_missing) return CPNG_MISSING;
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = IMAGE_VERSION;
    if (!png.begin(&image, bytes, count)) {
        memcpy(picture->message, image.message, sizeof picture->message);
        return CPNG_MALFORMED;
    }
    picture->width = image.width;
    picture->height = image.height;
    image.flags |= FLAG_16BIT_SRGB;
    /* libpng 1.6.39 mixes up the rows of interlaced pictures when it makes 8 bits of 16: there
       the linear samples are taken. Interlacing is the last byte of the header. */
    int is_linear = image.format & FORMAT_FLAG_LINEAR && count > INTERLACE_OFFSET &&
                    bytes[INTERLACE_OFFSET] != 0;
    image.format &= FORMAT_FLAG_ALPHA | FORMAT_FLAG_COLOR;
    picture->channels = (image.format & FORMAT_FLAG_COLOR ? 3 : 1) + (image.format & FORMAT_FLAG_ALPHA);
    /* Each side has at most 31 bits. */
    uint64_t pixel_count = (uint64_t)image.width * image.height;
    if (pixel_count > sample_limit / picture->channels) {
        png.discard(&image);
        return CPNG_TOO_LARGE;
    }
    size_t pixels = (size_t)pixel_count;
    picture->pixels = calloc(pixels, picture->channels);
    if (!picture->pixels) {
        png.discard(&image);
        return CPNG_NO_MEMORY;
    }
    uint16_t *linear = NULL;
    if (is_linear) {
        image.format |= FORMAT_FLAG_LINEAR;
        linear = calloc(pixels, picture->channels * sizeof *linear);
        if (!linear) {
            png.discard(&image);
            free(picture->pixels);
            picture->pixels = NULL;
            return CPNG_NO_MEMORY;
        }
    }
    void *target = linear ? (void *)linear : picture->pixels;
    /* Frees what it holds in any case. */
    int is_good = png.finish(&image, NULL, target, 0, NULL) &&
                  (image.warning_or_error & STATE_MASK) <= STATE_WARNING;
    if (is_good && linear) encode_all(linear, picture->pixels, pixels, picture->channels);
    free(linear);
    if (!is_good) {
        memcpy(picture->message, image.message, sizeof picture->message);
        free(picture->pixels);
        picture->pixels = NULL;
        return CPNG_MALFORMED;
    }
    return CPNG_READ;
}
