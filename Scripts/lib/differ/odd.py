"""Choices that are usually what a correct writer would do, and now and then something else."""

import random


class Odd:
    """Draws the choices of one mutant and remembers which were odd.

    rates: how often the choices whose names begin with a word are odd; all others never are. muted:
    odd choices, counted from 0, that are made as usual after all. steps: what was chosen, `odd`: the
    same without choices that have no usual value.
    """

    def __init__(self, seed, rates=None, muted=()):
        self.random = random.Random(seed)
        self.rates, self.muted = rates or {}, muted
        self.steps, self.odd, self.count = [], [], 0

    def rate(self, name):
        return self.rates.get(name.split(".")[0], 0)

    def takes(self, step):
        """Whether an odd choice is made; counts it."""
        self.count += 1
        if self.count - 1 in self.muted:
            return False
        self.steps.append(step)
        self.odd.append(step)
        return True

    def happens(self, name, factor=1.0):
        """Whether something odd is done here."""
        return self.random.random() < self.rate(name) * factor and self.takes(name)

    def pick(self, name, usual, *others):
        """The usual value, or one of the others."""
        if not others or self.random.random() >= self.rate(name):
            return usual
        value = self.random.choice(others)
        return value if self.takes(described(name, value)) else usual

    def one(self, name, *values):
        """One of several values, none of them usual."""
        value = self.random.choice(values)
        self.steps.append(described(name, value))
        return value

    def number(self, first, last):
        return self.random.randint(first, last)


def described(name, value):
    said = value.decode("latin-1").strip()[:24] if isinstance(value, bytes) else value
    return f"{name}={said!r}"


class Tail:
    """Bytes to be put behind others, in which places among them are written."""

    def __init__(self, start):
        self.start, self.atoms, self.marks = start, [], {}

    def put(self, data):
        self.atoms.append(data)

    def mark(self, name):
        """Gives a name to the place where the next bytes will stand."""
        self.marks[name] = len(self.atoms)

    def late(self, function):
        """Bytes that `function` makes of the places, a function from name to number."""
        self.atoms.append(function)

    def data(self):
        """The bytes."""
        return b"".join(self.parts())

    def place(self, name):
        """Where the bytes behind a mark stand."""
        return self.start + sum(map(len, self.parts()[: self.marks[name]]))

    def parts(self):
        """The bytes of each atom, laid out until all places hold."""
        parts = [b"" if callable(atom) else atom for atom in self.atoms]
        for _ in range(8):
            position, places = self.start, []
            for part in parts:
                places.append(position)
                position += len(part)
            places.append(position)

            def place(name):
                return places[self.marks[name]]

            made = [atom(place) if callable(atom) else atom for atom in self.atoms]
            if made == parts:
                break
            parts = made
        return parts
