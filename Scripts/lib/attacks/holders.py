"""Who holds what: object streams that are something else besides, form fields in the lists of others,
tags of what a page shows, and a trailer that holds the document information itself."""

from attacks import update
from attacks.bases import (
    AMOUNT, CATALOG, CONTENT, FORM, PAGE, TEXT, contract_objects, write)
from attacks.case import FF, PASSED, Case, Expect

EVIL = b"BT /F1 14 Tf 72 740 Td (You owe us 900 EUR.) Tj ET"
XMP = b" %<x:xmpmeta/>"
KID = 21


def cases(kit):
    for name, level, data in kit.levels(0, 1, 2):
        yield from streams(name, data)
        yield from information(name, data)
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


def information(name, data):
    for variant, entry in (("direct", b"<< /Title (We owe 900 EUR) >>"), ("gone", None)):
        change = update.Update(data)
        del change.entries["/Info"]
        yield Case("HOLD-2", f"{variant}-{name}", f"the document information is {variant}",
                   change.finish(**({"Info": entry} if entry else {})),
                   Expect({PASSED: []}, remark="document information"))


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
