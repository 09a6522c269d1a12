"""Standard encryption as schemes to compare with, and as the control for a nonce that repeats.

Referees ask for AES, and it shows what a pass means: its results pass every metric, with a new
nonce for each image nothing breaks it, and with one nonce for all images two results do.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import count

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sudokucrypt.analysis.baselines.contract import BASELINES, as_image
from sudokucrypt.analysis.schemes import MeasuredScheme, SchemeResult
from sudokucrypt.errors import DecryptionError
from sudokucrypt.typing import AnyArray

Mode = Callable[[bytes, bytes, bytes], bytes]
"""Takes bytes, a key of 32 bytes and a nonce of 16, and returns as many bytes."""


def aes_ctr(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-128 in counter mode, under the first half of a key."""
    return Cipher(algorithms.AES128(key[:16]), modes.CTR(nonce)).encryptor().update(data)


def aes_gcm(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by AES-256-GCM, without the tag, under the first 12 bytes of a nonce."""
    # The tag is sent along, and is no part of the pixels.
    return AESGCM(key).encrypt(nonce[:12], data, None)[: len(data)]


def chacha20(data: bytes, key: bytes, nonce: bytes) -> bytes:
    """Encrypt by ChaCha20, where the nonce starts with the counter."""
    return Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(data)


def _make_scheme(
    name: str, mode: Mode, *, bits: int, fresh: bool, limits: str, source: str
) -> MeasuredScheme:
    """Return a stream mode; nonces are counted and hashed, so that reports are reproducible."""
    numbers = count(1)

    def encrypt(image: AnyArray, key: bytes) -> SchemeResult:
        array = np.ascontiguousarray(as_image(image))
        number = next(numbers) if fresh else 0
        nonce = sha256(f"{name}, nonce {number}".encode()).digest()[:16]

        def applied(pixels: AnyArray, other: bytes) -> AnyArray:
            made = np.frombuffer(mode(pixels.tobytes(), other, nonce), np.uint8)
            if pixels.dtype == np.bool_:  # a bit takes a byte, of which the lowest bit counts
                return np.asarray((made & 1 != 0).reshape(pixels.shape))
            return np.asarray(made.view(pixels.dtype).reshape(pixels.shape))

        result = applied(array, key)
        sealed = (key, result.tobytes())

        def undo(other: bytes, pixels: AnyArray = result, /) -> AnyArray:
            if mode is aes_gcm and (other, pixels.tobytes()) != sealed:
                raise DecryptionError
            return applied(pixels, other)

        return SchemeResult(result, undo)

    return MeasuredScheme(
        name=name,
        fixed=encrypt,
        fresh=encrypt if fresh else None,
        key_bits=bits,
        moves_only=False,
        limits=limits,
        source=source,
        falls_to="none" if fresh else "reuse",
        description=f"The bytes of the samples under {name.replace('-', ' ')}.",
    )


def make_standard_ciphers() -> list[MeasuredScheme]:
    """Return standard encryption as schemes, whose nonces are counted from 1 on.

    >>> [scheme.name for scheme in make_standard_ciphers()]
    ['aes-128-ctr', 'aes-128-ctr-fixed-nonce', 'aes-256-gcm', 'chacha20']
    """
    nist = "M. Dworkin, NIST SP 800-38A, 2001, doi:10.6028/NIST.SP.800-38A"
    hidden = "hides all but the size; changes are "
    return [
        _make_scheme(
            "aes-128-ctr",
            aes_ctr,
            bits=128,
            fresh=True,
            limits=f"{hidden}not detected",
            source=nist,
        ),
        _make_scheme(
            "aes-128-ctr-fixed-nonce",
            aes_ctr,
            bits=128,
            fresh=False,
            limits="one mask for all images of a size: the control of the same cipher, misused",
            source=nist,
        ),
        _make_scheme(
            "aes-256-gcm",
            aes_gcm,
            bits=256,
            fresh=True,
            limits=f"{hidden}detected by a tag that is sent along",
            source="M. Dworkin, NIST SP 800-38D, 2007, doi:10.6028/NIST.SP.800-38D",
        ),
        _make_scheme(
            "chacha20",
            chacha20,
            bits=256,
            fresh=True,
            limits=f"{hidden}not detected",
            source="Y. Nir, A. Langley, RFC 8439, 2018, doi:10.17487/RFC8439",
        ),
    ]


for _scheme in make_standard_ciphers():
    BASELINES.register(_scheme)
