"""Whether a viewer really shows what an attack claims: poppler, or else mupdf; text and pixels."""

import shutil
import subprocess
import tempfile
import pathlib


def text(path):
    return subprocess.run(
        ["pdftotext", path, "-"], capture_output=True, timeout=60).stdout.decode(errors="replace")


def pixels(path, *command):
    """The pages as grey pictures of low resolution, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [str(folder) + word if word.startswith("/page") else word for word in (
                *command, str(path), *(["/page"] if command[0] == "pdftoppm" else []))],
            capture_output=True, timeout=60)
        return [page.read_bytes() for page in sorted(pathlib.Path(folder).iterdir())]


DRAWERS = (
    ("pdftoppm", "-gray", "-r", "24"),
    ("mutool", "draw", "-q", "-c", "gray", "-r", "24", "-o", "/page-%d.pgm"))


def looks_the_same(before, after):
    for command in DRAWERS:
        if shutil.which(command[0]) and pixels(after, *command) not in (
                [], pixels(before, *command)):
            return False
    return True


def complaint(case, folder):
    """Why the file is no attack: the forged content cannot be seen in it; None when it can."""
    if not shutil.which("pdftotext") or not shutil.which("pdftoppm"):
        return None
    path = folder / (case.name + case.suffix)
    if case.shows and case.shows not in text(path):
        return f"{case.shows!r} is not shown, but {text(path)!r}"
    if case.differs is not None:
        honest = folder / (case.name + ".honest.pdf")
        honest.write_bytes(case.differs)
        same = looks_the_same(honest, path)
        honest.unlink()
        if same:
            return "the pages look as before"
    return None
