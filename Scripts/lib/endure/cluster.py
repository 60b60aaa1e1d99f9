"""usage: Scripts/endure cluster [--files N] [--signet BINARY] [--dir DIR]

Runs the job array of the batch guide as Slurm does, with eight parts in parallel over N files (default:
2000). It kills one part and starts it again: every file must be signed exactly once. The Kubernetes
job is only checked against its schema (PyPI: kubernetes-validate).
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import command
import pdf_fixtures
from command import PYTHON, ROOT

PARTS = 8
KILLED = 3
GUIDE = ROOT / "Sources/SignetKit/SignetKit.docc/Guides/Batches.md"


def example(language, path):
    """Writes the guide's code block in a language to a file."""
    block = re.search(rf"^```{language}\n(.*?)^```", GUIDE.read_text(), re.DOTALL | re.MULTILINE)
    path.write_text(block[1])
    return path


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--dir", default=tempfile.gettempdir())
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        check_manifest(pathlib.Path(name))
        run(pathlib.Path(name), options)


def check_manifest(folder):
    if not PYTHON.exists():
        sys.exit("endure cluster: no .venv: run Scripts/test once")
    if subprocess.run([PYTHON, "-c", "import kubernetes_validate"], capture_output=True).returncode:
        subprocess.run([PYTHON, "-m", "pip", "install", "-q", "kubernetes-validate"], check=True)
    job = example("yaml", folder / "kubernetes.yaml")
    subprocess.run([PYTHON.parent / "kubernetes-validate", "--strict", job], check=True)


def run(folder, options):
    (folder / "in").mkdir()
    for number in range(options.files):
        pdf_fixtures.letter(folder / f"in/{number}.pdf", size=20_480)
    signet = options.signet
    for arguments in (
        ["key", "generate", "-o", folder / "k.pem", "--type", "rsa:2048", "--no-passphrase"],
        ["cert", "create", "--key", folder / "k.pem", "--subject", "CN=Cluster", "-o",
         folder / "c.pem"],
    ):
        subprocess.run([signet, *arguments], check=True, capture_output=True)
    job = example("sh", folder / "job")

    def part(number):
        return subprocess.Popen(["/bin/sh", job], env={
            **os.environ, "SIGNET": str(signet), "IN": f"{folder}/in", "OUT": f"{folder}/out",
            "KEY": f"{folder}/k.pem", "CERT": f"{folder}/c.pem",
            "SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": str(PARTS)})

    parts = {number: part(number) for number in range(1, PARTS + 1)}
    journal = folder / f"out.journal.{KILLED}"
    while parts[KILLED].poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > 20:
            parts[KILLED].kill()
            break
        time.sleep(0.01)
    if parts[KILLED].wait() >= 0:
        sys.exit(f"endure cluster: part {KILLED} was done before it could be killed: give more --files")
    print(f"part {KILLED} killed after {journal.read_bytes().count(10)} lines of its journal")
    parts[KILLED] = part(KILLED)
    for number, process in parts.items():
        if process.wait():
            sys.exit(f"endure cluster: part {number}: exit {process.returncode}")

    done = collections.Counter()
    for path in sorted(folder.glob("out.journal.*")):
        entries = [json.loads(line) for line in path.read_text().splitlines() if line]
        done.update(entry["input"] for entry in entries if entry["outcome"] == "done")
    wanted = {f"{number}.signed.pdf" for number in range(options.files)}
    outputs = {path.name for path in (folder / "out").iterdir()}
    if outputs != wanted or len(done) != options.files or set(done.values()) != {1}:
        sys.exit(f"endure cluster: {len(outputs)} outputs, {len(done)} files done, at most "
                 f"{max(done.values(), default=0)} times")
    verified = subprocess.run([signet, "verify", folder / "out", "--recursive", "--trust",
                               folder / "c.pem", "--quiet"])
    if verified.returncode:
        sys.exit("endure cluster: not every output verifies")
    print(f"endure cluster: {options.files} files, each signed once, none lost, all verify")
