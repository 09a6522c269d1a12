"""Make the vectors of pictures of frames, and of the files that hold them, with the package."""

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sudokucrypt.images.webp.file import packet
from sudokucrypt.recipes.selection import Selection

from sudokucrypt.header import Header, sidecar_bytes
from sudokucrypt.images import Picture, PictureRecord, describe, encode_picture
from sudokucrypt.recipes.records import canvas_of, parts_of, planned_picture
from tests.vectors.common import KEY, Case, bytes_or_digest, little, protection
from tests.vectors.files import webp
from tests.vectors.gallery import PICTURES
from tests.vectors.rows import ROWS, made_of_rows

_CONTEXT = "caf\u00e9"
_SETTINGS = {
    "encrypted": protection(),
    "scrambled": protection("scramble-v1"),
    "under a context": protection(context=_CONTEXT),
}


def pictures(case: Case) -> Case:
    """Return a protected picture of the gallery, with its description and header."""
    record = PICTURES[case["label"]]
    names = ("unit", "block_size", "rounds", "context", "salt")
    settings = protection(case["scheme"], **{name: case[name] for name in names})
    selection = _selection(record.picture, case)
    extras = describe(record)
    parts = parts_of(record.picture, selection)
    result, header = settings.protect(parts, KEY, selection=selection, encrypted_metadata=extras)
    of_picture = None if case["context"] is not None else KEY.for_picture(header)
    line, _, blobs = (extras or b"").partition(b"\n")
    shown = extras is not None
    return case | {
        "line": line.decode("ascii") if shown else None,
        "blobs": blobs[: _length(json.loads(line))].hex() if shown else None,
        "frames": [
            {
                "shape": list(plain.pixels.shape),
                "dtype": plain.pixels.dtype.name,
                "plain": bytes_or_digest(little(plain.pixels)),
                "protected": bytes_or_digest(little(pixels)),
            }
            for plain, pixels in zip(record.picture.frames, result, strict=True)
        ],
        "picture_key": None if of_picture is None else of_picture.to_bytes().hex(),
        "header": header.to_bytes().decode(),
    }


def _selection(picture: Picture, case: Case) -> Selection | None:
    """Return the pixels that the regions or runs of a case select."""
    canvas = canvas_of(picture, None)
    if case["runs"] is None:
        regions = case["regions"] and [tuple(region) for region in case["regions"]]
        return Selection.chosen(canvas, regions, None)
    where = np.repeat(np.arange(len(case["runs"])) % 2 == 1, case["runs"]).reshape(canvas)
    return Selection.chosen(canvas, None, where, allow_none=True)


def _length(line: Any) -> int:
    """Return how many bytes of blobs a line describes; what is behind them is padding."""
    if isinstance(line, list):
        return sum(map(_length, line))
    if not isinstance(line, dict):
        return 0
    sizes = {"preview", "colors", "alphas", "background", "exif", "icc", "xmp"}
    own: int = sum(size for name, size in line.items() if name in sizes)
    native: int = sum(size for _, size in line.get("native", ()))
    return own + native + sum(map(_length, line.values()))


@dataclass(frozen=True, kw_only=True)
class _Written:
    """A protected picture as its file holds it, and what it is made of."""

    picture: Picture
    record: PictureRecord
    extras: bytes | None

    def case(self, name: str, data: bytes, **others: str) -> Case:
        """Return the case of a file that holds it, with what is restored of it."""
        header = self.picture.header or b""
        case: Case = {"name": name, "picture": data.hex(), "named": None, "beside": None}
        case |= {"header": header.decode("ascii"), "refused": False, "context": None}
        case["plain"] = [little(frame.pixels).hex() for frame in self.record.picture.frames]
        return case | {"extras": None if self.extras is None else self.extras.hex()} | others


def _written(row: Case) -> _Written:
    settings, record = _SETTINGS[row["protection"]], PICTURES[row["picture"]]
    regions = row.get("regions") and [tuple(region) for region in row["regions"]]
    selection = Selection.chosen(canvas_of(record.picture, None), regions, None)
    options = {"metadata": row["metadata"]} if "metadata" in row else {}
    plan = planned_picture(
        record, settings.scheme, format=row["format"], selection=selection, **options
    )
    result = settings.protect(
        plan.parts, KEY, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
    )
    return _Written(picture=plan.carrying(*result), record=record, extras=plan.encrypted_metadata)


def containers() -> list[Case]:
    """Return whole files: those that the package writes, with sidecars, and those of rows."""
    content = json.loads((ROWS / "containers.json").read_text(encoding="ascii"))
    cases = []
    for row in content["written"]:
        result = _written(row)
        name = f"written: {row['format']}, {row['picture']}, {row['protection']}"
        name += "".join(f", {option}" for option in row if option in {"regions", "metadata"})
        data = encode_picture(result.picture, row["format"], compress=0)
        context = {"context": _CONTEXT} if row["protection"] == "under a context" else {}
        cases.append(result.case(name, data, **context))
    result = _written(content["written"][0])
    header = result.picture.header or b""
    bare = encode_picture(replace(result.picture, header=None), "PNG", compress=0)
    sidecar = sidecar_bytes(Header.from_bytes(header)).hex()
    for side in ("named", "beside"):
        name = f"written: PNG with its sidecar {side}"
        cases.append(result.case(name, bare, **{side: sidecar}))
    # The samples as libwebp codes them without loss: another release may choose other bytes.
    coded = bytes.fromhex(content["coded for webp"])
    canvas = b"\4" + bytes(3) + b"\6\0\0\5\0\0"
    data = webp((b"VP8X", canvas), (b"VP8L", coded), (b"XMP ", packet(header)))
    cases.append(result.case("written: WebP, plain, encrypted", data))
    return cases + made_of_rows("containers")
