"""Pictures, sections 1 and 3: what becomes of one frame; the tag over all frames.

The bytes of a frame are all its samples in C order, each lowest byte first.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.reference import RefusedError
from tests.reference import header as headers
from tests.reference.chacha20 import ZERO_NONCE, exclusive_or, key_stream, words
from tests.reference.draws import inverse, move_from
from tests.reference.header import CONTEXT, ENCRYPT, SAMPLE_BYTES, Header
from tests.reference.hkdf import hmac_sha256, subkey
from tests.reference.permutation import permutation
from tests.reference.units import groups, rows_columns_channels

CHUNK_BYTES = 1048576
MAX_MASKED = 2**38


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
    """What all frames of a picture have in common: the header, the key and the nonce."""

    header: Header
    key: bytes
    nonce: bytes


def le64(x: int) -> bytes:
    """LE64(x): eight bytes, lowest first."""
    return x.to_bytes(8, "little")


def tag_of(header: Header, frames: Sequence[bytes], key: bytes) -> bytes:
    """Tag of the plain frames under the header without its tag, 32 bytes."""
    h = headers.write(header.without_tag())
    chunks = [
        plain[i : i + CHUNK_BYTES] for plain in frames for i in range(0, len(plain), CHUNK_BYTES)
    ]
    message = le64(len(h)) + h + le64(len(chunks))
    for chunk in chunks:
        message += hashlib.sha256(chunk).digest()
    return hmac_sha256(subkey(key, "tag"), message)


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
    """The sample at place sources[i] of the plain image moves to place i."""
    if math.prod(shape) == 0:
        return []
    header = work.header
    use = "context" if header.scheme == CONTEXT else "permutation"
    sources = list(range(math.prod(shape)))
    for name, units in groups(shape, header.unit, block_size=header.block_size).items():
        full_use = use_in_frame(use if name == "main" else f"{use}/{name}", number)
        stream = words(subkey(work.key, full_use, context=work.nonce))
        unit_sources = permutation(len(units), header.rounds, stream)
        for place, source in enumerate(unit_sources):
            for to_sample, from_sample in zip(units[place], units[source], strict=True):
                sources[to_sample] = from_sample
    return sources


def mask(data: bytes, subkey_bytes: bytes, *, bits: int = 8) -> bytes:
    """The bytes under the key stream, of which `bits` lowest bits of a byte count."""
    if len(data) > MAX_MASKED:
        raise RefusedError("more than 2^38 bytes")
    stream = key_stream(subkey_bytes, counter=0, nonce=ZERO_NONCE)
    return exclusive_or(data, (byte % 2**bits for byte in stream))


def _masked(samples: list[bytes], frame: Frame, work: Work, number: int) -> list[bytes]:
    if work.header.scheme != ENCRYPT:
        return samples
    bits = 1 if frame.dtype == "bool" else frame.bits or 8
    subkey_bytes = subkey(work.key, use_in_frame("keystream", number), context=work.nonce)
    data = mask(b"".join(samples), subkey_bytes, bits=bits)
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
