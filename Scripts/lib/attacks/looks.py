"""What later revisions make viewers draw or do: widgets, their states and flags, annotations, the
structure tree, and signatures that were taken away."""

import re

import pdf_fixtures
from attacks import update
from attacks.bases import (
    AMOUNT, AMOUNT_LOOK, APPROVAL, CATALOG, FORM, NOTE, PAGE, PAGE_TWO, SANS, contract_objects,
    field_look, write)
from attacks.case import FF, PASSED, Case, Expect, indeterminate

NOT_CLEAN = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
FILLED = Expect({PASSED: []}, changes="form-filling|annotations")

(RADIO, RADIO_A, RADIO_B, ON, OFF, CHECK, TWICE, TWIN, OTHER_NOTE, TREE, ELEMENT, TEXT_ELEMENT,
 NODE, STATES, STATE_A, STATE_B, LINK, LINK_ELEMENT, FRAMED, COMB) = range(21, 41)

# The mark of a box drawn anew.
MARKS = (
    ("moved", b"q 1 w 0 g 5 4.5 12 12 re f Q"),
    ("smaller", b"5 5 10 10 re f"),
    ("tiny", b"9 9 1 1 re f"),
    ("far", b"8 8 12 12 re f"),
    ("white", b"1 g 4 4 12 12 re f"),
    ("framed", b"4 4 12 12 re S"),
    ("two", b"4 4 12 12 re f 1 g 6 6 9 9 re f"),
    ("other", b"4 4 m 16 4 l 16 16 l 4 16 l f"),
    ("clipped", b"0 0 1 1 re W n 4 4 12 12 re f"),
    ("turned", b"q 0 1 -1 0 20 0 cm 4 4 12 12 re f Q"),
)

WIDGET = b"/Type /Annot /Subtype /Widget /F 4 /P 3 0 R"


