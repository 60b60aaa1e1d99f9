"""usage: Scripts/attacks published [FOLDER] [--only PATTERN] [--each N] [--signet BINARY] [--verbose]
       Scripts/attacks published --cases FILE... [--signet BINARY] [--verbose]

Creates the published attacks on signed PDFs, CMS files and timestamps from documents signed by this
binary, and signatures of every level in every state (Scripts/lib/attacks/truth.py). Verifies each file,
and compares exit code and sub-indication with the expected ones. FOLDER keeps the files and
manifest.json. PATTERN selects by id and variant: 'SHD-*'; --each uses at most N variants per id, spread
over all. The exit code is 1 if a result differs, a valid document does not pass, or an attack does not
display what it claims.

--cases runs catalogs of other files instead (format: Scripts/lib/attacks/catalogue.py). Files of kind
`limit` may use at most 2 s of CPU time and 200 MB.
"""

import collections
import fnmatch
import json
import pathlib
import sys
import tempfile

import command
from attacks import (
    appearance, bases, behind, byterange, catalogue, certification, ciphers, cms, contents,
    crossreference, crowds, drifts, dss, evidence, glyphs, guises, holders,
    incremental, leads, limits, looks, pkcs7, readings, recovery, roles, shadow, sharing,
    surroundings, timestamps, truth, unsigned, walks, witnessed, wrapping)
from attacks.case import PASSED
from attacks.judge import Judge

FAMILIES = (
    unsigned, incremental, behind, wrapping, byterange, contents, shadow, roles, certification,
    appearance, looks, glyphs, drifts, guises, readings, crossreference, recovery,
    leads, ciphers, cms, pkcs7, timestamps, dss, evidence, holders, limits, crowds, sharing, walks,
    surroundings, truth)


def manifest(cases):
    return [
        {"id": case.id, "variant": case.variant, "file": case.name + case.suffix,
         "about": case.about, "command": list(case.command),
         "options": list(map(str, case.options)),
         "expected": [
             {"exit": code, "subindications": names}
             for code, names in case.expect.outcomes.items()]}
        for case in cases]


def check_bases(judge):
    """Honest documents must pass, else a refusal of their attacked forms proves nothing."""
    failures = []
    for case in bases.honest(judge.kit):
        seen, wrong = judge.judge(case)
        if wrong:
            failures.append(f"{case.name}: {seen}: {wrong}")
    if failures:
        sys.exit("attacks: honest documents do not pass:\n  " + "\n  ".join(failures))


def spread(cases, most):
    """At most so many cases of each id, the first and last among them."""
    rows = collections.defaultdict(list)
    for case in cases:
        rows[case.id].append(case)
    return [
        row[index] for row in rows.values()
        for index in sorted({n * (len(row) - 1) // max(1, most - 1) for n in range(most)})]


def run(judge, options):
    cases = [
        witnessed.relabelled(case)
        for family in FAMILIES for case in family.cases(judge.kit)
        if fnmatch.fnmatch(case.name, options.only) or fnmatch.fnmatch(case.id, options.only)]
    if options.each:
        cases = spread(cases, options.each)
    names = collections.Counter(case.name for case in cases)
    doubled = [name for name, count in names.items() if count > 1]
    if doubled:
        sys.exit(f"attacks: the same name twice: {', '.join(doubled)}")
    (judge.folder / "manifest.json").write_text(json.dumps(manifest(cases), indent=1) + "\n")
    answers = judge.all(cases)
    rows, passed, deviations = {}, [], []
    if judge.kit.listener and judge.kit.listener.count:
        deviations.append(
            f"PATH-1: {judge.kit.listener.count} connections to a place that a file names")
    for case, (seen, wrong) in zip(cases, answers):
        row = rows.setdefault(case.id, collections.Counter())
        row["deviating" if wrong else "as expected"] += 1
        if wrong:
            deviations.append(f"{case.name}: {seen}\n    {wrong}\n    {case.about}")
            if seen.startswith("exit 0") and PASSED not in case.expect.outcomes:
                passed.append(case.name)
        if options.verbose and not wrong:
            print(f"{case.name}: {seen}")
    for name, row in rows.items():
        print(f"{name:12} " + ", ".join(f"{count} {what}" for what, count in row.items()))
    for line in deviations:
        print(line)
    print(f"attacks: {len(cases)} files, {len(cases) - len(deviations)} as expected, "
          f"{len(deviations)} deviating, {len(passed)} wrongly passed")
    for name in passed:
        print(f"PASSED: {name}")
    return 1 if deviations or not cases else 0


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--cases", metavar="FILE", nargs="+", default=[])
    parser.add_argument("--only", default="*")
    parser.add_argument("--each", type=int, metavar="N")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    if options.cases:
        deviating = catalogue.run(options.cases, options.signet, options.verbose)
        return 1 if deviating else 0
    with tempfile.TemporaryDirectory(prefix="signet-attacks-") as working:
        folder = options.folder or pathlib.Path(working) / "files"
        folder.mkdir(parents=True, exist_ok=True)
        judge = Judge(bases.Kit(options.signet, working), folder)
        check_bases(judge)
        return run(judge, options)
