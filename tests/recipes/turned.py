"""Pictures with each orientation, and their upright pixels as a viewer shows them."""

import io
from functools import cache

import numpy as np
import pi_heif
from PIL import Image, ImageOps

from sudokucrypt.typing import AnyArray
from tests.images.avif import build_avif, make_size_property, read_coded
from tests.images.builders import make_box, noise
from tests.images.jpeg import corpus
from tests.images.samples import read_heif_file

SUFFIXES = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp", "TIFF": ".tif", "HEIC": ".heic"}
ORIENTATIONS = range(1, 9)
# Properties of a HEIC for each orientation of EXIF.
_STEPS: dict[int, tuple[bytes, ...]] = {
    1: (), 2: (b"imir\1",), 3: (b"irot\2",), 4: (b"imir\0",),
    5: (b"irot\1", b"imir\0"), 6: (b"irot\3",), 7: (b"irot\1", b"imir\1"), 8: (b"irot\1",),
}  # fmt: skip


@cache
def turn_picture(file_format: str, orientation: int) -> bytes:
    """Return a picture with this orientation, of 40 stored rows of 64 pixels, or a smaller HEIC."""
    if file_format == "HEIC":
        config, content = read_coded(read_heif_file("rgb"), b"hvcC")
        rows, columns = Image.fromarray(show_upright(read_heif_file("rgb"))).size[::-1]
        turns = [(make_box(step[:4], step[4:]), [1]) for step in _STEPS[orientation]]
        properties = [(make_size_property(rows, columns), [1]), (config, [1]), *turns]
        return build_avif([(1, b"hvc1", content)], properties, brand=b"heic")
    exif, buffer = Image.Exif(), io.BytesIO()
    exif[0x0112] = orientation
    pixels = corpus.make_smooth(40, 64) if file_format == "JPEG" else noise(40, 64, 3)
    options = {"quality": 95, "subsampling": 0} if file_format == "JPEG" else {"lossless": True}
    Image.fromarray(pixels).save(buffer, file_format, exif=exif, **options)
    return buffer.getvalue()


def show_upright(data: bytes) -> AnyArray:
    """Return the upright pixels, as Pillow or libheif decode them."""
    if b"ftyp" in data[:12]:
        file = pi_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        return np.asarray(file.to_pillow().convert("RGB"))
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def require_covered(original: bytes, covered: bytes, mask: AnyArray, *, slack: int = 0) -> None:
    """Fail unless the masked pixels are black after redacting, and distant ones are unchanged.

    Pixels in the bounding box of the mask, widened by `slack` pixels, may differ.
    """
    original_pixels, covered_pixels = show_upright(original), show_upright(covered)
    assert original_pixels.shape == covered_pixels.shape
    assert covered_pixels[mask].max() <= 1
    rows, columns = np.nonzero(mask)
    may_differ = np.zeros_like(mask)
    may_differ[
        max(0, rows.min() - slack) : rows.max() + slack + 1,
        max(0, columns.min() - slack) : columns.max() + slack + 1,
    ] = True
    assert np.array_equal(original_pixels[~may_differ], covered_pixels[~may_differ])
    assert not may_differ.all()
