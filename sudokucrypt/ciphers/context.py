"""The scheme without a tag: one permutation for each key and context."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sudokucrypt.ciphers.pipeline import Part, Permutation, Pipeline, StageContext
from sudokucrypt.errors import FormatError, InvalidKeyError, InvalidParameterError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, PictureKey
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers


@dataclass(frozen=True)
class ContextScheme:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    Shape, unit, block size and rounds are bound into the permutation with the context.
    """

    name: ClassVar[str] = "scramble-context-v1"
    encrypts: ClassVar[bool] = False
    #: Not empty; whoever restores must know it. Compared after Unicode normalisation (NFC).
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
        frames = []
        for index, part in enumerate(parts):
            # Without a tag the context is the nonce, with what decides how the units move.
            nonce = self._bound(part, header)
            context = StageContext(key, nonce, workers, frame=index)
            frames.append(pipeline.run(part, context, backward=undo))
        return frames

    def _bound(self, part: Part, header: Header) -> bytes:
        """Return the context with all that decides what the permutation moves."""
        shape = part.pixels.shape if part.pixels.ndim > 1 else (1, *part.pixels.shape)
        rows, columns, channels = (*shape, 1)[:3]
        numbers = (rows, columns, channels, header.block_size or 0, header.rounds)
        text = unicodedata.normalize("NFC", self.context).encode("utf-8")
        bound = [number.to_bytes(8, "little") for number in numbers]
        # Numbers of fixed length first and the free text last: no two inputs are joined alike.
        return b"".join([*bound, header.unit.encode("ascii"), b"\0", text])
