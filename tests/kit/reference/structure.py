"""JPEG, sections 2 and 6: the structure of a file, and what its skeleton says."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.kit.reference import RefusedError, require

GROUP_BITS = 7
MORE = 128
MAX_NUMBER_BYTES = 9
START = b"\xff\xd8"
END, SCAN, TABLES, QUANTISERS, RESTARTS, HEIGHT = 0xD9, 0xDA, 0xC4, 0xDB, 0xDD, 0xDC
FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
READABLE_FRAMES = (0xC0, 0xC1, 0xC2)
NO_MARKERS = (0x00, 0xFF, *range(0xD0, 0xD8))
Sides = tuple[int, int]
Table = tuple[int, int]
Codes = dict[int, str]
Difference = tuple[int, int]
"""64 times the number of a block, and the offset of a coefficient in it; by how much it differs."""


@dataclass(frozen=True, kw_only=True)
class Component:
    """Identifier, vertical and horizontal sampling, number of the quantisation table.

    `covering` are rows and columns of the blocks that cover it, `whole` those with fillers.
    """

    identifier: int
    sampling: Sides
    table: int
    covering: Sides
    whole: Sides


@dataclass(frozen=True, kw_only=True)
class Scan:
    """Components by their number, tables for DC and AC of each, band, bits before and after.

    `interval` and `codes` are the restart interval and the Huffman codes in force.
    """

    components: tuple[int, ...]
    tables: tuple[Table, ...]
    first: int
    last: int
    high: int
    low: int
    interval: int
    codes: dict[Table, Codes]


@dataclass(kw_only=True)
class Skeleton:
    """What a skeleton says, and its pieces, one more than scans, between which their data stand."""

    progressive: bool = False
    rows: int = 0
    columns: int = 0
    components: tuple[Component, ...] = ()
    scans: list[Scan] = field(default_factory=list)
    quantisers: dict[int, tuple[int, ...]] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)

    @property
    def unit(self) -> Sides:
        """Rows and columns of pixels of a unit."""
        if len(self.components) == 1:
            return 8, 8
        samplings = [component.sampling for component in self.components]
        return 8 * max(v for v, _ in samplings), 8 * max(h for _, h in samplings)

    @property
    def units(self) -> Sides:
        """Rows and columns of units."""
        return -(-self.rows // self.unit[0]), -(-self.columns // self.unit[1])


@dataclass(frozen=True, kw_only=True)
class Special:
    """Padding, breaks and strays of a scan."""

    padding: bytes = b""
    breaks: tuple[int, ...] = ()
    strays: tuple[tuple[int, bytes], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Structure:
    """The parts of section 6, turns and differences as numbers with a sign.

    `fillers` are the differences of each component.
    """

    size: int
    skeleton: bytes
    scans: tuple[Special, ...]
    turns: tuple[tuple[int, int, int], ...] = ()
    fillers: tuple[tuple[Difference, ...], ...] = ()
    patch: tuple[int, int, bytes] | None = None


def written_number(number: int) -> bytes:
    """The number in groups of 7 bits, lowest first, 128 added to all but the last."""
    groups = []
    while number >= MORE:
        groups.append(MORE + number % MORE)
        number //= MORE
    return bytes([*groups, number])


def _string(data: bytes) -> bytes:
    return written_number(len(data)) + data


def _places(positions: tuple[int, ...]) -> bytes:
    steps = [offset - before for before, offset in zip((0, *positions), positions, strict=False)]
    return b"".join(map(written_number, [len(positions), *steps]))


def _folded(number: int) -> int:
    """An integer as a number."""
    return 2 * number - 1 if number > 0 else -2 * number


def _unfolded(number: int) -> int:
    return (number + 1) // 2 if number % 2 else -number // 2


def write(structure: Structure) -> bytes:
    """The structure as bytes."""
    data = written_number(structure.size) + _places(())  # readable copies, which left
    data += _string(structure.skeleton) + written_number(len(structure.scans))
    for scan in structure.scans:
        data += _string(scan.padding) + _places(scan.breaks)
        data += _places(tuple(offset for offset, _ in scan.strays))
        data += b"".join(_string(stray) for _, stray in scan.strays)
    data += written_number(len(structure.turns))
    for component, block, turns in structure.turns:
        data += b"".join(map(written_number, (component, block, _folded(turns))))
    data += written_number(len(structure.fillers))
    for differences in structure.fillers:
        data += _places(tuple(offset for offset, _ in differences))
        data += b"".join(written_number(_folded(number)) for _, number in differences)
    data += written_number(0 if structure.patch is None else 1)
    if structure.patch is not None:
        start, end, patch = structure.patch
        data += written_number(start) + written_number(end) + _string(patch)
    return data


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.offset = data, 0

    def number(self) -> int:
        number = 0
        for count in range(MAX_NUMBER_BYTES):
            byte = self.data[self.offset]
            self.offset += 1
            number += byte % MORE << GROUP_BITS * count
            if byte < MORE:
                require(byte > 0 or count == 0, "a number in more bytes than it needs")
                return number
        raise RefusedError("structure: a number of too many bytes")

    def string(self) -> bytes:
        length = self.number()
        require(length <= len(self.data) - self.offset, "a string that is cut off")
        self.offset += length
        return self.data[self.offset - length : self.offset]

    def positions(self) -> tuple[int, ...]:
        positions: list[int] = []
        for _ in range(self.number()):
            step = self.number()
            require(not positions or step > 0, "places that do not rise")
            positions.append(step + (positions[-1] if positions else 0))
        return tuple(positions)

    def differences(self) -> tuple[Difference, ...]:
        positions = self.positions()
        result = tuple((offset, _unfolded(self.number())) for offset in positions)
        require(all(number for _, number in result), "a difference of 0")
        return result

    def special(self) -> Special:
        padding, breaks = self.string(), self.positions()
        strays = tuple((offset, self.string()) for offset in self.positions())
        require(all(stray for _, stray in strays), "a stray of no bytes")
        return Special(padding=padding, breaks=breaks, strays=strays)


def read(data: bytes) -> Structure:
    """The structure in these bytes."""
    reader = _Reader(data)
    try:
        size = reader.number()
        require(reader.number() == 0, "an earlier version: readable copies of metadata")
        skeleton = reader.string()
        scans = tuple(reader.special() for _ in range(reader.number()))
        turns = [
            (reader.number(), reader.number(), reader.number()) for _ in range(reader.number())
        ]
        fillers = tuple(reader.differences() for _ in range(reader.number()))
        patches = [
            (reader.number(), reader.number(), reader.string()) for _ in range(reader.number())
        ]
    except IndexError as error:
        raise RefusedError("structure: cut off") from error
    require(reader.offset == len(data), "bytes behind its end")
    positions = [turn[:2] for turn in turns]
    require(positions == sorted(set(positions)), "turns out of order")
    require(all(turn[2] > 0 for turn in turns), "a turn of 0")
    require(len(patches) <= 1, "two patches")
    parsed = read_skeleton(skeleton)
    require(len(parsed.scans) == len(scans), "another number of scans")
    require(len(parsed.components) == len(fillers), "fillers of another number of components")
    return Structure(
        size=size,
        skeleton=skeleton,
        scans=scans,
        turns=tuple((component, block, _unfolded(n)) for component, block, n in turns),
        fillers=fillers,
        patch=patches[0] if patches else None,
    )


def skeleton_of(file: bytes) -> bytes:
    """The skeleton of a file."""
    skeleton = bytearray(START)
    for marker, segment, data in segments(file):
        skeleton += segment
        if marker != SCAN:
            require(not data, "something between two segments")
    return bytes(skeleton)


def segments(file: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Marker, bytes and data behind each segment; the last one ends the file."""
    require(file[:2] == START, "no JPEG")
    offset = 2
    while True:
        start = offset
        require(file[offset] == 0xFF, "something between two segments")
        while file[offset] == 0xFF:
            offset += 1
        marker = file[offset]
        require(marker > 1 and not 0xD0 <= marker <= 0xD8, "a marker that starts no segment")
        if marker == END:
            yield marker, file[start:], b""
            return
        length = int.from_bytes(file[offset + 1 : offset + 3], "big")
        require(length >= 2 and offset + 1 + length <= len(file), "a segment of another length")
        offset += 1 + length
        end = offset
        while marker == SCAN and (file[offset] != 0xFF or file[offset + 1] in NO_MARKERS):
            offset += 1
        yield marker, file[start:end], file[end:offset]


