#include "CCryptoki.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The binary interface of Cryptoki 2.40 on Unix, where nothing is packed, as far as it is used. */
typedef CCryptoki_number number;
typedef unsigned char byte;

struct version { byte major, minor; };
struct info {
    struct version cryptoki;
    byte manufacturer[32];
    number flags;
    byte description[32];
    struct version library;
};
struct slot_info {
    byte description[64], manufacturer[32];
    number flags;
    struct version hardware, firmware;
};
struct token_info {
    byte label[32], manufacturer[32], model[16], serial[16];
    number flags, max_sessions, sessions, max_writing_sessions, writing_sessions;
    number max_pin, min_pin, public_memory, free_public_memory, private_memory;
    number free_private_memory;
    struct version hardware, firmware;
    byte time[16];
};
struct mechanism_info { number min, max, flags; };
struct attribute { number type; void *value; number count; };
struct mechanism { number type; void *parameter; number count; };
struct pss_parameters { number hash, mask, salt; };
/* With CKZ_DATA_SPECIFIED and no label. */
struct oaep_parameters { number hash, mask, source; void *label; number label_count; };
struct ecdh_parameters {
    number derivation, shared_count;
    byte *shared;
    number point_count;
    byte *point;
};
struct eddsa_parameters { byte prehashed; number context_count; byte *context; };
struct initialize_arguments {
    void *create, *destroy, *lock, *unlock;
    number flags;
    void *reserved;
};
_Static_assert(sizeof(struct info) == 88 && sizeof(struct slot_info) == 112
                   && sizeof(struct token_info) == 208,
               "the layout that modules have");

enum { DATA_SPECIFIED = 1, NO_DERIVATION = 1, OS_LOCKING = 2, CANT_LOCK = 0x0A, SERIAL_SESSION = 4, WRITING_SESSION = 2 };

/* The functions in the order of the list; those that nobody calls here are named only. */
#define UNUSED(name) void *name;
struct functions {
    struct version version;
    number (*Initialize)(void *);
    number (*Finalize)(void *);
    number (*GetInfo)(struct info *);
    UNUSED(GetFunctionList)
    number (*GetSlotList)(byte, number *, number *);
    number (*GetSlotInfo)(number, struct slot_info *);
    number (*GetTokenInfo)(number, struct token_info *);
    number (*GetMechanismList)(number, number *, number *);
    number (*GetMechanismInfo)(number, number, struct mechanism_info *);
    UNUSED(InitToken)
    UNUSED(InitPIN)
    UNUSED(SetPIN)
    number (*OpenSession)(number, number, void *, void *, number *);
    number (*CloseSession)(number);
    number (*CloseAllSessions)(number);
    UNUSED(GetSessionInfo)
    UNUSED(GetOperationState)
    UNUSED(SetOperationState)
    number (*Login)(number, number, byte *, number);
    number (*Logout)(number);
    number (*CreateObject)(number, struct attribute *, number, number *);
    UNUSED(CopyObject)
    number (*DestroyObject)(number, number);
    UNUSED(GetObjectSize)
    number (*GetAttributeValue)(number, number, struct attribute *, number);
    number (*SetAttributeValue)(number, number, struct attribute *, number);
    number (*FindObjectsInit)(number, struct attribute *, number);
    number (*FindObjects)(number, number *, number, number *);
    number (*FindObjectsFinal)(number);
    UNUSED(EncryptInit)
    UNUSED(Encrypt)
    UNUSED(EncryptUpdate)
    UNUSED(EncryptFinal)
    number (*DecryptInit)(number, struct mechanism *, number);
    number (*Decrypt)(number, byte *, number, byte *, number *);
    UNUSED(DecryptUpdate)
    UNUSED(DecryptFinal)
    UNUSED(DigestInit)
    UNUSED(Digest)
    UNUSED(DigestUpdate)
    UNUSED(DigestKey)
    UNUSED(DigestFinal)
    number (*SignInit)(number, struct mechanism *, number);
    number (*Sign)(number, byte *, number, byte *, number *);
    UNUSED(SignUpdate)
    UNUSED(SignFinal)
    UNUSED(SignRecoverInit)
    UNUSED(SignRecover)
    UNUSED(VerifyInit)
    UNUSED(Verify)
    UNUSED(VerifyUpdate)
    UNUSED(VerifyFinal)
    UNUSED(VerifyRecoverInit)
    UNUSED(VerifyRecover)
    UNUSED(DigestEncryptUpdate)
    UNUSED(DecryptDigestUpdate)
    UNUSED(SignEncryptUpdate)
    UNUSED(DecryptVerifyUpdate)
    UNUSED(GenerateKey)
    number (*GenerateKeyPair)(number, struct mechanism *, struct attribute *, number,
                              struct attribute *, number, number *, number *);
    UNUSED(WrapKey)
    UNUSED(UnwrapKey)
    number (*DeriveKey)(number, struct mechanism *, number, struct attribute *, number, number *);
};
_Static_assert(sizeof(void *) != 8
                   || (offsetof(struct functions, Login) == 152
                       && offsetof(struct functions, FindObjects) == 224
                       && offsetof(struct functions, Decrypt) == 280
                       && offsetof(struct functions, Sign) == 352
                       && offsetof(struct functions, DeriveKey) == 504),
               "the order that modules have");

