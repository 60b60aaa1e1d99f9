"""Signed documents that readers show differently though no byte is changed: what departs from the
format where readers go on differently is a doubt, what each draws or prints by itself is named."""

from attacks import update
from attacks.bases import CONTENT, NOTE, NOTE_LOOK, PAGE, SANS, TEXT, contract_objects, write
from attacks.case import PASS, PASSED, Case, Expect, indeterminate

DOUBT = indeterminate("SIG_CONSTRAINTS_FAILURE")
SQUARE = b"0 0 1 RG 2 2 96 46 re S"


def cases(kit):
    for streams, kind in ((False, "table"), (True, "streams")):
        def signed(number, body):
            objects = contract_objects()
            objects[number] = body(objects[number]) if callable(body) else body
            return kit.sign(write(objects, streams))

        for variant, about, number, body in disputed():
            yield Case("DIS-1", f"{variant}-{kind}", about, signed(number, body), DOUBT)
        for variant, about, number, body, remark in dependent():
            yield Case("DIS-2", f"{variant}-{kind}", about, signed(number, body),
                       Expect({PASSED: []}, remark=remark))
        for variant, about, number, body in agreed():
            yield Case("DIS-3", f"{variant}-{kind}", about, signed(number, body), PASS)


def replaced(old, new):
    def edit(body):
        assert old in body, (old, body)
        return body.replace(old, new)
    return edit


def disputed():
    """(variant, what was done, number of an object, its new body)"""
    yield "filter", "content by a filter that nobody has", TEXT, update.stream(
        CONTENT, b"/Filter /Foo ")
    yield "flate", "content that is not what its filter takes", TEXT, update.stream(
        CONTENT, b"/Filter /FlateDecode ")
    yield "look-filter", "a look by a filter that nobody has", NOTE_LOOK, update.stream(
        SQUARE, b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] /Filter [/AHx /Foo] ")
    yield "restore", "content that restores a state that it never saved", TEXT, update.stream(
        b"Q " + CONTENT)
    yield "look-restore", "a look that restores a state that it never saved", NOTE_LOOK, update.form(
        b"q Q Q " + SQUARE, b"0 0 100 50")
    yield "font", "text in a font that the resources lack", TEXT, update.stream(
        CONTENT.replace(b"/F1 14", b"/F9 14"))
    yield "font-stream", "a font that is a stream", SANS, update.stream(
        b"", b"/Type /Font /Subtype /Type1 /BaseFont /Helvetica ")
    yield "look-font", "a look with text in a font that the resources lack", NOTE_LOOK, update.form(
        b"BT /F9 12 Tf 4 6 Td (VOID) Tj ET", b"0 0 100 50")
    yield "number", "a reference to a number that no object can have", NOTE, replaced(
        b"/N 20 0 R", b"/N 4294967316 0 R")
    yield "stream", "an annotation that is a stream", NOTE, lambda body: update.stream(
        b"", body[2:-2])
    resources = b"/XObject <<"
    for variant, about, entries in (
            ("colour-none", "a colour that paints nothing", b"/ColorSpace << /C [/Separation /None"
             b" /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>] >>"),
            ("colour-black", "a black that is replaced by white", b"/ColorSpace << /C [/Separation"
             b" /Black /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 /C1 [1] >>] >>"),
            ("colour-gamma", "a gray without any gamma", b"/ColorSpace << /DefaultGray [/CalGray"
             b" << /WhitePoint [1 1 1] /Gamma 0 >>] >>"),
            ("colour-table", "a table of colours that is too short",
             b"/ColorSpace << /C [/Indexed /DeviceGray 9 <00>] >>"),
            ("gradient", "a gradient of no length", b"/Shading << /S << /ShadingType 2 /ColorSpace"
             b" /DeviceGray /Coords [9 9 9 9] /Function << /FunctionType 2 /Domain [0 1] /N 1 >>"
             b" >> >>")):
        yield variant, about, PAGE, replaced(resources, entries + b" " + resources)
    yield "font-files", "a font with two font files", SANS, replaced(
        b"/Subtype", b"/FontDescriptor << /Type /FontDescriptor /FontFile 12 0 R /FontFile2 12 0 R"
        b" >> /Subtype")
    yield "look-box", "a look without a box", NOTE_LOOK, update.stream(
        SQUARE, b"/Type /XObject /Subtype /Form ")
    yield "look-matrix", "a look with half a matrix", NOTE_LOOK, update.stream(
        SQUARE, b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] /Matrix [1 0 0] ")
    for variant, about, old, new in (
            ("look-link", "a link with a look", b"/Square", b"/Link"),
            ("look-line", "an annotation of no width", b"400 550", b"300 550"),
            ("look-three", "an annotation at three numbers", b"400 550", b"400"),
            ("look-states", "an annotation with looks of which it names none", b"/N 20 0 R",
             b"/N << /A 20 0 R >>")):
        yield variant, about, NOTE, replaced(old, new)


