"""What stands behind the signed end that no section lists, what of the signed revision does not end
there, and what readers take for different things; with honest updates that look alike."""

import re

from attacks import forge, update
from attacks.bases import (
    AMOUNT, CATALOG, CONTENT, IMAGE, PAGE, PAGE_TWO, PAGES, TEXT, TEXT_TWO, contract_objects, write)
from attacks.case import ERROR, FF, PASS, Case, indeterminate
from attacks.incremental import FORGED

DOUBT = indeterminate("SIG_CONSTRAINTS_FAILURE")
DANGLING = 900


def cases(kit):
    for family in (
            unlisted, spelled, open_ended, unreadable, containers, hybrids, ambiguous, honest):
        yield from family(kit)


def forged_text():
    return b"%d 0 obj\n" % TEXT + update.stream(FORGED) + b"\nendobj\n"


def empty_update(data, streams=False):
    """An update that changes nothing, with a section of its own."""
    return update.Update(data, streams=streams)


def unlisted(kit):
    """A forged object that no section lists, around an update that changes nothing."""
    for level in (0, 1, 3):
        for name, data in kit.kinds(level):
            base = data if data.endswith(b"\n") else data + b"\n"
            label = f"p{level}-{name}"

            def case(variant, about, out):
                return Case("END-1", f"{variant}-{label}", about, out, FF | ERROR)

            streams = name == "streams"
            place = len(base)
            yield case("before", "an unlisted object before an empty update",
                       empty_update(base + forged_text(), streams).finish())
            yield case("comment", "an unlisted object behind a comment sign",
                       empty_update(base + b"%" + forged_text(), streams).finish())
            yield case("null-bytes", "an unlisted object between NUL bytes",
                       empty_update(base + bytes(8) + forged_text() + bytes(8), streams).finish())
            change = empty_update(base, streams)
            out = change.finish()
            section = update.last_startxref(out)
            marker = b"startxref\n%d\n%%%%EOF\n" % section
            yield case("between", "an unlisted object between section and startxref",
                       out.replace(marker, forged_text() + marker))
            yield case("headline", "an unlisted object between %%EOF and the next revision",
                       empty_update(out + forged_text(), streams).finish())
            # A whole forged section that the real one passes over.
            listed = update.Update(data, streams=False)
            listed.put(TEXT, update.stream(FORGED))
            aside = listed.finish()
            last = empty_update(aside, streams)
            yield case("passed-over", "a forged section that the last one's /Prev passes over",
                       last.finish(previous=update.last_startxref(data)))
            yield case("inner-end", "a forged section without its own end before an empty update",
                       empty_update(aside[: aside.rindex(b"startxref")], streams)
                       .finish(previous=update.last_startxref(data)))
            trailer = b"trailer\n<< /Size 99 /Root %d 0 R /Prev %d >>\n" % (
                CATALOG, update.last_startxref(aside))
            yield case("second-trailer", "another trailer behind the empty update's",
                       out.replace(marker, trailer + marker))
            yield case("second-number", "two numbers behind startxref",
                       out.replace(marker, b"startxref\n%d %d\n%%%%EOF\n" % (section, place)))


