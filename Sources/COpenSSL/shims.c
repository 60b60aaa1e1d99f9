// The low-level RSA, EC and DSA parsers are deprecated in OpenSSL 3. The new decoders search their
// providers for every key; a recognized structure needs no search.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "COpenSSL.h"

#include <string.h>

#include <sys/prctl.h>
#include <sys/resource.h>

int COpenSSL_init(void) {
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

void COpenSSL_protect(size_t byte_count) {
    const struct rlimit none = {0, 0};
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)CRYPTO_secure_malloc_init(byte_count, 32);
}

void *COpenSSL_secure_allocate(size_t count) {
    return CRYPTO_secure_malloc_initialized() ? OPENSSL_secure_zalloc(count) : NULL;
}

void COpenSSL_secure_free(void *pointer, size_t count) {
    OPENSSL_secure_clear_free(pointer, count);
}

void COpenSSL_free(void *pointer) { OPENSSL_free(pointer); }

void COpenSSL_clear_free(void *pointer, size_t count) { OPENSSL_clear_free(pointer, count); }

int COpenSSL_next_error(char *text, size_t capacity, int *library, int *reason) {
    const char *data = NULL;
    int flags = 0;
    unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, &flags);
    if (code == 0) return 0;
    // Error texts are loaded only on demand.
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

/// A key that owns `part`; NULL if there is none, and then the caller still owns it.
static EVP_PKEY *adopt(int type, void *part) {
    EVP_PKEY *key = part == NULL ? NULL : EVP_PKEY_new();
    if (key != NULL && EVP_PKEY_assign(key, type, part) == 1) return key;
    EVP_PKEY_free(key);
    return NULL;
}

EVP_PKEY *COpenSSL_rsa_private_key(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    RSA *rsa = d2i_RSAPrivateKey(NULL, &cursor, count);
    EVP_PKEY *key = cursor == der + count ? adopt(EVP_PKEY_RSA, rsa) : NULL;
    if (key == NULL) RSA_free(rsa);
    return key;
}

EVP_PKEY *COpenSSL_ec_private_key(const unsigned char *der, long count, int nid) {
    const unsigned char *cursor = der;
    EC_KEY *ec = EC_KEY_new_by_curve_name(nid);
    if (ec == NULL) return NULL;
    EVP_PKEY *key = NULL;
    if (d2i_ECPrivateKey(&ec, &cursor, count) != NULL && cursor == der + count
        && EC_KEY_get0_private_key(ec) != NULL
        && EC_GROUP_get_curve_name(EC_KEY_get0_group(ec)) == nid && EC_KEY_check_key(ec) == 1) {
        key = adopt(EVP_PKEY_EC, ec);
    }
    if (key == NULL) EC_KEY_free(ec);
    return key;
}

EVP_PKEY *COpenSSL_dsa_private_key(const unsigned char *der, long count) {
    const unsigned char *cursor = der;
    DSA *dsa = d2i_DSAPrivateKey(NULL, &cursor, count);
    EVP_PKEY *key = cursor == der + count ? adopt(EVP_PKEY_DSA, dsa) : NULL;
    if (key == NULL) DSA_free(dsa);
    return key;
}

/// 1 if a·b ≡ 1 modulo m.
static int are_inverses(const BIGNUM *a, const BIGNUM *b, const BIGNUM *m, BIGNUM *work,
                        BN_CTX *context) {
    return BN_mod_mul(work, a, b, m, context) == 1 && BN_is_one(work);
}

/// OpenSSL supports at most five primes.
enum { EXTRA_PRIME_LIMIT = 3 };

/// RFC 8017 §3.2: the primes, their CRT exponents, and the coefficients of all primes except the
/// first.
struct rsa_parts {
    const BIGNUM *n, *e, *d;
    const BIGNUM *primes[2 + EXTRA_PRIME_LIMIT], *exponents[2 + EXTRA_PRIME_LIMIT];
    const BIGNUM *coefficients[2 + EXTRA_PRIME_LIMIT];
    int count;
};

/// 0 if a part is missing, or OpenSSL does not support the number of primes or the modulus size.
static int get_parts(const RSA *rsa, struct rsa_parts *parts) {
    int extra = RSA_get_multi_prime_extra_count(rsa);
    if (extra < 0 || extra > EXTRA_PRIME_LIMIT) return 0;
    RSA_get0_key(rsa, &parts->n, &parts->e, &parts->d);
    RSA_get0_factors(rsa, &parts->primes[0], &parts->primes[1]);
    RSA_get0_crt_params(rsa, &parts->exponents[0], &parts->exponents[1], &parts->coefficients[1]);
    if (extra > 0
        && (RSA_get0_multi_prime_factors(rsa, parts->primes + 2) != 1
            || RSA_get0_multi_prime_crt_params(rsa, parts->exponents + 2, parts->coefficients + 2)
                != 1)) {
        return 0;
    }
    parts->count = 2 + extra;
    for (int i = 0; i < parts->count; i++) {
        if (parts->primes[i] == NULL || parts->exponents[i] == NULL) return 0;
        if (i > 0 && parts->coefficients[i] == NULL) return 0;
    }
    return parts->n != NULL && parts->e != NULL && parts->d != NULL
        && BN_num_bits(parts->n) <= OPENSSL_RSA_MAX_MODULUS_BITS;
}

