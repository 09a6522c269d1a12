"""``sudokucrypt analyze``: stable keys, forms, and nothing overwritten."""

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt.analysis import ATTACKS
from sudokucrypt.images import read_picture
from tests.cli.conftest import Run
from tests.images.builders import encode_array

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "analysis.md"


def scramble_jpeg(run: Run) -> str:
    """Scramble the photo."""
    run("scramble photo.png -o s.png --key my.key")
    return "s.png"


def list_keys(data: Any) -> Iterator[str]:
    """Yield all keys of JSON data."""
    if isinstance(data, dict):
        yield from data
    if isinstance(data, dict | list):
        for inner in data.values() if isinstance(data, dict) else data:
            yield from list_keys(inner)


def test_json_has_the_keys_of_the_reference(run: Run) -> None:
    """Every key stands in docs/reference/analysis.md, those at the top in this order."""
    done = run(
        "analyze",
        scramble_jpeg(run),
        "--against",
        "photo.png",
        "--twin",
        "photo.png",
        "--json",
        err="",
    )
    data = json.loads(done.out)
    assert " ".join(data) == (
        "sudokucrypt report report_version level image measurements against twin randomness "
        "sequences"
    )
    names = "value expected lower upper p_value level passed note"
    assert list(data["measurements"]["global_entropy"]) == names.split()
    assert list(data["against"]) == ["image", "values_kept", "compared", "measurements"]
    assert data["image"] == {"name": "s.png", "shape": [256, 256], "dtype": "uint8", "levels": 256}
    assert data["against"]["values_kept"] is True
    assert data["against"]["measurements"]["correlation_horizontal"]["value"] > 0.9
    assert abs(data["measurements"]["correlation_horizontal"]["value"]) < 0.05


@pytest.mark.slow
def test_every_key_is_in_the_reference(run: Run) -> None:
    """No key of any report is missing in docs/reference/analysis.md, regardless of the scheme."""
    store("rgb.png", np.random.default_rng(8).integers(0, 256, (40, 48, 3), dtype=np.uint8))
    Image.fromarray(read_picture(Path("rgb.png")).pixels).save("rgb.jpg")
    pair = ("--against", "rgb.png", "--twin", "rgb.png")
    commands = [
        ("analyze", "rgb.png", *pair, "--randomness", "--json"),
        (
            "compare",
            "rgb.png",
            "--schemes",
            "encrypt,arnold,uniform",
            "--repeats",
            "1",
            "--json",
            "--sizes",
            "32",
            "--robustness",
        ),
        ("robustness", "rgb.png", "--json"),
        *(
            ("attack", name, "rgb.png" if each.takes == "pixels" else "rgb.jpg", "--json")
            for name, each in ATTACKS.items()
        ),
    ]
    result = [json.loads(run(*command).out) for command in commands]
    for scheme in ("uniform", "encrypt"):
        run("security-report", scheme, "rgb.png", "--keys", "5")
        result.append(json.loads(Path(f"{scheme}-security.json").read_text(encoding="utf-8")))
    reference = set(re.findall(r"`([\w-]+)`", REFERENCE.read_text(encoding="utf-8")))
    missing = []
    for key in {key for data in result for key in list_keys(data)}:
        stem = re.sub(r"^((correlation|cooccurrence)_.*)_\d$", r"\1", key)
        stem = re.sub(r"^bit_plane_\d$", "bit_plane_0", stem)
        if stem not in reference:
            missing.append(key)
    assert not missing


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 40), (40, 1), (3, 1, 3), (16, 16, 3)])
def test_keys_do_not_depend_on_the_size(run: Run, shape: tuple[int, ...]) -> None:
    """A picture too small for a figure has the keys of a large one, and what can be measured is."""
    measured = []
    for size in ((64, 64, *shape[2:]), shape):
        store("x.png", np.arange(np.prod(size)).astype(np.uint8).reshape(size))
        measured.append(json.loads(run("analyze x.png --json").out)["measurements"])
    whole, result = measured
    assert list(result) == list(whole)
    line = result["correlation_vertical" + "_0" * (len(shape) == 3)]["value"]
    assert (line is None) is (shape[0] == 1)
    compared = run("compare x.png --schemes encrypt,uniform --repeats 1 --json")
    assert [each["refusal"] for each in json.loads(compared.out)["results"]] == [None, None]


