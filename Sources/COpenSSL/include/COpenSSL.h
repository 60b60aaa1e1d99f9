#ifndef COPENSSL_H
#define COPENSSL_H

/// OpenSSL's headers, and shims for what Swift cannot import: macros, typed stacks, variadics, and
/// the deprecated key parsers, used for their speed. The shims make no decisions.

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

/// Initializes OpenSSL once per process, without openssl.cnf and exit handlers. Returns 1 on
/// success.
int COpenSSL_init(void);

/// Reserves `byte_count` bytes of memory (a power of 2) for keys, which is not swapped if the
/// system permits it. Also disables core dumps and access to the process by other processes of the
/// user. Call it once, before any key exists.
void COpenSSL_protect(size_t byte_count);
/// Allocates and frees secure memory. Freeing wipes it. NULL if that memory is full.
void *COpenSSL_secure_allocate(size_t count);
void COpenSSL_secure_free(void *pointer, size_t count);

/// `OPENSSL_free`, for buffers that OpenSSL allocated.
void COpenSSL_free(void *pointer);
/// `OPENSSL_clear_free`.
void COpenSSL_clear_free(void *pointer, size_t count);

/// Moves the oldest error of the thread's queue to `text`; returns 0 if the queue is empty.
/// `library` and `reason` receive the parts of the packed code.
int COpenSSL_next_error(char *text, size_t capacity, int *library, int *reason);

/// A key from an RSAPrivateKey (RFC 8017 A.1.2), consuming exactly `count` bytes; owned, or NULL.
EVP_PKEY *COpenSSL_rsa_private_key(const unsigned char *der, long count);
/// A key from an ECPrivateKey (RFC 5915) on the named curve `nid`, owned, or NULL. The public point
/// is computed if absent, and checked against the scalar if present.
EVP_PKEY *COpenSSL_ec_private_key(const unsigned char *der, long count, int nid);
/// A key from the traditional DSA structure; owned, or NULL.
EVP_PKEY *COpenSSL_dsa_private_key(const unsigned char *der, long count);
/// 1 if the parts of an RSA key agree: n is the product of the primes, d and the CRT values are the
/// correct inverses. Uses only multiplications, no primality test.
int COpenSSL_rsa_parts_agree(const EVP_PKEY *key);
/// 1 if the public key belongs to the private key, by OpenSSL's own check.
int COpenSSL_halves_agree(EVP_PKEY *key);

/// The entry at `index` among those with the serial number of `entry`, borrowed; NULL after the
/// last. The list must be sorted, as it is after a lookup.
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

/// 1 if `key` verifies the signature of an OCSP response. Encodes the signed part for this.
int COpenSSL_ocsp_verify(const OCSP_BASICRESP *response, EVP_PKEY *key);

/// `X509_LOOKUP_add_dir` for PEM; 1 on success.
int COpenSSL_store_add_directory(X509_STORE *store, const char *path);

/// The certificates of a certs-only PKCS#7 (RFC 2315), each with its own reference; NULL if `der`
/// is not one.
STACK_OF(X509) *COpenSSL_pkcs7_certificates(const unsigned char *der, long count);

/// The parts of a PKCS#12's AuthenticatedSafe (RFC 7292 §4.1) and the bags of a part, owned; NULL
/// if they are unreadable. `password` is NUL-terminated, or NULL for none.
STACK_OF(PKCS7) *COpenSSL_pkcs12_parts(const PKCS12 *bundle);
STACK_OF(PKCS12_SAFEBAG) *COpenSSL_pkcs12_bags(PKCS7 *part, const char *password);
/// The encryption algorithm of a part, borrowed; NULL if the part is not encrypted.
const X509_ALGOR *COpenSSL_pkcs12_encryption(const PKCS7 *part);
/// 1 if the part has a type that `COpenSSL_pkcs12_bags` reads: data or encrypted data.
int COpenSSL_pkcs12_is_readable(const PKCS7 *part);
int COpenSSL_sk_PKCS7_num(const STACK_OF(PKCS7) *stack);
PKCS7 *COpenSSL_sk_PKCS7_value(const STACK_OF(PKCS7) *stack, int index);
void COpenSSL_sk_PKCS7_pop_free(STACK_OF(PKCS7) *stack);
int COpenSSL_sk_PKCS12_SAFEBAG_num(const STACK_OF(PKCS12_SAFEBAG) *stack);
const PKCS12_SAFEBAG *COpenSSL_sk_PKCS12_SAFEBAG_value(
    const STACK_OF(PKCS12_SAFEBAG) *stack, int index);
