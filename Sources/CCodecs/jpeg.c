#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

_Static_assert(CJPEG_MESSAGE_BYTES >= JMSG_LENGTH_MAX, "libjpeg messages fit");

struct error_context {
    struct jpeg_error_mgr manager; /* first, so that libjpeg's pointer is ours */
    jmp_buf escape;
    char *message;
};

static void leave(j_common_ptr info) {
    struct error_context *context = (struct error_context *)info->err;
    context->manager.format_message(info, context->message);
    longjmp(context->escape, 1);
}

/* Warnings are counted by libjpeg; printing them is not ours to do. */
static void keep_quiet(j_common_ptr info) { (void)info; }

static void prepare(struct jpeg_decompress_struct *info, struct error_context *context,
                    char *message) {
    memset(info, 0, sizeof *info);
    message[0] = 0;
    info->err = jpeg_std_error(&context->manager);
    context->manager.error_exit = leave;
    context->manager.output_message = keep_quiet;
    context->message = message;
}

int CJPEG_read_header(const uint8_t *bytes, size_t count, CJPEG_header *header,
                      char message[CJPEG_MESSAGE_BYTES]) {
    struct jpeg_decompress_struct info;
    struct error_context context;

    prepare(&info, &context, message);
    memset(header, 0, sizeof *header);
    if (setjmp(context.escape)) {
        jpeg_destroy_decompress(&info);
        return -1;
    }
    jpeg_create_decompress(&info);
    /* Enough for tables and markers; a picture is never decoded here. */
    info.mem->max_memory_to_use = 16L << 20;
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);

    header->width = info.image_width;
    header->height = info.image_height;
    header->components = info.num_components;
    header->bits_per_sample = info.data_precision;
    header->is_progressive = info.progressive_mode;
    header->is_arithmetic = info.arith_code;
    header->color_space = info.jpeg_color_space;
    header->has_adobe_marker = info.saw_Adobe_marker;
    header->adobe_transform = info.Adobe_transform;
    header->has_jfif_marker = info.saw_JFIF_marker;
    header->density_unit = info.density_unit;
    header->x_density = info.X_density;
    header->y_density = info.Y_density;
    jpeg_destroy_decompress(&info);
    return 0;
}

int CJPEG_decode(const uint8_t *bytes, size_t count, uint64_t pixel_limit, CJPEG_pixels *pixels,
                 char message[CJPEG_MESSAGE_BYTES]) {
    struct jpeg_decompress_struct info;
    struct error_context context;

    prepare(&info, &context, message);
    memset(pixels, 0, sizeof *pixels);
    if (setjmp(context.escape)) {
        jpeg_destroy_decompress(&info);
        free(pixels->pixels);
        pixels->pixels = NULL;
        return -1;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, count);
    jpeg_read_header(&info, TRUE);
    if ((uint64_t)info.image_width * info.image_height > pixel_limit ||
        (info.num_components != 1 && info.num_components != 3))
        ERREXIT(&info, JERR_CONVERSION_NOTIMPL);
    info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_start_decompress(&info);
    pixels->width = info.output_width;
    pixels->height = info.output_height;
    pixels->components = (uint32_t)info.output_components;
    size_t row_bytes = (size_t)info.output_width * pixels->components;
    pixels->pixels = calloc(info.output_height, row_bytes);
    if (!pixels->pixels)
        ERREXIT1(&info, JERR_OUT_OF_MEMORY, 0);
    while (info.output_scanline < info.output_height) {
        JSAMPROW row = pixels->pixels + info.output_scanline * row_bytes;
        jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return 0;
}