struct CCryptoki_module {
    struct functions *call;
    /* Held round every call where the module cannot be called from several threads. */
    pthread_mutex_t lock;
    int is_serial;
};

#define CALL(module, expression)                                                                  \
    do {                                                                                          \
        if ((module)->is_serial) pthread_mutex_lock(&(module)->lock);                             \
        number code = (module)->call->expression;                                                 \
        if ((module)->is_serial) pthread_mutex_unlock(&(module)->lock);                           \
        return code;                                                                              \
    } while (0)

CCryptoki_module *CCryptoki_load(const char *path, char *reason, size_t reason_size) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *words = dlerror();
        snprintf(reason, reason_size, "%s", words ? words : "cannot be loaded");
        return NULL;
    }
    number (*get_list)(struct functions **) = NULL;
    void *symbol = dlsym(library, "C_GetFunctionList");
    /* POSIX lets an object pointer become a function pointer; C wants it said by copying. */
    memcpy(&get_list, &symbol, sizeof symbol);
    struct functions *list = NULL;
    if (!get_list) {
        snprintf(reason, reason_size, "is no PKCS#11 module (no C_GetFunctionList)");
        return NULL;
    }
    number code = get_list(&list);
    if (code != 0 || !list || list->version.major < 2) {
        snprintf(reason, reason_size, "C_GetFunctionList failed with code 0x%lx", code);
        return NULL;
    }
    CCryptoki_module *module = calloc(1, sizeof *module);
    if (!module) {
        snprintf(reason, reason_size, "there is not enough memory");
        return NULL;
    }
    module->call = list;
    pthread_mutex_init(&module->lock, NULL);
    return module;
}

number CCryptoki_initialize(CCryptoki_module *module) {
    struct initialize_arguments arguments = {.flags = OS_LOCKING};
    number code = module->call->Initialize(&arguments);
    if (code == CANT_LOCK) {
        module->is_serial = 1;
        code = module->call->Initialize(NULL);
    }
    return code;
}

number CCryptoki_finalize(CCryptoki_module *module) { CALL(module, Finalize(NULL)); }

static number get_library(CCryptoki_module *module, struct info *info) {
    CALL(module, GetInfo(info));
}

number CCryptoki_get_library(CCryptoki_module *module, struct CCryptoki_library *library) {
    struct info info = {{0}};
    number code = get_library(module, &info);
    memcpy(library->manufacturer, info.manufacturer, sizeof info.manufacturer);
    memcpy(library->description, info.description, sizeof info.description);
    library->major = info.library.major;
    library->minor = info.library.minor;
    return code;
}

number CCryptoki_get_slots(CCryptoki_module *module, number *ids, number *count) {
    CALL(module, GetSlotList(1, ids, count));
}

static number get_slot(CCryptoki_module *module, number id, struct slot_info *info) {
    CALL(module, GetSlotInfo(id, info));
}

number CCryptoki_get_slot(CCryptoki_module *module, number id, struct CCryptoki_slot *slot) {
    struct slot_info info = {{0}};
    number code = get_slot(module, id, &info);
    memcpy(slot->description, info.description, sizeof info.description);
    memcpy(slot->manufacturer, info.manufacturer, sizeof info.manufacturer);
    slot->flags = info.flags;
    return code;
}

