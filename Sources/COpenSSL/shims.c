// The low-level RSA, EC and DSA parsers are deprecated in OpenSSL 3 in favour of decoders, which
// search their providers for every key; a recognised structure needs no search.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "COpenSSL.h"

#include <string.h>

int COpenSSL_init(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

void COpenSSL_free(void *pointer) { OPENSSL_free(pointer); }

void COpenSSL_clear_free(void *pointer, size_t count) { OPENSSL_clear_free(pointer, count); }

int COpenSSL_next_error(char *text, size_t capacity, int *library, int *reason) {
    const char *data = NULL;
    int flags = 0;
    unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    if (code == 0) return 0;
    // Error texts are loaded only now that one is wanted.
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
    const char *words = ERR_reason_error_string(code);
    *library = ERR_GET_LIB(code);
    *reason = ERR_GET_REASON(code);
    if (words == NULL) words = "unnamed error";
    if (data != NULL && (flags & ERR_TXT_STRING) != 0 && data[0] != 0) {
        BIO_snprintf(text, capacity, "%s (%s)", words, data);
    } else {
        BIO_snprintf(text, capacity, "%s", words);
    }
    return 1;
}

long COpenSSL_BIO_get_mem_data(BIO *bio, const unsigned char **data) {
    return BIO_get_mem_data(bio, (char **)data);
}

EVP_PKEY *COpenSSL_rsa_private_key(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    RSA *rsa = d2i_RSAPrivateKey(NULL, &cursor, count);
    if (rsa == NULL) return NULL;
    EVP_PKEY *key = EVP_PKEY_new();
    if (cursor != der + count || key == NULL || EVP_PKEY_assign_RSA(key, rsa) != 1) {
        EVP_PKEY_free(key);
        RSA_free(rsa);
        return NULL;
    }
    return key;
}

EVP_PKEY *COpenSSL_ec_private_key(const unsigned char *der, long count, int nid) {
    const unsigned char *cursor = der;
    EC_KEY *ec = EC_KEY_new_by_curve_name(nid);
    if (ec == NULL) return NULL;
    EVP_PKEY *key = NULL;
    if (d2i_ECPrivateKey(&ec, &cursor, count) == NULL) {
        EC_KEY_free(ec);
        return NULL;
    }
    key = EVP_PKEY_new();
    if (cursor != der + count || key == NULL || EC_KEY_get0_private_key(ec) == NULL
        || EC_GROUP_get_curve_name(EC_KEY_get0_group(ec)) != nid || EC_KEY_check_key(ec) != 1
        || EVP_PKEY_assign_EC_KEY(key, ec) != 1) {
        EVP_PKEY_free(key);
        EC_KEY_free(ec);
        return NULL;
    }
    return key;
}

EVP_PKEY *COpenSSL_dsa_private_key(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    DSA *dsa = d2i_DSAPrivateKey(NULL, &cursor, count);
    if (dsa == NULL) return NULL;
    EVP_PKEY *key = EVP_PKEY_new();
    if (cursor != der + count || key == NULL || EVP_PKEY_assign_DSA(key, dsa) != 1) {
        EVP_PKEY_free(key);
        DSA_free(dsa);
        return NULL;
    }
    return key;
}

int COpenSSL_i2d_traditional(const EVP_PKEY *key, unsigned char **out) {
    *out = NULL;
    return i2d_PrivateKey(key, out);
}

int COpenSSL_rsa_parts_agree(const EVP_PKEY *key) {
    BIGNUM *n = NULL, *p = NULL, *q = NULL, *product = BN_new();
    BN_CTX *context = BN_CTX_new();
    int agree = 0;
    if (product != NULL && context != NULL
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n) == 1
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_FACTOR1, &p) == 1
        && EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_FACTOR2, &q) == 1
        && BN_mul(product, p, q, context) == 1) {
        agree = BN_cmp(product, n) == 0;
    }
    BN_free(n);
    BN_clear_free(p);
    BN_clear_free(q);
    BN_clear_free(product);
    BN_CTX_free(context);
    return agree;
}

STACK_OF(X509) *COpenSSL_sk_X509_new(void) { return sk_X509_new_null(); }

int COpenSSL_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}

int COpenSSL_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }

X509 *COpenSSL_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}

void COpenSSL_sk_X509_pop_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

STACK_OF(X509_EXTENSION) *COpenSSL_sk_X509_EXTENSION_new(void) {
    return sk_X509_EXTENSION_new_null();
}

int COpenSSL_sk_X509_EXTENSION_push(STACK_OF(X509_EXTENSION) *stack, X509_EXTENSION *extension) {
    return sk_X509_EXTENSION_push(stack, extension);
}

int COpenSSL_sk_X509_EXTENSION_num(const STACK_OF(X509_EXTENSION) *stack) {
    return sk_X509_EXTENSION_num(stack);
}

X509_EXTENSION *COpenSSL_sk_X509_EXTENSION_value(
    const STACK_OF(X509_EXTENSION) *stack, int index) {
    return sk_X509_EXTENSION_value(stack, index);
}

void COpenSSL_sk_X509_EXTENSION_pop_free(STACK_OF(X509_EXTENSION) *stack) {
    sk_X509_EXTENSION_pop_free(stack, X509_EXTENSION_free);
}

int COpenSSL_store_add_directory(X509_STORE *store, const char *path) {
    X509_LOOKUP *lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
    return lookup != NULL && X509_LOOKUP_add_dir(lookup, path, X509_FILETYPE_PEM) == 1;
}

STACK_OF(X509) *COpenSSL_pkcs7_certificates(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    PKCS7 *message = d2i_PKCS7(NULL, &cursor, count);
    STACK_OF(X509) *copies = NULL;
    if (message != NULL && cursor == der + count && PKCS7_type_is_signed(message)
        && message->d.sign != NULL) {
        copies = message->d.sign->cert != NULL ? X509_chain_up_ref(message->d.sign->cert)
                                               : sk_X509_new_null();
    }
    PKCS7_free(message);
    return copies;
}

EVP_PKEY *COpenSSL_pkcs12_key(PKCS12 *bundle, const char *password, OSSL_LIB_CTX *context) {
    EVP_PKEY *key = NULL;
    int count = password != NULL ? (int)strlen(password) : 0;
    STACK_OF(PKCS7) *parts = PKCS12_unpack_authsafes(bundle);
    for (int i = 0; key == NULL && i < sk_PKCS7_num(parts); i++) {
        PKCS7 *part = sk_PKCS7_value(parts, i);
        STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
        if (PKCS7_type_is_data(part)) {
            bags = PKCS12_unpack_p7data(part);
        } else if (PKCS7_type_is_encrypted(part)) {
            bags = PKCS12_unpack_p7encdata(part, password, count);
        }
        for (int j = 0; key == NULL && j < sk_PKCS12_SAFEBAG_num(bags); j++) {
            const PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, j);
            if (PKCS12_SAFEBAG_get_nid(bag) != NID_pkcs8ShroudedKeyBag) continue;
            PKCS8_PRIV_KEY_INFO *info = PKCS8_decrypt_ex(
                PKCS12_SAFEBAG_get0_pkcs8(bag), password, count, context, NULL);
            if (info == NULL) continue;
            key = EVP_PKCS82PKEY_ex(info, context, NULL);
            PKCS8_PRIV_KEY_INFO_free(info);
        }
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
    sk_PKCS7_pop_free(parts, PKCS7_free);
    return key;
}
