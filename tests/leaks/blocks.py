"""Build EXIF, Photoshop, XMP, ICC and JUMBF metadata with previews, for many formats."""

import base64
import struct
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from tests.images.builders import make_box
from tests.images.profiles import SRGB, assemble_profile, read_tags
from tests.leaks.previews import JPEG

Order = Literal["<", ">"]
_TYPE_SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4}
_HARMLESS_TAGS = ((271, 2, b"A maker\0"), (274, 3, None), (306, 2, b"2026:11:21 10:20:30\0"))


class Entry(NamedTuple):
    """A tag, its type, and the bytes of its values; None means an orientation."""

    tag: int
    kind: int
    data: bytes | None


def build_exif(
    *,
    file: Sequence[tuple[int, int, bytes]] = (),
    photo: Sequence[tuple[int, int, bytes]] = (),
    gps: Sequence[tuple[int, int, bytes]] = (),
    thumbnail: bytes | None = None,
    raw_thumbnail: bytes | None = None,
    gap: bytes = b"",
    order: Order = "<",
) -> bytes:
    """Return an EXIF block of harmless tags and the given ones, perhaps with a thumbnail.

    `gap` is inserted between the directories and after the last one.
    """
    file_head = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    harmless = [(37510, 7, b"ASCII\0\0\0a comment"), (33434, 5, struct.pack(order + "II", 1, 125))]
    first_entries = [*_HARMLESS_TAGS, *file]

    def build_directory(positions: Mapping[int, int], following: int, start: int) -> bytes:
        pointers = [
            (tag, 4, struct.pack(order + "I", position)) for tag, position in positions.items()
        ]
        return _build_directory([*first_entries, *pointers], start, order, following)

    branch_entries = {34665: [*harmless, *photo], 34853: list(gps)}
    branch_entries = {tag: entries for tag, entries in branch_entries.items() if entries}
    next_start = 8 + len(build_directory(dict.fromkeys(branch_entries, 0), 0, 8)) + len(gap)
    appended_data, positions = gap, {}
    for tag, entries in branch_entries.items():
        positions[tag] = next_start
        directory = _build_directory(entries, next_start, order, 0) + gap
        appended_data, next_start = appended_data + directory, next_start + len(directory)
    if thumbnail is None and raw_thumbnail is None:
        return file_head + build_directory(positions, 0, 8) + appended_data
    second_directory = _build_thumbnail_directory(thumbnail, raw_thumbnail, next_start, order)
    return file_head + build_directory(positions, next_start, 8) + appended_data + second_directory


def _build_thumbnail_directory(
    jpeg: bytes | None, raw: bytes | None, start: int, order: Order
) -> bytes:
    """Return a directory of a small picture, followed by the picture."""

    def make_entries(place: int) -> list[tuple[int, int, bytes | None]]:
        def long(tag: int, value: int) -> tuple[int, int, bytes]:
            return tag, 4, struct.pack(order + "I", value)

        if jpeg is not None:
            return [(259, 3, struct.pack(order + "H", 6)), long(513, place), long(514, len(jpeg))]
        bits = struct.pack(order + "HHH", 8, 8, 8)
        plain = [(258, 3, bits), (259, 3, struct.pack(order + "H", 1))]
        plain += [(262, 3, struct.pack(order + "H", 2)), (277, 3, struct.pack(order + "H", 3))]
        sizes = [long(256, 32), long(257, 24), long(278, 24), long(279, len(raw or b""))]
        return [*plain, *sizes, long(273, place)]

    size = len(_build_directory(make_entries(0), start, order, 0))
    return _build_directory(make_entries(start + size), start, order, 0) + (jpeg or raw or b"")


