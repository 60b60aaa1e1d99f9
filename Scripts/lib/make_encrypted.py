"""usage: make_encrypted.py FOLDER

Makes documents in FOLDER that are encrypted in the ways of ISO/TS 32003 and 32004 and for the
holders of certificates, with the keys that open them. pyHanko writes them: other programs that the
tests use do not know these encryptions. Passwords: `user` and `owner`.
"""

import datetime
import hashlib
import logging
import os
import pathlib
import sys
from unittest import mock

logging.disable(logging.CRITICAL)

from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, x25519  # noqa: E402
from pyhanko.keys import load_cert_from_pemder  # noqa: E402
from pyhanko.pdf_utils import generic  # noqa: E402
from pyhanko.pdf_utils.crypt import (  # noqa: E402
    PubKeySecurityHandler, SecurityHandlerVersion, standard)
from pyhanko.pdf_utils.crypt.pubkey import RecipientEncryptionPolicy  # noqa: E402
from pyhanko.pdf_utils.writer import PageObject, PdfFileWriter  # noqa: E402


def make_key(folder, name, key, usage, signer=None):
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime(2026, 1, 1)
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=3650))
        .add_extension(x509.KeyUsage(**{field: field == usage for field in (
            "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
            "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")}),
            critical=True)
        .sign(signer or key, hashes.SHA256()))
    (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / f"{name}.key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    return load_cert_from_pemder(folder / f"{name}.crt")


def write(path, encrypt, filters=None, field=None):
    writer = PdfFileWriter(stream_xrefs=False)
    text = b"BT /F1 24 Tf 72 700 Td (Secret text) Tj ET"
    content = generic.StreamObject(stream_data=text)
    if filters:
        content[generic.pdf_name("/Filter")] = generic.pdf_name(filters)
    if field:
        name = writer.add_object(generic.DictionaryObject({
            generic.pdf_name("/FT"): generic.pdf_name("/Tx"),
            generic.pdf_name("/T"): generic.pdf_string(field)}))
        writer.root[generic.pdf_name("/AcroForm")] = generic.DictionaryObject({
            generic.pdf_name("/Fields"): generic.ArrayObject([name])})
    page = PageObject(
        contents=writer.add_object(content),
        media_box=(0, 0, 595, 842),
        resources=generic.DictionaryObject({
            generic.pdf_name("/Font"): generic.DictionaryObject({
                generic.pdf_name("/F1"): generic.DictionaryObject({
                    generic.pdf_name("/Type"): generic.pdf_name("/Font"),
                    generic.pdf_name("/Subtype"): generic.pdf_name("/Type1"),
                    generic.pdf_name("/BaseFont"): generic.pdf_name("/Helvetica")})})}))
    writer.insert_page(page)
    encrypt(writer)
    writer.output_version = (2, 0)
    with open(path, "wb") as file:
        writer.write(file)


def write_revision_5(path):
    """As Adobe encrypted before ISO 32000-2: revision 6, but for the hash of passwords."""
    revision = standard.StandardSecuritySettingsRevision
    with (
        mock.patch.object(
            standard, "_r6_hash_algo",
            lambda password, salt, u=None: hashlib.sha256(password + salt + (u or b"")).digest()),
        mock.patch.object(revision, "as_pdf_object", lambda self: generic.NumberObject(5)),
    ):
        write(path, lambda w: w.encrypt("owner", "user"))


def main(folder):
    first = make_key(folder, "first", rsa.generate_private_key(65537, 2048), "key_encipherment")
    second = make_key(folder, "second", rsa.generate_private_key(65537, 2048), "key_encipherment")
    # Who signs may be the recipient.
    holder = make_key(folder, "holder", rsa.generate_private_key(65537, 2048), "digital_signature")
    curve = make_key(folder, "curve", ec.generate_private_key(ec.SECP256R1()), "key_agreement")
    # Keys of this kind sign nothing.
    montgomery = make_key(
        folder, "montgomery", x25519.X25519PrivateKey.generate(), "key_agreement",
        signer=ec.generate_private_key(ec.SECP256R1()))
    make_key(folder, "stranger", rsa.generate_private_key(65537, 2048), "key_encipherment")

    for name, options in {
        "gcm": {"use_gcm": True, "pdf_mac": False},
        "gcm-mac": {"use_gcm": True},
        "aes-mac": {},
    }.items():
        write(folder / f"{name}.pdf", lambda w: w.encrypt("owner", "user", **options))
    write_revision_5(folder / "r5-mac.pdf")
    plain = {"pdf_mac": False}
    write(folder / "own-filter.pdf", lambda w: w.encrypt("owner", "user", **plain), "/Crypt")
    write(folder / "form.pdf", lambda w: w.encrypt("owner", "user", **plain), field="Amount")
    lax = RecipientEncryptionPolicy(ignore_key_usage=True)
    for name, certificates, options in (
        ("key-aes256", [first], {"pdf_mac": False}),
        ("key-two", [first, second], {"pdf_mac": False}),
        ("key-mac", [first], {}),
        ("key-oaep", [first], {
            "pdf_mac": False, "policy": RecipientEncryptionPolicy(prefer_oaep=True)}),
        ("key-ecdh", [curve], {"policy": lax}),
        ("key-holder", [holder], {"pdf_mac": False, "policy": lax}),
        ("key-x25519", [montgomery], {"pdf_mac": False, "policy": lax}),
        ("key-clear-metadata", [first], {"pdf_mac": False, "encrypt_metadata": False}),
    ):
        write(folder / f"{name}.pdf", lambda w: w.encrypt_pubkey(certificates, **options))
    # An envelope for each: nobody but the author knows whether they hold the same.
    for name, version, has_code in (
        ("key-groups", SecurityHandlerVersion.AES256, False),
        ("key-groups-gcm", SecurityHandlerVersion.AES_GCM, False),
        ("key-groups-mac", SecurityHandlerVersion.AES256, True),
    ):
        handler = PubKeySecurityHandler.build_from_certs(
            [first], keylen_bytes=32, version=version, pdf_mac=has_code)
        handler.add_recipients([second])
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))
    # Behind the part that opens it one with a key that fits nothing: whether it has a padding must not
    # show (RFC 3218).
    handler = PubKeySecurityHandler.build_from_certs(
        [first], keylen_bytes=32, version=SecurityHandlerVersion.AES256, pdf_mac=False)
    message = handler.crypt_filter_config.get_for_stream().recipients[0]
    parts = message["content"]["recipient_infos"]
    guess = parts[0].copy()
    public = serialization.load_der_public_key(first.public_key.dump())
    guess.chosen["encrypted_key"] = public.encrypt(os.urandom(32), padding.PKCS1v15())
    parts.append(guess)
    write(folder / "key-guess.pdf", lambda w: w._assign_security_handler(handler))
    for name, version, byte_count, aes in (
        ("key-rc4-40", SecurityHandlerVersion.RC4_40, 5, False),
        ("key-rc4-128", SecurityHandlerVersion.RC4_LONGER_KEYS, 16, False),
        ("key-v4-rc4", SecurityHandlerVersion.RC4_OR_AES128, 16, False),
        ("key-v4-aes128", SecurityHandlerVersion.RC4_OR_AES128, 16, True),
    ):
        handler = PubKeySecurityHandler.build_from_certs(
            [first], keylen_bytes=byte_count, version=version, use_aes=aes,
            use_crypt_filters=version == SecurityHandlerVersion.RC4_OR_AES128, pdf_mac=False)
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
