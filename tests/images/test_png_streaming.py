"""Reading and writing a PNG in pieces gives the same results as at once."""

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np
import pytest

from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError
from sudokucrypt.images import Picture, decode_in_pieces, decode_picture, encode_picture
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import SIGNATURE, assemble_file, encode_samples
from sudokucrypt.images.png.streaming import PngStream
from sudokucrypt.typing import AnyArray
from tests.cli.gallery import GALLERY

HEADER = b'{"sudokucrypt":1}'


def make_noise(*shape: int) -> AnyArray:
    """Return samples that cannot be compressed."""
    return np.random.default_rng(5).integers(0, 256, shape, dtype=np.uint8)


def stream_png(data: bytes) -> PngStream | None:
    """Return a PNG that is read in pieces, or None."""
    return PngStream.open(Source(b"", "x", 2**27), io.BytesIO(data), len(data))


def read_samples(data: bytes) -> bytes:
    """Return all samples of a PNG that is read in pieces."""
    stream = stream_png(data)
    assert stream is not None
    return b"".join(lines.tobytes() for lines in stream.lines())


def build_png(samples: bytes, columns: int, *, idat: int = 2**31, filters: bytes = b"\0") -> bytes:
    """Return a PNG with IDAT chunks of the given size, and lines with the given filters."""
    rows = len(samples) // columns
    lines = (samples[i * columns : (i + 1) * columns] for i in range(rows))
    compressed = zlib.compress(
        b"".join(filters[i % len(filters)].to_bytes() + line for i, line in enumerate(lines))
    )
    header_body = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    idats = [(b"IDAT", compressed[at : at + idat]) for at in range(0, len(compressed), idat)]
    return b"".join(assemble_file([(b"IHDR", header_body), *idats, (b"IEND", b"")]))


@pytest.mark.parametrize("shape", [(1, 1), (888, 1183), (3, 65534), (2, 700_001)])
def test_writing_in_pieces_gives_the_same_file(shape: tuple[int, int]) -> None:
    """A PNG written from arrays of any length has the bytes of the PNG written at once."""
    pixels = make_noise(*shape)
    picture = replace(Picture.plain(pixels), header=HEADER)
    expected_file = encode_picture(picture, "PNG")
    flat_pixels = pixels.reshape(-1)
    for size in (1000, 65535, flat_pixels.size):
        pixel_parts = (flat_pixels[at : at + size] for at in range(0, flat_pixels.size, size))
        assert b"".join(encode_samples(pixel_parts, shape, HEADER)) == expected_file
    assert read_samples(expected_file) == flat_pixels.tobytes()
    stream = stream_png(expected_file)
    assert stream is not None
    assert (stream.picture.header, stream.picture.dropped) == (HEADER, ())


@pytest.mark.parametrize("idat", [1, 7, 8192, 2**31])
def test_any_chunks_and_filters_are_read(idat: int) -> None:
    """A PNG with IDAT chunks of any length and with all filters is read in pieces exactly."""
    size = 60 if idat == 1 else 400
    data = build_png(make_noise(size, 211).tobytes(), 211, idat=idat, filters=bytes(range(5)))
    assert read_samples(data) == decode_picture(data).pixels.tobytes()


@pytest.mark.parametrize(
    ("bits", "color", "interlaced"), [(16, 0, 0), (8, 2, 0), (8, 0, 1), (1, 0, 0), (8, 4, 0)]
)
def test_other_pictures_are_not_streamed(bits: int, color: int, interlaced: int) -> None:
    """A PNG that is not gray with 8 bits is not read in pieces."""
    header_body = struct.pack(">IIBBBBB", 4, 4, bits, color, 0, 0, interlaced)
    assert stream_png(b"".join(assemble_file([(b"IHDR", header_body), (b"IEND", b"")]))) is None
    assert stream_png(b"GIF89a") is None


def _make_chunk(kind: bytes, body: bytes) -> bytes:
    return b"".join(assemble_file([(kind, body)]))[len(SIGNATURE) :]


