#include "CZlib.h"

int CZlib_inflateInit(z_stream *stream) { return inflateInit(stream); }

int CZlib_inflateInitRaw(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

int CZlib_deflateInit(z_stream *stream, int level) { return deflateInit(stream, level); }
