"""Shared by the kinds of corpora: programs with a time limit, manifests, and counts by outcome."""

import collections
import fnmatch
import json
import os
import signal
import subprocess
import sys

TIMEOUT_SECONDS = 120


class Run:
    """The outcome of one command; `code` is None after a timeout."""

    def __init__(self, arguments, environment=None):
        try:
            done = subprocess.run(
                [str(a) for a in arguments], capture_output=True, timeout=TIMEOUT_SECONDS,
                stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
            self.code, self.raw, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.code, self.raw, self.err = None, b"", b"timeout"
        self.out, self.err = (data.decode("utf-8", "replace") for data in (self.raw, self.err))

    def ending(self):
        if self.code is None:
            return f"no end after {TIMEOUT_SECONDS} s"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}"
        return f"exit {self.code}"

    def says(self):
        """The program's own error line; hints follow it."""
        lines = [line for line in self.err.splitlines() if line.startswith("signet: error")]
        return (lines or self.err.splitlines() or [""])[0].removeprefix("signet: error: ")

    def json(self):
        return [json.loads(line) for line in self.out.splitlines()]


def last_line(run):
    lines = [line for line in (run.err or run.out).splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def manifest(folder, prefix, pattern):
    """(entry, path) of each file of a corpus below `prefix`."""
    list_of_files = folder / "MANIFEST.jsonl"
    if not list_of_files.is_file():
        sys.exit(f"corpus: {folder} has no MANIFEST.jsonl, which says what to expect")
    for entry in map(json.loads, list_of_files.read_text().splitlines()):
        if entry["file"].startswith(prefix) and fnmatch.fnmatch(entry["file"], pattern):
            yield entry, folder / entry["file"]


def anchor(folder):
    """A trust anchor that no file leads to."""
    key, certificate = folder / "anchor-key.pem", folder / "anchor.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-subj", "/CN=Nobody", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate


class Tally:
    """Outcomes by group: ok, failed, argued (another answer, for a reason), open (no expectation)."""

    def __init__(self, verbose):
        self.verbose, self.counts = verbose, collections.defaultdict(collections.Counter)
        self.failures, self.open = [], []

    def note(self, group, result, line):
        self.counts[group][result] += 1
        if result == "failed":
            self.failures.append(line)
        elif result in ("argued", "open"):
            self.open.append(line)
        if self.verbose:
            print(f"{result:7} {line}")

    def report(self):
        """Prints the outcomes; the exit code."""
        for group, counts in sorted(self.counts.items()):
            print(f"{group:29} " + ", ".join(f"{n} {r}" for r, n in sorted(counts.items())))
        if not self.counts:
            print("corpus: the manifest names no file of that kind")
        for title, lines in (("unlike the manifest, or open", self.open), ("FAILED", self.failures)):
            if lines:
                print(f"\n{title}:\n  " + "\n  ".join(lines))
        return 1 if self.failures or not self.counts else 0
