"""The CMS inside a signature: every message is embedded in a document whose byte range is right, so
that only the rule in question can refuse it."""

import datetime
import hashlib

from asn1crypto import cms as asn1cms
from asn1crypto import keys
from asn1crypto import x509 as asn1
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from attacks import bases, forge
from attacks.bases import NOW, YEAR, contract_objects, identity, write
from attacks.case import (
    BROKEN, CONSTRAINTS, FF, HF, NO_CHAIN, NO_SIGNER, PASS, SF, WEAK, Case, failed,
    indeterminate)
from attacks.forge import attribute, attributes, signed_data, signer_info, signing_certificate


def cases(kit):
    plain = write(contract_objects())

    def case(identifier, variant, about, build, expect, options=(), **embedding):
        return Case(
            identifier, variant, about, forge.embed(plain, build, **embedding), expect,
            options=options)

    for family in (
            algorithms, without_attributes, attribute_rules, embedded_content, other_certificate,
            weak, several, without_certificates, impostors, out_of_time, wrong_usage):
        yield from family(kit, case)


def algorithms(kit, case):
    who = kit.pki.signer
    for variant, about, options, expect in (
            ("declared-sha512", "digestAlgorithm says SHA-512, all was made with SHA-256",
             {"digest_algorithm": "sha512"}, BROKEN),
            ("declared-sha1", "digestAlgorithm says SHA-1, all was made with SHA-256",
             {"digest_algorithm": "sha1"}, BROKEN | WEAK),
            ("signature-sha384", "the signature hashes with another algorithm than digestAlgorithm",
             {"signature_hash": "sha384"}, FF | WEAK | PASS_IF_POLICY),
            ("signature-declared", "signatureAlgorithm says SHA-384, the value is SHA-256's",
             {"algorithm": {"algorithm": "sha384_ecdsa"}}, BROKEN),
            ("signature-rsa", "signatureAlgorithm says RSA, the key is on a curve",
             {"algorithm": {"algorithm": "sha256_rsa"}}, BROKEN),
            ("stranger", "another key made the value", {"sign_with": kit.pki.mallory}, SF)):
        yield case("CMS-1", variant, about,
                   lambda d, o=options: forge.simple(who, d, **o), expect)
    rsa = kit.pki.rsa
    mismatched = {"algorithm": "rsassa_pss", "parameters": {
        "hash_algorithm": {"algorithm": "sha512"},
        "mask_gen_algorithm": {"algorithm": "mgf1", "parameters": {"algorithm": "sha512"}},
        "salt_length": 64}}
    yield case("CMS-1", "pss-hash", "PSS hashes with SHA-512, digestAlgorithm is SHA-256",
               lambda d: forge.simple(
                   rsa, d, pss=True, algorithm=mismatched, signature_hash="sha512"), FF)
    yield case("CMS-1", "pss-parameters", "PSS parameters of another hash than the value's",
               lambda d: forge.simple(rsa, d, pss=True, algorithm=mismatched), BROKEN)
    yield case("CMS-1", "pss-sound", "PSS as it should be", lambda d: forge.simple(
        rsa, d, pss=True), PASS)
    yield case("CMS-1", "digest", "the message digest is of something else",
               lambda d: forge.simple(who, bytes(32)), HF)
    yield case("CMS-1", "short-digest", "the message digest is cut to half",
               lambda d: forge.simple(who, d[:16]), HF | FF)
    yield case("CMS-1", "empty-digest", "the message digest is empty",
               lambda d: forge.simple(who, b""), HF | FF)


# RFC 8933 wants one hash for both; who signed so is not attacked by it.
PASS_IF_POLICY = PASS


def without_attributes(kit, case):
    who = kit.pki.signer

    def bare(digest):
        return signed_data([signer_info(who, None, content=digest)], [who, *who.chain])

    yield case("CMS-2", "missing", "no signed attributes", bare, FF | SF)

    # The content is the DER of attributes, so that an old signature over attributes fits it.
    def none(digest):
        info = signer_info(who, attributes(digest, who))
        return signed_data(
            [asn1cms.SignerInfo({
                key: info[key] for key in (
                    "version", "sid", "digest_algorithm", "signature_algorithm", "signature")})],
            [who, *who.chain])

    yield case("CMS-2", "stripped", "the signed attributes are taken away afterwards", none,
               FF | SF)


