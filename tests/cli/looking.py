"""What Pillow sees of a picture file."""

import io
from collections.abc import Iterator
from typing import Any

from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

_TIMING = ("duration", "loop", "disposal", "blend", "background", "default_image")


def frames(data: bytes) -> Iterator[tuple[Image.Image, bool]]:
    """Every frame as Pillow shows it, and whether there are several."""
    with Image.open(io.BytesIO(data)) as image:
        count = getattr(image, "n_frames", 1)
        for index in range(count):
            image.seek(index)
            yield image, count > 1


def look(data: bytes) -> list[dict[str, Any]]:
    """What is seen of each frame, turned upright because Pillow always turns a TIFF."""
    seen = []
    for image, several in frames(data):
        tags = camera_tags(image)
        upright = ImageOps.exif_transpose(image)
        if image.format == "PPM" and image.mode == "I":
            upright = upright.convert("I;16")  # 16 bits in any other format
        names = ("icc_profile", "xmp", "transparency", *(_TIMING if several else ()))
        info = {name: image.info.get(name) for name in names}
        seen.append(
            info
            | tags
            | {
                "mode": upright.mode,
                "size": upright.size,
                "samples": upright.tobytes(),
                "palette": upright.getpalette("RGB") if upright.mode == "P" else None,
                "disposal of a GIF": getattr(image, "disposal_method", None),
                "comment of a GIF": image.info.get("comment") if image.format == "GIF" else None,
            }
        )
    return seen


def is_expanded(data: bytes) -> bool:
    """Whether a picture has a palette or a transparent color, which its results have not."""
    with Image.open(io.BytesIO(data)) as image:
        return image.format == "GIF" or image.mode == "P" or "transparency" in image.info


def colors(data: bytes) -> tuple[tuple[int, int], bytes]:
    """The colors that are seen, whatever a file has them in."""
    with Image.open(io.BytesIO(data)) as image:
        upright = ImageOps.exif_transpose(image).convert("RGBA")
    return upright.size, upright.tobytes()


def camera_tags(image: Image.Image) -> dict[str, Any]:
    """What EXIF says, tag by tag."""
    tags = image.getexif()
    result: dict[str, Any] = {
        tag.name: tags.get(tag) for tag in (ExifTags.Base.Make, ExifTags.Base.Orientation)
    }
    branches = (ExifTags.IFD.Exif, ExifTags.IFD.GPSInfo)
    return result | {branch.name: dict(tags.get_ifd(branch)) for branch in branches}


def exif_block(data: bytes) -> bytes | None:
    """The block of EXIF without what some formats put before it; none in a TIFF."""
    with Image.open(io.BytesIO(data)) as image:
        block: bytes | None = image.info.get("exif")
    return block and block.removeprefix(b"Exif\0\0")


def timing(data: bytes) -> list[tuple[Any, ...]]:
    """Size and duration of each frame; stills have no duration."""
    return [
        (ImageOps.exif_transpose(image).size, several and image.info.get("duration"))
        for image, several in frames(data)
    ]


def is_for_pillow(data: bytes) -> bool:
    """Tell whether Pillow opens a file; some of TIFF and all of JPEG XL are beyond it."""
    try:
        Image.open(io.BytesIO(data)).close()
    except UnidentifiedImageError:
        return False
    return True
