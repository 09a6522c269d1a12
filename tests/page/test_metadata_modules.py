"""The engine's modules read, copy and write metadata of pictures as the package does."""

import itertools
import random
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest

from sudokucrypt.images import Metadata, Resolution, cleartext_copy
from sudokucrypt.images.cleartext import rewrite_profile
from sudokucrypt.images.orientation import TURNS, read_orientation, write_orientation
from sudokucrypt.images.png.file import make_metadata_chunks
from tests.images.profiles import SRGB, assemble_profile, read_tags
from tests.page.node import Call, call, run_calls

pytestmark = pytest.mark.programs("node")


_Entry = tuple[int, int, int, bytes]  # tag, kind, count, and the four bytes of value or offset


def _build_exif(order: str, directories: Sequence[tuple[int, Iterable[_Entry]]]) -> bytes:
    """Return an EXIF block with directories at positions, of which the first one begins."""
    block = bytearray(b"II*\0" if order == "<" else b"MM\0*")
    block += struct.pack(f"{order}I", directories[0][0])
    for position, entries in directories:
        lines = [struct.pack(f"{order}HHI4s", *entry) for entry in entries]
        body = struct.pack(f"{order}H", len(lines)) + b"".join(lines) + bytes(4)
        block += bytes(max(0, position + len(body) - len(block)))
        block[position : position + len(body)] = body
    return bytes(block)


def _pack_entry(order: str, tag: int, kind: int, count: int, value: int) -> _Entry:
    return tag, kind, count, struct.pack(f"{order}I", value)


def _list_exif(order: str) -> list[bytes]:
    def short(tag: int, *values: int) -> _Entry:
        data = struct.pack(f"{order}{len(values)}H", *values)
        return tag, 3, len(values), data.ljust(4, b"\0")

    def long(tag: int, value: int, kind: int = 4, count: int = 1) -> _Entry:
        return _pack_entry(order, tag, kind, count, value)

    usual = [long(271, 0, 2, 4), short(274, 6)]
    blocks = [_build_exif(order, [(8, [short(274, value)])]) for value in (*range(11), 256, 65535)]
    blocks += [
        _build_exif(order, [(8, [(274, kind, count, field)])])
        for kind in (0, *range(1, 19), 129, 130)
        for count in (0, 1, 2, 4)
        for field in (struct.pack(f"{order}HH", 3, 0), struct.pack(f"{order}HH", 0, 3))
    ]
    for first in ([short(274, 6), short(274, 3)], [short(274, 3), short(274, 6)], [],
                  [long(274, 40), *usual], [*usual, long(305, 40, 2, 9)],
                  [*usual, long(305, 40, 5, 1)], [*usual, long(305, 41, 5, 1)]):  # fmt: skip
        blocks.append(_build_exif(order, [(20, first)]))
        blocks.append(_build_exif(order, [(8, first)]))
    inner = [long(36864, 0, 7, 4)]
    for kind, count, where in itertools.product((1, 3, 4, 13, 2, 7, 9), (0, 1, 2), (60, 61, 900)):
        for branch in (34665, 34853, 40965):
            size = {1: 1, 3: 2}.get(kind, 4)
            place = struct.pack(
                f"{order}{ {1: 'B', 2: 'H', 4: 'I'}[size] }", where & (256**size - 1)
            )
            entry = (branch, kind, count, place.ljust(4, b"\0"))
            blocks.append(_build_exif(order, [(8, [*usual, entry]), (60, inner)]))
    for deeper in (100, 3000):
        blocks.append(_build_exif(order, [
            (8, [*usual, long(34665, 60)]), (60, [long(40965, deeper)]), (100, inner)
        ]))  # fmt: skip
        blocks.append(_build_exif(order, [
            (8, [*usual, long(34853, 60)]), (60, [long(40965, deeper)]), (100, inner)
        ]))  # fmt: skip
        blocks.append(_build_exif(order, [
            (8, [*usual, long(34665, 60), long(34853, 60)]), (60, inner * 2)
        ]))  # fmt: skip
        blocks.append(_build_exif(order, [
            (8, [*usual, long(34665, 60), long(34665, 60)]), (60, inner)
        ]))  # fmt: skip
    return blocks


