"""What an update changes: honest revisions, and what an attacker puts into them that should count for
nothing: looks that are hidden, references to nothing, objects that nothing uses, text in streams."""

import re
import zlib

from attacks import update
from attacks.bases import AMOUNT, field_look
from differ import forgeries, semantics

# Bytes reserved for a timestamp token.
RESERVED = 3000
GAP = b"/Contents <" + b"0" * 2 * RESERVED + b">"
MISSING = b"900 0 R"


class Change(update.Update):
    """An update whose reader all mutants of a document share."""

    def __init__(self, document):
        self.__dict__.update(document.reader.__dict__)
        self.bodies, self.generations = {}, {}
        self.known, self.size = document.known, document.size

    def old(self, number):
        return self.known.get(number) or super().old(number)


def changes(document, odd):
    """Number to body of what one revision holds."""
    change = Change(document)
    honest = odd.random.choice(LOOKING if odd.rate("hidden") else HONEST)
    if odd.takes(f"honest={honest.__name__}"):
        honest(change, document, odd)
    if odd.happens("packed"):
        # Something for the object stream.
        change.new(b"<< /Unused %s >>" % odd.one("unused", b"null", b"(x)", MISSING))
    reordered(change, document, odd)
    missing(change, document, odd)
    if odd.happens("unused"):
        unused(change, document, odd)
    if odd.happens("secret"):
        change.new(contained(secret(document, odd), odd))
    if odd.happens("semantics"):
        semantics.change(change, document, odd)
    return change.bodies


# MARK: honest revisions

def information(change, document, odd):
    change.new(b"<< /Trapped /True >>")


def metadata(change, document, odd):
    number = change.new(update.stream(b"<x:xmpmeta/>", b"/Type /Metadata /Subtype /XML "))
    change.add_entry(change.root, b"/Metadata %d 0 R" % number)


def validation(change, document, odd):
    certificate = change.new(update.stream(b"0"))
    store = change.new(b"<< /Type /DSS /Certs [%d 0 R] >>" % certificate)
    body = re.sub(rb"/DSS\s+\d+ 0 R", b"", change.old(change.root))
    change.put(change.root, body[: body.rindex(b">>")] + b"/DSS %d 0 R >>" % store)


def again(change, document, odd):
    number = document.numbers[odd.one("again", *sorted(
        {"root", "pages", "page", "form", "field"} & set(document.numbers)))]
    change.put(number, change.old(number))


def filled(change, document, odd):
    if document.numbers.get("field") != AMOUNT:
        return
    font = b"/F1 %d 0 R" % document.numbers.get("font", 5)
    look = change.new(field_look(b"250", font))
    body = re.sub(rb"/V\s*\([^)]*\)", b"/V (250)", change.old(AMOUNT))
    change.put(AMOUNT, re.sub(rb"/N \d+ 0 R", b"/N %d 0 R" % look, body))


def empty_field(change, document, odd):
    field(change, document, odd, b"")


def timestamp(change, document, odd):
    value = change.new(
        b"<< /Type /DocTimeStamp /Filter /Adobe.PPKLite /SubFilter /ETSI.RFC3161 /ByteRange [0 %s]\n"
        % (b" " * 40) + GAP + b" >>")
    field(change, document, odd, b"/V %d 0 R " % value)


def annotation(change, document, odd):
    kind = odd.one("annotation", b"Square", b"Text", b"FreeText", b"Stamp", b"Link", b"Popup", b"Widget",
                   b"Highlight", b"Watermark", b"PrinterMark", b"TrapNet")
    number = change.new(b"<< /Type /Annot /Subtype /%s %s>>" % (kind, looks(change, document, odd)))
    change.append_to(document.numbers["page"], b"/Annots", b"%d 0 R" % number)


HONEST = (information, information, metadata, validation, again, filled, empty_field, timestamp,
          timestamp, timestamp, annotation)
LOOKING = (empty_field, timestamp, timestamp, annotation)


