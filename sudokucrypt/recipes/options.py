"""What may be said about protecting and restoring a picture file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.images import Picture
    from sudokucrypt.recipes.routes import Name
    from sudokucrypt.typing import Region

MetadataChoice: TypeAlias = Literal["seal", "keep", "strip"]
"""What becomes of metadata: they are sealed, sealed with a readable copy beside, or dropped."""

Regions: TypeAlias = "Sequence[Region] | Callable[[Picture], Sequence[Region]]"
"""Rectangles, or what finds them in a picture."""

MAX_ROUNDS = 16
"""Most rounds that a header may ask for, unless the caller allows more."""


@dataclass(frozen=True, eq=False, kw_only=True)
class FileOptions:
    """How a picture file is read, selected from and written, as for `scramble_file`."""

    regions: Regions | None = None
    mask: NDArray[np.bool_] | None = None
    allow_none: bool = False
    metadata: MetadataChoice = "seal"
    sidecar: bool = False
    compress: int = 0
    max_pixels: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreOptions:
    """How a protected picture file is read and restored, as for `unscramble_file`."""

    sidecar: Name | None = None
    max_pixels: int | None = None
    max_rounds: int = MAX_ROUNDS
    threads: int | None = None