def spelled(kit):
    """Sections that some readers refuse and repair, with a forged object that only repair finds."""
    for level in (0, 1):
        data = kit.base(level)
        base = (data if data.endswith(b"\n") else data + b"\n") + forged_text()
        out = empty_update(base).finish()
        section = update.last_startxref(out)
        honest_base = data if data.endswith(b"\n") else data + b"\n"
        clean = empty_update(honest_base).finish()
        swaps = (
            ("startxref-comment", b"startxref\n", b"startxref %c\n"),
            ("startxref-space", b"startxref\n%d\n" % section, b"startxref %d\n" % section),
            ("startxref-name", b"startxref\n", b"startxref/\n"),
            ("startxref-twice", b"startxref\n", b"startxref\nstartxref\n"),
            ("startxref-plus", b"startxref\n%d" % section, b"startxref\n+%d" % section),
            ("trailer-space", b"trailer\n<<", b"trailer %\n<<"),
            ("xref-word", b"xref\n0 1\n", b"xref 0 1\n"),
            ("entry-short", b"65535 f \n", b"65535 f\n"),
            ("entry-letter", b"65535 f \n", b"65535 F \n"),
            ("end-glued", b"%%EOF\n", b"%%EOFx\n"),
            ("end-split", b"%%EOF\n", b"%%E OF\n"),
            ("no-root", b"/Root %d 0 R" % CATALOG, b"           "),
            ("real-root", b"/Root %d 0 R" % CATALOG, b"/Root %d. 0 R" % CATALOG),
        )
        for variant, text, other in swaps:
            for kind, source in (("forged", out), ("alone", clean)):
                place = source.rindex(text.replace(
                    b"%d" % section, b"%d" % update.last_startxref(source))
                    if b"startxref\n%d" % section in text else text)
                wanted = text if kind == "forged" else text.replace(
                    b"%d" % section, b"%d" % update.last_startxref(source))
                changed = source[:place] + other.replace(
                    b"%d" % section, b"%d" % update.last_startxref(source)
                ) + source[place + len(wanted):]
                if kind == "alone" and variant in ("startxref-space", "trailer-space"):
                    continue
                yield Case("END-2", f"{variant}-{kind}-p{level}",
                           "a section or its end that readers repair in different ways",
                           changed, FF | ERROR | indeterminate())


def signed_by_hand(kit, objects):
    return forge.embed(write(objects), lambda digest: forge.simple(kit.pki.signer, digest))


def open_ended(kit):
    """A signed stream that has no end before the signed end."""
    last = max(contract_objects()) + 1
    for variant, length in (
            ("direct", b"60000"), ("dangling", b"%d 0 R" % DANGLING), ("missing", None)):
        objects = contract_objects()
        objects[PAGE] = objects[PAGE].replace(b"/Contents 4 0 R", b"/Contents [4 0 R %d 0 R]" % last)
        head = b"<< /Length %s >>" % length if length else b"<< >>"
        objects[last] = head + b"\nstream\nq Q"
        data = signed_by_hand(kit, objects)
        yield Case("END-3", f"{variant}-before", "a signed stream without an end", data,
                   DOUBT | FF | ERROR)
        base = data if data.endswith(b"\n") else data + b"\n"
        tail = FORGED + b"\nendstream\nendobj\n"
        start = base.index(b"stream\nq Q") + len(b"stream\n")
        change = empty_update(base + tail)
        if variant == "direct":
            tail = tail.replace(b"\nendstream", b" " * (60000 - (len(base) - start) - len(FORGED))
                                + b"\nendstream")
            change = empty_update(base + tail)
        if variant == "dangling":
            change.put(DANGLING, b"%d" % (len(base) + len(FORGED) - start))
        yield Case("END-3", variant, "a signed stream that ends in an update", change.finish(),
                   FF | ERROR)
        # The same end inside of a new object, which is listed.
        change = update.Update(data, streams=False)
        change.new(update.stream(FORGED))
        yield Case("END-3", f"{variant}-listed", "a signed stream that ends with a new one",
                   change.finish(), FF | ERROR | DOUBT)


