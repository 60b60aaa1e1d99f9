"""usage: Scripts/attacks differ [FOLDER] [--count N] [--seconds N] [--seed N] [--only THEME,...]
                              [--signed FOLDER] [--trust CERT] [--shadows N] [--sample N]
                              [--readers NAME,...] [--viewers] [--jobs N] [--signet BINARY]

Searches for files that `signet verify --require-unchanged` passes although a viewer displays unsigned
content. Signs documents of all kinds (tables, streams, hybrid, tagged, encrypted, certified,
timestamped, with many revisions, and some prepared by an attacker). Then it appends N mutated updates:
valid changes, hidden appearances, dangling references, unused objects, text in streams, unusual syntax.
For each file that passes, it compares the display of poppler, mupdf, pdfium, Ghostscript, pypdf and
qpdf with that of the signed document; pdf.js and mutool display one file in --sample. A document that
passes only without the option is compared too: there, listed changes may be displayed. FOLDER keeps
findings/ (each file reduced), findings.jsonl and state.json, so that the same command continues an
earlier run. With --viewers, a file that `verify --viewers` does not pass is counted, but is not a
finding. --signed adds signed PDFs, which --trust must make pass. The exit code is 1 if there are findings.
"""

import collections
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

import command
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from attacks import bases
from differ import compare, documents, mutants, shadows
from readers import pool

CHUNK = 400
# Readers that are asked about a sample only.
SLOW = ("pdfjs", "mutool")
# So many files of one kind of finding are kept.
KEPT = 5


class Run:
    """One process's part of the work: its documents, readers and program."""

    current = None

    def __init__(self, options, found):
        self.options, self.documents = options, found
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="signet-differ-", dir=options.working))
        self.verifier = compare.Verifier(options.signet, options.trust_file)
        self.readers = compare.Readers(options.chosen, self.folder)
        self.signed = {document.kind: document.data for document in found}

    def mutant(self, index, muted=()):
        return mutants.mutant(
            self.documents, f"{self.options.seed}:{index}", self.options.tsa, self.options.themes,
            muted)

    def chunk(self, first):
        """Makes and judges mutants from number `first` on: (first, counts, findings)."""
        counts, findings = collections.Counter(), []
        made = []
        for index in range(first, min(first + CHUNK, self.options.count)):
            mutant = self.mutant(index)
            path = self.folder / f"{index}.pdf"
            path.write_bytes(mutant.data)
            made.append((index, mutant, path))
        answers = self.verifier.verdicts([path for _, _, path in made])
        for (index, mutant, path), answer in zip(made, answers):
            counts.update(f"made {theme}" for theme in mutant.themes)
            verdict = answer.get("verdict", "error")
            counts[verdict] += 1
            counts["all"] += 1
            if verdict == "crash":
                findings.append(finding(index, mutant, {"signet": "no answer"}, answer))
            elif verdict == "passed":
                counts.update(f"passed {theme}" for theme in mutant.themes)
                chosen = [name for name in self.options.chosen
                          if name not in SLOW or index % self.options.sample == 0]
                wrong = self.deceived(mutant, path, answer, chosen, counts)
                if wrong and self.options.viewers and not self.verifier.viewers_pass(path):
                    counts["named by viewers"] += 1
                elif wrong:
                    findings.append(self.smallest(index, mutant, set(wrong)))
            path.unlink()
        return first, counts, findings

    def deceived(self, mutant, path, answer, names, counts):
        """What each deceived reader shows otherwise than it was signed."""
        found = {}
        shown = self.readers.show(names, path)
        before = self.readers.show_known(names, mutant.document, self.signed[mutant.document])
        for name in names:
            counts[f"compared {name}"] += 1
            counts[f"refused {name}"] += "error" in shown[name] and "error" not in before[name]
            wrong = compare.deception(shown[name], before[name], answer)
            if wrong:
                found[name] = f"{wrong}: {compare.described(shown[name])}"
        return found

    def smallest(self, index, mutant, names):
        """The finding without the odd choices that it does not need."""
        muted, path = set(), self.folder / "smallest.pdf"
        best = None
        for choice in (None, *range(mutant.count)):
            tried = self.mutant(index, muted | {choice})
            path.write_bytes(tried.data)
            answer = self.verifier.verdicts([path])[0]
            wrong = answer.get("verdict") == "passed" and self.deceived(
                tried, path, answer, self.options.chosen, collections.Counter())
            if wrong and names & set(wrong):
                muted.add(choice)
                best = finding(index, tried, wrong, answer)
        return best or finding(index, mutant, dict.fromkeys(names, "not again"), {})


