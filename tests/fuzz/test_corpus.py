"""The fuzz targets hold on their seeds, their corpus and some mutations, without a fuzzer."""

import itertools
import os
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt.header import Header
from sudokucrypt.images import Picture, PictureRecord, describe, encode_picture
from sudokucrypt.images.png.chunks import assemble
from sudokucrypt.keys import Key, unlock
from sudokucrypt.typing import AnyArray
from tests import check
from tests.fuzz import description, gif, header, key, oracle, pictures, png, run, sidecar
from tests.fuzz.targets import TARGETS, Target
from tests.images.builders import encoded

CORPUS = Path(__file__).parent / "corpus"
MUTATIONS = 400

every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=list(TARGETS))


def corpus(target: Target) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / target.TARGET).iterdir())]


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


@every_target
def test_seeds_and_corpus(target: Target) -> None:
    """Everything that was worth keeping from a fuzzer's runs still passes."""
    kept = corpus(target)
    assert 10 <= len(kept) <= run.MAX_FILES
    for data in [*target.SEEDS, *kept]:
        target.check(data)


@every_target
def test_mutations(target: Target) -> None:
    """So do changed seeds, the same ones in each run."""
    draw = random.Random(target.TARGET)  # noqa: S311 - not for a secret
    for _ in range(MUTATIONS):
        target.check(mutated(draw, draw.choice(target.SEEDS), draw.choice(target.SEEDS)))


def test_runner_knows_every_target() -> None:
    """The names that runner and check have without importing a target are those of the targets."""
    assert list(run.NAMES) == list(check.FUZZ_TARGETS) == list(TARGETS)
    for name, target in TARGETS.items():
        assert sys.modules[f"tests.fuzz.{name}"] is target


def test_a_lenient_header_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The header target fails when spaces around a header are let through."""
    strict = Header.from_bytes
    monkeypatch.setattr(Header, "from_bytes", lambda data: strict(data.strip()))
    header.check(header.SEEDS[0])
    with pytest.raises(AssertionError, match="two forms"):
        header.check(header.SEEDS[0] + b" ")


def test_a_lenient_sidecar_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sidecar target fails when its line end may be missing."""
    monkeypatch.setattr(sidecar, "parse_sidecar", lambda data: Header.from_bytes(data.rstrip()))
    sidecar.check(sidecar.SEEDS[0])
    with pytest.raises(AssertionError, match="two forms"):
        sidecar.check(header.SEEDS[0])


def test_another_description_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The description target fails when the format of a picture is forgotten."""
    seed = description.SEEDS[0]
    monkeypatch.setattr(description, "describe", lambda _: seed.replace(b"TIFF", b""))
    with pytest.raises(AssertionError, match="two forms"):
        description.check(seed)


@pytest.mark.parametrize("loss", ["samples", "header"])
def test_a_png_that_loses_something_is_found(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The PNG target fails when one sample is changed, or the header left out."""

    def lossy(pixels: AnyArray, kind: str, *, header: bytes | None, compress: int) -> bytes:
        if loss == "samples":
            pixels = np.concatenate([pixels[:-1], pixels[-1:] ^ 1])
        return encoded(pixels, kind, header=None if loss == "header" else header,
                              compress=compress)  # fmt: skip

    monkeypatch.setattr(png, "encoded", lossy)
    with pytest.raises(AssertionError, match=loss):
        png.check(png.SEEDS[0])


def test_a_png_spliced_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The PNG target fails when a chunk is lost on the way."""
    monkeypatch.setattr(png, "assemble", lambda chunks: assemble(list(chunks)[1:]))
    with pytest.raises(AssertionError, match="spliced"):
        png.check(png.SEEDS[0])


@pytest.mark.parametrize("name", ["tiff", "gif", "bmp", "webp", "flat"])
def test_a_lossy_writer_is_found(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The targets of other formats fail when a writer changes samples."""
    write = encode_picture

    def darker(picture: Picture, file_format: str) -> bytes:
        pixels = [np.zeros_like(frame.pixels) for frame in picture.frames]
        return write(picture.with_pixels(pixels), file_format)

    monkeypatch.setattr(pictures, "encode_picture", darker)
    with pytest.raises(AssertionError, match="meaning is lost"):
        TARGETS[name].check(TARGETS[name].SEEDS[0])


def test_a_forgetful_description_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """They fail when a description leaves the animation out, or tells of samples."""
    full = describe
    seed = gif.SEEDS[4]

    def changed(said: PictureRecord, **changes: Any) -> bytes | None:
        return full(replace(said, picture=replace(said.picture, **changes)))

    monkeypatch.setattr(pictures, "describe", lambda said: changed(said, animation=None))
    with pytest.raises(AssertionError, match="animation is another"):
        gif.check(seed)
    corners = itertools.count()
    monkeypatch.setattr(pictures, "describe", lambda said: changed(said, format=str(next(corners))))
    with pytest.raises(AssertionError, match="samples are described"):
        gif.check(seed)


def test_another_key_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key target fails when a key is written in lower case, though it reads back."""
    written = Key.to_text
    monkeypatch.setattr(Key, "to_text", lambda self: written(self).lower())
    with pytest.raises(AssertionError, match="two texts"):
        key.check(key.SEEDS[0])


def test_a_wrongly_unlocked_key_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key target opens the locked seed, and fails when another key comes out."""
    assert unlock(key._LOCKED, key._PASSPHRASE) == key._KEY
    monkeypatch.setattr(key, "unlock", lambda _text, _passphrase: Key(bytes(32)))
    with pytest.raises(AssertionError, match="another key"):
        key.check(key._LOCKED.encode())


@pytest.mark.parametrize(
    "act",
    [
        lambda: int("x"), lambda: print("x"), lambda: print("x", file=sys.stderr),
        lambda: os.write(1, b"x"), lambda: os.write(2, b"x"),
    ],
)  # fmt: skip
def test_escapes_and_prints_are_found(act: Callable[[], object]) -> None:
    """A foreign exception, and text on stdout or stderr, fail whatever target is running."""
    with pytest.raises(AssertionError, match=r"escaped|printed"), oracle.watched():
        act()
    with oracle.watched():
        pass
