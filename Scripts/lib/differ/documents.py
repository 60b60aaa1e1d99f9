"""Signed documents of all kinds, each with what an attacker needs to know about it."""

import dataclasses
import io
import re

import pikepdf

import pdf_fixtures
from attacks import forge, timestamps, update
from attacks.bases import AMOUNT, PAGE, TEXT, contract_objects, field_look, write


@dataclasses.dataclass
class Document:
    """A signed PDF. kind: its name; numbers: object numbers by role; root: the catalog as text;
    size, section: the newest trailer's /Size and where its section stands; entries: the trailer's
    other entries; sections: where all sections stand, newest first; reader: a reader of it; known:
    objects, as text, that are newer than the reader's; every: all objects, read when needed."""

    kind: str
    data: bytes
    streams: bool
    numbers: dict
    bodies: dict
    size: int
    section: int
    sections: list
    entries: dict
    encrypted: bool
    reader: update.Update
    known: dict = dataclasses.field(default_factory=dict)
    every: dict | None = None


def unparsed(value):
    if isinstance(value, pikepdf.Stream):
        value = pikepdf.Dictionary(value.stream_dict)
    return value.unparse(resolved=True)


def describe(kind, data):
    """A document as an independent reader sees it."""
    change = update.Update(data)
    document = change.document
    page = document.pages[0].obj
    parts = {"root": document.Root, "pages": document.Root["/Pages"], "page": page}
    content = page.get("/Contents")
    parts["text"] = content[0] if isinstance(content, pikepdf.Array) else content
    fonts = page.get("/Resources", {}).get("/Font", {})
    for name in list(fonts.keys())[:1]:
        parts["font"] = fonts[name]
    form = document.Root.get("/AcroForm")
    if form is not None:
        parts["form"] = form
        for field in form.get("/Fields", []):
            if field.get("/FT") == "/Tx":
                parts["field"] = field
                parts["look"] = field.get("/AP", {}).get("/N")
            elif field.get("/FT") == "/Sig" and "/V" in field:
                parts["signature"], parts["value"] = field, field["/V"]
    if "/StructTreeRoot" in document.Root:
        parts["tree"] = document.Root["/StructTreeRoot"]
    parts = {name: part for name, part in parts.items() if part is not None and part.is_indirect}
    sections = [int(n) for n in re.findall(rb"startxref\s+(\d+)", data)][::-1]
    return Document(
        kind, data, change.streams, {name: part.objgen[0] for name, part in parts.items()},
        {name: unparsed(part) for name, part in parts.items()}, change.size, change.previous,
        sections, change.entries, "/Encrypt" in change.entries, change)


def tagged_objects():
    """The contract with a structure tree."""
    objects = contract_objects()
    objects[1] = objects[1].replace(
        b"/Lang", b"/MarkInfo << /Marked true >> /StructTreeRoot 21 0 R /Lang")
    objects[PAGE] = objects[PAGE].replace(b"/Parent", b"/StructParents 0 /Parent")
    objects[AMOUNT] = objects[AMOUNT].replace(b"/P 3 0 R", b"/StructParent 1 /P 3 0 R")
    text = b"/P << /MCID 0 >> BDC\nBT /F1 14 Tf 72 740 Td (We owe you 100 EUR.) Tj ET\nEMC"
    objects[TEXT] = update.stream(text)
    objects[21] = b"<< /Type /StructTreeRoot /K 22 0 R /ParentTree 23 0 R /ParentTreeNextKey 2 >>"
    objects[22] = b"<< /Type /StructElem /S /Document /P 21 0 R /K [24 0 R 25 0 R] >>"
    objects[23] = b"<< /Nums [0 [24 0 R] 1 25 0 R] >>"
    objects[24] = b"<< /Type /StructElem /S /P /P 22 0 R /Pg 3 0 R /K 0 >>"
    objects[25] = (b"<< /Type /StructElem /S /Form /P 22 0 R /Pg 3 0 R"
                   b" /K << /Type /OBJR /Obj 9 0 R >> >>")
    return objects


def hybrid(objects):
    """A file whose object stream only readers of /XRefStm find (ISO 32000-2 §7.5.8.4). Nothing in it
    shows, as with the office programs that write such files: of what shows, readers lose it."""
    hidden = [24, 25]
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    for number in sorted(objects):
        if number not in hidden:
            writer.object(number, objects[number])
    container, own = max(objects) + 1, max(objects) + 2
    writer.object(container, update.object_stream({number: objects[number] for number in hidden}))
    place = writer.position
    rows = [(n, (2, container, i)) for i, n in enumerate(hidden)]
    table = b"".join(
        kind.to_bytes(1, "big") + first.to_bytes(4, "big") + last.to_bytes(2, "big")
        for _, (kind, first, last) in rows)
    index = b" ".join(b"%d 1" % number for number, _ in rows)
    writer.object(own, update.stream(
        table, b"/Type /XRef /W [1 4 2] /Index [%s] /Size %d /Root 1 0 R " % (index, own + 1)))
    start = writer.position
    lines = [b"xref\n0 %d\n0000000000 65535 f \n" % (own + 1)]
    for number in range(1, own + 1):
        lines.append(b"%010d 00000 n \n" % writer.offsets[number] if number in writer.offsets
                     else b"0000000000 00000 f \n")
    identifier = writer.digest.hexdigest().encode()
    writer.put(b"".join(lines) + b"trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R /ID [<%s> <%s>]"
               b" /XRefStm %d >>\nstartxref\n%d\n%%%%EOF\n" % (
                   own + 1, identifier, identifier, place, start))
    return out.getvalue()


