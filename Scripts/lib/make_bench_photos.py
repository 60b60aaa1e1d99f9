"""usage: make_bench_photos.py FOLDER

Writes photos of 12 and 48 million pixels, with as much detail as cameras see. Needs Pillow.
"""

import pathlib
import sys

from PIL import Image


def photo(width, height):
    coarse = Image.effect_noise((width // 16, height // 16), 90)
    fine = Image.effect_noise((width, height), 14)
    gray = Image.blend(coarse.resize((width, height), Image.Resampling.BICUBIC), fine, 0.3)
    flips = (Image.Transpose.FLIP_LEFT_RIGHT, Image.Transpose.FLIP_TOP_BOTTOM)
    return Image.merge("RGB", (gray, *(gray.transpose(flip) for flip in flips)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    for name, size in (("12mp", (4000, 3000)), ("48mp", (8064, 6048))):
        photo(*size).save(folder / f"{name}.jpg", quality=88, subsampling=2)
