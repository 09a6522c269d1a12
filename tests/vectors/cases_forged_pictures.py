"""Pictures of frames that are read, or refused for one reason alone: extras, files, the tag.

See `tests.vectors.forge`: tag, masks and seal fit whatever is wrong.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.kit.reference.files import frame_of_file
from tests.kit.reference.frames import Frame
from tests.kit.reference.header import CONTEXT, ENCRYPT, KEYED, Header
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.parts import pixels_of_frames
from tests.kit.reference.selection import write_mask
from tests.vectors.cases_files import FILES
from tests.vectors.cases_forged import (
    BITS,
    OTHER,
    SALT,
    SECRET,
    TAGGED,
    draft,
    master_text,
    picture_text,
    plain,
)
from tests.vectors.forge import forged, forged_context
from tests.vectors.line_cases import line

Case = dict[str, Any]
TEXT = "caf\u00e9"
GRAY = '"shape":[6,7],"dtype":"uint8","mode":"gray"'
TITLE = '"metadata":{"texts":[["Title","cats"]]}'
CANVAS = '"animation":{"rows":8,"columns":5},'
TWO = line(GRAY)


def extras_of(text: str, blobs: bytes = b"", *, more: int = 0) -> bytes:
    """Return a line with its blobs and with padding."""
    bare = text.encode() + b"\n" + blobs
    return bare + bytes(-len(bare) % 256 + more)


def made(
    name: str, frames: Sequence[Frame], header: Header, *, key: str | None = None, **options: Any
) -> Case:
    """Return a case of frames that are forged, each with all its pixels unless some are given."""
    if header.scheme == CONTEXT:
        made, written = forged_context(frames, header, key=SECRET, text=TEXT.encode(), **options)
    else:
        made, written = forged(frames, header, key=SECRET, **options)
    return {
        "name": f"forged {header.scheme}: {name}",
        "header": written.decode("ascii"),
        "frames": [
            {"shape": list(f.shape), "dtype": f.dtype, "samples": f.data.hex()} for f in made
        ],
        "key": key or master_text(SECRET),
        "picture_key": None,
        "context": TEXT if header.scheme == CONTEXT else None,
    }


def frames_of(count: int = 2, shape: tuple[int, ...] = (6, 7)) -> list[Frame]:
    return [plain(f"frame {number}", shape) for number in range(count)]


def header_of(frames: Sequence[Frame], scheme: str, extras: bytes | None, **fields: Any) -> Header:
    return replace(draft(frames[0], scheme), extras=extras, **fields)


def _descriptions() -> Iterator[Case]:
    frames = frames_of()
    for scheme in (*TAGGED, CONTEXT):
        for name, extras in {
            "no padding": TWO.encode() + b"\n",
            "padding of a byte more": extras_of(TWO) + b"\0",
            "padding of 128 bytes more": extras_of(TWO, more=128),
            "a one at the end": extras_of(TWO)[:-1] + b"\1",
            "a carriage return": extras_of(TWO + "\r"),
            "numbers of frames": extras_of(line(GRAY, frames=3)),
            "other shapes": extras_of(line(GRAY.replace("6,7", "7,6"))),
            "other types": extras_of(line(GRAY.replace("uint8", "int8"))),
            "no description": None,
            "a file": extras_of(FILES[0][1]),
            "nothing but zeros": bytes(256),
        }.items():
            yield made(name, frames, header_of(frames, scheme, extras))
        for name, extras in {
            "a description without need": extras_of(line(GRAY, frames=1)),
            "a frame more described": extras_of(TWO),
        }.items():
            yield made(name, frames[:1], header_of(frames, scheme, extras))
        yield made(
            "a frame less described", frames_of(3), header_of(frames, scheme, extras_of(TWO))
        )
        shapes = [plain("turned", (7, 6)), frames[1]]
        exchanged = extras_of(TWO.replace("6,7", "7,6", 1))
        header = header_of(frames, scheme, exchanged)
        yield made("another shape of frame 0 in the header", shapes, header)
        header = replace(header_of(frames, scheme, extras_of(TWO)), dtype="int8")
        yield made("another type of frame 0 in the header", frames, header)
    for name, text, blobs in (
        ("metadata", line(f"{GRAY},{TITLE}", frames=1), b""),
        ("metadata of the second frame", _last_frame(f"{GRAY},{TITLE}"), b""),
        ("readable metadata", line(f'{GRAY},"metadata":{{"exif":1}}', more='"readable":["exif"],',
                                   frames=1), b"x"),
    ):  # fmt: skip
        count = 1 if "frames" not in text or text.count("shape") == 1 else 2
        yield made(name, frames[:count], header_of(frames, CONTEXT, extras_of(text, blobs)))


def _last_frame(frame: str) -> str:
    """Return the line of two frames of which the last one is another."""
    return TWO.replace(f"{{{GRAY}}}]", f"{{{frame}}}]")


def _files() -> Iterator[Case]:
    right = frame_of_file(b"0123456789")
    about = dict(FILES)
    text = about["type a/b of 3"]
    for name, data in {
        "a one behind the size": right.data[:10] + b"\1\0",
        "a one at the end": right.data[:11] + b"\1",
    }.items():
        frame = replace(right, data=data)
        yield made(f"a file with {name}", [frame], header_of([frame], ENCRYPT, extras_of(text)))
    for scheme in (KEYED, CONTEXT):
        for unit in ("pixel", "sample"):
            header = header_of([right], scheme, extras_of(text), unit=unit)
            yield made(f"a file by its {unit}s", [right], header)
    selections: dict[str, dict[str, Any]] = {
        "regions": {"regions": ((0, 0, 3, 4),)},
        "a mask": {"mask": write_mask([0, 12])},
        "a mask of nothing": {"mask": write_mask([12])},
    }
    for name, field in selections.items():
        header = header_of([right], ENCRYPT, extras_of(text), **field)
        pixels = pixels_of_frames([right.shape], header, None)
        yield made(f"a file with {name}", [right], header, pixels=pixels)


def _tags() -> Iterator[Case]:
    frames = frames_of()
    for scheme in TAGGED:
        header = header_of(frames, scheme, extras_of(TWO))
        of_picture = picture_text(picture_key(SECRET, SALT))
        for bit in BITS:
            case = made(f"bit {bit} of the tag", frames, header, flipped=bit)
            yield case
            yield {**case, "name": f"{case['name']}, picture key", "key": None,
                   "picture_key": of_picture}  # fmt: skip
        for name, tagged in {
            "another format": replace(header, extras=extras_of(line(GRAY, format="GIFF"))),
            "padding": replace(header, extras=extras_of(TWO, more=256)),
            "no extras": replace(header, extras=None),
            "a region": replace(header, regions=((0, 0, 6, 7),)),
        }.items():
            yield made(f"{name} under the tag", frames, header, tagged=tagged)
        case = made("frames exchanged", frames, header)
        yield {**case, "frames": case["frames"][::-1]}
        yield {**made("another key", frames, header), "key": master_text(OTHER)}
        regions = replace(header, regions=((0, 0, 2, 2),))
        pixels = pixels_of_frames([frame.shape for frame in frames], regions, None)
        for number, place in ((0, 41), (1, 41), (1, 0)):
            case = made(f"sample {place} of frame {number}", frames, regions, pixels=pixels)
            samples = bytearray.fromhex(case["frames"][number]["samples"])
            samples[place] ^= 1
            case["frames"][number]["samples"] = samples.hex()
            yield case


def _right() -> Iterator[Case]:
    frames = frames_of()
    small = (0, 0, 6, 7)
    large = [plain("large", (7, 9)), plain("small", (3, 4))]
    text = f'{{{GRAY.replace("6,7", "7,9")}}},{{{GRAY.replace("6,7", "3,4")},"place":[6,2]}}'
    animated = extras_of(f'{{"format":"GIF",{CANVAS}"frames":[{text}]}}')
    for scheme in (*TAGGED, CONTEXT):
        for more in (0, 256, 512):
            extras = extras_of(TWO, more=more)
            case = made(f"padding of {more} bytes more", frames, header_of(frames, scheme, extras))
            yield _restored(case, frames, extras)
        stills: dict[str, dict[str, Any]] = {
            "four canvases": {"regions": (small,) * 4},
            "the last pixel": {"regions": ((5, 6, 1, 1),)},
            "nothing": {"mask": write_mask([42])},
        }
        for name, fields in stills.items():
            header = header_of(frames[:1], scheme, None, **fields)
            pixels = pixels_of_frames([frames[0].shape], header, None)
            case = made(name, frames[:1], header, pixels=pixels)
            yield _restored(case, frames[:1], None)
        canvas = {"frames": [{}, {"place": [6, 2]}], "animation": {"rows": 8, "columns": 5}}
        animations: dict[str, dict[str, Any]] = {
            "a region beyond frame 0": {"regions": ((7, 0, 1, 5), (2, 3, 3, 2))},
            "four canvases of an animation": {"regions": ((0, 0, 8, 5),) * 4},
            "a mask of the canvas": {"mask": write_mask([3, 20, 10, 7])},
        }
        for name, fields in animations.items():
            header = header_of(large, scheme, animated, **fields)
            pixels = pixels_of_frames([frame.shape for frame in large], header, canvas)
            case = made(name, large, header, pixels=pixels)
            yield _restored(case, large, animated)


def _restored(case: Case, frames: Sequence[Frame], extras: bytes | None) -> Case:
    """Return a case with what is restored of it."""
    shown = None if extras is None else extras.hex()
    return {**case, "plain": [frame.data.hex() for frame in frames], "extras": shown}


def accepted_pictures() -> list[Case]:
    """Pictures that every reader restores."""
    return list(_right())


def rejected_pictures() -> list[Case]:
    """Pictures that are refused for one reason alone."""
    layers = {"description": _descriptions, "file": _files, "tag": _tags}
    return [
        {**case, "name": f"{case['name']}, {layer}", "layer": layer}
        for layer, make in layers.items()
        for case in make()
    ]
