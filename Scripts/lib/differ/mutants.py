"""Mutants of signed documents: each is the signed bytes and something behind them."""

import dataclasses

from differ import edits, forgeries, revisions, semantics
from differ.odd import Odd, Tail

# How often choices are odd, by the family of mutants and the first word of a choice's name.
FAMILIES = {
    "spelling": {"spell": 0.06},
    "forged": {"forge": 0.25},
    "forged-spelled": {"forge": 0.2, "spell": 0.04},
    "filled": {"filler": 0.25, "forge": 0.05},
    "sections": {"table": 0.05, "lies": 0.6},
    "trailers": {"trailer": 0.15, "lies": 0.5},
    "ends": {"start": 0.3, "forge": 0.1, "filler": 0.1, "lies": 0.5},
    "objects": {"object": 0.5, "inside": 0.3},
    "inside": {"inside": 0.9, "filler": 0.1},
    "everything": {"spell": 0.02, "forge": 0.05, "filler": 0.05, "table": 0.02, "trailer": 0.03,
                   "object": 0.05, "inside": 0.1, "start": 0.03, "lies": 0.2},
    "bytes": {"forge": 0.1},
    "swaps": {},
    "exchanged": {"forge": 0.05},
    "blanks": {"blank": 0.5, "filler": 0.1},
    "appended": {},
    "semantics": {},
    "bare": {},
}


@dataclasses.dataclass
class Mutant:
    family: str
    document: str
    steps: list
    data: bytes


def honest_tail(document, odd, most=2):
    """One or two revisions behind a document."""
    tails = []
    for _ in range(odd.random.choice(range(1, most + 1))):
        tail = Tail(len(document.data))
        objects = revisions.put_revision(tail, document, odd)
        data = tail.data()
        tails.append(data)
        section = tail.place("section")
        document = dataclasses.replace(
            document, data=document.data + data, section=section,
            sections=[section, *document.sections],
            size=max([document.size, *[n + 2 for n in objects]]))
    return tails


def bare_tail(document, odd):
    """No revision at all, only pieces."""
    tail = Tail(len(document.data))
    odd.rates = {"forge": 0.7, "filler": 0.4, "spell": 0.05}
    for _ in range(odd.number(1, 3)):
        forgeries.piece(tail, document, odd)
    return tail.data()


def appended(document, others, odd):
    """Another whole document behind the signed one, or the signed one once more."""
    kind = odd.one("append", "other", "same", "signed", "forged", "cut")
    between = odd.random.choice((b"", b"\n", b"\0" * 1100, b" " * 1100, b"%", b"\r", b"(", b"<<"))
    if kind == "other":
        return between + odd.random.choice(others).data
    if kind == "same":
        return between + document.data
    if kind == "signed":
        return between + document.data.replace(b"100 EUR", b"900 EUR").replace(b"(100)", b"(900)")
    if kind == "cut":
        data = odd.random.choice(others).data
        return between + data[odd.number(0, 40) : len(data) - odd.number(0, 40)]
    return between + forgeries.other_document(document)


def choice(documents, odd):
    """A document, as often one that was prepared as one that was not."""
    prepared = odd.random.random() < 0.5
    fitting = [one for one in documents if one.kind.startswith("shadow") == prepared]
    return odd.random.choice(fitting or documents)


def mutant(documents, seed, families=tuple(FAMILIES)):
    """The mutant of a seed."""
    odd = Odd(seed)
    family = odd.random.choice(families)
    document = choice(documents, odd)
    odd.rates = dict(FAMILIES[family])
    if family == "bare":
        tail = bare_tail(document, odd)
    elif family == "semantics":
        tail = semantics.tail(document, odd)
    elif family == "appended":
        tail = appended(document, documents, odd)
    else:
        tails = honest_tail(document, odd, 3 if family == "exchanged" else 2)
        tail = b"".join(tails)
        if family == "bytes":
            tail = edits.edited(tail, odd)
        elif family == "swaps":
            tail = edits.swapped(document.data, tail, odd)
        elif family == "exchanged":
            tail = edits.exchanged(tails, odd)
    return Mutant(family, document.kind, odd.steps, document.data + tail)
