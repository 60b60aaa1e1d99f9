"""One long string, name, list or stream that many refer to, in files of a few kilobytes: to read it
for each of them would take minutes."""

import re
import zlib

from attacks import update
from attacks.bases import CATALOG, FORM, PAGE, SANS, contract_objects, write
from attacks.case import FAILED, INDETERMINATE, PASSED, Case, Expect

ANSWERED = Expect({FAILED: [], INDETERMINATE: []})
ANSWERED_OR_PASSED = ANSWERED | Expect({PASSED: []})
LONG = 8_000_000
EVIL = b"EVIL: Pay 900 EUR"


def cases(kit):
    data = kit.base(streams=True)
    yield from values(kit)
    yield from comments(data)
    yield from names(data)
    yield from tags(data)
    yield from metadata(data)
    yield from catalogues(kit, data)
    yield from locks(kit)
    yield from crowd(data)
    yield from section(kit)
    yield from actions(data)
    yield from referrers(data)
    yield from stores(data)
    yield from states(data)


def pack(change, bodies):
    """An object stream of what shrinks to nothing."""
    header, joined = [], b""
    change.size = max(change.size, max(bodies) + 1)
    for index, (number, body) in enumerate(bodies.items()):
        header.append(b"%d %d" % (number, len(joined)))
        joined += body + b"\n"
        change.packed[number] = (change.size, index)
    head = b" ".join(header) + b"\n"
    change.new(update.stream(
        zlib.compress(head + joined, 9),
        b"/Type /ObjStm /Filter /FlateDecode /N %d /First %d " % (len(bodies), len(head))))