def _list_long_values(order: str) -> list[bytes]:
    """Return blocks with values at the end of the block, and with values that overlap."""
    orientation = (274, 3, 1, struct.pack(f"{order}HH", 6, 0))
    usual, blocks = [_pack_entry(order, 271, 2, 4, 0), orientation], []
    # Values of each kind end with the block, or behind it.
    for kind, size in itertools.product((*range(20), 128, 129, 130), (1, 2, 4, 8)):
        for end in (200, 201):
            block = _build_exif(
                order, [(8, [*usual, _pack_entry(order, 305, kind, 10, end - 10 * size)])]
            )
            blocks.append(block.ljust(200, b"\0"))
    for where in (195, 196):
        block = _build_exif(order, [(8, [*usual, _pack_entry(order, 305, 1, 5, where)])])
        blocks.append(block.ljust(200, b"\0"))
    # Values of several tags overlap until too many bytes are read.
    for count, length in itertools.product(range(1, 9), (20, 60, 61, 62, 63, 64, 100)):
        entries = [*usual, *(_pack_entry(order, 305 + i, 2, length, 8) for i in range(count))]
        blocks.append(_build_exif(order, [(8, entries)]))
    return blocks


def test_orientations_in_exif() -> None:
    """Orientations are read as by the package, in both orders and from damaged blocks."""
    blocks = [b"", b"II*\0", b"II+\0\x08\0\0\0", b"MM*\0\0\0\0\x08", b"II\0*\x08\0\0\0"]
    generator = random.Random(6)  # noqa: S311
    for order in "<>":
        listed = _list_exif(order)
        blocks += [*listed, *_list_long_values(order)]
        for block in (listed[6], listed[-1]):
            blocks += [block[:length] for length in range(len(block))]
            for place, value in itertools.product(range(len(block)), (0, 1, 3, 127, 255)):
                blocks.append(block[:place] + bytes([value]) + block[place + 1 :])
        for _ in range(200):
            changed = bytearray(generator.choice(listed))
            for _ in range(3):
                changed[generator.randrange(len(changed))] = generator.choice((0, 1, 2, 8, 255))
            blocks.append(bytes(changed))
    expected = [read_orientation(block) for block in blocks]
    assert {*expected} == {*range(1, 9)}
    calls = [call("orientation.readOrientation", block) for block in blocks]
    results = run_calls([*calls, call("orientation.readOrientation", None)])
    for block, actual, wanted in zip([*blocks, b""], results, [*expected, 1], strict=True):
        assert actual == wanted, block.hex()


