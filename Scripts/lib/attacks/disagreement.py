"""Signed documents that readers show differently though no byte is changed: what departs from the
format where readers go on differently is a doubt, what each draws or prints by itself is named."""

import zlib

from attacks import update
from attacks.bases import (
    CONTENT, GLYPH_FONT, IMAGE, NOTE, NOTE_LOOK, ONE, PAGE, SANS, TEXT, contract_objects, write)
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


def with_entries(entries):
    """The font with other entries, and these in the place of its encoding."""
    return replaced(b"/Encoding /WinAnsiEncoding", entries)


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
    yield "colour-initial", "a colour space that is chosen without a colour", TEXT, update.stream(
        b"1 g /DeviceRGB cs " + CONTENT)
    yield "colour-components", "a colour with too few components", TEXT, update.stream(
        b"/DeviceRGB cs 0 sc " + CONTENT)
    resources = b"/XObject <<"
    for variant, about, entries in (
            ("colour-none", "a colour that paints nothing", b"/ColorSpace << /C [/Separation /None"
             b" /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>] >>"),
            ("colour-black", "a black that is replaced by white", b"/ColorSpace << /C [/Separation"
             b" /Black /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 /C1 [1] >>] >>"),
            ("colour-gamma", "a gray without any gamma", b"/ColorSpace << /DefaultGray [/CalGray"
             b" << /WhitePoint [1 1 1] /Gamma 0 >>] >>"),
            ("colour-gamma-high", "a gray with a gamma that no device has", b"/ColorSpace <<"
             b" /DefaultGray [/CalGray << /WhitePoint [1 1 1] /Gamma 50 >>] >>"),
            ("colour-white", "a gray without white", b"/ColorSpace << /DefaultGray [/CalGray"
             b" << /WhitePoint [0 1 0] >>] >>"),
            ("colour-table", "a table of colours that is too short",
             b"/ColorSpace << /C [/Indexed /DeviceGray 9 <00>] >>"),
            ("gradient", "a gradient of no length", b"/Shading << /S << /ShadingType 2 /ColorSpace"
             b" /DeviceGray /Coords [9 9 9 9] /Function << /FunctionType 2 /Domain [0 1] /N 1 >>"
             b" >> >>"),
            ("gradient-ends", "a gradient with one end", b"/Shading << /S << /ShadingType 2"
             b" /ColorSpace /DeviceGray /Coords [0 0 9 9] /Extend [true] /Function"
             b" << /FunctionType 2 /Domain [0 1] /N 1 >> >> >>"),
            ("function-exponent", "a function with an exponent below 0", b"/ColorSpace << /C"
             b" [/Separation /Ink /DeviceGray << /FunctionType 2 /Domain [0 1] /N -1 >>] >>"),
            ("function-parts", "a function of parts that does not say which part of them",
             b"/ColorSpace << /C [/Separation /Ink /DeviceGray << /FunctionType 3 /Domain [0 1]"
             b" /Bounds [] /Functions [<< /FunctionType 2 /Domain [0 1] /N 1 >>] >>] >>")):
        yield variant, about, PAGE, replaced(resources, entries + b" " + resources)
    yield "font-files", "a font with two font files", SANS, replaced(
        b"/Subtype", b"/FontDescriptor << /Type /FontDescriptor /FontFile 12 0 R /FontFile2 12 0 R"
        b" >> /Subtype")
    yield from disputed_fonts()
    yield from disputed_images()
    for variant, about, operators in (
            ("state-in-text", "a state that is saved in text", b"BT q /F1 9 Tf (x) Tj Q ET "),
            ("path-and-object", "an object that is drawn in the midst of a path",
             b"9 9 9 9 re /Im1 Do f "),
            ("dash-phase", "dashes that begin before the line", b"[9] -9 d "),
            ("dash-dots", "dots without length with square ends", b"2 J [0 9] 0 d 9 9 m 99 9 l S "),
            ("words-unknown", "a hundred operators that nobody knows", b"fo " * 101),
            ("names-unlisted", "a hundred names that nothing lists", b"/Nope gs " * 101),
            ("string-long", "a string longer than some readers take",
             b"BT /F1 9 Tf (%s) Tj ET " % (b" " * 33000)),
            ("place-far", "a path to a place that some readers cut off",
             b"q 2 0 0 2 0 0 cm 20 60 m 30000 9000 l 30000 60 l f Q "),
            ("place-farther", "a rectangle wider than numbers go", b"-1000000000 4 2000000000 5 re f "),
            ("area-thin", "a hundred areas without height", b"20 40 200 0 re f " * 100),
            ("area-line", "a hundred areas that are lines", b"20 40 m 220 40 l f " * 100),
            ("text-clip", "text that is clipped to, and text that is not",
             b"q BT /F1 9 Tf 7 Tr (x) Tj 0 Tr (y) Tj ET Q "),
            ("text-tiny", "text that is next to nothing", b"BT /F1 .001 Tf (x) Tj ET "),
            ("text-flat", "text a hundred times higher than wide",
             b"q .01 0 0 1 0 0 cm BT /F1 9 Tf (x) Tj ET Q "),
            ("text-pressed", "text that is pressed flat",
             b"BT /F1 9 Tf 1 .2 1 .21 20 60 Tm (x) Tj ET "),
            ("image-askew", "an image askew", b"q 39 1 51 71 20 20 cm /Im1 Do Q "),
            ("text-mirrored", "text that is mirrored at an angle",
             b"BT /F1 9 Tf .7 .7 .7 -.7 20 60 Tm (x) Tj ET "),
            ("glyph-clip", "glyphs of content that are clipped to",
             b"q BT /F3 9 Tf 7 Tr (1) Tj ET Q "),
            ("text-clip-end", "text that is clipped to, behind which it is said that none is",
             b"q BT /F1 9 Tf 7 Tr (x) Tj 0 Tr ET Q "),
            ("line-tip", "lines with endless tips", b"100000 M 9 9 m 99 9 l S "),
            ("inline-colours", "an inline image without colours", b"BI /W 1 /H 1 /BPC 8 ID x EI ")):
        yield variant, about, TEXT, update.stream(operators + CONTENT)
    for variant, about, glyph in (
            ("glyph-box", "a glyph beyond its box", b"500 0 0 0 9 9 d1 50 0 60 700 re f"),
            ("glyph-colour", "a glyph of a colour that it says not to have",
             b"500 0 0 0 500 700 d1 1 g 50 0 60 700 re f")):
        yield variant, about, ONE, update.stream(glyph)
    yield "crypt", "content that says that it is encrypted", TEXT, update.stream(
        CONTENT, b"/Filter /Crypt ")
    yield "look-box", "a look without a box", NOTE_LOOK, update.stream(
        SQUARE, b"/Type /XObject /Subtype /Form ")
    yield "look-matrix", "a look with half a matrix", NOTE_LOOK, update.stream(
        SQUARE, b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] /Matrix [1 0 0] ")
    yield "text-digits", "text in digits of which some are none", TEXT, update.stream(
        CONTENT + b" BT /F1 9 Tf <455z64c> Tj ET")
    yield "text-controls", "text of bytes that are no letters", TEXT, update.stream(
        CONTENT + b" BT /F1 9 Tf (1\\00100) Tj ET")
    for variant, about, old, new in (
            ("look-unnamed", "an annotation that does not say what it is", b"/Subtype /Square", b""),
            ("look-unmarked", "a highlight that marks nothing", b"/Square", b"/Highlight"),
            ("look-cover", "a highlight that covers what it marks", b"/Square",
             b"/Highlight /QuadPoints [300 550 400 550 300 500 400 500]"),
            ("look-link", "a link with a look", b"/Square", b"/Link"),
            ("look-line", "an annotation of no width", b"400 550", b"300 550"),
            ("look-three", "an annotation at three numbers", b"400 550", b"400"),
            ("look-states", "an annotation with looks of which it names none", b"/N 20 0 R",
             b"/N << /A 20 0 R >>")):
        yield variant, about, NOTE, replaced(old, new)


