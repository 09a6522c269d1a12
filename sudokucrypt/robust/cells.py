"""Read the cells of a received picture: their size, their position, and the header in them."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import DecryptionError
from sudokucrypt.robust.carrier_image import (
    CODE_BITS,
    LEAST_ACROSS,
    MOST_ACROSS,
    make_column_sequence,
    preamble_rows,
)
from sudokucrypt.robust.codes import CODE_BYTES, decode_bytes
from sudokucrypt.robust.header import VERSION, RobustHeader
from sudokucrypt.typing import Samples

# The side of a received cell in samples: 0.35 to 2.1 times the 8 samples that were sent. In smaller
# cells, dark and light cannot be distinguished after compression.
_LEAST_PITCH, _MOST_PITCH = 2.8, 17.0

# The least difference of light and dark cells, which was sent as 160; noise and texture have less.
_LEAST_CONTRAST = 12.0

# The share of cells that must be right in each of the rows for timing and columns.
_LEAST_SHARE = 0.85

# In n cells of noise, at least k more cells are right than wrong with probability
# exp(-k * k / 2 n). For k * k = 30 n this is 3e-7, and 1e-3 for any of 4096 columns.
_SQUARE_EXCESS = 30.0

_LEAST_CELLS = 24  # of a row; fewer cells are similar to too many parts of the column sequence
# Cells that may be missing at the right edge. Each possible number of them is tried.
_MOST_LOST = 160

_INTERPOLATION = (
    8  # the factor of interpolation of the spectrum, whose highest value is then near the peak
)

PREAMBLE_ROWS = ceil(_MOST_PITCH * (preamble_rows(LEAST_ACROSS) + 1))
"""Rows of a received picture that suffice to find and read its header."""

Levels = NDArray[np.float64]


def measure_timing(received: Samples) -> tuple[float, float] | None:
    """Return the width of a cell in samples, and the middle of a dark cell, from the first rows.

    None is returned for a picture that is too small or too wide.

    Alternating dark and light cells are a wave whose period is two cells. The period is the peak of
    the spectrum. It is refined by bisection, since over thousands of samples a small error would
    add up to a cell.
    """
    rows, count = received.shape
    if rows < 3 or not _LEAST_PITCH * LEAST_ACROSS / 2 <= count <= _MOST_PITCH * MOST_ACROSS:
        return None
    # The first row of samples is left out, since it has the artifacts of the edge.
    line = received[1:3].mean(axis=0)
    line = (line - line.mean()) * np.hanning(count)  # so that the edges do not shift the peak
    size = _INTERPOLATION << (count - 1).bit_length()
    power = np.abs(np.fft.rfft(line, size))
    lowest, highest = int(size / (2 * _MOST_PITCH)), int(size / (2 * _LEAST_PITCH)) + 1
    frequency = (lowest + int(power[lowest:highest].argmax())) / size
    positions = np.arange(count) + 0.5
    step = 1 / size
    for _ in range(12):  # until the error is a small part of a sample over the whole row
        candidates = np.array([-step, 0, step]) + frequency
        strength = np.abs(np.exp(-2j * np.pi * candidates[:, None] * positions) @ line)
        frequency = float(candidates[strength.argmax()])
        step /= 2 if strength.argmax() == 1 else 1
    phase = np.angle(-np.exp(-2j * np.pi * frequency * positions) @ line)
    return 0.5 / frequency, -float(phase) / (2 * np.pi * frequency)


class CellLevels:
    """The mean levels of the cells of a received picture, row by row."""

    def __init__(self, received: Samples, pitch: float, dark: float) -> None:
        self.pitch, self.width = pitch, received.shape[1]
        count = dark // pitch
        self._parity = int(count) % 2
        self.first_edge = dark - count * pitch
        if self.first_edge > 0.75 * pitch:  # most of the previous cell is in the picture
            self.first_edge -= pitch
            self._parity = 1 - self._parity
        self.middles = np.arange(self.first_edge, self.width - pitch / 4, pitch)
        fewest = max(LEAST_ACROSS, len(self.middles))
        deepest = ceil(pitch * (preamble_rows(fewest) + 1))
        top_rows = received[:deepest].astype(np.float64)
        self._sums_down = np.concatenate([np.zeros((1, self.width)), top_rows.cumsum(axis=0)])

    def measure_row(self, index: int) -> Levels:
        """Return the mean of the inner quarter of each cell in a row, since edges are blurred."""
        cell_margin = self.pitch / 4
        cell_center = min((index + 0.5) * self.pitch, len(self._sums_down) - 1 - cell_margin)
        line = _interpolate_sums(self._sums_down, cell_center + cell_margin) - _interpolate_sums(
            self._sums_down, cell_center - cell_margin
        )
        sums_right = np.concatenate([[0.0], line.cumsum()])
        return (
            np.asarray(
                _interpolate_sums(sums_right, self.middles + cell_margin)
                - _interpolate_sums(sums_right, self.middles - cell_margin)
            )
            / (2 * cell_margin) ** 2
        )

    def find_first_column(self) -> int | None:
        """Return the column of the carrier in which the first cell is, or None.

        The level between dark and light is stored for the other methods.
        """
        levels, count = self.measure_row(0), len(self.middles)
        odd = (np.arange(count) + self._parity) % 2 == 1
        if count < _LEAST_CELLS or odd.all() or not odd.any():
            return None
        light, dark = levels[odd].mean(), levels[~odd].mean()
        self._threshold = (light + dark) / 2
        if light - dark < _LEAST_CONTRAST:
            return None
        if np.mean((levels > self._threshold) == odd) < _LEAST_SHARE:
            return None
        received_bits = np.where(self.measure_row(1) > self._threshold, 1.0, -1.0)
        sent_bits = 2.0 * make_column_sequence(MOST_ACROSS) - 1
        if count > len(sent_bits):
            return None
        matches = np.correlate(sent_bits, received_bits)
        matches[1 - self._parity :: 2] = -count  # dark cells of the timing row are in even columns
        best_shift = int(matches.argmax())
        # So many more cells must be right than wrong that no column matches by chance.
        enough = min(count, max((2 * _LEAST_SHARE - 1) * count, np.sqrt(_SQUARE_EXCESS * count)))
        return best_shift if matches[best_shift] >= enough else None

    def list_widths(self, first: int) -> range:
        """Return the possible numbers of cells in a row of the carrier, the likeliest first."""
        visible_width = first + len(self.middles)
        largest_width = min(visible_width + min(visible_width, _MOST_LOST), MOST_ACROSS)
        return range(max(visible_width, LEAST_ACROSS), largest_width + 1)

    def read_header(self, first: int, across: int) -> tuple[RobustHeader, int]:
        """Return the header, if a row of the carrier has `across` cells, and its corrected bytes.

        The number of corrected bytes includes bytes whose cells are not in the picture.
        """
        count = min(len(self.middles), across - first)
        bit_sums, counts = np.zeros(CODE_BITS), np.zeros(CODE_BITS, dtype=np.int64)
        # Every bit is in several cells. The sum of their levels gives more weight to clear ones.
        for index in range(preamble_rows(across) - 3):
            bits = (index * across + first + np.arange(count)) % CODE_BITS
            np.add.at(bit_sums, bits, self.measure_row(2 + index)[:count] - self._threshold)
            np.add.at(counts, bits, 1)
        code = np.packbits(bit_sums > 0, bitorder="little").tobytes()
        missing = np.flatnonzero((counts == 0).reshape(CODE_BYTES, 8).any(axis=1)).tolist()
        message, wrong_bytes = decode_bytes(code, missing)
        if missing and message[0] != VERSION:  # with many missing bytes, noise decodes to a message
            raise DecryptionError("the header is not legible", hint=None)
        return RobustHeader.from_bytes(message), wrong_bytes


def _interpolate_sums(column_sums: Levels, positions: Levels | float) -> Levels:
    """Return running sums at fractional positions along the first axis."""
    positions = np.clip(positions, 0, len(column_sums) - 1)
    lower = np.minimum(np.floor(positions).astype(np.int64), len(column_sums) - 2)
    fractions = positions - lower
    return np.asarray(
        column_sums[lower] + fractions * (column_sums[lower + 1] - column_sums[lower])
    )