def finding(index, mutant, wrong, answer):
    return {
        "number": index, "themes": mutant.themes, "document": mutant.document, "odd": mutant.odd,
        "steps": mutant.steps, "readers": wrong,
        "named": compare.named(answer)[0] if "signatures" in answer else "", "data": mutant.data}


def authority(path, kit):
    """The time-stamping authority whose certificates the documents' trust file knows."""
    if path.exists():
        data = path.read_bytes()
        return bases.Identity(
            serialization.load_pem_private_key(data, None), x509.load_pem_x509_certificate(data),
            kit.pki.root)
    path.write_bytes(kit.pki.tsa.key_pem + kit.pki.tsa.pem)
    return kit.pki.tsa


def prepare(options, folder, working):
    """The signed documents that pass; the same ones when the folder has them."""
    known = folder / "documents"
    names = known / "names.json"
    kit = bases.Kit(options.signet, working)
    options.trust_file = known / "trust.pem"
    if not names.exists():
        known.mkdir(parents=True, exist_ok=True)
        files = list(documents.all_documents(kit))
        files += shadows.signed(kit, options.seed, options.shadows)
        for path in sorted(options.signed.glob("**/*.pdf")) if options.signed else ():
            files.append((path.stem, path.read_bytes()))
        for index, (_, data) in enumerate(files):
            (known / f"{index}.pdf").write_bytes(data)
        options.trust_file.write_bytes(
            kit.pki.root.pem + (options.trust.read_bytes() if options.trust else b""))
        names.write_text(json.dumps([name for name, _ in files]))
    options.tsa = authority(known / "tsa.pem", kit)
    return passing(known, json.loads(names.read_text()), options)


def passing(known, names, options):
    """The documents that pass, as attackers see them; says which kinds do not."""
    paths = [known / f"{index}.pdf" for index in range(len(names))]
    answers = compare.Verifier(options.signet, options.trust_file).answers(paths)
    found, refused = [], collections.Counter()
    for name, path, answer in zip(names, paths, answers):
        if answer.get("verdict") != "passed":
            refused["shadow" if name.startswith("shadow") else name] += 1
            continue
        try:
            found.append(documents.describe(name, path.read_bytes()))
        except Exception as error:
            refused[f"{type(error).__name__} for {name}"] += 1
    print(f"differ: {len(found)} signed documents; without an honest pass: "
          + (", ".join(f"{count} {name}" for name, count in refused.items()) or "none"), flush=True)
    return found


def agree(options, found, working):
    """Findings: prepared documents that pass though readers disagree about them."""
    readers, findings = compare.Readers(options.chosen, working), []
    verifier = compare.Verifier(options.signet, options.trust_file)
    for document in found:
        if document.kind.startswith("shadow"):
            answers = readers.show_known(options.chosen, document.kind, document.data)
            wrong = compare.disagreement(answers)
            if wrong and not (options.viewers and verifier.viewers_disagree(working, document.data)):
                findings.append({
                    "number": len(findings), "themes": ["signed"], "document": document.kind,
                    "odd": document.kind.split()[1:], "readers": {"readers disagree": wrong},
                    "data": document.data})
    readers.stop()
    return findings


def start(options, found):
    Run.current = Run(options, found)


def work(first):
    return Run.current.chunk(first)


