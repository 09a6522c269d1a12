"""At least one file of every format, small enough to be damaged in thousands of ways."""

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

JXL_START = b"\0\0\0\x0cJXL \r\n\x87\n" + b.make_box(b"ftyp", b"jxl \0\0\0\0jxl ")

_GRAY, _RGB, _RGBA = b.noise(9, 11, 1), b.noise(9, 11, 3), b.noise(9, 11, 4)
_BITS = _GRAY > 128
_VP8L = b.save_image(_RGB, "WEBP", lossless=True)[12:]
_GIF_IMAGE = b.make_gif_image(b.noise(8, 8, 1) % 4, palette=b.noise(1, 4, 3).tobytes(), bits=2)


def pack_samples(pixels: AnyArray, bits: int, *, size: int = 1) -> bytes:
    """Return rows of packed samples, padded to a multiple of `size` bytes, highest bits first."""
    planes = (np.atleast_3d(pixels)[..., np.newaxis] >> np.arange(bits - 1, -1, -1)) & 1
    lines = np.packbits(planes.reshape(len(pixels), -1).astype(np.uint8), axis=1)
    return np.pad(lines, ((0, 0), (0, -lines.shape[1] % size))).tobytes()


def read_colors_by_pillow(data: bytes, mode: str = "RGB") -> AnyArray:
    """Return the colors that Pillow shows."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert(mode))


def build_psd(
    pixels: AnyArray,
    kind: int,
    *,
    packed: bool = False,
    colors: bytes = b"",
    resources: bytes = b"",
    layers: bytes = b"",
) -> bytes:
    """Return a Photoshop file of samples, plane by plane."""
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


def make_psd_resource(number: int, data: bytes) -> bytes:
    """Return an image resource of a Photoshop file, without a name."""
    return b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data + b"\0" * (len(data) % 2)


def encode_jxl(pixels: AnyArray, **options: Any) -> bytes:
    """Return a JPEG XL, by default without loss."""
    return bytes(imagecodecs.jpegxl_encode(pixels, **{"lossless": True, **options}))


def encode_jpeg2000(pixels: AnyArray, **options: Any) -> bytes:
    """Return a JPEG 2000, by default without loss."""
    return bytes(imagecodecs.jpeg2k_encode(pixels, **{"level": 0, "reversible": True, **options}))


def read_heif_file(name: str) -> bytes:
    """Return one of the HEIF files in the folder ``heif``."""
    return (HEIF / f"{name}.heic").read_bytes()


def make_heif_samples(name: str) -> AnyArray:
    """Return the original samples of one of these files, in 8 bits, or in 10 if it is deep."""
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
    "PNG, animation": b.build_apng(
        b.make_png_control(0, 4, 3), b.make_png_frame(b.noise(3, 4, 1)),
        b.make_png_control(1, 2, 1, row=1), b.make_png_frame(b.noise(1, 2, 1), 2), frames=2,
   ),
    "JPEG": b.save_image(_RGB, "JPEG"),
    "JPEG, progressive": b.save_image(_RGB, "JPEG", progressive=True),
    "TIFF": b.encode_array(_RGB, "TIFF", header=b.HEADER),
    "TIFF, directory first": b.save_image(_GRAY, "TIFF"),
    "TIFF, big": b.build_tiff(pixels=_RGB, is_big=True, order=">"),
    "TIFF, palette": b.save_image(_GRAY, "TIFF", "P"),
    **{
        f"TIFF, {name}": b.save_image(_BITS if "group" in name else _RGB, "TIFF", compression=name)
        for name in ("tiff_lzw", "tiff_adobe_deflate", "packbits", "group3", "group4", "jpeg")
    },
    "TIFF, pages": b.build_tiff(pixels=_GRAY, following=len(b.build_tiff(pixels=_GRAY)))
    + b.build_tiff(pixels=_GRAY)[8 + _GRAY.nbytes :],
    "TIFF, 12 bits": b.build_tiff(
        {256: (4, [7]), 257: (4, [3]), 258: (3, [12]), 262: (3, [1]), 277: (3, [1]), 278: (4, [3])},
        pixels=b.noise(1, 33, 1),
   ),
    "TIFF, YCbCr": b.build_tiff(
        {256: (4, [8]), 257: (4, [6]), 258: (3, [8] * 3), 262: (3, [6]), 277: (3, [3]),
         278: (4, [6]), 530: (3, [2, 2])},
        pixels=b.noise(1, 72, 1),
   ),
    "TIFF, CMYK-JPEG": b.save_image(_RGBA, "TIFF", "CMYK", compression="jpeg"),
    "WebP": b.save_image(_RGBA, "WEBP", lossless=True),
    "WebP, lossy": b.save_image(_RGB, "WEBP"),
    "WebP, animation": b.build_webp(
        (b"VP8X", b"\2\0\0\0" + b"\xff" * 3 + b"\xff\0\0"), (b"ANIM", bytes(6)),
        *[(b"ANMF", bytes(6) + b"\x0a\0\0\x08\0\0" + b"\x46\0\0\1" + _VP8L)] * 3,
   ),
    "GIF": b.build_gif(b.make_gif_control(7), _GIF_IMAGE,
                       b.make_gif_application(b"NETSCAPE2.0", b"\1\3\0")),
    "GIF, two": b.build_gif(
        b.make_gif_control(5, flags=5), _GIF_IMAGE, b.make_gif_control(9), _GIF_IMAGE,
        columns=65535, rows=65535
   ),
    "BMP": b.save_image(_RGB, "BMP"),
    "BMP, gray": b.save_image(_GRAY, "BMP"),
    "BMP, masks": b.build_bmp(
        16, b.noise(5, 6, 2).tobytes(), columns=6, rows=5, compression=3,
        extra=struct.pack("<III", 0xF800, 0x7E0, 0x1F),
   ),
    "PPM": b.save_image(_RGB, "PPM"),
    "PPM, text": b"P2 3 2 255\n0 1 12\n123 200 255\n",
    "PPM, bits": b"P1 # x\n3 2\n010 1 1 0\n",
    "PPM, floats": b"PF 3 2\n-1.0\n" + bytes(72),
    "AVIF": b.save_image(_RGBA, "AVIF", quality=100),
    "HEIF": read_heif_file("rgb"),
    "HEIF, lossy": read_heif_file("lossy"),
    "HEIF, tiles": read_heif_file("tiles"),
    "JPEG XL": encode_jxl(_RGBA),
    "JPEG XL, boxes": encode_jxl(_RGBA, usecontainer=True),
    "JPEG XL, lossy": encode_jxl(_RGB, lossless=False),
    "JPEG 2000": encode_jpeg2000(_RGB),
    "JPEG 2000, bare": encode_jpeg2000(_GRAY, codecformat="j2k"),
    "ICO": b.save_image(_RGBA, "ICO", sizes=[(11, 9)]),
    "ICO, bitmap": b.save_image(b.noise(9, 32, 1), "ICO", sizes=[(32, 9)], bitmap_format="bmp"),
    "PSD": build_psd(_RGB, 3),
    "PSD, packed": build_psd(_RGBA, 3, packed=True),
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


def get_format(name: str) -> str:
    """Return the format in the name of a file, which is the part before the comma."""
    return name.partition(",")[0]


def damage_data(draw: random.Random, data: bytes) -> bytes:
    """Return data with some bytes changed, inserted or removed; a third is also cut short."""
    result = bytearray(data[: draw.choice((len(data), len(data), draw.randrange(len(data))))])
    for _ in range(draw.choice((0, 1, 1, 3))):
        # Most changes are in the first bytes, which are headers.
        position = draw.randrange(min(len(result), draw.choice((64, 400, len(result)))) + 1)
        result[position : position + draw.choice((0, 1, 1, 1, 5))] = draw.choice(
            (b"", b"\0", b"\xff", draw.randbytes(1), draw.randbytes(4))
        )
    return bytes(result)
