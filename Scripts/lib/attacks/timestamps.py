"""Timestamps that prove nothing: of other data, by whoever may not, in an impossible order."""

import datetime
import hashlib
import json
import pathlib
import subprocess
import sys

from asn1crypto import cms, tsp
from cryptography.x509.oid import ExtendedKeyUsageOID

import tsa_server
from attacks import forge
from attacks.bases import NOW, YEAR, contract_objects, identity, write
from attacks.case import (
    FAILED, INDETERMINATE, PASS, PASSED, UNAVAILABLE, Case, Expect, failed, indeterminate)
from attacks.forge import attribute, attributes, signed_data, signer_info, signing_certificate, tlv

# id-aa-ets-contentTimestamp.
CONTENT_STAMP = "1.2.840.113549.1.9.16.2.20"
HOUR = datetime.timedelta(hours=1)
# A signature timestamp that proves nothing leaves the signature as it would be without one; said it
# must be.
UNPROVEN = Expect({PASSED: [], INDETERMINATE: [], FAILED: []}, remark="time-?stamp")
LATE = indeterminate("OUT_OF_BOUNDS_NO_POE")
REFUSED = failed() | indeterminate()


def token(tsa, data, *, time=NOW, imprint=None, hash_name="sha256", ess=True, kind="tst_info",
          signed=None, certificates=None, **options):
    """A time-stamp token over `data` (RFC 3161)."""
    info = tsp.TSTInfo({
        "version": "v1", "policy": "1.3.6.1.4.1.99999.2",
        "message_imprint": {
            "hash_algorithm": {"algorithm": hash_name},
            "hashed_message": hashlib.new(hash_name, data).digest() if imprint is None else imprint},
        "serial_number": 7, "gen_time": time, "accuracy": {"seconds": 1}}).dump()
    named = tsa if ess is True else ess
    inner = signed or [
        attribute("content_type", kind), attribute("message_digest", hashlib.sha256(info).digest()),
        *([signing_certificate(named)] if named else [])]
    return message(
        info, [signer_info(tsa, inner, **options)],
        [tsa, *tsa.chain] if certificates is None else certificates, kind)


def message(content, infos, certificates, kind="tst_info"):
    """The token's SignedData, written by hand: the library balks at broken contents."""
    algorithms = b"".join({info["digest_algorithm"].dump() for info in infos})
    data = tlv(0x30, b"".join((
        tlv(0x02, b"\x03"), tlv(0x31, algorithms),
        tlv(0x30, cms.ContentType(kind).dump() + tlv(0xA0, tlv(0x04, content))),
        tlv(0xA0, b"".join(c.der for c in certificates)) if certificates else b"",
        tlv(0x31, b"".join(info.dump() for info in infos)))))
    return tlv(0x30, cms.ContentType("signed_data").dump() + tlv(0xA0, data))


def stamped(who, digest, make, content_stamp=None, **options):
    """PAdES with a signature timestamp that `make` makes of the signature's value."""
    signed = attributes(digest, who)
    if content_stamp:
        signed.append(attribute(CONTENT_STAMP, cms.ContentInfo.load(content_stamp(digest))))
    info = signer_info(who, signed, **options)
    stamps = make(info["signature"].native)
    info["unsigned_attrs"] = cms.CMSAttributes([attribute(
        "signature_time_stamp_token", *[
            cms.ContentInfo.load(one) for one in (
                stamps if isinstance(stamps, list) else [stamps])])])
    return signed_data([info], [who, *who.chain])


