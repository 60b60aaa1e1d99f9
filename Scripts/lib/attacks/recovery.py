"""Ends of files that make a reader rebuild a document, and what it then finds there."""

import io

import pdf_fixtures
from attacks import forge, update
from attacks.bases import (
    AMOUNT, CATALOG, FORM, INFO, PAGE, TEXT, TEXT_TWO, contract_objects, write)
from attacks.case import ERROR, FF, PASS, Case, indeterminate
from attacks.incremental import FORGED

DOUBTFUL = indeterminate() | FF | ERROR
# Readers look for startxref in so many bytes at most.
WINDOW = 1100


def cases(kit):
    for family in (spelled, forged, pushed_away, packed_twice, hybrids, unlisted, missing):
        yield from family(kit)


def ending(
        data, *, before=b"", keyword=b"xref\n", head=b"%d 1\n", entry=b"%010d %05d n \n",
        generation=0, between=b"", trailer=b"trailer\n", root=b"/Root 1 0 R", size=0, extra=b"",
        startxref=b"startxref\n%d\n", shift=0, after=b"%%EOF\n"):
    """A document with new information appended by a table, each part as told."""
    change = update.Update(data)
    out = change.base + before
    place = len(out)
    number = change.size
    out += b"%d 0 obj\n<< /Trapped /True >>\nendobj\n" % number
    start = len(out)
    out += keyword + b"0 1\n0000000000 65535 f \n" + head % number + entry % (place, generation)
    out += between + trailer + b"<< /Size %d %s /Info %d 0 R /Prev %d%s >>\n" % (
        number + 1 + size, root, number, change.previous, extra)
    return out + startxref % (start + shift) + after


def decoy(number=TEXT):
    return b"%d 0 obj\n" % number + update.stream(FORGED) + b"\nendobj\n"


SPELLINGS = {
    "entry-19": {"entry": b"%010d %05d n\n"}, "entry-21": {"entry": b"%010d %05d n  \n"},
    "entry-short": {"entry": b"%d %d n \n"}, "entry-wide": {"entry": b"%011d %05d n \n"},
    "entry-letter": {"entry": b"%010d %05d N \n"}, "entry-joined": {"entry": b"%010d %05dn \n"},
    "generation": {"generation": 1}, "head-space": {"head": b"%d  1\n"},
    "head-return": {"head": b"%d 1\r"}, "head-comment": {"head": b"%d 1%%x\n"},
    "head-joined": {"head": b"%d 1 "}, "head-plus": {"head": b"+%d 1\n"},
    "keyword-comment": {"keyword": b"xref%x\n"}, "keyword-joined": {"keyword": b"xref "},
    "keyword-junk": {"keyword": b"xxref\n"}, "trailer-twice": {"trailer": b"trailer\ntrailer\n"},
    "trailer-none": {"trailer": b""}, "trailer-comment": {"trailer": b"%trailer\n"},
    "no-root": {"root": b""}, "root-null": {"root": b"/Root null"},
    "root-twice": {"root": b"/Root 900 0 R /Root 1 0 R"},
    "root-escaped": {"root": b"/Ro#6ft 900 0 R /Root 1 0 R"},
    "size-less": {"size": -1}, "xrefstm-far": {"extra": b" /XRefStm 99999999"},
    "previous-twice": {"extra": b" /Prev 9"}, "startxref-comment": {"startxref": b"%%startxref\n%d\n"},
    "startxref-junk": {"startxref": b"xstartxref\n%d\n"}, "startxref-slash": {"startxref": b"/startxref\n%d\n"},
    "startxref-case": {"startxref": b"STARTXREF\n%d\n"}, "startxref-real": {"startxref": b"startxref\n%d.0\n"},
    "startxref-plus": {"startxref": b"startxref\n+%d\n"}, "startxref-off": {"shift": 1},
    "startxref-before": {"shift": -3}, "startxref-inner": {"startxref": b"startxref\n%%c\n%d\n"},
}


def spelled(kit):
    """The honest part is spelled so that some readers give it up; a forged object stands near."""
    for level in (0, 1):
        for kind, data in kit.kinds(level):
            for name, parts in SPELLINGS.items():
                yield Case("REC-1", f"{name}-p{level}-{kind}",
                           "a section is not spelled as it must be, before it a forged object",
                           ending(data, before=decoy(), **parts), DOUBTFUL)


def tree(first=50):
    """A page tree of its own and a trailer that leads to it."""
    return (
        b"%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n%d 0 obj\n<< /Type /Pages /Kids"
        b" [%d 0 R] /Count 1 >>\nendobj\n%d 0 obj\n<< /Type /Page /Parent %d 0 R /MediaBox"
        b" [0 0 595 842] /Contents %d 0 R >>\nendobj\n" % (
            first, first + 1, first + 1, first + 2, first + 2, first + 1, first + 3)
        + decoy(first + 3) + b"trailer\n<< /Size 60 /Root %d 0 R >>\n" % first)


