"""Fuzz PNG files: joined chunks equal the file, and a decoded picture survives encoding."""

import struct
import zlib
from dataclasses import replace
from typing import Final

import numpy as np

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import decode_picture, encode_picture
from sudokucrypt.images.driver import Source
from sudokucrypt.images.png.file import SIGNATURE, WRONG_CHECKSUM_KIND, assemble_file, walk_chunks
from tests.fuzz.oracle import watch_output
from tests.fuzz.targets import Target, list_seeds
from tests.images.builders import encode_array, list_picture_fields, make_png_chunk

_MAX_PIXELS: Final = 4096


def check(data: bytes) -> None:
    """Decode, encode and decode a PNG, unchanged and with its checksums corrected."""
    if data.startswith(SIGNATURE):
        for file in {data, _repair_checksum(data)}:
            with watch_output():
                _check(file)


def _check(data: bytes) -> None:
    try:
        *chunks, (_, trailing_bytes) = walk_chunks(Source(data, "the picture", _MAX_PIXELS))
    except SudokucryptError:
        return
    if not any(kind == WRONG_CHECKSUM_KIND for kind, _ in chunks):  # of those, viewers see nothing
        assert b"".join([*assemble_file(chunks), trailing_bytes]) == data, (
            "chunks are spliced otherwise"
        )
    try:
        picture = decode_picture(data, max_pixels=_MAX_PIXELS)
    except SudokucryptError:
        return
    for compress in (0, 1, 6):
        data = encode_array(picture.pixels, "PNG", header=picture.header, compress=compress)
        rewritten = decode_picture(data, max_pixels=_MAX_PIXELS)
        assert rewritten.pixels.dtype == picture.pixels.dtype
        assert np.array_equal(rewritten.pixels, picture.pixels), "samples are lost"
        assert rewritten.header == picture.header, "the header is lost"
    rewritten = decode_picture(encode_picture(picture, "PNG"), max_pixels=_MAX_PIXELS)
    rewritten = replace(rewritten, dropped=picture.dropped)
    assert list_picture_fields(rewritten) == list_picture_fields(picture), "the meaning is lost"


def _repair_checksum(data: bytes) -> bytes:
    """Return the file with correct checksums, which a fuzzer would never find by chance."""
    chunks, position = [], len(SIGNATURE)
    while len(data) - position >= 12:
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        chunks.append([kind, body])
        position += 12 + len(body)
    samples = [chunk for chunk in chunks if chunk[0] == b"IDAT" and len(chunk[1]) > 6]
    if samples:
        stream = zlib.decompressobj(-15)
        try:
            inflated = stream.decompress(b"".join(body for _, body in samples)[2:], 2**16)
        except zlib.error:
            inflated = b""
        samples[-1][1] = samples[-1][1][:-4] + struct.pack(">I", zlib.adler32(inflated))
    return SIGNATURE + b"".join(make_png_chunk(*chunk) for chunk in chunks) + data[position:]


TARGETS: Final = (Target("png", list_seeds("png"), check),)
