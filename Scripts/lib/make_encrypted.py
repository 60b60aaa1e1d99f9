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
import re
import sys
from unittest import mock

logging.disable(logging.CRITICAL)

from asn1crypto import cms, core, x509 as asn1x509  # noqa: E402
from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, x25519  # noqa: E402
from pyhanko.keys import load_cert_from_pemder  # noqa: E402
from pyhanko.pdf_utils import embed, generic  # noqa: E402
from pyhanko.pdf_utils.crypt import (  # noqa: E402
    CryptFilterConfiguration, PubKeySecurityHandler, SecurityHandlerVersion, standard)
from pyhanko.pdf_utils.crypt.permissions import PubKeyPermissions  # noqa: E402
from pyhanko.pdf_utils.crypt.pubkey import RecipientEncryptionPolicy  # noqa: E402
from pyhanko.pdf_utils.writer import PageObject, PdfFileWriter  # noqa: E402


def certify(folder, name, key, usage, signer=None, subject=None, days=3650):
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject or name)])
    now = datetime.datetime(2026, 1, 1)
    certificate = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject)
        .public_key(key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.KeyUsage(**{field: field == usage for field in (
            "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
            "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")}),
            critical=True)
        .sign(signer or key, hashes.SHA256()))
    (folder / f"{name}.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return load_cert_from_pemder(folder / f"{name}.crt")


def make_key(folder, name, key, usage, signer=None):
    (folder / f"{name}.key").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    return certify(folder, name, key, usage, signer)


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
    first_key = rsa.generate_private_key(65537, 2048)
    first = make_key(folder, "first", first_key, "key_encipherment")
    second = make_key(folder, "second", rsa.generate_private_key(65537, 2048), "key_encipherment")
    # Who signs may be the recipient.
    holder_key = rsa.generate_private_key(65537, 2048)
    holder = make_key(folder, "holder", holder_key, "digital_signature")
    curve_key = ec.generate_private_key(ec.SECP256R1())
    curve = make_key(folder, "curve", curve_key, "key_agreement")
    # What their holders have after some years: the same keys.
    first_again = certify(
        folder, "first-renewed", first_key, "key_encipherment", subject="first")
    curve_again = certify(folder, "curve-renewed", curve_key, "key_agreement", subject="curve")
    certify(
        folder, "holder-renewed", holder_key, "digital_signature", subject="holder", days=4000)
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
        ("key-renewed", [first_again], {"pdf_mac": False}),
        ("key-renewed-ecdh", [curve_again], {"pdf_mac": False, "policy": lax}),
        ("key-x25519", [montgomery], {"pdf_mac": False, "policy": lax}),
        ("key-clear-metadata", [first], {"pdf_mac": False, "encrypt_metadata": False}),
        ("key-reader", [first], {
            "pdf_mac": False, "perms": PubKeyPermissions.TOLERATE_MISSING_PDF_MAC}),
    ):
        write(folder / f"{name}.pdf", lambda w: w.encrypt_pubkey(certificates, **options))
    # A code, whose bit is 0 beside others that have to be 1.
    with mock.patch.object(PubKeyPermissions, "as_uint32", lambda self: 0x7FFFEFFD):
        write(folder / "key-mac-odd.pdf", lambda w: w.encrypt_pubkey([first]))
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
    for name, version, byte_count, aes in (
        ("key-rc4-40", SecurityHandlerVersion.RC4_40, 5, False),
        ("key-rc4-128", SecurityHandlerVersion.RC4_LONGER_KEYS, 16, False),
        ("key-v2-rc4-40", SecurityHandlerVersion.RC4_LONGER_KEYS, 5, False),
        ("key-v4-rc4", SecurityHandlerVersion.RC4_OR_AES128, 16, False),
        ("key-v4-rc4-40", SecurityHandlerVersion.RC4_OR_AES128, 5, False),
        ("key-v4-aes128", SecurityHandlerVersion.RC4_OR_AES128, 16, True),
    ):
        handler = PubKeySecurityHandler.build_from_certs(
            [first], keylen_bytes=byte_count, version=version, use_aes=aes,
            use_crypt_filters=version == SecurityHandlerVersion.RC4_OR_AES128, pdf_mac=False)
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))
    write_guesses(folder, first)
    write_wrong_parts(folder, first)
    write_shared_agreement(folder, curve, lax)
    write_others(folder, first, second)
    write_attached(folder, first)
    write_long_name(folder, first)
    write_issuers(folder, first)
    handler, recipients = open_handler(first)
    recipients[0]["content"]["recipient_infos"] = []
    write(folder / "key-nobody.pdf", lambda w: w._assign_security_handler(handler))
    write_metadata_once(folder)
    write_other_entries(folder)
    write_trailing(folder, first)
    write_additions(folder, "key-aes256")
    write_additions(folder, "key-groups-gcm", "-gcm")
    write_additions(folder, "key-clear-metadata", "-metadata")


