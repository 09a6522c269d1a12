"""Scramble blocks of luma and chroma: move them, and flip signs of their DCT coefficients."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.bijections import UnitPermutation, chosen_rounds
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import InvalidImageError, InvalidParameterError
from sudokucrypt.kernels import load_kernels
from sudokucrypt.keys import SALT_LENGTH, Key, PictureKey
from sudokucrypt.options import check_integer
from sudokucrypt.robust.carrier_image import (
    CELL_SIDE,
    MIDDLE_GRAY,
    RESTORING_GAIN,
    SCRAMBLING_GAIN,
    CarrierImage,
    cut_blocks,
    join_blocks,
    make_preamble,
    view_cells,
)
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.typing import Samples
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.robust._kernels import blocks_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.robust._kernels", "blocks")

SCHEME_NAME: Final = "robust-v1"
"""The name of the scheme."""

# The type of a block as one element, so that NumPy copies it in one step.
_BLOCK_TYPE = np.dtype(f"V{CELL_SIDE * CELL_SIDE}")


@dataclass(frozen=True, eq=False)
class ScrambledCarrier:
    """The samples of a carrier, and the header in its cells."""

    samples: Samples  #: The gray picture that is sent. Shape (K, L), dtype uint8.
    header: RobustHeader  #: The header in the cells, which restoring needs in addition to the key.


def scramble_robustly(
    image: Samples, key: Key, *, salt: bytes, profile: int = 0, threads: int | None = None
) -> ScrambledCarrier:
    """Return a scrambled picture in a carrier that survives recompression.

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
        The number of threads that share the work, 1..1024; by default one for each core. The result
        never depends on it.


    Raises
    ------
    InvalidImageError
        If the image is of another shape or type.
    UnsupportedError
        If it is too large for a carrier.
    InvalidParameterError
        If salt or profile is invalid.
    """
    image = checked_picture(image)
    if len(salt) != SALT_LENGTH:
        raise InvalidParameterError(f"a salt has {SALT_LENGTH} bytes, not {len(salt)}")
    profile = check_integer("profile", profile, least=0, most=255)
    carrier = CarrierImage.for_picture(image.shape)
    header = _make_header(image, key, salt, profile)
    picture_key = key.picture_key(salt)
    header = header.seal(picture_key)
    with Workers(threads, work_bytes=image.size) as workers:
        blocks = _make_blocks(image, carrier, workers)
        _scramble_blocks(blocks, picture_key, header, workers)
    samples = np.empty(carrier.shape, dtype=np.uint8)
    preamble = make_preamble(carrier, header.to_bytes())
    samples[: len(preamble)] = preamble
    view_cells(samples[len(preamble) :])[...] = blocks.reshape(
        -1, carrier.cells_across, CELL_SIDE, CELL_SIDE
    )
    return ScrambledCarrier(samples, header)


def unscramble_robustly(
    samples: Samples, key: Key | PictureKey, header: RobustHeader, *, threads: int | None = None
) -> Samples:
    """Return the picture in a carrier, which may be damaged.

    Raises `DecryptionError` if the key is wrong, and `InvalidImageError` if the carrier does not
    have the size in the header. Changes of pixels are not detected.

    Parameters
    ----------
    samples : ndarray of shape (K, L), uint8
        The samples of the carrier in its sent size, from `align_carrier`.
    key : Key or PictureKey
        The master key, or the key of this picture.
    header : RobustHeader
        The header, which `find_carrier` read from the cells.
    threads : int, optional
        The number of threads that share the work, 1..1024; by default one for each core. The result
        never depends on it.
    """
    picture_key = header.open_key(key)
    carrier = CarrierImage.for_picture(header.shape)
    if samples.shape != carrier.shape or samples.dtype != np.uint8:
        raise InvalidImageError(
            f"the carrier has 8-bit samples of shape {carrier.shape}, not {samples.dtype} of shape "
            f"{samples.shape}",
            hint="sudokucrypt.robust.align_carrier aligns a received picture",
        )
    blocks = cut_blocks(samples[CELL_SIDE * carrier.preamble_rows :])
    image = np.empty((*header.shape[:2], 3 if carrier.color else 1), dtype=np.uint8)
    with Workers(threads, work_bytes=image.size) as workers:
        _draw_permutation(blocks, picture_key, header).invert(
            _view_units(blocks), _view_units(blocks), workers
        )
        _flip_signs(blocks, picture_key, header, RESTORING_GAIN, workers)
        _join_planes(blocks, image, carrier, workers)
    return image.reshape(header.shape)


def moved_blocks(image: Samples, key: Key, *, salt: bytes) -> Samples:
    """Return the scrambled blocks of a gray image, without a carrier, for analysis.

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
    blocks = cut_blocks(checked_picture(image))
    with Workers(1) as workers:
        _scramble_blocks(blocks, key.picture_key(salt), header, workers)
    return join_blocks(blocks, image.shape[1] // CELL_SIDE)


def checked_picture(image: ArrayLike) -> Samples:
    """Return an image as a contiguous array, or raise `InvalidImageError`.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, 3), uint8
        The picture: gray, or red, green and blue.
    """
    image = np.asarray(image)
    is_picture = image.ndim == 2 or (image.ndim == 3 and image.shape[2] == 3)
    if image.dtype != np.uint8 or not is_picture or not image.size:
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


def _make_blocks(image: Samples, carrier: CarrierImage, workers: Workers) -> Samples:
    """Return the blocks of luma and both chroma planes, followed by gray blocks."""
    blocks = np.empty((carrier.capacity, CELL_SIDE * CELL_SIDE), dtype=np.uint8)
    blocks[carrier.block_count :] = MIDDLE_GRAY
    luma, blue, red = _split_planes(blocks, carrier)
    pixels = image.reshape(*image.shape[:2], -1)
    (luma_rows, luma_columns), (chroma_rows, chroma_columns) = (
        carrier.luma_shape,
        carrier.chroma_shape,
    )
    workers.share(luma_rows, lambda i, j: _kernels.fill_light(pixels, luma, luma_columns, i, j))
    workers.share(
        chroma_rows, lambda i, j: _kernels.fill_colors(pixels, blue, red, chroma_columns, i, j)
    )
    return blocks


def _join_planes(blocks: Samples, image: Samples, carrier: CarrierImage, workers: Workers) -> None:
    """Write the pixels of an image, of shape (M, N, 1) or (M, N, 3), from its blocks."""
    luma, blue, red = _split_planes(blocks, carrier)
    luma_columns, chroma_columns = carrier.luma_shape[1], carrier.chroma_shape[1]
    if not carrier.color:
        image[..., 0] = join_blocks(luma, luma_columns)[: carrier.rows, : carrier.columns]
        return
    workers.share(
        carrier.rows,
        lambda i, j: _kernels.join_colors(
            luma, blue, red, luma_columns, chroma_columns, image, i, j
        ),
    )


def _split_planes(blocks: Samples, carrier: CarrierImage) -> tuple[Samples, Samples, Samples]:
    """Return views of the blocks of luma and of both chroma planes, blue and red."""
    luma_stop = carrier.luma_shape[0] * carrier.luma_shape[1]
    blue_stop = luma_stop + carrier.chroma_shape[0] * carrier.chroma_shape[1]
    return blocks[:luma_stop], blocks[luma_stop:blue_stop], blocks[blue_stop : carrier.block_count]


def _scramble_blocks(
    blocks: Samples, key: PictureKey, header: RobustHeader, workers: Workers
) -> None:
    """Flip the signs of all blocks and move them, in place, including gray blocks at the end."""
    _flip_signs(blocks, key, header, SCRAMBLING_GAIN, workers)
    _draw_permutation(blocks, key, header).apply(_view_units(blocks), _view_units(blocks), workers)


def _flip_signs(
    blocks: Samples, key: PictureKey, header: RobustHeader, gain: int, workers: Workers
) -> None:
    signs = np.zeros((len(blocks), CELL_SIDE), dtype=np.uint8)
    flat_signs = signs.reshape(-1)
    key.stream("robust/signs", header.authenticated_bytes).mask(flat_signs, flat_signs, workers)
    workers.share(len(blocks), lambda i, j: _kernels.flip(blocks, signs, gain, i, j))


def _draw_permutation(blocks: Samples, key: PictureKey, header: RobustHeader) -> UnitPermutation:
    draws = StreamDraws(key.stream("robust/permutation", header.authenticated_bytes))
    return UnitPermutation(len(blocks), chosen_rounds(None, len(blocks)), draws)


def _view_units(blocks: Samples) -> NDArray[np.void]:
    return blocks.view(_BLOCK_TYPE).reshape(-1)