def field(change, document, odd, value):
    """A signature field, usually with one widget that does not show."""
    name = b"/FT /Sig /T (Field%d) %s" % (change.size, value)
    widget = b"/Type /Annot /Subtype /Widget /P %d 0 R " % document.numbers["page"]
    count = odd.pick("hidden.widgets", None, 1, 2, 3)
    own = looks(change, document, odd)
    if count is None:
        widgets = [change.new(b"<< " + widget + name + own + b">>")]
        change.append_field(b"%d 0 R" % widgets[0])
    else:
        parent = change.size + count
        widgets = [change.new(b"<< " + widget + own + b"/Parent %d 0 R >>" % parent)
                   for _ in range(count)]
        kids = b" ".join(b"%d 0 R" % number for number in widgets)
        change.append_field(b"%d 0 R" % change.put(parent, b"<< %s/Kids [%s] >>" % (name, kids)))
    for number in widgets:
        change.append_to(document.numbers["page"], b"/Annots", b"%d 0 R" % number)


# MARK: what should count for nothing

def looks(change, document, odd):
    """What a widget or annotation looks like, usually nothing."""
    flags = odd.pick("hidden.flags", 132, 0, 1, 2, 4, 6, 32, 33, 36, 160, 64)
    box = b"0 0 0 0"
    kind = odd.pick("hidden.look", None, b"/AP << /N %d 0 R >> ", b"/AP << /N %d 0 R >> ",
                    b"/AP << /N << /On %d 0 R >> >> /AS /On ", b"/AP << /D %d 0 R >> ",
                    b"/AP << /R %d 0 R >> ", b"/AP << /N " + MISSING + b" /D %d 0 R >> ")
    if kind:
        kind %= change.new(forgeries.cover(document))
        box = b"0 0 595 842"
    box = odd.pick("hidden.box", box, b"0 0 595 842", b"72 300 272 300", b"72 300 72 400",
                   b"272 320 72 300", b"-600 -900 -100 -100", b"72 300 72.001 300.001", b"72 300 272",
                   b"0 0 595 0 0 842", b"595 842 595 842", b"0 0 1e3 1e3", b"null null null null")
    out = b"/F %d /Rect [%s] " % (flags, box) + (kind or b"")
    for name, entries in (
            ("border", (b"/MK << /BC [0] >>", b"/MK << /BG [0] >>", b"/Border [0 0 40]", b"/MK <<"
                        b" /BC [0] /BG [0] /R 90 >> /BS << /W 40 >>", b"/BS << /W 40 >> /C [0]")),
            ("more", (b"/OC " + MISSING, b"/DA (/Helv 40 Tf 0 g) /Contents (EVIL)", b"/MK << /CA (EVIL) >>",
                      b"/A << /S /JavaScript /JS (x) >>", b"/Parent " + MISSING, b"/F 4", b"/Kids [900 0 R]",
                      b"/CA 0", b"/Rotate 90", b"/IC [0]", b"/Subtype /Stamp"))):
        out += odd.pick(f"hidden.{name}", b"", *entries) + b" "
    return out


def reordered(change, document, odd):
    """The elements of an array in another order, or again."""
    if not odd.happens("order"):
        return
    part, key = odd.one("array", ("page", b"/Annots"), ("page", b"/Annots"), ("form", b"/Fields"))
    if part not in document.numbers:
        return
    number = document.numbers[part]
    body = change.bodies.get(number) or change.old(number)
    match = re.search(key + rb"\s*\[([^\]]*)\]", body)
    if not match:
        return
    elements = re.findall(rb"\d+ \d+ R", match.group(1))
    kind = odd.one("order", "shuffle", "reverse", "twice", "last-first", "drop", "missing", "null")
    if kind == "shuffle":
        odd.random.shuffle(elements)
    else:
        elements = {
            "reverse": elements[::-1], "twice": elements * 2, "last-first": elements[-1:] + elements,
            "drop": elements[1:], "missing": [MISSING, *elements], "null": [b"null", *elements]}[kind]
    change.put(number, body[: match.start(1)] + b" ".join(elements) + body[match.end(1) :])


