"""Asks the program which mutants pass, and the readers what those show."""

import collections
import json
import re
import subprocess

from readers import pool

# One run of the program takes so many files.
BATCH_SECONDS = 300
# What differs between two answers of one reader without anybody being deceived.
SHOWN = ("pages", "text", "picture", "bare", "printed", "fields", "acts")
# Changes with which annotations may look different.
LOOKS = {"form-filling", "annotations"}


class Verifier:
    """`signet verify` with one trust anchor."""

    def __init__(self, signet, trust):
        self.signet, self.trust = str(signet), str(trust)

    def verdicts(self, paths):
        """The JSON of each file with --require-unchanged, or without it where only so it may pass."""
        answers = self.answers(paths, "--require-unchanged")
        changed = [index for index, answer in enumerate(answers)
                   if answer.get("verdict") == "indeterminate"]
        for index, answer in zip(changed, self.answers([paths[index] for index in changed])):
            answers[index] = answer
        return answers

    def answers(self, paths, *options):
        """The JSON of each file; {"verdict": "crash"} where the program ended without one."""
        if not paths:
            return []
        try:
            done = subprocess.run(
                [self.signet, "verify", "--json", "--trust", self.trust, *options, *map(str, paths)],
                capture_output=True, timeout=BATCH_SECONDS, stdin=subprocess.DEVNULL)
            lines = done.stdout.splitlines()
        except subprocess.TimeoutExpired:
            lines = []
        if len(lines) == len(paths):
            return [json.loads(line) for line in lines]
        if len(paths) == 1:
            return [{"verdict": "crash"}]
        half = len(paths) // 2
        return self.answers(paths[:half], *options) + self.answers(paths[half:], *options)

    def with_viewers(self, path):
        """The JSON of `verify --viewers` of one file."""
        done = subprocess.run(
            [self.signet, "verify", "--json", "--viewers", "--trust", self.trust, path],
            capture_output=True, timeout=BATCH_SECONDS, stdin=subprocess.DEVNULL)
        return json.loads(done.stdout or b"{}")

    def viewers_pass(self, path):
        return self.with_viewers(path).get("verdict") == "passed"

    def viewers_disagree(self, folder, data):
        """Whether `verify --viewers` notes that viewers show a document differently."""
        path = folder / "disputed.pdf"
        path.write_bytes(data)
        notes = self.with_viewers(path).get("viewers", {}).get("notes", [])
        return any("is displayed differently in" in note for note in notes)


class Readers:
    """What readers show."""

    def __init__(self, names, folder):
        self.readers = {name: pool.Reader(name) for name in names}
        self.folder, self.known = folder, {}

    def show(self, names, path):
        """The answers by name, of readers that read at the same time."""
        for name in names:
            self.readers[name].ask(path)
        return {name: self.readers[name].answer() for name in names}

    def show_known(self, names, kind, data):
        """The same of a document that comes again, under a name of its own."""
        new = [name for name in names if (kind, name) not in self.known]
        if new:
            path = self.folder / "known.pdf"
            path.write_bytes(data)
            self.known.update({
                (kind, name): shown for name, shown in self.show(new, path).items()})
        return {name: self.known[kind, name] for name in names}

    def stop(self):
        for reader in self.readers.values():
            reader.stop()


def named(answer):
    """(all that the answer says of later changes, their kinds) in words."""
    words = list(answer.get("warnings", []))
    for signature in answer["signatures"]:
        words += signature["changesDetail"]
    return " ".join(words), {signature["changes"] for signature in answer["signatures"]}


def words_of(shown):
    return collections.Counter(word for text in shown.get("text", []) for word in (text or "").split())


def deception(shown, signed, answer):
    """What a reader shows that is neither signed nor named, or None."""
    if shown.get("error"):
        return None
    if signed.get("error"):
        return "shows what it refused when it was signed"
    differing = [key for key in SHOWN if key in shown and key in signed
                 and shown[key] != signed[key]]
    if not differing:
        return None
    text, kinds = named(answer)
    if not kinds & LOOKS:
        return f"{', '.join(differing)} differ"
    annotated = re.search(r"annotation|was hidden|was added", text)
    if {"pages", "acts", *([] if annotated else ["bare"])} & set(differing):
        return f"{', '.join(differing)} differ, which no filling does"
    before, after = words_of(shown), words_of(signed)
    if "text" not in shown or "text" not in signed:
        before = after
    new = [word for word in (before - after) + (after - before) if word not in text]
    if new and not annotated:
        return f"words differ that nobody named: {' '.join(new)[:80]}"
    for name in set(shown.get("fields", {})) | set(signed.get("fields", {})):
        if shown.get("fields", {}).get(name) != signed.get("fields", {}).get(name) and name not in text:
            return f"field {name!r} differs, which nobody named"
    return None


def disagreement(answers):
    """Which readers show a forged word that others do not show; None when they agree."""
    shown = {name: "EVIL" in json.dumps(answer["text"]) for name, answer in answers.items()
             if "text" in answer}
    if len(set(shown.values())) < 2:
        return None
    return "forged words by " + ", ".join(name for name, forged in shown.items() if forged)


def described(shown):
    """A reader's answer in few words."""
    if shown.get("error"):
        return shown["error"]
    text = re.sub(r"\s+", " ", " | ".join(text or "" for text in shown.get("text", [])))
    return f"{shown['pages']} pages: {text[:120]}"
