#ifndef CWINDOW_H
#define CWINDOW_H

#include <stddef.h>
#include <stdint.h>

/* A part of a file, mapped for reading. A file that becomes shorter while it is read makes zeros
   appear, and is reported afterwards, where the system would end the process with SIGBUS. */
typedef struct {
    const uint8_t *bytes;
    size_t count;
    int slot;
} CWindow;

/* offset is a multiple of CWindow_alignment(). Returns 0 or an error number: some file systems map
   nothing, and there can be 64 windows at a time. */
int CWindow_open(int descriptor, int64_t offset, size_t count, CWindow *window);

/* Returns 0 when all that was read stood in the file, else 1. */
int CWindow_close(CWindow *window);

size_t CWindow_alignment(void);

#endif
