"""Shadow attacks: the author of a document prepares hidden content before it is signed by someone
else, and uncovers it afterwards."""

from attacks import update
from attacks.bases import (
    AMOUNT, AMOUNT_LOOK, CATALOG, ENCODING, FORM, GLYPH_FONT, GLYPHS, IMAGE, NOTE_LOOK, ONE, PAGE,
    PAGES, PAGE_TWO, SANS, TEXT, contract_objects, field_look, picture, write)
from attacks.case import ERROR, FF, NO_SIGNATURE, PASSED, Case, Expect, indeterminate

HIDDEN = b"BT /F1 14 Tf 72 740 Td (Mallory gets it all.) Tj ET"
HIDDEN_SHOWS = "Mallory gets it all"
# A look that lies about its field may be a failure or, where filling is permitted, a doubt.
NOT_CLEAN = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")


def cases(kit):
    yield from hide(kit)
    yield from replace_fonts(kit)
    yield from replace_values(kit)
    yield from replace_looks(kit)
    yield from hide_and_replace(kit)


def covered():
    """A contract whose second half is covered by a white picture."""
    objects = contract_objects()
    objects[IMAGE] = picture(255)
    objects[TEXT] = update.stream(
        HIDDEN + b"\nq 451 0 0 40 72 730 cm /Im1 Do Q\n"
        + b"BT /F1 14 Tf 72 650 Td (We owe you nothing.) Tj ET")
    return objects


def hide(kit):
    for streams, name in ((False, "table"), (True, "streams")):
        for level in (0, 1, 3):
            options = ["--certify", {1: "no-changes", 3: "annotations"}[level]] if level else []
            data = kit.sign(write(covered(), streams), *options)
            label = f"p{level}-{name}"

            def case(variant, about, out):
                return Case("SHD-1", f"{variant}-{label}", about, out, FF, differs=data)

            change = update.Update(data)
            change.free(IMAGE)
            yield case("freed", "an update frees the covering picture", change.finish())
            change = update.Update(data)
            change.put(IMAGE, b"null")
            yield case("null", "an update turns the covering picture into null", change.finish())
            change = update.Update(data)
            change.put(IMAGE, update.stream(
                b"\0" * 64, b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ImageMask true"
                            b" /BitsPerComponent 8 /Decode [1 0] "))
            yield case("mask", "an update turns the covering picture into an empty mask",
                       change.finish())
            change = update.Update(data)
            change.edit(PAGE, rb"/Im1", b"/Im2")
            yield case("resource", "an update renames the covering picture in the page's resources",
                       change.finish())
            offsets = update.definitions(data)
            offsets.pop(IMAGE)
            yield case("dropped", "an update lists all objects but the covering picture, no /Prev",
                       complete(data, offsets))
            if not streams:
                change = update.Update(data)
                change.put(IMAGE, b"null")
                yield case(
                    "offset-zero", "an update claims that the covering picture is at offset 0",
                    change.finish(lies={IMAGE: 0}))


def complete(data, offsets, **trailer):
    """The document with one more section that lists these objects only and has no /Prev."""
    change = update.Update(data)
    if change.streams:
        # Objects in the old object streams are written anew, as they are.
        document = update.objects_of(data)
        for number in range(1, int(document.trailer["/Size"])):
            if number not in offsets and number != IMAGE:
                text = document.get_object((number, 0)).unparse(resolved=True)
                if text != b"null":
                    change.put(number, text)
    return change.finish(previous=None, lies=offsets, **trailer)


