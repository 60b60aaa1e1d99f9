"""Signed PDFs of which one thing grows: revisions of a form, fields with one signature, signatures,
sections."""

import re


def form(path, count):
    """One page with `count` text fields: the first at object 10."""
    kids = b" ".join(b"%d 0 R" % (10 + n) for n in range(count))
    objects = {
        1: b"<</Type/Catalog/Pages 2 0 R/AcroForm 4 0 R>>",
        2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[%s]>>" % kids,
        4: b"<</Fields 5 0 R>>",
        5: b"[%s]" % kids,
    }
    for n in range(count):
        objects[10 + n] = field(n, b"")
    data, places = bytearray(b"%PDF-1.7\n"), {}
    for number, body in objects.items():
        places[number] = len(data)
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, size = len(data), max(objects) + 1
    data += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        place = places.get(number)
        data += b"%010d 00000 n \n" % place if place else b"0000000000 00001 f \n"
    data += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, start)
    path.write_bytes(data)


def field(number, value):
    return (b"<</Type/Annot/Subtype/Widget/FT/Tx/T(f%d)/V(%s)/P 3 0 R/Rect[0 0 0 0]>>"
            % (number, value))


def append(data, objects):
    """One more revision by a table; none of `objects` makes an empty section."""
    size = max([int(n) for n in re.findall(rb"/Size (\d+)", data[-4096:])][-1:] or [1])
    root = re.findall(rb"/Root (\d+) 0 R", data[-4096:])[-1]
    previous = re.findall(rb"startxref\s+(\d+)", data[-4096:])[-1]
    table = b"" if objects else b"0 1\n0000000000 65535 f \n"
    for number, body in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(data)
    size = max([size] + [number + 1 for number in objects])
    data += (b"xref\n%strailer\n<</Size %d/Root %s 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF\n"
             % (table, size, root, previous, start))


def revisions(signed, path, count, fields):
    """Each revision fills another field in."""
    data = bytearray(signed.read_bytes())
    for n in range(count):
        append(data, {10 + n % fields: field(n % fields, b"%d" % n)})
    path.write_bytes(data)


def sections(signed, path, count):
    data = bytearray(signed.read_bytes())
    for _ in range(count):
        append(data, {})
    path.write_bytes(data)


def same_signature(signed, path, count):
    """One more revision, in which `count` new fields have the first one's signature."""
    data = bytearray(signed.read_bytes())
    text = bytes(data)
    value = re.findall(rb"/V (\d+) 0 R", text)[-1]
    size = int(re.findall(rb"/Size (\d+)", text)[-1])
    catalog = int(re.findall(rb"/Root (\d+) 0 R", text)[-1])
    numbers = range(size, size + count)
    objects = {
        number: b"<</Type/Annot/Subtype/Widget/FT/Sig/T(s%d)/V %s 0 R/P 3 0 R/Rect[0 0 0 0]>>"
        % (number, value) for number in numbers}
    kids = b" ".join(b"%d 0 R" % number for number in numbers)
    objects[catalog] = (b"<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[%s]>>>>" % kids)
    append(data, objects)
    path.write_bytes(data)
