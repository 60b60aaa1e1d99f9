"""The system's own MuPDF, which may be older than PyMuPDF's, by its command mutool."""

import re
import subprocess
import tempfile

from readers import PAGES, SECONDS, key


def drawn(path, *options):
    return subprocess.run(
        ["mutool", "draw", "-q", *options, "-o", "-", path, f"1-{PAGES}"], capture_output=True,
        timeout=SECONDS, stdin=subprocess.DEVNULL)


def show(data):
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(data)
        file.flush()
        info = subprocess.run(
            ["mutool", "info", file.name], capture_output=True, timeout=SECONDS).stdout
        pages = re.search(rb"^Pages: (\d+)", info, re.MULTILINE)
        if not pages:
            return {"error": "no number of pages"}
        # A form feed ends each page.
        text = drawn(file.name, "-F", "txt").stdout.decode(errors="replace").split("\f")[:-1]
        picture = drawn(file.name, "-F", "pgm", "-r", "24").stdout
        return {"pages": int(pages.group(1)), "text": text, "picture": [key(picture)]}
