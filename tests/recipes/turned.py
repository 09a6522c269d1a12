"""Files of one scene in each orientation, and what a viewer shows of them."""

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
# Steps in a HEIC that mean each orientation.
_STEPS: dict[int, tuple[bytes, ...]] = {
    1: (), 2: (b"imir\1",), 3: (b"irot\2",), 4: (b"imir\0",),
    5: (b"irot\1", b"imir\0"), 6: (b"irot\3",), 7: (b"irot\1", b"imir\1"), 8: (b"irot\1",),
}  # fmt: skip


@cache
def turn_picture(file_format: str, orientation: int) -> bytes:
    """A picture of 40 rows of 64 as it is stored, or a smaller HEIC, that says how to turn it."""
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
    """The pixels that Pillow shows, turned as it turns them, or libheif."""
    if b"ftyp" in data[:12]:
        file = pi_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        return np.asarray(file.to_pillow().convert("RGB"))
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(ImageOps.exif_transpose(image).convert("RGB"))


def require_covered(before: bytes, after: bytes, where: AnyArray, *, slack: int = 0) -> None:
    """Fail unless a viewer shows black in an area, and no change `slack` pixels outside of it."""
    first, second = show_upright(before), show_upright(after)
    assert first.shape == second.shape
    assert second[where].max() <= 1
    rows, columns = np.nonzero(where)
    around = np.zeros_like(where)
    around[
        max(0, rows.min() - slack) : rows.max() + slack + 1,
        max(0, columns.min() - slack) : columns.max() + slack + 1,
    ] = True
    assert np.array_equal(first[~around], second[~around])
    assert not around.all()
