"""Reports as JSON, CSV, Markdown and text."""

import csv
import io
import json
from base64 import b64decode
from collections import Counter
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from math import inf, nan
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from sudokucrypt.analysis import Measurement, NamedImage
from sudokucrypt.analysis.randomness import SequencesSummary
from sudokucrypt.reports import (
    Cell,
    Figure,
    Report,
    Section,
    Table,
    to_csv,
    to_figures,
    to_html,
    to_json,
    to_markdown,
    to_text,
    words,
)
from sudokucrypt.reports.drawings import draw_histogram, make_picture_figure
from sudokucrypt.reports.sequences import make_sequences_data, make_sequences_section

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
    """In JSON, NaN and infinity are null, tuples lists, keys text, and NumPy numbers plain."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    data = json.loads(to_json(REPORT), parse_constant=refuse)
    assert data.pop("sudokucrypt")
    assert data == {"figure": None, "list": [None, 1.5], "deep": {"1": None}, "no": False}


def test_csv_reads_back() -> None:
    """CSV is read again with its quotes and commas; unknown values are empty fields."""
    rows = list(csv.DictReader(io.StringIO(to_csv(REPORT))))
    assert rows[0] == {"name": "a", "value": "1.5", "p": ""}
    assert rows[1] == {"name": 'b "x", y', "value": "", "p": "0.0"}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\n"])
def test_no_field_of_csv_is_a_formula(start: str) -> None:
    """Names that begin like a formula are text in CSV, by a leading apostrophe."""
    text = f"{start}cmd|' /C calc'!A0.png"
    records = [{"name": text, start + "column": -1.5}]
    [row] = csv.DictReader(io.StringIO(to_csv(replace(REPORT, records=records)), newline=""))
    assert row == {"name": f"'{text}", f"'{start}column": "-1.5"}
    assert "\r" not in to_csv(replace(REPORT, records=[{"name": f"a\r{text}"}]))


def test_markdown_tables_are_whole() -> None:
    """In Markdown, bars in fields are escaped, verdicts marked, and empty sections omitted."""
    text = to_markdown(REPORT)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert rows[0].split() == ["|", "figure", "|", "value", "|"]
    assert rows[1].replace("-", "") == "|  | : |"
    assert rows[2] == "| a \\| b |   1.5 ✓ |"
    assert rows[3] == "| c      | 20.25 ✗ |"
    assert "- A note." in text
    assert "Empty" not in text
    # A name that looks like HTML is escaped, and a less-than sign is unchanged.
    report = replace(REPORT, title="<script>x</script>", lead="p < 0.5")
    assert to_markdown(report).startswith("# \\<script>x\\</script>\n\np < 0.5\n")


def test_numbers_in_text_are_aligned() -> None:
    """In text, the numbers of a column end at the same position."""
    lines = to_text(REPORT).splitlines()
    assert lines[:3] == ["Title", "", "Lead."]
    assert lines[-2:] == ["a | b     1.5 ✓", "c       20.25 ✗"]


def test_figures_are_files_of_two_kinds() -> None:
    """Each drawing is written as SVG and PDF; pictures in a row are also written as a strip."""
    image = NamedImage(name="x", pixels=np.arange(64, dtype=np.uint8).reshape(8, 8))
    expected_names = (
        make_picture_figure("plain", image, alternative_text="x"),
        make_picture_figure("protected, first key", image, alternative_text="x"),
        Figure(title="histogram", draw=partial(draw_histogram, image.pixels), alternative="x"),
    )
    section = Section(title="A picture", figures=expected_names)
    files = dict(to_figures(replace(REPORT, sections=(section,))))
    stems = ["01-plain", "02-protected-first-key", "03-histogram", "strip"]
    assert sorted(files) == sorted(
        f"01-a-picture-{stem}.{suffix}" for stem in stems for suffix in ("svg", "pdf")
    )
    for name, content in files.items():
        assert content.startswith(b"%PDF-" if name.endswith("pdf") else b"<?xml"), name
        assert b"currentColor" not in content
    assert files == dict(to_figures(replace(REPORT, sections=(section,))))


# The HTML page contains all its content, and no script.


PNG = b"\x89PNG\r\n\x1a\n"


class HtmlReader(HTMLParser):
    """A parser that collects tags, attributes and text, and checks that each tag is closed."""

    void = frozenset({"meta", "link", "img", "br"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def page(report: Report) -> HtmlReader:
    """Parse the page of a report."""
    reader = HtmlReader()
    reader.feed(to_html(report))
    reader.close()
    return reader


def test_the_page_is_well_formed(page: HtmlReader) -> None:
    """All tags are closed in order; the name of a file is escaped."""
    assert '<script>alert("1")</script> | x' in page.text
    assert page.open == []
    assert page.tags["main"] == page.tags["h1"] == 1


def test_pages_load_no_other_files(page: HtmlReader) -> None:
    """Pictures are data URLs, links are internal, and there is no script, frame or style sheet."""
    for tag, name, value in page.attributes:
        if name in ("src", "srcset", "href", "action", "poster"):
            assert value.startswith(("data:", "#")), (tag, name)
        assert not name.startswith("on")
    assert not {"script", "iframe", "object", "embed", "form"} & set(page.tags)
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_pictures_are_complete(page: HtmlReader, report: Report) -> None:
    """Each drawing is a PNG or a well-formed SVG, and has alternative text."""
    sources = [value for tag, name, value in page.attributes if (tag, name) == ("img", "src")]
    assert len(sources) == sum(len(section.figures) for section in report.sections) > 5
    for source in sources:
        media_type, _, content = source.partition(";base64,")
        data = b64decode(content, validate=True)
        if media_type == "data:image/png":
            assert data.startswith(PNG)
        else:
            assert media_type == "data:image/svg+xml"
            assert ElementTree.fromstring(data).tag.endswith("svg")  # noqa: S314 - our own
            # Its text color follows the page, and pictures inside it are data URLs.
            assert b"currentColor" in data
            assert b"#0a0b0c" not in data
            assert b"prefers-color-scheme" in data
    described = [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")]
    assert len(described) == len(sources)
    assert all(described)


def test_places_are_unique_and_linked(page: HtmlReader) -> None:
    """Each id is unique, and the links at the top lead to all of them."""
    ids = [value for _, name, value in page.attributes if name == "id"]
    links = [value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert len(set(ids)) == len(ids)
    assert links == ids


@pytest.mark.slow
def test_a_report_is_drawn_alike_each_time(report: Report) -> None:
    """Equal measurements give equal pages, without dates or random names."""
    short_report = replace(report, sections=report.sections[:2])
    assert to_html(short_report) == to_html(short_report)


# Formatting of numbers, names, verdicts and tables of sequences.


NUMBERS = (0.0, -0.5, 4e-7, 1234.56, 2e7, nan, inf, None)
TEXTS = ["0.0000", "-0.5000", "0.0000", "1234.6", "2.00e+07", "undefined", "infinite", "-"]


def test_numbers_have_fitting_digits() -> None:
    """Numbers below 100 have four decimals, larger ones fewer; tiny p-values are bounds."""
    assert [words.format_number(value) for value in NUMBERS] == TEXTS
    assert (words.format_p_value(1e-9), words.format_p_value(0.05)) == ("< 0.0001", "0.0500")
    assert (words.format_number(0.99609375, "%"), words.format_number(-1e-9)) == (
        "99.6094",
        "0.0000",
    )
    low = Measurement(name="npcr", value=1.0, lower=0.995693)
    high = Measurement(name="chi", value=1.0, upper=293.2478)
    assert (words.format_interval(low), words.format_interval(high)) == (
        "≥ 99.5693",
        "≤ 293.25",
    )


def test_empty_columns_are_left_out() -> None:
    """A table of values without tests has no columns for tests."""
    table = words.make_measurement_table("t", [Measurement(name="mse", value=2.0)])
    assert table.columns == ("figure", "value")
    assert [cell.text for cell in table.rows[0]] == ["MSE", "2.0000"]


def test_names_become_titles_and_equal_notes_are_joined() -> None:
    """Names become titles with capital abbreviations; equal notes are joined."""
    assert words.format_title("bit_plane_3") == "Bit plane 3"
    assert words.format_title("uaci_same_salt") == "UACI same salt"
    shared = [Measurement(name=f"bit_plane_{n}", value=0.5, note="of bits") for n in range(5)]
    assert words.collect_notes(shared) == ("Bit plane 0 to Bit plane 4: of bits.",)


def test_records_keep_their_keys() -> None:
    """All records have the same keys, which the documentation lists."""
    result = words.index_by_name([Measurement(name="npcr", value=1.0, lower=0.9)])
    keys = ["value", "expected", "lower", "upper", "p_value", "level", "passed", "note"]
    assert list(result["npcr"]) == keys
    assert result["npcr"]["passed"] is True


GOOD = SequencesSummary(
    name="serial",
    label="first",
    sequences=72,
    proportion=0.986,
    lower=0.955,
    upper=1.025,
    proportion_p_value=0.51,
    uniformity=0.4,
    level=0.01,
)


def find_row(**changed: Any) -> list[str]:
    """Return the table row of a test with two p-values, of which the second differs."""
    (row,) = make_sequences_section([GOOD, replace(GOOD, label="second", **changed)]).tables[0].rows
    return [cell.text for cell in row]


def test_a_row_shows_the_least_figures_of_a_test() -> None:
    """A row has the smallest values of a test; it fails at 0.01 divided by the number of them."""
    assert find_row() == ["Serial", "2", "0.9860", "0.9900", "0.5100", "0.4000", "pass"]
    low_row = find_row(proportion=0.94, proportion_p_value=0.0051)
    assert low_row == ["Serial", "2", "0.9400", "0.9900", "0.0051", "0.4000", "pass"]
    assert find_row(proportion=0.94, proportion_p_value=0.0049)[-1] == "fail"
    assert find_row(uniformity=0.000051)[-1] == "pass"
    assert find_row(uniformity=0.000049)[-1] == "fail"
    assert find_row(uniformity=None)[-2:] == ["0.4000", "pass"]
    (row,) = make_sequences_section([replace(GOOD, uniformity=None)]).tables[0].rows
    assert row[-2].text == "-"


def test_data_have_every_figure() -> None:
    """The JSON data have an object for each p-value."""
    first, second = make_sequences_data([GOOD, replace(GOOD, label="second")])
    same = {name: value for name, value in vars(GOOD).items() if name in first}
    assert first == {"test": "serial", **same}
    assert second["label"] == "second"
