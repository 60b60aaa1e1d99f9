#!/usr/bin/env python3
"""usage: pdfa_signature_rules.py ORIGINAL SIGNED

Checks that a signature keeps the claim of a PDF/A file (ISO 19005-1 to -4): what was appended is
held against each rule that a signature, its field and its stamp can break. Prints each breach; the
exit code is 1 when there is one, 2 when the original claims nothing. Needs pikepdf.
"""

import re
import sys

import pikepdf
from pikepdf import Dictionary, Name, Stream

HIDDEN = 1 | 2 | 32 | 256  # Invisible, Hidden, NoView, ToggleNoView
DEVICE_OPERATORS = {"rg": 3, "RG": 3, "k": 4, "K": 4}


def claim(document):
    metadata = document.Root.get("/Metadata")
    packet = metadata.read_bytes() if metadata is not None else b""
    part = re.search(rb"pdfaid:part(?:>|=[\"'])\s*(\d)", packet)
    return (int(part.group(1)) if part else None), packet


def intent_components(document):
    for intent in document.Root.get("/OutputIntents", []):
        if intent.get("/S") == "/GTS_PDFA1" and "/DestOutputProfile" in intent:
            return int(intent.DestOutputProfile.N)
    return None


def file_breaches(original, signed):
    """Of the bytes: header to trailer."""
    appended = signed[len(original):]
    if not signed.startswith(original):
        yield "the original is no prefix"
    if not re.search(rb"%%EOF(\r\n|\n|\r)?$", signed[-12:]):
        yield "6.1.3: more than one end of line after the end-of-file marker"
    for match in re.finditer(rb"\bxref\b(?<!startxref)", appended):
        if not re.match(rb"xref(\r\n|\n|\r)\d+ \d+(\r\n|\n|\r| )", appended[match.start():]):
            yield "6.1.4: the cross-reference table's spacing"
    for match in re.finditer(rb"(?<!end)stream(?=[\r\n])", appended):
        if not re.match(rb"\r?\n", appended[match.end():]):
            yield "6.1.7: 'stream' is followed by a lone carriage return"
    for match in re.finditer(rb"endstream", appended):
        if appended[match.start() - 1] not in b"\r\n":
            yield "6.1.7: no end of line before 'endstream'"
    for match in re.finditer(rb"(?<=\n)\d+ \d+ obj", appended):
        if appended[match.end()] not in b"\r\n":
            yield "6.1.8: no end of line after 'obj'"


def font_breaches(font, part):
    if font.get("/Subtype") == "/Type3":
        return
    base = font.DescendantFonts[0] if font.get("/Subtype") == "/Type0" else font
    descriptor = base.get("/FontDescriptor", Dictionary())
    name = str(font.get("/BaseFont", "?"))
    if not {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor.keys()):
        yield f"6.2.11.4: the font {name} is not embedded"
    if font.get("/Subtype") == "/Type0":
        if base.get("/Subtype") == "/CIDFontType2" and "/CIDToGIDMap" not in base:
            yield f"6.2.11.3: the font {name} lacks CIDToGIDMap"
        if part == 1 and re.match(r"/[A-Z]{6}\+", name) and "/CIDSet" not in descriptor:
            yield f"6.3.5 of part 1: the subset {name} lacks CIDSet"


