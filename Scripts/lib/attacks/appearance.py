"""What a form shows after signing that its values do not say (ISO 32000-2 §12.5.5, §12.7.4.3)."""

import re

from attacks import update
from attacks.bases import (
    AMOUNT, AMOUNT_LOOK, APPROVAL, FORM, NOTE, PAGE, contract_objects, field_look, write)
from attacks.case import FF, PASS, Case, indeterminate

DOUBTFUL = indeterminate() | FF
# A form's defaults change nothing that is shown while its fields have looks: said, no more.
SAID = PASS | DOUBTFUL
SCRIPT = b"<< /S /JavaScript /JS (app.alert\\(1\\)) >>"


def cases(kit):
    for family in (orders, looks, every_widget, empty_signatures, settings, flags, radios):
        yield from family(kit)


def orders(kit):
    """The order of annotations says which is on top; one may stand twice."""
    for name, level, data in kit.levels(1, 2):
        found = re.search(rb"/Annots\s*\[([^\]]*)\]", update.Update(data).old(PAGE)).group(1)
        parts = re.findall(rb"\d+ \d+ R", found)
        for variant, changed in (
                ("reversed", parts[::-1]), ("repeated", parts + parts[:1]),
                ("first-last", parts[1:] + parts[:1]), ("last-first", parts[-1:] + parts[:-1])):
            change = update.Update(data)
            change.edit(PAGE, rb"/Annots\s*\[[^\]]*\]", b"/Annots [%s]" % b" ".join(changed))
            yield Case("LK-1", f"{variant}-{name}", "the page's annotations are in another order",
                       change.finish(), DOUBTFUL)


def filled(change, look, value=b"100", more=b""):
    """The amount with this look, whose number is given, and this value."""
    body = change.old(AMOUNT)
    body = re.sub(rb"/V\s*\([^)]*\)", b"/V (%s)" % value, body)
    change.put(AMOUNT, re.sub(rb"/AP\s*<<.*?>>", b"/AP << %s >>" % look, body, flags=re.DOTALL))
    if more:
        change.add_entry(AMOUNT, more)


def looks(kit):
    fonts = b"/Resources << /Font << /F1 5 0 R >> >> "
    text = b"BT /F1 12 Tf 4 6 Td (%s) Tj ET"
    for name, level, data in kit.levels(0, 2):
        def case(variant, about, change, expect=DOUBTFUL):
            return Case("LK-2", f"{variant}-{name}", about, change.finish(), expect)

        change = update.Update(data)
        filled(change, b"/N %d 0 R" % change.new(field_look(b"250")), b"250")
        yield case("honest", "the amount is filled as a correct program does it", change, PASS)
        change = update.Update(data)
        filled(change, b"/N %d 0 R" % change.new(field_look(b"900")))
        yield case("other", "the value stays, its look shows 900", change)
        change = update.Update(data)
        inner = change.new(field_look(b"900"))
        outer = change.new(update.form(
            b"/Fm Do", b"0 0 200 20", b"/Resources << /XObject << /Fm %d 0 R >> >> " % inner))
        filled(change, b"/N %d 0 R" % outer, b"100 ")
        yield case("nested", "the look shows 900 by a form inside it", change)
        for variant, box, entries in (
                ("clipped", b"0 0 14 20", b""), ("flat", b"0 0 200 0", b""),
                ("turned", b"200 0 20 0", b""), ("moved", b"0 0 200 20", b"/Matrix [1 0 0 1 900 0] "),
                ("mirrored", b"0 0 200 20", b"/Matrix [-1 0 0 1 0 0] ")):
            change = update.Update(data)
            filled(change, b"/N %d 0 R" % change.new(update.form(
                text % b"100", box, fonts + entries)))
            yield case(variant, "the look's box lets only a part of the value be seen", change,
                       DOUBTFUL | PASS if variant in ("mirrored", "moved") else DOUBTFUL)
        good, evil = b"%d 0 R" % AMOUNT_LOOK, field_look(b"900")
        for variant, form, more in (
                ("rollover", b"/N %s /R %%d 0 R" % good, b""), ("down", b"/N %s /D %%d 0 R" % good, b""),
                ("states", b"/N << /a %s /b %%d 0 R >>" % good, b"/AS /b")):
            change = update.Update(data)
            filled(change, form % change.new(evil), more=more)
            yield case(variant, "another of the widget's looks shows 900", change)
        for variant, content in (
                ("covered", text % b"100" + b" 1 g 0 0 200 20 re f 0 g BT /F1 12 Tf 4 6 Td (900) Tj ET"),
                ("invisible", b"3 Tr " + text % b"100" + b" 0 Tr BT /F1 12 Tf 4 6 Td (900) Tj ET"),
                ("drawn", text % b"100" + b" 1 0 0 RG 4 w 0 0 m 200 20 l S 100 0 90 20 re f"),
                ("white", b"1 g " + text % b"100")):
            change = update.Update(data)
            filled(change, b"/N %d 0 R" % change.new(update.form(content, b"0 0 200 20", fonts)))
            yield case(variant, "the look holds the value, but shows something else", change)


