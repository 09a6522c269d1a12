"""Areas of redactions: invalid ones are refused, they refer to the upright picture, and masks."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from sudokucrypt import (
    FormatError,
    InvalidParameterError,
    Key,
    Layer,
    Region,
    find_faces,
    redact,
    redactions,
)
from sudokucrypt.images import Picture, decode_picture
from sudokucrypt.images.orientation import read_orientation
from sudokucrypt.recipes.carriers.redaction.jpeg_units import select_whole_units
from sudokucrypt.recipes.carriers.redaction.masks import pack_mask, unpack_mask, unpack_strips
from sudokucrypt.recipes.carriers.redaction.outlines import draw_outlines
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.recipes.options import OutlineOptions
from sudokucrypt.recipes.redaction_preview import outline_file
from tests.images.builders import noise
from tests.images.jpeg.made import make_file
from tests.recipes.redacting import lift_covers, redact_bytes
from tests.recipes.turned import ORIENTATIONS, SUFFIXES, require_covered, show_upright, turn_picture
from tests.spies import watch_memory

_CANVAS = (19, 23)
_DISK_MASK: NDArray[np.bool_] = np.hypot(*(np.indices(_CANVAS) - [[[9]], [[11]]])) < 7


@pytest.mark.parametrize(
    ("regions", "mask", "message"),
    [
        ([], None, "no pixel is selected"),
        (lambda _: [], None, "no pixel is selected"),
        (None, np.zeros(_CANVAS, bool), "no pixel is selected"),
        (5, None, "are a list of"),
        ((0, 0, 3, 4), None, "four integers"),
        ([(0, 0, 3)], None, "four integers"),
        ([(0, 0, 3.0, 4)], None, "four integers"),
        ([(0, 0, 0, 4)], None, "does not lie"),
        ([(-1, 0, 3, 4)], None, "does not lie"),
        ([(17, 0, 3, 4)], None, "does not lie"),
        ([(0, 0, 10**30, 4)], None, "does not lie"),
        (None, _DISK_MASK.T, "a mask holds booleans in 19 rows of 23"),
        (None, _DISK_MASK.astype(int), "a mask holds booleans in 19 rows of 23"),
        (None, _DISK_MASK[..., np.newaxis], "a mask holds booleans in 19 rows of 23"),
    ],
)
def test_invalid_selections(regions: Any, mask: Any, message: str) -> None:
    """Empty or invalid rectangles and masks raise an error that describes the valid form."""
    with pytest.raises(InvalidParameterError, match=message):
        redact(noise(*_CANVAS, 3), regions, Key(bytes(32)), mask=mask)


def test_outlines_are_inside_their_areas() -> None:
    """Each area has a white line at its border and a red one inside; the rest stays visible."""
    mask = np.zeros((500, 900), bool)
    mask[100:200, 300:420] = mask[490:, :50] = True
    colors = noise(500, 900, 3)
    expected = colors.copy()
    for color, inset, bottom in (((255, 255, 255), 0, 490), ((255, 0, 0), 3, 493)):
        expected[100 + inset : 200 - inset, 300 + inset : 420 - inset] = color
        expected[bottom : 500 - inset, inset : 50 - inset] = color
    expected[106:194, 306:414] = colors[106:194, 306:414]
    assert np.array_equal(draw_outlines(colors, mask), expected)


def test_outlines_are_drawn_into_the_upright_picture() -> None:
    """`outline_file` writes the upright picture with its lines, and reports its size."""
    data, target, mask = turn_picture("PNG", 6), io.BytesIO(), np.zeros((64, 40), dtype=bool)
    mask[20:40, 10:30] = True
    options = OutlineOptions()
    report = outline_file(io.BytesIO(data), target, [Layer(_KEY, [(20, 10, 20, 20)])], options)
    assert report.shape == (64, 40)
    assert np.array_equal(show_upright(target.getvalue()), draw_outlines(show_upright(data), mask))


def test_the_mask_of_the_caller_is_not_changed() -> None:
    """Rectangles and a mask are joined in a new mask; the mask of the caller does not change."""
    mask = np.zeros(_CANVAS, dtype=bool)
    mask[9, 9] = True
    selection = Selection.from_areas(_CANVAS, [(0, 0, 3, 3)], mask)
    assert selection is not None
    assert mask.sum() == 1
    assert (selection.regions, selection.mask.sum()) == (None, 10)


@pytest.mark.parametrize(
    ("regions", "is_listed"),
    [
        ([(0, 0, 1, 1)] * 1024, True),
        ([(0, 0, 1, 1)] * 1025, False),
        ([(0, 0, 40, 60)] * 4, True),
        ([(0, 0, 40, 60)] * 4 + [(0, 0, 1, 1)], False),
        ([(row, column, 1, 1) for row in range(40) for column in range(60)], False),
    ],
    ids=["1024", "1025", "four areas", "over four areas", "every pixel"],
)
def test_too_many_rectangles_become_a_mask(
    regions: list[tuple[int, int, int, int]], is_listed: bool
) -> None:
    """More than 1024 rectangles, or more than four times the canvas, are stored as a mask."""
    selection = Selection.from_areas((40, 60), regions, None)
    assert selection is not None
    assert (selection.regions is not None) == is_listed
    expected = np.zeros((40, 60), dtype=bool)
    for row, column, rows, columns in regions:
        expected[row : row + rows, column : column + columns] = True
    assert np.array_equal(selection.mask, expected)


def test_regions_need_two_dimensions() -> None:
    """Rectangles are refused for an image of one dimension."""
    with pytest.raises(InvalidParameterError, match="rows and columns"):
        Selection.from_areas((9,), [(0, 0, 1, 1)], None)


# Areas refer to the upright picture as viewers show it, regardless of its stored orientation.


_KEY = Key(bytes(32))
_SMALL_REGION = Region(
    row=2, column=3, rows=4, columns=5
)  # fits into the smallest file when turned


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("file_format", SUFFIXES)
def test_areas_of_turned_pictures(file_format: str, orientation: int) -> None:
    """Regions, functions and masks cover the same pixels of the upright picture.

    `redactions` lists the areas in the upright picture too.
    """
    data = turn_picture(file_format, orientation)
    mask = np.zeros(show_upright(data).shape[:2], dtype=bool)
    row, column, rows, columns = _SMALL_REGION
    mask[row : row + rows, column : column + columns] = True

    def find(picture: Picture) -> list[Region]:
        assert picture.pixels.shape[:2] == mask.shape
        return [_SMALL_REGION]

    slack = 8 if file_format == "JPEG" else 0
    for layer in (Layer(_KEY, [_SMALL_REGION]), Layer(_KEY, find), Layer(_KEY, mask=mask)):
        covered = redact_bytes(data, [layer])
        require_covered(data, covered, mask, slack=slack)
        assert lift_covers(covered, _KEY) == data
    listed_layers = redactions(io.BytesIO(redact_bytes(data, [Layer(_KEY, [_SMALL_REGION])])))
    assert listed_layers.canvas == show_upright(data).shape[:2]
    regions = listed_layers.layers[0].regions
    assert regions is not None
    assert file_format == "JPEG" or regions == (_SMALL_REGION,)
    second_redaction = redactions(io.BytesIO(redact_bytes(data, [Layer(_KEY, regions)])))
    assert second_redaction.layers[0].regions == regions


@pytest.mark.parametrize("orientation", [5, 6, 7, 8])
@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_errors_name_the_upright_size(file_format: str, orientation: int) -> None:
    """Areas that fit only the stored picture are refused; the error names the upright size."""
    data = turn_picture(file_format, orientation)
    with pytest.raises(InvalidParameterError, match="a picture of 64 rows and 40 columns"):
        redact_bytes(data, [Layer(_KEY, [(0, 40, 5, 5)])])
    redact_bytes(data, [Layer(_KEY, [(59, 0, 5, 5)])])
    with pytest.raises(InvalidParameterError, match="in 64 rows of 40, not") as error_info:
        redact_bytes(data, [Layer(_KEY, mask=np.ones((40, 64), dtype=bool))])
    assert "turned by its orientation" in str(error_info.value.hint)


@pytest.mark.parametrize("progressive", [False, True])
def test_exif_after_the_samples_is_ignored(*, progressive: bool) -> None:
    """EXIF after the samples of a JPEG does not turn the picture, since viewers ignore it."""
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
        require_covered(data, redact_bytes(data, [layer]), mask, slack=32)


def find_orientation(picture: Picture) -> int:
    """Return the orientation in the EXIF of a picture."""
    return read_orientation(picture.metadata.exif)


def test_a_region_in_the_order_of_xywh_is_recognized() -> None:
    """If a region would fit as x, y, width and height, the hint names `Region.xywh`."""
    data = turn_picture("PNG", 1)
    with pytest.raises(InvalidParameterError, match="column 10 does not lie") as error_info:
        redact_bytes(data, [Layer(_KEY, [(50, 10, 9, 20)])])
    assert "Region.xywh(50, 10, 9, 20)" in str(error_info.value.hint)
    redact_bytes(data, [Layer(_KEY, [Region.xywh(50, 10, 9, 20)])])
    with pytest.raises(InvalidParameterError, match="does not lie") as error_info:
        redact_bytes(data, [Layer(_KEY, [(90, 10, 9, 20)])])
    assert error_info.value.hint is None


def test_any_pixel_selects_its_unit() -> None:
    """In a JPEG, a mask of any single pixel selects the unit around it."""
    file = make_file(40, 50, ((2, 2), (1, 1), (1, 1)))
    expected = np.zeros((40, 50), bool)
    expected[16:32, 32:48] = True
    for row, column in np.ndindex(16, 16):
        mask = np.zeros((40, 50), bool)
        mask[16 + row, 32 + column] = True
        assert np.array_equal(select_whole_units(file, Selection(mask)).mask, expected)


def test_regions_are_tuples() -> None:
    """Regions from `Region`, `xywh` and `box` are equal to each other and to a plain tuple."""
    region = Region(row=20, column=60, rows=80, columns=90)
    assert region == Region.xywh(60, 20, 90, 80) == Region.box(60, 20, 150, 100)
    assert region == (20, 60, 80, 90)
    assert (region.row, region.column, region.rows, region.columns) == region


def test_faces_are_found_in_the_upright_picture() -> None:
    """`find_faces` returns the same regions for a turned picture with EXIF and an upright one."""
    pytest.importorskip("cv2", reason="it comes with the extra 'faces'")
    data = pytest.importorskip("skimage.data").astronaut()[30:230, 120:300]
    upright_faces = find_faces(np.ascontiguousarray(data))
    for orientation in (3, 6, 8):
        from sudokucrypt.images import Metadata
        from sudokucrypt.images.orientation import TURNS, write_orientation

        stored_pixels = np.ascontiguousarray(TURNS[orientation].turn_back(data))
        metadata = Metadata(exif=write_orientation(orientation))
        picture = Picture(pixels=stored_pixels, mode="rgb", format="PNG", metadata=metadata)
        assert find_faces(picture) == upright_faces


def test_layers_may_seal_only_metadata() -> None:
    """A layer without areas seals only metadata; the picture looks the same, and is restored."""
    for file_format in ("JPEG", "PNG"):
        data = turn_picture(file_format, 6)
        covered = redact_bytes(data, [Layer(_KEY, metadata=True)])
        assert np.array_equal(show_upright(covered), show_upright(data))
        listed_layer = redactions(io.BytesIO(covered)).layers[0]
        assert (listed_layer.pixels, listed_layer.regions) == (0, None)
        assert "metadata only" in str(listed_layer)
        assert lift_covers(covered, _KEY) == data
        both = redact_bytes(
            data, [Layer(_KEY, metadata=True), Layer(Key(b"2" * 32), [_SMALL_REGION])]
        )
        partly_lifted = lift_covers(both, Key(b"2" * 32))
        assert np.array_equal(show_upright(partly_lifted), show_upright(data))
        named = redact_bytes(data, [Layer(_KEY, [_SMALL_REGION], metadata=True)])
        assert redactions(io.BytesIO(named)).layers[0].pixels
        stripped = redact_bytes(data, [Layer(None, metadata=True)])
        assert np.array_equal(show_upright(stripped), show_upright(data))
        assert decode_picture(stripped).metadata.xmp is None
    with pytest.raises(InvalidParameterError, match="no areas"):
        redact_bytes(data, [Layer(_KEY)])


# Masks as runs: each mask has one encoding, and other bytes are refused.


# Lengths of runs, and their bytes by the specification.
ENCODED_RUNS: list[tuple[list[int], str]] = [
    ([42], "2a"),
    ([0, 42], "002a"),
    ([5, 1, 36], "050124"),
    ([0, 127], "007f"),
    ([0, 128], "008001"),
    ([16383, 1], "ff7f01"),
    ([16384, 1], "80800101"),
]
# Bytes that do not encode a mask of 42 pixels.
INVALID_RUNS = [
    "",
    "80",
    "2980",
    "0029",
    "002b",
    "2a00",
    "05000025",
    "00",
    "aa00",
    "aa8000",
    "aa8080808000",
    "00808080808001",
    "ffffffffff",
    "ffffffff7f",
    "80808080808080808080",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff01",
]

mask_shapes = st.tuples(st.integers(1, 30), st.integers(1, 30))


@st.composite
def draw_masks(draw: st.DrawFn) -> np.ndarray:
    """Draw masks with runs of which some are longer than 127 pixels."""
    rows, columns = draw(mask_shapes)
    cuts = draw(st.lists(st.integers(0, rows * columns), max_size=9))
    flips = np.isin(np.arange(rows * columns), cuts)
    mask: np.ndarray = flips.cumsum().reshape(rows, columns) % 2 == 1
    return mask


@given(draw_masks())
def test_masks_round_trip(mask: np.ndarray) -> None:
    """A mask is equal after packing and unpacking, and its memory order does not matter."""
    data = pack_mask(mask)
    assert np.array_equal(unpack_mask(data, mask.shape), mask)
    assert unpack_mask(data, mask.shape).dtype == np.bool_
    assert pack_mask(np.asfortranarray(mask)) == data


@given(draw_masks(), st.data())
def test_a_changed_byte_is_refused_or_another_mask(mask: np.ndarray, data: st.DataObject) -> None:
    """Changed bytes give an error, or the mask that is encoded as exactly these bytes."""
    changed = bytearray(pack_mask(mask))
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        unpacked = unpack_mask(bytes(changed), mask.shape)
    except FormatError:
        return
    assert pack_mask(unpacked) == changed
    assert not np.array_equal(unpacked, mask)


@given(st.binary(max_size=30), mask_shapes)
def test_other_bytes_are_refused(data: bytes, shape: tuple[int, int]) -> None:
    """Random bytes raise FormatError, or are the encoding of the unpacked mask."""
    try:
        mask = unpack_mask(data, shape)
    except FormatError:
        return
    assert pack_mask(mask) == data


@pytest.mark.parametrize(("runs", "data"), ENCODED_RUNS)
def test_the_encoding_is_the_specified_one(runs: list[int], data: str) -> None:
    """A mask is packed to the lengths of its runs as specified."""
    mask = np.repeat(np.arange(len(runs)) % 2 == 1, runs)[None]
    assert pack_mask(mask).hex() == data


@pytest.mark.parametrize("data", INVALID_RUNS)
def test_invalid_masks_are_refused(data: str) -> None:
    """Runs with a wrong sum, superfluous bytes, empty runs and unfinished lengths are refused."""
    with pytest.raises(FormatError, match="mask"):
        unpack_mask(bytes.fromhex(data), (6, 7))


@pytest.mark.parametrize(
    "longest", [300, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 40000))]
)
def test_masks_of_many_runs(longest: int) -> None:
    """Masks whose runs are processed in several blocks are restored, with little extra memory."""
    draw = np.random.default_rng(longest)
    runs = draw.integers(1, longest, 600_000 // min(longest, 200), endpoint=True)
    mask = np.repeat(np.arange(runs.size) % 2 == 1, runs)[:, None]
    with watch_memory() as memory:
        data = pack_mask(mask)
        unpacked = unpack_mask(data, mask.shape)
    assert np.array_equal(unpacked, mask)
    assert memory.peak < 60 * 2**20 + 2 * mask.size + 30 * runs.size
    with pytest.raises(FormatError):
        unpack_mask(data + b"\1", mask.shape)
    with pytest.raises(FormatError):
        unpack_mask(data[:-1], mask.shape)


@pytest.mark.parametrize(
    ("count", "longer"),
    [
        (2**18, ()),
        (2**18 + 1, (5, 9)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in ((2**18 - 1, (0,)), (2**19 + 1, (2**18 - 2,)), (2**19 + 1, (0,)))
        ),
    ],
)
def test_runs_alternate_across_blocks(count: int, longer: tuple[int, ...]) -> None:
    """Masks are restored, whole or in strips, even if a block ends after an odd number of runs."""
    runs = np.ones(count, dtype=int)
    runs[list(longer)] = 200  # two bytes, so that fewer runs fit into a block
    for first_value in (False, True):
        mask = np.repeat(np.arange(count) % 2 == (0 if first_value else 1), runs)[None]
        data = pack_mask(mask)
        expected = b"".join(b"\xc8\1" if run == 200 else b"\1" for run in runs.tolist())
        assert data == (b"\0" if first_value else b"") + expected
        assert np.array_equal(unpack_mask(data, mask.shape), mask)
        strips = list(unpack_strips(data, mask.size, mask.size // 2 + 9))
        assert np.array_equal(np.concatenate(strips), mask[0])


def test_long_runs_need_no_memory() -> None:
    """Runs longer than the picture are refused before memory is reserved for them."""
    for data in (b"\xff\xff\xff\xff\x7f" * 1000, b"\x80\x80\x80\x80\x40" * 2, b"\1" * 10**6):
        with pytest.raises(FormatError):
            unpack_mask(data, (6, 7))


@pytest.mark.parametrize("shape", [(0, 7), (7, 0), (0, 0)])
def test_masks_without_pixels_are_refused(shape: tuple[int, int]) -> None:
    """A mask without pixels is refused by `pack_mask` and `unpack_mask`."""
    with pytest.raises(InvalidParameterError):
        pack_mask(np.zeros(shape, dtype=bool))
    for data in (b"\0", b"\0\0", b"\1"):
        with pytest.raises(FormatError):
            unpack_mask(data, shape)
