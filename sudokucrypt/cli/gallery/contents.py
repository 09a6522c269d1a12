"""What a gallery shows of each protected file, and how much it does not show."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from math import prod
from pathlib import Path

import numpy as np

from sudokucrypt import images, recipes
from sudokucrypt.cli.finding import InputFiles, LeftOutReason
from sudokucrypt.cli.inputs import Item
from sudokucrypt.cli.messages import describe, progress_bar, say
from sudokucrypt.errors import DecryptionError, FormatError, InvalidImageError, SudokucryptError
from sudokucrypt.header import Header
from sudokucrypt.keys import CostlyDerivationError, RestoringKey, put_off_costly
from sudokucrypt.recipes import PlainFile, SealedInfo
from sudokucrypt.recipes.carriers.picture import preview_of
from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
from sudokucrypt.recipes.options import OpenOptions
from sudokucrypt.recipes.redaction import open_redaction
from sudokucrypt.storage import FileStatus

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ("B", "kB", "MB", "GB")


@dataclass(frozen=True, kw_only=True)
class GalleryEntry:
    """One protected file that the key opens."""

    path: Path  # where it is
    folder: str  # the folder that it is in, relative to the one that was named; empty for that one
    key: RestoringKey  # what opens it
    name: str  # what the file in it is called; the stored file's name if no other is sealed
    # When it was last changed, in nanoseconds since 1970; of the stored file if none is sealed.
    time: int | None
    sealed: bool  # whether name and time were sealed, and so are authentic
    details: tuple[str, ...]  # size and kind, in words
    preview: bool  # whether it has a preview
    type: str | None = None  # the sealed media type of the file in it
    # How the stored file differs from its header, in words; empty if nothing shows that.
    change: str = ""
    layers: tuple[bool, ...] = ()  # of a redacted picture for each layer whether the key lifts it

    @classmethod
    def of_redacted(
        cls, item: Item, redaction: OpenedRedaction, key: RestoringKey
    ) -> "GalleryEntry":
        """Return what is shown of a redacted picture, of which the key lifts some layers."""
        path, index = Path(str(item.source)), redaction.index
        return cls(
            path=path,
            folder="" if item.folder == Path() else str(item.folder),
            key=key,
            name=path.name,
            time=FileStatus.of(path).time,
            sealed=False,
            details=(f"{_sides(*index.canvas)} pixels", "redacted"),
            preview=True,
            layers=tuple(layer in redaction.contents for layer in range(len(index.layers))),
        )

    @classmethod
    def of(cls, item: Item, peek: SealedInfo) -> "GalleryEntry":
        """Return what is shown of a file that was looked into."""
        file, path = peek.file, Path(str(item.source))
        if file is None:
            name, time = path.name, FileStatus.of(path).time
            details = (f"{_sides(*peek.shape[:2])} pixels", peek.format or "picture")
        else:
            name, time = file.name, file.time
            details = (_bytes(file.size), file.type or "unknown type")
        return cls(
            path=path,
            folder="" if item.folder == Path() else str(item.folder),
            key=peek.key,
            name=name,
            time=time,
            sealed=file is not None,
            details=details,
            preview=peek.preview is not None,
            type=None if file is None else file.type,
            change=_change(path, peek.header),
        )

    @property
    def moment(self) -> datetime | None:
        """The time as the clocks here show it."""
        if self.time is None:
            return None
        moment = _EPOCH + timedelta(microseconds=self.time // 1000)
        with suppress(OSError, OverflowError, ValueError):  # some systems know no early times
            moment = moment.astimezone()
        return moment


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What protected files may cost."""

    max_pixels: int | None = None
    max_rounds: int