def open_handler(certificate, policy=RecipientEncryptionPolicy()):
    """What encrypts for one recipient, and its envelope, which may be changed before it is used."""
    handler = PubKeySecurityHandler.build_from_certs(
        [certificate], keylen_bytes=32, version=SecurityHandlerVersion.AES256, pdf_mac=False,
        policy=policy)
    return handler, handler.crypt_filter_config.get_for_stream().recipients


def part_like(part, encrypted, serial=None):
    """A recipient's part with something else in it; with a serial, somebody else's."""
    made = part.copy()
    made.chosen["encrypted_key"] = encrypted
    if serial:
        issuer = part.chosen["rid"].chosen["issuer"]
        made.chosen["rid"] = cms.RecipientIdentifier(
            "issuer_and_serial_number", {"issuer": issuer, "serial_number": serial})
    return made


def write_guesses(folder, certificate):
    """Parts beside the one that opens a document: more than anybody tries, and such as tell a guess
    by whether it has a padding (RFC 3218)."""
    public = serialization.load_der_public_key(certificate.public_key.dump())
    for name, before, behind, is_strange in (
        ("key-guess", 0, 1, False),
        ("key-named-100", 99, 0, False), ("key-named-101", 100, 0, False),
        ("key-crowd-100", 50, 49, True), ("key-crowd-101", 50, 50, True),
        ("key-crowd-1000", 500, 499, True), ("key-crowd-1001", 500, 500, True),
    ):
        handler, recipients = open_handler(certificate)
        own = recipients[0]["content"]["recipient_infos"][0]
        # The parts are a set, which is put in order by its bytes.
        is_behind = None
        while is_behind != (behind > 0):
            guess = public.encrypt(os.urandom(32), padding.PKCS1v15())
            is_behind = guess > own.chosen["encrypted_key"].native
        if before + behind > 100:
            guess = b"x"
        recipients[0]["content"]["recipient_infos"] = [own] + [
            part_like(own, guess, 1 + at if is_strange else None) for at in range(before + behind)]
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))


def write_wrong_parts(folder, certificate):
    """Documents that nobody opens: no padding, and a key of another length."""
    public = serialization.load_der_public_key(certificate.public_key.dump())
    for name, encrypted, count in (
        ("key-noise", b"\1" * 256, 3), ("key-noise-crowd", b"\1" * 256, 5),
        ("key-short", public.encrypt(b"k" * 16, padding.PKCS1v15()), 3),
    ):
        handler, recipients = open_handler(certificate)
        own = recipients[0]["content"]["recipient_infos"][0]
        recipients[0]["content"]["recipient_infos"] = [part_like(own, encrypted)]
        recipients += recipients * (count - 1)
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))


