"""Read JPEG files and their scrambled results for attacks, and define the control scheme."""

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
    """A JPEG file and its scrambled result, with the pixels that viewers show of both."""

    plain_file: JpegFile
    scrambled_file: JpegFile
    plain_pixels: AnyArray
    scrambled_pixels: AnyArray

    @classmethod
    def query(cls, oracle: JpegOracle, data: bytes, *, max_pixels: int) -> Self:
        """Scramble a file; raise `InvalidImageError` if size or sampling of the result differs."""
        plain_file = read_coefficients(data, max_pixels=max_pixels)
        # The plain file is read first, so that other formats are refused before the scheme runs.
        result = bytes(oracle(data))
        scrambled_file = read_coefficients(result, max_pixels=max_pixels, name="the result")
        if scrambled_file.frame.components != plain_file.frame.components:
            raise InvalidImageError(
                "the result differs from its plain JPEG in size or sampling",
                hint="attacks need schemes that keep the size and the sampling of JPEG files",
            )
        plain_pixels, scrambled_pixels = (
            decode_picture(each, max_pixels=max_pixels).pixels for each in (data, result)
        )
        return cls(
            plain_file=plain_file,
            scrambled_file=scrambled_file,
            plain_pixels=plain_pixels,
            scrambled_pixels=scrambled_pixels,
        )

    def list_block_starts(self) -> tuple[IntArray, IntArray]:
        """Return the first pixel row and column of the blocks of the first component."""
        components, sides = self.plain_file.frame.components, self.plain_file.frame.unit_side
        # A single component is never subsampled, even if its factors are not 1 (ITU-T T.81, A.2.2).
        factors = components[0].sampling if len(components) > 1 else (1, 1)
        rows, columns = (
            np.arange(count) * length // factor
            for count, length, factor in zip(components[0].blocks, sides, factors, strict=True)
        )
        return rows, columns

    def enlarge_values(self, values: AnyArray) -> AnyArray:
        """Return a picture in which each pixel has the value of its block."""
        for axis, starts in enumerate(self.list_block_starts()):
            lengths = np.diff(starts, append=self.plain_pixels.shape[axis])
            # Padding blocks lie outside of the picture.
            values = values.take(np.arange(len(starts)), axis=axis).repeat(lengths, axis=axis)
        return values


def compute_size_classes(values: AnyArray) -> IntArray:
    """Return the size class of each coefficient: the number of bits that JPEG sends of it.

    >>> compute_size_classes(np.int16([0, 1, -1, 2, -3, 4])).tolist()
    [0, 1, 1, 2, 2, 3]
    """
    return np.frexp(np.abs(values).astype(np.float32))[1]


def mask_in_place(data: bytes, *, max_pixels: int = MAX_PIXELS) -> bytes:
    """Mask signs and mantissas of the coefficients of a JPEG, as a weak control scheme.

    The key stream is always the same, and no block is moved. Means (DC) do not change, and the
    length of the file changes at most by the padding of its codes.

    Parameters
    ----------
    data : bytes
        The JPEG file.
    max_pixels : int, default 134217728
        The largest number of pixels of a picture that is read.
    """
    file = read_coefficients(data, max_pixels=max_pixels)
    source, planes = seeded_draws(0), []
    for plane in file.coefficients:
        masked_plane = plane.copy()
        coefficients = masked_plane[..., 1:]
        is_nonzero = coefficients != 0
        nonzero_values = coefficients[is_nonzero].astype(np.int64)
        max_magnitudes = (1 << compute_size_classes(nonzero_values).astype(np.int64)) - 1
        # JPEG sends a negative coefficient as its value less 1, in the bits of its size class.
        bits = np.where(
            nonzero_values < 0, nonzero_values + max_magnitudes, nonzero_values
        ) ^ source.below_each(max_magnitudes + 1)
        coefficients[is_nonzero] = np.where(bits > max_magnitudes >> 1, bits, bits - max_magnitudes)
        planes.append(masked_plane)
    return file.with_coefficients(planes).to_bytes()


def make_control_target() -> JpegTarget:
    """Return the control of attacks on JPEG files, which they must break."""
    return JpegTarget(name="signs and mantissas", oracle=mask_in_place)
