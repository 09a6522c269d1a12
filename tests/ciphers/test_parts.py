"""Parts of pictures: only selected pixels change, every frame in its own way, and all come back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import DecryptionError, FormatError, Header, Key
from sudokucrypt.ciphers import (
    ENCRYPT,
    SCHEMES,
    SCRAMBLE,
    ContextScheme,
    KeyStreamMask,
    Material,
    Part,
    Permutation,
    Pipeline,
    TaggedScheme,
)
from sudokucrypt.workers import Workers
from tests.images.builders import noise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY = Key(bytes(range(32)))
EVERY_SCHEME = [*SCHEMES.values(), ContextScheme("any")]
MASKED = Pipeline((Permutation("pixel", None, 2), KeyStreamMask()))


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Somebody who does the work."""
    with Workers(1) as some:
        yield some


def header(scheme: TaggedScheme | ContextScheme, extras: bytes | None = None) -> Header:
    """A header before it has a tag."""
    return Header(
        scheme=scheme.name,
        unit="pixel",
        rounds=2,
        shape=(9, 8),
        dtype="uint8",
        key_id=KEY.id,
        extras=extras,
    )


def equal_parts(count: int) -> list[Part]:
    """Frames of the same samples."""
    return [Part(pixels=noise(9, 8, 1)) for _ in range(count)]


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.sampled_from([(), (1,), (3,)]),
    st.sampled_from(["bool", "uint8", "int16", "float64", ">u2"]),
    st.sampled_from(["none", "some", "all"]),
    st.data(),
)
def test_only_selected_pixels_change(
    rows: int, columns: int, channels: tuple[int, ...], dtype: str, kind: str, data: st.DataObject
) -> None:
    """backward(forward(x)) == x; pixels that are not selected stay, and the input is untouched."""
    generator = np.random.default_rng(data.draw(st.integers(0, 99)))
    pixels = generator.integers(0, 2, (rows, columns, *channels)).astype(dtype)
    where = {
        "none": np.zeros((rows, columns), dtype=bool),
        "some": generator.integers(0, 2, (rows, columns)) == 1,
        "all": np.ones((rows, columns), dtype=bool),
    }[kind]
    part = Part(pixels=pixels, where=where)
    assert part.extent == (1, int(where.sum()), *channels)
    before = pixels.tobytes()
    with Workers(1) as one:
        material = Material(KEY, b"nonce", one)
        made = part.forward(MASKED, material)
        assert pixels.tobytes() == before
        assert not np.shares_memory(made, pixels)
        assert (made.dtype, made.shape) == (pixels.dtype, pixels.shape)
        assert made[~where].tobytes() == pixels[~where].tobytes()
        back = replace(part, pixels=made).backward(MASKED, material)
        assert back.tobytes() == before
        row = np.ascontiguousarray(pixels[where][None])
        if row.size:
            assert made[where].tobytes() == MASKED.forward(row, material).tobytes()


@pytest.mark.parametrize("bits", [1, 2, 4, 7])
def test_higher_bits_stay(workers: Workers, bits: int) -> None:
    """Of a sample with few bits only these are masked, with those of the whole key stream."""
    part = Part(pixels=noise(9, 8, 3), bits=bits)
    material = Material(KEY, b"nonce", workers)
    stream = Pipeline((KeyStreamMask(),))
    made = part.forward(stream, material)
    assert not ((made ^ part.pixels) >> bits).any()
    full = replace(part, bits=None).forward(stream, material)
    assert np.array_equal((full ^ part.pixels) & (2**bits - 1), made ^ part.pixels)


def test_frames_have_streams_of_their_own(workers: Workers) -> None:
    """Every stage works differently in each frame, and in frame 0 as in a single image."""
    pixels = noise(40, 41, 1)
    stages = (Permutation("block", 3, 2), Permutation("pixel", None, 1), KeyStreamMask())
    for stage in stages:
        pipeline = Pipeline((stage,))
        made = [
            pipeline.forward(pixels, Material(KEY, b"nonce", workers, frame=number)).tobytes()
            for number in (0, 1, 2, 10, 11)
        ]
        assert len(set(made)) == len(made)
        assert pipeline.forward(pixels, Material(KEY, b"nonce", workers)).tobytes() == made[0]


