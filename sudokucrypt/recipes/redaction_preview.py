"""Preview a redaction: find its areas, and draw them into a picture."""

from collections.abc import Sequence
from typing import cast

from sudokucrypt import images
from sudokucrypt.images import Picture
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import BytesDraft, Draft, RedactionReport
from sudokucrypt.recipes.carriers.redaction.areas import merge_areas
from sudokucrypt.recipes.carriers.redaction.covering import (
    Layer,
    select_areas,
)
from sudokucrypt.recipes.carriers.redaction.outlines import draw_outlines
from sudokucrypt.recipes.options import OutlineOptions
from sudokucrypt.recipes.redaction import read_medium
from sudokucrypt.recipes.sinks import FileTarget, Sink
from sudokucrypt.recipes.sources import FileSource, SourceFile


def check_areas(
    source: FileSource, _target: FileTarget, layers: Sequence[Layer], options: OutlineOptions
) -> RedactionReport:
    """Select the areas of all layers in a picture to check them; write nothing.

    Errors are those of `redact_file`.
    """
    medium = read_medium(source, options.max_pixels)[1]
    select_areas(layers, medium, allow_none=options.allow_none)
    return RedactionReport(shape=medium.canvas)


def outline_file(
    source: FileSource, target: FileTarget, layers: Sequence[Layer], options: OutlineOptions
) -> RedactionReport:
    """Write the upright picture as PNG with lines around the areas that `redact_file` would cover.

    Errors are those of `redact_file`; no key is needed.
    """
    sink = Sink.for_target(source, target, options)

    def make_draft() -> tuple[Draft, SourceFile]:
        file, medium = read_medium(source, options.max_pixels)
        selections = select_areas(layers, medium, allow_none=options.allow_none)
        mask = medium.turn.make_upright(
            merge_areas(medium.canvas, [area for _, area in selections])
        )
        colors = images.get_visible_colors(images.turn_upright(medium.picture, medium.turn))
        file_format, destination = sink.choose_destination("PNG")
        outlined_picture = Picture.plain(draw_outlines(colors, mask))
        data = images.encode_picture(outlined_picture, file_format, compress=6)
        report = RedactionReport(shape=colors.shape[:2])
        return BytesDraft(destination=destination, report=report, content=data), file

    return cast("RedactionReport", operations.write(sink, make_draft))
