"""Run the fuzz targets on their seeds, their corpus and some mutations, without a fuzzer."""

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
from sudokucrypt.images import Metadata, PictureRecord
from sudokucrypt.keys import Key
from sudokucrypt.typing import AnyArray
from tests.damage import change_bytes
from tests.fuzz import formats, headers, key, oracle, png, run
from tests.fuzz.targets import NAMES, Target, load_target

MUTATIONS = 400


@pytest.fixture(params=NAMES)
def target(request: pytest.FixtureRequest) -> Target:
    return load_target(request.param)


def test_seeds_and_corpus(target: Target) -> None:
    """Every seed and every committed input passes the check of its target."""
    committed = [path.read_bytes() for path in sorted(target.corpus.iterdir())]
    assert 10 <= len(committed) <= run.MAX_FILES
    for data in [*target.seeds, *committed]:
        target.check(data)


def test_mutations(target: Target) -> None:
    """Changed seeds pass as well; each run changes them in the same ways."""
    draw = random.Random(target.name)  # noqa: S311 - not for a secret
    for _ in range(MUTATIONS):
        data, other_data = draw.choice(target.seeds), draw.choice(target.seeds)
        for _ in range(draw.randint(1, 3)):
            data = change_bytes(draw, data, other_data)
        target.check(data)


def _make_lossy_writer(real: Any, **loss: Any) -> Any:
    """Return a writer that changes a sample, or leaves the header out."""

    def write(pixels: AnyArray, kind: str, **options: Any) -> Any:
        if not loss:
            pixels = np.concatenate([pixels[:-1], pixels[-1:] ^ 1])
        return real(pixels, kind, **{**options, **loss})

    return write


def _make_dark_writer(real: Any) -> Any:
    """Return a writer that sets all samples to 0."""
    return lambda picture, kind: real(replace(picture, pixels=np.zeros_like(picture.pixels)), kind)


def _make_wrong_describer(real: Any, **changes: Callable[[], Any]) -> Any:
    """Return a function that describes another picture than the given one."""

    def describe(record: PictureRecord) -> Any:
        new_values: Any = {name: value() for name, value in changes.items()}
        return real(replace(record, picture=replace(record.picture, **new_values)))

    return describe


_CORNERS = itertools.count()
FAULTS: list[tuple[str, int, Any, str, Callable[[Any], Any], str]] = [
    ("header", 0, Header, "from_bytes", lambda real: lambda data: real(data.strip()), "two forms"),
    ("sidecar", 0, headers, "parse_sidecar", lambda real: lambda data: real(data.rstrip() + b"\n"),
     "two forms"),
    ("description", 0, headers, "describe",
     lambda _: lambda _: load_target("description").seeds[0].replace(b"TIFF", b""), "two forms"),
    ("png", 0, png, "encode_array", _make_lossy_writer, "samples"),
    ("png", 0, png, "encode_array", lambda real: _make_lossy_writer(real, header=None), "header"),
    ("png", 0, png, "assemble_file", lambda real: lambda chunks: real(list(chunks)[1:]), "spliced"),
    *((name, 0, formats, "encode_picture", _make_dark_writer, "meaning is lost")
      for name in ("tiff", "gif", "bmp", "webp", "flat")),
    ("tiff", 2, formats, "describe", lambda real: _make_wrong_describer(real, metadata=Metadata),
     "description is another"),
    ("tiff", 2, formats, "describe",
     lambda real: _make_wrong_describer(real, format=lambda: str(next(_CORNERS))),
     "samples are described"),
    ("key", 0, Key, "to_text", lambda real: lambda self: real(self).lower(), "two texts"),
    ("key", 10, key, "unlock", lambda _: lambda _text, _passphrase: Key(bytes(32)), "another key"),
]  # fmt: skip
"""Targets, their seeds, the faulty part of the package, its fault and the message of the target."""


@pytest.mark.parametrize(("name", "seed", "owner", "attribute", "make_fault", "message"), FAULTS)
def test_package_faults_are_found(
    name: str,
    seed: int,
    owner: Any,
    attribute: str,
    make_fault: Callable[[Any], Any],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each target passes, and fails once its part of the package reads or writes something
    wrong."""
    check_input, data = load_target(name).check, load_target(name).seeds[seed]
    check_input(data)
    monkeypatch.setattr(owner, attribute, make_fault(getattr(owner, attribute)))
    with pytest.raises(AssertionError, match=message):
        check_input(data + {"header": b" ", "sidecar": b" "}.get(name, b""))


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
    """A foreign exception, and text on stdout or stderr, raise an AssertionError in
    `watch_output`."""
    with pytest.raises(AssertionError, match=r"escaped|printed"), oracle.watch_output():
        act()
    with oracle.watch_output():
        pass
