"""Looks of fields that hold the value's characters and show others, glyph by glyph (ISO 32000-2
§9.4.4, §12.7.4.3), buttons that get a look, and numbers that a format script shows otherwise."""

from attacks import update
from attacks.bases import AMOUNT, FORM, PAGE, contract_objects, write
from attacks.case import FF, PASSED, Case, Expect, indeterminate

NOT_CLEAN = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
FILLED = Expect({PASSED: []}, changes="form-filling")

PUSH, CHECK, RADIO, FORMATTED, COMB, FRAMED, TALL, BARE = range(21, 29)
WIDGET = b"/Type /Annot /Subtype /Widget /F 4 /P 3 0 R"
SCRIPT = b"<< /S /JavaScript /JS (AFNumber_Format\\(2, 0, 0, 0, \"\", true\\);) >>"
TEXT = b"BT /F1 12 Tf 4 6 Td (%s) Tj ET"
FONTS = b"/Font << /F1 5 0 R >>"


def objects():
    """The contract with buttons that have no look, and text fields of several kinds."""
    found = contract_objects()
    fields = {
        PUSH: (b"/FT /Btn /Ff 65536 /T (push)", 300), CHECK: (b"/FT /Btn /T (check) /V /Off", 270),
        RADIO: (b"/FT /Btn /T (plain)", 240),
        FORMATTED: (
            b"/FT /Tx /T (sum) /V (100) /AA << /F %s >> /AP << /N 11 0 R >>" % SCRIPT, 210),
        COMB: (b"/FT /Tx /Ff 16777216 /MaxLen 5 /T (comb) /V (100) /MK << /BC [0] >>"
               b" /AP << /N 11 0 R >>", 180),
        FRAMED: (b"/FT /Tx /T (framed) /V (100) /MK << /BG [1] /BC [0] >> /AP << /N 11 0 R >>", 150),
        TALL: (b"/FT /Tx /Ff 4096 /T (tall) /V (100) /AP << /N 11 0 R >>", 120),
        BARE: (b"/FT /Tx /T (bare)", 90),
    }
    for number, (entries, bottom) in fields.items():
        found[number] = b"<< %s %s /DA (/F1 12 Tf 0 g) /Rect [72 %d 272 %d] >>" % (
            WIDGET, entries, bottom, bottom + 20)
    references = b" ".join(b"%d 0 R" % number for number in fields)
    found[PAGE] = found[PAGE].replace(b"/Annots [", b"/Annots [%s " % references)
    found[FORM] = found[FORM].replace(b"/Fields [", b"/Fields [%s " % references)
    return found


def cases(kit):
    for level in (0, 2):
        data = kit.sign(write(objects()), *(["--certify", "form-filling"] if level else []))
        for variant, content, more in deceiving():
            # Grounds and frames are allowed where the field has them.
            field = AMOUNT if variant.endswith("-new") else FRAMED
            yield Case("GLY-1", f"{variant}-p{level}", "a look that holds the value and shows another",
                       shown(data, content, b"1900", field, more), NOT_CLEAN)
        for variant, line in (("one-divider", b"40 0 m 40 20 l S "), ("divider-elsewhere", b"".join(
                b"%d 0 m %d 20 l S " % (place, place) for place in (40, 80, 120, 150)))):
            yield Case("GLY-1", f"{variant}-p{level}", "a line in a look that reads like a digit",
                       shown(data, line + TEXT % b"900", b"900", COMB), NOT_CLEAN)
        for variant, body in encodings():
            yield Case("GLY-2", f"{variant}-p{level}", "a font whose bytes show something else",
                       body(data), NOT_CLEAN)
        for variant, data_ in buttons(data):
            yield Case("GLY-3", f"{variant}-p{level}", "what had no look gets one", data_, NOT_CLEAN)
        for variant, value, look, expect in numbers():
            yield Case("GLY-4", f"{variant}-p{level}", f"{value.decode()} shown as {look.decode()}",
                       shown(data, TEXT % look, value, FORMATTED), expect)
        for variant, number, value, content, more in honest():
            yield Case("GLY-5", f"{variant}-p{level}", "filled as a usual program does it",
                       shown(data, content, value, number, more),
                       NOT_CLEAN if variant.startswith(DOUBTED) else FILLED)


# A font with widths or glyph names of its own, which came with the update, a clip of two paths, a curve,
# and text in another color than that of the field.
DOUBTED = ("widths-", "clip-by-lines", "named-accents", "ring", "dark")


