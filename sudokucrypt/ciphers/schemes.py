"""Schemes: what a header names, and how a pipeline is tied to header, key and tag."""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sudokucrypt.ciphers.pipeline import Pipeline
from sudokucrypt.ciphers.stages import KeyStreamMask, Material, Permutation
from sudokucrypt.ciphers.tag import authentication_tag
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.ciphers.parts import Part
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
        self, parts: Sequence[Part], key: Key, draft: Header, workers: Workers
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and the header with its tag."""
        tag = authentication_tag(key, draft, [part.pixels for part in parts], workers)
        material = Material(key, tag, workers)
        header = self._masked(draft.with_tag(tag), material)
        return _forward(self.pipeline(header), parts, material), header

    def plain_extras(self, key: Key, header: Header, workers: Workers) -> bytes | None:
        """Return what the header carries along, unmasked but not yet authenticated."""
        if header.tag is None:
            raise FormatError(
                "the header has no tag", hint="it was cut off; restore the header that was written"
            )
        return self._masked(header, Material(key, header.tag, workers)).extras

    def restore(
        self, parts: Sequence[Part], key: Key, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the plain frames, or raise `DecryptionError` if their tag is not the header's."""
        draft = replace(header, extras=self.plain_extras(key, header, workers))
        tag = draft.tag or b""
        frames = _backward(self.pipeline(header), parts, Material(key, tag, workers))
        if not hmac.compare_digest(authentication_tag(key, draft, frames, workers), tag):
            raise DecryptionError
        return frames

    def _masked(self, header: Header, material: Material) -> Header:
        """Mask the extras of a scheme that encrypts, or unmask them."""
        if header.extras is None or not self.encrypts:
            return header
        plain = np.frombuffer(header.extras, dtype=np.uint8)
        masked = np.empty_like(plain)
        material.key.stream("extras", material.nonce).mask(plain, masked, material.workers)
        return replace(header, extras=masked.tobytes())


@dataclass(frozen=True)
class ContextScheme:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    Parameters
    ----------
    context : str
        Not empty; whoever restores must know it. Compared after Unicode normalisation (NFC).
    """

    name: ClassVar[str] = "scramble-context-v1"
    encrypts: ClassVar[bool] = False
    context: str

    def __post_init__(self) -> None:
        if not isinstance(self.context, str) or not self.context:
            raise InvalidParameterError("the context must be text, and not empty")
        try:
            self.context.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidParameterError("the context is not valid Unicode text") from None

    def protect(
        self, parts: Sequence[Part], key: Key, draft: Header, workers: Workers
    ) -> tuple[list[AnyArray], Header]:
        """Return the scrambled frames and the header, which needs no more."""
        return _forward(self._pipeline(draft), parts, self._material(key, workers)), draft

    def plain_extras(self, key: Key, header: Header, workers: Workers) -> bytes | None:
        """Return what the header carries along, which is neither masked nor authenticated."""
        del key, workers
        return header.extras

    def restore(
        self, parts: Sequence[Part], key: Key, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the plain frames if key, context and pixels are right, else some others."""
        if header.tag is not None or header.salt is not None:
            raise FormatError(f"a header of scheme {self.name} has neither tag nor salt")
        return _backward(self._pipeline(header), parts, self._material(key, workers))

    def _pipeline(self, header: Header) -> Pipeline:
        stage = Permutation(header.unit, header.block_size, header.rounds, use="context")
        return Pipeline((stage,))

    def _material(self, key: Key, workers: Workers) -> Material:
        nonce = unicodedata.normalize("NFC", self.context).encode("utf-8")
        return Material(key, nonce, workers)


def _forward(pipeline: Pipeline, parts: Sequence[Part], material: Material) -> list[AnyArray]:
    return [
        part.forward(pipeline, replace(material, frame=frame)) for frame, part in enumerate(parts)
    ]


def _backward(pipeline: Pipeline, parts: Sequence[Part], material: Material) -> list[AnyArray]:
    return [
        part.backward(pipeline, replace(material, frame=frame)) for frame, part in enumerate(parts)
    ]


def _scramble(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


def _encrypt(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} has the unit pixel")
    stage = Permutation(header.unit, header.block_size, header.rounds)
    return Pipeline((stage, KeyStreamMask()))


SCRAMBLE = TaggedScheme("scramble-v1", _scramble)
ENCRYPT = TaggedScheme("encrypt-v1", _encrypt, encrypts=True)
