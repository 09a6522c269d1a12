"""JPEG files, covered in their coefficients: units become flat, and all others stay as they are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Self

import numpy as np

from sudokucrypt.errors import DecryptionError, SudokucryptError
from sudokucrypt.images import Picture, Turn, cleartext_copy, decode_picture
from sudokucrypt.images.jpeg import (
    JpegFile,
    JpegStructure,
    Scan,
    Segment,
    encode_visible_file,
    list_needed_parts,
    read_color_segments,
    read_file_metadata,
)
from sudokucrypt.images.orientation import TURNS, read_orientation
from sudokucrypt.recipes.carriers.redaction import jpeg_units
from sudokucrypt.recipes.carriers.redaction.covers import SURROUNDINGS, parse_color, smooth_fill
from sudokucrypt.recipes.carriers.redaction.medium import (
    Mask,
    Medium,
    digest_values,
    hexadecimal_digest,
    pack,
    unpack,
)
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.typing import AnyArray

_EXIF: Final = 0xE1
_LETTERS: Final = tuple(b"RGB")
_MIDDLE: Final = 128
_BLOCK_BYTES: Final = 128
# What the structure of a JPEG is padded to: tables follow from all of the picture, and a thumbnail
# in an Exif block, of at most 64 KiB, was compressed from it.
_USUAL_STRUCTURE, _LARGE_STRUCTURE = 2**14, 2**17


@dataclass(frozen=True, eq=False)
class JpegMedium(Medium):
    """The coefficients of a JPEG."""

    kind = "jpeg"
    file: JpegFile

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns in pixels."""
        return self.file.frame.rows, self.file.frame.columns

    @cached_property
    def picture(self) -> Picture:
        """What it shows."""
        rows, columns = self.canvas
        return decode_picture(self.file.optimize().to_bytes(), max_pixels=rows * columns)

    @property
    def turn(self) -> Turn:
        """What brings it upright, found without decoding."""
        return TURNS[read_orientation(read_file_metadata(self.file).exif)]

    def round_out(self, selection: Selection) -> Selection:
        """Return the pixels of all units that a selection touches."""
        return jpeg_units.select_whole_units(self.file, selection)

    def digest(self, hidden: Mask) -> bytes:
        """Return the SHA-256 of sampling, quantizers and visible blocks."""
        head = [f"{part.blocks} {part.sampling}" for part in self.file.frame.components]
        arrays: list[tuple[AnyArray, Mask | None]] = []
        for steps, plane, shown in zip(
            self.file.quantizers, self.file.coefficients, self._select_blocks(~hidden), strict=True
        ):
            arrays += [(steps, None), (plane, shown)]
        return digest_values(" ".join(["jpeg", *head]), arrays)

    @property
    def manner(self) -> str:
        """Exif block, profile, what tells colors, and the segments of frame and scans."""
        metadata, (jfif, transform) = read_file_metadata(self.file), read_color_segments(self.file)
        parts = map(_strip_fill, list_needed_parts(self.file))
        heads = (part.segment if isinstance(part, Scan) else part for part in parts)
        return " ".join(
            [
                "jpeg",
                hexadecimal_digest(metadata.exif),
                hexadecimal_digest(metadata.icc),
                "JFIF" if jfif else "-",
                "-" if transform is None else str(transform),
                hexadecimal_digest(b"".join(head.to_bytes() for head in heads)),
            ]
        )

    def size(self, where: Mask) -> int:
        """Return how many bytes the blocks of whole units have."""
        return sum(
            _BLOCK_BYTES * int(np.count_nonzero(inside)) for inside in self._select_blocks(where)
        )

    def extract(self, where: Mask) -> bytes:
        """Return the blocks of whole units, coefficient by coefficient."""
        chosen = zip(self.file.coefficients, self._select_blocks(where), strict=True)
        return pack(plane[inside].T for plane, inside in chosen)

    def uncover(self, where: Mask, content: bytes) -> Self:
        """Return the picture with these blocks."""
        chosen = self._select_blocks(where)
        shapes = [(64, int(np.count_nonzero(inside))) for inside in chosen]
        blocks = unpack(content, shapes, np.dtype(np.int16))
        return self._with(where, [values.T for values in blocks])

    def cover(self, where: Mask, cover: str, hidden: Mask) -> Self:
        """Return the picture with flat units."""
        flat = []
        chosen = self._select_blocks(where)
        visible = self._select_blocks(~hidden) if cover == SURROUNDINGS else chosen
        for index, (plane, inside) in enumerate(zip(self.file.coefficients, chosen, strict=True)):
            blocks = np.zeros((np.count_nonzero(inside), plane.shape[-1]), dtype=plane.dtype)
            if cover == SURROUNDINGS:
                known = plane[..., :1].astype(np.float64)
                means = smooth_fill(known, ~visible[index])[..., 0][inside]
            else:
                step = int(self.file.quantizers[index][0])
                means = np.array(
                    (self._list_color_samples(parse_color(cover))[index] - _MIDDLE) * 8 / step
                )
            blocks[:, 0] = np.rint(means)
            flat.append(blocks)
        return self._with(where, flat)

    def shows(self, other: Medium) -> bool:
        """Return whether all coefficients and their quantizers are the same."""
        if not isinstance(other, JpegMedium):
            return False
        arrays = [(*each.file.quantizers, *each.file.coefficients) for each in (self, other)]
        return len(arrays[0]) == len(arrays[1]) and all(map(np.array_equal, *arrays))

    def to_bytes(self) -> bytes:
        """Return a JPEG with fitting tables, and the metadata that viewers need, written anew."""
        parts = tuple(map(_strip_fill, self.file.parts))
        file = replace(self.file, parts=parts)
        return encode_visible_file(file, cleartext_copy(read_file_metadata(self.file)))

    def structure(self, data: bytes) -> tuple[bytes, int] | None:
        """Return everything of the file but its coefficients, if these give it back."""
        structure = JpegStructure.of_file(data, self.file)
        if structure is None:
            return None
        large = any(isinstance(part, Segment) and part.marker == _EXIF for part in self.file.parts)
        return structure.to_bytes(), _LARGE_STRUCTURE if large else _USUAL_STRUCTURE

    def whole(self, structure: bytes) -> bytes:
        """Return the file with this structure."""
        rows, columns = self.canvas
        try:
            form = JpegStructure.from_bytes(structure, max_pixels=rows * columns)
            return form.rebuild(self.file.coefficients)
        except (SudokucryptError, LookupError, OverflowError):
            raise DecryptionError from None

    def _select_blocks(self, where: Mask) -> list[Mask]:
        """Return for each component which blocks are in these units; fillers are not."""
        return jpeg_units.selected_blocks(self.file, Selection(where))

    def _with(self, where: Mask, blocks: Sequence[AnyArray]) -> Self:
        """Return the picture with other blocks in some units, and usual fillers everywhere."""
        planes = [np.array(plane) for plane in self.file.coefficients]
        for plane, inside, values in zip(planes, self._select_blocks(where), blocks, strict=True):
            plane[inside] = values
        filled = jpeg_units.with_usual_fillers(self.file, planes)
        try:
            return replace(self, file=self.file.with_coefficients(filled))
        except SudokucryptError:
            raise DecryptionError from None

    def _list_color_samples(self, color: tuple[int, int, int]) -> list[float]:
        """Return the samples of the components that are shown as a color.

        Decoders tell color spaces by `JFIF`, `Adobe` and the names of components [1]_. CMYK is
        stored inverted, as everybody writes it.

        References
        ----------
        .. [1] libjpeg, jdapimin.c, `default_decompress_parms`.
        """
        red, green, blue = color
        names = tuple(part.identifier for part in self.file.frame.components)
        jfif, transform = read_color_segments(self.file)
        if len(names) == 1:
            return _convert_to_luma(red, green, blue)[:1]
        if len(names) == 3:
            plain = not jfif and (names == _LETTERS if transform is None else transform == 0)
            return [red, green, blue] if plain else _convert_to_luma(red, green, blue)
        if transform == 2:
            return [*_convert_to_luma(255 - red, 255 - green, 255 - blue), 255]
        return [red, green, blue, 255]


def _strip_fill(part: Segment | Scan) -> Segment | Scan:
    """Return a part without the bytes before its marker, which mean nothing."""
    if isinstance(part, Segment):
        return replace(part, fill=0)
    return replace(part, segment=replace(part.segment, fill=0))


def _convert_to_luma(red: float, green: float, blue: float) -> list[float]:
    """Return luma and both differences of a color, as JFIF defines them."""
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return [luma, _MIDDLE + 0.564 * (blue - luma), _MIDDLE + 0.713 * (red - luma)]
