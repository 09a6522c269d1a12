"""Huffman tables, quantization tables and the restart interval, as segments set them."""

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg.blocks import COEFFICIENTS
from sudokucrypt.images.jpeg.file import HUFFMAN, OPEN_ROWS, QUANTIZERS, RESTARTS
from sudokucrypt.images.jpeg.huffman import HuffmanTable, read_tables

# Four tables of 16 bits is all that a segment can define.
_MOST_BYTES: Final = 4 * (1 + 2 * COEFFICIENTS)
# It says the rows of a picture behind its first scan, which few programs read.
_DNL: Final = 0xDC


@dataclass(eq=False)
class Tables:
    """The tables in force at the place up to which a file was read."""

    source: Source
    # Tables by their kind, 0 for DC or 1 for AC, and number.
    huffman: dict[tuple[int, int], HuffmanTable] = field(default_factory=dict)
    # Tables of 64 steps in zigzag order, 1..65535, by number.
    quantizers: dict[int, NDArray[np.uint16]] = field(default_factory=dict)
    restart_interval: int = 0  # after how many units of a scan a restart marker follows; 0 for none

    def take(self, marker: int, body: bytes) -> None:
        """Follow a segment; one that sets nothing is passed over.

        Raises `InvalidImageError` if a table is damaged, and `UnsupportedError` if the segment
        changes the number of rows (DNL).
        """
        if marker == HUFFMAN:
            self.huffman.update(read_tables(self.source, body))
        elif marker == QUANTIZERS:
            self._take_quantizers(body)
        elif marker == RESTARTS:
            if len(body) != 2:
                raise self.source.report_damage("it has an invalid restart interval")
            self.restart_interval = int.from_bytes(body, "big")
        elif marker == _DNL:
            raise self.source.refuse_kind(OPEN_ROWS)

    def _take_quantizers(self, body: bytes) -> None:
        at = 0
        while at < len(body):
            wide, name = divmod(body[at], 16)
            steps = body[at + 1 : at + 1 + COEFFICIENTS * (1 + wide)]
            whole = wide <= 1 and name <= 3 and len(steps) == COEFFICIENTS * (1 + wide)
            table = np.frombuffer(steps, ">u2" if wide else "u1") if whole else np.zeros(1)
            if len(body) > _MOST_BYTES or not table.all():
                raise self.source.report_damage("it has an invalid quantization table")
            self.quantizers[name] = table.astype(np.uint16)
            at += 1 + len(steps)