def objects():
    """The contract with more fields, two annotations that overlap, and tags."""
    found = contract_objects()
    found[CATALOG] = found[CATALOG][:-2] + b"/StructTreeRoot 30 0 R /MarkInfo << /Marked true >> >>"
    found[PAGE] = found[PAGE].replace(
        b"/Annots [9 0 R 13 0 R 14 0 R]",
        b"/Annots [9 0 R 13 0 R 14 0 R 22 0 R 23 0 R 26 0 R 27 0 R 28 0 R 29 0 R 34 0 R 37 0 R 39 0 R 40 0 R]"
        b" /StructParents 0")
    found[FORM] = found[FORM].replace(
        b"[9 0 R 13 0 R]", b"[9 0 R 13 0 R 21 0 R 26 0 R 27 0 R 34 0 R 39 0 R 40 0 R]")
    mark = b"<< %s /Rect [72 %d 92 %d] /AS /%%s /AP << /N << /%%s 24 0 R /Off 25 0 R >> >> %%s >>"
    found[RADIO] = b"<< /FT /Btn /Ff 49152 /T (way) /V /A /Kids [22 0 R 23 0 R] >>"
    found[RADIO_A] = mark % (WIDGET, 300, 320) % (b"A", b"A", b"/Parent 21 0 R")
    found[RADIO_B] = mark % (WIDGET, 270, 290) % (b"Off", b"B", b"/Parent 21 0 R")
    found[ON] = update.form(b"4 4 12 12 re f", b"0 0 20 20")
    found[OFF] = update.form(b"4 4 12 12 re S", b"0 0 20 20")
    found[CHECK] = mark % (WIDGET, 240, 260) % (b"Off", b"Yes", b"/FT /Btn /T (agreed) /V /Off")
    found[TWICE] = (
        b"<< %s /FT /Tx /T (twice) /V (100) /DA (/F1 12 Tf 0 g) /Rect [72 200 272 220]"
        b" /Kids [28 0 R] /AP << /N 11 0 R >> >>" % WIDGET)
    found[TWIN] = (
        b"<< %s /Parent 27 0 R /DA (/F1 12 Tf 0 g) /Rect [72 170 272 190]"
        b" /AP << /N 11 0 R >> >>" % WIDGET)
    found[OTHER_NOTE] = (
        b"<< /Type /Annot /Subtype /Square /F 4 /Rect [310 510 410 560] /IC [1 1 1]"
        b" /AP << /N 35 0 R >> >>")
    found[TREE] = (
        b"<< /Type /StructTreeRoot /K [31 0 R] /ParentTree 33 0 R /ParentTreeNextKey 2 >>")
    found[ELEMENT] = (
        b"<< /Type /StructElem /S /Document /P 30 0 R /K [32 0 R 38 0 R] >>")
    found[TEXT_ELEMENT] = b"<< /Type /StructElem /S /P /P 31 0 R /Pg 3 0 R /K 0 >>"
    found[NODE] = b"<< /Nums [0 [32 0 R] 1 38 0 R] >>"
    found[STATES] = (
        b"<< %s /FT /Tx /T (states) /V (100) /Rect [72 140 272 160] /AS /A"
        b" /AP << /N << /A 11 0 R /B 36 0 R >> >> >>" % WIDGET)
    found[STATE_A] = update.form(b"1 g 0 0 100 50 re f", b"0 0 100 50")
    found[STATE_B] = field_look(b"900")
    found[LINK] = (
        b"<< /Type /Annot /Subtype /Link /F 4 /Rect [72 100 172 120] /StructParent 1"
        b" /A << /S /URI /URI (https://honest.example/) >> >>")
    found[LINK_ELEMENT] = (
        b"<< /Type /StructElem /S /Link /P 31 0 R /K << /Type /OBJR /Obj 37 0 R /Pg 3 0 R >> >>")
    found[FRAMED] = (
        b"<< %s /FT /Tx /T (framed) /V (100) /DA (/F1 12 Tf 0 g) /Rect [72 70 272 90]"
        b" /MK << /BG [1] /BC [0] >> /AP << /N 11 0 R >> >>" % WIDGET)
    found[COMB] = (
        b"<< %s /FT /Tx /Ff 16777216 /MaxLen 10 /T (comb) /V (100) /DA (/F1 12 Tf 0 g)"
        b" /Rect [72 40 272 60] /AP << /N 11 0 R >> >>" % WIDGET)
    return found


def cases(kit):
    yield from generations(kit)
    for streams, kind in ((False, "table"), (True, "streams")):
        for level in (0, 2, 3):
            options = ["--certify", {2: "form-filling", 3: "annotations"}[level]] if level else []
            data = kit.sign(write(objects(), streams), *options)
            name = f"p{level}-{kind}" if level else kind
            for variant, about, change in lies(data):
                yield Case("LOOK-1", f"{variant}-{name}", about, change.finish(), NOT_CLEAN)
            for variant, about, change in tree_lies(data):
                yield Case("LOOK-2", f"{variant}-{name}", about, change.finish(), FF)
            for variant, about, change in fillings(data):
                # White text on dark ground: the color of the field is black.
                yield Case("LOOK-3", f"{variant}-{name}", about, change.finish(),
                           NOT_CLEAN if variant == "text-dark" else FILLED)
            for variant, about, change in comments(data):
                yield Case("LOOK-4", f"{variant}-{name}", about, change.finish(),
                           FF if level == 2 else FILLED)
            for variant, about, change in new_fields(data):
                yield Case("LOOK-5", f"{variant}-{name}", about, change.finish(),
                           FF if level else FILLED)
            for variant, mark in MARKS:
                change = start(data, CHECK, rb"/V /Off", b"/V /Yes")
                change.edit(CHECK, rb"/AS /Off", b"/AS /Yes")
                change.edit(CHECK, rb"/Yes %d 0 R" % ON, b"/Yes %d 0 R" % change.new(
                    update.form(mark, b"0 0 20 20")))
                yield Case("LOOK-8", f"{variant}-{name}", "a box is ticked, and its mark drawn anew",
                           change.finish(), NOT_CLEAN)
            if not level:
                yield from drawn_by_readers(data, name)
                yield from taken_away(kit, data, name)