def test_labels_of_frames(workers: Workers) -> None:
    """The number of a frame stands at the end of the use, but for the first one."""
    labels = [Material(KEY, b"", workers, frame=n).label("keystream") for n in (0, 1, 12)]
    assert labels == ["keystream", "keystream/frame/1", "keystream/frame/12"]


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_pictures_of_frames(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Equal frames become different ones, and come back; their header tells nothing of it."""
    parts = equal_parts(4)
    frames, written = scheme.protect(parts, KEY, header(scheme), workers)
    assert len({frame.tobytes() for frame in frames}) == 4
    stored = [Part(pixels=frame) for frame in frames]
    back = scheme.restore(stored, KEY, written, workers)
    assert [frame.tobytes() for frame in back] == [part.pixels.tobytes() for part in parts]
    assert replace(written, tag=None) == header(scheme)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_every_frame_is_under_the_tag(workers: Workers, scheme: TaggedScheme) -> None:
    """A frame less, more, twice, elsewhere, or with a changed bit is refused."""
    frames, written = scheme.protect(equal_parts(3), KEY, header(scheme), workers)

    def refused(changed: Sequence[np.ndarray]) -> None:
        with pytest.raises(DecryptionError):
            scheme.restore([Part(pixels=frame) for frame in changed], KEY, written, workers)

    first, second, third = frames
    refused([first, second])
    refused([*frames, third])
    refused([first, third, second])
    refused([first, first, third])
    for number in range(3):
        changed = [np.array(frame) for frame in frames]
        changed[number][8, 7] ^= 1
        refused(changed)


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_extras(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Extras are masked if, and only if, the scheme encrypts; they come back as they were."""
    extras = bytes(range(256)) * 3
    parts = equal_parts(1)
    _, written = scheme.protect(parts, KEY, header(scheme, extras), workers)
    assert written.extras is not None
    assert len(written.extras) == len(extras)
    assert (written.extras == extras) is not scheme.encrypts
    assert scheme.plain_extras(KEY, written, workers) == extras
    if isinstance(scheme, TaggedScheme):
        _, other = scheme.protect(parts, KEY, header(scheme, extras[::-1]), workers)
        assert other.tag != written.tag


@pytest.mark.parametrize("scheme", [ENCRYPT, SCRAMBLE], ids=lambda scheme: scheme.name)
def test_extras_are_under_the_tag(workers: Workers, scheme: TaggedScheme) -> None:
    """Extras that are changed, left out, or brought in are refused when frames are restored."""
    frames, written = scheme.protect(equal_parts(1), KEY, header(scheme, b"extras"), workers)
    stored = [Part(pixels=frames[0])]
    masked = written.extras or b""
    assert np.array_equal(scheme.restore(stored, KEY, written, workers)[0], noise(9, 8, 1))
    for other in (None, masked[:-1], masked + b"\0", bytes([masked[0] ^ 1]) + masked[1:]):
        with pytest.raises(DecryptionError):
            scheme.restore(stored, KEY, replace(written, extras=other), workers)
    bare_frames, bare = scheme.protect(equal_parts(1), KEY, header(scheme), workers)
    with pytest.raises(DecryptionError):
        scheme.restore([Part(pixels=bare_frames[0])], KEY, replace(bare, extras=b"extras"), workers)
    with pytest.raises(FormatError, match="tag"):
        scheme.plain_extras(KEY, replace(written, tag=None), workers)


def test_extras_have_a_stream_of_their_own(workers: Workers) -> None:
    """The stream of extras is neither that of the samples nor the same for two pictures."""
    zeros = bytes(64)
    pixels = np.zeros(64, dtype=np.uint8)
    draft = replace(header(ENCRYPT, zeros), shape=(64,))
    (frame,), written = ENCRYPT.protect([Part(pixels=pixels)], KEY, draft, workers)
    _, salted = ENCRYPT.protect([Part(pixels=pixels)], KEY, replace(draft, salt=bytes(16)), workers)
    masks = {frame.tobytes(), written.extras, salted.extras, zeros}
    assert len(masks) == 4
