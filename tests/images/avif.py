"""AVIF files put together item by item."""

import struct

from tests.images.builders import box

_ESSENTIAL = (b"av1C", b"hvcC", b"imir", b"irot")


def read_coded(data: bytes, configuration: bytes = b"av1C") -> tuple[bytes, bytes]:
    """The properties and the samples of the only picture in a file."""
    start = data.index(configuration) - 4
    length = int.from_bytes(data[start : start + 4], "big")
    return data[start : start + length], data[data.index(b"mdat") + 4 :]


def avif(
    items: list[tuple[int, bytes, bytes]],
    properties: list[tuple[bytes, list[int]]],
    *,
    references: bytes = b"",
    more: bytes = b"",
    method: int = 0,
    brand: bytes = b"avif",
) -> bytes:
    """An AVIF of these items: number, what stands for their kind, content; and its properties."""
    ftyp = box(b"ftyp", brand + bytes(4) + brand + b"mif1miaf")
    infos = [
        box(b"infe", b"\2\0\0\0", struct.pack(">HH", item, 0), kind, b"\0")
        for item, kind, _ in items
    ]
    tied = b""
    for item, _, _ in items:
        result = [
            n + 1 | (body[4:8] in _ESSENTIAL) << 7
            for n, (body, those) in enumerate(properties)
            if item in those
        ]
        tied += struct.pack(">HB", item, len(result)) + bytes(result)
    contents = b"".join(content for *_, content in items)

    def meta(start: int) -> bytes:
        positions, position = b"", start
        for item, _, content in items:
            numbers = (item, method, 0, 1, position, len(content))
            positions += struct.pack(">HHHHII", *numbers)
            position += len(content)
        return box(
            b"meta",
            b"\0\0\0\0",
            box(b"hdlr", bytes(8), b"pict", bytes(13)),
            box(b"pitm", b"\0\0\0\0\0\1"),
            box(b"iloc", b"\1\0\0\0\x44\0", struct.pack(">H", len(items)), positions),
            box(b"iinf", b"\0\0\0\0", struct.pack(">H", len(items)), *infos),
            references,
            box(
                b"iprp",
                box(b"ipco", *(body for body, _ in properties)),
                box(b"ipma", b"\0\0\0\0", struct.pack(">I", len(items)), tied),
            ),
            box(b"idat", contents) if method else b"",
        )

    start = 0 if method else len(ftyp) + len(meta(0)) + len(more) + 8
    return ftyp + meta(start) + more + box(b"mdat", b"" if method else contents)


def ispe(rows: int, columns: int) -> bytes:
    """The property of a size."""
    return box(b"ispe", b"\0\0\0\0", struct.pack(">II", columns, rows))