def generations(kit):
    """The number of a look that is given up is used again, as Poppler does it."""
    for name, data in kit.kinds()[:1]:
        for variant, expect in (("unused", FILLED), ("shown", FF), ("lower", FF), ("needed", FF)):
            change = start(data, AMOUNT, rb"/V \(100\)", b"/V (900)")
            look = change.new(field_look(b"900"))
            if variant != "needed":
                change.edit(AMOUNT, rb"/N %d 0 R" % AMOUNT_LOOK, b"/N %d %d R" % (
                    (AMOUNT_LOOK, 1) if variant == "shown" else (look, 0)))
            if variant == "lower":
                change.put(PAGE_TWO, change.old(PAGE_TWO), 1)
            change.put(AMOUNT_LOOK, field_look(b"900"), 1)
            yield Case("LOOK-9", f"{variant}-{name}", "a number is used again in a new generation",
                       change.finish(), expect)


def start(data, number=None, pattern=None, replacement=None):
    change = update.Update(data)
    if number:
        change.edit(number, pattern, replacement)
    return change


def with_look(data, body, value=b"100", number=AMOUNT):
    """A field with another look."""
    change = start(data)
    look = change.new(body)
    change.edit(number, rb"/N 11 0 R", b"/N %d 0 R" % look)
    change.edit(number, rb"/V \([^)]*\)", b"/V (%s) " % value)
    return change


