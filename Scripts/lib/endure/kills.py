"""usage: Scripts/endure kills [--files N] [--kills N] [--dir DIR] [--signet BINARY]

Kills a batch with a journal repeatedly at random moments, and continues it with the next run. At the end
every file must be signed, complete, and signed only once.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import command
import pdf_fixtures


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--dir", default=tempfile.gettempdir())
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=options.dir) as name:
        return run(options, pathlib.Path(name))


def run(options, folder):
    (folder / "in").mkdir()
    for number in range(options.files):
        pdf_fixtures.letter(folder / f"in/{number}.pdf", size=4096 + number)
    signet = options.signet
    for arguments in (
        ["key", "generate", "-o", "k.pem", "--type", "rsa:2048", "--no-passphrase"],
        ["cert", "create", "--key", "k.pem", "--subject", "CN=Batch", "-o", "c.pem"],
    ):
        subprocess.run([signet, *arguments], cwd=folder, check=True, capture_output=True)
    command = [signet, "sign", "in", "--recursive", "-o", "out/", "--journal", "journal", "--key",
               "k.pem", "--cert", "c.pem", "--quiet"]
    random.seed(20)
    bytes_of = {}
    killed = 0
    # A little more is done each time, so that the kills are spread over the whole batch.
    while killed < options.kills:
        process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.01, 1.6 * options.files * 0.001 / options.kills + 0.05))
        if process.poll() is None:
            process.kill()
            killed += 1
        process.wait()
        outputs = list((folder / "out").glob("*")) if (folder / "out").exists() else []
        for output in outputs:
            if output.name.startswith(".signet-"):
                continue
            content = output.read_bytes()
            if bytes_of.setdefault(output.name, content) != content:
                return fail(f"{output.name} was signed again")
        if len(bytes_of) == options.files and process.returncode == 0:
            break
    last = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if last.returncode:
        return fail(f"the last run: exit {last.returncode}: {last.stderr[-400:]}")
    outputs = sorted(path.name for path in (folder / "out").iterdir())
    wanted = sorted(f"{number}.signed.pdf" for number in range(options.files))
    if outputs != wanted:
        return fail(f"{len(outputs)} outputs, {sorted(set(outputs) ^ set(wanted))[:5]}")
    for name, content in bytes_of.items():
        if (folder / "out" / name).read_bytes() != content:
            return fail(f"{name} was signed again")
    done = {}
    for line in (folder / "journal").read_text().splitlines():
        entry = json.loads(line)
        if entry["outcome"] == "done":
            done[entry["input"]] = done.get(entry["input"], 0) + 1
    if len(done) != options.files or set(done.values()) != {1}:
        return fail("the journal does not have each file done once")
    verified = subprocess.run(
        [signet, "verify", "out", "--recursive", "--trust", "c.pem", "--quiet"], cwd=folder)
    if verified.returncode:
        return fail("not every output verifies")
    print(f"endure kills: {options.files} files, {killed} kills: each signed once, whole, none lost")
    return 0


def fail(what):
    print(f"endure kills: {what}", file=sys.stderr)
    return 1
