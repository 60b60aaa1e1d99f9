"""Small files whose parts are shared in such a way that a reader that does not remember where it was
goes the same ways again and again: products, powers and circles."""

from attacks import update
from attacks.bases import AMOUNT, FORM, PAGE, PAGES, PAGE_TWO, contract_objects
from attacks.case import PASSED, Case, Expect
from attacks.limits import ANSWERED, signed

# Where what is changed is permitted: what counts is that there is an answer.
ANY = ANSWERED | Expect({PASSED: []})
NEW = 100


def dictionary(count, value):
    return b"<< " + b" ".join(b"/K%d %s" % (key, value) for key in range(count)) + b" >>"


def references(numbers):
    return b"[" + b" ".join(b"%d 0 R" % number for number in numbers) + b"]"


def changed(body, **entries):
    """A dictionary with further entries in front, which count where keys stand once."""
    added = b" ".join(b"/%s %s" % (key.encode(), value) for key, value in entries.items())
    return body.replace(b"<<", b"<< " + added, 1)


def cases(kit):
    for variant, objects, changes in [
            *values(), *looks(), *pages(), *names(), *keys(), *elements()]:
        document = contract_objects() | {NEW - 1: b"<< /A 1 >>"} | objects
        for number in range(1, max(document)):
            document.setdefault(number, b"null")
        change = update.Update(signed(kit, document))
        for number, body in changes.items():
            change.put(number, body)
        yield Case("DOS-7", variant, "what is shared costs a reader again and again",
                   change.finish(), ANY)


def values():
    """Values that are lists of themselves, or of lists of lists."""
    amount = contract_objects()[AMOUNT].replace(b"/V (100)", b"/V %d 0 R" % NEW)
    yield "value-self", {}, {AMOUNT: amount, NEW: references([NEW])}
    levels = {NEW + n: references([NEW + n + 1] * 8) for n in range(14)} | {NEW + 14: b"(a)"}
    yield "value-power", {}, {AMOUNT: amount, **levels}
    choice = contract_objects()[AMOUNT].replace(b"/FT /Tx", b"/FT /Ch /Opt %d 0 R" % NEW)
    options = {NEW: references([NEW + 1] * 100_000), NEW + 1: b"[(b) (c)]"}
    fields = {NEW + 2 + n: choice.replace(b"(amount)", b"(f%d)" % n) for n in range(500)}
    form = contract_objects()[FORM].replace(b"[9 0 R", references([9, *fields])[:-1])
    yield "options-shared", {**options, **fields, FORM: form}, {
        number: body.replace(b"/V (100)", b"/V (900)") for number, body in fields.items()}


def looks():
    amount = contract_objects()[AMOUNT].replace(b"<< /N 11 0 R >>", b"%d 0 R" % NEW)
    levels = {NEW + n: dictionary(1000, b"%d 0 R" % (NEW + n + 1)) for n in range(3)}
    yield "look-states", {AMOUNT: amount, **levels, NEW + 3: b"<< >>"}, {NEW - 1: b"<< /A 2 >>"}
    levels = {NEW + n: dictionary(200, b"%d 0 R" % (NEW + n + 1)) for n in range(1, 7)}
    field = (b"<< /Type /Annot /Subtype /Widget /FT /Sig /T (new) /Rect [0 0 0 0] /P 3 0 R"
             b" /AP %d 0 R >>" % (NEW + 1))
    form = contract_objects()[FORM].replace(b"[9 0 R", b"[9 0 R %d 0 R" % NEW)
    yield "look-empty", {}, {FORM: form, NEW: field, **levels, NEW + 7: b"<< >>"}


def pages():
    """Pages that share what they show, in documents of which something is changed elsewhere."""
    count, shared = 2000, 9000
    numbers = range(NEW, NEW + count)
    first = NEW + count + 2
    tree = b"<< /Type /Pages /Kids %s /Count %d >>" % (
        references([PAGE, PAGE_TWO, *numbers]), count + 2)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /%s %d 0 R >>"
    resources = b"<< " + b" ".join(
        b"/X%d %d 0 R" % (n, first + n) for n in range(shared)) + b" >>"
    yield "pages-resources", {
        PAGES: tree, NEW + count: b"<< /XObject %d 0 R >>" % (NEW + count + 1),
        NEW + count + 1: resources,
        **{n: page % (b"Resources", NEW + count) for n in numbers},
        **{first + n: b"<< /A 1 >>" for n in range(shared)}}, {NEW - 1: b"<< /A 2 >>"}
    yield "pages-annotations", {
        PAGES: tree, NEW + count: references(range(first, first + shared)),
        **{n: page % (b"Annots", NEW + count) for n in numbers},
        **{first + n: b"<< /Subtype /Text /Rect [1 1 2 2] >>" for n in range(shared)}}, {
            NEW - 1: b"<< /A 2 >>"}


def names():
    """The names of fields are those of all fields above them."""
    kids = range(NEW + 1, NEW + 3000)
    form = contract_objects()[FORM].replace(b"[9 0 R", b"[9 0 R %d 0 R" % NEW)
    yield "names", {}, {
        FORM: form, NEW: b"<< /FT /Tx /T (%s) /Kids %s >>" % (b"n" * 1_000_000, references(kids)),
        **{n: b"<< /T (%d) /Parent %d 0 R >>" % (n, NEW) for n in kids}}


def keys():
    twice = b"<< " + b" ".join(b"/K%d 1 /K%d 1" % (n, n) for n in range(60_000)) + b" >>"
    page = changed(contract_objects()[PAGE], X=b"%d 0 R" % NEW)
    yield "keys-twice", {PAGE: page, NEW: twice}, {NEW - 1: b"<< /A 2 >>"}


def elements():
    """Elements of a structure tree that share a subtree."""
    count = 3000
    catalog = changed(contract_objects()[1], StructTreeRoot=b"%d 0 R" % NEW)
    root = b"<< /Type /StructTreeRoot /K %s /ParentTree << /Nums [] >> >>"
    element = b"<< /Type /StructElem /S /Div /P %d 0 R /K %s >>"
    first, leaf = NEW + 2, NEW + 2 + count
    leaves = range(leaf + 1, leaf + 1 + count)
    yield "elements-shared", {1: catalog, NEW: root % references([NEW + 1]),
                              NEW + 1: element % (NEW, b"[]")}, {
        NEW: root % references([NEW + 1, *range(first, leaf)]),
        **{n: element % (NEW, b"%d 0 R" % leaf) for n in range(first, leaf)},
        leaf: element % (NEW, references(leaves)),
        **{n: b"<< /Type /StructElem /S /Link /P %d 0 R /K << /Type /OBJR /Obj 14 0 R >> >>" % NEW
           for n in leaves}}
