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
    for run_match in _BASE64_RUN.finditer(plain):
        for first_character in range(4):
            letters = run_match[0][first_character:]
            letters = letters[:-1] if len(letters) % 4 == 1 else letters
            name = "shifted base64" if first_character else "base64"
            yield name, base64.b64decode(letters + b"=" * (-len(letters) % 4))
    for run_match in _HEX_RUN.finditer(plain):
        for first_character in range(2):
            digits = run_match[0][first_character:]
            yield "hexadecimal", bytes.fromhex(digits[: len(digits) // 2 * 2].decode())


def find_streams(data: bytes, *, raw: bool) -> Iterator[tuple[str, bytes]]:
    """Yield the content of zlib, gzip and raw deflate streams at any offset, with their names."""
    for start_match in _STREAM_STARTS.finditer(data):
        position = start_match.start()
        if data[position] == 0x1F:
            yield from _inflate("gzip", data, position, 31)
        elif (data[position] << 8 | data[position + 1]) % 31 == 0:
            yield from _inflate("zlib", data, position, 15)
    # Raw streams can begin with any byte. Streams with a stored first block need no decoding.
    other_data = _LONG_BASE64.sub(b"", data) if raw else b""
    for start_match in _RAW_STARTS.finditer(other_data):
        yield from _inflate("deflate", other_data, start_match.start(), -15)


def _inflate(name: str, data: bytes, start: int, window: int) -> Iterator[tuple[str, bytes]]:
    """Yield the content of a stream up to its end or the first error."""
    engine = zlib.decompressobj(window)
    result = b""
    position = start
    # Small pieces give more bytes before an error. Most streams fail at once, so pieces grow.
    for size in _PIECE_SIZES:
        data_piece, position = data[position : position + size], position + size
        try:
            result += engine.decompress(data_piece, _MOST_BYTES)
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
        chunk_end = position + 12 + size
        if kind not in (b"IDAT", b"fdAT"):
            yield data[position:chunk_end]
        position = chunk_end
    yield data[position:]


def _strip_webp(data: bytes) -> Iterator[bytes]:
    position = 12
    while position + 8 <= len(data):
        kind, size = struct.unpack_from("<4sI", data, position)
        chunk_end = position + 8 + size + size % 2
        if kind not in (b"VP8L", b"ANMF"):
            yield data[position:chunk_end]
        position = chunk_end
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
        segment_end = position + 2 + size
        yield data[position:segment_end]
        if kind == 0xFFDA:
            result = re.compile(rb"\xff[^\0\xd0-\xd7]", re.DOTALL).search(data, segment_end)
            segment_end = result.start() if result else len(data)
        if data[segment_end : segment_end + 2] == b"\xff\xd9":
            segment_end += 2
            break
        position = segment_end
    yield data[segment_end:]


def _strip_gif(data: bytes) -> Iterator[bytes]:
    def join_blocks(start: int) -> tuple[bytes, int]:
        result = b""
        while data[start]:
            result += data[start + 1 : start + 1 + data[start]]
            start += 1 + data[start]
        return result, start + 1

    def measure_palette(flags: int) -> int:
        return 6 << (flags & 7) if flags & 0x80 else 0

    position = 13 + measure_palette(data[10])
    yield data[:position]
    while data[position] in b"!,":
        if data[position] == ord("!"):
            body, position = join_blocks(position + 2)
            yield body
        else:
            block_start = position + 10 + measure_palette(data[position + 9])
            yield data[position:block_start]
            _, position = join_blocks(block_start + 1)
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
        secret_forms = [*secrets, *(secret.decode("latin-1").encode() for secret in secrets)]
        self._thorough = True
        self._secret_forms = tuple(dict.fromkeys(secret_forms))
        self._blocks = np.unique(
            np.concatenate([_list_blocks(form) for form in self._secret_forms])
        )

    def find(self, data: bytes, *, thorough: bool = True) -> list[str]:
        """Return descriptions of the secrets in an output, each with the sequence of encodings."""
        self._thorough = thorough
        return list(
            dict.fromkeys(self._iterate_findings(data, "file", _MOST_DEPTH, is_whole_file=True))
        )

    def _iterate_findings(
        self, data: bytes, encodings: str, depth: int, *, is_whole_file: bool
    ) -> Iterator[str]:
        if run := self._run_in(data):
            yield f"{encodings}: {run.hex()}"
        for kind in find_pictures(data, skip_first=is_whole_file):
            yield f"{encodings}: a picture, {kind}"
        if not depth:
            return
        # Samples are noise, in which apparent encodings are chance, and take long to decode.
        searched_data = strip_samples(data) if is_whole_file else data
        for name, decoded in find_texts(searched_data):
            yield from self._iterate_findings(
                decoded, f"{encodings} > {name}", depth - 1, is_whole_file=False
            )
        try_raw = is_whole_file or (self._thorough and not encodings.endswith("shifted base64"))
        for name, decoded in find_streams(searched_data, raw=try_raw):
            # Nearly all raw streams are chance, and would contain further apparent streams.
            deeper = 0 if name == "deflate" else depth - 1
            yield from self._iterate_findings(
                decoded, f"{encodings} > {name}", deeper, is_whole_file=False
            )

    def _run_in(self, data: bytes) -> bytes | None:
        """Return 16 consecutive bytes of a secret that occur in the data, or None.

        Any 15 consecutive bytes contain 8 that begin at a multiple of 8.
        """
        count = len(data) // _BLOCK_BYTES
        aligned = np.frombuffer(data, dtype="<u8", count=count)
        positions = np.searchsorted(self._blocks, aligned)
        is_known = self._blocks[np.minimum(positions, len(self._blocks) - 1)] == aligned
        for number in np.flatnonzero(is_known):
            block_start = int(number) * _BLOCK_BYTES
            for start in range(max(0, block_start - _BLOCK_BYTES), block_start + 1):
                secret_run = data[start : start + RUN_BYTES]
                secret = len(secret_run) == RUN_BYTES and len(set(secret_run)) >= _FEWEST_VALUES
                if secret and any(secret_run in form for form in self._secret_forms):
                    return secret_run
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
    for signature_match in _SIGNATURES.finditer(data):
        position = signature_match.start()
        if position or not skip_first:
            kind = _identify_picture(data[position:])
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
