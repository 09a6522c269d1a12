"""One still picture in each common format and mode, written by libraries.

Each has the samples that a second library reads from the file, or None if this package refuses the
file. Nothing is random, and the code under test is not used.
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
    """A file, and the samples that a second library reads from it."""

    data: bytes
    expected: AnyArray | None
    exif: bool = False  # whether the file has an EXIF block
    icc: bytes | None = None


def make_scene(channels: int = 3, dtype: str = "uint8") -> AnyArray:
    """Return a smooth picture with some noise; shape (40, 52) or (40, 52, C)."""
    row, column = np.mgrid[:ROWS, :COLUMNS]
    planes = [row * 5 + column, 255 - column * 4, (row - column) * 3, 255 - row * column // 9]
    noise = b.noise(ROWS, COLUMNS, 4) % 8
    pixels = np.stack([plane % 256 for plane in planes], -1).astype(np.uint8) ^ noise
    pixels = pixels[..., 0] if channels == 1 else pixels[..., :channels]
    return pixels if dtype == "uint8" else np.asarray(pixels.astype(dtype) * 257)


def read_by_pillow(data: bytes, mode: str | None = None) -> AnyArray:
    """Return the samples that Pillow reads, with palettes converted to colors."""
    with Image.open(io.BytesIO(data)) as image:
        if mode is None and image.mode == "P":
            mode = "RGBA" if image.has_transparency_data else "RGB"
        return np.array(image.convert(mode) if mode else image)


def save_image(
    pixels: AnyArray, file_format: str, mode: str | None = None, **options: Any
) -> bytes:
    """Return the file that Pillow writes."""
    return b.save_image(pixels, file_format, mode, **options)


def write_by_tifffile(pixels: AnyArray, **options: Any) -> bytes:
    """Return the file that tifffile writes."""
    buffer = io.BytesIO()
    tifffile.imwrite(buffer, pixels, metadata=None, **options)
    return buffer.getvalue()


def _make_palette_image(colors: int = 16) -> Image.Image:
    return Image.fromarray(make_scene()).quantize(colors)


def _write_file(image: Image.Image, file_format: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


@cache
def list_stills() -> dict[str, Still]:
    """Return all stills by name, which is the format and what is special about the file."""
    return dict(
        (*_list_pngs(), *_list_jpegs(), *_list_tiffs(), *_list_modern_stills(), *_list_old_stills())
    )


def _list_pngs() -> Iterator[tuple[str, Still]]:
    exif = Image.Exif()
    exif[274] = 6
    icc = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for channels, name in enumerate(("gray", "gray and alpha", "RGB", "RGBA"), 1):
        yield f"PNG, {name}", Still(save_image(make_scene(channels), "PNG"), make_scene(channels))
        deep_scene = make_scene(channels, "uint16")
        yield f"PNG, {name}, 16 bits", Still(bytes(imagecodecs.png_encode(deep_scene)), deep_scene)
    yield (
        "PNG, turned",
        Still(
            save_image(make_scene(), "PNG", exif=exif, icc_profile=icc),
            make_scene(),
            exif=True,
            icc=icc,
        ),
    )
    bits = make_scene(1) > 127
    yield "PNG, 1 bit", Still(_write_file(Image.fromarray(bits), "PNG"), bits)
    for depth in (2, 4):
        few = make_scene(1) >> (8 - depth)
        stream = b.make_png_stream(few, 0, depth)
        data = b.build_png(COLUMNS, ROWS, stream, bits=depth)
        yield f"PNG, {depth} bits", Still(data, (few * (255 // (2**depth - 1))).astype(np.uint8))
    data = _write_file(_make_palette_image(), "PNG")
    yield "PNG, palette", Still(data, read_by_pillow(data))
    data = _write_file(_make_palette_image(4), "PNG", bits=2)
    yield "PNG, palette of 2 bits", Still(data, read_by_pillow(data))
    data = _write_file(_make_palette_image(), "PNG", transparency=bytes([0, 50, 255]))
    yield "PNG, palette with opacity", Still(data, read_by_pillow(data, "RGBA"))
    data = save_image(make_scene(), "PNG", transparency=tuple(map(int, make_scene()[3, 4])))
    yield "PNG, transparent color", Still(data, read_by_pillow(data, "RGBA"))
    data = save_image(make_scene(1), "PNG", transparency=int(make_scene(1)[3, 4]))
    yield "PNG, transparent gray", Still(data, read_by_pillow(data, "LA"))
    stream = b.make_png_stream(make_scene(), 2, 8, interlace=1, kinds=(0, 1, 2, 3, 4))
    yield (
        "PNG, interlaced",
        Still(b.build_png(COLUMNS, ROWS, stream, color=2, interlace=1), make_scene()),
    )


def _list_jpegs() -> Iterator[tuple[str, Still]]:
    for channels, name, mode in ((1, "gray", None), (3, "RGB", None), (4, "CMYK", "CMYK")):
        data = save_image(make_scene(channels), "JPEG", mode)
        yield f"JPEG, {name}", Still(data, read_by_pillow(data))
    data = save_image(make_scene(), "JPEG", progressive=True, subsampling=2)
    yield "JPEG, progressive", Still(data, read_by_pillow(data))


def _list_tiffs() -> Iterator[tuple[str, Still]]:
    rgb, deep_scene = {"photometric": "rgb"}, make_scene(3, "uint16")
    planes = np.ascontiguousarray(make_scene().transpose(2, 0, 1))
    floats = make_scene(1).astype(np.float32) / 7 - 3
    plain: dict[str, tuple[AnyArray, dict[str, Any]]] = {
        "RGB": (make_scene(), rgb),
        "strips": (make_scene(), {**rgb, "rowsperstrip": 7}),
        "tiles": (make_scene(), {**rgb, "tile": (16, 16)}),
        "LZW": (make_scene(), {**rgb, "compression": "lzw"}),
        "deflate and predictor": (deep_scene, {**rgb, "compression": "zlib", "predictor": True}),
        "PackBits": (make_scene(1), {"compression": "packbits"}),
        "big-endian, 16 bits": (deep_scene, {**rgb, "byteorder": ">"}),
        "BigTIFF": (make_scene(4), {**rgb, "bigtiff": True, "extrasamples": ["unassalpha"]}),
        "float": (floats, {}),
        "float, predictor": (floats, {"compression": "zlib", "predictor": True}),
        "double, tiles": (floats.astype(np.float64), {"tile": (32, 32)}),
        "half": (floats.astype(np.float16), {}),
        "signed": (make_scene(1).astype(np.int16) - 99, {}),
        "32 bits": (make_scene(1).astype(np.uint32) * 70001, {"compression": "lzw"}),
        "CMYK": (make_scene(4), {"photometric": "separated"}),
        "CMYK, LZW, tiles": (
            make_scene(4, "uint16"),
            {"photometric": "separated", "compression": "lzw", "tile": (16, 16)},
        ),
    }
    for name, (pixels, options) in plain.items():
        yield f"TIFF, {name}", Still(write_by_tifffile(pixels, **options), pixels)
    data = write_by_tifffile(planes, **rgb, planarconfig="separate", compression="lzw")
    yield "TIFF, planes", Still(data, make_scene())
    colors = np.arange(3 * 256, dtype=np.uint16).reshape(3, 256) * 85
    data = write_by_tifffile(make_scene(1), photometric="palette", colormap=colors)
    yield "TIFF, palette of 16 bits", Still(data, colors.T[make_scene(1)])
    data = _write_file(_make_palette_image(), "TIFF", compression="tiff_lzw")
    yield "TIFF, palette", Still(data, read_by_pillow(data))
    data = save_image(make_scene(), "TIFF", compression="jpeg")
    yield "TIFF, YCbCr as JPEG", Still(data, read_by_pillow(data))
    data = write_by_tifffile(255 - make_scene(1), photometric="miniswhite")
    yield "TIFF, white is zero", Still(data, make_scene(1))
    bits = make_scene(1) > 99
    yield "TIFF, 1 bit", Still(_write_file(Image.fromarray(bits), "TIFF"), bits)
    fax = _write_file(Image.fromarray(bits), "TIFF", compression="group4")
    yield "TIFF, fax", Still(fax, None)
    data = write_by_tifffile(make_scene(4), **rgb, extrasamples=["assocalpha"])
    yield "TIFF, colors multiplied with alpha", Still(data, None)


def _list_modern_stills() -> Iterator[tuple[str, Still]]:
    for channels in (3, 4):
        data = save_image(make_scene(channels), "WEBP", lossless=True, exact=True)
        yield f"WebP, lossless, {channels}", Still(data, make_scene(channels))
        data = save_image(make_scene(channels), "WEBP", quality=60)
        yield f"WebP, lossy, {channels}", Still(data, read_by_pillow(data))
        data = save_image(make_scene(channels), "AVIF", quality=90)
        yield f"AVIF, {channels}", Still(data, read_avif(data))
    deep_scene = make_scene(3, "uint16") >> 6
    data = bytes(imagecodecs.avif_encode(deep_scene, level=100, bitspersample=10))
    decoded_scene = imagecodecs.avif_decode(data)
    yield "AVIF, 10 bits", Still(data, (decoded_scene << 6) | (decoded_scene >> 4))
    for name in ("rgb", "rgba", "gray", "lossy", "tiles", "turned6", "two"):
        yield f"HEIF, {name}", Still(s.read_heif_file(name), read_heif(name), exif="turned" in name)
    deep_scene = s.make_heif_samples("deep")
    yield "HEIF, deep", Still(s.read_heif_file("deep"), (deep_scene << 6) | (deep_scene >> 4))
    for channels in (1, 3, 4):
        yield (
            f"JPEG XL, {channels}",
            Still(s.encode_jxl(make_scene(channels)), make_scene(channels)),
        )
    yield "JPEG XL, 16 bits", Still(s.encode_jxl(make_scene(3, "uint16")), make_scene(3, "uint16"))
    lossy = s.encode_jxl(make_scene(), lossless=False)
    yield "JPEG XL, lossy", Still(lossy, imagecodecs.jpegxl_decode(lossy))
    floats = s.encode_jxl(make_scene().astype(np.float32) / 255)
    yield "JPEG XL, float", Still(floats, None)
    for channels in (1, 3):
        yield (
            f"JPEG 2000, {channels}",
            Still(s.encode_jpeg2000(make_scene(channels)), make_scene(channels)),
        )
    yield (
        "JPEG 2000, 16 bits",
        Still(s.encode_jpeg2000(make_scene(1, "uint16")), make_scene(1, "uint16")),
    )
    data = s.encode_jpeg2000(make_scene(), level=60, reversible=False)
    yield "JPEG 2000, lossy", Still(data, read_by_pillow(data))
    data = bytes(imagecodecs.qoi_encode(make_scene(4)))
    yield "QOI", Still(data, make_scene(4))


def read_avif(data: bytes) -> AnyArray:
    """Return the samples of an AVIF that Pillow reads."""
    return read_by_pillow(data)


def read_heif(name: str) -> AnyArray:
    """Return the samples of a HEIF that pi-heif reads, turned back as they are stored."""
    if name != "lossy":
        return s.make_heif_samples(name)
    import pi_heif

    return np.array(pi_heif.open_heif(s.read_heif_file(name)))


def _list_old_stills() -> Iterator[tuple[str, Still]]:
    for channels, name in ((1, "gray"), (3, "RGB"), (4, "RGBA")):
        if channels != 4:
            data = save_image(make_scene(channels), "BMP")
            yield f"BMP, {name}", Still(data, read_by_pillow(data))
            yield (
                f"PPM, {name}",
                Still(save_image(make_scene(channels), "PPM"), make_scene(channels)),
            )
        data = save_image(make_scene(channels), "TGA")
        yield f"TGA, {name}", Still(data, make_scene(channels))
    data = _write_file(_make_palette_image(), "BMP")
    yield "BMP, palette", Still(data, read_by_pillow(data))
    data = b.build_bmp(
        16,
        s.pack_samples(b.noise(5, 6, 2), 8),
        columns=6,
        rows=5,
        compression=3,
        extra=struct.pack("<III", 0xF800, 0x7E0, 0x1F),
    )
    yield "BMP, 16 bits", Still(data, read_by_pillow(data))
    bits = make_scene(1) > 99
    data = _write_file(Image.fromarray(bits), "BMP")
    yield "BMP, 1 bit", Still(data, bits)
    data = save_image(make_scene(3), "TGA", compression="tga_rle")
    yield "TGA, runs", Still(data, make_scene())
    yield "PBM", Still(_write_file(Image.fromarray(bits), "PPM"), bits)
    deep_scene = make_scene(3, "uint16")
    file_head = f"P6 {COLUMNS} {ROWS} 65535\n".encode()
    yield "PPM, 16 bits", Still(file_head + deep_scene.astype(">u2").tobytes(), deep_scene)
    floats = make_scene(1).astype(np.float32) / 3
    file_head = f"Pf {COLUMNS} {ROWS} -1.0\n".encode()
    yield "PFM", Still(file_head + floats[::-1].astype("<f4").tobytes(), floats)
    yield "PSD, RGB", Still(s.build_psd(make_scene(), 3), make_scene())
    yield "PSD, packed", Still(s.build_psd(make_scene(4), 3, packed=True), make_scene(4))
    yield "PSD, CMYK", Still(s.build_psd(255 - make_scene(4), 4), make_scene(4))
    yield "PSD, 16 bits", Still(s.build_psd(make_scene(3, "uint16"), 3), None)
    data = save_image(make_scene(4), "ICO", sizes=[(COLUMNS, ROWS)])
    yield "ICO", Still(data, make_scene(4))
    data = save_image(make_scene(4)[:32, :32], "ICO", sizes=[(32, 32)], bitmap_format="bmp")
    yield "ICO, bitmap", Still(data, read_by_pillow(data))
    data = _write_file(_make_palette_image(), "GIF")
    yield "GIF", Still(data, read_by_pillow(data))
    data = _write_file(_make_palette_image(), "GIF", transparency=3)
    yield "GIF, transparent", Still(data, read_by_pillow(data, "RGBA"))


@cache
def list_multiple_pictures() -> dict[str, bytes]:
    """Return files of more than one still picture, by format."""
    first, *other_frames = (Image.fromarray(np.roll(make_scene(), 7 * n, axis=1)) for n in range(3))
    options: dict[str, Any] = {"save_all": True, "append_images": other_frames}
    palette_options = {**options, "append_images": [frame.quantize(16) for frame in other_frames]}
    return {
        "PNG": _write_file(first, "PNG", **options),
        "WebP": _write_file(first, "WEBP", **options),
        "GIF": _write_file(first.quantize(16), "GIF", **palette_options),
        "TIFF": _write_file(first, "TIFF", **options),
        "AVIF": _write_file(first, "AVIF", **options),
        "ICO": _write_file(first, "ICO", sizes=[(16, 16), (32, 32)]),
        "JPEG XL": bytes(
            imagecodecs.jpegxl_encode(np.stack([make_scene(), make_scene() // 2]), lossless=1)
        ),
    }
