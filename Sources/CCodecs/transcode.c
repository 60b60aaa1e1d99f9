#include "CJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

_Static_assert(CJPEG_MESSAGE_BYTES >= JMSG_LENGTH_MAX, "libjpeg messages fit");

enum { BUFFER_BYTES = 65536, ROWS_AT_ONCE = 16 };

/* The state of one run. libjpeg's structures refer to it by client_data. */
struct run {
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    struct jpeg_source_mgr source;
    struct jpeg_destination_mgr target;
    struct jpeg_decompress_struct in;
    struct jpeg_compress_struct out;
    const CJPEG_streams *streams;
    const CJPEG_options *options;
    CJPEG_result *result;
    char *message;
    int failure;
    uint64_t offset;
    /* The first array that the decoder requests. */
    jvirt_barray_ptr luma;
    jmp_buf escape;
    uint8_t input[BUFFER_BYTES];
    uint8_t output[BUFFER_BYTES];
};

static void fail(struct run *run, int failure, const char *message) {
    run->failure = failure;
    snprintf(run->message, CJPEG_MESSAGE_BYTES, "%s", message);
    longjmp(run->escape, 1);
}

static void leave(j_common_ptr info) {
    struct run *run = info->client_data;
    int code = info->err->msg_code;
    run->failure = code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE
                       ? CJPEG_TOO_LARGE
                       : CJPEG_MALFORMED;
    info->err->format_message(info, run->message);
    longjmp(run->escape, 1);
}

/* Negative levels are warnings. Warnings about image data mean that pixels are wrong. */
static void note(j_common_ptr info, int level) {
    struct run *run = info->client_data;
    if (level >= 0)
        return;
    switch (info->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
        run->failure = CJPEG_CORRUPT;
        info->err->format_message(info, run->message);
        longjmp(run->escape, 1);
    default:
        break;
    }
    if (info->err->num_warnings++ == 0)
        info->err->format_message(info, run->result->warning);
}

static void keep_quiet(j_common_ptr info) { (void)info; }

static void count_scans(j_common_ptr info) {
    struct run *run = info->client_data;
    if (info->is_decompressor && run->in.input_scan_number > run->options->scan_limit)
        fail(run, CJPEG_TOO_LARGE, "too many scans");
    uint64_t pixels = (uint64_t)run->in.image_width * run->in.image_height;
    if (info->is_decompressor &&
        (uint64_t)run->in.input_scan_number * pixels > (uint64_t)run->options->scan_pixel_limit)
        fail(run, CJPEG_TOO_LARGE, "too many scans for so many pixels");
}

static void start_source(j_decompress_ptr in) { (void)in; }

static boolean fill(j_decompress_ptr in) {
    struct run *run = in->client_data;
    int64_t count = run->streams->read(run->streams->context, run->offset, run->input, BUFFER_BYTES);
    if (count < 0 || count > BUFFER_BYTES)
        fail(run, CJPEG_STREAM_FAILED, "reading failed");
    if (count == 0)
        fail(run, CJPEG_TRUNCATED, "the data ends before the picture does");
    run->offset += (uint64_t)count;
    run->source.next_input_byte = run->input;
    run->source.bytes_in_buffer = (size_t)count;
    return TRUE;
}

static void skip(j_decompress_ptr in, long count) {
    struct run *run = in->client_data;
    if (count <= 0)
        return;
    if ((size_t)count <= run->source.bytes_in_buffer) {
        run->source.next_input_byte += count;
        run->source.bytes_in_buffer -= (size_t)count;
    } else {
        run->offset += (uint64_t)count - run->source.bytes_in_buffer;
        run->source.bytes_in_buffer = 0;
    }
}

static void end_source(j_decompress_ptr in) { (void)in; }

static void start_target(j_compress_ptr out) {
    struct run *run = out->client_data;
    run->target.next_output_byte = run->output;
    run->target.free_in_buffer = BUFFER_BYTES;
}

static void hand_over(struct run *run, const uint8_t *bytes, size_t count) {
    if (count > 0 && run->streams->write(run->streams->context, bytes, count) != 0)
        fail(run, CJPEG_STREAM_FAILED, "writing failed");
}

static boolean empty(j_compress_ptr out) {
    struct run *run = out->client_data;
    hand_over(run, run->output, BUFFER_BYTES);
    start_target(out);
    return TRUE;
}

