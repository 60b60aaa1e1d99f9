"""What is written anew with the same value or content, and shows something else: what was hidden is
uncovered, a look moves, or readers read an unusual spelling otherwise."""

import zlib

from attacks import forge, update
from attacks.bases import (
    AMOUNT, AMOUNT_LOOK, CATALOG, FORM, IMAGE, PAGE, SANS, TEXT, contract_objects, field_look, write)
from attacks.case import FF, PASSED, Case, Expect, indeterminate
from attacks.timestamps import token

NOT_CLEAN = FF | indeterminate("SIG_CONSTRAINTS_FAILURE")
FILLED = Expect({PASSED: []}, changes="form-filling|archival")
FONTS = b"/Resources << /Font << /F1 5 0 R >> >> "
LAYER, KIND, STATE, NAMED, PALETTE = range(31, 36)
LINE = b"BT /F1 12 Tf 4 6 Td (%s) Tj ET"


def cases(kit):
    for family in (layers, first_looks, grounds, filters, numbers, kinds, copies):
        for identifier, variant, about, objects, change, expect in family():
            for level in (0, 2):
                options = ["--certify", "form-filling"] if level else []
                data = update.Update(kit.sign(write(objects), *options))
                change(data)
                yield Case(identifier, f"{variant}-p{level}", about, data.finish(), expect)
    yield from stamps(kit)


def contract(**changed):
    found = contract_objects()
    for number in range(21, 36):
        found[number] = b"null"
    found.update({int(key[1:]): body for key, body in changed.items()})
    return found


def edited(number, pattern, replacement, **more):
    """The contract with one text replaced, which must occur."""
    found = contract(**more)
    assert pattern in found[number], (number, pattern)
    found[number] = found[number].replace(pattern, replacement)
    return found


def layers():
    """A layer that is switched off, and a copy of it that nothing switches off."""
    shown = b"/OC /L BDC BT /F1 14 Tf 72 300 Td (Mallory gets it all.) Tj ET EMC"
    switches = b"/OCProperties << /OCGs [31 0 R] /D << /OFF [31 0 R] /Order [] >> >>"
    for variant, group in (("typed", b"<< /Type /OCG /Name (L) >>"),
                           ("indirect", b"<< /Type 32 0 R /Name (L) >>"), ("bare", b"<< /Name (L) >>")):
        objects = edited(PAGE, b"/XObject <<", b"/Properties << /L 31 0 R >> /XObject <<", _31=group,
                         _32=b"/OCG")
        objects[CATALOG] = objects[CATALOG][:-2] + switches + b" >>"
        objects[TEXT] = update.stream(shown)

        def copied(change, group=group):
            change.edit(PAGE, rb"/L 31 0 R", b"/L %d 0 R" % change.new(group))

        def direct(change, group=group):
            change.edit(PAGE, rb"/L 31 0 R", b"/L " + group)

        yield "READ-1", f"{variant}-copied", "a page names a copy of its hidden layer", objects, copied, FF
        yield "READ-1", f"{variant}-direct", "a page holds its hidden layer itself", objects, direct, FF
    objects = edited(PAGE, b"/Im1 12 0 R", b"/Im1 12 0 R /Fm 33 0 R", _31=b"<< /Name (L) >>", _33=(
        update.form(LINE % b"Mallory", b"0 0 200 20", FONTS + b"/OC 31 0 R ")))
    objects[CATALOG] = objects[CATALOG][:-2] + switches + b" >>"
    objects[TEXT] = update.stream(b"/Fm Do")

    def form(change):
        group = change.new(b"<< /Name (L) >>")
        look = change.new(update.form(
            LINE % b"Mallory", b"0 0 200 20", FONTS + b"/OC %d 0 R " % group))
        change.edit(PAGE, rb"/Fm 33 0 R", b"/Fm %d 0 R" % look)

    yield "READ-1", "form", "a copied form names a copy of its hidden layer", objects, form, FF


