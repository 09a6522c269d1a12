"""Cover areas of a picture, and seal the covered pixels."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sudokucrypt.errors import InvalidParameterError, UnsupportedError
from sudokucrypt.images import turn_upright
from sudokucrypt.recipes.carriers.redaction.areas import Area, merge_areas
from sudokucrypt.recipes.carriers.redaction.covers import normalize_cover
from sudokucrypt.recipes.carriers.redaction.layers import (
    SHARE_LENGTH,
    Binding,
    LayerContent,
    combine_shares,
    make_restoration_data,
    pack_restoration_data,
    require_layer_name,
    seal,
)
from sudokucrypt.recipes.carriers.redaction.media import open_medium
from sudokucrypt.recipes.carriers.redaction.package import (
    MAX_INDEX_BYTES,
    MAX_LAYERS,
    MAX_MASKED_PIXELS,
    MAX_RECTANGLES,
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
    """Areas that are covered together, and the key that lifts their cover."""

    #: A key or recipients, as for `encrypt_file`. None removes the pixels for good and seals
    #: nothing, even where areas of other layers overlap.
    key: ProtectingKey | None
    #: Rectangles in the upright picture: each a `Region`, or a tuple (row, column, rows, columns).
    #: Or a function that takes the upright `Picture` and returns rectangles.
    regions: Sequence[RegionLike] | Callable[[Picture], Sequence[RegionLike]] | None = None
    #: Pixels of the upright picture to cover in addition to `regions`. Shape (M, N), dtype bool.
    mask: Mask | None = None
    name: str = ""  #: The name of the layer, one line of at most 100 characters; it is sealed.
    metadata: bool = False  #: Whether the layer may have no area, and only seal the metadata.

    def select(self, medium: Medium, *, allow_none: bool) -> Selection:
        """Return the pixels to cover in a picture.

        With `allow_none`, a function may find no areas. An empty mask or list is still an error,
        since it must be a mistake.
        """
        allow_none = self.metadata or (allow_none and callable(self.regions))
        turn, regions = medium.turn, self.regions
        if callable(regions):
            regions = regions(turn_upright(medium.picture, turn))
        elif regions is None and self.metadata:
            regions = ()
        shape = turn.get_upright_shape(medium.canvas)
        upright_selection = Selection.from_areas(shape, regions, self.mask, allow_none=allow_none)
        if upright_selection is None:
            raise InvalidParameterError("a layer has no areas", hint="give regions or a mask")
        return medium.enlarge_to_units(upright_selection.turn_back(turn))


@dataclass(frozen=True, eq=False, kw_only=True)
class RedactionPlan:
    """A picture with the areas to cover and the layers to seal."""

    data: bytes  # the file that all keys together restore, without pixels that are removed for good
    medium: Medium  # the picture in that file
    layers: tuple[Layer, ...]  # the layers with a key, in the order of the index
    keys: tuple[ProtectingKey, ...]  # of these layers
    index: Index | None  # the covered areas; None if nothing is sealed
    removed_mask: Mask  # the pixels that are removed for good
    name: str  # of the file, for messages
    max_pixels: int | None
    threads: int | None

    def make_redacted_file(self) -> tuple[bytes, Package | None]:
        """Return a file with covered areas, and the data that lift covers (None without layers).

        Raises `UnsupportedError` if lifting would not give the original file.
        """
        if self.index is None:
            return self.data, None
        medium, threads, line = self.medium, self.threads, self.index.to_line()
        hidden_mask = merge_areas(self.index.canvas, self.index.layers)
        with Workers(threads, work_bytes=len(self.data)) as workers:
            # To make the sealed rest of the file, the original is encoded again. That takes as
            # long as encoding the redacted picture, so another thread does it.
            get_restoration_data = workers.start(lambda: make_restoration_data(self.data, medium))
            redacted_data, redacted_medium = self.encode_redacted(hidden_mask)
            binding = Binding.from_picture(line, redacted_medium, hidden_mask)
            layer_contents = [
                LayerContent(
                    key_share=secrets.token_bytes(SHARE_LENGTH),
                    name=layer.name,
                    pixels=medium.extract(mask),
                )
                for layer, mask in zip(self.layers, self.index.iterate_masks(), strict=True)
            ]
            sealed_layers = [
                seal(content.to_bytes(layer, binding), key, threads)
                for layer, (key, content) in enumerate(zip(self.keys, layer_contents, strict=True))
            ]
            restoration_key = combine_shares(content.key_share for content in layer_contents)
            size = sum(len(content.pixels) for content in layer_contents)
            content = pack_restoration_data(
                self.data,
                get_restoration_data(),
                binding.index_digest,
                redacted_data,
                hidden_mask,
                size,
            )
            return redacted_data, Package(
                line, tuple(sealed_layers), seal(content, restoration_key, threads)
            )

    def encode_redacted(self, hidden_mask: Mask) -> tuple[bytes, Medium]:
        """Return the redacted file without its layers, and the picture that is read from it."""
        cover = "" if self.index is None else self.index.cover
        covered_medium = self.medium.cover(hidden_mask, cover, hidden_mask | self.removed_mask)
        data = covered_medium.to_bytes()
        redacted_medium = open_medium(data, self.name, self.max_pixels)
        if not redacted_medium.has_same_samples(covered_medium):
            raise UnsupportedError(
                "the picture would not be restored exactly; nothing was written",
                hint="save it as PNG with another program first",
            )
        return data, redacted_medium


def select_areas(
    layers: Sequence[Layer], medium: Medium, *, allow_none: bool
) -> list[tuple[Layer, Selection]]:
    """Return the layers that cover pixels of a picture or only seal metadata, with their areas.

    Raises `InvalidParameterError` if an area is not inside the picture, or a layer has no area. A
    layer whose function finds no area is left out with `allow_none`.
    """
    if not (isinstance(layers, Sequence) and all(isinstance(layer, Layer) for layer in layers)):
        raise InvalidParameterError("layers are a list of Layer", hint="give [Layer(key, regions)]")
    keyed_layers = [layer for layer in layers if layer.key is not None]
    if not layers or len(keyed_layers) > MAX_LAYERS:
        raise InvalidParameterError(f"there must be 1 to {MAX_LAYERS} layers, not {len(layers)}")
    limit = max(1, MAX_MASKED_PIXELS // math.prod(medium.canvas))
    if len(keyed_layers) > limit:
        raise InvalidParameterError(
            f"a picture of this size can have at most {limit} layers, not {len(keyed_layers)}",
            hint="join areas that one key lifts",
        )
    for layer in keyed_layers:
        require_key(layer.key, must_protect=True)
        require_layer_name(layer.name)
    selections = [(layer, layer.select(medium, allow_none=allow_none)) for layer in layers]
    return [(layer, area) for layer, area in selections if layer.metadata or area.mask.any()]


def plan_redaction(
    data: bytes,
    medium: Medium,
    selections: Sequence[tuple[Layer, Selection]],
    *,
    cover: str,
    name: str,
    max_pixels: int | None,
    threads: int | None = None,
) -> RedactionPlan:
    """Return a plan to cover the areas and seal the layers that `select_areas` returned.

    Raises `InvalidParameterError` if the cover is unknown, or the areas need too many rectangles or
    runs.
    """
    cover, canvas = normalize_cover(cover), medium.canvas
    keyed_selections = [
        (layer.key, layer, area) for layer, area in selections if layer.key is not None
    ]
    permanent_areas = [area for layer, area in selections if layer.key is None]
    removed_mask = merge_areas(canvas, permanent_areas)
    if permanent_areas:
        # From here on, the original is a file without the removed pixels.
        all_areas_mask = merge_areas(canvas, [area for _, area in selections])
        medium = medium.cover(removed_mask, cover, all_areas_mask)
        data = medium.to_bytes()
        medium = open_medium(data, name, max_pixels)
    index = None
    if keyed_selections:
        index = Index(
            id=secrets.token_bytes(16),
            medium=medium.kind,
            canvas=canvas,
            cover=cover,
            layers=tuple(Area.from_selection(area) for *_, area in keyed_selections),
            permanent=Area.from_selection(_join_areas(permanent_areas, removed_mask))
            if permanent_areas
            else None,
        )
        areas = (*index.layers, *([index.permanent] if index.permanent else []))
        count = sum(len(area.regions or ()) for area in areas)
        if count > MAX_RECTANGLES or len(index.to_line()) > MAX_INDEX_BYTES:
            raise InvalidParameterError(
                "the areas are too complex to store", hint="use rectangles or a smooth mask"
            )
    return RedactionPlan(
        data=data,
        medium=medium,
        layers=tuple(layer for _, layer, _ in keyed_selections),
        keys=tuple(key for key, *_ in keyed_selections),
        index=index,
        removed_mask=removed_mask,
        name=name,
        max_pixels=max_pixels,
        threads=threads,
    )


def _join_areas(areas: Sequence[Selection], mask: Mask) -> Selection:
    """Join areas, whose union is `mask`, into one area, stored as rectangles if they are few."""
    regions = [area.regions for area in areas]
    if any(each is None for each in regions):
        return Selection(mask)
    return Selection.from_areas(mask.shape, sum(filter(None, regions), ()), None) or Selection(mask)
