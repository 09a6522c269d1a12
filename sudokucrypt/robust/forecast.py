"""How close a restored picture will be, from what a channel did to known textures."""

from typing import TYPE_CHECKING

import numpy as np

from sudokucrypt.kernels import load_kernels
from sudokucrypt.robust.carrier_image import (
    CONTRASTS,
    SIDE,
    UNGAIN,
    cut,
    pilot_signs,
    plain_pilot_cells,
)
from sudokucrypt.robust.detection import CarrierMatch
from sudokucrypt.typing import Samples

if TYPE_CHECKING:
    from sudokucrypt.robust._kernels import blocks_plain as _kernels
else:
    _kernels = load_kernels("sudokucrypt.robust._kernels", "blocks")

# Square errors of luma and chroma, as errors of colors; measured on photographs.
_COLOR_FACTOR, _COLOR_LOSS = 1.5, 6.5

_LEAST_ERROR = 1 / 8  # of rounding twice
_BLOCKS = 4096  # of a carrier say well enough how much contrast it has


def expected_psnr(carrier: Samples, match: CarrierMatch) -> float:
    """Return about how close to the picture that was scrambled the restored one will be, in dB.

    The pilot cells show what became of known textures of several contrasts. Flipping signs keeps
    the contrast of a block, so the carrier image shows which of them are like the picture.

    The root of its mean square error was 2.3 dB over photographs (`tests/benchmarks/robust.py`). It
    takes what `align_carrier` returned, of shape (K, L) and dtype uint8, and where it was found.

    Parameters
    ----------
    carrier : ndarray of shape (K, L), uint8
        The carrier, from `align_carrier`.
    match : CarrierMatch
        Where it was found, from `find_carrier`.
    """
    top, across, kinds = match.carrier.preamble, match.carrier.across, len(CONTRASTS)
    seen = cut(carrier[SIDE * (top - 1) : SIDE * top])
    _kernels.flip(seen, pilot_signs(across), UNGAIN, 0, across)
    plain = plain_pilot_cells(across)
    wrong = np.square(seen.astype(np.float64) - plain).mean(axis=1)
    errors = [wrong[kind::kinds].mean() for kind in range(kinds)]
    blocks = cut(carrier[SIDE * top :])[: match.carrier.blocks]
    contrast = blocks[:: -(-len(blocks) // _BLOCKS)].std(axis=1) * UNGAIN / 4096
    error = float(np.interp(contrast, plain[:kinds].std(axis=1), errors).mean())
    if match.header.color:
        error = _COLOR_FACTOR * error + _COLOR_LOSS
    return float(10 * np.log10(255**2 / max(error, _LEAST_ERROR)))
