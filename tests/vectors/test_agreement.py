"""The reference and the package agree on random pictures: frames, selections and descriptions."""

import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    Key,
    PictureKey,
    decrypt,
    encrypt,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import scheme_named
from sudokucrypt.images import describe, described, extract
from sudokucrypt.recipes.carriers.picture import restore_picture
from sudokucrypt.recipes.opening import open_header
from tests.kit.reference import RefusedError, description, files, pictures
from tests.kit.reference import header as headers
from tests.kit.reference.drawn import Drawer
from tests.kit.reference.header import CONTEXT, ENCRYPT, OF_FRAMES, SAMPLE_BYTES
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.parts import rounds_of_picture
from tests.kit.replay_parts import draft_of
from tests.vectors.bridge import (
    data_of,
    described_frames,
    protect_by_package,
    stored,
    stored_pixels,
)
from tests.vectors.common import KEY, SECRET, flipped, plain_bytes
from tests.vectors.gallery import PREVIEW, file_picture
from tests.vectors.test_vectors import slow_if

if TYPE_CHECKING:
    from sudokucrypt.typing import Unit

pytestmark = pytest.mark.kernels

SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 150))]
PARTS = rb'"(?:[^"\\]|\\.)*"|[0-9]+|[a-z]+|[][{}:,]'
FOREIGN = rb"""
    0 4294967296 -1 1.0 true null "" [] {} [0,0] "1/2" "2/4" NaN 1e3 [["a",0]] "palette"
""".split()


@pytest.mark.parametrize("seed", SEEDS)
def test_pictures(seed: int) -> None:
    """Both make the same bytes of a picture, and each restores what the other made."""
    drawer = Drawer(seed)
    meaning = drawer.meaning()
    frames = drawer.frames(meaning)
    header = drawer.header(meaning, SECRET)
    context = "A\u030a" if header.scheme == CONTEXT else None

    record = described_frames(frames, header.extras)
    assert describe(record) == description.write(meaning)
    result, written = pictures.protect_picture(frames, header, key=SECRET, context=context)
    assert protect_by_package(record, header, context) == ([f.data for f in result], written)
    scheme = scheme_named(header.scheme, context)
    package_header = Header.from_bytes(written)
    for index, key in enumerate(secrets(package_header)):
        back = restore_picture(stored(result), open_header(package_header, key, scheme=scheme))
        plain = [frame.data for frame in frames]
        assert data_of([frame.pixels for frame in back.picture.frames]) == plain
        assert describe(back) == description.write(meaning)
        again, read = pictures.restore_picture(
            result,
            written,
            key=key.to_bytes() if index == 0 else None,
            of_picture=key.to_bytes() if index > 0 else None,
            context=context,
        )
        assert [frame.data for frame in again] == plain
        assert read == meaning


@pytest.mark.parametrize("preview", [None, PREVIEW])
@pytest.mark.parametrize("size", [0, 1, 3, 13, 300])
def test_enclosed_files(size: int, preview: bytes | None) -> None:
    """Both make the same picture of a file, and each gives its bytes, name, type and time back."""
    data, name, kind, time = plain_bytes("any", size), "caf\u00e9.txt", "text/plain", -1
    record = replace(file_picture(data, name=name, type=kind, time=time), preview=preview)
    meaning = files.meaning_of_file(data, name, media_type=kind, time=time)
    meaning |= {} if preview is None else {"preview": preview}
    frame = files.frame_of_file(data)
    rounds = rounds_of_picture([frame.shape], "pixel")
    draft = draft_of(frame, scheme=ENCRYPT, rounds=rounds, extras=description.write(meaning))
    assert describe(record) == draft.extras
    result, written = pictures.protect_picture([frame], draft, key=SECRET)
    assert protect_by_package(record, draft, None) == ([f.data for f in result], written)
    back = restore_picture(stored(result), open_header(Header.from_bytes(written), KEY))
    assert (back.file, back.preview) == (record.file, preview)
    assert back.file is not None
    assert extract(back.picture.pixels, back.file) == data
    (plain,), read = pictures.restore_picture(result, written, key=SECRET)
    assert (files.file_of_frame(plain, size), read) == (data, meaning)