def broken(kit):
    """(name, about, token of data) for each token that must not count."""
    pki = kit.pki
    tsa = pki.tsa

    def authority(**options):
        return identity("Time Authority", pki.root, **{
            "usages": ("digital_signature",), "extended": [ExtendedKeyUsageOID.TIME_STAMPING],
            "critical": True, **options})

    lenient = authority(critical=False)
    greedy = authority(extended=[
        ExtendedKeyUsageOID.TIME_STAMPING, ExtendedKeyUsageOID.EMAIL_PROTECTION])
    none = authority(extended=None)
    wrong = authority(extended=[ExtendedKeyUsageOID.SERVER_AUTH])
    usage = authority(usages=("digital_signature", "key_encipherment"))
    alone = identity(
        "Time Authority", usages=("digital_signature",),
        extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)
    old = authority(start=NOW - 3 * YEAR, end=NOW - YEAR)
    one = [
        ("TS-1", "other-data", "the imprint is of other data", lambda d: token(tsa, b"other")),
        ("TS-1", "cut-imprint", "the imprint is cut to half",
         lambda d: token(tsa, d, imprint=hashlib.sha256(d).digest()[:16])),
        ("TS-1", "empty-imprint", "the imprint is empty", lambda d: token(tsa, d, imprint=b"")),
        ("TS-1", "sha512-named", "the imprint is SHA-256's, the name SHA-512's",
         lambda d: token(tsa, d, imprint=hashlib.sha256(d).digest(), hash_name="sha512")),
        ("TS-1", "value-broken", "another key made the token's signature",
         lambda d: token(tsa, d, sign_with=pki.mallory)),
        ("TS-1", "content-changed", "the token's content was changed after signing",
         lambda d: changed_time(token(tsa, d))),
        ("TS-1", "no-signer", "nobody signed the token",
         lambda d: unsigned(tsa, token(tsa, d))),
        ("TS-1", "no-attributes", "the token has no signed attributes",
         lambda d: bare(tsa, token(tsa, d))),
        ("TS-1", "content-type", "the content type is data, not a token",
         lambda d: token(tsa, d, kind="data")),
        ("TS-3", "not-critical", "the purpose timestamping is not critical",
         lambda d: token(lenient, d)),
        ("TS-3", "extra-purpose", "the certificate has another purpose besides",
         lambda d: token(greedy, d)),
        ("TS-3", "no-purpose", "the certificate has no purpose", lambda d: token(none, d)),
        ("TS-3", "other-purpose", "the certificate is for servers", lambda d: token(wrong, d)),
        ("TS-3", "key-usage", "the key may encipher besides", lambda d: token(usage, d)),
        ("TS-3", "no-reference", "the token does not name its certificate",
         lambda d: token(tsa, d, ess=None)),
        ("TS-3", "other-reference", "the token names another certificate",
         lambda d: token(tsa, d, ess=lenient)),
        ("TS-3", "by-signer", "the signer made the token", lambda d: token(pki.signer, d)),
        ("TS-3", "untrusted", "nobody knows the authority", lambda d: token(alone, d)),
        ("TS-3", "no-certificate", "the token has no certificate",
         lambda d: token(tsa, d, certificates=[])),
        ("TS-3", "outside-validity", "the authority's certificate was not valid at that time",
         lambda d: token(old, d, time=NOW - HOUR)),
        ("TS-4", "future", "the token is of next year", lambda d: token(tsa, d, time=NOW + YEAR)),
    ]
    return one


def changed_time(der):
    year = b"%d" % NOW.year
    return der.replace(b"\x18\x0f" + year, b"\x18\x0f" + b"%d" % (NOW.year - 1), 1)


def content_of(der):
    return cms.ContentInfo.load(der)["content"]["encap_content_info"]["content"].contents


def unsigned(tsa, der):
    return message(content_of(der), [], [tsa])


def bare(tsa, der):
    content = content_of(der)
    return message(content, [signer_info(tsa, None, content=content)], [tsa])


def cases(kit):
    plain = write(contract_objects())
    pki = kit.pki
    expired = pki.issued(start=NOW - 3 * YEAR, end=NOW - 10 * HOUR)

    def document_stamp(data, make, expect, identifier, variant, about):
        # A document timestamp's imprint is the digest of the byte range.
        return Case(identifier, variant, about, forge.embed(
            data, make, kind=b"/Type /DocTimeStamp", sub_filter=b"ETSI.RFC3161", field=b"Stamp"),
            expect)

    def imprint(digest, **options):
        return token(options.pop("tsa", pki.tsa), b"", imprint=digest, **options)

    yield Case("TS-1", "sound", "an honest signature timestamp: passes",
               forge.embed(plain, lambda d: stamped(
                   pki.signer, d, lambda value: token(pki.tsa, value))), PASS)
    yield document_stamp(kit.base(), lambda d: imprint(d), PASS, "TS-1", "document-sound",
                         "an honest document timestamp: passes")
    for identifier, variant, about, make in broken(kit):
        yield Case(identifier, variant, about, forge.embed(
            plain, lambda d, m=make: stamped(pki.signer, d, m)), UNPROVEN, untimed=True)
        # Only a timestamp could save a signature whose certificate has expired since.
        yield Case(identifier, f"{variant}-expired", about + "; the certificate has expired",
                   forge.embed(plain, lambda d, m=make: stamped(
                       expired, d, m)), LATE, untimed=True)
    yield from documents(kit, document_stamp, imprint)
    yield from orders(kit, plain, document_stamp, imprint)
    yield from authorities(kit, plain)


