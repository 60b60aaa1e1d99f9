"""usage: Scripts/corpus archive FOLDER [--foreign] [--signet BINARY] [--count N] [--verbose]

Signs N (20) unsigned PDFs at level B-LTA, of as many kinds as the MANIFEST.jsonl of FOLDER lists, with
the authorities of Scripts/lib/evidence_server.py. Signet must report B-LTA. pyHanko validates each by
the rules for past signatures (ETSI EN 319 102-1), today and in 2028, after the signing certificate
expired. The original must be a prefix. Files that cannot be signed, or that pyHanko cannot read, are
skipped and counted. The exit code is 1 if a result differs.

--foreign renews signed PDFs of FOLDER with archive timestamps by other programs (pyHanko, iText, DSS),
a few minutes after the newest timestamp, when their validation data is still valid. It uses a TSA of
that time and no other network access. All bytes and all entries of the document security store must be
kept. Files with too little validation data are refused, skipped and counted.
"""

import collections
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import command
from authorities import PYTHON, Authorities, on_day
from command import ROOT

LATER = "2028-06-01 12:00:00"


def judge(anchors, file, environment=None):
    command = [PYTHON, ROOT / "Scripts/lib/evidence_judge.py", anchors, file]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment).stdout.strip()


def archive(signet, authorities, source, output):
    """What is wrong with one file; None for nothing, the empty text where it is left out."""
    trust = authorities.trust
    signed = subprocess.run(
        [signet, "sign", source, "--new-field", "--level", "LTA", "-o", output, "--no-cache",
         "--tsa", authorities.address, *authorities.key, *trust], capture_output=True, text=True)
    if signed.returncode in (64, 65, 77):
        return ""
    if signed.returncode:
        return f"exit {signed.returncode}: {signed.stderr.strip()}"
    if not output.read_bytes().startswith(source.read_bytes()):
        return "the original was changed"
    verified = subprocess.run(
        [signet, "verify", output, "--require-level", "LTA", *trust],
        capture_output=True, text=True)
    # What readers show differently is indeterminate.
    if verified.returncode != (3 if "but the signature is indeterminate" in signed.stderr else 0):
        return f"signet: {verified.stdout.strip()}"
    words = [judge(authorities.path("anchors.pem"), output)]
    if words[0].startswith(("PdfReadError", "PdfKeyNotAvailableError")):
        return ""
    if shutil.which("faketime"):
        authorities.move_clock(LATER)
        words.append(judge(authorities.path("anchors.pem"), output, on_day(LATER)))
        authorities.move_clock()
    return None if all(word == "OK" for word in words) else "pyHanko: " + ", ".join(words)


class OldAuthority:
    """Gives timestamps as of any day since 2009."""

    def __init__(self, signet, folder):
        self.signet, self.folder = signet, folder
        subprocess.run(
            [signet, "key", "generate", "--no-passphrase", "-o", folder / "tsa.pem"], check=True,
            capture_output=True)
        subprocess.run(
            [signet, "cert", "create", "--profile", "tsa", "--key",
             folder / "tsa.pem", "--subject", "CN=Old TSA", "--days", "12000", "-o",
             folder / "tsa.crt"], check=True, capture_output=True, env=on_day("2009-01-01 00:00:00"))

    def serve(self, day):
        server = subprocess.Popen(
            [self.signet, "tsp", "serve", "--key", self.folder / "tsa.pem", "--cert",
             self.folder / "tsa.crt", "--listen", ":0"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env={**on_day(day), "XDG_DATA_HOME": str(self.folder)})
        words = server.stdout.readline().split()
        return server, words[-1].rstrip(".") if words else None


def renew(signet, authority, source, work):
    """The word for one file: `renewed`, or what is wrong; and whether that is a failure."""
    import foreign_archive
    try:
        known = foreign_archive.read(source)
    except Exception as error:  # pyHanko's, of many kinds
        return f"pyHanko cannot read it ({type(error).__name__})", False
    if known is None:
        return "no document timestamp", False
    roots, stamped = known
    (work / "roots.pem").write_bytes(roots + (work / "tsa.crt").read_bytes())
    day = (stamped + datetime.timedelta(minutes=5)).strftime("%Y-%m-%d %H:%M:%S")
    output = work / "renewed.pdf"
    output.unlink(missing_ok=True)
    server, address = authority.serve(day)
    if address is None:
        return f"no authority of that day: {day}", False
    try:
        renewed = subprocess.run(
            [signet, "extend", source, "--renew", "--offline", "--tsa", address,
             "--trust", work / "roots.pem", "-o", output], capture_output=True, text=True,
            env=on_day(day))
    finally:
        server.terminate()
        server.wait()
    if renewed.returncode:
        words = renewed.stderr.replace(str(source), "").split("signet: error: ")[-1]
        reason = f"exit {renewed.returncode}: {words.splitlines()[0].lstrip(': ')}"
        return reason, renewed.returncode not in (3, 4, 65, 69) or output.exists()
    if not output.read_bytes().startswith(source.read_bytes()):
        return "an old byte was changed", True
    gone = foreign_archive.lost(source, output)
    return (f"the store lost {gone}", True) if gone else ("renewed", False)


def renew_all(options):
    if not shutil.which("faketime"):
        sys.exit("corpus archive: --foreign needs faketime")
    makers, words, failures = collections.Counter(), collections.Counter(), []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        authority = OldAuthority(options.signet, work)
        for file in sorted((options.folder / "pdf/signed").glob("*.pdf")):
            data = file.read_bytes()
            if b"ETSI.RFC3161" not in data and b"/DocTimeStamp" not in data:
                continue
            word, is_failure = renew(options.signet, authority, file, work)
            if options.verbose:
                print(file.name, word, flush=True)
            words[word.split(":")[0]] += 1
            if word == "renewed":
                makers[file.name.split("-")[0]] += 1
            if is_failure:
                failures.append(f"{file.name}: {word}")
    for failure in failures:
        print(failure)
    print("renewed: " + (", ".join(f"{count} of {maker}" for maker, count in makers.items()) or "0"))
    print("; ".join(f"{count} {word}" for word, count in words.most_common()))
    return 1 if failures or not makers else 0


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--foreign", action="store_true")
    options = parser.parse_args(arguments)
    if options.foreign:
        return renew_all(options)
    lines = (options.folder / "MANIFEST.jsonl").read_text().splitlines()
    files = [file for file in map(json.loads, lines)
             if file["file"].startswith("pdf/unsigned/") and file["size"] < 2_000_000
             and not file.get("password")]
    # One of each kind first, then a second of each, and so on.
    ranks = {}
    for file in files:
        ranks[file["kind"]] = file["rank"] = ranks.get(file["kind"], -1) + 1
    files.sort(key=lambda file: (file["rank"], file["kind"]))
    kinds, good, refused, failures = set(), 0, 0, []
    with tempfile.TemporaryDirectory() as work, Authorities(pathlib.Path(work)) as authorities:
        for file in files:
            if good + len(failures) == options.count:
                break
            output = pathlib.Path(work) / "out.pdf"
            output.unlink(missing_ok=True)
            wrong = archive(
                options.signet, authorities, options.folder / file["file"], output)
            if options.verbose:
                print(file["kind"], file["file"], "good" if wrong is None else wrong or "left out",
                      flush=True)
            if wrong is None:
                good += 1
                kinds.add(file["kind"])
            elif wrong:
                failures.append(f"{file['file']}: {wrong}")
            else:
                refused += 1
    for failure in failures:
        print(failure)
    print(f"{good} files of {len(kinds)} kinds good, {refused} left out, {len(failures)} failed")
    return 1 if failures or not good else 0

