"""Preview a redaction: areas that are found, and a picture of them."""

from collections.abc import Sequence
from typing import cast

from sudokucrypt import images
from sudokucrypt.images import Picture
from sudokucrypt.recipes import operations
from sudokucrypt.recipes.carriers.contract import BytesDraft, Draft, RedactionReport
from sudokucrypt.recipes.carriers.redaction.areas import union
from sudokucrypt.recipes.carriers.redaction.covering import (
    Layer,
    select_areas,
)
from sudokucrypt.recipes.carriers.redaction.outlines import draw_outlines
from sudokucrypt.recipes.options import OutlineOptions
from sudokucrypt.recipes.redaction import read_medium
from sudokucrypt.recipes.sinks import FileTarget, Sink
from sudokucrypt.recipes.sources import FileSource, SourceFile


def find_areas(
    source: FileSource, _target: FileTarget, layers: Sequence[Layer], options: OutlineOptions
) -> RedactionReport:
    """Have all layers choose their areas in a picture, and write nothing.

    Errors are those of `redact_file`.
    """
    medium = read_medium(source, options.max_pixels)[1]
    select_areas(layers, medium, allow_none=options.allow_none)
    return RedactionReport(shape=medium.canvas)


def outline_file(
    source: FileSource, target: FileTarget, layers: Sequence[Layer], options: OutlineOptions
) -> RedactionReport:
    """Write a picture as it is shown with lines around what `redact_file` would cover, as PNG.

    Errors are those of `redact_file`; no key is needed.
    """
    sink = Sink.of(source, target, options)

    def draft() -> tuple[Draft, SourceFile]:
        file, medium = read_medium(source, options.max_pixels)
        chosen = select_areas(layers, medium, allow_none=options.allow_none)
        where = medium.turn.upright(union(medium.canvas, [area for _, area in chosen]))
        shown = images.seen_colors(images.turn_upright(medium.picture, medium.turn))
        file_format, destination = sink.settle("PNG")
        outlined = Picture.plain(draw_outlines(shown, where))
        data = images.encode_picture(outlined, file_format, compress=6)
        report = RedactionReport(shape=shown.shape[:2])
        return BytesDraft(destination=destination, report=report, content=data), file

    return cast("RedactionReport", operations.write(sink, draft))
