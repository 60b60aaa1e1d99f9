"""Documents that an attacker wrote before they were signed, with something up their sleeve."""

import io
import re

import pikepdf

import pdf_fixtures
from attacks import forge, update
from attacks.bases import (
    CATALOG, CONTENT, FORM, INFO, PAGE, PAGES, SANS, TEXT, contract_objects, write)
from differ.forgeries import EVIL
from differ.odd import Odd

FORGED = update.stream(EVIL)
DECOY = b"%d 0 obj\n" % TEXT + FORGED + b"\nendobj\n"
EVIL_TRAILER = b"trailer\n<< /Size 60 /Root 50 0 R >>\n"
TREE = (
    b"50 0 obj\n<< /Type /Catalog /Pages 51 0 R >>\nendobj\n51 0 obj\n<< /Type /Pages /Kids [52 0 R]"
    b" /Count 1 >>\nendobj\n52 0 obj\n<< /Type /Page /Parent 51 0 R /MediaBox [0 0 595 842] /Contents"
    b" 53 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    b" >>\nendobj\n53 0 obj\n" + FORGED + b"\nendobj\n")


def entry(objects, number, text, odd):
    """Adds an entry at one end of a dictionary."""
    body = objects[number]
    if odd.one("entry", "first", "last") == "first":
        objects[number] = body.replace(b"<<", b"<< " + text, 1)
    else:
        cut = body.rindex(b">>") if b"stream\n" not in body else body.index(b">>\nstream")
        objects[number] = body[:cut] + b" " + text + body[cut:]


def hide(objects, odd):
    """Puts something into the objects; returns bytes to stand between them."""
    kind = odd.one(
        "shadow", "dangling", "dangling-array", "stream", "open-stream", "lengths", "twice-key",
        "comment", "between", "string", "twice-object", "generation", "freed", "font", "unused",
        "no-end", "tree-between", "tree-stream", "name", "keyword", "null", "packed", "packed-between",
        "section")
    free = max(objects) + odd.number(1, 3)
    secret = odd.random.choice((DECOY, TREE + EVIL_TRAILER, EVIL_TRAILER, TREE, b"endobj\n" + DECOY,
                                b"endstream\nendobj\n" + DECOY, b"startxref\n9\n%%EOF\n"))
    if kind == "dangling":
        entry(objects, odd.random.choice((PAGE, PAGES, CATALOG, FORM)),
              odd.random.choice((b"/Contents", b"/Kids", b"/Foo", b"/OCProperties", b"/Annots")) +
              b" 900 0 R", odd)
    elif kind == "dangling-array":
        objects[PAGE] = objects[PAGE].replace(b"/Contents 4 0 R", b"/Contents [4 0 R 900 0 R]")
    elif kind == "stream":
        objects[free] = update.stream(secret)
    elif kind == "tree-stream":
        objects[free] = update.stream(b"x" * odd.random.choice((0, 10, 1100)) + b"\n" + secret)
    elif kind in ("open-stream", "no-end"):
        number = odd.random.choice((TEXT, free))
        body = objects.get(number) or update.stream(b"q Q")
        objects[number] = body.replace(
            b"\nendstream", b"" if kind == "open-stream" else b"\nendstrea")
    elif kind == "lengths":
        number = odd.random.choice((TEXT, free))
        objects.setdefault(number, update.stream(b"q\nendstream\nendobj\n" + DECOY + b"Q"))
        objects[number] = re.sub(rb"/Length \d+", odd.random.choice((
            b"/Length 1", b"/Length 900 0 R", b"", b"/Length 9999", b"/Length 0 /Length 30")),
            objects[number], count=1)
    elif kind == "twice-key":
        entry(objects, odd.random.choice((PAGE, CATALOG, PAGES, TEXT, SANS)), odd.random.choice((
            b"/Contents %d 0 R", b"/Pages %d 0 R", b"/Kids [%d 0 R]", b"/Length %d",
            b"/Resources %d 0 R", b"/BaseFont /F%d", b"/Cont#65nts %d 0 R")) % free, odd)
        objects[free] = FORGED
    elif kind == "string":
        objects[INFO] = b"<< /Title (%s) >>" % secret.replace(b"(", b"\\(").replace(b")", b"\\)")
    elif kind == "name":
        entry(objects, INFO, b"/" + odd.random.choice((b"obj", b"endobj", b"stream", b"trailer")) +
              b" 1", odd)
    elif kind == "font":
        entry(objects, PAGE, b"/Resources << /Font << /F1 900 0 R >> >>", odd)
    elif kind in ("unused", "null"):
        objects[free] = FORGED if kind == "unused" else b"null"
    elif kind == "keyword":
        objects[free] = odd.random.choice((b"<< /A 4 0 R", b"[1 2", b"(open", b"4 0 R x", b"<< /A >> >>",
                                           b"{ }", b"<414", b"endobj", b"<< /A 900 0 R junk >>"))
    elif kind == "packed":
        objects[free] = packed_decoy(odd)
    elif kind == "packed-between":
        return b"%d 0 obj\n" % (free + 9) + packed_decoy(odd) + b"\nendobj\n"
    elif kind == "section":
        objects[free] = update.stream(
            b"\1\0\0\0\x0f\0\0", b"/Type /XRef /W [1 4 2] /Index [4 1] /Size 60 /Root 1 0 R ")
    elif kind == "comment":
        return b"%" + odd.random.choice((b"", b"\r", b"x\f")) + secret.replace(b"\n", b"\r")
    elif kind in ("between", "tree-between", "twice-object"):
        return secret
    elif kind == "generation":
        return DECOY.replace(b" 0 obj", b" 1 obj")
    elif kind == "freed":
        return b"900 0 obj\n" + FORGED + b"\nendobj\n"
    return b""


def packed_decoy(odd):
    """An object stream with other definitions of objects that stand elsewhere."""
    page = contract_objects()[PAGE].replace(b"/Contents 4 0 R", b"/Contents 900 0 R")
    number, body = odd.random.choice((
        (PAGE, page), (SANS, b"<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>"),
        (CATALOG, b"<< /Type /Catalog /Pages 51 0 R >>"),
        (PAGES, b"<< /Type /Pages /Kids [10 0 R] /Count 1 >>")))
    head = b"%d 0 " % number
    return update.stream(head + body, b"/Type /ObjStm /N 1 /First %d " % len(head))


def drafted(data):
    """The document as the correction of a draft that says something else."""
    draft = data.replace(update.stream(CONTENT), update.stream(EVIL.ljust(len(CONTENT))))
    if draft == data:
        return data
    change = update.Update(draft)
    change.put(TEXT, update.stream(CONTENT))
    return change.finish()


def table_file(objects, secrets, odd):
    """A file with a table, the secrets at places between its objects."""
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    order = sorted(objects)
    if odd.happens("order"):
        odd.random.shuffle(order)
    places = [odd.number(0, len(order)) for _ in secrets]
    for index, number in enumerate(order):
        for place, secret in zip(places, secrets):
            if place == index:
                writer.put(secret)
        writer.object(number, objects[number])
    for place, secret in zip(places, secrets):
        if place == len(order):
            writer.put(secret)
    size = max(objects) + 1
    start = writer.position
    missing = [number for number in range(1, size) if number not in objects]
    rows = [b"xref\n0 %d\n0000000000 65535 f \n" % size]
    rows += [b"0000000000 65535 f \n" if number in missing
             else b"%010d 00000 n \n" % writer.offsets[number] for number in range(1, size)]
    identifier = writer.digest.hexdigest().encode()
    writer.put(b"".join(rows) + odd.pick("gap", b"", b"%x\n", TREE, EVIL_TRAILER) + (
        b"trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R /ID [<%s> <%s>]%s >>\nstartxref\n%d\n%%%%EOF\n" % (
            size, identifier, identifier, odd.pick("gap", b"", b" /Root 50 0 R", b" /XRefStm 9",
                                                   b" /Prev 0"), start)))
    return out.getvalue()


def prepared(seed):
    """(what was hidden, bytes) of one document to be signed."""
    odd = Odd(seed, dict.fromkeys(("order", "gap", "draft"), 0.1))
    objects = contract_objects()
    secrets = [hide(objects, odd) for _ in range(odd.random.choice((1, 1, 1, 2)))]
    streams = odd.one("file", "table", "table", "table", "streams") == "streams"
    data = (write(objects, True) if streams
            else table_file(objects, [secret for secret in secrets if secret], odd))
    if odd.happens("draft"):
        try:
            data = drafted(data)
        except (pikepdf.PdfError, KeyError, ValueError, IndexError):
            # No reader that writes updates can read what was hidden.
            pass
    return odd.steps, data


def signed(kit, seed, count):
    """(name, bytes) of `count` prepared documents, signed by the program or else by hand."""
    found = []
    for index in range(count):
        steps, data = prepared(f"{seed}:{index}")
        name = f"shadow-{index} " + " ".join(steps)
        try:
            found.append((name, kit.sign(data)))
        except RuntimeError:
            try:
                found.append((name + " by-hand", forge.embed(
                    data, lambda digest: forge.simple(kit.pki.signer, digest))))
            except Exception:
                # Too broken for the reader that the signature by hand is built with.
                continue
    return found