def authorities(kit, plain):
    """Authorities that answer something else than what was asked: no signature may come of it."""
    folder = kit.folder / "authority"
    folder.mkdir()
    # Ends with its standard input, which is to say with this program.
    kit.authority = subprocess.Popen(
        [sys.executable, pathlib.Path(tsa_server.__file__), folder], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE)
    port = json.loads(kit.authority.stdout.readline())["http"]

    def case(variant, about, expect, *options):
        return Case(
            "TS-2", variant, about, plain, expect, command=("sign", "--force"), options=(
                "--key", kit.credential(kit.pki.signer), "-o", kit.folder / f"ts-{variant}.pdf",
                "--tsa", f"http://127.0.0.1:{port}/{variant.split('-of')[0]}", *options))

    yield case("ok", "an honest authority: signs", PASS)
    for variant, about in (
            ("nonce", "the answer has the nonce of another request"),
            ("imprint", "the answer stamps another hash"),
            ("bad-signature", "the token's signature is wrong"),
            ("wrong-certificate", "the certificate is not for stamping"),
            ("reject", "the request was rejected"), ("garbage", "the answer is garbage"),
            ("empty", "the answer is empty")):
        yield case(variant, about, Expect({FAILED: [], UNAVAILABLE: []}))
    yield case("ok-of-policy", "the authority does not have the policy that was asked for",
               Expect({UNAVAILABLE: []}), "--tsa-policy", "1.2.3.4.6")


def documents(kit, document_stamp, imprint):
    base, pki = kit.base(), kit.pki
    alone = identity(
        "Time Authority", usages=("digital_signature",),
        extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)
    lenient = identity(
        "Time Authority", pki.root, usages=("digital_signature",),
        extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=False)
    yield document_stamp(base, lambda d: imprint(bytes(32)), failed("HASH_FAILURE"), "TS-1",
                         "document-other-data", "a document timestamp over other data")
    yield document_stamp(base, lambda d: imprint(d, sign_with=pki.mallory),
                         failed("SIG_CRYPTO_FAILURE"), "TS-1", "document-value",
                         "a document timestamp that another key signed")
    yield document_stamp(base, lambda d: forge.simple(pki.tsa, d), REFUSED, "TS-1",
                         "document-signature", "a document timestamp that is a plain signature")
    yield document_stamp(base, lambda d: imprint(d, tsa=alone),
                         indeterminate("NO_CERTIFICATE_CHAIN_FOUND"), "TS-3", "document-untrusted",
                         "a document timestamp by an authority that nobody knows")
    yield document_stamp(base, lambda d: imprint(d, tsa=lenient), REFUSED, "TS-3",
                         "document-not-critical", "the purpose timestamping is not critical")
    yield document_stamp(base, lambda d: imprint(d, ess=None), REFUSED, "TS-3",
                         "document-no-reference", "the token does not name its certificate")
    # A signature is no timestamp and a timestamp is no signature.
    yield Case("TS-3", "token-as-signature", "a token stands where a signature should be",
               forge.embed(write(contract_objects()), lambda d: imprint(d)), failed())


def orders(kit, plain, document_stamp, imprint):
    pki = kit.pki
    disorder = indeterminate("TIMESTAMP_ORDER_FAILURE")
    yield Case("TS-4", "content-after-signature",
               "the content was stamped a day after the signature",
               forge.embed(plain, lambda d: stamped(
                   pki.signer, d, lambda value: token(pki.tsa, value, time=NOW - 30 * HOUR),
                   lambda digest: imprint(digest, time=NOW - HOUR))), disorder)
    signed = forge.embed(plain, lambda d: stamped(
        pki.signer, d, lambda value: token(pki.tsa, value, time=NOW - HOUR)))
    yield document_stamp(signed, lambda d: imprint(d, time=NOW - 30 * HOUR), disorder, "TS-4",
                         "document-before-signature",
                         "the document was stamped a day before the signature that it covers")
    twice = forge.embed(
        kit.base(), lambda d: imprint(d, time=NOW - HOUR), kind=b"/Type /DocTimeStamp",
        sub_filter=b"ETSI.RFC3161", field=b"First")
    yield document_stamp(twice, lambda d: imprint(d, time=NOW - 30 * HOUR), disorder, "TS-4",
                         "document-before-document",
                         "a later document timestamp is a day older than the one it covers")
    early = pki.issued(start=NOW - 2 * HOUR, end=NOW + YEAR)
    yield Case("TS-4", "before-certificate",
               "the signature was stamped before the signer's certificate became valid",
               forge.embed(plain, lambda d: stamped(
                   early, d, lambda value: token(pki.tsa, value, time=NOW - 30 * HOUR))),
               failed("NOT_YET_VALID") | indeterminate("OUT_OF_BOUNDS_NO_POE") | disorder
               | indeterminate("NO_POE", "OUT_OF_BOUNDS_NOT_REVOKED", "CHAIN_CONSTRAINTS_FAILURE"))
