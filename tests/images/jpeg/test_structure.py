"""The structure of a JPEG, from which and its coefficients the same file is rebuilt."""

import random
from dataclasses import replace

import pytest

from sudokucrypt.errors import FormatError, InvalidParameterError, UnsupportedError
from sudokucrypt.header import Header
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import Segment
from sudokucrypt.images.jpeg.file import find_header_piece, join_header, make_header_segments
from sudokucrypt.images.jpeg.output import make_quantizer_segment
from sudokucrypt.images.jpeg.structure import JpegStructure
from tests.images.jpeg.corpus import make_smooth, save_image
from tests.images.jpeg.made import MOST_PIXELS, PROGRESSION, make_file, read, replace_scan
from tests.spies import watch_memory

_FILE_WITH_RESTARTS = save_image(make_smooth(33, 31), restart_marker_blocks=2)
_FILES = (
    _FILE_WITH_RESTARTS,
    _FILE_WITH_RESTARTS[:-2] + b"\x12\xff\x00\xff" + _FILE_WITH_RESTARTS[-2:] + b"tail \xff\xd9",
    save_image(make_smooth(20, 17), progressive=True, comment=b"words"),
    make_file(40, 50, script=PROGRESSION, restart=3).to_bytes(),
    replace_scan(read(_FILE_WITH_RESTARTS), 0, padding=bytes([0x80, 0xFF, 0xAA])).to_bytes(),
    make_file(17, 17, samplings=((2, 2), (1, 2), (1, 1))).to_bytes(),
)
_HEADER = Header(
    scheme="scramble-jpeg-v1",
    unit="block",
    block_size=8,
    rounds=3,
    shape=(8, 8),
    dtype="uint8",
    key_id="00000000",
    salt=bytes(16),
    encrypted_metadata=b"\n",
    tag=bytes(32),
    header_mac=bytes(32),
)


def _make_structure(data: bytes) -> JpegStructure:
    result = JpegStructure.from_file(data, read(data))
    assert result is not None
    return result


@pytest.mark.parametrize("data", _FILES)
def test_a_structure_has_one_form(data: bytes) -> None:
    """A structure is read from its bytes, and rebuilds the file from its coefficients."""
    wraps = ((0, 1, -3), (0, 5, 2), (1, 0, 1))
    structure = replace(_make_structure(data), wraps=wraps)
    encoded = structure.to_bytes()
    decoded = JpegStructure.from_bytes(encoded, max_pixels=MOST_PIXELS)
    assert decoded.to_bytes() == encoded
    assert (decoded.wraps, decoded.patch) == (wraps, None)
    assert decoded.dummy_differences == structure.dummy_differences
    assert decoded.rebuild(read(data).coefficients) == data


@pytest.mark.parametrize("data", _FILES)
def test_any_other_form_is_refused(data: bytes) -> None:
    """Flipped, cut and longer bytes raise FormatError, or are another valid structure."""
    file, source = read(data), random.Random(1)  # noqa: S311 - the same each time
    encoded = replace(_make_structure(data), wraps=((0, 2, 1),)).to_bytes()
    for _ in range(300):
        changed = bytearray(encoded)
        at = source.randrange(len(changed))
        match source.randrange(3):
            case 0:
                changed[at] ^= 1 << source.randrange(8)
            case 1:
                del changed[at:]
            case _:
                changed[at : at + source.randrange(4)] = source.randbytes(source.randrange(6))
        try:
            result = JpegStructure.from_bytes(bytes(changed), max_pixels=MOST_PIXELS)
        except FormatError:
            continue
        assert result.to_bytes() == changed
        try:
            assert len(result.rebuild(file.coefficients)) == result.size
        except (InvalidParameterError, OverflowError):
            continue


def test_other_forms_of_dummies_are_refused() -> None:
    """Differences that are zero, out of order, or of unsent dummies are refused."""
    structure = _make_structure(_FILES[-1])
    (first, *others), bare_structure = structure.dummy_differences, _make_structure(_FILES[3])
    assert bare_structure.dummy_differences == (((), ()),)
    positions, values = first
    for faulty_dummies in (
        replace(structure, dummy_differences=((positions, (0, *values[1:])), *others)),
        replace(
            structure, dummy_differences=((positions[:1] + positions, values[:1] + values), *others)
        ),
        replace(structure, dummy_differences=tuple(others)),
        replace(structure, dummy_differences=(*structure.dummy_differences, ((), ()))),
        replace(bare_structure, dummy_differences=(((64,), (1,)),)),
    ):
        with pytest.raises(FormatError, match="cannot be understood"):
            JpegStructure.from_bytes(faulty_dummies.to_bytes(), max_pixels=MOST_PIXELS)


def test_unusual_files_are_patched() -> None:
    """A file that its coefficients do not give is rebuilt with a patch, if that is short."""
    data = _FILE_WITH_RESTARTS[:-40] + bytes(7) + _FILE_WITH_RESTARTS[-33:]
    file = read(_FILE_WITH_RESTARTS)
    structure = JpegStructure.from_file(data, file)
    assert structure is not None
    assert structure.patch is not None
    assert len(structure.patch[2]) <= 7
    decoded = JpegStructure.from_bytes(structure.to_bytes(), max_pixels=MOST_PIXELS)
    assert decoded.rebuild(file.coefficients) == data
    assert JpegStructure.from_file(_FILE_WITH_RESTARTS + bytes(70_000), file) is None