void COpenSSL_sk_PKCS12_SAFEBAG_pop_free(STACK_OF(PKCS12_SAFEBAG) *stack);

/// PKCS#8 of a key, owned. ML-DSA keys are written as their seed if it is known (RFC 9881 §6):
/// OpenSSL would write seed and expanded key, which other libraries do not read.
PKCS8_PRIV_KEY_INFO *COpenSSL_pkcs8(const EVP_PKEY *key);

/// The value of a bag's friendlyName (BMPString) or localKeyID (OCTET STRING), borrowed; NULL if
/// it is absent or has another type (RFC 7292 §4.2, RFC 2985 §5.5).
const ASN1_STRING *COpenSSL_bag_attribute(const PKCS12_SAFEBAG *bag, int nid);

/// A number of rounds: 1 if absent, UINT64_MAX if negative or too large.
uint64_t COpenSSL_count(const ASN1_INTEGER *integer);
/// The cost of deriving a key with the parameters of `algorithm` (PBES1, PBES2, PBMAC1 or PKCS#12
/// PBE). The parsers are those used for the derivation. It is the number of rounds, or N·r·p of
/// scrypt; UINT64_MAX on overflow. 0 if the algorithm derives no key or is rejected before it does.
uint64_t COpenSSL_derivation_rounds(const X509_ALGOR *algorithm);

/// Removes the RSAES-OAEP padding (RFC 8017 §7.1.2) from the result of an RSA key of `count` bytes,
/// in constant time. `output` has space for `count` bytes. Returns -1 if the padding is invalid.
int COpenSSL_oaep_unpad(
    unsigned char *output, const unsigned char *block, int block_count, int count,
    const EVP_MD *hash, const EVP_MD *mask);

/// CMS EnvelopedData, owned; NULL if `der` is something else.
CMS_ContentInfo *COpenSSL_enveloped(const unsigned char *der, long count);
/// The number of recipients of all kinds.
int COpenSSL_enveloped_recipient_count(CMS_ContentInfo *message);
/// The identifier of the recipient's certificate, borrowed from `message`: issuer and serial
/// number, or key identifier. The other pointers are NULL. Returns 0 if there is no such recipient.
int COpenSSL_enveloped_recipient(
    CMS_ContentInfo *message, int index, X509_NAME **issuer, ASN1_INTEGER **serial,
    ASN1_OCTET_STRING **key);

/// A private key in a store of a provider (OSSL_STORE), in a library context of its own.
typedef struct COpenSSL_stored_key COpenSSL_stored_key;

/// Opens the first private key of a URI, owned. The context has the default provider, those of
/// OpenSSL's configuration, and `provider`, which must have the key. At most `limit` objects are
/// read. `*is_loaded` is 1 if the provider is loaded. The texts of its errors are valid until the
/// result is freed.
COpenSSL_stored_key *COpenSSL_stored_key_open(
    const char *uri, const char *provider, pem_password_cb *ask, void *asked, int limit,
    int *is_loaded);
void COpenSSL_stored_key_free(COpenSSL_stored_key *key);
/// Borrowed; NULL if no key was found.
EVP_PKEY *COpenSSL_stored_key_get(const COpenSSL_stored_key *key);
/// All certificates in the store, borrowed.
STACK_OF(X509) *COpenSSL_stored_key_certificates(const COpenSSL_stored_key *key);
/// Signs once: the hash `data` if `is_hash`, otherwise the message `data`. `digest` is NULL for
/// algorithms without one. `*length` is the space in `signature`, then its length. Returns 1 on
/// success.
int COpenSSL_stored_key_sign(
    const COpenSSL_stored_key *key, const char *digest, int is_pss, int is_hash,
    const unsigned char *data, size_t count, unsigned char *signature, size_t *length);

#endif
