"""Search a file for secrets, in every encoding that its containers allow."""

import base64
import io
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

_LEAST_BYTES: Final = 16
_MOST_BYTES: Final = 2**18
_BASE64_RUN = re.compile(rb"[A-Za-z0-9+/]{24,}")
_HEX_RUN = re.compile(rb"[0-9A-Fa-f]{32,}")
_STREAM_STARTS = re.compile(rb"(?=\x1f\x8b\x08|[\x08\x18\x28\x38\x48\x58\x68\x78].)", re.DOTALL)
_FIXED_BLOCK_BYTES = bytes(byte for byte in range(256) if byte & 6 == 2)
# Bits 3 to 7 are the number of codes for bytes and lengths, the next five that for distances.
_DYNAMIC_BLOCK_BYTES = bytes(byte for byte in range(256) if byte & 6 == 4 and byte >> 3 < 30)
_DISTANCE_BYTES = bytes(byte for byte in range(256) if byte & 31 < 30)
_LONG_BASE64 = re.compile(rb"[A-Za-z0-9+/]{64,}(?=[A-Za-z0-9+/]{64})")
"""What is base64 all along is not a raw stream, and most of what a file holds beside its
samples."""

_RAW_STARTS = re.compile(
    b"(?=[%b]|[%b][%b])"
    % tuple(map(re.escape, (_FIXED_BLOCK_BYTES, _DYNAMIC_BLOCK_BYTES, _DISTANCE_BYTES)))
)
_PIECE_SIZES: Final = (32, 224, 1024, 2**16, 2**24)
_LINE_ENDS = re.compile(rb"[\s\0]|&#(?:x[aAdD]|1[03]|9);|\\[nrt]")


