#ifndef CEXPAT_H
#define CEXPAT_H

/* The part of Expat's stable interface that is used (expat.h). The library is loaded on first
   use, because few commands read XML. */

typedef struct XML_ParserStruct *CExpat_parser;

enum { CEXPAT_OK = 1, CEXPAT_NO_MEMORY = 1, CEXPAT_UNKNOWN_ENCODING = 18 };

struct __attribute__((swift_attr("@safe"))) CExpat_functions {
    CExpat_parser (*ParserCreateNS)(const char *encoding, char separator);
    void (*ParserFree)(CExpat_parser);
    /* Names are then namespace, local name and prefix, with the separator between them. */
    void (*SetReturnNSTriplet)(CExpat_parser, int has_prefix);
    void (*SetUserData)(CExpat_parser, void *context);
    /* Attributes are names and values alternately, then NULL. */
    void (*SetElementHandler)(CExpat_parser,
                              void (*start)(void *context, const char *name,
                                            const char *const *attributes),
                              void (*end)(void *context, const char *name));
    void (*SetStartNamespaceDeclHandler)(CExpat_parser,
                                         void (*declare)(void *context, const char *prefix,
                                                         const char *uri));
    void (*SetCharacterDataHandler)(CExpat_parser,
                                    void (*text)(void *context, const char *text, int count));
    void (*SetStartDoctypeDeclHandler)(CExpat_parser,
                                       void (*declare)(void *context, const char *name,
                                                       const char *system, const char *public_name,
                                                       int has_subset));
    void (*SetSkippedEntityHandler)(CExpat_parser,
                                    void (*skip)(void *context, const char *name,
                                                 int is_parameter));
    void (*SetProcessingInstructionHandler)(CExpat_parser,
                                            void (*instruct)(void *context, const char *target,
                                                             const char *text));
    void (*SetCommentHandler)(CExpat_parser, void (*comment)(void *context, const char *text));
    int (*Parse)(CExpat_parser, const char *bytes, int count, int is_final);
    int (*StopParser)(CExpat_parser, unsigned char is_resumable);
    int (*GetErrorCode)(CExpat_parser);
    const char *(*ErrorString)(int code);
    unsigned long (*GetCurrentLineNumber)(CExpat_parser);
};

/* Returns NULL if the library is not installed or lacks a function. */
const struct CExpat_functions *CExpat_load(void);

#endif
