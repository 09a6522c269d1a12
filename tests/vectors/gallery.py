"""The pictures of the vectors by name, with everything that a description can say of one.

They stand in `rows/gallery.json` as the values that the package's classes are made of.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from sudokucrypt.images import (
    Animation,
    EmbeddedFile,
    Frame,
    FrameControl,
    Metadata,
    Palette,
    Picture,
    PictureRecord,
    Resolution,
    embed,
)
from tests.vectors.common import plain_bytes, plain_image

PREVIEW = bytes.fromhex(
    "524946461e000000574542505650384c110000002f0000000007508f2257abff8188e87f0000"
)
"""A WebP file of one red pixel. Its last bytes are zero, as those of the padding."""

Fields = dict[str, Any]


def file_picture(data: bytes, **about: Any) -> PictureRecord:
    """Return the picture of a file."""
    file = EmbeddedFile(**{"name": "notes.txt", **about}, size=len(data))
    pixels = Frame(pixels=embed(data, file), mode="gray")
    return PictureRecord(picture=Picture(frames=(pixels,), format="PNG"), file=file)


def _palette(about: Fields) -> Palette:
    return Palette(**{**about, **_bytes(about, "colors", "alphas")})


def _bytes(about: Fields, *names: str) -> Fields:
    """Return those of the fields that are bytes, if they are there."""
    return {name: bytes.fromhex(about[name]) for name in names if name in about}


def _metadata(about: Fields) -> Metadata:
    fields = _bytes(about, "exif", "icc", "xmp")
    if "resolution" in about:
        size = about["resolution"]
        columns, rows = (Fraction(size[name]) for name in ("columns", "rows"))
        fields["resolution"] = Resolution(columns=columns, rows=rows, unit=size["unit"])
    texts = tuple((name, text) for name, text in about.get("texts", ()))
    native = tuple((name, bytes.fromhex(data)) for name, data in about.get("native", ()))
    return Metadata(**fields, texts=texts, native=native)


def _frame(about: Fields) -> Frame:
    """Return a frame of the plain image for a label, cut to its bits or to the lowest ones."""
    label, shape, dtype = (about.pop(name) for name in ("label", "shape", "dtype"))
    pixels = plain_image(label, shape, dtype).astype(dtype)
    bits = about.pop("low_bits", about.get("bits"))
    if bits is not None:
        pixels &= 2**bits - 1
    if "palette" in about:
        about["palette"] = _palette(about["palette"])
    if "transparent" in about:
        about["transparent"] = tuple(about["transparent"])
    if "showing" in about:
        duration = Fraction(about["showing"]["duration"])
        about["showing"] = FrameControl(**{**about["showing"], "duration": duration})
    return Frame(**{**about, "pixels": pixels, "metadata": _metadata(about.get("metadata", {}))})


def _record(about: Fields) -> PictureRecord:
    """Return a picture with its description."""
    preview = PREVIEW if about.pop("preview", False) else None
    if "file" in about:
        size = about["file"].pop("size")
        record = file_picture(plain_bytes("file", size), **about["file"])
        return PictureRecord(picture=record.picture, file=record.file, preview=preview)
    animation = about.get("animation")
    if animation is not None:
        animation |= _bytes(animation, "background")
        if "palette" in animation:
            animation["palette"] = _palette(animation["palette"])
        animation = Animation(**animation)
    frames = tuple(map(_frame, about["frames"]))
    picture = Picture(frames=frames, format=about["format"], animation=animation)
    return PictureRecord(
        picture=picture, cleartext=tuple(about.get("cleartext", ())), preview=preview
    )


def _pictures() -> dict[str, PictureRecord]:
    text = (Path(__file__).parent / "rows" / "gallery.json").read_text(encoding="ascii")
    return {name: _record(about) for name, about in json.loads(text)["pictures"].items()}


PICTURES = _pictures()
"""Pictures by names."""
