"""qpdf by pikepdf, which draws nothing: content and looks of annotations stand for pictures."""

import io
import logging

import pikepdf

from readers import PAGES, UNSEEN, key

logging.getLogger("pikepdf").setLevel(logging.CRITICAL + 1)
# How far up a field's name and value are looked for.
PARENTS = 20


def streams(value):
    """The decoded bytes of a stream, or of several."""
    if isinstance(value, pikepdf.Array):
        return b"\n".join(streams(part) for part in value)
    if isinstance(value, pikepdf.Stream):
        try:
            return value.read_bytes()
        except pikepdf.PdfError:
            return value.read_raw_bytes()
    return b""


def inherited(field, name):
    for _ in range(PARENTS):
        if name in field:
            return field[name]
        if "/Parent" not in field:
            return None
        field = field["/Parent"]
    return None


def drawn(page):
    out = streams(page.get("/Contents"))
    fonts = inherited(page, "/Resources")
    if fonts is not None and "/Font" in fonts:
        for name, font in fonts["/Font"].items():
            out += name.encode() + str(font.get("/BaseFont")).encode()
    for annotation in page.get("/Annots") or ():
        box = [float(side) for side in annotation.get("/Rect", [])]
        if len(box) != 4 or int(annotation.get("/F", 0)) & UNSEEN or box[0] == box[2] or box[1] == box[3]:
            continue
        look = annotation.get("/AP", {}).get("/N")
        if isinstance(look, pikepdf.Stream):
            out += str(annotation.get("/Rect")).encode() + streams(look)
        elif isinstance(look, pikepdf.Dictionary):
            out += str(annotation.get("/AS")).encode() + streams(look.get(str(annotation.get("/AS"))))
    return key(out)


def words(page):
    """The operands of the operators that show text; None where the content cannot be read."""
    out = []
    try:
        operators = pikepdf.parse_content_stream(page)
    except pikepdf.PdfError:
        return None
    for operands, operator in operators:
        if str(operator) in ("Tj", "TJ", "'", '"'):
            for operand in operands:
                for part in operand if isinstance(operand, pikepdf.Array) else [operand]:
                    if isinstance(part, pikepdf.String):
                        out.append(str(part))
    return " ".join(out)


def show(data):
    with pikepdf.open(io.BytesIO(data), suppress_warnings=True) as document:
        answer = {"pages": len(document.pages), "text": [], "picture": [], "fields": {}}
        for page in list(document.pages)[:PAGES]:
            answer["text"].append(words(page))
            answer["picture"].append(drawn(page.obj))
            for annotation in page.obj.get("/Annots") or ():
                kind = inherited(annotation, "/FT")
                if annotation.get("/Subtype") == "/Widget" and kind is not None and kind != "/Sig":
                    name, value = inherited(annotation, "/T"), inherited(annotation, "/V")
                    answer["fields"].setdefault(str(name), []).append(str(value))
        if None in answer["text"]:
            del answer["text"]
        action = document.Root.get("/OpenAction")
        answer["acts"] = "None" if action is None else key(action.unparse(resolved=True))
        return answer
