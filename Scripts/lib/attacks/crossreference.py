"""Parser disagreement: cross-references that lead different readers to different objects."""

import hashlib
import io
import re

import pdf_fixtures
from attacks import forge, update
from attacks.bases import (
    AMOUNT_LOOK, CATALOG, INFO, PAGE, PAGES, SANS, TEXT, contract_objects, write)
from attacks.case import ERROR, FF, NO_SIGNATURE, PASS, Case, indeterminate
from attacks.incremental import FORGED, SHOWS, new_content, replaced_content

# Indeterminate at best.
DOUBTFUL = indeterminate() | FF | ERROR


def cases(kit):
    for family in (
            packed, misled, redefined, hybrid, skipped, looping, other_root, duplicate_keys,
            fake_ends, shifted, generations, undefined, beyond_size):
        yield from family(kit)


def packed(kit):
    for level in (0, 1, 2, 3):
        data = kit.base(level, True)
        change = update.Update(data)
        text = change.new(update.stream(FORGED))
        change.pack({PAGE: change.old(PAGE).replace(b"4 0 R", b"%d 0 R" % text)})
        yield Case("XR-1", f"page-p{level}", "an object stream overrides the signed page",
                   change.finish(), FF, SHOWS)
        change = update.Update(data)
        change.pack({SANS: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding <<"
                           b" /BaseEncoding /WinAnsiEncoding /Differences [49 /nine] >> >>"})
        yield Case("XR-1", f"font-p{level}", "an object stream overrides a signed font",
                   change.finish(), FF, "900 EUR")
        change = update.Update(data)
        text = change.new(update.stream(FORGED))
        change.pack({PAGE: change.old(PAGE).replace(b"4 0 R", b"%d 0 R" % text)})
        container = max(change.bodies)
        change.put(container, change.bodies[container].replace(
            b"/Type /ObjStm", b"/Type /ObjStm /Extends 21 0 R"))
        yield Case("XR-1", f"extends-p{level}",
                   "an object stream that extends a signed one overrides the page",
                   change.finish(), FF, SHOWS)


def misled(kit):
    for streams, name in ((False, "table"), (True, "streams")):
        objects = contract_objects()
        decoy = b"%d 0 obj\n" % TEXT + update.stream(FORGED) + b"\nendobj\n"
        number = max(objects) + 1
        objects[number] = update.stream(b"0123456789\n" + decoy)
        data = kit.sign(write(objects, streams))
        place = data.index(decoy)
        change = update.Update(data)
        change.generations[TEXT] = 0
        yield Case("XR-2", f"stream-{name}",
                   "a cross-reference leads into the middle of a signed stream, where an object is",
                   change.finish(lies={TEXT: place}), FF | ERROR, SHOWS)
        start, _ = update.gap(data)
        change = update.Update(data)
        change.generations[TEXT] = 0
        yield Case("XR-2", f"gap-{name}", "a cross-reference leads into the signature's gap",
                   change.finish(lies={TEXT: start + 1}), FF | ERROR)
        # An object hidden in the gap: the string cannot be it, but its end can be moved.
        change = update.Update(data)
        change.generations[PAGE] = 0
        yield Case("XR-2", f"own-section-{name}", "a cross-reference leads to the section itself",
                   change.finish(lies={PAGE: update.last_startxref(data)}), FF | ERROR)


def redefined(kit):
    """Two objects of one number in the signed revision; the cross-reference takes the latter."""
    decoy = b"%d 0 obj\n" % TEXT + update.stream(FORGED) + b"\nendobj\n"
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    for number, body in sorted(contract_objects().items()):
        if number == TEXT:
            writer.put(decoy)
        writer.object(number, body)
    writer.finish(CATALOG, INFO)
    data = out.getvalue()
    yield Case("XR-3", "table", "an object is defined twice in the signed revision",
               kit.sign(data), PASS | indeterminate() | FF)
    change = update.Update(kit.sign(data))
    change.generations[TEXT] = 0
    yield Case("XR-3", "chosen-later", "an update's cross-reference leads to the other one",
               change.finish(lies={TEXT: data.index(b"%d 0 obj" % TEXT)}), FF, SHOWS)


def hybrid_update(data, hidden, table_too=True):
    """An update with a table and an XRefStm; TEXT's forged body is only in the stream."""
    base = data if data.endswith(b"\n") else data + b"\n"
    change = update.Update(data, streams=False)
    shown = contract_objects()[TEXT]
    out = base
    offsets = {TEXT: len(out)}
    out += b"%d 0 obj\n" % TEXT + shown + b"\nendobj\n"
    other = len(out)
    out += b"%d 0 obj\n" % TEXT + hidden + b"\nendobj\n"
    stream_place = len(out)
    own = change.size
    trailer = b" ".join(key.encode() + b" " + value for key, value in change.entries.items())
    change.generations = {}
    out += change.stream_section(
        own, {TEXT: other, own: stream_place}, b"/Size %d %s" % (own + 1, trailer))
    start = len(out)
    out += change.table(offsets if table_too else {})
    out += b"trailer\n<< /Size %d /Prev %d /XRefStm %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        own + 1, change.previous, stream_place, trailer, start)
    return out


