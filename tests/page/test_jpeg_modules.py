"""The engine's modules for JPEG read, refuse and write the same files as the package."""

import random
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise, product
from typing import Any

import pytest

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images import Metadata
from sudokucrypt.images.jpeg import JpegFile, JpegStructure
from sudokucrypt.images.jpeg.output import encode_visible_file
from sudokucrypt.recipes.carriers.redaction.jpeg_units import reset_fillers
from tests.images.jpeg.corpus import iterate_cjpeg_files, make_smooth, save_image
from tests.images.jpeg.made import PROGRESSION, make_file, read
from tests.page.node import from_text, run_node, to_text

pytestmark = pytest.mark.programs("node")
_READ_SCRIPT = """
    import { Blocks } from "./engine/jpeg_blocks.js";
    import { readJpeg } from "./engine/jpeg_file.js";
    import { writeJpeg } from "./engine/jpeg_output.js";
    import { fill, makeStructure, readStructure } from "./engine/jpeg_structure.js";
    import { rebuildFile, writeStructure } from "./engine/jpeg_structure.js";
    import { Refused, hex } from "./engine/bytes.js";
    import { createHash } from "node:crypto";
    const digest = (data) => createHash("sha256").update(data).digest("hex").slice(0, 16);
    const bytesOf = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    return argument.map((text) => {
        try {
            const file = Uint8Array.from(Buffer.from(text, "base64"));
            const jpeg = readJpeg(file);
            const blocks = new Blocks(jpeg);
            const planes = jpeg.components.map((component, i) => {
                return digest(bytesOf(blocks.get(component, i)));
            });
            const structure = makeStructure(jpeg, blocks);
            const packed = structure && writeStructure(structure);
            let again = null;
            if (structure) {
                const same = rebuildFile(readStructure(packed, jpeg), blocks);
                again = Buffer.compare(same, file) === 0;
            }
            fill(jpeg, blocks);
            const written = digest(writeJpeg(jpeg, blocks));
            return [planes, packed && hex(packed), again, written];
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return null;
        }
    });
"""


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _read_by_package(data: bytes) -> Any:
    """Return digests of coefficients, the structure, whether it is exact, and the written file."""
    try:
        file = read(data)
    except SudokucryptError:
        return None
    if not file.complete:
        return None
    structure = JpegStructure.from_file(data, file)
    planes = [_digest(plane.astype("<i2").tobytes()) for plane in file.coefficients]
    packed = None if structure is None else structure.to_bytes()
    return [planes, packed and packed.hex(), True if packed else None, _write(file)]


def _write(file: JpegFile) -> str:
    planes = reset_fillers(file, file.coefficients)
    return _digest(encode_visible_file(file.with_coefficients(planes), Metadata()))


def _list_files() -> dict[str, bytes]:
    """Return small files of all samplings, kinds of scans and restart intervals."""
    files = {name: data for name, data in iterate_cjpeg_files() if len(data) < 3000}
    samplings = [((1, 1),), ((2, 2), (1, 1), (1, 1)), ((1, 2), (2, 1), (1, 1)), ((2, 1),) * 4]
    for rows, columns in ((1, 1), (9, 17), (33, 40)):
        for number, sampling in enumerate(samplings):
            for restart in (0, 1, 3):
                name = f"made {rows}x{columns} {number} {restart}"
                files[name] = make_file(rows, columns, sampling, restart=restart).to_bytes()
        files[f"progressive {rows}"] = make_file(rows, columns, script=PROGRESSION).to_bytes()
    files["rare restarts"] = make_file(8, 2400, restart=258, nonzero_share=0.02).to_bytes()
    files["photo"] = save_image(make_smooth(31, 33), progressive=True, comment=b"text")
    return files


def _compare(files: list[bytes]) -> int:
    """Return how many files both read; fail where they disagree."""
    actual: Any = run_node(_READ_SCRIPT, [b64encode(data).decode() for data in files])
    for data, result in zip(files, actual, strict=True):
        assert result == _read_by_package(data), data.hex()
    return sum(result is not None for result in actual)


def test_files_are_read_and_written_equally() -> None:
    """Engine and package give equal coefficients, structures, restored files and new files."""
    files = list(_list_files().values())
    assert _compare(files) == len(files) - 3  # those with a scan less lack bits


