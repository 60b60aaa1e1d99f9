"""Places that /Prev, /XRefStm and startxref lead to without any section there: some readers pass over
that, others rebuild the file, and find what the attacker kept for them in what was signed."""

import io

import pdf_fixtures
from attacks import forge, update
from attacks.bases import CATALOG, INFO, PAGE, TEXT, contract_objects
from attacks.case import ERROR, FF, PASS, Case, indeterminate
from attacks.incremental import FORGED

DOUBTFUL = indeterminate() | FF | ERROR
SECRET = max(contract_objects()) + 1

# What the first trailer says, and whether an honest document may say it.
LEADS = {
    "none": (b"", True), "zero": (b"/Prev 0", True), "minus-zero": (b"/Prev -0", True),
    "escaped": (b"/Pr#65v 0", True), "null": (b"/Prev null", True),
    "real": (b"/Prev 0.0", False), "negative": (b"/Prev -5", False), "one": (b"/Prev 1", False),
    "header": (b"/Prev 9", False), "object": (b"/Prev 15", False), "stream": (b"/Prev 500", False),
    "beyond": (b"/Prev 99999999", False), "large": (b"/Prev 4294967296", False),
    "huge": (b"/Prev 99999999999999999999", False), "reference": (b"/Prev 5 0 R", False),
    "string": (b"/Prev (0)", False), "name": (b"/Prev /0", False), "array": (b"/Prev [0]", False),
    "itself": (b"/Prev %(table)d", False), "inside": (b"/Prev %(table)d5", False),
    "shortly-before": (b"/Prev %(before)d", True), "shortly-behind": (b"/Prev %(behind)d", False),
    "twice": (b"/Prev 0 /Prev 9", False), "hybrid-zero": (b"/XRefStm 0", False),
    "hybrid-object": (b"/XRefStm 15", False), "hybrid-negative": (b"/XRefStm -1", False),
    "hybrid-beyond": (b"/XRefStm 99999999", False), "hybrid-table": (b"/XRefStm %(table)d", False),
    "hybrid-reference": (b"/XRefStm 5 0 R", False),
}
# Those for which readers rebuild the file, or read another chain.
PASSED_OVER = {"none", "null"}


def cases(kit):
    for secret in ("honest", "between", "inside", "packed", "section", "trailer", "order"):
        for name, (lead, is_harmless) in LEADS.items():
            if name == "shortly-before" and secret == "honest":
                continue
            data = draft(secret, lead)
            try:
                signed = forge.embed(data, lambda digest: forge.simple(kit.pki.signer, digest))
            except Exception:
                # Too broken for the reader that the signature by hand is built with.
                continue
            passes = is_harmless and (secret == "honest" or name in PASSED_OVER)
            loose = name == "shortly-before"
            yield Case("LEAD-1", f"{secret}-{name}",
                       f"the signed document's first trailer says {lead.decode()}, and something for"
                       f" readers that rebuild it: {secret}", signed,
                       PASS | DOUBTFUL if loose else PASS if passes else DOUBTFUL)


def draft(secret, lead):
    """A document whose first trailer has `lead`, with something hidden for those who rebuild it."""
    objects = contract_objects()
    forged = b"%d 0 obj\n" % TEXT + update.stream(FORGED) + b"\nendobj\n"
    page = objects[PAGE].replace(b"4 0 R", b"%d 0 R" % SECRET)
    if secret == "inside":
        objects[SECRET] = update.stream(b"x\n" + forged)
    elif secret == "packed":
        objects[SECRET] = update.stream(FORGED)
        head = b"%d 0 " % PAGE
        objects[SECRET + 1] = update.stream(
            head + page, b"/Type /Obj#53tm /N 1 /First %d " % len(head))
    elif secret == "section":
        objects[SECRET] = update.stream(FORGED)
        objects[SECRET + 1] = update.stream(
            b"\1\0\0\0\x0f\0\0", b"/Type /XRef /W [1 4 2] /Index [%d 1] /Size %d /Root 1 0 R " % (
                SECRET, SECRET + 1))
    out = io.BytesIO()
    writer = pdf_fixtures.Writer(out)
    for number in range(1, max(objects) + 1):
        writer.object(number, objects.get(number, b"null"))
    if secret == "between":
        writer.put(forged)
    elif secret == "trailer":
        writer.put(b"trailer\n<< /Size 60 /Root 50 0 R >>\n")
    first = writer.offsets[TEXT]
    table = section(writer, sorted(writer.offsets), lead)
    if secret == "order":
        writer.object(TEXT, update.stream(FORGED))
        table = section(writer, [TEXT], b"/Prev %d" % table)
        writer.offsets[TEXT] = first
        section(writer, [TEXT], b"/Prev %d" % table)
    return out.getvalue()


def section(writer, numbers, lead):
    """Writes a table with these objects; returns where."""
    table = writer.position
    rows = [b"xref\n0 1\n0000000000 65535 f \n"]
    rows += [b"%d 1\n%010d 00000 n \n" % (number, writer.offsets[number]) for number in numbers]
    for name, place in ((b"table", table), (b"before", table - 1), (b"behind", table + 2)):
        lead = lead.replace(b"%%(%s)d" % name, b"%d" % place)
    identifier = writer.digest.hexdigest().encode()
    writer.put(b"".join(rows) + b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R /ID [<%s> <%s>] %s >>"
               b"\nstartxref\n%d\n%%%%EOF\n" % (
                   max(writer.offsets) + 1, CATALOG, INFO, identifier, identifier, lead, table))
    return table
