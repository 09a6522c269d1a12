"""Cover areas of a picture, and seal what they hide."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.images import turn_upright
from sudokucrypt.recipes.carriers.redaction.areas import Area, union
from sudokucrypt.recipes.carriers.redaction.covers import normalize_cover
from sudokucrypt.recipes.carriers.redaction.layers import (
    SHARE,
    Binding,
    LayerContent,
    checked_name,
    combine_shares,
    make_rest,
    padded_rest,
    seal,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import (
    LONGEST_INDEX,
    MOST_LAYERS,
    MOST_MASKED,
    MOST_RECTANGLES,
    Index,
    Package,
)
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.recipes.protection import require_key
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.images import Picture
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.redaction.medium import Mask, Medium
    from sudokucrypt.typing import RegionLike


@dataclass(frozen=True, eq=False)
class Layer:
    """Areas that are covered together, and who can lift the cover."""

    #: What `encrypt_file` takes; None covers for good and seals nothing, also where the areas of
    #: other layers lie.
    key: ProtectingKey | None
    #: Rectangles in the picture as it is shown: each a `Region`, or a tuple (row, column, rows,
    #: columns). Or a function that takes a `Picture`, upright, and returns them.
    regions: Sequence[RegionLike] | Callable[[Picture], Sequence[RegionLike]] | None = None
    #: The pixels that are covered, besides those in `regions`, of the picture as it is shown. Shape
    #: (M, N), dtype bool.
    mask: Mask | None = None
    name: str = ""  #: What the layer is called, one line of at most 100 characters; it is sealed.
    metadata: bool = False  #: Whether it may cover no pixel, and only seals the metadata then.

    def select(self, medium: Medium, *, allow_none: bool = False) -> Selection:
        """Return what is covered in a picture; `allow_none` lets a function find nothing."""
        # A mask or a list that selects nothing is a mistake otherwise.
        allow_none = self.metadata or (allow_none and callable(self.regions))
        turn, regions = medium.turn, self.regions
        if callable(regions):
            regions = regions(turn_upright(medium.picture, turn))
        elif regions is None and self.metadata:
            regions = ()
        shape = turn.upright_shape(medium.canvas)
        shown = Selection.chosen(shape, regions, self.mask, allow_none=allow_none)
        if shown is None:
            raise InvalidParameterError("a layer has no areas", hint="give regions or a mask")
        return medium.round_out(shown.turn_back(turn))


@dataclass(frozen=True, eq=False, kw_only=True)
class RedactionPlan:
    """What a redaction covers in a picture, and what it seals."""

    data: bytes  # what all keys together give: the file, without what is covered for good
    medium: Medium  # the picture in it
    layers: tuple[Layer, ...]  # those with a key, in the order of the index
    keys: tuple[ProtectingKey, ...]  # of these layers
    index: Index | None  # what is covered; none if nothing is sealed
    gone: Mask  # what is covered for good
    name: str  # what messages call the file
    max_pixels: int | None
    threads: int | None

    def make(self) -> tuple[bytes, Package | None]:
        """Return a file with covered areas, and the data that lift the covers, or None.

        Raises `UnsupportedError` if lifting would not give the original file.
        """
        if self.index is None:
            return self.data, None
        medium, threads, line = self.medium, self.threads, self.index.to_line()
        hidden = union(self.index.canvas, self.index.layers)
        with Workers(threads, work=len(self.data)) as workers:
            # Coding the file anew, to see what else it needs, takes as long as writing the other.
            rest = workers.start(lambda: make_rest(self.data, medium))
            shown, written = self.show(hidden)
            binding = Binding.of(line, written, hidden)
            contents = [
                LayerContent(
                    share=secrets.token_bytes(SHARE), name=layer.name, pixels=medium.extract(mask)
                )
                for layer, mask in zip(self.layers, self.index.masks(), strict=True)
            ]
            sealed = [
                seal(content.to_bytes(layer, binding), key, threads)
                for layer, (key, content) in enumerate(zip(self.keys, contents, strict=True))
            ]
            rest_key = combine_shares(content.share for content in contents)
            size = sum(len(content.pixels) for content in contents)
            content = padded_rest(self.data, rest(), binding.index, shown, hidden, size)
            return shown, Package(line, tuple(sealed), seal(content, rest_key, threads))

    def show(self, hidden: Mask) -> tuple[bytes, Medium]:
        """Return the file that shows the covers, and what is read in it; it holds no layers."""
        cover = "" if self.index is None else self.index.cover
        covered = self.medium.cover(hidden, cover, hidden | self.gone)
        data = covered.to_bytes()
        written = open_medium(data, self.name, self.max_pixels)
        if not written.shows(covered):
            raise UnsupportedError(
                "the picture would not come back exactly; nothing was written",
                hint="save it as PNG with another program first",
            )
        return data, written


def select_areas(
    layers: Sequence[Layer], medium: Medium, *, allow_none: bool = False
) -> list[tuple[Layer, Selection]]:
    """Return the layers that cover something of a picture, with their areas.

    Raises `InvalidParameterError` if areas are not in the picture, or a layer has none, unless a
    function looked for them and `allow_none` lets it find nothing.
    """
    if not (isinstance(layers, Sequence) and all(isinstance(layer, Layer) for layer in layers)):
        raise InvalidParameterError("layers are a list of Layer", hint="give [Layer(key, regions)]")
    keyed = [layer for layer in layers if layer.key is not None]
    if not layers or len(keyed) > MOST_LAYERS:
        raise InvalidParameterError(f"there must be 1 to {MOST_LAYERS} layers, not {len(layers)}")
    most = max(1, MOST_MASKED // math.prod(medium.canvas))
    if len(keyed) > most:
        raise InvalidParameterError(
            f"a picture of this size can have at most {most} layers, not {len(keyed)}",
            hint="join areas that one key lifts",
        )
    for layer in keyed:
        require_key(layer.key, protecting=True)
        checked_name(layer.name)
    chosen = [(layer, layer.select(medium, allow_none=allow_none)) for layer in layers]
    return [(layer, area) for layer, area in chosen if layer.metadata or area.where.any()]


def plan_redaction(
    data: bytes,
    medium: Medium,
    chosen: Sequence[tuple[Layer, Selection]],
    *,
    cover: str,
    name: str,
    max_pixels: int | None,
    threads: int | None = None,
) -> RedactionPlan:
    """Return how areas of a file are covered that `select_areas` returned.

    Raises `InvalidParameterError` if the cover is none, or the areas are too ragged.
    """
    cover, canvas = normalize_cover(cover), medium.canvas
    keyed = [(layer.key, layer, area) for layer, area in chosen if layer.key is not None]
    permanent = [area for layer, area in chosen if layer.key is None]
    gone = union(canvas, permanent)
    if permanent:
        # What is lifted later is a file that never held these areas.
        every = union(canvas, [area for _, area in chosen])
        medium = medium.cover(gone, cover, every)
        data = medium.to_bytes()
        medium = open_medium(data, name, max_pixels)
    index = None
    if keyed:
        index = Index(
            id=secrets.token_bytes(16),
            medium=medium.kind,
            canvas=canvas,
            cover=cover,
            layers=tuple(Area.of(area) for *_, area in keyed),
            permanent=Area.of(_join_areas(permanent, gone)) if permanent else None,
        )
        areas = (*index.layers, *([index.permanent] if index.permanent else []))
        count = sum(len(area.regions or ()) for area in areas)
        if count > MOST_RECTANGLES or len(index.to_line()) > LONGEST_INDEX:
            raise InvalidParameterError(
                "the mask is too ragged", hint="use rectangles or a smooth mask"
            )
    return RedactionPlan(
        data=data,
        medium=medium,
        layers=tuple(layer for _, layer, _ in keyed),
        keys=tuple(key for key, *_ in keyed),
        index=index,
        gone=gone,
        name=name,
        max_pixels=max_pixels,
        threads=threads,
    )


def _join_areas(areas: Sequence[Selection], where: Mask) -> Selection:
    """Return several areas as one; as rectangles, if all of them are, and they are few."""
    regions = [area.regions for area in areas]
    if any(each is None for each in regions):
        return Selection(where)
    return Selection.chosen(where.shape, sum(filter(None, regions), ()), None) or Selection(where)
