"""Runs catalogues of files made elsewhere, one JSON line each, and measures what they cost.

A line names a file and options for `verify`, {"file", "kind", "options", "expect"}, or all of the
arguments, {"id", "args", "expect"}; paths are relative to the catalogue. `expect` is `passed`
(exit 0), `not-passed` (3 or 4; where all arguments are given also a refusal, 64 to 66), or
`limit`, any of these answers within SECONDS of processor time and MEGABYTES of memory.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import resource
import subprocess
import tempfile

SECONDS, MEGABYTES = 2.0, 200
# The program is stopped after this many seconds of processor time.
PATIENCE = 20
ANSWERS = {"passed": {0}, "not-passed": {3, 4}, "limit": {0, 3, 4, 5, 65}}
REFUSALS = {64, 65, 66}


def measured(arguments, folder):
    """(exit code or None when it was stopped, seconds of processor time, MB at most, output)."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(
            arguments, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (PATIENCE, PATIENCE))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read(4000).decode(errors="replace")
    code = child.returncode if child.returncode >= 0 else None
    return code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def complaint(case, code, seconds, megabytes):
    """What is wrong with an answer, or None."""
    if code is None:
        return f"stopped or killed after {seconds:.1f} s of processor time"
    allowed = ANSWERS[case["expect"]]
    if "args" in case and case["expect"] == "not-passed":
        allowed = allowed | REFUSALS
    if code not in allowed:
        return f"exit {code}, expected {case['expect']}"
    if case["expect"] != "limit":
        return None
    if seconds > SECONDS:
        return f"{seconds:.1f} s of processor time, more than {SECONDS:.0f}"
    if megabytes > MEGABYTES:
        return f"{megabytes:.0f} MB, more than {MEGABYTES}"
    return None


def judge(signet, folder, case):
    arguments = case.get("args") or ["verify", case["file"], *case["options"]]
    code, seconds, megabytes, text = measured([signet, *arguments], folder)
    return complaint(case, code, seconds, megabytes), text


def run(paths, signet, verbose):
    """Prints what deviates; the number of deviations."""
    deviating = 0
    for path in map(pathlib.Path, paths):
        cases = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        folder = path.resolve().parent
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            answers = list(pool.map(lambda case: judge(signet, folder, case), cases))
        rows = collections.defaultdict(collections.Counter)
        for case, (wrong, text) in zip(cases, answers):
            rows[case.get("kind", case["expect"])]["deviating" if wrong else "as expected"] += 1
            if wrong:
                print(f"{case.get('id') or case['file']}: {wrong}")
                if verbose:
                    print("    " + text.strip().replace("\n", "\n    "))
        for kind, row in rows.items():
            print(f"{path}: {kind}: " + ", ".join(f"{n} {what}" for what, n in row.items()))
        deviating += sum(row["deviating"] for row in rows.values())
        print(f"{path}: {len(cases)} cases, {sum(r['deviating'] for r in rows.values())} deviating")
    return deviating
