"""JPEG files as attacks see them, and the control that leaves blocks where they are."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from sudokucrypt.analysis.attacks.contract import JpegOracle, JpegTarget
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.images import MAX_PIXELS, decode_picture
from sudokucrypt.images.jpeg import JpegFile, read_coefficients
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class ScrambledJpeg:
    """A JPEG file, what a scheme makes of it, and what viewers show of both."""

    plain: JpegFile
    scrambled: JpegFile
    plain_pixels: AnyArray
    scrambled_pixels: AnyArray

    @classmethod
    def query(cls, oracle: JpegOracle, data: bytes, *, max_pixels: int) -> Self:
        """Have a file scrambled, or raise `InvalidImageError` if the result has other blocks."""
        plain = read_coefficients(data, max_pixels=max_pixels)
        # The plain file is read first: what is not a JPEG is refused before the scheme sees it.
        result = bytes(oracle(data))
        scrambled = read_coefficients(result, max_pixels=max_pixels, name="the result")
        if scrambled.frame.components != plain.frame.components:
            raise InvalidImageError(
                "the scheme made a JPEG with other blocks",
                hint="attacks take schemes that keep the size and the sampling of JPEG files",
            )
        shown, seen = (
            decode_picture(each, max_pixels=max_pixels).pixels for each in (data, result)
        )
        return cls(plain=plain, scrambled=scrambled, plain_pixels=shown, scrambled_pixels=seen)

    def list_block_starts(self) -> tuple[IntArray, IntArray]:
        """Return the first rows, and columns, of pixels of the blocks of the first component."""
        components, side = self.plain.frame.components, self.plain.frame.unit_side
        # A single component is never subsampled, whatever its factors are (ITU-T T.81, A.2.2).
        sampling = components[0].sampling if len(components) > 1 else (1, 1)
        rows, columns = (
            np.arange(count) * length // own
            for count, length, own in zip(components[0].blocks, side, sampling, strict=True)
        )
        return rows, columns

    def enlarge(self, values: AnyArray) -> AnyArray:
        """Return a picture in which each pixel shows the value of its block."""
        for axis, starts in enumerate(self.list_block_starts()):
            lengths = np.diff(starts, append=self.plain_pixels.shape[axis])
            # Blocks that only fill up a unit lie outside of the picture.
            values = values.take(np.arange(len(starts)), axis=axis).repeat(lengths, axis=axis)
        return values


def count_sizes(values: AnyArray) -> IntArray:
    """Return how many bits JPEG sends of each coefficient, which is its size class.

    >>> count_sizes(np.int16([0, 1, -1, 2, -3, 4])).tolist()
    [0, 1, 1, 2, 2, 3]
    """
    return np.frexp(np.abs(values).astype(np.float32))[1]


def mask_in_place(data: bytes, *, max_pixels: int = MAX_PIXELS) -> bytes:
    """Mask signs and mantissas of a JPEG and move nothing: the weak scheme that is the control.

    The key stream is the same each time. Means (DC) stay, and so does the length of the file, but
    for what its codes are padded with.

    Parameters
    ----------
    data : bytes
        The JPEG file.
    max_pixels : int, default 134217728
        The largest number of pixels of a picture that is read.
    """
    file = read_coefficients(data, max_pixels=max_pixels)
    draws, planes = seeded_draws(0), []
    for plane in file.coefficients:
        masked = plane.copy()
        others = masked[..., 1:]
        chosen = others != 0
        old = others[chosen].astype(np.int64)
        ones = (1 << count_sizes(old).astype(np.int64)) - 1
        # JPEG sends a negative coefficient as its value less 1, in the bits of its size class.
        bits = np.where(old < 0, old + ones, old) ^ draws.below_each(ones + 1)
        others[chosen] = np.where(bits > ones >> 1, bits, bits - ones)
        planes.append(masked)
    return file.with_coefficients(planes).to_bytes()


def make_control() -> JpegTarget:
    """Return the scheme that attacks on JPEG files must break."""
    return JpegTarget(name="signs and mantissas", oracle=mask_in_place)
