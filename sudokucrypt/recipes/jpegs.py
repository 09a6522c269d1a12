"""The coefficients of JPEG files: how they are scrambled, and give the file back to the byte."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, Self

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
    Metadata,
    Picture,
    PictureRecord,
    cleartext_copy,
    describe,
)
from sudokucrypt.images.jpeg import (
    COPIES,
    JpegFile,
    JpegStructure,
    added_parts,
    metadata_of,
    output_file,
    quantiser_segment,
    read_coefficients,
    without_metadata,
)
from sudokucrypt.recipes.jpeg_units import (
    in_whole_units,
    selected_blocks,
    shape_of,
    with_usual_fillers,
)
from sudokucrypt.recipes.opening import OpenedHeader, uniform_decryption_error
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.keys import Key, ProtectingKey
    from sudokucrypt.recipes.options import MetadataChoice
    from sudokucrypt.recipes.protection import Protection
    from sudokucrypt.recipes.selection import Selection
    from sudokucrypt.typing import AnyArray

_UNIT: Final = "block"
# What moves is a block of coefficients, whose side JPEG fixes.
_SIDE: Final = 8
# What viewers take a picture for by its number of components; they show no others.
_MODES: Final[dict[int, Literal["gray", "rgb", "cmyk"]]] = {1: "gray", 3: "rgb", 4: "cmyk"}

# Most bytes of a structure, so that what it grows by still fits into a header.
_MOST_BESIDE: Final = 22 * 2**20


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegPlan:
    """A JPEG that is ready to be scrambled."""

    plain: bytes  # the file that will come back
    structure: JpegStructure  # its structure, with its coefficients
    selection: Selection | None = None  # what is scrambled, in whole units of the file
    # What was next to the picture in the scrambled file at hand, and is no part of this one.
    added: tuple[str, ...] = ()

    @property
    def canvas(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.structure.file.frame.rows, self.structure.file.frame.columns

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its samples."""
        return shape_of(self.structure.file)

    def selecting(self, selection: Selection | None) -> Self:
        """Return the plan that scrambles all units of the file that a selection touches."""
        if selection is None:
            return self
        return replace(self, selection=in_whole_units(self.structure.file, selection))

    def protect(self, key: ProtectingKey, protection: Protection) -> tuple[bytes, Header]:
        """Return the scrambled file, whose blocks replace those of the plan, and its header."""
        file = self.structure.file
        master, fields = protection.master(key)
        steps = [int(table[0]) for table in file.quantisers]
        chosen = selected_blocks(file, self.selection)
        arrays, wraps = _gathered(file, chosen, steps)
        draft = replace(
            self.draft(master, protection),
            **fields,
            encrypted_metadata=description(replace(self.structure, wraps=wraps)),
        )
        parts = [Part(pixels=array, overwrite=True) for array in arrays]
        with Workers(protection.threads, work=sum(array.nbytes for array in arrays)) as workers:
            frames, header = coefficient_scheme(steps).protect(
                parts, master, draft, workers, plain=[byte_samples(self.plain)]
            )
        planes = _scattered(file, chosen, frames)
        del arrays, parts, frames  # before the tokens take their memory
        scrambled = file.with_coefficients(with_usual_fillers(file, self.selection, planes))
        copies = _copies(file, self.structure.cleartext)
        return output_file(scrambled, header.to_bytes(), copies), header

    def again(self, max_pixels: int | None) -> JpegPlan:
        """Return the same plan with the coefficients of the file, to protect it again."""
        plan = planned_jpeg(self.plain, name="the picture", max_pixels=max_pixels, metadata="keep")
        # Earlier versions also copied what is no longer written.
        copied = set(plan.structure.cleartext) & set(self.structure.cleartext)
        structure = replace(plan.structure, cleartext=tuple(sorted(copied)))
        return replace(plan, structure=structure, selection=self.selection)

    def draft(self, key: Key, protection: Protection) -> Header:
        """Return the header without encrypted_metadata, before anything secret is known."""
        file, selection = self.structure.file, self.selection
        counts = [int(np.count_nonzero(where)) for where in selected_blocks(file, selection)]
        return Header(
            scheme=SCRAMBLE_JPEG.name,
            unit=_UNIT,
            block_size=_SIDE,
            rounds=chosen_rounds(protection.rounds, min(filter(None, counts), default=1)),
            shape=shape_of(file),
            dtype="uint8",
            regions=None if selection is None else selection.regions,
            mask=None if selection is None else selection.packed(),
            key_id=key.id,
            salt=protection.salt,
        )


