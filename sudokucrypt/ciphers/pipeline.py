"""Pipelines: ordered lists of keyed stages that run forward to protect and backward to restore.

The scheme without a tag is here too. It has a single stage: one permutation for each key and
context.
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
    #: Whether the result may overwrite the samples, which are not needed afterwards.
    overwrite: bool = False


@dataclass(frozen=True)
class StageContext:
    """The inputs of a stage: key and nonce of its streams, and its worker threads."""

    #: The key of the picture, or the master key if the scheme has no picture keys.
    key: PictureKey | Key
    #: The tag, or in a scheme with a context the text of the context with the options.
    nonce: bytes
    workers: Workers  #: The threads that share the work.
    frame: int = 0  #: The index of the frame in its picture; every frame has its own streams.

    def for_frame(self, frame: int) -> Self:
        """Return the context of one frame."""
        return replace(self, frame=frame)

    def stream(self, use: str) -> KeyStream:
        """Return the key stream for one use in this frame."""
        # The first frame has no number: a still picture is protected as an animation of one frame.
        use = f"{use}/frame/{self.frame}" if self.frame else use
        return self.key.stream(use, self.nonce)


class Stage(Protocol):
    """A keyed bijection on images of one shape and dtype.

    `source` and `target` are little-endian, C-contiguous arrays; `target` may be `source`.
    """

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the protected `source` to `target`."""
        ...

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the restored `source` to `target`."""
        ...


@dataclass(frozen=True)
class Permutation:
    """Move every unit to a new position, in rounds of Sudoku bijections."""

    unit: Unit  #: What moves as a whole: a pixel, a sample or a block.
    block_size: int | None  #: The side of a block in pixels; None unless blocks move.
    rounds: int  #: The number of rounds, 1..255.
    use: str = "permutation"  #: How the label of each key stream starts.

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the scrambled `source` to `target`."""
        for permutation, inputs, outputs in self._iterate_groups(source, target, context):
            permutation.apply(inputs, outputs, context.workers)

    def backward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the unscrambled `source` to `target`."""
        for permutation, inputs, outputs in self._iterate_groups(source, target, context):
            permutation.invert(inputs, outputs, context.workers)

    def _iterate_groups(
        self, source: AnyArray, target: AnyArray, context: StageContext
    ) -> Iterator[tuple[UnitPermutation, AnyArray, AnyArray]]:
        """Yield for each group its permutation, its units, and an array for the moved units."""
        if source is target and self.unit == "block":
            # Blocks are gathered in the memory of the target, which here is also the source.
            source = source.copy()
        groups = UnitGroups(source.shape, self.unit, self.block_size)
        for group, inputs, outputs in groups.pairs(source, target):
            draws = StreamDraws(context.stream(make_stream_label(self.use, group)))
            yield UnitPermutation(len(inputs), self.rounds, draws), inputs, outputs


def make_stream_label(use: str, group: str) -> str:
    """Return the label of the stream that moves a group of units."""
    # Blocks that the edge cuts have their own streams, so that whole blocks move in the same way
    # whether there are such blocks or not.
    return use if group == "main" else f"{use}/{group}"


@dataclass(frozen=True)
class KeyStreamMask:
    """XOR every sample with the key stream; a second application restores the samples.

    The stream covers the bytes of the samples in C order. Of a boolean sample, only the low bit is
    masked. Of a float, all bits are masked.
    """

    use: str = "keystream"

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the masked `source` to `target`."""
        inputs, outputs = (image.reshape(-1).view(np.uint8) for image in (source, target))
        mask = context.stream(self.use).mask
        if source.dtype != np.bool_:
            mask(inputs, outputs, context.workers)
            return
        # Masking zeros gives the stream itself, of which only the low bit of each byte is kept.
        stream = np.zeros_like(inputs)
        mask(stream, stream, context.workers)
        stream &= 1
        np.bitwise_xor(inputs, stream, out=outputs)

    backward = forward


