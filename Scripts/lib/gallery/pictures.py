"""Pictures and handwriting for the gallery, made in code: the same every time."""

import io
import json
import math
import random

from PIL import Image, ImageDraw, ImageFilter

# A signature as a pen draws it: x, y and pressure.
SIGNATURE = [
    [(28, 34, .2), (48, 22, .4), (66, 24, .6), (62, 48, .8), (54, 82, .9), (42, 110, .8),
     (24, 122, .5), (14, 110, .3), (26, 94, .3), (52, 82, .3), (74, 72, .3), (86, 62, .5),
     (80, 54, .5), (70, 62, .6), (70, 76, .7), (82, 76, .5), (90, 60, .5), (88, 76, .7),
     (96, 76, .4), (104, 60, .5), (103, 77, .8), (110, 64, .4), (120, 58, .5), (120, 76, .7),
     (132, 74, .3)],
    [(150, 82, .6), (160, 48, .9), (168, 20, .5), (176, 46, .8), (188, 80, .9), (200, 44, .5),
     (214, 12, .3)],
    [(206, 66, .4), (200, 60, .5), (194, 70, .7), (202, 79, .6), (212, 68, .5), (206, 60, .4),
     (222, 62, .4), (228, 78, .8), (238, 60, .4), (248, 64, .5), (242, 58, .4), (236, 68, .7),
     (244, 78, .6), (254, 62, .5), (253, 77, .8), (266, 58, .5), (274, 24, .4), (266, 50, .7),
     (264, 78, .9), (276, 60, .4), (284, 58, .3), (268, 68, .6), (284, 80, .8), (312, 66, .2)],
    [(252, 46, .7), (260, 38, .2)],
    [(70, 104, .2), (140, 96, .6), (220, 94, .7), (300, 98, .4), (330, 92, .1)],
]


def strokes():
    """The signature as JSON strokes."""
    return json.dumps({"strokes": SIGNATURE}).encode()


def curve(points, steps=12):
    """Points of the Catmull-Rom curve through points."""
    result = []
    for i in range(len(points) - 1):
        a, b = points[max(i - 1, 0)], points[i]
        c, d = points[i + 1], points[min(i + 2, len(points) - 1)]
        for step in range(steps):
            t = step / steps
            result.append(tuple(
                .5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t * t
                      + (3 * q - p - 3 * r + s) * t ** 3)
                for p, q, r, s in zip(a, b, c, d)))
    return result + [points[-1]]


def svg():
    """The signature as SVG paths."""
    paths = []
    for stroke in SIGNATURE:
        x, y, _ = stroke[0]
        data = f"M{x} {y}"
        for i in range(len(stroke) - 1):
            a, b = stroke[max(i - 1, 0)], stroke[i]
            c, d = stroke[i + 1], stroke[min(i + 2, len(stroke) - 1)]
            one = [b[k] + (c[k] - a[k]) / 6 for k in (0, 1)]
            two = [c[k] - (d[k] - b[k]) / 6 for k in (0, 1)]
            data += "C%.1f %.1f %.1f %.1f %g %g" % (*one, *two, c[0], c[1])
        paths.append(f'<path d="{data}"/>')
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 345 135"><g fill="none" '
        'stroke="#14213d" stroke-width="3.2" stroke-linecap="round">' + "".join(paths)
        + "</g></svg>").encode()


def photo():
    """A phone's photo (JPEG) of the signature in blue ink on paper: shadow, grain, table edge."""
    size = (1600, 1200)
    ink = Image.new("L", (size[0] * 2, size[1] * 2), 0)
    draw = ImageDraw.Draw(ink)
    turn = math.radians(-6)
    for stroke in SIGNATURE:
        last = None
        for x, y, pressure in curve(stroke, 24):
            x, y = (x - 170) * 6.6, (y - 70) * 6.6
            place = (1600 + x * math.cos(turn) - y * math.sin(turn),
                     1160 + x * math.sin(turn) + y * math.cos(turn))
            radius = 5 + 11 * max(0, pressure)
            draw.ellipse([place[0] - radius, place[1] - radius,
                          place[0] + radius, place[1] + radius], fill=235)
            if last:
                draw.line([last, place], fill=235, width=int(2 * radius))
            last = place
    ink = ink.resize(size, Image.LANCZOS).filter(ImageFilter.GaussianBlur(1.2))
    paper = Image.new("RGB", size)
    pixels = paper.load()
    shade = random.Random(1)
    for y in range(size[1]):
        for x in range(size[0]):
            light = .62 + .3 * x / size[0] - .12 * y / size[1]
            # The shadow of a hand.
            light *= 1 - .28 / (1 + math.exp((x - 380 - .3 * y) / 90))
            grain = shade.uniform(-.012, .012)
            table = x > 1545 + y * .02
            base = (.42, .3, .2) if table else (.97, .95, .9)
            pixels[x, y] = tuple(int(255 * min(1, max(0, c * (light + grain)))) for c in base)
    paper = Image.composite(
        Image.blend(paper, Image.new("RGB", size, (24, 38, 120)), .88), paper, ink)
    out = io.BytesIO()
    paper.save(out, "JPEG", quality=88)
    return out.getvalue()


def logo(transparent):
    """A round mark, PNG: on white, or on nothing with soft edges."""
    side = 320
    big = Image.new("RGBA", (side * 2, side * 2), (255, 255, 255, 0 if transparent else 255))
    draw = ImageDraw.Draw(big)
    draw.ellipse([20, 20, 620, 620], fill=(178, 34, 52, 255))
    draw.ellipse([70, 70, 570, 570], fill=(255, 255, 255, 60 if transparent else 255))
    draw.polygon([(320, 110), (500, 430), (140, 430)], fill=(34, 70, 130, 255))
    draw.ellipse([255, 300, 385, 430], fill=(240, 180, 60, 255))
    out = io.BytesIO()
    image = big.resize((side, side), Image.LANCZOS)
    (image if transparent else image.convert("RGB")).save(out, "PNG")
    return out.getvalue()
