"""usage: Scripts/attacks flip [SIGNED.pdf --trust CERT] [--count N] [--seed N] [--signet BINARY] [--verbose]

Flips one bit at a time at N sampled positions in all regions of a signed PDF, then two bits in different
regions, then swaps bytes of two revisions. `signet verify` must never pass such a file, and must always
report a reason. Exceptions: hex digits of /Contents that only change case, and the unsigned version
numbers of the CMS SignedData. Without a file, signs its own: with a cross-reference table and a visible
signature, the same with a second signature, and with cross-reference and object streams.
"""

import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import command
import pdf_fixtures

# Documented exit codes of a verification that did not pass.
EXPECTED_EXITS = {3, 4, 5, 65}

# Codes of notes about parts of the message that the signature does not cover.
UNSIGNED = {"signer-name-encoding", "version-unusual"}

# Most places of a region that is flipped byte by byte.
WHOLE_REGION = 400


def regions(data):
    """Name to range of each part of a file whose last signature covers it whole."""
    declared = list(re.finditer(rb"/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]", data))[-1]
    _, gap, after, _ = map(int, declared.groups())
    der = bytes.fromhex(data[gap + 1 : after - 1].decode())
    size, count = 2 + der[1], der[1] & 0x7F
    if der[1] & 0x80:
        size = 2 + count + int.from_bytes(der[2 : 2 + count], "big")
    last_xref = int(re.findall(rb"startxref\s+(\d+)", data)[-1])
    trailer = data.find(b"trailer", last_xref)
    if trailer < 0:  # a cross-reference stream carries its own trailer
        trailer = data.rfind(b"startxref")
    first_end = data.find(b"%%EOF") + 5
    found = {
        "header": range(0, 16),
        "original body": range(16, data.find(b"startxref")),
        "original end": range(data.find(b"startxref"), first_end),
        "update body": range(first_end, min(declared.start(), gap)),
        "ByteRange": range(declared.start(), declared.end()),
        "Contents delimiters": [gap, after - 1],
        "Contents DER": range(gap + 1, gap + 1 + 2 * size),
        "Contents padding": range(gap + 1 + 2 * size, after - 1),
        "after Contents": range(max(after, declared.end()), last_xref),
        "cross-reference": range(last_xref, trailer),
        "trailer": range(trailer, len(data)),
    }
    return {name: places for name, places in found.items() if len(places)}


def meaning(data):
    """The bytes with the case of every signature's digits left out."""
    return re.sub(rb"/Contents\s*<[0-9A-Fa-f]*>", lambda found: found.group().lower(), data)