def write_shared_agreement(folder, certificate, policy):
    """One key of the sender's for several recipients, the last of whom is known, or named before."""
    for name, count, is_strange in (
        ("key-second-ecdh", 1, True), ("key-agreed-100", 99, False), ("key-agreed-101", 100, False),
    ):
        handler, recipients = open_handler(certificate, policy)
        agreement = recipients[0]["content"]["recipient_infos"][0].chosen
        own = agreement["recipient_encrypted_keys"][0]
        other = own.copy()
        other["encrypted_key"] = b"w" * 40
        if is_strange:
            issuer = own["rid"].chosen["issuer"]
            other["rid"] = cms.KeyAgreementRecipientIdentifier(
                "issuer_and_serial_number", {"issuer": issuer, "serial_number": 1})
        agreement["recipient_encrypted_keys"] = [other] * count + [own]
        recipients[0]["content"]["recipient_infos"] = [cms.RecipientInfo("kari", agreement.copy())]
        write(folder / f"{name}.pdf", lambda w: w._assign_security_handler(handler))


def write_long_name(folder, certificate):
    handler, recipients = open_handler(certificate)
    parts = recipients[0]["content"]["recipient_infos"]
    other = part_like(parts[0], b"x")
    issuer = asn1x509.Name.build({"common_name": "\u202e" * 20000})
    other.chosen["rid"] = cms.RecipientIdentifier(
        "issuer_and_serial_number", {"issuer": issuer, "serial_number": 1})
    recipients[0]["content"]["recipient_infos"] = [other, parts[0]]
    write(folder / "key-long-name.pdf", lambda w: w._assign_security_handler(handler))
    # One character that is as long as anybody likes.
    issuer = asn1x509.Name.build({"common_name": "o" + "\u0301" * 5000})
    other.chosen["rid"] = cms.RecipientIdentifier(
        "issuer_and_serial_number", {"issuer": issuer, "serial_number": 1})
    recipients[0]["content"]["recipient_infos"] = [other, parts[0]]
    write(folder / "key-long-letter.pdf", lambda w: w._assign_security_handler(handler))


def write_issuers(folder, certificate):
    """The recipient's issuer in other words: kinds of strings, upper and lower case do not count."""
    for name, issuer in (
        ("printable", asn1x509.Name.build({"common_name": "first"}, use_printable=True)),
        ("upper", asn1x509.Name.build({"common_name": "FIRST"})),
        ("none", asn1x509.Name.build({})),
    ):
        handler, recipients = open_handler(certificate)
        own = recipients[0]["content"]["recipient_infos"][0]
        part = part_like(own, own.chosen["encrypted_key"])
        part.chosen["rid"] = cms.RecipientIdentifier(
            "issuer_and_serial_number", {
                "issuer": issuer, "serial_number": certificate.serial_number})
        recipients[0]["content"]["recipient_infos"] = [part]
        write(folder / f"key-issuer-{name}.pdf", lambda w: w._assign_security_handler(handler))


def write_metadata_once(folder):
    """Clear metadata, said in one of the two places where readers look for it: nobody else has the
    key's other half."""
    whole = (folder / "key-clear-metadata.pdf").read_bytes()
    entry = b"/EncryptMetadata false\n"
    first, second = whole.index(entry), whole.rindex(entry)
    assert first < second
    blank = b" " * (len(entry) - 1) + b"\n"
    for name, at in (("filter", first), ("dictionary", second)):
        (folder / f"key-metadata-{name}.pdf").write_bytes(
            whole[:at] + blank + whole[at + len(entry):])


