"""One small picture file of every mode in every format, written by Pillow or imagecodecs."""

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


def make_exif(*, turned: bool = True) -> Image.Exif:
    """What a camera says, perhaps one that was held upright."""
    tags = Image.Exif()
    if turned:
        tags[ExifTags.Base.Orientation] = 6
    tags[ExifTags.Base.Make] = SECRET
    tags.get_ifd(ExifTags.IFD.Exif)[ExifTags.Base.ISOSpeedRatings] = 400
    tags.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitude] = (48.0, 8.0, 15.0)
    return tags


def make_texts() -> PngImagePlugin.PngInfo:
    """The chunks of text that a PNG may have, and its gamma."""
    info = PngImagePlugin.PngInfo()
    info.add_text("Title", SECRET)
    info.add_text("Comment", SECRET * 9, zip=True)
    info.add_itxt("Author", "Zoë", "en", "author")
    info.add(b"gAMA", (45455).to_bytes(4, "big"))
    return info


def draw_image(mode: str, seed: int = 0) -> Image.Image:
    """A picture of noise; one in a palette has 200 colors."""
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
    data = generator.bytes(ROWS * COLUMNS * len(Image.new(mode, (1, 1)).getbands()))
    return Image.frombytes(mode, (COLUMNS, ROWS), data)


def draw_palette_image(colors: int, seed: int = 0) -> Image.Image:
    """A picture of the given number of colors, one of them twice in the palette."""
    generator = np.random.default_rng([seed, colors])
    samples = generator.integers(0, colors, (ROWS, COLUMNS), dtype=np.uint8)
    result = Image.fromarray(samples)
    result.putpalette(generator.bytes(3 * colors - 3) + b"\0\0\0")
    return result


def make_animation(mode: str, file_format: str, **options: Any) -> bytes:
    """Four frames that move and differ in parts, for different times."""
    frames = []
    for index in range(4):
        frame = draw_image(mode)
        frame.paste(draw_image(mode, index + 1).crop((0, 0, 6, 5)), (3 * index, index))
        frames.append(frame)
    options = {"duration": [40, 250, 70, 1000], "loop": 3, **options}
    return save_image(frames[0], file_format, save_all=True, append_images=frames[1:], **options)


def make_tiff_tags() -> TiffImagePlugin.ImageFileDirectory_v2:
    """What a TIFF says in tags of its own, beside those of a camera."""
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[270], tags[305], tags[315] = SECRET, "a program", "Zoe"
    tags[274], tags[271] = 6, SECRET
    tags[700] = XMP
    return tags


def draw_samples(channels: int, dtype: str) -> np.ndarray:
    """Noise for imagecodecs."""
    if dtype.startswith("float"):
        shape = (ROWS, COLUMNS) if channels == 1 else (ROWS, COLUMNS, channels)
        return np.random.default_rng(channels).normal(size=shape).astype(dtype)
    return noise(ROWS, COLUMNS, channels, dtype)


def _bits(color: int, bits: int) -> bytes:
    return build_png(
        COLUMNS,
        ROWS,
        make_png_stream(make_png_noise(ROWS, COLUMNS, color, bits), color, bits),
        bits=bits,
        color=color,
    )


def _pages(*modes: str, **options: Any) -> bytes:
    first, *others = (draw_image(mode) for mode in modes)
    return save_image(first, "TIFF", save_all=True, append_images=others, **options)


def _metadata(**options: Any) -> dict[str, Any]:
    return {"exif": make_exif(), "icc_profile": PROFILE, **options}


def _png() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        metadata = _metadata(pnginfo=make_texts(), dpi=(72, 144))
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


def _tiff() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"):
        yield f"{mode}.tiff", save_image(draw_image(mode), "TIFF")
        metadata = {"icc_profile": PROFILE, "tiffinfo": make_tiff_tags(), "dpi": (300, 150)}
        yield f"{mode}-metadata.tiff", save_image(draw_image(mode), "TIFF", **metadata)
    yield "exif.tiff", save_image(draw_image("RGB"), "TIFF", exif=make_exif())
    for kind in ("tiff_lzw", "tiff_adobe_deflate", "packbits"):
        yield f"{kind}.tiff", save_image(draw_image("RGB"), "TIFF", compression=kind)
    for channels, meaning in ((1, "minisblack"), (3, "rgb"), (4, "rgb")):
        for kind in ("uint16", "int16", "uint32", "int32", "float16", "float32", "float64"):
            data = imagecodecs.tiff_encode(draw_samples(channels, kind), photometric=meaning)
            yield f"{channels}x{kind}.tiff", data


def _webp() -> Iterator[tuple[str, bytes]]:
    metadata = _metadata(xmp=XMP, lossless=True, exact=True)
    for mode in ("RGB", "RGBA"):
        yield f"{mode}.webp", save_image(draw_image(mode), "WEBP", **metadata)
    yield "lossy.webp", save_image(draw_image("RGB"), "WEBP")


def _gif() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "P", "RGB"):
        yield f"{mode}.gif", save_image(draw_image(mode), "GIF")
    metadata: dict[str, Any] = {"transparency": 5, "comment": SECRET.encode()}
    yield "transparent.gif", save_image(draw_image("P"), "GIF", background=3, **metadata)


def _plainer() -> Iterator[tuple[str, bytes]]:
    for mode in ("1", "L", "P", "RGB"):
        yield f"{mode}.bmp", save_image(draw_image(mode), "BMP", dpi=(72, 72))
    for mode, kind in (("1", "pbm"), ("L", "pgm"), ("I;16", "pgm"), ("RGB", "ppm")):
        yield f"{mode}.{kind}", save_image(draw_image(mode), "PPM")


def _lossy() -> Iterator[tuple[str, bytes]]:
    metadata = _metadata(xmp=XMP, comment=SECRET, dpi=(300, 300))
    for mode in ("L", "RGB", "CMYK"):
        yield f"{mode}.jpg", save_image(draw_image(mode), "JPEG", **metadata)
    yield "progressive.jpg", save_image(draw_image("RGB"), "JPEG", progressive=True, subsampling=0)
    if imagecodecs.AVIF.available:
        for mode in ("L", "RGB", "RGBA"):
            # Pillow would turn the orientation of the block into one of the format.
            data = save_image(
                draw_image(mode), "AVIF", **_metadata(exif=make_exif(turned=False), xmp=XMP)
            )
            yield f"{mode}.avif", data
    if imagecodecs.JPEGXL.available:
        for channels in (1, 2, 3, 4):
            for kind in ("uint8", "uint16"):
                data = imagecodecs.jpegxl_encode(draw_samples(channels, kind), lossless=True)
                yield f"{channels}x{kind}.jxl", data


def _several() -> Iterator[tuple[str, bytes]]:
    metadata = _metadata(pnginfo=make_texts(), dpi=(72, 144))
    yield "RGBA-animation.png", make_animation("RGBA", "PNG", **metadata)
    yield (
        "hidden.png",
        make_animation("RGB", "PNG", default_image=True, duration=[40, 70, 9], loop=0),
    )
    yield "RGB-animation.webp", make_animation("RGB", "WEBP", lossless=True)
    yield "P-animation.gif", make_animation("P", "GIF", comment=SECRET.encode())
    yield "pages.tiff", _pages("L", "RGB", "P", "1", "CMYK", "F", "I;16")


SEVERAL: Final = dict(_several())
"""Files of more than one still picture, which are encrypted as they are."""

GALLERY: Final = {
    name: data for files in (_png, _tiff, _webp, _gif, _plainer, _lossy) for name, data in files()
}
"""The files, by names with their suffixes."""
