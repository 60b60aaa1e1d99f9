"""pypdf, which draws nothing: content and looks of annotations stand for pictures."""

import io
import logging
import warnings

import pypdf

from readers import PAGES, UNSEEN, key

logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
warnings.simplefilter("ignore")


def looks(page):
    """The decoded normal looks of a page's annotations, in order."""
    out = b""
    for annotation in page.get("/Annots") or ():
        annotation = annotation.get_object()
        box = annotation.get("/Rect") if annotation else None
        if not box or annotation.get("/F", 0) & UNSEEN or box[0] == box[2] or box[1] == box[3]:
            continue
        looks_of = annotation.get("/AP")
        look = looks_of.get_object().get("/N") if looks_of is not None else None
        look = look.get_object() if look is not None else None
        if isinstance(look, pypdf.generic.StreamObject):
            out += str(annotation.get("/Rect")).encode() + look.get_data()
        elif look is not None:
            state = look.get(annotation.get("/AS"))
            out += str(annotation.get("/AS")).encode() + (
                state.get_object().get_data() if state is not None else b"")
    return out


def show(data):
    document = pypdf.PdfReader(io.BytesIO(data))
    if document.is_encrypted and not document.decrypt(""):
        return {"error": "a password is needed"}
    answer = {"pages": len(document.pages), "text": [], "picture": []}
    for page in document.pages[:PAGES]:
        answer["text"].append(page.extract_text())
        content = page.get_contents()
        answer["picture"].append(key((content.get_data() if content else b"") + looks(page)))
    answer["fields"] = {
        name: str(field.get("/V")) for name, field in (document.get_fields() or {}).items()
        if field.get("/FT") != "/Sig"}
    answer["acts"] = str(document.trailer["/Root"].get("/OpenAction"))
    return answer
