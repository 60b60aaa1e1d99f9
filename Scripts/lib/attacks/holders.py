"""Who holds what: object streams that are something else besides, form fields in the lists of others,
tags of what a page shows, and a trailer that holds the document information itself."""

from attacks import update
from attacks.bases import (
    AMOUNT, CATALOG, CONTENT, FORM, NOTE, NOTE_LOOK, PAGE, PAGE_TWO, TEXT, contract_objects, write)
from attacks.case import FF, PASSED, Case, Expect, indeterminate

EVIL = b"BT /F1 14 Tf 72 740 Td (You owe us 900 EUR.) Tj ET"
XMP = b" %<x:xmpmeta/>"
KID = 21


def cases(kit):
    for name, level, data in kit.levels(0, 1, 2):
        yield from streams(name, data)
        yield from information(name, data)
        yield from owners(name, level, kit, name.endswith("streams"))
        yield from reordered(name, level, kit, name.endswith("streams"))
        yield from fields(name, kit.sign(write(form_objects(), name.endswith("streams")), *(
            ["--certify", {1: "no-changes", 2: "form-filling"}[level]] if level else [])))
    yield from tags(kit)


def streams(name, data):
    """A page is put into a new object stream, which is metadata or a certificate too; and that is
    replaced."""
    for variant, kind, tail, entry in (
            ("metadata", b"/Type /Metadata /Subtype /XML", XMP, b"/Metadata %d 0 R"),
            ("certificate", b"/Type /ObjStm", b"", b"/DSS << /Certs [%d 0 R] >>"),
            ("untyped", b"", XMP, b"/DSS << /Certs [%d 0 R] >>")):
        def container(page, kind=kind, tail=tail):
            head = b"%d 0 " % PAGE
            return update.stream(
                head + page + tail, kind + b" /N 1 /First %d " % len(head))

        first = update.Update(data, streams=True)
        page = first.old(PAGE)
        number = first.new(container(page))
        first.packed[PAGE] = (number, 0)
        first.add_entry(CATALOG, entry % number)
        once = first.finish()
        second = update.Update(once, streams=True)
        text = second.new(update.stream(EVIL))
        second.put(number, container(page.replace(
            b"/Contents %d 0 R" % TEXT, b"/Contents %d 0 R" % text)))
        yield Case("HOLD-1", f"{variant}-{name}",
                   f"an object stream that is a {variant} too is replaced", second.finish(), FF)


def owners(name, level, kit, packed):
    """What a name is given to in one update, and replaced under that name in the next."""
    objects = contract_objects()
    objects[NOTE_LOOK] = update.form(b"/X Do", b"0 0 100 50", b"/Resources 21 0 R ")
    objects[21] = b"<< /XObject 22 0 R >>"
    objects[22] = b"<< /X 23 0 R >>"
    objects[23] = update.form(b"0 0 1 RG 2 2 96 46 re S", b"0 0 100 50")
    objects[24] = b"[25 0 R]"
    objects[25] = objects[NOTE]
    objects[PAGE_TWO] = objects[PAGE_TWO].replace(b"/Contents", b"/Annots 24 0 R /Contents")
    data = kit.sign(write(objects, packed), *(
        ["--certify", {1: "no-changes", 2: "form-filling"}[level]] if level else []))
    other = update.form(b"1 g 0 0 100 50 re f", b"0 0 100 50")

    def case(variant, about, change):
        return Case("HOLD-5", f"{variant}-{name}", about, change.finish(), FF)

    first = update.Update(data)
    first.edit(FORM, rb"/DR <<", b"/DR << /Pattern 21 0 R /Shading 22 0 R ")
    second = update.Update(first.finish())
    second.put(22, b"<< /X %d 0 R >>" % second.new(other))
    yield case("resources", "the form's resources take in those of a look", second)
    first = update.Update(data)
    first.add_entry(CATALOG, b"/Extensions %d 0 R" % PAGE_TWO)
    second = update.Update(first.finish())
    stamp = second.new(
        b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 595 842] /AP << /N %d 0 R >> >>"
        % second.new(other))
    second.put(24, b"[25 0 R %d 0 R]" % stamp)
    yield case("extensions", "the page is named as an extension", second)
    first = update.Update(data)
    stamp = first.new(
        b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 9 9] /AS /X /AP << /N 22 0 R >> >>")
    first.put(24, b"[25 0 R %d 0 R]" % stamp)
    second = update.Update(first.finish())
    second.put(23, other)
    yield case("states", "a new annotation takes in the look of another", second)


