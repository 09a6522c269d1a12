"""Huffman tables, quantization tables and the restart interval, as segments set them."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import COEFFICIENT_COUNT
from sudokucrypt.images.jpeg.file import (
    HUFFMAN_MARKER,
    LATE_ROWS_TEXT,
    QUANTIZER_MARKER,
    RESTART_INTERVAL_MARKER,
)
from sudokucrypt.images.jpeg.huffman import HuffmanTable, read_tables

# A segment can define at most four tables of 16 bits.
_MAX_BODY_BYTES: Final = 4 * (1 + 2 * COEFFICIENT_COUNT)
# The marker of a segment that states the number of rows after the first scan; few programs read it.
_DNL_MARKER: Final = 0xDC


@dataclass(eq=False)
class Tables:
    """The tables that are valid at the position up to which a file was read."""

    source: Source
    # Huffman tables by their kind, 0 for DC or 1 for AC, and number.
    huffman_tables: dict[tuple[int, int], HuffmanTable] = field(default_factory=dict)
    # Quantization tables by number: 64 divisors, 1..65535, in zigzag order.
    quantizers: dict[int, NDArray[np.uint16]] = field(default_factory=dict)
    restart_interval: int = 0  # the number of units between restart markers; 0 for no markers

    def take_segment(self, marker: int, body: bytes) -> None:
        """Update the tables by a segment; segments of other kinds are ignored.

        Raises `InvalidImageError` if a table is damaged, and `UnsupportedError` if the segment
        changes the number of rows (DNL).
        """
        if marker == HUFFMAN_MARKER:
            self.huffman_tables.update(read_tables(self.source, body))
        elif marker == QUANTIZER_MARKER:
            self._take_quantizers(body)
        elif marker == RESTART_INTERVAL_MARKER:
            if len(body) != 2:
                raise self.source.report_damage("it has an invalid restart interval")
            self.restart_interval = int.from_bytes(body, "big")
        elif marker == _DNL_MARKER:
            raise self.source.refuse_kind(LATE_ROWS_TEXT)

    def _take_quantizers(self, body: bytes) -> None:
        position = 0
        while position < len(body):
            has_16_bits, name = divmod(body[position], 16)
            steps = body[position + 1 : position + 1 + COEFFICIENT_COUNT * (1 + has_16_bits)]
            is_valid = (
                has_16_bits <= 1
                and name <= 3
                and len(steps) == COEFFICIENT_COUNT * (1 + has_16_bits)
            )
            table = (
                np.frombuffer(steps, ">u2" if has_16_bits else "u1") if is_valid else np.zeros(1)
            )
            if len(body) > _MAX_BODY_BYTES or not table.all():
                raise self.source.report_damage("it has an invalid quantization table")
            self.quantizers[name] = table.astype(np.uint16)
            position += 1 + len(steps)