def disputed_fonts():
    """Fonts in which readers find different glyphs, or not all find one."""
    for variant, about, entries in (
            ("glyph-number", "a digit by a name that says a number",
             b"/Encoding << /Differences [49 /uni0039] >>"),
            ("glyph-variant", "a digit by the name of a variant",
             b"/Encoding << /Differences [49 /one.alt] >>"),
            ("glyph-real", "differences from a number that is no code",
             b"/Encoding << /Differences [49.0 /nine] >>"),
            ("glyph-expert", "an encoding for experts", b"/Encoding /MacExpertEncoding"),
            ("width-negative", "a letter that goes back", b"/FirstChar 49 /LastChar 49 /Widths [-9]"),
            ("width-codes", "widths for codes that there are not",
             b"/FirstChar -1 /LastChar 0 /Widths [9 9]")):
        yield variant, about, SANS, with_entries(entries)
    system = b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    for variant, about, encoding, entries in (
            ("map-name", "a composite font by a map that nobody has", b"/Foo", system),
            ("map-letters", "a composite font by an encoding of letters", b"/WinAnsiEncoding", system),
            ("map-system", "a composite font that does not say of which characters", b"/Identity-H",
             b""),
            ("map-widths", "a composite font with two widths for a code", b"/Identity-H",
             system + b" /W [1 [500 500] 2 [600]]")):
        yield variant, about, SANS, (
            b"<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding %s /DescendantFonts [<< /Type"
            b" /Font /Subtype /CIDFontType2 /BaseFont /A %s >>] >>" % (encoding, entries))
    for variant, about, old, new in (
            ("drawn-encoding", "drawn glyphs without an encoding", b"/Encoding 16 0 R", b""),
            ("drawn-codes", "drawn glyphs for other codes", b"/FirstChar 49", b"/FirstChar 50"),
            ("drawn-widths", "drawn glyphs without widths", b"/Widths", b"/Other"),
            ("drawn-matrix", "drawn glyphs by half a matrix", b"0.001 0 0]", b"0.001]")):
        yield variant, about, GLYPH_FONT, replaced(old, new)


