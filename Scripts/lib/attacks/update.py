"""Reading signed PDFs and appending revisions to them, correctly or not, as an attacker would."""

import io
import logging
import re
import zlib

import pikepdf

# It complains about every forgery.
logging.getLogger("pikepdf").setLevel(logging.CRITICAL + 1)


def objects_of(data):
    """The document opened by an independent reader."""
    return pikepdf.open(io.BytesIO(data), suppress_warnings=True)


def last_startxref(data):
    return int(re.findall(rb"startxref\s+(\d+)", data)[-1])


def uses_streams(data):
    """Whether the newest cross-reference section is a stream."""
    return not data.startswith(b"xref", last_startxref(data))


def definitions(data):
    """Where the last definition of each object stands that is no part of an object stream."""
    return {
        int(match.group(1)): match.start(1)
        for match in re.finditer(rb"(?:^|\n)(\d+) 0 obj\b", data)}


def byte_ranges(data):
    """(place of the entry, the four numbers) of each /ByteRange, in file order."""
    return [
        (match.start(), [int(number) for number in match.groups()])
        for match in re.finditer(
            rb"/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]", data)]


def gap(data):
    """Start and end of the newest signature's gap, `<` and `>` included."""
    _, (_, start, after, _) = max(byte_ranges(data), key=lambda found: sum(found[1][2:]))
    return start, after


def der_size(der):
    """Bytes of the DER element at the start."""
    size, count = 2 + der[1], der[1] & 0x7F
    if der[1] & 0x80:
        size = 2 + count + int.from_bytes(der[2 : 2 + count], "big")
    return size


def signature_value(data):
    """The newest signature's CMS without padding."""
    start, after = gap(data)
    contents = bytes.fromhex(data[start + 1 : after - 1].decode())
    return contents[: der_size(contents)]


def replace_contents(data, der):
    """The same file with another value in the newest signature's gap."""
    start, after = gap(data)
    room = after - start - 2
    digits = der.hex().encode()
    if len(digits) > room:
        raise ValueError(f"{len(der)} bytes do not fit into a gap of {room // 2}")
    return data[: start + 1] + digits.ljust(room, b"0") + data[after - 1 :]


def blank(data, pattern, replacement=b"", flags=re.DOTALL):
    """Overwrites the last match of `pattern` by `replacement` and spaces: no byte moves."""
    match = list(re.finditer(pattern, data, flags))[-1]
    size = match.end() - match.start()
    if len(replacement) > size:
        raise ValueError(f"{replacement!r} is longer than {match.group()!r}")
    return data[: match.start()] + replacement.ljust(size) + data[match.end() :]


def blank_range(data, text):
    """The newest signature's byte range, overwritten where it stands."""
    place, _ = max(byte_ranges(data), key=lambda found: found[0])
    end = data.index(b"]", place) + 1
    # The hole may be wider than the numbers, by spaces behind the bracket or before it.
    room = end - place + len(data[end : end + 40]) - len(data[end : end + 40].lstrip(b" "))
    return data[:place] + text.ljust(room) + data[place + room :]


def stream(data, entries=b""):
    """The body of a stream object."""
    return b"<< %s/Length %d >>\nstream\n" % (entries, len(data)) + data + b"\nendstream"


def object_stream(bodies):
    """The body of an object stream; bodies: text by number (ISO 32000-2 §7.5.7)."""
    header, joined = [], b""
    for number, body in bodies.items():
        header.append(b"%d %d" % (number, len(joined)))
        joined += body + b"\n"
    head = b" ".join(header) + b"\n"
    return stream(
        head + joined, b"/Type /ObjStm /N %d /First %d " % (len(bodies), len(head)))


def form(content, box, entries=b""):
    """The body of a form XObject."""
    return stream(
        content, b"/Type /XObject /Subtype /Form /BBox [%s] %s" % (box, entries))


