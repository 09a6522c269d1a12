"""The page holds everything it shows, and nothing that runs."""

from base64 import b64decode
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from sudokucrypt.reports import Report, to_html

PNG = b"\x89PNG\r\n\x1a\n"


class Reader(HTMLParser):
    """Gathers tags, attributes and text, and checks that what opens closes."""

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
def page(report: Report) -> Reader:
    """The page of a report, read."""
    reader = Reader()
    reader.feed(to_html(report))
    reader.close()
    return reader


def test_the_page_is_well_formed(page: Reader) -> None:
    """Every tag that opens closes, in order; the name of a file is text, whatever it holds."""
    assert '<script>alert("1")</script> | x' in page.text
    assert page.open == []
    assert page.tags["main"] == page.tags["h1"] == 1


def test_nothing_comes_from_elsewhere(page: Reader) -> None:
    """Pictures are data, links stay on the page, and there is no script, frame or style sheet."""
    for tag, name, value in page.attributes:
        if name in ("src", "srcset", "href", "action", "poster"):
            assert value.startswith(("data:", "#")), (tag, name)
        assert not name.startswith("on")
    assert not {"script", "iframe", "object", "embed", "form"} & set(page.tags)
    assert "url(" not in page.text
    assert "@import" not in page.text


def test_pictures_are_whole(page: Reader, report: Report) -> None:
    """Each figure is a PNG or a well-formed SVG, with words for those who cannot see it."""
    sources = [value for tag, name, value in page.attributes if (tag, name) == ("img", "src")]
    assert len(sources) == sum(len(section.figures) for section in report.sections) > 5
    for source in sources:
        kind, _, content = source.partition(";base64,")
        data = b64decode(content, validate=True)
        if kind == "data:image/png":
            assert data.startswith(PNG)
        else:
            assert kind == "data:image/svg+xml"
            assert ElementTree.fromstring(data).tag.endswith("svg")  # noqa: S314 - our own
            # The ink follows the page; a picture inside must be data as well.
            assert b"currentColor" in data
            assert b"#0a0b0c" not in data
            assert b"prefers-color-scheme" in data
    described = [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")]
    assert len(described) == len(sources)
    assert all(described)


def test_places_are_unique_and_linked(page: Reader) -> None:
    """Each id stands once, and the links at the top lead to all of them."""
    ids = [value for _, name, value in page.attributes if name == "id"]
    links = [value[1:] for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert len(set(ids)) == len(ids)
    assert links == ids


@pytest.mark.slow
def test_a_report_is_drawn_alike_each_time(report: Report) -> None:
    """No date, no chance: equal figures give equal pages."""
    short = replace(report, sections=report.sections[:2])
    assert to_html(short) == to_html(short)
