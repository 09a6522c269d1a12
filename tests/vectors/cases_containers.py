"""Small files with headers in them, and sidecars: which header counts, and what is refused."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from tests.reference.containers import PNG_FORM, PNG_SIGNATURE
from tests.vectors.cases_headers import CONTEXT, line

Case = dict[str, Any]
Files = Iterator[tuple[str, bytes, str | bool | None]]
"""Names and files with the header that counts, None where there is none, False if refused."""

RIGHT = line(**CONTEXT)  # the shortest that there is
OTHERS = [line(**CONTEXT, rounds=str(rounds)) for rounds in (3, 4)]
KEYWORD = b"sudokucrypt\0"
LONG = line()
DAMAGED = RIGHT[:-1]


def png(*chunks: tuple[bytes, bytes], behind: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
    """Return a picture of one black pixel with more chunks, those before samples first."""
    first = (b"IHDR", struct.pack(">LLBBBBB", 1, 1, 8, 0, 0, 0, 0))
    samples = (b"IDAT", zlib.compress(b"\0\0"))
    data = PNG_SIGNATURE
    for kind, body in (first, *chunks, samples, *behind, (b"IEND", b"")):
        data += struct.pack(">L", len(body)) + kind + body
        data += struct.pack(">L", zlib.crc32(kind + body))
    return data


def _text(
    header: str = RIGHT, *, keyword: bytes = KEYWORD, form: bytes = PNG_FORM
) -> tuple[bytes, bytes]:
    return b"iTXt", keyword + form + header.encode("utf-8")


def _pngs() -> Files:
    text, title = _text(), (b"tEXt", b"Title\0cat")
    yield "before the samples", png(title, text), RIGHT
    yield "behind the samples", png(behind=(title, text)), RIGHT
    yield "nothing", png(title), None
    for kind in (b"tEXt", b"zTXt"):
        yield f"a {kind.decode()} chunk", png((kind, text[1])), None
    for keyword in (b"Sudokucrypt\0", b"sudokucrypt \0", b" sudokucrypt\0", b"sudokucrypt2\0"):
        yield f"keyword {keyword!a}", png(_text(keyword=keyword)), None
        yield f"{keyword!a} beside it", png(_text(OTHERS[0], keyword=keyword), text), RIGHT
    last = png()
    yield "behind the end", last + png(text)[33:], None
    for name, form in {
        "compressed": b"\1\0\0\0",
        "another method": b"\0\1\0\0",
        "a language": b"\0\0en\0\0",
        "a translated keyword": b"\0\0\0x\0",
    }.items():
        wrong = _text(form=form)
        yield name, png(wrong), False
        yield f"{name} beside it", png(wrong, text), False
        yield f"{name} behind it", png(text, behind=(wrong,)), False
    yield "cut off", png((b"iTXt", KEYWORD + b"\0\0")), False
    yield "only the keyword and its zero", png((b"iTXt", KEYWORD)), False
    yield "only the keyword", png((b"iTXt", KEYWORD[:-1])), None
    yield "two", png(text, _text(OTHERS[0])), False
    yield "two equal ones", png(text, behind=(text,)), False
    yield "damaged", png(_text(DAMAGED)), False
    yield "empty", png(_text("")), False
    yield "a line feed", png(_text(RIGHT + "\n")), False
    yield "no ASCII", png(_text(RIGHT.replace("pixel", "p\u00edxel"))), False
    whole = png(text)
    changed = whole.replace(b'"rounds":8', b'"rounds":9')
    yield "another checksum", changed, False


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


def _tiffs() -> Files:
    right, other = RIGHT.encode() + b"\0", OTHERS[0].encode() + b"\0"
    for order in "<>":
        texts: list[tuple[str, bytes, str | bool | None]] = [
            ("alone", right, RIGHT),
            ("first", right + b"a cat\0", RIGHT),
            ("last", b"a cat\0" + right, RIGHT),
            ("between", b"a cat\0" + right + b"a dog\0", RIGHT),
            ("behind an empty text", b"\0" + right, RIGHT),
            ("none", b"a cat\0", None),
            ("short", b"cat\0", None),
            ("within a text", b"header: " + right, None),
            ("another object", b'{"sudoku":1}\0', None),
            ("two", right + other, False),
            ("two equal ones", right + right, False),
            ("damaged beside it", DAMAGED.encode() + b"\0" + right, False),
            ("damaged", DAMAGED.encode() + b"\0", False),
        ]
        for name, text, found in texts if order == "<" else texts[:3]:
            yield f"{order} {name}", tiff(text, order=order), found
        yield f"{order} no text", tiff(None, order=order), None
        yield f"{order} on the second page", tiff(b"a cat\0", right, order=order), RIGHT
        yield f"{order} on both pages", tiff(right, other, order=order), False


def gif(*blocks: bytes, signature: bytes = b"GIF89a", colors: bool = True) -> bytes:
    """Return a picture of one pixel with more blocks around it, one before and others behind."""
    table = bytes.fromhex("00003bff3b21")  # colors with bytes that start and end blocks
    screen = struct.pack("<HHBBB", 1, 1, 0x80 if colors else 0, 0, 0) + (table if colors else b"")
    image = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0x80) + table + b"\2\2\x44\1\0"
    return signature + screen + b"".join(blocks[:1]) + image + b"".join(blocks[1:]) + b";"


def _extension(
    data: bytes, *, label: bytes = b"\xff", name: bytes = b"SUDOKUCRYPT", size: int = 255
) -> bytes:
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    blocks = b"".join(bytes([len(part)]) + part for part in parts)
    return b"\x21" + label + bytes([len(name)]) + name + blocks + b"\0"


def _gifs() -> Files:
    right, other = _extension(RIGHT.encode()), _extension(OTHERS[0].encode())
    loops = _extension(b"\1\0\0", name=b"NETSCAPE2.0")
    yield "before the image", gif(right), RIGHT
    yield "behind the image", gif(loops, right), RIGHT
    yield "without global colors", gif(loops, right, colors=False), RIGHT
    yield "version 87a", gif(b"", right, signature=b"GIF87a"), RIGHT
    yield "short sub-blocks", gif(b"", _extension(RIGHT.encode(), size=40)), RIGHT
    yield "long sub-blocks", gif(b"", _extension(LONG.encode())), LONG
    yield "nothing", gif(loops), None
    for name, block in {
        "a comment": _extension(RIGHT.encode(), label=b"\xfe"),
        "another extension": _extension(RIGHT.encode(), label=b"\x01"),
        "another code": _extension(RIGHT.encode(), name=b"SUDOKUCR1.0"),
        "another identifier": _extension(RIGHT.encode(), name=b"SUDOKUXXYPT"),
    }.items():
        yield name, gif(loops, block), None
        yield f"{name} beside it", gif(block, right), RIGHT
    yield "two", gif(right, other), False
    yield "two equal ones", gif(right, right), False
    yield "damaged", gif(_extension(DAMAGED.encode())), False


def webp(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a file of these chunks; its picture does not matter."""
    data = b"WEBP"
    for kind, body in chunks:
        data += kind + struct.pack("<L", len(body)) + body + bytes(len(body) % 2)
    return b"RIFF" + struct.pack("<L", len(data)) + data


