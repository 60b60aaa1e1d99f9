"""Incremental saving: something is appended to a signed document."""

import re

from attacks import update
from attacks.bases import PAGE, TEXT, contract_objects
from attacks.case import ERROR, FF, PASS, Case

FORGED = b"BT /F1 14 Tf 72 740 Td (We owe you 1,000,000 EUR.) Tj ET"
SHOWS = "1,000,000 EUR"


def replaced_content(data):
    """An update with the page's text exchanged."""
    change = update.Update(data)
    change.put(TEXT, update.stream(FORGED))
    return change


def new_content(data):
    """The same with the page pointing to a new stream."""
    change = update.Update(data)
    text = change.new(update.stream(FORGED))
    change.edit(PAGE, rb"/Contents \d+ 0 R", b"/Contents %d 0 R" % text)
    return change


def cases(kit):
    for name, level, data in kit.levels(0, 1, 2, 3):
        yield Case(
            "ISA-1", f"content-{name}", "an update replaces the page's content stream",
            replaced_content(data).finish(), FF, SHOWS)
        yield Case(
            "ISA-1", f"page-{name}", "an update points the page to another content stream",
            new_content(data).finish(), FF, SHOWS)
    for name, data in kit.kinds():
        yield from malformed(name, data)
        yield from cloned(name, data)
    # An update may use the other kind of cross-reference section than the document.
    for name, data in kit.kinds():
        change = update.Update(data, streams=name == "table")
        change.put(TEXT, update.stream(FORGED))
        yield Case(
            "ISA-1", f"other-section-{name}",
            "the same in an update with the other kind of cross-reference section",
            change.finish(), FF, SHOWS)
    for name, data in kit.kinds():
        change = replaced_content(data)
        once = change.finish()
        again = update.Update(once)
        again.put(TEXT, contract_objects()[TEXT])
        yield Case(
            "ISA-1", f"and-back-{name}",
            "one update replaces the content, a second one brings the signed content back",
            again.finish(), FF)


def malformed(name, data):
    """Updates that are incomplete, so that only a repairing viewer sees them."""
    change = replaced_content(data)
    body = change.body_bytes(len(data), {})
    yield Case(
        "ISA-2", f"object-{name}", "an object is appended without cross-reference or trailer",
        data + body, FF)
    yield Case(
        "ISA-2", f"object-end-{name}", "the same with %%EOF behind it",
        data + body + b"%%EOF\n", FF)
    yield Case(
        "ISA-2", f"object-old-startxref-{name}",
        "the same with a startxref that leads to the signed revision's section",
        data + body + b"startxref\n%d\n%%%%EOF\n" % update.last_startxref(data), FF)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Prev %d >>\n" % (
        change.size, update.last_startxref(data))
    yield Case(
        "ISA-3", f"trailer-{name}", "an object and a trailer are appended, but no cross-reference",
        data + body + trailer + b"%%EOF\n", FF)
    yield Case(
        "ISA-3", f"trailer-startxref-{name}", "the same with a startxref to the old section",
        data + body + trailer + b"startxref\n%d\n%%%%EOF\n" % update.last_startxref(data), FF)
    full = replaced_content(data)
    offsets = {}
    start = len(data) + len(full.body_bytes(len(data), offsets))
    table = full.table(offsets)
    yield Case(
        "ISA-3", f"table-{name}", "an object and a table are appended, but no trailer",
        data + body + table + b"startxref\n%d\n%%%%EOF\n" % start,
        FF | ERROR)
    yield Case(
        "ISA-3", f"table-only-{name}", "the same without startxref",
        data + body + table + b"%%EOF\n", FF)
    for variant, tail in (
            ("comment", b"% nothing to see\n"), ("garbage", b"\x00\x01\x02garbage\n"),
            ("zeros", bytes(4096)), ("spaces", b" " * 5), ("one-byte", b"x"),
            ("second-end", b"%%EOF\n"), ("line-ends", b"\n" * 5)):
        yield Case(
            "ISA-5", f"{variant}-{name}", "something that belongs to no revision is appended",
            data + tail, PASS if tail.isspace() else FF)


def cloned(name, data):
    """The signature dictionary is copied into the update, and the field led to the copy."""
    number = int(re.search(
        rb"/V (\d+) 0 R", data[data.rindex(b"/T (Author)") - 200 :]).group(1))
    start = data.rindex(b"%d 0 obj" % number)
    body = data[start + len(b"%d 0 obj\n" % number) : data.index(b"endobj", start)]
    for variant in ("redirected", "same-number"):
        change = replaced_content(data)
        if variant == "redirected":
            copy = change.new(body)
            change.edit(change.field("Author"), rb"/V \d+ 0 R", b"/V %d 0 R" % copy)
        else:
            change.put(number, body)
        yield Case(
            "ISA-4", f"{variant}-{name}",
            "an update replaces content and brings a copy of the signature dictionary",
            change.finish(), FF, SHOWS)
    # A second field with the copy, which claims to be a later signature over the whole.
    change = replaced_content(data)
    copy = change.new(body)
    widget = change.new(
        b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Author2) /V %d 0 R /F 132 /Rect [0 0 0 0]"
        b" /P 3 0 R >>" % copy)
    change.append_field(b"%d 0 R" % widget)
    yield Case(
        "ISA-4", f"second-field-{name}", "a new field holds a copy of the signature dictionary",
        change.finish(), FF, SHOWS)
