"""The fuzz targets hold on their seeds, their corpus and some mutations, without a fuzzer."""

import itertools
import os
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sudokucrypt.header import Header
from sudokucrypt.images import Picture, PictureRecord, describe, encode_picture
from sudokucrypt.images.png.chunks import assemble
from sudokucrypt.keys import Key, unlock
from sudokucrypt.typing import AnyArray
from tests.fuzz import description, formats, headers, key, oracle, png, run
from tests.fuzz.targets import NAMES, Target, load
from tests.images.builders import encoded

MUTATIONS = 400


@pytest.fixture(params=NAMES)
def target(request: pytest.FixtureRequest) -> Target:
    return load(request.param)


def mutated(draw: random.Random, data: bytes, other: bytes) -> bytes:
    """`data` with a few bytes changed, left out, put in or repeated, or the tail of `other`."""
    for _ in range(draw.randint(1, 3)):
        first, last = sorted(draw.randint(0, len(data)) for _ in range(2))
        new = draw.choice([draw.randbytes(1), draw.randbytes(last - first), data[first:last] * 2])
        end = draw.choice([first, first + 1, last, len(data)])
        data = data[:first] + new + data[end:]
        if draw.random() < 0.1:
            data = data[:first] + other[first:]
    return data


def test_seeds_and_corpus(target: Target) -> None:
    """Everything that was worth keeping from a fuzzer's runs still passes."""
    kept = [path.read_bytes() for path in sorted(target.corpus.iterdir())]
    assert 10 <= len(kept) <= run.MAX_FILES
    for data in [*target.seeds, *kept]:
        target.check(data)


def test_mutations(target: Target) -> None:
    """So do changed seeds, the same ones in each run."""
    draw = random.Random(target.name)  # noqa: S311 - not for a secret
    for _ in range(MUTATIONS):
        target.check(mutated(draw, draw.choice(target.seeds), draw.choice(target.seeds)))


def test_a_lenient_header_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The header target fails when spaces around a header are let through."""
    strict = Header.from_bytes
    monkeypatch.setattr(Header, "from_bytes", lambda data: strict(data.strip()))
    check, (seed, *_) = load("header").check, load("header").seeds
    check(seed)
    with pytest.raises(AssertionError, match="two forms"):
        check(seed + b" ")


def test_a_lenient_sidecar_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sidecar target fails when its line end may be missing."""
    monkeypatch.setattr(headers, "parse_sidecar", lambda data: Header.from_bytes(data.rstrip()))
    check, (seed, *_) = load("sidecar").check, load("sidecar").seeds
    check(seed)
    with pytest.raises(AssertionError, match="two forms"):
        check(seed.rstrip())


def test_another_description_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The description target fails when the format of a picture is forgotten."""
    seed = load("description").seeds[0]
    monkeypatch.setattr(description, "describe", lambda _: seed.replace(b"TIFF", b""))
    with pytest.raises(AssertionError, match="two forms"):
        description.check(seed)


@pytest.mark.parametrize("loss", ["samples", "header"])
def test_a_png_that_loses_something_is_found(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The PNG target fails when one sample is changed, or the header left out."""

    def lossy(pixels: AnyArray, kind: str, *, header: bytes | None, compress: int) -> bytes:
        if loss == "samples":
            pixels = np.concatenate([pixels[:-1], pixels[-1:] ^ 1])
        header = None if loss == "header" else header
        return encoded(pixels, kind, header=header, compress=compress)

    monkeypatch.setattr(png, "encoded", lossy)
    with pytest.raises(AssertionError, match=loss):
        png.check(load("png").seeds[0])


def test_a_png_spliced_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The PNG target fails when a chunk is lost on the way."""
    monkeypatch.setattr(png, "assemble", lambda chunks: assemble(list(chunks)[1:]))
    with pytest.raises(AssertionError, match="spliced"):
        png.check(load("png").seeds[0])


@pytest.mark.parametrize("name", ["tiff", "gif", "bmp", "webp", "flat"])
def test_a_lossy_writer_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The targets of other formats fail when a writer changes samples."""
    write = encode_picture

    def darker(picture: Picture, file_format: str) -> bytes:
        pixels = [np.zeros_like(frame.pixels) for frame in picture.frames]
        return write(picture.with_pixels(pixels), file_format)

    monkeypatch.setattr(formats, "encode_picture", darker)
    with pytest.raises(AssertionError, match="meaning is lost"):
        load(name).check(load(name).seeds[0])


def test_a_forgetful_description_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """They fail when a description leaves the animation out, or tells of samples."""
    full = describe
    seed = load("gif").seeds[4]

    def changed(record: PictureRecord, **changes: Any) -> bytes | None:
        return full(replace(record, picture=replace(record.picture, **changes)))

    monkeypatch.setattr(formats, "describe", lambda record: changed(record, animation=None))
    with pytest.raises(AssertionError, match="animation is another"):
        load("gif").check(seed)
    corners = itertools.count()
    monkeypatch.setattr(
        formats, "describe", lambda record: changed(record, format=str(next(corners)))
    )
    with pytest.raises(AssertionError, match="samples are described"):
        load("gif").check(seed)


def test_another_key_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key target fails when a key is written in lower case, though it reads back."""
    written = Key.to_text
    monkeypatch.setattr(Key, "to_text", lambda self: written(self).lower())
    with pytest.raises(AssertionError, match="two texts"):
        key.check(load("key").seeds[0])


def test_a_wrongly_unlocked_key_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key target opens the locked seed, and fails when another key comes out."""
    seed = load("key").seeds[10]
    assert unlock(seed.decode(), key.PASSPHRASE) == key.KEY
    monkeypatch.setattr(key, "unlock", lambda _text, _passphrase: Key(bytes(32)))
    with pytest.raises(AssertionError, match="another key"):
        key.check(seed)


@pytest.mark.parametrize(
    "act",
    [
        lambda: int("x"),
        lambda: print("x"),
        lambda: print("x", file=sys.stderr),
        lambda: os.write(1, b"x"),
        lambda: os.write(2, b"x"),
    ],
)
def test_escapes_and_prints_are_found(act: Callable[[], object]) -> None:
    """A foreign exception, and text on stdout or stderr, fail whatever target is running."""
    with pytest.raises(AssertionError, match=r"escaped|printed"), oracle.watched():
        act()
    with oracle.watched():
        pass