def shown(data, content, value, number=AMOUNT, resources=b"", box=b"0 0 200 20"):
    """A field with this value and a look of this content."""
    change = update.Update(data)
    look = change.new(update.form(
        content, box, b"/Resources << %s >> " % (resources or FONTS)))
    change.edit(number, rb"/N 11 0 R", b"/N %d 0 R" % look)
    change.edit(number, rb"/V \([^)]*\)", b"/V (%s) " % value)
    return change.finish()


def font(entries, name=b"Helvetica"):
    return b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /%s %s >> >>" % (name, entries)


def deceiving():
    """(variant, content, resources): each writes 1900."""
    def text(before, strings):
        return b"BT /F1 12 Tf 0 g 40 6 Td %s %s ET" % (before, strings)

    function = b"<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>"
    separation = b"[/Separation /Black /DeviceGray %s]" % function
    for variant, content in {
        "small-steps-back": text(b"", b"[(1) 400 400 312 (9) -556 (00)] TJ"),
        "word-spacing": text(b"-13 Tw", b"(1 9) Tj 13 0 Td (00) Tj"),
        "character-spacing": text(b"150 Tc", b"(1900) Tj"),
        "spacing-back": text(b"-6 Tc", b"(1900) Tj"),
        "steps-forward": text(b"", b"[(1) -20000 (900)] TJ"),
        "scaled": text(b"600 Tz", b"(1900) Tj"),
        "scaled-little": text(b"10 Tz", b"(1900) Tj"),
        "stacked": text(b"", b"(1) Tj 0.6 0 Td (900) Tj"),
        "stacked-forward": text(b"", b"(1) Tj 3 0 Td (900) Tj"),
        "stacked-lines": text(b"", b"(19) Tj 0 -4 Td (00) Tj"),
        "lines-up": text(b"", b"(19) Tj 0 4 Td (00) Tj"),
        "parted": text(b"", b"(1) Tj 60 0 Td (900) Tj"),
        "big": b"BT /F1 90 Tf 40 6 Td (1900) Tj ET",
        "high": b"BT /F1 12 Tf 40 16 Td (1900) Tj ET",
        "low": b"BT /F1 12 Tf 40 -6 Td (1900) Tj ET",
        "beyond": b"BT /F1 12 Tf 180 6 Td (1900) Tj ET",
        "clipped-right": b"q 0 0 54 20 re W n %s Q" % text(b"", b"(1900) Tj"),
        "clipped-top": b"q 0 0 200 9 re W n %s Q" % text(b"", b"(1900) Tj"),
        "clipped-bottom": b"q 0 10 200 20 re W n %s Q" % text(b"", b"(1900) Tj"),
        "clipped-slanting": b"q 0 0 m 200 0 l 0 20 l h W n %s Q" % text(b"", b"(1900) Tj"),
        "clipped-hole": b"q 0 0 200 20 re 47 0 200 20 re W* n %s Q" % text(b"", b"(1900) Tj"),
        "clipped-turned-hole": b"q 0 0 200 20 re 47 20 200 -20 re W n %s Q" % text(
            b"", b"(1900) Tj"),
        "clipped-by-nothing": b"q W n %s Q" % text(b"", b"(1900) Tj"),
        "ground-part": b"0 g 0 0 125 20 re f 1 g BT /F1 12 Tf 110 6 Td (1900) Tj ET",
        "ground-clipped": b"q 0 0 50 20 re W n 0 g 0 0 200 20 re f Q 1 g BT /F1 12 Tf 40 6 Td"
                          b" (1900) Tj ET",
        "ground-triangle": b"0 g 0 0 m 200 0 l 200 20 l h f 1 g BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "ground-hole": b"0 g 0 0 200 20 re 40 0 120 20 re f* 1 g BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "ring-wide": b"0 g 0 0 200 20 re 47 1 152 18 re f* " + text(b"", b"(1900) Tj"),
        "ground-new": b"0.5 g 0 0 200 20 re f 0 g BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "frame-new": b"0.5 0.5 199 19 re S BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "struck": b"0 3 m 200 3 l 200 17 l s BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "line-upright": b"1 0 m 1 20 l S BT /F1 12 Tf 4 6 Td (1900) Tj ET",
        "dot": b"3 w 1 J 50 7 m h S BT /F1 12 Tf 40 6 Td (1900) Tj ET",
        "wide-line": b"0.7 G 80 w [34 1000] 0 d 0 0 m 200 0 l S 0.69 g BT /F1 12 Tf 4 6 Td (1900)"
                     b" Tj ET",
        "bright": text(b"", b"9 g (1) Tj 0 g 6.7 0 Td (900) Tj"),
        "negative-black": text(b"", b"0 0 0 -1 k (1) Tj 0 g 6.7 0 Td (900) Tj"),
        "few-parts": text(b"/DeviceCMYK cs 0 sc", b"(1) Tj 0 g 6.7 0 Td (900) Tj"),
        "many-parts": text(b"1 1 1 0 g", b"(1) Tj 0 g 6.7 0 Td (900) Tj"),
        "two-operands": text(b"", b"(1) 900 Tj (900) Tj"),
        "array-shown": text(b"", b"[(1)] Tj (900) Tj"),
        "outside-text": b"/F1 12 Tf 1 0 0 1 40 6 Tm (1) Tj BT 46 6 Td (900) Tj ET",
        "state-in-text": text(b"", b"q 1 0 0 1 90 0 cm (1) Tj Q (900) Tj"),
        "restored-too-often": b"Q " + text(b"", b"(1900) Tj"),
        "next-line-spaced": text(b"12 TL", b"-9 0 (19) \" (00) Tj"),
        "marked": text(b"/Span << /ActualText (1) >> BDC", b"(1900) Tj EMC"),
    }.items():
        yield variant, content, b""
    yield "separation", text(b"/S cs 0 sc", b"(1) Tj 0 g 6.7 0 Td (900) Tj"), (
        FONTS + b" /ColorSpace << /S %s >>" % separation)
    yield "default-grey", text(b"", b"(1) Tj 0 0 0 rg 6.7 0 Td (900) Tj"), (
        FONTS + b" /ColorSpace << /DefaultGray %s >>" % separation)
    yield "fonts-twice", text(b"", b"(1900) Tj"), (
        FONTS + b" /Font << /F1 6 0 R >>")
    for variant, entries, name in (
            ("widths-some", b"/FirstChar 49 /LastChar 49 /Widths [50]", b"Helvetica"),
            ("widths-narrow", b"/FirstChar 48 /LastChar 57 /Widths [%s]" % (b"300 " * 10),
             b"Helvetica"),
            ("widths-wide", b"/FirstChar 48 /LastChar 57 /Widths [%s]" % (b"3000 " * 10),
             b"Helvetica"),
            ("widths-none", b"", b"Verdana"), ("widths-unknown", b"", b"HelveticaX"),
            ("widths-cut", b"/FirstChar 48 /LastChar 50 /Widths [%s]" % (b"556 " * 10),
             b"Helvetica"), ("dingbats", b"/Encoding /WinAnsiEncoding", b"D050000L"),
            ("symbols", b"/Encoding /WinAnsiEncoding", b"StandardSymL"),
            ("bars", b"/FirstChar 48 /LastChar 57 /Widths [%s]" % (b"556 " * 10), b"Code128"),
            ("symbolic", b"/FontDescriptor << /Type /FontDescriptor /Flags 4 >>", b"Helvetica"),
            ("minus-dot", b"/Encoding << /Differences [48 /period] >>", b"Helvetica")):
        yield variant, text(b"", b"(1900) Tj"), font(entries, name)