static number get_token(CCryptoki_module *module, number slot, struct token_info *info) {
    CALL(module, GetTokenInfo(slot, info));
}

number CCryptoki_get_token(CCryptoki_module *module, number slot, struct CCryptoki_token *token) {
    struct token_info info = {{0}};
    number code = get_token(module, slot, &info);
    memcpy(token->label, info.label, sizeof info.label);
    memcpy(token->manufacturer, info.manufacturer, sizeof info.manufacturer);
    memcpy(token->model, info.model, sizeof info.model);
    memcpy(token->serial, info.serial, sizeof info.serial);
    token->flags = info.flags;
    token->session_limit = info.max_sessions;
    token->longest_pin = info.max_pin;
    token->shortest_pin = info.min_pin;
    return code;
}

number CCryptoki_get_mechanisms(CCryptoki_module *module, number slot, number *types,
                                number *count) {
    CALL(module, GetMechanismList(slot, types, count));
}

static number get_mechanism(CCryptoki_module *module, number slot, number type,
                            struct mechanism_info *info) {
    CALL(module, GetMechanismInfo(slot, type, info));
}

number CCryptoki_get_mechanism_flags(CCryptoki_module *module, number slot, number type,
                                     number *flags) {
    struct mechanism_info info = {0, 0, 0};
    number code = get_mechanism(module, slot, type, &info);
    *flags = info.flags;
    return code;
}

number CCryptoki_open_session(CCryptoki_module *module, number slot, int writes,
                              number *session) {
    number flags = SERIAL_SESSION | (writes ? WRITING_SESSION : 0);
    CALL(module, OpenSession(slot, flags, NULL, NULL, session));
}

number CCryptoki_close_session(CCryptoki_module *module, number session) {
    CALL(module, CloseSession(session));
}

number CCryptoki_close_all_sessions(CCryptoki_module *module, number slot) {
    CALL(module, CloseAllSessions(slot));
}

number CCryptoki_login(CCryptoki_module *module, number session, number user,
                       const unsigned char *pin, size_t count) {
    CALL(module, Login(session, user, (byte *)pin, count));
}

number CCryptoki_logout(CCryptoki_module *module, number session) {
    CALL(module, Logout(session));
}

static number find(CCryptoki_module *module, number session, number object_class,
                   number *objects, number *count) {
    struct attribute template = {0, &object_class, sizeof object_class};
    number room = *count, found = 0;
    *count = 0;
    number code = module->call->FindObjectsInit(session, &template, 1);
    if (code != 0) return code;
    /* One call need not give all there are. */
    while (*count < room) {
        found = 0;
        code = module->call->FindObjects(session, objects + *count, room - *count, &found);
        if (code != 0 || found == 0 || found > room - *count) break;
        *count += found;
    }
    module->call->FindObjectsFinal(session);
    return code;
}

number CCryptoki_find(CCryptoki_module *module, number session, number object_class,
                      number *objects, number *count) {
    if (module->is_serial) pthread_mutex_lock(&module->lock);
    number code = find(module, session, object_class, objects, count);
    if (module->is_serial) pthread_mutex_unlock(&module->lock);
    return code;
}

static number get_attribute(CCryptoki_module *module, number session, number object,
                            struct attribute *attribute) {
    CALL(module, GetAttributeValue(session, object, attribute, 1));
}

number CCryptoki_get_attribute(CCryptoki_module *module, number session, number object,
                               number type, unsigned char *value, size_t *count) {
    struct attribute attribute = {type, *count ? value : NULL, *count};
    number code = get_attribute(module, session, object, &attribute);
    *count = attribute.count;
    return code;
}

/* Where the parameters of a mechanism are. */
union parameters {
    struct pss_parameters pss;
    struct oaep_parameters oaep;
    struct eddsa_parameters eddsa;
};

