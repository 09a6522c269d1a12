"""Redacted pictures as one more kind of thing that keys restore."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sudokucrypt import images
from sudokucrypt.images import PictureRecord
from sudokucrypt.recipes.carriers.contract import (
    DifferingResultError,
    Draft,
    ProtectRequest,
)
from sudokucrypt.recipes.carriers.redaction.package import find_package
from sudokucrypt.recipes.reporting import RedactionReport

if TYPE_CHECKING:
    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.receiving import ReceivedFile
    from sudokucrypt.recipes.carriers.redaction.lifting import OpenedRedaction
    from sudokucrypt.recipes.options import OpenSettings, RestoreSettings
    from sudokucrypt.recipes.source_files import SourceFile
    from sudokucrypt.recipes.transfer import FileTransfer


class RedactionCarrier:
    """Pictures with covers; `redact_file` makes them, since they have areas and several keys."""

    def plan(self, source: SourceFile, request: ProtectRequest) -> None:
        """Leave every input to others."""
        del source, request

    def recognises(self, file: ReceivedFile) -> bool:
        """Return whether there are layers, and no header."""
        return file.bare and find_package(file.source, file.request.transfer) is not None

    def restore(self, file: ReceivedFile) -> RestoredRedaction:
        """Open the layers that the key opens."""
        from sudokucrypt.recipes.carriers.redaction import lifting

        source, request = file.source, file.request
        redaction = lifting.opened(
            source.data,
            find_package(source, request.transfer),
            [request.key],
            name=source.name,
            max_pixels=request.settings.max_pixels,
            threads=request.settings.threads,
        )
        return RestoredRedaction(redaction)


@dataclass(frozen=True)
class RestoredRedaction:
    """A redacted picture without the covers that keys lifted."""

    redaction: OpenedRedaction

    @cached_property
    def lifted(self) -> tuple[bytes, tuple[str, ...]]:
        """The file, and what the lifted layers are called."""
        return self.redaction.lifted()

    @cached_property
    def record(self) -> PictureRecord:
        """The picture that the file shows."""
        rows, columns = self.redaction.index.canvas
        return PictureRecord(
            picture=images.decode_picture(self.lifted[0], max_pixels=rows * columns)
        )

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> Draft:
        """Return the original file if all covers were lifted, else a redacted picture."""
        del settings
        data, names = self.lifted
        return self._draft(transfer, data, names, self.redaction.covered)

    def again(self, transfer: FileTransfer, key: ProtectingKey, settings: OpenSettings) -> Draft:
        """Return the picture whose opened layers are sealed for another key."""
        del settings
        return self._draft(transfer, self.redaction.rekeyed(key))

    def _draft(
        self,
        transfer: FileTransfer,
        data: bytes,
        names: tuple[str, ...] = (),
        covered: tuple[int, ...] = (),
    ) -> Draft:
        def compare(existing: SourceFile) -> None:
            if existing.data != data:
                raise DifferingResultError("its bytes differ")

        driver, layers = images.known_format(data), len(self.redaction.package.layers)
        return Draft(
            destination=transfer.settled("" if driver is None else driver.suffixes[0]),
            report=RedactionReport(
                shape=self.redaction.index.canvas,
                layers=layers,
                lifted=names,
                covered=covered,
                version=self.redaction.version,
            ),
            make=lambda: ([data], None),
            compare=compare,
        )