def bodies(file: bytes) -> Iterator[tuple[int, bytes]]:
    """Marker and body of each segment before the end."""
    for marker, segment, _ in segments(file):
        if marker != END:
            yield marker, segment.lstrip(b"\xff")[3:]


def read_skeleton(data: bytes) -> Skeleton:
    """What a skeleton says; refused if it is none, or of another file than section 2 allows."""
    try:
        return _read_skeleton(data)
    except (IndexError, KeyError, ValueError, struct.error) as error:
        raise RefusedError(f"skeleton: {error}") from error


def _read_skeleton(data: bytes) -> Skeleton:
    parsed, piece = Skeleton(), START
    codes: dict[Table, Codes] = {}
    tables: dict[int, tuple[int, ...]] = {}
    interval = 0
    missing: list[list[int]] = []
    for marker, segment, coded in segments(data):
        require(not coded, "coded data in a skeleton")
        piece += segment
        body = segment.lstrip(b"\xff")[3:]
        require(marker != HEIGHT, "a height behind the frame")
        if marker == TABLES:
            codes |= dict(_codes(body))
        elif marker == QUANTISERS:
            tables |= dict(_quantisers(body))
        elif marker == RESTARTS:
            (interval,) = struct.unpack(">H", body)
        elif marker in FRAMES:
            require(marker in READABLE_FRAMES and not parsed.components, "another frame")
            _read_frame(parsed, marker, body)
            missing = [[-1] * 64 for _ in parsed.components]
        elif marker == SCAN:
            scan = _read_scan(parsed, body, interval, dict(codes))
            require(set(_tables_of(scan)) <= set(codes), "a table that is not there")
            _follow(scan, missing)
            parsed.scans.append(scan)
            for number in scan.components:
                parsed.quantisers.setdefault(number, tables[parsed.components[number].table])
            parsed.pieces.append(piece)
            piece = b""
    parsed.pieces.append(piece)
    require(bool(missing) and not any(map(any, missing)), "bits that no scan sends")
    return parsed


