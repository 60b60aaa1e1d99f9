"""Attacks on certified documents: evil annotations, sneaky signatures, and the certification
itself (Mainka, Mladenov, Rohlmann, 2021)."""

import re

from attacks import forge, update
from attacks.bases import CATALOG, NOTE, PAGE, contract_objects, write
from attacks.case import FF, NO_CHAIN, NO_SIGNATURE, PASSED, Case, Expect

OVER_TEXT = b"70 730 400 765"
COVER = (
    b"1 g 0 0 330 35 re f 0 g BT /F1 14 Tf 2 10 Td (We owe you 1,000,000 EUR.) Tj ET")
# Permitted, but never silently: either a state of its own, or a doubt.
REPORTED = Expect({PASSED: [], 3: ["SIG_CONSTRAINTS_FAILURE"]}, changes="annotations")
COVERING = Expect({PASSED: []}, remark="may hide")


def cover(change):
    """A look that hides the signed text and shows another."""
    return change.new(update.form(
        COVER, b"0 0 330 35", b"/Resources << /Font << /F1 5 0 R >> >> "))


def annotation(change, subtype, entries=b""):
    number = change.new(
        b"<< /Type /Annot /Subtype /%s /F 4 /Rect [%s] /Contents (note) /AP << /N %d 0 R >> %s >>"
        % (subtype, OVER_TEXT, cover(change), entries))
    change.append_to(PAGE, b"/Annots", b"%d 0 R" % number)
    return number


def cases(kit):
    yield from evil_annotations(kit)
    yield from sneaky_signatures(kit)
    yield from broken_certification(kit)


def evil_annotations(kit):
    for name, level, data in kit.levels(0, 3):
        for subtype in (b"FreeText", b"Stamp", b"Redact"):
            change = update.Update(data)
            annotation(change, subtype)
            yield Case(
                "CERT-EAA", f"{subtype.decode().lower()}-{name}",
                "an annotation covers the text and shows another", change.finish(), REPORTED,
                differs=data)
        change = update.Update(data)
        change.edit(NOTE, rb"/Rect\s*\[[^\]]*\]", b"/Rect [%s]" % OVER_TEXT)
        change.edit(NOTE, rb"/N 20 0 R", b"/N %d 0 R" % cover(change))
        yield Case(
            "CERT-EAA", f"existing-{name}", "a signed annotation is moved over the text",
            change.finish(), REPORTED | FF, differs=data)
    forms = [
        ("freetext", b"FreeText", b""), ("stamp", b"Stamp", b""), ("redact", b"Redact", b""),
        ("escaped", b"Fre#65Text", b""), ("unknown", b"Foo", b""), ("link", b"Link", b""),
        ("popup", b"Popup", b""), ("widget", b"Widget", b""),
        ("widget-ink", b"Widget", b"/InkList [[0 0 1 1]]"),
        ("widget-button", b"Widget", b"/FT /Btn /T (b) /Ff 65536"),
        ("widget-text", b"Widget", b"/FT /Tx /T (t) /V (x) /DA (/F1 12 Tf)"),
        ("watermark", b"Watermark", b""), ("movie", b"Screen", b""),
    ]
    for name, level, data in kit.levels(1, 2):
        for variant, subtype, entries in forms:
            change = update.Update(data)
            annotation(change, subtype, entries)
            # Poppler looks only at what it knows.
            seen = variant not in ("unknown", "popup", "watermark", "movie", "redact", "widget-ink")
            yield Case(
                "CERT-EAA2", f"{variant}-{name}",
                "an annotation covers the text and shows another, where none may be added",
                change.finish(), FF, differs=data if seen else None)
        change = update.Update(data)
        change.edit(NOTE, rb"/Rect\s*\[[^\]]*\]", b"/Rect [%s]" % OVER_TEXT)
        change.edit(NOTE, rb"/N 20 0 R", b"/N %d 0 R" % cover(change))
        yield Case(
            "CERT-EAA2", f"existing-{name}", "a signed annotation is moved over the text",
            change.finish(), FF, differs=data)
        change = update.Update(data)
        change.edit(PAGE, rb"14 0 R", b"")
        yield Case(
            "CERT-EAA2", f"removed-{name}", "a signed annotation is removed", change.finish(), FF,
            differs=data)
        change = update.Update(data)
        array = change.new(b"[9 0 R 13 0 R 14 0 R]")
        change.edit(PAGE, rb"/Annots\s*\[[^\]]*\]", b"/Annots %d 0 R" % array)
        number = change.new(
            b"<< /Type /Annot /Subtype /FreeText /F 4 /Rect [%s] /AP << /N %d 0 R >> >>" % (
                OVER_TEXT, cover(change)))
        change.put(array, b"[9 0 R 13 0 R 14 0 R %d 0 R]" % number)
        yield Case(
            "CERT-EAA2", f"indirect-array-{name}",
            "the page's annotations move into an array of their own, with one more",
            change.finish(), FF, differs=data)
        # A new field of the form, which filling in does not permit either.
        change = update.Update(data)
        number = annotation(change, b"Widget", b"/FT /Tx /T (extra) /V (x) /DA (/F1 12 Tf 0 g)")
        change.append_field(b"%d 0 R" % number)
        yield Case(
            "CERT-EAA2", f"new-field-{name}", "a text field over the text is added to the form",
            change.finish(), FF, differs=data)


