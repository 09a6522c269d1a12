"""PNG as a row of chunks: length, four letters, body, checksum.

::

    signature | 13 IHDR ... crc | n IDAT ... crc | ... | 0 IEND crc
"""

import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.source import Source
from sudokucrypt.typing import Buffer

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
MAX_LENGTH: Final = 2**31 - 1  # most bytes of the body of a chunk

# As many as 4 GiB of samples need in chunks of 8 KiB, the shortest that programs write.
_MOST_CHUNKS = 2**19
_FRAME = struct.Struct(">I4s")
_CHECKSUM = struct.Struct(">I")
_OVERHEAD = _FRAME.size + _CHECKSUM.size


def walk_chunks(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk; after IEND, what follows it under the kind ``b""``."""
    view = memoryview(source.data)
    position = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        if len(view) - position < _OVERHEAD:
            raise source.cut_short()
        body_start = position + _FRAME.size
        length, kind = _head(source, view[position:body_start], position)
        body_end = body_start + length
        position = body_end + _CHECKSUM.size
        if position > len(view):
            raise source.cut_short()
        require_sound(source, kind, view[body_start:body_end], view[body_end:position])
        yield kind, view[body_start:body_end]
        if kind == b"IEND":
            yield b"", view[position:]
            return
    raise _too_many(source)


def heads(source: Source, file: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield kind and length of every chunk of a file of this size, which then stands at its body.

    Nothing else is read of it.
    """
    position = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        if size - position < _OVERHEAD:
            raise source.cut_short()
        file.seek(position)
        length, kind = _head(source, file.read(_FRAME.size), position)
        position += _OVERHEAD + length
        if position > size:
            raise source.cut_short()
        yield kind, length
        if kind == b"IEND":
            return
    raise _too_many(source)


def require_sound(source: Source, kind: bytes, body: Buffer, checksum: Buffer) -> None:
    """Raise an error if a chunk, said to have this checksum, was changed."""
    from imagecodecs import deflate_crc32

    if _CHECKSUM.pack(deflate_crc32(body, deflate_crc32(kind))) != checksum:
        raise source.damaged(f"its {kind.decode()} chunk has a wrong checksum")


def _head(source: Source, head: Buffer, position: int) -> tuple[int, bytes]:
    """Return length and kind of the chunk that begins here."""
    if len(head) < _FRAME.size:  # the file became shorter while it was read
        raise source.cut_short()
    length, kind = _FRAME.unpack(head)
    if not kind.isalpha() or length > MAX_LENGTH:
        raise source.damaged(f"there is no chunk at byte {position}")
    return length, kind


def _too_many(source: Source) -> UnsupportedError:
    return source.unsupported(f"a PNG with more than {_MOST_CHUNKS} chunks")


def assemble(chunks: Iterable[tuple[bytes, Buffer]]) -> Iterator[Buffer]:
    """Yield the parts of a file; a body too long for one chunk becomes several, as IDAT may."""
    from imagecodecs import deflate_crc32

    yield SIGNATURE
    for kind, body in chunks:
        view = memoryview(body)
        for start in range(0, max(len(view), 1), MAX_LENGTH):
            part = view[start : start + MAX_LENGTH]
            checksum = deflate_crc32(part, deflate_crc32(kind))
            yield _FRAME.pack(len(part), kind)
            yield part
            yield _CHECKSUM.pack(checksum)