def test_turns_of_rectangles() -> None:
    """Rectangles and sides are turned back for each orientation, which is written alike."""
    calls: list[Call] = []
    expected: list[object] = []
    for orientation, turn in TURNS.items():
        calls.append(call("orientation.writeOrientation", orientation))
        expected.append(write_orientation(orientation))
        for stored in ((30, 40), (1, 9), (7, 3)):
            shown = turn.get_upright_shape(stored)
            calls.append(call("orientation.turnSides", stored, orientation))
            expected.append([*shown])
            rows, columns = shown
            for region in ((0, 0, 1, 1), (0, 0, rows, columns), (rows - 1, columns - 1, 1, 1),
                           (rows // 2, columns // 3, (rows + 1) // 3, columns // 2)):  # fmt: skip
                calls.append(call("orientation.unturnRectangle", region, orientation, stored))
                expected.append([*turn.locate_stored_region(region, shown)])
    assert run_calls(calls) == expected


_RGB_CURVES, _COLORANTS = (b"rTRC", b"gTRC", b"bTRC"), (b"rXYZ", b"gXYZ", b"bXYZ")


_TAGS = read_tags(SRGB)


def _make_profile(tags: Mapping[bytes, bytes], kind: bytes = b"RGB ") -> bytes:
    data = assemble_profile(tags)
    return data[:16] + kind + data[20:]


def _make_parameters(kind: int, *numbers: float) -> bytes:
    fixed = struct.pack(f">{len(numbers)}i", *(round(number * 65536) for number in numbers))
    return b"para" + bytes(5) + bytes([kind, 0, 0]) + fixed


def _make_points(*values: int) -> bytes:
    return b"curv" + bytes(4) + struct.pack(f">I{len(values)}H", len(values), *values)


def _list_usual_profiles() -> list[bytes]:
    """Return the profiles that the package writes: one for each usual color space."""
    gamma = _make_parameters(0, 2.2)
    profiles = [SRGB]
    for colorants, curve in (
        ((0.5151, 0.2412, -0.0011, 0.292, 0.6922, 0.0419, 0.1571, 0.0666, 0.7841), None),
        ((0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446), gamma),
        ((0.7977, 0.288, 0, 0.1352, 0.7119, 0, 0.0313, 0.0001, 0.8249), _make_parameters(0, 1.8)),
    ):
        values = [b"XYZ " + _make_parameters(0, *colorants[start : start + 3])[4:8]
                  + _make_parameters(0, *colorants[start : start + 3])[12:]
                  for start in (0, 3, 6)]  # fmt: skip
        curves = {} if curve is None else dict.fromkeys(_RGB_CURVES, curve)
        tags = {**_TAGS, **dict(zip(_COLORANTS, values, strict=True)), **curves}
        profiles.append(_make_profile(tags))
    grays = (gamma, _make_parameters(0, 1.8), _TAGS[b"rTRC"])
    profiles += [_make_profile({b"kTRC": curve}, b"GRAY") for curve in grays]
    usual = [rewrite_profile(profile) for profile in profiles]
    assert len({*usual}) == 7
    return [profile for profile in usual if profile is not None]


def _list_curves() -> list[bytes]:
    srgb = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    curves = [_make_parameters(3, *srgb), _make_parameters(3, *srgb, 0), b"", b"para", b"curv",
              _make_parameters(3, *srgb[:4]), _make_parameters(0, 2.4, 1), _make_parameters(0),
              _make_parameters(1, *srgb[:3]), _make_parameters(2, *srgb[:4]), b"none" + bytes(12),
              _make_parameters(4, *srgb, 0, 0), _make_parameters(3, *srgb) + b"\0",
              _make_parameters(3, *srgb)[:-1], b"curv" + bytes(8), b"curv" + bytes(7),
              _make_points(0x0233) + b"\0", _make_points(0x0233)[:-1],
              b"curv" + bytes(4) + struct.pack(">IH", 2, 0x0233)]  # fmt: skip
    curves += [_make_parameters(0, gamma / 2000) for gamma in range(3580, 4440, 10)]
    curves += [_make_points(gamma) for gamma in range(440, 580, 2)]
    for place, step in itertools.product(range(5), (-0.02, -0.005, -0.001, 0.001, 0.005, 0.02)):
        numbers = [*srgb]
        numbers[place] += step
        curves.append(_make_parameters(3, *numbers))
    for exact in (srgb, (1.8,), (2.2,), (2 + 51 / 256,)):
        for count in (2, 3, 17, 32, 33, 34, 65, 256):
            inputs = np.linspace(0, 1, count)
            powers = inputs ** exact[0]
            if len(exact) > 1:
                powers = (np.maximum(inputs + 0.055, 0) / 1.055) ** 2.4
                powers = np.where(inputs < 0.04045, inputs / 12.92, powers)
            points = np.rint(powers * 65535).astype(int)
            curves.append(_make_points(*points))
            for place in (0, 1, count // 2, count - 2, count - 1):
                for step in (-200, -160, 160, 200):
                    changed = points.copy()
                    changed[place] += step
                    curves.append(_make_points(*changed.clip(0, 65535)))
    return curves


def _change_tags() -> Iterator[bytes]:
    """Yield profiles with tags that are missing, of other kinds, or of other numbers."""
    for curve in _list_curves():
        yield _make_profile({b"kTRC": curve}, b"GRAY")
        yield _make_profile({**_TAGS, **dict.fromkeys(_RGB_CURVES, curve)})
    for name in (*_RGB_CURVES, *_COLORANTS):
        yield _make_profile({each: _TAGS[each] for each in _TAGS if each != name})
        for other in (b"", _TAGS[name][:-1], _TAGS[name] + b"\0", b"none" + _TAGS[name][4:],
                      _make_parameters(0, 2.2), _TAGS[name] + bytes(4)):  # fmt: skip
            yield _make_profile({**_TAGS, name: other})
    for count in (*range(84, 97), 99, 100, 101):
        private = {b"x%03d" % i: b"data" for i in range(count - len(_TAGS))}
        yield _make_profile({**_TAGS, **private})
    yield _make_profile({**_TAGS, b"A2B0": b""})
    yield _make_profile({**_TAGS, b"A2B1": b""})


def _change_profiles(usual: Sequence[bytes]) -> Iterator[bytes]:
    """Yield usual profiles with other colorants, kinds or bytes, and those that are cut off."""
    for profile, name, place in itertools.product(usual[:4], _COLORANTS, range(3)):
        tags = read_tags(profile)
        for step in (-199, -195, 195, 199):
            numbers = [*struct.unpack(">3i", tags[name][8:])]
            numbers[place] += step
            value = tags[name][:8] + struct.pack(">3i", *numbers)
            yield _make_profile({**tags, name: value})
    for profile in (usual[2], usual[4]):
        for name in (b"GRAY", b"RGB ", b"CMYK", b"Lab "):
            yield _make_profile(read_tags(profile), name)
        for length in range(120, len(profile), 7):
            yield profile[:length]
        places = (*range(36, 132), *range(132, len(profile), 9))
        for place, byte in itertools.product(places, (b"\0", b"\1", b"\xff")):
            yield profile[:place] + byte + profile[place + 1 :]


def test_color_profiles() -> None:
    """Profiles of usual color spaces are rewritten as by the package, and no others."""
    usual = _list_usual_profiles()
    profiles = [*usual, SRGB, b"", *_change_tags(), *_change_profiles(usual)]
    expected = [rewrite_profile(profile) for profile in profiles]
    assert {*expected} == {None, *usual}
    calls = [call(".icc", call("cleartext.pickCleartext", {"icc": each})) for each in profiles]
    for profile, actual, wanted in zip(profiles, run_calls(calls), expected, strict=True):
        assert actual == wanted, profile.hex()


def test_the_longest_profile() -> None:
    """A profile of the greatest length is rewritten, and a longer one is not."""
    longest = SRGB.ljust(4 * 2**20, b"\0")
    calls = [call(".icc", call("cleartext.pickCleartext", {"icc": profile}))
             for profile in (longest, longest + b"\0")]  # fmt: skip
    assert run_calls(calls) == [rewrite_profile(SRGB), None]
    assert rewrite_profile(longest + b"\0") is None


def test_cleartext_copies() -> None:
    """Orientations, resolutions and rounded numbers in the clear are those of the package."""
    calls: list[Call] = []
    expected: list[object] = []
    sides = (0, 1, 72, 10**6 - 1, 10**6, 10**6 + 1, 2**31 - 1)
    units: tuple[Literal["meter"] | None, ...] = (None, "meter")
    for columns, rows, unit in itertools.product(sides, sides, units):
        resolution = Resolution(columns=Fraction(columns), rows=Fraction(rows), unit=unit)
        copy = cleartext_copy(Metadata(resolution=resolution)).resolution
        pair = [str(columns), str(rows), unit]
        calls.append(call(".resolution", call("cleartext.pickCleartext", {"resolution": pair})))
        expected.append(None if copy is None else pair)
    for orientation in range(1, 9):
        exif = write_orientation(orientation)
        calls.append(call("cleartext.pickCleartext", {"exif": exif, "icc": None}))
        expected.append({"exif": exif, "icc": None, "resolution": None})
    for number in (0, 0.5, 1.5, 2.5, 0.49, 0.51, 1.49, 1.51, -0.5, -1.5, -2.5, -0.49, -0.51, -7):
        calls.append(call("cleartext.roundToEven", number))
        expected.append(round(number))
    assert run_calls(calls) == expected


def test_chunks_of_metadata() -> None:
    """Resolutions are written as by the package: rounded, as a ratio, or not at all."""
    calls: list[Call] = []
    expected: list[object] = []
    texts = ("1", "72", "300", "1/2", "5/2", "7/2", "2/3", "3/4", "1/300", "127/50", "381/100",
             "2147483647", "2147483648", "54546084", "54546085", "1/4294967296")  # fmt: skip
    units: tuple[Literal["meter", "inch"] | None, ...] = (None, "meter", "inch")
    for columns, rows, unit in itertools.product(texts, texts[:9], units):
        resolution = Resolution(columns=Fraction(columns), rows=Fraction(rows), unit=unit)
        _, chunks, _ = make_metadata_chunks(Metadata(resolution=resolution))
        calls.append(call("metadata.makeChunks", {"resolution": [columns, rows, unit]}))
        expected.append([{"kind": kind.decode(), "body": body} for kind, body in chunks])
        calls.append(call("metadata.makeChunks", {"resolution": [rows, columns, unit]}))
        turned = Resolution(columns=Fraction(rows), rows=Fraction(columns), unit=unit)
        _, chunks, _ = make_metadata_chunks(Metadata(resolution=turned))
        expected.append([{"kind": kind.decode(), "body": body} for kind, body in chunks])
    assert [] in expected
    exif = write_orientation(6)
    calls.append(call("metadata.makeChunks", {"icc": SRGB, "exif": exif, "xmp": b"<x/>"}))
    xmp = b"XML:com.adobe.xmp\0\0\0\0\0<x/>"
    icc = b"ICC profile\0\0" + zlib.compress(SRGB, 0)
    expected.append([{"kind": "iCCP", "body": icc}, {"kind": "eXIf", "body": exif},
                     {"kind": "iTXt", "body": xmp}])  # fmt: skip
    calls.append(call("metadata.makeChunks", {}))
    expected.append([])
    assert run_calls(calls) == expected