def _packet(
    *texts: str, space: str = "urn:sudokucrypt:1", prefix: str = "sudokucrypt", more: str = ""
) -> tuple[bytes, bytes]:
    """Return a packet with one element for each text, whose entities stand there already."""
    parts = [f"<{prefix}:header>{text}</{prefix}:header>" for text in texts]
    about = f'<r:Description xmlns:{prefix}="{space}"{more}>{"".join(parts)}</r:Description>'
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    text = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><r:RDF xmlns:r="{rdf}">{about}</r:RDF>'
    return b"XMP ", f"{text}</x:xmpmeta>".encode()


def _webps() -> Files:
    # One pixel that is hardly seen, whose odd length makes a byte of padding.
    pixel = "2f00000010075081540820000a1a02495bbced8f8f88e87f00"
    image = (b"VP8L", bytes.fromhex(pixel))
    extended = (b"VP8X", b"\x14" + bytes(9))
    right = _packet(RIGHT)
    yield "a packet", webp(extended, image, right), RIGHT
    yield "nothing", webp(image), None
    other = (b"XMP ", _packet()[1].replace(b"urn:sudokucrypt:1", b"urn:cat:1"))
    yield "another packet", webp(extended, image, other), None
    quoted = RIGHT.replace('"', "&quot;")
    yield "entities of quotes", webp(extended, image, _packet(quoted)), RIGHT
    yield "no element", webp(extended, image, _packet()), False
    attribute = f' sudokucrypt:header="{quoted}"'
    yield "an attribute", webp(extended, image, _packet(more=attribute)), False
    yield "another prefix", webp(extended, image, _packet(RIGHT, prefix="s")), False
    yield "an empty element", webp(extended, image, _packet("")), False
    yield "two equal ones", webp(extended, image, _packet(RIGHT, RIGHT)), False
    yield "two", webp(extended, image, _packet(RIGHT, OTHERS[0])), False
    yield "damaged", webp(extended, image, _packet(DAMAGED)), False


