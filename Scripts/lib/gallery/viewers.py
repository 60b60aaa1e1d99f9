"""usage: Scripts/gallery viewers FILE... [--only NAME,...] [--json]

Prints the pages, text, images and form fields of each PDF as the installed viewers and libraries display
them (poppler, mupdf twice, pdfium, pypdf, qpdf, pdf.js), grouped by those with the same text. Images are
hashes: a program produces the same hash for the same page, so they compare two files, not two
programs. The exit code is 1 if programs differ in pages, text or fields.
"""

import json
import pathlib
import sys

import command
from readers import pool


def words(answer):
    """What readers can agree about: number of pages, and words whatever their order."""
    if answer.get("error") or "text" not in answer:
        return ("cannot be read",)
    pages = [sorted((text or "").split()) for text in answer["text"]]
    return answer["pages"], json.dumps(pages)


def describe(names, answer):
    print(f"  {', '.join(names)}:")
    if answer.get("error") or "text" not in answer:
        print(f"    {answer.get('error', 'the words cannot be read')}")
        return
    print(f"    pages: {answer['pages']}")
    for number, text in enumerate(answer["text"], 1):
        print(f"    text {number}: {' '.join((text or '').split())[:400]!r}")


def show(path, readers, as_json):
    answers = {name: reader.show(path) for name, reader in readers.items()}
    groups = {}
    for name, answer in answers.items():
        groups.setdefault(words(answer), []).append(name)
    if as_json:
        print(json.dumps({"file": str(path), "readers": answers}))
        return len(groups) == 1
    print(path)
    for names in groups.values():
        describe(names, answers[names[0]])
    for name, answer in answers.items():
        details = {key: answer[key] for key in ("fields", "acts", "picture", "bare", "printed")
                   if answer.get(key) not in (None, {}, [], "None", "null")}
        if details:
            print(f"  {name}: " + json.dumps(details, ensure_ascii=False))
    if len(groups) > 1:
        print(f"  DISAGREE: {' | '.join(', '.join(names) for names in groups.values())}")
    return len(groups) == 1


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("files", type=pathlib.Path, nargs="+")
    parser.add_argument("--only", help="names of readers with commas between")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    installed = pool.names()
    chosen = options.only.split(",") if options.only else installed
    if not chosen or not set(chosen) <= set(installed):
        sys.exit(f"readers: installed are {', '.join(installed) or 'none'}: run Scripts/test once")
    readers = {name: pool.Reader(name) for name in chosen}
    try:
        agreed = [show(path, readers, options.json) for path in options.files]
    finally:
        for reader in readers.values():
            reader.stop()
    return 0 if all(agreed) else 1
