"""Schemes: what a header names, and how a pipeline is tied to header, key and tag."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sudokucrypt.ciphers.parts import Part
from sudokucrypt.ciphers.pipeline import Pipeline
from sudokucrypt.ciphers.stages import KeyStreamMask, Material, Permutation
from sudokucrypt.ciphers.tag import sample_digests, tag_message
from sudokucrypt.errors import DecryptionError, FormatError, InvalidKeyError, InvalidParameterError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, PictureKey
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
    Salt and master key give the picture its key. Under that key the tag authenticates header and
    image and, by its dependence on both, makes every stream a new one; the seal authenticates
    the header alone, before anything in it is used.
    """

    name: str
    pipeline: Callable[[Header], Pipeline]
    encrypts: bool = False
    insecure: bool = False

    def protect(
        self, parts: Sequence[Part], key: Key, draft: Header, workers: Workers
    ) -> tuple[list[AnyArray], Header]:
        """Return the protected frames and the whole header.

        A draft without salt gets a synthetic one, so that equal input gives equal output.
        """
        digests = sample_digests([part.pixels for part in parts], workers)
        salt = draft.salt or key.synthetic_salt(tag_message(draft, digests))
        draft = replace(draft, salt=salt)
        picture_key = key.picture_key(salt)
        draft = replace(draft, tag=picture_key.tag(tag_message(draft, digests)))
        material = Material(picture_key, draft.tag or b"", workers)
        header = _masked(draft, material)
        header = replace(header, seal=picture_key.seal(header))
        return _run(self.pipeline(header).forward, parts, material), header

    def working_key(self, key: Key | PictureKey, header: Header) -> PictureKey:
        """Return the key of the picture, which a master key derives from the salt."""
        if header.salt is None or header.tag is None or header.seal is None:
            raise FormatError(
                "the header lacks its salt, tag or seal",
                hint="it was cut off; restore the header that was written",
            )
        return key if isinstance(key, PictureKey) else key.picture_key(header.salt)

    def opened(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return an authentic header with its extras in plain form.

        Raises
        ------
        DecryptionError
            If its seal does not hold; nothing in it was used then.
        """
        picture_key = self.working_key(key, header)
        if not picture_key.opens(header):
            raise DecryptionError
        return _masked(header, Material(picture_key, header.tag or b"", workers))

    def restore(
        self, parts: Sequence[Part], key: Key | PictureKey, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the plain frames, or raise `DecryptionError` if their tag is not the header's.

        The header is what `opened` returned.
        """
        picture_key = self.working_key(key, header)
        tag = header.tag or b""
        frames = _run(self.pipeline(header).backward, parts, Material(picture_key, tag, workers))
        message = tag_message(header, sample_digests(frames, workers))
        if not hmac.compare_digest(picture_key.tag(message), tag):
            raise DecryptionError
        return frames


@dataclass(frozen=True)
class ContextScheme:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    Parameters
    ----------
    context : str
        Not empty; whoever restores must know it. Compared after Unicode normalisation (NFC).

    Notes
    -----
    Shape, unit, block size and rounds are bound into the permutation with the context.
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
        return self._moved(parts, key, draft, workers, undo=False), draft

    def opened(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return the header as it is: nothing in it is masked or authenticated."""
        del workers
        self._checked(key)
        if header.salt is not None:
            raise FormatError(f"a header of scheme {self.name} has no salt, tag or seal")
        return header

    def restore(
        self, parts: Sequence[Part], key: Key | PictureKey, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the plain frames if key, context and pixels are right, else some others."""
        return self._moved(parts, self._checked(key), header, workers, undo=True)

    def _checked(self, key: Key | PictureKey) -> Key:
        if not isinstance(key, Key):
            raise InvalidKeyError("the key of one picture does not open what a context scrambled")
        return key

    def _moved(
        self, parts: Sequence[Part], key: Key, header: Header, workers: Workers, *, undo: bool
    ) -> list[AnyArray]:
        stage = Permutation(header.unit, header.block_size, header.rounds, use="context")
        pipeline = Pipeline((stage,))
        run = pipeline.backward if undo else pipeline.forward
        return [
            part.through(run, Material(key, self._bound(part, header), workers, frame=frame))
            for frame, part in enumerate(parts)
        ]

    def _bound(self, part: Part, header: Header) -> bytes:
        """Return the context with all that decides what the permutation moves."""
        extent = part.extent if len(part.extent) > 1 else (1, *part.extent)
        rows, columns, channels = (*extent, 1)[:3]
        numbers = (rows, columns, channels, header.block_size or 0, header.rounds)
        text = unicodedata.normalize("NFC", self.context).encode("utf-8")
        bound = [number.to_bytes(8, "little") for number in numbers]
        return b"".join([*bound, header.unit.encode("ascii"), b"\0", text])


def _run(
    run: Callable[[AnyArray, Material], AnyArray], parts: Sequence[Part], material: Material
) -> list[AnyArray]:
    return [part.through(run, replace(material, frame=frame)) for frame, part in enumerate(parts)]


def _masked(header: Header, material: Material) -> Header:
    """Mask the extras, or unmask them."""
    if header.extras is None:
        return header
    plain = np.frombuffer(header.extras, dtype=np.uint8)
    masked = np.empty_like(plain)
    material.stream("extras").mask(plain, masked, material.workers)
    return replace(header, extras=masked.tobytes())


def _scramble(header: Header) -> Pipeline:
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds),))


def _encrypt(header: Header) -> Pipeline:
    if header.unit != "pixel":
        raise FormatError(f"a header of scheme {header.scheme} has the unit pixel")
    stage = Permutation(header.unit, header.block_size, header.rounds)
    return Pipeline((stage, KeyStreamMask()))


SCRAMBLE = TaggedScheme("scramble-v1", _scramble)
ENCRYPT = TaggedScheme("encrypt-v1", _encrypt, encrypts=True)
