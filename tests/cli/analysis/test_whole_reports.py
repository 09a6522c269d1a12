"""`attack all`, `zoo`, reports in all forms, and reports on schemes that raise errors or hang."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.analysis import ATTACKS
from tests.cli.conftest import Run
from tests.images.builders import encode_array

CODE = """
import itertools, os, time
import numpy as np

calls = itertools.count()

def masked(image, key):
    return image ^ np.random.default_rng(list(key)).integers(0, 256, image.shape, np.uint8)

def square(image, key):
    if image.shape[0] != image.shape[1]:
        raise ValueError("square pictures only")
    return masked(image, key)

def fixed(image, key):
    if image.shape != (48, 48):
        raise ValueError("48 x 48 pixels only")
    return masked(image, key)

def random(image, key):
    return image ^ np.frombuffer(os.urandom(image.size), np.uint8).reshape(image.shape)

def stateful(image, key):
    return masked(image, key) ^ np.uint8(next(calls) % 251)

def slow(image, key):
    time.sleep(0.01)
    return masked(image, key)

def printing(image, key):
    print("sudokucrypt: printed by the scheme")  # as all lines on stderr begin
    return masked(image, key)

def raising(image, key):
    raise RuntimeError("no luck")

def hanging(image, key):
    while True:
        pass

def growing(image, key):
    return np.concatenate([image, image])
"""


@pytest.fixture(autouse=True)
def files(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write two pictures and a Python file with schemes; leave out most attacks."""
    del run  # has made the folder
    pixels = (np.add.outer(np.arange(48) ** 2, np.arange(48)) // 7).astype(np.uint8)
    Path("small.png").write_bytes(encode_array(pixels, "PNG"))
    Path("wide.png").write_bytes(encode_array(pixels[:32], "PNG"))
    Path("mine.py").write_text(CODE)
    names = ["differential", "key-bits", "reuse"]
    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", lambda: names)


def test_all_attacks_make_one_table(run: Run) -> None:
    """`attack all` has results of each attack on pixels; slow attacks are not tried."""
    result = run("attack all small.png --scheme mine.py:masked --timeout 2")
    assert "differences" in result.out.lower()
    result = run("attack all small.png --scheme mine.py:masked --timeout 2 --json")
    attacks = {attack["attack"]: attack for attack in json.loads(result.out)["attacks"]}
    assert set(attacks) == {name for name, attack in ATTACKS.items() if attack.takes == "pixels"}
    assert attacks["reuse"]["results"][0]["outcome"] == "broken"
    assert attacks["reuse"]["control_broken"] is True


def test_one_published_cipher_is_shown(run: Run) -> None:
    """`zoo show` prints source, design and break of a cipher; unknown names are errors."""
    page = run("zoo show ckba --picture small.png --markdown")
    for words in ("Yen", "doi:10.1109/ISCAS.2000.858685", "p ^ k1"):
        assert words.lower() in page.out.lower()
    assert json.loads(run("zoo show ckba --picture small.png --json").out)
    for arguments in (("zoo", "show", "nope"), ("zoo", "--schemes", "ckba,nope")):
        run(*arguments, code=2, out="", says=("there is no scheme", "bciea, brie,"))
    uniform_page = run("zoo show uniform --markdown").out
    assert "the ideal of schemes that only move pixels" in uniform_page
    assert "Durstenfeld" in uniform_page


def test_all_forms_of_a_comparison_show_the_same_figures(run: Run) -> None:
    """All forms of a comparison with one seed have the same values; another seed has others."""
    command = ("compare", "small.png", "--schemes", "encrypt,s-box", "--repeats", "1", "--seed")
    data = json.loads(run(*command, "3", "--json").out)["results"]
    assert json.loads(run(*command, "4", "--json").out)["results"] != data
    names = ("global_entropy", "correlation_horizontal")
    values = [comparison["measurements"][name]["value"] for comparison in data for name in names]
    run(*command, "3", "-o", "page.html", "-o", "table.csv")
    rows = list(csv.DictReader(io.StringIO(Path("table.csv").read_text(encoding="utf-8"))))
    assert {float(row[name]) for row in rows for name in names} == set(values)
    texts = [
        run(*command, "3", *form_options).out
        for form_options in ((), ("--latex",), ("--markdown",))
    ]
    for text in (*texts, Path("page.html").read_text(encoding="utf-8")):
        for value in values:
            assert f"{abs(value):.4f}" in text


def test_all_forms_of_a_report_show_the_same_figures(run: Run) -> None:
    """Two runs with one seed agree except in seconds; LaTeX and CSV agree with JSON."""
    first_result = []
    for folder in ("a", "b"):
        Path(folder).mkdir()
        formats = ("html", "json", "tex", "csv")
        output_options = [word for form in formats for word in ("-o", f"{folder}/report.{form}")]
        options = ("--quick", *output_options)
        run("security-report --scheme mine.py:masked small.png", *options)
        text = Path(folder, "report.json").read_text(encoding="utf-8")
        first_result.append(re.sub(r'"seconds": [\d.e-]+', "", text))
    assert first_result[0] == first_result[1]
    figures = json.loads(text)["pictures"][0]["figures"]
    mean_entropy = figures["global_entropy"]["mean"]
    rows = csv.DictReader(io.StringIO(Path("b", "report.csv").read_text("utf-8")))
    assert mean_entropy in {float(row["mean"]) for row in rows if row["name"] == "global_entropy"}
    for ending in ("tex", "html"):
        assert f"{mean_entropy:.4f}" in Path("b", f"report.{ending}").read_text("utf-8")


@pytest.mark.parametrize("name", ["square", "fixed", "random", "stateful", "slow", "printing"])
def test_schemes_of_any_kind_have_a_report(run: Run, name: str) -> None:
    """Parts of a report that a scheme cannot run are left out; stdout only has the file names."""
    options = ("--quick", "--timeout", "0.5" if name == "slow" else "60")
    result = run("security-report --scheme", f"mine.py:{name}", "small.png", "wide.png", *options)
    assert result.out.splitlines() == [f"{name}-security.html", f"{name}-security.json"]
    data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
    assert len(data["attacks"]) == 3
    assert "Traceback" not in result.err
    page = Path(f"{name}-security.html").read_text(encoding="utf-8")
    assert "Is it broken?" in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raising", "'raising' failed: RuntimeError: no luck"),
        (
            "growing",
            "'growing' returned an array of shape (96, 48) and dtype uint8 "
            "for an image of shape (48, 48)",
        ),
        ("hanging", "stopped after 0.5 seconds"),
    ],
)
def test_schemes_that_no_picture_suits_have_a_whole_report(run: Run, name: str, words: str) -> None:
    """The report on a scheme that accepts no picture says why, and has a row for each attack."""
    options = ("--quick", *(["--timeout", "0.5"] if name == "hanging" else []))
    result = run("security-report --scheme", f"mine.py:{name}", "small.png", *options)
    assert f"Nothing could be run: {words}" in result.err
    assert result.out.splitlines() == [f"{name}-security.html", f"{name}-security.json"]
    assert "Traceback" not in result.err
    data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
    assert [attack["attack"] for attack in data["attacks"]] == ["differential", "key-bits", "reuse"]
    attacked_results = [
        run for attack in data["attacks"] for run in attack["results"] if not run["control"]
    ]
    assert [run["outcome"] for run in attacked_results] == [None] * 3
    page = Path(f"{name}-security.html").read_text(encoding="utf-8")
    assert "Nothing could be run" in page
