"""The honest side: a certification authority, documents, and their signatures by Signet."""

import datetime
import functools
import io
import pathlib
import subprocess

from asn1crypto import core
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509 import ocsp
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

import pdf_fixtures
from attacks import forge, update
from attacks.case import PASS, Case

YEAR = datetime.timedelta(days=365)
HOUR = datetime.timedelta(hours=1)
NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
BEFORE = NOW - 30 * HOUR
COMPROMISE = x509.ReasonFlags.key_compromise
SIGNING = ("digital_signature", "content_commitment")
USAGES = [
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"]


class Identity:
    """A key, its certificate and what stands above it."""

    def __init__(self, key, certificate, issuer=None):
        self.key, self.certificate, self.issuer = key, certificate, issuer

    @property
    def der(self):
        return self.certificate.public_bytes(serialization.Encoding.DER)

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self):
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())

    @property
    def chain(self):
        """The certificates above, the root left out."""
        above, found = self.issuer, []
        while above and above.issuer:
            found.append(above)
            above = above.issuer
        return found


def identity(
        name, issuer=None, *, key=None, ca=False, usages=SIGNING, extended=None, critical=False,
        start=NOW - YEAR, end=NOW + 5 * YEAR, serial=None, digest=None, urls=(), extensions=()):
    """A certificate, self-signed without an issuer. `extended` lists purposes."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    subject = name if isinstance(name, x509.Name) else x509.Name([
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Attack tests"),
        x509.NameAttribute(NameOID.COMMON_NAME, name)])
    above = issuer.certificate.subject if issuer else subject
    if ca:
        usages = ("key_cert_sign", "crl_sign", *(usages if ca == "signing" else ()))
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(above)
        .public_key(key.public_key()).serial_number(serial or x509.random_serial_number())
        .not_valid_before(start).not_valid_after(end)
        .add_extension(x509.BasicConstraints(ca=bool(ca), path_length=None), critical=True)
        .add_extension(x509.KeyUsage(**{u: u in usages for u in USAGES}), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False))
    if issuer:
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key()),
            critical=False)
    if extended:
        builder = builder.add_extension(x509.ExtendedKeyUsage(extended), critical=critical)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    if urls:
        builder = builder.add_extension(
            x509.AuthorityInformationAccess([
                x509.AccessDescription(method, x509.UniformResourceIdentifier(url))
                for method, url in urls]), critical=False)
    signed = builder.sign((issuer.key if issuer else key), digest or hashes.SHA256())
    return Identity(key, signed, issuer)


def revocation_list(issuer, revoked=(), *, at=NOW - HOUR, reason=COMPROMISE, when=BEFORE, number=1,
                    keeps=None, entries=None):
    """A CRL as DER. `entries` name the certificate, reason and time of each, in place of `revoked`;
    `keeps` is the time since when certificates stay listed after they expire."""
    builder = (
        x509.CertificateRevocationListBuilder().issuer_name(issuer.certificate.subject)
        .last_update(at).next_update(NOW + 30 * 24 * HOUR)
        .add_extension(x509.CRLNumber(number), critical=False))
    if keeps:
        builder = builder.add_extension(x509.UnrecognizedExtension(
            x509.ObjectIdentifier("2.5.29.60"), core.GeneralizedTime(keeps).dump()), critical=False)
    for who, reason, when in entries or [(who, reason, when) for who in revoked]:
        builder = builder.add_revoked_certificate(
            x509.RevokedCertificateBuilder().serial_number(who.certificate.serial_number)
            .revocation_date(when).add_extension(x509.CRLReason(reason), critical=False).build())
    return builder.sign(issuer.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def answer(who, responder, certificates=(), *, at=NOW - HOUR, revoked=False):
    """An OCSP answer about `who`."""
    status = ocsp.OCSPCertStatus.REVOKED if revoked else ocsp.OCSPCertStatus.GOOD
    builder = ocsp.OCSPResponseBuilder().add_response(
        cert=who.certificate, issuer=who.issuer.certificate, algorithm=hashes.SHA256(),
        cert_status=status, this_update=at, next_update=at + 7 * 24 * HOUR,
        revocation_time=BEFORE if revoked else None,
        revocation_reason=COMPROMISE if revoked else None,
    ).responder_id(ocsp.OCSPResponderEncoding.HASH, responder.certificate)
    if certificates:
        builder = builder.certificates([one.certificate for one in certificates])
    return builder.sign(responder.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


class PKI:
    """A root, an honest signer below it, and every certificate that is wrong in one way."""

    def __init__(self):
        self.root = identity("Root", ca=True, end=NOW + 10 * YEAR)
        self.middle = identity("Intermediate", self.root, ca=True)
        self.signer = identity("Honest Signer", self.middle)
        self.second = identity("Second Signer", self.middle)
        self.mallory = identity("Honest Signer")
        self.tsa = identity(
            "Time Authority", self.root, usages=("digital_signature",),
            extended=[ExtendedKeyUsageOID.TIME_STAMPING], critical=True)

    def issued(self, name="Honest Signer", **options):
        return identity(name, options.pop("issuer", self.middle), **options)

    @functools.cached_property
    def rsa(self):
        return identity(
            "RSA Signer", self.middle, key=rsa.generate_private_key(65537, 2048))

    @functools.cached_property
    def rsa_root(self):
        return identity("RSA Root", ca=True, key=rsa.generate_private_key(65537, 2048))

    @functools.cached_property
    def small_rsa(self):
        return identity(
            "Small Key", self.middle, key=rsa.generate_private_key(65537, 1024))


# The glyphs of a Type 3 font: bars whose number says which digit it is.
GLYPHS = {
    "one": b"500 0 0 0 500 700 d1 50 0 60 700 re f",
    "nine": b"500 0 0 0 500 700 d1 50 0 400 700 re f",
}


def picture(shade):
    """An 8 by 8 grey image."""
    return update.stream(
        bytes([shade]) * 64,
        b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray"
        b" /BitsPerComponent 8 ")


def field_look(text, font=b"/F1 5 0 R"):
    return update.form(
        b"BT /F1 12 Tf 4 6 Td (%s) Tj ET" % text, b"0 0 200 20",
        b"/Resources << /Font << %s >> >> " % font)


CONTENT = (
    b"BT /F1 14 Tf 72 740 Td (We owe you 100 EUR.) Tj ET\n"
    b"BT /F3 14 Tf 72 700 Td (111) Tj ET\n"
    b"q 60 0 0 60 72 600 cm /Im1 Do Q")

# Numbers that the attacks use by name.
CATALOG, PAGES, PAGE, TEXT, SANS, SERIF, INFO, FORM = range(1, 9)
AMOUNT, PAGE_TWO, AMOUNT_LOOK, IMAGE, APPROVAL, NOTE, GLYPH_FONT, ENCODING = range(9, 17)
ONE, NINE, TEXT_TWO, NOTE_LOOK = range(17, 21)


def contract_objects():
    """Two pages with text, a Type 3 font, a picture, an annotation, a filled text field and an
    empty signature field."""
    fonts = b"/Font << /F1 5 0 R /F2 6 0 R /F3 15 0 R >>"
    return {
        CATALOG: b"<< /Type /Catalog /Pages 2 0 R /AcroForm 8 0 R /Lang (en) >>",
        PAGES: b"<< /Type /Pages /Kids [3 0 R 10 0 R] /Count 2 >>",
        PAGE: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <<"
              b" %s /XObject << /Im1 12 0 R >> >> /Annots [9 0 R 13 0 R 14 0 R] >>" % fonts,
        TEXT: update.stream(CONTENT),
        SANS: pdf_fixtures.FONT % b"Helvetica",
        SERIF: pdf_fixtures.FONT % b"Times-Roman",
        INFO: b"<< /Title (Contract) >>",
        FORM: b"<< /Fields [9 0 R 13 0 R] /DA (/F1 12 Tf 0 g) /DR << /Font << /F1 5 0 R >> >> >>",
        AMOUNT: b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (amount) /V (100) /F 4"
                b" /Rect [72 500 272 520] /P 3 0 R /DA (/F1 12 Tf 0 g) /AP << /N 11 0 R >> >>",
        PAGE_TWO: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 19 0 R"
                  b" /Resources << %s >> >>" % fonts,
        AMOUNT_LOOK: field_look(b"100"),
        IMAGE: picture(200),
        APPROVAL: b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Approval) /F 132"
                  b" /Rect [72 400 272 440] /P 3 0 R >>",
        NOTE: b"<< /Type /Annot /Subtype /Square /F 4 /Rect [300 500 400 550] /C [0 0 1]"
              b" /AP << /N 20 0 R >> >>",
        GLYPH_FONT: b"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 700] /FontMatrix"
                    b" [0.001 0 0 0.001 0 0] /CharProcs << /one 17 0 R /nine 18 0 R >> /Encoding"
                    b" 16 0 R /FirstChar 49 /LastChar 57 /Widths [%s] /Resources << >> >>"
                    % b" ".join([b"500"] * 9),
        ENCODING: b"<< /Type /Encoding /Differences [49 /one 57 /nine] >>",
        ONE: update.stream(GLYPHS["one"]),
        NINE: update.stream(GLYPHS["nine"]),
        TEXT_TWO: update.stream(b"BT /F2 12 Tf 72 740 Td (Page two: no further claims.) Tj ET"),
        NOTE_LOOK: update.form(b"0 0 1 RG 2 2 96 46 re S", b"0 0 100 50"),
    }


def write(objects, streams=False, root=CATALOG, info=INFO):
    """A PDF of these objects; with `streams`, all that may be are in an object stream."""
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    if not streams:
        for number in sorted(objects):
            writer.object(number, objects[number])
        writer.finish(root, info)
        return out.getvalue()
    packed = {n: body for n, body in objects.items() if b"stream\n" not in body}
    rows = {0: (0, 0, 65535)}
    for number, body in objects.items():
        if number not in packed:
            writer.object(number, body)
            rows[number] = (1, writer.offsets[number], 0)
    container = max(objects) + 1
    rows.update({number: (2, container, index) for index, number in enumerate(packed)})
    writer.object(container, update.object_stream(packed))
    rows[container] = (1, writer.offsets[container], 0)
    start = writer.position
    rows[container + 1] = (1, start, 0)
    rows = {n: rows.get(n, (0, 0, 65535)) for n in range(container + 2)}
    table = b"".join(
        kind.to_bytes(1, "big") + place.to_bytes(4, "big") + extra.to_bytes(2, "big")
        for _, (kind, place, extra) in sorted(rows.items()))
    identifier = b"<" + writer.digest.hexdigest().encode() + b">"
    writer.object(container + 1, update.stream(
        table, b"/Type /XRef /Size %d /W [1 4 2] /Root %d 0 R /Info %d 0 R /ID [%s %s] " % (
            container + 2, root, info, identifier, identifier)))
    writer.put(b"startxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


CERTIFIED = {1: "no-changes", 2: "form-filling", 3: "annotations"}


class Kit:
    """What the families build from: the binary, the certificates and signed documents."""

    def __init__(self, signet, folder):
        self.signet, self.folder = str(signet), pathlib.Path(folder)
        self.pki = PKI()
        self.trust = self.file("trust.pem", self.pki.root.pem)
        self.signed_by_signet = {}
        # Hears whoever follows an address in a file.
        self.listener = None

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return path

    def run(self, *arguments, okay=(0,)):
        done = subprocess.run(
            [self.signet, *map(str, arguments)], capture_output=True, timeout=120,
            stdin=subprocess.DEVNULL)
        if done.returncode not in okay:
            raise RuntimeError(
                f"signet {' '.join(map(str, arguments))}: exit {done.returncode}: "
                f"{done.stderr.decode()}")
        return done

    def credential(self, who):
        name = f"id-{who.certificate.serial_number:x}.pem"
        if not (self.folder / name).exists():
            self.file(name, who.key_pem + who.pem + b"".join(c.pem for c in who.chain))
        return self.folder / name

    def sign(self, data, *options, signer=None, field="Author", suffix=".pdf"):
        """The document with one more signature, by Signet."""
        source = self.file("to-sign" + suffix, data)
        output = self.folder / ("signed" + suffix)
        output.unlink(missing_ok=True)
        self.run(
            "sign", source, "--key", self.credential(signer or self.pki.signer), "-o", output,
            *(["--field", field] if field else []),
            # Forgeries are signed too.
            *(["--allow-failed", "--allow-damaged"] if suffix == ".pdf" else []), *options)
        return output.read_bytes()

    def base(self, level=0, streams=False, lock=None):
        """A signed contract: certified with P = `level`, or only signed with 0."""
        key = (level, streams, lock)
        if key not in self.signed_by_signet:
            options = ["--certify", CERTIFIED[level]] if level else []
            options += ["--lock", lock] if lock else []
            self.signed_by_signet[key] = self.sign(write(contract_objects(), streams), *options)
        return self.signed_by_signet[key]

    def kinds(self, level=0, lock=None):
        """(name, document) with a classic table and with cross-reference streams."""
        return [("table", self.base(level, False, lock)), ("streams", self.base(level, True, lock))]

    def levels(self, *levels):
        """(name, level, document) for each certification level and kind of file."""
        return [
            (f"p{level}-{name}" if level else name, level, data)
            for level in levels for name, data in self.kinds(level)]


def honest(kit):
    """What must pass, so that a refusal of its attacked form means something."""
    for name, _, data in kit.levels(0, 1, 2, 3):
        yield Case("base", name, "signed and untouched", data, PASS)
    for lock in ("all", "only:amount", "except:amount"):
        for name, data in kit.kinds(0, lock):
            yield Case("base", f"{lock.replace(':', '-')}-{name}", "locks fields", data, PASS)
    for name, _, data in kit.levels(0, 2, 3):
        yield Case("base", f"approved-{name}", "a colleague signs the empty field",
                   kit.sign(data, field="Approval", signer=kit.pki.second), PASS)
    for streams, name in ((False, "table"), (True, "streams")):
        yield Case("base", f"by-hand-{name}", "a signature built by hand", forge.embed(
            write(contract_objects(), streams),
            lambda digest: forge.simple(kit.pki.signer, digest)), PASS)