def encodings():
    """(variant, maker): values with bytes that fonts show as they like."""
    def look(value, strings, differences):
        entries = b"/Encoding << /BaseEncoding /WinAnsiEncoding /Differences [%s] >>" % differences
        return lambda data: shown(
            data, b"BT /F1 12 Tf 40 6 Td %s Tj ET" % strings, value, resources=font(entries))

    yield "white-space", look(
        b"1000", b"(\\t10\\r00)", b"9 /endash 10 /onehalf 13 /quotesinglbase")
    yield "mark-utf8", look(b"100", b"<EFBBBF313030>", b"187 /endash 191 /endash 239 /uni0039")
    yield "mark-utf16", look(b"100", b"<FEFF0031>", b"0 /zero 254 /one 255 /nine")
    yield "euro", look(b"\x80 100", b"<80313030>", b"128 /uni0039")
    yield "names-u", look(b"1900", b"(1900)", b"49 /u0037")
    yield "glyph-numbers", look(b"1900", b"(1900)", b"49 /g37")
    yield "bracket", look(b"[1900]", b"([1900])", b"91 /minus")
    yield "joined-words", lambda data: shown(
        data, b"BT /F1 12 Tf 40 6 Td -3.3 Tw (not able) Tj ET", b"not able")
    yield "other-words", lambda data: shown(
        data, b"BT /F1 12 Tf 40 6 Td (no table) Tj ET", b"not able")
    yield "gap-words", lambda data: shown(
        data, b"BT /F1 12 Tf 40 6 Td [(no) -400 (table)] TJ ET", b"notable")