def replace_fonts(kit):
    for name, level, data in kit.levels(0, 2, 3):
        def case(variant, about, change, **proof):
            return Case("SHD-2", f"{variant}-{name}", about, change.finish(), FF, **proof)

        change = update.Update(data)
        change.put(ENCODING, b"<< /Type /Encoding /Differences [49 /nine 57 /one] >>")
        yield case("encoding", "an update exchanges digits in a font's encoding", change,
                   shows="999")
        change = update.Update(data)
        change.put(ONE, update.stream(GLYPHS["nine"]))
        yield case("glyph", "an update redefines a glyph of a font", change, differs=data)
        change = update.Update(data)
        change.edit(GLYPH_FONT, rb"/one 17 0 R", b"/one 18 0 R")
        yield case("procs", "an update points a glyph's name to another glyph", change,
                   differs=data)
        change = update.Update(data)
        change.edit(
            SANS, rb"/Encoding\s*/WinAnsiEncoding",
            b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [49 /nine] >>")
        yield case("standard-font", "an update gives a standard font another encoding", change,
                   shows="900 EUR")
        change = update.Update(data)
        change.edit(PAGE, rb"/F3 15 0 R", b"/F3 6 0 R")
        yield case("resources", "an update exchanges a page's font resources", change,
                   differs=data)
        change = update.Update(data)
        change.put(IMAGE, picture(0))
        yield case("image", "an update replaces a picture", change, differs=data)


def fill(data, value=None, look=None, in_place=False):
    """The text field with another value, another look or both."""
    change = update.Update(data)
    if value is not None:
        change.edit(AMOUNT, rb"/V \([^)]*\)", b"/V (%s)" % value)
    if look is not None:
        body = field_look(look)
        if in_place:
            change.put(AMOUNT_LOOK, body)
        else:
            number = change.new(body)
            change.edit(AMOUNT, rb"/N 11 0 R", b"/N %d 0 R" % number)
    return change.finish()


def replace_values(kit):
    """Filling a form honestly is permitted or not; a look that lies never passes."""
    permitted = Expect({PASSED: []}, changes="form-filling")
    for name, level, data in kit.levels(0, 1, 2, 3):
        expect = FF if level == 1 else permitted
        yield Case(
            "SHD-2", f"filled-{name}", "the amount is filled in, value and look alike",
            fill(data, b"900", b"900"), expect, shows="900")
        yield Case(
            "SHD-2", f"filled-in-place-{name}", "the same, the look's stream rewritten in place",
            fill(data, b"900", b"900", in_place=True), expect, shows="900")
        expect = FF if level == 1 else NOT_CLEAN
        yield Case(
            "SHD-2", f"look-only-{name}", "the field looks like 900, its value stays 100",
            fill(data, None, b"900"), expect, shows="900")
        yield Case(
            "SHD-2", f"look-in-place-{name}", "the field's look is rewritten in place as 900",
            fill(data, None, b"900", in_place=True), expect, shows="900")
        yield Case(
            "SHD-2", f"value-only-{name}", "the value becomes 900, the look says 100 as before",
            fill(data, b"900"), expect)
        yield Case(
            "SHD-2", f"look-lies-{name}", "the value becomes 500, the look says 900",
            fill(data, b"500", b"900"), expect, shows="900")
        change = update.Update(data)
        body = field_look(b"100", b"/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
                                  b" /Encoding << /BaseEncoding /WinAnsiEncoding /Differences"
                                  b" [48 /nine /zero] >> >>")
        change.edit(AMOUNT, rb"/N 11 0 R", b"/N %d 0 R" % change.new(body))
        yield Case(
            "SHD-2", f"look-font-{name}",
            "the look still writes 100, in a font that shows other digits",
            change.finish(), expect, differs=data)
        change = update.Update(data)
        change.edit(AMOUNT, rb"/Rect\s*\[[^\]]*\]", b"/Rect [72 730 500 760]")
        yield Case(
            "SHD-2", f"moved-{name}", "the field is moved over the text", change.finish(), FF,
            differs=data)
        change = update.Update(data)
        change.add_entry(AMOUNT, b"/MK << /BG [1 1 1] >>")
        yield Case(
            "SHD-2", f"background-{name}", "the field gets another background", change.finish(),
            FF if level in (1, 2) else NOT_CLEAN)
        change = update.Update(data)
        change.edit(AMOUNT, rb"/T \(amount\)", b"/T (discount)")
        yield Case(
            "SHD-2", f"renamed-{name}", "the field gets another name", change.finish(), FF)
        change = update.Update(data)
        change.edit(FORM, rb"\[ *9 0 R", b"[ ")
        yield Case(
            "SHD-2", f"removed-{name}", "the field is taken out of the form", change.finish(), FF)
    for lock in ("all", "only:amount", "except:other"):
        for name, data in kit.kinds(0, lock):
            label = lock.replace(":", "-") + "-" + name
            yield Case(
                "SHD-2", f"locked-{label}", "a locked field is filled in honestly",
                fill(data, b"900", b"900"), FF, shows="900")
            yield Case(
                "SHD-2", f"locked-look-{label}", "the look of a locked field is rewritten in place",
                fill(data, None, b"900", in_place=True), FF, shows="900")
    for name, data in kit.kinds(2, "only:amount"):
        yield Case(
            "SHD-2", f"certified-locked-{name}", "a locked field of a certified form is filled in",
            fill(data, b"900", b"900"), FF, shows="900")
    for name, data in kit.kinds(0, "except:amount"):
        yield Case(
            "SHD-2", f"not-locked-{name}", "a field that the lock leaves out is filled in",
            fill(data, b"900", b"900"), permitted, shows="900")


def replace_looks(kit):
    """Looks that are shared: what a permitted change alters is also somewhere else."""
    for streams, kind in ((False, "table"), (True, "streams")):
        for level in (0, 2, 3):
            label = f"p{level}-{kind}"
            options = ["--certify", {2: "form-filling", 3: "annotations"}[level]] if level else []
            # The field's look is also drawn by the page.
            objects = contract_objects()
            objects[TEXT] = update.stream(
                b"BT /F1 14 Tf 72 740 Td (We owe you) Tj ET\nq 1 0 0 1 160 733 cm /Fm1 Do Q")
            objects[PAGE] = objects[PAGE].replace(
                b"/XObject << /Im1 12 0 R >>", b"/XObject << /Im1 12 0 R /Fm1 11 0 R >>")
            data = kit.sign(write(objects, streams), *options)
            yield Case(
                "SHD-2", f"shared-look-{label}",
                "the look rewritten for a filled field is also drawn by the page",
                fill(data, b"900", b"900", in_place=True), FF, differs=data)
            # The look of another field's signature or button is the page's content.
            objects = contract_objects()
            objects[PAGE] = objects[PAGE].replace(b"/Contents 4 0 R", b"/Contents 11 0 R").replace(
                b"/F1 5 0 R", b"/F1 5 0 R")
            data = kit.sign(write(objects, streams), *options)
            yield Case(
                "SHD-2", f"look-is-content-{label}",
                "the look rewritten for a filled field is the page's content as well",
                fill(data, b"900", b"900", in_place=True), FF, shows="900")
            # The font of the look is the page's font, and filling rewrites it.
            data = kit.sign(write(contract_objects(), streams), *options)
            change = update.Update(data)
            change.edit(AMOUNT, rb"/V \([^)]*\)", b"/V (900)")
            change.edit(
                SANS, rb"/Encoding\s*/WinAnsiEncoding",
                b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [49 /nine] >>")
            yield Case(
                "SHD-2", f"look-font-shared-{label}",
                "together with a filled field the page's font is redefined", change.finish(), FF,
                shows="900 EUR")
    for name, level, data in kit.levels(0, 1, 2, 3):
        change = update.Update(data)
        change.put(NOTE_LOOK, update.form(b"1 g 0 0 100 50 re f", b"0 0 100 50"))
        expect = FF if level in (1, 2) else Expect(
            {PASSED: [], 3: ["SIG_CONSTRAINTS_FAILURE"], 4: ["FORMAT_FAILURE"]},
            changes="annotations|forbidden")
        yield Case(
            "SHD-2", f"note-look-{name}", "the look of a signed annotation is rewritten in place",
            change.finish(), expect, differs=data)


def hide_and_replace(kit):
    """A second document inside the signed bytes, reached by new cross-references."""
    for streams, kind in ((False, "table"), (True, "streams")):
        objects = contract_objects()
        hidden = max(objects) + 1
        objects[hidden] = b"<< /Type /Catalog /Pages %d 0 R >>" % (hidden + 1)
        objects[hidden + 1] = b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (hidden + 2)
        objects[hidden + 2] = (
            b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources <<"
            b" /Font << /F1 5 0 R >> >> >>" % (hidden + 1, hidden + 3))
        objects[hidden + 3] = update.stream(HIDDEN)
        for level in (0, 3):
            options = ["--certify", "annotations"] if level else []
            data = kit.sign(write(objects, streams), *options)
            label = f"p{level}-{kind}"

            def case(variant, about, change, expect=FF, **trailer):
                return Case(
                    "SHD-3", f"{variant}-{label}", about, change.finish(**trailer), expect,
                    HIDDEN_SHOWS)

            change = update.Update(data)
            change.put(change.size, b"null")
            yield case("root", "the update's trailer names the hidden catalog", change,
                       FF | NO_SIGNATURE, Root=b"%d 0 R" % hidden)
            change = update.Update(data)
            change.edit(CATALOG, rb"/Pages 2 0 R", b"/Pages %d 0 R" % (hidden + 1))
            yield case("pages", "the catalog is led to the hidden page tree", change)
            change = update.Update(data)
            change.edit(PAGES, rb"\[ *3 0 R", b"[%d 0 R" % (hidden + 2))
            yield case("kids", "the page tree is led to the hidden page", change)
            change = update.Update(data)
            change.edit(PAGE, rb"/Contents 4 0 R", b"/Contents %d 0 R" % (hidden + 3))
            yield case("contents", "the page is led to the hidden content", change)
            # No object at all in the update: a number is led to the hidden object's place.
            change = update.Update(data)
            place = update.definitions(data)[hidden + 3]
            change.generations[TEXT] = 0
            out = change.finish(lies={TEXT: place})
            yield Case(
                "SHD-3", f"renumbered-{label}",
                "the update holds cross-references only, one leads to an object of another number",
                out, FF | ERROR)
        yield from twice_defined(kit, streams, kind)
        change = update.Update(kit.base(streams=streams))
        change.edit(PAGES, rb"\[ *3 0 R +10 0 R *\]", b"[10 0 R 3 0 R]")
        yield Case(
            "SHD-3", f"order-{kind}", "the pages change places", change.finish(), FF,
            differs=kit.base(streams=streams))
        change = update.Update(kit.base(streams=streams))
        change.edit(PAGES, rb"\[ *3 0 R +10 0 R *\] */Count 2|/Count 2 */Kids *\[ *3 0 R +10 0 R *\]",
                    b"/Kids [3 0 R] /Count 1")
        yield Case(
            "SHD-3", f"page-removed-{kind}", "a page is removed", change.finish(), FF)
        # What pages inherit from the tree.
        for variant, entry in (
                ("rotate", b"/Rotate 180"), ("crop", b"/CropBox [0 0 595 700]"),
                ("unknown", b"/Anything (at all)")):
            change = update.Update(kit.base(streams=streams))
            change.add_entry(PAGES, entry)
            yield Case(
                "SHD-3", f"inherited-{variant}-{kind}", "the page tree gets an entry more",
                change.finish(), FF,
                differs=kit.base(streams=streams) if variant != "unknown" else None)
        change = update.Update(kit.base(streams=streams))
        change.edit(PAGE_TWO, rb"/MediaBox", b"/Rotate 180 /MediaBox")
        yield Case(
            "SHD-3", f"rotated-{kind}", "a page is turned", change.finish(), FF)
        change = update.Update(kit.base(streams=streams))
        change.edit(PAGE_TWO, rb"/MediaBox", b"/CropBox [0 0 595 700] /MediaBox")
        yield Case(
            "SHD-3", f"cropped-{kind}", "a page is cropped, its text gone", change.finish(), FF)


def twice_defined(kit, streams, kind):
    """The signed bytes hold two objects of one number; the update chooses the other one."""
    if streams:
        plain = write(contract_objects(), True)
    else:
        plain = write(contract_objects())
    # The decoy stands in front of the real table: an update that first defines the hidden
    # content, then a second one that brings the harmless one back, before anyone signs.
    change = update.Update(plain)
    change.put(TEXT, update.stream(HIDDEN))
    between = change.finish()
    place = update.definitions(between)[TEXT]
    back = update.Update(between)
    back.put(TEXT, contract_objects()[TEXT])
    data = kit.sign(back.finish())
    change = update.Update(data)
    change.generations[TEXT] = 0
    yield Case(
        "SHD-3", f"other-definition-{kind}",
        "the update holds cross-references only, which lead to an older object of the same number",
        change.finish(lies={TEXT: place}), FF, HIDDEN_SHOWS)
