"""The generators of the vectors for JPEG files that stay JPEG files."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np

from sudokucrypt.header import Header
from sudokucrypt.images import Metadata
from sudokucrypt.images.jpeg import JpegFile, Segment, read_coefficients
from sudokucrypt.images.jpeg.dummy_blocks import with_usual_dummies
from sudokucrypt.images.jpeg.huffman import HuffmanTable
from sudokucrypt.recipes.jpegs import JpegPlan, planned, restored
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray, Region
from tests.images.jpeg.made import PROGRESSION, made, scan_segment, with_scan
from tests.vectors.common import (
    KEY,
    SALT,
    Case,
    bytes_or_digest,
    little,
    plain_bytes,
    protection,
)

MOST_PIXELS = 2**16
ALL: Sequence[Any] = (((0, 1, 2), 0, 0, 0, 0), *(((n,), 1, 63, 0, 0) for n in range(3)))
APART: Sequence[Any] = tuple(
    ((n,), *band) for n in range(3) for band in ((0, 0, 0, 0), (1, 63, 0, 0))
)
_REFINED: Sequence[Any] = (
    ((0, 1), 0, 0, 0, 1), ((2,), 0, 0, 0, 0), ((0,), 1, 63, 0, 1), ((1,), 1, 9, 0, 0),
    ((0, 1), 0, 0, 1, 0), ((1,), 10, 63, 0, 0), ((2,), 1, 63, 0, 2), ((2,), 1, 63, 2, 1),
    ((0,), 1, 63, 1, 0), ((2,), 1, 63, 1, 0),
)  # fmt: skip
FOUR = (2, 2), (1, 1), (1, 1)
_PLACES = np.arange(64)
_EXIF = b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
_XMP = (
    b"http://ns.adobe.com/xap/1.0/\0"
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-'
    b'syntax-ns#"><rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
    b'xmp:Rating="3"/></rdf:RDF></x:xmpmeta>'
)
# What version 1.0.0 left readable of them; later versions leave no XMP readable.
_READABLE = Metadata(
    exif=_EXIF.removeprefix(b"Exif\0\0"),
    xmp=b'<?xpacket begin="\xef\xbb\xbf" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    b'<rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">'
    b"<xmp:Rating>3</xmp:Rating></rdf:Description></rdf:RDF></x:xmpmeta>"
    b'<?xpacket end="r"?>',
)
_PROFILE = b"ICC_PROFILE\0\1\1" + bytes(range(40))
_AROUND = (
    Segment(0xE0, b"JFIF\0\1\2\1\0H\0H\1\1abc"), Segment(0xEE, b"Adobe\0d\0\0\0\0\2"),
    Segment(0xE1, _EXIF), Segment(0xE1, _XMP), Segment(0xE2, _PROFILE),
    Segment(0xFE, b"a comment", fill=2), Segment(0xEB, b"JP of another"), Segment(0xEB, b""),
)  # fmt: skip


def coefficients(label: str, file: JpegFile, *, share: int = 90) -> JpegFile:
    """Return a file with blocks that follow from a label, fewer and smaller to the end."""
    planes = []
    for index, (plane, component) in enumerate(
        zip(file.coefficients, file.frame.components, strict=True)
    ):
        data = plain_bytes(f"{label} {index}", 2 * plane.size)
        pairs = np.frombuffer(data, np.uint8).reshape(*plane.shape, 2).astype(np.int16)
        values = pairs[..., 1] - 128
        new = (values >> 1 + _PLACES // 12) * (pairs[..., 0] < share // (1 + _PLACES // 9))
        new[..., 0] = 2 * values[..., 0]
        sent = file.sent_beyond(index)
        new[component.blocks[0] :, :, sent:] = 0
        new[:, component.blocks[1] :, sent:] = 0
        planes.append(np.ascontiguousarray(new, dtype=np.int16))
    return file.with_coefficients(planes).optimised()


def small(rows: int = 8, columns: int = 8, **options: Any) -> JpegFile:
    """Return a small file, gray unless there are samplings."""
    share = options.pop("share", 90)
    return coefficients(f"jpeg {rows} {columns}", made(rows, columns, **options), share=share)


def steps(rows: int, *firsts: int) -> JpegFile:
    """Return a file of colors whose quantisation tables have these steps for means."""
    file = small(rows, 9, samplings=FOUR)
    tables, bodies = [], []
    for number, step in enumerate(firsts):
        table = np.full(64, 300 + number, dtype=np.uint16)
        table[0] = step
        tables.append(table)
        bodies.append(bytes([16 + number]) + table.astype(">u2").tobytes())
    others = [
        part for part in file.parts if not (isinstance(part, Segment) and part.marker == 0xDB)
    ]
    used = [tables[component.quantiser] for component in file.frame.components]
    parts = (Segment(0xDB, b"".join(bodies)), *others)
    return replace(file, parts=parts, quantisers=tuple(used))


def usual(file: JpegFile) -> JpegFile:
    """Return a file with usual fillers."""
    pairs = zip(file.coefficients, file.frame.components, strict=True)
    return file.with_coefficients([with_usual_dummies(*pair) for pair in pairs]).optimised()


def with_means(file: JpegFile, *means: int) -> JpegFile:
    """Return a file whose blocks have these means in turn."""
    planes = [np.array(plane) for plane in file.coefficients]
    for plane in planes:
        plane[..., 0] = np.resize(means, plane.shape[:2])
    return file.with_coefficients(planes).optimised()


def with_runs(file: JpegFile, step: int, *, longest: int = 15) -> JpegFile:
    """Return a file with one table for everything, whose runs stop at each so many blocks.

    The table has no symbols for runs of `longest` or more bits.
    """
    symbols = np.arange(256)
    runs = (symbols % 16 == 0) & (symbols < 0xF0) & (symbols // 16 >= longest)
    table = HuffmanTable.of_frequencies((~runs).astype(np.int64))
    tables = Segment(0xC4, table.to_bytes(0, 0) + table.to_bytes(1, 0))
    parts = [part for part in file.parts if not (isinstance(part, Segment) and part.marker == 0xC4)]
    file = replace(file, parts=(tables, *parts))
    for index in range(len(file.scans)):
        breaks = tuple(range(0, file.coefficients[0].size // 64, step)) if step else ()
        file = with_scan(file, index, breaks=breaks)
    return replace(read_coefficients(file.to_bytes(), max_pixels=MOST_PIXELS))


def corrected() -> JpegFile:
    """Return a file of which a run sends more bits of correction than usual."""
    file = made(24, 64, script=PROGRESSION)
    plane = np.array(file.coefficients[0])
    plane[...] = (
        9 + np.frombuffer(plain_bytes("corrected", plane.size), np.uint8).reshape(plane.shape) % 7
    )
    plane[::2, ::3, 40:] = 0
    return with_runs(file.with_coefficients([plane]).optimised(), 0)


def own_coding() -> bytes:
    """Return a file whose one block has sixteen zeros before its end."""
    table = HuffmanTable(bytes([0, 3, *[0] * 14]), b"\0\xf0\1")
    only = HuffmanTable(bytes([1, *[0] * 15]), b"\0")
    file = made(8, 8)
    parts = [part for part in file.parts if isinstance(part, Segment) and part.marker != 0xC4]
    tables = Segment(0xC4, only.to_bytes(0, 0) + table.to_bytes(1, 0))
    start = b"".join(part.to_bytes() for part in (tables, *parts))
    start += scan_segment((0,), 0, 63, 0, 0).to_bytes()
    return b"\xff\xd8" + start + bytes([0b00100111]) + b"\xff\xd9"


def _files() -> list[tuple[str, bytes | JpegFile, Case]]:
    gray, runs = small(60, 50), small(60, 50, script=PROGRESSION, share=12)
    colors, wide = small(33, 17, samplings=FOUR, restart=2), ((1, 2), (1, 1), (1, 1))
    mixed = small(20, 17, samplings=((1, 2), (2, 1), (1, 1)), script=_REFINED, restart=3)
    around = replace(small(9, 9, samplings=FOUR), tail=b"\xff\xd8 tail \xff\xd9", fill=0)
    around = replace(around, parts=(*_AROUND, *around.parts))
    padded = with_scan(
        colors, 0, padding=bytes([0x80, 0xFF, 0xAA]), strays=((0, b"\xff"), (2, b"\0ab"))
    )
    regions: list[Region] = [(3, 3, 2, 2), (0, 16, 9, 1), (32, 0, 1, 1)]
    filled = small(17, 17, samplings=FOUR)
    return [
        ("a single block", small(1, 1), {}),
        ("a single unit", small(1, 1, samplings=FOUR), {}),
        ("gray", gray, {}),
        ("gray, equal results", gray, {"salt": None}),
        ("gray, one round", gray, {"rounds": 1}),
        ("gray, regions", gray, {"regions": [(9, 9, 1, 1), (16, 0, 20, 50)]}),
        ("gray, a mask", gray, {"runs": [0, 1, 2000, 5, 994]}),
        ("gray, an empty mask", gray, {"runs": [3000]}),
        ("gray, progressive", runs, {}),
        ("gray, runs that stop", with_runs(runs, 3), {}),
        ("gray, runs of single blocks", with_runs(runs, 1), {}),
        ("gray, runs of three blocks", with_runs(runs, 0, longest=2), {}),
        ("gray, sampled twice", small(20, 20, samplings=(FOUR[0],)), {"regions": [(9, 9, 1, 1)]}),
        ("gray, many corrections", corrected(), {"regions": [(0, 0, 1, 1)]}),
        ("colors, restarts", colors, {}),
        ("colors, regions", colors, {"regions": regions, "salt": None}),
        ("colors, wide units", small(9, 40, samplings=wide), {"regions": [(0, 20, 1, 1)]}),
        ("colors, padding and strays", padded, {}),
        ("colors, usual fillers", usual(filled), {}),
        ("colors, unusual fillers", filled, {"regions": [(0, 16, 1, 1)]}),
        ("colors, fillers of means alone", small(17, 9, samplings=FOUR, script=ALL), {}),
        ("colors, fillers that are not sent", small(17, 9, samplings=FOUR, script=APART), {}),
        ("colors, mixed scans", mixed, {}),
        ("colors, mixed scans, regions", mixed, {"regions": [(0, 16, 1, 1)]}),
        ("four components", small(9, 17, samplings=((1, 1),) * 4), {}),
        ("everything around", around, {}),
        ("readable copies", around, {"readable": True}),
        ("a patch", own_coding(), {}),
        ("means of one step", with_means(steps(9, 1, 2), -1024, 1016), {}),
        ("means out of range", with_means(steps(25, 7, 255), -16384, 0, 16383, 146, -146), {}),
        ("means out of range before fillers", with_means(steps(17, 7, 255), 0, 500, -999), {}),
        ("means of large steps", with_means(steps(9, 2032, 2033), 0, 1, -1), {}),
        ("means of larger steps", with_means(steps(9, 2048, 2049), 0, 1, -1), {}),
        ("means of the largest step", with_means(steps(9, 65535, 1), 0, 3, -2), {}),
    ]  # fmt: skip


def plan_of(data: bytes, options: Case) -> JpegPlan:
    """Return how a file is scrambled."""
    metadata: Any = "keep" if options.get("readable") else "seal"
    plan = planned(data, name="vector", max_pixels=MOST_PIXELS, metadata=metadata)
    if options.get("runs"):
        where = np.repeat(np.arange(len(options["runs"])) % 2 == 1, options["runs"])
        chosen = Selection.chosen(plan.canvas, None, where.reshape(plan.canvas), allow_none=True)
    else:
        chosen = Selection.chosen(plan.canvas, options.get("regions"), None)
    return plan.selecting(chosen)


def listed(planes: Sequence[AnyArray]) -> list[str]:
    """Return the blocks of each component, each number as two bytes, the lower one first."""
    return [little(plane).hex() for plane in planes]


def jpegs() -> list[Case]:
    """JPEG files with their coefficients, scrambled, and the structure in plain form."""
    cases = []
    for label, file, options in _files():
        data = file if isinstance(file, bytes) else file.to_bytes()
        case: Case = {"label": label, "salt": SALT.hex(), "rounds": None, **options}
        how = protection("scramble-v1", salt=case["salt"], rounds=case["rounds"])
        with patch("sudokucrypt.recipes.jpegs.cleartext_copy", lambda _: _READABLE):
            plan = plan_of(data, case)
            result, header = plan.protect(KEY, how)
        made = read_coefficients(result, max_pixels=MOST_PIXELS)
        cases.append(
            {
                "label": label, "salt": case["salt"], "rounds": case["rounds"],
                "regions": header.regions and [list(region) for region in header.regions],
                "runs": None if header.mask is None else _runs(plan),
                "plain": data.hex(),
                "coefficients": listed(plan.structure.file.coefficients),
                "structure": _structure(header, result),
                "picture_key": KEY.for_picture(header).to_bytes().hex(),
                "header": header.to_bytes().decode("ascii"),
                "scrambled_coefficients": [
                    bytes_or_digest(little(plane)) for plane in made.coefficients
                ],
                "scrambled": result.hex(),
            }
        )  # fmt: skip
    return cases


def _runs(plan: JpegPlan) -> list[int]:
    """Return the lengths of the runs of a mask."""
    assert plan.selection is not None
    where = plan.selection.where.ravel()
    ends = [0, *(np.flatnonzero(np.diff(where)) + 1).tolist(), where.size]
    runs = [end - start for start, end in pairwise(ends)]
    return [0, *runs] if where[0] else runs


def _structure(header: Header, result: bytes) -> str:
    """Return the structure that is sealed, turns included, as restoring finds it."""
    found = restored(result, KEY, header, MOST_PIXELS, name="vector")
    return found.structure.to_bytes().hex()
