#!/usr/bin/env python3
"""usage: pdf_fixtures.py letter OUT.pdf
       pdf_fixtures.py field OUT.pdf [BYTES]              with an empty signature field, object 8
       pdf_fixtures.py large OUT.pdf BYTES                one big uncompressed stream
       pdf_fixtures.py objects OUT.pdf COUNT [--streams]  many small objects, and the same field

Writes valid PDFs for the demo, the tests and the measurements. The same arguments give the same
bytes.
"""

import argparse
import hashlib
import zlib

A4 = b"[0 0 595 842]"
BIG_CHUNK = 1 << 20


class Writer:
    """Writes numbered objects one after the other and the cross-reference at the end."""

    def __init__(self, file, version=b"1.7"):
        self.file = file
        self.offsets = {}
        self.position = 0
        self.digest = hashlib.md5()
        self.put(b"%PDF-" + version + b"\n%\xe2\xe3\xcf\xd3\n")

    def put(self, data):
        self.file.write(data)
        self.digest.update(data[:4096])
        self.position += len(data)

    def object(self, number, body):
        self.offsets[number] = self.position
        self.put(b"%d 0 obj\n" % number + body + b"\nendobj\n")

    def stream(self, number, data, entries=b""):
        self.object(
            number,
            b"<< %s/Length %d >>\nstream\n" % (entries, len(data)) + data + b"\nendstream")

    def finish(self, root, info=None):
        """A classic table and trailer."""
        start = self.position
        size = max(self.offsets) + 1
        rows = [b"xref\n0 %d\n0000000000 65535 f \n" % size]
        for number in range(1, size):
            rows.append(b"%010d 00000 n \n" % self.offsets[number])
        self.put(b"".join(rows))
        identifier = self.digest.hexdigest().encode()
        self.put(
            b"trailer\n<< /Size %d /Root %d 0 R %s/ID [<%s> <%s>] >>\nstartxref\n%d\n%%%%EOF\n"
            % (size, root, b"/Info %d 0 R " % info if info else b"", identifier, identifier, start))


def text(string):
    """A literal string in WinAnsi encoding."""
    data = string.encode("cp1252")
    for special in (b"\\", b"(", b")"):
        data = data.replace(special, b"\\" + special)
    return b"(" + data + b")"


LETTER = [
    ("F2", 20, 70, "Example Ltd."),
    ("F1", 10, 88, "Wide Street 12 · 110 00 Prague · Czech Republic"),
    ("F1", 11, 150, "Ms Anna Brown"),
    ("F1", 11, 165, "7 Harbour Lane"),
    ("F1", 11, 180, "Bristol BS1 5TR"),
    ("F1", 11, 225, "Prague, 3 March 2025"),
    ("F2", 13, 265, "Order 2025/118: our confirmation"),
    ("F1", 11, 295, "Dear Ms Brown,"),
    ("F1", 11, 322, "thank you for your order of 24 February. We confirm it as follows:"),
    ("F1", 11, 350, "1.   40 reams of archival paper, A4, 120 g/m²"),
    ("F1", 11, 367, "2.   12 bottles of iron gall ink, 50 ml"),
    ("F1", 11, 384, "3.   delivery to your door in Bristol, insured"),
    ("F2", 11, 412, "Total: € 1,184.00, due within thirty days of delivery."),
    ("F1", 11, 440, "The goods leave our house on 17 March and should reach you within a week."),
    ("F1", 11, 457, "Should anything arrive damaged, tell us within eight days and we replace it."),
    ("F1", 11, 485, "This confirmation is signed electronically. Your PDF viewer shows who signed it"),
    ("F1", 11, 502, "and whether the text was changed afterwards."),
    ("F1", 11, 545, "Yours sincerely,"),
    ("F1", 11, 595, "Jan Novák"),
    ("F1", 9, 609, "managing director"),
]


def letter_content():
    lines = [b"0.13 0.29 0.53 rg 70 742 455 1.5 re f 0 g"]
    for font, size, top, line in LETTER:
        lines.append(b"BT /%s %d Tf 70 %d Td %s Tj ET" % (font.encode(), size, 842 - top, text(line)))
    return b"\n".join(lines)


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox " + A4 + b" /Contents 4 0 R"
    b" /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >>%s >>")

FIELD = (
    b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (Signature1) /F 132"
    b" /Rect [0 0 0 0] /P 3 0 R >>")


