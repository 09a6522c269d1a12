"""Pages of reports in a browser: complete, within the window, and with enough contrast."""

from dataclasses import replace
from pathlib import Path

import pytest

from sudokucrypt.analysis import BASELINES, NamedImage, compare_schemes
from sudokucrypt.reports import Report, comparison_report, to_html
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("chromium")
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, report: Report, clouds: NamedImage
) -> dict[str, Path]:
    """Write a report on a picture and a comparison of schemes as pages."""
    schemes = list(BASELINES.values())[:4]
    long_name_image = replace(clouds, name=f"{'long' * 60}.png")
    table = comparison_report(compare_schemes([clouds, long_name_image], schemes, repeats=1))
    folder = tmp_path_factory.mktemp("pages")
    page_paths = {name: folder / f"{name}.html" for name in ("image", "table")}
    page_paths["image"].write_text(to_html(report), encoding="utf-8")
    page_paths["table"].write_text(to_html(table), encoding="utf-8")
    return page_paths


@pytest.mark.parametrize("name", ["image", "table"])
@pytest.mark.parametrize("width", WIDTHS)
def test_everything_fits_the_window(
    tab: Page, pages: dict[str, Path], name: str, width: int
) -> None:
    """A page has no error, all pictures load, and no element is wider than the window."""
    tab.open(pages[name], width=width)
    assert tab.problems == []
    assert tab.value("document.images.length") > 5
    assert tab.value("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert tab.value("document.documentElement.scrollWidth <= window.innerWidth")
    outside = """[...document.body.querySelectorAll('*')].filter(e =>
        e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).length"""
    assert tab.value(outside) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_enough_contrast(tab: Page, pages: dict[str, Path], scheme: str) -> None:
    """Text, notes and verdicts have at least the contrast 4.5 of WCAG 2.2 (1.4.3)."""
    tab.open(pages["image"], width=1280, dark=scheme == "dark")
    parts = (
        "p",
        ".lead",
        "dt",
        "dd",
        "td",
        "thead th",
        ".notes li",
        ".pass",
        ".fail",
        "nav a",
        "figcaption",
        "footer",
    )
    assert tab.contrast(parts) >= 4.5
