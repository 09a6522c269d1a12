"""Make the vectors of JPEG files that stay JPEG files, and scrambled ones with one fault."""

import json
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from typing import Any

import numpy as np

from sudokucrypt.images.jpeg import JpegFile, read_coefficients
from sudokucrypt.images.jpeg.output import output_file
from sudokucrypt.recipes.jpegs import JpegPlan, planned_jpeg, restored
from sudokucrypt.recipes.opening import open_header
from tests.kit.reference import RefusedError, structure
from tests.kit.reference import header as headers
from tests.kit.reference.entropy import file_of
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.jpegs import (
    Planes,
    Work,
    extras_of,
    parts_of,
    through,
    turned,
    with_usual_fillers,
)
from tests.kit.reference.structure import Skeleton, Special, Structure
from tests.kit.reference.tags import closed, tag_of
from tests.kit.replay import VECTORS
from tests.kit.replay_jpegs import draft_of_jpeg
from tests.vectors.common import (
    KEY,
    OTHER_KEY,
    SALT,
    SECRET,
    Case,
    altered,
    bytes_or_digest,
    little,
    protection,
)
from tests.vectors.forge import extras_of as extras_of_row
from tests.vectors.rows import ROWS

MOST_PIXELS = 2**22
_FEW_BLOCKS = 2**12


def plan_of(data: bytes) -> JpegPlan:
    """Return the plan by which a file is scrambled."""
    return planned_jpeg(data, name="vector", max_pixels=MOST_PIXELS)


def jpegs(case: Case) -> Case:
    """Return a scrambled JPEG file, its coefficients, and its structure in plain form."""
    settings = protection("scramble-v1", salt=case["salt"], rounds=case["rounds"])
    plan = plan_of(bytes.fromhex(case["plain"]))
    coefficients = _listed(plan.structure.file)  # which scrambling overwrites
    result, header = plan.protect(KEY, settings)
    actual = read_coefficients(result, max_pixels=MOST_PIXELS)
    back = restored(result, open_header(header, KEY), MOST_PIXELS, name="vector")
    return case | {
        "coefficients": coefficients,
        "structure": back.structure.to_bytes().hex(),
        "picture_key": KEY.for_picture(header).to_bytes().hex(),
        "header": header.to_bytes().decode("ascii"),
        "scrambled_coefficients": [bytes_or_digest(little(plane)) for plane in actual.coefficients],
        "scrambled": result.hex(),
    }


def _listed(file: JpegFile) -> list[Any]:
    """Return the blocks of each component, each number as two bytes, the lower one first.

    Of very many blocks, those that repeat are shown once, with how often they come in a row.
    """
    if max(plane.size for plane in file.coefficients) <= 64 * _FEW_BLOCKS:
        return [little(plane).hex() for plane in file.coefficients]
    planes = (
        [little(block).hex() for block in plane.reshape(-1, 64)] for plane in file.coefficients
    )
    return [[[block, len(list(same))] for block, same in groupby(plane)] for plane in planes]


@dataclass(frozen=True, kw_only=True)
class Base:
    """A file, its blocks, and its structure with turns."""

    data: bytes
    file: JpegFile
    planes: Planes
    right: Structure

    @property
    def skeleton(self) -> Skeleton:
        """What the skeleton of the file says."""
        return structure.read_skeleton(self.right.skeleton)


def _base(text: str) -> Base:
    data = bytes.fromhex(text)
    plan = plan_of(data)
    file = plan.structure.file
    planes = [plane.reshape(-1, 64).tolist() for plane in file.coefficients]
    about = structure.read(plan.structure.to_bytes())
    skeleton = structure.read_skeleton(about.skeleton)
    turns = turned(planes, skeleton, parts_of(skeleton))[1]
    return Base(data=data, file=file, planes=planes, right=replace(about, turns=turns))