def write_other_entries(folder):
    """What the key depends on, said in other ways: readers make different things of them."""
    for name, source, old, new in (
        ("key-metadata-null", "key-aes256", b"/EncryptMetadata true", b"/EncryptMetadata null"),
        ("key-length-bytes", "key-v4-rc4", b"/Length 128", b"/Length 16 "),
        ("key-length-none", "key-v2-rc4-40", b"/Length 40", b"          "),
        ("key-gcm-bytes", "key-groups-gcm", b"/Length 256", b"/Length 32 "),
        ("key-gcm-none", "key-groups-gcm", b"/Length 256", b"           "),
    ):
        whole = (folder / f"{source}.pdf").read_bytes()
        # In the crypt filter, where there is one.
        at = whole.index(old, max(whole.find(b"/CFM"), whole.index(b"/Adobe.PubSec")))
        (folder / f"{name}.pdf").write_bytes(whole[:at] + new + whole[at + len(old):])


def write_trailing(folder, certificate):
    """A byte behind the envelope, which counts for the key or not."""
    handler, recipients = open_handler(certificate)
    recipients[0] = Encoded(recipients[0].dump() + b"\0")
    write(folder / "key-trailing.pdf", lambda w: w._assign_security_handler(handler))
    # Attributes that nobody asks for, spelled with an end of line as it is.
    handler, recipients = open_handler(certificate)
    recipients[0]["content"]["unprotected_attrs"] = [
        {"type": "1.2.3.4", "values": [core.OctetString(b"x\n" * 8)]}]
    recipients[0]["content"]["version"] = "v2"
    recipients[0] = Encoded(recipients[0].dump(force=True))
    write(folder / "key-line.pdf", lambda w: w._assign_security_handler(handler))
    whole = (folder / "key-line.pdf").read_bytes()
    der = recipients[0].dump()
    written = b"<" + der.hex().encode() + b">"
    assert whole.count(written) == 1
    spelled = b"".join(
        b"\\%03o" % byte if byte in b"()\\\r\n" else bytes([byte]) for byte in der)
    for name, end in (("return", b"\r"), ("pair", b"\r\n"), ("joined", b"\\\n\n")):
        odd = spelled.replace(b"x\\012" * 8, b"x\\012" * 7 + b"x" + end)
        text = (b"(" + odd + b")").ljust(len(written))
        (folder / f"key-line-{name}.pdf").write_bytes(whole.replace(written, text))