def test_dropped_chunks_are_named() -> None:
    """Texts, misplaced and damaged chunks, and trailing data are named as when read at once."""
    data = build_png(make_noise(20, 30).tobytes(), 30)
    text, idat = _make_chunk(b"tEXt", b"Title\0x"), data.index(b"IDAT") - 4
    data_with_chunks = data[:idat] + text + text[:-1] + b"!" + data[idat:] + b"more"
    stream = stream_png(data_with_chunks)
    assert stream is not None
    assert stream.picture.dropped == decode_picture(data_with_chunks).dropped != ()


def test_damage_is_detected() -> None:
    """With a changed byte or a cut, reading in pieces gives no other samples than at once."""
    data = build_png(make_noise(30, 40).tobytes(), 40, idat=300)
    changed_files = (data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in range(len(data)))
    cut_files = (data[:at] for at in range(len(data)))
    for damaged_file in chain(changed_files, cut_files):
        try:
            expected_picture = decode_picture(damaged_file)
        except SudokucryptError as error:
            expected: object = type(error)
        else:
            expected = expected_picture.pixels.tobytes()
        try:
            stream = stream_png(damaged_file)
            streamed_samples: object = read_samples(damaged_file) if stream else expected
        except SudokucryptError as error:
            streamed_samples = type(error)
        assert streamed_samples == expected


def decode_both(data: bytes) -> tuple[str, str]:
    """Return the result of decoding bytes, and the result of decoding a file in pieces."""
    in_pieces = partial(decode_in_pieces, io.BytesIO(data), len(data), "x")
    return _describe_result(partial(decode_picture, data, "x")), _describe_result(in_pieces)


def _describe_result(decode: Callable[[], Picture | None]) -> str:
    try:
        picture = decode()
    except SudokucryptError as error:
        return type(error).__name__
    assert picture is not None
    return f"{picture.pixels.tolist()} {replace(picture, pixels=make_noise(1, 1))}"


@pytest.mark.parametrize("name", [name for name in GALLERY if name.endswith(".png")])
def test_pictures_of_every_kind_are_read_in_pieces(name: str) -> None:
    """Any PNG gives the same picture or error when read in pieces as when read at once."""
    data = GALLERY[name]
    positions = np.random.default_rng(len(data)).integers(len(SIGNATURE), len(data), 20)
    for variant in (
        data,
        *(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :] for at in positions),
    ):
        at_once, in_pieces = decode_both(variant)
        assert at_once == in_pieces


def test_other_files_are_not_read_in_pieces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A PNG with many other bytes than samples, and other formats, are not read in pieces."""
    data = build_png(make_noise(20, 30).tobytes(), 30)
    monkeypatch.setattr("sudokucrypt.images.png.streaming._MAX_OTHER_BYTES", 20)
    idat_start = data.index(b"IDAT") - 4
    data = data[:idat_start] + _make_chunk(b"tEXt", b"Title\0" + b"x" * 20) + data[idat_start:]
    for other_file in (data, b"GIF89a", b""):
        assert decode_in_pieces(io.BytesIO(other_file), len(other_file), "x") is None


def test_a_file_that_shrinks_while_it_is_read_is_refused() -> None:
    """A file that shrinks while it is read in pieces raises the error of a cut file."""
    data = build_png(make_noise(300, 400).tobytes(), 400)
    file = io.BytesIO(data)
    stream = PngStream.open(Source(b"", "x", 2**27), file, len(data))
    assert stream is not None
    file.truncate(5000)
    with pytest.raises(InvalidImageError, match="ends in the middle"):
        list(stream.lines())


def test_two_headers_are_refused() -> None:
    """A PNG with two headers is refused when it is read in pieces."""
    data = encode_picture(replace(Picture.plain(make_noise(4, 4)), header=HEADER), "PNG")
    chunk_start = data.index(b"iTXt") - 4
    chunk = data[chunk_start : data.index(b"IDAT") - 4]
    with pytest.raises(FormatError, match="2 times"):
        stream_png(data[:chunk_start] + chunk + data[chunk_start:])


def test_wide_pictures_are_not_streamed() -> None:
    """A PNG wider than a million pixels is not read in pieces, as a line takes much memory."""
    assert stream_png(build_png(bytes(2**20), 2**20)) is not None
    assert stream_png(build_png(bytes(2**20 + 1), 2**20 + 1)) is None
