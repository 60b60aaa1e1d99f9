#ifndef CCRYPTOKI_H
#define CCRYPTOKI_H

#include <stddef.h>

/* The part of the binary interface of PKCS#11 modules (Cryptoki 2.40) that is used, on Unix,
   where structures are not packed. Modules are loaded on request. Building needs none of their
   headers. */

typedef unsigned long CCryptoki_number;

struct CCryptoki_version {
    unsigned char major, minor;
};

struct CCryptoki_info {
    struct CCryptoki_version cryptoki;
    unsigned char manufacturer[32];
    CCryptoki_number flags;
    unsigned char description[32];
    struct CCryptoki_version library;
};

struct CCryptoki_slot {
    unsigned char description[64], manufacturer[32];
    CCryptoki_number flags;
    struct CCryptoki_version hardware, firmware;
};

struct CCryptoki_token {
    unsigned char label[32], manufacturer[32], model[16], serial[16];
    CCryptoki_number flags, session_limit, sessions, writing_session_limit, writing_sessions;
    CCryptoki_number longest_pin, shortest_pin, public_memory, free_public_memory;
    CCryptoki_number private_memory, free_private_memory;
    struct CCryptoki_version hardware, firmware;
    unsigned char time[16];
};

struct CCryptoki_mechanism_info {
    CCryptoki_number shortest_key, longest_key, flags;
};

/* An attribute of a template: a number, a boolean or bytes. */
struct CCryptoki_attribute {
    CCryptoki_number type;
    void *value;
    CCryptoki_number count;
};

struct CCryptoki_mechanism {
    CCryptoki_number type;
    void *parameter;
    CCryptoki_number count;
};

struct CCryptoki_initialize_arguments {
    void *create, *destroy, *lock, *unlock;
    CCryptoki_number flags;
    void *reserved;
};

/* The functions in the order of CK_FUNCTION_LIST. Each returns a code (CKR_...). */
struct __attribute__((swift_attr("@safe"))) CCryptoki_functions {
    struct CCryptoki_version version;
    CCryptoki_number (*Initialize)(struct CCryptoki_initialize_arguments *);
    CCryptoki_number (*Finalize)(void *);
    CCryptoki_number (*GetInfo)(struct CCryptoki_info *);
    void *GetFunctionList;
    CCryptoki_number (*GetSlotList)(unsigned char, CCryptoki_number *, CCryptoki_number *);
    CCryptoki_number (*GetSlotInfo)(CCryptoki_number, struct CCryptoki_slot *);
    CCryptoki_number (*GetTokenInfo)(CCryptoki_number, struct CCryptoki_token *);
    CCryptoki_number (*GetMechanismList)(CCryptoki_number, CCryptoki_number *, CCryptoki_number *);
    CCryptoki_number (*GetMechanismInfo)(CCryptoki_number, CCryptoki_number,
                                         struct CCryptoki_mechanism_info *);
    void *InitToken_to_SetPIN[3];
    CCryptoki_number (*OpenSession)(CCryptoki_number, CCryptoki_number, void *, void *,
                                    CCryptoki_number *);
    CCryptoki_number (*CloseSession)(CCryptoki_number);
    CCryptoki_number (*CloseAllSessions)(CCryptoki_number);
    void *GetSessionInfo_to_SetOperationState[3];
    CCryptoki_number (*Login)(CCryptoki_number, CCryptoki_number, const unsigned char *,
                              CCryptoki_number);
    CCryptoki_number (*Logout)(CCryptoki_number);
    CCryptoki_number (*CreateObject)(CCryptoki_number, const struct CCryptoki_attribute *,
                                     CCryptoki_number, CCryptoki_number *);
    void *CopyObject;
    CCryptoki_number (*DestroyObject)(CCryptoki_number, CCryptoki_number);
    void *GetObjectSize;
    CCryptoki_number (*GetAttributeValue)(CCryptoki_number, CCryptoki_number,
                                          struct CCryptoki_attribute *, CCryptoki_number);
    CCryptoki_number (*SetAttributeValue)(CCryptoki_number, CCryptoki_number,
                                          const struct CCryptoki_attribute *, CCryptoki_number);
    CCryptoki_number (*FindObjectsInit)(CCryptoki_number, const struct CCryptoki_attribute *,
                                        CCryptoki_number);
    CCryptoki_number (*FindObjects)(CCryptoki_number, CCryptoki_number *, CCryptoki_number,
                                    CCryptoki_number *);
    CCryptoki_number (*FindObjectsFinal)(CCryptoki_number);
    void *EncryptInit_to_EncryptFinal[4];
    CCryptoki_number (*DecryptInit)(CCryptoki_number, const struct CCryptoki_mechanism *,
                                    CCryptoki_number);
    CCryptoki_number (*Decrypt)(CCryptoki_number, const unsigned char *, CCryptoki_number,
                                unsigned char *, CCryptoki_number *);
    void *DecryptUpdate_to_DigestFinal[7];
    CCryptoki_number (*SignInit)(CCryptoki_number, const struct CCryptoki_mechanism *,
                                 CCryptoki_number);
    CCryptoki_number (*Sign)(CCryptoki_number, const unsigned char *, CCryptoki_number,
                             unsigned char *, CCryptoki_number *);
    void *SignUpdate_to_GenerateKey[15];
    CCryptoki_number (*GenerateKeyPair)(CCryptoki_number, const struct CCryptoki_mechanism *,
                                        const struct CCryptoki_attribute *, CCryptoki_number,
                                        const struct CCryptoki_attribute *, CCryptoki_number,
                                        CCryptoki_number *, CCryptoki_number *);
    void *WrapKey, *UnwrapKey;
    CCryptoki_number (*DeriveKey)(CCryptoki_number, const struct CCryptoki_mechanism *,
                                  CCryptoki_number, const struct CCryptoki_attribute *,
                                  CCryptoki_number, CCryptoki_number *);
};

/* Loads a module and returns its functions. The module stays loaded, because modules install
   handlers that run at process exit. Returns NULL on failure, with the reason in `reason`. */
const struct CCryptoki_functions *CCryptoki_load(const char *path, char *reason,
                                                 size_t reason_size);

#endif