def lies(data):
    """What a field or page shows or does is not what was signed, and not what is said."""
    plain = field_look(b"900")
    yield "beside-kids", "the look of a field's own widget beside /Kids", with_look(
        data, plain, number=TWICE)
    yield "second-widget", "the look of a field's second widget", start(
        data, TWIN, rb"/N 11 0 R", b"/N 36 0 R")
    yield "half-filled", "a value that only one of two widgets shows", with_look(
        data, plain, b"900", TWICE)
    yield "state", "a text field's state", start(data, STATES, rb"/AS /A", b"/AS /B")
    yield "state-removed", "a text field without a state", start(data, STATES, rb"/AS /A", b"")
    yield "state-in-place", "the look of a state is replaced in place", replaced(
        data, AMOUNT_LOOK, STATE_B)
    for key in (b"R", b"D"):
        yield f"look-{key.decode()}", f"a look of kind /{key.decode()} that lies", start(
            data, AMOUNT, rb"/N 11 0 R", b"/N 11 0 R /%s 36 0 R" % key)
    for flags in (0, 2, 6, 20, 32, 36, 260):
        yield f"flags-{flags}", f"the flags of a field become {flags}", start(
            data, AMOUNT, rb"/F 4", b"/F %d" % flags)
    yield "stamp-removed", "a look is taken away", start(
        data, AMOUNT, rb"/AP\s*<<\s*/N 11 0 R\s*>>", b"")
    yield "radio-both", "both radio buttons are marked", start(data, RADIO_B, rb"/Off", b"/B")
    yield "radio-none", "no radio button is marked", start(data, RADIO_A, rb"/AS /A", b"/AS /Off")
    yield "radio-value", "the value alone", start(data, RADIO, rb"/V /A", b"/V /B")
    yield "radio-swapped", "what stands for marked and not is exchanged", start(
        data, RADIO_A, rb"/A 24 0 R\s*/Off 25 0 R", b"/A 25 0 R /Off 24 0 R")
    yield "check-mark", "a mark without value", start(data, CHECK, rb"/AS /Off", b"/AS /Yes")
    yield "check-in-place", "the look of no mark is replaced in place", replaced(data, OFF, ON)
    yield "flags-field", "a check box becomes a push button", start(
        data, CHECK, rb"/FT", b"/Ff 65536 /FT")
    for name, body in deceiving_looks().items():
        yield f"look-{name}", "a filled value whose look is " + name, with_look(
            data, body, b"100", AMOUNT)
    yield "empty-signature", "an empty signature field gets a look", start(
        data, APPROVAL, rb"/F 132", b"/F 132 /AP << /N 36 0 R >>")
    yield "empty-signature-hidden", "an empty signature field is hidden", start(
        data, APPROVAL, rb"/F 132", b"/F 134")
    yield "need-appearances", "viewers are told to draw", start(
        data, FORM, rb"/DA", b"/NeedAppearances true /DA")
    change = start(data)
    change.edit(FORM, rb"/DA", b"/NeedAppearances %d 0 R /DA" % change.new(b"true"))
    yield "need-appearances-indirect", "viewers are told to draw, by a reference", change
    for about, entry in (("calculates", b"/CO [9 0 R]"), ("is dynamic", b"/XFA (x)")):
        yield about.replace(" ", "-"), "the form " + about, start(
            data, FORM, rb"/DA", entry + b" /DA")
    for key, value in ((b"MaxLen", b"1"), (b"TU", b"(Yes)"), (b"DV", b"(900)"), (b"RV", b"(900)"),
                       (b"OC", b"<< /Type /OCG /Name (x) >>"), (b"MK", b"<< /R 180 >>"),
                       (b"BS", b"<< /W 20 >>"), (b"A", b"<< /S /JavaScript /JS (x) >>"),
                       (b"AA", b"<< /E << /S /Hide /T (way) >> >>")):
        yield "entry-" + key.decode(), f"the entry /{key.decode()} of a field", start(
            data, AMOUNT, rb"/FT", b"/%s %s /FT" % (key, value))
    yield "taken-off", "a field is taken off its page", start(data, PAGE, rb"9 0 R 13", b"13")
    yield "put-elsewhere", "a field is put on another page, too", start(
        data, PAGE_TWO, rb"/Contents", b"/Annots [9 0 R] /Contents")
    for key, value in ((b"OpenAction", b"<< /S /JavaScript /JS (x) >>"), (b"AA", b"<< >>"),
                       (b"OCProperties", b"<< /OCGs [] /D << >> >>"),
                       (b"PageLabels", b"<< /Nums [0 << /St 9 >>] >>"),
                       (b"ViewerPreferences", b"<< /HideToolbar true >>"),
                       (b"Collection", b"<< >>"), (b"OutputIntents", b"[]"), (b"Threads", b"[]"),
                       (b"Names", b"<< /JavaScript << /Names [(x) 3 0 R] >> >>")):
        body = value if key != b"AA" else b"<< /WC << /S /JavaScript /JS (x) >> >>"
        yield "catalog-" + key.decode(), f"the document's entry /{key.decode()}", start(
            data, CATALOG, rb"/Pages", b"/%s %s /Pages" % (key, body))


def replaced(data, number, by):
    """An object gets the content of another."""
    change = start(data)
    change.put(number, objects()[by])
    return change


