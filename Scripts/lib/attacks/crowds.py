"""What counts, behind a crowd of what does not; and crowds that cost more than they are worth."""

from attacks import update
from attacks.bases import (
    AMOUNT, PAGE, PAGES, SANS, TEXT_TWO, contract_objects, field_look, write)
from attacks.case import FAILED, FF, INDETERMINATE, Case, Expect

COUNT = 1001
FIRST = max(contract_objects()) + 1
ANSWERED = Expect({FAILED: [], INDETERMINATE: []})


def cases(kit):
    for level in (None, "form-filling"):
        yield from pages(kit, level)
    yield from fields(kit)
    yield from costs(kit)


def pages(kit, level):
    """Each of many pages gets its resources anew, and a field is filled."""
    objects = contract_objects()
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources %s >>"
    resources = b"<< /Font << /F2 %d 0 R >> >>" % SANS
    numbers = range(FIRST, FIRST + COUNT)
    for number in numbers:
        objects[number] = page % (TEXT_TWO, resources)
    objects[PAGES] = b"<< /Type /Pages /Kids [3 0 R 10 0 R %s] /Count %d >>" % (
        b" ".join(b"%d 0 R" % number for number in numbers), COUNT + 2)
    change = update.Update(kit.sign(write(objects), *(["--certify", level] if level else [])))
    anew = change.new(resources)
    for number in numbers:
        change.put(number, page % (TEXT_TWO, b"%d 0 R" % anew))
    change = update.Update(change.finish())
    look = change.new(field_look(b"900"))
    change.edit(AMOUNT, rb"/N 11 0 R", b"/N %d 0 R" % look)
    change.edit(AMOUNT, rb"/V \([^)]*\)", b"/V (900) ")
    yield Case("CROWD-1", level or "uncertified", "a filled field behind 1001 other changes",
               change.finish(), Expect({INDETERMINATE: []}, remark="changed from '100' to '900'"),
               options=("--require-unchanged",))


def fields(kit):
    """Fields that say that they are timestamps, before a stamp that covers the page."""
    for level in (0, 3):
        for name, data in kit.kinds(level):
            change = update.Update(data)
            none = change.new(b"<< /Type /DocTimeStamp >>")
            for index in range(COUNT):
                change.append_field(b"%d 0 R" % change.new(
                    b"<< /FT /Sig /T (t%d) /V %d 0 R >>" % (index, none)))
            stamp = change.new(
                b"<< /Type /Annot /Subtype /Stamp /F 4 /Rect [0 0 595 842] /P 3 0 R /AP << /N 11 0 R"
                b" >> >>")
            change.edit(PAGE, rb"/Annots \[", b"/Annots [ %d 0 R " % stamp)
            yield Case("CROWD-2", f"p{level}-{name}", "a stamp behind 1001 fields that say that they"
                       " are timestamps", change.finish(), FF,
                       options=("--require-unchanged", "--field", "Author"))


def costs(kit):
    objects = contract_objects()
    pages_ = range(FIRST, FIRST + 12)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] %s >>"
    for number in pages_:
        objects[number] = page % b""
    objects[PAGES] = b"<< /Type /Pages /Kids [3 0 R 10 0 R %s] /Count 14 >>" % (
        b" ".join(b"%d 0 R" % number for number in pages_))
    change = update.Update(kit.sign(write(objects)))
    for index in range(990):
        change.append_field(b"%d 0 R" % change.new(b"<< /FT /Tx /T (t%d) >>" % index))
    nothing = change.new(b"[%s]" % b" ".join(b"%d 0 R" % n for n in range(5000, 255_000)))
    for number in pages_:
        change.put(number, page % (b"/Annots %d 0 R" % nothing))
    yield Case("CROWD-3", "annotations", "250,000 annotations that lead nowhere, on 12 pages",
               change.finish(), ANSWERED)
    change = update.Update(kit.base(lock="only:amount"))
    change.append_field(b"%d 0 R" % change.new(b"<< /FT /Tx /T (%s) >>" % (b"." * 400_000)))
    yield Case("CROWD-3", "dots", "a field with a name of 400,000 dots, and a lock",
               change.finish(), ANSWERED)
