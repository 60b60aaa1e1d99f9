"""poppler by its C interface for glib, drawing with cairo."""

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p

from readers import PAGES, PIXELS, key

glib = ctypes.CDLL("libglib-2.0.so.0")
gobject = ctypes.CDLL("libgobject-2.0.so.0")
cairo = ctypes.CDLL("libcairo.so.2")
poppler = ctypes.CDLL("libpoppler-glib.so.8")
RGB, BUTTON, TEXT, CHOICE, SIGNATURE = 1, 1, 2, 3, 4


class Error(ctypes.Structure):
    _fields_ = [("domain", c_uint), ("code", c_int), ("message", c_char_p)]


class Node(ctypes.Structure):
    """GList."""
    _fields_ = [("data", c_void_p), ("next", c_void_p), ("previous", c_void_p)]


class FieldMapping(ctypes.Structure):
    _fields_ = [("area", c_double * 4), ("field", c_void_p)]


def declare(library, name, result, *arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


new_bytes = declare(glib, "g_bytes_new", c_void_p, c_char_p, c_size_t)
drop_bytes = declare(glib, "g_bytes_unref", None, c_void_p)
free = declare(glib, "g_free", None, c_void_p)
drop = declare(gobject, "g_object_unref", None, c_void_p)
open_document = declare(
    poppler, "poppler_document_new_from_bytes", c_void_p, c_void_p, c_char_p, POINTER(POINTER(Error)))
page_count = declare(poppler, "poppler_document_get_n_pages", c_int, c_void_p)
get_page = declare(poppler, "poppler_document_get_page", c_void_p, c_void_p, c_int)
page_size = declare(
    poppler, "poppler_page_get_size", None, c_void_p, POINTER(c_double), POINTER(c_double))
page_text = declare(poppler, "poppler_page_get_text", c_void_p, c_void_p)
draw = declare(poppler, "poppler_page_render", None, c_void_p, c_void_p)
draw_for_paper = declare(poppler, "poppler_page_render_for_printing", None, c_void_p, c_void_p)
field_mapping = declare(poppler, "poppler_page_get_form_field_mapping", c_void_p, c_void_p)
free_mapping = declare(poppler, "poppler_page_free_form_field_mapping", None, c_void_p)
field_type = declare(poppler, "poppler_form_field_get_field_type", c_int, c_void_p)
field_name = declare(poppler, "poppler_form_field_get_name", c_void_p, c_void_p)
field_text = declare(poppler, "poppler_form_field_text_get_text", c_void_p, c_void_p)
field_choice = declare(poppler, "poppler_form_field_choice_get_text", c_void_p, c_void_p)
field_state = declare(poppler, "poppler_form_field_button_get_state", c_int, c_void_p)
new_surface = declare(cairo, "cairo_image_surface_create", c_void_p, c_int, c_int, c_int)
drop_surface = declare(cairo, "cairo_surface_destroy", None, c_void_p)
flush = declare(cairo, "cairo_surface_flush", None, c_void_p)
surface_data = declare(cairo, "cairo_image_surface_get_data", c_void_p, c_void_p)
surface_stride = declare(cairo, "cairo_image_surface_get_stride", c_int, c_void_p)
new_context = declare(cairo, "cairo_create", c_void_p, c_void_p)
drop_context = declare(cairo, "cairo_destroy", None, c_void_p)
set_colour = declare(
    cairo, "cairo_set_source_rgb", None, c_void_p, c_double, c_double, c_double)
paint = declare(cairo, "cairo_paint", None, c_void_p)
scale = declare(cairo, "cairo_scale", None, c_void_p, c_double, c_double)


def taken(pointer):
    """The text of a string that the library hands over."""
    if not pointer:
        return ""
    text = ctypes.string_at(pointer).decode(errors="replace")
    free(pointer)
    return text


def picture(page, drawer):
    width, height = c_double(), c_double()
    page_size(page, width, height)
    factor = PIXELS / max(width.value, height.value, 1)
    columns, rows = (max(1, round(side.value * factor)) for side in (width, height))
    surface = new_surface(RGB, columns, rows)
    context = new_context(surface)
    set_colour(context, 1, 1, 1)
    paint(context)
    scale(context, factor, factor)
    drawer(page, context)
    drop_context(context)
    flush(surface)
    data = ctypes.string_at(surface_data(surface), surface_stride(surface) * rows)
    drop_surface(surface)
    return f"{columns}x{rows}:{key(data)}"


def value(field):
    kind = field_type(field)
    if kind == TEXT:
        return taken(field_text(field))
    if kind == CHOICE:
        return taken(field_choice(field))
    return str(field_state(field)) if kind == BUTTON else ""


def fields(page):
    mapping = field_mapping(page)
    node, found = mapping, {}
    while node:
        entry = Node.from_address(node)
        field = FieldMapping.from_address(entry.data).field
        name = taken(field_name(field))
        if field_type(field) != SIGNATURE:
            found.setdefault(name, []).append(value(field))
        node = entry.next
    free_mapping(mapping)
    return found


def show(data):
    error = POINTER(Error)()
    source = new_bytes(data, len(data))
    document = open_document(source, None, error)
    drop_bytes(source)
    if not document:
        return {"error": error.contents.message.decode(errors="replace") if error else "no document"}
    answer = {"pages": page_count(document), "text": [], "picture": [], "printed": [], "fields": {}}
    for index in range(min(answer["pages"], PAGES)):
        page = get_page(document, index)
        if not page:
            answer["text"].append(None)
            continue
        answer["text"].append(taken(page_text(page)))
        answer["picture"].append(picture(page, draw))
        answer["printed"].append(picture(page, draw_for_paper))
        for name, values in fields(page).items():
            answer["fields"].setdefault(name, []).extend(values)
        drop(page)
    drop(document)
    return answer
