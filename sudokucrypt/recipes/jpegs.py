"""Scramble the coefficients of JPEG files, and restore the files byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from sudokucrypt.bijections import chosen_rounds
from sudokucrypt.ciphers import (
    SCRAMBLE_JPEG,
    DcRange,
    Part,
    coefficient_scheme,
)
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images import (
    MAX_PIXELS,
    Picture,
    PictureRecord,
    describe,
)
from sudokucrypt.images.jpeg import (
    JpegFile,
    JpegStructure,
    encode_scrambled_file,
    make_dummy_mask,
    make_quantizer_segment,
    name_added_segments,
    read_coefficients,
    remove_metadata,
    replace_dummies,
)
from sudokucrypt.recipes.opening import OpenedHeader, unify_errors
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.keys import Key, ProtectingKey
    from sudokucrypt.recipes.options import MetadataChoice
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.typing import AnyArray

_UNIT: Final = "block"
# Side of a block of coefficients in pixels; JPEG fixes it.
_BLOCK_SIDE: Final = 8
# The mode in which viewers show a picture with 1, 3 or 4 components; other JPEGs are not shown.
_MODES: Final[dict[int, Literal["gray", "rgb", "cmyk"]]] = {1: "gray", 3: "rgb", 4: "cmyk"}

# Maximum size of a structure in bytes: encoded in base64, it must fit into a header.
_MAX_STRUCTURE_BYTES: Final = 22 * 2**20


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegPlan:
    """A JPEG that is ready to be scrambled."""

    plain_file: bytes  # the plain file
    structure: JpegStructure  # the coefficients, and all parts without entropy-coded data
    # Names of parts that a program added to the scrambled file; they are not restored.
    added_segments: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the decoded samples."""
        return get_samples_shape(self.structure.file)

    def protect(self, key: ProtectingKey, protection: Protection) -> tuple[bytes, Header]:
        """Return the scrambled file and its header, and overwrite the coefficients of the plan."""
        file = self.structure.file
        master_key, fields = protection.derive_master_key(key)
        dc_steps = [int(table[0]) for table in file.quantizers]
        arrays, wraps = _gather_blocks(file, dc_steps)
        draft_header = replace(
            self.make_draft_header(master_key, protection),
            **fields,
            encrypted_metadata=describe_structure(replace(self.structure, wraps=wraps)),
        )
        cipher_parts = [Part(pixels=array, overwrite=True) for array in arrays]
        with Workers(
            protection.threads, work_bytes=sum(array.nbytes for array in arrays)
        ) as workers:
            frames, header = coefficient_scheme(dc_steps).protect(
                cipher_parts,
                master_key,
                draft_header,
                workers,
                plain=[view_bytes_as_samples(self.plain_file)],
            )
        planes = _scatter_blocks(file, frames)
        del arrays, cipher_parts, frames  # frees their memory for the entropy coder
        for index, plane in enumerate(planes):
            if file.count_sent_coefficients(index):  # filler blocks must not show the plain picture
                replace_dummies(plane, file.frame.components[index])
        return encode_scrambled_file(file.with_coefficients(planes), header.to_bytes()), header

    def renew(self, max_pixels: int | None) -> JpegPlan:
        """Return a plan for the same file with its plain coefficients, to protect it again."""
        return plan_jpeg(self.plain_file, name="the picture", max_pixels=max_pixels)

    def make_draft_header(self, key: Key, protection: Protection) -> Header:
        """Return the header without metadata, tag and seal."""
        file = self.structure.file
        counts = [prod(component.blocks) for component in file.frame.components]
        return Header(
            scheme=SCRAMBLE_JPEG.name,
            unit=_UNIT,
            block_size=_BLOCK_SIDE,
            rounds=chosen_rounds(protection.rounds, min(filter(None, counts), default=1)),
            shape=get_samples_shape(file),
            dtype="uint8",
            key_id=key.id,
            salt=protection.salt,
        )