def find_texts(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the decoded bytes of runs of base64 and hexadecimal digits, with the name of the
    encoding.

    If letters before a run may belong to it, the encoding is called shifted.
    """
    plain = _LINE_ENDS.sub(b"", data).translate(bytes.maketrans(b"-_", b"+/"))
    for match in _BASE64_RUN.finditer(plain):
        for first in range(4):
            letters = match[0][first:]
            letters = letters[:-1] if len(letters) % 4 == 1 else letters
            name = "shifted base64" if first else "base64"
            yield name, base64.b64decode(letters + b"=" * (-len(letters) % 4))
    for match in _HEX_RUN.finditer(plain):
        for first in range(2):
            digits = match[0][first:]
            yield "hexadecimal", bytes.fromhex(digits[: len(digits) // 2 * 2].decode())


def find_streams(data: bytes, *, raw: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the content of zlib, gzip and raw deflate streams at any offset, with their names."""
    for match in _STREAM_STARTS.finditer(data):
        start = match.start()
        if data[start] == 0x1F:
            yield from _inflate("gzip", data, start, 31)
        elif (data[start] << 8 | data[start + 1]) % 31 == 0:
            yield from _inflate("zlib", data, start, 15)
    # Raw streams can begin with any byte. Streams with a stored first block need no decoding.
    other_data = _LONG_BASE64.sub(b"", data) if raw else b""
    for match in _RAW_STARTS.finditer(other_data):
        yield from _inflate("deflate", other_data, match.start(), -15)


def _inflate(name: str, data: bytes, start: int, window: int) -> Iterator[tuple[str, bytes]]:
    """Yield the content of a stream up to its end or the first error."""
    engine = zlib.decompressobj(window)
    result = b""
    position = start
    # Small pieces give more bytes before an error. Most streams fail at once, so pieces grow.
    for size in _PIECE_SIZES:
        piece, position = data[position : position + size], position + size
        try:
            result += engine.decompress(piece, _MOST_BYTES)
        except zlib.error:
            break
        if engine.eof or position >= len(data):
            break
    if len(result) >= _LEAST_BYTES:
        yield name, result


def strip_samples(data: bytes) -> bytes:
    """Return a picture file without its coded samples; other bytes are unchanged."""
    if data.startswith(b"\x89PNG"):
        return b"".join(_strip_png(data))
    if data.startswith(b"RIFF"):
        return b"".join(_strip_webp(data))
    if data[:4] in (b"II*\0", b"MM\0*"):
        return _strip_tiff(data)
    if data.startswith(b"GIF8"):
        return b"".join(_strip_gif(data))
    if data.startswith(b"\xff\xd8"):
        return b"".join(_strip_jpeg(data))
    return data


def _strip_png(data: bytes) -> Iterator[bytes]:
    position = 8
    while position + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        end = position + 12 + size
        if kind not in (b"IDAT", b"fdAT"):
            yield data[position:end]
        position = end
    yield data[position:]


def _strip_webp(data: bytes) -> Iterator[bytes]:
    position = 12
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        end = position + 8 + size + size % 2
        if kind not in (b"VP8L", b"ANMF"):
            yield data[position:end]
        position = end
    yield data[position:]


def _strip_tiff(data: bytes) -> bytes:
    order = "<" if data[:1] == b"I" else ">"
    remaining = bytearray(data)
    (position,) = struct.unpack_from(order + "I", data, 4)
    while position:
        (count,) = struct.unpack_from(order + "H", data, position)
        positions: dict[int, list[int]] = {}
        for entry in range(position + 2, position + 2 + 12 * count, 12):
            tag, _, number, value = struct.unpack_from(order + "HHII", data, entry)
            if tag in (273, 279):
                listed = struct.unpack_from(f"{order}{number}I", data, value) if number > 1 else ()
                positions[tag] = list(listed) or [value]
        for start, size in zip(positions.get(273, ()), positions.get(279, ()), strict=True):
            remaining[start : start + size] = bytes(size)
        (position,) = struct.unpack_from(order + "I", data, position + 2 + 12 * count)
    return re.sub(rb"\0{32,}", bytes(32), bytes(remaining))


def _strip_jpeg(data: bytes) -> Iterator[bytes]:
    position = 2
    while position + 4 <= len(data):
        kind, size = struct.unpack_from(">HH", data, position)
        end = position + 2 + size
        yield data[position:end]
        if kind == 0xFFDA:
            result = re.compile(rb"\xff[^\0\xd0-\xd7]", re.DOTALL).search(data, end)
            end = result.start() if result else len(data)
        if data[end : end + 2] == b"\xff\xd9":
            end += 2
            break
        position = end
    yield data[end:]


def _strip_gif(data: bytes) -> Iterator[bytes]:
    def blocks(start: int) -> tuple[bytes, int]:
        result = b""
        while data[start]:
            result += data[start + 1 : start + 1 + data[start]]
            start += 1 + data[start]
        return result, start + 1

    def palette(flags: int) -> int:
        return 6 << (flags & 7) if flags & 0x80 else 0

    position = 13 + palette(data[10])
    yield data[:position]
    while data[position] in b"!,":
        if data[position] == ord("!"):
            body, position = blocks(position + 2)
            yield body
        else:
            start = position + 10 + palette(data[position + 9])
            yield data[position:start]
            _, position = blocks(start + 1)
    yield data[position:]


# Finding secrets and pictures in outputs, at any offset and in any encoding.


RUN_BYTES: Final = 16
"""Bytes of a secret in a row that count as found."""

_BLOCK_BYTES: Final = 8
_FEWEST_VALUES: Final = 5
_MOST_DEPTH: Final = 4
_SIGNATURES = re.compile(
    rb"(?=\xff\xd8\xff|\x89PNG|GIF8|RIFF....WEBP|II\*\0|MM\0\*|BM|\xff\x0a|\0\0\0\x0cJXL |"
    rb"\0\0\0\x0cjP|\xff\x4f\xff\x51|....ftyp|8BPS)",
    re.DOTALL,
)


def _find_codec(name: str) -> Callable[[bytes], object] | None:
    available = getattr(imagecodecs, name.upper()).available
    return getattr(imagecodecs, f"{name.lower()}_decode") if available else None


_CODECS: Final = {
    b"\xff\x0a": _find_codec("jpegxl"),
    b"\0\0\0\x0cJ": _find_codec("jpegxl"),
    b"\0\0\0\x0cj": _find_codec("jpeg2k"),
    b"\xff\x4f": _find_codec("jpeg2k"),
}


class Finder:
    """Searches many outputs for the same secrets."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        # The UTF-8 form of a secret, in which bytes above 127 become two.
        forms = [*secrets, *(secret.decode("latin-1").encode() for secret in secrets)]
        self._thorough = True
        self._forms = tuple(dict.fromkeys(forms))
        self._blocks = np.unique(np.concatenate([_list_blocks(form) for form in self._forms]))

    def find(self, data: bytes, *, thorough: bool = True) -> list[str]:
        """Return descriptions of the secrets in an output, each with the sequence of encodings."""
        self._thorough = thorough
        return list(dict.fromkeys(self._findings(data, "file", _MOST_DEPTH, is_whole_file=True)))

    def _findings(
        self, data: bytes, encodings: str, depth: int, *, is_whole_file: bool
    ) -> Iterator[str]:
        if run := self._run_in(data):
            yield f"{encodings}: {run.hex()}"
        for kind in find_pictures(data, skip_first=is_whole_file):
            yield f"{encodings}: a picture, {kind}"
        if not depth:
            return
        # Samples are noise, in which apparent encodings are chance, and take long to decode.
        parts = strip_samples(data) if is_whole_file else data
        for name, inner in find_texts(parts):
            yield from self._findings(
                inner, f"{encodings} > {name}", depth - 1, is_whole_file=False
            )
        raw = is_whole_file or (self._thorough and not encodings.endswith("shifted base64"))
        for name, inner in find_streams(parts, raw=raw):
            # Nearly all raw streams are chance, and would contain further apparent streams.
            deeper = 0 if name == "deflate" else depth - 1
            yield from self._findings(inner, f"{encodings} > {name}", deeper, is_whole_file=False)

    def _run_in(self, data: bytes) -> bytes | None:
        """Return 16 consecutive bytes of a secret that occur in the data, or None.

        Any 15 consecutive bytes contain 8 that begin at a multiple of 8.
        """
        count = len(data) // _BLOCK_BYTES
        aligned = np.frombuffer(data, dtype="<u8", count=count)
        positions = np.searchsorted(self._blocks, aligned)
        is_known = self._blocks[np.minimum(positions, len(self._blocks) - 1)] == aligned
        for number in np.flatnonzero(is_known):
            middle = int(number) * _BLOCK_BYTES
            for start in range(max(0, middle - _BLOCK_BYTES), middle + 1):
                run = data[start : start + RUN_BYTES]
                secret = len(run) == RUN_BYTES and len(set(run)) >= _FEWEST_VALUES
                if secret and any(run in form for form in self._forms):
                    return run
        return None


@lru_cache(maxsize=256)
def _list_blocks(secret: bytes) -> NDArray[np.uint64]:
    """Return all runs of 8 bytes of a secret as numbers."""
    windows = np.lib.stride_tricks.sliding_window_view(
        np.frombuffer(secret, np.uint8), _BLOCK_BYTES
    )
    return np.unique(np.ascontiguousarray(windows).view("<u8"))


def find_pictures(data: bytes, *, skip_first: bool = False) -> Iterator[str]:
    """Yield the kinds of the pictures that can be decoded from any position of the data."""
    for match in _SIGNATURES.finditer(data):
        start = match.start()
        if start or not skip_first:
            kind = _identify_picture(data[start:])
            if kind is not None:
                yield kind


def _identify_picture(data: bytes) -> str | None:
    """Return the kind of the picture at the start of the data, if it can be decoded, or None."""
    codec = next((codec for start, codec in _CODECS.items() if data.startswith(start)), None)
    try:
        if codec is not None:
            codec(data)
            return "a codestream"
        with Image.open(io.BytesIO(data)) as image:
            image.load()
            return str(image.format)
    except Exception:
        return None


def _deflate(secret: bytes) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return engine.compress(secret) + engine.flush()


ENCODINGS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "plain": lambda secret: secret,
    "base64": base64.b64encode,
    "base64 behind letters": lambda secret: b"image" + base64.b64encode(secret),
    "base64 in lines": base64.encodebytes,
    "base64 in XML": lambda secret: base64.encodebytes(secret).replace(b"\n", b"&#xA;"),
    "URL-safe base64": base64.urlsafe_b64encode,
    "hexadecimal": lambda secret: secret.hex().encode(),
    "zlib": zlib.compress,
    "gzip": lambda secret: zlib.compress(secret, wbits=31),
    "deflate": _deflate,
    "UTF-8": lambda secret: secret.decode("latin-1").encode(),
    "zlib in base64": lambda secret: base64.b64encode(zlib.compress(secret)),
    "base64 in zlib": lambda secret: zlib.compress(base64.b64encode(secret)),
}
"""What writes a secret in some code, for tests of the finder."""
