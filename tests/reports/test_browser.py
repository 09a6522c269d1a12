"""The page in a browser: nothing fails to load or sticks out, wide or narrow, light or dark."""

from dataclasses import replace
from pathlib import Path

import pytest

from sudokucrypt.analysis import BASELINES, NamedImage, compare_schemes
from sudokucrypt.reports import Report, comparison_report, to_html
from tests.reports.browser import BROWSER, Page

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="there is no Chromium here; test_page.py reads the page without one"
)
WIDTHS = (1280, 390)


@pytest.fixture(scope="module")
def pages(
    tmp_path_factory: pytest.TempPathFactory, report: Report, clouds: NamedImage
) -> dict[str, Path]:
    """A report on a picture and a table of schemes, as files."""
    schemes = list(BASELINES.values())[:4]
    long = replace(clouds, name=f"{'long' * 60}.png")
    table = comparison_report(compare_schemes([clouds, long], schemes, repeats=1))
    folder = tmp_path_factory.mktemp("pages")
    written = {name: folder / f"{name}.html" for name in ("image", "table")}
    written["image"].write_text(to_html(report), encoding="utf-8")
    written["table"].write_text(to_html(table), encoding="utf-8")
    return written


@pytest.mark.parametrize("name", ["image", "table"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out(tab: Page, pages: dict[str, Path], name: str, width: int) -> None:
    """No error, every picture loaded, and no line longer than the window."""
    tab.open(pages[name], width=width)
    assert tab.problems == []
    assert tab.value("document.images.length") > 5
    assert tab.value("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert tab.value("document.documentElement.scrollWidth <= window.innerWidth")
    outside = """[...document.body.querySelectorAll('*')].filter(e =>
        e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('.scroll')).length"""
    assert tab.value(outside) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_paper(tab: Page, pages: dict[str, Path], scheme: str) -> None:
    """Text, notes and verdicts reach the contrast of 4.5 that WCAG 2.2 asks for (1.4.3)."""
    tab.open(pages["image"], width=1280, dark=scheme == "dark")
    contrast = """(() => {
        const light = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => {
            v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
            return .2126 * r + .7152 * g + .0722 * b };
        const behind = e => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!c.endsWith(', 0)')) return c } return 'rgb(255, 255, 255)' };
        const pairs = ['p', '.lead', 'dt', 'dd', 'td', 'thead th', '.notes li', '.pass', '.fail',
                       'nav a', 'figcaption', 'footer']
            .map(s => document.querySelector(s)).filter(Boolean)
            .map(e => [light(getComputedStyle(e).color), light(behind(e))]);
        return Math.min(...pairs.map(p => (Math.max(...p) + .05) / (Math.min(...p) + .05)));
    })()"""
    assert tab.value(contrast) >= 4.5