static void end_target(j_compress_ptr out) {
    struct run *run = out->client_data;
    hand_over(run, run->output, BUFFER_BYTES - run->target.free_in_buffer);
}

/* Replaces a virtual array whose rows are read only once and in order. Contains the block rows
   that are decoded together. */
struct strip {
    JBLOCKARRAY rows;
    JDIMENSION first;
    JDIMENSION height;
    size_t row_bytes;
    int is_decoded;
};

static jvirt_barray_ptr request_strip(j_common_ptr info, int pool, boolean is_zeroed,
                                      JDIMENSION width, JDIMENSION height, JDIMENSION most_rows) {
    (void)is_zeroed, (void)height;
    struct run *run = info->client_data;
    struct strip *strip = info->mem->alloc_small(info, pool, sizeof *strip);
    strip->rows = info->mem->alloc_barray(info, pool, width, most_rows);
    strip->height = most_rows;
    strip->row_bytes = width * sizeof(JBLOCK);
    strip->first = 0;
    strip->is_decoded = 0;
    if (!run->luma)
        run->luma = (jvirt_barray_ptr)strip;
    return (jvirt_barray_ptr)strip;
}

/* The rows for the decoder, which requires zeros. */
static JBLOCKARRAY clear_strip(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION first,
                               JDIMENSION count, boolean is_writable) {
    (void)info, (void)is_writable;
    struct strip *strip = (struct strip *)array;
    for (JDIMENSION row = 0; row < count; row++)
        memset(strip->rows[row], 0, strip->row_bytes);
    strip->first = first;
    return strip->rows;
}

/* A row for the encoder. */
static JBLOCKARRAY decode_row(j_common_ptr info, jvirt_barray_ptr array, JDIMENSION row,
                              JDIMENSION count, boolean is_writable) {
    (void)count, (void)is_writable;
    struct run *run = info->client_data;
    struct strip *strip = (struct strip *)array;
    while (!strip->is_decoded || row >= strip->first + strip->height) {
        if (jpeg_consume_input(&run->in) == JPEG_REACHED_EOI)
            fail(run, CJPEG_TRUNCATED, "the data ends before the picture does");
        strip->is_decoded = 1;
    }
    return strip->rows + (row - strip->first);
}

/* Prepares to decode the only scan while the luminance is written. In this mode, libjpeg decodes
   row by row and stores no chrominance coefficients. */
static jvirt_barray_ptr *start_luma(struct run *run) {
    struct jpeg_decompress_struct *in = &run->in;
    struct jpeg_compress_struct *out = &run->out;
    in->mem->request_virt_barray = request_strip;
    in->mem->access_virt_barray = clear_strip;
    out->mem->access_virt_barray = decode_row;
    in->buffered_image = TRUE;
    in->out_color_space = JCS_GRAYSCALE;
    jpeg_start_decompress(in);
    return &run->luma;
}

static void copy_coefficients(struct run *run) {
    struct jpeg_decompress_struct *in = &run->in;
    struct jpeg_compress_struct *out = &run->out;
    int takes_luma = run->options->is_gray && in->num_components > 1;
    int is_streamed = takes_luma && !in->arith_code && !jpeg_has_multiple_scans(in);

    if (takes_luma && (in->jpeg_color_space != JCS_YCbCr ||
                       in->comp_info[0].h_samp_factor != in->max_h_samp_factor ||
                       in->comp_info[0].v_samp_factor != in->max_v_samp_factor))
        fail(run, CJPEG_MALFORMED, "brightness is not a component of its own");
    jvirt_barray_ptr *coefficients = is_streamed ? start_luma(run) : jpeg_read_coefficients(in);
    jpeg_copy_critical_parameters(in, out);
    if (takes_luma) {
        int table = out->comp_info[0].quant_tbl_no;
        jpeg_set_colorspace(out, JCS_GRAYSCALE);
        out->comp_info[0].quant_tbl_no = table;
    }
    /* Uses the image's own AC codes. The DC codes depend on the order of blocks and are not
       reused. */
    if (is_streamed)
        *out->ac_huff_tbl_ptrs[0] = *in->ac_huff_tbl_ptrs[in->comp_info[0].ac_tbl_no];
    /* By convention, CMYK samples are inverted if the Adobe marker is present, so none is added. */
    if (in->num_components == 4 && !in->saw_Adobe_marker && in->jpeg_color_space == JCS_CMYK)
        out->write_Adobe_marker = FALSE;
    out->optimize_coding = in->arith_code;
    out->arith_code = FALSE;
    run->result->width = in->image_width;
    run->result->height = in->image_height;
    run->result->components = out->num_components;
    jpeg_write_coefficients(out, coefficients);
    jpeg_finish_compress(out);
    jpeg_finish_decompress(in);
}

