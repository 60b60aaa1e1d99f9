"""Starts readers, and again when a file ended them."""

import importlib.util
import json
import pathlib
import select
import shutil
import subprocess
import sys

from readers import MEGABYTES, PAGES, SECONDS

HERE = pathlib.Path(__file__).resolve().parent
PDFJS = pathlib.Path("/usr/share/javascript/pdf/build")
# name: (module here, what it needs)
PYTHON = {
    "poppler": ("poppler", "libpoppler-glib8"), "mupdf": ("mupdf", "pymupdf"),
    "pdfium": ("pdfium", "pypdfium2"), "pypdf": ("pypdf_reader", "pypdf"),
    "qpdf": ("qpdf", "pikepdf"), "mutool": ("mutool", "mutool"),
    "ghostscript": ("ghostscript", "libgs10")}
# A reader is started anew after so many files: some of them keep memory.
FILES = 3000


def command(name):
    if name == "pdfjs":
        return ["node", f"--max-old-space-size={MEGABYTES // 2}", str(HERE / "pdfjs.js"),
                str(PDFJS), str(PAGES)]
    return [sys.executable, str(HERE / "worker.py"), PYTHON[name][0]]


def installed(name):
    if name == "pdfjs":
        return bool(shutil.which("node")) and (PDFJS / "pdf.js").exists()
    if name == "poppler":
        import ctypes.util
        return bool(ctypes.util.find_library("poppler-glib") and ctypes.util.find_library("cairo"))
    if name == "ghostscript":
        import ctypes.util
        return bool(ctypes.util.find_library("gs"))
    if name == "mutool":
        return bool(shutil.which("mutool"))
    return importlib.util.find_spec(PYTHON[name][1]) is not None


def names():
    """The readers that are installed."""
    return [name for name in (*PYTHON, "pdfjs") if installed(name)]


class Reader:
    """One reader in a process of its own."""

    def __init__(self, name):
        self.name, self.process, self.left = name, None, 0

    def start(self):
        self.stop()
        self.left = FILES
        self.process = subprocess.Popen(
            command(self.name), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def ask(self, path):
        """Starts reading a file; `answer` has what it shows."""
        if not self.process or self.left == 0:
            self.start()
        self.left -= 1
        try:
            self.process.stdin.write(f"{path}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            # Then there is no answer.
            pass

    def answer(self):
        """What the reader shows of the file asked about, as `readers` describes it."""
        ready, _, _ = select.select([self.process.stdout], [], [], 2 * SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        code = self.process.poll()
        self.stop()
        return {"error": f"no answer: the reader ended with {code}"}

    def show(self, path):
        self.ask(path)
        return self.answer()