def unreadable(kit):
    """A signed object that strict readers cannot read refers to what is not there yet."""
    place = b"/Resources << /XObject << /X %d 0 R >> >>" % DANGLING
    damages = (
        ("word", b"/Zz foo"), ("hex", b"/Zz <0q>"), ("bracket", b"/Zz ]"), ("key", b"12 /Zz"))
    for variant, damage in damages:
        objects = contract_objects()
        number = max(objects) + 1
        objects[PAGE] = objects[PAGE].replace(
            b"/XObject <<", b"/XObject << /Y %d 0 R" % number)
        objects[TEXT] = update.stream(CONTENT + b"\n/Y Do")
        objects[number] = update.form(b"/X Do", b"0 0 595 842", place + b" " + damage + b" ")
        data = signed_by_hand(kit, objects)
        yield Case("END-4", f"{variant}-before", "a shown object cannot be read", data, DOUBT)
        change = update.Update(data)
        change.put(DANGLING, update.form(FORGED, b"0 0 595 842",
                                         b"/Resources << /Font << /F1 5 0 R >> >> "))
        yield Case("END-4", variant, "an update defines what an unreadable object refers to",
                   change.finish(), FF)


def containers(kit):
    """Object streams and cross-reference streams that are something else too."""
    objects = contract_objects()
    objects[PAGE] = objects[PAGE].replace(
        b"/Contents 4 0 R", b"/Contents [4 0 R %d 0 R]" % DANGLING)
    for streams, name in ((False, "table"), (True, "streams")):
        data = kit.sign(write(objects, streams))
        for variant, entries in (
                ("object-stream", b"/Type /ObjStm /N 0 /First 0 "),
                ("section", b"/Type /XRef /Size 1 /W [1 1 1] "),
                ("metadata", b"/Type /Metadata /Subtype /XML ")):
            change = update.Update(data)
            change.put(DANGLING, update.stream(FORGED, entries))
            yield Case("OBJ-1", f"{variant}-{name}",
                       "a container fills a place that a signed page refers to", change.finish(),
                       FF, "1,000,000")
        if streams:
            change = update.Update(data)
            change.size = DANGLING
            change.pack({PAGES: change.old(PAGES)})
            change.size = max(change.size, DANGLING + 1)
            yield Case("OBJ-1", "own-stream",
                       "the object stream has the number that a signed page refers to",
                       change.finish(), FF)
    data = kit.base(0, True)

    def packed(parts, listed, header=None):
        change = update.Update(data)
        text = change.new(update.stream(FORGED))
        page = change.old(PAGE)
        evil = page.replace(b"4 0 R", b"%d 0 R" % text)
        joined, head = b"", []
        for number, body in parts(page, evil):
            head.append(b"%d %d" % (number, len(joined)))
            joined += body + b"\n"
        first = b" ".join(head) + b"\n"
        change.new(update.stream(first + joined, b"/Type /ObjStm /N %d /First %d " % (
            len(head), len(first))))
        change.packed[PAGE] = (change.size - 1, listed)
        return change.finish()

    for variant, listed, parts in (
            ("first", 1, lambda page, evil: [(PAGE, evil), (PAGE, page)]),
            ("last", 0, lambda page, evil: [(PAGE, page), (PAGE, evil)]),
            ("middle", 2, lambda page, evil: [(PAGE, page), (PAGE, evil), (PAGE, page)]),
            ("unlisted", 0, lambda page, evil: [(PAGE, page), (PAGES + 500, evil)]),
            ("behind", 0, lambda page, evil: [(PAGE, page + b"\n%d 0 obj " % PAGE + evil)])):
        yield Case("OBJ-2", variant, "an object stream that readers take for different objects",
                   packed(parts, listed), FF | DOUBT)


