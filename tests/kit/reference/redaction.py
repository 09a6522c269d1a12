"""Redaction: from the package and what is visible to the very file, with the keys of all layers."""

import base64
import json
import struct
import zlib
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from tests.kit.reference import RefusedError, structure
from tests.kit.reference.containers import _png_chunks as chunks_of_png
from tests.kit.reference.containers import from_png
from tests.kit.reference.entropy import file_of
from tests.kit.reference.fillers import is_filler
from tests.kit.reference.frames import Frame
from tests.kit.reference.jpegs import Planes
from tests.kit.reference.pictures import restore_picture
from tests.kit.reference.selection import Canvas, read_mask, selected_by_mask, selected_by_regions

MARK = b"sudokucrypt redaction\0"
SEGMENT = 0xEB
Digest = Callable[[set[int]], bytes]
Put = Callable[[set[int], bytes], None]


def package_in(file: bytes) -> bytes:
    """The package in a PNG or JPEG, section 6."""
    if file.startswith(structure.START):
        result = [body for marker, body in structure.bodies(file) if marker == SEGMENT]
        pieces = [body.removeprefix(MARK) for body in result if body.startswith(MARK)]
        heads = [struct.pack(">HH", index, len(pieces)) for index in range(len(pieces))]
        if [piece[:4] for piece in pieces] != heads:
            raise RefusedError("segments are missing")
        return b"".join(piece[4:] for piece in pieces)
    (body,) = [body for kind, body in chunks_of_png(file) if kind == b"suRd"]
    return body


def sealed(png: bytes, key: bytes) -> bytes:
    """The content of a layer."""
    lines = zlib.decompress(b"".join(body for kind, body in chunks_of_png(png) if kind == b"IDAT"))
    columns, rows = struct.unpack_from(">II", png, 16)
    data = b"".join(
        lines[row * (columns + 1) + 1 : (row + 1) * (columns + 1)] for row in range(rows)
    )
    frame = Frame(shape=(rows, columns), dtype="uint8", data=data)
    plain, meaning = restore_picture([frame], from_png(png), key=key)
    if meaning is None or "file" not in meaning:
        raise RefusedError("a layer that is no file")
    return plain[0].data[: meaning["file"]["size"]]


def areas_of(index: dict[str, Any]) -> list[set[int]]:
    """The pixels of each layer, numbered row by row; those of several belong to the first."""
    rows, columns = index["canvas"]
    canvas, taken, areas = Canvas(rows=rows, columns=columns), set[int](), []
    for area in index["layers"]:
        if isinstance(area, str):
            chosen = selected_by_mask(read_mask(base64.b64decode(area)), canvas)
        else:
            chosen = selected_by_regions([tuple(each) for each in area], canvas)
        areas.append(set(chosen) - taken)
        taken |= chosen
    return areas


def parts_of(package: bytes) -> tuple[bytes, dict[str, Any], list[bytes]]:
    """The line of the index, what it says, and the sealed parts."""
    try:
        line, lengths, rest = package.split(b"\n", 2)
        index, sizes = json.loads(line), json.loads(lengths)
        for value, text in ((index, line), (sizes, lengths)):
            if json.dumps(value, separators=(",", ":")).encode() != text:
                raise RefusedError("another form of a line")
        if len(sizes) != len(index["layers"]) + 1 or sum(sizes) != len(rest):
            raise RefusedError("layers are missing, or bytes are left")
    except (ValueError, KeyError, TypeError):
        raise RefusedError("no package") from None
    parts = []
    for size in sizes:
        parts.append(rest[:size])
        rest = rest[size:]
    return line, index, parts


def lift(package: bytes, keys: Sequence[bytes], digest: Digest, put: Put) -> tuple[bytes, bytes]:
    """The kind and the data in the rest, after all layers were checked and put into the picture."""
    line, index, layers = parts_of(package)
    areas, share_of_all = areas_of(index), 0
    visible = digest(set().union(*areas))
    for layer, key, area in zip(layers[:-1], keys, areas, strict=True):
        of_line, of_visible, share, size = struct.unpack_from(
            ">32s32s32sQ", plain := sealed(layer, key)
        )
        if of_line != sha256(line).digest() or of_visible != visible:
            raise RefusedError("a layer of another picture")
        share_of_all ^= int.from_bytes(share, "big")
        put(area, zlib.decompress(plain[104 : 104 + size].partition(b"\n")[2]))
    rest = sealed(layers[-1], share_of_all.to_bytes(32, "big"))
    of_line, of_file, kind, size = struct.unpack_from(">32s32scQ", rest)
    data = zlib.decompress(rest[73 : 73 + size])
    if of_line != sha256(line).digest() or (kind == b"F" and sha256(data).digest() != of_file):
        raise RefusedError("another rest")
    return kind, data


def lift_samples(
    package: bytes, keys: Sequence[bytes], samples: list[bytes], head: str, size: int = 1
) -> tuple[bytes, list[bytes]]:
    """The file and its pixels, from visible ones, of samples of some bytes, the lowest first."""

    def digest(hidden: set[int]) -> bytes:
        shown = b"".join(pixel for at, pixel in enumerate(samples) if at not in hidden)
        return sha256(head.encode() + b"\n" + shown).digest()

    def put(area: set[int], data: bytes) -> None:
        width, count = len(samples[0]), len(data) // size
        data = bytes(data[plane * count + at] for at in range(count) for plane in range(size))
        for index, at in enumerate(sorted(area)):
            samples[at] = data[index * width : (index + 1) * width]

    return lift(package, keys, digest, put)[1], samples


def lift_jpeg(file: bytes, planes: Planes, keys: Sequence[bytes]) -> bytes:
    """The very file, from a redacted one and its blocks."""
    parsed = structure.read_skeleton(structure.skeleton_of(file))
    down, across = parsed.unit

    def inside(area: set[int], number: int) -> list[int]:
        """The blocks of a component in units of an area."""
        component = parsed.components[number]
        single = len(parsed.components) == 1
        high, wide = (1, 1) if single else component.sampling
        units = {(at // parsed.columns // down, at % parsed.columns // across) for at in area}
        columns = component.whole[1]
        return [
            at
            for at in range(len(planes[number]))
            if (at // columns // high, at % columns // wide) in units
            and not (not single and is_filler(component, at))
        ]

    def digest(hidden: set[int]) -> bytes:
        components = parsed.components
        head = ["jpeg", *(f"{tuple(part.covering)} {tuple(part.sampling)}" for part in components)]
        state = sha256(" ".join(head).encode() + b"\n")
        for number, component in enumerate(components):
            state.update(struct.pack("<64H", *parsed.quantisers[number]))
            left = set(inside(hidden, number))
            for at, block in enumerate(planes[number]):
                if at not in left and not (len(components) > 1 and is_filler(component, at)):
                    state.update(struct.pack("<64h", *block))
        return state.digest()

    def put(area: set[int], data: bytes) -> None:
        start = 0
        for number in range(len(planes)):
            blocks = inside(area, number)
            count = 64 * len(blocks)
            low, high = data[start : start + count], data[start + count : start + 2 * count]
            values = [
                int.from_bytes(bytes(pair), "little", signed=True)
                for pair in zip(low, high, strict=True)
            ]
            for position in range(64):
                for order, at in enumerate(blocks):
                    planes[number][at][position] = values[position * len(blocks) + order]
            start += 2 * count

    kind, rest = lift(package_in(file), keys, digest, put)
    return rest if kind == b"F" else file_of(structure.read(rest), planes)
