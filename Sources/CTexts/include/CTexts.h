#ifndef CTEXTS_H
#define CTEXTS_H

#include <stddef.h>

/* The name of an embedded file, such as "german.txt"; NULL behind the last. */
const char *CTexts_name(size_t index);
/* The text of an embedded file, which has no zero bytes; NULL if no file has this name. */
const char *CTexts_text(const char *name);
/* The text of the line "key: text" in a file, and its length in bytes; NULL if there is no such line. */
const char *CTexts_row(const char *name, const char *key, size_t *length);

#endif
