"""Incremental updates, spelled as a correct writer would or, where `odd` says so, otherwise."""

import re

from attacks import update
from differ.blocks import changes
from differ.forgeries import ENDS, bodies, head, piece, raw_objects, section, stream_section


def spelled(odd, name, word):
    """A keyword with its line end."""
    return odd.pick(
        f"spell.{name}", word + b"\n", word + b"\r\n", word + b"\r", word + b" \n", word + b"\n\n",
        word + b" ", b" " + word + b"\n", word + b"%c\n", word.upper() + b"\n", word + b"x\n",
        word[:-1] + b"\n", b"x" + word + b"\n", word + b"\0", b"%" + word + b"\n", b"", b"\t" + word +
        b"\n", word + b"\n" + word + b"\n", b"(" + word + b")\n", b"/" + word + b"\n")


def odd_body(body, document, odd):
    """A body with entries twice, comments, other spellings, or another end of its stream."""
    if b"stream\n" in body and odd.happens("object.stream"):
        return odd_stream(body, odd)
    if not body.startswith(b"<<") or not odd.happens("object.body"):
        return body
    evil = odd.one("duplicate", b"/Contents 900 0 R", b"/Type /Catalog", b"/Kids [900 0 R]",
                   b"/V (900)", b"/Pages 900 0 R", b"/AP << >>", b"/Length 5", b"/Fields []")
    kind = odd.one("body", "first", "last", "escaped", "comment", "null", "open", "junk", "nested",
                   "number-key", "close-early")
    inner = body[2:]
    cut = inner.index(b">>") if b">>" in inner else len(inner)
    return {
        "first": b"<< " + evil + inner, "last": b"<<" + inner[:cut] + evil + inner[cut:],
        "escaped": b"<< " + evil.replace(b"/C", b"/#43").replace(b"/T", b"/#54") + inner,
        "comment": b"<<%" + evil + odd.one("comment", b"\n", b"\r", b"\f") + inner,
        "null": b"<< " + evil.split(b" ")[0] + b" null" + inner, "open": body[:-2],
        "junk": b"<< junk " + inner, "nested": b"<< /A << " + evil + b" >> " + inner,
        "number-key": b"<< 1 2 " + inner,
        "close-early": b"<< /A 1 >> " + body}[kind]


def odd_stream(body, odd):
    """A stream whose length or end lies."""
    kind = odd.one("stream", "short", "long", "none", "indirect", "negative", "twice", "no-end",
                   "cr", "joined", "space", "two-ends", "real")
    length = rb"/Length \d+"
    found = re.search(rb"/Length (\d+)", body)
    if not found:
        return body
    number = int(found.group(1))
    changed = {
        "short": b"/Length %d" % max(0, number - 5), "long": b"/Length %d" % (number + 30),
        "none": b"", "indirect": b"/Length 900 0 R", "negative": b"/Length -1",
        "twice": b"/Length 0 /Length %d" % number, "real": b"/Length %d.0" % number}
    if kind in changed:
        return re.sub(length, changed[kind], body, count=1)
    if kind == "no-end":
        return body.replace(b"\nendstream", b"")
    if kind == "cr":
        return body.replace(b"stream\n", b"stream\r", 1)
    if kind == "joined":
        return body.replace(b"\nendstream", b"endstream")
    if kind == "space":
        return body.replace(b"stream\n", b"stream \n", 1)
    return body + b"\nendstream"


def put_objects(tail, objects, document, odd):
    for number, body in objects.items():
        piece(tail, document, odd)
        tail.mark(f"object {number}")
        tail.put(head(odd, "head", number))
        tail.put(odd_body(body, document, odd))
        tail.put(odd.pick("head.end", *ENDS))


