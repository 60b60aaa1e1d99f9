"""Choices that are usually what a correct writer would do, and now and then something else."""

import random


class Odd:
    """Draws the choices of one mutant and remembers which were odd.

    rates: how often the choices whose names begin with a word are odd; `base`: all others.
    """

    def __init__(self, seed, base=0.0, rates=None):
        self.random = random.Random(seed)
        self.base, self.rates = base, rates or {}
        self.steps = []

    def rate(self, name):
        return self.rates.get(name.split(".")[0], self.base)

    def happens(self, name, factor=1.0):
        """Whether something odd is done here."""
        if self.random.random() >= self.rate(name) * factor:
            return False
        self.steps.append(name)
        return True

    def pick(self, name, usual, *others):
        """The usual value, or one of the others."""
        if not others or self.random.random() >= self.rate(name):
            return usual
        return self.one(name, *others)

    def one(self, name, *values):
        """One of several values, none of them usual."""
        value = self.random.choice(values)
        said = value.decode("latin-1") if isinstance(value, bytes) else str(value)
        self.steps.append(f"{name}={said.strip()[:24]!r}" if isinstance(value, bytes) else f"{name}={said}")
        return value

    def number(self, first, last):
        return self.random.randint(first, last)


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
