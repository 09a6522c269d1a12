"""What becomes of a library's result: it is checked, made a picture, and said to be turned.

AVIF and JPEG XL say outside EXIF how a picture is to be turned, and there it counts. The samples
stay as they are stored, so the EXIF block says it afterwards; all of its other bytes stay.
"""

import io
import struct
from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from sudokucrypt.errors import InvalidImageError, SudokucryptError
from sudokucrypt.images.orientation import TURNS
from sudokucrypt.images.picture import NATURAL_MODES, Frame, Metadata, Mode, Palette, Picture
from sudokucrypt.images.source import Source
from sudokucrypt.images.tiff.directory import SHORT, SIGNATURES, TiffReader, Tree, numbers
from sudokucrypt.images.tiff.exif import build
from sudokucrypt.images.tiff.tags import ORIENTATION
from sudokucrypt.typing import AnyArray

UPRIGHT: Final = 1  # the orientation of a picture that is not to be turned


def orientation_of(steps: Iterable[tuple[bytes, int]]) -> int:
    """Return the EXIF orientation that means as much as these steps, one after the other.

    They are ``b"irot"`` and quarters of a turn to the left, or ``b"imir"`` and 0 to reverse the
    order of rows, 1 that of columns.
    """
    seen = marks = np.arange(6).reshape(2, 3)
    for kind, value in steps:
        if kind == b"irot":
            seen = np.rot90(seen, value & 3)
        else:
            seen = seen[:, ::-1] if value & 1 else seen[::-1]
    turned = (
        orientation
        for orientation, turn in TURNS.items()
        if np.array_equal(turn.upright(marks), seen)
    )
    return next(turned, UPRIGHT)


def with_orientation(exif: bytes | None, orientation: int) -> bytes | None:
    """Return an EXIF block that says this; one that says so, or cannot be read, stays as it is."""
    if exif is None:
        tree = Tree({ORIENTATION: numbers(SHORT, orientation, order="<")})
        return None if orientation == UPRIGHT else build("<", tree)
    if not exif.startswith(SIGNATURES[:2]):
        return exif
    try:
        reader = TiffReader(Source(exif, "EXIF", 0))
        order = reader.order
        (start,) = reader.unpack("I", 4)
        (count,) = reader.unpack("H", start)
        lines = [bytes(reader.view(start + 2 + 12 * n, 12)) for n in range(count)]
        following = bytes(reader.view(start + 2 + 12 * count, 4))
    except SudokucryptError:
        return exif
    entries = {struct.unpack(order + "H", line[:2])[0]: line for line in lines}
    line = struct.pack(order + "HHIHH", ORIENTATION, SHORT, 1, orientation, 0)
    if entries.get(ORIENTATION, line if orientation == UPRIGHT else b"")[:10] == line[:10]:
        return exif
    # Behind everything, so that whatever counts from the start of the block stays where it is.
    entries[ORIENTATION] = line
    block = exif + b"\0" * (len(exif) % 2)
    head = block[:4] + struct.pack(order + "I", len(block)) + block[8:]
    directory = b"".join(entries[tag] for tag in sorted(entries))
    return head + struct.pack(order + "H", len(entries)) + directory + following


def codec(source: Source, name: str, kind: str) -> Callable[..., AnyArray]:
    """Return a decoder of imagecodecs; few installations lack one."""
    import imagecodecs

    if not getattr(imagecodecs, name).available:
        raise source.unsupported(f"{kind}, for which this installation has no codec")
    decoder: Callable[..., AnyArray] = getattr(imagecodecs, f"{name.lower()}_decode")
    return decoder


def opened_by_pillow(source: Source, plugin: Callable[[Any], Any], kind: str) -> Any:
    """Return a picture whose header Pillow has read, if it may be decoded.

    Pillow opens lazily, so that the size is known before a sample is decoded. What it does not
    open is refused as a kind that it lacks: it does not tell that from damage.
    """
    try:
        image = source.call(lambda data: plugin(io.BytesIO(data)), source.data)
    except InvalidImageError as error:
        raise source.unsupported(f"damaged, or {kind} of a rare kind") from error
    source.shape(image.height, image.width, len(image.getbands()))
    return image


def samples_of(source: Source, image: Any) -> AnyArray:
    """Return the samples of a picture that Pillow opened; a file that is cut is damaged."""
    pixels: AnyArray = source.call(lambda _: np.array(image), b"")
    # Pillow makes bits of bytes that are 255, which NumPy takes for true and does not write as 1.
    return pixels.view(np.uint8) != 0 if pixels.dtype == np.bool_ else pixels


def palette_of(image: Any, pixels: AnyArray) -> Palette:
    """Return the palette of a picture, black where it has fewer colors than its samples need."""
    colors = bytes(image.getpalette("RGB") or b"").ljust(3 * (int(pixels.max()) + 1), b"\0")
    alphas = bytes(image.getpalette("RGBA") or b"")[3::4]
    return Palette(colors=colors, alphas=alphas if alphas.strip(b"\xff") else b"")


def still(
    format: str,  # noqa: A002 - the word for it everywhere in this package
    pixels: AnyArray,
    metadata: Metadata,
    dropped: Iterable[str] = (),
    *,
    mode: Mode | None = None,
    bits: int | None = None,
    palette: Palette | None = None,
) -> Picture:
    """Return a picture of one frame: gray or RGB, with or without alpha, if no mode is named."""
    mode = mode or NATURAL_MODES[1 if pixels.ndim == 2 else pixels.shape[2]]
    frame = Frame(pixels=pixels, mode=mode, bits=bits, palette=palette, metadata=metadata)
    return Picture(frames=(frame,), format=format, dropped=tuple(dict.fromkeys(dropped)))


def require_samples(
    source: Source,
    pixels: AnyArray,
    size: tuple[int, int],
    *,
    channels: tuple[int, ...] = (1, 2, 3, 4),
    dtype: str | None = None,
) -> AnyArray:
    """Return what a library decoded, if it is what the file promised."""
    count = 1 if pixels.ndim == 2 else pixels.shape[-1]
    if pixels.shape[:2] != size or pixels.ndim > 3 or count not in channels:
        raise source.damaged("its samples are not what they promise to be")
    if pixels.dtype != dtype if dtype else pixels.dtype not in ("uint8", "uint16"):
        raise source.damaged(f"its samples are of type {pixels.dtype}")
    return pixels