def hybrid(kit):
    plain = write(contract_objects())
    hidden = update.stream(FORGED)

    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    yield Case("XR-4", "signed",
               "table and XRefStm of the signed document disagree about an object in use",
               forge.embed(hybrid_update(plain, hidden), build), indeterminate() | FF)
    for level in (0, 1, 3):
        data = kit.base(level)
        yield Case("XR-4", f"update-p{level}",
                   "a later hybrid section: the table repeats the signed object, the stream forges",
                   hybrid_update(data, hidden), FF | indeterminate())
        yield Case("XR-4", f"update-stream-only-p{level}",
                   "a later hybrid section forges an object in its stream alone",
                   hybrid_update(data, hidden, table_too=False), FF | indeterminate())


def skipped(kit):
    for level in (0, 1):
        for name, data in kit.kinds(level):
            first = int(re.findall(rb"startxref\s+(\d+)", data)[0])
            change = replaced_content(data)
            yield Case("XR-5", f"previous-p{level}-{name}",
                       "the update's /Prev leads past the signed section to the one before",
                       change.finish(previous=first), FF | NO_SIGNATURE, SHOWS)
            # The same, with the signed section's objects listed by the update itself.
            change = replaced_content(data)
            document = update.objects_of(data)
            lies, places = {}, update.definitions(data)
            for number in range(21, int(document.trailer["/Size"])):
                if b"\n%d 0 obj" % number in data:
                    lies[number] = places[number]
            for number in (CATALOG, PAGE, 8):
                if data.count(b"\n%d 0 obj" % number) > (0 if name == "streams" else 1):
                    lies[number] = places[number]
            yield Case("XR-5", f"relisted-p{level}-{name}",
                       "/Prev skips the signed section, the update lists its objects itself",
                       change.finish(previous=first, lies=lies), FF, SHOWS)


