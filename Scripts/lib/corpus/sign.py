"""usage: Scripts/corpus sign FOLDER [--require PERCENT] [--only PATTERN] [--all-kinds] [--visible]
                           [--algorithm rsa|pss|p256|p384|p521|ed25519|each] [--without JUDGE]
                           [--signet BINARY] [--keep DIR] [--verbose] [--json FILE]

Signs every PDF below FOLDER and checks the result with other programs. The input must be an exact prefix
of the output. `qpdf --check` must find nothing new. pdfsig and pyHanko must report every signature
as valid, and the new one as covering the whole file. mutool must open the file, and pdftoppm must render
the first page as before. Files out of scope must be refused with a documented exit code and a message
that names them, or be signed as well as the others. A program that cannot read the unsigned file
abstains, and the table shows it; a better result than before passes. A file that claims PDF/A must keep
each rule that a signature can break (Scripts/lib/pdfa_signature_rules.py).

With --all-kinds every file is in scope. A refusal is then correct if neither qpdf nor poppler nor mutool
finds a first page, or for a reason in `signet help problems`: a dynamic XFA form, encryption for
certificates, or permissions that forbid a signature.

`--algorithm each` distributes the files among the algorithms, one each.

A MANIFEST.jsonl above FOLDER (fields file, kind, oracle.qpdf, password) defines the scope; without one, it
is every unencrypted file that `qpdf --check` passes. The exit code is 1 if fewer than --require percent
(default: 100) of the files in scope pass, or if a file out of scope has another result.
"""

import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import command
from command import ROOT
from corpus.common import Run, last_line

REFUSALS = {64, 65, 66, 69, 73, 74, 77}
# What is refused by name: `signet help problems` says why.
RIGHTLY_REFUSED = (
    "dynamic XFA", "encrypted for recipients with certificates", "permit neither signing nor",
    "but not adding a signature field", "permits no changes (DocMDP P=1)")
OUT_OF_SCOPE_KINDS = {"pdf-hybrid", "pdf-header-junk", "pdf-xfa"}
REPEATED = re.compile(r"\.\.\. repeated \d+ times")
PLACE = re.compile(
    r" \([^()]*\b(?:offset|object) \d[^()]*\)|,? object \d+ \d+(?: at offset \d+)?|,? offset \d+")
DAMAGED = re.compile(r"file is damaged|Attempting to reconstruct")
ALGORITHMS = {
    "rsa": ["RSA", "rsa_keygen_bits:2048"], "pss": ["RSA", "rsa_keygen_bits:2048"],
    "p256": ["EC", "ec_paramgen_curve:P-256"], "p384": ["EC", "ec_paramgen_curve:P-384"],
    "p521": ["EC", "ec_paramgen_curve:P-521"], "ed25519": ["ED25519"]}
JUDGES = ["prefix", "qpdf", "pdfsig", "pyhanko", "mutool", "render", "pdfa"]


class Abstention(Exception):
    """A judge cannot say: it could not read the unsigned file either."""


class PyHanko:
    """The long-lived pyHanko process, asked one file at a time."""

    def __init__(self, python):
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [python, str(ROOT / "Scripts/lib/pyhanko_judge.py")], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, path, password):
        with self.lock:
            self.process.stdin.write(
                json.dumps({"file": str(path), "password": password}) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline() or '{"error": "pyHanko ended"}')


def findings(run, path):
    """How often a tool complained about what, without the file's name and the places, which change
    with every update."""
    lines = collections.Counter()
    for line in run.err.splitlines():
        line = line.replace(str(path), "FILE").strip()
        if line and "operation succeeded with warnings" not in line and not REPEATED.search(line):
            lines[PLACE.sub("", line)] += 1
    return lines


def error_line(run):
    """Signet's own error line; hints follow it."""
    starts = ("signet: error", "error")
    lines = [line for line in run.err.splitlines() if line.lower().startswith(starts)]
    return lines[0] if lines else last_line(run)