def _tables_of(scan: Scan) -> Iterator[Table]:
    """Kind and number of the Huffman tables that a scan uses."""
    for dc, ac in scan.tables:
        if scan.first == 0 and not scan.high:
            yield 0, dc
        if scan.last > 0:
            yield 1, ac


def _follow(scan: Scan, missing: list[list[int]]) -> None:
    """Note which bits of the coefficients a scan sends."""
    for number in scan.components:
        for offset in range(scan.first, scan.last + 1):
            require(missing[number][offset] == (scan.high or -1), "a scan out of turn")
            missing[number][offset] = scan.low


def _read_frame(parsed: Skeleton, marker: int, body: bytes) -> None:
    bits, rows, columns, count = struct.unpack(">BHHB", body[:6])
    entries = [body[at : at + 3] for at in range(6, len(body), 3)]
    require(len(entries) == count and count in (1, 3, 4), "another number of components")
    require(bits == 8 and rows > 0 and columns > 0, "another frame")
    parsed.progressive, parsed.rows, parsed.columns = marker == 0xC2, rows, columns
    tall, wide = max(e[1] % 16 for e in entries), max(e[1] // 16 for e in entries)
    units = _ceiling(rows, 8 * tall), _ceiling(columns, 8 * wide)
    components = []
    for identifier, factors, table in entries:
        v, h = factors % 16, factors // 16
        require(1 <= v <= 4 and 1 <= h <= 4, "another sampling")
        samples = _ceiling(rows * v, tall), _ceiling(columns * h, wide)
        covering = _ceiling(samples[0], 8), _ceiling(samples[1], 8)
        whole = covering if count == 1 else (units[0] * v, units[1] * h)
        component = Component(
            identifier=identifier, sampling=(v, h), table=table, covering=covering, whole=whole
        )
        components.append(component)
    parsed.components = tuple(components)


def _ceiling(value: int, divisor: int) -> int:
    return -(-value // divisor)


def _read_scan(parsed: Skeleton, body: bytes, interval: int, codes: dict[Table, Codes]) -> Scan:
    count = body[0]
    require(len(body) == 4 + 2 * count, "a scan of another length")
    identifiers = [component.identifier for component in parsed.components]
    first, last, bits = body[-3:]
    if not parsed.progressive:
        first, last, bits = 0, 63, 0
    return Scan(
        components=tuple(identifiers.index(body[1 + 2 * n]) for n in range(count)),
        tables=tuple((body[2 + 2 * n] // 16, body[2 + 2 * n] % 16) for n in range(count)),
        first=first,
        last=last,
        high=bits // 16,
        low=bits % 16,
        interval=interval,
        codes=codes,
    )


def _quantisers(body: bytes) -> Iterator[tuple[int, tuple[int, ...]]]:
    offset = 0
    while offset < len(body):
        wide, number = body[offset] // 16, body[offset] % 16
        yield number, struct.unpack_from(">64H" if wide else ">64B", body, offset + 1)
        offset += 129 if wide else 65


def _codes(body: bytes) -> Iterator[tuple[Table, Codes]]:
    """The codes of tables as texts of the digits 0 and 1 (T.81, annex C)."""
    offset = 0
    while offset < len(body):
        kind, counts = body[offset], body[offset + 1 : offset + 17]
        symbols = iter(body[offset + 17 : offset + 17 + sum(counts)])
        codes, code = {}, 0
        for length, count in enumerate(counts, 1):
            for _ in range(count):
                codes[next(symbols)] = f"{code:0{length}b}"
                code += 1
            code *= 2
        yield (kind // 16, kind % 16), codes
        offset += 17 + sum(counts)
