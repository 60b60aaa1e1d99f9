"""usage: Scripts/gallery stamps [FOLDER] [--signet BINARY] [--keep DIR] [--only NAME]

Signs samples of signature appearances: scripts, images, handwriting, rotated and cropped pages, tiny and
large appearances, dark pages, marks, PDF/A. pdftoppm and mutool render each sample and must agree.
pdfsig, pyHanko, mutool and qpdf must accept it. pdftotext must extract its text. A second, invisible
signature must not invalidate the first. The images of samples in FOLDER are replaced; an empty NAME.png
requests a new one. The exit code is 1 if a check fails.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

import command
import pdf_fixtures
from command import PYTHON
from corpus import sign as judges

try:
    from PIL import Image, ImageChops, ImageFilter, ImageStat
    from gallery import pictures as drawn
except ImportError:
    sys.exit("gallery: run Scripts/test once, which makes .venv with Pillow")

DPI = 120
# The two renderers smooth edges differently: both are blurred before they are compared.
BLUR = 2
MEAN_LIMIT = 2.0
FAR_OFF, FAR_OFF_SHARE = 80, 0.002
FONT = b"/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
DARK = b"0.1 0.12 0.16 rg -1000 -1000 4000 4000 re f "


def page(path, width=300, height=130, entries=b"", content=b"", count=1, archival=None):
    """A document of `count` equal pages; `archival`: its part of PDF/A and its output intent."""
    with open(path, "wb") as file:
        writer = pdf_fixtures.Writer(file, b"1.4" if archival == 1 else b"1.7")
        catalog = b"<< /Type /Catalog /Pages 2 0 R "
        if archival:
            catalog += b"/Metadata 5 0 R /OutputIntents [<< /Type /OutputIntent /S /GTS_PDFA1 " \
                b"/OutputConditionIdentifier (sRGB) /DestOutputProfile 6 0 R >>] "
        writer.object(1, catalog + b">>")
        first = 10
        kids = b" ".join(b"%d 0 R" % (first + i) for i in range(count))
        writer.object(2, b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count))
        writer.stream(3, content)
        writer.object(4, b"null")
        if archival:
            packet = (
                "<?xpacket begin='\ufeff' id='W5M0MpCehiHzreSzNTczkc9d'?><x:xmpmeta "
                "xmlns:x='adobe:ns:meta/'><rdf:RDF "
                "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "
                "rdf:about='' xmlns:pdfaid='http://www.aiim.org/pdfa/ns/id/'>"
                f"<pdfaid:part>{archival}</pdfaid:part><pdfaid:conformance>B"
                "</pdfaid:conformance></rdf:Description></rdf:RDF></x:xmpmeta>"
                "<?xpacket end='w'?>").encode()
            writer.stream(5, packet, b"/Type /Metadata /Subtype /XML ")
            from PIL import ImageCms
            profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
            writer.stream(6, profile, b"/N 3 ")
        else:
            writer.object(5, b"null")
            writer.object(6, b"null")
        for number in (7, 8, 9):
            writer.object(number, b"null")
        if b"/MediaBox" not in entries:
            entries += b" /MediaBox [0 0 %d %d]" % (width, height)
        for i in range(count):
            writer.object(
                first + i, b"<< /Type /Page /Parent 2 0 R /Resources << %s >> /Contents 3 0 R %s >>"
                % (FONT if b"/F1" in content else b"", entries))
        writer.finish(1)


class Sample:
    """`options` for signing, `text` that must come back, and how the page is made. Where Signet
    chooses the place: `free` of anything else, and by how much it is right of and above a point."""

    def __init__(self, name, title, *options, text=(), forbidden=(), pages=(1,), free=False,
                 beside=None, **source):
        self.name, self.title, self.options = name, title, options
        self.text, self.forbidden, self.pages, self.source = text, forbidden, pages, source
        self.free, self.beside = free or beside, beside


AT = ("--at", "1:center")
BIG = (*AT, "--size", "80x30mm")
# A page with lines of text, a gap in them, and a place to sign at its end.
LINES = b"BT /F1 9 Tf 12 TL 40 262 Td " + b"".join(
    b"T* " if 4 <= n <= 9 else b"(The parties agree that the goods are delivered as described.) ' "
    for n in range(13)) + b"ET BT /F1 11 Tf 40 38 Td (Signature of the buyer:) Tj ET "
PAGE = {"width": 420, "height": 297, "content": LINES}
SAMPLES = [
    Sample("default", "as it comes", *AT, text=["Jan Novák"]),
    Sample("reason", "with reason and place", *AT, "--reason", "I approve this document",
           "--location", "Praha", text=["I approve this document"]),
    Sample("czech", "Czech", *AT, "--name", "Jiří Žluťoučký", "--reason",
           "Příliš žluťoučký kůň", text=["Jiří Žluťoučký", "Příliš žluťoučký kůň"]),
    Sample("greek", "Greek", *AT, "--name", "Ελένη Παπαδοπούλου",
           text=["Ελένη Παπαδοπούλου"]),
    Sample("cyrillic", "Cyrillic", *AT, "--name", "Алексей Ёлкин", text=["Алексей Ёлкин"]),
    Sample("arabic", "Arabic", *AT, "--text", "محمد بن سعيد\\nتم التوقيع", text=["محمد بن سعيد"]),
    Sample("hebrew", "Hebrew", *AT, "--text", "יעל כהן\\nנחתם דיגיטלית", text=["יעל כהן"]),
    Sample("cjk", "Chinese, Japanese, Korean", *AT, "--text", "王小明 签名\\n田中太郎 署名\\n김민수 서명",
           text=["王小明", "田中太郎", "김민수"]),
    *[Sample(f"lang-{tag}", f"words in {tag}", *AT, "--lang", tag, "--time-zone", zone,
             "--name", name, "--reason", reason, "--location", place,
             text=[words, *given])
      for tag, zone, name, reason, place, words, given in [
          ("ar", "Asia/Riyadh", "محمد بن سعيد", "موافقة على العقد", "الرياض", "وقّعه", ["محمد بن سعيد"]),
          ("cs", "Europe/Prague", "Jiří Žluťoučký", "Souhlasím se smlouvou", "Plzeň",
           "Digitálně podepsal", ["Důvod: Souhlasím se smlouvou", "Místo: Plzeň"]),
          ("de", "Europe/Berlin", "Jürgen Groß", "Freigabe des Vertrags", "München",
           "Digital signiert von", ["Grund: Freigabe des Vertrags", "Ort: München"]),
          ("en", "Europe/London", "Emma Whitfield", "I approve this document", "Leeds",
           "Digitally signed by", ["Reason: I approve this document", "Location: Leeds"]),
          ("es", "Europe/Madrid", "Lucía Muñoz", "Conforme con el contrato", "Málaga",
           "Firmado digitalmente por", ["Motivo: Conforme", "Lugar: Málaga"]),
          ("fr", "Europe/Paris", "Hélène Lefèvre", "Bon pour accord", "Besançon",
           "Signé numériquement par", ["Bon pour accord", "Besançon"]),
          ("it", "Europe/Rome", "Niccolò Città", "Approvazione del contratto", "Forlì",
           "Firmato digitalmente da", ["Motivo: Approvazione", "Luogo: Forlì"]),
          ("pl", "Europe/Warsaw", "Łukasz Żółć", "Zatwierdzam umowę", "Łódź",
           "Podpisane cyfrowo przez", ["Powód: Zatwierdzam umowę", "Miejsce: Łódź"]),
          ("sk", "Europe/Bratislava", "Ľubomír Kôň", "Súhlasím so zmluvou", "Žilina",
           "Digitálne podpísal", ["Dôvod: Súhlasím so zmluvou", "Miesto: Žilina"]),
          ("uk", "Europe/Kyiv", "Олена Їжакевич", "Погоджую договір", "Київ",
           "Цифровий підпис", ["Підстава: Погоджую договір", "Місце: Київ"]),
          ("zh", "Asia/Shanghai", "王小明", "同意本合同", "上海", "数字签名人", ["同意本合同", "上海"]),
      ]],
    Sample("lang-mixed", "Arabic words, a Latin name", *AT, "--lang", "ar", "--time-zone",
           "Asia/Riyadh", "--reason", "Approved, with 3 remarks (see p. 12).",
           text=["Jan Novák", "Approved, with 3 remarks (see p. 12)."]),
    Sample("template", "two styles, a date in words", *AT, "--lang", "cs", "--text",
           "**{name}**\\nv Praze dne **{date:long}**\\n{date:HH:mm z}, č. j. 12/2026",
           text=["Jan Novák", "v Praze dne"]),
    Sample("white", "an opaque box over text", *AT, "--background", "white",
           content=b"0.1 0.2 0.5 rg 0 40 300 12 re 0 70 300 12 re f ", text=["Jan Novák"],
           forbidden=[rb"/ca "]),
    Sample("no-box", "no box", *AT, "--background", "none", "--ink", "signature.svg",
           content=b"0.97 0.95 0.85 rg 0 0 300 130 re f ", text=["Jan Novák"]),
    Sample("narrow", "30 x 30 mm, a long name", *AT, "--size", "30x30mm", "--name",
           "Maximiliana von Hohenstein-Wintergreen", "--reason", "Approved"),
    Sample("auto", "the next free place", "--at", "auto", "--size", "50x16mm", free=True, **PAGE),
    Sample("auto-footer", "above a footer", "--at", "auto", "--margin", "5mm", free=True,
           width=420, height=160, content=b"BT /F1 8 Tf 40 12 Td (Page 1 of 1, "
           b"printed on recycled paper, please keep for your records) Tj ET"),
    Sample("auto-turned", "free, on a turned page", "--at", "auto", "--margin", "5mm", free=True,
           width=160, height=420, entries=b"/MediaBox [0 0 160 420] /Rotate 90",
           content=b"0.8 0.85 0.95 rg 90 0 70 420 re f"),
    # 40 points from the left, Helvetica 11: the words are 111 wide, and 2 mm are left.
    Sample("text", "beside words", "--at", "text:Signature of the buyer:", "--size", "50x16mm",
           beside=((153, 162), (33, 38)), **PAGE),
    Sample("text-above", "above words", "--at", "above:Signature of the buyer:", "--size",
           "40x12mm", beside=((38, 42), (46, 62)), width=420, height=160,
           content=b"BT /F1 11 Tf 40 38 Td (Signature of the buyer:) Tj ET"),
    Sample("text-below", "below words", "--at", "below:Signature of the buyer:", "--size",
           "40x12mm", beside=((38, 42), (63, 69)), width=420, height=160,
           content=b"BT /F1 11 Tf 40 108 Td (Signature of the buyer:) Tj ET"),
    Sample("image", "a picture", *AT, "--image", "logo.png", text=["Jan Novák"]),
    Sample("transparent", "a transparent picture", *AT, "--image", "clear.png", "--no-text",
           content=b"0.85 0.9 0.97 rg 0 0 150 130 re f "),
    Sample("photo", "a photo that lay on its side", *AT, "--image", "side.jpg"),
    Sample("ink-svg", "handwriting, SVG", *AT, "--ink", "signature.svg", text=["Jan Novák"]),
    Sample("ink-strokes", "handwriting with pressure", *BIG, "--ink", "strokes.json",
           "--no-text"),
    Sample("ink-photo", "the ink of a photo", *BIG, "--image", "photo.jpg", "--ink-from-photo",
           text=["Jan Novák"]),
    Sample("marks", "marks on other pages", "--at", "1:left", "--mark", "all:right", "--ink",
           "strokes.json", "--mark-size", "40x18mm", count=3, pages=(1, 2)),
    Sample("initials", "initials on other pages", "--at", "1:left", "--mark", "2-last:right",
           count=2, pages=(2,), text=["JN"]),
    Sample("dark", "on a dark page", *AT, "--ink", "signature.svg", content=DARK,
           text=["Jan Novák"]),
    Sample("turned-90", "page turned by 90°, cropped", *AT, "--ink", "strokes.json",
           entries=b"/MediaBox [-50 -60 200 400] /CropBox [0 0 130 300] /Rotate 90"),
    Sample("turned-180", "page turned by 180°, odd origin", *AT, "--reason", "Upright",
           entries=b"/MediaBox [-100 250 200 380] /Rotate 180", text=["Upright"]),
    Sample("turned-270", "page turned by 270°, UserUnit 2", *AT, "--image", "clear.png",
           entries=b"/MediaBox [10 20 75 170] /UserUnit 2 /Rotate 270"),
    Sample("tiny", "25 x 9 mm", *AT, "--size", "25x9mm", "--reason", "Paid", text=["Paid"]),
    Sample("large", "90 x 40 mm", *AT, "--size", "90x40mm", "--ink", "strokes.json",
           "--reason", "Agreed", text=["Agreed"]),
    Sample("tall", "30 x 40 mm", *AT, "--size", "30x40mm", "--ink", "strokes.json"),
    Sample("pdfa-1", "PDF/A-1: opaque", *AT, "--image", "clear.png", archival=1,
           forbidden=[rb"/SMask", rb"/ca ", rb"/Helvetica"], text=["Jan Novák"]),
    Sample("pdfa-2", "PDF/A-2", *AT, "--ink", "strokes.json", archival=2,
           forbidden=[rb"/Helvetica"], text=["Jan Novák"]),
]


class Gallery:
    def __init__(self, options, work):
        self.options, self.work, self.failures = options, work, []
        self.pyhanko = judges.PyHanko(str(PYTHON if PYTHON.exists() else sys.executable))
        self.key, self.cert = work / "key.pem", work / "cert.pem"
        self.run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
                 "ec_paramgen_curve:P-256", "-out", self.key)
        self.run("openssl", "req", "-x509", "-new", "-utf8", "-key", self.key, "-out",
                 self.cert, "-days", "30", "-subj", "/CN=Jan Novák/O=Example", "-addext",
                 "keyUsage=critical,digitalSignature,nonRepudiation")
        side = drawn.logo(False)
        for name, data in {
                "strokes.json": drawn.strokes(),
                "signature.svg": drawn.svg(), "photo.jpg": drawn.photo(),
                "logo.png": side, "clear.png": drawn.logo(True)}.items():
            (work / name).write_bytes(data)
        picture = Image.open(work / "logo.png").crop((0, 60, 320, 320)).rotate(90, expand=True)
        exif = Image.Exif()
        exif[0x0112] = 6
        picture.save(work / "side.jpg", exif=exif, quality=90)

    def run(self, *arguments):
        run = judges.Run(arguments)
        if run.code != 0:
            raise RuntimeError(f"{arguments[0]}: {run.ending()}: {judges.last_line(run)}")
        return run

    def signet(self, *arguments):
        return self.run(self.options.signet, *arguments)

    def check(self, sample):
        source = self.work / f"{sample.name}.source.pdf"
        signed = self.work / f"{sample.name}.pdf"
        page(source, **sample.source)
        options = [
            str(self.work / word) if (self.work / word).is_file() else word
            for word in sample.options]
        made = self.signet("sign", source, "--key", self.key, "--cert", self.cert, "-o", signed,
                           "--json", *options)
        if sample.free:
            self.check_place(sample, source, signed, json.loads(made.out)["widgets"][0]["rect"])
        self.judge(source, signed, 1)
        twice = self.work / f"{sample.name}.twice.pdf"
        self.signet("sign", signed, "--key", self.key, "--cert", self.cert, "-o", twice,
                    "--new-field")
        self.judge(signed, twice, 2)
        self.signet("verify", twice, "--trust", self.cert)
        text = re.sub("[\u200e\u200f\u202a-\u202e]", "",
                      self.run("pdftotext", signed, "-").out)
        for wanted in sample.text:
            if wanted not in text:
                raise RuntimeError(f"pdftotext does not give back {wanted!r}: {text!r}")
        appended = signed.read_bytes()[source.stat().st_size:]
        for pattern in sample.forbidden:
            if re.search(pattern, appended):
                raise RuntimeError(f"holds {pattern!r}")
        return [self.compare(sample, signed, number) for number in sample.pages]

    def check_place(self, sample, source, signed, rect):
        """Nothing is under the stamp, and the stamp is there, beside what it was to be beside."""
        if sample.beside:
            for place, (least, most) in zip(rect, sample.beside):
                if not least <= place <= most:
                    raise RuntimeError(f"stands at {rect}, not {sample.beside}")
        inked = []
        for path in (source, signed):
            prefix = self.work / "place"
            # Upright, so that the rectangle is that of the page's own units.
            plain = self.work / "plain.pdf"
            self.run("qpdf", path, plain, "--rotate=0")
            self.run("pdftoppm", "-r", 72, "-singlefile", "-png", plain, prefix)
            picture = Image.open(f"{prefix}.png").convert("L")
            left, bottom, right, top = rect
            box = (int(left) + 1, int(picture.height - top) + 1, int(right) - 1,
                   int(picture.height - bottom) - 1)
            part = picture.crop(box)
            inked.append(sum(part.histogram()[:250]) / (part.width * part.height))
        if inked[0] > 0 or inked[1] < 0.02:
            raise RuntimeError(f"covers {inked[0]:.2%} of what was there, draws {inked[1]:.2%}")

    def judge(self, source, signed, count):
        """What programs from outside say about a signed file."""
        checked = self.run("qpdf", "--check", signed)
        if judges.findings(checked, signed):
            raise RuntimeError(f"qpdf: {judges.last_line(checked)}")
        _, found = judges.pdfsig_signatures(signed, None)
        if len(found) != count or not all(s["valid"] for s in found):
            raise RuntimeError(f"pdfsig: {found}")
        answer = self.pyhanko.ask(signed, None)
        answers = answer.get("signatures", [])
        if len(answers) != count or not all(s["intact"] and s["valid"] for s in answers):
            raise RuntimeError(f"pyHanko: {answer}")
        verified = self.run("mutool", "sign", "-v", signed)
        if "digest failure" in verified.out.lower() + verified.err.lower():
            raise RuntimeError(f"mutool: {judges.last_line(verified)}")

    def compare(self, sample, signed, number):
        """Draws a page in two ways, and gives the first."""
        prefix = self.work / "poppler"
        self.run("pdftoppm", "-r", DPI, "-cropbox", "-png", "-f", number, "-l", number,
                 "-singlefile", signed, prefix)
        other = self.work / "mupdf.png"
        self.run("mutool", "draw", "-r", DPI, "-o", other, signed, number)
        one = Image.open(f"{prefix}.png").convert("RGB")
        two = Image.open(other).convert("RGB")
        # Of the two only mutool knows UserUnit.
        if two.size[0] > one.size[0] * 1.5:
            self.run("pdftoppm", "-r", DPI * 2, "-cropbox", "-png", "-f", number, "-l", number,
                     "-singlefile", signed, prefix)
            one = Image.open(f"{prefix}.png").convert("RGB")
        if max(abs(a - b) for a, b in zip(one.size, two.size)) > 2:
            raise RuntimeError(f"pdftoppm draws {one.size}, mutool {two.size}")
        two = two.resize(one.size) if two.size != one.size else two
        blurred = [i.filter(ImageFilter.BoxBlur(BLUR)) for i in (one, two)]
        difference = ImageChops.difference(*blurred).convert("L")
        mean = ImageStat.Stat(difference).mean[0]
        far = sum(difference.histogram()[FAR_OFF:]) / (one.size[0] * one.size[1])
        if mean > MEAN_LIMIT or far > FAR_OFF_SHARE:
            raise RuntimeError(
                f"pdftoppm and mutool differ on page {number}: mean {mean:.2f}, {far:.2%} far off")
        return one

    def all(self):
        samples = [s for s in SAMPLES if s.name.startswith(self.options.only or "")]
        for sample in samples:
            try:
                pictures = self.check(sample)
                if self.options.folder:
                    self.write(self.options.folder / f"{sample.name}.png", pictures[-1])
                print(f"{sample.name:14} good: {sample.title}")
            except RuntimeError as error:
                self.failures.append(sample.name)
                print(f"{sample.name:14} FAILED: {error}")
            sys.stdout.flush()
        print(f"{len(samples) - len(self.failures)} of {len(samples)} samples are good")

    def write(self, file, picture):
        if file.exists():
            picture.thumbnail((480, 480), Image.LANCZOS)
            picture.quantize(48).save(file, optimize=True)


def main(arguments):
    parser = command.parser(__doc__)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="samples whose names begin so")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="signet-gallery-") as folder:
        work = pathlib.Path(folder)
        gallery = Gallery(options, work)
        gallery.all()
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            for path in work.glob("*.pdf"):
                subprocess.run(["cp", path, options.keep], check=True)
    return 1 if gallery.failures else 0
