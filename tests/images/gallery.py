"""One still of each kind that people have, made by the libraries, and what another reader sees.

A file has a name, its bytes, and the samples that a second reader finds in it; none if the kind is
refused. Nothing here is random, and nothing comes from the code under test.
"""

import io
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import imagecodecs
import numpy as np
import tifffile
from PIL import Image, ImageCms

from sudokucrypt.typing import AnyArray
from tests.images import builders as b
from tests.images import samples as s

ROWS, COLUMNS = 40, 52


class Still(NamedTuple):
    """A file, and the samples that a second reader finds in it."""

    data: bytes
    expected: AnyArray | None
    exif: bool = False  # whether the file has an EXIF block
    icc: bytes | None = None


def scene(channels: int = 3, dtype: str = "uint8") -> AnyArray:
    """A soft picture with some noise; shape (40, 52) or (40, 52, C)."""
    row, column = np.mgrid[:ROWS, :COLUMNS]
    planes = [row * 5 + column, 255 - column * 4, (row - column) * 3, 255 - row * column // 9]
    noise = b.noise(ROWS, COLUMNS, 4) % 8
    pixels = np.stack([plane % 256 for plane in planes], -1).astype(np.uint8) ^ noise
    pixels = pixels[..., 0] if channels == 1 else pixels[..., :channels]
    return pixels if dtype == "uint8" else np.asarray(pixels.astype(dtype) * 257)


def see_samples(data: bytes, mode: str | None = None) -> AnyArray:
    """The samples that Pillow finds, palettes as colors."""
    with Image.open(io.BytesIO(data)) as image:
        if mode is None and image.mode == "P":
            mode = "RGBA" if image.has_transparency_data else "RGB"
        return np.array(image.convert(mode) if mode else image)


def save_image(
    pixels: AnyArray, file_format: str, mode: str | None = None, **options: Any
) -> bytes:
    """The file that Pillow writes."""
    return b.save_image(pixels, file_format, mode, **options)


def read_by_tifffile(pixels: AnyArray, **options: Any) -> bytes:
    """The file that tifffile writes."""
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, pixels, metadata=None, **options)
    return buffer.getvalue()


def _palette(colors: int = 16) -> Image.Image:
    return Image.fromarray(scene()).quantize(colors)


