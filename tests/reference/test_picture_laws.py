"""Laws that frames, selections and extras keep in the reference program."""

import random
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import pytest

from tests.reference import RefusedError, description
from tests.reference import header as headers
from tests.reference.frames import Frame
from tests.reference.header import SAMPLE_BYTES, Header
from tests.reference.hkdf import key_id
from tests.reference.parts import canvas_of, pixels_of_frames, rounds_of_picture
from tests.reference.pictures import protect_picture, restore_picture
from tests.reference.selection import (
    Canvas,
    read_mask,
    selected_by_mask,
    selected_by_regions,
    write_mask,
    written_number,
)
from tests.reference.test_description_laws import ANIMATED, plain_meaning

KEY = bytes(range(32))
SCHEMES = ("encrypt-v1", "scramble-v1", "scramble-context-v1")
SHAPES = ((7, 9, 3), (1, 1, 1), (5, 40))


def frames_of(meaning: dict[str, Any], seed: int = 1) -> list[Frame]:
    draw = random.Random(seed)  # noqa: S311 - a test wants the same bytes again
    frames = []
    for about in meaning["frames"]:
        count = prod(about["shape"])
        bits = about.get("bits")
        if bits is None:
            data = draw.randbytes(count * SAMPLE_BYTES[about["dtype"]])
        else:
            data = bytes(draw.randrange(2**bits) for _ in range(count))
        if about["dtype"] == "bool":
            data = bytes(byte & 1 for byte in data)
        frames.append(Frame(shape=tuple(about["shape"]), dtype=about["dtype"], data=data))
    return frames


def without_metadata(meaning: dict[str, Any]) -> dict[str, Any]:
    frames = [
        {name: value for name, value in frame.items() if name != "metadata"}
        for frame in meaning["frames"]
    ]
    kept = {name: value for name, value in meaning.items() if name != "readable"}
    return {**kept, "frames": frames}


def header_for(meaning: dict[str, Any], scheme: str, **fields: Any) -> Header:
    first = meaning["frames"][0]
    given: dict[str, Any] = {"scheme": scheme, "unit": "pixel", "rounds": 2} | fields
    return Header(
        shape=tuple(first["shape"]),
        dtype=first["dtype"],
        key_id=key_id(KEY),
        extras=description.write(meaning),
        **given,
    )


def data_of(frames: Sequence[Frame]) -> list[bytes]:
    return [frame.data for frame in frames]


def bare(frames: Sequence[Frame]) -> list[Frame]:
    return [replace(frame, bits=None) for frame in frames]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "selection",
    [
        {},
        {"regions": ((0, 0, 1, 1),)},
        {"regions": ((3, 4, 9, 10), (0, 2, 5, 5))},
        {"mask": write_mask([0, 1, 100, 67])},
        {"mask": write_mask([168])},
    ],
)
def test_restore(scheme: str, selection: dict[str, Any]) -> None:
    """restore(protect(x)) == x with its meaning, and only selected pixels change."""
    context = "Å" if scheme == "scramble-context-v1" else None
    meaning = without_metadata(ANIMATED) if context else ANIMATED
    header = header_for(meaning, scheme, **selection)
    frames = frames_of(meaning)
    made, written = protect_picture(frames, header, key=KEY, context=context)
    assert headers.write(headers.read(written)) == written
    plain, told = restore_picture(bare(made), written, key=KEY, context=context)
    assert data_of(plain) == data_of(frames)
    assert told == meaning
    chosen = pixels_of_frames([frame.shape for frame in frames], header, ANIMATED)
    for before, after, pixels in zip(frames, made, chosen, strict=True):
        if pixels is not None:
            size = len(before.data) // prod(before.shape[:2])
            changed = {
                i // size for i in range(len(before.data)) if before.data[i] != after.data[i]
            }
            assert changed <= set(pixels)


@pytest.mark.parametrize("unit", ["pixel", "sample", "block"])
def test_frames_move_differently(unit: str) -> None:
    """Equal frames become others, frame 0 becomes what it is alone, and tags are not equal."""
    meaning = plain_meaning([(9, 11, 3)] * 3)
    options = {"unit": unit, "block_size": 2 if unit == "block" else None}
    header = header_for(meaning, "scramble-context-v1", **options)
    frame = frames_of(meaning)[0]
    made, _ = protect_picture([frame] * 3, header, key=KEY, context="same")
    assert len(set(data_of(made))) == 3
    alone = replace(header, extras=None)
    (single,), _ = protect_picture([frame], alone, key=KEY, context="same")
    assert single.data == made[0].data