def looping(kit):
    for name, data in kit.kinds():
        size = len(data)
        for variant, previous in (
                ("negative", -1), ("beyond", size * 2), ("huge", 2**63 - 1), ("overflow", 2**64),
                ("zero", 0), ("middle", size // 2)):
            yield Case("XR-6", f"{variant}-{name}", "the update's /Prev leads nowhere",
                       replaced_content(data).finish(previous=previous), FF | ERROR)
        change = replaced_content(data)
        start = len(change.base) + len(change.body_bytes(len(change.base), {}))
        yield Case("XR-6", f"self-{name}", "the update's /Prev leads to itself",
                   replaced_content(data).finish(previous=start), FF | ERROR)
        # Two updates, the first one's entry led to the second afterwards.
        entry = b"/Prev %-12d"
        section = update.last_startxref(data)
        once = replaced_content(data).finish(previous=section, width=12)
        twice = replaced_content(once).finish()
        yield Case("XR-6", f"mutual-{name}", "two updates lead to each other",
                   twice.replace(entry % section, entry % update.last_startxref(twice)),
                   FF | ERROR)


def other_root(kit):
    for level in (0, 1, 2, 3):
        for name, data in kit.kinds(level):
            change = update.Update(data)
            text = change.new(update.stream(FORGED))
            page = change.new(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
                b" /Resources << /Font << /F1 5 0 R >> >> >>" % (change.size + 1, text))
            pages = change.new(b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
            root = change.new(change.old(CATALOG).replace(
                b"/Pages 2 0 R", b"/Pages %d 0 R" % pages))
            yield Case("XR-7", f"p{level}-{name}",
                       "the update's trailer names another catalog, which keeps the form",
                       change.finish(Root=b"%d 0 R" % root), FF, SHOWS)


def duplicate_keys(kit):
    for name, data in kit.kinds():
        change = update.Update(data)
        text = change.new(update.stream(FORGED))
        page = change.new(change.old(PAGE).replace(b"4 0 R", b"%d 0 R" % text))
        pages = change.new(b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
        for variant, key in (("pages", b"/Pages"), ("escaped", b"/P#61ges")):
            change.put(CATALOG, change.old(CATALOG))
            change.add_entry(CATALOG, key + b" %d 0 R" % pages)
            yield Case("XR-8", f"{variant}-{name}", "the catalog has /Pages twice",
                       change.finish(), FF | ERROR)
        for first in (True, False):
            change = update.Update(data)
            change.put(CATALOG + 500, b"null")
            text = change.new(update.stream(FORGED))
            page = change.new(change.old(PAGE).replace(b"4 0 R", b"%d 0 R" % text))
            pages = change.new(b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)
            root = change.new(change.old(CATALOG).replace(
                b"/Pages 2 0 R", b"/Pages %d 0 R" % pages))
            both = [b"%d 0 R" % CATALOG, b"%d 0 R" % root]
            if first:
                both.reverse()
            out = change.finish(Root=both[0], extra=b" /Root " + both[1])
            yield Case("XR-8", f"root-{'first' if first else 'last'}-{name}",
                       "the trailer has /Root twice", out, FF | ERROR)
        change = update.Update(data)
        change.put(8, change.old(8))
        change.add_entry(8, b"/Fields [9 0 R]")
        yield Case("XR-8", f"fields-{name}", "the form has /Fields twice", change.finish(),
                   FF | ERROR | NO_SIGNATURE)
        # Duplicates that were signed: the signer's own document disagrees with itself.
        objects = contract_objects()
        objects[CATALOG] = objects[CATALOG].replace(b"/Lang (en)", b"/Lang (en) /Pages 10 0 R")
        signed = forge.embed(
            write(objects, name == "streams"),
            lambda digest: forge.simple(kit.pki.signer, digest))
        yield Case("XR-8", f"signed-{name}", "the signed catalog has /Pages twice", signed,
                   FF | ERROR)


def fake_ends(kit):
    for name, data in kit.kinds():
        section = update.last_startxref(data)
        change = replaced_content(data)
        updated = change.finish()
        fake = b"startxref\n%d\n%%%%EOF\n" % section
        yield Case("XR-9", f"comment-{name}", "a startxref in a comment names the signed section",
                   updated + b"%" + fake.replace(b"\n", b" ") + b"\n", FF)
        yield Case("XR-9", f"after-{name}",
                   "behind the forged update a second end names the signed section",
                   updated + fake, FF)
        change = replaced_content(data)
        change.new(update.stream(fake))
        yield Case("XR-9", f"stream-{name}", "a stream of the update holds a fake end",
                   change.finish(), FF, SHOWS)
        yield Case("XR-9", f"before-{name}", "a fake end stands between document and update",
                   replaced_content(data + fake).finish(), FF, SHOWS)
        # The end of the file is in the signed bytes twice.
        objects = contract_objects()
        objects[max(objects) + 1] = update.stream(b"startxref\n17\n%%EOF\n")
        signed = kit.sign(write(objects, name == "streams"))
        yield Case("XR-9", f"signed-{name}", "a signed stream holds a fake end: harmless", signed,
                   PASS)
        yield Case("XR-9", f"no-end-{name}", "the forged update has no %%EOF",
                   updated[: updated.rindex(b"%%EOF")], FF | ERROR)
        yield Case("XR-9", f"end-only-{name}", "the forged update's startxref is far from the end",
                   updated + b"%" * 2000 + b"\n%%EOF\n", FF | ERROR)


def shifted(kit):
    """Cross-references that only a lenient reader repairs, in the signed revision itself."""
    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    plain = write(contract_objects())
    section = update.last_startxref(plain)
    for variant, shift in (("minus-one", -1), ("plus-one", 1), ("far", -99)):
        broken = plain.replace(
            b"startxref\n%d" % section, b"startxref\n%d" % (section + shift))
        data = repaired(broken, section, build)
        # All readers skip the line end that stands there.
        harmless = variant == "minus-one"
        yield Case("XR-10", f"prev-{variant}",
                   "the signed revision's /Prev misses the first section, which readers repair",
                   data, PASS if harmless else DOUBTFUL)
    place = plain.index(b"4 0 obj")
    entries = plain.replace(b"%010d 00000 n" % place, b"%010d 00000 n" % (place + 1))
    yield Case("XR-10", "entry", "an entry of the signed table is off by one",
               repaired(entries, section, build), DOUBTFUL)
    data = kit.base()
    for shift in (-1, 1):
        change = replaced_content(data)
        place = len(change.base)
        yield Case("XR-10", f"update-{shift}", "an update's entry is off by one",
                   change.finish(lies={TEXT: place + shift}), FF | ERROR)


def repaired(data, section, build):
    """Signs a document whose section a lenient reader would have to look for."""
    good = data.replace(
        b"startxref\n%s" % data[data.rindex(b"startxref\n") + 10 :].split(b"\n")[0],
        b"startxref\n%d" % section)
    out = forge.embed(good, build)
    # Signing read the sound file: the damage goes in before the digest is made.
    damaged = data + out[len(good):]
    claimed = update.last_startxref(data)
    if claimed != section:
        damaged = damaged.replace(b"/Prev %d" % section, b"/Prev %d" % claimed)
    if len(damaged) != len(out):
        raise ValueError("the damage must not move bytes")
    start, after = update.gap(damaged)
    blank = damaged[: start + 1] + b"0" * (after - start - 2) + damaged[after - 1 :]
    return update.replace_contents(
        blank, build(hashlib.sha256(blank[:start] + blank[after:]).digest()))


def generations(kit):
    for name, data in kit.kinds():
        change = update.Update(data)
        change.put(TEXT, update.stream(FORGED), generation=1)
        yield Case("XR-11", f"generation-{name}", "an object comes back with another generation",
                   change.finish(), FF)
        change = update.Update(data)
        change.put(TEXT, update.stream(FORGED), generation=1)
        change.edit(PAGE, rb"/Contents 4 0 R", b"/Contents 4 1 R")
        yield Case("XR-11", f"generation-used-{name}",
                   "an object comes back with another generation, and the page refers to that",
                   change.finish(), FF, SHOWS)
        change = update.Update(data)
        change.free(TEXT)
        yield Case("XR-11", f"freed-{name}", "an update frees the page's content",
                   change.finish(), FF)
        once = update.Update(change.finish())
        once.put(TEXT, update.stream(FORGED), generation=0)
        yield Case("XR-11", f"freed-and-back-{name}",
                   "one update frees an object, the next uses its number again",
                   once.finish(), FF, SHOWS)


def undefined(kit):
    for streams, name in ((False, "table"), (True, "streams")):
        forms = {
            "contents": (PAGE, b"/Contents 4 0 R", b"/Contents [4 0 R 900 0 R]",
                         update.stream(b"\nBT /F1 14 Tf 72 650 Td (Plus 1,000,000 EUR.) Tj ET")),
            "picture": (PAGE, b"/Im1 12 0 R", b"/Im1 900 0 R",
                        contract_objects()[12]),
            "pages": (PAGES, b"10 0 R]", b"10 0 R 900 0 R]",
                      b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
                      b" /Resources << /Font << /F1 5 0 R >> >> >>"),
            "look": (AMOUNT_LOOK, b"/F1 5 0 R", b"/F1 900 0 R",
                     contract_objects()[SANS]),
            "layers": (CATALOG, b"/Lang (en)", b"/Lang (en) /OCProperties 900 0 R",
                       b"<< /OCGs [] /D << >> >>"),
            "action": (CATALOG, b"/Lang (en)", b"/Lang (en) /OpenAction 900 0 R",
                       b"<< /S /URI /URI (http://127.0.0.1:9/) >>"),
        }
        for variant, (number, old, new, body) in forms.items():
            objects = contract_objects()
            changed = objects[number].replace(old, new)
            if changed == objects[number]:
                raise ValueError(f"{variant}: {old!r} is not in object {number}")
            objects[number] = changed
            data = kit.sign(write(objects, streams))
            change = update.Update(data)
            change.put(900, body)
            yield Case("XR-12", f"{variant}-{name}",
                       "the signed revision refers to a number that only an update defines",
                       change.finish(), FF,
                       differs=data if variant in ("contents", "picture") else None)
    for name, data in kit.kinds(1):
        change = new_content(data)
        del change.bodies[PAGE]
        yield Case("XR-12", f"unused-{name}",
                   "an update brings objects that nothing refers to: harmless, but worth a word",
                   change.finish(), PASS | indeterminate("SIG_CONSTRAINTS_FAILURE"))


def beyond_size(kit):
    """Objects that /Size hides from readers that obey it, while others show them."""
    doubtful = indeterminate("SIG_CONSTRAINTS_FAILURE")
    for streams, name in ((False, "table"), (True, "streams")):
        change = update.Update(write(contract_objects(), streams))
        change.put(900, update.stream(b"\nBT /F1 14 Tf 72 650 Td (Plus 1,000,000 EUR.) Tj ET"))
        change.edit(PAGE, rb"/Contents 4 0 R", b"/Contents [4 0 R 900 0 R]")
        signed = forge.embed(
            change.finish(size=100), lambda digest: forge.simple(kit.pki.signer, digest))
        yield Case("XR-13", f"signed-{name}",
                   "the signed page shows an object whose number is beyond /Size", signed, doubtful)
        yield Case("XR-13", f"raised-{name}",
                   "an update raises /Size, which brings a signed object into force",
                   update.Update(signed).finish(size=1000), doubtful | FF)
        yield Case("XR-13", f"lowered-{name}", "an update lowers /Size, which hides signed objects",
                   update.Update(kit.base(streams=streams)).finish(size=5), doubtful | FF | ERROR)
