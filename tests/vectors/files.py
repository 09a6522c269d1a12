"""The smallest files of each format, and what may hold a header in them, right or wrong."""

import struct
import zlib
from collections.abc import Callable
from typing import Any

from tests.kit.reference.containers import PNG_SIGNATURE
from tests.vectors.common import change_text

Texts = Callable[[str], bytes]
"""Gives the bytes of a text in which names stand for others."""

_CHUNKS = {
    "IHDR": struct.pack(">LLBBBBB", 1, 1, 8, 0, 0, 0, 0),
    "IDAT": zlib.compress(b"\0\0"),
    "IEND": b"",
}
"""The chunks of a picture of one black pixel."""


def build_file(about: dict[str, Any], texts: Texts) -> bytes:
    """Return the file that a row describes by its parts."""
    match about:
        case {"png": chunks}:
            data = _build_png(chunks, texts)
        case {"tiff": pages}:
            page_texts = [None if page is None else texts(page) for page in pages]
            data = _build_tiff(page_texts, order=about.get("order", "<"))
        case {"gif": blocks}:
            data = _build_gif(blocks, about, texts)
        case {"webp": chunks}:
            data = build_webp(*(_make_chunk(chunk, texts) for chunk in chunks))
    if "change" in about:
        data = change_text(data, about["change"])
    return data


def _build_png(chunks: list[Any], texts: Texts) -> bytes:
    """Return a file of these chunks; those of the picture are named only."""
    data = PNG_SIGNATURE
    for about in chunks:
        if isinstance(about, str):
            kind, body = about.encode(), _CHUNKS[about]
        else:
            kind, body = _make_chunk(about, texts)
        data += struct.pack(">L", len(body)) + kind + body
        data += struct.pack(">L", zlib.crc32(kind + body))
    return data


def _make_chunk(about: Any, texts: Texts) -> tuple[bytes, bytes]:
    """Return kind and content of a chunk: a text, hexadecimal digits, or a packet with texts."""
    kind, body = about
    if isinstance(body, str):
        return kind.encode(), texts(body)
    if "packet" in body:
        return kind.encode(), _make_packet(body, texts)
    return kind.encode(), bytes.fromhex(body["bytes"])


def _build_tiff(pages: list[bytes | None], *, order: str) -> bytes:
    """Return pages of one gray pixel with these texts in tag 270, if any."""
    data = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(f"{order}L", 8)
    for index, text in enumerate(pages):
        tags = [(256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1)]
        count = len(tags) + 3 + (text is not None)
        directory_start = len(data) + 2 + 12 * count + 4
        entries = [struct.pack(f"{order}HHLHxx", tag, kind, 1, value) for tag, kind, value in tags]
        if text is not None:
            padded = text.ljust(4, b"\0")
            held_value = padded if len(text) <= 4 else struct.pack(f"{order}L", directory_start + 2)
            entries.append(struct.pack(f"{order}HHL", 270, 2, len(text)) + held_value)
        for tag, value in ((273, directory_start), (278, 1), (279, 1)):
            entries.append(struct.pack(f"{order}HHLL", tag, 4, 1, value))
        value_bytes = b"\0\0" + (text or b"")
        value_bytes += bytes(len(value_bytes) % 2)
        following = directory_start + len(value_bytes) if index + 1 < len(pages) else 0
        data += struct.pack(f"{order}H", count) + b"".join(entries)
        data += struct.pack(f"{order}L", following) + value_bytes
    return data


def _build_gif(blocks: list[Any], about: dict[str, Any], texts: Texts) -> bytes:
    """Return a picture of one pixel with extensions, the first before it and others behind."""
    table = bytes.fromhex("00003bff3b21")  # colors with bytes that start and end blocks
    colors = about.get("colors", True)
    screen = struct.pack("<HHBBB", 1, 1, 0x80 if colors else 0, 0, 0) + (table if colors else b"")
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0x80) + table + b"\2\2\x44\1\0"
    first_extension, *other_extensions = [_make_extension(block, texts) for block in blocks]
    signature: bytes = about.get("signature", "GIF89a").encode()
    return signature + screen + first_extension + image + b"".join(other_extensions) + b";"


def _make_extension(about: dict[str, Any] | None, texts: Texts) -> bytes:
    """Return an extension with a text in sub-blocks, or nothing for None."""
    if about is None:
        return b""
    data, size = texts(about["text"]), about.get("size", 255)
    name: bytes = about.get("name", "SUDOKUCRYPT").encode()
    data_parts = [data[i : i + size] for i in range(0, len(data), size)]
    blocks = b"".join(bytes([len(part)]) + part for part in data_parts)
    block_head = bytes([0x21, about.get("label", 0xFF), len(name)])
    return block_head + name + blocks + b"\0"


def build_webp(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a file of these chunks; its picture does not matter."""
    data = b"WEBP"
    for kind, body in chunks:
        data += kind + struct.pack("<L", len(body)) + body + bytes(len(body) % 2)
    return b"RIFF" + struct.pack("<L", len(data)) + data


def _make_packet(about: dict[str, Any], texts: Texts) -> bytes:
    """Return XMP with one element for each text, whose entities stand there already."""
    prefix, namespace = about.get("prefix", "sudokucrypt"), about.get("space", "urn:sudokucrypt:1")
    added = texts(about.get("more", "")).decode()
    elements = (
        f"<{prefix}:header>{texts(text).decode()}</{prefix}:header>" for text in about["packet"]
    )
    body = f'<r:Description xmlns:{prefix}="{namespace}"{added}>{"".join(elements)}</r:Description>'
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    packet_start = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="{rdf}">'
    return f"{packet_start}{body}</r:RDF></x:xmpmeta>".encode()
