"""The generator of scrambled JPEG files with one fault, under a tag and seal that fit the fault."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sudokucrypt import Key
from sudokucrypt.images import Metadata
from sudokucrypt.images.jpeg import JpegFile
from sudokucrypt.images.jpeg.output import shown
from tests.kit.reference import RefusedError, description, structure
from tests.kit.reference import header as headers
from tests.kit.reference import jpegs as reference
from tests.kit.reference.entropy import file_of
from tests.kit.reference.header import JPEG, Header
from tests.kit.reference.hkdf import key_id, picture_key
from tests.kit.reference.jpegs import (
    Planes,
    Work,
    parts_of,
    through,
    turned,
    with_usual_fillers,
)
from tests.kit.reference.pictures import closed
from tests.kit.reference.selection import written_number
from tests.kit.reference.structure import Special, Structure
from tests.kit.reference.tags import tag_of
from tests.vectors.common import KEY, SALT, SECRET, Case
from tests.vectors.jpegs import ALL, APART, FOUR, listed, plan_of, small, steps, with_means

_OTHER_KEY = Key(bytes(range(1, 33))).to_text()


@dataclass(frozen=True, kw_only=True)
class Forged:
    """A file with everything that may be wrong with it; None stands for what is right.

    `sealed` are the bytes of the structure, `meaning` is the description, `extras` are bytes in its
    place, and `tagged` is the file under the tag. `strange` is added to a scrambled mean.
    """

    about: Structure
    fields: dict[str, Any]
    sealed: bytes | None = None
    meaning: dict[str, Any] | None = None
    extras: bytes | None = None
    tagged: bytes | None = None
    strange: int = 0


def _base(file: JpegFile) -> tuple[JpegFile, bytes, Planes, Structure]:
    """Return a file, its bytes, its blocks and its structure with turns."""
    data = file.to_bytes()
    plan = plan_of(data, {})
    planes = [plane.reshape(-1, 64).tolist() for plane in plan.structure.file.coefficients]
    about = structure.read(plan.structure.to_bytes())
    said = structure.read_skeleton(about.skeleton)
    turns = turned(planes, said, parts_of(said, _draft(said, {})))[1]
    return plan.structure.file, data, planes, replace(about, turns=turns)


def _draft(said: structure.Skeleton, fields: dict[str, Any]) -> Header:
    known: dict[str, Any] = {
        "scheme": JPEG, "unit": "block", "block_size": 8, "rounds": 2, "dtype": "uint8",
        "shape": reference.shape_of(said), "key_id": key_id(SECRET), "salt": SALT.hex(),
    }  # fmt: skip
    return Header(**{**known, **fields})


def sound() -> Case:
    """Return a file that is forged like the others, and has no fault."""
    return forge(_turned(), Forged(about=_base(_turned())[3], fields={}))


def forge(file: JpegFile, forged: Forged) -> Case:
    """Return the scrambled file of a forged one, with its blocks."""
    file, data, planes, right = _base(file)
    said = structure.read_skeleton(right.skeleton)
    sealed = structure.write(forged.about) if forged.sealed is None else forged.sealed
    extras = forged.extras
    if extras is None:
        meaning = description.read(reference.extras_of(right)) | {"structure": sealed}
        extras = description.write(meaning if forged.meaning is None else forged.meaning)
    draft = _draft(said, forged.fields)
    of_picture = picture_key(SECRET, SALT)
    tagged = forged.tagged or _file_of(forged.about, planes) or data
    tag = tag_of(replace(draft, extras=extras), [tagged], of_picture)
    regions = draft.regions
    parts = parts_of(said, replace(_draft(said, {}), regions=regions and ((0, 0, 1, 1),)))
    work = Work(key=of_picture, tag=tag, rounds=draft.rounds)
    made = through(turned(planes, said, parts)[0], said, parts, work, sign=1)
    made = with_usual_fillers(made, said, parts)
    made[0][0][0] += forged.strange
    header = headers.write(closed(replace(draft, extras=extras), of_picture, tag))
    arrays = [
        np.array(blocks, dtype=np.int16).reshape(plane.shape)
        for blocks, plane in zip(made, file.coefficients, strict=True)
    ]
    scrambled = shown(file.with_coefficients(arrays), header, Metadata())
    return {"coefficients": listed(arrays), "scrambled": scrambled.hex()}


def _file_of(about: Structure, planes: Planes) -> bytes | None:
    """Return the file that a faulty structure gives, if it gives one."""
    try:
        return file_of(about, planes)
    except (RefusedError, IndexError, ValueError):
        return None


def _structures() -> Iterator[tuple[str, Structure, bytes | None]]:
    """Yield structures with one fault, some as bytes."""
    _, data, _, right = _base(_turned())
    sealed = structure.write(right)
    size = written_number(right.size)
    rest = sealed.removeprefix(size)
    turns, skeleton = right.turns, right.skeleton
    yield "a size in more bytes than it needs", right, size[:-1] + bytes([size[-1] + 128, 0]) + rest
    yield "another size", replace(right, size=right.size + 1), None
    yield "a copy of unknown metadata", replace(right, readable=(3,)), None
    yield "copies twice", right, size + bytes([2, 0, 0]) + rest[1:]
    yield "bytes behind the structure", right, sealed + b"\0"
    yield "a structure that is cut off", right, sealed[:-1]
    yield "two patches", right, sealed[:-1] + bytes([2, 0, 0, 0, 0, 0, 0])
    yield "a patch of a longer file", replace(right, patch=(len(data), 1, b"")), None
    yield "a turn of 0", replace(right, turns=tuple(sorted([*turns, (2, 0, 0)]))), None
    yield "turns out of order", replace(right, turns=turns[::-1]), None
    yield "a turn too few", replace(right, turns=turns[1:]), None
    yield "a turn of a block that is not there", replace(right, turns=(*turns, (2, 99, 1))), None
    yield "a turn of a component that is not there", replace(right, turns=(*turns, (3, 0, 1))), None
    yield "a turn beyond what can be coded", replace(right, turns=(*turns, (2, 1, 99999))), None
    yield "scans that are not there", replace(right, scans=right.scans * 2), None
    yield "a scan too few", replace(right, scans=()), None
    padding = Special(padding=b"\xff\xff")
    yield "padding of other intervals", replace(right, scans=(padding,)), None
    empty = Special(strays=((0, b""),))
    yield "a stray of no bytes", replace(right, scans=(empty,)), None
    end = skeleton.rindex(b"\xff\xd9")
    yield "coded data", replace(right, skeleton=skeleton[:end] + b"\1" + skeleton[end:]), None
    yield "no skeleton", replace(right, skeleton=b"\xff\xd8\xff\xd9", scans=()), None
    frame = skeleton.index(b"\xff\xc1") + 4
    for what, place, value in (("rows", 2, 26), ("columns", 4, 10), ("identifier", 6, 99),
                               ("sampling", 7, 0x12), ("table", 8, 1)):  # fmt: skip
        other = bytearray(skeleton)
        other[frame + place] = value
        yield f"another {what} of the frame", replace(right, skeleton=bytes(other)), None
    steps_at = skeleton.index(b"\xff\xdb") + 5
    other = bytearray(skeleton)
    other[steps_at + 100] ^= 1
    yield "other quantisation tables", replace(right, skeleton=bytes(other)), None


def _fillers() -> Iterator[tuple[str, JpegFile, Forged]]:
    """Yield files with one fault in what their structure says of fillers."""
    file = small(17, 9, samplings=FOUR)
    _, _, planes, right = _base(file)
    (first, *others), block = right.fillers, planes[0][0]
    filler = first[0][0] // 64
    same = next(at for at in range(64 * filler, 64 * filler + 64) if at not in dict(first))
    at = next(at for at in range(1, 64) if block[at] > 0 and block[at] % 2 == 0)
    for what, differences in {
        "a difference of a block that is not there": [*first, (64 * len(planes[0]), 1)],
        "a difference of a block that covers": [(at, 1), *first],
        "a difference of 0": sorted([*first, (same, 0)]),
        "a difference twice": [first[0], *first],
        "a difference beyond what can be coded": [(first[0][0], 2**40), *first[1:]],
    }.items():
        about = replace(right, fillers=(tuple(differences), *others))
        # As many bits say the changed coefficient, so the file has its size.
        changed = [[*block[:at], block[at] + 1, *block[at + 1 :]], *planes[0][1:]]
        tagged = file_of(right, [changed, *planes[1:]]) if at in dict(differences) else None
        yield what, file, Forged(about=about, fields={}, tagged=tagged)
    for what, fillers in {
        "fillers of too few components": right.fillers[:-1],
        "fillers of too many components": (*right.fillers, ()),
    }.items():
        yield what, file, Forged(about=replace(right, fillers=fillers), fields={})
    turn = replace(right, turns=tuple(sorted([*right.turns, (0, filler, 1)])))
    yield "a turn of a filler", file, Forged(about=turn, fields={})
    for what, script in {
        "a difference of fillers of means alone": ALL,
        "a difference of fillers that are not sent": APART,
    }.items():
        file = small(17, 9, samplings=FOUR, script=script)
        right = _base(file)[3]
        about = replace(right, fillers=((*right.fillers[0], (64 * 7 + 9, 1)), *right.fillers[1:]))
        yield what, file, Forged(about=about, fields={})


def _turned() -> JpegFile:
    """Return a small file of colors with turns."""
    return with_means(steps(25, 7, 255), 0, 500)


def _others() -> Iterator[tuple[str, str, Forged]]:
    """Yield other faults: the layer, what is wrong, and all of it."""
    _, data, _, right = _base(_turned())
    whole = description.read(reference.extras_of(right))
    plain = Forged(about=right, fields={})
    (frame,) = whole["frames"]
    for what, meaning in {
        "a structure without its picture": {**whole, "frames": [{**frame, "shape": [24, 9, 3]}]},
        "another mode": {**whole, "frames": [{**frame, "shape": [25, 9], "mode": "gray"}]},
        "another type": {**whole, "frames": [{**frame, "dtype": "int8"}]},
        "another format": {**whole, "format": "PNG"},
        "metadata": {**whole, "frames": [{**frame, "metadata": {"xmp": b"<x/>"}}]},
        "a second frame": {**whole, "frames": [frame, frame]},
        "a place": {**whole, "frames": [{**frame, "place": [1, 1]}]},
    }.items():
        yield "description", what, replace(plain, meaning=meaning)
    yield "description", "no structure", replace(plain, extras=_without_structure(whole))
    faulty: dict[str, dict[str, Any]] = {
        "blocks of another size": {"block_size": 16},
        "no blocks": {"unit": "pixel", "block_size": None},
        "another type of samples": {"dtype": "int8"},
        "another shape": {"shape": (24, 9, 3)},
        "another number of components": {"shape": (25, 9)},
    }
    for what, fields in faulty.items():
        yield "shape", what, replace(plain, fields=fields)
    regions = {"regions": ((0, 0, 26, 1),)}
    yield "selection", "a region beyond the picture", replace(plain, fields=regions)
    covers = {"regions": ((0, 0, 25, 9),) * 4 + ((0, 0, 1, 1),)}
    yield "selection", "too many regions", replace(plain, fields=covers)
    yield "tag", "another file under the tag", replace(plain, tagged=data + b"\0")
    yield "tag", "a mean out of its range", replace(plain, strange=292)


def _without_structure(whole: dict[str, Any]) -> bytes:
    (frame,) = whole["frames"]
    return description.write({"format": "JPEG", "preview": b"RIFF\0\0\0\0WEBP", "frames": [frame]})


def reject_jpegs() -> list[Case]:
    """Scrambled JPEG files that a reader must refuse, and the layer that refuses."""
    cases: list[Case] = []

    def add(layer: str, name: str, made: Case, key: str = KEY.to_text()) -> None:
        cases.append({"name": name, "layer": layer, "key": key, **made})

    for name, about, sealed in _structures():
        forged = Forged(about=about, fields={}, sealed=sealed)
        add("description", f"structure: {name}", forge(_turned(), forged))
    for name, file, forged in _fillers():
        add("description", f"structure: {name}", forge(file, forged))
    for layer, name, forged in _others():
        add(layer, name, forge(_turned(), forged))
    taller = sound()
    frame = taller["scrambled"].index("ffc1")
    rows = (26).to_bytes(2, "big").hex()  # of as many blocks
    taller["scrambled"] = (
        taller["scrambled"][: frame + 10] + rows + taller["scrambled"][frame + 14 :]
    )
    add("shape", "a file at hand of another size", taller)
    right = _base(small())[3]
    add("key", "another key", forge(small(), Forged(about=right, fields={})), _OTHER_KEY)
    return cases
