"""JPEG files, covered in their coefficients: units become flat, and all others stay as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sudokucrypt.errors import DecryptionError, SudokucryptError
from sudokucrypt.images import cleartext_copy, decode_picture
from sudokucrypt.images.jpeg import (
    JpegFile,
    JpegStructure,
    Segment,
    dummy_positions,
    metadata_of,
    shown_file,
)
from sudokucrypt.recipes import jpegs
from sudokucrypt.recipes.redaction.contract import digest_of, packed, unpacked
from sudokucrypt.recipes.redaction.covers import SURROUNDINGS, color_of, smooth_fill
from sudokucrypt.recipes.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.images import Picture
    from sudokucrypt.recipes.redaction.contract import Mask
    from sudokucrypt.typing import AnyArray

_ADOBE: Final = 0xEE
_LETTERS: Final = tuple(b"RGB")
_MIDDLE: Final = 128


@dataclass(frozen=True, eq=False)
class JpegMedium:
    """The coefficients of a JPEG."""

    file: JpegFile
    kind: Literal["jpeg", "samples"] = "jpeg"

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        return self.file.frame.rows, self.file.frame.columns

    @cached_property
    def picture(self) -> Picture:
        """What it shows."""
        rows, columns = self.canvas
        return decode_picture(self.file.to_optimised_bytes(), max_pixels=rows * columns)

    def rounded(self, selection: Selection) -> Selection:
        """Return the pixels of all units that a selection touches."""
        return jpegs.in_whole_units(self.file, selection)

    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of sampling, quantisers and visible blocks."""
        components = self.file.frame.components
        head = ["jpeg", *(f"{part.blocks} {part.sampling}" for part in components)]
        arrays: list[AnyArray] = []
        for steps, plane, chosen in zip(
            self.file.quantisers, self.file.coefficients, self._blocks(hidden), strict=True
        ):
            arrays += [steps, plane[chosen[1]]]
        return digest_of(" ".join(head), arrays)

    def taken(self, where: Mask) -> bytes:
        """Return the blocks of whole units, coefficient by coefficient."""
        chosen = zip(self.file.coefficients, self._blocks(where), strict=True)
        return packed(plane[inside].T for plane, (inside, _) in chosen)

    def given(self, where: Mask, content: bytes) -> JpegMedium:
        """Return the picture with these blocks."""
        chosen = [inside for inside, _ in self._blocks(where)]
        shapes = [(64, int(np.count_nonzero(inside))) for inside in chosen]
        planes = [np.array(plane) for plane in self.file.coefficients]
        values = unpacked(content, shapes, np.dtype(np.int16))
        for plane, inside, blocks in zip(planes, chosen, values, strict=True):
            plane[inside] = blocks.T
        return self._with(where, planes)

    def covered(self, where: Mask, cover: str, hidden: Mask) -> JpegMedium:
        """Return the picture with flat units."""
        planes = [np.array(plane) for plane in self.file.coefficients]
        colors = None if cover == SURROUNDINGS else self._samples(color_of(cover))
        visible = self._blocks(hidden) if colors is None else []
        for index, (inside, _) in enumerate(self._blocks(where)):
            plane, means = planes[index], np.zeros(())
            if colors is None:
                known = plane[..., :1].astype(np.float64)
                means = smooth_fill(known, ~visible[index][1])[..., 0][inside]
            else:
                means = (colors[index] - _MIDDLE) * 8 / np.asarray(self.file.quantisers[index][0])
            plane[inside] = 0
            plane[inside, 0] = np.rint(means)
        return self._with(where, planes)

    def to_bytes(self) -> bytes:
        """Return a JPEG with fitting tables, and the metadata that viewers need, written anew."""
        return shown_file(self.file, cleartext_copy(metadata_of(self.file)))

    def structure(self, data: bytes) -> bytes | None:
        """Return everything of the file but its coefficients, if these give it back."""
        structure = JpegStructure.of_file(data, self.file)
        return None if structure is None else structure.to_bytes()

    def whole(self, structure: bytes) -> bytes:
        """Return the file with this structure."""
        rows, columns = self.canvas
        try:
            form = JpegStructure.from_bytes(structure, max_pixels=rows * columns)
            return form.rebuilt(self.file.coefficients)
        except (SudokucryptError, LookupError, OverflowError):
            raise DecryptionError from None

    def _blocks(self, where: Mask) -> list[tuple[Mask, Mask]]:
        """Return for each component which blocks are in these units, and which outside."""
        chosen = jpegs.chosen_blocks(self.file, Selection(where))
        fillers = map(dummy_positions, self.file.frame.components)
        pairs = zip(chosen, fillers, strict=True)
        return [(inside & ~filler, ~inside & ~filler) for inside, filler in pairs]

    def _with(self, where: Mask, planes: Sequence[AnyArray]) -> JpegMedium:
        filled = jpegs.with_usual_fillers(self.file, Selection(where), planes)
        try:
            return replace(self, file=self.file.with_coefficients(filled))
        except SudokucryptError:
            raise DecryptionError from None

    def _samples(self, color: tuple[int, int, int]) -> list[float]:
        """Return the samples of the components that are shown as a color.

        Decoders tell color spaces by `JFIF`, `Adobe` and the names of components [1]_. CMYK is
        stored inverted, as everybody writes it.

        References
        ----------
        .. [1] libjpeg, jdapimin.c, `default_decompress_parms`.
        """
        red, green, blue = color
        names = tuple(part.identifier for part in self.file.frame.components)
        segments = [part for part in self.file.parts if isinstance(part, Segment)]
        jfif = any(part.marker == 0xE0 and part.body[:5] == b"JFIF\0" for part in segments)
        adobe = [part.body[11] for part in segments if _is_adobe(part)]
        if len(names) == 1:
            return _luma(red, green, blue)[:1]
        if len(names) == 3:
            plain = not jfif and (adobe[-1] == 0 if adobe else names == _LETTERS)
            return [red, green, blue] if plain else _luma(red, green, blue)
        if adobe and adobe[-1] == 2:
            return [*_luma(255 - red, 255 - green, 255 - blue), 255]
        return [red, green, blue, 255]


def _is_adobe(part: Segment) -> bool:
    return part.marker == _ADOBE and part.body[:5] == b"Adobe" and len(part.body) >= 12


def _luma(red: float, green: float, blue: float) -> list[float]:
    """Return luma and both differences of a color, as JFIF defines them."""
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return [luma, _MIDDLE + 0.564 * (blue - luma), _MIDDLE + 0.713 * (red - luma)]
