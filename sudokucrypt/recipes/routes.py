"""Where pictures come from and where they go: files by name, and binary streams."""

import os
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from sudokucrypt import images
from sudokucrypt.errors import FormatError, InvalidImageError, InvalidParameterError
from sudokucrypt.header import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.storage import read_limited, require_free, same_file, write_atomically
from sudokucrypt.typing import Buffer

_PIECE = 1 << 20

Name: TypeAlias = str | os.PathLike[str]
Source: TypeAlias = Name | BinaryIO
"""What is read: the path of a file, or a binary stream to its end."""

Target: TypeAlias = Name | BinaryIO | Callable[[str], Path] | None
"""What is written: a path, a binary stream, or a function from suffix to path."""


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

    def load(self, max_pixels: int | None) -> images.Picture:
        """Read the picture, after seeing whether a named target may be written at all."""
        if isinstance(self.target, str | os.PathLike):
            self._settled(Path(self.target))
        most = images.MAX_PIXELS if max_pixels is None else max_pixels
        if isinstance(self.source, str | os.PathLike):
            return images.read_picture(Path(self.source), max_pixels=most)
        return images.decode_picture(_read_stream(self.source), "the input", max_pixels=most)

    def settle(self, suiting: str, *, sidecar: bool = False) -> tuple[str, Path | BinaryIO]:
        """Return format and place of the result, given the format that suits it."""
        chosen = self.format or suiting
        if self.target is None:
            if self._named is None:
                raise InvalidParameterError("a stream has no name: say where to write")
            place = self._named.with_name(
                f"{plain_stem(self._named)}.{self.word}{images.suffix_of(chosen)}"
            )
        elif callable(self.target):
            place = self.target(images.suffix_of(chosen))
        elif isinstance(self.target, str | os.PathLike):
            place = Path(self.target)
        elif sidecar:
            raise InvalidParameterError("a stream has no sidecar", hint="write to a file")
        else:
            return chosen, self.target
        if sidecar and not (self.replace or self.resume):
            require_free(sidecar_of(place))
        return self._settled(place), place

    def _settled(self, path: Path) -> str:
        """Return the format of a path that may be written."""
        chosen = self.format or images.output_format(path)
        if self._named is not None and same_file(self._named, path):
            raise InvalidParameterError(
                "input and output are the same file", hint="name another output with -o"
            )
        if not (self.replace or self.resume):
            require_free(path)
        return chosen

    def kept(self, place: Path | BinaryIO) -> Path | None:
        """Return the path of a result that is there already and is to be kept, if there is one."""
        there = self.resume and isinstance(place, Path) and os.path.exists(place)
        return place if there and isinstance(place, Path) else None

    def store(
        self, place: Path | BinaryIO, parts: Iterable[Buffer], sidecar: Header | None = None
    ) -> None:
        """Write the result, and its sidecar before it."""
        if not isinstance(place, Path):
            for part in parts:
                place.write(part)
            place.flush()
            return
        outputs: dict[Path, Iterable[Buffer]] = {}
        if sidecar is not None:
            beside = sidecar_of(place)
            outputs[beside] = [sidecar_bytes(sidecar)]
            if self.resume and os.path.lexists(beside):
                # It is left from a run that was stopped, and may be replaced once the picture is
                # ours: another run at the same time may be the one that writes it.
                write_atomically({place: parts}, replace=self.replace)
                write_atomically(outputs, replace=True)
                return
        outputs[place] = parts
        write_atomically(outputs, replace=self.replace)

    def keep_sidecar(self, place: Path, header: Header) -> None:
        """Write the sidecar of a picture that is kept, unless it is there."""
        beside = sidecar_of(place)
        if not os.path.lexists(beside):
            write_atomically({beside: [sidecar_bytes(header)]}, replace=False)
        elif self.header_in(beside) != header:
            require_free(beside)

    @staticmethod
    def header_in(sidecar: Path) -> Header:
        """Return the header in a sidecar; `FormatError` if it is damaged or cannot be read."""
        try:
            return parse_sidecar(read_limited(sidecar, HEADER_LIMIT + 1))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise FormatError(f"cannot read the sidecar '{sidecar}': {reason}") from None

    def header(self, embedded: bytes | None, sidecar: Name | None) -> Header | None:
        """Take the header from the sidecar that was named, that beside the source, or inside."""
        place = self.sidecar(sidecar)
        if place is not None:
            return self.header_in(place)
        return None if embedded is None else Header.from_bytes(embedded)

    def sidecar(self, named: Name | None) -> Path | None:
        """Return the path of the sidecar that was named, else of the one beside the source."""
        if named is not None:
            return Path(named)
        # With the suffix a name may be too long, which is not an error here.
        if self._named is None or not os.path.isfile(sidecar_of(self._named)):
            return None
        return sidecar_of(self._named)

    @property
    def _named(self) -> Path | None:
        return Path(self.source) if isinstance(self.source, str | os.PathLike) else None


def sidecar_of(path: Path) -> Path:
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


def plain_stem(source: Path) -> str:
    """Return the name of a file without suffix and without what was done to it before."""
    stem = source.stem
    for done in (".scrambled", ".encrypted", ".rekeyed"):
        stem = stem.removesuffix(done)
    return stem
