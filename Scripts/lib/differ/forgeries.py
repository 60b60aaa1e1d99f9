"""What an attacker would have a lenient reader find: objects and sections that show EVIL."""

import re

from attacks import update

# Odd spellings of `N 0 obj`, by the part that is odd; N stands for the number.
SPACES = (b"\n", b"\r", b"\0", b"\x0b", b"\x85", b"", b"  ", b"%c\n", b"%c\r", b"%\n%c\n")
HEADS = (
    [number + b" 0 obj\n" for number in (
        b"0N", b"000000000000000N", b"+N", b"-N", b"N.0", b"N.", b"xN", b"/N", b"N/", b"#N")],
    [b"N" + space + b"0 obj\n" for space in SPACES],
    [b"N 0" + space + b"obj\n" for space in SPACES],
    [b"N" + space + b"0" + space + b"obj\n" for space in SPACES],
    [b"N " + generation + b" obj\n" for generation in (
        b"1", b"00", b"000000", b"+0", b"-0", b"0.0", b"65536", b"99999999999")],
    [b"N 0 " + word for word in (
        b"obj ", b"obj", b"obj1\n", b"objx\n", b"obj%c\n", b"obj\r", b"obj\0", b"obj/", b"Obj\n", b"obj obj\n",
        b"\n", b"endobj\n")],
    [before + b"N 0 obj\n" for before in (
        b" ", b"x", b"%c\r", b"1 ", b"endobj", b"endobj ", b"endstream ", b"%PDF-1.4\n", b"\0", b"obj ")])
ENDS = (b"\nendobj\n", b"", b"\n", b" endobj\n", b"\nendobj", b"\nendobjx\n", b"\nendobj endobj\n",
        b"endobj ", b"\nendobj%x\n", b"\r\nendobj\r\n", b"\nendobj\n\0", b"\nendobj1\n", b"\nendobj\0",
        b"\nendstream\nendobj\n", b"\n>>\nendobj\n", b"\nend obj\n")
EVIL = b"0.9 g 0 0 595 842 re f 0 g BT /F1 18 Tf 72 700 Td (EVIL pay 900 to Mallory) Tj ET"
# Where a reader stops looking for the end, or for the beginning.
WINDOWS = (900, 1030, 1500, 2100, 4200)


def head(odd, name, number):
    """An object's first line, usually as a correct writer would spell it."""
    return odd.pick(name, b"N 0 obj\n", *odd.random.choice(HEADS)).replace(b"N", b"%d" % number)


def content(document, entries=b""):
    """A content stream that every reader shows, encrypted or not."""
    if document.encrypted:
        entries += b"/Filter [/Crypt] /DecodeParms [<< /Name /Identity >>] "
    return update.stream(EVIL, entries)


def cover(document):
    """A look that covers a page."""
    return content(document, b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /Font <<"
                   b" /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> ")


def bodies(document, odd):
    """Numbers and bodies of forged objects that together show something else."""
    numbers, free = document.numbers, document.size + 40
    kind = odd.one("forged", "text", "page", "pages", "root", "font", "look", "fresh", "dangling")
    if kind == "text" and "text" in numbers:
        return {numbers["text"]: content(document)}
    if kind == "page" and "page" in numbers:
        page = re.sub(rb"/Contents\s*(\d+ \d+ R|\[[^\]]*\])", b"/Contents %d 0 R" % free,
                      document.bodies["page"])
        return {free: content(document), numbers["page"]: page}
    if kind == "font" and "font" in numbers:
        font = (b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Type /Encoding"
                b" /BaseEncoding /WinAnsiEncoding /Differences [49 /nine] >> >>")
        return {numbers["font"]: font}
    if kind == "look" and "look" in numbers:
        return {numbers["look"]: update.form(b"BT /F1 12 Tf 4 6 Td (EVIL 900) Tj ET",
                                             b"0 0 200 20")}
    if kind == "dangling":
        return {900: content(document), 901: content(document)}
    return new_tree(document, kind, free)


def new_tree(document, kind, free):
    """A page tree of its own, under the numbers of the signed one or under new ones."""
    pages = document.numbers.get("pages", free + 2) if kind == "pages" else free + 2
    root = free + 3 if kind == "fresh" else document.numbers["root"]
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    found = {
        free: content(document),
        free + 1: b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
                  b" /Resources << /Font << /F1 %s >> >> >>" % (pages, free, font),
        pages: b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (free + 1)}
    if kind != "pages":
        found[root] = b"<< /Type /Catalog /Pages %d 0 R >>" % pages
    return found


def root_of(forged, document):
    """The catalog that a forged trailer names."""
    named = [n for n, body in forged.items() if b"/Type /Catalog" in body]
    return named[0] if named else document.numbers["root"]


def raw_objects(tail, forged, odd):
    """The objects as they would stand in a file; marks where each does."""
    for number, body in forged.items():
        tail.mark(f"forged {number}")
        tail.put(head(odd, "spell.head", number) + body)
        tail.put(odd.pick("spell.end", *ENDS))


def trailer(document, forged, previous):
    return b"trailer\n<< /Size %d /Root %d 0 R /Prev %d >>\n" % (
        document.size + 60, root_of(forged, document), previous)