def hybrids(kit):
    data = kit.base()
    base = data if data.endswith(b"\n") else data + b"\n"
    for variant, extra in (
            ("prev", b"/Prev 15"), ("root", b"/Root %d 0 R" % PAGE), ("encrypt", b"/Encrypt 7 0 R"),
            ("again", b"/XRefStm 15")):
        change = empty_update(base)
        own = change.size
        place = len(base)
        stream = change.stream_section(own, {own: place}, b"/Size %d %s" % (own + 1, extra))
        start = place + len(stream)
        yield Case("HYB-1", variant, "the stream of a hybrid section leads elsewhere",
                   base + stream + change.table({}) + b"trailer\n<< /Size %d /Prev %d /Root %d 0 R"
                   b" /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n" % (
                       own + 1, change.previous, CATALOG, place, start), FF | ERROR)
    for number, name in ((TEXT_TWO, "text"), (IMAGE, "picture"), (PAGES, "pages")):
        change = empty_update(base)
        own, place = change.size, len(base)
        stream = change.stream_section(
            own, {number: update.definitions(data)[number], own: place}, b"/Size %d" % (own + 1))
        change.free(number)
        start = place + len(stream)
        yield Case("HYB-2", name, "a table frees what its stream places where it was",
                   base + stream + change.table({}) + b"trailer\n<< /Size %d /Prev %d /Root %d 0 R"
                   b" /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n" % (
                       own + 1, change.previous, CATALOG, place, start), FF | DOUBT | ERROR)
    change = update.Update(kit.base(0, True))
    yield Case("HYB-1", "of-stream", "a cross-reference stream names another one",
               change.finish(XRefStm=b"15"), FF | ERROR)


def ambiguous(kit):
    """Keys that a signed dictionary has twice, with different values."""
    twice = (
        ("contents", PAGE_TWO, b"/Contents 19 0 R", b"/Contents 4 0 R /Contents 19 0 R"),
        ("escaped", PAGE_TWO, b"/Contents 19 0 R", b"/C#6fntents 4 0 R /Contents 19 0 R"),
        ("box", PAGE_TWO, b"/MediaBox [0 0 595 842]",
         b"/MediaBox [0 0 595 100] /MediaBox [0 0 595 842]"),
        ("font", PAGE_TWO, b"/F1 5 0 R", b"/F1 6 0 R /F1 5 0 R"),
        ("kids", PAGES, b"/Kids [3 0 R 10 0 R]", b"/Kids [10 0 R 3 0 R] /Kids [3 0 R 10 0 R]"),
        ("look", AMOUNT, b"/AP << /N 11 0 R >>", b"/AP << /N 20 0 R >> /AP << /N 11 0 R >>"),
        ("length", TEXT, b"/Length %d" % len(CONTENT), b"/Length 40 /Length %d" % len(CONTENT)),
        ("short-length", TEXT, b"/Length %d" % len(CONTENT), b"/Length 40"),
    )
    for variant, number, text, other in twice:
        objects = contract_objects()
        if text not in objects[number]:
            raise ValueError(f"object {number} has no {text!r}")
        objects[number] = objects[number].replace(text, other, 1)
        yield Case("DUP-1", variant, "a shown dictionary says two things", signed_by_hand(
            kit, objects), DOUBT | FF | ERROR)
    for variant, number, text in (
            ("equal", PAGE_TWO, b"/Contents 19 0 R"),
            ("equal-box", PAGE_TWO, b"/MediaBox [0 0 595 842]")):
        objects = contract_objects()
        objects[number] = objects[number].replace(text, text + b" " + text, 1)
        yield Case("DUP-1", variant, "a shown dictionary says the same twice: harmless",
                   signed_by_hand(kit, objects), PASS)


def honest(kit):
    """Updates that change nothing that counts."""
    for name, data in kit.kinds():
        base = data if data.endswith(b"\n") else data + b"\n"
        streams = name == "streams"
        yield Case("END-5", f"filling-{name}", "a comment between revisions: harmless",
                   empty_update(base + b"% made by a program\n", streams).finish(), PASS)
        yield Case("END-5", f"control-{name}", "NUL bytes between revisions",
                   empty_update(base + b"\0\0\0\n", streams).finish(), DOUBT)
        change = update.Update(data)
        root = change.new(change.old(CATALOG))
        moved = change.finish(Root=b"%d 0 R" % root)
        yield Case("END-5", f"root-{name}", "the catalog is written under another number", moved,
                   PASS)
        change = update.Update(data)
        root = change.new(change.old(CATALOG).replace(b"/Pages 2 0 R", b"/Pages %d 0 R" % PAGE))
        yield Case("END-5", f"root-forged-{name}", "the same, with other pages",
                   change.finish(Root=b"%d 0 R" % root), FF)
        change = update.Update(moved)
        change.put(CATALOG, change.old(CATALOG).replace(b"/Pages 2 0 R", b"/Pages 3 0 R"))
        yield Case("END-5", f"root-left-{name}", "the catalog that is no root any more is forged",
                   change.finish(), FF)
        if not streams:
            out = empty_update(base).finish()
            yield Case("END-5", f"white-space-{name}", "white space where startxref leads",
                       re.sub(rb"xref\n0 1\n(?!.*xref\n0 1\n)", b"\n \nxref\n0 1\n", out,
                              flags=re.DOTALL), PASS)
    yield from extensions(kit)
    yield from stores(kit)


