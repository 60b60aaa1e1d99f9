#!/usr/bin/env python3
"""usage: make_pki.py FOLDER

Writes the throwaway keys and certificates of TestVectors/pki: one key, and certificates for it
that differ in what a signing program must notice. Needs the Python package cryptography, which
.venv has. Keys and signatures are random, so a second run gives other bytes.
"""

import datetime
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

USAGES = [
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]


def certificate(key, name, first_year, last_year, usages, extended=None):
    subject = x509.Name([
        x509.NameAttribute(NameOID.COUNTRY_NAME, "CZ"),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Signet tests"),
        x509.NameAttribute(NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(first_year, 1, 1))
        .not_valid_after(datetime.datetime(last_year, 1, 1))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**{u: u in usages for u in USAGES}), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False))
    if extended:
        builder = builder.add_extension(x509.ExtendedKeyUsage([extended]), critical=False)
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    key, other = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    signing = {"digital_signature", "content_commitment"}

    def write_key(name, key, encryption):
        (folder / name).write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption))

    write_key("key.pem", key, serialization.NoEncryption())
    write_key("other-key.pem", other, serialization.NoEncryption())
    write_key("encrypted-key.pem", key, serialization.BestAvailableEncryption(b"correct horse"))
    for name, data in {
        "valid.pem": certificate(key, "Valid Signer", 2020, 2120, signing),
        "expired.pem": certificate(key, "Expired Signer", 2000, 2001, signing),
        "not-yet-valid.pem": certificate(key, "Future Signer", 2120, 2121, signing),
        "no-signing.pem": certificate(key, "Encryption Only", 2020, 2120, {"key_encipherment"}),
        "server-only.pem": certificate(
            key, "Web Server", 2020, 2120, signing, ExtendedKeyUsageOID.SERVER_AUTH),
    }.items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
