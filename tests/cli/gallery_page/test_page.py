"""The page shows what is sealed in the headers, as text, and holds nothing else."""

import re
import time
import tomllib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import read_header, recipes
from sudokucrypt.cli.finding import FileSearch, find_items
from sudokucrypt.cli.gallery.contents import Gallery, GalleryEntry, gather
from sudokucrypt.cli.gallery.html import page_parts, policy
from sudokucrypt.images import read_picture
from sudokucrypt.recipes import SealedInfo, read_sealed_info
from tests.cli.gallery_page.conftest import FILES, HOSTILE, LIMITS, SECRET
from tests.images.builders import encoded, noise
from tests.reports.test_page import Reader

SHOWN = HOSTILE.replace("\u202e", "\ufffd")


class Page(Reader):
    """Reads a page of ours, which has a field for searching too."""

    void = Reader.void | {"input"}


def read(gallery: Gallery, *, served: bool = False) -> Page:
    """The page, read as a browser reads it."""
    page = Page()
    page.feed(b"".join(page_parts(gallery, served=served)).decode("utf-8"))
    page.close()
    return page


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two hours east of Greenwich."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XYZ-2")
        time.tzset()
        yield
    time.tzset()


def test_the_page_is_well_formed(gallery: Gallery) -> None:
    """Every tag that opens closes; there is one heading, a language, and one card for each file."""
    for served in (False, True):
        page = read(gallery, served=served)
        assert page.open == []
        assert (page.tags["h1"], page.tags["main"], page.tags["li"]) == (1, 1, len(gallery.entries))
        assert ("html", "lang", "en") in page.attributes


def test_names_are_text(gallery: Gallery) -> None:
    """A name that means harm stays a name, in order: it turns no letters, and starts no tag."""
    page = read(gallery)
    assert SHOWN in page.text
    assert not any("\u202e" in value for _, _, value in page.attributes)
    assert "\u202e" not in page.text
    assert page.tags["img"] == sum(entry.preview for entry in gallery.entries)
    assert page.tags["script"] == 1
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert page.tags["bdi"] == len(gallery.entries) + 2  # two are in folders


def test_names_that_are_no_text(gallery: Gallery) -> None:
    """The stored name of a picture may be anything that a file system holds."""
    for name in ("\udcff.png", "a\nb\x1b[31m.png", '" onload="x'):
        page = read(replace(gallery, entries=(replace(gallery.entries[-1], name=name),)))
        assert page.open == []
        assert not [name for _, name, _ in page.attributes if name.startswith("on")]


@pytest.mark.usefixtures("clock")
def test_cards_say_what_is_sealed(gallery: Gallery) -> None:
    """By time and then name: name, local time, size and type; of pixels, the stored name."""
    text = read(gallery).text
    names = [
        "early.jpg", SHOWN, "drawing.svg", "notes.txt", "a paper.pdf", "no suffix", "late.jpg",
        "pixels.encrypted.png", "old.png",
    ]  # fmt: skip
    assert [entry.name.replace("\u202e", "\ufffd") for entry in gallery.entries] == names
    positions = [text.index(name) for name in names]
    assert positions == sorted(positions)
    assert "2017-07-14 04:40" in text
    assert f"{len(FILES['notes.txt'][0])} B · text/plain" in text
    assert "0 B · unknown type" in text
    assert "18 \N{MULTIPLICATION SIGN} 13 pixels · PNG" in text
    assert "in lake/deep" in text
    assert text.count("stored name") == 3  # two, and what it means


def test_previews_are_those_that_were_sealed(gallery: Gallery, safe: Path) -> None:
    """Pictures are data, in WebP form, with words; what has none gets a drawing with its suffix."""
    page = read(gallery)
    sources = [value for tag, name, value in page.attributes if (tag, name) == ("img", "src")]
    sealed = [read_sealed_info(safe / name, SECRET).preview for name in
              ("1.png", "lake/0.png", "pixels.encrypted.png")]  # fmt: skip
    assert [b64decode(source.partition("base64,")[2]) for source in sources] == sealed
    assert all(source.startswith("data:image/webp;base64,") for source in sources)
    alternatives = [value for tag, name, value in page.attributes if (tag, name) == ("img", "alt")]
    assert alternatives[0] == "Preview of early.jpg"
    assert {"HTML", "SVG", "TXT", "PDF", "PNG"} <= set(re.findall("[A-Z]{3,4}", page.text))


def test_sheets_are_labelled_by_the_type(gallery: Gallery) -> None:
    """What was sealed counts for more than a name, which may say anything."""
    entry = next(entry for entry in gallery.entries if entry.name == "notes.txt")
    for name, media, label in (
        ("photo.jpg", "text/html", "HTML"),
        ("film", "video/mp4", "MP4"),
        ("a.docx", "application/x-unheard-of", "DOCX"),
        ("a", None, ""),
    ):
        shown = replace(entry, name=name, type=media)
        text = b"".join(page_parts(replace(gallery, entries=(shown,)))).decode()
        assert f'text-anchor="middle">{label}</text>' in text


