"""usage: Scripts/corpus jpeg FOLDER [--only PATTERN] [--signet BINARY] [--keep DIR] [--verbose]

Converts every JPEG of FOLDER and checks the result with other programs. `pdfimages -all` must return the
photo byte for byte, and `qpdf --check` must find nothing. poppler and mupdf must open it without a
warning, and render the pixels that libjpeg decodes, upright. The document must sign and verify. With
--pdfa it must conform to PDF/A-2b. Half size, grayscale and stripped versions must look like the photo.
Photos that no viewer can display must be refused by name with exit code 65, without an output.

A MANIFEST.jsonl above FOLDER (fields file, expect, oracle.jpegtran) lists these photos; without one,
`jpegtran` decides. The exit code is 1 if a result differs.
"""

import collections
import fnmatch
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import command
from command import ROOT

try:
    from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat
    import pdfa_rules
except ImportError:
    sys.exit("corpus jpeg: needs Pillow and pikepdf: run Scripts/test once, which makes .venv")

# Mean difference of two renderings, of 255. Readers scale and convert colours in their own ways.
# Poppler places pictures a pixel beside where they belong; mupdf is exact.
TOLERANCES = {"poppler": 8.0, "mupdf": 3.0}
# With a profile poppler follows it; a mupdf without colour management mixes the inks itself.
PROFILED_CMYK_TOLERANCE = 15.0
LOSSY_TOLERANCES = {"poppler": 20.0, "mupdf": 12.0}
CMYK_TOLERANCE = 60.0
# Readers draw pixel for pixel up to this. They may shift the picture by a pixel, and sharpen or
# blur it on the way: averages of squares are compared.
LONGEST_SIDE = 2000
SQUARE = 8
# Of a mupdf that was built without colour management.
HARMLESS = "warning: ICC support is not available"


def run(*arguments):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, timeout=120)
    done.err = done.stderr.decode("utf-8", "replace").strip()
    return done


class Failure(Exception):
    pass


def expect(good, what):
    if not good:
        raise Failure(what)


def manifest(folder):
    for parent in (folder, *folder.parents):
        path = parent / "MANIFEST.jsonl"
        if path.exists():
            entries = (json.loads(line) for line in path.open())
            return {(parent / e["file"]).resolve(): e for e in entries}
    return {}


def verdict(path, entry):
    """Whether the photo must be refused, and whether its data is damaged."""
    expected = (entry or {}).get("expect") or {}
    if entry and expected:
        code = entry["oracle"]["jpegtran"]["exit"]
        return code == 1 or not expected.get("eoi_found", True), code != 0
    done = run("jpegtran", "-outfile", os.devnull, path)
    return done.returncode == 1 or "Premature end" in done.err, done.returncode != 0


def upright(path):
    """The photo as a reader should show it, and whether that is certain: without a profile nobody
    knows what CMYK looks like."""
    try:
        image = Image.open(path)
        image.load()
    except OSError:
        # Pillow insists on more than libjpeg does.
        done = run("djpeg", path)
        expect(done.returncode in (0, 2), f"djpeg: {done.err}")
        image = Image.open(io.BytesIO(done.stdout))
    # libjpeg decodes; Pillow turns back the inverted inks of Adobe's programs.
    profile, mode = image.info.get("icc_profile"), image.mode
    certain = mode != "CMYK"
    # Nonsense is 1, and Pillow knows 1 to 8 only.
    turned = ImageOps.exif_transpose(image)
    plain = turned.convert("RGB")
    if profile:
        try:
            wanted = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK"}[mode]
            if profile[16:20].decode() == wanted:
                converted = ImageCms.profileToProfile(
                    turned, io.BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode="RGB")
                return [converted, plain], True, mode == "CMYK"
        except (KeyError, ImageCms.PyCMSError, OSError):
            pass
    return [plain], certain, mode == "CMYK"


def difference(one, other):
    if one.size != other.size:
        other = other.resize(one.size, Image.Resampling.BOX)
    return sum(ImageStat.Stat(ImageChops.difference(one, other)).mean) / 3


def rendered(pdf, renderer, folder, quiet, side):
    if renderer == "poppler":
        done = run("pdftoppm", "-r", "72", "-scale-to", side, "-singlefile", pdf,
                   folder / "page")
    else:
        done = run("mutool", "draw", "-q", "-w", side, "-h", side, "-o",
                   folder / "page.ppm", pdf, "1")
    expect(done.returncode == 0, f"{renderer}: exit {done.returncode} {done.err[-200:]}")
    if quiet:
        said = [line for line in done.err.splitlines() if line != HARMLESS]
        expect(not said, f"{renderer}: {said}")
    return Image.open(folder / "page.ppm").convert("RGB")


def looks_like(photo, pdf, folder, tolerances, damaged, gray=False):
    candidates, certain, inks = photo
    worst = 0
    longest = max(candidates[0].size)
    side = max(3, min(longest, LONGEST_SIDE))
    size = [max(1, round(length * min(1 / SQUARE, LONGEST_SIDE / longest / SQUARE)))
            for length in candidates[0].size]
    for renderer in ("poppler", "mupdf"):
        page = rendered(pdf, renderer, folder, quiet=not damaged, side=side)
        wide = longest / side
        wanted = [max(1, round(side / wide)) for side in candidates[0].size]
        expect(all(abs(a - b) <= 2 for a, b in zip(page.size, wanted)),
               f"{renderer}: page of {page.size}, not {wanted}")
        page = page.resize(size, Image.Resampling.BOX)
        scores = []
        for candidate in candidates:
            reference = candidate.convert("L").convert("RGB") if gray else candidate
            scores.append(difference(page, reference.resize(size, Image.Resampling.BOX)))
        score = min(scores)
        limit = tolerances[renderer] if certain else CMYK_TOLERANCE
        if certain and inks:
            limit = max(limit, PROFILED_CMYK_TOLERANCE)
        expect(score <= limit, f"{renderer}: differs by {score:.1f}, more than {limit}")
        if not certain:
            inverse = difference(page, ImageChops.invert(candidates[0].resize(size)))
            expect(score < inverse, f"{renderer}: inverted")
        worst = max(worst, score)
    return worst


