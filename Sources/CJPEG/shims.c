#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

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

int CJPEG_read_header(const uint8_t *bytes, size_t count, CJPEG_header *header,
                      char message[CJPEG_MESSAGE_BYTES]) {
    struct jpeg_decompress_struct info;
    struct error_context context;

    memset(&info, 0, sizeof info);
    memset(header, 0, sizeof *header);
    message[0] = 0;
    info.err = jpeg_std_error(&context.manager);
    context.manager.error_exit = leave;
    context.manager.output_message = keep_quiet;
    context.message = message;
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