def appearance_breaches(form, part, components, depth=0):
    if depth > 5:
        return
    if part == 1 and form.get("/Group", {}).get("/S") == "/Transparency":
        yield "6.4 of part 1: a transparency group"
    if {"/OPI", "/PS", "/Ref"} & set(form.keys()):
        yield "6.2.9: OPI, PS or Ref in a form"
    resources = form.get("/Resources", Dictionary())
    for font in resources.get("/Font", Dictionary()).values():
        yield from font_breaches(font, part)
    for state in resources.get("/ExtGState", Dictionary()).values():
        if {"/TR", "/HTP"} & set(state.keys()):
            yield "6.2.5: TR or HTP in a graphics state"
        opaque = all(float(state.get(key, 1)) == 1 for key in ("/CA", "/ca"))
        if part == 1 and not (opaque and state.get("/SMask", Name.None_) == Name.None_):
            yield "6.4 of part 1: transparency in a graphics state"
    spaces = resources.get("/ColorSpace", Dictionary())
    for item in resources.get("/XObject", Dictionary()).values():
        if item.get("/Subtype") == "/Form":
            yield from appearance_breaches(item, part, components, depth + 1)
            continue
        if bool(item.get("/Interpolate", False)) or {"/Alternates", "/OPI"} & set(item.keys()):
            yield "6.2.8: Interpolate, Alternates or OPI in an image"
        if part == 1 and item.get("/SMask", Name.None_) != Name.None_:
            yield "6.4 of part 1: a soft mask"
        space = item.get("/ColorSpace")
        needed = {"/DeviceRGB": 3, "/DeviceCMYK": 4}.get(str(space)) if isinstance(
            space, Name) else None
        if needed and needed != components:
            yield f"6.2.4.3: an image in {space} without output intent for it"
        if space == "/DeviceGray" and components is None and "/DefaultGray" not in spaces:
            yield "6.2.4.3: an image in DeviceGray without output intent"
    for _, operator in pikepdf.parse_content_stream(form):
        needed = DEVICE_OPERATORS.get(str(operator))
        default = {3: "/DefaultRGB", 4: "/DefaultCMYK"}.get(needed)
        if needed and needed != components and default not in spaces:
            yield f"6.2.4.3: the operator {operator} without output intent for it"
        if str(operator) in ("g", "G") and components is None and "/DefaultGray" not in spaces:
            yield "6.2.4.3: device grey without output intent"


def field_breaches(field, part, components, signed):
    if {"/A", "/AA"} & set(field.keys()):
        yield "6.4.1: an action in the field"
    flags = int(field.get("/F", 0))
    box = [float(side) for side in field.get("/Rect", [0, 0, 0, 0])]
    if not flags & 4 or flags & HIDDEN:
        yield f"6.3.2: flags {flags}: Print must be set, and nothing hidden"
    looks = field.get("/AP")
    if looks is None:
        if part == 1 or box[0] != box[2] or box[1] != box[3]:
            yield "6.3.3: a widget without appearance"
    elif set(looks.keys()) != {"/N"} or not isinstance(looks.N, Stream):
        yield "6.3.3: AP holds something else than the one stream N"
    else:
        yield from appearance_breaches(looks.N, part, components)
    value = field.get("/V", Dictionary())
    for reference in value.get("/Reference", []):
        if {"/DigestLocation", "/DigestMethod", "/DigestValue"} & set(reference.keys()):
            yield "6.1.12: a digest in the signature reference"
    numbers = [int(number) for number in value.get("/ByteRange", [])]
    if numbers[:1] != [0] or len(numbers) != 4:
        yield "6.4.3: the byte range"
    elif numbers[2] + numbers[3] == len(signed) and signed[numbers[1]:numbers[1] + 1] != b"<":
        yield "6.4.3: the byte range's gap is not the signature"


def breaches(before, after):
    original, signed = open(before, "rb").read(), open(after, "rb").read()
    with pikepdf.open(before) as old, pikepdf.open(after) as new:
        part, packet = claim(old)
        if part is None:
            sys.exit(2)
        yield from file_breaches(original, signed)
        if claim(new)[1] != packet:
            yield "6.6: the metadata were changed"
        appended = signed[len(original):]
        if part == 1 and re.search(rb"/Type\s*/(XRef|ObjStm)", appended):
            yield "6.1.4 of part 1: a cross-reference or object stream"
        was, now = old.trailer.get("/ID"), new.trailer.get("/ID")
        if now is None or len(now) != 2 or (was is not None and bytes(was[0]) != bytes(now[0])):
            yield "6.1.3: ID"
        if "/Encrypt" in new.trailer or ("/Info" in new.trailer) != ("/Info" in old.trailer):
            yield "6.1.3: Encrypt or Info was added"
        form = new.Root.AcroForm
        if bool(form.get("/NeedAppearances", False)) or "/XFA" in form:
            yield "6.4.1: NeedAppearances or XFA"
        if set(new.Root.get("/Perms", {}).keys()) - {"/DocMDP", "/UR3"}:
            yield "6.1.12: Perms"
        known = {field.objgen for field in old.Root.get("/AcroForm", {}).get("/Fields", [])}
        fields = [field for field in form.Fields if field.objgen not in known]
        if not fields:
            yield "no field was added"
        for field in fields:
            yield from field_breaches(field, part, intent_components(new), signed)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = list(breaches(*sys.argv[1:]))
    for breach in found:
        print(breach)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
