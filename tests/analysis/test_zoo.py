"""Test the zoo: recorded breaks, reproducible reports, and their documentation."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt.analysis import (
    BASELINES,
    MeasuredScheme,
    NamedImage,
    SchemeResult,
    measure_zoo,
    run_attack,
    standard_ciphers,
)
from sudokucrypt.analysis.attacks import ATTACKS
from sudokucrypt.analysis.zoo import SHOWN_METRICS, find_recorded_break, make_zoo_data
from sudokucrypt.cli.analysis.schemes import load_schemes
from sudokucrypt.reports import to_csv, to_json, to_latex, to_text, zoo_report
from sudokucrypt.reports.zoo_report import summarize_zoo
from tests.analysis.pictures import picture

FACE = np.ascontiguousarray(picture("camera")[100:164, 200:264])
COLOR = np.ascontiguousarray(picture("astronaut")[100:132, 200:232])
SCHEMES = load_schemes()
ON_RECORD = [name for name, scheme in SCHEMES.items() if scheme.falls_to in ATTACKS]


@pytest.fixture
def few_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out most attacks, for tests of other parts of a report."""
    monkeypatch.setattr(
        "sudokucrypt.analysis.zoo.list_pixel_attacks", lambda: ["reuse", "row-column"]
    )


@pytest.mark.parametrize("name", ON_RECORD)
def test_recorded_breaks_break(name: str) -> None:
    """The attack that is recorded for a scheme breaks its intended use."""
    scheme = SCHEMES[name]
    plain = NamedImage(name="x", pixels=COLOR if name.startswith("etc-") else FACE)
    figures = run_attack(scheme.falls_to, plain, [scheme], control=False)
    assert figures.as_used.broken


def test_records_are_of_the_listed_schemes_only() -> None:
    """A user's scheme with the name of a built-in one has no recorded break."""
    assert find_recorded_break(BASELINES["uniform"]) == "chosen-plaintext"
    assert find_recorded_break(BASELINES["ckba"]) in ATTACKS
    assert find_recorded_break(BASELINES["latin-square-no-noise"]) == "chosen-ciphertext"
    own_scheme = MeasuredScheme(name="ckba", fixed=lambda image, _: SchemeResult(image), limits="")
    assert find_recorded_break(own_scheme) == ""


@pytest.mark.usefixtures("few_attacks")
def test_two_runs_are_equal_byte_for_byte() -> None:
    """Two measurements of the zoo give equal reports in every form."""
    pictures = [
        NamedImage(name="face", pixels=FACE[:32, :32]),
        NamedImage(name="color", pixels=COLOR),
    ]
    forms, counts = [], list[tuple[int, int]]()

    def count_steps(done: int, total: int) -> None:
        counts.append((done, total))

    for _ in range(2):
        ciphers = [BASELINES["pareek"], BASELINES["ckba"], *standard_ciphers()]
        zoo = measure_zoo(pictures, ciphers, keys=2, seed=3, timeout=None, progress=count_steps)
        report = zoo_report(zoo)
        forms.append([form(report) for form in (to_json, to_csv, to_latex, to_text)])
        values = [row["values"] for row in make_zoo_data(zoo)["ciphers"].values()]
        figures = [each for row in values for several in row.values() for each in several]
        assert figures == [round(each, 6) for each in figures]
    total = 2 * len(ciphers)
    assert counts == 2 * [(done, total) for done in range(1, total + 1)]
    assert forms[0] == forms[1]


@pytest.mark.usefixtures("few_attacks")
def test_color_is_measured_where_a_cipher_has_it() -> None:
    """A cipher for gray images gets one channel of a color picture, others the whole picture."""
    color, gray = (
        NamedImage(name="x", pixels=pixels)
        for pixels in (COLOR, np.ascontiguousarray(COLOR[..., 1]))
    )
    whole, middle = (
        make_zoo_data(measure_zoo(plain, [BASELINES["ckba"], BASELINES["pareek"]]))["ciphers"]
        for plain in (color, gray)
    )
    assert whole["ckba"] == middle["ckba"]
    assert whole["pareek"]["values"] != middle["pareek"]["values"]


@pytest.mark.usefixtures("few_attacks")
def test_the_form_of_the_data_is_documented() -> None:
    """docs/reference/analysis.md describes every key of the data, and its version."""
    plain = NamedImage(name="face", pixels=FACE[:32, :32])
    report = zoo_report(measure_zoo(plain, [BASELINES["bciea"]]))
    data = json.loads(to_json(report))
    page = Path(__file__).parents[2] / "docs" / "reference" / "analysis.md"
    text = page.read_text("utf-8").partition("\n## zoo\n")[2]
    row = data["ciphers"]["bciea"]
    keys = {*data, *row, *row["attacks"]["reuse"], *SHOWN_METRICS} - {"sudokucrypt"}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []
    assert f"`report_version` {data['report_version']}" in text
    assert row["claimed"]["npcr_same_salt"] == 0.9962
    assert row["evidence"] == "authors' code"


@pytest.mark.usefixtures("few_attacks")
def test_findings_name_threats_and_leave_out_what_is_reduced() -> None:
    """Complete, reduced, uncertain and other ciphers each have a sentence with both threats."""
    names = ("mhm", "fridrich-reduced", "ieaie-one-round", "uniform")
    plain = NamedImage(name="face", pixels=FACE[:16, :16])
    text = summarize_zoo(measure_zoo(plain, [BASELINES[name] for name in names]).entries)
    sentences = re.findall(r"Of [^.]*\.", text)
    assert len(sentences) == 4
    assert all("plaintexts" in each and "chosen ciphertexts" in each for each in sentences)
    assert "1 published cipher, checked in the same way but reduced, and not counted" in text


@pytest.mark.usefixtures("few_attacks")
def test_nothing_is_said_of_what_was_not_measured() -> None:
    """A scheme with the name of a cipher has no evidence; one that refuses passes no metric."""
    plain = NamedImage(name="face", pixels=FACE[:16, :16])
    own_scheme = MeasuredScheme(name="mhm", fixed=lambda image, _: SchemeResult(image), limits="")
    deep = NamedImage(name="deep", pixels=FACE[:16, :16].astype(np.uint16), levels=2**16)
    (entry,) = measure_zoo(plain, [own_scheme]).entries
    assert (entry.evidence, entry.claimed) == ("", {})
    assert "1 other scheme" in summarize_zoo([entry])
    (entry,) = measure_zoo(deep, [BASELINES["mhm"]]).entries
    assert (entry.metrics, entry.passes, entry.broken_by) == ({}, False, frozenset())
    assert "0 pass all of the usual metrics" in summarize_zoo([entry])
