#ifndef CTEXTS_H
#define CTEXTS_H

#include <stddef.h>

/* The name of an embedded file, such as "german.txt"; NULL behind the last. */
const char *CTexts_name(size_t index);
/* The text of an embedded file, which has no zero bytes; NULL behind the last. */
const char *CTexts_text(size_t index);

#endif