def looks_like(body, value=None):
    """A change that gives the amount another look."""
    def change(update_):
        entry = b"/AP << /N %d 0 R >>" % update_.new(body)
        if b"/AP" in update_.old(AMOUNT):
            update_.edit(AMOUNT, rb"/AP\s*<<.*?>>", entry)
        else:
            update_.add_entry(AMOUNT, entry)
        if value:
            update_.edit(AMOUNT, rb"/V \([^)]*\)", b"/V (%s) " % value)
    return change


def first_looks():
    """A value without a look, which nobody saw, gets one."""
    plain = looks_like(field_look(b"100"))
    for variant, setting, expect in (
            ("honest", b"/F1 12 Tf 0 g", FILLED), ("automatic", b"/F1 0 Tf 0 g", FILLED),
            ("tiny", b"/F1 0.1 Tf 0 g", NOT_CLEAN), ("small", b"/F1 3 Tf 0 g", NOT_CLEAN),
            ("white", b"/F1 12 Tf 1 g", NOT_CLEAN), ("fontless", b"/Fx 12 Tf 0 g", NOT_CLEAN),
            ("more", b"/F1 12 Tf 3 Tr 0 g", NOT_CLEAN)):
        objects = edited(AMOUNT, b" /AP << /N 11 0 R >>", b"")
        objects[AMOUNT] = objects[AMOUNT].replace(b"/F1 12 Tf 0 g", setting)
        yield "READ-2", variant, "a value that had no look gets one", objects, plain, expect
    objects = edited(AMOUNT, b" /AP << /N 11 0 R >>", b" /MK << /BG [0] >>")
    yield ("READ-2", "on-its-ground", "a value that stood black on black gets a look", objects,
           looks_like(field_look(b"100")), NOT_CLEAN)
    objects = edited(FORM, b"/DA", b"/NeedAppearances 31 0 R /DA", _31=b"true")
    # Several lines, which signing makes no look for.
    objects[AMOUNT] = objects[AMOUNT].replace(b" /AP << /N 11 0 R >>", b" /Ff 33554432")

    def other_font(change):
        font = change.new(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences"
            b" [49 /nine] >> >>")
        change.edit(FORM, rb"/F1 5 0 R", b"/F1 5 0 R /Ev %d 0 R" % font)
        change.edit(AMOUNT, rb"/DA \(/F1", b"/DA (/Ev")

    yield ("READ-2", "need-indirect", "viewers draw fields, by a reference, with another font",
           objects, other_font, NOT_CLEAN)


def grounds():
    """The same text on another ground, in another place or size."""
    white = b"1 g 0 0 200 20 re f 0 g "
    text = b"BT /F1 14 Tf 72 505 Td (We do not owe it.) Tj ET"
    over = edited(AMOUNT, b"/F 4", b"/F 4 /MK << /BG [1 1 1] >>")
    over[TEXT] = update.stream(text)

    def look(before=b"", at=b"4 6", size=b"12"):
        return update.form(
            before + b"BT /F1 %s Tf %s Td (100) Tj ET" % (size, at), b"0 0 200 20", FONTS)

    yield "READ-3", "comes", "a ground hides text of the page", over, looks_like(look(white)), NOT_CLEAN
    under = dict(over)
    under[AMOUNT_LOOK] = look(white)
    yield "READ-3", "goes", "text of the page comes out", under, looks_like(look()), NOT_CLEAN
    filled = update.form(white + LINE % b"900", b"0 0 200 20", FONTS)
    yield ("READ-3", "comes-filled", "a value is filled in, and its ground hides text", over,
           looks_like(filled, b"900"), NOT_CLEAN)
    free = edited(AMOUNT, b"/F 4", b"/F 4 /MK << /BG [1 1 1] >>")
    yield ("READ-3", "honest", "a value is filled in where the page shows nothing", free,
           looks_like(filled, b"900"), FILLED)
    tall = edited(AMOUNT, b"[72 500 272 520]", b"[72 400 272 600]")
    tall[AMOUNT_LOOK] = update.form(LINE % b"100", b"0 0 200 200", FONTS)
    for variant, at, size, expect in (
            ("nearby", b"5 7", b"12", FILLED), ("higher", b"4 60", b"12", NOT_CLEAN),
            ("beside", b"90 6", b"12", NOT_CLEAN), ("smaller", b"4 6", b"2.5", NOT_CLEAN)):
        body = look(at=at, size=size).replace(b"0 0 200 20]", b"0 0 200 200]")
        yield ("READ-3", variant, "the same text elsewhere in its field", tall, looks_like(body),
               expect)