def _write_file(image: Image.Image, file_format: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


@cache
def stills() -> dict[str, Still]:
    """All stills by name: the format, and what is special."""
    return dict((*_pngs(), *_jpegs(), *_tiffs(), *_modern(), *_old()))


def _pngs() -> Iterator[tuple[str, Still]]:
    exif = Image.Exif()
    exif[274] = 6
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for channels, name in enumerate(("gray", "gray and alpha", "RGB", "RGBA"), 1):
        yield f"PNG, {name}", Still(save_image(scene(channels), "PNG"), scene(channels))
        deep = scene(channels, "uint16")
        yield f"PNG, {name}, 16 bits", Still(bytes(imagecodecs.png_encode(deep)), deep)
    yield (
        "PNG, turned",
        Still(save_image(scene(), "PNG", exif=exif, icc_profile=icc), scene(), exif=True, icc=icc),
    )
    bits = scene(1) > 127
    yield "PNG, 1 bit", Still(_write_file(Image.fromarray(bits), "PNG"), bits)
    for depth in (2, 4):
        few = scene(1) >> (8 - depth)
        stream = b.png_stream(few, 0, depth)
        data = b.png(COLUMNS, ROWS, stream, bits=depth)
        yield f"PNG, {depth} bits", Still(data, (few * (255 // (2**depth - 1))).astype(np.uint8))
    data = _write_file(_palette(), "PNG")
    yield "PNG, palette", Still(data, see_samples(data))
    data = _write_file(_palette(4), "PNG", bits=2)
    yield "PNG, palette of 2 bits", Still(data, see_samples(data))
    data = _write_file(_palette(), "PNG", transparency=bytes([0, 50, 255]))
    yield "PNG, palette with opacity", Still(data, see_samples(data, "RGBA"))
    data = save_image(scene(), "PNG", transparency=tuple(map(int, scene()[3, 4])))
    yield "PNG, transparent color", Still(data, see_samples(data, "RGBA"))
    data = save_image(scene(1), "PNG", transparency=int(scene(1)[3, 4]))
    yield "PNG, transparent gray", Still(data, see_samples(data, "LA"))
    stream = b.png_stream(scene(), 2, 8, interlace=1, kinds=(0, 1, 2, 3, 4))
    yield "PNG, interlaced", Still(b.png(COLUMNS, ROWS, stream, color=2, interlace=1), scene())


def _jpegs() -> Iterator[tuple[str, Still]]:
    for channels, name, mode in ((1, "gray", None), (3, "RGB", None), (4, "CMYK", "CMYK")):
        data = save_image(scene(channels), "JPEG", mode)
        yield f"JPEG, {name}", Still(data, see_samples(data))
    data = save_image(scene(), "JPEG", progressive=True, subsampling=2)
    yield "JPEG, progressive", Still(data, see_samples(data))


def _tiffs() -> Iterator[tuple[str, Still]]:
    rgb, deep = {"photometric": "rgb"}, scene(3, "uint16")
    planes = np.ascontiguousarray(scene().transpose(2, 0, 1))
    floats = scene(1).astype(np.float32) / 7 - 3
    plain: dict[str, tuple[AnyArray, dict[str, Any]]] = {
        "RGB": (scene(), rgb),
        "strips": (scene(), {**rgb, "rowsperstrip": 7}),
        "tiles": (scene(), {**rgb, "tile": (16, 16)}),
        "LZW": (scene(), {**rgb, "compression": "lzw"}),
        "deflate and predictor": (deep, {**rgb, "compression": "zlib", "predictor": True}),
        "PackBits": (scene(1), {"compression": "packbits"}),
        "big-endian, 16 bits": (deep, {**rgb, "byteorder": ">"}),
        "BigTIFF": (scene(4), {**rgb, "bigtiff": True, "extrasamples": ["unassalpha"]}),
        "float": (floats, {}),
        "float, predictor": (floats, {"compression": "zlib", "predictor": True}),
        "double, tiles": (floats.astype(np.float64), {"tile": (32, 32)}),
        "half": (floats.astype(np.float16), {}),
        "signed": (scene(1).astype(np.int16) - 99, {}),
        "32 bits": (scene(1).astype(np.uint32) * 70001, {"compression": "lzw"}),
        "CMYK": (scene(4), {"photometric": "separated"}),
        "CMYK, LZW, tiles": (
            scene(4, "uint16"),
            {"photometric": "separated", "compression": "lzw", "tile": (16, 16)},
        ),
    }
    for name, (pixels, options) in plain.items():
        yield f"TIFF, {name}", Still(read_by_tifffile(pixels, **options), pixels)
    data = read_by_tifffile(planes, **rgb, planarconfig="separate", compression="lzw")
    yield "TIFF, planes", Still(data, scene())
    colors = np.arange(3 * 256, dtype=np.uint16).reshape(3, 256) * 85
    data = read_by_tifffile(scene(1), photometric="palette", colormap=colors)
    yield "TIFF, palette of 16 bits", Still(data, colors.T[scene(1)])
    data = _write_file(_palette(), "TIFF", compression="tiff_lzw")
    yield "TIFF, palette", Still(data, see_samples(data))
    data = save_image(scene(), "TIFF", compression="jpeg")
    yield "TIFF, YCbCr as JPEG", Still(data, see_samples(data))
    data = read_by_tifffile(255 - scene(1), photometric="miniswhite")
    yield "TIFF, white is zero", Still(data, scene(1))
    bits = scene(1) > 99
    yield "TIFF, 1 bit", Still(_write_file(Image.fromarray(bits), "TIFF"), bits)
    fax = _write_file(Image.fromarray(bits), "TIFF", compression="group4")
    yield "TIFF, fax", Still(fax, None)
    data = read_by_tifffile(scene(4), **rgb, extrasamples=["assocalpha"])
    yield "TIFF, colors multiplied with alpha", Still(data, None)


def _modern() -> Iterator[tuple[str, Still]]:
    for channels in (3, 4):
        data = save_image(scene(channels), "WEBP", lossless=True, exact=True)
        yield f"WebP, lossless, {channels}", Still(data, scene(channels))
        data = save_image(scene(channels), "WEBP", quality=60)
        yield f"WebP, lossy, {channels}", Still(data, see_samples(data))
        data = save_image(scene(channels), "AVIF", quality=90)
        yield f"AVIF, {channels}", Still(data, bytes_of_avif(data))
    deep = scene(3, "uint16") >> 6
    data = bytes(imagecodecs.avif_encode(deep, level=100, bitspersample=10))
    stored = imagecodecs.avif_decode(data)
    yield "AVIF, 10 bits", Still(data, (stored << 6) | (stored >> 4))
    for name in ("rgb", "rgba", "gray", "lossy", "tiles", "turned6", "two"):
        yield f"HEIF, {name}", Still(s.heif(name), read_heif(name), exif="turned" in name)
    deep = s.heif_samples("deep")
    yield "HEIF, deep", Still(s.heif("deep"), (deep << 6) | (deep >> 4))
    for channels in (1, 3, 4):
        yield f"JPEG XL, {channels}", Still(s.jxl(scene(channels)), scene(channels))
    yield "JPEG XL, 16 bits", Still(s.jxl(scene(3, "uint16")), scene(3, "uint16"))
    lossy = s.jxl(scene(), lossless=False)
    yield "JPEG XL, lossy", Still(lossy, imagecodecs.jpegxl_decode(lossy))
    floats = s.jxl(scene().astype(np.float32) / 255)
    yield "JPEG XL, float", Still(floats, None)
    for channels in (1, 3):
        yield f"JPEG 2000, {channels}", Still(s.jpeg2000(scene(channels)), scene(channels))
    yield "JPEG 2000, 16 bits", Still(s.jpeg2000(scene(1, "uint16")), scene(1, "uint16"))
    data = s.jpeg2000(scene(), level=60, reversible=False)
    yield "JPEG 2000, lossy", Still(data, see_samples(data))
    data = bytes(imagecodecs.qoi_encode(scene(4)))
    yield "QOI", Still(data, scene(4))


def bytes_of_avif(data: bytes) -> AnyArray:
    """The samples of an AVIF as Pillow finds them."""
    return see_samples(data)


def read_heif(name: str) -> AnyArray:
    """The samples of a HEIF as pi-heif finds them, turned as they are stored."""
    if name != "lossy":
        return s.heif_samples(name)
    import pi_heif

    return np.array(pi_heif.open_heif(s.heif(name)))


def _old() -> Iterator[tuple[str, Still]]:
    for channels, name in ((1, "gray"), (3, "RGB"), (4, "RGBA")):
        if channels != 4:
            data = save_image(scene(channels), "BMP")
            yield f"BMP, {name}", Still(data, see_samples(data))
            yield f"PPM, {name}", Still(save_image(scene(channels), "PPM"), scene(channels))
        data = save_image(scene(channels), "TGA")
        yield f"TGA, {name}", Still(data, scene(channels))
    data = _write_file(_palette(), "BMP")
    yield "BMP, palette", Still(data, see_samples(data))
    data = b.bmp(
        16,
        s.pack_samples(b.noise(5, 6, 2), 8),
        columns=6,
        rows=5,
        compression=3,
        extra=struct.pack("<III", 0xF800, 0x7E0, 0x1F),
    )
    yield "BMP, 16 bits", Still(data, see_samples(data))
    bits = scene(1) > 99
    data = _write_file(Image.fromarray(bits), "BMP")
    yield "BMP, 1 bit", Still(data, bits)
    data = save_image(scene(3), "TGA", compression="tga_rle")
    yield "TGA, runs", Still(data, scene())
    yield "PBM", Still(_write_file(Image.fromarray(bits), "PPM"), bits)
    big = scene(3, "uint16")
    head = f"P6 {COLUMNS} {ROWS} 65535\n".encode()
    yield "PPM, 16 bits", Still(head + big.astype(">u2").tobytes(), big)
    floats = scene(1).astype(np.float32) / 3
    head = f"Pf {COLUMNS} {ROWS} -1.0\n".encode()
    yield "PFM", Still(head + floats[::-1].astype("<f4").tobytes(), floats)
    yield "PSD, RGB", Still(s.psd(scene(), 3), scene())
    yield "PSD, packed", Still(s.psd(scene(4), 3, packed=True), scene(4))
    yield "PSD, CMYK", Still(s.psd(255 - scene(4), 4), scene(4))
    yield "PSD, 16 bits", Still(s.psd(scene(3, "uint16"), 3), None)
    data = save_image(scene(4), "ICO", sizes=[(COLUMNS, ROWS)])
    yield "ICO", Still(data, scene(4))
    data = save_image(scene(4)[:32, :32], "ICO", sizes=[(32, 32)], bitmap_format="bmp")
    yield "ICO, bitmap", Still(data, see_samples(data))
    data = _write_file(_palette(), "GIF")
    yield "GIF", Still(data, see_samples(data))
    data = _write_file(_palette(), "GIF", transparency=3)
    yield "GIF, transparent", Still(data, see_samples(data, "RGBA"))


@cache
def several() -> dict[str, bytes]:
    """Files of more than one still picture."""
    first, *others = (Image.fromarray(np.roll(scene(), 7 * n, axis=1)) for n in range(3))
    more: dict[str, Any] = {"save_all": True, "append_images": others}
    flat = {**more, "append_images": [other.quantize(16) for other in others]}
    return {
        "PNG": _write_file(first, "PNG", **more),
        "WebP": _write_file(first, "WEBP", **more),
        "GIF": _write_file(first.quantize(16), "GIF", **flat),
        "TIFF": _write_file(first, "TIFF", **more),
        "AVIF": _write_file(first, "AVIF", **more),
        "ICO": _write_file(first, "ICO", sizes=[(16, 16), (32, 32)]),
        "JPEG XL": bytes(imagecodecs.jpegxl_encode(np.stack([scene(), scene() // 2]), lossless=1)),
    }
