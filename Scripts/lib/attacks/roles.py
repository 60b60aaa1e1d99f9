"""Objects in two roles, from the start or since an update: what may be written anew as validation
data, as a look, as an annotation, as a tag or as a resource of the form is a page's at the same
time. And objects that count as the same to a program and not to readers."""

from attacks import update
from attacks.bases import (
    AMOUNT, CATALOG, ENCODING, FORM, NOTE, PAGE, PAGES, SANS, TEXT, contract_objects, write)
from attacks.case import ERROR, FF, Case, indeterminate

EVIL = b"BT /F1 14 Tf 72 740 Td (You owe us 900 EUR.) Tj ET"
SHOWS = "You owe us 900"
NOT_CLEAN = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
LEVELS = ("no-changes", "form-filling", "annotations", None)


def replace_text(change):
    change.put(TEXT, update.stream(EVIL))


def replace_pages(change):
    text = change.new(update.stream(EVIL))
    page = change.new(
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources <<"
        b" /Font << /F1 5 0 R >> >> >>" % text)
    change.put(PAGES, b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % page)


def replace_font(change):
    change.edit(SANS, rb">>$", b"/Encoding << /Differences [49 /nine] >> >>")


# What takes in an object of the pages: object, entry (or a pattern and what stands for it), and how
# the object is exchanged then.
TAKERS = {
    "vri": (CATALOG, b"/DSS << /VRI << /AA 3 0 R /BB 2 0 R /CC 4 0 R >> >>", replace_text),
    "vri-nested": (
        CATALOG, b"/DSS << /VRI << /AA << /CRL 2 0 R /OCSP 4 0 R >> >> >>", replace_pages),
    "extensions": (CATALOG, b"/Extensions << /ADBE 2 0 R >>", replace_pages),
    "extensions-itself": (CATALOG, b"/Extensions 2 0 R", replace_pages),
    "parent-tree": (
        CATALOG, b"/StructTreeRoot << /Type /StructTreeRoot /ParentTree << /Kids [2 0 R] >> >>",
        replace_pages),
    "look": (AMOUNT, (rb"/AP <<", b"/AP << /X 3 0 R"), replace_text),
    "look-itself": (AMOUNT, (rb"/AP <<", b"/AP << /D 4 0 R"), replace_text),
    "look-annotation": (NOTE, (rb"/AP <<", b"/AP << /R 4 0 R"), replace_text),
    "popup": (NOTE, b"/Popup 2 0 R", replace_pages),
    "resources": (FORM, (rb"/DR <<", b"/DR << /Foo 2 0 R /Bar 3 0 R"), replace_pages),
    "font-annotation": (PAGE, (rb"/Annots \[", b"/Annots [5 0 R "), replace_font),
    "node-annotation": (PAGE, (rb"/Annots \[", b"/Annots [2 0 R "), replace_pages),
    "field": (FORM, (rb"/Fields \[", b"/Fields [3 0 R "), replace_text),
    "value": (AMOUNT, (rb"/V \(100\)", b"/V 4 0 R"), replace_text),
}


def cases(kit):
    yield from in_two_updates(kit)
    yield from from_the_start(kit)
    yield from copies(kit)
    yield from freed(kit)


def take(change, number, entry):
    if isinstance(entry, tuple):
        change.edit(number, *entry)
    else:
        change.add_entry(number, entry)


def signed(kit, objects, level, streams=False):
    return kit.sign(write(objects, streams), *(["--certify", level] if level else []))


def in_two_updates(kit):
    for level in LEVELS:
        for streams in (False, True):
            data = signed(kit, contract_objects(), level, streams)
            label = f"{level or 'uncertified'}-{'streams' if streams else 'table'}"
            for name, (number, entry, exchange) in TAKERS.items():
                first = update.Update(data)
                take(first, number, entry)
                second = update.Update(first.finish())
                exchange(second)
                yield Case(
                    "ROLE-1", f"{name}-{label}",
                    f"an update gives an object of the pages a second role ({name}), the next one "
                    "exchanges it", second.finish(), NOT_CLEAN)


def from_the_start(kit):
    for level in LEVELS:
        for name, (number, entry, exchange) in TAKERS.items():
            if name in ("field", "node-annotation"):
                continue  # not signed at all
            objects = contract_objects()
            body = objects[number]
            if isinstance(entry, tuple):
                objects[number] = update.re.sub(entry[0], lambda _: entry[1], body, count=1)
            else:
                objects[number] = body[: body.rindex(b">>")] + entry + b" >>"
            data = signed(kit, objects, level)
            change = update.Update(data)
            exchange(change)
            yield Case(
                "ROLE-2", f"{name}-{level or 'uncertified'}",
                f"an object of the pages has a second role from the start ({name}), an update "
                "exchanges it", change.finish(), NOT_CLEAN)


def layered():
    """The first page's text is in a layer that is switched off."""
    objects = contract_objects()
    objects[CATALOG] = (
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm 8 0 R /OCProperties << /OCGs [21 0 R] /D << /OFF"
        b" [21 0 R] >> >> >>")
    objects[21] = b"<< /Type /OCG /Name (Layer) >>"
    objects[PAGE] = objects[PAGE].replace(
        b"/Resources <<", b"/Resources << /Properties << /L 21 0 R >> ", 1)
    objects[TEXT] = update.stream(b"/OC /L BDC " + EVIL + b" EMC")
    return objects


def copies(kit):
    for level in LEVELS:
        data = signed(kit, layered(), level)
        label = level or "uncertified"

        def case(variant, about, change):
            return Case("SAME-1", f"{variant}-{label}", about, change.finish(), NOT_CLEAN)

        for variant, key in (("off", b"/OFF"), ("groups", b"/OCGs")):
            change = update.Update(data)
            copy = change.new(b"<< /Type /OCG /Name (Layer) >>")
            change.edit(CATALOG, key + rb" \[ ?21 0 R ?\]", key + b" [%d 0 R]" % copy)
            yield case(variant, "a copy of the layer stands for it in the document's lists", change)
        change = update.Update(data)
        copy = change.new(b"<< /Type /OCG /Name (Layer) >>")
        change.edit(PAGE, rb"/L 21 0 R", b"/L %d 0 R" % copy)
        yield case("property", "a copy of the layer stands for it in the page's resources", change)
        change = update.Update(data)
        chain = change.new(b"4 0 R")
        change.edit(PAGE, rb"/Contents 4 0 R", b"/Contents %d 0 R" % chain)
        yield case("chain", "a reference to a reference stands for the page's content", change)
        change = update.Update(data)
        change.edit(ENCODING, rb"49", b"49.0")
        yield case("real", "a real stands for an integer in an encoding", change)
        change = update.Update(data)
        change.add_entry(PAGE, b"/Kids null")
        yield case("null", "a page gets an entry that is null", change)
        change = update.Update(data)
        change.add_entry(PAGE, b"/Rotate 999 0 R")
        yield case("nothing", "a page gets an entry that leads to nothing", change)


def freed(kit):
    for level in LEVELS:
        data = signed(kit, layered(), level, streams=True)
        numbers = {
            int(number) for number in update.re.findall(
                rb"(\d+) 0 obj\s*<<[^>]*/Type\s*/ObjStm", data)}
        for number in sorted(numbers):
            change = update.Update(data)
            change.free(number)
            yield Case(
                "ROLE-3", f"freed-{number}-{level or 'uncertified'}",
                "an update frees an object stream that signed objects are in", change.finish(),
                NOT_CLEAN | ERROR)
