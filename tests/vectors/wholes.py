"""The generators of the vectors for pictures of several frames, with a meaning, or in parts."""

from typing import Any

from tests.vectors.common import KEY, SALT, Case, bytes_or_digest, little
from tests.vectors.gallery import PICTURES
from tests.vectors.whole import whole

_CONTEXT = "caf\u00e9"
_SCRAMBLED = "scramble-v1"
_REGIONS = [[0, 0, 2, 3], [1, 2, 4, 4], [1, 2, 4, 4]]


def _case(name: str, **options: Any) -> Case:
    """Return a case: a picture, what was chosen, and what came of it."""
    choices: Case = {"scheme": "encrypt-v1", "unit": "pixel", "block_size": None, "rounds": None}
    choices |= {"context": None, "salt": SALT.hex(), "regions": None, "runs": None} | options
    if choices["context"] is not None:
        choices |= {"scheme": "scramble-context-v1", "salt": None}
    given = {
        **choices,
        "salt": None if choices["salt"] is None else bytes.fromhex(choices["salt"]),
        "regions": choices["regions"] and tuple(map(tuple, choices["regions"])),
        "runs": choices["runs"] and tuple(choices["runs"]),
    }
    made = whole(name, **given)
    line, _, blobs = (made.extras or b"").partition(b"\n")
    bare = line if made.extras is None else _without_padding(name, blobs)
    own_key = None if choices["context"] is not None else KEY.for_picture(made.header)
    return {
        "label": name,
        **choices,
        "line": None if made.extras is None else line.decode("ascii"),
        "blobs": None if made.extras is None else bare.hex(),
        "frames": [
            {
                "shape": list(plain.shape),
                "dtype": plain.dtype.name,
                "plain": bytes_or_digest(little(plain)),
                "protected": bytes_or_digest(little(pixels)),
            }
            for plain, pixels in zip(made.plain, made.frames, strict=True)
        ],
        "picture_key": None if own_key is None else own_key.to_bytes().hex(),
        "header": made.header.to_bytes().decode(),
    }


def _without_padding(name: str, blobs: bytes) -> bytes:
    """Return the blobs alone: as many bytes as preview, palettes, animation and metadata have."""
    picture = PICTURES[name].picture
    animation = picture.animation
    palettes = [None if animation is None else animation.palette]
    palettes += [frame.palette for frame in picture.frames]
    held = [data for palette in dict.fromkeys(palettes) if palette is not None
            for data in (palette.colors, palette.alphas)]  # fmt: skip
    held += [PICTURES[name].preview or b""]
    held += [b"" if animation is None else animation.background or b""]
    for said in (frame.metadata for frame in picture.frames):
        held += [said.exif or b"", said.icc or b"", said.xmp or b""]
        held += [data for _, data in said.native]
    return blobs[: sum(map(len, held))]


def frames() -> list[Case]:
    """Whole protected pictures of one or more frames with their descriptions and headers."""
    cases = [_case(name) for name in PICTURES]
    cases += [
        _case(name, scheme=_SCRAMBLED)
        for name in ("pages", "twelve", "animation", "sealed", "shallow", "padding of none")
    ]
    cases += [
        _case(name, context=_CONTEXT)
        for name in ("pages", "twelve", "animation", "two bits", "third side", "shallow")
    ]
    cases += [
        _case("pages", scheme=_SCRAMBLED, unit="sample", salt=None),
        _case("sealed", scheme=_SCRAMBLED, salt=None),
        _case("sealed", salt=None),
        _case("file of 13", salt=None),
        _case("readable all", scheme=_SCRAMBLED, salt=None),
        _case("equal", scheme=_SCRAMBLED, unit="block", block_size=2),
        _case("twelve", scheme=_SCRAMBLED, unit="block", block_size=2),
        _case("pages", scheme=_SCRAMBLED, unit="block", block_size=2),
        _case("twelve", context=_CONTEXT, unit="block", block_size=2),
        _case("pages", context=_CONTEXT, unit="block", block_size=2),
        _case("equal", context=_CONTEXT, unit="block", block_size=4, rounds=1),
        _case("equal", salt=None, rounds=3),
        _case("preview", scheme=_SCRAMBLED),
        _case("preview of an animation", scheme=_SCRAMBLED),
        _case("preview of a file of 13", salt=None),
    ]
    return cases


def regions() -> list[Case]:
    """Pictures of which only some pixels are protected, with their headers."""
    cases = []
    for chosen in ({}, {"scheme": _SCRAMBLED}, {"context": _CONTEXT}):
        cases += [_case(name, **chosen, regions=_REGIONS) for name in ("plain", "pages")]
        cases += [
            _case("plain", **chosen, runs=[0, 5, 30, 1, 6]),
            _case("plain", **chosen, runs=[42]),
            _case("plain", **chosen, runs=[0, 42]),
            _case("animation", **chosen, regions=[[0, 0, 8, 10]]),
            _case("animation", **chosen, regions=[[7, 9, 1, 1]]),
            _case("animation", **chosen, runs=[3, 40, 20, 17]),
            # A canvas beyond the first frame, to its end; one that the frames go beyond.
            _case("larger canvas", **chosen, regions=[[5, 5, 4, 8], [0, 12, 1, 1]]),
            _case("larger canvas", **chosen, runs=[60, 57]),
            _case("smaller canvas", **chosen, regions=[[3, 2, 2, 6]]),
            _case("smaller canvas", **chosen, runs=[11, 29]),
            _case("canvas around a place", **chosen, regions=[[3, 4, 5, 5]]),
            _case("placed", **chosen, runs=[4, 9, 2, 27]),
            # Areas of four canvases together.
            _case("plain bool", **chosen, regions=[[0, 0, 6, 7]] * 4),
            _case("shallow", **chosen, regions=[[1, 1, 4, 5], [0, 0, 2, 2]]),
            _case("plain", **chosen, runs=[1, 40, 1]),
        ]
    cases += [
        _case("pages", scheme=_SCRAMBLED, unit="sample", regions=[[0, 1, 7, 5]], salt=None),
        _case("plain", salt=None, regions=_REGIONS),
        _case("plain", salt=None, runs=[0, 5, 30, 1, 6]),
        _case("two bits", regions=[[2, 0, 4, 8]], rounds=255),
        _case("twelve", runs=[10, 25]),
        _case("plain row", runs=[3, 38, 1]),
        _case("plain", context=_CONTEXT, unit="sample", regions=_REGIONS),
        _case("plain", context=_CONTEXT, regions=_REGIONS, rounds=3),
        _case("animation", context=_CONTEXT, unit="sample", runs=[0, 80]),
        _case("preview", regions=[[1, 2, 4, 4]]),
        _case("preview of an animation", scheme=_SCRAMBLED, runs=[3, 40, 20, 17]),
    ]
    return cases
