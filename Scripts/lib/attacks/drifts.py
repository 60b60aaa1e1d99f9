"""Looks of fields that come to say something else in steps that each go for nothing, by the place of
their words, by words that some readers cut, and over what other annotations show; and values and
names that are spelled anew."""

import re

from attacks import update
from attacks.bases import FORM, PAGE, PAGES, TEXT, contract_objects, write
from attacks.case import FF, PASSED, Case, Expect, indeterminate

DOUBTFUL = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
# The program must not say that nothing changed.
CHANGED = Expect({PASSED: []}, changes="form-filling|annotations")

TALL, TALL_LOOK, WIDE, WIDE_LOOK, BARE, REMARK, REMARK_LOOK, OVER, OVER_LOOK, COVER, PAGE_THREE = (
    range(21, 32))
RESOURCES = b"/Resources << /Font << /F1 5 0 R >> >> "
WIDGET = b"/Type /Annot /Subtype /Widget /FT /Tx /F 4 /DA (/F1 12 Tf 0 g) /P 3 0 R"
ACCEPT_ROW, REFUSE_ROW = 60, 20


def objects():
    """The contract with a tall field beside two rows, a wide one under two columns, one without a
    look, and one that lies over other annotations."""
    found = contract_objects()
    found[PAGE] = found[PAGE].replace(
        b"/Annots [9 0 R 13 0 R 14 0 R]",
        b"/Annots [9 0 R 13 0 R 14 0 R 28 0 R 21 0 R 23 0 R 25 0 R 26 0 R]")
    found[FORM] = found[FORM].replace(
        b"[9 0 R 13 0 R]", b"[9 0 R 13 0 R 21 0 R 23 0 R 25 0 R 26 0 R]")
    found[TALL] = (
        b"<< %s /Ff 4096 /T (choice) /V (X) /Rect [30 300 70 380] /AP << /N 22 0 R >> >>" % WIDGET)
    found[TALL_LOOK] = tall(REFUSE_ROW)
    found[WIDE] = (
        b"<< %s /T (vote) /V (Jan X) /Rect [72 260 372 280] /AP << /N 24 0 R >> >>" % WIDGET)
    found[WIDE_LOOK] = wide(b"[(Jan) -15500 (X)] TJ")
    found[BARE] = b"<< %s /T (bare) /V (100 K EUR) /Rect [72 230 272 250] >>" % WIDGET
    found[REMARK] = (
        b"<< %s /T (remark) /MK << /BG [1] >> /Rect [72 190 172 210] /AP << /N 27 0 R >> >>" % WIDGET)
    found[REMARK_LOOK] = look(b"/Tx BMC EMC", b"0 0 100 20")
    found[OVER] = (
        b"<< /Type /Annot /Subtype /FreeText /F 4 /DA (/F1 12 Tf) /Contents (not)"
        b" /Rect [72 190 172 210] /P 3 0 R /AP << /N 29 0 R >> >>")
    found[OVER_LOOK] = look(b"BT /F1 12 Tf 20 5 Td (not) Tj ET", b"0 0 100 20")
    found[COVER] = look(
        b"q 1 g 0 0 100 20 re f Q /Tx BMC q BT /F1 12 Tf 0 g 20 5 Td (-) Tj ET Q EMC",
        b"0 0 100 20")
    return found


def look(content, box, resources=RESOURCES):
    return update.form(content, box, resources)


def tall(y, x=15, size=b"12"):
    return look(b"/Tx BMC q BT /F1 %s Tf 0 g %s %s Td (X) Tj ET Q EMC" % (
        size, str(x).encode(), str(y).encode()), b"0 0 40 80")


def wide(text, before=b"2 5 Td"):
    return look(b"/Tx BMC q BT /F1 12 Tf 0 g %s %s ET Q EMC" % (before, text), b"0 0 300 20")