def deceiving_looks():
    """Looks that write 100 and show something else, or nothing."""
    text = b"BT %s /F1 12 Tf 4 6 Td %s ET"
    helvetica = b"/F1 << /Type /Font /Subtype /Type1 /BaseFont /%s %s >>"

    def look(before=b"", shown=b"(100) Tj", after=b"", font=b"/F1 5 0 R", more=b""):
        return update.form(
            text % (before, shown) + after, b"0 0 200 20",
            b"/Resources << /Font << %s >> %s >> " % (font, more))

    digits = b"q 10 0 0 14 40 3 cm 0 0 m 1 0 l 1 1 l 0 1 l 0 .5 l 1 .5 l S Q"
    return {
        "white": look(b"1 g"), "invisible": look(b"3 Tr"), "clipping": look(b"7 Tr"),
        "tiny": look(b"0.01 0 0 0.01 0 0 Tm"), "outside": look(b"1 0 0 1 500 0 Tm"),
        "upside-down": look(b"-1 0 0 -1 90 16 Tm"), "drawn-over": look(after=b" 1 g 0 0 200 20 re f"),
        "drawn-beside": look(after=digits), "drawn-before": update.form(
            digits + b" " + text % (b"", b"(100) Tj"), b"0 0 200 20",
            b"/Resources << /Font << /F1 5 0 R >> >> "),
        "reversed": look(shown=b"30 0 Td (1) Tj -10 0 Td (00) Tj"),
        "kerned-back": look(shown=b"[(1) 3000 (00)] TJ"), "spaced-back": look(b"-20 Tc"),
        "symbols": look(font=helvetica % (b"ZapfDingbats", b"")),
        "narrow": look(font=helvetica % (b"Helvetica", b"/FirstChar 48 /LastChar 49 /Widths [0 0]")),
        "recoded": look(font=helvetica % (
            b"Helvetica", b"/Encoding << /Differences [48 /nine] >>")),
        "accented": look(shown=b"(\\310\\311\\311100) Tj", font=helvetica % (
            b"Helvetica", b"/Encoding << /Differences [200 /nine /zero] >>")),
        "layered": look(before=b"ET /OC /L BDC BT", after=b" EMC", more=(
            b"/Properties << /L << /Type /OCG /Name (x) >> >>")),
        "transparent": look(before=b"/G gs", more=b"/ExtGState << /G << /ca 0 >> >>"),
        "elsewhere": update.form(
            text % (b"", b"(100) Tj"), b"0 0 9000 9000",
            b"/Resources << /Font << /F1 5 0 R >> >> "),
        "turned": update.form(
            text % (b"", b"(100) Tj"), b"0 0 200 20",
            b"/Matrix [-1 0 0 -1 0 0] /Resources << /Font << /F1 5 0 R >> >> "),
        "picture": look(after=b" q 200 0 0 20 0 0 cm /I Do Q", more=b"/XObject << /I 12 0 R >>"),
        "nested": look(after=b" /I Do", more=b"/XObject << /I 36 0 R >>"),
        "shaded": look(after=b" /S sh", more=(
            b"/Shading << /S << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 1 1]"
            b" /Function << /FunctionType 2 /Domain [0 1] /N 1 >> >> >>")),
        "inline-picture": look(after=b" BI /W 1 /H 1 /BPC 8 /CS /G ID x EI"),
    }


