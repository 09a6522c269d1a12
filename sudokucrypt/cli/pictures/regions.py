"""Options that select the areas to cover in a picture: rectangles, lists, a mask or faces."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt import recipes
from sudokucrypt.cli.extensions import option_group
from sudokucrypt.cli.messages import say, show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.lazy import DeferredModule
from sudokucrypt.options import option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.cli.options import InputItem
    from sudokucrypt.cli.pictures import boxes as boxes_module
    from sudokucrypt.cli.pictures.boxes import Box
    from sudokucrypt.images import Picture
    from sudokucrypt.typing import Region
else:  # imported late, so that a misspelled option is reported at once
    boxes_module = DeferredModule("sudokucrypt.cli.pictures.boxes")


@dataclass(frozen=True, kw_only=True)
class RegionOptions:
    """The options that select the areas of one layer."""

    rectangles: tuple[str, ...] = option(
        (),
        "Cover this rectangle of the picture as viewers show it; can be repeated.",
        "--region X,Y,W,H",
        multiple=True,
        heading="What",
        everyday=True,
    )
    mask_file: Path | None = option(
        None,
        "Cover the pixels that are not black in this picture.",
        "--mask FILE",
        type=PATH_TYPE,
        heading="What",
    )
    boxes_file: Path | None = option(
        None,
        "Cover the boxes in FILE: JSON or CSV with x, y, w, h, and perhaps layer and file, which "
        "name the layer and the picture of a box.",
        "--boxes FILE",
        type=PATH_TYPE,
        heading="What",
        everyday=True,
    )
    faces: bool = option(False, "Cover detected faces.", heading="What", everyday=True)
    face_margin: float = option(
        0.25,
        "Margin around a face, as a fraction of its size.",
        "--face-margin F",
        least=0,
        most=2,
        heading="What",
    )
    metadata: bool = option(
        False, "Seal the metadata, even if no pixel is covered.", heading="What"
    )
    list_regions: bool = option(False, "Print the rectangles as X,Y,W,H.", heading="What")
    allow_none: bool = False
    has_several_inputs: bool = (
        False  # whether there may be several pictures, so that lists need file names
    )
    boxes: tuple[Box, ...] = ()  # the boxes of this layer in the file that ``--boxes`` names

    @property
    def selects_areas(self) -> bool:
        """Whether any option selects areas."""
        return self.always_selects_areas or bool(self.boxes_file or self.boxes)

    @property
    def always_selects_areas(self) -> bool:
        """Whether options other than boxes select areas; a picture may have no boxes."""
        return bool(self.rectangles or self.faces or self.mask_file or self.metadata)

    def read_boxes_file(self) -> tuple[Box, ...]:
        """Return all boxes in the file that ``--boxes`` names."""
        return () if self.boxes_file is None else boxes_module.read_boxes(self.boxes_file)

    @property
    def selects_rectangles(self) -> bool:
        """Whether any option selects rectangles."""
        return bool(self.rectangles or self.faces or self.boxes_file or self.boxes)

    def check(self, *, writes_to_stdout: bool) -> None:
        """Raise `click.UsageError` for options that cannot be combined."""
        if self.list_regions and writes_to_stdout:
            raise click.UsageError("--list-regions prints to stdout, where the picture goes")
        if (self.list_regions or self.allow_none) and not self.selects_rectangles:
            raise click.UsageError(
                "--list-regions and --allow-none need --faces, --boxes or --region"
            )
        self._parse_rectangles()

    @cached_property
    def boxes_by_name(self) -> dict[str, list[Box]]:
        """The boxes by the file name of their picture, or "" for boxes of every picture."""
        names: dict[str, list[Box]] = {}
        for box in self.boxes:
            names.setdefault(PurePath(box.file).name, []).append(box)
        return names

    def select_boxes(self, item: InputItem) -> list[Box]:
        """Return the boxes that are for this input."""
        names = ("", PurePath(str(item.source)).name)
        candidates = (box for name in names for box in self.boxes_by_name.get(name, ()))
        return [box for box in candidates if box.is_for_input(item)]

    def find_regions(self, picture: Picture, item: InputItem) -> Sequence[Region]:
        """Return the rectangles to cover in a picture; with ``--list-regions``, print them."""
        name, boxes = "stdin" if item.is_stdin else str(item.source), self.select_boxes(item)
        clipped_regions = [box.clip_to_shape(picture.pixels.shape) for box in boxes]
        if count := sum(
            box.region != region for box, region in zip(boxes, clipped_regions, strict=True)
        ):
            cut_boxes_text = "a box was" if count == 1 else f"{count} boxes were"
            say("note", f"{cut_boxes_text} cut to what lies in '{name}'")
        faces: Sequence[Region] = ()
        if self.faces:
            with (
                nullcontext() if self.has_several_inputs else show_progress_bar("looking for faces")
            ):
                faces = recipes.find_faces(picture, margin=self.face_margin)
        if self.faces and not faces:
            if not self.allow_none:
                raise InvalidImageError(
                    "no face was found in the picture",
                    hint="name the place with --region, or let such pictures pass with "
                    "--allow-none",
                )
            say("note", f"no face was found in '{name}'")
        if faces and not self.list_regions:
            say("note", f"found {len(faces)} face{'s' * (len(faces) > 1)} in '{name}'")
        regions = [*self._parse_rectangles(), *clipped_regions, *faces]
        if self.list_regions:
            for region in regions:
                click.echo(
                    (f"{name}: " if self.has_several_inputs else "")
                    + boxes_module.format_region(region)
                )
        return regions

    def _parse_rectangles(self) -> list[Region]:
        return [boxes_module.parse_region(text) for text in self.rectangles]


def check_layers(
    layers: Sequence[RegionOptions], common_options: RegionOptions, *, writes_to_stdout: bool
) -> None:
    """Raise `click.UsageError` if `common_options` do not fit the areas of the layers."""
    first_layer = next((layer for layer in layers if layer.selects_rectangles), layers[0])
    checked_layer = replace(
        first_layer, list_regions=common_options.list_regions, allow_none=common_options.allow_none
    )
    for layer in layers:
        (checked_layer if layer is first_layer else layer).check(writes_to_stdout=writes_to_stdout)


@dataclass(frozen=True, kw_only=True)
class LayerOptions:
    """One layer of a redaction: its name, its areas and its key."""

    name: str
    region: RegionOptions
    key: int | None  # the index of its key in `Work.keys`; None covers permanently

    def make_layer(
        self,
        item: InputItem,
        keys: Sequence[Any],
        masks: Mapping[Path, NDArray[np.bool_]],
        boxes: list[Box],
    ) -> recipes.Layer:
        """Return the layer for one picture; when it finds areas, it appends them to `boxes`."""
        mask_file, file = (
            self.region.mask_file,
            str(item.source) if self.region.has_several_inputs else "",
        )

        def find_regions(picture: Picture) -> Sequence[Region]:
            regions = self.region.find_regions(picture, item)
            boxes.extend(
                boxes_module.Box(region=region, layer=self.name, file=file) for region in regions
            )
            return regions

        return recipes.Layer(
            None if self.key is None else keys[self.key],
            find_regions if self.region.selects_rectangles else None,
            None if mask_file is None else masks[mask_file],
            self.name,
            self.region.metadata,
        )


def select_layers(layers: Sequence[LayerOptions], item: InputItem) -> Sequence[LayerOptions]:
    """Return the layers that select an area in this input, or all layers if none does.

    Raises `InvalidImageError` if none does, unless ``--allow-none`` is given.
    """
    matching_layers = [
        layer
        for layer in layers
        if layer.region.always_selects_areas or layer.region.select_boxes(item)
    ]
    if not (matching_layers or layers[0].region.allow_none):
        raise InvalidImageError(
            "no box is listed for the picture",
            hint="add one, or let such pictures pass with --allow-none",
        )
    return matching_layers or layers


def read_mask(path: Path, max_pixels: int | None) -> NDArray[np.bool_]:
    """Read a mask: True where the upright picture is not black in any color channel."""
    import numpy as np  # imported late, so that a misspelled option is reported at once

    from sudokucrypt.images import (
        MAX_PIXELS,
        get_turn,
        get_visible_colors,
        read_picture,
        turn_upright,
    )

    picture = read_picture(path, max_pixels=MAX_PIXELS if max_pixels is None else max_pixels)
    picture = turn_upright(picture, get_turn(picture))
    if picture.mode == "cmyk":
        return np.asarray(get_visible_colors(picture).any(axis=2))
    # Pixels of 16 bits are not reduced to 8, which would make the darkest levels black.
    colors = np.atleast_3d(picture.pixels)[..., : 1 if picture.mode.startswith("gray") else 3]
    return np.asarray(colors.any(axis=2))


# Decorators that give a command the options for areas as one parameter ``region``; the first
# decorator omits the option that prints rectangles.
area_options = option_group("region", RegionOptions, excluded_names=("list_regions",))
region_options = option_group("region", RegionOptions)