/// 1 if the values of prime i agree. `before` is the product of the primes before it.
static int prime_agrees(const struct rsa_parts *parts, int i, const BIGNUM *before, BN_CTX *context) {
    const BIGNUM *prime = parts->primes[i], *coefficient = parts->coefficients[i];
    BIGNUM *less = BN_CTX_get(context), *work = BN_CTX_get(context);
    if (work == NULL || BN_num_bits(prime) > BN_num_bits(parts->n)
        || BN_cmp(prime, BN_value_one()) <= 0 || BN_sub(less, prime, BN_value_one()) != 1
        || !are_inverses(parts->e, parts->d, less, work, context)
        || !are_inverses(parts->e, parts->exponents[i], less, work, context)) {
        return 0;
    }
    if (i == 0) return 1;
    // The coefficient of the second prime is its inverse modulo the first. Those of later primes
    // are inverses of `before` modulo the prime.
    return i == 1 ? are_inverses(prime, coefficient, before, work, context)
                  : are_inverses(before, coefficient, prime, work, context);
}

int COpenSSL_rsa_parts_agree(const EVP_PKEY *key) {
    struct rsa_parts parts = {0};
    const RSA *rsa = EVP_PKEY_get0_RSA(key);
    if (rsa == NULL || !get_parts(rsa, &parts)) return 0;
    BN_CTX *context = BN_CTX_secure_new();
    if (context == NULL) return 0;
    BN_CTX_start(context);
    BIGNUM *product = BN_CTX_get(context);
    int agree = product != NULL && BN_one(product) == 1;
    for (int i = 0; agree && i < parts.count; i++) {
        BN_CTX_start(context);
        agree = prime_agrees(&parts, i, product, context)
            && BN_mul(product, product, parts.primes[i], context) == 1;
        BN_CTX_end(context);
    }
    agree = agree && BN_cmp(product, parts.n) == 0;
    BN_CTX_end(context);
    BN_CTX_free(context);
    return agree;
}

int COpenSSL_halves_agree(EVP_PKEY *key) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    int agree = context != NULL && EVP_PKEY_pairwise_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    return agree;
}

/// [0] IMPLICIT OCTET STRING
static const unsigned char seed_header[] = {0x80, 32};
enum { SEED_COUNT = 32 };

