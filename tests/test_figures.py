"""The figures of the documentation can be drawn again, and show what the code does today."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from docs.figures.__main__ import FIGURES, main
from docs.figures.pictures import LETTERS

COMMITTED = Path(__file__).parent.parent / "docs" / "images"


@pytest.mark.slow
def test_figures_are_those_of_the_code(tmp_path: Path) -> None:
    """Pictures equal those of the documentation up to their labels; diagrams hold their words."""
    main(tmp_path)
    assert {path.name for path in COMMITTED.iterdir()} == FIGURES.keys()
    for name in FIGURES:
        if name.endswith(".png"):
            drawn, kept = (
                np.asarray(Image.open(folder / name), dtype=float)
                for folder in (tmp_path, COMMITTED)
            )
            assert drawn.shape == kept.shape, name
            assert np.mean(drawn != kept) < 0.02, name
        else:
            words = [
                {text.strip() for text in ET.parse(folder / name).getroot().itertext()}  # noqa: S314
                for folder in (tmp_path, COMMITTED)
            ]
            assert words[0] == words[1], name


@pytest.mark.parametrize("name", sorted(FIGURES.keys() - {"card.svg"}))
def test_labels_are_readable_on_a_phone(name: str) -> None:
    """Where a page has 328 pixels, letters keep 10; a key card is a page of paper made small."""
    if name.endswith(".png"):
        letters = float(LETTERS)
        with Image.open(COMMITTED / name) as file:
            width = float(file.width)
    else:
        text = (COMMITTED / name).read_text(encoding="utf-8")
        letters = min(map(float, re.findall(r"font-size: ([\d.]+)px", text)))
        width = float(ET.fromstring(text).attrib["viewBox"].split()[2])  # noqa: S314
    assert letters * min(1, 328 / width) >= 10