def test_files_that_are_not_those_of_their_headers(gallery: Gallery, safe: Path) -> None:
    """A picture that was resized or converted beside its sidecar is marked on its card."""
    assert not any(entry.change for entry in gallery.entries)
    changes = {
        "1.png": (noise(72, 96, 1), "it has 96 \N{MULTIPLICATION SIGN} 72 pixels, not "),
        "2.png": (
            np.atleast_3d(read_picture(safe / "2.png").pixels).repeat(3, 2),
            "3 bytes, not 1",
        ),
        "4.png": (None, "it is damaged"),
    }
    for name, (pixels, _) in changes.items():
        header = read_header(safe / name)
        (safe / f"{name}.sudokucrypt.json").write_bytes(header.to_bytes() + b"\n")
        data = b"BM" if pixels is None else encoded(pixels, "PNG")
        (safe / name).write_bytes(data)
    again = gather(
        find_items([safe], FileSearch(word="gallery", recursive=True, restoring=True)),
        SECRET,
        LIMITS,
    )
    result = {entry.path.name: entry.change for entry in again.entries if entry.change}
    assert result.keys() == changes.keys()
    assert all(words in result[name] for name, (_, words) in changes.items())
    assert read(again).text.count("file was changed: ") == 3


def _failing_for(path: Path) -> Callable[..., SealedInfo | None]:
    find = recipes.find_sealed_info

    def failing(location: Path, *arguments: Any, **options: Any) -> SealedInfo | None:
        if location == path:
            raise SyntaxError("a fault of ours")
        return find(location, *arguments, **options)

    return failing


def test_surprises_in_one_file(
    safe: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whatever one file raises, the others are shown, and a warning names it."""
    files = find_items([safe], FileSearch(word="gallery", recursive=True, restoring=True))
    whole = gather(files, SECRET, LIMITS)
    monkeypatch.setattr(recipes, "find_sealed_info", _failing_for(safe / "1.png"))
    files = find_items([safe], FileSearch(word="gallery", recursive=True, restoring=True))
    assert len(gather(files, SECRET, LIMITS).entries) == len(whole.entries) - 1
    assert "unexpected SyntaxError" in capfd.readouterr().err


def test_nothing_else_is_decrypted(gallery: Gallery) -> None:
    """No sample of the files and no path is on the page, and nothing of what does not open."""
    data = b"".join(page_parts(gallery))
    for content, _ in FILES.values():
        if len(content) > 24:
            assert content[-24:] not in data
            assert b64encode(content[-24:])[4:-4] not in data
    for name in (b"hidden.jpg", b"foreign", b"damaged.png", b"plain.png", b"0.png"):
        assert name not in data
    text = read(gallery).text
    assert "1 other does not open with this key" in text
    assert "1 damaged or unsupported file left out" in text


def test_the_page_warns(gallery: Gallery) -> None:
    """It says first that it is plain, and what was not checked."""
    text = read(gallery).text
    assert text.index("This page is not encrypted.") < text.index("early.jpg")
    assert "Delete it after use." in text
    assert "checked when they are decrypted" in text


def test_nothing_comes_from_elsewhere(gallery: Gallery) -> None:
    """The policy lets the page load data and run our script, and nothing else."""
    for served in (False, True):
        page = read(gallery, served=served)
        for tag, name, value in page.attributes:
            if name in ("src", "srcset", "href", "action", "poster", "data"):
                ours = ("preview/", "file/") if served else ()
                assert value.startswith(("data:", *ours)), (tag, name, value)
        assert not {"iframe", "object", "embed", "form", "base"} & set(page.tags)
        text = b"".join(page_parts(gallery, served=served)).decode()
        rules = dict(rule.split(" ", 1) for rule in policy(served=served).split("; "))
        assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
        assert rules["img-src"] == ("'self' data:" if served else "data:")
        for tag in ("style", "script"):
            (inner,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
            digest = b64encode(sha256(inner.encode()).digest()).decode()
            assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
        assert ("meta", "content", policy(served=served)) in page.attributes
        assert ("meta", "content", "no-referrer") in page.attributes


def test_links_are_numbers(gallery: Gallery) -> None:
    """A page that is served leads to files and previews by their places in the list alone."""
    page = read(gallery, served=True)
    links = [value for tag, name, value in page.attributes if (tag, name) == ("a", "href")]
    assert links == [f"file/{index}" for index in range(len(gallery.entries))]
    assert "a" not in read(gallery).tags


def test_one_preview_at_a_time(gallery: Gallery, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is made in parts, each from one file, so that no two previews are in memory."""
    entry = next(entry for entry in gallery.entries if entry.preview)
    many = replace(gallery, entries=(entry,) * 50)
    asked: list[GalleryEntry] = []
    preview = Gallery.preview

    def noted(gallery: Gallery, entry: GalleryEntry) -> bytes | None:
        asked.append(entry)
        return preview(gallery, entry)

    monkeypatch.setattr(Gallery, "preview", noted)
    for index, part in enumerate(page_parts(many)):
        assert len(part) < 20_000
        assert len(asked) == min(index, 50)


def test_a_preview_that_is_gone(gallery: Gallery, safe: Path) -> None:
    """A file that was changed or removed since gets a drawing."""
    (safe / "1.png").unlink()
    (safe / "lake" / "0.png").write_bytes(b"")
    assert read(gallery).tags["img"] == 1


@pytest.mark.parametrize("moment", [-(2**63), 2**63 - 1, 0, None])
def test_any_time(gallery: Gallery, moment: int | None) -> None:
    """Times that no clock here shows do no harm."""
    page = read(replace(gallery, entries=(replace(gallery.entries[0], time=moment),)))
    assert page.tags["time"] == (moment is not None)


def test_the_parts_of_the_page_are_installed() -> None:
    """Style and script are files of the package, which only settings make part of a wheel."""
    root = Path(__file__).parents[3]
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    named = settings["tool"]["setuptools"]["package-data"]["sudokucrypt.cli.gallery"]
    folder = root / "sudokucrypt" / "cli" / "gallery"
    assert sorted(named) == sorted(
        path.name for path in folder.iterdir() if path.suffix in (".css", ".html", ".js")
    )
