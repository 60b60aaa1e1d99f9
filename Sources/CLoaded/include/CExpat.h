#ifndef CEXPAT_H
#define CEXPAT_H

#include <stddef.h>
#include <stdint.h>

/* Expat, loaded on first use: few commands read XML. Its few prototypes are declared in expat.c,
   so that building needs no headers of it. */

enum {
    CEXPAT_PARSED = 0,
    /* The library is not installed, or lacks a function. */
    CEXPAT_MISSING,
    CEXPAT_NO_MEMORY,
    /* A handler said stop. */
    CEXPAT_STOPPED,
    CEXPAT_MALFORMED
};

/* Between the namespace's name and the local name: a character that XML does not permit. */
enum { CEXPAT_SEPARATOR = 0x0C };

/* Each returns 0 to go on. Text and names are UTF-8; attributes are names and values by turns,
   then NULL. Text comes in pieces. */
typedef struct {
    int (*start)(void *context, const char *name, const char *const *attributes);
    int (*end)(void *context);
    int (*text)(void *context, const char *text, size_t count);
    /* A document type declaration; has_subset when it holds declarations itself. */
    int (*document_type)(void *context, int has_subset);
    /* A reference to an entity that the document does not declare. */
    int (*unknown_entity)(void *context);
    /* A processing instruction; may be NULL, and they are passed over then. */
    int (*instruction)(void *context);
} CExpat_handlers;

typedef struct {
    /* From 1; of the end of what was read. */
    uint64_t line;
    /* What is wrong, when malformed; a constant. */
    const char *message;
} CExpat_position;

/* How names are told. */
enum {
    /* namespace CEXPAT_SEPARATOR local; declarations of namespaces are no attributes. */
    CEXPAT_EXPANDED_NAMES = 0,
    /* As they are written; declarations of namespaces are attributes. */
    CEXPAT_WRITTEN_NAMES
};

/* Reads a whole document; returns one of the above. Nothing external is ever loaded. */
int CExpat_parse(const uint8_t *bytes, size_t count, int names, const CExpat_handlers *handlers,
                 void *context, CExpat_position *position);

#endif