/* CMYK, inverted as Adobe writes it, or not inverted. Luminance by ITU-R BT.601. */
static void gray_from_cmyk(const JSAMPLE *from, JSAMPLE *to, JDIMENSION width, int inverted) {
    for (JDIMENSION x = 0; x < width; x++, from += 4) {
        unsigned c = from[0], m = from[1], y = from[2], k = from[3];
        if (!inverted) {
            c = 255 - c;
            m = 255 - m;
            y = 255 - y;
            k = 255 - k;
        }
        to[x] = (JSAMPLE)(((c * 299 + m * 587 + y * 114 + 500) / 1000 * k + 127) / 255);
    }
}

/* Adds a row to the sums of squares; the last square of a row may be narrower. */
static void add_row(const JSAMPLE *row, uint32_t *sums, JDIMENSION width, int components,
                    unsigned side) {
    for (JDIMENSION x = 0; x < width; x++)
        for (int i = 0; i < components; i++)
            sums[(x / side) * (unsigned)components + (unsigned)i] += row[x * (unsigned)components + (unsigned)i];
}

static void divide_row(uint32_t *sums, JSAMPLE *row, JDIMENSION width, int components,
                       unsigned side, unsigned rows) {
    for (JDIMENSION x = 0; x * side < width; x++) {
        unsigned columns = width - x * side < side ? width - x * side : side;
        uint32_t count = columns * rows;
        for (int i = 0; i < components; i++) {
            size_t at = (size_t)x * (unsigned)components + (unsigned)i;
            row[at] = (JSAMPLE)((sums[at] + count / 2) / count);
            sums[at] = 0;
        }
    }
}

static void start_encoder(struct run *run, J_COLOR_SPACE space, int components, JDIMENSION width,
                          JDIMENSION height) {
    struct jpeg_compress_struct *out = &run->out;
    out->image_width = width;
    out->image_height = height;
    out->input_components = components;
    out->in_color_space = space;
    jpeg_set_defaults(out);
    if (space == JCS_YCCK)
        jpeg_set_colorspace(out, JCS_YCCK);
    if (out->jpeg_color_space == JCS_CMYK && !run->in.saw_Adobe_marker)
        out->write_Adobe_marker = FALSE;
    jpeg_set_quality(out, run->options->quality, TRUE);
    if (out->jpeg_color_space == JCS_YCbCr && run->options->quality >= 90)
        out->comp_info[0].h_samp_factor = out->comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(out, TRUE);
}

static void write_rows(struct run *run, JSAMPARRAY rows, JDIMENSION count) {
    size_t bytes = (size_t)run->result->width * (unsigned)run->result->components;
    if (!run->options->is_raw)
        jpeg_write_scanlines(&run->out, rows, count);
    else
        for (JDIMENSION i = 0; i < count; i++)
            hand_over(run, rows[i], bytes);
}

