#!/usr/bin/env python3
"""usage: pdfa_rules.py PDF...

Checks what PDF/A-2b (ISO 19005-2) asks of a document of photos, rule by rule, and prints each
breach. The exit code is 1 when there is one. Needs pikepdf and Pillow.
"""

import datetime
import io
import re
import sys
import xml.etree.ElementTree as ElementTree

import pikepdf
from PIL import ImageCms

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
NAMES = {
    "pdfaid": "{http://www.aiim.org/pdfa/ns/id/}",
    "dc": "{http://purl.org/dc/elements/1.1/}",
    "pdf": "{http://ns.adobe.com/pdf/1.3/}",
    "xmp": "{http://ns.adobe.com/xap/1.0/}",
}
COMPONENTS = {"RGB ": 3, "GRAY": 1, "CMYK": 4}
FORBIDDEN_FILTERS = {"/LZWDecode", "/Crypt"}
FORBIDDEN_IN_CATALOG = {"/AA", "/OpenAction", "/Names", "/OCProperties", "/AcroForm", "/NeedsRendering"}


def xmp_values(packet):
    root = ElementTree.fromstring(packet)
    values = {}
    for description in root.iter(RDF + "Description"):
        for child in description:
            items = child.findall(f".//{RDF}li")
            values[child.tag] = items[0].text if items else child.text
    return values


def date_of(text):
    """Seconds since 1970 of a PDF date or an RFC 3339 one."""
    digits = re.sub(r"[^0-9]", "", text)[:14]
    if not text.endswith("Z"):
        return text
    moment = datetime.datetime.strptime(digits, "%Y%m%d%H%M%S")
    return moment.replace(tzinfo=datetime.timezone.utc).timestamp()


def profile_breaches(stream, what):
    data = stream.read_bytes()
    count = COMPONENTS.get(data[16:20].decode("latin-1"))
    if data[36:40] != b"acsp":
        yield f"{what}: no ICC profile"
        return
    if count != int(stream.N):
        yield f"{what}: N is {int(stream.N)}, the profile has {count} components"
    if data[8] not in (2, 4) or data[12:16] not in (b"prtr", b"mntr", b"scnr", b"spac"):
        yield f"{what}: profile of version {data[8]}, class {data[12:16]!r}"
    try:
        ImageCms.ImageCmsProfile(io.BytesIO(data))
    except Exception as error:
        yield f"{what}: {error}"


def breaches(path):
    raw = open(path, "rb").read()
    # 6.1.2 header, 6.1.3 trailer
    head = re.match(rb"%PDF-1\.[0-7]\r?\n%([^\r\n]{4,})", raw)
    if not head or min(head.group(1)[:4]) <= 127:
        yield "6.1.2: the header, or the comment of four bytes above 127"
    if not re.search(rb"%%EOF(\r\n|\n|\r)?$", raw[-12:]):
        yield "6.1.3: something follows the end-of-file marker"
    if re.search(rb"\bstream(?!\r?\n)", re.sub(rb"endstream", b"", raw)[:200]):
        yield "6.1.7: the stream keyword"
    document = pikepdf.open(path)
    trailer = document.trailer
    if "/Encrypt" in trailer:
        yield "6.1.3: Encrypt"
    identifier = trailer.get("/ID")
    if identifier is None or len(identifier) != 2 or not all(bytes(i) for i in identifier):
        yield "6.1.3: ID"
    catalog = document.Root
    for key in FORBIDDEN_IN_CATALOG & set(catalog.keys()):
        yield f"catalog: {key}"
    # 6.1.7 streams
    for number in range(1, len(document.objects) + 1):
        item = document.get_object(number, 0)
        if not isinstance(item, pikepdf.Stream):
            continue
        if {"/F", "/FFilter", "/FDecodeParms"} & set(item.keys()):
            yield f"6.1.7: object {number} is an external stream"
        filters = item.get("/Filter", [])
        for name in [filters] if isinstance(filters, pikepdf.Name) else filters:
            if str(name) in FORBIDDEN_FILTERS:
                yield f"6.1.7: object {number} uses {name}"
        at = re.search(rb"(?<!\d)%d 0 obj\b" % number, raw).end()
        start = re.compile(rb"stream\r?\n").search(raw, at).end()
        length = int(item.Length)
        if not re.match(rb"\r?\nendstream\b", raw[start + length:start + length + 12]):
            yield f"6.1.7: object {number}: Length does not end at the line before endstream"
    # 6.6 metadata
    metadata = catalog.get("/Metadata")
    if metadata is None:
        yield "6.6.2: no metadata"
    else:
        if "/Filter" in metadata:
            yield "6.6.2: the metadata has a filter"
        if (metadata.get("/Type"), metadata.get("/Subtype")) != ("/Metadata", "/XML"):
            yield "6.6.2: the metadata's type"
        values = xmp_values(metadata.read_bytes())
        if values.get(NAMES["pdfaid"] + "part") != "2":
            yield "6.6.4: pdfaid:part"
        if values.get(NAMES["pdfaid"] + "conformance") != "B":
            yield "6.6.4: pdfaid:conformance"
        info = trailer.get("/Info", {})
        for key, name in (("/Title", NAMES["dc"] + "title"), ("/Producer", NAMES["pdf"] + "Producer")):
            if (str(info[key]) if key in info else None) != values.get(name):
                yield f"6.6.3: {key} differs from the metadata"
        for key, name in (("/CreationDate", "CreateDate"), ("/ModDate", "ModifyDate")):
            if date_of(str(info.get(key, "Z"))) != date_of(values.get(NAMES["xmp"] + name, "")):
                yield f"6.6.3: {key} differs from the metadata"
    # 6.2.3 output intent
    intents = [i for i in catalog.get("/OutputIntents", []) if i.S == "/GTS_PDFA1"]
    intent_components = 0
    if len(intents) != 1:
        yield "6.2.3: the output intent"
    else:
        profile = intents[0].DestOutputProfile
        intent_components = int(profile.N)
        yield from profile_breaches(profile, "6.2.3: output intent")
        if "/OutputConditionIdentifier" not in intents[0]:
            yield "6.2.3: OutputConditionIdentifier"
    for number, page in enumerate(document.pages, 1):
        box = [float(value) for value in page.MediaBox]
        if not all(3 <= side <= 14400 for side in (box[2] - box[0], box[3] - box[1])):
            yield f"6.1.13: page {number}: {box}"
        for key in {"/AA", "/Annots", "/Group"} & set(page.keys()):
            yield f"page {number}: {key}"
        for name, image in page.images.items():
            what = f"page {number}, {name}"
            if bool(image.get("/Interpolate", False)):
                yield f"6.2.8: {what}: Interpolate"
            for key in {"/Alternates", "/OPI", "/SMask"} & set(image.keys()):
                yield f"6.2.8: {what}: {key}"
            if int(image.BitsPerComponent) not in (1, 2, 4, 8, 16):
                yield f"6.2.8: {what}: BitsPerComponent"
            space = image.ColorSpace
            if isinstance(space, pikepdf.Array):
                yield from profile_breaches(space[1], f"6.2.4.2: {what}")
            elif space == "/DeviceCMYK" and intent_components != 4:
                yield f"6.2.4.3: {what}: DeviceCMYK"
            elif space == "/DeviceRGB" and intent_components != 3:
                yield f"6.2.4.3: {what}: DeviceRGB"


def main():
    found = False
    for path in sys.argv[1:]:
        for breach in breaches(path):
            found = True
            print(f"{path}: {breach}")
    sys.exit(1 if found or not sys.argv[1:] else 0)


if __name__ == "__main__":
    main()
