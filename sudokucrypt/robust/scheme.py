"""Scrambling: blocks of luma and chroma are moved, and their frequencies mirrored."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.bijections import UnitPermutation, chosen_rounds
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.keys import SALT_LENGTH, Key, PictureKey
from sudokucrypt.options import checked_integer
from sudokucrypt.robust.carrier_image import (
    GAIN,
    MIDDLE,
    SIDE,
    UNGAIN,
    CarrierImage,
    cells,
    cut,
    laid,
    preamble,
)
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.typing import Samples
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.robust._kernels import blocks_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.robust._kernels", "blocks")

NAME: Final = "robust-v1"
"""The name of the scheme."""

# A block moves as one element, so that NumPy copies it in one step.
_BLOCK = np.dtype(f"V{SIDE * SIDE}")


@dataclass(frozen=True, eq=False)
class ScrambledCarrier:
    """A carrier, and the header in its cells."""

    samples: Samples  #: The gray picture that is sent. Shape (K, L), dtype uint8.
    header: RobustHeader  #: What restoring needs besides the key.


def scramble_robustly(
    image: Samples, key: Key, *, salt: bytes, profile: int = 0, threads: int | None = None
) -> ScrambledCarrier:
    """Return a picture as a carrier that survives recompression.

    The image has shape (M, N) or (M, N, 3), dtype uint8: gray, or red, green and blue. The salt is
    16 bytes that no other picture of this key has, see `sudokucrypt.recipes`; the header says that
    it was made for a profile, 0..255. The result does not depend on threads.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, 3), uint8
        The picture: gray, or red, green and blue.
    key : Key
        The master key.
    salt : bytes
        16 bytes that no other picture of this key has; see `sudokucrypt.recipes`.
    profile : int, default 0
        The number of the profile that the carrier is made for, 0..255; the header states it.
    threads : int, optional
        How many threads share the work, 1..1024; by default one for each core. The result never
        depends on it.


    Raises
    ------
    InvalidImageError
        If the image is of another shape or type.
    UnsupportedError
        If it is too large for a carrier.
    InvalidParameterError
        If salt or profile are out of range.
    """
    image = checked_picture(image)
    if len(salt) != SALT_LENGTH:
        raise InvalidParameterError(f"a salt has {SALT_LENGTH} bytes, not {len(salt)}")
    profile = checked_integer("profile", profile, least=0, most=255)
    carrier = CarrierImage.for_picture(image.shape)
    header = _make_header(image, key, salt, profile)
    picture_key = key.picture_key(salt)
    header = header.seal(picture_key)
    with Workers(threads, work=image.size) as workers:
        blocks = _list_planes(image, carrier, workers)
        _scramble(blocks, picture_key, header, workers)
    samples = np.empty(carrier.shape, dtype=np.uint8)
    top = preamble(carrier, header.to_bytes())
    samples[: len(top)] = top
    cells(samples[len(top) :])[...] = blocks.reshape(-1, carrier.across, SIDE, SIDE)
    return ScrambledCarrier(samples, header)


def unscramble_robustly(
    samples: Samples, key: Key | PictureKey, header: RobustHeader, *, threads: int | None = None
) -> Samples:
    """Return the picture of a carrier, damaged or not, that lies on its grid.

    Raises `DecryptionError` if the key is wrong, and `InvalidImageError` if the carrier is not of
    the size that the header says. Whether the pixels are those that were sent is not checked. The
    samples, of shape (K, L) and dtype uint8, are what `align_carrier` of
    `sudokucrypt.robust.detection` returns, and the header was read from their cells.

    Parameters
    ----------
    samples : ndarray of shape (K, L), uint8
        The carrier on its grid, from `align_carrier`.
    key : Key or PictureKey
        The master key, or the key of this picture.
    header : RobustHeader
        The header, which `find_carrier` read from the cells.
    threads : int, optional
        How many threads share the work, 1..1024; by default one for each core. The result never
        depends on it.
    """
    picture_key = header.open_key(key)
    carrier = CarrierImage.for_picture(header.shape)
    if samples.shape != carrier.shape or samples.dtype != np.uint8:
        raise InvalidImageError(
            f"the sheet has 8-bit samples of shape {carrier.shape}, not {samples.dtype} of shape "
            f"{samples.shape}",
            hint="sudokucrypt.robust.align_carrier brings a received picture to its place",
        )
    blocks = cut(samples[SIDE * carrier.preamble :])
    image = np.empty((*header.shape[:2], 3 if carrier.color else 1), dtype=np.uint8)
    with Workers(threads, work=image.size) as workers:
        _draw_moves(blocks, picture_key, header).invert(
            _count_units(blocks), _count_units(blocks), workers
        )
        _flip(blocks, picture_key, header, UNGAIN, workers)
        _join(blocks, image, carrier, workers)
    return image.reshape(header.shape)


def moved_blocks(image: Samples, key: Key, *, salt: bytes) -> Samples:
    """Return the scrambled blocks of a gray image, without a carrier, for study.

    The image has shape (M, N), both multiples of 8, and dtype uint8; key and salt are as for
    `scramble_robustly`.

    Parameters
    ----------
    image : ndarray of shape (M, N), uint8
        A gray picture whose sides are multiples of 8.
    key : Key
        The master key.
    salt : bytes
        16 bytes, as in `scramble_robustly`.
    """
    header = _make_header(image, key, salt, profile=0)
    blocks = cut(checked_picture(image))
    with Workers(1) as workers:
        _scramble(blocks, key.picture_key(salt), header, workers)
    return laid(blocks, image.shape[1] // SIDE)


def checked_picture(image: ArrayLike) -> Samples:
    """Return an image as a contiguous array, or raise `InvalidImageError`.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, 3), uint8
        The picture: gray, or red, green and blue.
    """
    image = np.asarray(image)
    fits = image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)
    if image.dtype != np.uint8 or not fits or not image.size:
        raise InvalidImageError(
            "a robust picture is made of 8-bit samples of shape (M, N) or (M, N, 3), "
            f"not {image.dtype} of shape {image.shape}",
            hint="convert the image first",
        )
    return np.ascontiguousarray(image)


def _make_header(image: Samples, key: Key, salt: bytes, profile: int) -> RobustHeader:
    rows, columns, *channels = image.shape
    return RobustHeader(
        rows=rows,
        columns=columns,
        color=bool(channels),
        profile=profile,
        salt=salt,
        key_id=key.id,
    )


def _list_planes(image: Samples, carrier: CarrierImage, workers: Workers) -> Samples:
    """Return the blocks of luma, of both chroma planes, and gray ones after them."""
    blocks = np.empty((carrier.capacity, SIDE * SIDE), dtype=np.uint8)
    blocks[carrier.blocks :] = MIDDLE
    luma, blue, red = _split(blocks, carrier)
    pixels = image.reshape(*image.shape[:2], -1)
    (down, across), (chroma_down, chroma_across) = carrier.luma, carrier.chroma
    workers.share(down, lambda i, j: _kernels.fill_light(pixels, luma, across, i, j))
    workers.share(
        chroma_down, lambda i, j: _kernels.fill_colors(pixels, blue, red, chroma_across, i, j)
    )
    return blocks


def _join(blocks: Samples, image: Samples, carrier: CarrierImage, workers: Workers) -> None:
    """Write to the image, of shape (M, N, 1) or (M, N, 3), what its blocks show."""
    luma, blue, red = _split(blocks, carrier)
    across, chroma = carrier.luma[1], carrier.chroma[1]
    if not carrier.color:
        image[..., 0] = laid(luma, across)[: carrier.rows, : carrier.columns]
        return
    workers.share(
        carrier.rows,
        lambda i, j: _kernels.join_colors(luma, blue, red, across, chroma, image, i, j),
    )


def _split(blocks: Samples, carrier: CarrierImage) -> tuple[Samples, Samples, Samples]:
    """Return the blocks of luma, blue and red as views."""
    first = carrier.luma[0] * carrier.luma[1]
    second = first + carrier.chroma[0] * carrier.chroma[1]
    return blocks[:first], blocks[first:second], blocks[second : carrier.blocks]


def _scramble(blocks: Samples, key: PictureKey, header: RobustHeader, workers: Workers) -> None:
    """Flip the signs of blocks and move them, in place; gray blocks after the picture as well."""
    _flip(blocks, key, header, GAIN, workers)
    _draw_moves(blocks, key, header).apply(_count_units(blocks), _count_units(blocks), workers)


def _flip(
    blocks: Samples, key: PictureKey, header: RobustHeader, gain: int, workers: Workers
) -> None:
    signs = np.zeros((len(blocks), SIDE), dtype=np.uint8)
    flat = signs.reshape(-1)
    key.stream("robust/signs", header.covered).mask(flat, flat, workers)
    workers.share(len(blocks), lambda i, j: _kernels.flip(blocks, signs, gain, i, j))


def _draw_moves(blocks: Samples, key: PictureKey, header: RobustHeader) -> UnitPermutation:
    draws = StreamDraws(key.stream("robust/permutation", header.covered))
    return UnitPermutation(len(blocks), chosen_rounds(None, len(blocks)), draws)


def _count_units(blocks: Samples) -> NDArray[np.void]:
    return blocks.view(_BLOCK).reshape(-1)
