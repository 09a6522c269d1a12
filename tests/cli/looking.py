"""What Pillow sees of a picture file."""

import io
from typing import Any

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

_SHOWN = {"1", "L", "LA", "P", "RGB", "RGBA"}
"""Modes of up to 8 bits that are compared as the colors that they show."""


def look(data: bytes) -> dict[str, Any]:
    """What is seen of a still, turned upright because Pillow always turns a TIFF."""
    with Image.open(io.BytesIO(data)) as image:
        tags = read_camera_tags(image)
        upright = ImageOps.exif_transpose(image)
        if image.format == "PPM" and image.mode == "I":
            upright = upright.convert("I;16")  # 16 bits in any other format
        if upright.mode in _SHOWN:  # palettes and transparent colors are applied
            upright = upright.convert("RGBA")
        info = {name: image.info.get(name) for name in ("icc_profile", "xmp")}
    shown = {"mode": upright.mode, "size": upright.size, "samples": upright.tobytes()}
    return info | tags | shown


def read_colors(data: bytes) -> tuple[tuple[int, int], bytes]:
    """The colors that are seen, whatever a file has them in."""
    with Image.open(io.BytesIO(data)) as image:
        upright = ImageOps.exif_transpose(image).convert("RGBA")
    return upright.size, upright.tobytes()


def read_camera_tags(image: Image.Image) -> dict[str, Any]:
    """What EXIF says, tag by tag."""
    tags = image.getexif()
    result: dict[str, Any] = {
        tag.name: tags.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Orientation)
    }
    branches = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
    return result | {branch.name: dict(tags.get_ifd(branch)) for branch in branches}


def read_exif_block(data: bytes) -> bytes | None:
    """The block of EXIF without what some formats put before it; none in a TIFF."""
    with Image.open(io.BytesIO(data)) as image:
        block: bytes | None = image.info.get("exif")
    return block and block.removeprefix(b"Exif\0\0")


def is_for_pillow(data: bytes) -> bool:
    """Tell whether Pillow opens a file; some of TIFF and all of JPEG XL are beyond it."""
    try:
        Image.open(io.BytesIO(data)).close()
    except UnidentifiedImageError:
        return False
    return True