def pdfsig_signatures(path, password):
    arguments = ["pdfsig", "-nocert"]
    if password is not None:
        arguments += ["-upw", password, "-opw", password]
    run = Run([*arguments, path])
    blocks = re.split(r"^Signature #\d+:\n", run.out, flags=re.M)[1:]
    # Empty fields are listed too, without ranges.
    return run, [
        {"valid": "Signature Validation: Signature is Valid." in block,
         "total": "Total document signed" in block,
         "says": (re.findall(r"Signature Validation: (.*)", block) or ["nothing"])[0]}
        for block in blocks if "Signed Ranges:" in block
    ]


class Corpus:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.TemporaryDirectory(prefix="signet-corpus-")
        self.work = pathlib.Path(self.folder.name)
        self.identities = {name: self.make_identity(name) for name in options.algorithms}
        self.takes_passwords = "--password-env" in Run([options.signet, "sign", "--help"]).out
        self.judges = [j for j in JUDGES if j not in options.without]
        self.owner_passwords = {}
        if options.visible and "render" in self.judges:
            self.judges.remove("render")
        self.process = PyHanko(options.python) if "pyhanko" in self.judges else None

    def make_identity(self, algorithm):
        key, cert = self.work / f"{algorithm}.key", self.work / f"{algorithm}.pem"
        name, *parameters = ALGORITHMS[algorithm]
        for arguments in (
            ["openssl", "genpkey", "-algorithm", name, "-out", key,
             *(x for p in parameters for x in ("-pkeyopt", p))],
            ["openssl", "req", "-x509", "-new", "-key", key, "-out", cert, "-days", "30",
             "-subj", "/CN=Corpus Signer/O=Example", "-addext",
             "keyUsage=critical,digitalSignature,nonRepudiation"],
        ):
            run = Run(arguments)
            if run.code != 0:
                sys.exit(f"corpus: openssl failed: {last_line(run)}")
        return key, cert

    def entries(self):
        """(path, shown name, in scope, password, why out of scope) of every file."""
        folder = self.options.folder.resolve()
        manifest = next(
            (p / "MANIFEST.jsonl" for p in [folder, *folder.parents]
             if (p / "MANIFEST.jsonl").is_file()), None)
        if manifest:
            rows = [json.loads(line) for line in manifest.open()]
            for row in sorted(rows, key=lambda row: row["file"]):
                path = manifest.parent / row["file"]
                if path.suffix.lower() != ".pdf" or not path.is_relative_to(folder):
                    continue
                why = None
                oracle = row.get("oracle", {}).get("qpdf") or {}
                if oracle.get("check_exit") != 0:
                    why = "qpdf finds faults"
                elif oracle.get("encryption") or row["kind"].startswith("pdf-enc-"):
                    why = "encrypted"
                elif row["kind"] in OUT_OF_SCOPE_KINDS:
                    why = row["kind"].removeprefix("pdf-")
                password = row.get("password") if oracle.get("encryption") else None
                if password is not None and row.get("owner_password"):
                    self.owner_passwords[path] = row["owner_password"]
                yield path, str(path.relative_to(folder)), why is None, password, why
            return
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() != ".pdf" or not path.is_file():
                continue
            why = None
            if Run(["qpdf", "--is-encrypted", path]).code == 0:
                why = "encrypted"
            elif Run(["qpdf", "--check", path]).code != 0:
                why = "qpdf finds faults"
            yield path, str(path.relative_to(folder)), why is None, None, why

    def sign(self, algorithm, source, output, password, *more, place="bottom-right"):
        key, cert = self.identities[algorithm]
        arguments = [
            self.options.signet, "sign", source, "--key", key, "--cert", cert, "-o", output,
            *more]
        if algorithm == "pss":
            arguments += ["--padding", "pss"]
        if self.options.visible:
            arguments += ["--at", f"1:{place}"]
        environment = {}
        if password is not None and self.takes_passwords:
            environment["CORPUS_PDF_PASSWORD"] = password
            arguments += ["--password-env", "CORPUS_PDF_PASSWORD"]
        run = Run(arguments, environment)
        # The author permits no signature: the owner may sign all the same.
        owner = self.owner_passwords.get(source)
        if run.code == 77 and "owner password" in run.err and owner is not None:
            environment["CORPUS_PDF_PASSWORD"] = owner
            by_owner = Run(arguments, environment)
            # Where that password opens nothing the refusal stands.
            run = run if "password of the document is wrong" in by_owner.err else by_owner
        # A stamp covers no field: elsewhere on the page there may be room.
        others = ["bottom-left", "top-right", "top-left", "center"]
        if run.code == 64 and "would overlap the field" in run.err and place != others[-1]:
            rest = others[others.index(place) + 1:] if place in others else others
            return self.sign(algorithm, source, output, password, *more, place=rest[0])
        # Several empty fields: the tool asks which one, and says how to make a new one.
        if run.code not in (0, None) and "--new-field" in run.err and not more:
            return self.sign(algorithm, source, output, password, "--new-field", place=place)
        return run

    def handle(self, entry, algorithm):
        path, name, in_scope, password, why = entry
        result = {
            "file": name, "scope": in_scope, "why": why, "judges": {}, "reason": "",
            "outcome": "failed",
            "algorithm": algorithm}
        output = self.work / (re.sub(r"[^\w.-]", "_", name) + f".{algorithm}.signed.pdf")
        try:
            run = self.sign(algorithm, path, output, password)
            result["exit"] = run.code
            if run.code != 0:
                result["reason"] = f"{run.ending()}: {error_line(run)}"
                leftovers = [p.name for p in self.work.glob(output.name + "*")]
                if run.code not in REFUSALS:
                    pass
                elif path.name not in run.err:
                    result["reason"] += " [message does not name the file]"
                elif leftovers:
                    result["reason"] += f" [left {leftovers}]"
                else:
                    result["outcome"] = "refused"
                if self.options.all_kinds and result["outcome"] == "refused":
                    if any(reason in run.err for reason in RIGHTLY_REFUSED):
                        result["outcome"] = "rightly refused"
                    elif not (openers := self.openers(path, password)):
                        result["outcome"] = "rightly refused"
                        result["reason"] += " [no program finds a page]"
                    else:
                        result["reason"] += f" [opened by {', '.join(openers)}]"
                return result
            for judge in self.judges:
                # Poppler does not support Ed25519.
                if judge == "pdfsig" and algorithm == "ed25519":
                    continue
                try:
                    problem = getattr(self, judge)(path, output, password)
                    result["judges"][judge] = problem is None
                except Abstention as abstention:
                    problem = str(abstention)
                if problem:
                    result["reason"] += ("; " if result["reason"] else "") + f"{judge}: {problem}"
            if all(result["judges"].values()):
                result["outcome"] = "signed"
            return result
        except Exception as error:
            result["reason"] = f"{type(error).__name__}: {error}"
            return result
        finally:
            if self.options.keep and output.exists():
                shutil.copy(output, self.options.keep / output.name)
            output.unlink(missing_ok=True)

    def openers(self, path, password):
        """The programs that find a first page in a file."""
        qpdf = [f"--password={password}"] if password is not None else []
        poppler = ["-upw", password, "-opw", password] if password is not None else []
        mutool = ["-p", password] if password is not None else []
        count = Run(["qpdf", *qpdf, "--show-npages", path])
        drawn = {
            "poppler": Run(["pdftoppm", "-r", "10", "-f", "1", "-l", "1", *poppler, path]),
            "mutool": Run(["mutool", "draw", "-r", "10", "-F", "ppm", "-o", "-", *mutool, path, "1"])}
        names = [name for name, run in drawn.items() if run.code == 0 and run.raw]
        if count.code in (0, 3) and count.out.strip() not in ("", "0"):
            names.insert(0, "qpdf")
        return names

    # The judges: each returns None or what it objects to, or abstains.

    def prefix(self, source, output, password):
        with open(source, "rb") as a, open(output, "rb") as b:
            while block := a.read(1 << 20):
                if b.read(len(block)) != block:
                    return "the input is not a prefix of the output"
            return None if b.read(1) else "nothing was appended"

    def qpdf(self, source, output, password):
        option = [f"--password={password}"] if password is not None else []
        before = Run(["qpdf", *option, "--check", source])
        after = Run(["qpdf", *option, "--check", output])
        new = findings(after, output) - findings(before, source)
        if after.code is None or after.code < 0:
            return after.ending()
        # 0 clean, 3 warnings, 2 errors
        change = [0, 3, 2].index(after.code) - [0, 3, 2].index(before.code)
        if change < 0:
            return None
        # A damaged file is repaired before and after, at other places.
        if change == 0 and DAMAGED.search(before.err):
            now, then = findings(after, output), findings(before, source)
            new = new if now.total() > then.total() else {}
        if new or change > 0:
            return f"exit {before.code} before, {after.code} now: {' | '.join(sorted(new))[:300]}"
        return None

    def pdfsig(self, source, output, password):
        earlier, before = pdfsig_signatures(source, password)
        if "Incorrect password" in earlier.err:
            # Of long passwords poppler's tools take the first 32 characters.
            raise Abstention(f"could not read the input either: {last_line(earlier)}")
        run, after = pdfsig_signatures(output, password)
        if len(after) != len(before) + 1:
            return f"{len(after)} signatures, expected {len(before) + 1}: {last_line(run)}"
        new = [s for s in after if s["total"]]
        if len(new) != 1:
            return "no signature covers the total document"
        if not new[0]["valid"]:
            return new[0]["says"]
        kept = sum(s["valid"] for s in after) - 1
        if kept < sum(s["valid"] for s in before):
            return "an earlier signature is no longer valid"
        return None

    def pyhanko(self, source, output, password):
        reply = self.process.ask(output, password)
        if "error" in reply:
            if "error" in self.process.ask(source, password):
                raise Abstention(f"could not read the input either: {reply['error'][:200]}")
            return f"cannot read it: {reply['error'][:200]}"
        signatures = reply["signatures"]
        new = [s for s in signatures if s.get("coverage") == "ENTIRE_FILE"]
        if len(new) != 1:
            problems = [s["problem"] for s in signatures if s["problem"]]
            return f"no signature covers the entire file {problems or ''}"
        if not (new[0]["intact"] and new[0]["valid"]):
            return str(new[0]["problem"] or "not intact or not valid")
        if len(signatures) > 1:
            before = self.process.ask(source, password)
            good = {s["field"] for s in before.get("signatures", []) if s["intact"] and s["valid"]}
            broken = good - {s["field"] for s in signatures if s["intact"] and s["valid"]}
            if broken:
                why = [s["problem"] for s in signatures if s["problem"] and s["field"] in broken]
                return f"no longer valid: {', '.join(sorted(broken))} {why or ''}"
        if not reply["strict"] and self.process.ask(source, password).get("strict"):
            return "readable only in lenient mode since signing"
        return None

    def mutool(self, source, output, password):
        option = ["-p", password] if password is not None else []
        before = Run(["mutool", "info", *option, source])
        after = Run(["mutool", "info", *option, output])
        if before.code != 0:
            raise Abstention(f"could not read the input either: {last_line(before)}")
        if after.code != 0:
            return f"{after.ending()}: {last_line(after)}"
        new = findings(after, output) - findings(before, source)
        return " | ".join(sorted(new))[:300] or None

    def pdfa(self, source, output, password):
        """Whether a PDF/A file keeps its claim; others claim nothing."""
        if b"pdfaid" not in source.read_bytes():
            raise Abstention("")
        rules = Run([
            self.options.python, ROOT / "Scripts/lib/pdfa_signature_rules.py", source, output])
        if rules.code == 2:
            raise Abstention("")
        return None if rules.code == 0 else rules.out.replace("\n", "; ")[:300] or last_line(rules)

    def render(self, source, output, password):
        option = ["-upw", password, "-opw", password] if password is not None else []
        if "Signature #" in Run(["pdfsig", "-nocert", *option, source]).out:
            # An empty field that is signed may show; what must not show is a new field.
            output.unlink()
            run = self.sign(self.options.algorithms[0], source, output, password, "--new-field")
            if run.code != 0:
                return f"--new-field: {run.ending()}: {error_line(run)}"
        draw = ["pdftoppm", "-r", "30", "-f", "1", "-l", "1", *option]
        before, after = Run([*draw, source]), Run([*draw, output])
        if before.code != 0 and after.code == 0:
            return None
        if after.code != before.code:
            return f"{before.ending()} before, {after.ending()} now"
        return None if before.raw == after.raw else "the first page looks different"


