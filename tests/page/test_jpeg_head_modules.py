"""The engine's module for the segments of a JPEG reads the frames and scans of the package."""

import struct
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import pytest

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.jpeg.reading import read_skeleton
from tests.page.node import Refusal, call, run_calls, run_node, to_text

pytestmark = pytest.mark.programs("node")
_READ_SCRIPT = """
    import { readJpeg } from "./engine/jpeg_file.js";
    import { Refused, unbase64 } from "./engine/bytes.js";
    return argument.map((text) => {
        try {
            const { rows, columns, progressive, components, scans } = readJpeg(unbase64(text));
            const planes = components.map(({ identifier, table, steps, ...sides }) => {
                const { sampling, covering, whole } = sides;
                return [identifier, table, sampling, covering, whole, [...steps]];
            });
            const parts = scans.map(({ numbers, coders, kind, first, last, low }) => {
                return [numbers, coders.map(({ ids }) => ids), kind, first, last, low];
            });
            return [rows, columns, progressive, planes, parts];
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return null;
        }
    });
"""


def _read_by_package(data: bytes) -> Any:
    """Return the fields of a file whose scans send all bits, or None."""
    try:
        file = read_skeleton(data, lambda _: (b"", (), ()), max_pixels=2**24)
    except SudokucryptError:
        return None
    if not file.complete:
        return None
    frame, tables = file.frame, dict[int, list[int]]()
    planes = []
    for part, steps in zip(frame.components, file.quantizers, strict=True):
        if tables.setdefault(part.quantizer, steps.tolist()) != steps.tolist():
            return None  # the page writes one table of a number
        sides = ([*part.sampling], [*part.blocks], [*part.shape])
        planes.append([part.identifier, part.quantizer, *sides, steps.tolist()])
    scans = [
        [[*scan.components], [[*pair] for pair in zip(scan.dc_tables, scan.ac_tables, strict=True)],
         scan.kind, scan.first, scan.last, scan.low_bit]
        for scan in file.scans
    ]  # fmt: skip
    return [frame.rows, frame.columns, frame.progressive, planes, scans]


def _compare(files: Sequence[bytes]) -> list[bool]:
    """Return which files both read; fail where they disagree."""
    results: Any = run_node(_READ_SCRIPT, [*map(to_text, files)])
    for data, result in zip(files, results, strict=True):
        assert result == _read_by_package(data), data.hex()
    return [result is not None for result in results]


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 255, marker, len(body) + 2) + body


_DAMAGED = Refusal("the JPEG is damaged, or of a kind that the page does not read")
_CODES = bytes([0] * 7 + [1] + [0] * 8) + b"\0"  # one code of eight bits


def _steps(number: int, step: int = 1) -> bytes:
    return _segment(0xDB, bytes([number]) + bytes([step]) * 64)


def _frame(*parts: tuple[int, int, int], marker: int = 0xC0, sides: tuple[int, int] = (9, 17),
           precision: int = 8, more: bytes = b"") -> bytes:  # fmt: skip
    """Return the segment of components by identifier, sampling and table."""
    head = struct.pack(">BHHB", precision, *sides, len(parts))
    return _segment(marker, head + b"".join(map(bytes, parts)) + more)


def _scan(*parts: tuple[int, int], band: tuple[int, int, int] = (0, 63, 0)) -> bytes:
    """Return the segment of a scan of components by identifier and tables of codes."""
    return _segment(0xDA, bytes([len(parts)]) + b"".join(map(bytes, parts)) + bytes(band))


def _join(*segments: bytes, steps: bytes = _steps(0), codes: Iterable[int] = (0, 16)) -> bytes:
    tables = b"".join(_segment(0xC4, bytes([number]) + _CODES) for number in codes)
    return b"\xff\xd8" + steps + tables + b"".join(segments) + b"\xff\xd9"