def cases(kit):
    for level in (0, 2):
        options = ["--certify", "form-filling"] if level else []
        data = kit.sign(write(objects()), *options)
        for variant, steps, expect in moves():
            found = data
            for number, body in steps:
                change = update.Update(found)
                change.put(number, body)
                found = change.finish()
            yield Case("DRIFT-1", f"{variant}-p{level}",
                       "a look with the same words is drawn elsewhere", found, expect)
        for variant, body in long_words():
            change = update.Update(data)
            change.put(WIDE_LOOK, body)
            yield Case("DRIFT-2", f"{variant}-p{level}",
                       "a look has words that some readers cut", change.finish(), DOUBTFUL)
        for variant, value, body in spellings():
            change = update.Update(data)
            if body:
                value = b"%d 0 R" % change.new(body)
            change.edit(BARE, rb"/V \(100 K EUR\)", b"/V " + value + b" ")
            yield Case("DRIFT-3", f"{variant}-p{level}",
                       "a value without a look is written anew in another way", change.finish(),
                       DOUBTFUL)
        change = update.Update(data)
        change.put(REMARK_LOOK, objects()[COVER])
        change.edit(REMARK, rb"/T \(remark\)", b"/T (remark) /V (-)")
        yield Case("DRIFT-4", f"annotation-p{level}", "a field's ground covers an annotation",
                   change.finish(), DOUBTFUL)
        yield two_pages(kit, options, level)
        yield from respelled(kit, level)
    yield from more(kit)


def moves():
    """(variant, updates, expectation)"""
    rows = [REFUSE_ROW + 40 * step / 7 for step in range(1, 8)]
    yield "rows", [(TALL_LOOK, tall(row)) for row in rows], DOUBTFUL
    yield "row-at-once", [(TALL_LOOK, tall(ACCEPT_ROW))], DOUBTFUL
    yield "aside", [(TALL_LOOK, tall(REFUSE_ROW, 15 - 4 * step)) for step in range(1, 4)], DOUBTFUL
    sizes = [b"%.1f" % (12 * 1.3**step) for step in range(1, 5)]
    yield "larger", [(TALL_LOOK, tall(REFUSE_ROW, size=size)) for size in sizes], DOUBTFUL
    yield "column", [(WIDE_LOOK, wide(b"[(Jan) -7500 (X)] TJ"))], DOUBTFUL
    yield "column-Td", [(WIDE_LOOK, wide(b"(Jan) Tj 100 0 Td (X) Tj"))], DOUBTFUL
    yield "column-Tw", [(WIDE_LOOK, wide(b"90 Tw (Jan X) Tj"))], DOUBTFUL
    yield "apart", [(WIDE_LOOK, wide(b"[(J) -900 (a) -900 (n) -13000 (X)] TJ"))], DOUBTFUL
    yield "a-little", [(WIDE_LOOK, wide(b"[(Jan) -15500 (X)] TJ", b"4 6 Td"))], DOUBTFUL
    yield "not", [(WIDE_LOOK, wide(b"[(Ja) 0 (n) -15500 (X)] TJ"))], DOUBTFUL


def long_words():
    zeros = b"0" * 300
    yield "size", wide(b"[(Jan) -15500 (X)] TJ", b"/F1 %s12 Tf 2 5 Td" % zeros)
    yield "move", wide(b"[(Jan) -15500 (X)] TJ", b"%s2 5 Td" % zeros)
    yield "gap", wide(b"[(Jan) -%s15500 (X)] TJ" % zeros)
    yield "fraction", wide(b"[(Jan) -15500.%s (X)] TJ" % zeros)
    name = b"F" * 300
    yield "font", look(
        b"/Tx BMC q BT /%s 12 Tf 0 g 2 5 Td [(Jan) -15500 (X)] TJ ET Q EMC" % name, b"0 0 300 20",
        b"/Resources << /Font << /%s 5 0 R >> >> " % name)
    yield "return", wide(b"[(Jan\r) -15500 (X)] TJ")
    yield "string", wide(b"[(Jan) -15500 (X%s)] TJ" % (b" " * 33_000))