def buttons(data):
    """(variant, file): fields that had no look."""
    look = update.form(
        b"1 g 0 0 200 20 re f 0 g BT /F1 12 Tf 4 6 Td (PAY 900) Tj ET", b"0 0 200 20",
        b"/Resources << %s >> " % FONTS)
    for variant, number, entries in (
            ("push", PUSH, b"/AP << /N %d 0 R >>"), ("push-down", PUSH, b"/AP << /D %d 0 R >>"),
            ("push-over", PUSH, b"/AP << /R %d 0 R >>"),
            ("off", CHECK, b"/AS /Off /AP << /N << /Off %d 0 R /Yes 11 0 R >> >>"),
            ("on", CHECK, b"/AS /Off /AP << /N << /Yes %d 0 R >> >>"),
            ("no-state", RADIO, b"/AS /Off /V /Off /AP << /N << /Off %d 0 R /Yes 11 0 R >> >>"),
            ("stream", CHECK, b"/AP << /N %d 0 R >>")):
        change = update.Update(data)
        change.add_entry(number, entries % change.new(look))
        yield variant, change.finish()
    for variant, content in (
            ("text-ground", b"0.2 g 0 0 200 20 re f"), ("text-frame", b"0.5 0.5 199 19 re S"),
            ("text-picture", b"50 5 100 3 re f"), ("text-other", TEXT % b"900")):
        change = update.Update(data)
        change.add_entry(BARE, b"/AP << /N %d 0 R >>" % change.new(update.form(
            content, b"0 0 200 20", b"/Resources << %s >> " % FONTS)))
        yield variant, change.finish()


def numbers():
    """(variant, value, what is shown, verdict) of a field with a format script."""
    for variant, value, look in (
            ("group", b"1000.50", b"100,050"), ("point-lost", b"1000.50", b"100050"),
            ("point-for-group", b"1000", b"1.00"), ("letters", b"2", b"minus one million x2"),
            ("thousands", b"2", b"2k"), ("millions", b"2", b"2 MIO"), ("power", b"25", b"2E5"),
            ("sign-lost", b"-2", b"2"), ("sign-added", b"2", b"\\(2\\)"),
            ("groups-of-two", b"1000", b"10,00"), ("mixed-marks", b"1000000", b"1.000,000"),
            ("fraction", b"0.5", b"5"), ("leading-group", b"500", b"0.500"),
            ("two-currencies", b"2", b"EUR 2 USD"), ("percent", b"2", b"2%")):
        yield variant, value, look, NOT_CLEAN
    for variant, value, look in (
            ("honest-groups", b"1234567.5", b"1,234,567.50"), ("honest-comma", b"1000.5", b"1.000,50"),
            ("honest-currency", b"12.5", b"EUR 12.50"), ("honest-minus", b"-1000", b"\\(1,000.00\\)"),
            ("honest-spaces", b"1000000", b"1 000 000,00"), ("honest-same", b"1000.50", b"1000.50"),
            ("honest-zeros", b"007", b"7.00"), ("honest-dollar", b"-3", b"-$3.00")):
        yield variant, value, look, FILLED