def test_stray_bytes_after_the_last_block() -> None:
    """Both take at most 64 bytes that mean nothing before the end, filling bytes not counted."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    end = len(file) - 2
    files = [
        file[:end] + stray * count + fill + file[end:]
        for stray in (b"\x01", b"\x55")
        for fill in (b"", b"\xff" * 9)
        for count in (0, 1, 63, 64, 65, 66)
    ]
    assert _compare(files) == 2 * 2 * 4


def test_surplus_restart_markers() -> None:
    """Bytes after the last block may contain restart markers, after which nothing counts."""
    pieces = (b"\xff\xd0", b"\xff\xd7", b"\1", b"\xff\0", b"\xff", b"\0\xff\xd3\1")
    files = []
    for restart, count in ((0, 1), (3, 1), (3, 2)):
        file = make_file(9, 17, ((1, 1),), restart=restart).to_bytes()
        strays = map(b"".join, product(pieces, repeat=count))
        files += [file[:-2] + each + file[-2:] for each in strays]
    assert _compare(files) == len(files) - 2


def _change(data: bytes, old: bytes, new: bytes) -> bytes:
    """Return bytes of which those that occur once are others."""
    assert data.count(old) == 1
    return data.replace(old, new)


def _insert(file: bytes, kind: int, body: bytes) -> bytes:
    """Return a file with another segment after its first two bytes."""
    return b"%b\xff%c%b%b%b" % (file[:2], kind, (len(body) + 2).to_bytes(2, "big"), body, file[2:])


def test_tables_of_codes_that_are_full() -> None:
    """A table of codes leaves the code of only ones unused, whatever the lengths of its codes."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    files = []
    for counts in ([1], [2], [3], [1, 1], [1, 2], [0, 3], [0, 4], [0] * 15 + [255], [1] * 16):
        lengths = bytes(counts).ljust(16, b"\0")
        files.append(_insert(file, 0xC4, b"\x03" + lengths + bytes(sum(counts))))
    files.append(_insert(file, 0xC4, b"\x03" + bytes([1] * 15 + [2]) + bytes(17)))
    assert _compare(files) == 5


def test_the_most_tables_of_steps_in_a_segment() -> None:
    """A segment holds at most four tables of 16 bits, and no byte more."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    small, large = b"\x03" + b"\x01" * 64, b"\x13" + b"\0\x01" * 64
    bodies = (
        small,
        large,
        4 * large,
        3 * large + small,
        7 * small,
        8 * small,
        5 * large,
        large[:-1],
    )
    assert _compare([_insert(file, 0xDB, body) for body in bodies]) == 5


def test_tables_of_steps_with_a_wrong_head() -> None:
    """Steps have 8 or 16 bits, the numbers 0 to 3, and no step of zero or without a byte."""
    file = make_file(9, 17, ((1, 1),)).to_bytes()
    steps = {1: b"\x01" * 64, 2: b"\x01\0" * 64}
    bodies = [bytes([head]) + steps[size] for size in steps for head in range(64)]
    bodies += [b"\3" + steps[1][:-1], b"\x13" + steps[2][:-1], b"\x13" + steps[2][:-2]]
    for place in (0, 63):
        bodies.append(b"\3" + steps[1][:place] + b"\0" + steps[1][place + 1 :])
        bodies.append(b"\x13" + steps[2][: 2 * place] + b"\0\0" + steps[2][2 * place + 2 :])
    assert _compare([_insert(file, 0xDB, body) for body in bodies]) == 8


def test_damaged_files_are_refused_equally() -> None:
    """Files with changed, missing or added bytes, mostly before their samples, are read equally."""
    generator = random.Random(7)  # noqa: S311
    originals = sorted(_list_files().values(), key=len)[:40]
    files = []
    for _ in range(600):
        data = bytearray(generator.choice(originals))
        head = data.index(b"\xff\xda") + 14
        for _ in range(generator.randint(1, 2)):
            position = generator.randrange(
                2, min(len(data), head if generator.random() < 0.8 else 10**9)
            )
            action = generator.random()
            if action < 0.5:
                data[position] ^= 1 << generator.randrange(8)
            elif action < 0.8:
                data[position] = generator.choice((0, 1, 2, 3, 4, 5, 0xFF, 0xD0, 0xD9))
            elif action < 0.9:
                del data[position]
            else:
                data.insert(position, generator.choice((0, 0xFF)))
        files.append(bytes(data))
    assert 100 < _compare(files) < 500


_STRUCTURE_SCRIPT = """
    import { Blocks } from "./engine/jpeg_blocks.js";
    import { readJpeg } from "./engine/jpeg_file.js";
    import { readStructure, rebuildFile } from "./engine/jpeg_structure.js";
    import { base64, Refused, unbase64 } from "./engine/bytes.js";
    const opened = new Map();
    return argument.map(([file, text, namesCount]) => {
        if (!opened.has(file)) {
            const jpeg = readJpeg(unbase64(file));
            opened.set(file, { jpeg, blocks: new Blocks(jpeg) });
        }
        const { jpeg, blocks } = opened.get(file);
        let structure = null;
        try {
            structure = readStructure(unbase64(text), jpeg, namesCount);
            return base64(rebuildFile(structure, blocks));
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            return structure && "it is read";
        }
    });
