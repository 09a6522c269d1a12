"""The smallest files of each format, and what may hold a header in them, right or wrong."""

import struct
import zlib

from tests.kit.reference.containers import PNG_SIGNATURE


def png(*chunks: tuple[bytes, bytes], behind: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
    """Return a picture of one black pixel with more chunks, those before samples first."""
    first = (b"IHDR", struct.pack(">LLBBBBB", 1, 1, 8, 0, 0, 0, 0))
    samples = (b"IDAT", zlib.compress(b"\0\0"))
    data = PNG_SIGNATURE
    for kind, body in (first, *chunks, samples, *behind, (b"IEND", b"")):
        data += struct.pack(">L", len(body)) + kind + body
        data += struct.pack(">L", zlib.crc32(kind + body))
    return data


def tiff(*pages: bytes | None, order: str = "<") -> bytes:
    """Return pages of one gray pixel with these texts in tag 270, if any."""
    data = {"<": b"II*\0", ">": b"MM\0*"}[order] + struct.pack(f"{order}L", 8)
    for number, text in enumerate(pages):
        tags = [(256, 3, 1), (257, 3, 1), (258, 3, 8), (259, 3, 1), (262, 3, 1)]
        count = len(tags) + 3 + (text is not None)
        start = len(data) + 2 + 12 * count + 4
        entries = [struct.pack(f"{order}HHLHxx", tag, kind, 1, value) for tag, kind, value in tags]
        if text is not None:
            padded = text.ljust(4, b"\0")
            held = padded if len(text) <= 4 else struct.pack(f"{order}L", start + 2)
            entries.append(struct.pack(f"{order}HHL", 270, 2, len(text)) + held)
        for tag, value in ((273, start), (278, 1), (279, 1)):
            entries.append(struct.pack(f"{order}HHLL", tag, 4, 1, value))
        behind = b"\0\0" + (text or b"")
        behind += bytes(len(behind) % 2)
        following = start + len(behind) if number + 1 < len(pages) else 0
        data += struct.pack(f"{order}H", count) + b"".join(entries)
        data += struct.pack(f"{order}L", following) + behind
    return data


def gif(*blocks: bytes, signature: bytes = b"GIF89a", colors: bool = True) -> bytes:
    """Return a picture of one pixel with more blocks around it, one before and others behind."""
    table = bytes.fromhex("00003bff3b21")  # colors with bytes that start and end blocks
    screen = struct.pack("<HHBBB", 1, 1, 0x80 if colors else 0, 0, 0) + (table if colors else b"")
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0x80) + table + b"\2\2\x44\1\0"
    return signature + screen + b"".join(blocks[:1]) + image + b"".join(blocks[1:]) + b";"


def extension(
    data: bytes, *, label: bytes = b"\xff", name: bytes = b"SUDOKUCRYPT", size: int = 255
) -> bytes:
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    blocks = b"".join(bytes([len(part)]) + part for part in parts)
    return b"\x21" + label + bytes([len(name)]) + name + blocks + b"\0"


def webp(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a file of these chunks; its picture does not matter."""
    data = b"WEBP"
    for kind, body in chunks:
        data += kind + struct.pack("<L", len(body)) + body + bytes(len(body) % 2)
    return b"RIFF" + struct.pack("<L", len(data)) + data


def packet(
    *texts: str, space: str = "urn:sudokucrypt:1", prefix: str = "sudokucrypt", more: str = ""
) -> tuple[bytes, bytes]:
    """Return a packet with one element for each text, whose entities stand there already."""
    parts = [f"<{prefix}:header>{text}</{prefix}:header>" for text in texts]
    about = f'<r:Description xmlns:{prefix}="{space}"{more}>{"".join(parts)}</r:Description>'
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    text = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="{rdf}">{about}</r:RDF>'
    return b"XMP ", f"{text}</x:xmpmeta>".encode()
