"""Pages that show the first one smaller are told from pages of their own."""

import numpy as np
import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images import Animation, Frame, Picture, without_reduced_copies
from tests.images.builders import noise


def _pages(*sizes: tuple[int, int]) -> Picture:
    frames = tuple(Frame(pixels=noise(*size, 1), mode="gray") for size in sizes)
    return Picture(frames=frames, format="TIFF", dropped=("EXIF",))


@pytest.mark.parametrize(
    "size",
    [
        *[(120, 200), (60, 100), (59, 100), (15, 25), (8, 12), (1, 2), (120, 160)],
        *[(200, 120), (100, 60), (100, 59), (25, 15), (2, 1)],  # turned upright
    ],
)
def test_smaller_copies_are_left_out(size: tuple[int, int]) -> None:
    """Half the size or less in the same proportions, or what cameras make of any."""
    picture = _pages((240, 400), size, (240, 399), (240, 400))
    with pytest.raises(UnsupportedError, match="a page of 399 x 240 pixels"):
        without_reduced_copies(picture)
    left = without_reduced_copies(_pages((240, 400), size, (240, 400)))
    assert [frame.pixels.shape for frame in left.frames] == [(240, 400)] * 2
    assert left.dropped == ("EXIF", "previews")


@pytest.mark.parametrize("size", [(240, 400), (120, 400), (100, 200), (240, 200), (400, 240)])
def test_other_pages_stay(size: tuple[int, int]) -> None:
    """A page of the same size, in which regions lie alike, or of other proportions."""
    picture = _pages((240, 400), size)
    assert without_reduced_copies(picture) is picture


@pytest.mark.parametrize(
    "size", [(480, 800), (241, 400), (121, 201), (2400, 4010), (800, 480), (201, 121)]
)
def test_other_sizes_are_refused(size: tuple[int, int]) -> None:
    """A larger page may show more than the first, and one of over half of it may be no copy."""
    with pytest.raises(UnsupportedError, match="may show the first page in another size"):
        without_reduced_copies(_pages((240, 400), size))


def test_a_turned_page_of_the_same_size_stays() -> None:
    """Also where its sides differ so little that it could pass for a larger copy."""
    picture = _pages((240, 243), (243, 240), (240, 243))
    assert without_reduced_copies(picture) is picture


def test_frames_of_animations_stay() -> None:
    """Regions hide their part of each frame."""
    frames = (Frame.plain(noise(40, 60, 1)), Frame.plain(np.zeros((4, 6), np.uint8)))
    film = Picture(frames=frames, format="PNG", animation=Animation(rows=40, columns=60))
    assert without_reduced_copies(film) is film
