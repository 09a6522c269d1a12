"""Areas of a redaction lie in the picture as viewers show it, whichever way it is stored."""

import io

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    InvalidParameterError,
    Key,
    Layer,
    Region,
    find_faces,
    redact_file,
    redactions,
    unredact_file,
)
from sudokucrypt.images import Picture, decode_picture
from sudokucrypt.images.orientation import read_orientation
from tests.recipes.turned import ORIENTATIONS, SUFFIXES, require_covered, show_upright, turn_picture

_KEY = Key(bytes(32))
_BOX = Region(row=2, column=3, rows=4, columns=5)  # in the smallest of the files, however turned


def _redact(data: bytes, *layers: Layer) -> bytes:
    buffer = io.BytesIO()
    redact_file(io.BytesIO(data), buffer, layers)
    return buffer.getvalue()


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("file_format", SUFFIXES)
def test_every_way_to_choose(file_format: str, orientation: int) -> None:
    """Regions, functions and masks cover the same place of what is seen, and it is listed so."""
    data = turn_picture(file_format, orientation)
    mask = np.zeros(show_upright(data).shape[:2], dtype=bool)
    row, column, rows, columns = _BOX
    mask[row : row + rows, column : column + columns] = True

    def find(picture: Picture) -> list[Region]:
        assert picture.pixels.shape[:2] == mask.shape
        return [_BOX]

    slack = 8 if file_format == "JPEG" else 0
    for layer in (Layer(_KEY, [_BOX]), Layer(_KEY, find), Layer(_KEY, mask=mask)):
        covered = _redact(data, layer)
        require_covered(data, covered, mask, slack=slack)
        back = io.BytesIO()
        unredact_file(io.BytesIO(covered), back, _KEY)
        assert back.getvalue() == data
    listed = redactions(io.BytesIO(_redact(data, Layer(_KEY, [_BOX]))))
    assert listed.canvas == show_upright(data).shape[:2]
    regions = listed.layers[0].regions
    assert regions is not None
    assert file_format == "JPEG" or regions == (_BOX,)
    again = redactions(io.BytesIO(_redact(data, Layer(_KEY, regions))))
    assert again.layers[0].regions == regions


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_sizes_in_errors_are_those_that_are_seen(file_format: str, orientation: int) -> None:
    """What fits only the stored picture is refused, with the size that is meant."""
    data = turn_picture(file_format, orientation)
    with pytest.raises(InvalidParameterError, match="a picture of 64 rows and 40 columns"):
        _redact(data, Layer(_KEY, [(0, 40, 5, 5)]))
    _redact(data, Layer(_KEY, [(59, 0, 5, 5)]))
    with pytest.raises(InvalidParameterError, match="in 64 rows of 40, not") as raised:
        _redact(data, Layer(_KEY, mask=np.ones((40, 64), dtype=bool)))
    assert "turned by its orientation" in str(raised.value.hint)


@pytest.mark.parametrize("progressive", [False, True])
def test_exif_that_viewers_overlook_does_not_turn(*, progressive: bool) -> None:
    """EXIF after the samples of a JPEG counts for no viewer, and so neither here nor in results."""
    exif, buffer = Image.Exif(), io.BytesIO()
    exif[0x0112] = 6
    Image.fromarray(show_upright(turn_picture("JPEG", 1))).save(
        buffer, "JPEG", progressive=progressive
    )
    block = b"Exif\0\0" + exif.tobytes().removeprefix(b"Exif\0\0")
    segment = b"\xff\xe1" + (len(block) + 2).to_bytes(2) + block
    data = buffer.getvalue()[:-2] + segment + buffer.getvalue()[-2:]
    assert show_upright(data).shape == (40, 64, 3)
    mask = np.zeros((40, 64), dtype=bool)
    mask[2:6, 50:55] = True

    def find(picture: Picture) -> list[Region]:
        assert find_orientation(picture) == 1
        return [Region.xywh(50, 2, 5, 4)]

    for layer in (Layer(_KEY, mask=mask), Layer(_KEY, find)):
        require_covered(data, _redact(data, layer), mask, slack=32)


def find_orientation(picture: Picture) -> int:
    """Return the orientation that a picture says itself."""
    return read_orientation(picture.metadata.exif)


def test_a_region_in_the_other_order_is_recognized() -> None:
    """The hint names the method for x, y, width and height where that would lie in the picture."""
    data = turn_picture("PNG", 1)
    with pytest.raises(InvalidParameterError, match="column 10 does not lie") as raised:
        _redact(data, Layer(_KEY, [(50, 10, 9, 20)]))
    assert "Region.xywh(50, 10, 9, 20)" in str(raised.value.hint)
    _redact(data, Layer(_KEY, [Region.xywh(50, 10, 9, 20)]))
    with pytest.raises(InvalidParameterError, match="does not lie") as raised:
        _redact(data, Layer(_KEY, [(90, 10, 9, 20)]))
    assert raised.value.hint is None


def test_regions_are_tuples() -> None:
    """A region is equal to a plain tuple in its order, whichever way it was made."""
    region = Region(row=20, column=60, rows=80, columns=90)
    assert region == Region.xywh(60, 20, 90, 80) == Region.box(60, 20, 150, 100)
    assert region == (20, 60, 80, 90)
    assert (region.row, region.column, region.rows, region.columns) == region


def test_faces_are_returned_as_they_are_seen() -> None:
    """A picture that says how to turn it has the faces of the same picture stored upright."""
    pytest.importorskip("cv2", reason="it comes with the extra 'faces'")
    data = pytest.importorskip("skimage.data").astronaut()[30:230, 120:300]
    upright = find_faces(np.ascontiguousarray(data))
    for orientation in (3, 6, 8):
        from sudokucrypt.images import Metadata
        from sudokucrypt.images.orientation import TURNS, write_orientation

        stored = np.ascontiguousarray(TURNS[orientation].undone(data))
        metadata = Metadata(exif=write_orientation(orientation))
        picture = Picture(pixels=stored, mode="rgb", format="PNG", metadata=metadata)
        assert find_faces(picture) == upright


def test_layers_may_seal_only_metadata() -> None:
    """A layer without a pixel seals the metadata; the picture looks the same, and is restored."""
    for file_format in ("JPEG", "PNG"):
        data = turn_picture(file_format, 6)
        covered = _redact(data, Layer(_KEY, metadata=True))
        assert np.array_equal(show_upright(covered), show_upright(data))
        listed = redactions(io.BytesIO(covered)).layers[0]
        assert (listed.pixels, listed.regions) == (0, None)
        assert "metadata only" in str(listed)
        back = io.BytesIO()
        unredact_file(io.BytesIO(covered), back, _KEY)
        assert back.getvalue() == data
        both = _redact(data, Layer(_KEY, metadata=True), Layer(Key(b"2" * 32), [_BOX]))
        unredact_file(io.BytesIO(both), part := io.BytesIO(), Key(b"2" * 32))
        assert np.array_equal(show_upright(part.getvalue()), show_upright(data))
        gone = _redact(data, Layer(None, metadata=True))
        assert np.array_equal(show_upright(gone), show_upright(data))
        assert decode_picture(gone).metadata.xmp is None
    with pytest.raises(InvalidParameterError, match="no areas"):
        _redact(data, Layer(_KEY))