def sneaky_signatures(kit):
    """A signature field whose look covers the text."""
    for name, level, data in kit.levels(2, 3):
        for who, label in ((kit.pki.mallory, "stranger"), (kit.pki.second, "colleague")):
            yield Case(
                "CERT-SSA" if label == "colleague" else "CERT-SSA2", f"{label}-{name}",
                "a new visible signature field covers the text and shows another",
                signed_over(data, who),
                # Where annotations are permitted, so is a signature that may cover content.
                FF if level == 2 else COVERING if label == "colleague" else NO_CHAIN, differs=data)
        change = update.Update(data)
        number = annotation(change, b"Widget", b"/FT /Sig /T (Empty)")
        change.append_field(b"%d 0 R" % number)
        yield Case(
            "CERT-SSA2", f"unsigned-{name}", "a new, empty signature field covers the text",
            change.finish(), FF, differs=data)
        change = update.Update(data)
        field = change.field("Approval")
        change.edit(field, rb"/Rect\s*\[[^\]]*\]", b"/Rect [%s]" % OVER_TEXT)
        change.add_entry(field, b"/AP << /N %d 0 R >>" % cover(change))
        yield Case(
            "CERT-SSA2", f"moved-{name}", "the document's empty signature field moves over the text",
            change.finish(), FF, differs=data)
        yield Case(
            "CERT-SSA2", f"existing-{name}",
            "a stranger signs the document's own empty field: permitted, but not trusted",
            kit.sign(data, field="Approval", signer=kit.pki.mallory),
            NO_CHAIN)
    for name, data in kit.kinds(0):
        yield Case(
            "CERT-SSA2", f"not-certified-{name}",
            "a stranger's visible signature covers the text of a document that is not certified",
            signed_over(data, kit.pki.mallory), NO_CHAIN | FF, differs=data)


def signed_over(data, who):
    """A signature by `who` with a look over the text."""
    # The look's number is known beforehand: it is the first new one of a first update.
    change = update.Update(data)
    look = cover(change)
    return forge.embed(
        data, lambda digest: forge.simple(who, digest), field=b"Second",
        visible=(OVER_TEXT, look), more=change.bodies)


