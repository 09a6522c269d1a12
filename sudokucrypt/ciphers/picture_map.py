"""The permutation of one picture as an array, for study and tests."""

import numpy as np

from sudokucrypt.bijections import UnitGroups, UnitPermutation
from sudokucrypt.ciphers.pipeline import StageContext
from sudokucrypt.ciphers.schemes import SCRAMBLE_JPEG, SegmentPermutation
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import DecryptionError, FormatError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, PictureKey
from sudokucrypt.typing import IntArray
from sudokucrypt.workers import Workers


def picture_permutation(
    key: Key | PictureKey, header: Header, *, threads: int | None = None
) -> IntArray:
    """Return the permutation that moved the pixels, samples or whole blocks of a protected image.

    Anyone who has this permutation can unscramble the image. The permutations that `permutation`
    returns are unrelated to those of images, and may be published. For the N units of the first
    frame, ``scrambled = flat[perm]``; the dtype is int64. The samples of an encrypted image were
    masked afterwards.

    Parameters
    ----------
    key : Key or PictureKey
        The master key, or the key of this picture.
    header : Header
        The whole header of the protected image.
    threads : int, optional
        How many threads share the work, 1..1024; by default one for each core. The result never
        depends on it.

    Raises
    ------
    DecryptionError
        If the key is not that of the image, or the header was changed.
    FormatError
        If the header has no tag or no seal, as after scrambling under a context.
    UnsupportedError
        If the image is a JPEG whose coefficients were scrambled.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key, scramble
    >>> key, image = Key.generate(), np.arange(100)
    >>> result = scramble(image, key)
    >>> np.array_equal(result.pixels, image[picture_permutation(key, result.header)])
    True
    """
    if header.tag is None or header.header_mac is None:
        raise FormatError("the header lacks its tag or seal")
    picture_key = key if isinstance(key, PictureKey) else key.for_picture(header)
    if not picture_key.verifies(header):
        raise DecryptionError
    if header.scheme == SCRAMBLE_JPEG.name:
        raise UnsupportedError("a JPEG file has no single permutation: each component has its own")
    count = UnitGroups(header.shape, header.unit, header.block_size).counts.get("main", 0)
    indices = np.arange(count, dtype=np.int64)
    with Workers(threads, work_bytes=indices.nbytes) as workers:
        context = StageContext(picture_key, header.tag, workers)
        if header.segment is not None:
            SegmentPermutation(header.rounds).forward(indices, indices, context)
        elif count:
            # The stream that the first stage of every scheme draws from.
            draws = StreamDraws(context.stream("permutation"))
            UnitPermutation(count, header.rounds, draws).apply(indices, indices, workers)
    return indices
