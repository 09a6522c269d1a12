"""The filters of PNG, which Pillow undoes."""

import numpy as np

from sudokucrypt.typing import AnyArray

# By the bytes of a pixel: the mode of Pillow, and how it takes those bytes. It keeps one of the two
# bytes of a deep sample: the first of them, or the second if it takes that for the higher one.
_LOOKS = {
    1: ("L", ["L"]),
    2: ("LA", ["LA"]),
    3: ("RGB", ["RGB"]),
    4: ("RGBA", ["RGBA"]),
    6: ("RGB", ["RGB;16B", "RGB;16L"]),
    8: ("RGBA", ["RGBA;16B", "RGBA;16L"]),
}


def undo_filters(band: AnyArray, above: AnyArray, size: int) -> AnyArray:
    """Return the bytes of lines without filters.

    Parameters
    ----------
    band : ndarray
        Lines as they are stored, of shape (M, 1 + L): the number of the filter, 0..4, and L bytes.
    above : ndarray
        The L bytes of the line above them, zeros if there is none.
    size : int
        Bytes of a pixel: 1, 2, 3, 4, 6 or 8; L is a multiple of them.
    """
    from PIL import Image
    from zlib_ng import zlib_ng

    stored = np.zeros((len(band) + 1, band.shape[1]), dtype=np.uint8)
    stored[0, 1:] = above
    stored[1:] = band
    stream = zlib_ng.compress(stored.data, 0)
    mode, looks = _LOOKS[size]
    sides = ((band.shape[1] - 1) // size, len(stored))
    halves = [np.asarray(Image.frombytes(mode, sides, stream, "zip", look, 0)) for look in looks]
    lines: AnyArray = np.stack(halves, axis=-1).reshape(len(stored), -1)
    return lines[1:]
