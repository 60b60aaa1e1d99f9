"""Whether a viewer really shows what an attack claims: poppler, or else mupdf; text and pixels."""

import functools
import pathlib
import shutil
import subprocess
import tempfile


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


@functools.cache
def honest_pixels(data, command):
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(data)
        file.flush()
        return pixels(file.name, *command)


def looks_the_same(honest, path):
    for command in DRAWERS:
        if shutil.which(command[0]) and pixels(path, *command) not in (
                [], honest_pixels(honest, command)):
            return False
    return True


def complaint(case, folder):
    """Why the file is no attack: the forged content cannot be seen in it; None when it can."""
    if not shutil.which("pdftotext") or not shutil.which("pdftoppm"):
        return None
    path = folder / (case.name + case.suffix)
    if case.shows and case.shows not in text(path):
        return f"{case.shows!r} is not shown, but {text(path)!r}"
    if case.differs is not None and looks_the_same(case.differs, path):
        return "the pages look as before"
    return None