def test_forms_agree(run: Run) -> None:
    """CSV, Markdown and text show the figures that JSON does."""
    data = json.loads(run("analyze photo.png --json").out)["measurements"]
    rows = list(csv.DictReader(io.StringIO(run("analyze photo.png --csv").out)))
    assert {row["name"]: float(row["value"]) for row in rows} == {
        name: figure["value"] for name, figure in data.items()
    }
    shown = f"{data['global_entropy']['value']:.4f}"
    for options in ([], ["--markdown"]):
        assert shown in run("analyze photo.png", *options).out


def test_a_page_and_another_form(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside --json both are there; - is stdout."""
    page = "sudokucrypt.cli.analysis.files.to_html"  # pages are drawn in the full run
    monkeypatch.setattr(page, lambda report, **_: f"page: {report.title}")
    store("small.png", np.arange(256, dtype=np.uint8).reshape(16, 16))
    both = run("analyze small.png -o b.html --json -o -")
    assert json.loads(both.out)
    assert Path("b.html").read_text(encoding="utf-8") == "page: Analysis of small.png"
    run("analyze small.png --json -o -", out=both.out)
    run("analyze small.png --json -o data.json")
    assert Path("data.json").read_text(encoding="utf-8") == both.out


def test_bits_are_those_of_the_samples(run: Run) -> None:
    """For 8 bits the file holds the samples as they are."""
    run("analyze photo.png --json --export-bits bits")
    assert Path("bits").read_bytes() == read_picture(Path("photo.png")).pixels.tobytes()


@pytest.mark.skipif(os.name != "posix", reason="such names are not for every system")
def test_any_name_is_reported(run: Run) -> None:
    """Bytes that are no text, lines and commands of terminals are shown as one mark each."""
    store("dot.png", np.zeros((1, 1), dtype=np.uint8))
    data = Path("dot.png").read_bytes()
    for name, shown in ((b"a\xff.png", "a\ufffd.png"), (b"a\n\x1b[1m.png", "a\ufffd\ufffd[1m.png")):
        try:
            Path(os.fsdecode(name)).write_bytes(data)
        except OSError:
            pytest.skip("this file system takes no such names")
        done = run("analyze", os.fsdecode(name), "--json")
        assert json.loads(done.out)["image"]["name"] == shown
        assert f"# Analysis of {shown}" in run("analyze", os.fsdecode(name), "--markdown").out


@pytest.mark.slow
def test_randomness_of_two_million_bits_is_a_table_of_sequences(run: Run) -> None:
    """The JSON has each p-value over all sequences, and the page a row for each test."""
    noise = np.random.default_rng(1).integers(0, 256, (500, 500), dtype=np.uint8)
    Image.fromarray(noise).save("noise.png")
    held = json.loads(run("analyze noise.png --randomness --json").out)
    assert held["randomness"]["frequency"]["bits"] == 1_000_000
    assert {row["sequences"] for row in held["sequences"] if row["test"] == "runs"} == {2}
    shown = run("analyze noise.png --randomness --markdown").out
    assert "## Randomness of many sequences" in shown
    assert "Randomness of the bits" not in shown


def test_what_is_measured_is_said(run: Run) -> None:
    """Of a palette its colors; floats, and several pictures in one file, are refused."""
    store("float.tif", np.zeros((8, 8), dtype=np.float32), kind="TIFF")
    run("analyze float.tif", code=4, out="", says="has samples of float32")
    colors = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16)).quantize(8)
    colors.save("colors.gif")
    done = run("analyze colors.gif --json", err="")
    assert json.loads(done.out)["image"]["shape"] == [16, 16, 3]
    colors.save("two.gif", save_all=True, append_images=[colors.rotate(90)])
    run("analyze two.gif", code=4, out="", says="'two.gif' is an animation")


def store(name: str, pixels: np.ndarray, *, kind: str = "PNG") -> None:
    """Write a picture."""
    Path(name).write_bytes(encode_array(pixels, kind))
