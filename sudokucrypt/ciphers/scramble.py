"""The position-only schemes: a synthetic-IV scrambler, and one that stores nothing."""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.bijections import UnitGroups, UnitPermutation
from sudokucrypt.ciphers.tag import authentication_tag
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError

if TYPE_CHECKING:
    from sudokucrypt.formats import Header
    from sudokucrypt.keys import Key
    from sudokucrypt.typing import AnyArray
    from sudokucrypt.workers import Workers


@dataclass(frozen=True)
class TaggedScramble:
    """Scheme ``scramble-v1``: the tag of the plain image is the nonce of the permutation.

    Notes
    -----
    A synthetic IV: the tag authenticates header and image and, by its dependence on both and on
    the random salt, makes the permutation a new one for every image.
    """

    name: ClassVar[str] = "scramble-v1"

    def scramble(
        self, image: AnyArray, key: Key, draft: Header, workers: Workers
    ) -> tuple[AnyArray, Header]:
        """Return the scrambled image and the header with its tag."""
        tag = authentication_tag(key, draft, image, workers)
        pixels = _permuted(image, key, draft, workers, use="permutation", nonce=tag)
        return pixels, draft.with_tag(tag)

    def unscramble(self, pixels: AnyArray, key: Key, header: Header, workers: Workers) -> AnyArray:
        """Return the plain image, or raise `DecryptionError` if its tag is not the header's."""
        if header.tag is None:
            raise FormatError(
                "the header has no tag", hint="it was cut off; restore the header that was written"
            )
        image = _permuted(
            pixels, key, header, workers, use="permutation", nonce=header.tag, undo=True
        )
        if not hmac.compare_digest(authentication_tag(key, header, image, workers), header.tag):
            raise DecryptionError
        return image


@dataclass(frozen=True)
class ContextScramble:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    Parameters
    ----------
    context : str
        Not empty; whoever restores must know it. Compared after Unicode normalisation (NFC).
    """

    name: ClassVar[str] = "scramble-context-v1"
    context: str

    def __post_init__(self) -> None:
        if not self.context:
            raise InvalidParameterError("the context must not be empty")
        try:
            self.context.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidParameterError("the context is not valid Unicode text") from None

    def scramble(
        self, image: AnyArray, key: Key, draft: Header, workers: Workers
    ) -> tuple[AnyArray, Header]:
        """Return the scrambled image and the header, which needs no more."""
        return _permuted(image, key, draft, workers, use="context", nonce=self._nonce), draft

    def unscramble(self, pixels: AnyArray, key: Key, header: Header, workers: Workers) -> AnyArray:
        """Return the plain image if key, context and pixels are right, else some other image."""
        if header.tag is not None or header.salt is not None:
            raise FormatError(f"a header of scheme {self.name} has neither tag nor salt")
        return _permuted(pixels, key, header, workers, use="context", nonce=self._nonce, undo=True)

    @property
    def _nonce(self) -> bytes:
        return unicodedata.normalize("NFC", self.context).encode("utf-8")


def _permuted(
    image: AnyArray,
    key: Key,
    header: Header,
    workers: Workers,
    *,
    use: str,
    nonce: bytes,
    undo: bool = False,
) -> AnyArray:
    """Return a copy of `image` with moved units, each group by a permutation of its own."""
    source = np.ascontiguousarray(image)
    target = np.empty_like(source)

    def move(group: str, old: AnyArray, new: AnyArray) -> None:
        label = use if group == "main" else f"{use}/{group}"
        steps = UnitPermutation.keyed(len(old), header.rounds, key, nonce, use=label)
        (steps.invert if undo else steps.apply)(old, new, workers)

    UnitGroups(header.shape, header.unit, header.block_size).for_each(source, target, move)
    return target