def section(tail, document, forged, odd, name):
    """A forged table with its trailer, without startxref."""
    tail.mark(name)
    tail.put(b"xref\n0 1\n0000000000 65535 f \n")
    for number in forged:
        label = f"forged {number}"
        tail.put(b"%d 1\n" % number)
        tail.late(lambda place, label=label: b"%010d 00000 n \n" % (
            place(label) if label in tail.marks else 0))
    tail.put(trailer(document, forged, odd.one(
        "previous", document.section, document.sections[-1])))


def stream_section(tail, document, forged, name):
    """The same as a cross-reference stream."""
    own = document.size + 55
    tail.mark(name)
    labels = {number: f"forged {number}" for number in forged}
    index = b" ".join(b"%d 1" % number for number in forged)

    def made(place):
        rows = b"".join(
            b"\1" + (place(label) if label in tail.marks else 0).to_bytes(4, "big") + b"\0\0"
            for label in labels.values())
        return b"%d 0 obj\n" % own + update.stream(
            rows, b"/Type /XRef /W [1 4 2] /Index [%s] /Size %d /Root %d 0 R /Prev %d " % (
                index, document.size + 60, root_of(forged, document), document.section)
        ) + b"\nendobj\n"

    tail.late(made)


def other_document(document):
    """A whole PDF that has nothing to do with the signed one, its offsets counted from itself."""
    out, places = b"%PDF-1.7\n", {}
    for number, body in new_tree(document, "fresh", 1).items():
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(out)
    rows = b"".join(b"%010d 00000 n \n" % places[n] for n in sorted(places))
    return out + b"xref\n0 5\n0000000000 65535 f \n" + rows + (
        b"trailer\n<< /Size 5 /Root 4 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)


def piece(tail, document, odd):
    """Something between the parts of a revision: filling, or what a reader may take for real."""
    if odd.happens("filler"):
        filler(tail, odd)
    if not odd.happens("forge"):
        return
    forged = bodies(document, odd)
    kind = odd.one(
        "piece", "objects", "objects", "trailer", "section", "revision", "stream", "document",
        "copy", "comment", "header", "startxref", "packed")
    name = f"forged section {len(tail.atoms)}"
    if kind in ("objects", "section", "revision", "stream"):
        raw_objects(tail, forged, odd)
    if kind == "trailer":
        tail.put(trailer(document, forged, document.section))
    elif kind in ("section", "revision"):
        section(tail, document, forged, odd, name)
    elif kind == "stream":
        stream_section(tail, document, forged, name)
    elif kind == "document":
        tail.put(other_document(document))
    elif kind == "copy":
        tail.put(copied(document, odd))
    elif kind == "comment":
        joined = b" ".join(b"%d 0 obj %s endobj" % pair for pair in forged.items())
        tail.put(b"%" + odd.one("comment", b"", b"\r", b"x\f", b"\0", b"%EOF\r", b"\x85") +
                 joined.replace(b"\n", odd.one("comment-lines", b" ", b"\r", b"\n")) + b"\n")
    elif kind == "header":
        tail.put(odd.one("header", b"%PDF-1.7\n", b"%PDF-2.0\r%\xe2\xe3\n", b"%!PS-Adobe PDF-1.4\n"))
    elif kind == "packed":
        tail.put(b"%d 0 obj\n" % (document.size + 70) + packed(document, forged) + b"\nendobj\n")
    if kind == "revision" or (kind in ("trailer", "section", "stream") and odd.happens("forge")):
        tail.put(b"startxref\n")
        tail.late(lambda place: b"%d\n" % place(name) if name in tail.marks else b"0\n")
        tail.put(odd.pick("spell.forged-eof", b"%%EOF\n", b""))
    elif kind == "startxref":
        tail.put(b"startxref\n%d\n%%%%EOF\n" % odd.one(
            "forged-start", 0, document.section, document.sections[-1], 1))


def packed(document, forged):
    """An object stream with the objects that may stand in one."""
    plain = {n: body for n, body in forged.items() if b"stream\n" not in body} or {
        document.numbers.get("font", 5): b"<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>"}
    return update.object_stream(plain)


def copied(document, odd):
    """A part of the signed bytes once more: an older section, an object, an end."""
    data = document.data
    kind = odd.one("copy", "end", "section", "object", "beginning")
    if kind == "end":
        return data[document.section :]
    if kind == "section":
        start = document.sections[-1]
        return data[start : data.find(b"%%EOF", start) + 6]
    if kind == "object":
        start = data.find(b"%d 0 obj" % odd.number(1, 9))
        return data[max(0, start) : data.find(b"endobj", max(0, start)) + 7]
    return data[: odd.number(10, 900)]


def filler(tail, odd):
    """What stands for nothing, in lengths that matter to readers."""
    kind = odd.one("fill", "space", "nul", "line", "comment", "return", "mixed", "form-feed",
                   "long-comment", "ends", "open-comment", "words")
    size = odd.random.choice((1, 2, 5, *WINDOWS))
    tail.put({
        "space": b" " * size, "nul": b"\0" * size, "line": b"\n" * size, "return": b"\r" * size,
        "form-feed": b"\f" * size, "comment": b"%" + b"x" * min(size, 60) + b"\n",
        "mixed": b"\0\t\n\f\r " * (size // 6 + 1), "long-comment": b"%" + b" " * size + b"\n",
        "ends": b"%%EOF\n" * min(size, 8), "open-comment": b"%" + b"y" * min(size, 60),
        "words": b"%this is not for you\r%\xff\xfe\n"}[kind])