def write_additions(folder, source, suffix=""):
    """What somebody adds to a document without its key: parts that are not encrypted."""
    whole = (folder / f"{source}.pdf").read_bytes()

    def old(pattern):
        number, content = re.search(
            rb"\n(\d+) 0 obj\n((?:(?!endobj).)*" + pattern + rb".*?)\nendobj", whole,
            re.DOTALL).groups()
        return int(number), content

    page, page_text = old(rb"/Type /Page\n")
    encryption, encryption_text = old(rb"/Adobe\.PubSec")
    root, root_text = old(rb"/Type /Catalog")
    size = int(re.search(rb"/Size (\d+)", whole).group(1))
    names = re.search(rb"/Root.*?/ID \[.*?\]", whole, re.DOTALL).group()
    previous = re.search(rb"startxref\n(\d+)", whole).group(1)
    new = b"%d 0 R" % size

    def stream(entries, data):
        return b"<<" + entries + b"/Length %d>>\nstream\n%s\nendstream" % (len(data), data)

    def add(name, objects, packed=(), open_ended=(), trailer=b""):
        """Objects by number; those in `packed` are in the stream of objects with the first number,
        those in `open_ended` lack their end. `trailer` is added to the trailer."""
        result, rows = bytearray(whole), {}
        for number, content in objects.items():
            rows[number] = (1, len(result), 0)
            end = b"" if number in open_ended else b"endobj\n"
            result += b"%d 0 obj\n%s\n%s" % (number, content, end)
        for index, number in enumerate(packed):
            rows[number] = (2, size, index)
        table = max(rows) + 1
        rows[table] = (1, len(result), 0)
        data = b"".join(
            bytes([kind]) + first.to_bytes(4, "big") + bytes([second])
            for _, (kind, first, second) in sorted(rows.items()))
        index = b" ".join(b"%d 1" % number for number in sorted(rows))
        entries = b"/Type /XRef /W [1 4 1] /Size %d /Index [%s] /Prev %s %s" % (
            table + 1, index, previous, names + trailer)
        result += b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (
            table, stream(entries, data), rows[table][1])
        (folder / f"{name}.pdf").write_bytes(result)

    if suffix == "-metadata":
        # Of a part that is a stream, and met before that part is.
        metadata = stream(b"/Type /Metadata /Subtype /XML", b"<x/>")
        for name, entries in (("part", b"/Metadata %d 0 R" % (size + 1)), ("none", b"")):
            add(f"key-clear-metadata-{name}", {
                size: stream(entries, b""), size + 1: metadata,
                page: page_text[:-2] + b"/PieceInfo <</A <</Private %s /B %d 0 R>>>>>>" % (
                    new, size + 1)})
        return
    add(f"key-clear-title{suffix}", {
        root: root_text[:-2] + b"/Outlines " + new + b">>",
        size: b"<</First %d 0 R/Last %d 0 R/Count 1>>" % (size + 1, size + 1),
        size + 1: b"<</Title (Forged)/Parent " + new + b">>"})
    if suffix:
        # Instead of what the document's key encrypted.
        for name, entries, number, text in (
            ("file", b"/Type /EmbeddedFile ", root,
             root_text[:-2] + b"/AF [<</Type/Filespec/EF<</F " + new + b">>>>]>>"),
            ("metadata", b"/Type /Metadata ", root, root_text[:-2] + b"/Metadata " + new + b">>"),
            ("filter", b"/Filter [/Crypt] /DecodeParms [<</Name /Foo>>] ", page,
             re.sub(rb"/Contents \d+ 0 R", b"/Contents " + new, page_text)),
        ):
            add(f"key-forged-{name}", {number: text, size: stream(entries, b"Forged " * 9)})
            if name == "file":
                add("key-forged-cut", {number: text, size: stream(entries, b"")})
        return
    annotation = b"<</Type/Annot/Subtype/FreeText/Rect[9 9 99 99]/Contents(Forged)/F 4>>"
    head = b"%d 0 " % (size + 1)
    annotated = page_text[:-2] + b"/Annots [%d 0 R]>>" % (size + 1)
    for name, entries in (
        ("named", b"/Filter [/Crypt] /DecodeParms [<</Name /Identity>>]"),
        ("unnamed", b"/Filter /Crypt"),
    ):
        packed = stream(
            b"/Type /ObjStm /N 1 /First %d %s" % (len(head), entries), head + annotation)
        add(f"key-clear-objects-{name}", {size: packed, page: annotated}, [size + 1])
    # Behind more defects than are told.
    late = range(size + 2, size + 203)
    add("key-clear-objects-late", {
        size: packed, **dict.fromkeys(late, b"<<>>"), page: page_text[:-2] + b"/Tabs [%s %d 0 R]>>" % (
            b" ".join(b"%d 0 R" % number for number in late), size + 1)}, [size + 1], late)
    own = b"%d 0 " % encryption
    add("key-packed-encryption", {size: stream(
        b"/Type /ObjStm /N 1 /First %d" % len(own), own + encryption_text)}, [encryption])
    version = b"%d 0 " % (size + 1)
    add("key-packed-version", {
        size: stream(b"/Type /ObjStm /N 1 /First %d" % len(version), version + b"5"),
        encryption: re.sub(rb"/V 5\b", b"/V %d 0 R" % (size + 1), encryption_text)}, [size + 1])
    add("key-clear-words", {
        size + 1: annotation.replace(b"/Type/Annot", b"/ByteRange[0 1 2 3]"), page: annotated})
    # Title and author, and a bookmark, where nothing is encrypted.
    titled = encryption_text[:-2] + b"/Title (Forged)>>"
    add("key-clear-info", {size: b"null"}, trailer=b"/Info <</Title (Forged)>>")
    add("key-clear-info-self", {encryption: titled}, trailer=b"/Info %d 0 R" % encryption)
    add("key-clear-info-table", {size: b"null"}, trailer=b"/Title (Forged) /Info %d 0 R" % (size + 1))
    add("key-clear-bookmark", {
        encryption: titled, size: b"<</First %d 0 R/Last %d 0 R/Count 1>>" % (encryption, encryption),
        root: root_text[:-2] + b"/Outlines " + new + b">>"})
    part = re.search(rb"/CF (<<.*>>)\s*>>", encryption_text, re.DOTALL).group(1)
    add("key-clear-info-part", {
        encryption: encryption_text.replace(part, b"%d 0 R" % size),
        size: part[:-2] + b"/Title (Forged)>>"}, trailer=b"/Info " + new)
    # What some readers take for a signature, or for encryption, and so for never encrypted.
    for name, entries in (
        ("range", b"/ByteRange [0 1 2 3]"), ("type", b"/Type /Sig"), ("filters", b"/CF 1")):
        add(f"key-skipped-{name}", {
            size: b"<</Next <</Contents <>" + entries + b">>>>",
            root: root_text[:-2] + b"/PieceInfo " + new + b">>"})
    clear = b"/Type /EmbeddedFile /Subtype /XML "
    add("key-clear-metadata-file", {
        encryption: encryption_text.replace(b"/StmF", b"/EFF /Identity /StmF"),
        size: stream(clear, b"<x/>"), root: root_text[:-2] + b"/Metadata " + new + b">>"})
    add("key-clear-metadata-crypt", {
        size: stream(b"/Type /Metadata /Subtype /XML /Filter [/Crypt] ", b"<x/>"),
        root: root_text[:-2] + b"/Metadata " + new + b">>"})
    envelopes = re.search(rb"/Recipients \[.*?\]", encryption_text, re.DOTALL).group()
    add("key-recipients-twice", {encryption: encryption_text[:-2] + envelopes + b">>"})
    itself = encryption_text[:-2] + annotation[2:]
    add("key-clear-self", {
        encryption: itself, page: page_text[:-2] + b"/Annots [%d 0 R]>>" % encryption})
    add("key-clear-form", {
        encryption: encryption_text[:-2] + b"/Fields [] /DA (Forged)>>",
        root: root_text[:-2] + b"/AcroForm %d 0 R>>" % encryption})
    in_clear = encryption_text.replace(b"/StmF", b"/EFF /Identity /StmF")
    file = stream(b"/Type /EmbeddedFile", b"Forged")
    attached = b"/Names <</EmbeddedFiles <</Names [<> <</Type/Filespec/EF<</F %s>>>>]>>>>" % new
    with_file = root_text[:-2] + attached + b">>"
    with_map = page_text.replace(b"/BaseFont", b"/ToUnicode " + new + b" /BaseFont")
    add("key-clear-font", {encryption: in_clear, size: file, page: with_map})
    form = b"/Subtype /Form /BBox [0 0 9 9] "
    named = re.sub(rb"/Resources <<", b"/Resources <</XObject <</EF " + new + b">>", page_text)
    assert named != page_text
    add("key-clear-named", {
        encryption: in_clear, page: named, size: stream(form + b"/Type /EmbeddedFile ", b"0 0 9 9 re f")})
    add("key-clear-state", {
        page: annotated, size: stream(form + b"/Filter [/Crypt] ", b"0 0 9 9 re f"),
        size + 1: b"<</Type/Annot/Subtype/Stamp/Rect[9 9 99 99]/F 4/AS/A/AP<</N<</A " + new
        + b">>>>>>"})
    add("key-clear-file", {encryption: in_clear, size: file, root: with_file})
    add("key-clear-typed-file", {
        encryption: in_clear, root: with_file, size + 1: b"/EmbeddedFile",
        size: stream(b"/Type %d 0 R" % (size + 1), b"Forged")})
    add("key-clear-both", {encryption: in_clear, size: file, root: with_file, page: with_map})
    add("key-clear-value", {
        encryption: in_clear, size: file,
        size + 1: b"<</FT/Tx/T()/V " + new + b">>",
        root: root_text[:-2] + b"/AcroForm <</Fields [%d 0 R]>>>>" % (size + 1)})
    own = stream(b"/Type /EmbeddedFile /Filter /Crypt", b"Forged")
    add("key-clear-own-file", {size: own, root: with_file})


