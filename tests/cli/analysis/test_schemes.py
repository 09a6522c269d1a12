"""``compare``, ``attack`` and ``security-report`` on our own schemes."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.ciphers import (
    SCHEMES,
    KeyStreamMask,
    Permutation,
    Pipeline,
    TaggedScheme,
    register_scheme,
)
from sudokucrypt.cli.analysis.schemes import all_schemes
from sudokucrypt.errors import DecryptionError
from sudokucrypt.images import read_picture
from tests.cli.conftest import Run
from tests.images.builders import encoded

OURS = [
    "scramble",
    "scramble-sample",
    "scramble-block",
    "scramble-context",
    "scramble-context-block",
    "encrypt",
]
KEY, OTHER = bytes(32), bytes(31) + b"\1"


@pytest.fixture
def small(run: Run) -> str:
    """The photo, 64 x 64."""
    del run  # has made the folder
    pixels = np.ascontiguousarray(read_picture(Path("photo.png")).pixels[::4, ::4])
    Path("small.png").write_bytes(encoded(pixels, "PNG"))
    return "small.png"


@pytest.mark.parametrize("name", OURS)
def test_our_schemes_are_what_they_say(name: str) -> None:
    """Fixed results repeat, fresh ones do not, both are undone, and all but contexts notice more.

    A wrong key or a changed pixel is refused, or under a context restored as far as it goes.
    """
    subject = all_schemes()[name]
    image = np.random.default_rng(5).integers(0, 256, (48, 32, 3), dtype=np.uint8)
    run = subject.fixed(image, KEY)
    assert np.array_equal(run.pixels, subject.fixed(image, KEY).pixels)
    assert not np.array_equal(run.pixels, subject.fixed(image, OTHER).pixels)
    assert run.undo is not None
    assert np.array_equal(run.undo(KEY), image)
    moved = np.array_equal(np.sort(run.pixels, axis=None), np.sort(image, axis=None))
    assert moved is subject.moves_only
    if subject.fresh is None:
        assert name.startswith("scramble-context")
        assert not np.array_equal(run.undo(OTHER), image)
        assert (
            np.count_nonzero(
                run.undo(KEY, run.pixels ^ np.eye(48, 32, dtype=np.uint8)[..., None]) != image
            )
            == 96
        )
        return
    fresh = subject.fresh(image, KEY)
    assert not np.array_equal(fresh.pixels, subject.fresh(image, KEY).pixels)
    assert fresh.undo is not None
    assert np.array_equal(fresh.undo(KEY), image)
    with pytest.raises(DecryptionError):
        fresh.undo(OTHER)
    with pytest.raises(DecryptionError):
        fresh.undo(KEY, fresh.pixels ^ 1)


def test_registered_ciphers_are_schemes(run: Run, small: str) -> None:
    """Under their names without version, unless taken, whether they encrypt or move pixels."""
    masked = Pipeline((KeyStreamMask(use="toy"),))
    toys = [
        TaggedScheme("toy-v1", lambda _: masked, encrypts=True, key_bits=7),
        TaggedScheme("mask-v2", lambda _: masked, limits="no secret"),
        TaggedScheme("uniform-v1", lambda header: Pipeline((Permutation(header.unit, None, 2),))),
    ]
    names = ("toy", "mask-v2", "uniform-v1")
    for toy in toys:
        register_scheme(toy)
    try:
        arguments = ("compare", small, "--schemes", ",".join(names), "--repeats", "1", "--json")
        data = json.loads(run(*arguments).out)
    finally:
        for toy in toys:
            SCHEMES.remove(toy.name)
    facts = [(each["key_bits"], each["moves_only"], each["limits"]) for each in data["schemes"]]
    outside = "a cipher from outside"
    assert facts == [(7, False, outside), (256, False, "no secret"), (256, True, outside)]
    assert [each["restored_exactly"] for each in data["results"]] == [True] * 3


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "--scheme", "encrypt", "-o", "page.html"],
        ["compare", "--schemes", "encrypt,uniform", "-o", "page.html"],
        ["attack", "affine", "--schemes", "encrypt", "-o", "page.html"],
        ["robustness", "--schemes", "encrypt,scramble-context", "-o", "page.html"],
        ["security-report", "--scheme", "encrypt", "--keys", "5"],
    ],
)
def test_results_may_need_more_levels(run: Run, command: list[str]) -> None:
    """A mask fills all bits of samples of two, and every command measures and draws that."""
    shades = Image.fromarray(np.arange(1024, dtype=np.uint8).reshape(32, 32) % 4, "P")
    shades.putpalette([0, 0, 0, 99, 99, 99, 200, 200, 200, 255, 255, 255])
    shades.save("shades.png", bits=2)
    name, *options = command
    words = [options.pop(0)] if name == "attack" else []
    done = run(name, *words, "shades.png", *options)
    assert done.code == 0, done.err
    (page,) = Path().glob("*.html")
    assert page.read_text(encoding="utf-8").count("<img") >= 2


def test_a_security_report_on_a_scheme_to_compare_with(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says on a page that one map falls, and the files bear the name of the scheme."""
    page = "sudokucrypt.cli.analysis.files.to_html"  # pages are drawn in the full run
    monkeypatch.setattr(page, lambda report, **_: report.lead)
    dots = np.arange(64, dtype=np.uint8).reshape(8, 8)
    Path("dots.png").write_bytes(encoded(dots, "PNG"))
    done = run("security-report", "hilbert", "dots.png", "--keys", "5")
    assert done.out.splitlines() == ["hilbert-security.html", "hilbert-security.json"]
    assert "it is broken by" in Path("hilbert-security.html").read_text(encoding="utf-8")
