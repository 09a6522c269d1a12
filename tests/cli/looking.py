"""Read picture files by Pillow, as an independent judge of their content."""

import io
from typing import Any

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

_MODES_TO_CONVERT = {"1", "L", "LA", "P", "RGB", "RGBA"}
"""Modes of up to 8 bits that are compared as the colors that they show."""


def look(picture_bytes: bytes) -> dict[str, Any]:
    """Return the visible content of a still, turned upright since Pillow always turns a TIFF."""
    with Image.open(io.BytesIO(picture_bytes)) as image:
        tags = read_camera_tags(image)
        upright = ImageOps.exif_transpose(image)
        if image.format == "PPM" and image.mode == "I":
            upright = upright.convert("I;16")  # 16 bits in any other format
        if upright.mode in _MODES_TO_CONVERT:  # palettes and transparent colors are applied
            upright = upright.convert("RGBA")
        info = {name: image.info.get(name) for name in ("icc_profile", "xmp")}
    shown_image = {"mode": upright.mode, "size": upright.size, "samples": upright.tobytes()}
    return info | tags | shown_image


def read_camera_tags(image: Image.Image) -> dict[str, Any]:
    """Return the tags of EXIF data that matter, by name."""
    tags = image.getexif()
    result: dict[str, Any] = {
        tag.name: tags.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Orientation)
    }
    directories = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
    return result | {directory.name: dict(tags.get_ifd(directory)) for directory in directories}


def read_exif_block(data: bytes) -> bytes | None:
    """Return the EXIF block without the prefix of some formats; None for a TIFF."""
    with Image.open(io.BytesIO(data)) as image:
        block: bytes | None = image.info.get("exif")
    return block and block.removeprefix(b"Exif\0\0")


def is_for_pillow(data: bytes) -> bool:
    """Return whether Pillow can open a file; it reads no JPEG XL, and not every TIFF."""
    try:
        Image.open(io.BytesIO(data)).close()
    except UnidentifiedImageError:
        return False
    return True