def filters():
    """Looks that readers decode otherwise. The data are the same: that they may not be is enough."""
    data = LINE % b"100"
    packed = zlib.compress(data)
    hexed = data.hex().encode() + b">"
    nothing = b"<< /Predictor 1 >>"
    for variant, content, entries, expect in (
            ("honest", packed, b"/Filter /FlateDecode", FILLED),
            ("listed", packed, b"/Filter [/FlateDecode]", FILLED),
            ("short-parameters", packed, b"/Filter /FlateDecode /DP " + nothing, NOT_CLEAN),
            ("short-filter", packed, b"/F /FlateDecode", NOT_CLEAN),
            ("array-for-name", packed, b"/Filter /FlateDecode /DecodeParms [%s]" % nothing, NOT_CLEAN),
            ("name-for-array", packed, b"/Filter [/FlateDecode] /DecodeParms " + nothing, NOT_CLEAN),
            ("real", packed, b"/Filter /FlateDecode /DecodeParms << /Predictor 1.0 >>", NOT_CLEAN),
            ("crypt", packed, b"/Filter [/Crypt /FlateDecode]", NOT_CLEAN),
            ("hex", hexed, b"/Filter /ASCIIHexDecode", NOT_CLEAN),
            ("cut", packed[:-5], b"/Filter /FlateDecode", NOT_CLEAN)):
        body = update.form(content, b"0 0 200 20", FONTS + entries + b" ")
        yield ("READ-4", variant, "a look whose data readers may decode in two ways", contract(),
               looks_like(body), expect)


def numbers():
    """Looks whose numbers readers count in two ways."""
    for variant, content in (
            ("large", b"BT /F1 12 Tf 4 6 Td (1) Tj 10000000515.0 0 Td -10000000508.3 0 Td (00) Tj ET"),
            ("matrix", b"q 1 0 0 1 1e10 0 cm Q 1 0 0 1 40000 0 cm 1 0 0 1 -40000 0 cm " + LINE % b"100"),
            ("tiny", b"0.00001 0 0 0.00001 0 0 cm 10000 0 0 10000 0 0 cm 10 0 0 10 0 0 cm "
                     + LINE % b"100")):
        yield ("READ-5", variant, "a look with numbers that cancel out", contract(),
               looks_like(update.form(content, b"0 0 200 20", FONTS)), NOT_CLEAN)


