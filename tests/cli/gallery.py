"""A small picture file of each mode in each format, written by Pillow or imagecodecs."""

from collections.abc import Iterator
from typing import Any, Final

import imagecodecs
import numpy as np
from PIL import ExifTags, Image, ImageCms, PngImagePlugin, TiffImagePlugin

from tests.images.builders import build_png, make_png_noise, make_png_stream, noise
from tests.recipes.memory import save_image

ROWS, COLUMNS = 13, 18
SECRET: Final = "the secret place"  # noqa: S105 - a place, no password
"""Stands in every kind of metadata."""

PROFILE: Final = bytes(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
XMP: Final = f"<x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- {SECRET} --></x:xmpmeta>".encode()


def make_exif(*, is_turned: bool = True) -> Image.Exif:
    """Return EXIF data of a camera, with an orientation if it was held upright."""
    tags = Image.Exif()
    if is_turned:
        tags[ExifTags.Base.Orientation] = 6
    tags[ExifTags.Base.Make] = SECRET
    tags.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.ISOSpeedRatings] = 400
    tags.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (48.0, 8.0, 15.0)
    return tags


def make_texts() -> PngImagePlugin.PngInfo:
    """Return chunks of text and gamma for a PNG."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Title", SECRET)
    info.add_text("Comment", SECRET * 9, zip=True)
    info.add_itxt("Author", "Zoë", "en", "author")
    info.add(b"gAMA", (45455).to_bytes(4, "big"))
    return info


def draw_image(mode: str, seed: int = 0) -> Image.Image:
    """Return a picture of noise in this mode; with a palette it has 200 colors."""
    generator = np.random.default_rng([seed, *mode.encode()])
    if mode in ("I", "F"):
        samples = generator.integers(-(2**31), 2**31, (ROWS, COLUMNS), dtype=np.int32)
        return Image.fromarray(samples if mode == "I" else samples.astype(np.float32) / 1000)
    if mode == "I;16":
        return Image.fromarray(generator.integers(0, 2**16, (ROWS, COLUMNS), dtype=np.uint16))
    if mode == "1":
        return Image.fromarray(generator.integers(0, 2, (ROWS, COLUMNS)).astype(bool))
    if mode == "P":
        return draw_palette_image(200, seed)
    sample_bytes = generator.bytes(ROWS * COLUMNS * len(Image.new(mode, (1, 1)).getbands()))
    return Image.frombytes(mode, (COLUMNS, ROWS), sample_bytes)


def draw_palette_image(colors: int, seed: int = 0) -> Image.Image:
    """Return a picture with this number of colors, one of which is twice in its palette."""
    generator = np.random.default_rng([seed, colors])
    samples = generator.integers(0, colors, (ROWS, COLUMNS), dtype=np.uint8)
    result = Image.fromarray(samples)
    result.putpalette(generator.bytes(3 * colors - 3) + b"\0\0\0")
    return result


def make_animation(mode: str, file_format: str, **options: Any) -> bytes:
    """Return an animation of four frames, which differ in parts and have different durations."""
    frames = []
    for index in range(4):
        frame = draw_image(mode)
        frame.paste(draw_image(mode, index + 1).crop((0, 0, 6, 5)), (3 * index, index))
        frames.append(frame)
    options = {"duration": [40, 250, 70, 1000], "loop": 3, **options}
    return save_image(frames[0], file_format, save_all=True, append_images=frames[1:], **options)


def make_tiff_tags() -> TiffImagePlugin.ImageFileDirectory_v2:
    """Return tags of a TIFF that are not EXIF data."""
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[270], tags[305], tags[315] = SECRET, "a program", "Zoe"
    tags[274], tags[271] = 6, SECRET
    tags[700] = XMP
    return tags


def draw_samples(channels: int, dtype: str) -> np.ndarray:
    """Return an array of noise with this number of channels."""
    if dtype.startswith("float"):
        shape = (ROWS, COLUMNS) if channels == 1 else (ROWS, COLUMNS, channels)
        return np.random.default_rng(channels).normal(size=shape).astype(dtype)
    return noise(ROWS, COLUMNS, channels, dtype)


def _reduce_bits(color: int, bits: int) -> bytes:
    return build_png(
        COLUMNS,
        ROWS,
        make_png_stream(make_png_noise(ROWS, COLUMNS, color, bits), color, bits),
        bits=bits,
        color=color,
    )


def _write_pages(*modes: str, **options: Any) -> bytes:
    first_page, *further_pages = (draw_image(mode) for mode in modes)
    return save_image(first_page, "TIFF", save_all=True, append_images=further_pages, **options)


def _make_metadata(**options: Any) -> dict[str, Any]:
    return {"exif": make_exif(), "icc_profile": PROFILE, **options}


def _yield_png_files() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        metadata = _make_metadata(pnginfo=make_texts(), dpi=(72, 144))
        yield f"{mode}.png", save_image(draw_image(mode), "PNG")
        yield f"{mode}-metadata.png", save_image(draw_image(mode), "PNG", **metadata)
    for bits in (1, 2, 4):
        stream = make_png_stream(make_png_noise(ROWS, COLUMNS, 0, bits), 0, bits)
        yield f"gray{bits}.png", build_png(COLUMNS, ROWS, stream, bits=bits)
    for bits in (1, 2, 4, 8):
        yield f"palette{bits}.png", save_image(draw_palette_image(2**bits), "PNG")
        alphas = bytes(range(2**bits - 1))
        data = save_image(draw_palette_image(2**bits), "PNG", transparency=alphas)
        yield f"palette{bits}-alphas.png", data
    for mode, color in (("P", 7), ("L", 7), ("I;16", 77), ("RGB", (1, 2, 3))):
        yield f"{mode}-transparent.png", save_image(draw_image(mode), "PNG", transparency=color)
    for channels in (1, 2, 3, 4):
        yield f"{channels}x16.png", imagecodecs.png_encode(draw_samples(channels, "uint16"))


def _yield_tiff_files() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"):
        yield f"{mode}.tiff", save_image(draw_image(mode), "TIFF")
        metadata = {"icc_profile": PROFILE, "tiffinfo": make_tiff_tags(), "dpi": (300, 150)}
        yield f"{mode}-metadata.tiff", save_image(draw_image(mode), "TIFF", **metadata)
    yield "exif.tiff", save_image(draw_image("RGB"), "TIFF", exif=make_exif())
    for compression in ("tiff_lzw", "tiff_adobe_deflate", "packbits"):
        yield f"{compression}.tiff", save_image(draw_image("RGB"), "TIFF", compression=compression)
    for channels, meaning in ((1, "minisblack"), (3, "rgb"), (4, "rgb")):
        for compression in ("uint16", "int16", "uint32", "int32", "float16", "float32", "float64"):
            data = imagecodecs.tiff_encode(draw_samples(channels, compression), photometric=meaning)
            yield f"{channels}x{compression}.tiff", data


def _yield_webp_files() -> Iterator[tuple[str, bytes]]:
    metadata = _make_metadata(xmp=XMP, lossless=True, exact=True)
    for mode in ("RGB", "RGBA"):
        yield f"{mode}.webp", save_image(draw_image(mode), "WEBP", **metadata)
    yield "lossy.webp", save_image(draw_image("RGB"), "WEBP")


def _yield_gif_files() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "P", "RGB"):
        yield f"{mode}.gif", save_image(draw_image(mode), "GIF")
    metadata: dict[str, Any] = {"transparency": 5, "comment": SECRET.encode()}
    yield "transparent.gif", save_image(draw_image("P"), "GIF", background=3, **metadata)


def _yield_simple_files() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "P", "RGB"):
        yield f"{mode}.bmp", save_image(draw_image(mode), "BMP", dpi=(72, 72))
    for mode, suffix in (("1", "pbm"), ("L", "pgm"), ("I;16", "pgm"), ("RGB", "ppm")):
        yield f"{mode}.{suffix}", save_image(draw_image(mode), "PPM")


def _yield_lossy_files() -> Iterator[tuple[str, bytes]]:
    metadata = _make_metadata(xmp=XMP, comment=SECRET, dpi=(300, 300))
    for mode in ("L", "RGB", "CMYK"):
        yield f"{mode}.jpg", save_image(draw_image(mode), "JPEG", **metadata)
    yield "progressive.jpg", save_image(draw_image("RGB"), "JPEG", progressive=True, subsampling=0)
    if imagecodecs.AVIF.available:
        for mode in ("L", "RGB", "RGBA"):
            # Pillow would move the orientation from the EXIF block to the file format.
            data = save_image(
                draw_image(mode), "AVIF", **_make_metadata(exif=make_exif(is_turned=False), xmp=XMP)
            )
            yield f"{mode}.avif", data
    if imagecodecs.JPEGXL.available:
        for channels in (1, 2, 3, 4):
            for sample_type in ("uint8", "uint16"):
                data = imagecodecs.jpegxl_encode(draw_samples(channels, sample_type), lossless=True)
                yield f"{channels}x{sample_type}.jxl", data


def _yield_multi_picture_files() -> Iterator[tuple[str, bytes]]:
    metadata = _make_metadata(pnginfo=make_texts(), dpi=(72, 144))
    yield "RGBA-animation.png", make_animation("RGBA", "PNG", **metadata)
    yield (
        "hidden.png",
        make_animation("RGB", "PNG", default_image=True, duration=[40, 70, 9], loop=0),
    )
    yield "RGB-animation.webp", make_animation("RGB", "WEBP", lossless=True)
    yield "P-animation.gif", make_animation("P", "GIF", comment=SECRET.encode())
    yield "pages.tiff", _write_pages("L", "RGB", "P", "1", "CMYK", "F", "I;16")


MULTI_PICTURE_FILES: Final = dict(_yield_multi_picture_files())
"""Files of more than one still picture, which are encrypted as they are."""

GALLERY: Final = {
    name: data
    for files in (
        _yield_png_files,
        _yield_tiff_files,
        _yield_webp_files,
        _yield_gif_files,
        _yield_simple_files,
        _yield_lossy_files,
    )
    for name, data in files()
}
"""The files, by names with their suffixes."""
