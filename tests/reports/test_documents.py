"""Reports as JSON, CSV, Markdown and text."""

import csv
import io
import json
from dataclasses import replace
from functools import partial
from math import inf, nan

import numpy as np
import pytest

from sudokucrypt.analysis import NamedImage
from sudokucrypt.reports import (
    Cell,
    Figure,
    Report,
    Section,
    Table,
    to_csv,
    to_figures,
    to_json,
    to_markdown,
    to_text,
)
from sudokucrypt.reports.drawings import histogram_plot, picture_figure

TABLE = Table(
    title="Figures",
    columns=("figure", "value"),
    rows=(
        (Cell(text="a | b"), Cell(text="1.5", verdict=True, number=True)),
        (Cell(text="c"), Cell(text="20.25", verdict=False, number=True)),
    ),
)
REPORT = Report(
    title="Title",
    lead="Lead.",
    facts=(("keys", "2"),),
    sections=(Section(title="Part", tables=(TABLE,), notes=("A note.",)), Section(title="Empty")),
    data={"figure": nan, "list": (inf, np.float64(1.5)), "deep": {1: -inf}, "no": np.False_},
    records=[{"name": "a", "value": 1.5, "p": nan}, {"name": 'b "x", y', "value": None, "p": 0.0}],
)


def test_json_is_strict() -> None:
    """NaN and infinity become null, tuples lists, keys text, and NumPy's numbers plain ones."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    data = json.loads(to_json(REPORT), parse_constant=refuse)
    assert data.pop("sudokucrypt")
    assert data == {"figure": None, "list": [None, 1.5], "deep": {"1": None}, "no": False}


def test_csv_reads_back() -> None:
    """Quotes and commas survive, and what is unknown is empty."""
    rows = list(csv.DictReader(io.StringIO(to_csv(REPORT))))
    assert rows[0] == {"name": "a", "value": "1.5", "p": ""}
    assert rows[1] == {"name": 'b "x", y', "value": "", "p": "0.0"}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\n"])
def test_no_field_of_csv_is_a_formula(start: str) -> None:
    """A spreadsheet shows a text that a file or a scheme is called, and computes no formula."""
    text = f"{start}cmd|' /C calc'!A0.png"
    records = [{"name": text, start + "column": -1.5}]
    [row] = csv.DictReader(io.StringIO(to_csv(replace(REPORT, records=records)), newline=""))
    assert row == {"name": f"'{text}", f"'{start}column": "-1.5"}
    assert "\r" not in to_csv(replace(REPORT, records=[{"name": f"a\r{text}"}]))


def test_markdown_tables_are_whole() -> None:
    """Bars inside fields are escaped, verdicts marked, and empty sections left out."""
    text = to_markdown(REPORT)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0].split() == ["|", "figure", "|", "value", "|"]
    assert rows[1].replace("-", "") == "|  | : |"
    assert rows[2] == "| a \\| b |   1.5 ✓ |"
    assert rows[3] == "| c      | 20.25 ✗ |"
    assert "- A note." in text
    assert "Empty" not in text
    # A name that looks like HTML stays text, and a sign for less stays as it is.
    report = replace(REPORT, title="<script>x</script>", lead="p < 0.5")
    assert to_markdown(report).startswith("# \\<script>x\\</script>\n\np < 0.5\n")


def test_text_is_lined_up() -> None:
    """Numbers end in one column."""
    lines = to_text(REPORT).splitlines()
    assert lines[:3] == ["Title", "", "Lead."]
    assert lines[-2:] == ["a | b     1.5 ✓", "c       20.25 ✗"]


def test_figures_are_files_of_two_kinds() -> None:
    """Each picture and plot is an SVG and a PDF, and pictures beside each other are a strip."""
    image = NamedImage(name="x", pixels=np.arange(64, dtype=np.uint8).reshape(8, 8))
    drawn = (
        picture_figure("plain", image, alternative="x"),
        picture_figure("protected, first key", image, alternative="x"),
        Figure(title="histogram", draw=partial(histogram_plot, image.pixels), alternative="x"),
    )
    section = Section(title="A picture", figures=drawn)
    files = dict(to_figures(replace(REPORT, sections=(section,))))
    stems = ["01-plain", "02-protected-first-key", "03-histogram", "strip"]
    assert sorted(files) == sorted(
        f"01-a-picture-{stem}.{form}" for stem in stems for form in ("svg", "pdf")
    )
    for name, content in files.items():
        assert content.startswith(b"%PDF-" if name.endswith("pdf") else b"<?xml"), name
        assert b"currentColor" not in content
    assert files == dict(to_figures(replace(REPORT, sections=(section,))))
