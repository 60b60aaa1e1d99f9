"""Byte ranges that leave out what they should cover. The signatures are real: whoever prepares the
document chooses the numbers, and the digest is right for them."""

from attacks import forge
from attacks.bases import contract_objects, write
from attacks.case import ERROR, FF, PASSED, Case, Expect


def signed(kit, plain, numbers, text=None):
    """A document signed over other numbers than those of its gap."""
    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    return forge.embed(plain, build, numbers=numbers, range_text=text)


def cases(kit):
    for streams, name in ((False, "table"), (True, "streams")):
        plain = write(contract_objects(), streams)
        text = plain.index(b"We owe you")

        def case(identifier, variant, about, numbers, expect=FF, written=None):
            return Case(identifier, f"{variant}-{name}", about,
                        signed(kit, plain, numbers, written), expect)

        yield case("BR-1", "six", "six numbers leave out the amount too",
                   lambda a, b, c, d: (a, text, text + 20, b - text - 20, c, d))
        yield case("BR-1", "six-text-first", "six numbers, the amount left out at the end",
                   lambda a, b, c, d: (a, b, c, d - 20, c + d - 10, 10))
        yield case("BR-1", "two", "two numbers, only what precedes the gap",
                   lambda a, b, c, d: (a, b))
        yield case("BR-2", "overlap", "the second part begins inside the first",
                   lambda a, b, c, d: (a, b, b - 10, d))
        yield case("BR-2", "zero-length", "the second part is empty",
                   lambda a, b, c, d: (a, b, c, 0))
        yield case("BR-2", "first-empty", "the first part is empty",
                   lambda a, b, c, d: (a, 0, c, d))
        yield case("BR-2", "swapped", "the parts change places",
                   lambda a, b, c, d: (c, d, a, b))
        for variant, written in (
                ("huge", b"0 %d %d 9223372036854775807"),
                ("overflow", b"0 %d %d 18446744073709551617"),
                ("past-end", b"0 %d %d 99999999"), ("sum", b"0 %d 9223372036854775807 1")):
            yield case("BR-2", variant, "a length beyond the file and beyond 64 bits",
                       lambda a, b, c, d: (a, b, c, d), FF | ERROR,
                       lambda a, b, c, d, t=written: t % ((b, c)[: t.count(b"%d")]))
        yield case("BR-2", "reals", "reals instead of integers",
                   lambda a, b, c, d: (a, b, c, d),
                   written=lambda a, b, c, d: b"0 %d.0 %d.0 %d.0" % (b, c, d))
        yield case("BR-2", "reference", "the last number is a reference",
                   lambda a, b, c, d: (a, b, c, d),
                   written=lambda a, b, c, d: b"0 %d %d 7 0 R" % (b, c))
        yield case("BR-2", "strings", "the numbers are a string",
                   lambda a, b, c, d: (a, b, c, d),
                   written=lambda a, b, c, d: b"(0) %d %d %d" % (b, c, d))
        yield case("BR-2", "plus", "numbers with a sign, which is allowed",
                   lambda a, b, c, d: (a, b, c, d), Expect({PASSED: []}) | FF,
                   lambda a, b, c, d: b"0 +%d +%d +%d" % (b, c, d))
        for skipped in (1, 9, 300):
            yield case("BR-3", f"start-{skipped}", "the signed bytes do not begin with the file",
                       lambda a, b, c, d: (skipped, b - skipped, c, d))
        yield case("BR-4", "before-section", "the signed bytes end before the cross-references",
                   lambda a, b, c, d: (a, b, c, 30))
        yield case("BR-4", "before-end", "the signed bytes end before startxref",
                   lambda a, b, c, d: (a, b, c, d - 25))
        yield case("BR-4", "before-eof", "the signed bytes end before %%EOF",
                   lambda a, b, c, d: (a, b, c, d - 6))
        yield case("BR-4", "gap-wider", "the gap begins one byte before the value",
                   lambda a, b, c, d: (a, b - 1, c, d))
        yield case("BR-4", "gap-later", "the gap ends one byte behind the value",
                   lambda a, b, c, d: (a, b, c + 1, d - 1))
        yield case("BR-4", "gap-narrow", "the gap ends in the value's padding",
                   lambda a, b, c, d: (a, b, c - 9, d + 9))
        yield case("BR-4", "gap-key", "the gap holds the key as well",
                   lambda a, b, c, d: (a, b - len(b"/Contents "), c, d))
        yield case("BR-4", "gap-dictionary", "the gap holds the rest of the dictionary as well",
                   lambda a, b, c, d: (a, b, c + 30, d - 30))
        data = signed(kit, plain, None)
        yield Case("BR-3", f"prefix-{name}", "bytes are put in front of the header",
                   b"%!PS-Adobe-3.0\n" + data, FF | ERROR)
        yield Case("BR-3", f"prefix-header-{name}", "another header is put in front of the file",
                   b"%PDF-1.4\n" + data, FF | ERROR)
    yield from shared_gap(kit)


def shared_gap(kit):
    """Two fields lead to one signature dictionary."""
    def build(digest):
        return forge.simple(kit.pki.signer, digest)

    data = forge.embed(write(contract_objects()), build, twin=b"Twin")
    yield Case("BR-1", "one-value-two-fields", "two fields have the same signature dictionary",
               data, FF | Expect({PASSED: []}))
