"""PNG as a row of chunks: length, four letters, body, checksum.

::

    signature | 13 IHDR ... crc | n IDAT ... crc | ... | 0 IEND crc
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from sudokucrypt.images.source import Source
from sudokucrypt.typing import Buffer

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
MAX_LENGTH: Final = 2**31 - 1  # most bytes of the body of a chunk

# As many as 4 GiB of samples need in chunks of 8 KiB, the shortest that programs write.
_MOST_CHUNKS = 2**19
_FRAME = struct.Struct(">I4s")
_CHECKSUM = struct.Struct(">I")
_OVERHEAD = _FRAME.size + _CHECKSUM.size


def walk(source: Source) -> Iterator[tuple[bytes, memoryview]]:
    """Yield kind and body of every chunk; after IEND, what follows it under the kind ``b""``."""
    from imagecodecs import deflate_crc32

    view = memoryview(source.data)
    position = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        if len(view) - position < _OVERHEAD:
            raise source.cut_short()
        length, kind = _FRAME.unpack_from(view, position)
        if not kind.isalpha() or length > MAX_LENGTH:
            raise source.damaged(f"there is no chunk at byte {position}")
        body_start = position + _FRAME.size
        body_end = body_start + length
        position = body_end + _CHECKSUM.size
        if position > len(view):
            raise source.cut_short()
        (checksum,) = _CHECKSUM.unpack_from(view, body_end)
        if deflate_crc32(view[body_start - 4 : body_end]) != checksum:
            raise source.damaged(f"its {kind.decode()} chunk has a wrong checksum")
        yield kind, view[body_start:body_end]
        if kind == b"IEND":
            yield b"", view[position:]
            return
    raise source.damaged(f"it has more than {_MOST_CHUNKS} chunks")


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