def planned_jpeg(
    data: bytes, *, name: str, max_pixels: int | None, metadata: MetadataChoice = "seal"
) -> JpegPlan:
    """Return how a JPEG is scrambled as such, all of it.

    Raises `UnsupportedError` if its coefficients cannot be changed, or too much of it is not what
    they give; and `InvalidImageError` if it is damaged, or has too many pixels.
    """
    most = MAX_PIXELS if max_pixels is None else max_pixels
    file = changeable(data, name=name, max_pixels=most)
    if metadata == "strip":
        file = without_metadata(file)
        data = _coded(file, name)
    structure = JpegStructure.of_file(data, file)
    if structure is None:
        raise _inexact(name)
    if len(structure.to_bytes()) > _MOST_BESIDE:
        raise _unsuited(f"'{name}' holds more beside its picture than fits into a header")
    if metadata == "keep":
        copy = cleartext_copy(metadata_of(file))
        copied = (index for index, field in enumerate(COPIES) if getattr(copy, field))
        structure = replace(structure, cleartext=tuple(copied))
    return JpegPlan(plain=data, structure=structure)


def changeable(data: bytes, *, name: str, max_pixels: int) -> JpegFile:
    """Return a file whose coefficients can be changed; errors are those of `planned_jpeg`."""
    file = read_coefficients(data, max_pixels=max_pixels, name=name)
    if len(file.frame.components) not in _MODES:
        raise _unsuited(f"'{name}' is a JPEG of {len(file.frame.components)} components")
    if not file.complete:
        raise _unsuited(f"'{name}' is a JPEG that lacks some of its scans")
    try:
        quantiser_segment(file)
    except UnsupportedError as error:
        raise _unsuited(f"'{name}' is a JPEG in which {error}") from None
    return file


def _inexact(name: str) -> UnsupportedError:
    return _unsuited(f"'{name}' is a JPEG that its coefficients do not give exactly")


def _unsuited(why: str) -> UnsupportedError:
    return UnsupportedError(why, hint="choose another format, such as PNG, for its pixels")


def _coded(file: JpegFile, name: str) -> bytes:
    try:
        return file.to_bytes()
    except InvalidParameterError:
        raise _inexact(name) from None


def restored(
    data: bytes,
    opened: OpenedHeader,
    max_pixels: int | None = None,
    threads: int | None = None,
    *,
    name: str,
) -> JpegPlan:
    """Return the plan of which a scrambled JPEG is the result.

    Raises `DecryptionError` if the picture was changed, and `FormatError` if the file is no JPEG
    any more.
    """
    if not data.startswith(b"\xff\xd8"):
        raise FormatError(
            f"'{name}' is not the JPEG that was scrambled: a program stored it as another format",
            hint="use the file that was written",
        )
    most = MAX_PIXELS if max_pixels is None else max_pixels
    file = read_coefficients(data, max_pixels=most, name=name)
    header = opened.header
    with Workers(threads, work=len(data)) as workers, uniform_decryption_error(SCRAMBLE_JPEG):
        structure = _structure_in(opened, file)
        selection = opened.selection(header.shape[:2])
        chosen = selected_blocks(structure.file, selection)
        steps = [int(table[0]) for table in file.quantisers]
        arrays, wrapped = _gathered(file, chosen, steps)
        if wrapped:  # nothing that was written has a mean out of its range
            raise DecryptionError
        try:
            (plain,) = coefficient_scheme(steps).restore(
                [Part(pixels=array, overwrite=True) for array in arrays],
                opened.key,
                header,
                workers,
                plain_of=partial(_plain_samples, file, structure, chosen, steps),
            )
        except (InvalidParameterError, LookupError, OverflowError):
            raise DecryptionError from None  # coefficients that the file cannot have had
    copies = [COPIES[index] for index in structure.cleartext]
    added = added_parts(file, structure.file, copies)
    return JpegPlan(plain=plain.tobytes(), structure=structure, selection=selection, added=added)


def _plain_samples(
    file: JpegFile,
    structure: JpegStructure,
    chosen: Sequence[NDArray[np.bool_]],
    steps: Sequence[int],
    frames: list[AnyArray],
) -> list[AnyArray]:
    """Return the bytes of the file that has these blocks, which is what the tag authenticates."""
    coefficients = _scattered(file, chosen, frames)
    for component, block, wraps in structure.wraps:
        if not chosen[component].flat[block]:
            raise DecryptionError
        flat = coefficients[component].reshape(-1, coefficients[component].shape[-1])
        # As a Python integer: a mean that no file can have must not wrap around unseen.
        flat[block, 0] = int(flat[block, 0]) + wraps * DcRange.of_step(steps[component]).count
    return [byte_samples(structure.rebuilt(coefficients))]