def extensions(kit):
    objects = contract_objects()
    number = max(objects) + 1
    objects[CATALOG] = objects[CATALOG].replace(b"/Lang", b"/Extensions %d 0 R /Lang" % number)
    objects[number] = b"<< /ADBE << /BaseVersion /1.7 /ExtensionLevel 3 >> >>"
    objects[number + 1] = b"<< /Type /Unused >>"
    objects[CATALOG] = objects[CATALOG].replace(
        b"/Lang", b"/DSS << /Certs [] /VRI << /%s << >> >> >> /Lang" % (b"A" * 40))
    for level in (0, 1):
        data = kit.sign(
            write(objects), *(["--certify", "no-changes"] if level else []))
        change = update.Update(data)
        change.put(number, b"<< /ADBE << /BaseVersion /1.7 /ExtensionLevel 8 >>"
                           b" /ISO_ << /BaseVersion /2.0 /ExtensionLevel 32001 >> >>")
        yield Case("END-5", f"extensions-p{level}", "extensions of the version are declared",
                   change.finish(), PASS)
        change = update.Update(data)
        change.put(number, update.stream(FORGED))
        yield Case("END-5", f"extensions-stream-p{level}", "extensions become a stream",
                   change.finish(), FF)
        change = update.Update(data)
        change.free(number + 1)
        yield Case("END-5", f"freed-p{level}", "an object is freed that nothing refers to",
                   change.finish(), PASS)
        change = update.Update(data)
        change.edit(CATALOG, rb"/VRI\s*<<.*?>>\s*>>", b"")
        yield Case("END-5", f"entries-p{level}", "validation data of a signature is taken away",
                   change.finish(), PASS)
        change = update.Update(data)
        change.free(IMAGE)
        yield Case("END-5", f"freed-used-p{level}", "a picture is freed that a page shows",
                   change.finish(), FF)


def stores(kit):
    """Streams of a document security store that are written anew, or freed."""
    objects = contract_objects()
    number = max(objects) + 1
    objects[number] = update.stream(kit.pki.middle.der)
    objects[CATALOG] = objects[CATALOG].replace(
        b"/Lang", b"/DSS << /Certs [%d 0 R] >> /Lang" % number)
    data = kit.sign(write(objects))
    change = update.Update(data)
    change.put(number, update.stream(kit.pki.root.der))
    yield Case("END-5", "store-replaced", "a certificate of the store is replaced",
               change.finish(), PASS)
    change = update.Update(data)
    change.edit(CATALOG, rb"/DSS\s*<<.*?>>", b"")
    change.free(number)
    yield Case("END-5", "store-gone", "the store is taken away and its certificate freed",
               change.finish(), PASS)
    shown = dict(objects)
    shown[PAGE] = shown[PAGE].replace(b"/Contents 4 0 R", b"/Contents [4 0 R %d 0 R]" % number)
    change = update.Update(kit.sign(write(shown)))
    change.put(number, update.stream(FORGED))
    yield Case("END-5", "store-shown", "a stream of the store is shown on a page, and replaced",
               change.finish(), FF)
