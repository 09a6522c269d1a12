"""One file and more of every format, small enough to be broken in thousands of ways."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import imagecodecs
import numpy as np

from tests.images.builders import (
    HEADER,
    apng,
    bmp,
    box,
    encoded,
    gif,
    gif_application,
    gif_control,
    gif_image,
    noise,
    png_control,
    png_frame,
    saved,
    tiff,
)

if TYPE_CHECKING:
    from sudokucrypt.typing import AnyArray

HEIF = Path(__file__).parent / "heif"
"""Pictures that pillow-heif 1.8 coded as HEVC, most without loss; no encoder comes with us."""

JXL_START = b"\0\0\0\x0cJXL \r\n\x87\n" + box(b"ftyp", b"jxl \0\0\0\0jxl ")

_GRAY, _RGB, _RGBA = noise(9, 11, 1), noise(9, 11, 3), noise(9, 11, 4)
_BITS = _GRAY > 128
_EIGHT = gif_image(noise(8, 8, 1) % 4, palette=noise(1, 4, 3).tobytes(), bits=2)
_COLORS = b"".join(bytes([n, 255 - n, 7 * n % 256, 0]) for n in range(16))


def psd(
    pixels: AnyArray,
    kind: int,
    *,
    packed: bool = False,
    colors: bytes = b"",
    resources: bytes = b"",
    layers: bytes = b"",
) -> bytes:
    """A Photoshop picture of these samples, as they are stored, plane by plane."""
    planes = np.atleast_3d(pixels).transpose(2, 0, 1)
    channels, rows, columns = planes.shape
    bits = 8 * pixels.dtype.itemsize
    head = b"8BPS" + struct.pack(">H6xHIIHH", 1, channels, rows, columns, bits, kind)
    head += b"".join(struct.pack(">I", len(part)) + part for part in (colors, resources, layers))
    planes = planes.astype(planes.dtype.newbyteorder(">"))
    if not packed:
        return head + b"\0\0" + planes.tobytes()
    lines = [
        bytes(imagecodecs.packbits_encode(row.tobytes())) for row in planes.reshape(-1, columns)
    ]
    table = b"".join(struct.pack(">H", len(line)) for line in lines)
    return head + b"\0\1" + table + b"".join(lines)


def psd_resource(number: int, data: bytes) -> bytes:
    """One of the notes in a Photoshop picture, without a name."""
    return b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data + b"\0" * (len(data) % 2)


def jxl(pixels: AnyArray, **options: Any) -> bytes:
    """A JPEG XL without loss, unless options say otherwise."""
    return bytes(imagecodecs.jpegxl_encode(pixels, **{"lossless": True, **options}))


def jpeg2000(pixels: AnyArray, **options: Any) -> bytes:
    """A JPEG 2000 without loss, unless options say otherwise."""
    return bytes(imagecodecs.jpeg2k_encode(pixels, **{"level": 0, "reversible": True, **options}))


def heif(name: str) -> bytes:
    """One of the pictures that lie here as files."""
    return (HEIF / f"{name}.heic").read_bytes()


def heif_samples(name: str) -> AnyArray:
    """The samples that went into one of them, in 8 bits or, if it is deep, in 10."""
    sides = {"tiles": (64, 128), "cropped": (24, 40)}.get(name, (64, 80))
    row, column = np.mgrid[: sides[0], : sides[1]]
    if name == "tiles":
        return np.stack([column * 2, row * 4, row + column], -1).astype(np.uint8)
    planes = (2 * column + row, 255 - 2 * column - row, 4 * row, 255 - 3 * column)
    pixels = np.stack(planes, -1)[..., : {"gray": 1, "rgba": 4}.get(name, 3)]
    if name == "deep":
        return (pixels * 4).astype(np.uint16)
    return pixels.astype(np.uint8).squeeze()


FILES = {
    "PNG": encoded(_RGBA, "PNG", header=HEADER),
    "PNG, 16 bits": encoded(noise(9, 11, 2, "uint16"), "PNG"),
    "PNG, filters": saved(_RGB, "PNG"),
    "PNG, animation": apng(
        png_control(0, 4, 3), png_frame(noise(3, 4, 1)),
        png_control(1, 2, 1, row=1), png_frame(noise(1, 2, 1), 2), frames=2,
    ),
    "JPEG": saved(_RGB, "JPEG"),
    "JPEG, progressive": saved(_RGB, "JPEG", progressive=True),
    "TIFF": encoded(_RGB, "TIFF", header=HEADER),
    "TIFF, directory first": saved(_GRAY, "TIFF"),
    "TIFF, big": tiff(pixels=_RGB, big=True, order=">"),
    "TIFF, palette": saved(_GRAY, "TIFF", "P"),
    **{
        f"TIFF, {name}": saved(_BITS if "group" in name else _RGB, "TIFF", compression=name)
        for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4", "jpeg")
    },
    "TIFF, 12 bits": tiff(
        {256: (4, [7]), 257: (4, [3]), 258: (3, [12]), 262: (3, [1]), 277: (3, [1]), 278: (4, [3])},
        pixels=noise(1, 33, 1),
    ),
    "TIFF, YCbCr": tiff(
        {256: (4, [8]), 257: (4, [6]), 258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]),
         278: (4, [6]), 530: (3, [2, 2])},
        pixels=noise(1, 72, 1),
    ),
    "TIFF, CMYK-JPEG": saved(_RGBA, "TIFF", "CMYK", compression="jpeg"),
    "WebP": encoded(_RGBA, "WebP", header=HEADER),
    "WebP, lossy": saved(_RGB, "WEBP"),
    "GIF": gif(gif_control(7), _EIGHT, gif_application(b"NETSCAPE2.0", b"\1\3\0")),
    "GIF, two": gif(gif_control(5, flags=5), _EIGHT, gif_control(9), _EIGHT),
    "BMP": saved(_RGB, "BMP"),
    "BMP, gray": saved(_GRAY, "BMP"),
    "BMP, runs": bmp(
        8, b"\4\1\0\0\2\2\0\3\5\6\7\0\0\1", columns=5, rows=2, compression=1, extra=_COLORS
    ),
    "PPM": saved(_RGB, "PPM"),
    "PPM, text": b"P2 3 2 255\n0 1 12\n123 200 255\n",
    "PPM, bits": b"P1 # x\n3 2\n010 1 1 0\n",
    "PPM, floats": b"PF 3 2\n-1.0\n" + bytes(72),
    "PPM, array": b"P7\nWIDTH 3\nHEIGHT 2\nDEPTH 1\nMAXVAL 255\nENDHDR\n" + bytes(6),
    "AVIF": saved(_RGBA, "AVIF", quality=100),
    "HEIF": heif("rgb"),
    "HEIF, lossy": heif("lossy"),
    "HEIF, tiles": heif("tiles"),
    "JPEG XL": jxl(_RGBA),
    "JPEG XL, boxes": jxl(_RGBA, usecontainer=True),
    "JPEG XL, lossy": jxl(_RGB, lossless=False),
    "JPEG 2000": jpeg2000(_RGB),
    "JPEG 2000, bare": jpeg2000(_GRAY, codecformat="j2k"),
    "ICO": saved(_RGBA, "ICO", sizes=[(11, 9)]),
    "ICO, bitmap": saved(noise(9, 32, 1), "ICO", sizes=[(32, 9)], bitmap_format="bmp"),
    "PSD": psd(_RGB, 3),
    "PSD, packed": psd(_RGBA, 3, packed=True),
    "QOI": bytes(imagecodecs.qoi_encode(_RGBA)),
    "QOI, RGB": bytes(imagecodecs.qoi_encode(np.repeat(_RGB, 5, axis=1))),
    "TGA": saved(_RGBA, "TGA"),
    "TGA, runs": saved(np.repeat(_RGB, 3, axis=1), "TGA", compression="tga_rle"),
}  # fmt: skip
"""Files by the name of their format, and what is special about them."""


def format_of(name: str) -> str:
    """The format in the name of a file."""
    return name.partition(",")[0]
