"""Schemes: what a header names, and how a pipeline is tied to header, key and tag."""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sudokucrypt.ciphers.pipeline import Pipeline
from sudokucrypt.ciphers.stages import KeyStreamMask, Material, Permutation
from sudokucrypt.ciphers.tag import authentication_tag
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.formats import Header
    from sudokucrypt.keys import Key
    from sudokucrypt.typing import AnyArray
    from sudokucrypt.workers import Workers


@dataclass(frozen=True)
class TaggedScheme:
    """A scheme with a synthetic IV: the tag of the plain image is the nonce of the pipeline.

    Parameters
    ----------
    name : str
        What the header says.
    pipeline : callable
        Makes the pipeline from a header.
    encrypts : bool
        Whether secrecy is claimed.
    insecure : bool
        Whether it is here for study only.

    Notes
    -----
    The tag authenticates header and image and, by its dependence on both and on the random salt,
    makes the nonce a new one for every image.
    """

    name: str
    pipeline: Callable[[Header], Pipeline]
    encrypts: bool = False
    insecure: bool = False

    def protect(
        self, image: AnyArray, key: Key, draft: Header, workers: Workers
    ) -> tuple[AnyArray, Header]:
        """Return the protected image and the header with its tag."""
        tag = authentication_tag(key, draft, image, workers)
        header = draft.with_tag(tag)
        return self.pipeline(header).forward(image, Material(key, tag, workers)), header

    def restore(self, pixels: AnyArray, key: Key, header: Header, workers: Workers) -> AnyArray:
        """Return the plain image, or raise `DecryptionError` if its tag is not the header's."""
        if header.tag is None:
            raise FormatError(
                "the header has no tag", hint="it was cut off; restore the header that was written"
            )
        image = self.pipeline(header).backward(pixels, Material(key, header.tag, workers))
        tag = authentication_tag(key, header, image, workers)
        if not hmac.compare_digest(tag, header.tag):
            raise DecryptionError
        return image


@dataclass(frozen=True)
class ContextScheme:
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

    def protect(
        self, image: AnyArray, key: Key, draft: Header, workers: Workers
    ) -> tuple[AnyArray, Header]:
        """Return the scrambled image and the header, which needs no more."""
        return self._pipeline(draft).forward(image, self._material(key, workers)), draft

    def restore(self, pixels: AnyArray, key: Key, header: Header, workers: Workers) -> AnyArray:
        """Return the plain image if key, context and pixels are right, else some other image."""
        if header.tag is not None or header.salt is not None:
            raise FormatError(f"a header of scheme {self.name} has neither tag nor salt")
        return self._pipeline(header).backward(pixels, self._material(key, workers))

    def _pipeline(self, header: Header) -> Pipeline:
        stage = Permutation(header.unit, header.block_size, header.rounds, use="context")
        return Pipeline((stage,))

    def _material(self, key: Key, workers: Workers) -> Material:
        nonce = unicodedata.normalize("NFC", self.context).encode("utf-8")
        return Material(key, nonce, workers)


def _scramble(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


def _encrypt(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} has the unit pixel")
    stage = Permutation(header.unit, header.block_size, header.rounds)
    return Pipeline((stage, KeyStreamMask()))


SCRAMBLE = TaggedScheme("scramble-v1", _scramble)
ENCRYPT = TaggedScheme("encrypt-v1", _encrypt, encrypts=True)