def forged(kit):
    """Forged parts that no section lists, at every place of an honest revision."""
    other = write(contract_objects())
    pieces = {
        "object": decoy(), "tree": tree(), "document": other, "comment": b"%\r" + decoy(),
        "form-feed": b"%x\f\r" + decoy(), "string": b"(" + decoy() + b")", "open": b"<< /A ",
        "header": b"%PDF-1.7\n", "startxref": b"startxref\n9\n%%EOF\n", "trailer":
        b"trailer\n<< /Root 50 0 R >>\n", "word": b"junk\n"}
    for level in (0, 1):
        for kind, data in kit.kinds(level):
            for name, piece in pieces.items():
                for place in ("before", "between", "after"):
                    whole = b"%%EOF\n" + piece if place == "after" else piece
                    yield Case("REC-2", f"{name}-{place}-p{level}-{kind}",
                               "what no section lists stands in an honest revision",
                               ending(data, **{place: whole}), DOUBTFUL)
            yield Case("REC-2", f"nothing-p{level}-{kind}", "an honest revision",
                       ending(data),
                       DOUBTFUL if kind == "streams" else PASS | FF if level else PASS)


def prepared(secret, inside):
    """A document with a secret in a stream that nothing uses, or between its objects."""
    objects = contract_objects()
    number = max(objects) + 1
    if inside:
        objects[number] = update.stream(b"x\n" + secret)
        return write(objects)
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    for number in sorted(objects):
        writer.object(number, objects[number])
    writer.put(secret)
    writer.finish(CATALOG, INFO)
    return out.getvalue()


def pushed_away(kit):
    """So much filling behind the end that readers find no startxref, and rebuild the file."""
    secrets = {"object": decoy(), "tree": tree(),
               "page": b"%d 0 obj\n" % PAGE + contract_objects()[PAGE].replace(
                   b"4 0 R", b"60 0 R") + b"\nendobj\n" + decoy(60)}
    for name, secret in secrets.items():
        for inside in (True, False):
            data = kit.sign(prepared(secret, inside))
            for fill, filling in (
                    ("space", b" " * WINDOW), ("nul", b"\0" * WINDOW), ("lines", b"\n" * WINDOW),
                    ("comment", b"%" + b"x" * WINDOW + b"\n")):
                where = "inside" if inside else "between"
                yield Case("REC-3", f"{name}-{where}-{fill}",
                           "filling hides startxref, and a signed decoy is the last of its number",
                           data + filling, DOUBTFUL)
                yield Case("REC-3", f"{name}-{where}-{fill}-update",
                           "the same behind an honest revision",
                           ending(data, after=b"%%EOF\n" + filling), DOUBTFUL)
            for blank, about in ((b" ", "spaces"), (b"\n", "lines"), (b"\0", "nul")):
                yield Case("REC-3", f"{name}-{'inside' if inside else 'between'}-{about}-spread",
                           "white space at each place of the end that allows some",
                           ending(data, startxref=b"startxref\n" + blank * 500 + b"%d\n",
                                  after=blank * 500 + b"\n%%EOF\n" + b"\n" * 400), DOUBTFUL)
    yield Case("REC-3", "little", "a little white space in the same places",
               ending(kit.base(), startxref=b"startxref\n\n%d\n", after=b"\n%%EOF\n\n"), PASS)


def packed_twice(kit):
    """An object stream that holds a number twice: readers take one or the other."""
    data = kit.base(streams=True)
    for first in (True, False):
        change = update.Update(data)
        text = change.new(update.stream(FORGED))
        good = change.old(PAGE)
        evil = good.replace(b"4 0 R", b"%d 0 R" % text)
        pair = [evil, good] if first else [good, evil]
        head = b"%d 0 %d %d\n" % (PAGE, PAGE, len(pair[0]) + 1)
        container = change.new(update.stream(
            head + b"\n".join(pair), b"/Type /ObjStm /N 2 /First %d " % len(head)))
        change.packed[PAGE] = (container, 1 if first else 0)
        yield Case("REC-4", f"evil-{'first' if first else 'last'}",
                   "an object stream holds the page twice", change.finish(), DOUBTFUL)


def hybrids(kit):
    """Sections of two kinds that say different things (ISO 32000-2 §7.5.8.4)."""
    for level in (0, 1):
        data = kit.base(level)
        base = update.Update(data).base
        place = len(base)
        shadow = base + decoy()
        section = len(shadow)
        shadow += b"xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size 40 /Root 1 0 R /Prev %d >>\n" % (
            TEXT, place, update.last_startxref(data))
        for name, entries in (
                ("previous", b"/Prev %d " % section), ("root", b"/Root 900 0 R "),
                ("index", b"/Index [%d 1] " % TEXT)):
            stream_place = len(shadow)
            rows = b"\1" + place.to_bytes(4, "big") + b"\0\0"
            index = b"" if b"Index" in entries else b"/Index [39 1] "
            out = shadow + b"39 0 obj\n" + update.stream(
                rows if not index else b"\1" + stream_place.to_bytes(4, "big") + b"\0\0",
                b"/Type /XRef /W [1 4 2] /Size 40 " + index + entries) + b"\nendobj\n"
            yield Case("REC-5", f"{name}-p{level}",
                       "the dictionary or the entries of /XRefStm lead elsewhere",
                       ending(out, extra=b" /XRefStm %d" % stream_place).replace(
                           b"/Prev %d /XRefStm" % section, b"/Prev %d /XRefStm"
                           % update.last_startxref(data)), DOUBTFUL)
        hidden = ending(data, between=b"%d 1\n0000000000 00001 f \n" % TEXT)
        yield Case("REC-5", f"freed-p{level}", "a table frees the text that older sections list",
                   hidden, DOUBTFUL)


