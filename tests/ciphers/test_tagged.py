"""Pictures of frames: each is changed in its own way, and all are restored.

What tag and seal cover of frames and extras is under tests/vectors, for our schemes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from sudokucrypt import DecryptionError, FormatError, Header, InvalidKeyError, Key
from sudokucrypt.ciphers import (
    SCHEMES,
    ContextScheme,
    Part,
    TaggedScheme,
)
from sudokucrypt.workers import Workers
from tests.images.builders import noise

pytestmark = pytest.mark.kernels

KEY = Key(bytes(range(32)))
SALT = bytes(range(16))
EVERY_SCHEME = [*SCHEMES.values(), ContextScheme("any")]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Somebody who does the work."""
    with Workers(1) as some:
        yield some


def header(scheme: TaggedScheme | ContextScheme, encrypted_metadata: bytes | None = None) -> Header:
    """A header before it has a tag."""
    return Header(
        salt=SALT if isinstance(scheme, TaggedScheme) else None,
        scheme=scheme.name,
        unit="pixel",
        rounds=2,
        shape=(9, 8),
        dtype="uint8",
        key_id=KEY.id,
        encrypted_metadata=encrypted_metadata,
    )


def equal_parts(count: int) -> list[Part]:
    """Frames of the same samples."""
    return [Part(pixels=noise(9, 8, 1)) for _ in range(count)]


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_pictures_of_frames(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Equal frames become different ones, and come back; their header tells nothing of it."""
    parts = equal_parts(4)
    frames, written = scheme.protect(parts, KEY, header(scheme), workers)
    assert len({frame.tobytes() for frame in frames}) == 4
    stored = [Part(pixels=frame) for frame in frames]
    back = scheme.restore(stored, KEY, scheme.opened(KEY, written, workers), workers)
    assert [frame.tobytes() for frame in back] == [part.pixels.tobytes() for part in parts]
    assert replace(written, header_mac=None, tag=None) == header(scheme)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_the_key_of_the_picture_restores_too(workers: Workers, scheme: TaggedScheme) -> None:
    """What the master key opens, the picture key derived from the salt opens as well."""
    parts = equal_parts(2)
    frames, written = scheme.protect(parts, KEY, header(scheme, b"extras"), workers)
    picture_key = KEY.picture_key(SALT)
    opened = scheme.opened(picture_key, written, workers)
    assert opened == scheme.opened(KEY, written, workers)
    back = scheme.restore([Part(pixels=f) for f in frames], picture_key, opened, workers)
    assert [frame.tobytes() for frame in back] == [part.pixels.tobytes() for part in parts]
    for other in (Key(bytes(32)), KEY.picture_key(bytes(16)), Key(bytes(32)).picture_key(SALT)):
        with pytest.raises(DecryptionError):
            scheme.opened(other, written, workers)


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
    for index in range(3):
        changed = [np.array(frame) for frame in frames]
        changed[index][8, 7] ^= 1
        refused(changed)


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_extras(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Extras are masked if, and only if, the scheme has a tag; they come back as they were."""
    extras = bytes(range(256)) * 3
    parts = equal_parts(1)
    _, written = scheme.protect(parts, KEY, header(scheme, extras), workers)
    assert written.encrypted_metadata is not None
    assert len(written.encrypted_metadata) == len(extras)
    assert (written.encrypted_metadata == extras) is not isinstance(scheme, TaggedScheme)
    assert scheme.opened(KEY, written, workers).encrypted_metadata == extras
    if isinstance(scheme, TaggedScheme):
        _, other = scheme.protect(parts, KEY, header(scheme, extras[::-1]), workers)
        assert other.tag != written.tag


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
@pytest.mark.parametrize(
    "absent", [("header_mac",), ("header_mac", "tag"), ("header_mac", "tag", "salt")]
)
def test_a_header_without_its_seal(
    workers: Workers, scheme: TaggedScheme, absent: tuple[str, ...]
) -> None:
    """A draft, or a header that was cut off, opens nothing, whatever the key."""
    _, written = scheme.protect(equal_parts(1), KEY, header(scheme, b"extras"), workers)
    cut = replace(written, **dict.fromkeys(absent))  # type: ignore[arg-type]
    for key in (KEY, KEY.picture_key(SALT)):
        with pytest.raises(FormatError, match="salt, tag or seal"):
            scheme.opened(key, cut, workers)


def test_a_context_has_no_seal_and_no_key_of_one_picture(workers: Workers) -> None:
    """A salt in its header is refused, and so is the key of one picture."""
    scheme = ContextScheme("any")
    draft = header(scheme)
    sealed = replace(draft, salt=SALT, tag=bytes(32), header_mac=bytes(32))
    with pytest.raises(FormatError, match="no salt, tag or seal"):
        scheme.opened(KEY, sealed, workers)
    for call in (scheme.opened, lambda *rest: scheme.restore(equal_parts(1), *rest)):
        with pytest.raises(InvalidKeyError, match="one picture"):
            call(KEY.picture_key(SALT), draft, workers)