def plan_jpeg(
    data: bytes, *, name: str, max_pixels: int | None, metadata: MetadataChoice = "seal"
) -> JpegPlan:
    """Return a plan to scramble the coefficients of a JPEG so that the file is restored exactly.

    Raises `UnsupportedError` if its coefficients cannot be changed or do not give the file exactly,
    or if its metadata are too long; and `InvalidImageError` if it is damaged or too large.
    """
    limit = MAX_PIXELS if max_pixels is None else max_pixels
    file = read_changeable_jpeg(data, name=name, max_pixels=limit)
    if metadata == "strip":
        file = remove_metadata(file)
        data = _encode(file, name)
    structure = JpegStructure.from_file(data, file)
    if structure is None:
        raise _make_inexact_error(name)
    if len(structure.to_bytes()) > _MAX_STRUCTURE_BYTES:
        raise _make_coefficients_error(
            f"'{name}' has more data besides its picture than fit into a header"
        )
    return JpegPlan(plain_file=data, structure=structure)


def read_changeable_jpeg(data: bytes, *, name: str, max_pixels: int) -> JpegFile:
    """Read a JPEG whose coefficients can be changed; raise the errors of `plan_jpeg` otherwise."""
    file = read_coefficients(data, max_pixels=max_pixels, name=name)
    if len(file.frame.components) not in _MODES:
        raise _make_coefficients_error(
            f"'{name}' is a JPEG of {len(file.frame.components)} components"
        )
    if not file.complete:
        raise _make_coefficients_error(f"'{name}' is a JPEG that lacks some of its scans")
    try:
        make_quantizer_segment(file)
    except UnsupportedError as error:
        raise _make_coefficients_error(f"'{name}' is a JPEG in which {error}") from None
    return file


def _make_inexact_error(name: str) -> UnsupportedError:
    return _make_coefficients_error(f"'{name}' is a JPEG that its coefficients do not give exactly")


def _make_coefficients_error(message: str) -> UnsupportedError:
    return UnsupportedError(message, hint="choose another format, such as PNG, for its pixels")


def _encode(file: JpegFile, name: str) -> bytes:
    try:
        return file.to_bytes()
    except InvalidParameterError:
        raise _make_inexact_error(name) from None


def restore_jpeg(
    data: bytes,
    opened_header: OpenedHeader,
    max_pixels: int | None = None,
    threads: int | None = None,
    *,
    name: str,
) -> JpegPlan:
    """Restore a scrambled JPEG, and return the plan that would scramble it again.

    Raises `DecryptionError` if the picture was changed, and `FormatError` if a program converted
    the file to another format.
    """
    if not data.startswith(b"\xff\xd8"):
        raise FormatError(
            f"'{name}' is not the JPEG that was scrambled: a program stored it as another format",
            hint="use the file that was written",
        )
    limit = MAX_PIXELS if max_pixels is None else max_pixels
    file = read_coefficients(data, max_pixels=limit, name=name)
    header = opened_header.header
    with Workers(threads, work_bytes=len(data)) as workers, unify_errors():
        structure = _find_structure(opened_header, file)
        dc_steps = [int(table[0]) for table in file.quantizers]
        arrays, wraps = _gather_blocks(file, dc_steps)
        if wraps:  # scrambling never writes a mean outside its range
            raise DecryptionError
        try:
            (plain,) = coefficient_scheme(dc_steps).restore(
                [Part(pixels=array, overwrite=True) for array in arrays],
                opened_header.key,
                header,
                workers,
                convert=partial(_rebuild_file, file, structure, dc_steps),
            )
        except (InvalidParameterError, LookupError, OverflowError):
            raise DecryptionError from None  # no file could have had these coefficients
    added_segments = name_added_segments(file, structure.file)
    return JpegPlan(plain_file=plain.tobytes(), structure=structure, added_segments=added_segments)


def _rebuild_file(
    file: JpegFile,
    structure: JpegStructure,
    dc_steps: Sequence[int],
    frames: list[AnyArray],
) -> list[AnyArray]:
    """Return the bytes of the file with the blocks in `frames`, which the tag authenticates."""
    coefficients = _scatter_blocks(file, frames)
    for component, block, wrap_count in structure.wraps:
        if make_dummy_mask(file.frame.components[component]).flat[block]:
            raise DecryptionError
        blocks_in_order = coefficients[component].reshape(-1, coefficients[component].shape[-1])
        # The sum is a Python integer, so that an impossible mean raises an error instead of
        # wrapping around.
        blocks_in_order[block, 0] = (
            int(blocks_in_order[block, 0])
            + wrap_count * DcRange.from_step(dc_steps[component]).count
        )
    return [view_bytes_as_samples(structure.rebuild(coefficients))]


