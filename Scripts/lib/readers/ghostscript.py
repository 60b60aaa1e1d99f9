"""Ghostscript by its library: pictures only, of every page as it goes to paper."""

import ctypes
import pathlib
import tempfile

from readers import PAGES, key

library = ctypes.CDLL("libgs.so.10")
instance = ctypes.c_void_p()
FOLDER = tempfile.TemporaryDirectory(prefix="signet-ghostscript-")
SOURCE, PICTURE, NOWHERE = (f"{FOLDER.name}/{name}" for name in ("source.pdf", "pages", "nothing"))

# With transparency on a page the same shade comes out one darker or lighter.
SHADES = bytes((shade + 16) // 32 for shade in range(256))


def start():
    options = (
        "gs", "-q", "-dNOPAUSE", "-dBATCH", f"--permit-file-all={FOLDER.name}/", "-sDEVICE=pgmraw", "-r26",
        f"-dLastPage={PAGES}", f"-sOutputFile={NOWHERE}")
    texts = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    if library.gsapi_new_instance(ctypes.byref(instance), None) < 0 or (
            library.gsapi_init_with_args(instance, len(options), texts) < 0):
        raise ImportError("Ghostscript does not start")


def show(data):
    pathlib.Path(SOURCE).write_bytes(data)
    program = (
        f"/kept save def << /OutputFile ({PICTURE}) >> setpagedevice {{ ({SOURCE}) (r) file runpdf }} stopped"
        f" clear cleardictstack kept restore << /OutputFile ({NOWHERE}) >> setpagedevice")
    code = ctypes.c_int()
    pathlib.Path(PICTURE).write_bytes(b"")
    if library.gsapi_run_string(instance, program.encode(), 0, ctypes.byref(code)) < 0:
        raise RuntimeError("Ghostscript ended")
    pages = pathlib.Path(PICTURE).read_bytes()
    if not pages:
        return {"error": "no page"}
    return {"pages": pages.count(b"P5\n"), "picture": [key(pages.translate(SHADES))]}


start()
