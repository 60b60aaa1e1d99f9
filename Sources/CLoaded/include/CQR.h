#ifndef CQR_H
#define CQR_H

#include <stddef.h>

enum {
    /* Modules per side of version 40, the largest symbol (ISO/IEC 18004 §5.3.1). */
    CQR_WIDTH_LIMIT = 177,
    CQR_ENCODED = 0,
    CQR_MISSING,
    /* No symbol has room for the text, or no memory is left. */
    CQR_FAILED
};

/* Encodes UTF-8 as a QR code with error correction level M, by libqrencode, which is loaded on
   first use. Text with other than ASCII characters is marked as UTF-8 (ECI 26). Sets *width and,
   by rows, width * width modules: 1 is dark, 0 is light. Returns one of the above. */
int CQR_encode(const unsigned char *text, size_t count, int is_ascii, int *width,
               unsigned char modules[CQR_WIDTH_LIMIT * CQR_WIDTH_LIMIT]);

#endif