def spellings():
    """(variant, value, body of an object for it)"""
    def text(string, codec, mark=b""):
        return b"<" + (mark + string.encode(codec)).hex().encode() + b">"

    yield "kelvin", text("100 \u212a EUR", "utf-16-be", b"\xfe\xff"), None
    yield "name", b"/100#20K#20EUR", None
    yield "array", b"[(100 K EUR)]", None
    yield "stream", b"", update.stream(b"100 K EUR")
    yield "utf-8", text("100 K EUR", "utf-8", b"\xef\xbb\xbf"), None
    yield "little-endian", text("100 K EUR", "utf-16-le", b"\xff\xfe"), None
    yield "language", text("\x1ben\x1b100 K EUR", "utf-16-be", b"\xfe\xff"), None
    yield "utf-16", text("100 K EUR", "utf-16-be", b"\xfe\xff"), None


def two_pages(kit, options, level):
    """The field is on two pages, and says that it is on the one where it covers nothing."""
    found = objects()
    found[PAGE] = found[PAGE].replace(b"28 0 R ", b"")
    found[TEXT] = update.stream(b"BT /F1 14 Tf 92 195 Td (not) Tj ET")
    found[PAGES] = found[PAGES].replace(b"10 0 R]", b"10 0 R 31 0 R]").replace(
        b"/Count 2", b"/Count 3")
    found[PAGE_THREE] = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [26 0 R] >>")
    found[REMARK] = found[REMARK].replace(b"/P 3 0 R", b"/P 31 0 R")
    change = update.Update(kit.sign(write(found), *options))
    change.put(REMARK_LOOK, objects()[COVER])
    change.edit(REMARK, rb"/T \(remark\)", b"/T (remark) /V (-)")
    return Case("DRIFT-4", f"two-pages-p{level}", "a field's ground covers the page's text",
                change.finish(), DOUBTFUL)


def respelled(kit, level):
    """A name in the page's resources is spelled as some readers take it for two."""
    for variant, signed, later in (
            ("hash", b"A#23GX", b"A#GX"), ("x80", b"A#80B", b"A\x80B"), ("xff", b"A#ffB", b"A\xffB")):
        found = contract_objects()
        found[PAGE] = found[PAGE].replace(b"/F3 ", b"/%s " % signed)
        found[TEXT] = found[TEXT].replace(b"/F3 ", b"/%s " % signed)
        found[TEXT] = update.stream(found[TEXT].split(b"stream\n", 1)[1].rsplit(b"\nendstream", 1)[0])
        data = kit.sign(write(found), *(["--certify", "no-changes"] if level else []))
        change = update.Update(data)
        change.put(PAGE, re.sub(
            rb"/A#?[0-9A-Fa-f]*[^ ]*(?= 15 0 R)", lambda _: b"/" + later, change.old(PAGE)))
        yield Case("DRIFT-5", f"{variant}-p{level}", "a name is spelled anew", change.finish(),
                   DOUBTFUL)


BUTTON, STATE_A, STATE_B = range(32, 35)