@dataclass(frozen=True)
class Pipeline:
    """Stages that are applied one after the other."""

    stages: tuple[Stage, ...]  #: In the order in which they run forward.

    def run(self, part: Part, context: StageContext, *, backward: bool = False) -> AnyArray:
        """Return the protected samples of a part, or with `backward` the restored ones."""
        stage_functions = [stage.forward for stage in self.stages]
        if backward:
            stage_functions = [stage.backward for stage in reversed(self.stages)]
        image = part.pixels
        if not image.size or not stage_functions:
            return image.copy()
        # Stages work on little-endian samples, so the result is the same on every machine.
        source = np.ascontiguousarray(image, dtype=image.dtype.newbyteorder("<"))
        may_overwrite = part.overwrite or not np.may_share_memory(source, image)
        target = source if may_overwrite and source.flags.writeable else np.empty_like(source)
        for apply_stage in stage_functions:
            apply_stage(source, target, context)
            source = target  # further stages overwrite the result of the first
        return target.astype(image.dtype, copy=False)


@dataclass(frozen=True)
class ContextScheme:
    """Scheme ``scramble-context-v1``: one permutation per key and context, unauthenticated.

    The permutation also depends on shape, unit, block size and rounds.
    """

    name: ClassVar[str] = "scramble-context-v1"
    encrypts: ClassVar[bool] = False
    #: A text that is needed to restore the picture, not empty. It is normalized (Unicode NFC).
    context: str

    def __post_init__(self) -> None:
        if not isinstance(self.context, str) or not self.context:
            raise InvalidParameterError("the context must be text, and not empty")
        try:
            self.context.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidParameterError("the context is not valid Unicode text") from None

    def protect(
        self, parts: Sequence[Part], key: Key, draft_header: Header, workers: Workers
    ) -> tuple[list[AnyArray], Header]:
        """Return the scrambled frames, and the draft as the header: it gets no tag and no seal."""
        return self._move_units(parts, key, draft_header, workers, undo=False), draft_header

    def open_header(self, key: Key | PictureKey, header: Header, workers: Workers) -> Header:
        """Return the header unchanged: nothing in it is masked or authenticated."""
        del workers
        self._require_master_key(key)
        if header.salt is not None:
            raise FormatError(
                f"the header has a salt, tag or seal, which scheme {self.name} does not use"
            )
        return header

    def restore(
        self, parts: Sequence[Part], key: Key | PictureKey, header: Header, workers: Workers
    ) -> list[AnyArray]:
        """Return the restored frames, which are wrong if the key, context or a pixel is wrong."""
        return self._move_units(parts, self._require_master_key(key), header, workers, undo=True)

    def _require_master_key(self, key: Key | PictureKey) -> Key:
        if not isinstance(key, Key):
            raise InvalidKeyError(
                "the key of one picture cannot restore a picture scrambled under a context"
            )
        return key

    def _move_units(
        self, parts: Sequence[Part], key: Key, header: Header, workers: Workers, *, undo: bool
    ) -> list[AnyArray]:
        stage = Permutation(header.unit, header.block_size, header.rounds, use="context")
        pipeline = Pipeline((stage,))
        frames = []
        for index, part in enumerate(parts):
            nonce = self._make_nonce(part, header)  # in place of a tag
            context = StageContext(key, nonce, workers, frame=index)
            frames.append(pipeline.run(part, context, backward=undo))
        return frames

    def _make_nonce(self, part: Part, header: Header) -> bytes:
        """Return the context with everything that decides how the units move."""
        shape = part.pixels.shape if part.pixels.ndim > 1 else (1, *part.pixels.shape)
        rows, columns, channels = (*shape, 1)[:3]
        numbers = (rows, columns, channels, header.block_size or 0, header.rounds)
        text = unicodedata.normalize("NFC", self.context).encode("utf-8")
        encoded_numbers = [number.to_bytes(8, "little") for number in numbers]
        # Numbers of fixed length come first and the free text last, so that no two inputs give the
        # same bytes.
        return b"".join([*encoded_numbers, header.unit.encode("ascii"), b"\0", text])
