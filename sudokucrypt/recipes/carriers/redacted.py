"""Redacted pictures as one more kind of thing that keys restore; `redaction` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sudokucrypt import images
from sudokucrypt.images import PictureRecord
from sudokucrypt.recipes.carriers.contract import BytesDraft, Draft, ProtectRequest, RedactionReport

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.contract import ReceivedFile
    from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
    from sudokucrypt.recipes.options import OpenOptions, StoreOptions
    from sudokucrypt.recipes.sinks import Sink
    from sudokucrypt.recipes.sources import SourceFile


class RedactionCarrier:
    """Pictures with covers; `redact_file` makes them, since they have areas and several keys."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> None:
        """Leave every input to others."""
        del source, request

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether there are layers, and no header."""
        if not file.bare:
            return False
        from sudokucrypt.recipes.carriers.redaction.package import find_package  # with all of it

        return find_package(file.source) is not None

    def restore(self, file: ReceivedFile) -> RestoredRedaction:
        """Open the layers that the key opens."""
        from sudokucrypt.recipes.carriers.redaction import lifting
        from sudokucrypt.recipes.carriers.redaction.package import find_package

        source, request = file.source, file.request
        redaction = lifting.open_layers(
            source.load(),
            find_package(source),
            [request.key],
            name=source.name,
            max_pixels=request.options.max_pixels,
            threads=request.options.threads,
        )
        return RestoredRedaction(redaction)


@dataclass(frozen=True)
class RestoredRedaction:
    """A redacted picture without the covers that keys lifted."""

    redaction: OpenedRedaction

    def inspect(self) -> PictureRecord:
        """Return the picture that the file shows."""
        (data, _), (rows, columns) = self.redaction.lift(), self.redaction.index.canvas
        return PictureRecord(picture=images.decode_picture(data, max_pixels=rows * columns))

    def draft(self, sink: Sink, options: StoreOptions) -> Draft:
        """Return the original file if all covers were lifted, else a redacted picture."""
        del options
        data, names = self.redaction.lift()
        return self._draft(sink, data, lifted=names, covered=self.redaction.covered)

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the picture whose opened layers are sealed for another key."""
        del options
        return self._draft(sink, self.redaction.rekey(key))

    def _draft(self, sink: Sink, data: bytes, **known: Any) -> Draft:
        driver, redaction = images.known_format(data), self.redaction
        return BytesDraft(
            destination=sink.settle_suffix("" if driver is None else driver.suffixes[0]),
            report=RedactionReport(
                shape=redaction.index.canvas,
                layers=len(redaction.package.layers),
                version=redaction.version,
                **known,
            ),
            content=data,
        )