def test_starts_of_jpegs() -> None:
    """A JPEG begins with two bytes of its own, and a third one of the next marker."""
    starts = (b"", b"\xff", b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd9\xff", b"\xfe\xd8\xff",
              b"GI\xff", b"\xff\xd8\xfe", b"\xff\xd8\0", b"\xff\xd8\xff\xe0")  # fmt: skip
    results = run_calls(call("jpeg_file.isJpeg", start) for start in starts)
    assert results == [start[:3] == b"\xff\xd8\xff" for start in starts]


def test_segments_before_the_first_scan() -> None:
    """Segments are read up to the first scan or the end, whatever follows, or up to the end."""
    text, scan = _segment(0xFE, b"a"), _scan((1, 0))
    rows: list[tuple[bytes, object, object]] = [
        (text + scan, 1, _DAMAGED),
        (text + scan + b"a\xff\0\xff\xd0" + text * 2 + b"\xff\xd9", 1, 5),
        (scan + b"\xff\xff\xff\xd9", 0, 2),
        (text * 2 + b"\xff\xd9" + text, 2, 3),
        (text * 2 + b"\xff\xd9\xff", 2, 3),
        (text * 2, _DAMAGED, _DAMAGED),
        (text[:-1], _DAMAGED, _DAMAGED),
        (text + b"\xff\xfe\0\1\xff\xd9", _DAMAGED, _DAMAGED),
        (text + b"\xff\xfe\0\2\xff\xd9", 2, 3),
        (b"", _DAMAGED, _DAMAGED),
    ]
    calls = [call(".length", call("jpeg_file.readSegments", b"\xff\xd8" + data, whole))
             for data, *_ in rows for whole in (False, True)]  # fmt: skip
    assert run_calls(calls) == [wanted for _, *both in rows for wanted in both]


def test_markers() -> None:
    """Segments begin with any marker that has a length, and with bytes that fill before it."""
    frame, scan = _frame((1, 0x11, 0)), _scan((1, 0))
    files = [_join(b"\xff%c\0\4\0\0" % marker, frame, scan) for marker in range(256)]
    known = {*range(2, 0xC0), 0xC8, 0xCC, *range(0xDD, 0xFF)}
    assert {marker for marker, is_read in enumerate(_compare(files)) if is_read} == known
    ends = [b"", b"\xff", b"\xff\xff", b"\xfe", b"\0"]
    files = [_join(frame, fill + scan) for fill in ends]
    assert _compare(files) == [True, True, True, False, False]


