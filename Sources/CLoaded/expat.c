#include "CExpat.h"
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>

/* Written once, under pthread_once. */
static struct CExpat_functions expat;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static int load_result;

static void load(void) {
#define SYMBOL(name) {"XML_" #name, &expat.name}
    static const struct loader_symbol symbols[] = {
        SYMBOL(ParserCreateNS), SYMBOL(ParserFree), SYMBOL(SetReturnNSTriplet),
        SYMBOL(SetUserData), SYMBOL(SetStartNamespaceDeclHandler), SYMBOL(SetElementHandler),
        SYMBOL(SetCharacterDataHandler),
        SYMBOL(SetStartDoctypeDeclHandler), SYMBOL(SetSkippedEntityHandler),
        SYMBOL(SetProcessingInstructionHandler), SYMBOL(SetCommentHandler), SYMBOL(Parse), SYMBOL(StopParser),
        SYMBOL(GetErrorCode), SYMBOL(ErrorString), SYMBOL(GetCurrentLineNumber),
    };
    load_result = LOADER_LOAD("libexpat.so.1", symbols);
}

const struct CExpat_functions *CExpat_load(void) {
    pthread_once(&loaded, load);
    return load_result == LOADER_LOADED ? &expat : NULL;
}
