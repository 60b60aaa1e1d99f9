"""What the scripts share: their modes and help, the program under test, the Python environment."""

import argparse
import importlib
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv/bin/python"
sys.dont_write_bytecode = True


def use_environment():
    """Starts the script again in .venv, which Scripts/test makes."""
    if PYTHON.exists() and sys.prefix == sys.base_prefix:
        os.execv(PYTHON, [str(PYTHON), *sys.argv])


def program(path):
    if not os.access(path, os.X_OK):
        raise argparse.ArgumentTypeError(
            f"no program at {path}: run Scripts/build, or name one with --signet")
    return pathlib.Path(path).resolve()


def parser(text):
    """Options of a script whose docstring begins with its usage."""
    usage, about = text.split("\n\n", 1)
    made = argparse.ArgumentParser(
        usage=usage.removeprefix("usage: "), description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--signet", type=program, metavar="BINARY", help="default: SIGNET_BIN, else the release build",
        default=os.environ.get("SIGNET_BIN") or str(ROOT / ".build/release/signet"))
    return made


def run_mode(text, package, names):
    """Runs the mode that the first argument names: `main` of a module in Scripts/lib/PACKAGE."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in names:
        print(text.strip())
        sys.exit(0 if name in ("-h", "--help") else 64)
    use_environment()
    sys.exit(importlib.import_module(f"{package}.{name.replace('-', '_')}").main(sys.argv[2:]))