def disputed_images():
    """Images whose data and masks are not what their dictionaries say."""
    entries = (b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray"
               b" /BitsPerComponent 8 ")
    frame = b"\xff\xc0\x00\x0b\x08\x00%c\x00\x08\x01\x01\x11\x00"
    bilevel = entries.replace(b"/BitsPerComponent 8", b"/BitsPerComponent 1")
    page, region = b"\0\0\0\0\x30\0\x01\0\0\0\x13", b"\0\0\0\x01\x26\0\x01\0\0\0\x14"
    sides = b"\0\0\0\x08\0\0\0\x08\0\0\0\0\0\0\0\0"
    for variant, about, more, data in (
            ("jbig2", "JBIG2 data without a page", b"/Filter /JBIG2Decode ", b""),
            ("jbig2-size", "JBIG2 data of another size", b"/Filter /JBIG2Decode ",
             page + sides.replace(b"\x08", b"\x09") + b"\0\0\0"),
            ("jbig2-region", "JBIG2 data beyond their page", b"/Filter /JBIG2Decode ",
             page + sides + b"\0\0\0" + region + sides.replace(b"\x08", b"\x09", 1)
             + b"\0\x01\0\0"),
            ("fax-end", "data for fax that do not end", b"/Filter /CCITTFaxDecode /DecodeParms"
             b" << /K -1 /Columns 8 >> ", b"\x26\xa0\x26\xa0"),
            ("fax-short", "data for fax with fewer rows than the image",
             b"/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 >> ", b"\x00\x10\x01"),
            ("fax-rows", "data for fax whose rows do not begin with a byte",
             b"/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 8 /EncodedByteAlign true >> ",
             b"\xff\x00\x10\x01"),
            ("fax-scheme", "data for fax of another scheme than they say",
             b"/Filter /CCITTFaxDecode /DecodeParms << /K 0 /Columns 8 >> ", b"\xff\x00\x10\x01"),
            ("fax-order", "parameters in a list for a filter that is in none",
             b"/Filter /CCITTFaxDecode /DecodeParms [<< /K -1 /Columns 8 >>] ",
             b"\x26\xa0\x00\x10\x01")):
        yield f"image-{variant}", about, IMAGE, update.stream(data, bilevel + more)
    for variant, about, old, new in (
            ("key", "an image with transparent colours of 16 bits", b"8 ", b"16 /Mask [1 1] "),
            ("indices", "an image with 16 bits for a table of colours", b"/DeviceGray"
             b" /BitsPerComponent 8 ", b"[/Indexed /DeviceGray 1 <00ff>] /BitsPerComponent 16 "),
            ("decode", "an image with part of a table of colours", b"/DeviceGray",
             b"[/Indexed /DeviceGray 1 <00ff>] /Decode [0 1]")):
        head, tail = entries.rsplit(old, 1)
        yield f"image-{variant}", about, IMAGE, update.stream(b"x" * 128, head + new + tail)
    large = entries.replace(b"/Width 8 /Height 8", b"/Width 600 /Height 600")
    comments = (b"\xff\xfe\xff\xff" + bytes(65533)) * 600
    for variant, about, more, data in (
            ("short-large", "a large image with next to no data", b"/Filter /FlateDecode ",
             zlib.compress(bytes(range(250)) * 2) + bytes(250)),
            ("jpeg-padded", "a JPEG that is padded to many times its length",
             b"/Filter [/FlateDecode /DCTDecode] ",
             zlib.compress(b"\xff\xd8" + comments + frame % 8 + b"\xff\xd9"))):
        yield f"image-{variant}", about, IMAGE, update.stream(data, large + more)
    for variant, about, more, data in (
            ("short", "an image with half of its data", b"", b"x" * 32),
            ("short-runs", "an image with half of its data, by runs", b"/Filter /RunLengthDecode ",
             b"\xe1x\x80"),
            ("mask", "an image with a mask that is none", b"/Mask << >> ", b"x" * 64),
            ("mask-image", "an image with an image for a mask", b"/Mask 12 0 R ", b"x" * 64),
            ("jpeg-start", "a JPEG behind something else", b"/Filter /DCTDecode ",
             b"abcd\xff\xd8" + frame % 8 + b"\xff\xd9"),
            ("jpeg-frames", "a JPEG with two frames", b"/Filter /DCTDecode ",
             b"\xff\xd8" + frame % 8 + frame % 9 + b"\xff\xd9"),
            ("jpeg-chain", "a JPEG of another size behind another filter",
             b"/Filter [/ASCIIHexDecode /DCTDecode] ",
             (b"\xff\xd8" + frame % 9 + b"\xff\xd9").hex().encode() + b">"),
            ("jpx", "JPEG 2000 data that are none", b"/Filter /JPXDecode ", b"junk"),
            ("fax", "an image for fax of another width", b"/Filter /CCITTFaxDecode ", b"x")):
        yield f"image-{variant}", about, IMAGE, update.stream(data, entries + more)


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
           b"<< /Type /Font /Subtype /TrueType /BaseFont /Wing /Encoding /WinAnsiEncoding"
           b" /FirstChar 32 /LastChar 126 /Widths [" + b"600 " * 95 + b"] /FontDescriptor << /Type"
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
    for variant, entries in (
            ("names", b"/Encoding << /Differences [49 /one /Euro] >>"),
            ("unshown", b"/Encoding << /Differences [200 /uni0039] >>")):
        yield (f"font-{variant}", "a font with names of its own for some codes", SANS,
               with_entries(entries))
    yield "image-mask", "an image by a mask", IMAGE, lambda body: body.replace(
        b"/ColorSpace /DeviceGray /BitsPerComponent 8", b"/ImageMask true")
    for variant, about, operators in (
            ("words", "some operators that nobody knows", b"fo " * 9),
            ("far", "a path to a place that is near", b"q .01 0 0 .01 0 0 cm 9 9 m 30000 9 l S Q "),
            ("line", "an area without height", b"20 40 200 0 re f "),
            ("black", "a device's colour space that is chosen in black",
             b"0 0 0 rg /DeviceGray cs 9 9 9 9 re f "),
            ("small", "text that is drawn by small numbers",
             b"q .06 0 0 .06 0 0 cm BT /F1 200 Tf (x) Tj ET Q "),
            ("clip", "text that is clipped to", b"q BT /F1 9 Tf 7 Tr (x) Tj ET 9 9 9 9 re f Q ")):
        yield f"content-{variant}", about, TEXT, update.stream(operators + CONTENT)
    yield "colour-set", "a colour space that is chosen with its colour", TEXT, update.stream(
        b"1 g /DeviceRGB cs 0 0 0 sc " + CONTENT)
    yield "colour-first", "a colour space that is chosen before any colour", TEXT, update.stream(
        b"/DeviceGray cs " + CONTENT)
    yield "look-empty", "a look without data, by a filter", NOTE_LOOK, update.stream(
        b"", b"/Type /XObject /Subtype /Form /BBox [0 0 100 50] /Filter /FlateDecode ")
    yield "link", "a link with a thin frame", NOTE, (
        b"<< /Type /Annot /Subtype /Link /F 4 /Rect [300 500 400 550] /Border [0 0 1] >>")
