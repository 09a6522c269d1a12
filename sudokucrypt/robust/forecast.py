"""Estimate how close a restored picture will be to the original, from the damage of pilot cells."""

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.kernels import load_kernels
from sudokucrypt.robust.carrier_image import (
    CONTRASTS,
    SIDE,
    UNGAIN,
    cut_blocks,
    make_pilot_signs,
    make_plain_pilot_cells,
)
from sudokucrypt.robust.detection import CarrierMatch
from sudokucrypt.typing import Samples

if TYPE_CHECKING:
    from sudokucrypt.robust._kernels import blocks_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.robust._kernels", "blocks")

# A linear estimate of the square error of colors from that of luma, measured on photographs.
_COLOR_FACTOR, _COLOR_LOSS = 1.5, 6.5

_LEAST_ERROR = 1 / 8  # the square error of rounding twice
_BLOCKS_MEASURED = 4096  # this number of blocks of a carrier suffices to estimate its contrast


def expected_psnr(carrier: Samples, match: CarrierMatch) -> float:
    """Return the expected PSNR of the restored picture in dB, compared with the original.

    The pilot cells show the error of known textures of several contrasts. Scrambling does not
    change the contrast of a block, so the error of each block is estimated by its contrast.

    Over photographs, the root mean square error of the result was 2.3 dB
    (`tests/benchmarks/robust.py`).

    Parameters
    ----------
    carrier : ndarray of shape (K, L), uint8
        The carrier, from `align_carrier`.
    match : CarrierMatch
        The header and position of the carrier, from `find_carrier`.
    """
    top, across, kinds = match.carrier.preamble_rows, match.carrier.cells_across, len(CONTRASTS)
    pilots = cut_blocks(carrier[SIDE * (top - 1) : SIDE * top])
    _kernels.flip(pilots, make_pilot_signs(across), UNGAIN, 0, across)
    plain_pilots = make_plain_pilot_cells(across)
    square_errors = np.square(pilots.astype(np.float64) - plain_pilots).mean(axis=1)
    errors = [square_errors[kind::kinds].mean() for kind in range(kinds)]
    blocks = cut_blocks(carrier[SIDE * top :])[: match.carrier.block_count]
    contrast = blocks[:: -(-len(blocks) // _BLOCKS_MEASURED)].std(axis=1) * UNGAIN / 4096
    error = float(np.interp(contrast, plain_pilots[:kinds].std(axis=1), errors).mean())
    if match.header.color:
        error = _COLOR_FACTOR * error + _COLOR_LOSS
    return float(10 * np.log10(255**2 / max(error, _LEAST_ERROR)))