static void recode(struct run *run) {
    struct jpeg_decompress_struct *in = &run->in;
    const CJPEG_options *options = run->options;
    unsigned side = options->shrink > 1 ? (unsigned)options->shrink : 1;
    int four_to_gray = options->is_gray && in->num_components == 4;
    J_COLOR_SPACE rows_space;

    in->scale_num = (unsigned)options->eighths;
    in->scale_denom = 8;
    /* No conversion that the encoder would only reverse. */
    rows_space = in->jpeg_color_space;
    if (four_to_gray)
        rows_space = JCS_CMYK;
    else if (options->is_gray)
        rows_space = JCS_GRAYSCALE;
    else if (options->is_raw && in->num_components == 3)
        rows_space = JCS_RGB;
    in->out_color_space = rows_space;
    jpeg_start_decompress(in);

    int components = four_to_gray ? 1 : in->out_color_components;
    JDIMENSION width = (in->output_width + side - 1) / side;
    run->result->width = width;
    run->result->height = (in->output_height + side - 1) / side;
    run->result->components = components;
    if (!options->is_raw)
        start_encoder(run, four_to_gray ? JCS_GRAYSCALE : rows_space, components, width,
                      run->result->height);

    j_common_ptr common = (j_common_ptr)in;
    JDIMENSION samples = in->output_width * (JDIMENSION)in->output_components;
    JSAMPARRAY rows = in->mem->alloc_sarray(common, JPOOL_IMAGE, samples, ROWS_AT_ONCE);
    JSAMPARRAY made = rows;
    uint32_t *sums = NULL;
    if (four_to_gray || side > 1)
        made = in->mem->alloc_sarray(common, JPOOL_IMAGE, in->output_width * 4, 1);
    if (side > 1) {
        size_t bytes = (size_t)width * 4 * sizeof *sums;
        sums = in->mem->alloc_large(common, JPOOL_IMAGE, bytes);
        memset(sums, 0, bytes);
    }
    unsigned gathered = 0;
    while (in->output_scanline < in->output_height) {
        JDIMENSION count = 0;
        /* libjpeg returns only a few rows at a time. */
        while (count < ROWS_AT_ONCE && in->output_scanline < in->output_height)
            count += jpeg_read_scanlines(in, rows + count, ROWS_AT_ONCE - count);
        if (made == rows) {
            write_rows(run, rows, count);
            continue;
        }
        for (JDIMENSION i = 0; i < count; i++) {
            JSAMPROW row = rows[i];
            if (four_to_gray) /* in place: each pixel is read before a lower byte is written */
                gray_from_cmyk(row, row, in->output_width, in->saw_Adobe_marker);
            if (side == 1) {
                write_rows(run, &row, 1);
                continue;
            }
            add_row(row, sums, in->output_width, components, side);
            gathered++;
            if (gathered == side ||
                in->output_scanline - count + i + 1 == in->output_height) {
                divide_row(sums, made[0], in->output_width, components, side, gathered);
                write_rows(run, made, 1);
                gathered = 0;
            }
        }
    }
    if (!options->is_raw)
        jpeg_finish_compress(&run->out);
    jpeg_finish_decompress(in);
}

static int transcode(struct run *run) {
    /* `run` is not modified after setjmp, but the structure that it points to may be. */
    if (setjmp(run->escape) == 0) {
        jpeg_create_decompress(&run->in);
        jpeg_create_compress(&run->out);
        run->in.client_data = run->out.client_data = run;
        run->in.mem->max_memory_to_use = (long)run->options->memory_limit;
        run->in.src = &run->source;
        run->in.progress = &run->progress;
        run->out.dest = &run->target;
        jpeg_read_header(&run->in, TRUE);
        if (run->in.jpeg_color_space == JCS_UNKNOWN)
            fail(run, CJPEG_MALFORMED, "unknown colour space");
        if (run->options->is_lossless)
            copy_coefficients(run);
        else
            recode(run);
    }
    jpeg_destroy_compress(&run->out);
    jpeg_destroy_decompress(&run->in);
    return run->failure;
}

int CJPEG_transcode(const CJPEG_streams *streams, const CJPEG_options *options,
                    CJPEG_result *result, char message[CJPEG_MESSAGE_BYTES]) {
    struct run run;

    memset(&run, 0, offsetof(struct run, input));
    memset(result, 0, sizeof *result);
    message[0] = 0;
    run.streams = streams;
    run.options = options;
    run.result = result;
    run.message = message;
    run.in.err = run.out.err = jpeg_std_error(&run.errors);
    run.errors.error_exit = leave;
    run.errors.emit_message = note;
    run.errors.output_message = keep_quiet;
    run.in.client_data = run.out.client_data = &run;
    run.progress.progress_monitor = count_scans;
    run.source.init_source = start_source;
    run.source.fill_input_buffer = fill;
    run.source.skip_input_data = skip;
    run.source.resync_to_restart = jpeg_resync_to_restart;
    run.source.term_source = end_source;
    run.target.init_destination = start_target;
    run.target.empty_output_buffer = empty;
    run.target.term_destination = end_target;
    return transcode(&run);
}