def test_frames() -> None:
    """Frames have one, three or four components, each with its own name, sampling and table."""
    gray, scan, steps = (1, 0x11, 0), _scan((1, 0)), _steps(0)
    three = [(number, 0x11, 0) for number in (1, 2, 3)]
    both = _scan((1, 0), (2, 0), (3, 0))
    rows = [
        (_join(_frame(gray), scan), True),
        (_join(_frame(gray, sides=(1, 1)), scan), True),
        (_join(_frame(gray, sides=(0, 1)), scan), False),
        (_join(_frame(gray, sides=(1, 0)), scan), False),
        (_join(_frame(gray, precision=9), scan), False),
        (_join(_frame(gray, more=b"\0"), scan), False),
        (_join(_frame(gray)[:-1], scan), False),
        (_join(_frame(), scan), False),
        (_join(scan), False),
        (_join(scan, _frame(gray)), False),
        (_join(_frame(gray)), False),
        (_join(_frame(gray), _frame(gray), scan), False),
        (_join(_frame(gray), scan, _segment(0xDC, b"\0\x09")), False),
        (_join(_frame(*three), both), True),
        (_join(_frame(*three[:2], (2, 0x11, 0)), both), False),
        (_join(_frame(*three, (4, 0x11, 0)), _scan((1, 0), (2, 0), (3, 0), (4, 0))), True),
        (_join(_frame(*[(n, 0x11, 0) for n in range(5)]), _scan(*[(n, 0) for n in range(4)]),
               _scan((4, 0))), False),
        (_join(_frame((1, 0x11, 3)), scan, steps=_steps(3)), True),
        (_join(_frame((1, 0x11, 4)), scan, steps=_steps(3)), False),
        (_join(_frame((1, 0x11, 1)), scan), False),
        (_join(_frame(gray), steps, scan, steps=b""), True),
        (_join(_frame(gray), scan, steps, steps=b""), False),
    ]  # fmt: skip
    rows += [(_join(_frame(gray, marker=marker), scan), marker < 0xC2)
             for marker in range(0xC0, 0xD0) if marker not in (0xC4, 0xC8, 0xCC)]  # fmt: skip
    for down, across in product(range(6), repeat=2):
        sampling, valid = 16 * across + down, 0 < down < 5 and 0 < across < 5
        rows.append((_join(_frame((1, sampling, 0)), scan), valid))
        others = _frame((1, sampling, 0), *three[1:])
        rows.append((_join(others, scan, _scan((2, 0)), _scan((3, 0))), valid))
        rows.append((_join(others, both), valid and down * across <= 8))
    for sides in product((8, 9, 16, 17), (8, 9, 16, 17)):
        samplings = [(1, 0x21, 0), (2, 0x12, 0), (3, 0x11, 0)]
        rows.append((_join(_frame(*samplings, sides=sides), both), True))
    assert _compare([file for file, _ in rows]) == [wanted for _, wanted in rows]


def test_tables_of_components() -> None:
    """Components with one table of steps have the same steps, those before their first scan."""
    parts = [(1, 0x11, 0), (2, 0x11, 1), (3, 0x11, 1)]
    frame, scans = _frame(*parts), [_scan((number, 0)) for number in (1, 2, 3)]
    two = _steps(0) + _steps(1, 2)
    rows = [
        (_join(frame, *scans, steps=two), True),
        (_join(frame, *scans, steps=_steps(0)), False),
        (_join(frame, *scans[:2], _steps(1, 3), scans[2], steps=two), False),
        (_join(frame, *scans[:2], _steps(1, 2), scans[2], steps=two), True),
        (_join(frame, scans[0], _steps(1, 3), *scans[1:], steps=two), True),
        (_join(frame, *scans, _steps(1, 3), steps=two), True),
        (_join(_frame(*parts[:2], (3, 0x11, 0)), *scans[:2], _steps(0, 3), scans[2], steps=two),
         False),
    ]  # fmt: skip
    assert _compare([file for file, _ in rows]) == [wanted for _, wanted in rows]


def test_scans() -> None:
    """Scans have known components and tables; sequential ones send all coefficients at once."""
    frame = _frame(*[(number, 0x11, 0) for number in (1, 2, 3)])
    first, second, third = (1, 0), (2, 0), (3, 0)
    gray = _frame((1, 0x11, 0))
    rows = [
        (_join(frame, _scan(first, second), _scan(third)), True),
        (_join(frame, _scan(third), _scan(second, first)), True),
        (_join(frame, _scan(first, second)), False),
        (_join(frame, _scan(first, second), _scan(second, third)), False),
        (_join(frame, _scan(first, first), _scan(second), _scan(third)), False),
        (_join(frame, _scan(first, second, third, third)), False),
        (_join(frame, _scan(), _scan(first, second, third)), False),
        (_join(frame, _scan(first, second, (4, 0))), False),
        (_join(frame, _scan((1, 1), second, third)), False),
        (_join(frame, _scan(first, second, (3, 16))), False),
        (_join(gray, _scan(first, band=(5, 3, 0x77))), True),
        (_join(gray, _scan(first)[:-1]), False),
        (_join(gray, _segment(0xDA, b"\1\1\0\0\x3f\0\0")), False),
        (_join(gray, _scan(first), _segment(0xDD, b"\0\1")), True),
        (_join(gray, _scan(first), _segment(0xDD, b"\0\1\0")), False),
        (_join(gray, _scan(first), _segment(0xDD, b"\0")), False),
    ]
    codes = {0, 1, 3, 16, 17, 19}
    for dc, ac in product(range(6), repeat=2):
        scan = _scan((1, 16 * dc + ac))
        rows.append((_join(gray, scan, codes=codes), dc in codes and 16 + ac in codes))
    assert _compare([file for file, _ in rows]) == [wanted for _, wanted in rows]


