/* usage: token_loop MODULE TOKEN PIN COUNT THREADS

   What a token can do at most: logs in, takes its first private key, an RSA key, and makes COUNT
   signatures of 32 bytes in as many sessions as threads. Build it with cryptoki.c and loader.c of
   Sources/CLoaded. */
#include "CCryptoki.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OS_LOCKING = 2, SERIAL_SESSION = 4, PRIVATE_KEY = 3, USER = 1, RSA_PKCS = 1 };

static const struct CCryptoki_functions *module;
static CCryptoki_number slot, key;
static int left;

static void require(CCryptoki_number code, const char *what) {
    if (code) {
        fprintf(stderr, "token_loop: %s: 0x%lx\n", what, code);
        exit(1);
    }
}

static void *sign(void *unused) {
    (void)unused;
    CCryptoki_number session;
    require(module->OpenSession(slot, SERIAL_SESSION, NULL, NULL, &session), "C_OpenSession");
    /* DigestInfo of SHA-256 is not what is measured. */
    unsigned char hash[32] = {1}, signature[1024];
    while (__sync_sub_and_fetch(&left, 1) >= 0) {
        const struct CCryptoki_mechanism mechanism = {RSA_PKCS, NULL, 0};
        CCryptoki_number count = sizeof signature;
        require(module->SignInit(session, &mechanism, key), "C_SignInit");
        require(module->Sign(session, hash, sizeof hash, signature, &count), "C_Sign");
    }
    return NULL;
}

int main(int count, char **words) {
    if (count != 6) return 64;
    char reason[256];
    module = CCryptoki_load(words[1], reason, sizeof reason);
    if (!module) {
        fprintf(stderr, "token_loop: %s\n", reason);
        return 66;
    }
    struct CCryptoki_initialize_arguments arguments = {.flags = OS_LOCKING};
    require(module->Initialize(&arguments), "C_Initialize");
    CCryptoki_number slots[16], slot_count = 16, session;
    require(module->GetSlotList(1, slots, &slot_count), "C_GetSlotList");
    int is_found = 0;
    for (CCryptoki_number i = 0; i < slot_count && !is_found; i++) {
        struct CCryptoki_token token;
        slot = slots[i];
        is_found = !module->GetTokenInfo(slot, &token) &&
                   !memcmp(token.label, words[2], strlen(words[2]));
    }
    require(!is_found, "no such token");
    require(module->OpenSession(slot, SERIAL_SESSION, NULL, NULL, &session), "C_OpenSession");
    require(module->Login(session, USER, (unsigned char *)words[3], strlen(words[3])), "C_Login");
    CCryptoki_number object_class = PRIVATE_KEY, found = 0;
    const struct CCryptoki_attribute template = {0, &object_class, sizeof object_class};
    require(module->FindObjectsInit(session, &template, 1), "C_FindObjectsInit");
    require(module->FindObjects(session, &key, 1, &found), "C_FindObjects");
    require(module->FindObjectsFinal(session), "C_FindObjectsFinal");
    require(!found, "no key");
    left = atoi(words[4]);
    int thread_count = atoi(words[5]);
    pthread_t threads[64];
    for (int i = 0; i < thread_count && i < 64; i++) pthread_create(&threads[i], NULL, sign, NULL);
    for (int i = 0; i < thread_count && i < 64; i++) pthread_join(threads[i], NULL);
    require(module->Finalize(NULL), "C_Finalize");
    return 0;
}
