"""JPEG, sections 2 to 5 and 8: the scheme `scramble-jpeg-v1` on the coefficients of a file.

The blocks of a component are lists of 64 coefficients in zigzag order, with its fillers, row by
row. Decoding a file to them is no part of this program; making a file of them is, in `entropy`.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tests.kit.reference import RefusedError, structure, tags
from tests.kit.reference.chacha20 import words
from tests.kit.reference.draws import draw, inverse, move_from
from tests.kit.reference.entropy import file_of
from tests.kit.reference.fillers import Blocks, differences, is_filler, unsent_bits, with_usual
from tests.kit.reference.header import JPEG, Header
from tests.kit.reference.header import read as read_header
from tests.kit.reference.header import write as write_header
from tests.kit.reference.hkdf import key_id, picture_key, subkey
from tests.kit.reference.permutation import permutation
from tests.kit.reference.structure import Skeleton, Structure
from tests.kit.reference.tags import closed, salted, tag_of
from tests.kit.reference.units import default_rounds

UNIT, BLOCK_SIZE, DTYPE = "block", 8, "uint8"
MODES = {1: "gray", 3: "rgb", 4: "cmyk"}
PADDED_TO = 256
Planes = list[Blocks]


@dataclass(frozen=True, kw_only=True)
class Part:
    """Numbers of the blocks of a component, and of its fillers."""

    blocks: list[int]
    fillers: list[int]


def shape_of(parsed: Skeleton) -> tuple[int, ...]:
    """Rows, columns and, if there are several, components."""
    count = len(parsed.components)
    return (parsed.rows, parsed.columns, count) if count > 1 else (parsed.rows, parsed.columns)


def means(step: int) -> tuple[int, int]:
    """The least mean A of a component, and how many R there are."""
    least = -((1024 + step // 2) // step)
    return least, (1016 + step // 2) // step - least + 1


def parts_of(parsed: Skeleton) -> list[Part]:
    """The parts of a file, one for each component."""
    parts = []
    for component in parsed.components:
        rows, columns = component.whole
        blocks = range(rows * columns)
        fillers = [position for position in blocks if is_filler(component, position)]
        parts.append(Part(blocks=sorted({*blocks} - {*fillers}), fillers=fillers))
    return parts


def rounds_of(parts: Sequence[Part]) -> int:
    """Default rounds: those of the smallest part."""
    return default_rounds([len(part.blocks) for part in parts])


@dataclass(frozen=True, kw_only=True)
class Work:
    """Picture key, tag and rounds."""

    key: bytes
    tag: bytes
    rounds: int

    def words(self, use: str, number: int) -> Iterator[int]:
        """Words of a stream of the part with this number."""
        return words(subkey(self.key, use_in_part(f"picture/{use}", number), context=self.tag))

    def masked(self, blocks: Blocks, number: int, *, step: int, sign: int) -> Blocks:
        """The blocks of a part masked, or with sign -1 unmasked (steps 2 and 3)."""
        least, count = means(step)
        dc, ac = self.words("dc", number), _halves(self.words("ac", number))
        result = []
        for block in blocks:
            mean = (block[0] - least + sign * draw(count, dc)) % count + least
            next(ac)
            result.append([mean, *(masked_value(value, next(ac)) for value in block[1:])])
        return result

    def sources(self, count: int, number: int) -> list[int]:
        """The permutation of a part (step 1)."""
        return permutation(count, self.rounds, self.words("permutation", number))


def use_in_part(use: str, number: int) -> str:
    """Name of the use of a stream in the part with this number."""
    return use if number == 0 else f"{use}/frame/{number}"


def _halves(numbers: Iterator[int]) -> Iterator[int]:
    """Numbers of 16 bits, the lower half of a word first."""
    for number in numbers:
        yield number % 65536
        yield number // 65536


def masked_value(value: int, number: int) -> int:
    """Another coefficient of as many bits; the same again undoes it."""
    ones: int = 2 ** abs(value).bit_length() - 1
    bits = (value if value > 0 else value + ones) ^ (number & ones)
    return bits if 2 * bits > ones else bits - ones


def turned(
    planes: Planes, parsed: Skeleton, parts: Sequence[Part]
) -> tuple[Planes, tuple[tuple[int, int, int], ...]]:
    """The blocks with all means that change in their ranges, and the turns."""
    planes, turns = [list(map(list, plane)) for plane in planes], []
    for index, part in enumerate(parts):
        least, count = means(parsed.quantisers[index][0])
        for position in part.blocks:
            block = planes[index][position]
            times = (block[0] - least) // count
            block[0] -= times * count
            if times:
                turns.append((index, position, times))
    return planes, tuple(turns)


def through(
    planes: Planes, parsed: Skeleton, parts: Sequence[Part], work: Work, *, sign: int
) -> Planes:
    """The blocks with all parts scrambled, or with sign -1 restored; fillers stay."""
    planes = [list(map(list, plane)) for plane in planes]
    for index, part in enumerate(parts):
        step = parsed.quantisers[index][0]
        blocks = [planes[index][position] for position in part.blocks]
        sources = work.sources(len(blocks), index)
        if sign > 0:
            blocks = work.masked(move_from(blocks, sources), index, step=step, sign=1)
        else:
            blocks = work.masked(blocks, index, step=step, sign=-1)
            blocks = move_from(blocks, inverse(sources))
        for position, block in zip(part.blocks, blocks, strict=True):
            planes[index][position] = block
    return planes


def with_usual_fillers(planes: Planes, parsed: Skeleton, parts: Sequence[Part]) -> Planes:
    """The blocks with usual fillers in the units that change, if a scan sends them."""
    planes = list(planes)
    for index, part in enumerate(parts):
        usual = with_usual(parsed, index, planes[index])
        unsent = unsent_bits(parsed, index)
        planes[index] = [*planes[index]]
        for position in part.fillers:
            mean = usual[position][0]
            planes[index][position] = [mean >> unsent << unsent, *usual[position][1:]]
    return planes


def extras_of(about: Structure) -> bytes:
    """The extras of a file with this structure."""
    parsed = structure.read_skeleton(about.skeleton)
    shape = shape_of(parsed)
    frame = {"shape": list(shape), "dtype": DTYPE, "mode": MODES[len(parsed.components)]}
    written = structure.write(about)
    fields = {"format": "JPEG", "structure": len(written), "frames": [frame]}
    line = json.dumps(fields, separators=(",", ":")).encode("ascii")
    bare = b"\n".join([line, written])
    return bare + bytes(-len(bare) % PADDED_TO)


def structure_in(extras: bytes) -> Structure:
    """The structure in plain extras, refused unless they are in the form that is written."""
    line, _, blobs = extras.partition(b"\n")
    try:
        size = json.loads(line)["structure"]
        about = structure.read(blobs[:size])
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise RefusedError("a description that is none of a JPEG") from error
    padding = len(extras) - len(extras_of(about))
    if padding % PADDED_TO or extras != extras_of(about) + bytes(padding):
        raise RefusedError("a description that says more, or of another picture")
    return about


def protect_jpeg(
    file: bytes, planes: Planes, about: Structure, draft: Header, *, key: bytes
) -> tuple[Planes, bytes]:
    """Scramble a file with these blocks and this structure: the blocks, the header.

    Turns and fillers of the structure do not matter; they follow from the blocks.

    The draft has its rounds, no extras, and no salt for a deterministic one.
    """
    parsed = structure.read_skeleton(about.skeleton)
    fillers = tuple(differences(parsed, index, plane) for index, plane in enumerate(planes))
    about = replace(about, fillers=fillers)
    if file_of(about, planes) != file:
        raise RefusedError("a file that its structure and blocks do not give")
    parts = parts_of(parsed)
    planes, turns = turned(planes, parsed, parts)
    draft = replace(draft, extras=extras_of(replace(about, turns=turns)))
    draft = salted(draft, [file], key)
    of_picture = picture_key(key, bytes.fromhex(draft.salt or ""))
    tag = tag_of(draft, [file], of_picture)
    work = Work(key=of_picture, tag=tag, rounds=draft.rounds)
    result = with_usual_fillers(through(planes, parsed, parts, work, sign=1), parsed, parts)
    return result, write_header(closed(draft, of_picture, tag))


def restore_jpeg(
    at_hand: bytes,
    planes: Planes,
    header_bytes: bytes,
    *,
    master: bytes | None = None,
    of_picture: bytes | None = None,
) -> tuple[bytes, Structure]:
    """The file that was scrambled, and its structure, from the skeleton and blocks at hand.

    One of master key and picture key is given.
    """
    header = read_header(header_bytes)
    if header.scheme != JPEG:
        raise RefusedError("another scheme")
    if master is not None and header.key_id != key_id(master):
        raise RefusedError("another key")
    key = of_picture or picture_key(master or b"", bytes.fromhex(header.salt or ""))
    header = tags.opened(header, key)
    here = structure.read_skeleton(at_hand)
    about = _structure_in(header, here)
    parsed = structure.read_skeleton(about.skeleton)
    parts = parts_of(parsed)
    if turned(planes, here, parts)[1]:
        raise RefusedError("a mean out of its range")
    work = Work(key=key, tag=bytes.fromhex(header.tag or ""), rounds=header.rounds)
    planes = through(planes, parsed, parts, work, sign=-1)
    for component, position, times in about.turns:
        if component >= len(planes) or position not in parts[component].blocks:
            raise RefusedError("a turn of a block that does not change")
        planes[component][position][0] += times * means(parsed.quantisers[component][0])[1]
    file = file_of(about, planes)
    tags.check_tag(header, [file], key)
    return file, about


def _structure_in(header: Header, here: Skeleton) -> Structure:
    """The structure in plain extras, refused if it is not of the file at hand (step 3)."""
    if (header.unit, header.block_size, header.dtype) != (UNIT, BLOCK_SIZE, DTYPE):
        raise RefusedError("another unit or type")
    if header.extras is None or header.shape != shape_of(here):
        raise RefusedError("another shape, or no extras")
    about = structure_in(header.extras)
    parsed = structure.read_skeleton(about.skeleton)
    same = shape_of(parsed) == header.shape and parsed.components == here.components
    if not same or parsed.quantisers != here.quantisers:
        raise RefusedError("another size, other components or quantisation tables")
    return about