"""


def _pack(*items: Any) -> bytes:
    """Return numbers, strings and lists of a structure in sequence, and the members of tuples."""
    data = b""
    for item in items:
        if isinstance(item, int):
            groups = [item >> shift & 127 for shift in range(0, max(item.bit_length(), 1), 7)]
            data += bytes([*(group | 128 for group in groups[:-1]), groups[-1]])
        elif isinstance(item, bytes):
            data += _pack(len(item)) + item
        elif isinstance(item, list):
            data += _pack(len(item), *item)
        else:
            data += _pack(*item)
    return data


@cache
def _read_once(file: bytes) -> JpegFile:
    return read(file)


def _rebuild_by_package(file: bytes, packed: bytes) -> bytes | str | None:
    """Return the file of a structure, whether it is read at least, or None."""
    try:
        structure = JpegStructure.from_bytes(packed, max_pixels=10**4)
    except SudokucryptError:
        return None
    try:
        return structure.rebuild(_read_once(file).coefficients)
    except SudokucryptError:
        return _READ


_READ = "it is read"
_Fields = dict[str, Any]
_EMPTY_SCAN: tuple[bytes, list[int], list[int]] = (b"", [], [])  # padding, breaks, strays


@cache
def _describe(file: bytes) -> _Fields:
    """Return the fields of the structure of a file, as `_pack` takes them."""
    jpeg = _read_once(file)
    structure = JpegStructure.from_file(file, jpeg)
    assert structure is not None
    assert structure.patch is None
    fillers = []
    for places, values in structure.dummy_differences:
        steps = [place - before for before, place in pairwise([0, *places])]
        fillers.append((steps, *(2 * abs(value) - (value > 0) for value in values)))
    return {
        "size": len(file),
        "copies": 0,
        "skeleton": jpeg.skeleton(),
        "scans": [_EMPTY_SCAN] * len(jpeg.scans),
        "turns": [],
        "fillers": fillers,
        "patch": [],
    }


def _read_structures(cases: Sequence[tuple[bytes, _Fields, bool]]) -> list[bytes | str | None]:
    """Return the files of structures with some fields of others, whether they are read, or None.

    The last member of a case is whether names of components count.
    """
    packed = [(file, _pack_structure(file, fields), names) for file, fields, names in cases]
    results: Any = run_node(
        _STRUCTURE_SCRIPT, [(to_text(file), to_text(data), names) for file, data, names in packed]
    )
    return [each if each in (None, _READ) else from_text(each) for each in results]


def _pack_structure(file: bytes, fields: _Fields) -> bytes:
    """Return the structure of a file, with some fields of others."""
    return _pack(*{**_describe(file), **fields}.values())


def _compare_structures(rows: Sequence[tuple[bytes, _Fields, object]]) -> None:
    """Check which structures give a file, or are refused, by engine and package."""
    results = _read_structures([(file, fields, True) for file, fields, _ in rows])
    for (file, fields, wanted), actual in zip(rows, results, strict=True):
        assert actual == wanted, fields
        assert _rebuild_by_package(file, _pack_structure(file, fields)) == wanted, fields


def test_structures_in_another_form() -> None:
    """Structures with a wrong list, order, place or length are refused, and no others."""
    file = make_file(17, 17, ((2, 2), (1, 2), (1, 1))).to_bytes()
    size, (first, *others) = len(file), _describe(file)["fillers"]
    steps, *values = first
    rows: list[tuple[_Fields, object]] = [
        ({}, file),
        ({"size": size + 1}, _READ),
        ({"copies": 1}, None),
        ({"copies": (0, 0)}, None),
        ({"scans": []}, None),
        ({"scans": [_EMPTY_SCAN] * 2}, None),
        ({"scans": [(b"\xff", [], [])]}, file),
        ({"scans": [(b"\xff\xff", [], [])]}, _READ),
        ({"scans": [(b"", [0], [])]}, _READ),
        ({"scans": [(b"", [], [0], b"\1")]}, _READ),
        ({"scans": [(b"", [], [0], b"")]}, None),
        ({"fillers": []}, None),
        ({"fillers": others}, None),
        ({"fillers": [first, *others, ([],)]}, None),
        ({"fillers": [(steps, 0, *values[1:]), *others]}, None),
        ({"fillers": [([*steps, 0], *values, values[-1]), *others]}, None),
        ({"fillers": [([0], 1), *others]}, _READ),  # of no filler
        ({"fillers": [([64 * 2], 1), *others]}, _READ),
        ({"fillers": [([64 * 3], 1), *others], "patch": [(0, 0, file)]}, file),
        ({"fillers": [([64 * 12 + 63], 1), *others], "patch": [(0, 0, file)]}, file),
        ({"fillers": [([64 * 16], 1), *others], "patch": [(0, 0, file)]}, _READ),
        ({"patch": [(0, 0, file)]}, file),
        ({"patch": [(0, 0, file)], "size": size - 1}, _READ),
        ({"patch": [(0, 0, file)] * 2}, None),
        ({"patch": [(size, 0, b"")]}, file),
        ({"patch": [(0, size, b"")]}, file),
        ({"patch": [(size, 1, b"")], "size": size + 1}, _READ),
        ({"patch": [(9, size - 9, b"x")], "size": size + 1}, file[:9] + b"x" + file[9:]),
        ({"patch": [(9, size - 9, b"x")]}, _READ),
        ({"patch": [(9, size - 11, b"xy")]}, file[:9] + b"xy" + file[11:]),
        ({"patch": [], "more": 0}, None),
    ]  # fmt: skip
    turns: list[tuple[list[tuple[int, int, int]], object]] = [
        ([(0, 0, 1)], file),
        ([(0, 0, 0)], None),
        ([(0, 1, 1), (0, 2, 2)], file),
        ([(0, 5, 1), (1, 0, 1)], file),
        ([(0, 5, 1), (2, 5, 1)], file),
        ([(0, 2, 1), (0, 1, 1)], None),
        ([(0, 1, 1), (0, 1, 1)], None),
        ([(1, 0, 1), (0, 5, 1)], None),
        ([(0, 1, 1), (0, 2, 1), (0, 2, 1)], None),
        ([(0, 1, 1), (0, 3, 1), (0, 2, 1)], None),
        ([(0, 1, 1), (1, 3, 1), (1, 2, 1)], None),
        ([(0, block, 1) for block in range(16 + 8 + 4)], file),
        ([(0, block, 1) for block in range(16 + 8 + 5)], None),
    ]
    rows += [({"turns": listed}, wanted) for listed, wanted in turns]
    _compare_structures([(file, fields, wanted) for fields, wanted in rows])


def test_skeletons_with_data() -> None:
    """The skeleton of a structure has no data in any of its scans."""
    file = make_file(17, 17, script=PROGRESSION).to_bytes()
    skeleton = _describe(file)["skeleton"]
    ends = [at + 10 for at in range(len(skeleton)) if skeleton[at : at + 2] == b"\xff\xda"]
    skeletons = [skeleton[:end] + b"\1" + skeleton[end:] for end in ends] + [skeleton[:-2]]
    _compare_structures([(file, {"skeleton": each}, None) for each in skeletons])


def test_skeletons_of_another_picture() -> None:
    """A structure has the size, components and steps of the picture; names count for some."""
    samplings = ((1, 1), (1, 1), (1, 1))
    file = make_file(9, 9, samplings).to_bytes()
    skeleton = _describe(file)["skeleton"]
    others = [
        make_file(9, 10, samplings),
        make_file(10, 9, samplings),
        make_file(9, 9, samplings[:1]),
        make_file(9, 9, ((2, 1), *samplings[1:])),
        make_file(9, 9, ((1, 2), *samplings[1:])),
    ]
    skeletons = [each.skeleton() for each in others]
    skeletons += [_change(skeleton, b"\3" * 64, b"\3" * 63 + b"\4")]
    renamed = _change(skeleton, b"\7\x11\1", b"\x08\x11\1")
    skeletons.append(_change(renamed, b"\7\x11\x0e", b"\x08\x11\x0e"))
    tables = _change(skeleton, b"\7\x11\1", b"\7\x11\2")
    skeletons.append(_change(tables, b"\1" + b"\5" * 64, b"\2" + b"\5" * 64))
    patch = [(0, 0, file)]
    results = _read_structures([(file, {"skeleton": each, "patch": patch}, names)
                                for names in (True, False) for each in skeletons])  # fmt: skip
    assert results == [None] * 8 + [None] * 6 + [file] * 2


def test_the_largest_numbers() -> None:
    """Numbers of a structure are below 2^49."""
    file = make_file(9, 9).to_bytes()
    sizes = (2**42 - 1, 2**42, 2**49 - 1, 2**49)
    results = _read_structures([(file, {"size": size}, True) for size in sizes])
    assert results == [_READ, _READ, _READ, None]


def test_fillers_out_of_range() -> None:
    """Fillers have only coefficients that a scan sends, in the range that codes can represent."""
    samplings = ((2, 2), (1, 1), (1, 1))
    file = make_file(17, 17, samplings).to_bytes()
    mean = int(read(file).coefficients[0][0, 2, 0])  # which the filler beside it has, too
    rows = []
    for place, usual, least, most in ((192, mean, -16384, 16383), (193, 0, -32767, 32767)):
        for value, wanted in ((least - 1, _READ), (least, file), (most, file), (most + 1, _READ)):
            rows.append((file, place, value - usual, wanted))
    script = [((0, 1, 2), 0, 0, 0, 0), *(((number,), 1, 63, 0, 0) for number in range(3))]
    file = make_file(17, 17, samplings, script).to_bytes()
    for place, wanted in ((192, file), (193, _READ), (128, _READ), (255, _READ)):
        rows.append((file, place, 1, wanted))
    cases = []
    for file, place, value, _ in rows:
        filler = ([place], 2 * abs(value) - (value > 0))
        fields = {"fillers": [filler, ([],), ([],)], "patch": [(0, 0, file)]}
        cases.append((file, fields, True))
    assert _read_structures(cases) == [wanted for *_, wanted in rows]


def test_breaks_of_runs() -> None:
    """Runs of blocks without new bits break at any of these, and at no other block."""
    script = [((0, 1, 2), 0, 0, 0, 0), ((1,), 1, 63, 0, 0), ((2,), 1, 63, 0, 0), ((0,), 1, 5, 0, 2),
              ((0,), 6, 63, 0, 2), ((0,), 1, 63, 2, 1), ((0,), 1, 63, 1, 0)]  # fmt: skip
    made = make_file(17, 25, ((2, 1), (1, 1), (1, 1)), script, nonzero_share=0)
    values = ((1, 1), (1, 2), (5, 4), (6, -4), (63, -2), (63, 7), (5, 3), (1, -1))
    for block, (place, value) in enumerate(values):
        made.coefficients[0][block // 4, block % 4, place] = value
    file = made.with_coefficients(made.coefficients).optimize().to_bytes()
    cases = []
    for scan, block in product((0, *range(3, 7)), (*range(9), 11, 12, 13)):
        scans = [_EMPTY_SCAN] * len(made.scans)
        scans[scan] = (b"", [block], [])
        cases.append((file, {"scans": scans, "size": len(file)}, True))
    results = _read_structures(cases)
    for (_, fields, _), actual in zip(cases, results, strict=True):
        assert actual == _rebuild_by_package(file, _pack_structure(file, fields)), fields
    assert results.count(file) == 6


def test_the_longest_structures() -> None:
    """A patch has at most 65536 bytes, and a structure 22 MiB."""
    script = """
        import { Blocks } from "./engine/jpeg_blocks.js";
        import { readJpeg } from "./engine/jpeg_file.js";
        import { checkLength, makeStructure } from "./engine/jpeg_structure.js";
        import { Refused, unbase64 } from "./engine/bytes.js";
        const [files, other, lengths] = argument;
        const blocks = new Blocks(readJpeg(unbase64(other)));
        const patches = files.map((text) => {
            const jpeg = readJpeg(unbase64(text));
            new Blocks(jpeg); // which finds what is special in its scans
            return makeStructure(jpeg, blocks)?.patch[2].length ?? null;
        });
        const attempt = (length) => {
            try {
                checkLength({ length });
            } catch (error) {
                return error instanceof Refused && error.message;
            }
        };
        return [patches, lengths.map((length) => attempt(length) ?? null)];
    """
    file = make_file(9, 9, nonzero_share=0).to_bytes()  # whose tables lack codes for others
    most = 65536 - len(file) - 4
    files = [_insert(file, 0xFE, bytes(most + more)) for more in (-1, 0, 1)]
    other = make_file(9, 9).to_bytes()
    results = run_node(
        script, ([*map(to_text, files)], to_text(other), (22 * 2**20, 22 * 2**20 + 1))
    )
    refused = "the JPEG holds more beside its picture than fits into a header"
    assert results == [[65535, 65536, None], [None, refused]]