def _build_directory(
    entries: Sequence[tuple[int, int, bytes | None]], position: int, order: Order, following: int
) -> bytes:
    lines, body = b"", b""
    data_start = position + 6 + 12 * len(entries)
    for tag, kind, data in sorted(entries, key=lambda entry: entry[0]):
        value = struct.pack(order + "H", 6) if data is None else data
        count = len(value) // _TYPE_SIZES[kind]
        if len(value) > 4:
            stored_value = struct.pack(order + "I", data_start + len(body))
            body += value + b"\0" * (len(value) % 2)
        else:
            stored_value = value.ljust(4, b"\0")
        lines += struct.pack(order + "HHI", tag, kind, count) + stored_value
    size = struct.pack(order + "H", len(entries))
    return size + lines + struct.pack(order + "I", following) + body


def build_resource(number: int, preview: bytes) -> bytes:
    """Return a Photoshop image resource with a preview, after 28 bytes of sizes."""
    sizes = struct.pack(">IIIIIIHH", 1, 32, 24, 96, 2304, len(preview), 24, 1)
    body = sizes + preview
    padded = body + b"\0" * (len(body) % 2)
    return b"8BIM" + struct.pack(">HHI", number, 0, len(body)) + padded


def build_layer(samples: bytes) -> bytes:
    """Return Photoshop image source data with one layer of raw samples."""
    channel = b"\0\0" + samples
    record = struct.pack(">IIIIHhI", 0, 0, 24, 32, 1, 0, len(channel)) + b"8BIMnorm\xff\0\0\0"
    layer = struct.pack(">h", 1) + record + struct.pack(">I", 0) + channel
    layer_body = b"8BIMLayr" + struct.pack(">I", len(layer)) + layer + b"\0" * (len(layer) % 2)
    return b"Adobe Photoshop Document Data Block\0" + layer_body


def build_packet(inner: str, attributes: str = "") -> bytes:
    """Return an XMP packet with a harmless title and the given content."""
    names = (
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" '
        'xmlns:xmpGImg="http://ns.adobe.com/xap/1.0/g/img/" xmlns:GImage="http://ns.google.com/'
        'photos/1.0/image/" xmlns:xmpNote="http://ns.adobe.com/xmp/note/"'
    )
    return (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/'
        f'22-rdf-syntax-ns#"><rdf:Description rdf:about="" {names} {attributes}>'
        '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">A lake</rdf:li></rdf:Alt></dc:title>'
        f"{inner}</rdf:Description></rdf:RDF></x:xmpmeta>"
    ).encode()


def build_thumbnail_packet(preview: bytes, *, line_end: str = "\n") -> bytes:
    """Return an XMP packet with a thumbnail, as Adobe's programs write it."""
    lines = base64.b64encode(preview).decode()
    code = line_end.join(lines[i : i + 76] for i in range(0, len(lines), 76))
    return build_packet(
        '<xmp:Thumbnails><rdf:Alt><rdf:li rdf:parseType="Resource"><xmpGImg:width>32'
        "</xmpGImg:width><xmpGImg:height>24</xmpGImg:height><xmpGImg:format>JPEG</xmpGImg:format>"
        f"<xmpGImg:image>{code}</xmpGImg:image></rdf:li></rdf:Alt></xmp:Thumbnails>"
    )


def build_profile(
    changed_tags: Mapping[bytes, bytes] | None = None, *, gap: bytes = b"", end: bytes = b""
) -> bytes:
    """Return the sRGB profile with changed tags, and bytes before each value and at the end."""
    gap += bytes(-len(gap) % 4)
    return assemble_profile({**read_tags(SRGB), **(changed_tags or {})}, gap=gap, end=end)


PROFILE_WITH_PREVIEW = build_profile({b"prvt": b"data" + bytes(4) + JPEG.data})
"""A profile with a preview in a private tag."""


def build_content_credentials(preview: bytes) -> bytes:
    """Return a JUMBF superbox with a thumbnail, as in content credentials."""
    label = make_box(b"jumd", b"c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\3c2pa.thumbnail\0")
    return make_box(
        b"jumb", label, make_box(b"bfdb", b"\0image/jpeg\0"), make_box(b"bidb", preview)
    )
