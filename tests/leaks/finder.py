"""Finding secrets and pictures in what was written: at any offset, and in any code.

It shares nothing with the package: what hides and what seeks are not to make the same mistakes.
"""

import base64
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tests.leaks.unpacking import beside_samples, streams_in, texts_in

RUN: Final = 16
"""Bytes of a secret in a row that count as found."""

_BLOCK: Final = 8
_FEWEST_VALUES: Final = 5
_DEEPEST: Final = 4
_SIGNATURES = re.compile(
    rb"(?=\xff\xd8\xff|\x89PNG|GIF8|RIFF....WEBP|II\*\0|MM\0\*|BM|\xff\x0a|\0\0\0\x0cJXL |"
    rb"\0\0\0\x0cjP|\xff\x4f\xff\x51|....ftyp|8BPS)",
    re.DOTALL,
)


def _codec(name: str) -> Callable[[bytes], object] | None:
    available = getattr(imagecodecs, name.upper()).available
    return getattr(imagecodecs, f"{name.lower()}_decode") if available else None


_CODECS: Final = {
    b"\xff\x0a": _codec("jpegxl"),
    b"\0\0\0\x0cJ": _codec("jpegxl"),
    b"\0\0\0\x0cj": _codec("jpeg2k"),
    b"\xff\x4f": _codec("jpeg2k"),
}


class Finder:
    """Looks for the same secrets in many outputs."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        # Text that is kept as text writes bytes above 127 as two.
        forms = [*secrets, *(secret.decode("latin-1").encode() for secret in secrets)]
        self._thorough = True
        self._forms = tuple(dict.fromkeys(forms))
        self._blocks = np.unique(np.concatenate([_blocks_of(form) for form in self._forms]))

    def find(self, data: bytes, *, thorough: bool = True) -> list[str]:
        """Return what is found in an output, described by the way to it."""
        self._thorough = thorough
        return list(dict.fromkeys(self._findings(data, "file", _DEEPEST, whole=True)))

    def _findings(self, data: bytes, way: str, depth: int, *, whole: bool) -> Iterator[str]:
        if run := self._run_in(data):
            yield f"{way}: {run.hex()}"
        for kind in pictures_in(data, skip_first=whole):
            yield f"{way}: a picture, {kind}"
        if not depth:
            return
        # Samples are noise: what looks like a code in them is none, and takes long to try.
        parts = beside_samples(data) if whole else data
        for name, inner in texts_in(parts):
            yield from self._findings(inner, f"{way} > {name}", depth - 1, whole=False)
        raw = whole or (self._thorough and not way.endswith("shifted base64"))
        for name, inner in streams_in(parts, raw=raw):
            # Nearly all raw streams are chance, and would lead to as many more.
            deeper = 0 if name == "deflate" else depth - 1
            yield from self._findings(inner, f"{way} > {name}", deeper, whole=False)

    def _run_in(self, data: bytes) -> bytes | None:
        """Return 16 bytes of a secret that are in some bytes, or none.

        Any 15 bytes in a row hold 8 that begin at a multiple of 8.
        """
        count = len(data) // _BLOCK
        aligned = np.frombuffer(data, dtype="<u8", count=count)
        positions = np.searchsorted(self._blocks, aligned)
        known = self._blocks[np.minimum(positions, len(self._blocks) - 1)] == aligned
        for number in np.flatnonzero(known):
            middle = int(number) * _BLOCK
            for start in range(max(0, middle - _BLOCK), middle + 1):
                run = data[start : start + RUN]
                secret = len(run) == RUN and len(set(run)) >= _FEWEST_VALUES
                if secret and any(run in form for form in self._forms):
                    return run
        return None


@lru_cache(maxsize=256)
def _blocks_of(secret: bytes) -> NDArray[np.uint64]:
    """Return all runs of 8 bytes as numbers."""
    windows = np.lib.stride_tricks.sliding_window_view(np.frombuffer(secret, np.uint8), _BLOCK)
    return np.unique(np.ascontiguousarray(windows).view("<u8"))


def pictures_in(data: bytes, *, skip_first: bool = False) -> Iterator[str]:
    """Yield the kinds of the pictures that a decoder makes of the bytes from anywhere on."""
    for match in _SIGNATURES.finditer(data):
        start = match.start()
        if start or not skip_first:
            kind = _decoded(data[start:])
            if kind is not None:
                yield kind


def _decoded(data: bytes) -> str | None:
    """Return the kind of a picture that begins with the first byte, if it can be decoded."""
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


def _deflated(secret: bytes) -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, -15)
    return engine.compress(secret) + engine.flush()


CODES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "plain": lambda secret: secret,
    "base64": base64.b64encode,
    "base64 behind letters": lambda secret: b"image" + base64.b64encode(secret),
    "base64 in lines": base64.encodebytes,
    "base64 in XML": lambda secret: base64.encodebytes(secret).replace(b"\n", b"&#xA;"),
    "URL-safe base64": base64.urlsafe_b64encode,
    "hexadecimal": lambda secret: secret.hex().encode(),
    "zlib": zlib.compress,
    "gzip": lambda secret: zlib.compress(secret, wbits=31),
    "deflate": _deflated,
    "UTF-8": lambda secret: secret.decode("latin-1").encode(),
    "zlib in base64": lambda secret: base64.b64encode(zlib.compress(secret)),
    "base64 in zlib": lambda secret: zlib.compress(base64.b64encode(secret)),
}
"""What writes a secret in some code, for tests of the finder."""
