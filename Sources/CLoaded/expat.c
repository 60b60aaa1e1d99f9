#include "CExpat.h"
#include "loader.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

/* Expat's stable interface, as far as it is used (expat.h). */
typedef struct XML_ParserStruct *parser_t;

enum { STATUS_OK = 1, ERROR_NO_MEMORY = 1 };

#define FUNCTIONS(F)                                                                              \
    F(parser_t, ParserCreate, (const char *))                                                     \
    F(parser_t, ParserCreateNS, (const char *, char))                                             \
    F(void, ParserFree, (parser_t))                                                               \
    F(void, SetUserData, (parser_t, void *))                                                      \
    F(void, SetElementHandler,                                                                    \
      (parser_t, void (*)(void *, const char *, const char **), void (*)(void *, const char *)))  \
    F(void, SetCharacterDataHandler, (parser_t, void (*)(void *, const char *, int)))             \
    F(void, SetStartDoctypeDeclHandler,                                                           \
      (parser_t, void (*)(void *, const char *, const char *, const char *, int)))                \
    F(void, SetSkippedEntityHandler, (parser_t, void (*)(void *, const char *, int)))             \
    F(void, SetProcessingInstructionHandler,                                                      \
      (parser_t, void (*)(void *, const char *, const char *)))                                   \
    F(int, Parse, (parser_t, const char *, int, int))                                             \
    F(int, StopParser, (parser_t, unsigned char))                                                 \
    F(int, GetErrorCode, (parser_t))                                                              \
    F(const char *, ErrorString, (int))                                                           \
    F(unsigned long, GetCurrentLineNumber, (parser_t))

/* Written once, under pthread_once. */
static struct {
    FUNCTIONS(LOADER_FIELD)
} expat;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
#define SYMBOL(result, name, parameters) {"XML_" #name, &expat.name},
    static const struct loader_symbol symbols[] = {FUNCTIONS(SYMBOL)};
    load_result = LOADER_LOAD("libexpat.so.1", symbols);
}

struct run {
    parser_t parser;
    const CExpat_handlers *handlers;
    void *context;
    int is_stopped;
};

/* After a stop Expat may still call handlers of what it has begun. */
#define TELL(run, call)                                                                           \
    do {                                                                                          \
        if (!(run)->is_stopped && (call)) {                                                       \
            (run)->is_stopped = 1;                                                                \
            expat.StopParser((run)->parser, 0);                                                   \
        }                                                                                         \
    } while (0)

static void start_element(void *data, const char *name, const char **attributes) {
    struct run *run = data;
    TELL(run, run->handlers->start(run->context, name, (const char *const *)attributes));
}

static void end_element(void *data, const char *name) {
    (void)name;
    struct run *run = data;
    TELL(run, run->handlers->end(run->context));
}

static void character_data(void *data, const char *text, int count) {
    struct run *run = data;
    TELL(run, run->handlers->text(run->context, text, (size_t)count));
}

static void start_document_type(void *data, const char *name, const char *system,
                                const char *public_name, int has_subset) {
    (void)name, (void)system, (void)public_name;
    struct run *run = data;
    TELL(run, run->handlers->document_type(run->context, has_subset));
}

static void skipped_entity(void *data, const char *name, int is_parameter) {
    (void)name, (void)is_parameter;
    struct run *run = data;
    TELL(run, run->handlers->unknown_entity(run->context));
}

static void instruction(void *data, const char *target, const char *text) {
    (void)target, (void)text;
    struct run *run = data;
    TELL(run, run->handlers->instruction(run->context));
}

int CExpat_parse(const uint8_t *bytes, size_t count, int names, const CExpat_handlers *handlers,
                 void *context, CExpat_position *position) {
    *position = (CExpat_position){0, ""};
    pthread_once(&loaded, load);
    if (load_result != LOADER_LOADED) return CEXPAT_MISSING;
    if (count > INT_MAX) return CEXPAT_NO_MEMORY;
    parser_t parser = names == CEXPAT_WRITTEN_NAMES
                          ? expat.ParserCreate(NULL)
                          : expat.ParserCreateNS(NULL, CEXPAT_SEPARATOR);
    if (!parser) return CEXPAT_NO_MEMORY;
    struct run run = {parser, handlers, context, 0};
    expat.SetUserData(parser, &run);
    expat.SetElementHandler(parser, start_element, end_element);
    expat.SetCharacterDataHandler(parser, character_data);
    expat.SetStartDoctypeDeclHandler(parser, start_document_type);
    expat.SetSkippedEntityHandler(parser, skipped_entity);
    if (handlers->instruction) expat.SetProcessingInstructionHandler(parser, instruction);
    /* In one call: Expat 2.5 reads long tokens that come in many pieces from their start each
       time (CVE-2023-52425). */
    int status = expat.Parse(parser, (const char *)bytes, (int)count, 1);
    int result = CEXPAT_PARSED;
    if (status != STATUS_OK) {
        int code = expat.GetErrorCode(parser);
        const char *message = expat.ErrorString(code);
        if (message) position->message = message;
        result = run.is_stopped            ? CEXPAT_STOPPED
                 : code == ERROR_NO_MEMORY ? CEXPAT_NO_MEMORY
                                           : CEXPAT_MALFORMED;
    }
    position->line = expat.GetCurrentLineNumber(parser);
    expat.ParserFree(parser);
    return result;
}
