"""Pipelines: ordered lists of keyed stages that run forwards and backwards, and their stages.

The scheme without a tag is one pipeline: one permutation for each key and context.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np

from sudokucrypt.bijections import UnitGroups, UnitPermutation
from sudokucrypt.draws import StreamDraws
from sudokucrypt.errors import FormatError, InvalidKeyError, InvalidParameterError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key, KeyStream, PictureKey
from sudokucrypt.typing import AnyArray, Unit
from sudokucrypt.workers import Workers


@dataclass(frozen=True, eq=False, kw_only=True)
class Part:
    """The samples of one frame."""

    pixels: AnyArray  #: The samples. Shape (M,), (M, N) or (M, N, C).
    #: Whether the samples are needed no more, so that the result may take their memory.
    overwrite: bool = False


@dataclass(frozen=True)
class StageContext:
    """What a stage draws from, and who does the work."""

    key: PictureKey | Key  #: The key of the picture, or the master key where a picture has none.
    nonce: bytes  #: The tag, or what binds a context.
    workers: Workers  #: Who shares the work.
    frame: int = 0  #: The index of the image in its picture; every frame has streams of its own.

    def for_frame(self, frame: int) -> Self:
        """Return the context of one frame."""
        return replace(self, frame=frame)

    def stream(self, use: str) -> KeyStream:
        """Return the key stream for one use in this frame."""
        # The first frame has no number, so that a still picture is an animation of one frame.
        use = f"{use}/frame/{self.frame}" if self.frame else use
        return self.key.stream(use, self.nonce)


class Stage(Protocol):
    """A keyed bijection on images of one shape and dtype.

    `source` and `target` are little-endian, C-contiguous arrays; `target` may be `source`.
    """

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the image of `source` to `target`."""
        ...

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write to `target` what `forward` made `source` from."""
        ...


@dataclass(frozen=True)
class Permutation:
    """Rounds of Sudoku bijections that give every unit a new position."""

    unit: Unit  #: What moves as a whole.
    block_size: int | None  #: Side of a block in pixels, for blocks.
    rounds: int  #: 1..255.
    use: str = "permutation"  #: Name of the use of the key, the start of the label of each stream.

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the scrambled `source` to `target`."""
        for steps, old, new in self._groups(source, target, context):
            steps.apply(old, new, context.workers)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the unscrambled `source` to `target`."""
        for steps, old, new in self._groups(source, target, context):
            steps.invert(old, new, context.workers)

    def _groups(
        self, source: AnyArray, target: AnyArray, context: StageContext
    ) -> Iterator[tuple[UnitPermutation, AnyArray, AnyArray]]:
        """Yield the map of each group, its units, and where to write them."""
        if source is target and self.unit == "block":
            source = source.copy()  # blocks are lined up in the memory of the target
        groups = UnitGroups(source.shape, self.unit, self.block_size)
        for group, old, new in groups.pairs(source, target):
            draws = StreamDraws(context.stream(stream_use(self.use, group)))
            yield UnitPermutation(len(old), self.rounds, draws), old, new


def stream_use(use: str, group: str) -> str:
    """Return the use of the stream that moves a group of units."""
    # Cut blocks have streams of their own, so that whole ones move as if there were none.
    return use if group == "main" else f"{use}/{group}"


@dataclass(frozen=True)
class KeyStreamMask:
    """Exclusive-or of every sample with the key stream; its own inverse.

    The stream covers the bytes of the samples in C order. Of a boolean sample, only the low bit is
    masked. Floats are masked as raw bits.
    """

    use: str = "keystream"

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the masked `source` to `target`."""
        old, new = (image.reshape(-1).view(np.uint8) for image in (source, target))
        mask = context.stream(self.use).mask
        if source.dtype != np.bool_:
            mask(old, new, context.workers)
            return
        # The stream is written out first: its high bits are to be cut off before it is combined.
        stream = np.zeros_like(old)
        mask(stream, stream, context.workers)
        stream &= 1
        np.bitwise_xor(old, stream, out=new)

    backward = forward


@dataclass(frozen=True)
class Pipeline:
    """Stages that are applied one after the other."""

    stages: tuple[Stage, ...]  #: In the order in which they run forward.

    def run(self, part: Part, context: StageContext, *, backward: bool = False) -> AnyArray:
        """Return the samples of a part after all stages, or before them."""
        steps = [stage.forward for stage in self.stages]
        if backward:
            steps = [stage.backward for stage in reversed(self.stages)]
        image = part.pixels
        if not image.size or not steps:
            return image.copy()
        # Key streams are defined on little-endian samples: results are the same everywhere.
        source = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
        ours = part.overwrite or not np.may_share_memory(source, image)
        target = source if ours and source.flags.writeable else np.empty_like(source)
        for step in steps:
            step(source, target, context)
            source = target  # only the first step needs a second array
        return target.astype(image.dtype, copy=False)


@dataclass(frozen=True)
class ContextScheme:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    Shape, unit, block size and rounds are bound into the permutation with the context.
    """

    name: ClassVar[str] = "scramble-context-v1"
    encrypts: ClassVar[bool] = False
    #: Not empty; whoever restores must know it. Compared after Unicode normalization (NFC).
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
        return self._move(parts, key, draft, workers, undo=False), draft

    def open_header(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return the header as it is: nothing in it is masked or authenticated."""
        del workers
        self._require_master(key)
        if header.salt is not None:
            raise FormatError(f"a header of scheme {self.name} has no salt, tag or seal")
        return header

    def restore(
        self, parts: Sequence[Part], key: Key | PictureKey, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the plain frames if key, context and pixels are right, else some others."""
        return self._move(parts, self._require_master(key), header, workers, undo=True)

    def _require_master(self, key: Key | PictureKey) -> Key:
        if not isinstance(key, Key):
            raise InvalidKeyError("the key of one picture does not open what a context scrambled")
        return key

    def _move(
        self, parts: Sequence[Part], key: Key, header: Header, workers: Workers, *, undo: bool
    ) -> list[AnyArray]:
        stage = Permutation(header.unit, header.block_size, header.rounds, use="context")
        pipeline = Pipeline((stage,))
        frames = []
        for index, part in enumerate(parts):
            # Without a tag the context is the nonce, with what decides how the units move.
            nonce = self._make_nonce(part, header)
            context = StageContext(key, nonce, workers, frame=index)
            frames.append(pipeline.run(part, context, backward=undo))
        return frames

    def _make_nonce(self, part: Part, header: Header) -> bytes:
        """Return the context with all that decides what the permutation moves."""
        shape = part.pixels.shape if part.pixels.ndim > 1 else (1, *part.pixels.shape)
        rows, columns, channels = (*shape, 1)[:3]
        numbers = (rows, columns, channels, header.block_size or 0, header.rounds)
        text = unicodedata.normalize("NFC", self.context).encode("utf-8")
        bound = [number.to_bytes(8, "little") for number in numbers]
        # Numbers of fixed length first and the free text last: no two inputs are joined alike.
        return b"".join([*bound, header.unit.encode("ascii"), b"\0", text])
