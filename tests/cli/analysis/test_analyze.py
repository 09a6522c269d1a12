"""``sudokucrypt analyze``: stable keys of JSON, all forms of reports, and unusual pictures."""

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


def list_keys(value_or_list: Any) -> Iterator[str]:
    """Yield all keys in nested JSON data."""
    if isinstance(value_or_list, dict):
        yield from value_or_list
    if isinstance(value_or_list, dict | list):
        for value in value_or_list.values() if isinstance(value_or_list, dict) else value_or_list:
            yield from list_keys(value)


def test_json_has_the_keys_of_the_reference(run: Run) -> None:
    """The JSON of `analyze` has the keys in docs/reference/analysis.md, in their order."""
    result = run(
        "analyze",
        scramble_jpeg(run),
        "--against",
        "photo.png",
        "--twin",
        "photo.png",
        "--json",
        err="",
    )
    data = json.loads(result.out)
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
    """docs/reference/analysis.md lists every key of every report, for schemes of any kind."""
    store("rgb.png", np.random.default_rng(8).integers(0, 256, (40, 48, 3), dtype=np.uint8))
    Image.fromarray(read_picture(Path("rgb.png")).pixels).save("rgb.jpg")
    pair_options = ("--against", "rgb.png", "--twin", "rgb.png")
    commands = [
        ("analyze", "rgb.png", *pair_options, "--randomness", "--json"),
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
            ("attack", name, "rgb.png" if attack.takes == "pixels" else "rgb.jpg", "--json")
            for name, attack in ATTACKS.items()
        ),
    ]
    result = [json.loads(run(*command).out) for command in commands]
    for scheme in ("uniform", "encrypt"):
        run("security-report", scheme, "rgb.png", "--keys", "5")
        result.append(json.loads(Path(f"{scheme}-security.json").read_text(encoding="utf-8")))
    reference = set(re.findall(r"`([\w-]+)`", REFERENCE.read_text(encoding="utf-8")))
    missing_keys = []
    for key in {key for report_fields in result for key in list_keys(report_fields)}:
        numberless_key = re.sub(r"^((correlation|cooccurrence)_.*)_\d$", r"\1", key)
        numberless_key = re.sub(r"^bit_plane_\d$", "bit_plane_0", numberless_key)
        if numberless_key not in reference:
            missing_keys.append(key)
    assert not missing_keys


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 40), (40, 1), (3, 1, 3), (16, 16, 3)])
def test_keys_do_not_depend_on_the_size(run: Run, shape: tuple[int, ...]) -> None:
    """The JSON for a picture too small for some metrics has the same keys as for a large one."""
    keys_by_size = []
    for size in ((64, 64, *shape[2:]), shape):
        store("x.png", np.arange(np.prod(size)).astype(np.uint8).reshape(size))
        keys_by_size.append(json.loads(run("analyze x.png --json").out)["measurements"])
    large_keys, result = keys_by_size
    assert list(result) == list(large_keys)
    line = result["correlation_vertical" + "_0" * (len(shape) == 3)]["value"]
    assert (line is None) is (shape[0] == 1)
    comparison = run("compare x.png --schemes encrypt,uniform --repeats 1 --json")
    assert [result["refusal"] for result in json.loads(comparison.out)["results"]] == [None, None]


def test_all_forms_contain_equal_values(run: Run) -> None:
    """CSV, Markdown and text contain the same values as JSON."""
    data = json.loads(run("analyze photo.png --json").out)["measurements"]
    rows = list(csv.DictReader(io.StringIO(run("analyze photo.png --csv").out)))
    assert {row["name"]: float(row["value"]) for row in rows} == {
        name: figure["value"] for name, figure in data.items()
    }
    printed_values = f"{data['global_entropy']['value']:.4f}"
    for options in ([], ["--markdown"]):
        assert printed_values in run("analyze photo.png", *options).out


def test_a_page_and_json_in_one_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With -o page.html -o - --json, the page is written, and JSON is printed."""
    page = "sudokucrypt.cli.analysis.files.to_html"  # drawing of pages has other tests
    monkeypatch.setattr(page, lambda report, **_: f"page: {report.title}")
    store("small.png", np.arange(256, dtype=np.uint8).reshape(16, 16))
    page_and_json = run("analyze small.png -o b.html --json -o -")
    assert json.loads(page_and_json.out)
    assert Path("b.html").read_text(encoding="utf-8") == "page: Analysis of small.png"
    run("analyze small.png --json -o -", out=page_and_json.out)
    run("analyze small.png --json -o data.json")
    assert Path("data.json").read_text(encoding="utf-8") == page_and_json.out


def test_bits_are_those_of_the_samples(run: Run) -> None:
    """For a picture of 8 bits, the exported bits are its samples."""
    run("analyze photo.png --json --export-bits bits")
    assert Path("bits").read_bytes() == read_picture(Path("photo.png")).pixels.tobytes()


@pytest.mark.skipif(os.name != "posix", reason="such names are not for every system")
def test_any_name_is_reported(run: Run) -> None:
    """Undecodable bytes, line breaks and escape sequences in a file name are replaced."""
    store("dot.png", np.zeros((1, 1), dtype=np.uint8))
    picture_bytes = Path("dot.png").read_bytes()
    for name, expected_name in (
        (b"a\xff.png", "a\ufffd.png"),
        (b"a\n\x1b[1m.png", "a\ufffd\ufffd[1m.png"),
    ):
        try:
            Path(os.fsdecode(name)).write_bytes(picture_bytes)
        except OSError:
            pytest.skip("this file system takes no such names")
        result = run("analyze", os.fsdecode(name), "--json")
        assert json.loads(result.out)["image"]["name"] == expected_name
        assert (
            f"# Analysis of {expected_name}" in run("analyze", os.fsdecode(name), "--markdown").out
        )


@pytest.mark.slow
def test_randomness_of_two_million_bits_is_a_table_of_sequences(run: Run) -> None:
    """For two sequences of bits, JSON has each p-value, and the page a row for each test."""
    noise = np.random.default_rng(1).integers(0, 256, (500, 500), dtype=np.uint8)
    Image.fromarray(noise).save("noise.png")
    json_rows = json.loads(run("analyze noise.png --randomness --json").out)
    assert json_rows["randomness"]["frequency"]["bits"] == 1_000_000
    assert {row["sequences"] for row in json_rows["sequences"] if row["test"] == "runs"} == {2}
    table = run("analyze noise.png --randomness --markdown").out
    assert "## Randomness of many sequences" in table
    assert "Randomness of the bits" not in table


def test_unusual_pictures(run: Run) -> None:
    """Of a palette, the colors are measured; floats and several pictures in a file are refused."""
    store("float.tif", np.zeros((8, 8), dtype=np.float32), file_format="TIFF")
    run("analyze float.tif", code=4, out="", says="has samples of float32")
    colors = Image.fromarray(np.arange(256, dtype=np.uint8).reshape(16, 16)).quantize(8)
    colors.save("colors.gif")
    result = run("analyze colors.gif --json", err="")
    assert json.loads(result.out)["image"]["shape"] == [16, 16, 3]
    colors.save("two.gif", save_all=True, append_images=[colors.rotate(90)])
    run("analyze two.gif", code=4, out="", says="'two.gif' is an animation")


def store(name: str, pixels: np.ndarray, *, file_format: str = "PNG") -> None:
    """Write a picture."""
    Path(name).write_bytes(encode_array(pixels, file_format))
