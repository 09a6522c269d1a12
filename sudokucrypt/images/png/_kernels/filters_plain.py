"""Undo the filters of PNG with Pillow, as the fallback of the compiled kernel."""

import numpy as np

from sudokucrypt.typing import AnyArray

# For each size of a pixel in bytes, a mode of Pillow, and Pillow's names of stored forms. Pillow
# keeps only the higher byte of a 16-bit sample, so such lines are decoded as both byte orders.
_RAW_MODES = {
    1: ("L", ["L"]),
    2: ("LA", ["LA"]),
    3: ("RGB", ["RGB"]),
    4: ("RGBA", ["RGBA"]),
    6: ("RGB", ["RGB;16B", "RGB;16L"]),
    8: ("RGBA", ["RGBA;16B", "RGBA;16L"]),
}


def undo_filters(band: AnyArray, line_above: AnyArray, size: int) -> AnyArray:
    """Undo the filters of a band of lines, and return the bytes of the lines, of shape (M, L).

    Parameters
    ----------
    band : ndarray
        Filtered lines of shape (M, 1 + L): the number of the filter, 0..4, then L bytes.
    line_above : ndarray
        The L unfiltered bytes of the line above, or zeros for the first line.
    size : int
        The number of bytes of a pixel: 1, 2, 3, 4, 6 or 8, which divides L.
    """
    from PIL import Image
    from zlib_ng import zlib_ng

    filtered_lines = np.zeros((len(band) + 1, band.shape[1]), dtype=np.uint8)
    filtered_lines[0, 1:] = line_above
    filtered_lines[1:] = band
    stream = zlib_ng.compress(filtered_lines.data, 0)
    mode, raw_modes = _RAW_MODES[size]
    sides = ((band.shape[1] - 1) // size, len(filtered_lines))
    halves = [
        np.asarray(Image.frombytes(mode, sides, stream, "zip", raw_mode, 0))
        for raw_mode in raw_modes
    ]
    lines: AnyArray = np.stack(halves, axis=-1).reshape(len(filtered_lines), -1)
    return lines[1:]
