"""Files that cost a reader more than they are worth. Any answer but passed will do, if it comes."""

import struct
import zlib

from asn1crypto import core, keys, x509

from attacks import forge, update
from attacks.bases import CATALOG, FORM, PAGE, PAGES, TEXT, contract_objects, write
from attacks.case import FAILED, INDETERMINATE, MALFORMED, PASSED, UNSIGNED, Case, Expect

ANSWERED = Expect({MALFORMED: [], FAILED: [], INDETERMINATE: [], UNSIGNED: []})
# Where the costly part is nothing that verifying has to read.
ANSWERED_OR_PASSED = ANSWERED | Expect({PASSED: []})
DEEP = 1_000_000


def signed(kit, objects, streams=False):
    return forge.embed(
        write(objects, streams), lambda digest: forge.simple(kit.pki.signer, digest))


def cases(kit):
    honest = {False: kit.base(), True: kit.base(streams=True)}
    yield from bombs(kit, honest)
    yield from loops(kit)
    yield from nesting(honest)
    yield from overflows(honest)
    yield from encodings(kit)
    yield from photos(kit)


def photos(kit):
    """JPEG whose few bytes stand for gigabytes of pixels, or for hours of scans."""
    def segment(marker, body):
        return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body

    tables = segment(0xDB, b"\0" + b"\1" * 64) + segment(
        0xC4, b"\0" + bytes([1]) + bytes(15) + b"\0") + segment(
        0xC4, b"\x10" + bytes([1]) + bytes(15) + b"\0")

    def frame(kind, width, height):
        return segment(kind, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0")

    scan = segment(0xDA, b"\x01\x01\0\0\x3f\0")
    huge = b"\xff\xd8" + tables + frame(0xC0, 65500, 65500) + scan + bytes(1000) + b"\xff\xd9"
    first = segment(0xDA, b"\x01\x01\0\0\0\0") + bytes(40)
    refining = segment(0xDA, b"\x01\x01\0\1\x3f\0") + bytes(8)
    scans = (b"\xff\xd8" + tables + frame(0xC2, 4000, 4000) + first + refining * 20_000
             + b"\xff\xd9")
    for variant, data in (("pixels", huge), ("scans", scans)):
        yield Case("DOS-5", variant, "a photo that costs much to decode", data, ANSWERED,
                   suffix=".jpg", command=("convert", "--force"),
                   options=("-o", kit.folder / f"{variant}.pdf", "--quality", "75"))


def bombs(kit, honest):
    data = honest[True]
    once = zlib.compress(bytes(300_000_000), 6)
    twice = zlib.compress(once, 9)
    for variant, body, entries in (
            ("flate", once, b"/Filter /FlateDecode"),
            ("nested", twice, b"/Filter [/FlateDecode /FlateDecode]"),
            ("columns", zlib.compress(bytes(1000)),
             b"/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 2147483647 >>"),
            ("many-filters", twice, b"/Filter [%s]" % b" ".join([b"/FlateDecode"] * 500))):
        change = update.Update(data)
        container = change.new(update.stream(
            body, b"/Type /ObjStm /N 100 /First 500 %s " % entries))
        change.packed[PAGE] = (container, 0)
        change.generations[PAGE] = 0
        yield Case("DOS-1", f"object-stream-{variant}", "an object stream that grows without bound",
                   change.finish(), ANSWERED)
        section = update.Update(data)
        place = len(section.base)
        out = section.base + b"%d 0 obj\n" % section.size + update.stream(
            body, b"/Type /XRef /Size 100 /W [1 4 2] /Root 1 0 R /Prev %d %s " % (
                section.previous, entries)) + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % place
        yield Case("DOS-1", f"section-{variant}", "a cross-reference stream that grows without bound",
                   out, ANSWERED)
    for variant, number, first in (
            ("huge-count", 2**31, 10), ("negative", -1, 10), ("far-first", 1, 2**31),
            ("count-overflow", 2**63, 10)):
        change = update.Update(data)
        container = change.new(update.stream(
            b"3 0 << >>", b"/Type /ObjStm /N %d /First %d " % (number, first)))
        change.packed[PAGE] = (container, 0)
        yield Case("DOS-1", f"object-stream-{variant}", "an object stream with impossible numbers",
                   change.finish(), ANSWERED)
    objects = contract_objects()
    objects[TEXT] = update.stream(once, b"/Filter /FlateDecode ")
    yield Case("DOS-1", "content", "a page's content grows without bound, signed by a real signer",
               signed(kit, objects), ANSWERED_OR_PASSED)


def loops(kit):
    def looped(**changed):
        objects = contract_objects()
        for number, change in changed.items():
            number = int(number[1:])
            objects[number] = change(objects.get(number, b""))
        return objects

    forms = {
        "pages-self": looped(n2=lambda b: b.replace(b"[3 0 R", b"[2 0 R 3 0 R")),
        "pages-parent": looped(n2=lambda b: b.replace(b"<<", b"<< /Parent 3 0 R", 1),
                               n3=lambda b: b.replace(b"/MediaBox [0 0 595 842]", b"")),
        "pages-mutual": looped(
            n2=lambda b: b"<< /Type /Pages /Kids [21 0 R 3 0 R] /Count 3 >>",
            n21=lambda b: b"<< /Type /Pages /Kids [2 0 R] /Count 1 /Parent 2 0 R >>"),
        "fields": looped(
            n8=lambda b: b.replace(b"[9 0 R", b"[21 0 R 9 0 R"),
            n21=lambda b: b"<< /T (a) /Kids [22 0 R] >>",
            n22=lambda b: b"<< /T (b) /Parent 21 0 R /Kids [21 0 R] >>"),
        "fields-parent": looped(
            n8=lambda b: b.replace(b"[9 0 R", b"[21 0 R 9 0 R"),
            n21=lambda b: b"<< /FT /Tx /T (a) /Parent 21 0 R >>"),
        "reference": looped(
            n8=lambda b: b.replace(b"/DR", b"/Extra 21 0 R /DR"),
            n21=lambda b: b"22 0 R", n22=lambda b: b"21 0 R"),
        "length": looped(
            n4=lambda b: b"<< /Length 4 0 R >>\nstream\nq Q\nendstream"),
        "length-mutual": looped(
            n4=lambda b: b"<< /Length 19 0 R >>\nstream\nq Q\nendstream",
            n19=lambda b: b"<< /Length 4 0 R >>\nstream\nq Q\nendstream"),
    }
    for variant, objects in forms.items():
        def build(digest):
            return forge.simple(kit.pki.signer, digest)

        try:
            data = forge.embed(write(objects), build)
        except Exception:
            # Too broken for the attacker's own reader: a bare file then.
            data = write(objects)
        change = update.Update(kit.base())
        for number, body in objects.items():
            if contract_objects().get(number) != body:
                change.put(number, body)
        yield Case("DOS-2", f"{variant}-signed", "references go round in circles, and are signed",
                   data, ANSWERED_OR_PASSED)
        yield Case("DOS-2", f"{variant}-update", "an update makes references go round in circles",
                   change.finish(), ANSWERED)
    change = update.Update(kit.base(streams=True))
    first = change.size
    for number, other in ((first, first + 1), (first + 1, first)):
        change.put(number, update.stream(
            b"3 0 << >>", b"/Type /ObjStm /N 1 /First 4 /Extends %d 0 R " % other))
    change.packed[PAGE] = (first, 0)
    yield Case("DOS-2", "extends", "object streams extend each other", change.finish(), ANSWERED)
    change = update.Update(kit.base(streams=True))
    change.packed[PAGE] = (change.size, 0)
    change.packed[change.size] = (change.size, 0)
    change.size += 1
    yield Case("DOS-2", "inside-itself", "an object stream is inside itself", change.finish(),
               ANSWERED)


def nesting(honest):
    for name, body in (
            ("arrays", b"[" * DEEP + b"]" * DEEP), ("open-arrays", b"[" * DEEP),
            ("dictionaries", b"<</A" * DEEP + b">>" * DEEP), ("open-dictionaries", b"<</A" * DEEP),
            ("strings", b"(" * DEEP + b")" * DEEP), ("open-strings", b"(" * DEEP)):
        for number, where in ((CATALOG, "catalog"), (PAGES, "pages"), (FORM, "form")):
            change = update.Update(honest[False])
            change.add_entry(number, b"/Deep " + body)
            yield Case("DOS-3", f"{name}-{where}", "a million brackets deep", change.finish(),
                       ANSWERED)
    change = update.Update(honest[False])
    change.put(TEXT, b"null")
    yield Case("DOS-3", "trailer", "the trailer is a million brackets deep",
               change.finish(extra=b" /Deep " + b"[" * DEEP + b"]" * DEEP), ANSWERED)


def overflows(honest):
    for streams, data in honest.items():
        kind = "streams" if streams else "table"
        for variant, entries in (
                ("size-huge", {"size": 2**63}), ("size-most", {"size": 2**63 - 1}),
                ("size-32", {"size": 2**32}), ("size-negative", {"size": -5}),
                ("size-zero", {"size": 1})):
            change = update.Update(data)
            change.put(TEXT, b"null")
            yield Case("DOS-4", f"{variant}-{kind}", "the trailer's /Size is impossible",
                       change.finish(**entries), ANSWERED)
        change = update.Update(data)
        change.put(PAGES, b"<< /Type /Pages /Kids [3 0 R 10 0 R] /Count 9223372036854775807 >>")
        yield Case("DOS-4", f"count-{kind}", "the page tree's /Count is impossible",
                   change.finish(), ANSWERED)
        for number in (2**63, 2**64, 10**30):
            yield Case("DOS-4", f"startxref-{len(str(number))}-{number % 7}-{kind}",
                       "startxref names an impossible place",
                       data + b"startxref\n%d\n%%%%EOF\n" % number, ANSWERED)
    section = update.Update(honest[True])
    for variant, entries in (
            ("widths-huge", b"/W [1 9223372036854775807 1]"), ("widths-many", b"/W [1 2 3 4 5]"),
            ("widths-negative", b"/W [1 -1 2]"), ("widths-zero", b"/W [0 0 0]"),
            ("widths-sum", b"/W [9223372036854775807 1 1]"), ("widths-nine", b"/W [1 9 1]"),
            ("index-huge", b"/W [1 4 2] /Index [0 9223372036854775807]"),
            ("index-sum", b"/W [1 4 2] /Index [9223372036854775807 1]"),
            ("index-odd", b"/W [1 4 2] /Index [0 1 2]"),
            ("index-overlap", b"/W [1 4 2] /Index [0 5 3 5]"),
            ("index-negative", b"/W [1 4 2] /Index [-5 9]")):
        place = len(section.base)
        out = section.base + b"%d 0 obj\n" % section.size + update.stream(
            bytes(700), b"/Type /XRef /Size 100 /Root 1 0 R /Prev %d %s " % (
                section.previous, entries)) + b"\nendobj\nstartxref\n%d\n%%%%EOF\n" % place
        yield Case("DOS-4", variant, "a cross-reference stream with impossible numbers", out,
                   ANSWERED)
    base = update.Update(honest[False])
    for variant, rows in (
            ("table-huge", b"0 9223372036854775807\n0000000000 65535 f \n"),
            ("table-first", b"9223372036854775807 1\n0000000000 65535 f \n"),
            ("table-negative", b"-1 2\n0000000000 65535 f \n"),
            ("table-short", b"0 100000\n0000000000 65535 f \n"),
            ("table-offset", b"4 1\n9999999999 00000 n \n")):
        out = base.base + b"xref\n" + rows + (
            b"trailer\n<< /Size 99 /Root 1 0 R /Prev %d >>\nstartxref\n%d\n%%%%EOF\n" % (
                base.previous, len(base.base)))
        yield Case("DOS-4", variant, "a cross-reference table with impossible numbers", out,
                   ANSWERED)


def encodings(kit):
    """ASN.1 that costs much."""
    def nested(depth, tag=0x30):
        out = b""
        for _ in range(depth):
            out = forge.tlv(tag, out)
        return out

    def indefinite(depth):
        return b"\x30\x80" * depth

    plain = write(contract_objects())
    reserved = 40_000
    values = {
        "nested": nested(9000), "nested-octets": nested(9000, 0x24),
        "indefinite": indefinite(18_000),
        "long-identifier": forge.tlv(0x30, forge.tlv(0x06, b"\x2a" + b"\x86" * 30_000 + b"\x01")),
        "length-huge": b"\x30\x88" + b"\xff" * 8 + b"\0" * 100,
        "length-128": b"\x30\xff" + b"\xff" * 127,
        "length-past-end": b"\x30\x84\x7f\xff\xff\xff" + b"\0" * 100,
    }
    for variant, value in values.items():
        yield Case("DOS-6", variant, "a message whose structure costs much",
                   forge.embed(plain, lambda d, v=value: v, reserved=reserved), ANSWERED)
    honest = forge.simple(kit.pki.signer, bytes(32))
    identifier = core.ObjectIdentifier("1.2.840.113549.1.7.1").dump()
    deep = honest.replace(identifier, identifier[:1] + b"\x09" + b"\xff" * 9, 1)
    yield Case("DOS-6", "identifier-overflow", "an object identifier beyond 64 bits",
               forge.embed(plain, lambda d: deep), ANSWERED)
    for variant, exponent, bits in (
            ("exponent", 2**4000 + 1, 4096), ("key-16k", 65537, 16384), ("key-even", 2, 2048)):
        yield Case("DOS-6", variant, "a certificate whose key is made to be slow",
                   forge.embed(plain, lambda d, e=exponent, b=bits: forge.simple(
                       kit.pki.signer, d, certificates=[
                           slow_key(kit.pki.signer, e, b), *kit.pki.signer.chain],
                       algorithm={"algorithm": "rsassa_pkcs1v15"}), reserved=reserved), ANSWERED)


def slow_key(who, exponent, bits):
    """The certificate with an RSA key of these numbers, which no one signed."""
    certificate = forge.certificate(who).copy()
    modulus = (1 << bits) - 159
    certificate["tbs_certificate"]["subject_public_key_info"] = keys.PublicKeyInfo({
        "algorithm": {"algorithm": "rsa"},
        "public_key": keys.RSAPublicKey({"modulus": modulus, "public_exponent": exponent})})
    return x509.Certificate.load(certificate.dump(force=True))
