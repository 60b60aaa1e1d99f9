"""Objects that pass for parts of what updates may write anew, what only some viewers draw, and looks
and signatures that hide more than they seem to."""

from attacks import forge, update
from attacks.bases import (
    AMOUNT, AMOUNT_LOOK, CATALOG, FORM, NOTE_LOOK, PAGE, TEXT, contract_objects, field_look, write)
from attacks.case import FF, Case, indeterminate

DOUBTFUL = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
COVERED = indeterminate()
STRICT = ("--require-unchanged",)
STRAY, STRAY_LOOK, REMARK = range(21, 24)
BARE = 21
FONT = b"/Resources << /Font << /F1 5 0 R >> >> "
WHOLE_PAGE = update.form(b"1 g 0 0 595 842 re f BT 0 g /F1 40 Tf 72 600 Td (900) Tj ET",
                         b"0 0 595 842", FONT)


def cases(kit):
    for level, data in ((level, kit.base(level)) for level in (0, 1, 2)):
        yield from parts(data, level)
    yield from drawn(kit)
    yield from looks(kit)
    yield from values(kit)
    yield from covering(kit)


# MARK: parts of something else

def parts(data, level):
    """In a first update something takes in page and field, in a second the field is another."""
    for variant, key, entries in lists():
        change = update.Update(data)
        if key == b"/DSS":
            change.add_entry(CATALOG, b"/DSS << %s >>" % entries)
        elif key == b"/Extensions":
            change.add_entry(CATALOG, b"/Extensions << %s >>" % entries)
        elif key == b"/DR":
            change.edit(FORM, rb"/DR\s*<<", b"/DR << " + entries)
        else:
            change.edit(AMOUNT, rb"/AP\s*<<", b"/AP << " + entries)
        change = update.Update(change.finish())
        change.edit(AMOUNT, rb"/Rect\s*\[[^\]]*\]", b"/Rect [0 0 595 842]")
        change.edit(AMOUNT, rb"/N 11 0 R", b"/N %d 0 R" % change.new(WHOLE_PAGE))
        yield Case("GUISE-1", f"{variant}-p{level}",
                   "page and field pass for parts of what may be written anew", change.finish(), FF)


def lists():
    yield "vri", b"/DSS", b"/VRI << /A 3 0 R /B 9 0 R /C 8 0 R >>"
    name = b"0123456789ABCDEF" * 2 + b"01234567"
    yield "vri-hash", b"/DSS", b"/VRI << /%s 9 0 R /%s << /Cert 8 0 R /CRL 3 0 R >> >>" % (
        name, name[::-1])
    yield "certs", b"/DSS", b"/Certs 9 0 R /CRLs 3 0 R /OCSPs 8 0 R"
    yield "resources", b"/DR", b"/Pattern 3 0 R /Shading 9 0 R /XObject 8 0 R "
    yield "extensions", b"/Extensions", b"/A 9 0 R /B 3 0 R /C 8 0 R"
    yield "looks", b"/AP", b"/A 1 0 R /B 3 0 R /C 8 0 R /Y 9 0 R "


# MARK: what viewers draw by the form

def drawn(kit):
    found = contract_objects()
    found[PAGE] = found[PAGE].replace(b"/Annots [", b"/Annots [21 0 R 23 0 R ")
    found[STRAY] = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (stray) /V (900) /F 4 /DA (/F1 12 Tf 0 g)"
        b" /Rect [72 300 272 320] /P 3 0 R /AP << /N 22 0 R >> >>")
    found[STRAY_LOOK] = field_look(b"100")
    found[REMARK] = (
        b"<< /Type /Annot /Subtype /FreeText /F 4 /DA (/New 12 Tf 0 g) /Contents (100)"
        b" /Rect [72 260 272 280] /P 3 0 R >>")
    # No field of the form is drawn.
    found[FORM] = found[FORM].replace(b"[9 0 R 13 0 R]", b"[13 0 R]")
    found[PAGE] = found[PAGE].replace(b" 9 0 R", b"")
    for level in (0, 2):
        data = kit.sign(write(found), *(["--certify", "form-filling"] if level else []))
        for variant, pattern, replacement in (
                ("request", rb"/Fields", b"/NeedAppearances true /Fields"),
                ("font", rb"/Font\s*<<", b"/Font << /New 15 0 R "),
                ("default", rb"/DA\s*\(/F1 12 Tf 0 g\)", b"/DA (/F1 1 Tf 1 g)")):
            change = update.Update(data)
            change.edit(FORM, pattern, replacement)
            yield Case("GUISE-2", f"{variant}-p{level}",
                       "viewers draw by the form what no field of it has", change.finish(),
                       DOUBTFUL)
    found = contract_objects()
    found[FORM] = found[FORM].replace(b"/Fields", b"/NeedAppearances true /Fields")
    found[AMOUNT] = found[AMOUNT].replace(b"/V (100)", b"/V (900)")
    change = update.Update(kit.sign(write(found)))
    change.edit(FORM, rb"/NeedAppearances\s*true", b"")
    yield Case("GUISE-2", "no-request", "viewers draw values no longer, but looks",
               change.finish(), DOUBTFUL)


# MARK: looks

