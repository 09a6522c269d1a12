"""Read the cells of a received picture: their size, their position, and the header in them."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import DecryptionError
from sudokucrypt.robust.carrier_image import (
    CODE_BITS,
    MAX_CELLS_ACROSS,
    MIN_CELLS_ACROSS,
    count_preamble_rows,
    make_column_sequence,
)
from sudokucrypt.robust.codes import CODE_BYTES, decode_bytes
from sudokucrypt.robust.header import VERSION, RobustHeader
from sudokucrypt.typing import Samples

# The side of a received cell in samples: 0.35 to 2.1 times the 8 samples that were sent. In smaller
# cells, dark and light cannot be distinguished after compression.
_MIN_PITCH, _MAX_PITCH = 2.8, 17.0

# The minimum difference of light and dark cells, which is 160 when sent; noise and texture have a
# smaller one.
_MIN_CONTRAST = 12.0

# The share of cells that must be read correctly, both in the timing row and in the row that
# numbers the columns.
_MIN_RIGHT_SHARE = 0.85

# In n cells of noise, the probability of at least k more right than wrong cells is at most
# exp(-k * k / (2 * n)). For k * k = 30 * n, this is 3e-7 for one column, and 1e-3 for any of 4096.
_SQUARE_EXCESS_PER_CELL = 30.0

_MIN_CELLS = 24  # received cells per row; fewer match the column sequence too often
# Cells that may be missing at the right edge. Each possible number of them is tried.
_MAX_LOST_CELLS = 160

_INTERPOLATION_FACTOR = (
    8  # the factor of interpolation of the spectrum, whose highest value is then near the peak
)

PREAMBLE_ROWS = ceil(_MAX_PITCH * (count_preamble_rows(MIN_CELLS_ACROSS) + 1))
"""Rows of a received picture that suffice to find and read its header."""

Levels = NDArray[np.float64]


def measure_pitch(received_luma: Samples) -> tuple[float, float] | None:
    """Return the width of a cell in samples, and the middle of a dark cell, from the first rows.

    None is returned for a picture that is too small or too wide.

    Alternating dark and light cells are a wave whose period is two cells. The period is the peak of
    the spectrum. It is refined by bisection, since over thousands of samples a small error would
    add up to a cell.
    """
    rows, count = received_luma.shape
    if rows < 3 or not _MIN_PITCH * MIN_CELLS_ACROSS / 2 <= count <= _MAX_PITCH * MAX_CELLS_ACROSS:
        return None
    # The first row of samples is left out, since it has the artifacts of the edge.
    line = received_luma[1:3].mean(axis=0)
    line = (line - line.mean()) * np.hanning(count)  # so that the edges do not shift the peak
    size = _INTERPOLATION_FACTOR << (count - 1).bit_length()
    power = np.abs(np.fft.rfft(line, size))
    first_bin, end_bin = int(size / (2 * _MAX_PITCH)), int(size / (2 * _MIN_PITCH)) + 1
    frequency = (first_bin + int(power[first_bin:end_bin].argmax())) / size
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

    def __init__(self, received_luma: Samples, pitch: float, dark_edge: float) -> None:
        self.pitch, self.width = pitch, received_luma.shape[1]
        count = dark_edge // pitch
        self._column_parity = int(count) % 2
        self.first_edge = dark_edge - count * pitch
        if self.first_edge > 0.75 * pitch:  # most of the previous cell is in the picture
            self.first_edge -= pitch
            self._column_parity = 1 - self._column_parity
        self.cell_middles = np.arange(self.first_edge, self.width - pitch / 4, pitch)
        cells_across = max(MIN_CELLS_ACROSS, len(self.cell_middles))
        sample_row_count = ceil(pitch * (count_preamble_rows(cells_across) + 1))
        top_rows = received_luma[:sample_row_count].astype(np.float64)
        self._running_sums = np.concatenate([np.zeros((1, self.width)), top_rows.cumsum(axis=0)])

    def measure_row(self, index: int) -> Levels:
        """Return the mean of the inner quarter of each cell in a row, since edges are blurred."""
        cell_margin = self.pitch / 4
        cell_center = min((index + 0.5) * self.pitch, len(self._running_sums) - 1 - cell_margin)
        line = _interpolate_sums(self._running_sums, cell_center + cell_margin) - _interpolate_sums(
            self._running_sums, cell_center - cell_margin
        )
        running_sums = np.concatenate([[0.0], line.cumsum()])
        return (
            np.asarray(
                _interpolate_sums(running_sums, self.cell_middles + cell_margin)
                - _interpolate_sums(running_sums, self.cell_middles - cell_margin)
            )
            / (2 * cell_margin) ** 2
        )

    def find_first_column(self) -> int | None:
        """Return the column of the carrier from which the first received cell comes, or None.

        The level between dark and light is stored for the other methods.
        """
        levels, count = self.measure_row(0), len(self.cell_middles)
        odd_flags = (np.arange(count) + self._column_parity) % 2 == 1
        if count < _MIN_CELLS or odd_flags.all() or not odd_flags.any():
            return None
        light_level, dark_level = levels[odd_flags].mean(), levels[~odd_flags].mean()
        self._threshold = (light_level + dark_level) / 2
        if light_level - dark_level < _MIN_CONTRAST:
            return None
        if np.mean((levels > self._threshold) == odd_flags) < _MIN_RIGHT_SHARE:
            return None
        received_bits = np.where(self.measure_row(1) > self._threshold, 1.0, -1.0)
        sent_bits = 2.0 * make_column_sequence(MAX_CELLS_ACROSS) - 1
        if count > len(sent_bits):
            return None
        matches = np.correlate(sent_bits, received_bits)
        # Dark cells of the timing row are in even columns.
        matches[1 - self._column_parity :: 2] = -count
        best_shift = int(matches.argmax())
        # Enough more cells must be right than wrong to exclude a match by chance.
        min_matches = min(
            count, max((2 * _MIN_RIGHT_SHARE - 1) * count, np.sqrt(_SQUARE_EXCESS_PER_CELL * count))
        )
        return best_shift if matches[best_shift] >= min_matches else None

    def list_widths(self, first: int) -> range:
        """Return the possible numbers of cells in a row of the carrier, the likeliest first."""
        visible_width = first + len(self.cell_middles)
        largest_width = min(visible_width + min(visible_width, _MAX_LOST_CELLS), MAX_CELLS_ACROSS)
        return range(max(visible_width, MIN_CELLS_ACROSS), largest_width + 1)

    def read_header(self, first: int, cells_per_row: int) -> tuple[RobustHeader, int]:
        """Return the header of a carrier of this width in cells, and the number of corrected bytes.

        The number of corrected bytes includes bytes whose cells are not in the picture.
        """
        count = min(len(self.cell_middles), cells_per_row - first)
        bit_sums, counts = np.zeros(CODE_BITS), np.zeros(CODE_BITS, dtype=np.int64)
        # Every bit is in several cells. The sum of levels gives more weight to clear cells.
        for index in range(count_preamble_rows(cells_per_row) - 3):
            bits = (index * cells_per_row + first + np.arange(count)) % CODE_BITS
            np.add.at(bit_sums, bits, self.measure_row(2 + index)[:count] - self._threshold)
            np.add.at(counts, bits, 1)
        code = np.packbits(bit_sums > 0, bitorder="little").tobytes()
        missing_positions = np.flatnonzero(
            (counts == 0).reshape(CODE_BYTES, 8).any(axis=1)
        ).tolist()
        message, wrong_byte_count = decode_bytes(code, missing_positions)
        # With many missing bytes, noise decodes to a message.
        if missing_positions and message[0] != VERSION:
            raise DecryptionError("the header is not legible", hint=None)
        return RobustHeader.from_bytes(message), wrong_byte_count


def _interpolate_sums(column_sums: Levels, positions: Levels | float) -> Levels:
    """Return running sums at fractional positions along the first axis."""
    positions = np.clip(positions, 0, len(column_sums) - 1)
    lower_indexes = np.minimum(np.floor(positions).astype(np.int64), len(column_sums) - 2)
    fractions = positions - lower_indexes
    return np.asarray(
        column_sums[lower_indexes]
        + fractions * (column_sums[lower_indexes + 1] - column_sums[lower_indexes])
    )