def missing(change, document, odd):
    """References to nothing."""
    part = odd.pick("missing.from", None, "page", "pages", "form", "root", "field", "new")
    entry = odd.random.choice((
        b"/Unused %s", b"/Unused [%s]", b"/Names %s", b"/Metadata %s", b"/Outlines %s", b"/DR %s", b"/XFA %s",
        b"/Group %s", b"/Thumb %s", b"/B [%s]", b"/PieceInfo %s", b"/OCProperties %s")) % MISSING
    if part == "new":
        change.new(b"<< %s >>" % entry)
    elif part in document.numbers:
        odd.steps.append(entry.decode())
        change.add_entry(document.numbers[part], entry)


def unused(change, document, odd):
    """Objects that nothing refers to, as complete as readers could wish for them."""
    first = change.size
    kind = odd.one("unused", "document", "document", "page", "form", "old", "section", "packed", "content")
    tree = forgeries.new_tree(document, "fresh", first)
    if kind == "page":
        tree = {n: body for n, body in tree.items() if b"/Catalog" not in body}
    elif kind == "content":
        tree = {first: tree[first]}
    elif kind == "form":
        tree = {first: forgeries.cover(document), first + 1: (
            b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /V (EVIL) /F 4 /Rect [0 0 595 842] /P %d 0 R"
            b" /AP << /N %d 0 R >> >>" % (document.numbers["page"], first))}
    elif kind == "old":
        tree = dict(zip(range(first, first + 9), forgeries.bodies(document, odd).values()))
    elif kind == "section":
        tree = {first: update.stream(
            b"\1\0\0\0\x0f\0\0", b"/Type /XRef /W [1 4 2] /Index [4 1] /Size 60 /Root %d 0 R "
            % document.numbers["root"])}
    elif kind == "packed":
        tree = {first: forgeries.packed(document, forgeries.bodies(document, odd))}
    for number, body in tree.items():
        change.put(number, body)


def secret(document, odd):
    """What a reader that rebuilds a file might take for parts of it."""
    forged = forgeries.bodies(document, odd)
    head = odd.one("head", *odd.random.choice(forgeries.HEADS))
    end = odd.pick("text.end", forgeries.ENDS[0], *forgeries.ENDS)
    objects = b"".join(head.replace(b"N", b"%d" % number) + body + end for number, body in forged.items())
    trailer = forgeries.trailer(document, forged, document.section)
    table = b"xref\n0 1\n0000000000 65535 f \n"
    before = odd.pick("text.before", b"\n", b"", b" ", b"endstream\nendobj\n", b"x", b"%", b"%PDF-1.4\n",
                      b" " * 1100, b"\nendobj\n", b"\0")
    return before + odd.pick(
        "text.text", objects, objects + trailer, trailer, table + trailer,
        objects + table + trailer + b"startxref\n0\n%%EOF\n",
        b"startxref\n%d\n%%%%EOF\n" % document.sections[-1], forgeries.other_document(document))


def contained(text, odd):
    """An object around a text that should mean nothing."""
    kind = odd.one("container", "stream", "stream", "stored", "string", "comment")
    entries = odd.pick("text.entries", b"", b"/Type /Metadata /Subtype /XML ", b"/Type /EmbeddedFile ",
                       b"/Type /XObject /Subtype /Form /BBox [0 0 1 1] ", b"/Type /XRef ", b"/Type /ObjStm ",
                       b"/F (x) ", b"/DecodeParms [null] ")
    if kind == "stream":
        return update.stream(text, entries)
    if kind == "stored":
        return update.stream(zlib.compress(text, 0), b"/Filter /FlateDecode " + entries)
    if kind == "string":
        return b"<< /Title (" + text + b") >>"
    return b"<< %" + text.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n/Unused null >>"
