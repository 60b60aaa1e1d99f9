"""The authorities of evidence_server.py for scripts, and programs that run on another day."""

import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".venv/bin/python"
LIBRARIES = ["/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
             "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"]


def ahead(day):
    """Seconds from now to `day` (`2028-06-01 12:00:00`, UTC)."""
    then = time.mktime(time.strptime(day + " UTC", "%Y-%m-%d %H:%M:%S %Z")) - time.timezone
    return int(then - time.time())


def on_day(day):
    """The environment of programs for which it is `day` now; their clocks go on from there."""
    library = next((path for path in LIBRARIES if pathlib.Path(path).exists()), None)
    if library is None:
        sys.exit("faketime is not installed")
    return {**os.environ, "LD_PRELOAD": library, "FAKETIME": f"{ahead(day):+d}",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "TZ": "UTC"}


class Authorities:
    """The evidence server, while the `with` lasts; its keys and certificates are in `folder`."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def __enter__(self):
        self.process = subprocess.Popen(
            [PYTHON, ROOT / "Scripts/lib/evidence_server.py", self.folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = self.process.stdout.readline().strip()
        self.address = self.authority("tsa")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def authority(self, name):
        return f"http://127.0.0.1:{self.port}/lta/tsa/{name}"

    def path(self, name):
        return self.folder / name

    @property
    def key(self):
        """The options of a signer."""
        return ["--key", self.path("signer.pem"), "--cert", self.path("signer.crt"), "--chain",
                self.path("interm.crt")]

    @property
    def trust(self):
        return ["--trust", self.path("anchors.pem")]

    def move_clock(self, day=None):
        """To a day, as for `on_day`; None is the present."""
        self.path("clock").write_text(str(ahead(day)) if day else "")

    def requests(self):
        """Method and path of each request since the last call."""
        log = self.path("log")
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return lines
