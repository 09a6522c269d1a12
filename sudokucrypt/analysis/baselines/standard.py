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

# Takes bytes, a key of 32 bytes and a nonce of 16, and returns as many bytes.
_Mode = Callable[[bytes, bytes, bytes], bytes]


def _aes_ctr(data: bytes, key: bytes, nonce: bytes) -> bytes:
    return Cipher(algorithms.AES128(key[:16]), modes.CTR(nonce)).encryptor().update(data)


def _aes_gcm(data: bytes, key: bytes, nonce: bytes) -> bytes:
    # The tag is sent along, and is no part of the pixels.
    return AESGCM(key).encrypt(nonce[:12], data, None)[: len(data)]


def _chacha20(data: bytes, key: bytes, nonce: bytes) -> bytes:
    return Cipher(algorithms.ChaCha20(key, nonce), None).encryptor().update(data)


def _register(name: str, mode: _Mode, *, bits: int, fresh: bool, limits: str, source: str) -> None:
    """Register a stream mode; nonces are counted and hashed, so that reports come out the same."""
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
            if mode is _aes_gcm and (other, pixels.tobytes()) != sealed:
                raise DecryptionError
            return applied(pixels, other)

        return SchemeResult(result, undo)

    BASELINES.register(
        MeasuredScheme(
            name=name,
            fixed=encrypt,
            fresh=encrypt if fresh else None,
            key_bits=bits,
            moves_only=False,
            limits=limits,
            source=source,
            description=f"The bytes of the samples under {name.replace('-', ' ')}.",
        )
    )


_NIST = "M. Dworkin, NIST SP 800-38A, 2001, doi:10.6028/NIST.SP.800-38A"
_HIDDEN = "hides all but the size; changes are "

_register(
    "aes-128-ctr",
    _aes_ctr,
    bits=128,
    fresh=True,
    limits=f"{_HIDDEN}not detected",
    source=_NIST,
)
_register(
    "aes-128-ctr-fixed-nonce",
    _aes_ctr,
    bits=128,
    fresh=False,
    limits="one mask for all images of a size: the control of the same cipher, used wrongly",
    source=_NIST,
)
_register(
    "aes-256-gcm",
    _aes_gcm,
    bits=256,
    fresh=True,
    limits=f"{_HIDDEN}detected by a tag that is sent along",
    source="M. Dworkin, NIST SP 800-38D, 2007, doi:10.6028/NIST.SP.800-38D",
)
_register(
    "chacha20",
    _chacha20,
    bits=256,
    fresh=True,
    limits=f"{_HIDDEN}not detected",
    source="Y. Nir, A. Langley, RFC 8439, 2018, doi:10.17487/RFC8439",
)
