"""Signature wrapping: the signed bytes stay in the file and keep their digest, but move, and what
a viewer reads takes their place."""

from attacks import forge, update
from attacks.bases import TEXT, contract_objects, write
from attacks.case import ERROR, FF, Case
from attacks.incremental import FORGED, SHOWS

# Far enough for the signed section's old place to lie in the enlarged gap.
SPARE = 6000


def wrapped(data, filler, range_entry):
    """Moves the second signed part down and forges content in the enlarged gap.

    The signed startxref keeps naming the place where the signed section used to be: there the
    forged section goes. `filler` comes right behind the value's digits; `range_entry` makes, from
    the new numbers, text that is put into the gap. Returns the file and the new byte range.
    """
    _, (_, start, after, length) = update.byte_ranges(data)[-1]
    der = update.signature_value(data)
    section = update.last_startxref(data)
    # The forged section starts exactly where the signed one did, forged objects follow it.
    change = update.Update(data, streams=False)
    change.generations = {}
    moved = section + SPARE
    numbers = (0, start, moved, length)
    front = data[:start] + b"<" + der.hex().encode() + filler + range_entry(numbers) + b" >>\nendobj\n"
    if len(front) > section:
        raise ValueError("the forged keys do not fit in front of the signed section")
    entries = b" ".join(key.encode() + b" " + value for key, value in change.entries.items())
    end = b"trailer\n<< /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        change.size, entries, section)
    # The signed section is gone from its place, so the forged one lists all objects.
    rows = {
        number: place + (moved - after if place > after else 0)
        for number, place in update.definitions(data).items()}
    rows[TEXT] = section + len(change.table(rows)) + len(end)
    front = front.ljust(section) + change.table(rows) + end
    front += b"%d 0 obj\n" % TEXT + update.stream(FORGED) + b"\nendobj\n"
    if len(front) > moved:
        raise ValueError("the forged section does not fit into the gap")
    return front.ljust(moved) + data[after:], numbers


def cases(kit):
    signer = kit.pki.signer
    plain = write(contract_objects())

    def build(digest):
        return forge.simple(signer, digest)

    honest = {
        "signet": kit.base(),
        "range-first": forge.embed(plain, build),
        "contents-first": forge.embed(plain, build, contents_first=True),
    }
    for name, data in honest.items():
        der = update.signature_value(data)
        # The signed entry cannot be changed; a second one in the gap may win.
        for variant, key in (
                ("range", b"/ByteRange"), ("escaped-range", b"/#42yteRange"),
                ("escaped-all", b"/#42#79#74#65#52#61#6e#67#65")):
            forged, numbers = wrapped(
                data, b">", lambda numbers, key=key: key + b" [%d %d %d %d]" % numbers)
            if not forge.is_consistent(forged, numbers, der):
                raise ValueError(f"{name}: the wrapped bytes do not have the signed digest")
            yield Case(
                "SWA-3", f"{variant}-{name}",
                "a second byte range in the enlarged gap, its digest right; a forged section"
                " stands where the signed one was", forged, FF, SHOWS)
    for name, data in honest.items():
        forged, numbers = wrapped(data, b">", lambda numbers: b"")
        for variant, text in (
                ("moved", b"/ByteRange [%d %d %d %d]" % numbers),):
            yield Case(
                "SWA-1", f"{variant}-{name}",
                "the second part is moved down, the byte range names its new place",
                update.blank_range(forged, text), FF, SHOWS)
        forged, numbers = wrapped(
            data, b"0" * 40, lambda numbers: b"/Contents <30> /ByteRange [0 0 0 0]")
        yield Case(
            "SWA-2", f"keys-{name}", "the gap's string is not closed before forged keys",
            update.blank_range(forged, b"/ByteRange [%d %d %d %d]" % numbers), FF | ERROR)
        forged, numbers = wrapped(data, b"\n" * 20 + b">", lambda numbers: b"")
        yield Case(
            "SWA-2", f"white-space-{name}", "white space pads the enlarged gap's string",
            update.blank_range(forged, b"/ByteRange [%d %d %d %d]" % numbers), FF, SHOWS)
        for variant, key in (("contents", b"/Contents"), ("escaped-contents", b"/#43ontents")):
            forged, numbers = wrapped(
                data, b">",
                lambda numbers, key=key: key + b" <%s> /ByteRange [%d %d %d %d]" % (
                    der.hex().encode()[:40], *numbers))
            yield Case(
                "SWA-3", f"{variant}-{name}", "a second /Contents hidden in the enlarged gap",
                forged, FF, SHOWS)
        forged, numbers = wrapped(data, b"deadbeef" * 4 + b">", lambda numbers: b"")
        yield Case(
            "SWA-2", f"long-{name}", "digits that are not zero pad the enlarged gap's string",
            update.blank_range(forged, b"/ByteRange [%d %d %d %d]" % numbers), FF, SHOWS)