def attribute_rules(kit, case):
    who = kit.pki.signer
    certificate = signing_certificate(who)

    def content_type(kind="data"):
        return attribute("content_type", kind)

    def digest_of(digest):
        return attribute("message_digest", digest)

    forms = {
        "type-wrong": lambda d: [content_type("enveloped_data"), digest_of(d), certificate],
        "type-missing": lambda d: [digest_of(d), certificate],
        "digest-missing": lambda d: [content_type(), certificate],
        "type-twice": lambda d: [content_type(), content_type(), digest_of(d), certificate],
        "digest-twice": lambda d: [
            content_type(), digest_of(d), digest_of(bytes(32)), certificate],
        "digest-two-values": lambda d: [
            content_type(), attribute("message_digest", d, bytes(32)), certificate],
        "digest-no-value": lambda d: [content_type(), attribute("message_digest"), certificate],
        "type-two-values": lambda d: [
            attribute("content_type", "data", "data"), digest_of(d), certificate],
        "certificate-twice": lambda d: [
            content_type(), digest_of(d), certificate, signing_certificate(kit.pki.second)],
        "empty": lambda d: [],
    }
    for variant, build in forms.items():
        yield case("CMS-3", variant, "signed attributes that break the rules of CMS",
                   lambda d, b=build: forge.simple(who, d, signed=b(d)),
                   FF | (NO_SIGNER if variant.startswith("certificate") else FF))
    yield case("CMS-3", "outer-type", "the message's content type is not data, its attribute is",
               lambda d: signed_data(
                   [signer_info(who, attributes(d, who))], [who, *who.chain],
                   content_type="enveloped_data"), FF)
    def raw(change):
        return lambda d: forge.raw_message(
            who, change(sorted(a.dump() for a in attributes(d, who))))

    yield case("CMS-3", "sorted", "the attributes as they should be, written by hand",
               raw(b"".join), PASS)
    yield case("CMS-3", "unsorted", "the attributes are signed in another order than DER's",
               raw(lambda parts: b"".join(reversed(parts))), FF | PASS)
    yield case("CMS-3", "digest-integer", "the message digest is an INTEGER",
               raw(lambda parts: b"".join(parts).replace(b"\x31\x22\x04\x20", b"\x31\x22\x02\x20")),
               FF)
    yield case("CMS-3", "sequence", "the values of an attribute are a SEQUENCE, not a SET",
               raw(lambda parts: b"".join(parts).replace(b"\x31\x22\x04\x20", b"\x30\x22\x04\x20")),
               FF)


def embedded_content(kit, case):
    who = kit.pki.signer
    for variant, content in (("other", b"We owe you 100 EUR."), ("empty", b"")):
        yield case("CMS-4", variant, "a content is inside the message besides the byte range",
                   lambda d, c=content: signed_data(
                       [signer_info(who, attributes(d, who))], [who, *who.chain], content=c), FF)

    def inside(digest):
        content = b"Anything that was signed at another time."
        return signed_data(
            [signer_info(who, attributes(hashlib.sha256(content).digest(), who))],
            [who, *who.chain], content=content)

    yield case("CMS-4", "transplanted", "a valid message with a content of its own", inside,
               FF | HF)


def other_certificate(kit, case):
    who, second = kit.pki.signer, kit.pki.second
    reissued = kit.pki.issued(key=who.key)
    same_serial = kit.pki.issued(key=who.key, serial=who.certificate.serial_number)

    def named(other):
        return lambda d: forge.simple(who, d, signed=[
            attribute("content_type", "data"), attribute("message_digest", d),
            signing_certificate(other)])

    yield case("CMS-5", "other", "the signed certificate hash is that of another certificate",
               named(second), NO_SIGNER)
    yield case("CMS-5", "reissued", "the signed hash is that of a certificate for the same key",
               named(reissued), NO_SIGNER)
    yield case("CMS-5", "missing", "no signed certificate hash", lambda d: forge.simple(
        who, d, signed=[attribute("content_type", "data"), attribute("message_digest", d)]),
        NO_SIGNER | FF | indeterminate("SIG_CONSTRAINTS_FAILURE"))
    yield case("CMS-5", "exchanged",
               "the certificate is exchanged for one of the same key, issuer and serial number",
               lambda d: forge.simple(who, d, certificates=[same_serial, *who.chain]), NO_SIGNER)


