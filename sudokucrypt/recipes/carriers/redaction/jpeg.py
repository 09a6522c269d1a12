"""Redact JPEG files by their coefficients: covered blocks become flat, others do not change."""

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
from sudokucrypt.recipes.carriers.redaction.covers import SURROUNDINGS, fill_smoothly, parse_color
from sudokucrypt.recipes.carriers.redaction.medium import (
    Mask,
    Medium,
    compute_hex_digest,
    digest_values,
    pack_arrays,
    unpack_arrays,
)
from sudokucrypt.recipes.carriers.redaction.selection import Selection
from sudokucrypt.typing import AnyArray

_EXIF_MARKER: Final = 0xE1
_RGB_IDENTIFIERS: Final = tuple(b"RGB")
_MIDDLE_GRAY: Final = 128
_BLOCK_BYTES: Final = 128
# Lengths to which the structure of a JPEG is padded, without and with an Exif block: tables and a
# thumbnail (at most 64 KiB) depend on covered pixels, so the real length would reveal something.
_USUAL_STRUCTURE_BYTES, _LARGE_STRUCTURE_BYTES = 2**14, 2**17


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
        """The decoded picture."""
        rows, columns = self.canvas
        return decode_picture(self.file.optimize().to_bytes(), max_pixels=rows * columns)

    @property
    def turn(self) -> Turn:
        """The turn that brings the picture upright, found without decoding."""
        return TURNS[read_orientation(read_file_metadata(self.file).exif)]

    def enlarge_to_units(self, selection: Selection) -> Selection:
        """Return the pixels of all units that a selection touches."""
        return jpeg_units.select_whole_units(self.file, selection)

    def digest(self, hidden_mask: Mask) -> bytes:
        """Return the SHA-256 of sampling, quantizers and visible blocks."""
        description = [
            f"{component.blocks} {component.sampling}" for component in self.file.frame.components
        ]
        arrays: list[tuple[AnyArray, Mask | None]] = []
        for quantizer, plane, visible_mask in zip(
            self.file.quantizers,
            self.file.coefficients,
            self._select_blocks(~hidden_mask),
            strict=True,
        ):
            arrays += [(quantizer, None), (plane, visible_mask)]
        return digest_values(" ".join(["jpeg", *description]), arrays)

    @property
    def display_settings(self) -> str:
        """Exif block, color profile, color markers, and the segments of frame and scans."""
        metadata, (has_jfif, adobe_transform) = (
            read_file_metadata(self.file),
            read_color_segments(self.file),
        )
        parts = map(_strip_fill_bytes, list_needed_parts(self.file))
        head_segments = (part.segment if isinstance(part, Scan) else part for part in parts)
        return " ".join(
            [
                "jpeg",
                compute_hex_digest(metadata.exif),
                compute_hex_digest(metadata.icc),
                "JFIF" if has_jfif else "-",
                "-" if adobe_transform is None else str(adobe_transform),
                compute_hex_digest(b"".join(head.to_bytes() for head in head_segments)),
            ]
        )

    def size(self, area_mask: Mask) -> int:
        """Return the number of bytes of all blocks in the selected units."""
        return sum(
            _BLOCK_BYTES * int(np.count_nonzero(block_mask))
            for block_mask in self._select_blocks(area_mask)
        )

    def extract(self, area_mask: Mask) -> bytes:
        """Return the blocks in the selected units, ordered by coefficient."""
        planes_and_masks = zip(self.file.coefficients, self._select_blocks(area_mask), strict=True)
        return pack_arrays(plane[block_mask].T for plane, block_mask in planes_and_masks)

    def uncover(self, area_mask: Mask, content: bytes) -> Self:
        """Return the picture with its original blocks in the selected units."""
        block_masks = self._select_blocks(area_mask)
        shapes = [(64, int(np.count_nonzero(block_mask))) for block_mask in block_masks]
        blocks = unpack_arrays(content, shapes, np.dtype(np.int16))
        return self._replace_blocks(area_mask, [values.T for values in blocks])

    def cover(self, area_mask: Mask, cover: str, hidden_mask: Mask) -> Self:
        """Return the picture with flat blocks in the selected units."""
        flat_blocks = []
        block_masks = self._select_blocks(area_mask)
        visible_masks = self._select_blocks(~hidden_mask) if cover == SURROUNDINGS else block_masks
        for index, (plane, block_mask) in enumerate(
            zip(self.file.coefficients, block_masks, strict=True)
        ):
            blocks = np.zeros((np.count_nonzero(block_mask), plane.shape[-1]), dtype=plane.dtype)
            if cover == SURROUNDINGS:
                dc_values = plane[..., :1].astype(np.float64)
                means = fill_smoothly(dc_values, ~visible_masks[index])[..., 0][block_mask]
            else:
                step = int(self.file.quantizers[index][0])
                sample = self._list_color_samples(parse_color(cover))[index]
                means = np.array((sample - _MIDDLE_GRAY) * 8 / step)
            blocks[:, 0] = np.rint(means)
            flat_blocks.append(blocks)
        return self._replace_blocks(area_mask, flat_blocks)

    def has_same_samples(self, other: Medium) -> bool:
        """Return whether all coefficients and their quantizers are equal."""
        if not isinstance(other, JpegMedium):
            return False
        arrays = [(*each.file.quantizers, *each.file.coefficients) for each in (self, other)]
        return len(arrays[0]) == len(arrays[1]) and all(map(np.array_equal, *arrays))

    def to_bytes(self) -> bytes:
        """Return a JPEG with optimal tables, and only the metadata that viewers need."""
        parts = tuple(map(_strip_fill_bytes, self.file.parts))
        file = replace(self.file, parts=parts)
        return encode_visible_file(file, cleartext_copy(read_file_metadata(self.file)))

    def find_structure(self, data: bytes) -> tuple[bytes, int] | None:
        """Return the file without coefficients, or None if it could not be rebuilt exactly."""
        structure = JpegStructure.from_file(data, self.file)
        if structure is None:
            return None
        segments = (part for part in self.file.parts if isinstance(part, Segment))
        has_exif = any(segment.marker == _EXIF_MARKER for segment in segments)
        return structure.to_bytes(), _LARGE_STRUCTURE_BYTES if has_exif else _USUAL_STRUCTURE_BYTES

    def rebuild_file(self, structure: bytes) -> bytes:
        """Return the file with this structure and the coefficients of this picture."""
        rows, columns = self.canvas
        try:
            parsed_structure = JpegStructure.from_bytes(structure, max_pixels=rows * columns)
            return parsed_structure.rebuild(self.file.coefficients)
        except (SudokucryptError, LookupError, OverflowError):
            raise DecryptionError from None

    def _select_blocks(self, area_mask: Mask) -> list[Mask]:
        """Return for each component a mask of the blocks in selected units, without fillers."""
        return jpeg_units.select_blocks(self.file, Selection(area_mask))

    def _replace_blocks(self, area_mask: Mask, blocks: Sequence[AnyArray]) -> Self:
        """Return the picture with new blocks in the selected units, and with all fillers reset."""
        planes = [np.array(plane) for plane in self.file.coefficients]
        for plane, block_mask, values in zip(
            planes, self._select_blocks(area_mask), blocks, strict=True
        ):
            plane[block_mask] = values
        new_planes = jpeg_units.reset_fillers(self.file, planes)
        try:
            return replace(self, file=self.file.with_coefficients(new_planes))
        except SudokucryptError:
            raise DecryptionError from None

    def _list_color_samples(self, color: tuple[int, int, int]) -> list[float]:
        """Return the sample of each component for a color.

        Decoders tell color spaces by "JFIF", "Adobe" and the names of components [1]_. CMYK is
        stored inverted, as other programs do.

        References
        ----------
        .. [1] libjpeg, jdapimin.c, function default_decompress_parms.
        """
        red, green, blue = color
        names = tuple(part.identifier for part in self.file.frame.components)
        has_jfif, adobe_transform = read_color_segments(self.file)
        if len(names) == 1:
            return _convert_to_luma(red, green, blue)  # of which only luma is used
        if len(names) == 3:
            is_marked_rgb = (
                names == _RGB_IDENTIFIERS if adobe_transform is None else adobe_transform == 0
            )
            is_rgb = not has_jfif and is_marked_rgb
            return [red, green, blue] if is_rgb else _convert_to_luma(red, green, blue)
        if adobe_transform == 2:
            return [*_convert_to_luma(255 - red, 255 - green, 255 - blue), 255]
        return [red, green, blue, 255]


def _strip_fill_bytes(part: Segment | Scan) -> Segment | Scan:
    """Return a part without the meaningless fill bytes before its marker."""
    if isinstance(part, Segment):
        return replace(part, fill=0)
    return replace(part, segment=replace(part.segment, fill=0))


def _convert_to_luma(red: float, green: float, blue: float) -> list[float]:
    """Return luma and both color differences, as JFIF defines them."""
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return [luma, _MIDDLE_GRAY + 0.564 * (blue - luma), _MIDDLE_GRAY + 0.713 * (red - luma)]
