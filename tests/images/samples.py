"""One file and more of every format, small enough to be broken in thousands of ways."""

import io
import random
import struct
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
from PIL import Image

from sudokucrypt.typing import AnyArray
from tests.images import builders as b

HEIF = Path(__file__).parent / "heif"
"""Pictures that pillow-heif 1.8 coded as HEVC, most without loss; no encoder comes with us."""

JXL_START = b"\0\0\0\x0cJXL \r\n\x87\n" + b.box(b"ftyp", b"jxl \0\0\0\0jxl ")

_GRAY, _RGB, _RGBA = b.noise(9, 11, 1), b.noise(9, 11, 3), b.noise(9, 11, 4)
_BITS = _GRAY > 128
_VP8L = b.save_image(_RGB, "WEBP", lossless=True)[12:]
_EIGHT = b.gif_image(b.noise(8, 8, 1) % 4, palette=b.noise(1, 4, 3).tobytes(), bits=2)


def pack_samples(pixels: AnyArray, bits: int, *, size: int = 1) -> bytes:
    """Rows of whole groups of `size` bytes, the first sample in the highest bits."""
    planes = (np.atleast_3d(pixels)[..., np.newaxis] >> np.arange(bits - 1, -1, -1)) & 1
    lines = np.packbits(planes.reshape(len(pixels), -1).astype(np.uint8), axis=1)
    return np.pad(lines, ((0, 0), (0, -lines.shape[1] % size))).tobytes()


def show_colors(data: bytes, mode: str = "RGB") -> AnyArray:
    """The colors that Pillow shows."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert(mode))


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
    "PNG": b.encode_array(_RGBA, "PNG", header=b.HEADER),
    "PNG, 16 bits": b.encode_array(b.noise(9, 11, 2, "uint16"), "PNG"),
    "PNG, filters": b.save_image(_RGB, "PNG"),
    "PNG, animation": b.apng(
        b.png_control(0, 4, 3), b.png_frame(b.noise(3, 4, 1)),
        b.png_control(1, 2, 1, row=1), b.png_frame(b.noise(1, 2, 1), 2), frames=2,
   ),
    "JPEG": b.save_image(_RGB, "JPEG"),
    "JPEG, progressive": b.save_image(_RGB, "JPEG", progressive=True),
    "TIFF": b.encode_array(_RGB, "TIFF", header=b.HEADER),
    "TIFF, directory first": b.save_image(_GRAY, "TIFF"),
    "TIFF, big": b.tiff(pixels=_RGB, big=True, order=">"),
    "TIFF, palette": b.save_image(_GRAY, "TIFF", "P"),
    **{
        f"TIFF, {name}": b.save_image(_BITS if "group" in name else _RGB, "TIFF", compression=name)
        for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4", "jpeg")
    },
    "TIFF, pages": b.tiff(pixels=_GRAY, following=len(b.tiff(pixels=_GRAY)))
    + b.tiff(pixels=_GRAY)[8 + _GRAY.nbytes :],
    "TIFF, 12 bits": b.tiff(
        {256: (4, [7]), 257: (4, [3]), 258: (3, [12]), 262: (3, [1]), 277: (3, [1]), 278: (4, [3])},
        pixels=b.noise(1, 33, 1),
   ),
    "TIFF, YCbCr": b.tiff(
        {256: (4, [8]), 257: (4, [6]), 258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]),
         278: (4, [6]), 530: (3, [2, 2])},
        pixels=b.noise(1, 72, 1),
   ),
    "TIFF, CMYK-JPEG": b.save_image(_RGBA, "TIFF", "CMYK", compression="jpeg"),
    "WebP": b.save_image(_RGBA, "WEBP", lossless=True),
    "WebP, lossy": b.save_image(_RGB, "WEBP"),
    "WebP, animation": b.riff(
        (b"VP8X", b"\2\0\0\0" + b"\xff" * 3 + b"\xff\0\0"), (b"ANIM", bytes(6)),
        *[(b"ANMF", bytes(6) + b"\x0a\0\0\x08\0\0" + b"\x46\0\0\1" + _VP8L)] * 3,
   ),
    "GIF": b.gif(b.gif_control(7), _EIGHT, b.gif_application(b"NETSCAPE2.0", b"\1\3\0")),
    "GIF, two": b.gif(
        b.gif_control(5, flags=5), _EIGHT, b.gif_control(9), _EIGHT, columns=65535, rows=65535
   ),
    "BMP": b.save_image(_RGB, "BMP"),
    "BMP, gray": b.save_image(_GRAY, "BMP"),
    "BMP, masks": b.bmp(
        16, b.noise(5, 6, 2).tobytes(), columns=6, rows=5, compression=3,
        extra=struct.pack("<III", 0xF800, 0x7E0, 0x1F),
   ),
    "PPM": b.save_image(_RGB, "PPM"),
    "PPM, text": b"P2 3 2 255\n0 1 12\n123 200 255\n",
    "PPM, bits": b"P1 # x\n3 2\n010 1 1 0\n",
    "PPM, floats": b"PF 3 2\n-1.0\n" + bytes(72),
    "AVIF": b.save_image(_RGBA, "AVIF", quality=100),
    "HEIF": heif("rgb"),
    "HEIF, lossy": heif("lossy"),
    "HEIF, tiles": heif("tiles"),
    "JPEG XL": jxl(_RGBA),
    "JPEG XL, boxes": jxl(_RGBA, usecontainer=True),
    "JPEG XL, lossy": jxl(_RGB, lossless=False),
    "JPEG 2000": jpeg2000(_RGB),
    "JPEG 2000, bare": jpeg2000(_GRAY, codecformat="j2k"),
    "ICO": b.save_image(_RGBA, "ICO", sizes=[(11, 9)]),
    "ICO, bitmap": b.save_image(b.noise(9, 32, 1), "ICO", sizes=[(32, 9)], bitmap_format="bmp"),
    "PSD": psd(_RGB, 3),
    "PSD, packed": psd(_RGBA, 3, packed=True),
    "QOI": bytes(imagecodecs.qoi_encode(_RGBA)),
    "QOI, RGB": bytes(imagecodecs.qoi_encode(np.repeat(_RGB, 5, axis=1))),
    "TGA": b.save_image(_RGBA, "TGA"),
    "TGA, runs": b.save_image(np.repeat(_RGB, 3, axis=1), "TGA", compression="tga_rle"),
}  # fmt: skip
"""Files by the name of their format, and what is special about them."""


REFUSED_FILES = (
    *("PNG, animation", "TIFF, pages", "WebP, animation", "GIF, two"),
    *("TIFF, group3", "TIFF, group4", "TIFF, 12 bits", "TIFF, YCbCr", "TIFF, CMYK-JPEG"),
)
"""Those of several pictures, or of a kind that is refused."""


def format_of(name: str) -> str:
    """The format in the name of a file."""
    return name.partition(",")[0]


def damage_data(draw: random.Random, data: bytes) -> bytes:
    """The file with some bytes changed, put in or left out, and one in three cut off."""
    result = bytearray(data[: draw.choice((len(data), len(data), draw.randrange(len(data))))])
    for _ in range(draw.choice((0, 1, 1, 3))):
        # Heads say more than samples.
        position = draw.randrange(min(len(result), draw.choice((64, 400, len(result)))) + 1)
        result[position : position + draw.choice((0, 1, 1, 1, 5))] = draw.choice(
            (b"", b"\0", b"\xff", draw.randbytes(1), draw.randbytes(4))
        )
    return bytes(result)
