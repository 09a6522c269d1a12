"""What GIF's extensions say: timing, text, profiles, and our header.

::

    control      flags, delay in hundredths of a second, transparent color
    comment      text
    application  a name of 11 bytes, then what the program of that name understands
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from sudokucrypt.images.gif import data_stream as b
from sudokucrypt.images.picture import FrameControl, Metadata
from sudokucrypt.images.source import Source

OURS: Final = b"SUDOKUCRYPT"  # name of the application extension that holds our header
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_PROFILE = b"ICCRGBG1012"
_PACKET = b"XMP DataXMP"
# Read as sub-blocks, any byte of the packet before leads to the zeros at the end.
_PACKET_END = b"\x01" + bytes(range(0xFF, -1, -1)) + b"\0"
_TEXT, _NATIVE_TEXT, _NATIVE = "Comment", "GIF comment", "GIF application"

# Behind its length, and with the end of sub-blocks.
_CONTROL = struct.Struct("<BBHBB")
_TRANSPARENT, _USER_INPUT = 0x01, 0x02


@dataclass
class Meaning:
    """What the extensions before an image say of it, and of the file."""

    showing: FrameControl | None = None
    transparent: tuple[int, ...] | None = None
    icc: bytes | None = None
    xmp: bytes | None = None
    texts: list[tuple[str, str]] = field(default_factory=list)
    native: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def metadata(self) -> Metadata:
        """What the frame keeps besides samples and timing."""
        return Metadata(
            icc=self.icc, xmp=self.xmp, texts=tuple(self.texts), native=tuple(self.native)
        )


@dataclass
class ExtensionReader:
    """Collects what extensions say, image after image."""

    source: Source
    loops: int | None = None
    headers: list[bytes] = field(default_factory=list)
    dropped: dict[str, None] = field(default_factory=dict)
    _next: Meaning = field(default_factory=Meaning)

    def take(self, extension: b.Extension) -> None:
        """Read one extension."""
        if extension.label == b.CONTROL:
            self._control(extension)
        elif extension.label == b.COMMENT:
            text = extension.content()
            try:
                self._next.texts.append((_TEXT, text.decode()))
            except UnicodeDecodeError:
                self._next.native.append((_NATIVE_TEXT, text))
        elif extension.label == b.APPLICATION and extension.raw[0] == len(OURS):
            self._application(extension)
        elif extension.label == b.APPLICATION:
            self._next.native.append((_NATIVE, bytes(extension.raw)))
        elif extension.label == b.PLAIN_TEXT:
            # A control extension before it is meant for the letters.
            self._next.showing = self._next.transparent = None
            self.dropped["letters drawn on the picture"] = None
        else:
            self.dropped["other data"] = None

    def finish(self) -> Meaning:
        """Return what was said since the last call."""
        meaning, self._next = self._next, Meaning()
        return meaning

    def _control(self, extension: b.Extension) -> None:
        if len(extension.raw) != _CONTROL.size or extension.raw[0] != 4:
            raise self.source.damaged("a control extension has not four bytes")
        _, flags, delay, transparent, _ = _CONTROL.unpack(extension.raw)
        self._next.showing = FrameControl(duration=Fraction(delay, 100), disposal=flags >> 2 & 7)
        self._next.transparent = (transparent,) if flags & _TRANSPARENT else None
        if flags & _USER_INPUT:
            self.dropped["a wait for a key"] = None

    def _application(self, extension: b.Extension) -> None:
        raw = bytes(extension.raw)
        end = 1 + len(OURS)
        name, rest = raw[1:end], raw[end:]
        packet = rest.removesuffix(_PACKET_END)
        if name == OURS:
            self.headers.append(extension.content(end))
        elif name in _LOOPS and len(rest) == 5 and rest.startswith(b"\3\1"):
            self.loops = int.from_bytes(rest[2:4], "little")
        elif name == _PROFILE and len(rest) > 1 and self._next.icc is None:
            self._next.icc = extension.content(end)
        elif name == _PACKET and self._next.xmp is None and b"\0" not in packet:
            self._next.xmp = packet
        else:
            self._next.native.append((_NATIVE, raw))


def file_extensions(header: bytes | None, loops: int | None) -> Iterator[b.Extension]:
    """Yield the extensions that say what holds for all frames; 0 loops are shown for ever."""
    if header is not None:
        yield b.Extension.of(b.APPLICATION, OURS, header)
    if loops is not None:
        yield b.Extension.of(b.APPLICATION, _LOOPS[0], b"\1" + loops.to_bytes(2, "little"))


def control_extension(showing: FrameControl, transparent: tuple[int, ...] | None) -> b.Extension:
    """Return the extension that says how a frame is shown; delays are in 1/100 s."""
    delay = int(showing.duration * 100)
    flags = showing.disposal << 2 | (transparent is not None)
    raw = _CONTROL.pack(4, flags, delay, *(transparent or (0,)), 0)
    return b.Extension(label=b.CONTROL, raw=raw)


def extensions(metadata: Metadata) -> Iterator[b.Extension]:
    """Yield the extensions that hold all metadata but the `remaining`."""
    if metadata.icc:
        yield b.Extension.of(b.APPLICATION, _PROFILE, metadata.icc)
    if metadata.xmp is not None and b"\0" not in metadata.xmp:
        raw = bytes([len(_PACKET)]) + _PACKET + metadata.xmp + _PACKET_END
        yield b.Extension(label=b.APPLICATION, raw=raw)
    for item in metadata.texts:
        if _is_comment(*item):
            yield b.Extension.of(b.COMMENT, item[1].encode())
    for name, data in metadata.native:
        if name == _NATIVE_TEXT:
            yield b.Extension.of(b.COMMENT, data)
        elif _is_held(name, data):
            yield b.Extension(label=b.APPLICATION, raw=data)


def remaining(metadata: Metadata) -> Metadata:
    """Return the metadata that no extension holds."""
    return replace(
        metadata,
        icc=None,
        xmp=metadata.xmp if metadata.xmp is not None and b"\0" in metadata.xmp else None,
        texts=tuple(item for item in metadata.texts if not _is_comment(*item)),
        native=tuple(item for item in metadata.native if not _is_held(*item)),
    )


def _is_comment(keyword: str, text: str) -> bool:
    # Half a surrogate is no text for anybody else.
    return keyword == _TEXT and text.encode(errors="replace") == text.encode(errors="surrogatepass")


def _is_held(name: str, data: bytes) -> bool:
    return name == _NATIVE_TEXT or (name == _NATIVE and b.is_whole(data))
