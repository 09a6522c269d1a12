"""Small pictures that this package protects, and what restores them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from sudokucrypt.header import Header
from sudokucrypt.images import Picture, describe
from sudokucrypt.recipes.pictures import canvas_of, parts_of
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.typing import AnyArray, Region
from sudokucrypt.workers import Workers
from tests.vectors.common import KEY, SALT, Case, little, protection
from tests.vectors.gallery import PICTURES


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A protected picture, its context, plain frames, and description before it is masked."""

    header: Header
    frames: tuple[AnyArray, ...]
    context: str | None
    plain: tuple[AnyArray, ...]
    extras: bytes | None

    def case(self, **changes: Any) -> Case:
        """Return the fields of a case in which these parts are others."""
        fields: Case = {
            "header": self.header.to_bytes().decode(), "frames": self.frames, "key": KEY.to_text(),
            "picture_key": None, "context": self.context, **changes,
        }  # fmt: skip
        return fields | {"frames": [shown_frame(pixels) for pixels in fields["frames"]]}

    def own_key(self) -> str:
        """Return the text of the picture key."""
        return KEY.for_picture(self.header).to_text()


def shown_frame(pixels: AnyArray) -> Case:
    """Return a frame in the form of a case."""
    samples = little(pixels).hex()
    return {"shape": list(pixels.shape), "dtype": pixels.dtype.name, "samples": samples}


def padded(bare: bytes, more: int = 0) -> bytes:
    """Return line and blobs with as little padding as can be, and so many zeros more."""
    return bare + bytes(-len(bare) % 256 + more)


@cache
def whole(
    name: str,
    *,
    scheme: str = "encrypt-v1",
    context: str | None = None,
    salt: bytes | None = SALT,
    regions: tuple[Region, ...] | None = None,
    runs: tuple[int, ...] | None = None,
    extras: bytes | None = None,
    stated: tuple[str, bytes | tuple[Region, ...] | str | tuple[int, ...]] | None = None,
    **options: Any,
) -> Whole:
    """Return a picture that this package protects.

    `runs` are those of a mask. Under a right tag and seal, `extras` stand in the header in place
    of what belongs there, none if they are empty, and `stated` is a field with another value.
    """
    said = PICTURES[name]
    how = protection(scheme, context=context, salt=salt, **options)
    chosen = _selection(said.picture, regions, runs)
    parts = parts_of(said.picture, chosen)
    meant = describe(said) if extras is None else extras or None
    draft = replace(how.draft(parts, KEY, selection=chosen), encrypted_metadata=meant)
    if stated is not None:
        draft = replace(draft, **dict([stated]))  # type: ignore[arg-type]
    with Workers(1) as workers:
        frames, header = how.scheme.protect(parts, KEY, draft, workers)
    return Whole(
        header=header,
        frames=tuple(frames),
        context=context,
        plain=tuple(f.pixels for f in said.picture.frames),
        extras=meant,
    )


def _selection(
    picture: Picture, regions: Sequence[Region] | None, runs: Sequence[int] | None
) -> Selection | None:
    canvas = canvas_of(picture, None)
    if runs is None:
        return Selection.chosen(canvas, regions, None)
    where = np.repeat(np.arange(len(runs)) % 2 == 1, runs).reshape(canvas)
    return Selection.chosen(canvas, None, where, allow_none=True)