def tree_lies(data):
    """The structure tree as a pretext for replacing something else."""
    font = pdf_fixtures.FONT % b"Courier"
    for about, number, body in (
            ("font", SANS, font), ("page tree", 2, b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>"),
            ("look", NOTE, b"<< /S /P /P 31 0 R /K [] >>")):
        for key in (b"Kids", b"Nums"):
            change = start(data)
            change.put(number, body)
            entry = (b"/Kids [%d 0 R]" if key == b"Kids" else b"/Nums [0 [32 0 R] 1 38 0 R 2 %d 0 R]")
            change.put(NODE, b"<< %s /Nums [0 [32 0 R] 1 38 0 R] >>" % (entry % number)
                       if key == b"Kids" else b"<< %s >>" % (entry % number))
            yield (f"{about.replace(' ', '-')}-{key.decode()}",
                   f"a {about} that the parent tree's /{key.decode()} names", change)
    change = start(data, TREE, rb"/ParentTree 33 0 R", b"/ParentTree 5 0 R")
    change.put(SANS, font[:-2] + b"/Nums [0 [32 0 R] 1 38 0 R] >>")
    yield "font-is-tree", "a font becomes the parent tree", change
    change = start(data, ELEMENT, rb"38 0 R", b"38 0 R 5 0 R")
    change.put(SANS, font)
    yield "font-is-element", "a font becomes an element", change
    yield "text-lost", "an element of the page's text is taken away", start(
        data, ELEMENT, rb"32 0 R", b"")
    yield "text-reread", "text gets another reading", start(
        data, TEXT_ELEMENT, rb"/K 0", b"/K 0 /ActualText (We owe you 900 EUR.)")
    for variant, node, key, about in (
            ("new-list", b"[%d 0 R]", b"7", "a new list of tags"),
            ("known-list", b"%d 0 R", b"0", "the tags of another page"),
            ("no-list", b"%d 0 R", b"7", "the tag of an annotation")):
        change = start(data, PAGE_TWO, rb"/Contents", b"/StructParents %s /Contents" % key)
        element = change.new(
            b"<< /Type /StructElem /S /Annot /P 31 0 R /ActualText (We owe you 900 EUR.) /K"
            b" << /Type /OBJR /Obj 14 0 R >> >>")
        change.edit(ELEMENT, rb"38 0 R", b"38 0 R %d 0 R" % element)
        change.edit(NODE, rb"\]\s*>>\s*$", b"7 %s ] >>" % (node % element))
        yield variant, "a page without tags gets " + about, change
    yield "roles", "elements get other roles", start(
        data, TREE, rb"/K", b"/RoleMap << /P /Artifact >> /K")


def fillings(data):
    """Honest filling by different programs."""
    yield "text", "a text field", with_look(data, field_look(b"900"), b"900")
    framed = (
        b"q 1 g 0 0 200 20 re f 0 G 0.5 0.5 199 19 re s Q /Tx BMC q 1 1 198 18 re W n BT 0 g"
        b" /F1 12 Tf 1 0 0 1 4 6 Tm (900) Tj ET Q EMC")
    resources = b"/Resources << /Font << /F1 5 0 R >> >> "
    yield "text-framed", "a text field with ground and frame", with_look(
        data, update.form(framed, b"0 0 200 20", resources), b"900", FRAMED)
    yield "text-comb", "a text field, digit by digit", with_look(data, update.form(
        b"/Tx BMC BT /F1 12 Tf 4 6 Td (9) Tj 20 0 Td (0) Tj 20 0 Td (0) Tj ET EMC",
        b"0 0 200 20", resources), b"900", COMB)
    yield "text-dark", "white text on dark ground", with_look(data, update.form(
        b"0 0 .4 rg 0 0 200 20 re f BT 1 g /F1 12 Tf 4 6 Td (900) Tj ET", b"0 0 200 20",
        resources), b"900", FRAMED)
    yield "text-nested", "a look in a look", with_look(data, update.form(
        b"q 1 0 0 1 0 0 cm /I Do Q", b"0 0 200 20", b"/Resources << /XObject << /I 36 0 R >> >> "),
        b"900")
    change = with_look(data, field_look(b"900"), b"900", TWICE)
    change.edit(TWIN, rb"/N 11 0 R", b"/N 36 0 R")
    yield "two-widgets", "a field with two widgets", change
    change = start(data, RADIO, rb"/V /A", b"/V /B")
    change.edit(RADIO_A, rb"/AS /A", b"/AS /Off")
    change.edit(RADIO_B, rb"/AS /Off", b"/AS /B")
    yield "radio", "another radio button", change
    change = start(data, CHECK, rb"/V /Off", b"/V /Yes")
    change.edit(CHECK, rb"/AS /Off", b"/AS /Yes")
    yield "check", "a check box", change
    yield "read-only", "a field is closed", start(data, AMOUNT, rb"/FT", b"/Ff 1 /FT")
    yield "empty-settings", "a field gets an empty /MK", start(
        data, AMOUNT, rb"/FT", b"/MK << >> /M (D:20260101) /FT")


def comments(data):
    """Honest comments, with their tags."""
    change = start(data)
    note = change.new(b"<< /Type /Annot /Subtype /Text /Rect [9 9 29 29] /Contents (Fine) >>")
    change.edit(PAGE, rb"/Annots \[", b"/Annots [ %d 0 R " % note)
    yield "note", "a note", change
    change = start(data)
    note = change.new(
        b"<< /Type /Annot /Subtype /Text /Rect [9 9 29 29] /Contents (Fine) /StructParent 7 >>")
    change.edit(PAGE, rb"/Annots \[", b"/Annots [ %d 0 R " % note)
    element = change.new(
        b"<< /Type /StructElem /S /Annot /P 31 0 R /Alt (A note) /K << /Type /OBJR /Obj %d 0 R"
        b" >> >>" % note)
    change.edit(ELEMENT, rb"38 0 R", b"38 0 R %d 0 R" % element)
    change.edit(NODE, rb"\]\s*>>\s*$", b"7 %d 0 R ] >>" % element)
    yield "note-with-tag", "a note with its element", change
    change = start(data, PAGE, rb" 37 0 R", b"")
    change.edit(ELEMENT, rb"38 0 R", b"")
    change.edit(NODE, rb"1 38 0 R", b"")
    yield "removed-with-tag", "a link is removed with its element", change
    yield "removed", "an annotation is removed", start(data, PAGE, rb"14 0 R", b"")
    yield "reordered", "annotations change places", start(
        data, PAGE, rb"14 0 R(.*)29 0 R", b"29 0 R 22 0 R 23 0 R 26 0 R 27 0 R 28 0 R 14 0 R")


def drawn_by_readers(data, name):
    """Annotations without a look, which readers draw."""
    for subtype in (b"Text", b"FileAttachment", b"Link", b"Stamp"):
        change = start(data)
        note = change.new(b"<< /Type /Annot /Subtype /%s /Rect [72 735 92 755] >>" % subtype)
        change.edit(PAGE, rb"/Annots \[", b"/Annots [ %d 0 R " % note)
        yield Case("LOOK-7", f"{subtype.decode()}-{name}", "an annotation that readers draw",
                   change.finish(), Expect({PASSED: []}, remark="may hide"))


def new_fields(data):
    """Fields that a document gets that restricts nothing."""
    for name, kind, look in (
            ("text", b"/FT /Tx /V (900)", b"/AP << /N 36 0 R >>"), ("signature", b"/FT /Sig", b""),
            ("button", b"/FT /Btn /Ff 65536", b"")):
        change = start(data)
        field = change.new(
            b"<< %s %s /T (New) /Rect [300 100 400 120] %s >>" % (WIDGET, kind, look))
        change.append_field(b"%d 0 R" % field)
        change.append_to(PAGE, b"/Annots", b"%d 0 R" % field)
        yield name, f"a field ({name}) is added", change


def taken_away(kit, data, name):
    """A signature is dropped, and another one made under the same name."""
    unsigned = start(data, FORM, rb"\d+ 0 R\s*\]", b"]")
    lost = unsigned.finish()
    for field in ("Author", "Second"):
        yield Case(
            "LOOK-6", f"{field}-{name}", "a signature is dropped, and a new one made",
            kit.sign(lost, field=field, signer=kit.pki.second), FF)
    # The same in a file that begins anew behind the signed one.
    shift = len(data)
    fresh = write(objects())
    moved = fresh[fresh.index(b"\n", 9) + 1:]
    yield Case(
        "LOOK-6", f"begun-anew-{name}", "a document is written behind the signed one",
        kit.sign(rebased(data, moved, shift - (len(fresh) - len(moved)))), FF)


def rebased(data, objects_, shift):
    """Another document's objects and table behind the signed one, all offsets corrected."""
    body, table = objects_[:objects_.rindex(b"xref\n0")], objects_[objects_.rindex(b"xref\n0"):]
    table = re.sub(rb"(\d{10}) 00000 n", lambda m: b"%010d 00000 n" % (int(m[1]) + shift), table)
    table = re.sub(rb"startxref\n(\d+)", lambda m: b"startxref\n%d" % (int(m[1]) + shift), table)
    return data + body + table
