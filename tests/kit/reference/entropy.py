"""JPEG, section 7: a file is made of its structure and its coefficients.

References
----------
ITU-T T.81, annexes F and G, https://www.w3.org/Graphics/JPEG/itu-t81.pdf
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.kit.reference import RefusedError
from tests.kit.reference.fillers import Blocks, in_unit, with_differences
from tests.kit.reference.structure import (
    Codes,
    Scan,
    Skeleton,
    Special,
    Structure,
    read_skeleton,
)

ZEROS = 0xF0
MAX_RUN = 32767
MAX_CORRECTIONS = 937
MIN_DC, MAX_DC, MAX_AC = -16384, 16383, 32767


class NoCodeError(Exception):
    """A table lacks a code."""


@dataclass
class _Run:
    """Blocks of an open run of ends of block, and their bits of correction."""

    blocks: int
    bits: str
    counted: int


class _Coder:
    """Codes the blocks of a scan, one interval after the other."""

    def __init__(self, scan: Scan, special: Special, *, progressive: bool) -> None:
        self.scan, self.progressive = scan, progressive
        self.breaks, self.joined = frozenset(special.breaks), set[int]()
        self.number = 0
        longest = [
            symbol // 16
            for _, ac in scan.tables
            for symbol in scan.codes.get((1, ac), {})
            if symbol % 16 == 0 and symbol != ZEROS
        ]
        self.longest = 2 ** (max(longest) + 1) - 1 if longest else 1

    def interval(self, blocks: Sequence[tuple[int, list[int]]]) -> str:
        """The bits of a restart interval without padding."""
        self.out: list[str] = []
        self.before = dict.fromkeys(range(len(self.scan.components)), 0)
        self.run: _Run | None = None
        for index, block in blocks:
            self._take(index, block)
            self.number += 1
        self._end_run()
        return "".join(self.out)

    def _codes(self, kind: int, index: int) -> Codes:
        return self.scan.codes.get((kind, self.scan.tables[index][kind]), {})

    def _symbol(self, symbol: int, codes: Codes, value: int = 0) -> None:
        if symbol not in codes:
            raise NoCodeError
        self.out.append(codes[symbol] + _bits_of(value))

    def _take(self, index: int, block: list[int]) -> None:
        scan = self.scan
        if scan.first == 0 and scan.high:
            self.out.append(str(block[0] >> scan.low & 1))
        elif scan.first == 0:
            value = block[0] >> scan.low
            difference = value - self.before[index]
            self.before[index] = value
            self._symbol(abs(difference).bit_length(), self._codes(0, index), difference)
        if not self.progressive:
            if self._values(block, 1, index) < scan.last:
                self._symbol(0, self._codes(1, index))
        elif scan.first > 0 and not scan.high:
            if any(_shifted(v, scan.low) for v in block[scan.first : scan.last + 1]):
                self._end_run()
                if self._values(block, scan.first, index) < scan.last:
                    self.run = _Run(1, "", 0)
            else:
                self._join("")
        elif scan.first > 0:
            self._refine(block, self._codes(1, index))

    def _values(self, block: list[int], first: int, index: int) -> int:
        """Code what is not zero of a band; the position of the last of them."""
        codes, last = self._codes(1, index), first - 1
        for position in range(first, self.scan.last + 1):
            value = _shifted(block[position], self.scan.low)
            if value == 0:
                continue
            zeros = position - last - 1
            for _ in range(zeros // 16):
                self._symbol(ZEROS, codes)
            self._symbol(zeros % 16 * 16 + abs(value).bit_length(), codes, value)
            last = position
        return last

    def _refine(self, block: list[int], codes: Codes) -> None:
        """Code one bit more of a band (T.81, G.1.2.3)."""
        scan = self.scan
        values = {at: _shifted(block[at], scan.low) for at in range(scan.first, scan.last + 1)}
        new = [at for at, value in values.items() if abs(value) == 1]
        end = max(new, default=scan.first - 1)
        zeros, bits = 0, ""
        if new:
            self._end_run()
        for at in range(scan.first, end + 1):
            value = values[at]
            if value == 0:
                zeros += 1
                continue
            while zeros > 15:
                self._symbol(ZEROS, codes)
                self.out.append(bits)
                zeros, bits = zeros - 16, ""
            if abs(value) > 1:
                bits += str(abs(value) & 1)
            else:
                self._symbol(zeros * 16 + 1, codes, value)
                self.out.append(bits)
                zeros, bits = 0, ""
        behind = [values[at] for at in range(end + 1, scan.last + 1)]
        rest = "".join(str(abs(value) & 1) for value in behind if abs(value) > 1)
        if not new:
            self._join(rest)
        elif end < scan.last:
            self.run = _Run(1, rest, len(rest))

    def _join(self, bits: str) -> None:
        """Add a block to the run, or begin one with it."""
        run = self.run
        self.joined.add(self.number)
        if run is not None and run.blocks < MAX_RUN:
            stops = run.blocks >= self.longest or run.counted > MAX_CORRECTIONS
            if stops == (self.number in self.breaks):
                counted = 0 if stops else run.counted
                self.run = _Run(run.blocks + 1, run.bits + bits, counted + len(bits))
                return
        self._end_run()
        self.run = _Run(1, bits, len(bits))

    def _end_run(self) -> None:
        if self.run is None:
            return
        size = self.run.blocks.bit_length() - 1
        self._symbol(size * 16, self._codes(1, 0))
        rest = self.run.blocks - 2**size
        self.out += [f"{rest:0{size}b}" if size else "", self.run.bits]
        self.run = None


def _shifted(value: int, low: int) -> int:
    """The value without its lowest bits, of its magnitude."""
    return value >> low if value > 0 else -(-value >> low)


def _bits_of(value: int) -> str:
    """The bits that follow the symbol of a value (T.81, F.1.2.1)."""
    size = abs(value).bit_length()
    return f"{value if value > 0 else value + 2**size - 1:0{size}b}" if size else ""


def _order(
    parsed: Skeleton, scan: Scan, planes: Sequence[Blocks]
) -> Iterator[list[tuple[int, list[int]]]]:
    """The blocks of each unit of a scan, with the number of their component in it."""
    if len(scan.components) == 1:
        (number,) = scan.components
        component = parsed.components[number]
        for row in range(component.covering[0]):
            for column in range(component.covering[1]):
                yield [(0, planes[number][row * component.whole[1] + column])]
        return
    for row in range(parsed.units[0]):
        for column in range(parsed.units[1]):
            yield [
                (index, planes[number][position])
                for index, number in enumerate(scan.components)
                for position in in_unit(parsed.components[number], row, column)
            ]


def _data(parsed: Skeleton, scan: Scan, special: Special, planes: Sequence[Blocks]) -> bytes:
    """The coded data of a scan."""
    units = list(_order(parsed, scan, planes))
    step = scan.interval or len(units)
    coder = _Coder(scan, special, progressive=parsed.progressive)
    intervals = [units[at : at + step] for at in range(0, len(units), step)]
    if special.padding and len(special.padding) != len(intervals):
        raise RefusedError("padding of another number of intervals")
    strays, data = dict(special.strays), b""
    for index, interval in enumerate(intervals):
        bits = coder.interval([pair for unit in interval for pair in unit])
        missing = -len(bits) % 8
        padding = special.padding[index] if special.padding else 0xFF
        bits += f"{padding:08b}"[8 - missing :]
        whole = int(bits or "0", 2).to_bytes(len(bits) // 8, "big")
        data += bytes([0xFF, 0xD0 + (index - 1) % 8]) if index else b""
        data += whole.replace(b"\xff", b"\xff\0") + strays.get(index, b"")
    if not coder.breaks <= coder.joined:
        raise RefusedError("a break at a block that joins no run")
    return data


def _check(planes: Sequence[Blocks]) -> None:
    """Refuse coefficients that cannot be coded."""
    for block in (block for plane in planes for block in plane):
        if not MIN_DC <= block[0] <= MAX_DC or any(abs(value) > MAX_AC for value in block):
            raise RefusedError("a coefficient that cannot be coded")


def file_of(structure: Structure, planes: Sequence[Blocks]) -> bytes:
    """The file with this structure and these blocks of each component; fillers do not matter."""
    parsed = read_skeleton(structure.skeleton)
    planes = [
        with_differences(parsed, index, plane, changes)
        for index, (plane, changes) in enumerate(zip(planes, structure.fillers, strict=True))
    ]
    _check(planes)
    start, end, patch = structure.patch or (0, 0, b"")
    try:
        pieces = [parsed.pieces[0]]
        for scan, special, piece in zip(
            parsed.scans, structure.scans, parsed.pieces[1:], strict=True
        ):
            pieces += [_data(parsed, scan, special, planes), piece]
        result = b"".join(pieces)
    except NoCodeError:
        if structure.patch is None:
            raise RefusedError("a table lacks a code") from None
        result = b""
    if start + end > len(result):
        raise RefusedError("a patch of a longer file")
    if structure.patch is not None:
        result = result[:start] + patch + result[len(result) - end :]
    if len(result) != structure.size:
        raise RefusedError("a file of another size")
    return result
