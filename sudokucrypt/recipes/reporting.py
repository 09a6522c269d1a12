"""Reports on files that were written, or that were there already and are kept."""

from dataclasses import dataclass

from sudokucrypt.images import EmbeddedFile
from sudokucrypt.storage import Location
from sudokucrypt.typing import Region


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """The report on a file.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C), of the first frame.
    dropped : tuple of str
        What the input carries besides its samples, and the output does not.
    target : Path, Url or None
        What was written; none for a stream.
    regions : tuple of (int, int, int, int) or None
        The rectangles that were changed, if not the whole picture or a mask.
    kept : bool
        Whether the output was already there, and is what would have been written.
    pixels_because : str or None
        Why pixels were protected of a file that could have stayed what it is: a JPEG.
    file : EmbeddedFile or None
        What is known of the file that was encrypted as it is, or restored.
    renamed : str or None
        The sealed name of a restored file, if it was changed so that it does no harm.
    source_bytes, target_bytes : int or None
        Bytes that were read, and of the picture or file that was written or is kept.
    tag : bytes or None
        The tag of the protected picture, if it has one.
    """

    shape: tuple[int, ...]
    dropped: tuple[str, ...] = ()
    target: Location | None = None
    regions: tuple[Region, ...] | None = None
    kept: bool = False
    pixels_because: str | None = None
    file: EmbeddedFile | None = None
    renamed: str | None = None
    source_bytes: int | None = None
    target_bytes: int | None = None
    tag: bytes | None = None


@dataclass(frozen=True, kw_only=True)
class RobustReport(FileReport):
    """The report on a robust picture, besides what `FileReport` says.

    Parameters
    ----------
    sent : tuple of int
        Rows and columns of the sheet.
    shrunk : bool
        Whether the picture was made smaller first.
    expected_psnr, missing : float or None
        As for `RobustPicture`; None where a picture was scrambled.
    """

    sent: tuple[int, int] = (0, 0)
    shrunk: bool = False
    expected_psnr: float | None = None
    missing: float | None = None


@dataclass(frozen=True, kw_only=True)
class RedactionReport(FileReport):
    """The report on redacting or lifting, besides what `FileReport` says.

    Parameters
    ----------
    layers : int
        How many layers the picture has.
    lifted : tuple of str
        What the lifted layers are called: their names, or their numbers from 1.
    """

    layers: int = 0
    lifted: tuple[str, ...] = ()
