#include "CQR.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>

/* The part of libqrencode's interface that is used (qrencode.h of 4.0 and newer). */
typedef struct {
    int version, width;
    unsigned char *data;
} qr_code;

enum { LEVEL_M = 1, MODE_BYTES = 2, ECI_UTF8 = 26 };

static struct {
    void *(*create)(int version, int level);
    int (*append_eci)(void *input, unsigned number);
    int (*append)(void *input, int mode, int count, const unsigned char *data);
    qr_code *(*encode)(void *input);
    void (*free_input)(void *input);
    void (*free_code)(qr_code *code);
} qr;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
/* Not every build of the library initializes its tables safely in several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int load_result;

static void load(void) {
    static const struct loader_symbol symbols[] = {
        {"QRinput_new2", &qr.create},       {"QRinput_appendECIheader", &qr.append_eci},
        {"QRinput_append", &qr.append},     {"QRcode_encodeInput", &qr.encode},
        {"QRinput_free", &qr.free_input},   {"QRcode_free", &qr.free_code},
    };
    load_result = LOADER_LOAD("libqrencode.so.4", symbols);
}

int CQR_encode(const unsigned char *text, size_t count, int is_ascii, int *width,
               unsigned char modules[CQR_WIDTH_LIMIT * CQR_WIDTH_LIMIT]) {
    pthread_once(&loaded, load);
    if (load_result != LOADER_LOADED) return CQR_MISSING;
    pthread_mutex_lock(&lock);
    void *input = qr.create(0, LEVEL_M);
    qr_code *code = NULL;
    if (input && (is_ascii || qr.append_eci(input, ECI_UTF8) == 0)
        && qr.append(input, MODE_BYTES, (int)count, text) == 0)
        code = qr.encode(input);
    int result = code && code->width > 0 && code->width <= CQR_WIDTH_LIMIT ? CQR_ENCODED : CQR_FAILED;
    if (result == CQR_ENCODED) {
        *width = code->width;
        for (int i = 0; i < code->width * code->width; i++) modules[i] = code->data[i] & 1;
    }
    if (code) qr.free_code(code);
    if (input) qr.free_input(input);
    pthread_mutex_unlock(&lock);
    return result;
}