def values(kit):
    """Fields of which all get the same value."""
    for variant, value in (("string", b"(" + b"A" * LONG + b")"),
                           ("words", b"(" + b"A " * (LONG // 2) + b")")):
        objects = contract_objects()
        first = max(objects) + 1
        numbers = range(first, first + 50)
        for number in numbers:
            objects[number] = (
                b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (f%d) /Rect [30 60 300 90] /F 4 /P"
                b" 3 0 R /DA (/F1 14 Tf 0 g) >>" % number)
        objects[FORM] = objects[FORM].replace(
            b"/Fields [", b"/Fields [%s " % b" ".join(b"%d 0 R" % n for n in numbers))
        change = update.Update(kit.sign(write(objects, True)))
        shared = change.size
        pack(change, {shared: value, **{
            number: objects[number][:-2] + b"/V %d 0 R >>" % shared for number in numbers}})
        yield Case("SHARE-1", variant, "fifty fields with one value of eight million letters",
                   change.finish(), ANSWERED)


def comments(data):
    for variant, text, count in (("letters", b"A " * (LONG // 2), 40),
                                 ("dots", b"\x80 " * (LONG // 2), 1)):
        change = update.Update(data)
        shared = change.size
        numbers = range(shared + 1, shared + 1 + count)
        pack(change, {shared: b"(" + text + b")", **{
            number: b"<< /Type /Annot /Subtype /Text /Rect [0 0 10 10] /Contents %d 0 R >>" % shared
            for number in numbers}})
        change.edit(PAGE, rb"/Annots \[", b"/Annots [%s " % b" ".join(
            b"%d 0 R" % number for number in numbers))
        yield Case("SHARE-2", variant, "notes with one text of eight million letters",
                   change.finish(), ANSWERED_OR_PASSED)


def names(data):
    """Fields whose names are one string, and a field whose name alone fills pages."""
    for variant, text, count in (("shared", b"x" * LONG, 100), ("long", b"y" * 100_000, 1)):
        change = update.Update(data)
        shared = change.size
        numbers = range(shared + 1, shared + 1 + count)
        pack(change, {shared: b"(" + text + b")", **{
            number: b"<< /FT /Tx /T %d 0 R >>" % shared for number in numbers}})
        for number in numbers:
            change.append_field(b"%d 0 R" % number)
        yield Case("SHARE-3", variant, "fields with a name of many letters", change.finish(),
                   ANSWERED_OR_PASSED)


def tags(data):
    """A structure tree that is new, with elements for notes that all say the same at length."""
    change = update.Update(data)
    shared, count = change.size, 500
    notes = range(shared + 1, shared + 1 + count)
    elements = range(notes[-1] + 1, notes[-1] + 1 + count)
    tree = elements[-1] + 1
    pack(change, {
        shared: b"(" + b"A " * (LONG // 2) + b")",
        **{note: b"<< /Type /Annot /Subtype /Text /Rect [0 0 10 10] >>" for note in notes},
        **{element: b"<< /Type /StructElem /S /Annot /P %d 0 R /ActualText %d 0 R /K << /Type /OBJR"
           b" /Obj %d 0 R >> >>" % (tree, shared, note) for element, note in zip(elements, notes)},
        tree: b"<< /Type /StructTreeRoot /K [%s] >>" % b" ".join(
            b"%d 0 R" % element for element in elements)})
    change.add_entry(CATALOG, b"/StructTreeRoot %d 0 R" % tree)
    change.edit(PAGE, rb"/Annots \[", b"/Annots [%s " % b" ".join(b"%d 0 R" % n for n in notes))
    yield Case("SHARE-4", "tags", "500 tags that say one text of eight million letters",
               change.finish(), ANSWERED_OR_PASSED)


def metadata(data):
    for index in range(26):
        change = update.Update(data)
        text = b"\xc3\xa9 " * (LONG // 3) + b"%d<x:xmpmeta/>" % index
        body = update.stream(
            zlib.compress(text, 9), b"/Type /Metadata /Subtype /XML /Filter /FlateDecode ")
        if index:
            change.put(number, body)
        else:
            number = change.new(body)
            change.add_entry(CATALOG, b"/Metadata %d 0 R" % number)
        data = change.finish()
    yield Case("SHARE-5", "metadata", "metadata of eight million letters, written anew 26 times",
               data, ANSWERED)


def catalogues(kit, data):
    change = update.Update(data)
    body = change.old(CATALOG)
    entry = b"/PieceInfo [%s] >>" % (b"1 0 R " * 250_000)
    pack(change, {CATALOG: body[:body.rindex(b">>")] + entry})
    yield Case("SHARE-6", "catalogue", "a catalogue with a long list, and 500 small revisions",
               with_titles(change.finish()), ANSWERED_OR_PASSED)
    # Where it was signed so, nothing but the title changes. Viewers that rebuild the table because it
    # follows a stream would show the old catalog.
    change = update.Update(write(contract_objects(), True))
    body = change.old(CATALOG)
    pack(change, {CATALOG: body[:body.rindex(b">>")] + entry})
    yield Case("SHARE-6", "signed-catalogue", "the same, signed with the long list",
               with_titles(kit.sign(change.finish())), Expect({INDETERMINATE: []}))


def with_titles(data):
    """The document after 500 revisions that each give it another title."""
    change = update.Update(data)
    size = change.size
    place = update.last_startxref(data)
    root, identifier = change.entries["/Root"], change.entries.get("/ID", b"[]")
    for index in range(500):
        start = len(data)
        data += b"%d 0 obj\n<< /Title (%d) >>\nendobj\n" % (size, index)
        section = len(data)
        data += (
            b"xref\n%d 1\n%010d 00000 n \ntrailer\n<< /Size %d /Root %s /ID %s /Prev %d /Info %d 0 R"
            b" >>\nstartxref\n%d\n%%%%EOF\n" % (
                size, start, size + 1, root, identifier, place, size, section))
        size, place = size + 1, section
    return data


def locks(kit):
    """Values that are no signatures, in fields that lock all that changed later; and a lock that
    thousands share."""
    objects = contract_objects()
    fields = range(max(objects) + 1, max(objects) + 1001)
    for number in fields:
        objects[number] = b"<< /FT /Tx /T (f%d) >>" % number
    objects[FORM] = objects[FORM].replace(
        b"/Fields [", b"/Fields [%s " % b" ".join(b"%d 0 R" % n for n in fields))
    signed = kit.sign(write(objects))
    for variant, names_, count in (("many", [b"none"], 3000), ("shared", None, 1500)):
        change = update.Update(signed)
        names_ = names_ or [b"n%d" % index for index in range(50_000)]
        lock = change.new(b"[<< /TransformMethod /FieldMDP /TransformParams << /Action /Include"
                          b" /Fields [%s] >> >>]" % b" ".join(b"(%s)" % name for name in names_))
        added = []
        for index in range(count):
            value = change.new(
                b"<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /adbe.pkcs7.detached /Reference"
                b" %d 0 R /ByteRange [0 0000000000 0000000000 0000000000] /Contents <30> >>" % lock)
            added.append(change.new(b"<< /FT /Sig /T (s%d) /V %d 0 R >>" % (index, value)))
        change.edit(FORM, rb"/Fields \[", b"/Fields [%s " % b" ".join(
            b"%d 0 R" % number for number in added))
        data = bytearray(change.finish())
        for match in list(re.finditer(rb"/ByteRange \[0 0{10} 0{10} 0{10}\] /Contents ", data)):
            gap = match.end()
            numbers = b"%010d %010d %010d" % (gap, gap + 4, len(data) - gap - 4)
            data[match.start() + 14 : match.start() + 14 + len(numbers)] = numbers
        change = update.Update(bytes(data))
        for number in fields:
            change.put(number, objects[number][:-2] + b"/V (x) >>")
        yield Case("SHARE-7", variant, f"{count} values that lock fields, of which 1000 change",
                   change.finish(), ANSWERED)


def crowd(data):
    """What covers the page, behind notes that nobody sees."""
    change = update.Update(data)
    note = (b"<< /Type /Annot /Subtype /%s /F %d /Rect [%s] /Contents (%s) >>")
    added = [change.new(note % (b"Text", 4, b"9 9 29 29", b"nothing else was changed"))]
    added += [change.new(note % (b"Stamp", 2, b"0 0 1 1", b"%d" % index)) for index in range(12)]
    added.append(change.new(note % (b"Stamp", 4, b"0 0 595 842", EVIL)))
    change.edit(PAGE, rb"/Annots \[", b"/Annots [%s " % b" ".join(
        b"%d 0 R" % number for number in added))
    yield Case("SHARE-8", "stamp", "a stamp behind notes that nobody sees", change.finish(),
               Expect({PASSED: []}, remark=r'"contentChanges": \["page 1: annotation \(Stamp\)'
                      " added: '" + EVIL.decode()))


def section(kit):
    """A section that lists nothing, which some readers cannot read."""
    data = kit.base()
    change = update.Update(data)
    body = change.finish()
    place = update.last_startxref(body)
    start = body.index(b"trailer", place)
    yield Case("SHARE-9", "nothing", "an update whose section has no subsection",
               body[:place] + b"xref\n" + body[start:], Expect({INDETERMINATE: []}))
    change = update.Update(kit.base())
    far = change.put(4_194_305, change.old(SANS))
    change.edit(PAGE, rb"(?<=/F1 )%d 0 R" % SANS, b"%d 0 R" % far)
    yield Case("SHARE-9", "far", "an object of a number that some readers do not read",
               change.finish(), Expect({INDETERMINATE: []}))


def actions(data):
    """Links that share one action with a list of actions behind it."""
    change = update.Update(data)
    links = range(change.size + 2, change.size + 8002)
    action, following = links[0] - 2, links[0] - 1
    pack(change, {
        action: b"<< /S /URI /URI (x) /Next %d 0 R >>" % following,
        following: b"[%s]" % (b"null " * 250_000),
        **{link: b"<< /Type /Annot /Subtype /Link /Rect [1 1 2 2] /A %d 0 R >>" % action
           for link in links}})
    change.edit(PAGE, rb"/Annots \[", b"/Annots [%s " % b" ".join(b"%d 0 R" % n for n in links))
    yield Case("SHARE-10", "actions", "8000 links with one list of 250,000 actions",
               change.finish(), ANSWERED)


def referrers(data):
    """What refers to the metadata no more, which are written anew time and again."""
    change = update.Update(data)
    metadata = change.new(update.stream(b"<x:xmpmeta/>", b"/Type /Metadata /Subtype /XML "))
    change.add_entry(CATALOG, b"/Metadata %d 0 R" % metadata)
    holders = range(change.size + 1, change.size + 50_001)
    pack(change, {number: b"[%d 0 R]" % metadata for number in holders})
    change = update.Update(change.finish())
    pack(change, {number: b"[]" for number in holders})
    data = change.finish()
    for index in range(300):
        change = update.Update(data)
        change.put(metadata, update.stream(
            b"<x:xmpmeta/>" + b" " * (index % 7), b"/Type /Metadata /Subtype /XML "))
        data = change.finish()
    yield Case("SHARE-11", "referrers", "metadata written anew 300 times, to which 50,000 objects"
               " referred once", data, ANSWERED_OR_PASSED)


def stores(data):
    """Validation data in which all entries share one list, and one list of them."""
    change = update.Update(data)
    certificate, store, entries, certificates = range(change.size, change.size + 4)
    pack(change, {
        store: b"<< /VRI %d 0 R >>" % entries,
        entries: b"<< %s >>" % b" ".join(
            b"/%040X << /Cert %d 0 R >>" % (index, certificates) for index in range(10_000)),
        certificates: b"[%s]" % (b"%d 0 R " % certificate * 40_000)})
    change.put(certificate, update.stream(b"x"))
    change.add_entry(CATALOG, b"/DSS %d 0 R" % store)
    yield Case("SHARE-12", "lists", "10,000 entries of the validation data with one list of 40,000",
               change.finish(), ANSWERED_OR_PASSED)


def states(data):
    """Annotations that share one look of many states, while another one changes."""
    change = update.Update(data)
    notes = range(change.size + 2, change.size + 4002)
    look, drawing = notes[0] - 2, notes[0] - 1
    pack(change, {
        look: b"<< %s >>" % b" ".join(b"/S%d %d 0 R" % (index, drawing) for index in range(10_000)),
        **{note: b"<< /Type /Annot /Subtype /Stamp /F 2 /Rect [1 1 2 2] /AS /S0 /AP << /N %d 0 R >>"
           b" >>" % look for note in notes}})
    change.put(drawing, update.form(b"", b"0 0 1 1"))
    change.edit(PAGE, rb"/Annots \[", b"/Annots [%s " % b" ".join(b"%d 0 R" % n for n in notes))
    change = update.Update(change.finish())
    change.edit(notes[-1], rb"/F 2", b"/F 2 /M (D:20260101)")
    yield Case("SHARE-13", "states", "4000 stamps that share a look of 10,000 states",
               change.finish(), ANSWERED_OR_PASSED)
