"""PNG as a row of chunks: length, four letters, body, checksum.

::

    signature | 13 IHDR ... crc | n IDAT ... crc | ... | 0 IEND crc
"""

import struct
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import BinaryIO, Final

from sudokucrypt.images.source import Source, most_parts
from sudokucrypt.typing import Buffer

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# Stands for the kind of a chunk that was changed.
UNSOUND: Final = b"unsound"

HEADER_KEYWORD: Final = b"sudokucrypt\0"  # how the iTXt chunk begins that is kept for our header

# What tells a still from an animation, transparency and our header are no notes.
_NEEDED: Final = (b"acTL", b"fcTL", b"fdAT", b"tRNS", b"iTXt")
MAX_LENGTH: Final = 2**31 - 1  # most bytes of the body of a chunk

_FRAME = struct.Struct(">I4s")
_CHECKSUM = struct.Struct(">I")
_OVERHEAD = _FRAME.size + _CHECKSUM.size


def walk_chunks(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk; after IEND, what follows it under the kind ``b""``.

    A chunk that viewers can do without is `UNSOUND` if its checksum is wrong; any other is damage.
    """
    view, file = memoryview(source.data), BytesIO(source.data)
    for kind, length in heads(source, file, len(view)):
        start = file.tell()
        end = start + length
        body, checksum = view[start:end], view[end : end + _CHECKSUM.size]
        if must_be_sound(kind, body):
            require_sound(source, kind, body, checksum)
        elif not is_sound(kind, body, checksum):
            yield UNSOUND, body
            continue
        yield kind, body
        if kind == b"IEND":
            yield b"", view[end + _CHECKSUM.size :]


def heads(source: Source, file: BinaryIO, size: int) -> Iterator[tuple[bytes, int]]:
    """Yield kind and length of every chunk of a file of this size, which then is at its body.

    Nothing else is read of it.
    """
    position = len(SIGNATURE)
    for _ in range(most_parts(size)):
        if size - position < _OVERHEAD:
            raise source.cut_short()
        file.seek(position)
        head = file.read(_FRAME.size)
        if len(head) < _FRAME.size:  # the file became shorter while it was read
            raise source.cut_short()
        length, kind = _FRAME.unpack(head)
        if not kind.isalpha() or length > MAX_LENGTH:
            raise source.damaged(f"there is no chunk at byte {position}")
        position += _OVERHEAD + length
        if position > size:
            raise source.cut_short()
        yield kind, length
        if kind == b"IEND":
            return
    raise source.too_many_parts("chunks")


def must_be_sound(kind: bytes, body: bytes | memoryview) -> bool:
    """Return whether nothing of a picture counts if this chunk was changed."""
    ours = bytes(body[: len(HEADER_KEYWORD)]) == HEADER_KEYWORD
    return ours or kind[:1].isupper() or kind in _NEEDED


def is_sound(kind: bytes, body: Buffer, checksum: Buffer) -> bool:
    """Return whether a chunk has this checksum."""
    from zlib_ng.zlib_ng import crc32  # several times as fast as zlib's

    return _CHECKSUM.pack(crc32(body, crc32(kind))) == checksum


def require_sound(source: Source, kind: bytes, body: Buffer, checksum: Buffer) -> None:
    """Raise an error if a chunk, said to have this checksum, was changed."""
    if not is_sound(kind, body, checksum):
        raise source.damaged(f"its {kind.decode()} chunk has a wrong checksum")


def assemble(chunks: Iterable[tuple[bytes, Buffer]]) -> Iterator[Buffer]:
    """Yield the parts of a file; a body too long for one chunk becomes several, as IDAT may."""
    from zlib_ng.zlib_ng import crc32

    yield SIGNATURE
    for kind, body in chunks:
        view = memoryview(body)
        for start in range(0, max(len(view), 1), MAX_LENGTH):
            part = view[start : start + MAX_LENGTH]
            checksum = crc32(part, crc32(kind))
            yield _FRAME.pack(len(part), kind)
            yield part
            yield _CHECKSUM.pack(checksum)