PKCS8_PRIV_KEY_INFO *COpenSSL_pkcs8(const EVP_PKEY *key) {
    const char *name = EVP_PKEY_get0_type_name(key);
    if (name == NULL || strncmp(name, "ML-DSA-", 7) != 0) return EVP_PKEY2PKCS8(key);
    size_t total = sizeof seed_header + SEED_COUNT, count = 0;
    unsigned char *bytes = OPENSSL_malloc(total);
    ASN1_OBJECT *algorithm = OBJ_txt2obj(name, 0);
    PKCS8_PRIV_KEY_INFO *info = PKCS8_PRIV_KEY_INFO_new();
    int has_seed = bytes != NULL
        && EVP_PKEY_get_octet_string_param(
               key, "seed", bytes + sizeof seed_header, SEED_COUNT, &count) == 1
        && count == SEED_COUNT;
    if (has_seed) memcpy(bytes, seed_header, sizeof seed_header);
    // If this succeeds, `info` owns both.
    if (has_seed && algorithm != NULL && info != NULL
        && PKCS8_pkey_set0(info, algorithm, 0, V_ASN1_UNDEF, NULL, bytes, (int)total) == 1) {
        return info;
    }
    OPENSSL_clear_free(bytes, total);
    ASN1_OBJECT_free(algorithm);
    PKCS8_PRIV_KEY_INFO_free(info);
    ERR_clear_error();
    return EVP_PKEY2PKCS8(key);
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

X509_REVOKED *COpenSSL_crl_entry(X509_CRL *list, X509_REVOKED *entry, int index) {
    STACK_OF(X509_REVOKED) *entries = X509_CRL_get_REVOKED(list);
    int first = sk_X509_REVOKED_find(entries, entry);
    X509_REVOKED *found =
        first < 0 || index < 0 ? NULL : sk_X509_REVOKED_value(entries, first + index);
    if (!found) return NULL;
    const ASN1_INTEGER *number = X509_REVOKED_get0_serialNumber(entry);
    return ASN1_INTEGER_cmp(number, X509_REVOKED_get0_serialNumber(found)) ? NULL : found;
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

int COpenSSL_ocsp_verify(const OCSP_BASICRESP *response, EVP_PKEY *key) {
    return ASN1_item_verify(
        ASN1_ITEM_rptr(OCSP_RESPDATA), OCSP_resp_get0_tbs_sigalg(response),
        OCSP_resp_get0_signature(response), (void *)OCSP_resp_get0_respdata(response), key);
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

STACK_OF(PKCS7) *COpenSSL_pkcs12_parts(const PKCS12 *bundle) {
    return PKCS12_unpack_authsafes(bundle);
}

const X509_ALGOR *COpenSSL_pkcs12_encryption(const PKCS7 *part) {
    if (!PKCS7_type_is_encrypted(part) || part->d.encrypted == NULL) return NULL;
    PKCS7_ENC_CONTENT *content = part->d.encrypted->enc_data;
    return content != NULL ? content->algorithm : NULL;
}

int COpenSSL_pkcs12_is_readable(const PKCS7 *part) {
    return PKCS7_type_is_data(part) || PKCS7_type_is_encrypted(part);
}

STACK_OF(PKCS12_SAFEBAG) *COpenSSL_pkcs12_bags(PKCS7 *part, const char *password) {
    if (PKCS7_type_is_data(part)) return PKCS12_unpack_p7data(part);
    return PKCS12_unpack_p7encdata(part, password, password != NULL ? (int)strlen(password) : 0);
}

int COpenSSL_sk_PKCS7_num(const STACK_OF(PKCS7) *stack) { return sk_PKCS7_num(stack); }

PKCS7 *COpenSSL_sk_PKCS7_value(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}

void COpenSSL_sk_PKCS7_pop_free(STACK_OF(PKCS7) *stack) { sk_PKCS7_pop_free(stack, PKCS7_free); }

int COpenSSL_sk_PKCS12_SAFEBAG_num(const STACK_OF(PKCS12_SAFEBAG) *stack) {
    return sk_PKCS12_SAFEBAG_num(stack);
}

const PKCS12_SAFEBAG *COpenSSL_sk_PKCS12_SAFEBAG_value(
    const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
    return sk_PKCS12_SAFEBAG_value(stack, index);
}

void COpenSSL_sk_PKCS12_SAFEBAG_pop_free(STACK_OF(PKCS12_SAFEBAG) *stack) {
    sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}

const ASN1_STRING *COpenSSL_bag_attribute(const PKCS12_SAFEBAG *bag, int nid) {
    const ASN1_TYPE *value = PKCS12_SAFEBAG_get0_attr(bag, nid);
    int type = nid == NID_friendlyName ? V_ASN1_BMPSTRING : V_ASN1_OCTET_STRING;
    return value != NULL && value->type == type ? value->value.asn1_string : NULL;
}

uint64_t COpenSSL_count(const ASN1_INTEGER *integer) {
    uint64_t count = 1;
    if (integer != NULL && ASN1_INTEGER_get_uint64(&count, integer) != 1) count = UINT64_MAX;
    return count;
}

static uint64_t product(uint64_t a, uint64_t b) {
    uint64_t result;
    return __builtin_mul_overflow(a, b, &result) ? UINT64_MAX : result;
}

static uint64_t function_rounds(const X509_ALGOR *function) {
    uint64_t rounds = 0;
    if (OBJ_obj2nid(function->algorithm) == NID_id_pbkdf2) {
        PBKDF2PARAM *parameters =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), function->parameter);
        if (parameters != NULL) rounds = COpenSSL_count(parameters->iter);
        PBKDF2PARAM_free(parameters);
    } else if (OBJ_obj2nid(function->algorithm) == NID_id_scrypt) {
        SCRYPT_PARAMS *parameters =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(SCRYPT_PARAMS), function->parameter);
        if (parameters != NULL) {
            rounds = product(COpenSSL_count(parameters->costParameter),
                             product(COpenSSL_count(parameters->blockSize),
                                     COpenSSL_count(parameters->parallelizationParameter)));
        }
        SCRYPT_PARAMS_free(parameters);
    }
    return rounds;
}

uint64_t COpenSSL_derivation_rounds(const X509_ALGOR *algorithm) {
    uint64_t rounds = 0;
    int nid = OBJ_obj2nid(algorithm->algorithm);
    if (nid == NID_pbes2 || nid == NID_pbmac1) {
        PBE2PARAM *parameters =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), algorithm->parameter);
        if (parameters != NULL) rounds = function_rounds(parameters->keyfunc);
        PBE2PARAM_free(parameters);
    } else {
        PBEPARAM *parameters =
            ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBEPARAM), algorithm->parameter);
        if (parameters != NULL) rounds = COpenSSL_count(parameters->iter);
        PBEPARAM_free(parameters);
    }
    ERR_clear_error();
    return rounds;
}
