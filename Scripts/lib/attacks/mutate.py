"""usage: Scripts/attacks mutate FOLDER [--signet BINARY] [--count N] [--seed N] [--keep FOLDER]

Damages small unsigned PDFs of FOLDER in many ways, signs them if possible, and verifies the result: if
`sign` exits with 0, `verify` must pass. Prints the number of signed files, of indeterminate results
(exit code 3, such as wrong offsets), and of failed files, which are kept. The exit code is 1 if a file
fails.
"""

import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import command

SIZE_LIMIT = 40_000
BATCH = 100
NUMBER = re.compile(rb"(?<=[ \[/])\d{1,10}(?=[ \]/>\r\n])")
KEY = re.compile(rb"/[A-Za-z]{2,20}(?=[ /\[(<])")
ENTRY = re.compile(rb"/(Type|Pages|Kids|Count|AcroForm|Fields|OpenAction|PageMode|Info|Root|Size|Prev|"
                   rb"MediaBox|Contents|Annots|Parent|Length|Metadata|Names|Lang)\s*"
                   rb"(\d+ \d+ R|/\w+|\d+|\([^)]*\)|\[[^\[\]]*\])")
WORDS = (b"endobj", b"endstream", b"stream", b"xref", b"trailer", b"startxref", b"%%EOF", b"obj")


def pick(data, pattern, chance):
    found = list(pattern.finditer(data))
    return chance.choice(found) if found else None


def replace(data, match, text):
    return data[:match.start()] + text + data[match.end():]


def repeat_entry(data, chance):
    """A key twice, with the same value or that of another entry."""
    first, second = pick(data, ENTRY, chance), pick(data, ENTRY, chance)
    if not first:
        return data
    value = first[2] if chance.random() < 0.3 else second[2]
    return replace(data, first, first[0] + b" /" + first[1] + b" " + value)


def change_number(data, chance):
    match = pick(data, NUMBER, chance)
    if not match:
        return data
    number = int(match[0])
    other = chance.choice([number + 1, max(0, number - 1), 0, number * 10, 99_999_999, 7])
    return replace(data, match, b"%d" % other)


def shift_offsets(data, chance):
    """Bytes put in where all later offsets become wrong."""
    place = chance.choice([match.start() for word in WORDS for match in re.finditer(word, data)]
                          or [0])
    return data[:place] + chance.choice([b" ", b"\n", b"\r\n\r\n", b"% \n", b"\0"]) + data[place:]


def rename_key(data, chance):
    first, second = pick(data, KEY, chance), pick(data, KEY, chance)
    return replace(data, first, second[0]) if first else data


def spoil_word(data, chance):
    word = chance.choice(WORDS)
    match = pick(data, re.compile(re.escape(word)), chance)
    return replace(data, match, chance.choice([b"", word[:-1], word.upper(), word * 2])) \
        if match else data


def flip_byte(data, chance):
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1:]


def cut(data, chance):
    return data[:chance.randrange(len(data) // 2, len(data))]


def append(data, chance):
    return data + chance.choice([
        b"\0" * 600, b"\n%%EOF\n", b"trailer\n<<>>\n", b"startxref\n0\n%%EOF\n", b"x" * 2000])


def repeat_object(data, chance):
    """An object again at the end, changed, that no section lists."""
    match = pick(data, re.compile(rb"\d+ 0 obj.{0,2000}?endobj", re.DOTALL), chance)
    return data + b"\n" + change_number(match[0], chance) + b"\n" if match else data


MUTATIONS = (repeat_entry, repeat_entry, change_number, change_number, shift_offsets, rename_key,
             spoil_word, flip_byte, cut, append, repeat_object)


def run(*arguments):
    return subprocess.run(list(map(str, arguments)), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def reports(outcome):
    for line in outcome.stdout.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


class Round:
    """Signs and verifies files together."""

    def __init__(self, signet, folder):
        self.signet = signet
        self.folder = folder
        self.key, self.certificate = folder / "key.pem", folder / "cert.pem"
        run(signet, "key", "generate", "--type", "ec:P-256", "--no-passphrase", "-o", self.key)
        run(signet, "cert", "create", "--key", self.key, "--subject", "CN=Mutation", "-o",
            self.certificate)

    def judge(self, files):
        """Pairs of a signed file's name and what `verify` says of its new signature."""
        output = self.folder / "signed"
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        made = run(self.signet, "sign", *files, "-o", output, "--key", self.key, "--cert",
                   self.certificate, "--json")
        if made.returncode < 0 or made.returncode in (70, 134):
            print("sign ended with", made.returncode, made.stderr[-400:], file=sys.stderr)
        done = {report["output"] for report in reports(made) if report.get("output")}
        if not done:
            return
        # One document for each file, in their order.
        names = sorted(done)
        verified = run(self.signet, "verify", *names, "--trust", self.certificate, "--json")
        found = list(reports(verified))
        if len(found) != len(names):
            print("verify answers", len(found), "times for", len(names), file=sys.stderr)
        for name, report in zip(names, found):
            yield name, report


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("mutate-failed"))
    options = parser.parse_args(arguments)
    sources = sorted(path for path in options.folder.rglob("*.pdf")
                     if 0 < path.stat().st_size < SIZE_LIMIT)
    chance = random.Random(options.seed)
    verdicts, failures = collections.Counter(), []
    with tempfile.TemporaryDirectory() as name:
        work = Round(options.signet, pathlib.Path(name))
        for start in range(0, options.count, BATCH):
            files = []
            for index in range(start, min(start + BATCH, options.count)):
                data = chance.choice(sources).read_bytes()
                for _ in range(chance.choice((1, 1, 1, 2, 4))):
                    data = chance.choice(MUTATIONS)(data, chance) or b"%"
                files.append(work.folder / f"{index}.pdf")
                files[-1].write_bytes(data)
            for signed, report in work.judge(files):
                verdict = report.get("verdict", f"error {report.get('code')}")
                verdicts[verdict] += 1
                if verdict not in ("passed", "indeterminate"):
                    problems = [problem["code"] for part in [*report.get("signatures", []), report]
                                for problem in part.get("problems", [])]
                    failures.append((signed, problems or report.get("message")))
                    options.keep.mkdir(exist_ok=True)
                    original = work.folder / pathlib.Path(signed).name.replace(".signed", "")
                    for path in (original, pathlib.Path(signed)):
                        if path.exists():
                            shutil.copy(path, options.keep)
            for path in files:
                path.unlink()
    for signed, problems in failures:
        print(pathlib.Path(signed).name, problems)
    print(f"{options.count} files: {sum(verdicts.values())} signed,", ", ".join(
        f"{count} {verdict}" for verdict, count in sorted(verdicts.items())) or "none")
    return 1 if failures else 0
