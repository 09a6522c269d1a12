"""The coefficients of JPEG files: how they are scrambled, and give the file back to the byte."""

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
    dummy_positions,
    encode_scrambled_file,
    make_quantizer_segment,
    name_added_segments,
    read_coefficients,
    replace_dummies,
    without_metadata,
)
from sudokucrypt.recipes.opening import OpenedHeader, uniform_decryption_error
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sudokucrypt.keys import Key, ProtectingKey
    from sudokucrypt.recipes.options import MetadataChoice
    from sudokucrypt.recipes.protection import Protection
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
    # What was next to the picture in the scrambled file at hand, and is no part of this one.
    added: tuple[str, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its samples."""
        return get_samples_shape(self.structure.file)

    def protect(self, key: ProtectingKey, protection: Protection) -> tuple[bytes, Header]:
        """Return the scrambled file, whose blocks replace those of the plan, and its header."""
        file = self.structure.file
        master, fields = protection.master(key)
        steps = [int(table[0]) for table in file.quantizers]
        arrays, wraps = _gather(file, steps)
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
        planes = _scatter(file, frames)
        del arrays, parts, frames  # before the tokens take their memory
        for index, plane in enumerate(planes):
            if file.count_sent_of_dummies(index):  # fillers now say nothing of the picture
                replace_dummies(plane, file.frame.components[index])
        return encode_scrambled_file(file.with_coefficients(planes), header.to_bytes()), header

    def again(self, max_pixels: int | None) -> JpegPlan:
        """Return the same plan with the coefficients of the file, to protect it again."""
        return plan_jpeg(self.plain, name="the picture", max_pixels=max_pixels)

    def draft(self, key: Key, protection: Protection) -> Header:
        """Return the header without encrypted_metadata, before anything secret is known."""
        file = self.structure.file
        counts = [prod(component.blocks) for component in file.frame.components]
        return Header(
            scheme=SCRAMBLE_JPEG.name,
            unit=_UNIT,
            block_size=_SIDE,
            rounds=chosen_rounds(protection.rounds, min(filter(None, counts), default=1)),
            shape=get_samples_shape(file),
            dtype="uint8",
            key_id=key.id,
            salt=protection.salt,
        )


def plan_jpeg(
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
        data = _encode(file, name)
    structure = JpegStructure.of_file(data, file)
    if structure is None:
        raise _fail_inexact(name)
    if len(structure.to_bytes()) > _MOST_BESIDE:
        raise _make_error(f"'{name}' holds more beside its picture than fits into a header")
    return JpegPlan(plain=data, structure=structure)


def changeable(data: bytes, *, name: str, max_pixels: int) -> JpegFile:
    """Return a file whose coefficients can be changed; errors are those of `plan_jpeg`."""
    file = read_coefficients(data, max_pixels=max_pixels, name=name)
    if len(file.frame.components) not in _MODES:
        raise _make_error(f"'{name}' is a JPEG of {len(file.frame.components)} components")
    if not file.complete:
        raise _make_error(f"'{name}' is a JPEG that lacks some of its scans")
    try:
        make_quantizer_segment(file)
    except UnsupportedError as error:
        raise _make_error(f"'{name}' is a JPEG in which {error}") from None
    return file


def _fail_inexact(name: str) -> UnsupportedError:
    return _make_error(f"'{name}' is a JPEG that its coefficients do not give exactly")


def _make_error(why: str) -> UnsupportedError:
    return UnsupportedError(why, hint="choose another format, such as PNG, for its pixels")


def _encode(file: JpegFile, name: str) -> bytes:
    try:
        return file.to_bytes()
    except InvalidParameterError:
        raise _fail_inexact(name) from None


def restore_jpeg(
    data: bytes,
    opened: OpenedHeader,
    max_pixels: int | None = None,
    threads: int | None = None,
    *,
    name: str,
) -> JpegPlan:
    """Return the plan of which a scrambled JPEG is the result.

    Raises `DecryptionError` if the picture was changed, and `FormatError` if the file is not a JPEG
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
    with Workers(threads, work=len(data)) as workers, uniform_decryption_error():
        structure = _find_structure(opened, file)
        steps = [int(table[0]) for table in file.quantizers]
        arrays, wrapped = _gather(file, steps)
        if wrapped:  # nothing that was written has a mean out of its range
            raise DecryptionError
        try:
            (plain,) = coefficient_scheme(steps).restore(
                [Part(pixels=array, overwrite=True) for array in arrays],
                opened.key,
                header,
                workers,
                plain_of=partial(_rebuild_file, file, structure, steps),
            )
        except (InvalidParameterError, LookupError, OverflowError):
            raise DecryptionError from None  # coefficients that the file cannot have had
    added = name_added_segments(file, structure.file)
    return JpegPlan(plain=plain.tobytes(), structure=structure, added=added)


def _rebuild_file(
    file: JpegFile,
    structure: JpegStructure,
    steps: Sequence[int],
    frames: list[AnyArray],
) -> list[AnyArray]:
    """Return the bytes of the file that has these blocks, which is what the tag authenticates."""
    coefficients = _scatter(file, frames)
    for component, block, wraps in structure.wraps:
        if dummy_positions(file.frame.components[component]).flat[block]:
            raise DecryptionError
        flat = coefficients[component].reshape(-1, coefficients[component].shape[-1])
        # As a Python integer: a mean that no file can have must not wrap around unseen.
        flat[block, 0] = int(flat[block, 0]) + wraps * DcRange.of_step(steps[component]).count
    return [byte_samples(structure.rebuild(coefficients))]


def get_samples_shape(file: JpegFile) -> tuple[int, ...]:
    """Return the shape of the samples of a file."""
    count = len(file.frame.components)
    sides = (file.frame.rows, file.frame.columns)
    return sides if count == 1 else (*sides, count)


def byte_samples(data: bytes) -> NDArray[np.uint8]:
    """Return the bytes of a file, which the tag authenticates in place of samples."""
    return np.frombuffer(data, dtype=np.uint8)


def description(structure: JpegStructure) -> bytes | None:
    """Return the description: the structure, and a picture of which only the shape is given."""
    blank = np.broadcast_to(np.zeros((), dtype=np.uint8), get_samples_shape(structure.file))
    mode = _MODES[len(structure.file.frame.components)]
    picture = Picture(pixels=blank, mode=mode, format="JPEG")
    return describe(PictureRecord(picture=picture, structure=structure.to_bytes()))


def _find_structure(opened: OpenedHeader, file: JpegFile) -> JpegStructure:
    """Return the structure in an authentic header, if the file at hand can have it."""
    header, sealed = opened.header, opened.record.structure
    if (header.unit, header.block_size, header.dtype) != (_UNIT, _SIDE, "uint8"):
        raise DecryptionError
    if sealed is None or header.shape != get_samples_shape(file):
        raise DecryptionError
    pixels = file.frame.rows * file.frame.columns
    structure = JpegStructure.from_bytes(sealed, max_pixels=pixels)
    held = structure.file
    sides = [[(each.blocks, each.shape) for each in f.frame.components] for f in (held, file)]
    same = held.complete and sides[0] == sides[1]
    same = same and get_samples_shape(held) == header.shape
    tables = zip(held.quantizers, file.quantizers, strict=False)
    if not same or not all(np.array_equal(one, other) for one, other in tables):
        raise DecryptionError
    described = header.encrypted_metadata or b""
    # One form here too: what is read must be what is written.
    if not described.startswith(description(structure) or b""):  # more, or of another picture
        raise DecryptionError
    return structure


def _gather(
    file: JpegFile, steps: Sequence[int]
) -> tuple[list[AnyArray], tuple[tuple[int, int, int], ...]]:
    """Return the parts with all means in their ranges, and the wraps that brought them there."""
    arrays, moved = [], []
    for index, component in enumerate(file.frame.components):
        plane = file.coefficients[index]
        # All blocks of a component stay where they are: whoever gathers them replaces them.
        rows, columns = component.blocks
        blocks = np.ascontiguousarray(plane[:rows, :columns]).reshape(1, -1, plane.shape[-1])
        blocks[0, :, 0], wraps = DcRange.of_step(steps[index]).split(blocks[0, :, 0])
        if (odd := wraps.nonzero()[0]).size:
            wrapped = odd // columns * component.shape[1] + odd % columns
            pairs = zip(wrapped.tolist(), wraps[odd].tolist(), strict=True)
            moved += [(index, block, turn) for block, turn in pairs]
        arrays.append(blocks)
    return arrays, tuple(moved)


def _scatter(file: JpegFile, frames: Sequence[AnyArray]) -> list[AnyArray]:
    """Put other blocks in the place of those of a file, but for fillers, and return them all."""
    parts = zip(file.frame.components, file.coefficients, frames, strict=True)
    for component, plane, frame in parts:
        rows, columns = component.blocks
        plane[:rows, :columns] = frame.reshape(rows, columns, -1)
    return list(file.coefficients)
