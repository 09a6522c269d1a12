"""Files that the page of ``open`` hands in: restored, shown and protected, in memory alone."""

from __future__ import annotations

import io
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import PurePath
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

from sudokucrypt import images, recipes
from sudokucrypt.errors import FormatError, InvalidImageError, SudokucryptError
from sudokucrypt.recipes import PlainFile
from sudokucrypt.recipes.carriers.picture import preview_of
from sudokucrypt.recipes.options import OpenOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.cli.gallery.contents import Limits
    from sudokucrypt.keys import RestoringKey
    from sudokucrypt.typing import Region

Task: TypeAlias = "Callable[[Upload], dict[str, Any]]"
"""Takes an upload, and returns the answer for the page."""

MOST_BYTES = 1 << 30
"""Bytes of one upload, and of all results that are held: the page asks for each soon."""


@dataclass(frozen=True, kw_only=True)
class Upload:
    """A file from the page: its name, its bytes, and the rectangles that were drawn on it."""

    name: str
    data: bytes
    regions: tuple[Region, ...] = ()


class Workbench:
    """Does what the page asks for, and holds the latest results until the page has fetched them."""

    def __init__(self, key: RestoringKey, limits: Limits) -> None:
        self._key, self._limits = key, limits
        self._results: OrderedDict[int, PlainFile] = OrderedDict()
        self._count = 0
        self._lock = Lock()
        self.tasks: dict[str, Task] = {
            "open": self._open,
            "protect": self._protect,
            "redact": self._redact,
        }

    def result(self, index: int) -> PlainFile | None:
        """Return a result, if it is still held."""
        return self._results.get(index)

    def _open(self, upload: Upload) -> dict[str, Any]:
        """Restore a protected file; of any other, show the picture that it may be."""
        try:
            opened = recipes.open_file(
                io.BytesIO(upload.data),
                self._key,
                OpenOptions(max_pixels=self._limits.max_pixels, max_rounds=self._limits.max_rounds),
                name=upload.name,
            )
        except (FormatError, InvalidImageError):
            if _is_protected(upload.data):
                raise
            return self._view(upload)
        return {"kind": "restored", **self._held(opened)}

    def _view(self, upload: Upload) -> dict[str, Any]:
        """Return what is seen of a plain file, with its rows and columns; nothing of no picture.

        The picture is shown upright, and regions that are drawn on it lie in the upright picture.
        """
        try:
            picture = images.decode_picture(upload.data)
        except SudokucryptError:
            return {"kind": "plain"}
        small = preview_of(picture)
        height, width = picture.pixels.shape[:2]
        rows, columns = images.turn_of(picture).upright_shape((height, width))
        shown = self._held(PlainFile(name=upload.name, type="image/webp", content=small))
        return {"kind": "plain", **shown, "rows": rows, "columns": columns}

    def _protect(self, upload: Upload) -> dict[str, Any]:
        """Encrypt a file as it is."""
        content = recipes.encrypt_bytes(
            upload.data,
            self._key,  # type: ignore[arg-type] # a key that only restores is refused there
            name=upload.name,
        )
        name = f"{PurePath(upload.name).name}.encrypted.png"
        result = PlainFile(name=name, type="image/png", content=content)
        return {"kind": "protected", **self._held(result)}

    def _redact(self, upload: Upload) -> dict[str, Any]:
        """Cover the rectangles of a picture so that the key lifts them."""
        result = io.BytesIO()
        layer = recipes.Layer(
            self._key,  # type: ignore[arg-type] # as above
            upload.regions,
        )
        most = self._limits.max_pixels
        recipes.redact_file(io.BytesIO(upload.data), result, [layer], max_pixels=most)
        content = result.getvalue()
        driver = images.known_format(content)
        suffix = "" if driver is None else driver.suffixes[0]
        name = f"{PurePath(upload.name).name}.redacted{suffix}"
        file = PlainFile(name=name, type=images.media_type(content, name), content=content)
        return {"kind": "redacted", **self._held(file)}

    def _held(self, result: PlainFile) -> dict[str, Any]:
        """Hold a result in place of older ones, and return the answer for the page."""
        with self._lock:
            index, self._count = self._count, self._count + 1
            self._results[index] = result
            while sum(len(each.content) for each in self._results.values()) > MOST_BYTES:
                self._results.popitem(last=False)
        return {
            "index": index,
            "name": result.name,
            "type": result.type,
            "size": len(result.content),
        }


def _is_protected(data: bytes) -> bool:
    """Return whether a file has a header, even a damaged one."""
    try:
        return images.header_of(data) is not None
    except InvalidImageError:
        return False
    except SudokucryptError:
        return True
