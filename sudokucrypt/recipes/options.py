"""What files are read, selected from, written and restored with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sudokucrypt.images import Picture
from sudokucrypt.recipes.parts import MAX_ROUNDS
from sudokucrypt.recipes.pictures import MetadataChoice
from sudokucrypt.recipes.routes import Name
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import Region

Regions: TypeAlias = Sequence[Region] | Callable[[Picture], Sequence[Region]]
"""Rectangles, or what finds them in a picture."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FileOptions:
    """How a file is read, selected from and written, as for `scramble_file` and `encrypt_file`."""

    as_file: bool | None = False
    preview: bool | None = False
    name: str | None = None
    regions: Regions | None = None
    mask: NDArray[np.bool_] | None = None
    allow_none: bool = False
    metadata: MetadataChoice = "seal"
    sidecar: bool = False
    max_pixels: int | None = None
    compress: int = 0

    @property
    def selects(self) -> bool:
        """Whether regions or a mask are chosen."""
        return self.regions is not None or self.mask is not None

    def selection(
        self, canvas: tuple[int, ...], picture: Callable[[], Picture]
    ) -> Selection | None:
        """Return what is selected of a picture, which is asked for if it decides."""
        found = self.regions(picture()) if callable(self.regions) else self.regions
        return Selection.chosen(canvas, found, self.mask, allow_none=self.allow_none)


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreOptions:
    """How a protected picture file is read and restored, as for `unscramble_file`."""

    sidecar: Name | None = None
    max_pixels: int | None = None
    max_rounds: int = MAX_ROUNDS
    threads: int | None = None
