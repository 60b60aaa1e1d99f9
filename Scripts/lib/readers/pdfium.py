"""PDFium, the reader of Chromium, by pypdfium2."""

import ctypes

import pypdfium2
import pypdfium2.raw as raw

from readers import PAGES, PIXELS, key

SIGNATURE = 7


def picture(page, **options):
    width, height = page.get_size()
    drawn = page.render(scale=PIXELS / max(width, height, 1), grayscale=True, **options)
    return f"{drawn.width}x{drawn.height}:{key(bytes(drawn.buffer))}"


def wide(function, *arguments):
    """A UTF-16 string of the library."""
    size = function(*arguments, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    function(*arguments, buffer, size)
    return bytes(buffer)[: max(0, size - 2)].decode("utf-16-le", errors="replace")


def fields(form, page):
    found = {}
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
        if kind not in (-1, 0, SIGNATURE):
            name = wide(raw.FPDFAnnot_GetFormFieldName, form, annotation)
            found.setdefault(name, []).append(
                wide(raw.FPDFAnnot_GetFormFieldValue, form, annotation))
        raw.FPDFPage_CloseAnnot(annotation)
    return found


def show(data):
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    answer = {
        "pages": len(document), "text": [], "picture": [], "bare": [], "printed": [], "fields": {}}
    for index in range(min(answer["pages"], PAGES)):
        try:
            page = document[index]
        except pypdfium2.PdfiumError:
            answer["text"].append(None)
            continue
        words = page.get_textpage()
        answer["text"].append(words.get_text_bounded())
        words.close()
        answer["picture"].append(picture(page))
        answer["bare"].append(picture(page, may_draw_forms=False, draw_annots=False))
        answer["printed"].append(picture(page, optimize_mode="print"))
        if document.formenv:
            for name, values in fields(document.formenv.raw, page.raw).items():
                answer["fields"].setdefault(name, []).extend(values)
        page.close()
    document.close()
    return answer
