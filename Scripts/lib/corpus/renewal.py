"""usage: Scripts/corpus renewal [COUNT] [--signet BINARY]

Creates an archive of COUNT (1000) PDFs at level B-LTA, every tenth with a timestamp whose TSA certificate
expires soon, and runs `extend --renew --within 60d`. Measures the time per skipped and renewed file,
and kills the command (SIGKILL) in the middle and runs it again. Then every file must begin with its
previous bytes, have one more timestamp only if it was due, and verify at B-LTA. The exit code is 1
otherwise. The authorities are those of Scripts/lib/evidence_server.py, on a fixed day.
"""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import command
from authorities import Authorities, on_day
from command import ROOT

DAY = "2026-11-22 12:00:00"
LETTER = ROOT / "TestVectors/pdf/handmade/letter.pdf"


class Archive:
    def __init__(self, signet, folder, authorities, count):
        self.signet, self.authorities, self.count = signet, authorities, count
        self.folder = folder / "archive"
        self.environment = {**on_day(DAY), "XDG_CACHE_HOME": str(folder / "cache")}
        self.log = folder / "journal"
        authorities.move_clock(DAY)

    def run(self, *arguments):
        return subprocess.run(
            [self.signet, *arguments], env=self.environment, capture_output=True, text=True)

    def fill(self, folder):
        """Signs a few files, of which the others are copies; every tenth is due."""
        folder.mkdir()
        self.folder.mkdir()
        for number in range(10):
            source, tsa = folder / f"{number}.pdf", "tsa-soon" if number == 9 else "tsa"
            source.write_bytes(LETTER.read_bytes())
            made = self.run(
                "sign", source, "--in-place", "--level", "LTA", "--tsa",
                self.authorities.authority(tsa), *self.authorities.key, *self.authorities.trust)
            if made.returncode:
                sys.exit(f"corpus renewal: {made.stderr.splitlines()[0]}")
        for number in range(self.count):
            (self.folder / f"{number:05}.pdf").write_bytes(
                (folder / f"{number % 10}.pdf").read_bytes())
        self.authorities.requests()

    def renewal(self, within="60d"):
        return [
            "extend", str(self.folder), "--recursive", "--renew", "--within", within, "--in-place",
            "--json", "--tsa", self.authorities.address, *self.authorities.trust]

    def contents(self):
        return {file.name: file.read_bytes() for file in sorted(self.folder.glob("*.pdf"))}

    def killed(self, after):
        """Renews, and is killed when so many files were."""
        before = {file: file.stat().st_size for file in self.folder.glob("*.pdf")}
        process = subprocess.Popen(
            [self.signet, *self.renewal()], env=self.environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if sum(file.stat().st_size > size for file, size in before.items()) >= after:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.01)
        return sum(file.stat().st_size > size for file, size in before.items())


def stamps(data):
    return data.count(b"/Type /DocTimeStamp") + data.count(b"/Type/DocTimeStamp")


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    options = parser.parse_args(arguments)
    wrong = []
    with tempfile.TemporaryDirectory() as work, Authorities(pathlib.Path(work)) as authorities:
        archive = Archive(options.signet, pathlib.Path(work), authorities, options.count)
        archive.fill(pathlib.Path(work) / "in")
        due = options.count // 10
        before = archive.contents()

        began = time.monotonic()
        looked = archive.run(*archive.renewal("1d"))
        took = time.monotonic() - began
        print(f"left alone: {options.count} files in {took:.2f} s, "
              f"{1000 * took / options.count:.2f} ms a file")
        if looked.returncode or authorities.requests() or archive.contents() != before:
            wrong.append("what is not due was not left alone")

        half = archive.killed(due // 2)
        unfinished = [name for name in archive.folder.iterdir() if name.suffix != ".pdf"]
        print(f"killed: {half} of {due} were renewed, {len(unfinished)} other files left")
        for name, data in archive.contents().items():
            if not data.startswith(before[name]):
                wrong.append(f"{name}: lost bytes when killed")
        authorities.requests()

        began = time.monotonic()
        again = archive.run(*archive.renewal())
        took = time.monotonic() - began
        requests = authorities.requests()
        print(f"run again: {due - half} renewed in {took:.2f} s, {len(requests)} requests")
        if again.returncode:
            wrong.append(f"exit {again.returncode}: {again.stderr.strip().splitlines()[-1]}")
        after = archive.contents()
        growth = [len(after[name]) - len(before[name]) for name in after
                  if after[name] != before[name]]
        print(f"a renewal adds {max(growth, default=0)} bytes at most")
        for index, (name, data) in enumerate(after.items()):
            is_due = index % 10 == 9
            if not data.startswith(before[name]) or stamps(data) != 1 + is_due:
                wrong.append(f"{name}: {stamps(data)} timestamps")
        if [name for name in archive.folder.iterdir() if name.suffix != ".pdf"]:
            wrong.append("temporary files are left")
        verified = archive.run(
            "verify", str(archive.folder), "--recursive", "--require-level", "LTA", "--quiet",
            *authorities.trust)
        if verified.returncode:
            wrong.append(f"verify ends with {verified.returncode}")
    for line in wrong[:20]:
        print(line)
    print("corpus renewal: " + (f"{len(wrong)} wrong" if wrong else "nothing lost"))
    return 1 if wrong else 0