def pack(objects, document, odd):
    """The objects that stay beside an object stream, with it, and the rows of those in it."""
    packed = {n: body for n, body in objects.items() if b"stream\n" not in body and b"/ByteRange" not in body}
    if not packed or not odd.happens("packed"):
        return objects, []
    container = max([document.size, *objects]) + 1
    rows = [(number, 2, container, index) for index, number in enumerate(packed)]
    kept = {n: body for n, body in objects.items() if n not in packed}
    if odd.happens("packed.more"):
        packed.update({n: body for n, body in bodies(document, odd).items() if b"stream\n" not in body})
    body = update.object_stream(packed)
    lie = odd.pick("packed.lie", None, rb"/N \d+", rb"/First \d+", rb"/Type /ObjStm", rb"\n\d+ 0")
    if lie:
        body = re.sub(lie, odd.one("lie", b"", b"/Extends 900 0 R /N 1", b"/N 99", b"/First 1", b"\n3 0",
                                   b"\n900 1"), body, count=1)
    return {**kept, container: body}, rows


def entry(tail, number, kind, label, odd, lies):
    """One line of a table."""
    shift = odd.pick("table.offset", 0, 1, -1, 2, -2, 9, -20, "forged", "first")
    generation = odd.pick("table.generation", 0, 1, 65535, 2)
    letter = odd.pick("table.letter", kind, b"f" if kind == b"n" else b"n", b"N", b"x", b"", b"nn")
    end = odd.pick("spell.entry-end", b" \n", b"\r\n", b"\n", b"\r", b" \r", b"  \n", b"\n\n", b"",
                   b"%\n")
    form = odd.pick("spell.entry", b"%010d %05d ", b"%d %d ", b"%010d  %05d ", b"%011d %05d ",
                    b"%010d %d ", b"%09d %05d ", b"%010d %05d")

    def made(place):
        offset = place(label) if label else 0
        if shift == "forged":
            offset = lies
        elif shift == "first":
            offset = 15
        else:
            offset += shift
        gen = generation if label else 65535 if number == 0 else generation
        return form % (max(0, offset), gen) + letter + end

    tail.late(made)


def put_table(tail, document, objects, odd, lies):
    """A table; `lies`: the place of something forged."""
    tail.mark("section")
    tail.put(spelled(odd, "xref", b"xref"))
    # Readers treat tables that do not begin with object 0 in other ways.
    numbers = odd.random.choice(([0], [])) + sorted(objects)
    extra = odd.pick("table.extra", None, document.numbers.get("text", 4), document.size + 7, 1, 900)
    if extra is not None and extra not in numbers:
        numbers.append(extra)
    for number in numbers:
        label = f"object {number}" if number in objects else None
        first = number + odd.pick("table.first", 0, 1, -1)
        count = odd.pick("table.count", 1, 0, 2, 99)
        head = odd.pick("spell.subsection", b"%d %d\n", b"%d %d \n", b"%d %d\r", b"%d  %d\n",
                        b"0%d %d\n", b"%d %d%%\n", b"%d %d ", b"%d\n%d\n", b"+%d %d\n", b" %d %d\n")
        tail.put(head % (max(0, first), count))
        kind = b"n" if label else b"f"
        if number == extra and odd.happens("table.extra-used"):
            kind = b"n"
        entry(tail, number, kind, label, odd, lies)
        if odd.happens("table.again"):
            tail.put(b"%d 1\n" % number)
            entry(tail, number, b"n", label or None, odd, lies)
    piece(tail, document, odd)
    tail.put(odd.pick("blank.trailer", b"", b" " * 1000, b"\n" * 1000, b"\0\f\t" * 300))
    tail.put(spelled(odd, "trailer", b"trailer"))
    put_trailer(tail, document, objects, odd, lies)


