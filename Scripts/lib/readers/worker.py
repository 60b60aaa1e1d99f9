"""Asks one reader: lines with a path come in, lines of JSON go out. Run by `pool`."""

import importlib
import json
import os
import pathlib
import resource
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
from readers import MEGABYTES, SECONDS  # noqa: E402


def main():
    # What a library prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    show = importlib.import_module(f"readers.{sys.argv[1]}").show
    for line in sys.stdin:
        # Ends the process; a handler would have to wait for the library.
        signal.alarm(SECONDS)
        try:
            answer = show(pathlib.Path(line.rstrip("\n")).read_bytes())
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[:200]}
        signal.alarm(0)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
