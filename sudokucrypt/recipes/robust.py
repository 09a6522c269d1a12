"""Scramble pictures so that they survive services that recompress them, and restore them roughly.

Under `robust-v1` a picture comes back close to what it was, not the same, and its pixels are not
authenticated. It deters casual looks; it is not for secrecy.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sudokucrypt import images
from sudokucrypt.ciphers import sample_digests
from sudokucrypt.errors import (
    DecryptionError,
    FormatError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.keys import (
    SALT_LENGTH,
    Key,
    KeyRing,
    Passphrase,
    PictureKey,
    ProtectingKey,
    RestoringKey,
)
from sudokucrypt.options import checked_integer
from sudokucrypt.recipes.protection import require_key
from sudokucrypt.robust import (
    CarrierImage,
    CarrierMatch,
    ScrambledCarrier,
    align_carrier,
    checked_picture,
    expected_psnr,
    find_carrier,
    profile_named,
    scramble_robustly,
    unscramble_robustly,
)
from sudokucrypt.typing import Samples
from sudokucrypt.workers import Workers

# The shortest longest side of a sheet that can be asked for; smaller ones are not made.
LEAST_SIDE = 256


@dataclass(frozen=True, eq=False)
class RobustPicture:
    """The result of `unscramble_robust`."""

    pixels: Samples  #: The picture, roughly. Shape (M, N) or (M, N, 3), dtype uint8.
    #: About how close it is to the picture that was scrambled, in dB: 40 looks the same, 30 shows
    #: traces of compression, 25 is rough. See `sudokucrypt.robust.expected_psnr`.
    expected_psnr: float
    #: The share of the sheet that was cropped off, 0..1; the blocks in it come back gray.
    missing: float


def scramble_robust(
    image: ArrayLike,
    key: Key,
    *,
    profile: str | None = None,
    max_side: int | None = None,
    threads: int | None = None,
) -> ScrambledCarrier:
    """Scramble an image into a gray sheet that survives recompression.

    Raises `InvalidImageError` or `UnsupportedError` if the image is of another shape or type, or
    too large for a sheet; and `InvalidKeyError` or `InvalidParameterError` if it is not a master
    key, or an option is out of range. The sheet is in `samples` of the result, which hold all that
    restoring needs besides the key. Its salt is random, and two sheets of one image differ.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, 3), dtype uint8
        Gray, or red, green and blue.
    key : Key
        A master key. Passphrases are refused: the sheet has no place for how a key comes from one.
    profile : str, optional
        The service that it is for, one of `sudokucrypt.robust.PROFILES`; says `max_side`.
    max_side : int, optional
        Most pixels of a side of the sheet, 256 or more; the image is made smaller until the sheet
        fits, since a sheet that a service makes smaller cannot be restored. The sheet is about
        square and has 1.5 times as many pixels as a color image.
    threads : int, optional
        As for `scramble`.

    Examples
    --------
    >>> import numpy as np
    >>> from sudokucrypt import Key
    >>> key, image = Key.generate(), np.full((60, 80, 3), 200, dtype=np.uint8)
    >>> sheet = scramble_robust(image, key).samples
    >>> sheet.shape, unscramble_robust(sheet, key).pixels.shape
    ((216, 256), (60, 80, 3))
    """
    key, samples = master_key(key), checked_picture(image)
    with Workers(threads, work=samples.nbytes) as workers:
        digests = sample_digests([samples], workers)
    fitted, number = fit_picture(samples, profile, max_side)
    salt = fresh_salt(key, digests)
    return scramble_robustly(fitted, key, salt=salt, profile=number, threads=threads)


def unscramble_robust(
    sheet: ArrayLike, key: RestoringKey, *, threads: int | None = None
) -> RobustPicture:
    """Restore a sheet that was recompressed, or cropped a little at the left, right or bottom.

    Raises `FormatError` if it is not a robust picture; and `DecryptionError` if the key is wrong,
    or the sheet was resized or is too damaged. Nothing shows whether its pixels are those that were
    sent. The sheet has shape (K, L) or (K, L, 3), dtype uint8; the key may be that of this picture
    alone.
    """
    received = np.asarray(sheet)
    if (
        received.ndim not in (2, 3)
        or received.shape[2:] not in ((), (3,))
        or received.dtype != "u1"
    ):
        raise FormatError("not a robust picture: it is not an image of 8-bit samples")
    received = images.luma(images.Picture.plain(received))
    return restore_match(received, find_carrier(received), key, threads)


def fitting(image: Samples, max_side: int) -> Samples:
    """Return an image made as little smaller as lets its sheet have no longer side."""
    most = checked_integer("max_side", max_side, least=LEAST_SIDE)
    rows, columns = image.shape[:2]

    def shape_at(long: int) -> tuple[int, ...]:
        share = long / max(rows, columns)
        return max(1, round(rows * share)), max(1, round(columns * share)), *image.shape[2:]

    low, high = 1, max(rows, columns)
    if _fits_profile(image.shape, most):
        return image
    # Sheets grow with their pictures, so that bisection finds the largest that fits.
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _fits_profile(shape_at(middle), most) else (low, middle)
    return images.resize(image, *shape_at(low)[:2])


def _fits_profile(shape: tuple[int, ...], most: int) -> bool:
    try:
        return max(CarrierImage.for_picture(shape).shape) <= most
    except UnsupportedError:
        return False


def master_key(key: ProtectingKey) -> Key:
    """Return the key if a sheet can be made with it, or raise an error."""
    require_key(key, protecting=True)
    if not isinstance(key, Key):
        other = "a passphrase" if isinstance(key, Passphrase) else "recipients"
        raise InvalidParameterError(
            f"a robust picture takes a key, not {other}", hint="use a key", hint_key="key"
        )
    return key


def fit_picture(samples: Samples, profile: str | None, max_side: int | None) -> tuple[Samples, int]:
    """Return the picture of which a sheet is made, small enough, and the number of its profile."""
    number, most = 0, max_side
    if profile is not None:
        service = profile_named(profile)
        number, most = service.number, max_side or service.max_side
    return (samples if most is None else fitting(samples, most)), number


def fresh_salt(key: Key, digests: Sequence[bytes]) -> bytes:
    """Return a salt that is random and hedged.

    It repeats only if the random bytes and the digests do, which are those of the plain picture.
    """
    message = secrets.token_bytes(32) + b"".join(digests)
    return hmac.digest(key.subkey("robust-salt"), message, "sha256")[:SALT_LENGTH]


def restore_match(
    received: Samples, match: CarrierMatch, key: RestoringKey, threads: int | None
) -> RobustPicture:
    """Restore a carrier image that was found in a picture."""
    require_key(key)
    opened = open_sheet(match, key)  # what is wrong with the key comes first
    sheet = align_carrier(received, match)
    pixels = unscramble_robustly(sheet, opened, match.header, threads=threads)
    return RobustPicture(pixels, expected_psnr(sheet, match), match.missing)


def open_sheet(match: CarrierMatch, key: RestoringKey) -> PictureKey:
    """Return the key of the picture in a sheet, or raise `DecryptionError`."""
    header = match.header
    if isinstance(key, KeyRing):
        return key.open(
            header.key_id, lambda one: open_sheet(match, one), needed=f"key {header.key_id}"
        )
    if not isinstance(key, Key | PictureKey):
        raise DecryptionError(
            f"wrong key: the picture needs key {header.key_id}, not a passphrase or an identity",
            hint="pass the key",
            hint_key="key",
        )
    return header.open_key(key)
