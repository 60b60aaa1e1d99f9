#ifndef CZLIB_H
#define CZLIB_H

#include <zlib.h>

/* inflateInit and deflateInit are macros that pass the version and size of the
   structure, which Swift cannot see. */
int CZlib_inflateInit(z_stream *stream);
int CZlib_inflateInitRaw(z_stream *stream);
int CZlib_deflateInit(z_stream *stream, int level);

#endif
