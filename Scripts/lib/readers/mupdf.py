"""MuPDF by PyMuPDF."""

import pymupdf

from readers import PAGES, PIXELS, key

pymupdf.TOOLS.mupdf_display_errors(False)
pymupdf.TOOLS.mupdf_display_warnings(False)


def picture(page, annotations):
    box = page.rect
    factor = PIXELS / max(box.width, box.height, 1)
    drawn = page.get_pixmap(
        matrix=pymupdf.Matrix(factor, factor), colorspace=pymupdf.csGRAY, annots=annotations)
    return f"{drawn.width}x{drawn.height}:{key(drawn.samples)}"


def show(data):
    document = pymupdf.open(stream=data, filetype="pdf")
    if document.needs_pass:
        return {"error": "a password is needed"}
    answer = {"pages": document.page_count, "text": [], "picture": [], "bare": [], "fields": {}}
    for index in range(min(answer["pages"], PAGES)):
        page = document[index]
        answer["text"].append(page.get_text())
        answer["picture"].append(picture(page, True))
        answer["bare"].append(picture(page, False))
        for widget in page.widgets() or ():
            if widget.field_type != pymupdf.PDF_WIDGET_TYPE_SIGNATURE:
                answer["fields"].setdefault(widget.field_name, []).append(str(widget.field_value))
    answer["acts"] = document.xref_get_key(document.pdf_catalog(), "OpenAction")[1]
    document.close()
    # Nothing of this file may stay for the next one.
    pymupdf.TOOLS.store_shrink(100)
    return answer
