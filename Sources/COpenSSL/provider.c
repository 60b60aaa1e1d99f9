#include "COpenSSL.h"

#include <string.h>

#include <openssl/conf.h>
#include <openssl/store.h>
#include <openssl/ui.h>

struct COpenSSL_stored_key {
    OSSL_LIB_CTX *context;
    EVP_PKEY *key;
    STACK_OF(X509) *certificates;
    // Prefers the key's provider where it has the algorithm.
    char properties[96];
};

void COpenSSL_stored_key_free(struct COpenSSL_stored_key *key) {
    if (key == NULL) return;
    EVP_PKEY_free(key->key);
    sk_X509_pop_free(key->certificates, X509_free);
    OSSL_LIB_CTX_free(key->context);
    OPENSSL_free(key);
}

static int load_providers(OSSL_LIB_CTX *context, const char *name) {
    // The configuration may have settings of the provider. Without a file, there are none.
    char *file = CONF_get1_default_config_file();
    if (file != NULL) OSSL_LIB_CTX_load_config(context, file);
    OPENSSL_free(file);
    ERR_clear_error();
    return OSSL_PROVIDER_load(context, "default") != NULL
        && (OSSL_PROVIDER_available(context, name) == 1
            || OSSL_PROVIDER_load(context, name) != NULL);
}

static void read_store(struct COpenSSL_stored_key *key, OSSL_STORE_CTX *store, int limit) {
    while (OSSL_STORE_eof(store) == 0 && limit-- > 0) {
        OSSL_STORE_INFO *info = OSSL_STORE_load(store);
        if (info == NULL) {
            if (OSSL_STORE_error(store) != 0) return;
            continue;
        }
        if (OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY && key->key == NULL) {
            key->key = OSSL_STORE_INFO_get1_PKEY(info);
        } else if (OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_CERT) {
            X509 *certificate = OSSL_STORE_INFO_get1_CERT(info);
            if (certificate != NULL && sk_X509_push(key->certificates, certificate) <= 0) {
                X509_free(certificate);
            }
        }
        OSSL_STORE_INFO_free(info);
    }
}

struct COpenSSL_stored_key *COpenSSL_stored_key_open(
    const char *uri, const char *provider, pem_password_cb *ask, void *asked, int limit,
    int *is_loaded) {
    struct COpenSSL_stored_key *key = OPENSSL_zalloc(sizeof *key);
    UI_METHOD *method = UI_UTIL_wrap_read_pem_callback(ask, 0);
    *is_loaded = 0;
    if (key != NULL && method != NULL) {
        BIO_snprintf(key->properties, sizeof key->properties, "?provider=%s", provider);
        key->context = OSSL_LIB_CTX_new();
        key->certificates = sk_X509_new_null();
        if (key->context != NULL && key->certificates != NULL) {
            *is_loaded = load_providers(key->context, provider);
        }
    }
    if (*is_loaded) {
        OSSL_STORE_CTX *store = OSSL_STORE_open_ex(
            uri, key->context, key->properties, method, asked, NULL, NULL, NULL);
        if (store != NULL) read_store(key, store, limit);
        OSSL_STORE_close(store);
    }
    UI_destroy_method(method);
    const OSSL_PROVIDER *owner =
        key != NULL && key->key != NULL ? EVP_PKEY_get0_provider(key->key) : NULL;
    if (owner != NULL && strcmp(OSSL_PROVIDER_get0_name(owner), provider) != 0) {
        EVP_PKEY_free(key->key);
        key->key = NULL;
    }
    return key;
}

EVP_PKEY *COpenSSL_stored_key_get(const struct COpenSSL_stored_key *key) {
    return key != NULL ? key->key : NULL;
}

STACK_OF(X509) *COpenSSL_stored_key_certificates(const struct COpenSSL_stored_key *key) {
    return key->certificates;
}

static int set_padding(EVP_PKEY_CTX *parameters, int is_pss) {
    return !is_pss
        || (EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) == 1);
}

static int sign_hash(
    const struct COpenSSL_stored_key *key, const char *digest, int is_pss,
    const unsigned char *hash, size_t count, unsigned char *signature, size_t *length) {
    EVP_PKEY_CTX *state = EVP_PKEY_CTX_new_from_pkey(key->context, key->key, key->properties);
    EVP_MD *md = EVP_MD_fetch(key->context, digest, "provider=default");
    int done = state != NULL && md != NULL && EVP_PKEY_sign_init(state) == 1
        && set_padding(state, is_pss) && EVP_PKEY_CTX_set_signature_md(state, md) == 1
        && EVP_PKEY_sign(state, signature, length, hash, count) == 1;
    EVP_MD_free(md);
    EVP_PKEY_CTX_free(state);
    return done;
}

int COpenSSL_stored_key_sign(
    const struct COpenSSL_stored_key *key, const char *digest, int is_pss, int is_hash,
    const unsigned char *data, size_t count, unsigned char *signature, size_t *length) {
    if (is_hash) return sign_hash(key, digest, is_pss, data, count, signature, length);
    EVP_MD_CTX *state = EVP_MD_CTX_new();
    EVP_PKEY_CTX *parameters = NULL;
    int done = state != NULL
        && EVP_DigestSignInit_ex(
               state, &parameters, digest, key->context, key->properties, key->key, NULL) == 1
        && set_padding(parameters, is_pss)
        // Some providers sign if they are asked for the length: each would be an attempt.
        && EVP_DigestSign(state, signature, length, data, count) == 1;
    EVP_MD_CTX_free(state);
    return done;
}
