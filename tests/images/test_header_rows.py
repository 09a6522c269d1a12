"""Header rows: they are found after changes that keep the samples, and never in other pictures."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from sudokucrypt.images import (
    Picture,
    decode_picture,
    encode_picture,
    may_have_header_rows,
)
from sudokucrypt.images.header_rows import MAX_HEADER_BYTES, make_header_rows, remove_header_rows
from sudokucrypt.typing import AnyArray
from tests.cli.gallery import GALLERY
from tests.images.builders import build_png, make_png_chunk

HEADER = b'{"sudokucrypt":1,"text":"' + b"x" * 695 + b'"}'
SHAPES = [(40, 50), (40, 50, 2), (40, 50, 3), (40, 50, 4), (1, 1), (1, 1, 4), (3, 1000, 3)]


def _protect_picture(
    shape: tuple[int, ...], dtype: str = "uint8", header: bytes = HEADER
) -> Picture:
    pixels = np.random.default_rng(5).integers(0, 256, shape).astype(dtype)
    if dtype == "uint16":
        pixels = pixels * 257  # so that 8 bits of each sample suffice
    return replace(Picture.plain(pixels), header=header, header_rows=True)


def _are_equal_pictures(picture: Picture, other_picture: Picture) -> bool:
    pixels = picture.pixels
    return (
        picture.header == other_picture.header
        and pixels.dtype == other_picture.pixels.dtype
        and np.array_equal(pixels, other_picture.pixels)
        and picture.mode == other_picture.mode
    )


def append_header_rows(picture: Picture) -> Picture:
    """Return a picture with its header rows among its samples."""
    return replace(picture, pixels=np.concatenate([picture.pixels, make_header_rows(picture)]))


WRITTEN_CASES = [*product(SHAPES, ["uint8", "uint16"], ["PNG", "TIFF"])]


@pytest.mark.parametrize(("shape", "dtype", "format"), WRITTEN_CASES)
def test_header_rows_are_read(shape: tuple[int, ...], dtype: str, format: str) -> None:  # noqa: A002
    """A written picture with header rows is read unchanged, even if its header was stripped."""
    picture = _protect_picture(shape, dtype)
    assert _are_equal_pictures(decode_picture(encode_picture(picture, format)), picture)
    read_without_header = remove_header_rows(replace(append_header_rows(picture), header=None))
    assert read_without_header.header_rows
    assert _are_equal_pictures(read_without_header, picture)


def _convert_gray_to_rgb(pixels: AnyArray) -> AnyArray:
    return np.repeat(pixels[..., None], 3, axis=2)


def _add_opaque_alpha(pixels: AnyArray) -> AnyArray:
    full = np.iinfo(pixels.dtype).max
    color = pixels if pixels.ndim == 3 else pixels[..., None]
    return np.dstack([color, np.full(pixels.shape[:2], full, dtype=pixels.dtype)])


@pytest.mark.parametrize("shape", [(40, 50), (40, 50, 3)])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
def test_other_modes_and_depths(shape: tuple[int, ...], dtype: str) -> None:
    """Header rows are read after a change of mode or depth that keeps the samples."""
    picture = _protect_picture(shape, dtype)
    pixels = append_header_rows(picture).pixels
    changed_versions = [
        pixels,
        _add_opaque_alpha(pixels),
        pixels.astype(np.uint16) * (257 if dtype == "uint8" else 1),
    ]
    if len(shape) == 2:
        changed_versions += [
            _convert_gray_to_rgb(pixels),
            _add_opaque_alpha(_convert_gray_to_rgb(pixels)),
        ]
    if dtype == "uint16":
        changed_versions.append((pixels >> 8).astype(np.uint8))
    for changed_pixels in changed_versions:
        assert _are_equal_pictures(remove_header_rows(Picture.plain(changed_pixels)), picture)


@pytest.mark.parametrize("shape", [(5, 6), (5, 6, 3), (5, 6, 4)])
def test_palettes(shape: tuple[int, ...]) -> None:
    """Header rows are read from small pictures that were converted to palettes."""
    picture = _protect_picture(shape, header=b"short")
    pixels = append_header_rows(picture).pixels
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    color, opacity = pixels[..., : 3 if pixels.shape[2] > 2 else 1], pixels[..., 3:]
    rgb = np.broadcast_to(color, (*color.shape[:2], 3))
    colors, indices = np.unique(
        np.concatenate([rgb, opacity], axis=2).reshape(-1, rgb.shape[2] + opacity.shape[2]),
        axis=0,
        return_inverse=True,
    )
    lines = b"".join(
        b"\0" + row.tobytes() for row in indices.reshape(pixels.shape[:2]).astype("u1")
    )
    palette = [make_png_chunk(b"PLTE", colors[:, :3].tobytes())]
    palette += [make_png_chunk(b"tRNS", colors[:, 3:].tobytes())] if opacity.size else []
    rows, columns = pixels.shape[:2]
    assert _are_equal_pictures(
        decode_picture(build_png(columns, rows, lines, color=3, chunks_before=palette)), picture
    )


@pytest.mark.parametrize("row", [-1, -3, -8])
def test_damage(row: int) -> None:
    """Header rows with any changed bit are not recognized."""
    picture = append_header_rows(_protect_picture((40, 50, 3)))
    for column in (0, 17, 49):
        pixels = picture.pixels.copy()
        pixels[row, column, 1] ^= 16
        damaged_picture = remove_header_rows(Picture.plain(pixels))
        # 750 bytes of header, digest and tail take 5 rows of 150 samples.
        assert damaged_picture.header == (HEADER if row < -5 else None)
        assert damaged_picture.pixels.shape == (40 if row < -5 else 45, 50, 3)


def test_another_header() -> None:
    """Header rows that contain another header than the file are not removed."""
    picture = replace(
        append_header_rows(_protect_picture((40, 50, 3))), header=b'{"sudokucrypt":2}'
    )
    assert remove_header_rows(picture) is picture


def test_pictures_without_header_rows() -> None:
    """CMYK, unsupported types, no header and huge headers give no header rows."""
    plain = _protect_picture((40, 50))
    for picture in (
        replace(plain, header=None),
        replace(plain, header=b"x" * (MAX_HEADER_BYTES + 1)),
        replace(_protect_picture((40, 50, 4)), mode="cmyk"),
        replace(plain, pixels=plain.pixels.astype(np.float32)),
        replace(plain, pixels=plain.pixels > 5),
    ):
        assert not len(make_header_rows(picture))


@pytest.mark.parametrize("name", GALLERY)
def test_only_exact_formats_may_have_rows(name: str) -> None:
    """Only files of exact formats may have header rows, so that no other codec runs."""
    suffix = name.rpartition(".")[2]
    assert may_have_header_rows(GALLERY[name]) <= (
        suffix
        in (
            "png",
            "apng",
            "tif",
            "tiff",
            "webp",
            "bmp",
            "pbm",
            "pfm",
            "pgm",
            "ppm",
            "pnm",
            "pam",
            "qoi",
        )
    )
    if suffix == "png":
        assert may_have_header_rows(GALLERY[name])
