"""Cover areas of a picture, and seal what they hide."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.recipes.carriers.redaction.covers import checked_cover
from sudokucrypt.recipes.carriers.redaction.layers import (
    SHARE,
    LayerContent,
    checked_name,
    combined,
    rest_of,
    seal,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import (
    LONGEST_INDEX,
    MOST_LAYERS,
    MOST_MASKED,
    Index,
    Package,
    union,
)
from sudokucrypt.recipes.protection import checked_key
from sudokucrypt.recipes.selection import Selection
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
    from sudokucrypt.recipes.options import Regions


@dataclass(frozen=True, eq=False)
class Layer:
    """Areas that are covered together, and who can lift the cover."""

    #: What `encrypt_file` takes; None covers for good and seals nothing, also where the areas of
    #: other layers lie.
    key: ProtectingKey | None
    #: Rectangles (row, column, rows, columns), or what finds them in a `Picture`.
    regions: Regions | None = None
    #: The pixels that are covered, besides those in `regions`. Shape (M, N), dtype bool.
    mask: Mask | None = None
    name: str = ""  #: What the layer is called, one line of at most 100 characters; it is sealed.

    def selected(self, medium: Medium) -> Selection:
        """Return what is covered in a picture."""
        regions = self.regions(medium.picture) if callable(self.regions) else self.regions
        selection = Selection.chosen(medium.canvas, regions, self.mask)
        if selection is None:
            raise InvalidParameterError("a layer has no areas", hint="give regions or a mask")
        return medium.rounded(selection)


def redacted(
    data: bytes,
    medium: Medium,
    layers: Sequence[Layer],
    *,
    cover: str,
    name: str,
    max_pixels: int | None,
    threads: int | None = None,
) -> tuple[bytes, Package | None]:
    """Return a file in which areas are covered, and what lifts them; nothing if all is permanent.

    Raises `InvalidParameterError` if areas are not in the picture, none are given, or a key
    protects nothing; and `UnsupportedError` if lifting would not give the original file.
    """
    if not (isinstance(layers, Sequence) and all(isinstance(layer, Layer) for layer in layers)):
        raise InvalidParameterError("layers are a list of Layer", hint="give [Layer(key, regions)]")
    cover, chosen = checked_cover(cover), [(layer, layer.selected(medium)) for layer in layers]
    keyed = [(layer.key, layer, area) for layer, area in chosen if layer.key is not None]
    if not chosen or len(keyed) > MOST_LAYERS:
        raise InvalidParameterError(f"there must be 1 to {MOST_LAYERS} layers, not {len(chosen)}")
    most = max(1, MOST_MASKED // math.prod(medium.canvas))
    if len(keyed) > most:
        raise InvalidParameterError(
            f"a picture of this size can have at most {most} layers, not {len(keyed)}",
            hint="join areas that one key lifts",
        )
    for key, layer, _ in keyed:
        checked_key(key, protecting=True)
        checked_name(layer.name)
    permanent = [area for layer, area in chosen if layer.key is None]
    gone = union(medium.canvas, permanent)
    if permanent:
        # What is lifted later is a file that never held these areas.
        every = union(medium.canvas, [area for _, area in chosen])
        medium = medium.covered(gone, cover, every)
        data = medium.to_bytes()
        medium = open_medium(data, name, max_pixels)
    if not keyed:
        return data, None
    index = Index(
        id=secrets.token_bytes(16),
        medium=medium.kind,
        canvas=medium.canvas,
        cover=cover,
        layers=tuple(area for *_, area in keyed),
        permanent=_joined(permanent, gone) if permanent else None,
    )
    line = index.to_line()
    if len(line) > LONGEST_INDEX:
        raise InvalidParameterError(
            "the mask is too ragged", hint="use rectangles or a smooth mask"
        )
    digest, hidden = hashlib.sha256(line).digest(), union(index.canvas, index.layers)
    with Workers(threads, work=len(data)) as workers:
        # Coding the file anew, to see what else it needs, takes as long as writing the other.
        rest = workers.start(lambda: rest_of(data, medium, digest))
        shown = workers.start(
            lambda: _written(medium.covered(hidden, cover, hidden | gone), name, max_pixels)
        )
        visible = medium.digest(hidden)
        contents = [
            LayerContent(
                share=secrets.token_bytes(SHARE), name=layer.name, pixels=medium.extract(mask)
            )
            for (_, layer, _), mask in zip(keyed, index.masks(), strict=True)
        ]
        sealed = [
            seal(content.to_bytes(digest, visible), key, threads)
            for (key, *_), content in zip(keyed, contents, strict=True)
        ]
        rest_key = combined(content.share for content in contents)
        package = Package(line, tuple(sealed), seal(rest(), rest_key, threads))
        return shown(), package


def _written(covered: Medium, name: str, max_pixels: int | None) -> bytes:
    """Return the file of a picture, after reading it again."""
    data = covered.to_bytes()
    if not open_medium(data, name, max_pixels).shows(covered):
        raise UnsupportedError(
            "the picture would not come back exactly; nothing was written",
            hint="save it as PNG with another program first",
        )
    return data


def _joined(areas: Sequence[Selection], where: Mask) -> Selection:
    """Return several areas as one; as rectangles, if all of them are."""
    regions = [area.regions for area in areas]
    if any(each is None for each in regions):
        return Selection(where)
    return replace(areas[0], where=where, regions=sum(filter(None, regions), ()))
