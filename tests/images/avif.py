"""Build AVIF and HEIF files item by item."""

import struct

from tests.images.builders import make_box

_ESSENTIAL_PROPERTIES = (b"av1C", b"hvcC", b"imir", b"irot")


def read_coded(data: bytes, configuration: bytes = b"av1C") -> tuple[bytes, bytes]:
    """Return the properties and the coded samples of the only picture in a file."""
    box_start = data.index(configuration) - 4
    length = int.from_bytes(data[box_start : box_start + 4], "big")
    return data[box_start : box_start + length], data[data.index(b"mdat") + 4 :]


def build_avif(
    items: list[tuple[int, bytes, bytes]],
    properties: list[tuple[bytes, list[int]]],
    *,
    references: bytes = b"",
    other_boxes: bytes = b"",
    method: int = 0,
    brand: bytes = b"avif",
) -> bytes:
    """Return an AVIF file of items with the given properties.

    An item is a number, the bytes that describe its kind, and its content.
    """
    ftyp = make_box(b"ftyp", brand + bytes(4) + brand + b"mif1miaf")
    item_infos = [
        make_box(b"infe", b"\2\0\0\0", struct.pack(">HH", item, 0), kind, b"\0")
        for item, kind, _ in items
    ]
    associations = b""
    for item, _, _ in items:
        result = [
            n + 1 | (body[4:8] in _ESSENTIAL_PROPERTIES) << 7
            for n, (body, those) in enumerate(properties)
            if item in those
        ]
        associations += struct.pack(">HB", item, len(result)) + bytes(result)
    item_contents = b"".join(content for *_, content in items)

    def meta(contents_start: int) -> bytes:
        positions, position = b"", contents_start
        for item, _, content in items:
            numbers = (item, method, 0, 1, position, len(content))
            positions += struct.pack(">HHHHII", *numbers)
            position += len(content)
        return make_box(
            b"meta",
            b"\0\0\0\0",
            make_box(b"hdlr", bytes(8), b"pict", bytes(13)),
            make_box(b"pitm", b"\0\0\0\0\0\1"),
            make_box(b"iloc", b"\1\0\0\0\x44\0", struct.pack(">H", len(items)), positions),
            make_box(b"iinf", b"\0\0\0\0", struct.pack(">H", len(items)), *item_infos),
            references,
            make_box(
                b"iprp",
                make_box(b"ipco", *(body for body, _ in properties)),
                make_box(b"ipma", b"\0\0\0\0", struct.pack(">I", len(items)), associations),
            ),
            make_box(b"idat", item_contents) if method else b"",
        )

    start = 0 if method else len(ftyp) + len(meta(0)) + len(other_boxes) + 8
    return ftyp + meta(start) + other_boxes + make_box(b"mdat", b"" if method else item_contents)


def make_size_property(rows: int, columns: int) -> bytes:
    """Return the property for a size in pixels."""
    return make_box(b"ispe", b"\0\0\0\0", struct.pack(">II", columns, rows))
