#ifndef CCRYPTOKI_H
#define CCRYPTOKI_H

#include <stddef.h>

/* Calls of PKCS#11 modules (Cryptoki 2.40), which are loaded when they are asked for. No header of
   theirs is needed to build: what is used of their binary interface is declared in shims.c. Nothing
   is decided here. Each function returns the module's own code (CKR_...). */

/* A loaded module. It stays loaded: modules leave handlers behind that run when the process ends. */
typedef struct CCryptoki_module CCryptoki_module;

typedef unsigned long CCryptoki_number;

/* NULL when it cannot be loaded, with the reason in reason. */
CCryptoki_module *CCryptoki_load(const char *path, char *reason, size_t reason_size);

/* With the system's locks; where the module has none, every later call waits for the others. */
CCryptoki_number CCryptoki_initialize(CCryptoki_module *module);
CCryptoki_number CCryptoki_finalize(CCryptoki_module *module);

struct CCryptoki_library {
    unsigned char manufacturer[32], description[32], major, minor;
};
CCryptoki_number CCryptoki_get_library(CCryptoki_module *module,
                                       struct CCryptoki_library *library);

/* Slots that hold a token. *count is how many ids have room, then how many there are. */
CCryptoki_number CCryptoki_get_slots(CCryptoki_module *module, CCryptoki_number *ids,
                                     CCryptoki_number *count);

struct CCryptoki_slot {
    unsigned char description[64], manufacturer[32];
    CCryptoki_number flags;
};
CCryptoki_number CCryptoki_get_slot(CCryptoki_module *module, CCryptoki_number id,
                                    struct CCryptoki_slot *slot);

struct CCryptoki_token {
    unsigned char label[32], manufacturer[32], model[16], serial[16];
    CCryptoki_number flags, session_limit, longest_pin, shortest_pin;
};
CCryptoki_number CCryptoki_get_token(CCryptoki_module *module, CCryptoki_number slot,
                                     struct CCryptoki_token *token);

CCryptoki_number CCryptoki_get_mechanisms(CCryptoki_module *module, CCryptoki_number slot,
                                          CCryptoki_number *types, CCryptoki_number *count);
CCryptoki_number CCryptoki_get_mechanism_flags(CCryptoki_module *module, CCryptoki_number slot,
                                               CCryptoki_number type, CCryptoki_number *flags);

CCryptoki_number CCryptoki_open_session(CCryptoki_module *module, CCryptoki_number slot,
                                        int writes, CCryptoki_number *session);
CCryptoki_number CCryptoki_close_session(CCryptoki_module *module, CCryptoki_number session);
CCryptoki_number CCryptoki_close_all_sessions(CCryptoki_module *module, CCryptoki_number slot);

/* pin is NULL where the reader has keys of its own. */
CCryptoki_number CCryptoki_login(CCryptoki_module *module, CCryptoki_number session,
                                 CCryptoki_number user, const unsigned char *pin, size_t count);
CCryptoki_number CCryptoki_logout(CCryptoki_module *module, CCryptoki_number session);

/* One value of a template; a number, a truth value or bytes. */
struct CCryptoki_attribute {
    CCryptoki_number type;
    const void *value;
    size_t count;
};

/* The objects of one class (CKO_...). *count is how many have room, then how many there are of those. */
CCryptoki_number CCryptoki_find(CCryptoki_module *module, CCryptoki_number session,
                                CCryptoki_number object_class, CCryptoki_number *objects,
                                CCryptoki_number *count);

/* One attribute. *count is the room in value (0: only the length is asked), then the length. */
CCryptoki_number CCryptoki_get_attribute(CCryptoki_module *module, CCryptoki_number session,
                                         CCryptoki_number object, CCryptoki_number type,
                                         unsigned char *value, size_t *count);

/* What the mechanism takes. */
enum CCryptoki_parameters { CCryptoki_none, CCryptoki_pss, CCryptoki_eddsa, CCryptoki_oaep };

struct CCryptoki_mechanism {
    CCryptoki_number type;
    enum CCryptoki_parameters parameters;
    /* For CCryptoki_pss and, without salt, CCryptoki_oaep. */
    CCryptoki_number hash, mask, salt_byte_count;
};
CCryptoki_number CCryptoki_sign_init(CCryptoki_module *module, CCryptoki_number session,
                                     const struct CCryptoki_mechanism *mechanism,
                                     CCryptoki_number key);
CCryptoki_number CCryptoki_sign(CCryptoki_module *module, CCryptoki_number session,
                                const unsigned char *input, size_t input_count,
                                unsigned char *signature, size_t *count);

CCryptoki_number CCryptoki_decrypt_init(CCryptoki_module *module, CCryptoki_number session,
                                        const struct CCryptoki_mechanism *mechanism,
                                        CCryptoki_number key);
CCryptoki_number CCryptoki_decrypt(CCryptoki_module *module, CCryptoki_number session,
                                   const unsigned char *input, size_t input_count,
                                   unsigned char *output, size_t *count);

/* What a private key and the point of another make, by a mechanism of Diffie-Hellman and without a
   derivation, as an object with these values. */
CCryptoki_number CCryptoki_agree(CCryptoki_module *module, CCryptoki_number session,
                                 CCryptoki_number mechanism, CCryptoki_number key,
                                 const unsigned char *point, size_t point_count,
                                 const struct CCryptoki_attribute *values, size_t count,
                                 CCryptoki_number *secret);

CCryptoki_number CCryptoki_generate_pair(
    CCryptoki_module *module, CCryptoki_number session, CCryptoki_number mechanism,
    const struct CCryptoki_attribute *public_template, size_t public_count,
    const struct CCryptoki_attribute *private_template, size_t private_count,
    CCryptoki_number *public_key, CCryptoki_number *private_key);
CCryptoki_number CCryptoki_create_object(CCryptoki_module *module, CCryptoki_number session,
                                         const struct CCryptoki_attribute *values, size_t count,
                                         CCryptoki_number *object);
CCryptoki_number CCryptoki_set_attribute(CCryptoki_module *module, CCryptoki_number session,
                                         CCryptoki_number object,
                                         const struct CCryptoki_attribute *value);
CCryptoki_number CCryptoki_destroy_object(CCryptoki_module *module, CCryptoki_number session,
                                          CCryptoki_number object);

#endif
