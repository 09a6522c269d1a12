"""A report that the tests of pages share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sudokucrypt.analysis import BASELINES, measure_image, specimens
from sudokucrypt.reports import Report, image_report


@pytest.fixture(scope="session")
def report() -> Report:
    """The report on a shuffled picture, with a name that means harm."""
    clouds = specimens()[-1]
    pixels = BASELINES["uniform"].fixed(clouds.pixels, bytes(32)).pixels
    hostile = replace(clouds, name='<script>alert("1")</script> | x', pixels=pixels)
    return image_report(measure_image(hostile, against=clouds, twin=clouds))
