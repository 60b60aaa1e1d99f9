"""Universal signature forgery: entries of the signature dictionary are missing or broken, so that
a verifier has nothing left that it could find wrong."""

import re

from attacks import forge, update
from attacks.bases import contract_objects, write
from attacks.case import ERROR, FF, PASS, Case, indeterminate

CONTENTS = rb"/Contents\s*<[0-9a-f]+>"
RANGE = rb"/ByteRange\s*\[[^\]]*\]"

CONTENTS_FORMS = [
    ("USF-1", "missing", "the entry /Contents is gone", b""),
    ("USF-2", "no-value", "the entry /Contents has no value", b"/Contents"),
    ("USF-3", "null", "/Contents is null", b"/Contents null"),
    ("USF-4", "empty", "/Contents is an empty string", b"/Contents <>"),
    ("USF-5", "zero", "/Contents is a single zero byte", b"/Contents <00>"),
]
RANGE_FORMS = [
    ("USF-6", "missing", "the entry /ByteRange is gone", b""),
    ("USF-7", "empty", "/ByteRange is an empty array", b"/ByteRange []"),
    ("USF-7", "no-value", "/ByteRange has no value", b"/ByteRange"),
    ("USF-8", "null", "/ByteRange is null", b"/ByteRange null"),
    ("USF-9", "zeros", "/ByteRange is four zeros", b"/ByteRange [0 0 0 0]"),
    ("USF-10", "negative", "/ByteRange has negative numbers", b"/ByteRange [0 -1 -1 -1]"),
    ("USF-10", "negative-length", "/ByteRange ends at a negative length",
     b"/ByteRange [0 %d %d -%d]"),
]


def changed(data):
    """The same file with a forged amount in its content."""
    return data.replace(b"We owe you 100 EUR.", b"We owe you 999 EUR.")


def answer(variant):
    # A key without value makes the next key its value: the dictionary cannot be read at all.
    return FF | ERROR if variant == "no-value" else FF


def cases(kit):
    for name, data in kit.kinds():
        forged = changed(data)
        uncompressed = forged != data
        shows = "999 EUR" if uncompressed else None
        for identifier, variant, about, text in CONTENTS_FORMS:
            yield Case(
                identifier, f"{variant}-{name}", about + "; the text is forged",
                update.blank(forged, CONTENTS, text), answer(variant), shows)
        _, (_, start, after, length) = update.byte_ranges(data)[-1]
        for identifier, variant, about, text in RANGE_FORMS:
            text = text % (start, after, length) if b"%d" in text else text
            yield Case(
                identifier, f"{variant}-{name}", about + "; the text is forged",
                update.blank(forged, RANGE, text), answer(variant), shows)
    yield from filters(kit)


def filters(kit):
    """/SubFilter, /Filter and /Type that say nothing or contradict; signed so, by a real key."""
    plain = write(contract_objects())
    signer = kit.pki.signer

    def build(digest):
        return forge.simple(signer, digest)

    forms = [
        ("subfilter-missing", "/SubFilter is missing", {"sub_filter": None}, FF),
        ("subfilter-unknown", "/SubFilter is unknown", {"sub_filter": b"Acme.detached"}, FF),
        ("subfilter-number", "/SubFilter is a string",
         {"sub_filter": None, "entries": b"/SubFilter (ETSI.CAdES.detached)"}, FF),
        ("type-timestamp", "/Type says document timestamp, /SubFilter a signature",
         {"kind": b"/Type /DocTimeStamp"}, FF),
        ("type-signature", "/Type says signature, /SubFilter a document timestamp",
         {"sub_filter": b"ETSI.RFC3161"}, FF | indeterminate("SIG_CONSTRAINTS_FAILURE")),
        ("type-other", "/Type is something else altogether", {"kind": b"/Type /Font"}, FF),
        ("filter-unknown", "/Filter names an unknown handler: only a warning",
         {"filter_": b"/Filter /Acme.Handler"}, PASS),
    ]
    for variant, about, options, expect in forms:
        yield Case("USF-11", variant, about, forge.embed(plain, build, **options), expect)
    # Without a dictionary at all there is nothing to find wrong either.
    data = kit.base()
    value = re.search(rb"/V (\d+) 0 R", data[data.rindex(b"/FT /Sig /T (Author)"):]).group(1)
    update_ = update.Update(data)
    update_.put(int(value), b"null")
    yield Case(
        "USF-11", "value-null", "an update turns the signature dictionary into null",
        update_.finish(), FF)