def looks(kit):
    text = b"/Tx BMC q BT /F1 12 Tf 4 6 Td (100) Tj ET Q EMC"
    inner = b"/Resources << /Font << /F1 5 0 R >> /XObject << /E 20 0 R >> >> "

    def look(content):
        return update.form(content, b"0 0 200 20", inner)

    for level in (0, 2):
        data = kit.base(level)
        for variant, content in (
                ("path", b"0 0 200 20 re /E Do 1 g f " + text),
                ("path-q", b"0 0 200 20 re q Q f 1 g " + text),
                ("path-color", b"0 0 200 20 re 1 g f " + text),
                ("path-text", b"0 0 200 20 re " + text + b" 1 g f"),
                ("clip", b"0 0 1 1 re W /E Do n " + text),
                ("cs", b"/DeviceGray cs 1 sc /DeviceGray cs " + text),
                ("cs-alone", b"/DeviceRGB cs " + text),
                ("struck", b"0 10 m 200 10 l S " + text),
                ("struck-low", b"q 1 w 0 0 200 20 re S 0 8 m 200 8 l S Q " + text)):
            change = update.Update(data)
            change.put(AMOUNT_LOOK, look(content))
            yield Case("GUISE-3", f"{variant}-p{level}",
                       "a look with the same words is drawn in several ways", change.finish(),
                       DOUBTFUL)


# MARK: values

def values(kit):
    found = contract_objects()
    found[PAGE] = found[PAGE].replace(b"/Annots [", b"/Annots [21 0 R ")
    found[FORM] = found[FORM].replace(b"/Fields [", b"/Fields [21 0 R ")
    found[BARE] = (
        b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (bare) /F 4 /DA (/F1 12 Tf 0 g)"
        b" /Rect [72 230 272 250] /P 3 0 R >>")
    data = kit.sign(write(found), "--certify", "form-filling")
    long_text = "\x1bI do not \x1bagree".encode("utf-16-be").hex().encode()
    coded = "\x1ben\x1bI agree".encode("utf-16-be").hex().encode()
    for variant, value in (
            ("not-a-language", b"<feff%s>" % long_text), ("language", b"<feff%s>" % coded),
            ("name", b"/agree"), ("utf-8", b"<efbbbf6167726565>"), ("array", b"[(agree)]"),
            ("little-endian", b"<fffe610067007200>")):
        change = update.Update(data)
        change.add_entry(BARE, b"/V " + value)
        yield Case("GUISE-4", variant, "a value without a look is read in several ways",
                   change.finish(), DOUBTFUL)


# MARK: signatures over something

def covering(kit):
    marks = {
        "cross": b"2 w 50 448 20 20 re S 50 448 m 70 468 l S 50 468 m 70 448 l S",
        "minus": b"2 w 52 457 m 70 457 l S", "tick": b"2 w 50 448 m 55 452 l 70 468 l S",
        "box": b"52 450 16 16 re f", "curve": b"3 w 52 450 m 52 465 68 465 68 450 c S",
        "path": b"1.5 w 50 448 m 70 468 l 60 458 l 50 468 l 70 448 l S",
        "digit": b"2 w 52 450 m 66 450 l 66 458 l 52 458 l 52 466 l 66 466 l S",
        "shade": b"q 52 450 16 16 re W n /Sh sh Q",
        "clipped": b"q 50 448 m 70 468 l 70 448 l h W n 0 0 595 842 re f Q",
        "letter": b"BT /F1 300 Tf 20 420 Td (I) Tj ET"}
    shading = (
        b"/Shading << /Sh << /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 1 0]"
        b" /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [0] /N 1 >>"
        b" >> >> /Font ")
    cover = update.form(b"1 g 0 0 24 24 re f", b"0 0 24 24")
    for variant, content in marks.items():
        found = contract_objects()
        found[TEXT] = update.stream(content)
        found[PAGE] = found[PAGE].replace(b"/Font ", shading)
        yield signed_over(kit, variant, kit.sign(write(found)), b"48 446 72 470", cover)
    data = kit.sign(write(contract_objects()))
    for variant, look in (
            ("no-box", update.stream(b"1 g 0 0 595 842 re f", b"/Type /XObject /Subtype /Form ")),
            ("short-box", update.form(b"1 g 0 0 595 842 re f", b"0 0 24")),
            ("no-area", update.form(b"1 g 0 0 595 842 re f", b"0 0 0 0")),
            ("matrix", update.form(b"1 g 0 0 595 842 re f", b"0 0 24 24", b"/Matrix [1 0 0] "))):
        yield signed_over(kit, variant, data, b"400 46 424 70", look)
    for degrees in (90, 180, 270):
        found = contract_objects()
        found[PAGE] = found[PAGE].replace(b"/MediaBox", b"/Rotate %d /MediaBox" % degrees)
        found[TEXT] = update.stream(
            b"BT /F1 14 Tf 300 310 Td (not) Tj ET BT /F1 14 Tf 300 380 Td (not) Tj ET"
            b" BT /F1 14 Tf 380 310 Td (not) Tj ET BT /F1 14 Tf 380 380 Td (not) Tj ET")
        yield signed_over(kit, f"turned-{degrees}", kit.sign(write(found)),
                          b"345 345 445 350", cover, 148)


def signed_over(kit, variant, data, place, look, flags=132):
    change = update.Update(data)
    number = change.new(look)
    return Case(
        "GUISE-5", variant, "a visible signature hides what the page shows",
        forge.embed(
            data, lambda digest: forge.simple(kit.pki.second, digest), field=b"Second",
            visible=(place, number, flags), more=change.bodies),
        COVERED, options=STRICT)
