"""`attack all`, `zoo`, reports in all forms, and reports on schemes that do not behave."""

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
    """Two pictures, a file of schemes, and few attacks where a report is about something else."""
    del run  # has made the folder
    pixels = (np.add.outer(np.arange(48) ** 2, np.arange(48)) // 7).astype(np.uint8)
    Path("small.png").write_bytes(encode_array(pixels, "PNG"))
    Path("wide.png").write_bytes(encode_array(pixels[:32], "PNG"))
    Path("mine.py").write_text(CODE)
    names = ["differential", "key-bits", "reuse"]
    monkeypatch.setattr("sudokucrypt.analysis.security._list_attack_names", lambda: names)


def test_all_attacks_make_one_table(run: Run) -> None:
    """Each attack on pixels has its results, and what takes too long is not tried."""
    done = run("attack all small.png --scheme mine.py:masked --timeout 2")
    assert "differences" in done.out.lower()
    done = run("attack all small.png --scheme mine.py:masked --timeout 2 --json")
    result = {each["attack"]: each for each in json.loads(done.out)["attacks"]}
    assert set(result) == {name for name, each in ATTACKS.items() if each.takes == "pixels"}
    assert result["reuse"]["results"][0]["outcome"] == "broken"
    assert result["reuse"]["control_broken"] is True


def test_one_published_cipher_is_shown(run: Run) -> None:
    """Source, core and break in words, its attack in JSON; unknown names are refused."""
    shown = run("zoo show ckba --picture small.png --markdown")
    for words in ("Yen", "doi:10.1109/ISCAS.2000.858685", "p ^ k1"):
        assert words.lower() in shown.out.lower()
    assert json.loads(run("zoo show ckba --picture small.png --json").out)
    for arguments in (("zoo", "show", "nope"), ("zoo", "--schemes", "ckba,nope")):
        run(*arguments, code=2, out="", says=("there is no scheme", "bciea, brie,"))
    other = run("zoo show uniform --markdown").out
    assert "the ideal of schemes that only move pixels" in other
    assert "Durstenfeld" in other


def test_all_forms_of_a_comparison_show_the_same_figures(run: Run) -> None:
    """Of one seed, whichever run they are from; another seed gives others."""
    command = ("compare", "small.png", "--schemes", "encrypt,s-box", "--repeats", "1", "--seed")
    data = json.loads(run(*command, "3", "--json").out)["results"]
    assert json.loads(run(*command, "4", "--json").out)["results"] != data
    names = ("global_entropy", "correlation_horizontal")
    values = [each["measurements"][name]["value"] for each in data for name in names]
    run(*command, "3", "-o", "page.html", "-o", "table.csv")
    rows = list(csv.DictReader(io.StringIO(Path("table.csv").read_text(encoding="utf-8"))))
    assert {float(row[name]) for row in rows for name in names} == set(values)
    texts = [run(*command, "3", *form).out for form in ((), ("--latex",), ("--markdown",))]
    for text in (*texts, Path("page.html").read_text(encoding="utf-8")):
        for value in values:
            assert f"{abs(value):.4f}" in text


def test_all_forms_of_a_report_show_the_same_figures(run: Run) -> None:
    """Two runs with one seed agree in everything but seconds, and LaTeX and CSV with JSON."""
    held = []
    for folder in ("a", "b"):
        Path(folder).mkdir()
        forms = ("html", "json", "tex", "csv")
        named = [word for form in forms for word in ("-o", f"{folder}/report.{form}")]
        options = ("--quick", *named)
        run("security-report --scheme mine.py:masked small.png", *options)
        text = Path(folder, "report.json").read_text(encoding="utf-8")
        held.append(re.sub(r'"seconds": [\d.e-]+', "", text))
    assert held[0] == held[1]
    figures = json.loads(text)["pictures"][0]["figures"]
    mean = figures["global_entropy"]["mean"]
    rows = csv.DictReader(io.StringIO(Path("b", "report.csv").read_text("utf-8")))
    assert mean in {float(row["mean"]) for row in rows if row["name"] == "global_entropy"}
    for ending in ("tex", "html"):
        assert f"{mean:.4f}" in Path("b", f"report.{ending}").read_text("utf-8")


@pytest.mark.parametrize("name", ["square", "fixed", "random", "stateful", "slow", "printing"])
def test_schemes_of_any_kind_have_a_report(run: Run, name: str) -> None:
    """What cannot be run is left out, and stdout has nothing but the names of the files."""
    options = ("--quick", "--timeout", "0.5" if name == "slow" else "60")
    done = run("security-report --scheme", f"mine.py:{name}", "small.png", "wide.png", *options)
    assert done.out.splitlines() == [f"{name}-security.html", f"{name}-security.json"]
    data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
    assert len(data["attacks"]) == 3
    assert "Traceback" not in done.err
    page = Path(f"{name}-security.html").read_text(encoding="utf-8")
    assert "Is it broken?" in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("raising", "'raising' failed: RuntimeError: no luck"),
        ("growing", "'growing' made (96, 48) of uint8 from (48, 48) of uint8"),
        ("hanging", "stopped after 0.5 seconds"),
    ],
)
def test_schemes_that_no_picture_suits_have_a_whole_report(run: Run, name: str, words: str) -> None:
    """It says first that nothing could be run and why, and has a row for each attack."""
    options = ("--quick", *(["--timeout", "0.5"] if name == "hanging" else []))
    done = run("security-report --scheme", f"mine.py:{name}", "small.png", *options)
    assert f"Nothing could be run: {words}" in done.err
    assert done.out.splitlines() == [f"{name}-security.html", f"{name}-security.json"]
    assert "Traceback" not in done.err
    data = json.loads(Path(f"{name}-security.json").read_text(encoding="utf-8"))
    assert [each["attack"] for each in data["attacks"]] == ["differential", "key-bits", "reuse"]
    attacked = [run for each in data["attacks"] for run in each["results"] if not run["control"]]
    assert [run["outcome"] for run in attacked] == [None] * 3
    page = Path(f"{name}-security.html").read_text(encoding="utf-8")
    assert "Nothing could be run" in page