class Log:
    """The folder with state and findings."""

    def __init__(self, folder, options):
        self.folder, self.counts, self.next = folder, collections.Counter(), 0
        self.kinds = collections.Counter()
        self.state = folder / "state.json"
        (folder / "findings").mkdir(parents=True, exist_ok=True)
        if self.state.exists():
            known = json.loads(self.state.read_text())
            if known["seed"] != options.seed:
                sys.exit(f"differ: {folder} belongs to the seed {known['seed']}")
            self.next, self.counts = known["next"], collections.Counter(known["counts"])
            self.kinds = collections.Counter(known["kinds"])
        self.seed = options.seed

    def add(self, first, counts, findings):
        self.counts += counts
        self.next = first + CHUNK
        for found in findings:
            data = found.pop("data")
            names = sorted({step.split("=")[0] if not step.startswith("honest") else step
                            for step in found["odd"]})
            kind = f"{', '.join(sorted(found['readers']))}: {' '.join(names)}"
            self.kinds[kind] += 1
            self.counts["findings"] += 1
            if self.kinds[kind] > KEPT:
                continue
            name = f"{found['number']}.pdf"
            (self.folder / "findings" / name).write_bytes(data)
            with (self.folder / "findings.jsonl").open("a") as file:
                file.write(json.dumps({"file": f"findings/{name}", "kind": kind, **found}) + "\n")
        self.state.write_text(json.dumps({
            "seed": self.seed, "next": self.next, "counts": self.counts, "kinds": self.kinds}))

    def report(self, seconds):
        count = self.counts
        for theme in mutants.THEMES:
            if count[f"made {theme}"]:
                print(f"{theme:16} {count[f'made {theme}']:8} made {count[f'passed {theme}']:7} passed")
        for name in pool.names():
            if count[f"compared {name}"]:
                print(f"{name:16} {count[f'compared {name}']:8} compared"
                      f" {count[f'refused {name}']:6} refused")
        if count["named by viewers"]:
            print(f"{'--viewers':16} {count['named by viewers']:8} not passed")
        verdicts = ", ".join(
            f"{count[name]} {name}" for name in
            ("passed", "indeterminate", "failed", "unsigned", "error", "crash"))
        print(f"differ: {count['all']} mutants: {verdicts}; {count['findings']} findings; {seconds:.0f} s")


def run(options, folder, working):
    log = Log(folder, options)
    options.working = working
    found = prepare(options, folder, working)
    if not found:
        sys.exit("differ: no signed document passes")
    if log.next == 0:
        log.add(-CHUNK, collections.Counter(), agree(options, found, working))
    started = time.monotonic()
    chunks = range(log.next, options.count, CHUNK)
    with multiprocessing.get_context("fork").Pool(
            options.jobs, initializer=start, initargs=(options, found)) as workers:
        for number, result in enumerate(workers.imap(work, chunks), 1):
            log.add(*result)
            if number % 25 == 0:
                log.report(time.monotonic() - started)
                sys.stdout.flush()
            if options.seconds and time.monotonic() - started > options.seconds:
                break
    log.report(time.monotonic() - started)
    for kind, count in log.kinds.most_common(40):
        print(f"FOUND: {count} times {kind}")
    return 1 if log.kinds else 0


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, help="end after this time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(mutants.THEMES),
                        help="how mutants differ from correct updates (default: %(default)s)")
    parser.add_argument("--signed", type=pathlib.Path)
    parser.add_argument("--trust", type=pathlib.Path)
    parser.add_argument("--shadows", type=int, default=300)
    parser.add_argument("--sample", type=int, default=10, help="one mutant in N (default: 10)")
    parser.add_argument("--readers")
    parser.add_argument("--viewers", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args(arguments)
    options.themes = tuple(options.only.split(","))
    options.chosen = options.readers.split(",") if options.readers else pool.names()
    if not set(options.themes) <= set(mutants.THEMES):
        sys.exit(f"differ: themes are {', '.join(mutants.THEMES)}")
    if not options.chosen or not set(options.chosen) <= set(pool.names()):
        sys.exit(f"differ: readers that are installed: {', '.join(pool.names()) or 'none'}")
    with tempfile.TemporaryDirectory(prefix="signet-differ-") as working:
        return run(options, options.folder or pathlib.Path(working) / "log", pathlib.Path(working))