def weak(kit, case):
    pki = kit.pki
    signer = pki.signer
    yield case("CMS-6", "rsa-1024", "an RSA key of 1024 bits",
               lambda d: forge.simple(pki.small_rsa, d), WEAK)
    for name in ("sha1", "md5"):
        def build(digest, name=name):
            return forge.simple(pki.rsa, digest, hash_name=name)

        yield case("CMS-6", name, f"everything hashed with {name.upper()}", build, WEAK,
                   hash_name=name)
    small = pki.issued("Small Curve", key=ec.generate_private_key(ec.SECP192R1()))
    yield case("CMS-6", "p192", "a curve of 192 bits", lambda d: forge.simple(small, d),
               WEAK | BROKEN)
    weakly_issued = weakly(identity("Weakly Issued", pki.rsa_root))
    yield case("CMS-6", "issuer-sha1", "the certificate was issued with SHA-1",
               lambda d: forge.simple(weakly_issued, d), WEAK | NO_CHAIN | CONSTRAINTS,
               options=("--trust", kit.file("rsa-root.pem", pki.rsa_root.pem)))
    explicit = explicit_curve(signer)
    yield case("CMS-6", "explicit-curve",
               "the certificate writes out a curve's parameters, which may be any curve's",
               lambda d: forge.simple(signer, d, certificates=[explicit, *signer.chain]),
               WEAK | NO_SIGNER | BROKEN | NO_CHAIN)


class Reissued(bases.Identity):
    """An identity with a certificate that the library would not make."""

    def __init__(self, who, der):
        super().__init__(who.key, who.certificate, who.issuer)
        self.own_der = der

    @property
    def der(self):
        return self.own_der


def weakly(who):
    """The certificate signed anew by its issuer, with SHA-1."""
    certificate = forge.certificate(who).copy()
    certificate["tbs_certificate"]["signature"] = {"algorithm": "sha1_rsa"}
    certificate["signature_algorithm"] = {"algorithm": "sha1_rsa"}
    certificate["signature_value"] = forge.raw_signature(
        who.issuer, certificate["tbs_certificate"].dump(force=True), "sha1")
    return Reissued(who, certificate.dump(force=True))