def secrets(header: Header) -> list[Key | PictureKey]:
    """The master key, and the picture key of a picture that has one."""
    if header.salt is None:
        return [KEY]
    return [KEY, PictureKey(picture_key(SECRET, header.salt))]


@pytest.mark.parametrize("scheme", OF_FRAMES)
@pytest.mark.parametrize(
    "dtype", slow_if(SAMPLE_BYTES, "uint32 uint64 int8 int16 int32 float16 float32")
)
def test_arrays(dtype: str, scheme: str) -> None:
    """Regions and masks of arrays of every type: each program restores what the other made."""
    drawer = Drawer(len(dtype))
    context = "any" if scheme == CONTEXT else None
    for channels in ((), (1,), (3,), (5,)):
        shape = (drawer.source.randint(1, 9), drawer.source.randint(1, 9), *channels)
        meaning = {"frames": [{"shape": list(shape), "dtype": dtype}]}
        (frame,) = drawer.frames(meaning)
        pixels = stored_pixels(frame)
        where = np.frombuffer(drawer.source.randbytes(shape[0] * shape[1]), np.uint8) < 99
        where[0] = True
        regions = [(0, 0, drawer.source.randint(1, shape[0]), drawer.source.randint(1, shape[1]))]
        for options in ({}, {"regions": regions}, {"mask": where.reshape(shape[:2])}):
            if scheme == ENCRYPT:
                result = encrypt(pixels, KEY, **options)
            else:
                unit: Unit = drawer.source.choice(["pixel", "sample"])
                result = scramble(pixels, KEY, unit=unit, context=context, **options)
            written = result.header.to_bytes()
            at_hand = replace(frame, data=data_of([result.pixels])[0])
            (plain,), _ = pictures.restore_picture([at_hand], written, key=SECRET, context=context)
            assert plain.data == frame.data
            draft = headers.read(written).without("tag", "seal")
            again = pictures.protect_picture([frame], draft, key=SECRET, context=context)
            assert again == ([at_hand], written)
            if scheme == ENCRYPT:
                back = decrypt(result.pixels, KEY, result.header)
            else:
                back = unscramble(result.pixels, KEY, result.header, context=context)
            assert data_of([back]) == [frame.data]


def altered(draw: random.Random, extras: bytes) -> bytes:
    """Extras with a part of the line in another's stead, left out or twice, or with one bit off.

    Mostly they are padded again, so that their length is right.
    """
    changed = _altered(draw, extras)
    if draw.random() < 0.1:
        return changed
    changed = changed.rstrip(b"\0")
    return changed + bytes(-len(changed) % 256 + 256 * draw.randrange(2))


def _altered(draw: random.Random, extras: bytes) -> bytes:
    line, feed, blobs = extras.partition(b"\n")
    spans = [match.span() for match in re.finditer(PARTS, line)]
    (first, end), (second, last) = sorted(draw.choices(spans, k=2))
    match draw.randrange(4):
        case 0:
            line = line[:first] + draw.choice([*FOREIGN, line[second:last]]) + line[end:]
        case 1:
            line = line[:first] + line[second:]
        case 2:
            line = line[:first] + line[first:second] * 2 + line[second:]
        case _:
            return flipped(extras, draw.randrange(8 * len(extras)))
    return line + feed + blobs


@pytest.mark.parametrize("seed", range(12))
def test_altered_descriptions(seed: int) -> None:
    """Both programs refuse the same descriptions."""
    drawer = Drawer(1000 + seed)
    meaning = drawer.meaning()
    frames = drawer.frames(meaning)
    at_hand, extras = stored(frames), description.write(meaning)
    for _ in range(60):
        other = altered(drawer.source, extras)
        try:
            expected = description.read(other)
        except RefusedError:
            expected = None
        shapes = [[frame.shape, frame.dtype] for frame in frames]
        if expected and [[tuple(f["shape"]), f["dtype"]] for f in expected["frames"]] != shapes:
            expected = None
        if expected is None:
            with pytest.raises((FormatError, DecryptionError)):
                described(at_hand.frames, other)
        else:
            assert describe(described(at_hand.frames, other)) == description.write(expected)
