"""The cells of a received picture: how large they are, where they lie, and what they say."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.errors import DecryptionError
from sudokucrypt.robust.carrier_image import (
    CODE_BITS,
    LEAST_ACROSS,
    MOST_ACROSS,
    column_sequence,
    preamble_rows,
)
from sudokucrypt.robust.codes import CODE_BYTES, decode_bytes
from sudokucrypt.robust.header import VERSION, RobustHeader
from sudokucrypt.typing import Samples

# Samples of a received cell: of one that was sent with 8, about 0.35 times to twice as many. Below,
# too few samples are left of a cell to tell dark from light after compression.
_LEAST_PITCH, _MOST_PITCH = 2.8, 17.0

# Levels between light and dark cells, of 160 that were sent: noise and texture stay below.
_LEAST_CONTRAST = 12.0

# Of the cells of either synchronizing row that must be right.
_LEAST_SHARE = 0.85

# Of n cells of noise, k more right than wrong are as likely as exp(-k * k / 2 n): with k * k = 30 n
# that is 3e-7, and 1e-3 for some one of 4096 columns that are tried.
_DOUBT = 30.0

_LEAST_CELLS = 24  # of a row; fewer have too many windows like them in the sequence of columns
# Cells that may be missing at the right edge; each number of them costs a try.
_MOST_LOST = 160

_FINER = 8  # by which the spectrum is interpolated, so that its highest value is near the peak

PREAMBLE_ROWS = ceil(_MOST_PITCH * (preamble_rows(LEAST_ACROSS) + 1))
"""Rows of a received picture that show whether it has a header, and what that says."""

Levels = NDArray[np.float64]


def timing_row(received: Samples) -> tuple[float, float] | None:
    """Return the pitch of the cells, and the middle of a dark one, from the first rows.

    Dark and light cells by turns are a wave of two cells, so the pitch is half a period: the peak
    of the spectrum, which is then refined by bisection, since over thousands of samples a small
    error of the period would add up to a cell.
    """
    rows, count = received.shape
    if rows < 3 or not _LEAST_PITCH * LEAST_ACROSS / 2 <= count <= _MOST_PITCH * MOST_ACROSS:
        return None
    # The first row of samples is left out: it has the artifacts of the edge.
    line = received[1:3].mean(axis=0)
    line = (line - line.mean()) * np.hanning(count)  # lest the edges shift the peak
    size = _FINER << (count - 1).bit_length()
    power = np.abs(np.fft.rfft(line, size))
    low, high = int(size / (2 * _MOST_PITCH)), int(size / (2 * _LEAST_PITCH)) + 1
    frequency = (low + int(power[low:high].argmax())) / size
    at = np.arange(count) + 0.5
    step = 1 / size
    for _ in range(12):  # to within a small part of a sample over the whole row
        near = np.array([-step, 0, step]) + frequency
        strength = np.abs(np.exp(-2j * np.pi * near[:, None] * at) @ line)
        frequency = float(near[strength.argmax()])
        step /= 2 if strength.argmax() == 1 else 1
    phase = np.angle(-np.exp(-2j * np.pi * frequency * at) @ line)
    return 0.5 / frequency, -float(phase) / (2 * np.pi * frequency)


class CellLevels:
    """The mean levels of the cells that can be seen, row by row."""

    def __init__(self, received: Samples, pitch: float, dark: float) -> None:
        self.pitch, self.width = pitch, received.shape[1]
        count = dark // pitch
        self._odd = int(count) % 2
        self.start = dark - count * pitch
        if self.start > 0.75 * pitch:  # the cell before is there in great part
            self.start -= pitch
            self._odd = 1 - self._odd
        self.middles = np.arange(self.start, self.width - pitch / 4, pitch)
        fewest = max(LEAST_ACROSS, len(self.middles))
        deepest = ceil(pitch * (preamble_rows(fewest) + 1))
        top = received[:deepest].astype(np.float64)
        self._down = np.concatenate([np.zeros((1, self.width)), top.cumsum(axis=0)])

    def row(self, index: int) -> Levels:
        """Return the means of the inner quarter of each cell in a row: edges are blurred."""
        inner = self.pitch / 4
        middle = min((index + 0.5) * self.pitch, len(self._down) - 1 - inner)
        line = _at(self._down, middle + inner) - _at(self._down, middle - inner)
        right = np.concatenate([[0.0], line.cumsum()])
        return (
            np.asarray(_at(right, self.middles + inner) - _at(right, self.middles - inner))
            / (2 * inner) ** 2
        )

    def first_column(self) -> int | None:
        """Return the carrier column of the first cell, and set the level between dark and light."""
        levels, count = self.row(0), len(self.middles)
        odd = (np.arange(count) + self._odd) % 2 == 1
        if count < _LEAST_CELLS or odd.all() or not odd.any():
            return None
        light, dark = levels[odd].mean(), levels[~odd].mean()
        self._middle = (light + dark) / 2
        if light - dark < _LEAST_CONTRAST:
            return None
        if np.mean((levels > self._middle) == odd) < _LEAST_SHARE:
            return None
        seen = np.where(self.row(1) > self._middle, 1.0, -1.0)
        known = 2.0 * column_sequence(MOST_ACROSS) - 1
        if count > len(known):
            return None
        fits = np.correlate(known, seen)
        fits[1 - self._odd :: 2] = -count  # a dark cell of the timing row is in an even column
        best = int(fits.argmax())
        # Enough more right than wrong that no column fits by chance; or all of few.
        enough = min(count, max((2 * _LEAST_SHARE - 1) * count, np.sqrt(_DOUBT * count)))
        return best if fits[best] >= enough else None

    def widths(self, first: int) -> range:
        """Return the numbers of cells that a row of the carrier may have, the likeliest first."""
        seen = first + len(self.middles)
        most = min(seen + min(seen, _MOST_LOST), MOST_ACROSS)
        return range(max(seen, LEAST_ACROSS), most + 1)

    def header(self, first: int, across: int) -> tuple[RobustHeader, int]:
        """Return the header of a carrier of `across` cells a row, and how many bytes were wrong.

        Bytes without a cell that is seen count as wrong.
        """
        count = min(len(self.middles), across - first)
        sums, seen = np.zeros(CODE_BITS), np.zeros(CODE_BITS, dtype=np.int64)
        # Every bit is in several cells; adding up their levels weighs each by how clear it is.
        for index in range(preamble_rows(across) - 3):
            wanted = (index * across + first + np.arange(count)) % CODE_BITS
            np.add.at(sums, wanted, self.row(2 + index)[:count] - self._middle)
            np.add.at(seen, wanted, 1)
        code = np.packbits(sums > 0, bitorder="little").tobytes()
        missing = np.flatnonzero((seen == 0).reshape(CODE_BYTES, 8).any(axis=1)).tolist()
        message, wrong = decode_bytes(code, missing)
        if missing and message[0] != VERSION:  # with many gaps, chance makes any message
            raise DecryptionError("the header is not legible", hint=None)
        return RobustHeader.from_bytes(message), wrong


def _at(sums: Levels, positions: Levels | float) -> Levels:
    """Return running sums between whole positions, along the first axis."""
    positions = np.clip(positions, 0, len(sums) - 1)
    lower = np.minimum(np.floor(positions).astype(np.int64), len(sums) - 2)
    part = positions - lower
    return np.asarray(sums[lower] + part * (sums[lower + 1] - sums[lower]))
