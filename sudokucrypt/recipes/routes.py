"""Where pictures and files come from and where they go: by name, and binary streams."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import (
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    OutputExistsError,
    UnsupportedError,
    reason_of,
)
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.remote import Url
from sudokucrypt.storage import (
    FileStatus,
    Location,
    exists,
    name_here,
    parse_location,
    read_limited,
    require_free,
    same_file,
    sweep_once,
    write_atomically,
)
from sudokucrypt.typing import Buffer

_PIECE = 1 << 20
_JPEG = "JPEG"
_JPEG_START = b"\xff\xd8\xff"

Name: TypeAlias = str | os.PathLike[str] | Url
Source: TypeAlias = Name | BinaryIO
"""What is read: the path of a file, or its URL as text, or a binary stream to its end."""

Target: TypeAlias = Name | BinaryIO | Callable[[str, str | None], Location] | None
"""What is written: a path or URL, a stream, or a function from suffix and file name to path."""


@dataclass(frozen=True, kw_only=True)
class Input:
    """What was read, and what is known of it.

    Parameters
    ----------
    data : bytes
        The whole file.
    name : str
        What messages call it.
    file_name : str
        What the file is called, if its bytes are protected.
    status : FileStatus
        Its permissions and time.
    """

    data: bytes
    name: str
    file_name: str
    status: FileStatus

    @property
    def is_jpeg(self) -> bool:
        """Whether it begins as a JPEG."""
        return self.data.startswith(_JPEG_START)

    @property
    def jpeg_header(self) -> bytes | None:
        """The header in a JPEG that was scrambled as such; the picture is not decoded."""
        return images.header_in_jpeg(self.data, self.name) if self.is_jpeg else None

    def decoded(self, max_pixels: int | None) -> images.Picture:
        """Return its picture; by default a large file may have a pixel for each of its bytes."""
        most = max(images.MAX_PIXELS, len(self.data)) if max_pixels is None else max_pixels
        return images.decode_picture(self.data, self.name, max_pixels=most)


@dataclass(frozen=True)
class Route:
    """One picture's way from where it is read to where it is written."""

    source: Source
    target: Target
    word: str
    _: KW_ONLY
    format: str | None = None
    replace: bool = False
    resume: bool = False

    def read(self, *, name: str | None = None) -> Input:
        """Read the input, after seeing whether a named target may be written at all.

        `name` is what the file is called, if not as its path says.
        """
        if isinstance(self.target, str | os.PathLike | Url):
            self._require_writable(parse_location(self.target))
        if isinstance(self.source, str | os.PathLike | Url):
            path = parse_location(self.source)
            data, status = images.read_file_status(path)
            return Input(data=data, name=str(path), file_name=name or path.name, status=status)
        return Input(
            data=_read_stream(self.source),
            name="the input",
            file_name=name or "input",
            status=FileStatus(),
        )

    def settle(self, suiting: str, *, sidecar: bool = False) -> tuple[str, Location | BinaryIO]:
        """Return format and place of the resulting picture, given the format that suits it."""
        chosen = self.format or suiting
        place = self._settled(images.suffix_of(chosen), sidecar=sidecar)
        if self.format is None and isinstance(place, Path | Url):
            chosen = images.output_format(place)
        return chosen, place

    def settle_jpeg(self, *, sidecar: bool = False) -> Location | BinaryIO:
        """Return the place of a picture that stays a JPEG; see `keeps_jpeg`."""
        place = self._settled(images.suffix_of(_JPEG), sidecar=sidecar)
        if isinstance(place, Path | Url) and not _is_jpeg(place):
            raise UnsupportedError(
                f"'{place}' cannot be written: its suffix is not that of a JPEG, which this is",
                hint="use the suffix .jpg, or choose a format",
            )
        return place

    @property
    def keeps_jpeg(self) -> bool:
        """Whether nobody asks for another format than JPEG."""
        if isinstance(self.target, str | os.PathLike | Url) and not _is_jpeg(
            parse_location(self.target)
        ):
            return False
        return self.format in (None, _JPEG)

    @property
    def names_format(self) -> bool:
        """Whether the format of the result is said, by its name or otherwise."""
        return self.format is not None or isinstance(self.target, str | os.PathLike | Url)

    def _settled(self, suffix: str, *, sidecar: bool) -> Location | BinaryIO:
        """Return the place of a result with this suffix, which may be written there."""
        stem = "" if self._named is None else plain_stem(self._named)
        place = self._place(suffix, None, f"{stem}.{self.word}{suffix}")
        if isinstance(place, Path | Url):
            self._require_writable(place)
            if sidecar and not (self.replace or self.resume):
                require_free(sidecar_of(place))
        elif sidecar:
            raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        return place

    def settle_file(self, name: str) -> Location | BinaryIO:
        """Return the place of a file that comes back under its sealed name."""
        name = name_here(name)
        place = self._place(Path(name).suffix, name, name)
        if isinstance(place, Path | Url):
            self._require_writable(place)
        return place

    def _place(self, suffix: str, sealed: str | None, beside: str) -> Location | BinaryIO:
        """Return where a result goes; without a target, under the name `beside` the source."""
        if callable(self.target):
            return self.target(suffix, sealed)
        if isinstance(self.target, str | os.PathLike | Url):
            return parse_location(self.target)
        if self.target is not None:
            return self.target
        if self._named is None:
            raise InvalidParameterError("a stream has no name: say where to write")
        if sealed is not None:
            return sealed_place(self._named.parent, sealed, resume=self.resume)
        return self._named.with_name(beside)

    def _require_writable(self, path: Location) -> None:
        """Raise an error if a path may not be written; unfinished files beside it are removed."""
        if self._named is not None and same_file(self._named, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output"
            )
        if not (self.replace or self.resume):
            require_free(path)
        sweep_once(path.parent)

    def kept(self, place: Location | BinaryIO) -> Location | None:
        """Return the path of a result that is there already and is to be kept, if there is one."""
        there = self.resume and isinstance(place, Path | Url) and exists(place)
        return place if there and isinstance(place, Path | Url) else None

    def store(
        self,
        place: Location | BinaryIO,
        parts: Iterable[Buffer],
        like: FileStatus,
        sidecar: Header | None = None,
    ) -> int:
        """Write the result with permissions and time of the input, and its sidecar before it.

        Return the bytes of the result.
        """
        size = 0

        def counted() -> Iterator[Buffer]:
            nonlocal size
            for part in parts:
                size += memoryview(part).nbytes
                yield part

        self._store(place, counted(), like, sidecar)
        return size

    def _store(
        self,
        place: Location | BinaryIO,
        parts: Iterable[Buffer],
        like: FileStatus,
        sidecar: Header | None,
    ) -> None:
        if not isinstance(place, Path | Url):
            for part in parts:
                place.write(part)
            place.flush()
            return
        outputs: dict[Location, Iterable[Buffer]] = {}
        if sidecar is not None:
            beside = sidecar_of(place)
            outputs[beside] = [sidecar_bytes(sidecar)]
            if self.resume and exists(beside):
                # It is left from a run that was stopped, and may be replaced once the picture is
                # ours: another run at the same time may be the one that writes it.
                write_atomically({place: parts}, replace=self.replace, like=like)
                write_atomically(outputs, replace=True, like=like)
                return
        outputs[place] = parts
        write_atomically(outputs, replace=self.replace, like=like)

    def keep_sidecar(self, place: Location, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        beside = sidecar_of(place)
        if not exists(beside):
            write_atomically({beside: [sidecar_bytes(header)]}, replace=False)
        elif self.header_in(beside) != header:
            require_free(beside)

    @staticmethod
    def header_in(sidecar: Location) -> Header:
        """Return the header in a sidecar; `FormatError` if it is damaged or cannot be read."""
        try:
            return parse_sidecar(read_limited(sidecar, HEADER_LIMIT + 1))
        except OSError as error:
            reason = reason_of(error)
            raise FormatError(f"cannot read the sidecar '{sidecar}': {reason}") from None
        except FormatError as error:
            text = f"'{sidecar}': {error}"
            raise type(error)(text, hint=error.hint, hint_key=error.hint_key) from None

    def header(self, embedded: bytes | None, sidecar: Name | None) -> Header | None:
        """Take the header from the sidecar that was named, that beside the source, or inside."""
        place = self.sidecar(sidecar)
        if place is not None:
            return self.header_in(place)
        return None if embedded is None else Header.from_bytes(embedded)

    def sidecar(self, named: Name | None) -> Location | None:
        """Return the path of the sidecar that was named, else of the one beside the source."""
        if named is not None:
            return parse_location(named)
        # With the suffix a name may be too long, which is not an error here.
        if self._named is None:
            return None
        beside = sidecar_of(self._named)
        there = exists(beside) if isinstance(beside, Url) else os.path.isfile(beside)
        return beside if there else None

    @property
    def _named(self) -> Location | None:
        return (
            parse_location(self.source)
            if isinstance(self.source, str | os.PathLike | Url)
            else None
        )


def _is_jpeg(path: Location) -> bool:
    driver = images.driver_of(path.suffix.lower())
    return driver is not None and driver.name == _JPEG


def sidecar_of(path: Location) -> Location:
    """Return the path of the sidecar of a picture."""
    return path.with_name(sidecar_name(path.name))


def _read_stream(stream: BinaryIO) -> bytes:
    """Return what a stream holds; piece by piece, as asking for much may reserve as much."""
    pieces, size, limit = [], 0, images.FILE_LIMIT
    while piece := stream.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise InvalidImageError(f"the input has more than the {limit} bytes that are read")
    return b"".join(pieces)


def sealed_place(folder: Location, name: str, *, resume: bool) -> Location:
    """Return the path of a file that comes back under its sealed name, in a folder nobody named.

    Whoever protected the file chose the name. So it replaces nothing there, and is not hidden:
    programs read hidden files of a folder by themselves.
    """
    if name.startswith("."):
        raise InvalidParameterError(
            f"the file inside is called '{name}', a hidden file",
            hint="name the output, or a folder for it",
            hint_key="hidden",
        )
    if not resume and exists(folder / name):
        raise OutputExistsError(
            f"'{folder / name}' exists, and a sealed name replaces nothing",
            hint="name the output, or a folder for it",
            hint_key="hidden",
        )
    return folder / name


def plain_stem(source: Location) -> str:
    """Return the name of a file without suffix and without what was done to it before."""
    stem = source.stem
    for done in (".scrambled", ".encrypted", ".rekeyed"):
        stem = stem.removesuffix(done)
    return stem