def kinds():
    """Streams where dictionaries are due: some readers take them for such."""
    def descriptor(change):
        odd = change.new(update.stream(b"", b"/Type /FontDescriptor /Flags 32 "))
        font = change.new(
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FontDescriptor %d 0 R >>" % odd)
        looks_like(field_look(b"100", b"/F1 %d 0 R" % font))(change)

    def looks(change):
        look = change.new(field_look(b"900"))
        odd = change.new(update.stream(b"", b"/N %d 0 R " % look))
        change.add_entry(AMOUNT, b"/AP %d 0 R" % odd)

    def resources(change):
        odd = change.new(update.stream(b"", b"/F2 5 0 R "))
        change.edit(FORM, rb"/Font <<.*?>>", b"/Font %d 0 R" % odd)

    def all_resources(change):
        odd = change.new(update.stream(b"", b"/Font << /F1 5 0 R >> "))
        change.edit(FORM, rb"/DR\s*<<.*?>>\s*>>", b"/DR %d 0 R" % odd)

    bare = edited(AMOUNT, b" /AP << /N 11 0 R >>", b"")
    about = "a stream stands for a dictionary: "
    yield "READ-6", "descriptor", about + "a font's", contract(), descriptor, NOT_CLEAN
    yield "READ-6", "looks", about + "the looks", bare, looks, NOT_CLEAN
    yield "READ-6", "fonts", about + "the form's fonts", bare, resources, NOT_CLEAN
    yield "READ-6", "resources", about + "the form's resources", bare, all_resources, NOT_CLEAN


def copies():
    """Objects that are written anew with what counts as the same."""
    objects = edited(PAGE, b"/XObject <<", b"/ExtGState << /G 33 0 R >> /ColorSpace << /P 35 0 R >>"
                     b" /XObject <<", _33=b"<< /Type /ExtGState /CA 1 >>", _34=b"<< /S [2] >>",
                     _35=b"[/Indexed /DeviceGray 3 <0aff0aff>]")

    def null_entry(change):
        change.edit(PAGE, rb"/G 33 0 R", b"/G %d 0 R" % change.new(
            b"<< /Type /ExtGState /CA 1 /ca null >>"))

    def dangling(change):
        change.edit(PAGE, rb"/G 33 0 R", b"/G %d 0 R" % change.new(
            b"<< /Type /ExtGState /CA 1 /BM 9999 0 R >>"))

    def palette(spelling):
        return lambda change: change.put(35, b"[/Indexed /DeviceGray 3 (" + spelling + b")]")

    yield "READ-7", "null", "a copy with an entry that is null", objects, null_entry, FF
    yield "READ-7", "dangling", "a copy with an entry that leads nowhere", objects, dangling, FF
    yield ("READ-7", "line-end", "a string with a raw end of line", objects,
           palette(b"\r\n\xff\n\xff"), NOT_CLEAN)
    yield ("READ-7", "real", "an array of reals for integers", objects,
           lambda change: change.put(34, b"<< /S [2.0] >>"), FF)
    yield ("READ-7", "zeros", "a number with many zeros before it", objects,
           lambda change: change.put(34, b"<< /S [%s2] >>" % (b"0" * 400)), NOT_CLEAN)


def stamps(kit):
    """Document timestamps: one whose look is a picture, and one that stands for a signature."""
    picture = update.stream(zlib.compress(b"(" + b"\xff" * 60 + b") n"), (
        b"/Type /XObject /Subtype /Image /Width 8 /Height 8 /BitsPerComponent 8 /ColorSpace"
        b" /DeviceGray /Filter /FlateDecode "))
    data = kit.sign(write(contract_objects()), "--certify", "no-changes")

    def stamp(data, **options):
        return forge.embed(
            data, lambda digest: token(kit.pki.tsa, b"", imprint=digest), kind=b"/Type /DocTimeStamp",
            sub_filter=b"ETSI.RFC3161", field=b"Stamp", **options)

    prepared = update.Update(data)
    image = prepared.new(picture)
    look = prepared.new(update.stream(
        b"q 612 0 0 792 0 0 cm /I Do Q", b"/Type /XObject /Subtype /Form /Resources << /XObject << /I %d 0 R >> >> " % image))
    yield Case("READ-8", "picture", "a document timestamp's look draws a picture",
               stamp(data, visible=(b"0 0 0 0", look), more=prepared.bodies), NOT_CLEAN)
    alone = stamp(write(contract_objects()))
    for variant, options in (("level", ("--require-level", "T")),
                             ("signer", ("--signer", kit.file("pin.pem", kit.pki.signer.pem)))):
        yield Case("READ-8", variant, "a timestamp alone, where a signature is asked for", alone,
                   indeterminate(), options=options)
    yield Case("READ-8", "alone", "a timestamp alone", alone, Expect({PASSED: []}))