def shares(files, algorithms):
    """Files and their algorithms: each of both is used, in turns."""
    count = max(len(files), len(algorithms))
    return zip(*((files[n % len(files)], algorithms[n % len(algorithms)]) for n in range(count)))


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--require", type=float, default=100.0)
    parser.add_argument("--only", default="*")
    parser.add_argument("--all-kinds", action="store_true")
    parser.add_argument("--visible", action="store_true")
    parser.add_argument(
        "--algorithm", default="rsa",
        choices=[*ALGORITHMS, "each"])
    parser.add_argument("--without", action="append", default=[], choices=JUDGES)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if not options.folder.is_dir():
        sys.exit(f"corpus: {options.folder} is no folder")
    venv = ROOT / ".venv/bin/python"
    options.python = os.environ.get("SIGNET_PYTHON") or (str(venv) if venv.exists() else None)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    tools = {"qpdf": "qpdf", "pdfsig": "pdfsig", "mutool": "mutool", "render": "pdftoppm"}
    for judge, tool in tools.items():
        if judge not in options.without and not shutil.which(tool):
            if os.environ.get("CI") == "true":
                sys.exit(f"corpus: {tool} is missing")
            print(f"SKIPPED judge {judge}: {tool} is not installed", file=sys.stderr)
            options.without.append(judge)
    if "pyhanko" not in options.without and not options.python:
        if os.environ.get("CI") == "true":
            sys.exit("corpus: pyHanko is missing: run Scripts/test once, it makes .venv")
        print("SKIPPED judge pyhanko: no .venv (Scripts/test makes it)", file=sys.stderr)
        options.without.append("pyhanko")

    if "pdfa" not in options.without and (not options.python or Run(
            [options.python, "-c", "import pikepdf"]).code != 0):
        if os.environ.get("CI") == "true":
            sys.exit("corpus: pikepdf is missing: run Scripts/test once, it makes .venv")
        print("SKIPPED judge pdfa: no pikepdf in .venv (Scripts/test makes it)", file=sys.stderr)
        options.without.append("pdfa")

    options.algorithms = list(ALGORITHMS) if options.algorithm == "each" else [options.algorithm]
    corpus = Corpus(options)
    entries = [e for e in corpus.entries() if fnmatch.fnmatch(e[1], options.only)]
    if not entries:
        sys.exit(f"corpus: no PDF below {options.folder}")
    width = min(60, max(len(e[1]) for e in entries))
    print(f"{'file':{width}}  " + " ".join(f"{j:7}" for j in corpus.judges) + "  reason")
    results = []
    with concurrent.futures.ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for result in pool.map(corpus.handle, *shares(entries, options.algorithms)):
            if options.all_kinds and not result["scope"]:
                result["scope"] = True
            results.append(result)
            good = (result["outcome"] == "signed" and not result["reason"]) or (
                not result["scope"] and result["outcome"] == "refused")
            if good and not options.verbose:
                continue
            cells = " ".join(
                f"{'ok' if result['judges'].get(j) else 'FAIL' if j in result['judges'] else '-':7}"
                for j in corpus.judges)
            scope = "" if result["scope"] else f"(out of scope: {result['why']}) "
            print(f"{result['file']:{width}}  {cells}  {scope}{result['reason']}", flush=True)

    inside = [r for r in results if r["scope"]]
    outside = [r for r in results if not r["scope"]]
    refused = sum(r["outcome"] == "rightly refused" for r in inside)
    passed = sum(r["outcome"] == "signed" for r in inside) + refused
    percent = 100 * passed / len(inside) if inside else 100.0
    for judge in corpus.judges:
        asked = [r for r in inside if judge in r["judges"]]
        silent = sum(bool(r["judges"]) and judge not in r["judges"] for r in inside)
        note = f" ({silent} abstained)" if silent else ""
        print(f"{judge}: {sum(r['judges'][judge] for r in asked)} of {len(asked)}{note}")
    also = f" or rightly refused ({refused})" if refused else ""
    print(
        f"in scope: {passed} of {len(inside)} signed and passed by every judge{also} "
        f"({percent:.1f} %)")
    wrong = [r for r in outside if r["outcome"] == "failed"]
    if outside:
        print(
            f"out of scope: {sum(r['outcome'] == 'refused' for r in outside)} refused cleanly, "
            f"{sum(r['outcome'] == 'signed' for r in outside)} signed and passed, "
            f"{len(wrong)} wrong, of {len(outside)}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1, ensure_ascii=False))
    return 1 if percent < options.require or wrong else 0