def byte_samples(data: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a file, which the tag authenticates in place of samples."""
    return np.frombuffer(data, dtype=np.uint8)


def description(structure: JpegStructure) -> bytes | None:
    """Return the description: the structure, and a picture of which only the shape is given."""
    blank = np.broadcast_to(np.zeros((), dtype=np.uint8), shape_of(structure.file))
    mode = _MODES[len(structure.file.frame.components)]
    picture = Picture(pixels=blank, mode=mode, format="JPEG")
    return describe(PictureRecord(picture=picture, structure=structure.to_bytes()))


def _structure_in(opened: OpenedHeader, file: JpegFile) -> JpegStructure:
    """Return the structure in an authentic header, if the file at hand can have it."""
    header, sealed = opened.header, opened.record.structure
    if (header.unit, header.block_size, header.dtype) != (_UNIT, _SIDE, "uint8"):
        raise DecryptionError
    if sealed is None or header.shape != shape_of(file):
        raise DecryptionError
    pixels = file.frame.rows * file.frame.columns
    structure = JpegStructure.from_bytes(sealed, max_pixels=pixels)
    held = structure.file
    sides = [[(each.blocks, each.shape) for each in f.frame.components] for f in (held, file)]
    same = held.complete and sides[0] == sides[1]
    same = same and shape_of(held) == header.shape
    tables = zip(held.quantisers, file.quantisers, strict=False)
    if not same or not all(np.array_equal(one, other) for one, other in tables):
        raise DecryptionError
    described = header.encrypted_metadata or b""
    # One form here too: what is read must be what is written.
    if not described.startswith(description(structure) or b""):  # more, or of another picture
        raise DecryptionError
    return structure


def _gathered(
    file: JpegFile, chosen: Sequence[NDArray[np.bool_]], steps: Sequence[int]
) -> tuple[list[AnyArray], tuple[tuple[int, int, int], ...]]:
    """Return the parts with all means in their ranges, and the wraps that brought them there."""
    arrays, moved = [], []
    for index, where in enumerate(chosen):
        extent = _extent(file, index, where)
        plane = file.coefficients[index]
        # All blocks of a component stay where they are: whoever gathers them replaces them.
        blocks = (
            plane[where][None] if extent is None else _line(np.ascontiguousarray(plane[extent]))
        )
        blocks[0, :, 0], wraps = DcRange.of_step(steps[index]).split(blocks[0, :, 0])
        if (odd := wraps.nonzero()[0]).size:
            wrapped = np.flatnonzero(where)[odd]
            pairs = zip(wrapped.tolist(), wraps[odd].tolist(), strict=True)
            moved += [(index, block, turn) for block, turn in pairs]
        arrays.append(blocks)
    return arrays, tuple(moved)


def _scattered(
    file: JpegFile, chosen: Sequence[NDArray[np.bool_]], frames: Sequence[AnyArray]
) -> list[AnyArray]:
    """Put other blocks at these places of the coefficients of a file, and return them all."""
    for index, (where, frame) in enumerate(zip(chosen, frames, strict=True)):
        plane, extent = file.coefficients[index], _extent(file, index, where)
        if extent is None:
            plane[where] = frame[0]
        else:
            plane[extent] = frame.reshape(plane[extent].shape)
    return list(file.coefficients)


def _extent(file: JpegFile, index: int, where: NDArray[np.bool_]) -> tuple[slice, slice] | None:
    """Return the rows and columns of a component, without dummies, if all of them are chosen.

    NumPy copies rectangles several times as fast as chosen blocks.
    """
    rows, columns = file.frame.components[index].blocks
    extent = slice(rows), slice(columns)
    return extent if where[extent].all() else None


def _line(blocks: AnyArray) -> AnyArray:
    return blocks.reshape(1, -1, blocks.shape[-1])


def _copies(file: JpegFile, cleartext: Sequence[int]) -> Metadata:
    """Return the metadata with a cleartext copy in a scrambled picture."""
    if not cleartext:
        return Metadata()
    copy = cleartext_copy(metadata_of(file))
    chosen = {COPIES[index] for index in cleartext}
    return Metadata(**{name: getattr(copy, name) for name in chosen})
