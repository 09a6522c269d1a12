"""The carrier of redacted pictures, so that `decrypt` and `rekey` take them too."""

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
    """The carrier of redacted pictures, which only `redact_file` makes: requests have no areas."""

    def plan_draft(self, source: SourceFile, request: ProtectRequest) -> None:
        """Leave each input to other carriers."""
        del source, request

    def recognizes(self, file: ReceivedFile) -> bool:
        """Return whether the file has layers, and no header."""
        if not file.has_no_header:
            return False
        from sudokucrypt.recipes.carriers.redaction.package import find_package

        return find_package(file.source) is not None

    def restore(self, file: ReceivedFile) -> RestoredRedaction:
        """Open all layers that the key opens."""
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
    """A redacted picture in memory, some or all of whose covers were lifted."""

    redaction: OpenedRedaction

    def get_record(self) -> PictureRecord:
        """Return the decoded picture, in which the opened layers are uncovered."""
        (data, _), (rows, columns) = self.redaction.lift_covers(), self.redaction.index.canvas
        return PictureRecord(picture=images.decode_picture(data, max_pixels=rows * columns))

    def make_draft(self, sink: Sink, options: StoreOptions) -> Draft:
        """Return the draft of the original file, or of a redacted one if layers stay covered."""
        del options
        data, names = self.redaction.lift_covers()
        return self._draft_redacted_file(
            sink, data, lifted=names, covered=self.redaction.covered_layer_numbers
        )

    def reprotect(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Return the draft of the redacted picture with its opened layers under another key."""
        del options
        return self._draft_redacted_file(sink, self.redaction.rekey(key))

    def _draft_redacted_file(self, sink: Sink, data: bytes, **report_fields: Any) -> Draft:
        driver, redaction = images.known_format(data), self.redaction
        return BytesDraft(
            destination=sink.make_destination("" if driver is None else driver.suffixes[0]),
            report=RedactionReport(
                shape=redaction.index.canvas,
                layers=len(redaction.package.layers),
                version=redaction.version,
                **report_fields,
            ),
            content=data,
        )
