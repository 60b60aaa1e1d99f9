#!/usr/bin/env python3
"""usage: terms.py [ROOT]

Checks messages (string literals and words of the command line), papers and comments against the list
of words in terms.txt. Prints FILE:LINE: WORD: what to write instead, and exits 1 if there is one.
"""

import pathlib
import re
import sys

from house_rules import literals

LIST = pathlib.Path(__file__).with_name("terms.txt")


def terms():
    """Patterns, what to write instead, and where they are allowed all the same."""
    for line in LIST.read_text().splitlines():
        if not line.startswith("#"):
            rule, _, allowed = line.partition(" @ ")
            pattern, _, instead = rule.partition(" => ")
            yield re.compile(pattern, re.IGNORECASE), instead, tuple(allowed.split())


def texts(root):
    """Yields (kind, path, line, text) of what people read."""
    for path in sorted((root / "Sources").glob("**/*.swift")):
        text = path.read_text()
        for line, literal in literals(text):
            yield "messages", path, line, literal
        for line, code in enumerate(text.split("\n"), 1):
            if code.lstrip().startswith("//"):
                yield "comments", path, line, code
    papers = [root / "README.md", *(root / ".github").glob("*.md"), *(root / "Sources").glob("**/*.md")]
    for kind, paths in (("messages", (root / "Sources").glob("**/Words/*.txt")), ("papers", papers)):
        for path in sorted(paths):
            for line, text in enumerate(path.read_text().split("\n"), 1):
                yield kind, path, line, text


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = list(terms())
    found = False
    for kind, path, line, text in texts(root):
        name = path.relative_to(root).as_posix()
        for pattern, instead, allowed in listed:
            match = pattern.search(text)
            if match and kind not in allowed and not name.startswith(allowed):
                print(f"{name}:{line}: `{match.group()}`: write: {instead}", file=sys.stderr)
                found = True
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