def forged(base: Base, row: Case) -> Case:
    """Return the scrambled file of a row, with its blocks, under a tag and seal that fit it.

    A row says what is otherwise than in its base: fields of the `structure`; the bytes of it that
    are `sealed`; the `line` of the description, with what is `behind` the structure, or all
    `extras`; the file that is `tagged`; `fields` of the header; what is added to the first `mean`.
    """
    skeleton, about = base.skeleton, _structure(base.right, row.get("structure", {}))
    fields = {name: _tuples(value) for name, value in row.get("fields", {}).items()}
    draft = draft_of_jpeg(skeleton, **{"rounds": 2, "salt": SALT.hex(), **fields})
    of_picture = picture_key(SECRET, SALT)
    tagged = _file_of(about, base.planes) or base.data
    if "tagged" in row:
        tagged = altered(base.data, row["tagged"])
    extras = None if row.get("bare") else _extras(base.right, about, row)
    tag = tag_of(replace(draft, extras=extras), [tagged], of_picture)
    parts = parts_of(skeleton)
    work = Work(key=of_picture, tag=tag, rounds=draft.rounds)
    result = through(turned(base.planes, skeleton, parts)[0], skeleton, parts, work, sign=1)
    result = with_usual_fillers(result, skeleton, parts)
    result[0][0][0] += row.get("mean", 0)
    header = headers.write(closed(replace(draft, extras=extras), of_picture, tag))
    arrays = [
        np.array(blocks, dtype=np.int16).reshape(plane.shape)
        for blocks, plane in zip(result, base.file.coefficients, strict=True)
    ]
    file = base.file.with_coefficients(arrays)
    at_hand = _recoded(output_file(file, header), row)
    shown = {"coefficients": _listed(file), "scrambled": at_hand.hex()}
    return shown | {"header": header.decode("ascii")} if row.get("bare") else shown


def _recoded(scrambled: bytes, row: Case) -> bytes:
    """Return the file at hand of a row.

    It may have other `rows` in its frame, in as many blocks, or `fill` bytes before each marker.
    """
    if "rows" in row:
        at = scrambled.index(b"\xff\xc1") + 5
        scrambled = scrambled[:at] + row["rows"].to_bytes(2, "big") + scrambled[at + 2 :]
    if "fill" in row:
        fill = b"\xff" * row["fill"]
        segments = structure.segments(scrambled)
        scrambled = structure.START + b"".join(fill + part + data for _, part, data in segments)
    return scrambled


def _structure(right: Structure, changes: Case) -> Structure:
    """Return a structure with other fields, in which bytes are changed, and the rest is given."""
    fields = {name: _tuples(value) for name, value in changes.items()}
    if "skeleton" in changes:
        fields["skeleton"] = altered(right.skeleton, changes["skeleton"])
    if changes.get("patch"):
        offset, length, data = changes["patch"]
        fields["patch"] = offset, length, bytes.fromhex(data)
    if "scans" in changes:
        fields["scans"] = tuple(map(_special, changes["scans"]))
    return replace(right, **fields)


def _special(about: Case) -> Special:
    strays = tuple((at, bytes.fromhex(data)) for at, data in about.get("strays", ()))
    padding, breaks = bytes.fromhex(about.get("padding", "")), tuple(about.get("breaks", ()))
    return Special(padding=padding, breaks=breaks, strays=strays)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _extras(right: Structure, about: Structure, row: Case) -> bytes:
    sealed = structure.write(about)
    if "sealed" in row:
        sealed = altered(sealed, row["sealed"])
    if "extras" in row:
        return extras_of_row(row["extras"]) or b""
    line = row.get("line")
    if line is None:
        bare = extras_of(right).partition(b"\n")[0].decode("ascii")
        old, new = (f'"structure":{len(data)}' for data in (structure.write(right), sealed))
        line = bare.replace(old, new)
    blobs = sealed.hex() + row.get("behind", "")
    return extras_of_row({"line": line, "blobs": blobs}) or b""


def _file_of(about: Structure, planes: Planes) -> bytes | None:
    """Return the file that a faulty structure gives, if it gives one."""
    try:
        return file_of(about, planes)
    except (RefusedError, IndexError, ValueError):
        return None


@cache
def _base_of(name: str) -> Base:
    """Return a base of the rows, or a case of `jpegs` with this label."""
    bases = _content("reject_jpegs")["bases"]
    cases = json.loads((VECTORS / "jpegs.json").read_text(encoding="ascii"))["cases"]
    return _base(bases.get(name) or next(c["plain"] for c in cases if c["label"] == name))


@cache
def _content(kind: str) -> Case:
    content: Case = json.loads((ROWS / f"{kind}.json").read_text(encoding="ascii"))
    return content


def sound() -> Case:
    """Return a file that is forged like the others, and has no fault."""
    return forged(_base_of("turned"), {})


def accept_jpegs() -> list[Case]:
    """Return scrambled JPEG files that other programs wrote again, and that a reader restores."""
    cases = []
    for row in _content("accept_jpegs")["rows"]:
        base = _base_of(row["base"])
        result = forged(base, row) | {"plain": base.data.hex()}
        cases.append({"name": row["name"], "key": KEY.to_text(), **result})
    return cases


def reject_jpegs() -> list[Case]:
    """Return scrambled JPEG files that a reader must refuse, and the layer that refuses."""
    cases = []
    for row in _content("reject_jpegs")["rows"]:
        result = forged(_base_of(row["base"]), row)
        key = OTHER_KEY if row.get("key") == "other" else KEY
        cases.append({"name": row["name"], "layer": row["layer"], "key": key.to_text(), **result})
    return cases