def every_widget(kit):
    """A field of many widgets, of which one far behind shows something else."""
    for count in (2, 101, 300):
        objects = contract_objects()
        kids = list(range(100, 100 + count))
        objects[AMOUNT] = b"<< /FT /Tx /T (amount) /V (100) /DA (/F1 12 Tf 0 g) /Kids [%s] >>" % (
            b" ".join(b"%d 0 R" % kid for kid in kids))
        for place, kid in enumerate(kids):
            objects[kid] = (
                b"<< /Type /Annot /Subtype /Widget /Parent 9 0 R /F 4 /P 3 0 R /Rect [72 %d 272 %d]"
                b" /AP << /N 11 0 R >> >>" % (2 * place, 2 * place + 20))
        objects[PAGE] = objects[PAGE].replace(
            b"/Annots [9 0 R", b"/Annots [" + b" ".join(b"%d 0 R" % kid for kid in kids))
        for number in range(21, 100):
            objects.setdefault(number, b"null")
        for level in ((), ("--certify", "form-filling")):
            data = kit.sign(write(objects), *level)
            change = update.Update(data)
            change.edit(kids[-1], rb"/N 11 0 R", b"/N %d 0 R" % change.new(field_look(b"900")))
            yield Case("LK-3", f"{count}-{'p2' if level else 'p0'}",
                       "the last widget of a field shows something else", change.finish(), DOUBTFUL)


def empty_signatures(kit):
    for name, level, data in kit.levels(1, 2):
        for variant, key in (("normal", b"/N"), ("rollover", b"/R")):
            change = update.Update(data)
            look = change.new(update.form(
                b"BT /F1 12 Tf 4 6 Td (EVIL pay 900) Tj ET", b"0 0 200 40",
                b"/Resources << /Font << /F1 5 0 R >> >> "))
            change.add_entry(APPROVAL, b"/AP << %s %d 0 R >>" % (key, look))
            yield Case("LK-4", f"{variant}-{name}", "an empty signature field gets a look",
                       change.finish(), DOUBTFUL)


def settings(kit):
    """What viewers draw fields with."""
    for name, level, data in kit.levels(1, 2):
        for variant, number, entry in (
                ("need", FORM, b"/NeedAppearances true"), ("quadding", FORM, b"/Q 2"),
                ("actions", AMOUNT, b"/AA << /F %s >>" % SCRIPT),
                ("action", AMOUNT, b"/A " + SCRIPT), ("border", AMOUNT, b"/BS << /W 40 >>"),
                ("background", AMOUNT, b"/MK << /BG [0] >>"), ("length", AMOUNT, b"/MaxLen 1")):
            change = update.Update(data)
            change.add_entry(number, entry)
            yield Case("LK-5", f"{variant}-{name}", "what fields are drawn with was changed",
                       change.finish(),
                       SAID if variant in ("need", "quadding") and level == 2 else DOUBTFUL)
        for variant, pattern, new in (
                ("fonts", rb"/F1 5 0 R", b"/F1 15 0 R"),
                ("default", rb"/DA\s*\([^)]*\)", b"/DA (/F1 90 Tf 1 g)")):
            change = update.Update(data)
            change.edit(FORM, pattern, new)
            yield Case("LK-5", f"{variant}-{name}", "what fields are drawn with was changed",
                       change.finish(), SAID if variant == "default" and level == 2 else DOUBTFUL)


def flags(kit):
    """Annotations and fields that are hidden, or only shown, or only printed."""
    for name, level, data in kit.levels(1, 2):
        for number, what in ((NOTE, "note"), (AMOUNT, "amount")):
            for flag in (0, 2, 6, 32, 36):
                change = update.Update(data)
                change.edit(number, rb"/F 4\b", b"/F %d" % flag)
                yield Case("LK-6", f"{what}-{flag}-{name}", "flags hide what was shown",
                           change.finish(), DOUBTFUL)


def radio_objects():
    objects = contract_objects()
    on, off = 30, 31
    objects[AMOUNT] = b"<< /FT /Btn /Ff 49152 /T (choice) /V /a /Kids [32 0 R 33 0 R] >>"
    for number, state, active, left in ((32, b"a", b"a", 72), (33, b"b", b"Off", 172)):
        objects[number] = (
            b"<< /Type /Annot /Subtype /Widget /Parent 9 0 R /F 4 /P 3 0 R /Rect [%d 500 %d 520]"
            b" /AS /%s /AP << /N << /%s %d 0 R /Off %d 0 R >> >> >>" % (
                left, left + 20, active, state, on, off))
    objects[on] = update.form(b"0 0 20 20 re f", b"0 0 20 20")
    objects[off] = update.form(b"0 0 20 20 re S", b"0 0 20 20")
    objects[PAGE] = objects[PAGE].replace(b"/Annots [9 0 R", b"/Annots [32 0 R 33 0 R")
    for number in range(21, 30):
        objects.setdefault(number, b"null")
    return objects


def radios(kit):
    for level in ((), ("--certify", "form-filling")):
        data = kit.sign(write(radio_objects()), *level)
        label = "p2" if level else "p0"
        for variant, value, first, second, expect in (
                ("honest", b"b", b"Off", b"b", PASS), ("same-value", b"a", b"Off", b"b", DOUBTFUL),
                ("both", b"b", b"a", b"b", DOUBTFUL), ("none", b"a", b"Off", b"Off", DOUBTFUL),
                ("other-value", b"b", b"a", b"Off", DOUBTFUL)):
            change = update.Update(data)
            for number, key, old, new in (
                    (AMOUNT, b"/V", b"a", value), (32, b"/AS", b"a", first),
                    (33, b"/AS", b"Off", second)):
                if old != new:
                    change.edit(number, key + rb"\s*/" + old, key + b" /" + new)
            yield Case("LK-7", f"{variant}-{label}", "radio buttons and their value",
                       change.finish(), expect)
