"""usage: Scripts/corpus lists LISTS [--corpus DIR] [--octets] [--signet BINARY]

Updates and reads published trusted lists in LISTS, from the tests of DSS and pyHanko: the list of
trusted lists of October 2023 with its national lists (files http*), and later lists (ph-*). It compares
the trusted lists, and the reasons for rejecting others, with the expected ones. --corpus also checks the
qualification of some signed files. --octets compares the canonical octets of all lists with those of
xmlsec1 and lxml. The exit code is 1 if a result differs.
"""

import json
import os
import pathlib
import subprocess
import tempfile

import command
from command import ROOT

SNAPSHOT = "http*"
LATER = [f"ph-eu-lotl-pivot-{number}.xml" for number in (341, 335, 300, 282)]
# Lists, options, exit code, and what is said.
UPDATES = [
    ("2023, two pivots", [SNAPSHOT], [], 69, "(LOTL) 332, verified with OJ C 276, 16.8.2019 via 2"),
    ("2023, no list of DE", [SNAPSHOT], [], 69, "contains no trusted list of DE"),
    ("2025, no pivots", ["ph-eu-lotl-old.xml"], [], 66, "eu-lotl-pivot-341.xml is needed"),
    ("2025, four pivots", ["ph-eu-lotl-old.xml", *LATER], [], 69, "with OJ C 276, 16.8.2019 via 4"),
    ("BE of 2025", ["ph-eu-lotl-old.xml", *LATER, "ph-tsl-be-old.xml"], ["--territory", "BE"], 0,
     "BE: list 74"),
    ("BE of 2026 under the list of lists of 2025", ["ph-eu-lotl-old.xml", *LATER, "ph-tsl-be-v6.xml"],
     ["--territory", "BE"], 69, "is not listed in LOTL 369"),
    ("2026, no pivot needed", ["ph-eu-lotl.xml", "ph-tsl-be-v6.xml"], ["--territory", "BE"], 0,
     "(LOTL) 388, verified with OJ C, C/2026/1944\n"),
    ("2026 is out of date", ["ph-eu-lotl.xml"], [], 69, "the list of trusted lists (LOTL) is out of date"),
    ("Peru", ["peru-lotl.xml"], [], None, "error"),
    ("test lists of DSS", ["lotl_test_OJ_1_pivot_03.xml"], [], None, "error"),
]
# Signed files at the end of October 2023: level, country of the service, whether the timestamp is
# qualified (None: nothing is said).
LEVELS = {
    "dss-Signature-P-LT-ef971596-8f2e-407d-a413-aae9cb9b8e4a": ("QESig", "LU", True),
    "dss-fieldmdp-exclude-signed": ("QESig", "PT", True),
    "dss-pdf-self-issued-ocsp": ("N/A", None, False),
    "dss-TestToSignPDFSHA256_TST_SIG_NOT_FOUND": ("QESig", "PL", True),
    "dss-encrypted": ("Indeterminate AdESeal-QC", "CZ", None),
    "dss-Signature-P-HU_MIC-3": ("Indeterminate QESig", "HU", False),
}


def updates(options, work):
    for number, (name, patterns, arguments, code, words) in enumerate(UPDATES):
        folder = work / str(number)
        folder.mkdir()
        for pattern in patterns:
            found = sorted(options.lists.glob(pattern))
            if not found:
                yield f"{name}: there is no {pattern}"
            for file in found:
                (folder / file.name).symlink_to(file.resolve())
        run = subprocess.run(
            [options.signet, "trust", "update", "--from", folder, *arguments], text=True,
            capture_output=True, timeout=120,
            env={**os.environ, "XDG_DATA_HOME": str(work / f"data{number}")})
        said = run.stdout + run.stderr
        if words not in said or run.returncode != code and (code is not None or run.returncode == 0):
            yield f"{name}: exit {run.returncode}: {said[-300:]}"


def levels(options, work):
    folder = work / "2023"
    folder.mkdir()
    for file in options.lists.glob(SNAPSHOT):
        (folder / file.name).symlink_to(file.resolve())
    for name, (level, country, stamped) in LEVELS.items():
        file = next(options.corpus.rglob(f"{name}.pdf"), None)
        if file is None:
            yield f"{name}: not in the corpus"
            continue
        run = subprocess.run(
            [options.signet, "verify", file, "--trust-list", folder, "--at-time",
             "2023-10-30T00:00:00Z", "--json"], text=True, capture_output=True, timeout=120)
        signature = json.loads(run.stdout)["signatures"][0]
        found = signature["qualification"]
        service = found["service"] and found["service"]["territory"]
        stamp = (signature["timestamp"] or {}).get("qualification") or {}
        answer = (found["level"], service, stamp.get("qualified"))
        if answer != (level, country, stamped):
            yield f"{name}: {answer}"


def octets(options):
    run = subprocess.run(
        ["swift", "test", "--filter", "SignedListTests/agreesWithOtherPrograms"], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "SIGNET_TRUST_LISTS": str(options.lists.resolve())})
    counted = [line for line in run.stdout.splitlines() if ": by all" in line or " the octets " in line]
    print("\n".join(counted))
    if run.returncode or not counted:
        yield f"canonical octets: {run.stdout[-1000:]}"


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("lists", type=pathlib.Path)
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--octets", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        wrong = list(updates(options, work))
        count = len(UPDATES)
        if options.corpus:
            wrong += levels(options, work)
            count += len(LEVELS)
        if options.octets:
            wrong += octets(options)
            count += 1
    print("\n".join(wrong + [f"{count} answers, {len(wrong)} of them wrong"]))
    return 1 if wrong else 0