@pytest.mark.parametrize("scheme", SCHEMES[:2])
def test_every_frame_and_the_extras_are_under_the_tag(scheme: str) -> None:
    """A flipped bit in a frame or the extras, or exchanged frames, are refused."""
    meaning = plain_meaning([(6, 7), (6, 7)])
    made, written = protect_picture(
        frames_of(meaning), header_for(meaning, scheme, regions=((1, 1, 4, 4),)), key=KEY
    )
    header = headers.read(written)
    assert header.extras is not None
    with pytest.raises(RefusedError):
        restore_picture(bare(made[::-1]), written, key=KEY)
    for number, place in ((0, 0), (0, 16), (1, 41)):
        data = bytearray(made[number].data)
        data[place] ^= 1
        altered = bare(made)
        altered[number] = replace(altered[number], data=bytes(data))
        with pytest.raises(RefusedError, match="altered"):
            restore_picture(altered, written, key=KEY)
    for place in range(len(header.extras)):
        extras = bytearray(header.extras)
        extras[place] ^= 1
        other = headers.write(replace(header, extras=bytes(extras)))
        with pytest.raises(RefusedError):
            restore_picture(bare(made), other, key=KEY)


@pytest.mark.parametrize("number", [0, 1, 127, 128, 129, 16383, 16384, 2**35 - 1])
def test_mask_numbers(number: int) -> None:
    """A length of a run is read as it was written, and not in more bytes."""
    assert read_mask(written_number(number)) == [number]
    longer = written_number(number)
    longer = longer[:-1] + bytes([longer[-1] + 128, 0])
    with pytest.raises(RefusedError, match="more bytes"):
        read_mask(longer)


@pytest.mark.parametrize(
    ("data", "reason"),
    [("", "empty run"), ("0100", "empty run"), ("8000", "more bytes"), ("80", "cut off")],
)
def test_mask_refused(data: str, reason: str) -> None:
    """A mask without runs, with an empty or an unfinished one is refused."""
    with pytest.raises(RefusedError, match=reason):
        read_mask(bytes.fromhex(data))


def test_selections() -> None:
    """Rectangles and runs select the same pixels, and neither goes beyond the canvas."""
    canvas = Canvas(rows=3, columns=4)
    by_hand = {0, 1, 2, 5, 6, 7}
    assert selected_by_mask([0, 3, 2, 3, 4], canvas) == by_hand
    assert selected_by_regions([(0, 0, 1, 2), (0, 1, 1, 2), (1, 1, 1, 3)], canvas) == by_hand
    for runs in ([0, 3, 2, 3, 3], [13], [11]):
        with pytest.raises(RefusedError, match="canvas"):
            selected_by_mask(runs, canvas)
    for region in ((0, 0, 4, 1), (0, 0, 1, 5), (3, 0, 1, 1), (2, 3, 1, 2)):
        with pytest.raises(RefusedError, match="canvas"):
            selected_by_regions([region], canvas)


def test_pages_lie_on_the_first_one() -> None:
    """A page that is larger than the first one does not change beyond it."""
    shapes = [(2, 3), (3, 5, 2)]
    meaning = plain_meaning(shapes)
    header = header_for(meaning, "encrypt-v1", mask=write_mask([2, 4]))
    assert canvas_of((2, 3), meaning) == Canvas(rows=2, columns=3)
    assert pixels_of_frames(shapes, header, meaning) == [[2, 3, 4, 5], [2, 5, 6, 7]]


def test_rounds() -> None:
    """The smallest group of any frame sets the rounds; a frame that does not change has none."""
    large, small = (64, 64), (63, 65)
    assert rounds_of_picture([large, large], "pixel") == 3
    assert rounds_of_picture([large, small], "pixel") == 4
    assert rounds_of_picture([large, large], "pixel", pixels=[list(range(4096)), []]) == 3
    assert rounds_of_picture([large], "pixel", pixels=[[]]) == 4
    assert rounds_of_picture([(64, 64, 3)], "sample", pixels=[list(range(1366))]) == 3


def test_other_frames_than_described_are_refused() -> None:
    """Another number, shape or type of frames, or samples of more bits, are refused."""
    meaning = plain_meaning([(6, 7), (7, 6)])
    frames = frames_of(meaning)
    made, written = protect_picture(frames, header_for(meaning, "encrypt-v1"), key=KEY)
    at_hand = bare(made)
    for wrong in (
        at_hand[:1],
        [*at_hand, at_hand[0]],
        [at_hand[0], replace(at_hand[1], shape=(6, 7))],
        [at_hand[0], replace(at_hand[1], dtype="int8")],
    ):
        with pytest.raises(RefusedError, match="other frames"):
            restore_picture(wrong, written, key=KEY)
    alone = replace(header_for(meaning, "encrypt-v1"), extras=None)
    with pytest.raises(RefusedError, match="without a description"):
        protect_picture(frames, alone, key=KEY)


@pytest.mark.parametrize("fields", [{"unit": "block", "block_size": 1}, {"shape": (42,)}])
def test_where_no_selection_is(fields: dict[str, Any]) -> None:
    """Blocks and images of one dimension have no selection."""
    given = {"unit": "pixel", "shape": (6, 7), "regions": ((0, 0, 1, 1),)} | fields
    with pytest.raises(RefusedError, match="a selection"):
        Header(scheme="scramble-v1", rounds=1, dtype="uint8", key_id=key_id(KEY), **given)
