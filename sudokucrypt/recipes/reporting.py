"""Reports on files that were written, or that were there already and are kept."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sudokucrypt.images import EmbeddedFile
from sudokucrypt.storage import Location

Mode: TypeAlias = Literal["file", "pixels", "areas"]


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """The report on a file."""

    shape: tuple[int, ...]  #: (M, N) or (M, N, C) of the picture.
    #: What the input carries besides its samples, and the output does not.
    dropped: tuple[str, ...] = ()
    target: Location | None = None  #: What was written; none for a stream.
    #: Whether the output was already there, and is what would have been written.
    kept: bool = False
    #: Why pixels were protected of a file that could have stayed what it is: a JPEG.
    pixels_because: str | None = None
    #: What is known of the file that was encrypted as it is, or restored.
    file: EmbeddedFile | None = None
    #: The sealed name of a restored file, if it was changed so that it does no harm.
    renamed: str | None = None
    source_bytes: int | None = None  #: How many were read.
    target_bytes: int | None = None  #: How many the picture or file has that was written or kept.
    tag: bytes | None = None  #: The tag of the protected picture, if it has one.

    @property
    def mode(self) -> Mode:
        """What was protected or restored: the bytes of a file, or pixels."""
        return "pixels" if self.file is None else "file"


@dataclass(frozen=True, kw_only=True)
class RobustReport(FileReport):
    """The report on a robust picture, besides what `FileReport` says."""

    sent: tuple[int, int] = (0, 0)  #: Rows and columns of the sheet.
    shrunk: bool = False  #: Whether the picture was made smaller first.
    expected_psnr: float | None = None  #: As for `RobustPicture`; None for a scrambled picture.
    missing: float | None = None  #: The same.


@dataclass(frozen=True, kw_only=True)
class RedactionReport(FileReport):
    """The report on redacting or lifting, besides what `FileReport` says."""

    layers: int = 0  #: How many layers the picture has.
    #: Whether nothing was selected, so that the result is a copy of the input, byte for byte.
    copied: bool = False
    #: What the lifted layers are called: their names, or their numbers from 1.
    lifted: tuple[str, ...] = ()
    #: The numbers, from 1, of the layers that stay covered: no key opened them.
    covered: tuple[int, ...] = ()
    #: The version of the format; what it lifts in part of version 1 may be shown as a stranger
    #: wants it: turned, or in other colors.
    version: int = 2

    @property
    def mode(self) -> Mode:
        """The areas of a picture, of which the very file is restored."""
        return "areas"