def _sidecars() -> Iterator[Case]:
    right, other, third = (f"{text}\n".encode() for text in (RIGHT, *OTHERS))
    picture, bare = png(_text(OTHERS[1])), png()
    bad = DAMAGED.encode() + b"\n"
    for name, data, named, beside, found in (
        ("named", bare, right, None, RIGHT),
        ("beside", bare, None, right, RIGHT),
        ("named, beside and within", picture, right, other, RIGHT),
        ("beside and within", picture, None, right, RIGHT),
        ("within", picture, None, None, OTHERS[1]),
        ("named where the one within is damaged", png(_text(DAMAGED)), right, None, RIGHT),
        ("beside where two are within", png(_text(), _text()), None, right, False),
        ("named where two are within", png(_text(), _text()), right, None, False),
        ("named where another form is within", png(_text(form=b"\1\0\0\0")), right, None, False),
        ("named where nothing is within", png(_text("")), right, None, False),
        ("named where another start is within", png(_text(" " + RIGHT)), right, None, False),
        ("named where a line feed is within", png(_text(RIGHT + "\n")), right, None, False),
        ("named where DEL is within", png(_text(RIGHT + "\x7f")), right, None, False),
        ("named where US is within", png(_text(RIGHT + "\x1f")), right, None, False),
        ("named where no ASCII is within", png(_text(RIGHT + "\u00ed")), right, None, False),
        ("beside where spaces are within", png(_text(RIGHT + " ")), None, right, RIGHT),
        ("no line feed", bare, right[:-1], None, False),
        ("no line feed beside", bare, None, right[:-1], False),
        ("two line feeds", bare, right + b"\n", None, False),
        ("carriage return and line feed", bare, right[:-1] + b"\r\n", None, False),
        ("a line feed in front", bare, b"\n" + right, None, False),
        ("a byte order mark", bare, b"\xef\xbb\xbf" + right, None, False),
        ("empty", bare, b"", None, False),
        ("only a line feed", bare, b"\n", None, False),
        ("damaged, others right", picture, bad, third, False),
        ("damaged beside, within right", picture, None, bad, False),
        ("without line feed, others right", picture, right[:-1], third, False),
    ):
        yield _case(f"sidecar: {name}", data, found, named=named, beside=beside)


def _case(
    name: str,
    picture: bytes,
    found: str | bool | None,
    *,
    named: bytes | None = None,
    beside: bytes | None = None,
) -> Case:
    return {
        "name": name,
        "picture": picture.hex(),
        "named": None if named is None else named.hex(),
        "beside": None if beside is None else beside.hex(),
        "header": found or None,
        "refused": found is False,
    }


def containers() -> list[Case]:
    """Picture files and sidecars with the header that counts, if there is one."""
    kinds = {"PNG": _pngs, "TIFF": _tiffs, "GIF": _gifs, "WebP": _webps}
    cases = [
        _case(f"{kind}: {name}", data, found)
        for kind, make in kinds.items()
        for name, data, found in make()
    ]
    return cases + list(_sidecars())
