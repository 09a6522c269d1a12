"""A picture and a report for the tests of pages."""

from dataclasses import replace

import pytest

from sudokucrypt.analysis import BASELINES, NamedImage, measure_image, specimens
from sudokucrypt.reports import Report, image_report


@pytest.fixture(scope="session")
def clouds() -> NamedImage:
    """Return a picture like a photograph, 96 x 96 pixels."""
    return specimens(96)[-1]


@pytest.fixture(scope="session")
def report(clouds: NamedImage) -> Report:
    """Return the report on a shuffled picture, whose name contains HTML."""
    pixels = BASELINES["uniform"].fixed(clouds.pixels, bytes(32)).pixels
    hostile = replace(clouds, name='<script>alert("1")</script> | x', pixels=pixels)
    return image_report(measure_image(hostile, twin=clouds))
