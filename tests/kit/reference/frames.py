"""Pictures, sections 1 and 3: what becomes of one frame.

The bytes of a frame are all its samples in C order, each lowest byte first.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tests.kit.reference import RefusedError
from tests.kit.reference.chacha20 import words
from tests.kit.reference.context import context_info
from tests.kit.reference.draws import inverse, move_from
from tests.kit.reference.header import CONTEXT, ENCRYPT, SAMPLE_BYTES, Header
from tests.kit.reference.hkdf import subkey
from tests.kit.reference.permutation import permutation
from tests.kit.reference.tags import mask
from tests.kit.reference.units import groups, rows_columns_channels


@dataclass(frozen=True, kw_only=True)
class Frame:
    """Samples with shape and dtype; `bits` of a byte are masked, or all if it is None."""

    shape: tuple[int, ...]
    dtype: str
    data: bytes
    bits: int | None = None

    def samples(self) -> list[bytes]:
        """The bytes of every sample; refused if they do not fit."""
        size = SAMPLE_BYTES[self.dtype]
        if len(self.data) != math.prod(self.shape) * size:
            raise RefusedError("the bytes do not fit the shape and dtype")
        if self.dtype == "bool" and not set(self.data) <= {0, 1}:
            raise RefusedError("a boolean is one byte, 0 or 1")
        return [self.data[i : i + size] for i in range(0, len(self.data), size)]


@dataclass(frozen=True, kw_only=True)
class Work:
    """What all frames of a picture have in common.

    Of the header, whose shape is that of frame 0, only scheme, unit, block size and rounds count.
    The key is the picture key, or the master key in `scramble-context-v1`; the nonce is the tag, or
    the bytes of the context text.
    """

    header: Header
    key: bytes
    nonce: bytes

    def map_words(self, group: str, shape: Sequence[int], number: int) -> Iterator[int]:
        """Words of the stream that moves a group of a frame, or of a row of pixels."""
        if self.header.scheme == CONTEXT:
            use, context = "master/context", context_info(shape, self.header, self.nonce)
        else:
            use, context = "picture/permutation", self.nonce
        use = use if group == "main" else f"{use}/{group}"
        return words(subkey(self.key, use_in_frame(use, number), context=context))

    def masked(self, data: bytes, bits: int, number: int) -> bytes:
        """The samples of a frame under the mask of `encrypt-v1`."""
        use = use_in_frame("picture/keystream", number)
        return mask(data, subkey(self.key, use, context=self.nonce), bits=bits)


def use_in_frame(use: str, number: int) -> str:
    """Name of the use of a stream in the frame with this number."""
    return use if number == 0 else f"{use}/frame/{number}"


def _part(
    shape: tuple[int, ...], pixels: Sequence[int] | None
) -> tuple[tuple[int, ...], list[int]]:
    """Shape of the image that is protected, and the numbers of its samples in the frame."""
    if pixels is None:
        return shape, list(range(math.prod(shape)))
    _, _, channels = rows_columns_channels(shape)
    numbers = [pixel * channels + channel for pixel in pixels for channel in range(channels)]
    return (1, len(pixels), channels), numbers


def _sources(shape: tuple[int, ...], work: Work, number: int) -> list[int]:
    """The sample at position sources[i] of the plain image moves to position i."""
    if math.prod(shape) == 0:
        return []
    header = work.header
    sources = list(range(math.prod(shape)))
    for name, units in groups(shape, header.unit, block_size=header.block_size).items():
        stream = work.map_words(name, shape, number)
        for position, source in enumerate(permutation(len(units), header.rounds, stream)):
            for to_sample, from_sample in zip(units[position], units[source], strict=True):
                sources[to_sample] = from_sample
    return sources


def _masked(samples: list[bytes], frame: Frame, work: Work, number: int) -> list[bytes]:
    if work.header.scheme != ENCRYPT:
        return samples
    bits = 1 if frame.dtype == "bool" else frame.bits or 8
    data = work.masked(b"".join(samples), bits, number)
    size = SAMPLE_BYTES[frame.dtype]
    return [data[i : i + size] for i in range(0, len(data), size)]


def _with_part(frame: Frame, numbers: list[int], part: list[bytes]) -> Frame:
    samples = frame.samples()
    for number, sample in zip(numbers, part, strict=True):
        samples[number] = sample
    return replace(frame, data=b"".join(samples))


def protect_frame(
    frame: Frame, number: int, *, work: Work, pixels: Sequence[int] | None = None
) -> Frame:
    """Scramble or encrypt the frame with this number, or these of its pixels."""
    samples = frame.samples()
    shape, numbers = _part(frame.shape, pixels)
    part = move_from([samples[i] for i in numbers], _sources(shape, work, number))
    return _with_part(frame, numbers, _masked(part, frame, work, number))


def restore_frame(
    frame: Frame, number: int, *, work: Work, pixels: Sequence[int] | None = None
) -> Frame:
    """Undo `protect_frame`."""
    samples = frame.samples()
    shape, numbers = _part(frame.shape, pixels)
    part = _masked([samples[i] for i in numbers], frame, work, number)
    return _with_part(frame, numbers, move_from(part, inverse(_sources(shape, work, number))))