def broken_certification(kit):
    for name, level, data in kit.levels(1, 2):
        change = update.Update(data)
        change.edit(CATALOG, rb"/Perms\s*(<<.*?>>|\d+ 0 R)", b"")
        yield Case("CERT-MDP", f"removed-{name}", "the catalog's /Perms is removed",
                   change.finish(), FF)
        change = update.Update(data)
        change.edit(CATALOG, rb"/Perms\s*(<<.*?>>|\d+ 0 R)", b"")
        annotation(change, b"FreeText")
        yield Case("CERT-MDP", f"removed-annotated-{name}",
                   "/Perms is removed and an annotation covers the text", change.finish(), FF,
                   differs=data)
        change = update.Update(data)
        value = change.document.Root["/Perms"]["/DocMDP"].objgen[0]
        change.edit(value, rb"/P %d" % level, b"/P 3")
        annotation(change, b"FreeText")
        yield Case("CERT-MDP", f"raised-{name}",
                   "an update rewrites the signature dictionary with P = 3 and adds an annotation",
                   change.finish(), FF, differs=data)
        reference = (
            b"/Reference [<< /Type /SigRef /TransformMethod /DocMDP /TransformParams << /Type"
            b" /TransformParams /P 3 /V /1.2 >> >>]")
        yield Case("CERT-MDP", f"second-{name}",
                   "a stranger's signature certifies the document again, with P = 3",
                   forge.embed(data, lambda digest: forge.simple(kit.pki.mallory, digest),
                               field=b"Second", entries=reference), FF)
        stranger = forge.embed(
            data, lambda digest: forge.simple(kit.pki.second, digest), field=b"Second",
            entries=reference, perms=True)
        yield Case("CERT-MDP", f"redirected-{name}",
                   "/Perms is led to a second signature that permits more", stranger, FF)
    for level in (1, 2):
        for indirect in ("reference", "parameters"):
            data = indirectly_certified(kit, level, indirect)
            change = update.Update(data)
            number = int(re.search(rb"(\d+) 0 obj\n<< /Type /%s" % (
                b"SigRef" if indirect == "reference" else b"TransformParams"), data).group(1))
            change.edit(number, rb"/P %d" % level, b"/P 3")
            annotation(change, b"FreeText")
            yield Case("CERT-MDP", f"{indirect}-object-p{level}",
                       "P stands in an object of its own, which an update raises to 3",
                       change.finish(), FF, differs=data)
    # Removing the signature itself.
    for name, level, data in kit.levels(0, 1):
        change = update.Update(data)
        change.edit(change.field("Author"), rb"/V \d+ 0 R", b"")
        yield Case("CERT-MDP", f"value-removed-{name}", "an update takes the field's value away",
                   change.finish(), FF | NO_SIGNATURE)
        change = update.Update(data)
        change.free(change.document.get_object((change.field("Author"), 0))["/V"].objgen[0])
        yield Case("CERT-MDP", f"value-freed-{name}", "an update frees the signature dictionary",
                   change.finish(), FF | NO_SIGNATURE)
        change = update.Update(data)
        change.edit(8, rb"\[[^\]]*\]", b"[9 0 R]")
        yield Case("CERT-MDP", f"field-removed-{name}",
                   "an update takes the signature field out of the form", change.finish(),
                   FF | NO_SIGNATURE)
        change = update.Update(data)
        change.edit(CATALOG, rb"/AcroForm 8 0 R", b"")
        yield Case("CERT-MDP", f"form-removed-{name}", "an update takes the form away",
                   change.finish(), FF | NO_SIGNATURE)


def indirectly_certified(kit, level, indirect):
    """Certified with the reference or its parameters as an object of their own."""
    objects = contract_objects()
    parameters = b"<< /Type /TransformParams /P %d /V /1.2 >>" % level
    number = max(objects) + 1
    if indirect == "parameters":
        objects[number] = parameters
        parameters = b"%d 0 R" % number
    reference = (
        b"<< /Type /SigRef /TransformMethod /DocMDP /TransformParams %s >>" % parameters)
    if indirect == "reference":
        objects[number] = reference
        reference = b"%d 0 R" % number
    return forge.embed(
        write(objects), lambda digest: forge.simple(kit.pki.signer, digest),
        entries=b"/Reference [%s]" % reference, perms=True)