def unlisted(kit):
    """Signed documents that some readers rebuild, and what these find."""
    def by_hand(data):
        return forge.embed(data, lambda digest: forge.simple(kit.pki.signer, digest))

    for name, secret in (("honest", b""), ("object", decoy()), ("tree", tree()),
                         ("generation", decoy().replace(b" 0 obj", b" 1 obj"))):
        for inside in ((False,) if name == "honest" else (True, False)):
            data = prepared(secret, inside)
            zero = data.replace(b"/Size ", b"/Prev 0 /Size ")
            yield Case("REC-6", f"previous-{name}-{'inside' if inside else 'between'}",
                       "the first section's /Prev is 0, for which some readers rebuild the file",
                       by_hand(zero), DOUBTFUL if secret else PASS)
            for count in (1, 2, 10):
                table = data.rindex(b"\nxref\n") + 1
                spaced = data[:table] + b"\n" * count + data[table:]
                yield Case("REC-6", f"space-{count}-{name}-{'inside' if inside else 'between'}",
                           "white space before the first table, for which some readers rebuild the file",
                           by_hand(spaced), DOUBTFUL if secret else PASS)
            change = update.Update(by_hand(data))
            change.new(b"<</Type/Unused>>")
            later = change.finish()
            place = update.last_startxref(later)
            fed = (later[:place] + b"\f" + later[place:]).replace(
                b"startxref\n%d\n" % place, b"startxref\n%d\n" % (place + 1))
            yield Case("REC-6", f"fed-{name}-{'inside' if inside else 'between'}",
                       "a form feed before the newest section, for which pypdf rebuilds the file",
                       fed, DOUBTFUL if secret else PASS)
    data = write(contract_objects())
    place = data.index(b"%d 0 obj" % TEXT_TWO)
    other = data.replace(b"\n%d 0 obj" % TEXT_TWO, b"\n%d 1 obj" % TEXT_TWO).replace(
        b"%010d 00000 n" % place, b"%010d 00001 n" % place)
    yield Case("REC-6", "generation",
               "a page refers to its text with another generation than it is listed with",
               by_hand(other), DOUBTFUL)
    objects = contract_objects()
    objects[PAGE] = objects[PAGE].replace(b"/Contents 4 0 R", b"/Contents [4 0 R 900 0 R]")
    # Signing lists the number as null, which ends the search.
    for name, secret in (("alone", b""), ("object", decoy(900))):
        out = io.BytesIO()
        writer = pdf_fixtures.Writer(out)
        for number in sorted(objects):
            writer.object(number, objects[number])
        writer.put(secret)
        writer.finish(CATALOG, INFO)
        yield Case("REC-6", f"missing-{name}",
                   "the page refers to a number that is not listed: some readers look for it",
                   kit.sign(out.getvalue()), PASS)


def missing(kit):
    """An update refers to what is not there: viewers that look for it rebuild the file."""
    removed = update.Update(prepared(b"", True))
    number = removed.size - 1
    removed.free(number)
    table = write(contract_objects())
    for name, data, streams, absent in (
            ("nothing-else", table, False, 900),
            ("unlisted", prepared(decoy(), False), False, 900),
            ("inside", prepared(decoy(), True), False, 900),
            ("removed", removed.finish(), False, number),
            ("packed", write(contract_objects(), True), False, 900),
            ("packed-stream", write(contract_objects(), True), True, 900)):
        signed = kit.sign(data)
        reference = b"%d 0 R" % absent
        for place, holder, entry in (
                ("form", FORM, b"/Q " + reference), ("layers", CATALOG, b"/OCProperties " + reference),
                ("field", AMOUNT, b"/MK " + reference), ("resources", FORM, b"/DA (x) /DR " + reference),
                ("comment", None, b"/Contents " + reference)):
            change = update.Update(signed, streams)
            if holder and place != "resources":
                change.add_entry(holder, entry)
            elif holder:
                # Only what the form did not have so far may lead nowhere without being noticed.
                change.edit(holder, rb"/DR\s*<<", b"/DR << /XObject " + reference + b" ")
            else:
                change.append_to(PAGE, b"/Annots", b"%d 0 R" % change.new(
                    b"<< /Type /Annot /Subtype /Text /Rect [9 9 29 29] " + entry + b" >>"))
            yield Case("REC-7", f"{name}-{place}", "an update refers to a missing object",
                       change.finish(), DOUBTFUL)
        information = update.Update(signed, streams)
        information.new(b"<< /X 1 >>")
        yield Case("REC-7", f"{name}-information", "the information is a missing object",
                   information.finish(Info=reference), DOUBTFUL)