def more(kit):
    """States of push buttons, fonts that come, first looks, colours, frames, and what draws itself."""
    for level in (0, 2):
        options = ["--certify", "form-filling"] if level else []
        found = objects()
        found[PAGE_THREE] = b"null"
        found[BUTTON] = (
            b"<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (print) /F 4 /P 3 0 R"
            b" /Rect [300 60 400 80] /AS /A /AP << /N << /A 33 0 R /B 34 0 R >> >> >>")
        found[STATE_A] = look(b"", b"0 0 100 20")
        found[STATE_B] = look(b"BT /F1 12 Tf 2 5 Td (pay 900) Tj ET", b"0 0 100 20")
        found[FORM] = found[FORM].replace(b"9 0 R ", b"9 0 R 32 0 R ", 1)
        found[PAGE] = found[PAGE].replace(b"/Annots [9 0 R", b"/Annots [9 0 R 32 0 R", 1)
        found[BARE] = found[BARE].replace(b"/F1 12 Tf", b"/F9 12 Tf")
        found[TALL] = found[TALL].replace(b"/AP << /N 22 0 R >>", b"")
        data = kit.sign(write(found), *options)
        change = update.Update(data)
        change.edit(BUTTON, rb"/AS\s*/A\b", b"/AS /B")
        yield Case("DRIFT-6", f"state-p{level}", "a push button shows another state",
                   change.finish(), DOUBTFUL)
        for variant, row, expect in (("refuse", REFUSE_ROW, DOUBTFUL), ("top", 66, CHANGED)):
            change = update.Update(data)
            number = change.new(tall(row, 2))
            change.edit(TALL, rb"/T \(choice\)", b"/T (choice) /AP << /N %d 0 R >>" % number)
            yield Case("DRIFT-6", f"first-{variant}-p{level}", "a first look puts the value somewhere",
                       change.finish(), expect)
        for variant, entries, expect in (
                ("wide", b"/FirstChar 48 /LastChar 57 /Widths [%s]" % (b"9000 " * 10), DOUBTFUL),
                ("back", b"/FirstChar 48 /LastChar 57 /Widths [%s]" % (b"-556 " * 10), DOUBTFUL),
                ("other", b"/Encoding << /Differences [48 /nine] >>", DOUBTFUL),
                ("plain", b"/Encoding /WinAnsiEncoding", DOUBTFUL)):
            change = update.Update(data)
            number = change.new(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica %s >>" % entries)
            change.edit(FORM, rb"/F1 5 0 R", b"/F1 5 0 R /F9 %d 0 R" % number)
            yield Case("DRIFT-6", f"font-{variant}-p{level}", "a font comes by which viewers draw",
                       change.finish(), expect)
        for variant, body in (
                ("ink", wide(b"0.5 g [(Jan) -15500 (X)] TJ")),
                ("frame", look(b"1 g 0 0 300 4 re f /Tx BMC q BT /F1 12 Tf 0 g 2 5 Td"
                               b" [(Jan) -15500 (X)] TJ ET Q EMC", b"0 0 300 20")),
                ("unicode", look(b"/Tx BMC q BT /F8 12 Tf 0 g 2 5 Td [(Jan) -15500 (X)] TJ ET Q EMC",
                                 b"0 0 300 20", b"/Resources << /Font << /F8 << /Type /Font /Subtype"
                                 b" /Type1 /BaseFont /Helvetica /ToUnicode 11 0 R >> >> >> "))):
            change = update.Update(data)
            change.put(WIDE_LOOK, body)
            yield Case("DRIFT-6", f"{variant}-p{level}", "a look with the same words, shown otherwise",
                       change.finish(), DOUBTFUL)
    found = contract_objects()
    found[TALL] = update.form(
        b"BT /F1 9 Tf 9 -90 Td (EVIL) Tj ET 1 0 0 1 0 400 cm /X Do", b"-999 -999 999 999",
        b"/Resources << /Font << /F1 5 0 R >> /XObject << /X 21 0 R >> >> ")
    found[PAGE] = found[PAGE].replace(b"/Im1 12 0 R", b"/Im1 21 0 R")
    data = kit.sign(write(found))
    yield Case("DRIFT-7", "signed", "a drawing draws itself", data, Expect({PASSED: []}))
    change = update.Update(data)
    number = change.new(found[TALL])
    change.edit(PAGE, rb"/Im1 21 0 R", b"/Im1 %d 0 R" % number)
    yield Case("DRIFT-7", "copied", "a copy of a drawing that draws itself", change.finish(), DOUBTFUL)
