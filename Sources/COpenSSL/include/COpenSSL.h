#ifndef COPENSSL_H
#define COPENSSL_H

/// OpenSSL's headers, and shims for what Swift cannot import: macros, typed stacks, variadics,
/// and the deprecated key parsers kept for their speed. The shims take no decisions.

#include <stddef.h>
#include <stdint.h>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
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

/// Has keys kept in `byte_count` bytes of memory (a power of 2) that is not swapped as far as the
/// system permits, and that no core dump holds; the process makes none, and nobody else looks into
/// it. To be called once, before there is a key.
void COpenSSL_protect(size_t byte_count);
/// As `malloc` and `free`, in that memory; wiped with the second. NULL when it is full.
void *COpenSSL_secure_allocate(size_t count);
void COpenSSL_secure_free(void *pointer, size_t count);

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
/// 1 when the parts of an RSA key agree: n is the product of its primes, and d and the CRT values
/// are the inverses that they should be. Multiplications alone, no primality check.
int COpenSSL_rsa_parts_agree(const EVP_PKEY *key);
/// 1 when the public half is the one that belongs to the private half, by OpenSSL's own check.
int COpenSSL_halves_agree(EVP_PKEY *key);

/// Of the entries of a sorted list (one that was looked into) with the number of `entry`, the one at
/// `index`, borrowed; NULL behind the last.
X509_REVOKED *COpenSSL_crl_entry(X509_CRL *list, X509_REVOKED *entry, int index);

/// Typed stacks of certificates. `push` takes ownership on success.
STACK_OF(X509) *COpenSSL_sk_X509_new(void);
int COpenSSL_sk_X509_push(STACK_OF(X509) *stack, X509 *certificate);
int COpenSSL_sk_X509_num(const STACK_OF(X509) *stack);
/// Borrowed from the stack.
X509 *COpenSSL_sk_X509_value(const STACK_OF(X509) *stack, int index);
/// Frees the stack and every certificate in it.
void COpenSSL_sk_X509_pop_free(STACK_OF(X509) *stack);
/// Extension stacks.
int COpenSSL_sk_X509_EXTENSION_num(const STACK_OF(X509_EXTENSION) *stack);
X509_EXTENSION *COpenSSL_sk_X509_EXTENSION_value(
    const STACK_OF(X509_EXTENSION) *stack, int index);
void COpenSSL_sk_X509_EXTENSION_pop_free(STACK_OF(X509_EXTENSION) *stack);

/// 1 when `key` made the signature of an OCSP response. Its signed part is encoded for that.
int COpenSSL_ocsp_verify(const OCSP_BASICRESP *response, EVP_PKEY *key);

/// `X509_LOOKUP_add_dir` for PEM; 1 on success.
int COpenSSL_store_add_directory(X509_STORE *store, const char *path);

/// The certificates of a certs-only PKCS#7 (RFC 2315), each with its own reference; NULL when
/// `der` is none.
STACK_OF(X509) *COpenSSL_pkcs7_certificates(const unsigned char *der, long count);

/// The parts of a PKCS#12's AuthenticatedSafe (RFC 7292 §4.1) and the bags of a part, owned; NULL
/// when they cannot be read. `password` is NUL-terminated; NULL is none.
STACK_OF(PKCS7) *COpenSSL_pkcs12_parts(const PKCS12 *bundle);
STACK_OF(PKCS12_SAFEBAG) *COpenSSL_pkcs12_bags(PKCS7 *part, const char *password);
/// How a part is encrypted, borrowed; NULL when it is not.
const X509_ALGOR *COpenSSL_pkcs12_encryption(const PKCS7 *part);
/// 1 for a part of either kind that `COpenSSL_pkcs12_bags` reads.
int COpenSSL_pkcs12_is_readable(const PKCS7 *part);
int COpenSSL_sk_PKCS7_num(const STACK_OF(PKCS7) *stack);
PKCS7 *COpenSSL_sk_PKCS7_value(const STACK_OF(PKCS7) *stack, int index);
void COpenSSL_sk_PKCS7_pop_free(STACK_OF(PKCS7) *stack);
int COpenSSL_sk_PKCS12_SAFEBAG_num(const STACK_OF(PKCS12_SAFEBAG) *stack);
const PKCS12_SAFEBAG *COpenSSL_sk_PKCS12_SAFEBAG_value(
    const STACK_OF(PKCS12_SAFEBAG) *stack, int index);
void COpenSSL_sk_PKCS12_SAFEBAG_pop_free(STACK_OF(PKCS12_SAFEBAG) *stack);

/// A number of rounds: UINT64_MAX for what is negative or longer, 1 when absent.
uint64_t COpenSSL_count(const ASN1_INTEGER *integer);
/// What deriving a key costs with the parameters of `algorithm` (PBES1, PBES2, PBMAC1 or PKCS#12
/// PBE), read by the parsers that will follow them: rounds, or N·r·p of scrypt; UINT64_MAX when
/// more. 0 for what derives no key, or would be refused before it does.
uint64_t COpenSSL_derivation_rounds(const X509_ALGOR *algorithm);

/// Takes the padding of RSAES-OAEP (RFC 8017 §7.1.2) off what an RSA key of `count` bytes made, in
/// constant time; `output` has room for as many. -1 when there is no such padding.
int COpenSSL_oaep_unpad(
    unsigned char *output, const unsigned char *block, int block_count, int count,
    const EVP_MD *hash, const EVP_MD *mask);

/// CMS enveloped data, owned; NULL when `der` is something else.
CMS_ContentInfo *COpenSSL_enveloped(const unsigned char *der, long count);
/// How many recipients there are, of whatever kind.
int COpenSSL_enveloped_recipient_count(CMS_ContentInfo *message);
/// How the recipient's certificate is named, borrowed from `message`: by issuer and serial, or by
/// its key's identifier; the others are NULL. 0 when there is no such recipient.
int COpenSSL_enveloped_recipient(
    CMS_ContentInfo *message, int index, X509_NAME **issuer, ASN1_INTEGER **serial,
    ASN1_OCTET_STRING **key);

#endif