def trailer_entries(document, objects, odd, lies, own=None):
    """The text of a trailer's entries."""
    top = max([document.size - 1, *objects, *([own] if own else [])]) + 1
    size = odd.pick("trailer.size", b"%d" % top, b"%d" % (top + 1), b"%d" % (top - 1), b"5", b"0",
                    b"-1", b"99999999999", b"%d.0" % top, b"(9)", None, b"%d /Size 3" % top,
                    b"901", b"1000")
    root = document.entries["/Root"] if "/Root" in document.entries else b"1 0 R"
    root = odd.pick("trailer.root", root, None, b"900 0 R", b"%d 0 R" % (document.size + 43),
                    root + b" /Root 900 0 R", b"900 0 R /Root " + root, root.replace(b" 0 ", b" 1 "),
                    b"<< /Type /Catalog /Pages 900 0 R >>", b"null", root + b" /Ro#6ft 900 0 R")
    previous = odd.pick(
        "trailer.previous", b"%d" % document.section, None, b"0", b"%d" % (document.section + 1),
        b"%d" % (document.section - 1), b"%d" % document.sections[-1], b"%d" % lies,
        b"%d.0" % document.section, b"900 0 R", b"%d /Prev %d" % (document.section, lies),
        b"%d /Prev %d" % (lies, document.section), b"-1", b"99999999999",
        b"%d /Pr#65v %d" % (document.section, lies), b"0%d" % document.section)
    hybrid = odd.pick(
        "trailer.xrefstm", None, b"%d" % lies, b"%d" % document.section, b"0", b"99999999",
        b"%d" % document.sections[-1])
    found = [(b"/Size", size), (b"/Root", root), (b"/Prev", previous), (b"/XRefStm", hybrid)]
    for key in ("/ID", "/Encrypt"):
        if key in document.entries:
            found.append((key.encode(), odd.pick(
                "trailer." + key[1:].lower(), document.entries[key], None, b"null", b"900 0 R")))
    new = [n for n, body in objects.items() if b"/Trapped" in body or b"/Title" in body]
    information = b"%d 0 R" % new[0] if new else document.entries.get("/Info")
    found.append((b"/Info", odd.pick("missing.info", information, b"900 0 R", b"900 0 R", b"900 1 R", None)))
    if odd.happens("trailer.order"):
        found.reverse()
    text = b" ".join(key + b" " + value for key, value in found if value is not None)
    return text + odd.pick("trailer.more", b"", b" /Encrypt 900 0 R", b" %x\n", b" /Type /XRef",
                           b" /W [1 2 1]", b" (startxref 0)", b" junk", b" /Extends 900 0 R") + odd.pick(
                               "missing.trailer", b"", b" /Unused 900 0 R")


def put_trailer(tail, document, objects, odd, lies):
    opening, closing = odd.pick(
        "spell.trailer-dictionary", (b"<< ", b" >>\n"), (b"<<", b">>"), (b"< <", b">>\n"),
        (b"<< ", b"\n"), (b"", b" >>\n"), (b"<<%x\n", b">>%y\n"), (b"<< ", b" >> >>\n"),
        (b"<< ", b" >>\r"), (b"\n<< ", b" >>\nendobj\n"))
    tail.put(opening + trailer_entries(document, objects, odd, lies) + closing)


