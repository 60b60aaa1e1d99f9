"""usage: Scripts/endure faults [--only PATTERN] [--seconds N] [--jobs N] [--journal FILE] [--signet BINARY]

Makes every system call of every command fail, or ends the process there with SIGTERM or SIGKILL, one at
a time (strace). Then it checks the exit code, that outputs are complete or absent, that inputs and
existing files are unchanged, that no temporary files remain, that the identity store is valid, and that
the next command works. Prints each failed case, then totals; the exit code is 1 if a case failed.

--seconds limits the run to a sample, always in the same order. --journal records each case and skips
cases that are recorded for the same binary, so that a long run can be interrupted.
"""

import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import command
from endure.case import CANNOT_FAIL, Case, Trial, environment, trace
from endure.commands import COMMANDS, Kit

FAULTS = ("error", "TERM", "KILL")


def matrix(kit, folder, pattern, jobs):
    """All cases, in an order that mixes them and is always the same."""
    commands = [each for each in COMMANDS if fnmatch.fnmatch(each.name, pattern)]

    def cases(command):
        calls = trace(kit, command, folder / f"trace-{command.name}", environment)
        return [
            Case(command, call, number, fault, in_main)
            for call, number, in_main in calls for fault in FAULTS
            if fault != "error" or call not in CANNOT_FAIL]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = [case for some in pool.map(cases, commands) for case in some]
    return sorted(found, key=lambda case: hashlib.sha256(case.id.encode()).digest())


class Journal:
    """What was tried on this binary."""

    def __init__(self, path, signet):
        self.path = path
        self.lock = threading.Lock()
        self.binary = hashlib.sha256(pathlib.Path(signet).read_bytes()).hexdigest()[:16]
        self.known = {}
        if path and path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                if entry["binary"] == self.binary:
                    self.known[entry["case"]] = entry["wrong"]

    def note(self, case, wrong):
        with self.lock:
            self.known[case] = wrong
            if self.path:
                with open(self.path, "a") as file:
                    entry = {"binary": self.binary, "case": case, "wrong": wrong}
                    file.write(json.dumps(entry) + "\n")


def report(tried, everything):
    """Counts by command and fault."""
    table = collections.defaultdict(collections.Counter)
    for case, wrong in tried.items():
        name, _, _, fault = case.split("/")
        table[name][fault] += 1
        table[name]["wrong"] += bool(wrong)
    columns = (*FAULTS, "wrong")
    print(f"{'command':22}" + "".join(f"{column:>8}" for column in columns))
    for name in sorted(table):
        print(f"{name:22}" + "".join(f"{table[name][column]:8}" for column in columns))
    wrong = sum(map(bool, tried.values()))
    print(f"{len(tried)} of {everything} cases tried, {wrong} wrong")
    return wrong


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("--only", default="*", metavar="PATTERN")
    parser.add_argument("--seconds", type=float, default=float("inf"), metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N")
    parser.add_argument("--journal", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if not shutil.which("strace"):
        sys.exit("faults: strace is missing (Debian package strace)")
    signet = str(options.signet)
    end = time.monotonic() + options.seconds
    journal = Journal(options.journal, signet)
    memory = pathlib.Path("/dev/shm")
    with tempfile.TemporaryDirectory(
            prefix="signet-faults-", dir=memory if memory.is_dir() else None) as name:
        folder = pathlib.Path(name)
        kit = Kit(signet, folder / "kit")
        try:
            cases = matrix(kit, folder, options.only, options.jobs)
            wanted = {case.id for case in cases}

            def try_one(numbered):
                number, case = numbered
                if case.id in journal.known or time.monotonic() > end:
                    return
                wrong = Trial(kit, case, folder / f"case-{number}", environment).run()
                journal.note(case.id, wrong)
                for line in wrong:
                    print(f"{case.id}: {line.strip()}", flush=True)
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(try_one, enumerate(cases)))
        finally:
            kit.close()
        tried = {case: wrong for case, wrong in journal.known.items() if case in wanted}
        return 1 if report(tried, len(cases)) else 0
