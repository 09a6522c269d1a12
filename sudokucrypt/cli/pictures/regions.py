"""Options that choose what is covered in a picture: rectangles, a mask, or the faces in it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt import recipes
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.messages import progress_bar, say
from sudokucrypt.cli.options import PATH
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import Region

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sudokucrypt.cli.inputs import Item
    from sudokucrypt.images import Picture


@dataclass(frozen=True, kw_only=True)
class RegionOptions:
    """What was said on the command line about the areas of a layer."""

    rectangles: tuple[str, ...]
    mask_file: Path | None
    faces: bool
    face_margin: float
    list_regions: bool = False
    allow_none: bool = False
    several: bool = False  # whether there may be several pictures, which lists tell apart

    @property
    def chooses(self) -> bool:
        """Whether anything is chosen."""
        return bool(self.rectangles or self.faces or self.mask_file)

    def check(self, *, to_stdout: bool) -> None:
        """Raise `click.UsageError` for options that mean nothing together."""
        if self.list_regions and to_stdout:
            raise click.UsageError("--list-regions prints to stdout, where the picture goes")
        if (self.list_regions or self.allow_none) and not (self.rectangles or self.faces):
            raise click.UsageError("--list-regions and --allow-none go with --faces or --region")
        self._fixed()

    def of_picture(self, item: Item) -> Callable[[Picture], Sequence[Region]] | None:
        """Return what finds the rectangles in one picture, none if a mask chooses everything."""
        if not (self.rectangles or self.faces):
            return None
        return partial(self._find, name="stdin" if item.piped else str(item.source))

    def _find(self, picture: Picture, *, name: str) -> Sequence[Region]:
        """Return the rectangles of one picture, and list them if that was asked for."""
        faces: Sequence[Region] = ()
        if self.faces:
            with nullcontext() if self.several else progress_bar("looking for faces"):
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
        regions = [*self._fixed(), *faces]
        if self.list_regions:
            for row, column, rows, columns in regions:
                click.echo(f"{f'{name}: ' if self.several else ''}{column},{row},{columns},{rows}")
        return regions

    def _fixed(self) -> list[Region]:
        return [_region(text) for text in self.rectangles]


def check_layers(layers: Sequence[RegionOptions], given: RegionOptions, *, to_stdout: bool) -> None:
    """Raise `click.UsageError` for options that mean nothing with the areas of these layers."""
    found = next((layer for layer in layers if layer.rectangles or layer.faces), layers[0])
    asked = replace(found, list_regions=given.list_regions, allow_none=given.allow_none)
    for layer in layers:
        (asked if layer is found else layer).check(to_stdout=to_stdout)


@dataclass(frozen=True, kw_only=True)
class LayerOptions:
    """What was said on the command line about one layer of a redaction."""

    name: str
    region: RegionOptions
    key: int | None  # the index of its key among those of the job; none covers for good

    def of_picture(
        self, item: Item, keys: Sequence[Any], masks: Mapping[Path, NDArray[np.bool_]]
    ) -> recipes.Layer:
        """Return the layer of one picture."""
        mask = self.region.mask_file
        return recipes.Layer(
            None if self.key is None else keys[self.key],
            self.region.of_picture(item),
            None if mask is None else masks[mask],
            self.name,
        )


def read_mask(path: Path, max_pixels: int | None) -> NDArray[np.bool_]:
    """Return the mask: true where the upright mask picture is not black, in any color channel."""
    import numpy as np  # late, so that a misspelt option is answered at once

    from sudokucrypt.images import MAX_PIXELS, read_picture, seen_colors, turn_of, turn_upright

    picture = read_picture(path, max_pixels=MAX_PIXELS if max_pixels is None else max_pixels)
    picture = turn_upright(picture, turn_of(picture))
    if picture.mode == "cmyk":
        return np.asarray(seen_colors(picture).any(axis=2))
    # What is seen of the darkest of 16 bits is black.
    colors = np.atleast_3d(picture.pixels)[..., : 1 if picture.mode.startswith("gray") else 3]
    return np.asarray(colors.any(axis=2))


def _region(text: str) -> Region:
    """Read X,Y,W,H: the column and row of the top-left corner, then width and height."""
    try:
        x, y, w, h = (int(side) for side in text.split(","))
    except ValueError:
        raise click.UsageError(f"a region is X,Y,W,H in pixels, not {text!r}") from None
    return Region.xywh(x, y, w, h)


_CHOOSING = (
    option(
        "--region X,Y,W,H",
        "Cover this rectangle; can be repeated.",
        name="rectangles",
        multiple=True,
    ),
    option(
        "--mask FILE",
        "Cover the pixels that are not black in this picture.",
        name="mask_file",
        type=PATH,
    ),
    option("--faces", "Cover detected faces."),
    option(
        "--face-margin F",
        "Margin around a face, as a fraction of its size.",
        type=click.FloatRange(0, 2),
        default=0.25,
    ),
)

# Gives a command the options for areas, as one parameter ``region``.
area_options = option_group("region", RegionOptions, *_CHOOSING, heading="What")

# Gives a command the options for regions, as one parameter ``region``.
region_options = option_group(
    "region",
    RegionOptions,
    *_CHOOSING,
    option("--list-regions", "Print the rectangles as X,Y,W,H."),
    option("--allow-none", "Copy pictures without a face byte for byte."),
    heading="What",
)