@dataclass(frozen=True, kw_only=True)
class Gallery:
    """The files that a key opens, by time and name, and how many others there are."""

    entries: tuple[GalleryEntry, ...]  # what is shown
    closed: int = 0  # protected files that the key does not open
    faulty: int = 0  # files that are damaged or not supported
    limits: Limits  # what opening them may cost

    def preview(self, entry: GalleryEntry) -> bytes | None:
        """Return the preview of a file, which is not held in memory; none if it is gone."""
        with suppress(Exception):  # whatever is wrong with one file, the page goes on
            if entry.layers:
                most = self.limits.max_pixels or images.MAX_PIXELS
                return preview_of(images.read_picture(entry.path, max_pixels=most))
            most = self.limits.max_rounds
            peek = recipes.find_sealed_info(entry.path, entry.key, max_rounds=most)
            return None if peek is None else peek.preview
        return None

    def open(self, entry: GalleryEntry) -> PlainFile:
        """Return the plain file in memory; errors are those of `open_file`."""
        limits = self.limits
        options = OpenOptions(max_pixels=limits.max_pixels, max_rounds=limits.max_rounds)
        return recipes.open_file(entry.path, entry.key, options)


def gather(inputs: InputFiles, key: RestoringKey, limits: Limits) -> Gallery:
    """Look into the files that were found; those that are not shown are added to `left_out`.

    Raises `DecryptionError` if there are protected files and the key opens none of them, and
    `SudokucryptError` if there is nothing to show for another reason, that of the first file if it
    has one.
    """
    entries: list[GalleryEntry] = []
    closed: list[SudokucryptError] = []
    faulty: dict[object, Exception] = {}
    waiting = list(inputs.items)  # and behind them those whose keys take long to derive
    with progress_bar("looking") as advance:
        for index, item in enumerate(waiting):
            path = item.source
            put_off_costly(key, deferring=index < len(inputs.items))
            try:
                if item.fault:
                    raise InvalidImageError(item.fault)
                if (entry := _entry_of(item, key, limits)) is None:
                    inputs.left_out.append((path, LeftOutReason.PLAIN))
                else:
                    entries.append(entry)
            except CostlyDerivationError:
                waiting.append(item)
            except DecryptionError as error:
                closed.append(error)
                inputs.left_out.append((path, LeftOutReason.CLOSED))
            except Exception as error:
                faulty[path] = error  # a surprise in one file is no reason to show none
            advance(index + 1, len(waiting))
    if not entries:
        if len(closed) > 1:
            raise DecryptionError(f"the key opens none of {len(closed)} protected files")
        none = FormatError("none of these pictures is protected")
        others = faulty.values() if len(faulty) == len(inputs.items) else ()
        raise next(chain(closed, others), none)
    for source, fault in faulty.items():
        text = describe(fault)
        say("warning", text if str(source) in text else f"'{source}': {text}")
    entries.sort(key=lambda entry: (entry.time is None, entry.time or 0, entry.name, entry.path))
    return Gallery(entries=tuple(entries), closed=len(closed), faulty=len(faulty), limits=limits)


def _entry_of(item: Item, key: RestoringKey, limits: Limits) -> GalleryEntry | None:
    """Return what is shown of a file, none if it is not protected."""
    peek = recipes.find_sealed_info(item.source, key, max_rounds=limits.max_rounds)
    if peek is not None:
        return GalleryEntry.of(item, peek)
    redaction = open_redaction(item.source, key, limits.max_pixels)
    return None if redaction is None else GalleryEntry.of_redacted(item, redaction, key)


def _change(path: Path, header: Header) -> str:
    """Return how a stored file differs from its header, as far as its first bytes tell."""
    try:
        rows, columns, size = images.stored_shape(path)
    except SudokucryptError:
        return "it is damaged"
    expected = prod(header.shape[2:]) * np.dtype(header.dtype).itemsize
    below = images.header_row_count(len(header.to_bytes()), header.shape)
    if columns != header.shape[1] or rows - header.shape[0] not in (0, below):
        return f"it has {_sides(rows, columns)} pixels, not {_sides(*header.shape[:2])}"
    if size not in (None, expected):
        return f"its pixels have {size} bytes, not {expected}"
    return ""


def _sides(rows: int, columns: int) -> str:
    return f"{columns} \N{MULTIPLICATION SIGN} {rows}"


def _bytes(size: int) -> str:
    """Return a size as people read it."""
    power = min(len(str(size)) - 1, 9) // 3
    return f"{size / 1000**power:.{int(power > 0)}f} {_UNITS[power]}"