def is_arithmetic(data):
    """Whether the frame header is SOF9 or SOF10."""
    at = 2
    while at + 4 <= len(data):
        if 0xC0 <= data[at + 1] <= 0xCB and data[at + 1] not in (0xC4, 0xC8):
            return data[at + 1] >= 0xC9
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return False


class Photo:
    def __init__(self, path, options, folder):
        self.path, self.folder = path, folder
        self.signet = options.signet
        self.pdf = folder / "photo.pdf"

    def convert(self, *arguments, output=None):
        output = output or self.pdf
        output.unlink(missing_ok=True)
        return run(self.signet, "convert", self.path, "-o", output, "--page", "photo", *arguments)

    def check_refusal(self):
        for arguments in ([], ["--scale", "1/2"], ["--gray", "--pdfa"]):
            done = self.convert(*arguments)
            expect(done.returncode == 65, f"exit {done.returncode} where it should be refused")
            expect(self.path.name in done.err, f"the message lacks the name: {done.err}")
            expect(not self.pdf.exists(), "an output was left behind")

    def check(self, entry, damaged):
        expected = (entry or {}).get("expect") or {}
        done = self.convert()
        expect(done.returncode == 0, f"exit {done.returncode}: {done.err}")
        for old in self.folder.glob("out-*"):
            old.unlink()
        run("pdfimages", "-all", self.pdf, self.folder / "out")
        (got,) = self.folder.glob("out-*")
        data, original = got.read_bytes(), self.path.read_bytes()
        if is_arithmetic(original):
            expect(not is_arithmetic(data), "arithmetic coding, which readers lack")
        else:
            (page,) = json.loads(self.convert("--json").stdout)["pages"]
            if page["data"] == "cleaned":
                expect(len(data) < len(original), "nothing is left out")
            else:
                expect(original.startswith(data), "pdfimages gives other bytes")
                expect(len(original) - len(data) == expected.get("bytes_after_eoi", 0),
                       f"{len(original) - len(data)} bytes at the end left out")
        self.check_syntax()
        photo = upright(self.path)
        score = looks_like(photo, self.pdf, self.folder, TOLERANCES, damaged)
        self.check_signing()

        ink = b"/DeviceCMYK" in self.pdf.read_bytes()
        done = self.convert("--pdfa", "--title", "Účet & <photo>")
        if done.returncode != 0:
            expect(ink and "profile" in done.err, f"--pdfa: {done.err}")
        else:
            found = list(pdfa_rules.breaches(self.pdf))
            expect(not found, f"--pdfa: {found}")
            self.check_syntax()

        for arguments in (["--strip"], ["--gray"], ["--scale", "1/2"], ["--scale", "3/8", "--gray"]):
            done = self.convert(*arguments)
            what = " ".join(arguments)
            if damaged and done.returncode == 65:
                continue
            expect(done.returncode == 0, f"{what}: exit {done.returncode}: {done.err}")
            self.check_syntax()
            try:
                looks_like(photo, self.pdf, self.folder, LOSSY_TOLERANCES, damaged,
                           "--gray" in arguments)
            except Failure as failure:
                raise Failure(f"{what}: {failure}")
            if arguments == ["--strip"]:
                expect(b"Exif\0\0" not in self.pdf.read_bytes(), "--strip: Exif is left")
        return score

    def check_syntax(self):
        done = run("qpdf", "--check", self.pdf)
        expect(done.returncode == 0, f"qpdf: {done.err[-300:]}")

    def check_signing(self):
        signed = self.folder / "signed.pdf"
        signed.unlink(missing_ok=True)
        pki = ROOT / "TestVectors/pki"
        done = run(self.signet, "sign", self.pdf, "--key", pki / "key.pem", "--cert",
                   pki / "valid.pem", "-o", signed)
        expect(done.returncode == 0, f"sign: {done.err}")
        done = run(self.signet, "verify", signed, "--trust", pki / "valid.pem")
        expect(done.returncode == 0, f"verify: {done.err or done.stdout}")


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    entries = manifest(options.folder.resolve())
    counts = collections.Counter()
    for path in sorted(options.folder.resolve().rglob("*.jp*g")):
        if not fnmatch.fnmatch(path.name, options.only):
            continue
        entry = entries.get(path)
        with tempfile.TemporaryDirectory(prefix="signet-jpeg-") as temporary:
            photo = Photo(path, options, pathlib.Path(temporary))
            try:
                refused, damaged = verdict(path, entry)
                if refused:
                    photo.check_refusal()
                    outcome, note = "refused as it should be", ""
                else:
                    score = photo.check(entry, damaged)
                    outcome, note = "converted", f"differs by {score:.2f}"
            except (Failure, subprocess.TimeoutExpired) as failure:
                outcome, note = "FAILED", str(failure)
                if options.keep and photo.pdf.exists():
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / (path.stem + ".pdf")).write_bytes(photo.pdf.read_bytes())
        counts[outcome] += 1
        if options.verbose or outcome == "FAILED":
            print(f"{outcome}: {path.name} {note}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return 1 if counts["FAILED"] or not counts else 0