def resaved(data, **options):
    out = io.BytesIO()
    pikepdf.open(io.BytesIO(data)).save(out, **options)
    return out.getvalue()


def filled(data, value=b"250"):
    """The contract's amount filled with its look, as a correct program would do it."""
    change = update.Update(data)
    look = change.new(field_look(value))
    body = change.old(AMOUNT)
    body = re.sub(rb"/V\s*\([^)]*\)", b"/V (%s)" % value, body)
    body = re.sub(rb"/N \d+ 0 R", b"/N %d 0 R" % look, body)
    change.put(AMOUNT, body)
    return change.finish()


def described(data, title=b"(Contract, second copy)"):
    """The document information written anew."""
    change = update.Update(data)
    change.put(7, b"<< /Title %s >>" % title)
    return change.finish()


def stamped(kit, data):
    """A document timestamp by the kit's authority."""
    return forge.embed(
        data, lambda digest: timestamps.token(kit.pki.tsa, b"", imprint=digest),
        sub_filter=b"ETSI.RFC3161", kind=b"/Type /DocTimeStamp", field=b"Stamp")


def preserved(kit, data):
    """Validation data and a document timestamp behind a signature."""
    change = update.Update(data)
    certificates = [change.new(update.stream(c.der)) for c in (kit.pki.signer, *kit.pki.signer.chain)]
    change.add_entry(change.root, b"/DSS << /Type /DSS /Certs [%s] >>" % b" ".join(
        b"%d 0 R" % number for number in certificates))
    return stamped(kit, change.finish())


def letter():
    """A document without a form, whose signature makes one in the catalog."""
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    writer.object(1, b"<< /Type /Catalog /Pages 2 0 R >>")
    writer.object(2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
    writer.object(3, b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
                  b" /Resources << /Font << /F1 5 0 R >> >> >>")
    writer.stream(4, b"BT /F1 14 Tf 72 740 Td (We owe you 100 EUR.) Tj ET")
    writer.object(5, pdf_fixtures.FONT % b"Helvetica")
    writer.finish(1)
    return out.getvalue()


def revised(kit, streams):
    """Two signatures, with filling and other revisions between."""
    data = kit.sign(write(contract_objects(), streams))
    data = described(filled(data))
    data = kit.sign(data, field="Approval", signer=kit.pki.second)
    return data


def drafted(kit, streams):
    """A draft that says something else, corrected before it was signed."""
    objects = contract_objects()
    good = objects[TEXT]
    objects[TEXT] = update.stream(b"BT /F1 14 Tf 72 740 Td (EVIL draft: 900) Tj ET")
    change = update.Update(write(objects, streams))
    change.put(TEXT, good)
    return kit.sign(change.finish())


def all_documents(kit):
    """(name, bytes) of signed documents."""
    for streams, name in ((False, "table"), (True, "streams")):
        plain = write(contract_objects(), streams)
        yield name, kit.sign(plain)
        for level in ("no-changes", "form-filling", "annotations"):
            yield f"{level}-{name}", kit.sign(plain, "--certify", level)
        yield f"locked-{name}", kit.sign(plain, "--lock", "all")
        yield f"tagged-{name}", kit.sign(write(tagged_objects(), streams))
        yield f"revised-{name}", revised(kit, streams)
        yield f"drafted-{name}", drafted(kit, streams)
        yield f"stamped-{name}", stamped(kit, kit.sign(plain, "--certify", "no-changes"))
        yield f"preserved-{name}", preserved(kit, kit.sign(plain))
        yield f"by-hand-{name}", forge.embed(
            plain, lambda digest: forge.simple(kit.pki.signer, digest))
        for version, encryption in (
                ("aes", pikepdf.Encryption(owner="owner", user="", R=6)),
                ("rc4", pikepdf.Encryption(owner="owner", user="", R=4, aes=False, metadata=False))):
            mode = (pikepdf.ObjectStreamMode.generate if streams
                    else pikepdf.ObjectStreamMode.disable)
            yield f"{version}-{name}", kit.sign(resaved(
                plain, encryption=encryption, object_stream_mode=mode))
    yield "letter", kit.sign(letter())
    yield "letter-visible", kit.sign(letter(), "--certify", "no-changes", "--at", "1:bottom-right")
    yield "hybrid", kit.sign(hybrid(tagged_objects()))
    yield "linearized", kit.sign(resaved(write(contract_objects()), linearize=True))
    yield "tagged-certified", kit.sign(write(tagged_objects()), "--certify", "form-filling")
