"""The functions that usual commands run, for the linker to place next to each other: those of
every command first. The same program gives the same list. Needs valgrind."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import pdf_fixtures

PKI = pathlib.Path(__file__).resolve().parents[2] / "TestVectors/pki"
SIGN = ("sign", "small.pdf", "--key", PKI / "key.pem", "--cert", PKI / "valid.pem", "-o")
COMMANDS = (
    ("--version",),
    (*SIGN, "signed.pdf"),
    ("verify", "signed.pdf", "--trust", PKI / "valid.pem"),
    (*SIGN, "shown.pdf", "--new-field", "--at", "last:bottom-right"),
    ("hash", "sign", "small.pdf", "--key", PKI / "key.pem", "-o", "hash.sig"),
    ("csr", "create", "--key", PKI / "key.pem", "--subject", "CN=Order", "-o", "request.pem"),
)
CALLED = re.compile(r"^c?fn=\(\d+\) (\S+?)(?:'\d+)?$", re.MULTILINE)


def is_possible():
    return shutil.which("valgrind") is not None


def make(binary, output):
    """Writes the list; `binary` has its symbols."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["objcopy", "--strip-debug", binary, folder / "signet"], check=True)
        pdf_fixtures.letter(folder / "small.pdf", field=True, size=20_480)
        symbols = subprocess.run(
            ["nm", "signet"], cwd=folder, check=True, capture_output=True, text=True).stdout
        known = set(re.findall(r" [tTwW] (\S+)$", symbols, re.MULTILINE))
        if not known:
            sys.exit(f"package: {binary} has no symbols")
        order = {}
        for arguments in COMMANDS:
            subprocess.run(
                ["valgrind", "--tool=callgrind", "--demangle=no", "--callgrind-out-file=calls",
                 "./signet", *arguments], cwd=folder, check=True, capture_output=True)
            called = set(CALLED.findall((folder / "calls").read_text())) & known
            order.update(dict.fromkeys(sorted(called - order.keys())))
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text("".join(f"{function}\n" for function in order))
