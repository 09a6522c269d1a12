"""Convert bytes, images and key streams to bits, and define the results of tests on bits."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.inputs import check_image, count_sample_bits, require_library
from sudokucrypt.analysis.results import check_level
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.options import check_integer
from sudokucrypt.typing import IntArray

# The number of bits that are converted to 64-bit integers at a time, so that a long sequence takes
# about one byte per bit instead of eight.
CHUNK_BITS = 1 << 20

BitArray: TypeAlias = NDArray[np.uint8]

BitsLike: TypeAlias = bytes | bytearray | memoryview | ArrayLike
"""Bytes, eight bits each with the highest first, or an array of the numbers 0 and 1."""


class ByteSource(Protocol):
    """A source of bytes in order, such as `sudokucrypt.KeyStream`."""

    def read(self, length: int, /) -> bytes:
        """Return the next `length` bytes."""
        ...


def check_bits(bits: BitsLike) -> BitArray:
    """Return a sequence of bits as an array, which may share memory with the argument.

    The sequence needs one bit or more. Each element of an array is one bit, 0 or 1; only bytes are
    unpacked.
    """
    if isinstance(bits, (bytes, bytearray, memoryview)):
        array = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))
    else:
        array = np.asarray(bits)
    if array.ndim != 1 or array.size == 0:
        raise InvalidParameterError(
            f"a sequence of bits has one dimension and at least one bit, not the shape "
            f"{array.shape}"
        )
    if array.dtype == np.bool_:
        return array.view(np.uint8)
    if array.dtype.kind not in "iu" or array.min() < 0 or array.max() > 1:
        raise InvalidParameterError(
            "an array of bits must contain only the integers 0 and 1",
            hint="pass bytes to unpack them, or the result of bits_from_image",
        )
    return array.astype(np.uint8, copy=False)


def bits_from_image(image: ArrayLike, *, levels: int | None = None) -> BitArray:
    """Return the bits of all samples of an image, in C order, the highest bit of each first.

    Channels of a pixel are adjacent; pass ``image[..., c]`` for one channel. 2^b levels give b bits
    per sample: 524,288 bits for a gray image of 256 x 256 pixels and 8 bits.

    Parameters
    ----------
    image : array_like of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The image.
    levels : int, optional
        The number of levels, a power of two 2^b; by default every level of the dtype.

    Examples
    --------
    >>> bits_from_image(np.array([[6, 1]], dtype=np.uint8), levels=8).tolist()
    [1, 1, 0, 0, 0, 1]
    """
    samples, levels = check_image(image, levels=levels)
    depth = count_sample_bits(levels)
    sample_column = samples.reshape(-1, 1)
    bits = np.empty((sample_column.size, depth), dtype=np.uint8)
    for start in range(0, sample_column.size, CHUNK_BITS):
        # As big-endian numbers of 16 bits, samples have their highest bit first.
        sample_bytes = sample_column[start : start + CHUNK_BITS].astype(">u2").view(np.uint8)
        bits[start : start + CHUNK_BITS] = np.unpackbits(sample_bytes, axis=1)[:, 16 - depth :]
    return bits.ravel()


def bits_from_stream(source: ByteSource, length: int) -> BitArray:
    """Return the next `length` bits of a key stream; unneeded bits of the last byte are dropped.

    Parameters
    ----------
    source : KeyStream or other object with the method `read`
        The stream of bytes.
    length : int
        The number of bits, 0 or more.

    Examples
    --------
    >>> from sudokucrypt import KeyStream
    >>> bits_from_stream(KeyStream(bytes(32)), 10).tolist()
    [0, 1, 1, 1, 0, 1, 1, 0, 1, 0]
    """
    check_integer("length", length)
    stream_bytes = np.frombuffer(source.read(-(-length // 8)), dtype=np.uint8)
    return np.unpackbits(stream_bytes, count=length)


def split_bits(bits: BitsLike, length: int) -> Iterator[BitArray]:
    """Cut bits into sequences of equal length; remaining bits at the end are left out.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    length : int
        The number of bits in each sequence, 1 or more.

    Examples
    --------
    >>> [part.tolist() for part in split_bits([1, 1, 0, 0, 1], 2)]
    [[1, 1], [0, 0]]
    """
    bit_array = check_bits(bits)
    if not 1 <= length <= len(bit_array):
        raise InvalidParameterError(f"{len(bit_array)} bits contain no sequence of {length}")
    starts = range(0, len(bit_array) - length + 1, length)
    return (bit_array[start : start + length] for start in starts)


def packed_bits(bits: BitsLike) -> bytes:
    """Return bits as bytes, the highest bit first, as other test suites read them from files.

    The last byte is padded with zeros.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    """
    return np.packbits(check_bits(bits)).tobytes()


def bit_text(bits: BitsLike) -> bytes:
    """Return bits as the ASCII characters 0 and 1, one byte each.

    Parameters
    ----------
    bits : array_like of shape (n,) of 0 and 1, or bytes
        The sequence; a byte gives eight bits, the highest first.
    """
    return (check_bits(bits) + ord("0")).tobytes()


def iterate_block_tables(bits: BitArray, length: int) -> Iterator[BitArray]:
    """Yield tables of limited size with blocks as rows; remaining bits at the end are left out."""
    block_count, row_count = len(bits) // length, -(-CHUNK_BITS // length)
    blocks = bits[: block_count * length].reshape(block_count, length)
    return (blocks[start : start + row_count] for start in range(0, block_count, row_count))


def count_window_values(bits: BitArray, width: int, *, circular: bool = False) -> IntArray:
    """Count how often each pattern of `width` bits occurs, in an array of shape (2^width,).

    A circular sequence of n bits continues from its end to its start, and so contains n patterns.
    """
    counts, step = np.zeros(2**width, dtype=np.int64), max(CHUNK_BITS, 2**width)
    window_count = max(0, len(bits) - width + 1)
    chunks = [bits[start : start + step + width - 1] for start in range(0, window_count, step)]
    if circular:
        # Windows that wrap around from the end to the start are counted in a separate short
        # sequence.
        chunks.append(bits.take(np.arange(window_count, len(bits) + width - 1), mode="wrap"))
    for chunk in chunks:
        counts += np.bincount(list_window_values(chunk, width), minlength=2**width)
    return counts


def list_window_values(bits: BitArray, width: int) -> IntArray:
    """Return each window of `width` successive bits as a number."""
    values = np.zeros(len(bits) - width + 1, dtype=np.int64)
    for offset in range(width):
        values <<= 1
        values |= bits[offset : offset + len(values)]
    return values


SIGNIFICANCE_LEVEL = 0.01
"""The level of significance of SP 800-22; other metrics use 0.05."""

Reference: TypeAlias = Literal["corrected", "sts-2.1.2"]
"""Exact constants, or those of the reference program, which some published results use."""

Verdict: TypeAlias = Literal["tested", "too short", "not applicable"]
"""Whether a test ran; a test that did not run has neither passed nor failed."""


@dataclass(frozen=True, kw_only=True)
class RandomnessResult:
    """The result of one test on one sequence of bits, with `length` bits.

    `name` is a stable identifier, such as "block_frequency". If the verdict is "tested", there is
    a statistic and a p-value for each label; a single label is empty. Otherwise there are no
    p-values, and the note says why. `details` are lengths and counts of the test, such as
    "block_length".
    """

    name: str
    section: str
    length: int
    verdict: Verdict = "tested"
    labels: tuple[str, ...] = ()
    statistics: tuple[float, ...] = ()
    p_values: tuple[float, ...] = ()
    level: float = SIGNIFICANCE_LEVEL
    details: Mapping[str, int] = field(default_factory=dict, hash=False)
    note: str = ""

    @property
    def passed(self) -> bool | None:
        """Whether every p-value is at least level / number of p-values; None if not tested.

        By the division (Bonferroni), at most a share `level` of random sequences fails, whether a
        test has 148 p-values or one.
        """
        if self.verdict != "tested":
            return None
        return min(self.p_values) >= self.level / len(self.p_values)

    @property
    def rejected(self) -> tuple[str, ...]:
        """The labels whose own p-values are below the level."""
        pairs = zip(self.labels, self.p_values, strict=True)
        return tuple(label for label, p_value in pairs if p_value < self.level)


@dataclass(frozen=True)
class ResultFields:
    """The fields that all results of one call of a test have in common."""

    name: str
    section: str
    length: int
    level: float

    def __post_init__(self) -> None:
        check_level(self.level)

    def make_result(
        self,
        statistics: Sequence[float],
        p_values: Sequence[float],
        *,
        labels: Sequence[str] = ("",),
        details: Mapping[str, int] | None = None,
        note: str = "",
    ) -> RandomnessResult:
        """Return the result of a test that ran."""
        return RandomnessResult(
            **vars(self),
            labels=tuple(labels),
            statistics=tuple(map(float, statistics)),
            p_values=tuple(map(float, p_values)),
            details=details or {},
            note=note,
        )

    def make_too_short_result(
        self, bits: int, *, details: Mapping[str, int] | None = None
    ) -> RandomnessResult:
        """Return the result for a sequence with fewer bits than the test needs."""
        note = f"{self.length} bits, but the test needs {bits}"
        return RandomnessResult(**vars(self), verdict="too short", details=details or {}, note=note)


def prepare_test(
    name: str, section: str, bits: BitsLike, level: float
) -> tuple[BitArray, int, ResultFields]:
    """Return the bits of a sequence, their number, and the common fields of results of a test."""
    sequence = check_bits(bits)
    return sequence, len(sequence), ResultFields(name, section, len(sequence), level)


def uses_published_constants(reference: Reference) -> bool:
    """Return whether a test should use the constants of the reference program."""
    if reference not in {"corrected", "sts-2.1.2"}:
        raise InvalidParameterError(f"reference must be corrected or sts-2.1.2, not {reference!r}")
    return reference == "sts-2.1.2"


def compute_chi_square(counts: ArrayLike, probabilities: ArrayLike) -> tuple[float, float]:
    """Return Pearson's statistic and its p-value for counts of classes with known probabilities.

    >>> [round(x, 6) for x in compute_chi_square([16, 34], [0.5, 0.5])]
    [6.48, 0.010909]
    """
    observed_counts, class_shares = (
        np.asarray(counts, dtype=float),
        np.asarray(probabilities, dtype=float),
    )
    expected_counts = observed_counts.sum() * class_shares
    statistic = float(np.sum((observed_counts - expected_counts) ** 2 / expected_counts))
    return statistic, compute_upper_tail(statistic, len(observed_counts) - 1)


def compute_upper_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Return the probability that a chi-square variable is at least as large as the statistic."""
    with require_library("scipy"):
        from scipy import special
    return float(special.gammaincc(degrees_of_freedom / 2, max(statistic, 0.0) / 2))