def _list_scripts() -> list[tuple[list[tuple[int, int, int]], bool]]:
    """Return bands of scans of one component, and whether they send all bits once."""
    rest = [(1, 63, 0)]
    scripts = [
        ([(0, 0, 0), *rest], True),
        ([(0, 63, 0)], False),
        ([(0, 1, 0), (2, 63, 0)], False),
        ([(0, 0, 0), (1, 64, 0)], False),
        ([(0, 0, 0), (1, 5, 0), (6, 63, 0)], True),
        ([(0, 0, 0), (1, 5, 0), (7, 63, 0)], False),
        ([(0, 0, 0), (1, 6, 0), (6, 63, 0)], False),
        ([(0, 0, 0), (6, 5, 0), *rest], False),
        ([(0, 0, 0), (63, 63, 0), (1, 62, 0)], True),
        ([*rest, (0, 0, 0)], True),
        ([(0, 0, 0), *rest, *rest], False),
        ([(0, 0, 0), (0, 0, 0), *rest], False),
        ([(0, 0, 1), *rest], False),
        ([(0, 0, 0), (1, 63, 1)], False),
        ([(0, 0, 1), (0, 0, 0x10), *rest], True),
        ([(0, 0, 2), (0, 0, 0x10), *rest], False),
        ([(0, 0, 2), (0, 0, 0x20), *rest], False),
        ([(0, 0, 2), (0, 0, 0x21), (0, 0, 0x10), *rest], True),
        ([(0, 0, 0x10), *rest], False),
        ([(0, 0, 0), (1, 63, 0x21), (1, 63, 0x10)], False),
        ([(0, 0, 0), (1, 63, 1), (1, 5, 0x10), (6, 63, 0x10)], True),
        ([(0, 0, 0), (1, 63, 1), (1, 5, 0x10)], False),
        ([(0, 0, 0), (1, 5, 0), (6, 63, 1), (1, 63, 0x10)], False),
        ([(0, 0, 0x12), *rest], False),
    ]
    for low in (12, 13, 14, 15):
        refined = [16 * each + each - 1 for each in range(low, 0, -1)]
        for place in ((0, 0), (1, 63)):
            other = rest if place == (0, 0) else [(0, 0, 0)]
            scans = [(*place, low), *((*place, each) for each in refined)]
            scripts.append(([*other, *scans], low < 14))
    return scripts


def test_progressive_scans() -> None:
    """Scans of a progressive file send each bit of a band once, from the highest."""
    gray = _frame((1, 0x11, 0), marker=0xC2)
    three = _frame(*[(number, 0x11, 0) for number in (1, 2, 3)], marker=0xC2)
    joint = _scan((1, 0), (2, 0), (3, 0), band=(0, 0, 0))
    high = [_scan((number, 0), band=(1, 63, 0)) for number in (1, 2, 3)]
    rows = [(_join(gray, *[_scan((1, 0), band=band) for band in bands]), wanted)
            for bands, wanted in _list_scripts()]  # fmt: skip
    rows += [
        (_join(three, joint, *high), True),
        (_join(three, *high, joint), True),
        (_join(three, joint, *high[1:]), False),
        (_join(three, joint, _scan((1, 0), (2, 0), band=(1, 63, 0)), high[2]), False),
        (_join(three, joint, joint, *high), False),
    ]
    # Tables of each kind that scans need, of the first and of the later ones.
    bands = [(0, 0, 1), (0, 0, 0x10), (1, 63, 1), (1, 63, 0x10)]
    for scan, (dc, ac) in product(range(4), ((1, 0), (0, 1), (3, 3), (4, 0), (0, 4))):
        scans = [_scan((1, 16 * dc + ac if i == scan else 0), band=band)
                 for i, band in enumerate(bands)]  # fmt: skip
        wanted = max(dc, ac) < 4 and (dc == 0 or scan > 0) and (ac == 0 or scan < 2)
        rows.append((_join(gray, *scans), wanted))
    assert _compare([file for file, _ in rows]) == [wanted for _, wanted in rows]


