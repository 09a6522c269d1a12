"""Scramble pictures so that they survive recompression, and restore them approximately.

The scheme `robust-v1` does not authenticate pixels. It deters casual looks; it is not for secrecy.
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
from sudokucrypt.options import check_integer
from sudokucrypt.recipes.protection import require_key
from sudokucrypt.robust import (
    CarrierImage,
    CarrierMatch,
    ScrambledCarrier,
    align_carrier,
    checked_picture,
    find_carrier,
    forecast_psnr,
    profile_named,
    scramble_robustly,
    unscramble_robustly,
)
from sudokucrypt.typing import Samples
from sudokucrypt.workers import Workers

# Smallest value of `max_side` in pixels: the longer side of a carrier image is never shorter.
MIN_SIDE_LIMIT = 256


@dataclass(frozen=True, eq=False)
class RobustPicture:
    """The result of `unscramble_robust`."""

    pixels: Samples  #: The approximate picture. Shape (M, N) or (M, N, 3), dtype uint8.
    #: Estimated PSNR to the picture that was scrambled, in dB: at 40 the pictures look the same, at
    #: 30 there are traces of compression, and 25 is rough. See `sudokucrypt.robust.expected_psnr`.
    expected_psnr: float
    #: The share of the carrier image that was cropped off, 0..1; its blocks become gray.
    missing: float


def scramble_robust(
    image: ArrayLike,
    key: Key,
    *,
    profile: str | None = None,
    max_side: int | None = None,
    threads: int | None = None,
) -> ScrambledCarrier:
    """Scramble an image into a gray carrier image that survives recompression.

    Raises `InvalidImageError` or `UnsupportedError` if the image has another shape or type, or is
    too large for a carrier image; and `InvalidKeyError` or `InvalidParameterError` if the key is
    not a master key, or an option is out of range. `samples` of the result is the carrier image,
    which contains everything that restoring needs except the key. Its salt is random, so two
    carrier images of the same image differ.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, 3), dtype uint8
        Gray, or red, green and blue.
    key : Key
        A master key. Passphrases are refused: a carrier image has no room for their derivation.
    profile : str, optional
        The service to send to, one of `sudokucrypt.robust.PROFILES`; sets `max_side`.
    max_side : int, optional
        Longest side of the carrier image in pixels, 256 or more. The image is reduced until its
        carrier image fits, since one that a service reduces cannot be restored. A carrier image is
        about square and has 1.5 times as many pixels as a color image.
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
    key, samples = require_master_key(key), checked_picture(image)
    with Workers(threads, work_bytes=samples.nbytes) as workers:
        digests = sample_digests([samples], workers)
    reduced_samples, profile_number = fit_picture(samples, profile, max_side)
    salt = make_hedged_salt(key, digests)
    return scramble_robustly(
        reduced_samples, key, salt=salt, profile=profile_number, threads=threads
    )


def unscramble_robust(
    sheet: ArrayLike, key: RestoringKey, *, threads: int | None = None
) -> RobustPicture:
    """Restore the picture in a carrier image, recompressed or cropped at left, right or bottom.

    `sheet` is the carrier image, of shape (K, L) or (K, L, 3) and dtype uint8. The key may be the
    master key or the picture key. Changes of the pixels are not detected.

    Raises `FormatError` if it is not a robust picture; and `DecryptionError` if the key is wrong,
    or the carrier image was resized or is too damaged.
    """
    received_luma = np.asarray(sheet)
    if (
        received_luma.ndim not in (2, 3)
        or received_luma.shape[2:] not in ((), (3,))
        or received_luma.dtype != "u1"
    ):
        raise FormatError("not a robust picture: it is not an image of 8-bit samples")
    received_luma = images.compute_luma(images.Picture.plain(received_luma))
    return restore_matched_picture(received_luma, find_carrier(received_luma), key, threads)


def reduce_to_fit(image: Samples, max_side: int) -> Samples:
    """Reduce an image until no side of its carrier image has more than `max_side` pixels."""
    limit = check_integer("max_side", max_side, least=MIN_SIDE_LIMIT)
    rows, columns = image.shape[:2]

    def scale_shape(longer_side: int) -> tuple[int, ...]:
        factor = longer_side / max(rows, columns)
        return max(1, round(rows * factor)), max(1, round(columns * factor)), *image.shape[2:]

    fitting_side, too_large_side = 1, max(rows, columns)
    if _does_carrier_fit(image.shape, limit):
        return image
    # Larger pictures have larger carrier images, so that bisection finds the largest that fits.
    while too_large_side - fitting_side > 1:
        tried_side = (fitting_side + too_large_side) // 2
        fitting_side, too_large_side = (
            (tried_side, too_large_side)
            if _does_carrier_fit(scale_shape(tried_side), limit)
            else (fitting_side, tried_side)
        )
    return images.resize(image, *scale_shape(fitting_side)[:2])


def _does_carrier_fit(shape: tuple[int, ...], max_side: int) -> bool:
    try:
        return max(CarrierImage.for_picture(shape).shape) <= max_side
    except UnsupportedError:
        return False


def require_master_key(key: ProtectingKey) -> Key:
    """Return the key if it is a master key, or raise an error."""
    require_key(key, must_protect=True)
    if not isinstance(key, Key):
        kind = "a passphrase" if isinstance(key, Passphrase) else "recipients"
        raise InvalidParameterError(
            f"a robust picture takes a key, not {kind}", hint="use a key", hint_key="key"
        )
    return key


def fit_picture(samples: Samples, profile: str | None, max_side: int | None) -> tuple[Samples, int]:
    """Reduce a picture for its carrier image; return it and the number of its profile, or 0."""
    number, limit = 0, max_side
    if profile is not None:
        service_profile = profile_named(profile)
        number, limit = service_profile.number, max_side or service_profile.max_side
    return (samples if limit is None else reduce_to_fit(samples, limit)), number


def make_hedged_salt(key: Key, digests: Sequence[bytes]) -> bytes:
    """Return a random salt that also depends on the digests of the plain picture.

    If the random generator fails, different pictures still have different salts.
    """
    message = secrets.token_bytes(32) + b"".join(digests)
    return hmac.digest(key.subkey("robust-salt"), message, "sha256")[:SALT_LENGTH]


def restore_matched_picture(
    received_luma: Samples, carrier_match: CarrierMatch, key: RestoringKey, threads: int | None
) -> RobustPicture:
    """Restore the picture in a carrier image that was found."""
    require_key(key)
    # The key is checked first, so that a wrong key is reported before other errors.
    picture_key = open_picture_key(carrier_match, key)
    carrier = align_carrier(received_luma, carrier_match)
    pixels = unscramble_robustly(carrier, picture_key, carrier_match.header, threads=threads)
    return RobustPicture(pixels, forecast_psnr(carrier, carrier_match), carrier_match.missing)


def open_picture_key(carrier_match: CarrierMatch, key: RestoringKey) -> PictureKey:
    """Return the picture key of a carrier image, or raise `DecryptionError`."""
    header = carrier_match.header
    if isinstance(key, KeyRing):
        return key.open(
            header.key_id,
            lambda ring_key: open_picture_key(carrier_match, ring_key),
            needed=f"key {header.key_id}",
        )
    if not isinstance(key, Key | PictureKey):
        raise DecryptionError(
            f"wrong key: the picture needs key {header.key_id}, not a passphrase or an identity",
            hint="pass the key",
            hint_key="key",
        )
    return header.open_key(key)