class Update:
    """An incremental update in the making (ISO 32000-2 §7.5.6)."""

    def __init__(self, data, streams=None):
        """`streams` overrides the kind of cross-reference section, which else stays as it is."""
        self.base = data if data.endswith(b"\n") else data + b"\n"
        self.streams = uses_streams(data) if streams is None else streams
        self.previous = last_startxref(data)
        self.document = objects_of(data)
        trailer = self.document.trailer
        self.size = int(trailer["/Size"])
        self.entries = {
            key: trailer[key].unparse() for key in ("/Root", "/Info", "/ID", "/Encrypt")
            if key in trailer}
        self.root = trailer["/Root"].objgen[0]
        self.bodies = {}
        self.generations = {}
        self.freed = {}
        self.packed = {}

    def old(self, number):
        """An object as the document has it, as text; a dictionary's text for a stream."""
        found = self.document.get_object((number, 0))
        if isinstance(found, pikepdf.Stream):
            found = pikepdf.Dictionary(found.stream_dict)
        return found.unparse(resolved=True)

    def page(self, index=0):
        return self.document.pages[index].obj.objgen[0]

    def field(self, name):
        """The object number of a top-level form field."""
        for field in self.document.Root["/AcroForm"]["/Fields"]:
            if str(field.get("/T", "")) == name:
                return field.objgen[0]
        raise KeyError(name)

    def put(self, number, body, generation=0):
        self.bodies[number] = body
        self.generations[number] = generation
        self.size = max(self.size, number + 1)
        return number

    def new(self, body):
        return self.put(self.size, body)

    def edit(self, number, pattern, replacement):
        """Puts an existing dictionary again with one text replaced, which must occur."""
        body = self.bodies.get(number) or self.old(number)
        changed = re.sub(pattern, lambda _: replacement, body, count=1, flags=re.DOTALL)
        if changed == body:
            raise ValueError(f"object {number} does not match {pattern!r}: {body!r}")
        return self.put(number, changed)

    def add_entry(self, number, entry):
        """Adds text in front of the closing brackets of a dictionary."""
        body = self.bodies.get(number) or self.old(number)
        return self.put(number, body[: body.rindex(b">>")] + b" " + entry + b" >>")

    def append_to(self, number, key, element):
        """Adds an element to an array held directly in a dictionary, making it if need be."""
        body = self.bodies.get(number) or self.old(number)
        pattern = re.escape(key) + rb"\s*\[([^\]]*)\]"
        if re.search(pattern, body):
            return self.put(number, re.sub(
                pattern, lambda match: key + b" [" + match.group(1) + b" " + element + b"]",
                body, count=1))
        return self.add_entry(number, key + b" [" + element + b"]")

    def append_field(self, element):
        """Adds a field to the form, wherever its array is held."""
        form_ = self.document.Root["/AcroForm"]
        self.append_to(
            form_.objgen[0] if form_.is_indirect else self.root, b"/Fields", element)

    def free(self, number, generation=1):
        self.freed[number] = generation

    def pack(self, bodies):
        """Puts objects into one object stream; only with cross-reference streams."""
        self.size = max(self.size, max(bodies) + 1)
        for index, number in enumerate(bodies):
            self.packed[number] = (self.size, index)
        return self.new(object_stream(bodies))

    def body_bytes(self, start, offsets):
        out = b""
        for number, body in self.bodies.items():
            offsets[number] = start + len(out)
            out += b"%d %d obj\n" % (number, self.generations[number]) + body + b"\nendobj\n"
        return out

    def finish(self, *, previous="last", lies=None, size=None, extra=b"", width=0, **trailer):
        """The document with the update.

        previous: /Prev, else the last section; None leaves it out; it fills `width` characters.
        lies: offsets that the section claims instead of the true ones. trailer: entries to replace,
        by name without the slash.
        """
        out = self.base
        offsets = {}
        out += self.body_bytes(len(out), offsets)
        start = len(out)
        if self.streams:
            number = self.size
            self.size += 1
            offsets[number] = start
        offsets.update(lies or {})
        entries = {b"/Size": b"%d" % (size or self.size)}
        if previous is not None:
            entries[b"/Prev"] = b"%-*d" % (
                width, self.previous if previous == "last" else previous)
        entries.update({key.encode(): value for key, value in self.entries.items()})
        entries.update({b"/" + key.encode(): value for key, value in trailer.items()})
        text = b" ".join(key + b" " + value for key, value in entries.items()) + extra
        out += self.stream_section(number, offsets, text) if self.streams else (
            self.table(offsets) + b"trailer\n<< " + text + b" >>\n")
        return out + b"startxref\n%d\n%%%%EOF\n" % start

    def runs(self, numbers):
        run = []
        for number in sorted(numbers):
            if run and number != run[-1] + 1:
                yield run
                run = []
            run.append(number)
        if run:
            yield run

    def table(self, offsets):
        rows = {0: b"0000000000 65535 f \n"}
        for number, offset in offsets.items():
            rows[number] = b"%010d %05d n \n" % (offset, self.generations.get(number, 0))
        for number, generation in self.freed.items():
            rows[number] = b"0000000000 %05d f \n" % generation
        return b"xref\n" + b"".join(
            b"%d %d\n" % (run[0], len(run)) + b"".join(rows[number] for number in run)
            for run in self.runs(rows))

    def stream_section(self, own, offsets, text):
        rows = {
            number: (1, offset, self.generations.get(number, 0))
            for number, offset in offsets.items()}
        rows.update({number: (2, *place) for number, place in self.packed.items()})
        rows.update({number: (0, 0, generation) for number, generation in self.freed.items()})
        index = b" ".join(b"%d %d" % (run[0], len(run)) for run in self.runs(rows))
        data = b"".join(
            kind.to_bytes(1, "big") + place.to_bytes(4, "big") + extra.to_bytes(2, "big")
            for _, (kind, place, extra) in sorted(rows.items()))
        packed = zlib.compress(data)
        return b"%d 0 obj\n" % own + stream(
            packed, b"/Type /XRef /W [1 4 2] /Index [%s] /Filter /FlateDecode %s " % (
                index, text)) + b"\nendobj\n"