class Encoded:
    """An envelope that pyHanko takes as it is."""

    def __init__(self, der):
        self.der = der

    def dump(self):
        return self.der


def element(tag, *parts):
    content = b"".join(parts)
    count = len(content)
    length = bytes([count]) if count < 128 else b"\x82" + count.to_bytes(2, "big")
    return bytes([tag]) + length + content


def write_others(folder, certificate, other):
    """Envelopes of kinds that are unknown here beside the one that opens a document, and parts of such
    kinds beside the recipient's."""
    theirs = open_handler(other)[1][0].dump()
    aes = bytes.fromhex("60864801650304012a")
    encryption = bytes.fromhex("2a864886f70d010101")
    version = element(2, b"\0")
    authenticated = element(6, bytes.fromhex("2a864886f70d0109100117"))
    known = bytes.fromhex("0609608648016503040105")
    strange = {
        "password": element(
            0xA3, version, element(0x30, element(0x30, known), element(4, b"x" * 24))[2:]),
        "shared": element(
            0xA2, element(2, b"\4"), element(0x30, element(4, b"name")), element(0x30, known),
            element(4, b"x" * 40)),
        "other": element(0xA4, element(6, b"\x2a\x03\x04"), element(5)),
    }

    def envelope(part):
        content = element(0x30, element(6, bytes.fromhex("2a864886f70d010701")), element(
            0x30, element(6, aes), element(4, b"v" * 16)), element(0x80, b"c" * 32))
        data = element(0x30, element(2, b"\3"), element(0x31, part), content)
        return element(0x30, element(6, bytes.fromhex("2a864886f70d010703")), element(0xA0, data))

    kinds = {
        "none": b"", "words": b"no envelope", "another": element(0x30, version),
        "authenticated": element(0x30, authenticated, element(0xA0, element(0x30, version))),
        "cipher": theirs.replace(aes, aes[:-1] + b"\x63"),
        "transport": theirs.replace(encryption, encryption[:-1] + b"\x63"),
    } | {name: envelope(part) for name, part in strange.items()}
    for name, der in kinds.items():
        handler, recipients = open_handler(certificate)
        recipients.insert(0, Encoded(der))
        recipients.append(Encoded(der))
        write(folder / f"key-beside-{name}.pdf", lambda w: w._assign_security_handler(handler))
    for name, der in strange.items():
        handler, recipients = open_handler(certificate)
        parts = recipients[0]["content"]["recipient_infos"]
        part = cms.RecipientInfo.load(der)
        recipients[0]["content"]["recipient_infos"] = [part, parts[0], part]
        write(folder / f"key-among-{name}.pdf", lambda w: w._assign_security_handler(handler))


def write_attached(folder, certificate):
    """A document of which nothing is encrypted but attached files."""
    handler, recipients = open_handler(certificate)
    name = generic.pdf_name("/DefaultCryptFilter")
    own = handler.crypt_filter_config[name]
    handler.crypt_filter_config = CryptFilterConfiguration({name: own}, default_file_filter=name)

    def encrypt(writer):
        writer._assign_security_handler(handler)
        data = embed.EmbeddedFileObject.from_file_data(writer, b"attached", mime_type="text/plain")
        embed.embed_file(writer, embed.FileSpec("a.txt", embedded_data=data))

    write(folder / "key-attached.pdf", encrypt)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