def test_files_with_missing_codes_are_patched() -> None:
    """If tables lack codes for the coefficients, the patch contains the whole file."""
    file = read(_FILE_WITH_RESTARTS)
    file_without_codes = replace(
        file, parts=tuple(part for part in file.parts if getattr(part, "marker", 0) != 0xC4)
    )
    empty_tables = b"".join(bytes([table]) + bytes(16) for table in (0x00, 0x01, 0x10, 0x11))
    file_without_codes = replace(
        file_without_codes, parts=(Segment(0xC4, empty_tables), *file_without_codes.parts)
    )
    structure = JpegStructure.from_file(_FILE_WITH_RESTARTS, file_without_codes)
    assert structure is not None
    assert structure.patch == (0, 0, _FILE_WITH_RESTARTS)
    assert structure.rebuild(file.coefficients) == _FILE_WITH_RESTARTS


def test_a_file_of_another_size_is_refused() -> None:
    """A wrong size, a patch that does not fit, and other coefficients raise an error."""
    structure, planes = _make_structure(_FILE_WITH_RESTARTS), read(_FILE_WITH_RESTARTS).coefficients
    with pytest.raises(InvalidParameterError, match=r"the rebuilt file has .* bytes instead of"):
        replace(structure, size=structure.size + 1).rebuild(planes)
    with pytest.raises(InvalidParameterError, match="patch"):
        replace(structure, patch=(structure.size, 1, b"")).rebuild(planes)
    for wrong_planes in (planes[:-1], [*planes[:-1], planes[-1][:-1]]):
        with pytest.raises(InvalidParameterError, match="of shapes"):
            structure.rebuild(wrong_planes)


def test_quantizers_are_in_one_segment() -> None:
    """All quantizers are written once in one segment; different ones of a number are refused."""
    file = read(_FILE_WITH_RESTARTS)
    segments = [part for part in file.parts if isinstance(part, Segment)]
    tables = [segment.body for segment in segments if segment.marker == 0xDB]
    assert make_quantizer_segment(file) == Segment(0xDB, b"".join(tables))
    luma, blue, red = file.quantizers
    with pytest.raises(UnsupportedError, match="quantizers of the same number"):
        make_quantizer_segment(replace(file, quantizers=(luma, blue, red + 1)))


@pytest.mark.parametrize("length", [1, 65000, 65533, 200_000])
def test_headers_are_read_from_segments(length: int) -> None:
    """A header is written into as few segments as possible, and read from them."""
    header = replace(
        _HEADER, encrypted_metadata=bytes(range(256)) * (length // 256) + b"\n" * (length % 256)
    )
    segments = list(make_header_segments(header.to_bytes()))
    assert [len(part.body) for part in segments[:-1]] == [65533] * (len(segments) - 1)
    pieces = [find_header_piece(part.marker, part.body) or b"" for part in segments]
    assert join_header(Source(b"", "x", 0), pieces) == header.to_bytes()


def test_headers_in_another_form_are_refused() -> None:
    """A header without text or extras, or without a place for them, is refused."""
    source, header = Source(b"", "x", 0), _HEADER.to_bytes()
    (segment,) = make_header_segments(header)
    header_piece = find_header_piece(segment.marker, segment.body) or b""
    text, extras = header_piece.split(b"\n", 1)
    for pieces in ([text], [text + b"\n"], [header + b"\n" + extras], [b"\n" + extras], [header]):
        with pytest.raises(FormatError, match="does not have the form for a JPEG"):
            join_header(source, pieces)
    assert join_header(source, []) is None
    assert find_header_piece(0xEB, b"JP of another") is None
    assert find_header_piece(0xEA, segment.body) is None


def _encode_number(value: int) -> bytes:
    groups = [value >> shift & 0x7F for shift in range(0, max(value.bit_length(), 1), 7)]
    return bytes([*(group | 0x80 for group in groups[:-1]), groups[-1]])


@pytest.mark.parametrize("field", ["breaks", "strays", "wraps", "dummies", "patches"])
def test_too_long_lists_are_refused(field: str) -> None:
    """A list that claims more items than the file has blocks is refused before it is read."""
    encoded = _make_structure(_FILES[0]).to_bytes()
    list_length, skeleton = 2_000_000, read(_FILES[0]).skeleton()
    list_start = encoded.index(skeleton) + len(skeleton)
    special = {"breaks": b"\1\0", "strays": b"\1\0\0", "wraps": b"\1\0\0\0"}.get(field, b"")
    special = special or b"\1\0\0\0\0" + (_encode_number(0) if field == "patches" else b"")
    bomb = encoded[:list_start] + special + _encode_number(list_length) + b"\1" * (3 * list_length)
    with watch_memory() as memory, pytest.raises(FormatError, match="cannot be understood"):
        JpegStructure.from_bytes(bomb, max_pixels=MOST_PIXELS)
    assert memory.peak < list_length
