"""Laws of files as pictures, and of headers in files, in the reference program."""

import struct
import zlib
from dataclasses import replace

import pytest

from tests.reference import RefusedError, containers, description, files
from tests.reference.header import ENCRYPT, KEYED, Header
from tests.reference.hkdf import key_id
from tests.reference.pictures import protect_picture, restore_picture

KEY = bytes(range(32))
LINE = b'{"sudokucrypt":1}'
NAMES = ["a", "...", "caf\u00e9.png", "a b", "~", "\u00a0", "\U0001f9e9" * 63, "x" * 255]
NO_NAMES = ["", ".", "..", "a/b", "a\\b", "a:b", "\x1f", "\x7f", "\x9f", "\ud800", "x" * 256]


def draft(meaning: description.Description, scheme: str = ENCRYPT) -> Header:
    frame = meaning["frames"][0]
    return Header(
        scheme=scheme,
        unit="pixel",
        rounds=2,
        shape=tuple(frame["shape"]),
        dtype=frame["dtype"],
        key_id=key_id(KEY),
        extras=description.write(meaning),
    )


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 12, 13, 100])
def test_files(size: int) -> None:
    """A file comes back with what was told about it."""
    data = bytes(range(1, size + 1))
    meaning = files.meaning_of_file(data, "a.bin", media_type="a/b", time=-1)
    frame = files.frame_of_file(data)
    made, written = protect_picture([frame], draft(meaning), key=KEY)
    (plain,), told = restore_picture(made, written, key=KEY)
    assert told == meaning
    assert files.file_of_frame(plain, size) == data


def test_shape_of() -> None:
    """The width is the least that holds a file; the largest file has a shape too."""
    for size in (*range(1, 3000), files.MAX_SIZE):
        rows, columns = files.shape_of(size)
        assert rows == -(-3 * columns // 4)
        assert columns == 1 or -(-3 * (columns - 1) // 4) * (columns - 1) < size <= rows * columns
    assert files.shape_of(0) == (1, 1)


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    """A name is one component of a path."""
    meaning = files.meaning_of_file(b"", name)
    assert description.read(description.write(meaning)) == meaning


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_refused(name: str) -> None:
    """What may stand for another place is no name."""
    with pytest.raises(RefusedError):
        description.write(files.meaning_of_file(b"", name))


def test_times() -> None:
    """A time is a signed number of 64 bits as text."""
    assert all(map(files.is_time, ["0", "-1", str(2**63 - 1), str(-(2**63))]))
    wrong = ["", "-0", "05", "+5", "5.0", " 5", str(2**63), str(-(2**63) - 1), 5]
    assert not any(map(files.is_time, wrong))


def test_padding_of_files() -> None:
    """Samples behind the size are zero; only encryption protects files, and without regions."""
    meaning = files.meaning_of_file(b"0123456789", "a")
    frame = files.frame_of_file(b"0123456789")
    with pytest.raises(RefusedError, match="behind the end"):
        protect_picture([replace(frame, data=frame.data[:-1] + b"\1")], draft(meaning), key=KEY)
    with pytest.raises(RefusedError, match="another scheme"):
        protect_picture([frame], draft(meaning, KEYED), key=KEY)
    header = replace(draft(meaning), regions=((0, 0, 1, 1),))
    with pytest.raises(RefusedError, match="a selection"):
        protect_picture([frame], header, key=KEY)
    meaning["frames"][0]["shape"].reverse()
    with pytest.raises(RefusedError, match="another form"):
        description.write(meaning)


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    parts = [containers.PNG_SIGNATURE]
    for kind, body in (*chunks, (b"IEND", b"")):
        parts += [
            struct.pack(">L", len(body)),
            kind,
            body,
            struct.pack(">L", zlib.crc32(kind + body)),
        ]
    return b"".join(parts)


def test_png() -> None:
    """One chunk of exactly this keyword and form counts."""
    right = (b"iTXt", b"sudokucrypt\0" + containers.PNG_FORM + LINE)
    assert containers.from_picture(png((b"IDAT", b""), right)) == LINE
    assert containers.from_picture(png((b"tEXt", right[1]), (b"iTXt", b"S" + right[1][1:]))) is None
    compressed = (b"iTXt", b"sudokucrypt\0\1\0\0\0" + LINE)
    for wrong in ((right, right), (right, compressed)):
        with pytest.raises(RefusedError):
            containers.from_picture(png(*wrong))
    with pytest.raises(RefusedError, match="damaged"):
        containers.from_picture(png(right)[:-1])


def test_tiff() -> None:
    """Of the texts of tag 270 the one with the header counts."""
    text = b"a cat\0" + LINE + b"\0"
    for order, mark in (("<", b"II*\0"), (">", b"MM\0*")):
        entry = struct.pack(f"{order}HHHLL", 1, 270, 2, len(text), 26)
        data = mark + struct.pack(f"{order}L", 8) + entry + bytes(4) + text
        assert containers.from_picture(data) == LINE
        with pytest.raises(RefusedError, match="damaged"):
            containers.from_picture(data[:12])


def test_gif() -> None:
    """The sub-blocks of the application extension are the header, joined."""
    start = b"GIF89a" + bytes(4) + b"\x80\0\0" + bytes(6)
    other = b"\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0" + b"\x21\xfe\x0bSUDOKUCRYPT\0"
    image = b"\x2c" + bytes(8) + b"\x80" + bytes(6) + b"\2\1\0\0"
    blocks = b"\x05" + LINE[:5] + bytes([len(LINE) - 5]) + LINE[5:] + b"\0"
    data = start + other + image + b"\x21\xff\x0bSUDOKUCRYPT" + blocks + b";"
    assert containers.from_picture(data) == LINE
    assert containers.from_picture(start + other + b";") is None
    with pytest.raises(RefusedError, match="damaged"):
        containers.from_picture(data[:-1])


def test_webp() -> None:
    """The element of the packet is the header."""
    name, quoted = "sudokucrypt", LINE.decode().replace('"', "&quot;")
    packet = f'<x xmlns:{name}="urn:{name}:1"><{name}:header>{quoted}</{name}:header></x>'.encode()
    chunks = b"VP8L\1\0\0\0a\0" + b"XMP " + struct.pack("<L", len(packet)) + packet
    data = b"RIFF" + struct.pack("<L", len(chunks) + 4) + b"WEBP" + chunks
    assert containers.from_picture(data) == LINE
    with pytest.raises(RefusedError, match="without the header"):
        containers.from_picture(data.replace(b"<sudokucrypt:", b"<sudokusrypt:"))


def test_which_counts() -> None:
    """The sidecar that was named, the one beside the picture, then the picture."""
    picture = png((b"iTXt", b"sudokucrypt\0" + containers.PNG_FORM + LINE))
    counts = containers.header_that_counts
    assert counts(picture, named=b"a\n", beside=b"b\n") == b"a"
    assert counts(picture, beside=b"b\n") == b"b"
    assert counts(picture) == LINE
    with pytest.raises(RefusedError, match="is none"):
        counts(png((b"iTXt", b"sudokucrypt\0" + containers.PNG_FORM + b" ")), named=b"a\n")
    with pytest.raises(RefusedError, match="line feed"):
        counts(picture, named=b"a", beside=b"b\n")