def letter(path, field=False, size=0):
    """One page of text; with `field`, an empty signature field (object 8); filled up to `size`."""
    with open(path, "wb") as file:
        out = Writer(file)
        form = b" /AcroForm << /Fields [8 0 R] /SigFlags 1 >>" if field else b""
        out.object(1, b"<< /Type /Catalog /Pages 2 0 R /Lang (en)%s >>" % form)
        out.object(2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
        out.object(3, PAGE % (b" /Annots [8 0 R]" if field else b""))
        out.stream(4, letter_content())
        out.object(5, FONT % b"Times-Roman")
        out.object(6, FONT % b"Times-Bold")
        out.object(7, b"<< /Title (Order 2025/118: our confirmation) /Producer (pdf_fixtures.py)"
                   b" /CreationDate (D:20250303090000Z) >>")
        if field:
            out.object(8, FIELD)
        if size:
            out.stream(max(out.offsets) + 1, b"0" * max(0, size - out.position - 600))
        out.finish(1, 7)


def large(path, size):
    """A page and a stream of about `size` bytes that no page uses, as an attached scan would be."""
    with open(path, "wb") as file:
        out = Writer(file)
        out.object(1, b"<< /Type /Catalog /Pages 2 0 R >>")
        out.object(2, b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
        out.object(3, PAGE % b"")
        out.stream(4, letter_content())
        out.object(5, FONT % b"Times-Roman")
        out.object(6, FONT % b"Times-Bold")
        length = max(0, size - out.position - 700)
        out.offsets[7] = out.position
        out.put(b"7 0 obj\n<< /Length %d >>\nstream\n" % length)
        seed = hashlib.shake_128(b"signet").digest(BIG_CHUNK)
        for start in range(0, length, BIG_CHUNK):
            out.put(seed[: min(BIG_CHUNK, length - start)])
        out.put(b"\nendstream\nendobj\n")
        out.finish(1)


def objects(path, count, streams):
    """`count` small objects besides the page; in object streams of 100 or behind a table."""
    body = b"<< /Type /Example /Number %d /Next %d 0 R /Text (object number %d) >>"
    with open(path, "wb") as file:
        out = Writer(file)
        first = 9
        last = first + count - 1
        fixed = {
            1: b"<< /Type /Catalog /Pages 2 0 R /Examples 9 0 R"
               b" /AcroForm << /Fields [8 0 R] /SigFlags 1 >> >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: PAGE % b" /Annots [8 0 R]",
            5: FONT % b"Times-Roman",
            6: FONT % b"Times-Bold",
            7: b"<< /Type /Example >>",
            8: FIELD,
        }
        out.stream(4, letter_content())

        def example(number):
            return body % (number, min(number + 1, last), number)

        if not streams:
            for number, data in fixed.items():
                out.object(number, data)
            for number in range(first, last + 1):
                out.object(number, example(number))
            out.finish(1)
            return
        packed = {**fixed, **{number: example(number) for number in range(first, last + 1)}}
        numbers = sorted(packed)
        rows = {0: (0, 0, 65535), 4: (1, out.offsets[4], 0)}
        container = last + 1
        for start in range(0, len(numbers), 100):
            group = numbers[start : start + 100]
            header, bodies = [], b""
            for index, number in enumerate(group):
                header.append(b"%d %d" % (number, len(bodies)))
                bodies += packed[number] + b"\n"
                rows[number] = (2, container, index)
            head = b" ".join(header) + b"\n"
            out.stream(
                container, zlib.compress(head + bodies),
                b"/Type /ObjStm /N %d /First %d /Filter /FlateDecode " % (len(group), len(head)))
            rows[container] = (1, out.offsets[container], 0)
            container += 1
        start = out.position
        rows[container] = (1, start, 0)
        table = b"".join(
            kind.to_bytes(1, "big") + place.to_bytes(5, "big") + extra.to_bytes(2, "big")
            for _, (kind, place, extra) in sorted(rows.items()))
        out.stream(
            container, zlib.compress(table),
            b"/Type /XRef /Size %d /W [1 5 2] /Root 1 0 R /Filter /FlateDecode " % (container + 1))
        out.put(b"startxref\n%d\n%%%%EOF\n" % start)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[0].removeprefix("usage: "))
    parser.add_argument("kind", choices=["letter", "field", "large", "objects"])
    parser.add_argument("output")
    parser.add_argument("number", type=int, nargs="?", default=0)
    parser.add_argument("--streams", action="store_true")
    arguments = parser.parse_args()
    if arguments.kind == "letter":
        letter(arguments.output)
    elif arguments.kind == "field":
        letter(arguments.output, field=True, size=arguments.number)
    elif arguments.kind == "large":
        large(arguments.output, arguments.number)
    else:
        objects(arguments.output, arguments.number, arguments.streams)


if __name__ == "__main__":
    main()