static struct mechanism parametrise(const struct CCryptoki_mechanism *given,
                                    union parameters *room) {
    struct mechanism mechanism = {given->type, NULL, 0};
    memset(room, 0, sizeof *room);
    if (given->parameters == CCryptoki_pss) {
        room->pss.hash = given->hash;
        room->pss.mask = given->mask;
        room->pss.salt = given->salt_byte_count;
        mechanism.parameter = &room->pss;
        mechanism.count = sizeof room->pss;
    } else if (given->parameters == CCryptoki_oaep) {
        room->oaep.hash = given->hash;
        room->oaep.mask = given->mask;
        room->oaep.source = DATA_SPECIFIED;
        mechanism.parameter = &room->oaep;
        mechanism.count = sizeof room->oaep;
    } else if (given->parameters == CCryptoki_eddsa) {
        mechanism.parameter = &room->eddsa;
        mechanism.count = sizeof room->eddsa;
    }
    return mechanism;
}

number CCryptoki_sign_init(CCryptoki_module *module, number session,
                           const struct CCryptoki_mechanism *given, number key) {
    union parameters room;
    struct mechanism mechanism = parametrise(given, &room);
    CALL(module, SignInit(session, &mechanism, key));
}

number CCryptoki_sign(CCryptoki_module *module, number session, const unsigned char *input,
                      size_t input_count, unsigned char *signature, size_t *count) {
    CALL(module, Sign(session, (byte *)input, input_count, signature, count));
}

number CCryptoki_decrypt_init(CCryptoki_module *module, number session,
                              const struct CCryptoki_mechanism *given, number key) {
    union parameters room;
    struct mechanism mechanism = parametrise(given, &room);
    CALL(module, DecryptInit(session, &mechanism, key));
}

number CCryptoki_decrypt(CCryptoki_module *module, number session, const unsigned char *input,
                         size_t input_count, unsigned char *output, size_t *count) {
    CALL(module, Decrypt(session, (byte *)input, input_count, output, count));
}

/* The templates of one call: the values are only read. */
enum { LONGEST_TEMPLATE = 24 };
static void copy_template(struct attribute *to, const struct CCryptoki_attribute *from,
                          size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i].type = from[i].type;
        to[i].value = (void *)from[i].value;
        to[i].count = from[i].count;
    }
}

enum { ARGUMENTS_BAD = 7 };

number CCryptoki_generate_pair(CCryptoki_module *module, number session, number type,
                               const struct CCryptoki_attribute *public_template,
                               size_t public_count,
                               const struct CCryptoki_attribute *private_template,
                               size_t private_count, number *public_key, number *private_key) {
    struct attribute first[LONGEST_TEMPLATE], second[LONGEST_TEMPLATE];
    if (public_count > LONGEST_TEMPLATE || private_count > LONGEST_TEMPLATE) return ARGUMENTS_BAD;
    copy_template(first, public_template, public_count);
    copy_template(second, private_template, private_count);
    struct mechanism mechanism = {type, NULL, 0};
    CALL(module, GenerateKeyPair(session, &mechanism, first, public_count, second, private_count,
                                 public_key, private_key));
}

number CCryptoki_create_object(CCryptoki_module *module, number session,
                               const struct CCryptoki_attribute *values, size_t count,
                               number *object) {
    struct attribute template[LONGEST_TEMPLATE];
    if (count > LONGEST_TEMPLATE) return ARGUMENTS_BAD;
    copy_template(template, values, count);
    CALL(module, CreateObject(session, template, count, object));
}

number CCryptoki_agree(CCryptoki_module *module, number session, number type, number key,
                       const unsigned char *point, size_t point_count,
                       const struct CCryptoki_attribute *values, size_t count, number *secret) {
    struct attribute template[LONGEST_TEMPLATE];
    if (count > LONGEST_TEMPLATE) return ARGUMENTS_BAD;
    copy_template(template, values, count);
    struct ecdh_parameters ecdh = {NO_DERIVATION, 0, NULL, point_count, (byte *)point};
    struct mechanism mechanism = {type, &ecdh, sizeof ecdh};
    CALL(module, DeriveKey(session, &mechanism, key, template, count, secret));
}

number CCryptoki_set_attribute(CCryptoki_module *module, number session, number object,
                               const struct CCryptoki_attribute *value) {
    struct attribute template;
    copy_template(&template, value, 1);
    CALL(module, SetAttributeValue(session, object, &template, 1));
}

number CCryptoki_destroy_object(CCryptoki_module *module, number session, number object) {
    CALL(module, DestroyObject(session, object));
}