def test_the_most_tables_of_codes_in_a_segment() -> None:
    """A segment of tables of codes has at most the bytes of eight of 256 symbols."""
    gray, scan = _frame((1, 0x11, 0)), _scan((1, 0))
    full = bytes([0] * 8 + [128] + [64] + [0] * 5 + [64]) + bytes(range(256))
    kinds = [kind + number for kind in (0, 16) for number in range(4)]
    bodies = [b"".join(bytes([kind]) + full for kind in kinds)]
    bodies += [bytes([3] + [0] * 16) * 127 + b"\3" + bytes([0] * 7 + [more] + [0] * 8) + bytes(more)
               for more in (7, 8, 9, 10)]  # fmt: skip
    bodies += [bodies[0] + b"\3" + bytes(16), bodies[0][:-1], b"\4" + full, b"\x14" + full]
    many = bytes([0] * 8 + [128] + [64] + [0] * 5 + [65]) + bytes(range(256)) + b"\0"
    bodies += [
        b"\3" + many,
        b"\x20" + full,
        b"\3" + full[:15],
        b"\3" + full[:-1],
        b"\3" + full + b"\3",
    ]
    files = [_join(gray, _segment(0xC4, body), scan) for body in bodies]
    assert _compare(files) == [True] * 3 + [False] * (len(bodies) - 3)


def test_the_first_fault_is_told() -> None:
    """A frame or a scan with a fault is refused before a later frame of another kind is."""
    gray, three = _frame((1, 0x11, 0)), [(number, 0x11, 0) for number in (1, 2, 3)]
    lossless = _frame((1, 0x11, 0), marker=0xC3)
    other = Refusal("the JPEG is lossless, hierarchical or arithmetically coded")
    rows: list[tuple[tuple[bytes, ...], Refusal]] = [
        ((), other),
        ((lossless, gray), other),
        ((gray,), other),
        ((gray, _scan((1, 0))), other),
        ((_frame((1, 0x11, 4)),), _DAMAGED),
        ((_frame(*three[:2], (2, 0x11, 0)),), _DAMAGED),
        ((_frame(*three[:2], (3, 0x11, 4)),), _DAMAGED),
        ((_frame((1, 0x01, 0)),), _DAMAGED),
        ((_frame((1, 0x11, 0), precision=12),), _DAMAGED),
        ((gray, gray), _DAMAGED),
        ((gray, _scan((2, 0))), _DAMAGED),
        ((gray, _scan((1, 1))), _DAMAGED),
        ((gray, _scan((1, 0)), _scan((1, 0))), _DAMAGED),
        ((_frame((1, 0x11, 1)), _scan((1, 0))), _DAMAGED),
        ((_frame(*three), _scan((1, 0), (1, 0))), _DAMAGED),
        ((_segment(0xDC, b"\0\1"),), _DAMAGED),
        ((_steps(4),), _DAMAGED),
        ((_segment(0xC4, b"\4" + _CODES),), _DAMAGED),
        ((_segment(0xDD, b"\0"),), _DAMAGED),
    ]
    calls = [call("jpeg_file.readJpeg", _join(*segments, lossless)) for segments, _ in rows]
    assert run_calls(calls) == [wanted for _, wanted in rows]