def put_stream(tail, document, objects, odd, lies, packed):
    """A cross-reference stream as the section. packed: rows of objects in object streams."""
    own = max([document.size, *objects]) + 1
    widths = odd.pick("table.widths", (1, 4, 2), (1, 4, 0), (0, 4, 2), (1, 8, 2), (1, 3, 1),
                      (2, 4, 2), (1, 4, 2, 1))
    entries = trailer_entries(document, objects, odd, lies, own)
    extra = odd.pick("table.extra", None, document.numbers.get("text", 4), 900, 0, 1)
    kind = odd.pick("table.extra-kind", 0, 1, 2, 3, 255)
    shift = odd.pick("table.offset", 0, 1, -1, 9, 2)
    order = odd.pick("table.order", "up", "down", "twice")
    label = odd.pick("spell.type", b"/Type /XRef ", b"", b"/Type /XRef /Type /ObjStm ",
                     b"/Type /Xref ", b"/Type /ObjStm ", b"/T#79pe /XRef ")
    first_line = head(odd, "head.section", own)
    tail.mark("section")

    def made(place):
        rows = [(n, 1, place(f"object {n}") + shift, 0) for n in sorted(objects)]
        rows += [(own, 1, place("section"), 0), *packed]
        if extra is not None:
            rows.append((extra, kind, lies, 0))
        if order == "down":
            rows.reverse()
        elif order == "twice":
            rows += rows[:1]
        index = b" ".join(b"%d 1" % row[0] for row in rows)
        data = b""
        for _, *values in rows:
            for value, width in zip((*values, 0), widths):
                data += (value & (256**width - 1)).to_bytes(width, "big") if width else b""
        return first_line + odd_made(update.stream(
            data, b"%s/W [%s] /Index [%s] %s " % (
                label, b" ".join(b"%d" % w for w in widths), index, entries))) + b"\nendobj\n"

    odd_made = (lambda body: body)
    if odd.happens("object.section-stream"):
        memory = odd.one("stream-end", b"", b"endstream", b"\nendstream junk")
        odd_made = (lambda body: body.replace(b"\nendstream", memory))
    tail.late(made)


def put_end(tail, odd, lies, document):
    """startxref, its number and the end."""
    piece(tail, document, odd)
    tail.put(spelled(odd, "startxref", b"startxref"))
    tail.put(odd.pick("blank.start", b"", b" " * 500, b"\n" * 1000, b"\0" * 1000, b"\t" * 990))
    form = odd.pick("spell.start", b"%d\n", b"%d\r\n", b"%d \n", b" %d\n", b"00%d\n", b"+%d\n",
                    b"%d.0\n", b"%%c\n%d\n", b"%d%%c\n", b"%dx\n", b"", b"%d ", b"%d\n%d\n",
                    b"-%d\n", b"%d")
    shift = odd.pick("start.place", 0, 1, -1, 4, -10, "forged", "old", "zero", "far", "oldest")

    def made(place):
        places = {"forged": lies, "old": document.section, "zero": 0, "far": 10**9,
                  "oldest": document.sections[-1]}
        start = places[shift] if shift in places else place("section") + shift
        return form % ((start,) * form.count(b"%d")) if b"%d" in form else form

    tail.late(made)
    tail.put(odd.pick("blank.end", b"", b" " * 500, b"\n" * 1000, b"\r\n" * 500, b"\0" * 1000))
    piece(tail, document, odd)
    tail.put(odd.pick("spell.eof", b"%%EOF\n", b"%%EOF", b"", b"%EOF\n", b"%%eof\n", b"%%EOF x\n",
                      b"%%EOFx\n", b"\n\n%%EOF\n\n", b" %%EOF\n", b"%%EOF\r", b"%%EOF\n\0\0",
                      b"%%EOF\n%%EOF\n", b"\0%%EOF\n"))


def put_revision(tail, document, odd):
    """One update; returns the objects that it holds."""
    objects = changes(document, odd)
    lies = tail.start
    if odd.happens("lies"):
        forged = bodies(document, odd)
        # What the lies lead to stands first, so that its place is known.
        kind = odd.one("lie", "object", "table", "stream")
        if kind == "table":
            section(tail, document, forged, odd, "lies")
        elif kind == "stream":
            stream_section(tail, document, forged, "lies")
        raw_objects(tail, forged, odd)
    streams = odd.pick("start.kind", document.streams, not document.streams)
    placed, packed = pack(objects, document, odd) if streams else (objects, [])
    put_objects(tail, placed, document, odd)
    piece(tail, document, odd)
    if streams:
        put_stream(tail, document, placed, odd, lies, packed)
    else:
        put_table(tail, document, placed, odd, lies)
    put_end(tail, odd, lies, document)
    tail.put(odd.pick("blank.after", b"", b"\n" * 500, b"\n" * 1000, b"\r" * 1000, b"\r\n" * 499))
    piece(tail, document, odd)
    return objects
