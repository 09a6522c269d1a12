"""The reader: finds a carrier in a picture that was recompressed, resized or cropped."""

from dataclasses import dataclass

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    UnsupportedError,
    UnsupportedVersionError,
)
from sudokucrypt.robust.carrier_image import MIDDLE, SIDE, CarrierImage, preamble
from sudokucrypt.robust.cells import CellLevels, timing_row
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.typing import Samples

_MOST_MISSING = 0.5  # of the carrier; of less, a viewer would not recognize what is restored
# Most samples by which a carrier of the first size may seem to be stretched.
_ON_GRID = 0.5


@dataclass(frozen=True, kw_only=True)
class CarrierMatch:
    """A header that was read from the cells of a picture, and where the carrier lies in it."""

    header: RobustHeader  #: What the cells say; only a key shows whether it is authentic.
    #: Size of the received carrier as a share of that sent; exactly 1 if it was not resized.
    scale: float
    #: Row and column of the received picture where the carrier begins; negative if it was cropped.
    top: int
    left: int
    shape: tuple[int, int]  #: Rows and columns of the received picture.
    mended: int  #: How many of the 80 bytes of the code were wrong or missing.

    @property
    def carrier(self) -> CarrierImage:
        """The carrier that was sent."""
        return CarrierImage.of(self.header.shape)

    @property
    def missing(self) -> float:
        """The share of the carrier that was cropped off, 0..1; 0 if it was resized."""
        if self.scale != 1:
            return 0.0
        (down, _), (right, _) = self.overlap
        rows, columns = self.carrier.shape
        return 1 - len(down) * len(right) / (rows * columns)

    @property
    def overlap(self) -> tuple[tuple[range, range], tuple[range, range]]:
        """Rows and columns that are left of the carrier, and those of the received picture."""
        ends = zip((self.top, self.left), self.carrier.shape, self.shape, strict=True)
        parts = [range(max(0, -start), min(size, had - start)) for start, size, had in ends]
        shifts = zip(parts, (self.top, self.left), strict=True)
        down, right = [(part, range(part.start + by, part.stop + by)) for part, by in shifts]
        return down, right


def find_carrier(received: Samples) -> CarrierMatch:
    """Return the header in the cells of a received picture.

    Raises `FormatError` if it is no robust picture, or one of a later version; and
    `DecryptionError` if it is one, but its header is too damaged. The luma that was received, of
    shape (K, L) and dtype uint8, may be recompressed, made smaller down to about 0.4 times, or
    cropped at the left, right or lower edge.

    Parameters
    ----------
    received : ndarray of shape (K, L), uint8
        The luma of the received picture.
    """
    rhythm = timing_row(received)
    cells = None if rhythm is None else CellLevels(received, *rhythm)
    first = None if cells is None else cells.first_column()
    if cells is None or first is None:
        raise FormatError(
            "not a robust picture, or its upper edge is missing",
            hint="use the picture that was received, with its upper edge and not made larger",
        )
    # How wide the carrier was is not known if its right edge is missing, and the bits of the header
    # are laid out by that: each width is tried until the code says that all is right.
    newer = None
    for across in cells.widths(first):
        try:
            header, mended = cells.header(first, across)
            if CarrierImage.of(header.shape).across == across:
                return _match_carrier(received, cells, first, header, mended)
        except UnsupportedVersionError as error:
            newer = error
        except (DecryptionError, FormatError, UnsupportedError):
            continue
    raise newer or DecryptionError(
        "the robust picture is too damaged: its header cannot be read",
        hint="ask for a copy that was compressed less",
    )


def align_carrier(received: Samples, match: CarrierMatch) -> Samples:
    """Return the carrier in its first size and place; what was cropped off is middle gray.

    Raises `DecryptionError` if the picture was resized, or over half of it is missing.

    Parameters
    ----------
    received : ndarray of shape (K, L), uint8
        The luma of the received picture.
    match : CarrierMatch
        Where the carrier is in it, from `find_carrier`.
    """
    rows, columns = match.carrier.shape
    if match.missing > _MOST_MISSING:
        raise DecryptionError(
            "over half of the robust picture is missing", hint="use the whole picture"
        )
    if match.scale != 1:
        raise DecryptionError(
            f"the robust picture was resized: it has {received.shape[1]} x {received.shape[0]} "
            f"pixels, and was sent with {columns} x {rows}",
            hint="scramble the picture again, made smaller before",
            hint_key="max_side",
        )
    carrier = np.full((rows, columns), MIDDLE, dtype=np.uint8)
    (down, seen_down), (right, seen_right) = match.overlap
    part = received[seen_down.start : seen_down.stop, seen_right.start : seen_right.stop]
    carrier[down.start : down.stop, right.start : right.stop] = part
    return carrier


def _match_carrier(
    received: Samples, cells: CellLevels, first: int, header: RobustHeader, mended: int
) -> CarrierMatch:
    carrier = CarrierImage.of(header.shape)
    rows, columns = carrier.shape
    high, wide = received.shape
    scale, top = cells.pitch / SIDE, 0
    if abs(scale - 1) * wide < _ON_GRID:
        scale = 1.0
    elif first == 0 and first + len(cells.middles) == carrier.across:
        scale = wide / columns
    left = round(cells.start - (first + 0.5) * SIDE * scale)
    # Rows may be missing above as well, up to a cell; the preamble shows how many.
    if scale == 1 and high != rows:
        known = preamble(carrier, header.to_bytes())
        top = min(range(-1, SIDE - 1), key=lambda cut: _misfit(received, known, cut, left))
    return CarrierMatch(
        header=header, scale=scale, top=-top, left=left, shape=(high, wide), mended=mended
    )


def _misfit(received: Samples, known: Samples, cut: int, left: int) -> float:
    """Return how much the top of a picture of which rows are cut off differs from what it was."""
    here, there = received[max(0, -cut) :, max(0, left) :], known[max(0, cut) :, max(0, -left) :]
    rows, columns = (min(pair) for pair in zip(here.shape, there.shape, strict=True))
    return float(np.abs(here[:rows, :columns].astype(np.int16) - there[:rows, :columns]).mean())
