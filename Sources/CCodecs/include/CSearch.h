#ifndef CSEARCH_H
#define CSEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The next place of a byte, `start` or later; the count where there is none. */
static inline size_t CSearch_next(const uint8_t *bytes, size_t start, size_t count, uint8_t byte) {
    const uint8_t *found = start < count ? memchr(bytes + start, byte, count - start) : NULL;
    return found ? (size_t)(found - bytes) : count;
}

#endif
