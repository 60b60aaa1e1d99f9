"""Writes files that others than Signet sign with ML-DSA and SLH-DSA.

quantum_safe.py revocation KEY.pem CERTIFICATE.pem SERIAL: list.crl of the issuer, which revokes the
hexadecimal SERIAL, by the package cryptography.
quantum_safe.py message LIBCRYPTO ALGORITHM FILE: made.crt (self-signed) and made.p7s, a detached
signature of FILE, by a libcrypto of version 3.5 or newer.
quantum_safe.py expanded LIBCRYPTO KEY.der: the ML-DSA key of a seed in the two other forms,
expanded.der and both.der.
"""

import ctypes
import datetime
import sys


def revocation(key, certificate, serial):
    from cryptography import x509
    from cryptography.hazmat.primitives import serialization
    with open(key, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None)
    with open(certificate, "rb") as file:
        issuer = x509.load_pem_x509_certificate(file.read()).subject
    now = datetime.datetime.now(datetime.UTC)
    entry = x509.RevokedCertificateBuilder().serial_number(int(serial, 16))
    made = x509.CertificateRevocationListBuilder().issuer_name(issuer)
    made = made.last_update(now).next_update(now + datetime.timedelta(days=9))
    made = made.add_revoked_certificate(entry.revocation_date(now).build()).sign(key, None)
    with open("list.crl", "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.DER))


def caller(library):
    crypto = ctypes.CDLL(library)

    def call(name, *arguments):
        function = getattr(crypto, name)
        function.restype = ctypes.c_void_p
        answer = function(*arguments)
        if not answer:
            sys.exit(f"{name} failed")
        return ctypes.c_void_p(answer)

    return call


def expanded(library, path):
    call = caller(library)
    with open(path, "rb") as file:
        der = file.read()
    start = ctypes.c_char_p(der)
    key = call("d2i_AutoPrivateKey", None, ctypes.byref(start), ctypes.c_long(len(der)))
    private, count = ctypes.create_string_buffer(8192), ctypes.c_size_t()
    call("EVP_PKEY_get_octet_string_param", key, b"priv", private, 8192, ctypes.byref(count))

    def element(tag, *parts):
        content = b"".join(parts)
        return bytes([tag, 0x82]) + len(content).to_bytes(2, "big") + content

    # The seed is [0] IMPLICIT OCTET STRING (RFC 9881, section 6).
    seed = b"\x04\x20" + der[-32:]
    whole = element(0x04, private.raw[:count.value])
    algorithm = der[5:18]
    for name, value in ("expanded.der", whole), ("both.der", element(0x30, seed, whole)):
        with open(name, "wb") as file:
            file.write(element(0x30, b"\x02\x01\x00", algorithm, element(0x04, value)))


def message(library, algorithm, content):
    call = caller(library)

    def write(name, value, path):
        bio = call("BIO_new_file", path.encode(), b"wb")
        call(name, bio, value)
        call("BIO_free", bio)

    key = call("EVP_PKEY_Q_keygen", None, None, algorithm.encode())
    certificate = call("X509_new")
    call("X509_set_version", certificate, ctypes.c_long(2))
    call("ASN1_INTEGER_set", call("X509_get_serialNumber", certificate), ctypes.c_long(7))
    for which, seconds in ("notBefore", -60), ("notAfter", 86_400):
        call("X509_gmtime_adj", call(f"X509_getm_{which}", certificate), ctypes.c_long(seconds))
    name = call("X509_get_subject_name", certificate)
    call("X509_NAME_add_entry_by_txt", name, b"CN", 0x1001, algorithm.encode(), -1, -1, 0)
    call("X509_set_issuer_name", certificate, name)
    call("X509_set_pubkey", certificate, key)
    call("X509_sign", certificate, key, None)
    write("i2d_X509_bio", certificate, "made.crt")
    detached, binary, partial = 0x40, 0x80, 0x4000
    source = call("BIO_new_file", content.encode(), b"rb")
    signed = call("CMS_sign", None, None, None, None, detached | binary | partial)
    call("CMS_add1_signer", signed, certificate, key, call("EVP_sha512"), binary | partial)
    call("CMS_final", signed, source, None, detached | binary)
    write("i2d_CMS_bio", signed, "made.p7s")


if __name__ == "__main__":
    {"revocation": revocation, "message": message, "expanded": expanded}[sys.argv[1]](*sys.argv[2:])
