"""``compare``, ``attack`` and ``security-report`` on our own schemes."""

import csv
import io
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
    "insecure-logistic-substitution",
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
        TaggedScheme("toy-v1", lambda _: masked, encrypts=True, insecure=True, key_bits=7),
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
def test_compare_makes_a_table(run: Run, small: str) -> None:
    """A row for each picture and scheme, the same in all forms."""
    arguments = ("compare", small, "photo.png", "--schemes", "encrypt,uniform", "--repeats", "1")
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv").out)))
    assert [(row["picture"], row["scheme"]) for row in rows] == [
        (picture, scheme) for picture in (small, "photo.png") for scheme in ("encrypt", "uniform")
    ]
    assert all(row["restored_exactly"] == "True" for row in rows)
    assert float(rows[1]["npcr_same_salt"]) == 1 / 64**2
    assert rows[1]["npcr_fresh_salt"] == ""
    data = json.loads(run(*arguments, "--json").out)
    assert [result["scheme"] for result in data["results"]] == ["encrypt", "uniform"] * 2
    table = run(*arguments, "--markdown", "--html", "table.html").out
    assert "| expected " in table
    assert "## small.png" in table
    assert Path("table.html").read_text(encoding="utf-8").count("<img") == 2 * 3


def test_compare_takes_all_schemes_by_default(run: Run, small: str) -> None:
    """Ours and each of the literature, all of which take a square picture."""
    data = json.loads(run("compare", small, "--repeats", "1", "--json").out)
    names = [scheme["name"] for scheme in data["schemes"]]
    assert names[:3] == ["scramble", "scramble-context", "encrypt"]
    assert len(names) > 10
    assert all(result["restored_exactly"] for result in data["results"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "--scheme", "encrypt", "--html", "page.html"],
        ["compare", "--schemes", "encrypt,uniform", "--html", "page.html"],
        ["attack", "affine", "--schemes", "encrypt", "--html", "page.html"],
        ["robustness", "--schemes", "encrypt,scramble-context", "--html", "page.html"],
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


@pytest.mark.parametrize(
    "command", [["compare"], ["attack", "chosen-plaintext"], ["security-report"]]
)
def test_schemes_are_listed(run: Run, command: list[str]) -> None:
    """Each with what is known against it, without a picture."""
    lines = run(*command, "--list-schemes").out.splitlines()
    assert [line.split()[0] for line in lines] == list(all_schemes())


@pytest.mark.parametrize(
    ("attack", "broken"),
    [
        ("chosen-plaintext", {"scramble-context"}),
        pytest.param("known-plaintext", {"scramble-context"}, marks=pytest.mark.slow),
        pytest.param("differential", {"scramble-context"}, marks=pytest.mark.slow),
        pytest.param("row-column", set(), marks=pytest.mark.slow),
        ("reuse", set()),
    ],
)
def test_what_falls_and_what_does_not(run: Run, small: str, attack: str, broken: set[str]) -> None:
    """One map for all pictures falls; salted scrambling and encryption do not, nor without salt."""
    data = json.loads(run("attack", attack, small, "--json").out)
    assert data["control_broken"] is True
    own = [result for result in data["results"] if not result["control"]]
    assert {result["scheme"] for result in own if result["outcome"] == "broken"} == broken
    assert all(result["outcome"] for result in own)
    if attack == "chosen-plaintext":
        safe = [result["recovered"] for result in own if result["scheme"] != "scramble-context"]
        assert max(safe) < 0.003  # of 4096 pixels one or two are right by chance


@pytest.mark.slow
def test_blocks_are_put_together(run: Run) -> None:
    """Scrambled blocks of 32 pixels fall without any query, with salt too; encryption does not."""
    data = json.loads(run("attack", "jigsaw", "photo.png", "--json").out)
    outcome = {(r["scheme"], r["salt"]): r["outcome"] == "broken" for r in data["results"]}
    assert outcome["scramble-block", "fresh"]
    assert not outcome["encrypt", "fresh"]


@pytest.mark.slow
def test_a_security_report_is_a_page_and_its_data(run: Run, small: str) -> None:
    """Both are written, named on stdout, and neither is replaced without --force."""
    arguments = ("security-report", "encrypt", small, "--keys", "5", "-o", "reports")
    done = run(*arguments)
    page, data = Path("reports/encrypt-security.html"), Path("reports/encrypt-security.json")
    assert done.out.splitlines() == [str(page), str(data)]
    held = json.loads(data.read_text(encoding="utf-8"))
    assert held["pictures"][0]["restored_exactly"] == 5
    assert held["pictures"][0]["figures"]["global_entropy"]["passed"] is True
    assert all(
        attack["control_broken"] for attack in held["attacks"] if attack["attack"] != "jigsaw"
    )
    assert not any(
        result["outcome"] == "broken"
        for attack in held["attacks"]
        for result in attack["results"]
        if not result["control"]
    )
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert run(*arguments).code == 6


def test_a_security_report_on_a_scheme_of_the_literature(
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
