"""Put the meaning of a picture into a line, blobs and padding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.images.description.described import BLOB_FIELDS, LINE_LIMIT, PADDED, Described
from sudokucrypt.images.picture import NATURAL_MODES, Frame

if TYPE_CHECKING:
    from sudokucrypt.images.description.files import EnclosedFile
    from sudokucrypt.images.metadata import Metadata
    from sudokucrypt.images.picture import Animation, Palette
    from sudokucrypt.typing import AnyArray


def describe(said: Described) -> bytes | None:
    """Return the extras of a picture, or none if its samples speak for themselves.

    Raises
    ------
    UnsupportedError
        If there are too many frames or texts.
    """
    picture, frame = said.picture, said.picture.frames[0]
    plain = Frame(pixels=frame.pixels, mode=NATURAL_MODES[channels(frame.pixels)])
    alone = len(picture.frames) == 1 and picture.animation is None and said.file is None
    if alone and _same_meaning(frame, plain):
        return None
    return _Writer().write(said)


def channels(pixels: AnyArray) -> int:
    """Return how many samples a pixel has."""
    return 1 if pixels.ndim == 2 else int(pixels.shape[2])


def _same_meaning(first: Frame, second: Frame) -> bool:
    return {**vars(first), "pixels": None} == {**vars(second), "pixels": None}


class _Writer:
    """Collects the blobs while the line is made."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []
        self._palettes: dict[Palette, int] = {}

    def write(self, said: Described) -> bytes:
        """Return line, blobs and padding."""
        picture = said.picture
        shared = [] if picture.animation is None else [picture.animation.palette]
        for palette in [*shared, *(frame.palette for frame in picture.frames)]:
            if palette is not None:
                self._palettes.setdefault(palette, len(self._palettes))
        fields = {
            "format": picture.format,
            "file": _file(said.file),
            "readable": list(said.readable),
            "palettes": [self._palette(palette) for palette in self._palettes],
            "animation": self._animation(picture.animation),
            "frames": [self._frame(frame) for frame in picture.frames],
        }
        line = json.dumps(_present(fields), separators=(",", ":")).encode("ascii")
        if len(line) > LINE_LIMIT:
            raise UnsupportedError(
                "the picture's frames and texts are more than a header can describe",
                hint="strip its metadata",
            )
        data = b"".join([line, b"\n", *self._blobs])
        return data + bytes(-len(data) % PADDED)

    def _blob(self, data: bytes | None) -> int | None:
        if data is not None:
            self._blobs.append(data)
        return None if data is None else len(data)

    def _palette(self, palette: Palette) -> dict[str, Any]:
        return _present(
            {
                "colors": self._blob(palette.colors),
                "alphas": self._blob(palette.alphas or None),
                "wide": palette.wide or None,
            }
        )

    def _animation(self, animation: Animation | None) -> dict[str, Any] | None:
        if animation is None:
            return None
        shared = None if animation.palette is None else self._palettes[animation.palette]
        background = self._blob(animation.background)
        return _present({**vars(animation), "background": background, "palette": shared})

    def _frame(self, frame: Frame) -> dict[str, Any]:
        showing = frame.showing
        return _present(
            {
                "shape": frame.pixels.shape,
                "dtype": frame.pixels.dtype.name,
                "mode": frame.mode,
                "bits": frame.bits,
                "palette": None if frame.palette is None else self._palettes[frame.palette],
                "transparent": frame.transparent or None,
                "place": (frame.row, frame.column) if frame.row or frame.column else None,
                "showing": showing and (str(showing.duration), showing.disposal, showing.blend),
                "metadata": self._metadata(frame.metadata) if frame.metadata else None,
            }
        )

    def _metadata(self, metadata: Metadata) -> dict[str, Any]:
        resolution = metadata.resolution
        return _present(
            {
                **{name: self._blob(getattr(metadata, name)) for name in BLOB_FIELDS},
                "resolution": resolution
                and (str(resolution.columns), str(resolution.rows), resolution.unit),
                "texts": metadata.texts or None,
                "native": [(name, self._blob(data)) for name, data in metadata.native] or None,
            }
        )


def _file(file: EnclosedFile | None) -> dict[str, Any] | None:
    if file is None:
        return None
    time = None if file.time is None else str(file.time)
    return _present({"name": file.name, "size": file.size, "type": file.type, "time": time})


def _present(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, [])}
