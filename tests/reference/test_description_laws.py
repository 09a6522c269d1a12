"""Laws that descriptions keep in the reference program."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests.reference import RefusedError, description

SHAPES = ((7, 9, 3), (1, 1, 1), (5, 40))
ANIMATED: dict[str, Any] = {
    "format": "GIF",
    "readable": ["exif", "resolution"],
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


def plain_meaning(shapes: Sequence[Sequence[int]], dtype: str = "uint8") -> dict[str, Any]:
    modes = {1: "gray", 2: "gray-alpha", 3: "rgb", 4: "rgba"}
    frames = [
        {"shape": list(shape), "dtype": dtype, "mode": modes[shape[2] if len(shape) == 3 else 1]}
        for shape in shapes
    ]
    return {"format": "TIFF", "frames": frames}


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
        ('"exif":4', '"exif":500'),
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


def test_a_description_without_need_is_refused() -> None:
    """What speaks for itself has no description; with bits or as one of two frames it has."""
    meaning = plain_meaning([(6, 7)])
    with pytest.raises(RefusedError, match="needs no description"):
        description.write(meaning)
    meaning["frames"][0]["bits"] = 4
    assert description.read(description.write(meaning)) == meaning


@pytest.mark.parametrize("bare", [255, 256, 257])
def test_padding(bare: int) -> None:
    """Padding is as short as possible, may be longer, and is zero up to a multiple of 256."""
    meaning = plain_meaning([(6, 7), (7, 6)])
    meaning["format"] = ""
    meaning["format"] = "x" * (bare - len(description.write(meaning).rstrip(b"\0")))
    extras = description.write(meaning)
    assert len(extras) == (256 if bare <= 256 else 512)
    assert len(extras.rstrip(b"\0")) == bare
    assert description.read(extras + bytes(256)) == description.read(extras) == meaning
    for wrong in (extras + bytes(255), extras + bytes(1), extras + bytes(255) + b"\1"):
        with pytest.raises(RefusedError):
            description.read(wrong)


@pytest.mark.parametrize(
    "readable", [["exif", "icc"], ["resolution", "exif"], [], ["texts"], ["exif", "exif"], "exif"]
)
def test_readable_refused(readable: object) -> None:
    """What is readable is some of four kinds, in their order, that some frame has."""
    metadata = {"exif": b"II", "resolution": ["1", "1", None], "texts": [["a", "b"]]}
    meaning = plain_meaning([(6, 7)])
    meaning["frames"][0]["metadata"] = metadata
    right = {**meaning, "readable": ["exif", "resolution"]}
    assert description.read(description.write(right)) == right
    with pytest.raises(RefusedError):
        description.write({**meaning, "readable": readable})


def test_colors_and_alphas() -> None:
    """There are not more alphas than colors, of either width."""
    meaning = plain_meaning([(6, 7)])
    meaning["frames"][0]["palette"] = 0
    for wide, count in ((False, 4), (True, 2)):
        palette: dict[str, Any] = {"colors": bytes(12), "alphas": bytes(count)} | (
            {"wide": True} if wide else {}
        )
        right = {**meaning, "palettes": [palette]}
        assert description.write(right)
        palette["alphas"] += b"\0"
        with pytest.raises(RefusedError, match="more alphas"):
            description.write(right)