def reordered(name, level, kit, packed):
    """An annotation that stands in the list of the page itself is drawn before the others."""
    objects = contract_objects()
    objects[PAGE] = objects[PAGE].replace(b"14 0 R]", (
        b"14 0 R << /Type /Annot /Subtype /Square /F 4 /Rect [300 500 400 550] /AP << /N 20 0 R >>"
        b" >>]"))
    data = kit.sign(write(objects, packed), *(
        ["--certify", {1: "no-changes", 2: "form-filling"}[level]] if level else []))
    change = update.Update(data)
    page = change.document.pages[0].obj

    def text(value):
        return b"%d 0 R" % value.objgen[0] if value.is_indirect else value.unparse()

    parts = sorted(page["/Annots"], key=lambda part: part.is_indirect)
    entries = [key.encode() + b" " + text(value) for key, value in page.items()
               if key != "/Annots"]
    change.put(PAGE, b"<< %s /Annots [%s] >>" % (b" ".join(entries), b" ".join(map(text, parts))))
    yield Case("HOLD-6", name, "annotations change places, one of which is no object of its own",
               change.finish(), FF if level else Expect({PASSED: []}, changes="annotations"))


def information(name, data):
    for variant, entry in (("direct", b"<< /Title (We owe 900 EUR) >>"), ("gone", None)):
        change = update.Update(data)
        del change.entries["/Info"]
        yield Case("HOLD-2", f"{variant}-{name}", f"the document information is {variant}",
                   change.finish(**({"Info": entry} if entry else {})),
                   indeterminate("SIG_CONSTRAINTS_FAILURE") if entry else Expect(
                       {PASSED: []}, remark="document information"))


def form_objects():
    """The contract whose field has its widget as a kid."""
    objects = contract_objects()
    objects[FORM] = objects[FORM].replace(b"[9 0 R", b"[%d 0 R" % KID)
    objects[AMOUNT] = objects[AMOUNT].replace(
        b"/FT /Tx /T (amount) /V (100)", b"/Parent %d 0 R" % KID)
    objects[KID] = b"<< /FT /Tx /T (amount) /V (100) /Kids [9 0 R] >>"
    return objects


def fields(name, data):
    """Fields that some readers take the widgets of others for, and others do not see."""
    fields_ = rb"/Fields \[ ?%d 0 R" % KID
    rival = b"<< /FT /%s /T (%s) /V (900) /Kids [%s] >>"
    for variant, body in (
            ("button", rival % (b"Btn", b"x", b"9 0 R")),
            ("same-name", rival % (b"Tx", b"amount", b"9 0 R")), ("number", b"7")):
        change = update.Update(data)
        change.edit(FORM, fields_, b"/Fields [%s %d 0 R" % (body, KID))
        yield Case("HOLD-3", f"direct-{variant}-{name}",
                   "the list of fields holds a field itself", change.finish(), FF)
    for variant, kids in (
            ("beside", b"9 0 R 13 0 R"), ("field", b"%d 0 R" % KID),
            ("direct-kid", b"<< /T (y) /FT /Tx /V (900) /Kids [9 0 R] >>")):
        change = update.Update(data)
        other = change.new(rival % (b"Tx", b"" if variant == "field" else b"amount", kids))
        change.edit(FORM, fields_, b"/Fields [%d 0 R %d 0 R" % (other, KID))
        yield Case("HOLD-3", f"parent-{variant}-{name}",
                   "a new field takes in widgets and fields that were there", change.finish(), FF)


def tags(kit):
    """An untagged document, whose content has marks, gets tags that say something else."""
    objects = contract_objects()
    objects[TEXT] = update.stream(b"/P << /MCID 0 >> BDC " + CONTENT + b" EMC")
    for level in (None, "form-filling"):
        data = kit.sign(write(objects), *(["--certify", level] if level else []))
        for variant, kids in (("list", b"[%d 0 R]"), ("element", b"%d 0 R")):
            change = update.Update(data)
            element = change.new(
                b"<< /Type /StructElem /S /Span /P %d 0 R /Pg 3 0 R /K 0 /ActualText (You owe us"
                b" 900 EUR.) >>" % (change.size + 1))
            tree = change.new(
                b"<< /Type /StructTreeRoot /ParentTree << /Nums [0 %s] >> /ParentTreeNextKey 1 >>"
                % (kids % element))
            change.add_entry(CATALOG, b"/StructTreeRoot %d 0 R" % tree)
            change.add_entry(PAGE, b"/StructParents 0")
            yield Case("HOLD-4", f"{variant}-{level or 'uncertified'}",
                       "an untagged document gets tags for its content", change.finish(), FF)