def samples(data, count, seed):
    """(region, place, bit), the same for the same seed, each region with an equal share."""
    chance = random.Random(seed)
    parts = regions(data)
    share = -(-count // len(parts))
    for name, places in parts.items():
        every = [(place, bit) for place in places for bit in range(8)] if len(places) < 200 else None
        if name == "after Contents":  # where the signed field stands: no byte is left out
            chosen = [(place, chance.randrange(8)) for place in places]
            chosen = chance.sample(chosen, min(len(chosen), WHOLE_REGION))
        elif every is not None:
            chosen = chance.sample(every, min(share, len(every)))
        else:
            chosen = [(chance.choice(places), chance.randrange(8)) for _ in range(share)]
        for place, bit in sorted(chosen):
            yield name, place, bit


def one_flip(data, count, seed):
    for name, place, bit in samples(data, count, seed):
        changed = bytearray(data)
        changed[place] ^= 1 << bit
        yield name, f"byte {place} bit {bit}", bytes(changed)


def two_flips(data, count, seed):
    chance = random.Random(seed + 1)
    parts = regions(data)
    for _ in range(count):
        changed, told = bytearray(data), []
        for name in chance.sample(sorted(parts), 2):
            place, bit = chance.choice(parts[name]), chance.randrange(8)
            changed[place] ^= 1 << bit
            told.append(f"{name} byte {place} bit {bit}")
        yield "two flips", ", ".join(told), bytes(changed)


def swaps(data, count, seed):
    """As many bytes of one revision as of another change their places."""
    chance = random.Random(seed + 2)
    ends = [match.end() for match in re.finditer(rb"%%EOF\s*", data)]
    revisions = list(zip([0, *ends], ends))
    while count and len(revisions) > 1:
        size = chance.choice((1, 2, 4, 10, 20, 40))
        first, second = sorted(chance.sample(revisions, 2))
        if min(end - start for start, end in (first, second)) <= size:
            continue
        a, b = (chance.randrange(start, end - size) for start, end in (first, second))
        count -= 1
        if data[a : a + size] != data[b : b + size]:
            yield "swaps", f"{size} bytes at {a} and {b}", (
                data[:a] + data[b : b + size] + data[a + size : b] + data[a : a + size]
                + data[b + size :])


class Flip:
    def __init__(self, signet, folder):
        self.signet, self.folder = signet, folder
        self.wrong = 0

    def run(self, *arguments):
        return subprocess.run(
            [self.signet, *map(str, arguments)], capture_output=True, timeout=60,
            stdin=subprocess.DEVNULL)

    def verify(self, path, trust):
        """(exit code, verdict, reason, complaint about the answer's form or None)."""
        try:
            done = self.run("verify", path, "--trust", trust, "--json")
        except subprocess.TimeoutExpired:
            return None, None, "", "no end after 60 s"
        if done.returncode < 0:
            return done.returncode, None, "", f"killed by signal {-done.returncode}"
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            return done.returncode, None, "", f"no JSON: {done.stdout[:80]!r} {done.stderr[:120]!r}"
        if answer.get("schema", "").startswith("signet.error/"):
            return done.returncode, "error", answer.get("message", ""), None
        reasons = [p.get("code", "") for s in [*answer.get("signatures", []), answer]
                   for p in s.get("problems", [])]
        reasons += [s["subindication"] for s in answer.get("signatures", [])
                    if s.get("subindication")]
        return done.returncode, answer.get("verdict"), ", ".join(reasons), None

    def file(self, path, trust, count, seed, verbose):
        data = path.read_bytes()
        code, verdict, reason, complaint = self.verify(path, trust)
        if code != 0 or verdict != "passed":
            sys.exit(f"flip: {path.name} does not pass unchanged: exit {code}, {verdict}, "
                     f"{complaint or reason}")
        flipped = self.folder / "flipped.pdf"
        table = collections.defaultdict(collections.Counter)
        for kind in (one_flip, two_flips, swaps):
            for name, told, changed in kind(data, count, seed):
                flipped.write_bytes(changed)
                self.one(path, flipped, trust, name, told, meaning(changed) == meaning(data),
                         table, verbose)
        for name, counts in table.items():
            print(f"{path.name}: {name}: " + ", ".join(f"{n} {k}" for k, n in sorted(counts.items())))
        return sum(sum(counts.values()) for counts in table.values())

    def one(self, path, flipped, trust, name, told, same, table, verbose):
        code, verdict, reason, complaint = self.verify(flipped, trust)
        if verdict == "passed" and (same or UNSIGNED & set(reason.split(", "))):
            table[name]["the same, passed" if same else "remarked, passed"] += 1
            return
        if complaint is None:
            if verdict == "passed" or code == 0:
                complaint = "PASSED"
            elif code not in EXPECTED_EXITS:
                complaint = f"exit {code}"
            elif not reason and verdict != "unsigned":
                complaint = f"verdict {verdict} without a reason"
        table[name]["wrong" if complaint else verdict] += 1
        if complaint or verbose:
            print(f"{path.name}: {name}, {told}: {complaint or verdict} {reason}")
        self.wrong += complaint is not None

    def own_files(self):
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        plain, streams = self.folder / "table.pdf", self.folder / "streams.pdf"
        pdf_fixtures.letter(plain)
        pdf_fixtures.objects(streams, 300, True)
        for arguments in (
            ["key", "generate", "--type", "ec:P-256", "-o", key, "--no-passphrase"],
            ["cert", "create", "--key", key, "--subject", "CN=Flip", "-o", cert],
            ["sign", plain, "--key", key, "--cert", cert, "--at", "1:bottom-right"],
            ["sign", streams, "--key", key, "--cert", cert],
            ["sign", self.folder / "table.signed.pdf", "--key", key, "--cert", cert, "-o",
             self.folder / "twice.pdf"],
        ):
            done = self.run(*arguments)
            if done.returncode != 0:
                sys.exit(f"flip: signet {arguments[0]} failed: {done.stderr.decode()}")
        names = ("table.signed.pdf", "streams.signed.pdf", "twice.pdf")
        return [self.folder / name for name in names], cert


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("file", type=pathlib.Path, nargs="?")
    parser.add_argument("--trust", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    if options.file and not options.trust:
        sys.exit("flip: --trust is needed with a file: unchanged, it must pass")
    with tempfile.TemporaryDirectory(prefix="signet-flip-") as folder:
        flip = Flip(options.signet, pathlib.Path(folder))
        files, trust = ([options.file], options.trust) if options.file else flip.own_files()
        total = sum(
            flip.file(f, trust, options.count, options.seed, options.verbose) for f in files)
        print(f"flip: {total} changed files, {flip.wrong} wrong answers")
    return 1 if flip.wrong else 0
