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
from tests.reference.pictures import (
    canvas_of,
    pixels_of_frames,
    protect_picture,
    restore_picture,
    rounds_of_picture,
)
from tests.reference.selection import (
    Canvas,
    read_mask,
    selected_by_mask,
    selected_by_regions,
    write_mask,
    written_number,
)

KEY = bytes(range(32))
SCHEMES = ("encrypt-v1", "scramble-v1", "scramble-context-v1")
SHAPES = ((7, 9, 3), (1, 1, 1), (5, 40))
ANIMATED: dict[str, Any] = {
    "format": "GIF",
    "palettes": [
        {"colors": bytes(96), "wide": True},
        {"colors": bytes(range(48)), "alphas": b"\0\xff\x80"},
    ],
    "animation": {"rows": 12, "columns": 14, "loops": 0, "background": b"\1\2\3", "palette": 0},
    "frames": [
        {
            "shape": [12, 14],
            "dtype": "uint8",
            "mode": "palette",
            "bits": 4,
            "palette": 1,
            "showing": ["1/10", 1, 0],
            "metadata": {
                "exif": b"exif",
                "icc": b"",
                "resolution": ["72", "25/3", "inch"],
                "texts": [["Title", 'two words, "Ångström"\n']],
                "native": [["iCCP", b"\n\0"]],
            },
        },
        {
            "shape": [5, 20],
            "dtype": "uint8",
            "mode": "palette",
            "bits": 2,
            "palette": 0,
            "transparent": [3],
            "place": [9, 0],
        },
        {"shape": [13, 3, 4], "dtype": "uint16", "mode": "rgba", "place": [2, 13]},
    ],
}


SEALED: dict[str, Any] = {
    "format": "",
    "frames": [{"shape": [1, 1], "dtype": "float64", "mode": "gray", "metadata": {"xmp": b""}}],
}


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


def plain_meaning(shapes: Sequence[Sequence[int]], dtype: str = "uint8") -> dict[str, Any]:
    modes = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
    frames = [
        {"shape": list(shape), "dtype": dtype, "mode": modes[shape[2] if len(shape) == 3 else 1]}
        for shape in shapes
    ]
    return {"format": "TIFF", "frames": frames}


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
    header = header_for(ANIMATED, scheme, **selection)
    frames = frames_of(ANIMATED)
    made, written = protect_picture(frames, header, key=KEY, context=context)
    assert headers.write(headers.read(written)) == written
    plain, meaning = restore_picture(bare(made), written, key=KEY, context=context)
    assert data_of(plain) == data_of(frames)
    assert meaning == ANIMATED
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
    assert rounds_of_picture([large, small], "pixel") == 8
    assert rounds_of_picture([large, large], "pixel", pixels=[list(range(4096)), []]) == 3
    assert rounds_of_picture([large], "pixel", pixels=[[]]) == 8
    assert rounds_of_picture([(64, 64, 3)], "sample", pixels=[list(range(1366))]) == 3


@pytest.mark.parametrize("meaning", [ANIMATED, plain_meaning(SHAPES), SEALED])
def test_description(meaning: dict[str, Any]) -> None:
    """read(write(x)) == x; a cut or a byte more is refused."""
    extras = description.write(meaning)
    assert description.read(extras) == meaning
    assert extras.partition(b"\n")[0].isascii()
    for wrong in (extras[:-1], extras + b"\0", b" " + extras, extras.replace(b"\n", b"", 1)):
        with pytest.raises(RefusedError):
            description.read(wrong)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"1/10"', '"2/20"'),
        ('"1/10"', '"0.1"'),
        ('"1/10"', '"-1/10"'),
        ('"1/10"', f'"1/1{"0" * 20}"'),
        ('"1/10"', '"1/0"'),
        ('"72"', '"72/1"'),
        ('"72"', "72"),
        ('"inch"', '"foot"'),
        ('"exif":4', '"exif":-4'),
        ('"exif":4', '"exif":5'),
        ('"exif":4', '"exif":4.0'),
        ('"exif":4', '"exif":true'),
        ('"exif":4', f'"exif":{"9" * 6000}'),
        ('"bits":4', '"bits":8'),
        ('"bits":4,', '"bits":4,"more":1,'),
        ('"place":[9,0]', '"place":[0,0]'),
        ('"place":[9,0]', '"place":[-9,0]'),
        ('"place":[9,0]', '"place":[9,4294967296]'),
        ('"transparent":[3]', '"transparent":[]'),
        ('"transparent":[3]', '"transparent":[4294967296]'),
        ('"palette":1,"showing"', '"showing"'),
        ('"palette":1,"showing"', '"palette":2,"showing"'),
        ('"colors":96', '"colors":95'),
        ('"rows":12', '"rows":-1'),
        ('"mode":"rgba"', '"mode":"rgb"'),
        ('"loops":0', '"loops":-1'),
        ('"dtype":"uint16"', '"dtype":"uint12"'),
        ('"wide":true', '"wide":false'),
        ("\\n", "\\u000a"),
        ("\\u00c5", "\\u00C5"),
        ("\\u00c5", "\\uD800"),
        ("two words", "two\\u0020words"),
    ],
)
def test_description_refused(old: str, new: str) -> None:
    """A description that is not in its one form, or makes no sense, is refused."""
    extras = description.write(ANIMATED)
    changed = extras.replace(old.encode(), new.encode(), 1)
    assert changed != extras
    with pytest.raises(RefusedError):
        description.read(changed)


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


def test_a_description_without_need_is_refused() -> None:
    """What speaks for itself has no description; with bits or as one of two frames it has."""
    meaning = plain_meaning([(6, 7)])
    with pytest.raises(RefusedError, match="needs no description"):
        description.write(meaning)
    meaning["frames"][0]["bits"] = 4
    assert description.read(description.write(meaning)) == meaning


@pytest.mark.parametrize("fields", [{"unit": "block", "block_size": 1}, {"shape": (42,)}])
def test_where_no_selection_is(fields: dict[str, Any]) -> None:
    """Blocks and images of one dimension have no selection."""
    given = {"unit": "pixel", "shape": (6, 7), "regions": ((0, 0, 1, 1),)} | fields
    with pytest.raises(RefusedError, match="a selection"):
        Header(scheme="scramble-v1", rounds=1, dtype="uint8", key_id=key_id(KEY), **given)
