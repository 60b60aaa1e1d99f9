"""Changes of what a document says, written by a correct update: only comparing can find them."""

import re

import pikepdf

from attacks import update
from differ.forgeries import EVIL

FORM = update.form(b"BT /Helv 12 Tf 4 6 Td (EVIL 900) Tj ET 0 0 200 200 re S", b"0 0 200 200",
                   b"/Resources << /Font << /Helv << /Type /Font /Subtype /Type1 /BaseFont"
                   b" /Helvetica >> >> >> ")
# Entries that change what a dictionary shows or does; %d is a new object with a forged look.
ENTRIES = (
    b"/AP << /N %d 0 R >>", b"/AP << /D %d 0 R >>", b"/AP << /N << /On %d 0 R /Off 900 0 R >> >>",
    b"/AS /On", b"/AS /Off", b"/V (900)", b"/V /On", b"/DV (900)", b"/F 2", b"/F 4", b"/F 0", b"/F 32",
    b"/F 1", b"/A << /S /JavaScript /JS (app.alert\\(1\\)) >>", b"/AA << /O << /S /JavaScript /JS (x) >> >>",
    b"/OpenAction << /S /JavaScript /JS (x) >>", b"/Rotate 90", b"/Rotate 180", b"/UserUnit 2",
    b"/MediaBox [0 0 300 300]", b"/CropBox [0 0 200 800]", b"/Contents %d 0 R", b"/Annots [%d 0 R]",
    b"/Annots []", b"/Kids []", b"/Kids [%d 0 R]", b"/NeedAppearances true", b"/DA (/F1 40 Tf 1 0 0 rg)",
    b"/DR << /Font << /F1 6 0 R >> >>", b"/MK << /BG [1 0 0] /R 90 >>", b"/BS << /W 20 >>",
    b"/Border [0 0 30]", b"/C [1 0 0]", b"/OC << /Type /OCG /Name (x) >>", b"/Rect [0 0 500 800]",
    b"/Rect [72 600 272 700]", b"/Ff 1", b"/Ff 4096", b"/Ff 8192", b"/MaxLen 1", b"/Q 2", b"/T (other)",
    b"/TU (other)", b"/Subtype /Stamp", b"/Subtype /FreeText", b"/FT /Btn", b"/FT /Ch", b"/Parent 2 0 R",
    b"/Type /Page", b"/Type /ObjStm", b"/Type /XRef", b"/Type /StructElem", b"/Type /Metadata", b"/P 10 0 R",
    b"/StructParent 0", b"/StructParents 1", b"/K 0", b"/Nums [0 3 0 R]", b"/ActualText (EVIL)",
    b"/BaseFont /Symbol", b"/Encoding /MacRomanEncoding", b"/Widths [1 2 3]", b"/FontMatrix [0.01 0 0 .01 0 0]",
    b"/Matrix [2 0 0 2 0 0]", b"/BBox [0 0 900 900]", b"/Resources << >>", b"/Extends 4 0 R",
    b"/OCProperties << /OCGs [] /D << /BaseState /OFF >> >>", b"/Lang (xx)", b"/Names << >>",
    b"/Perms << >>", b"/DSS << /Certs [] >>", b"/Extensions << /X << /BaseVersion /1.7 >> >>",
    b"/Version /2.0", b"/PageLabels << /Nums [0 << /P (9) >>] >>", b"/ViewerPreferences << >>",
    b"/PageLayout /TwoColumnLeft", b"/Fields []", b"/SigFlags 1", b"/XFA (x)", b"/CO []",
    b"/Length 5", b"/Filter /FlateDecode", b"/Lock << /Action /All >>", b"/Opt [(a) (b)]")
NAMES = tuple(sorted({entry.split(b" ")[0] for entry in ENTRIES}))


def body_of(value):
    """Text of an object's dictionary or value, and its decoded stream or None; None for others."""
    if not isinstance(value, pikepdf.Stream):
        return (value.unparse(resolved=True), None) if isinstance(value, pikepdf.Object) else None
    if value.get("/Type") in ("/XRef", "/ObjStm"):
        return None
    text = pikepdf.Dictionary({
        key: part for key, part in value.stream_dict.items()
        if key not in ("/Length", "/Filter", "/DecodeParms")}).unparse(resolved=True)
    return text, value.read_bytes()


def all_bodies(data):
    """Every object of a document that can be read and written again."""
    found = {}
    with update.objects_of(data) as document:
        for number in range(1, min(int(document.trailer["/Size"]), 200)):
            try:
                body = body_of(document.get_object((number, 0)))
            except pikepdf.PdfError:
                continue
            if body:
                found[number] = body
    return found


def changed(text, data, odd, new):
    """The dictionary's text and the stream's data with one change; `new`: a new object's number."""
    kind = odd.one("change", "add", "add", "add", "drop", "number", "reference", "string", "name",
                   "data", "same", "swap")
    if kind == "add" and b">>" in text:
        entry = odd.one("entry", *ENTRIES)
        entry = entry % new if b"%d" in entry else entry
        name = entry.split(b" ")[0]
        text = re.sub(re.escape(name) + rb"\s+(\d+ \d+ R|\([^)]*\)|/\w+|\[[^\]]*\]|-?[\d.]+)", b"", text,
                      count=1)
        cut = text.rindex(b">>")
        return text[:cut] + b" " + entry + b" " + text[cut:], data
    if kind == "data" and data is not None:
        return text, odd.random.choice((
            EVIL, data + b" " + EVIL, data.replace(b"100", b"900"), data.replace(b"1", b"9"), b"",
            data[: len(data) // 2], data + b" "))
    patterns = {
        "number": (rb"(?<![\w/#(])-?\d+(?! \d+ R)(?! R)", (b"0", b"1", b"900", b"-5", b"2")),
        "reference": (rb"\d+ 0 R", (b"%d 0 R" % new, b"3 0 R", b"4 0 R", b"10 0 R", b"900 0 R",
                                    b"null", b"11 0 R", b"20 0 R")),
        "string": (rb"\([^()]*\)", (b"(900)", b"()", b"(EVIL)", b"(\xfe\xff\x00E)")),
        "name": (rb"/\w+", NAMES), "drop": (rb"/\w+\s+(\d+ \d+ R|\([^)]*\)|/\w+|\[[^\]]*\]|-?[\d.]+)",
                                           (b"",)),
        "swap": (rb"\[([^\[\]]*)\]", (None,))}
    if kind not in patterns:
        return text, data
    pattern, others = patterns[kind]
    matches = list(re.finditer(pattern, text))
    if not matches:
        return text, data
    match, other = odd.random.choice(matches), odd.random.choice(others)
    if other is None:
        parts = re.findall(rb"\d+ \d+ R|<<.*?>>|\S+", match.group(1), re.DOTALL)
        odd.random.shuffle(parts)
        other = b"[" + b" ".join(parts + parts[: odd.number(0, 1)]) + b"]"
    odd.steps.append(f"{match.group()[:24]!r} to {other[:24]!r}")
    return text[: match.start()] + other + text[match.end() :], data


def change(own, document, odd):
    """Changes one to three objects of a document."""
    if document.every is None:
        document.every = all_bodies(document.data)
    new = own.new(FORM)
    for _ in range(odd.random.choice((1, 1, 1, 2, 3))):
        number = odd.random.choice(sorted(document.every))
        text, data = document.every[number]
        odd.steps.append(f"object {number}")
        for _ in range(odd.random.choice((1, 1, 2))):
            text, data = changed(text, data, odd, new)
        own.put(number, text if data is None else update.stream(
            data, text.strip()[2:-2].strip() + b" "))
