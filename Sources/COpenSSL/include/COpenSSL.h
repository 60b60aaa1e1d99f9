#ifndef COPENSSL_H
#define COPENSSL_H

/// OpenSSL's headers, and shims for what Swift cannot import: macros, typed stacks, variadics,
/// and the deprecated key parsers kept for their speed. The shims take no decisions.

#include <stddef.h>
#include <stdint.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/pkcs7.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

/// Once per process: no openssl.cnf, no exit handlers. Returns 1 on success.
int COpenSSL_init(void);

/// `OPENSSL_free`, for buffers that OpenSSL allocated.
void COpenSSL_free(void *pointer);
/// `OPENSSL_clear_free`.
void COpenSSL_clear_free(void *pointer, size_t count);

/// Takes the oldest error from the thread's queue into `text`; returns 0 when the queue is empty.
/// `library` and `reason` receive the packed code's parts.
int COpenSSL_next_error(char *text, size_t capacity, int *library, int *reason);

/// `BIO_get_mem_data`: borrowed pointer, returns the count.
long COpenSSL_BIO_get_mem_data(BIO *bio, const unsigned char **data);

/// A key from an RSAPrivateKey (RFC 8017 A.1.2), consuming exactly `count` bytes; owned, or NULL.
EVP_PKEY *COpenSSL_rsa_private_key(const unsigned char *der, long count);
/// A key from an ECPrivateKey (RFC 5915) on the named curve `nid`; the public point is computed
/// when absent, checked against the scalar when present. Owned, or NULL.
EVP_PKEY *COpenSSL_ec_private_key(const unsigned char *der, long count, int nid);
/// A key from the traditional DSA structure; owned, or NULL.
EVP_PKEY *COpenSSL_dsa_private_key(const unsigned char *der, long count);
/// The traditional RSA, EC or DSA structure of a key, or -1. `*out` is owned by the caller.
int COpenSSL_i2d_traditional(const EVP_PKEY *key, unsigned char **out);
/// 1 when the parts of an RSA key agree (n = p*q); a cheap test, not a primality check.
int COpenSSL_rsa_parts_agree(const EVP_PKEY *key);

/// Typed stacks of certificates. `push` takes ownership on success.
STACK_OF(X509) *COpenSSL_sk_X509_new(void);
int COpenSSL_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate);
int COpenSSL_sk_X509_num(const STACK_OF(X509) *stack);
/// Borrowed from the stack.
X509 *COpenSSL_sk_X509_value(const STACK_OF(X509) *stack, int index);
/// Frees the stack and every certificate in it.
void COpenSSL_sk_X509_pop_free(STACK_OF(X509) *stack);
/// Extension stacks.
STACK_OF(X509_EXTENSION) *COpenSSL_sk_X509_EXTENSION_new(void);
int COpenSSL_sk_X509_EXTENSION_push(STACK_OF(X509_EXTENSION) *stack, X509_EXTENSION *extension);
int COpenSSL_sk_X509_EXTENSION_num(const STACK_OF(X509_EXTENSION) *stack);
X509_EXTENSION *COpenSSL_sk_X509_EXTENSION_value(
    const STACK_OF(X509_EXTENSION) *stack, int index);
void COpenSSL_sk_X509_EXTENSION_pop_free(STACK_OF(X509_EXTENSION) *stack);

/// `X509_LOOKUP_add_dir` for PEM; 1 on success.
int COpenSSL_store_add_directory(X509_STORE *store, const char *path);

/// The certificates of a certs-only PKCS#7 (RFC 2315), each with its own reference; NULL when
/// `der` is none.
STACK_OF(X509) *COpenSSL_pkcs7_certificates(const unsigned char *der, long count);

/// The first encrypted key of a PKCS#12, decrypted in `context`: `PKCS12_parse` of OpenSSL 3.0
/// decrypts keys in the default context alone. Owned, or NULL.
EVP_PKEY *COpenSSL_pkcs12_key(PKCS12 *bundle, const char *password, OSSL_LIB_CTX *context);

#endif
