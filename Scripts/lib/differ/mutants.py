"""Mutants of signed documents: each is the signed bytes and something behind them."""

import dataclasses

from attacks import forge, timestamps
from differ import blocks, edits, forgeries, revisions
from differ.odd import Odd, Tail

# How often choices are odd in a mutant of a theme, by the first word of a choice's name. The first
# themes write sections as they should be and come more often.
THEMES = {
    "hidden": {"hidden": 0.4}, "secret-missing": {"secret": 0.8, "text": 0.15, "missing": 0.6},
    "secret-head": {"secret": 0.8, "text": 0.15, "head": 0.4}, "missing": {"missing": 0.5},
    "head": {"head": 0.25}, "order": {"order": 0.8}, "unused": {"unused": 0.8, "missing": 0.2},
    "packed": {"packed": 0.6}, "semantics": {"semantics": 1},
    "forged": {"forge": 0.2}, "filled": {"filler": 0.2, "blank": 0.2}, "spelled": {"spell": 0.05},
    "sections": {"table": 0.05, "lies": 0.6}, "trailers": {"trailer": 0.1, "lies": 0.5},
    "ends": {"start": 0.3, "lies": 0.5}, "objects": {"object": 0.5}, "bytes": {}, "bare": {},
}
OFTEN = tuple(THEMES)[:9]
# Of so many mutants one is of a document that an attacker prepared.
PREPARED = 5


@dataclasses.dataclass
class Mutant:
    """themes, steps: what was done; odd: the steps that can be muted, `count` of them."""

    themes: list
    document: str
    steps: list
    odd: list
    count: int
    data: bytes


def revision(document, odd, tsa):
    """The document with one more revision; where that is the last, by `tsa` if it is a timestamp."""
    tail = Tail(len(document.data))
    objects = revisions.put_revision(tail, document, odd)
    data = document.data + tail.data()
    if blocks.GAP in data:
        data = forge.fill(data, lambda digest: timestamps.token(tsa, b"", imprint=digest))
    section = tail.place("section")
    known = {number: body for number, body in objects.items() if b"stream\n" not in body}
    return dataclasses.replace(
        document, data=data, section=section, sections=[section, *document.sections],
        size=max([document.size, *[number + 2 for number in objects]]),
        known={**document.known, **known})


def bare_tail(document, odd):
    """No revision at all, only pieces."""
    tail = Tail(len(document.data))
    odd.rates.update({"forge": 0.7, "filler": 0.4})
    for _ in range(odd.number(1, 3)):
        forgeries.piece(tail, document, odd)
    return tail.data()


def choice(documents, odd):
    """A document, now and then one that was prepared."""
    prepared = odd.number(1, PREPARED) == 1
    return odd.random.choice(
        [one for one in documents if one.kind.startswith("shadow") == prepared] or documents)


def chosen(odd, allowed):
    """One to three themes."""
    often = [theme for theme in OFTEN if theme in allowed]
    return sorted({
        odd.random.choice(often if often and odd.number(1, 4) > 1 else allowed)
        for _ in range(odd.random.choice((1, 2, 2, 3)))})


def mutant(documents, seed, tsa, themes=tuple(THEMES), muted=()):
    """The mutant of a seed."""
    odd = Odd(seed, muted=muted)
    picked = chosen(odd, themes)
    document = choice(documents, odd)
    for name in {name for theme in picked for name in THEMES[theme]}:
        odd.rates[name] = max(THEMES[theme].get(name, 0) for theme in picked)
    if "bare" in picked:
        data = document.data + bare_tail(document, odd)
    else:
        later = document
        for _ in range(odd.random.choice((1, 1, 1, 2))):
            later = revision(later, odd, tsa)
        data = later.data
        if "bytes" in picked:
            data = document.data + edits.edited(data[len(document.data) :], odd)
    return Mutant(picked, document.kind, odd.steps, odd.odd, odd.count, data)
