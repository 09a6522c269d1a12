"""What a published cipher is here: a measured scheme with its sources, and its salted control."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import count

import numpy as np

from sudokucrypt.analysis.schemes import MeasuredScheme, SchemeResult
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray


@dataclass(frozen=True, eq=False, kw_only=True)
class PublishedCipher(MeasuredScheme):
    """A cipher of the literature, as described by its paper and not as coded by its authors.

    `source` is the paper, and `broken_by` the paper that breaks it, empty if none is known. `basis`
    says what was checked against a paper, what is from memory and what was chosen. `square` says
    that only square images are taken. Images have shape (M, N) and dtype uint8.
    """

    source: str
    broken_by: str
    basis: str
    square: bool = False
    module: str

    def salted(self) -> MeasuredScheme:
        """Return the control: the same cipher under a key of its own for each image.

        Attacks that need two images under one key must fail on it. `fixed` has one salt; `fresh`
        counts, so that results are reproduced.
        """
        salts = count(1)

        def salted(image: AnyArray, key: bytes, salt: int) -> SchemeResult:
            def derived(key: bytes) -> bytes:
                return sha256(key + salt.to_bytes(8, "big")).digest()

            run = self.fixed(image, derived(key))
            undo = run.undo
            if undo is None:
                return run
            return SchemeResult(
                run.pixels, lambda other, seen=run.pixels: undo(derived(other), seen)
            )

        return MeasuredScheme(
            name=f"{self.name}-salted",
            fixed=lambda image, key: salted(image, key, 0),
            fresh=lambda image, key: salted(image, key, next(salts)),
            key_bits=self.key_bits,
            moves_only=self.moves_only,
            limits="a control: a key of its own for each image",
        )


LITERATURE = Registry(
    PublishedCipher,
    called="a published cipher",
    group="sudokucrypt.literature",
    package="sudokucrypt.analysis.literature",
    order=lambda cipher: cipher.name,
)
"""Every published cipher, by name."""


Transform = Callable[[AnyArray, bytes], AnyArray]


def register_cipher(
    encrypt: Transform,
    decrypt: Transform,
    *,
    name: str,
    source: str,
    broken_by: str,
    basis: str,
    limits: str,
    key_bits: float,
    moves_only: bool = False,
    square: bool = False,
) -> PublishedCipher:
    """Register a cipher of two functions of image and key; the other fields as described there.

    The functions take images of shape (M, N) and dtype uint8; others are refused with
    `InvalidImageError`.
    """

    def fixed(image: AnyArray, key: bytes) -> SchemeResult:
        if image.ndim != 2 or image.dtype != np.uint8 or image.size == 0:
            raise InvalidImageError(
                f"{name} takes gray images of 8 bits, not {image.shape} of {image.dtype}",
                hint="convert the image to gray",
            )
        if square and image.shape[0] != image.shape[1]:
            raise InvalidImageError(
                f"{name} is defined for square images only, not {image.shape[0]}x{image.shape[1]}",
                hint="crop the image to a square",
            )
        pixels = encrypt(image, key)
        return SchemeResult(pixels, lambda other, seen=pixels: decrypt(seen, other))

    return LITERATURE.register(
        PublishedCipher(
            name=name,
            fixed=fixed,
            inverse=decrypt,
            key_bits=key_bits,
            moves_only=moves_only,
            limits=limits,
            source=source,
            broken_by=broken_by,
            basis=basis,
            square=square,
            module=encrypt.__module__,
        )
    )
