"""The value of the signature: what stands in /Contents, and how it is spelled."""

import dataclasses
import hashlib
import re

from attacks import forge, update
from attacks.bases import contract_objects, write
from attacks.case import ERROR, FF, PASS, SF, Case


def in_gap(data, change):
    """Rewrites the hexadecimal digits of the newest signature's gap, whose size stays."""
    start, after = update.gap(data)
    digits = data[start + 1 : after - 1]
    return data[:start] + change(digits) + data[after:]


def cases(kit):
    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    for streams, name in ((False, "table"), (True, "streams")):
        # Made by hand, since Signet leaves hardly any room behind the value.
        data = forge.embed(write(contract_objects(), streams), build)
        der = update.signature_value(data)
        start, after = update.gap(data)
        room = (after - start - 2) // 2
        for variant, padding in (
                ("one-byte", b"\x01".rjust(room - len(der), b"\0")),
                ("right-behind", b"\xff".ljust(room - len(der), b"\0")),
                ("second-message", der[: room - len(der)].ljust(room - len(der), b"\0"))):
            yield Case(
                "CT-1", f"{variant}-{name}", "something else than zeros follows the DER",
                update.replace_contents(data, der + padding), FF)
        yield Case(
            "CT-2", f"odd-{name}", "an odd number of digits",
            in_gap(data, lambda digits: b"<" + digits[:-1] + b" >"), FF)
        yield Case(
            "CT-2", f"not-hex-{name}", "a character that is no hexadecimal digit in the padding",
            in_gap(data, lambda digits: b"<" + digits[:-1] + b"g>"), FF | ERROR)
        yield Case(
            "CT-2", f"literal-{name}", "a literal string instead of a hexadecimal one",
            in_gap(data, lambda digits: literal(digits)), FF)
        yield Case(
            "CT-2", f"comment-{name}", "a comment inside the hexadecimal string",
            in_gap(data, lambda digits: b"<" + digits[:-3] + b"%0\n>"), FF | ERROR)
        yield Case(
            "CT-2", f"truncated-{name}", "the DER is cut off in the middle",
            update.replace_contents(data, der[: len(der) // 2]), FF)
        yield Case(
            "CT-2", f"truncated-end-{name}", "the DER's last byte is missing",
            # Padding with zeros gives a last byte of zero back: one that is not zero goes.
            in_gap(data, lambda digits: b"<" + digits[: 2 * len(der.rstrip(b"\0")) - 2].ljust(
                len(digits), b"0") + b">"), FF | SF)
    plain = write(contract_objects())
    yield Case(
        "CT-2", "indefinite", "the message is BER with indefinite length",
        # DER is required (ISO 32000-2 §12.8.3.3.1), yet this can be read in one way only: a remark.
        forge.embed(plain, lambda digest: indefinite_length(build(digest))),
        dataclasses.replace(PASS, remark="BER"))
    yield from indirect(kit, plain)


def literal(digits):
    """A literal string of the same bytes, padded with zeros to the same size."""
    value = bytes.fromhex(digits.decode())
    escaped = b"".join(
        b"\\%03o" % byte if byte in b"()\\\r\n" else bytes([byte]) for byte in value)
    return b"(" + escaped[: len(digits)].ljust(len(digits), b"\0") + b")"


def indefinite_length(der):
    """The outermost SEQUENCE with indefinite length."""
    header = 2 + (der[1] & 0x7F) if der[1] & 0x80 else 2
    return b"\x30\x80" + der[header:] + b"\0\0"


def indirect(kit, plain):
    """/Contents refers to a string object; what the byte range leaves out is another place."""
    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    # Two objects: the string with the CMS, and the dictionary that refers to it.
    change = update.Update(plain)
    value = change.new(b"<< /Contents <" + b"0" * (2 * forge.RESERVED) + b"> >>")
    text = change.new(b"<" + b"0" * (2 * forge.RESERVED) + b">")
    change.bodies.pop(value)
    signature = change.put(value, (
        b"<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached"
        b" /ByteRange [0 " + b" " * 34 + b"] /Contents %d 0 R /M (D:20260101000000Z) >>" % text))
    widget = change.new(
        b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Author) /V %d 0 R /F 132 /Rect [0 0 0 0]"
        b" /P 3 0 R >>" % signature)
    change.append_field(b"%d 0 R" % widget)
    out = change.finish()
    # The gap is the string object; `fill` looks for the key, so it is done here.
    start = out.index(b"<0000", out.index(b"%d 0 obj" % text))
    after = out.index(b">", start) + 1
    hole = out.index(b"[0 " + b" " * 34)
    numbers = b"[0 %d %d %d" % (start, after, len(out) - after)
    out = out[:hole] + numbers.ljust(37) + out[hole + 37 :]
    der = build(hashlib.sha256(out[:start] + out[after:]).digest())
    out = out[: start + 1] + der.hex().encode().ljust(after - start - 2, b"0") + out[after - 1 :]
    yield Case(
        "CT-3", "string-object", "/Contents is a reference to a string object in the gap", out, FF)
    # The gap holds a decoy; the value that counts is outside it and covered by nothing.
    honest = forge.embed(plain, build)
    change = update.Update(honest)
    start, after = update.gap(honest)
    string = change.new(honest[start:after])
    field = change.field("Author")
    old = change.document.get_object((field, 0))["/V"].objgen[0]
    body = change.old(old)
    change.put(old, re.sub(rb"/Contents <[0-9a-f]+>", b"/Contents %d 0 R" % string, body))
    yield Case(
        "CT-3", "moved-by-update", "an update moves /Contents into an object of its own",
        change.finish(), FF)