def explicit_curve(who):
    """The certificate with the parameters of P-256 written out instead of its name."""
    certificate = forge.certificate(who).copy()
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    parameters = keys.SpecifiedECDomain({
        "version": 1, "field_id": {"field_type": "prime_field", "parameters": p},
        "curve": {
            "a": (p - 3).to_bytes(32, "big"),
            "b": bytes.fromhex("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")},
        "base": bytes.fromhex(
            "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
        "order": 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551,
        "cofactor": 1})
    info = certificate["tbs_certificate"]["subject_public_key_info"]
    info["algorithm"]["parameters"] = keys.ECDomainParameters("specified", parameters)
    return asn1.Certificate.load(certificate.dump(force=True))


def several(kit, case):
    who, stranger, second = kit.pki.signer, kit.pki.mallory, kit.pki.second

    def both(first, other, **options):
        return lambda d: signed_data(
            [signer_info(first, attributes(d, first)),
             signer_info(other, attributes(d, other), **options)],
            [first, *first.chain, other, *other.chain])

    yield case("CMS-7", "stranger", "a second signer whom nobody knows", both(who, stranger), FF)
    yield case("CMS-7", "stranger-first", "the stranger comes first", both(stranger, who), FF)
    yield case("CMS-7", "colleague", "two honest signers", both(who, second), FF)
    yield case("CMS-7", "broken", "the second signer's value is wrong",
               both(who, second, sign_with=stranger), FF)
    yield case("CMS-7", "none", "no signer at all",
               lambda d: signed_data([], [who, *who.chain]), FF)


def without_certificates(kit, case):
    who = kit.pki.signer
    yield case("CMS-8", "none", "no certificate in the message",
               lambda d: forge.simple(who, d, certificates=[]), NO_SIGNER)
    yield case("CMS-8", "others", "only other people's certificates",
               lambda d: forge.simple(who, d, certificates=[kit.pki.second, *who.chain]),
               NO_SIGNER)
    yield case("CMS-8", "leaf-only", "the issuer's certificate is missing",
               lambda d: forge.simple(who, d, certificates=[who]), NO_CHAIN)


def impostors(kit, case):
    who, pki = kit.pki.signer, kit.pki
    name, serial = who.certificate.subject, who.certificate.serial_number
    false_middle = identity(pki.middle.certificate.subject, ca=True)
    twin = identity(name, false_middle, serial=serial)

    yield case("CMS-9", "twin", "a certificate of equal issuer, serial number and subject",
               lambda d: forge.simple(twin, d, certificates=[twin, *who.chain]),
               SF | NO_CHAIN | CONSTRAINTS)
    yield case("CMS-9", "twin-with-honest", "the same, the honest certificate goes along",
               lambda d: forge.simple(twin, d, certificates=[who, twin, *who.chain]),
               SF | NO_CHAIN | NO_SIGNER | CONSTRAINTS)
    yield case("CMS-9", "twin-naming-honest", "the same, and the signed hash names the honest one",
               lambda d: forge.simple(twin, d, certificates=[who, twin, *who.chain], signed=[
                   attribute("content_type", "data"), attribute("message_digest", d),
                   signing_certificate(who)]), SF | NO_SIGNER)
    pinned = kit.file("honest.pem", who.pem)
    yield case("CMS-9", "twin-pinned", "the twin, while the honest certificate is pinned",
               lambda d: forge.simple(twin, d, certificates=[twin, *who.chain]),
               SF | NO_SIGNER | NO_CHAIN | CONSTRAINTS | FF | failed("NO_SIGNING_CERTIFICATE_FOUND"),
               options=("--signer", pinned))
    yield case("CMS-9", "pinned-other", "an honest colleague, while another one is pinned",
               lambda d: forge.simple(pki.second, d), failed("NO_SIGNING_CERTIFICATE_FOUND") | FF | SF,
               options=("--signer", pinned))
    yield case("CMS-9", "pinned", "the pinned signer: passes",
               lambda d: forge.simple(who, d), PASS, options=("--signer", pinned))
    yield case("CMS-9", "same-name", "a self-signed certificate of the same name",
               lambda d: forge.simple(pki.mallory, d), NO_CHAIN)
    root = identity(pki.root.certificate.subject, ca=True)
    below = identity("Honest Signer", root)
    yield case("CMS-10", "embedded-root", "a root of the trusted one's name goes along",
               lambda d: forge.simple(below, d, certificates=[below, root]),
               NO_CHAIN | CONSTRAINTS)
    other = identity("Some Root", ca=True)
    below = identity("Honest Signer", other)
    yield case("CMS-10", "own-root", "an unknown root goes along",
               lambda d: forge.simple(below, d, certificates=[below, other]), NO_CHAIN)
    yield case("CMS-10", "own-root-and-trusted", "and the trusted root besides",
               lambda d: forge.simple(below, d, certificates=[below, other, pki.root]), NO_CHAIN)


def out_of_time(kit, case):
    expired = kit.pki.issued(start=NOW - 3 * YEAR, end=NOW - YEAR)
    future = kit.pki.issued(start=NOW + YEAR, end=NOW + 2 * YEAR)
    late = indeterminate("OUT_OF_BOUNDS_NO_POE")
    yield case("CMS-11", "expired", "the certificate has expired",
               lambda d: forge.simple(expired, d), late)
    yield case("CMS-11", "future", "the certificate is not valid yet",
               lambda d: forge.simple(future, d), late)
    claimed = [attribute("signing_time", asn1cms.Time(
        {"utc_time": NOW - datetime.timedelta(days=400)}))]
    yield case("CMS-11", "expired-claiming",
               "expired, but the signer claims a time when the certificate was valid",
               lambda d: forge.simple(
                   expired, d, signed=attributes(d, expired) + claimed), late | FF,
               sub_filter=b"adbe.pkcs7.detached")
    middle = identity("Old Intermediate", kit.pki.root, ca=True, start=NOW - 3 * YEAR,
                      end=NOW - YEAR)
    below = identity("Honest Signer", middle)
    yield case("CMS-11", "issuer-expired", "the issuer's certificate has expired",
               lambda d: forge.simple(below, d),
               late | NO_CHAIN | indeterminate("CERTIFICATE_CHAIN_GENERAL_FAILURE"))
    crl = kit.file("signer.crl", bases.revocation_list(kit.pki.middle, [kit.pki.signer]))
    yield case("CMS-11", "revoked", "the certificate is on the issuer's list, no proof of time",
               lambda d: forge.simple(kit.pki.signer, d), indeterminate("REVOKED_NO_POE"),
               options=("--crl", crl))
    empty = kit.file("empty.crl", bases.revocation_list(kit.pki.middle))
    top = kit.file("top.crl", bases.revocation_list(kit.pki.root))
    yield case("CMS-11", "not-revoked", "the lists do not name the certificate: passes",
               lambda d: forge.simple(kit.pki.signer, d), PASS,
               options=("--crl", empty, "--crl", top))
    forged = kit.file("forged.crl", bases.revocation_list(
        bases.Identity(kit.pki.mallory.key, kit.pki.middle.certificate), [kit.pki.signer]))
    yield case("CMS-11", "forged-list", "a list in the issuer's name that a stranger signed",
               lambda d: forge.simple(kit.pki.signer, d),
               indeterminate("TRY_LATER") | PASS, options=("--crl", forged))


def wrong_usage(kit, case):
    pki = kit.pki
    for variant, options in (
            ("server", {"extended": [ExtendedKeyUsageOID.SERVER_AUTH]}),
            ("timestamping", {"extended": [ExtendedKeyUsageOID.TIME_STAMPING]}),
            ("code-signing", {"extended": [ExtendedKeyUsageOID.CODE_SIGNING]}),
            ("encryption", {"usages": ("key_encipherment",)}),
            ("list-signing", {"usages": ("crl_sign",)})):
        who = pki.issued(**options)
        yield case("CMS-12", variant, "a certificate that is not for signing documents",
                   lambda d, w=who: forge.simple(w, d), CONSTRAINTS)
    # A CA may sign when its key usage says so; one that may only issue may not.
    yield case("CMS-12", "ca-as-leaf", "the authority itself signs",
               lambda d: forge.simple(pki.middle, d, certificates=[pki.middle]), CONSTRAINTS)
    below = identity("Honest Signer", pki.signer)
    yield case("CMS-12", "leaf-as-ca", "an end user's certificate issues another one",
               lambda d: forge.simple(below, d, certificates=[below, pki.signer, pki.middle]),
               CONSTRAINTS | NO_CHAIN)
    too_long = identity("Below", limited(pki), ca=True)
    leaf = identity("Honest Signer", too_long)
    yield case("CMS-12", "path-length", "the path is longer than its issuer permits",
               lambda d: forge.simple(leaf, d), CONSTRAINTS)
    named = identity("Honest Signer", confined(pki))
    yield case("CMS-12", "name-constraints", "a name that its issuer may not give",
               lambda d: forge.simple(named, d), CONSTRAINTS)
    critical = with_unknown_extension(pki)
    yield case("CMS-12", "unknown-critical", "a critical extension that nobody knows",
               lambda d: forge.simple(critical, d),
               CONSTRAINTS | NO_CHAIN | indeterminate("CERTIFICATE_CHAIN_GENERAL_FAILURE"))


def issue_with(pki, name, replaced=None, added=None, ca=False):
    """A certificate below the root with one extension replaced or added, critical."""
    template = identity(name, pki.root, ca=ca)
    builder = (
        x509.CertificateBuilder().subject_name(template.certificate.subject)
        .issuer_name(pki.root.certificate.subject)
        .public_key(template.key.public_key()).serial_number(x509.random_serial_number())
        .not_valid_before(NOW - YEAR).not_valid_after(NOW + YEAR))
    for extension in template.certificate.extensions:
        if replaced is None or not isinstance(extension.value, type(replaced)):
            builder = builder.add_extension(extension.value, extension.critical)
    for value in (replaced, added):
        if value is not None:
            builder = builder.add_extension(value, critical=True)
    return bases.Identity(
        template.key, builder.sign(pki.root.key, hashes.SHA256()), pki.root)


def limited(pki):
    return issue_with(
        pki, "Limited", x509.BasicConstraints(ca=True, path_length=0), ca=True)


def confined(pki):
    permitted = x509.DirectoryName(x509.Name([
        x509.NameAttribute(x509.oid.NameOID.ORGANIZATION_NAME, "Another organisation")]))
    return issue_with(
        pki, "Confined", added=x509.NameConstraints([permitted], None), ca=True)


def with_unknown_extension(pki):
    return issue_with(pki, "Honest Signer", added=x509.UnrecognizedExtension(
        x509.ObjectIdentifier("1.3.6.1.4.1.99999.1"), b"\x05\x00"))
