"""Find a carrier in a received picture that was recompressed, resized or cropped."""

from dataclasses import dataclass

import numpy as np

from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    UnsupportedError,
    UnsupportedVersionError,
)
from sudokucrypt.robust.carrier_image import CELL_SIDE, MIDDLE_GRAY, CarrierImage, make_preamble
from sudokucrypt.robust.cells import CellLevels, measure_pitch
from sudokucrypt.robust.header import RobustHeader
from sudokucrypt.typing import Samples

_MAX_MISSING_SHARE = (
    0.5  # if more of the carrier is missing, the restored picture is not recognizable
)
# A carrier whose measured width differs by fewer samples than this counts as not resized.
_MAX_WIDTH_ERROR = 0.5


@dataclass(frozen=True, kw_only=True)
class CarrierMatch:
    """A header that was read from the cells of a received picture, and the carrier's position."""

    header: RobustHeader  #: The header in the cells, which only a key can authenticate.
    #: The size of the received carrier divided by the sent size; exactly 1 if it was not resized.
    scale: float
    #: Row and column of the received picture where the carrier begins; negative if it was cropped.
    top: int
    left: int
    shape: tuple[int, int]  #: Rows and columns of the received picture.
    mended: int  #: The number of wrong or missing bytes among the 80 bytes of the code.

    @property
    def carrier(self) -> CarrierImage:
        """The layout of the carrier that was sent."""
        return CarrierImage.for_picture(self.header.shape)

    @property
    def missing(self) -> float:
        """The share of the carrier that was cropped off, 0..1; 0 if it was resized."""
        if self.scale != 1:
            return 0.0
        (row_range, _), (column_range, _) = self.overlap
        rows, columns = self.carrier.shape
        return 1 - len(row_range) * len(column_range) / (rows * columns)

    @property
    def overlap(self) -> tuple[tuple[range, range], tuple[range, range]]:
        """The ranges of rows and columns of the carrier that are in the received picture.

        First its rows in the carrier and in the received picture, then its columns in both.
        """
        axis_extents = zip((self.top, self.left), self.carrier.shape, self.shape, strict=True)
        parts = [
            range(max(0, -start), min(sent_size, received_size - start))
            for start, sent_size, received_size in axis_extents
        ]
        shifts = zip(parts, (self.top, self.left), strict=True)
        row_ranges, column_ranges = [
            (part, range(part.start + n, part.stop + n)) for part, n in shifts
        ]
        return row_ranges, column_ranges


def find_carrier(received_luma: Samples) -> CarrierMatch:
    """Return the header in the cells of a received picture, and the position of the carrier.

    The picture may be recompressed, resized down to a factor of about 0.4, or cropped at the left,
    right or lower edge.

    Raises `FormatError` if it is not a robust picture, or one of a later version; and
    `DecryptionError` if the header of a robust picture is too damaged.

    Parameters
    ----------
    received_luma : ndarray of shape (K, L), uint8
        The luma of the received picture.
    """
    pitch_and_edge = measure_pitch(received_luma)
    cells = None if pitch_and_edge is None else CellLevels(received_luma, *pitch_and_edge)
    first_column = None if cells is None else cells.find_first_column()
    if cells is None or first_column is None:
        raise FormatError(
            "not a robust picture, or its upper edge is missing",
            hint="use the picture that was received, with its upper edge and not made larger",
        )
    # The width of the carrier is unknown if its right edge is missing. The positions of the bits of
    # the header depend on it, so each width is tried until the code can be decoded.
    version_error = None
    for cells_per_row in cells.list_widths(first_column):
        try:
            header, mended_byte_count = cells.read_header(first_column, cells_per_row)
            if CarrierImage.for_picture(header.shape).cells_across == cells_per_row:
                return _match_carrier(received_luma, cells, first_column, header, mended_byte_count)
        except UnsupportedVersionError as error:
            version_error = error
        except (DecryptionError, FormatError, UnsupportedError):
            continue
    raise version_error or DecryptionError(
        "the robust picture is too damaged: its header cannot be read",
        hint="ask for a copy that was compressed less",
    )


def align_carrier(received_luma: Samples, match: CarrierMatch) -> Samples:
    """Return the carrier at the size at which it was sent; cropped parts become middle gray.

    Raises `DecryptionError` if the picture was resized, or over half of it is missing.

    Parameters
    ----------
    received_luma : ndarray of shape (K, L), uint8
        The luma of the received picture.
    match : CarrierMatch
        The position of the carrier in the received picture, from `find_carrier`.
    """
    rows, columns = match.carrier.shape
    if match.missing > _MAX_MISSING_SHARE:
        raise DecryptionError(
            "over half of the robust picture is missing", hint="use the whole picture"
        )
    if match.scale != 1:
        raise DecryptionError(
            f"the robust picture was resized: it has {received_luma.shape[1]} x "
            f"{received_luma.shape[0]} "
            f"pixels, and was sent with {columns} x {rows}",
            hint="make the picture smaller, and scramble it again",
            hint_key="max_side",
        )
    carrier = np.full((rows, columns), MIDDLE_GRAY, dtype=np.uint8)
    (sent_rows, received_rows), (sent_columns, received_columns) = match.overlap
    part = received_luma[
        received_rows.start : received_rows.stop, received_columns.start : received_columns.stop
    ]
    carrier[sent_rows.start : sent_rows.stop, sent_columns.start : sent_columns.stop] = part
    return carrier


def _match_carrier(
    received_luma: Samples,
    cells: CellLevels,
    first_column: int,
    header: RobustHeader,
    mended_byte_count: int,
) -> CarrierMatch:
    carrier = CarrierImage.for_picture(header.shape)
    rows, columns = carrier.shape
    height, width = received_luma.shape
    scale, cropped_rows = cells.pitch / CELL_SIDE, 0
    if abs(scale - 1) * width < _MAX_WIDTH_ERROR:
        scale = 1.0
    elif first_column == 0 and first_column + len(cells.cell_middles) == carrier.cells_across:
        scale = width / columns
    left = round(cells.first_edge - (first_column + 0.5) * CELL_SIDE * scale)
    # At the top, fewer rows of samples than a cell has may be missing. Comparing the preamble
    # shows how many.
    if scale == 1 and height != rows:
        sent_preamble = make_preamble(carrier, header.to_bytes())
        cropped_rows = min(
            range(-1, CELL_SIDE - 1),
            key=lambda count: _measure_misfit(received_luma, sent_preamble, count, left),
        )
    return CarrierMatch(
        header=header,
        scale=scale,
        top=-cropped_rows,
        left=left,
        shape=(height, width),
        mended=mended_byte_count,
    )


def _measure_misfit(
    received_luma: Samples, sent_preamble: Samples, cropped_rows: int, left: int
) -> float:
    """Return the mean difference of the received and the sent preamble.

    `cropped_rows` is the assumed number of rows that are missing at the top, and `left` the column
    of the received picture where the carrier begins.
    """
    received_luma = received_luma[max(0, -cropped_rows) :, max(0, left) :]
    sent_preamble = sent_preamble[max(0, cropped_rows) :, max(0, -left) :]
    rows, columns = (
        min(pair) for pair in zip(received_luma.shape, sent_preamble.shape, strict=True)
    )
    return float(
        np.abs(
            received_luma[:rows, :columns].astype(np.int16) - sent_preamble[:rows, :columns]
        ).mean()
    )
