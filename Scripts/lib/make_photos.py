"""usage: make_photos.py FOLDER

Writes the small photos of TestVectors/jpeg. Needs Pillow and cjpeg (libjpeg-turbo).
"""

import pathlib
import subprocess
import sys

from PIL import Image


def corners(mode="RGB"):
    """48 by 32 pixels: red top left, green top right, blue bottom left, white bottom right."""
    image = Image.new("RGB", (48, 32))
    for x, y, color in ((0, 0, "red"), (24, 0, "lime"), (0, 16, "blue"), (24, 16, "white")):
        image.paste(color, (x, y, x + 24, y + 16))
    return image.convert(mode)


def exif(orientation, gps=False):
    tags = Image.Exif()
    tags[0x0112] = orientation
    if gps:
        tags.get_ifd(0x8825).update({1: "N", 2: (50.0, 5.0, 0.0), 3: "E", 4: (14.0, 25.0, 0.0)})
    return tags.tobytes()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    picture = corners()
    settings = {"quality": 90, "subsampling": 0}
    for orientation in range(9):
        stored = picture.transpose(Image.Transpose.TRANSPOSE) if orientation >= 5 else picture
        stored.save(folder / f"orientation-{orientation}.jpg", exif=exif(orientation), **settings)
    picture.save(folder / "gps.jpg", exif=exif(1, gps=True), dpi=(144, 144), **settings)
    picture.save(folder / "progressive.jpg", progressive=True, quality=90, subsampling=2)
    corners("L").save(folder / "gray.jpg", quality=90)
    corners("CMYK").save(folder / "cmyk.jpg", quality=90)
    picture.save(folder / "picture.png")
    detailed = Image.effect_mandelbrot((320, 240), (-2.0, -1.1, 0.9, 1.1), 100)
    flips = [detailed.transpose(way) for way in (Image.Transpose.FLIP_LEFT_RIGHT,
                                                 Image.Transpose.FLIP_TOP_BOTTOM)]
    Image.merge("RGB", (detailed, *flips)).save(folder / "detailed.jpg", quality=95)
    pixels = b"P6 48 32 255\n" + picture.tobytes()
    for name, options in (("arithmetic.jpg", ["-arithmetic"]), ("rgb.jpg", ["-rgb"]),
                          ("restart.jpg", ["-restart", "1"])):
        done = subprocess.run(["cjpeg", "-quality", "90", *options], input=pixels, check=True,
                              capture_output=True)
        (folder / name).write_bytes(done.stdout)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