def dependent():
    """(variant, what was done, number of an object, its new body, what must be said)"""
    look = b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] "
    yield ("postscript", "a look of PostScript", NOTE_LOOK,
           update.stream(SQUARE, look + b"/Subtype2 /PS "), '"postscript"')
    yield ("opi", "a look that printing exchanges", NOTE_LOOK,
           update.stream(SQUARE, look + b"/OPI << /2.0 << /F (x) >> >> "), '"print-replacement"')
    yield ("transfer", "a function that changes colours", PAGE, replaced(
        b"/XObject <<", b"/ExtGState << /G << /TR << /FunctionType 2 /Domain [0 1] /N 1 >> >> >>"
        b" /XObject <<"), '"transfer-function"')
    for kind, entries in (
            (b"Square", b""), (b"Line", b"/L [300 500 400 550]"), (b"Stamp", b"/Name /Void"),
            (b"Polygon", b"/Vertices [300 500 400 500 400 550]"), (b"Link", b"/Border [0 0 90]")):
        yield (f"undrawn-{kind.decode().lower()}", "an annotation that each reader draws itself",
               NOTE, b"<< /Type /Annot /Subtype /%s /F 4 /Rect [300 500 400 550] %s >>"
               % (kind, entries), '"no-appearance"')
    for variant, layer in (
            ("usage", b"/Usage << /View << /ViewState /OFF >> >>"),
            ("condition", b"/Type /OCMD /VE [/And]")):
        yield (f"layer-{variant}", "content of a layer that nothing lists", PAGE, replaced(
            b"/XObject <<", b"/Properties << /L << %s >> >> /XObject <<" % layer), '"layer"')
    yield ("font-junk", "an embedded font that is none", SANS,
           b"<< /Type /Font /Subtype /TrueType /BaseFont /Wing /FontDescriptor << /Type"
           b" /FontDescriptor /FontName /Wing /Flags 32 /FontFile2 12 0 R >> >>",
           '"font-not-embedded"')
    yield ("action", "an action whose type is elsewhere", PAGE, replaced(
        b"/Annots [", b"/X << /S [/Launch] /A << /S /Launch /K 0 >> >> /Annots ["), '"action"')


def agreed():
    """What all readers show alike."""
    yield "restore-last", "too many restores behind all content", TEXT, update.stream(
        CONTENT + b" Q Q")
    yield "font-unused", "a font is set that the resources lack, and nothing is shown in it", TEXT, (
        update.stream(b"/F9 12 Tf " + CONTENT))
    yield "look-empty", "a look without data, by a filter", NOTE_LOOK, update.stream(
        b"", b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] /Filter /FlateDecode ")
    yield "link", "a link with a thin frame", NOTE, (
        b"<< /Type /Annot /Subtype /Link /F 4 /Rect [300 500 400 550] /Border [0 0 1] >>")