def get_samples_shape(file: JpegFile) -> tuple[int, ...]:
    """Return the shape of the decoded samples of a file."""
    count = len(file.frame.components)
    sides = (file.frame.rows, file.frame.columns)
    return sides if count == 1 else (*sides, count)


def view_bytes_as_samples(data: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a file as an array, which the tag authenticates instead of samples."""
    return np.frombuffer(data, dtype=np.uint8)


def describe_structure(structure: JpegStructure) -> bytes | None:
    """Return the metadata to seal: the structure, and a picture with blank samples."""
    blank_samples = np.broadcast_to(np.zeros((), dtype=np.uint8), get_samples_shape(structure.file))
    mode = _MODES[len(structure.file.frame.components)]
    picture = Picture(pixels=blank_samples, mode=mode, format="JPEG")
    return describe(PictureRecord(picture=picture, structure=structure.to_bytes()))


def _find_structure(opened_header: OpenedHeader, file: JpegFile) -> JpegStructure:
    """Return the sealed structure; `DecryptionError` if the scrambled file does not fit it."""
    header, sealed_structure = opened_header.header, opened_header.record.structure
    if (header.unit, header.block_size, header.dtype) != (_UNIT, _BLOCK_SIDE, "uint8"):
        raise DecryptionError
    if sealed_structure is None or header.shape != get_samples_shape(file):
        raise DecryptionError
    pixels = file.frame.rows * file.frame.columns
    structure = JpegStructure.from_bytes(sealed_structure, max_pixels=pixels)
    plain = structure.file
    sides = [[(part.blocks, part.shape) for part in f.frame.components] for f in (plain, file)]
    has_same_size = plain.complete and sides[0] == sides[1]
    has_same_size = has_same_size and get_samples_shape(plain) == header.shape
    if not has_same_size or not all(map(np.array_equal, plain.quantizers, file.quantizers)):
        raise DecryptionError
    # Accept only the form in which a structure is written, so that each has one valid form.
    metadata = header.encrypted_metadata or b""
    if not metadata.startswith(describe_structure(structure) or b""):
        raise DecryptionError
    return structure


def _gather_blocks(
    file: JpegFile, dc_steps: Sequence[int]
) -> tuple[list[AnyArray], tuple[tuple[int, int, int], ...]]:
    """Return the blocks of each component with all means moved into range, and the wraps.

    A wrap is component, block, and the number of ranges by which the mean was moved.
    """
    arrays, all_wraps = [], []
    for index, component in enumerate(file.frame.components):
        plane = file.coefficients[index]
        # Copies, which the caller permutes; `_scatter_blocks` writes them back.
        rows, columns = component.blocks
        blocks = np.ascontiguousarray(plane[:rows, :columns]).reshape(1, -1, plane.shape[-1])
        blocks[0, :, 0], wrap_counts = DcRange.from_step(dc_steps[index]).split(blocks[0, :, 0])
        if (wrapped_blocks := wrap_counts.nonzero()[0]).size:
            positions = wrapped_blocks // columns * component.shape[1] + wrapped_blocks % columns
            wraps_with_positions = zip(
                positions.tolist(), wrap_counts[wrapped_blocks].tolist(), strict=True
            )
            all_wraps += [(index, block, count) for block, count in wraps_with_positions]
        arrays.append(blocks)
    return arrays, tuple(all_wraps)


def _scatter_blocks(file: JpegFile, frames: Sequence[AnyArray]) -> list[AnyArray]:
    """Replace all blocks except fillers by the blocks in `frames`; return all planes."""
    component_planes = zip(file.frame.components, file.coefficients, frames, strict=True)
    for component, plane, frame in component_planes:
        rows, columns = component.blocks
        plane[:rows, :columns] = frame.reshape(rows, columns, -1)
    return list(file.coefficients)