def honest():
    """(variant, field, value, content, resources) as programs write them."""
    clip = b"/Tx BMC q 1 1 198 18 re W n BT /F1 12 Tf 0 g 2 6.548 Td %s ET Q EMC"
    box = b"0 0 m 0 20 l 200 20 l 200 0 l h"
    yield "clip", AMOUNT, b"World", clip % b"(World) Tj", b""
    yield "words", AMOUNT, b"South Bay", clip % b"(South ) Tj 37 0 Td (Bay) Tj", b""
    yield "kerned", AMOUNT, b"AVA", clip % b"[(A) 70 (V) 70 (A)] TJ", b""
    yield "unfinished-clip", AMOUNT, b"World", (
        b"q /Tx BMC q 2 0 194 20 re W BT /F1 12 Tf 0 0 0 rg 2 4.5 Td (World) Tj ET Q EMC Q"), b""
    yield "clip-by-lines", AMOUNT, b"World", (
        b"1 0 0 1 0 0 cm q q 1 w [] 0 d 1 0 0 1 .5 .5 cm %s h Q %s W n /Tx BMC q BT 0 0 0 rg"
        b" /F1 12 Tf 1 0 0 1 4 6 Tm (World) Tj ET Q EMC Q" % (box, box)), b""
    yield "nested-states", AMOUNT, b"Modified", (
        b"/Tx BMC q n q 0 0 200 20 re W n /Tx BMC q n q BT /F1 12 Tf 2 6 Td (Modified)Tj ET Q Q EMC"
        b" Q Q EMC"), b""
    yield "two-lines", TALL, b"first\\nlines", (
        b"/Tx BMC q BT /F1 8 Tf 0 g 2 18 Td 0 -7 Td (first ) Tj 0 -8 Td (lines) Tj ET Q EMC"), b""
    yield "hyphen", TALL, b"well-known", (
        b"/Tx BMC q BT /F1 8 Tf 0 g 9 TL 2 11 Td (well-) Tj (known) ' ET Q EMC"), b""
    yield "accents", AMOUNT, b"Jos\\351 \\240 100", clip % b"(Jos\\351 \\200 100) Tj", font(
        b"/Encoding /WinAnsiEncoding")
    yield "named-accents", AMOUNT, b"\\376\\377\\001\\015\\000!", clip % b"(\\200!) Tj", font(
        b"/Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [24 /breve"
        b" 39 /quotesingle 96 /grave 128 /ccaron] >>")
    for name, width in ((b"ArialMT", b"556"), (b"Times-Roman", b"500"), (b"CourierNewPSMT", b"600"),
                        (b"Calibri", b"507"), (b"MyriadPro-Regular", b"513")):
        yield "widths-" + name.decode(), AMOUNT, b"1900", clip % b"(1900) Tj", font(
            b"/FirstChar 48 /LastChar 57 /Widths [%s]" % ((width + b" ") * 10), name)
    for name in (b"Times-Roman", b"Times-BoldItalic", b"Courier", b"Helvetica-Bold"):
        yield "standard-" + name.decode(), AMOUNT, b"1900 ok", clip % b"(1900 ok) Tj", font(
            b"/Encoding /WinAnsiEncoding", name)
    yield "cells", COMB, b"900", (
        b"/Tx BMC BT /F1 12 Tf 7 6 Td (9) Tj 40 0 Td (0) Tj 40 0 Td (0) Tj ET EMC"), b""
    yield "cells-parted", COMB, b"900", (
        b"0 G .5 .5 199 19 re s 40.8 1 m 40.8 19 l s 80.4 1 m 80.4 19 l 120 1 m 120 19 l s 160 1 m"
        b" 160 19 l S BT /F1 12 Tf 7 6 Td (9) Tj 40 0 Td (0) Tj 40 0 Td (0) Tj ET"), b""
    yield "cells-in-one", COMB, b"900", (
        b"/Tx BMC BT /F1 12 Tf 0 6 Td [-555 (9) -1111 (0) -1111 (0)] TJ ET EMC"), b""
    ground = b"q 0 0 .4 rg 0 0 200 20 re f Q "
    white = b"BT 1 g /F1 12 Tf 4 6 Td (900) Tj ET"
    yield "dark", FRAMED, b"900", ground + white, b""
    yield "frame", FRAMED, b"900", (
        b"q 1 g 0 0 200 20 re f Q 0 G 0.5 0.5 199 19 re s " + TEXT % b"900"), b""
    yield "ring", FRAMED, b"900", (
        b"q 1 g 0 0 200 20 re f Q q 0 0 .5 rg 0 0 200 20 re 1 1 198 18 re f* Q " + TEXT % b"900"), b""
    yield "bevel", FRAMED, b"900", (
        b"1 g 0 0 200 20 re f 1 g 1 1 m 1 19 l 199 19 l 198 18 l 2 18 l 2 2 l f 0.5 g 199 19 m"
        b" 199 1 l 1 1 l 2 2 l 198 2 l 198 18 l f 0 G 0.5 0.5 199 19 re s 0 g " + TEXT % b"900"), b""
    yield "underlined", FRAMED, b"900", b"0 G 1 w 0 0.5 m 200 0.5 l s " + TEXT % b"900", b""
    yield "four-sides", FRAMED, b"900", (
        b"q 0 1 0 rg 1 19 m 199 19 l 200 20 l 0 20 l 1 19 l f Q q 199 19 m 199 1 l 200 0 l 200 20 l"
        b" 199 19 l f Q q 199 1 m 1 1 l 0 0 l 200 0 l 199 1 l f Q q 1 1 m 1 19 l 0 20 l 0 0 l 1 1 l"
        b" f Q " + TEXT % b"900"), b""
