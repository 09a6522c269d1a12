"""JPEG files as coefficients: what can be changed, what is kept, and what is refused."""

import struct
from dataclasses import replace

import numpy as np
import pytest

from sudokucrypt.errors import (
    FormatError,
    ImageTooLargeError,
    InvalidImageError,
    InvalidParameterError,
    UnsupportedError,
)
from sudokucrypt.images.jpeg import ZIGZAG, JpegFile, Segment
from sudokucrypt.images.jpeg.huffman import HuffmanTable
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import make_smooth, save_image
from tests.images.jpeg.made import (
    PROGRESSION,
    are_equal_coefficients,
    list_blocks_in_runs,
    make_file,
    make_scan_segment,
    read,
    replace_scan,
)

pytestmark = pytest.mark.kernels

_FILE = save_image(make_smooth(33, 31), restart_marker_blocks=2)
_SCAN = _FILE.index(b"\xff\xda")
_FRAME = _FILE.index(b"\xff\xc0")


def test_zigzag_is_that_of_the_standard() -> None:
    """The zigzag order equals figure 5 of T.81."""
    assert ZIGZAG[:12] == (0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25)
    assert sorted(ZIGZAG) == list(range(64))
    assert [63 - position for position in reversed(ZIGZAG)] == list(ZIGZAG)


def test_the_frame_describes_the_file() -> None:
    """Size, sampling, blocks, quantizers and scans of a decoded file equal those of the encoder."""
    file = read(save_image(make_smooth(33, 49), subsampling=2, quality=75))
    assert (file.frame.rows, file.frame.columns, file.frame.progressive) == (33, 49, False)
    assert [part.sampling for part in file.frame.components] == [(2, 2), (1, 1), (1, 1)]
    assert [part.blocks for part in file.frame.components] == [(5, 7), (3, 4), (3, 4)]
    assert [part.shape for part in file.frame.components] == [(6, 8), (3, 4), (3, 4)]
    assert [steps[:3].tolist() for steps in file.quantizers] == [[8, 6, 6], [9, 9, 9], [9, 9, 9]]
    assert [scan.components for scan in file.scans] == [(0, 1, 2)]
    assert file.complete


@pytest.mark.parametrize("script", [(), PROGRESSION])
def test_coefficients_can_be_changed(script: tuple[object, ...]) -> None:
    """A file with changed coefficients and new tables is read with these coefficients."""
    file = make_file(40, 50, script=script)
    generator = np.random.default_rng(1)
    new_planes = [generator.permuted(plane, axis=0) for plane in file.coefficients]
    changed_file = file.with_coefficients(new_planes).optimize()
    assert are_equal_coefficients(changed_file, read(changed_file.to_bytes()))
    assert np.array_equal(changed_file.coefficients[0], new_planes[0])


def test_the_largest_coefficients_are_kept() -> None:
    """The largest and smallest allowed coefficients are written and read."""
    for script in ((), PROGRESSION):
        file = make_file(16, 16, script=script)
        plane = np.full_like(file.coefficients[0], 32767)
        plane[..., 5::2] = -32767
        plane[..., 0] = [[16383, -16384], [-16384, 16383]]
        changed_file = file.with_coefficients([plane]).optimize()
        assert are_equal_coefficients(changed_file, read(changed_file.to_bytes()))


def test_invalid_coefficients_are_refused() -> None:
    """Coefficients of another shape or type, out of range, or sent by no scan raise an error."""
    file = make_file(20, 20, ((1, 1), (2, 2)))
    first_plane, second_plane = file.coefficients
    progressive = make_file(20, 20, script=[((0,), 0, 0, 0, 0), ((0,), 1, 9, 0, 1)])
    (plane,) = progressive.coefficients
    assert not progressive.complete
    unsent, below_range = np.zeros_like(plane), np.zeros_like(plane)
    unsent[0, 0, 10] = below_range[0, 0, 9] = 1
    too_large, too_small = first_plane.copy(), first_plane.copy()
    too_large[0, 0, 0], too_small[0, 0, 7] = 16384, -32768
    invalid_coefficients: list[list[AnyArray]] = [
        [first_plane],
        [second_plane, first_plane],
        [first_plane, second_plane.astype(np.int32)],
    ]
    for coefficients in invalid_coefficients:
        with pytest.raises(InvalidParameterError):
            file.with_coefficients(coefficients)
    for coefficients in ([too_large, second_plane], [too_small, second_plane]):
        with pytest.raises(InvalidParameterError, match="component 0 are out of range"):
            file.with_coefficients(coefficients)
    for coefficients in ([unsent], [below_range]):
        with pytest.raises(InvalidParameterError, match="no scan sends some"):
            progressive.with_coefficients(coefficients)
    mixed_file = make_file(20, 20, ((2, 2), (1, 1)), [((0, 1), 0, 0, 0, 0), ((0,), 1, 63, 0, 0)])
    filling = [plane.copy() for plane in mixed_file.coefficients]
    filling[0][-1, -1, 0] = 5
    filling[1][...] = 0
    assert mixed_file.with_coefficients(filling).coefficients[0][-1, -1, 0] == 5
    filling[0][-1, -1, 1] = 5
    with pytest.raises(InvalidParameterError, match="no scan sends some"):
        mixed_file.with_coefficients(filling)


def test_unsuitable_tables_are_refused() -> None:
    """Coefficients without a code raise an error with a hint, and `is_same_file` is false."""
    file = make_file(8, 8)
    changed_file = file.with_coefficients([file.coefficients[0] + np.int16(900)])
    with pytest.raises(InvalidParameterError, match="no code") as error_info:
        changed_file.to_bytes()
    assert "optimize()" in str(error_info.value.hint)
    assert not changed_file.is_same_file(file.to_bytes())


def test_everything_around_the_scans_is_kept() -> None:
    """Segments, fill bytes and data after the end marker are kept."""
    comment = b"\xff\xff\xff\xfe\x00\x06\xff\xd9\x00\x01"
    data = _FILE[:2] + comment + _FILE[2:-2] + b"\xff\xff\xff\xd9" + b"more \xff\xd8"
    file = read(data)
    assert file.parts[0] == Segment(0xFE, b"\xff\xd9\x00\x01", 2)
    assert (file.fill, file.tail) == (
        0,
        b"more \xff\xd8",
    )  # fill bytes after a scan are strays of the scan
    assert file.scans[0].stray_bytes == ((2, b"\xff\xff"),)
    assert file.is_same_file(data)


def test_padding_of_any_bits_is_kept() -> None:
    """Unusual padding bits of restart intervals are kept, and replaced by ones with new tables."""
    file = read(_FILE)
    assert file.scans[0].padding == b""
    data = replace_scan(file, 0, padding=bytes([0x80, 0xFF, 0xAA])).to_bytes()
    decoded_file = read(data)
    assert decoded_file.scans[0].padding != b""
    assert decoded_file.is_same_file(data)
    assert are_equal_coefficients(file, decoded_file)
    assert decoded_file.optimize().scans[0].padding == b""
    with pytest.raises(InvalidParameterError, match="3 restart intervals"):
        replace_scan(file, 0, padding=b"\0").to_bytes()


@pytest.mark.parametrize("stray", [b"\xff", b"\0\0", b"\xff\xff\xff\xd5", b"\x12\xff\x00\xff"])
def test_a_few_strays_are_kept(stray: bytes) -> None:
    """Fill bytes and a few other bytes after the last block are kept."""
    data = _FILE[:-2] + stray + _FILE[-2:]
    file = read(data)
    assert file.scans[0].stray_bytes == ((2, stray),)
    assert file.is_same_file(data)
    assert not read(file.optimize().to_bytes()).scans[0].stray_bytes


def test_strays_between_intervals_are_kept() -> None:
    """Fill bytes before a restart marker are kept."""
    marker_position = _FILE.index(b"\xff\xd1")
    data = _FILE[:marker_position] + b"\xff\xff" + _FILE[marker_position:]
    assert read(data).scans[0].stray_bytes == ((1, b"\xff\xff"),)
    assert read(data).is_same_file(data)


def _replace_tables(file: JpegFile, symbols: AnyArray) -> JpegFile:
    """Return the file with Huffman tables of only the given symbols."""
    table = HuffmanTable.from_frequencies(symbols.astype(np.int64))
    tables = Segment(0xC4, table.to_bytes(0, 0) + table.to_bytes(1, 0))
    other_parts = [
        part for part in file.parts if not isinstance(part, Segment) or part.marker != 0xC4
    ]
    return replace(file, parts=(tables, *other_parts))


@pytest.mark.parametrize("nonzero_share", [0.0, 0.01])
def test_runs_that_stop_anywhere_are_kept(nonzero_share: float) -> None:
    """A file whose runs of ends of block end at any blocks is kept."""
    file = _replace_tables(
        make_file(100, 100, script=PROGRESSION, nonzero_share=nonzero_share), np.ones(256)
    )
    for step in (1, 3, 50):
        changed_file = file
        for index in range(len(file.scans)):
            changed_file = replace_scan(
                changed_file,
                index,
                run_breaks=list_blocks_in_runs(file, index, range(0, 169, step)),
            )
        data = changed_file.to_bytes()
        decoded_file = read(data)
        assert are_equal_coefficients(file, decoded_file)
        assert decoded_file.is_same_file(data)
        assert any(scan.run_breaks for scan in decoded_file.scans)


def test_runs_of_single_blocks_have_no_breaks() -> None:
    """If tables have codes only for runs of one block, no breaks are stored."""
    file = make_file(100, 100, script=PROGRESSION, nonzero_share=0.01)
    symbols = np.arange(256)
    data = _replace_tables(file, (symbols % 16 > 0) | (symbols == 0) | (symbols == 0xF0)).to_bytes()
    decoded_file = read(data)
    assert [scan.run_breaks for scan in decoded_file.scans] == [()] * len(file.scans)
    assert are_equal_coefficients(file, decoded_file)
    assert decoded_file.is_same_file(data)


def test_longest_runs_are_kept() -> None:
    """A run of more than 32767 blocks is split, and the file is kept."""
    data = save_image(np.full((800, 2944, 1), 77, dtype=np.uint8), progressive=True)
    file = read(data)
    assert len(file.coefficients[0].reshape(-1, 64)) > 0x7FFF
    assert [scan.run_breaks for scan in file.scans] == [()] * len(file.scans)
    assert file.is_same_file(data)


def test_unusual_codings_are_noticed() -> None:
    """A file that codes zeros before the end of a block is read, and `is_same_file` is false."""
    table = HuffmanTable(bytes([0, 3, *[0] * 14]), b"\0\xf0\1")
    file = make_file(8, 8).with_coefficients([np.zeros((1, 1, 64), np.int16)]).optimize()
    single_table = HuffmanTable(bytes([1, *[0] * 15]), b"\0")
    tables = Segment(0xC4, single_table.to_bytes(0, 0) + table.to_bytes(1, 0))
    segments = [part for part in file.parts if isinstance(part, Segment) and part.marker != 0xC4]
    parts = (tables, *segments)
    file_start = (
        replace(file, parts=parts).to_bytes()[:-2] + make_scan_segment((0,), 0, 63, 0, 0).to_bytes()
    )
    plain, zeros = file_start + bytes([0b00011111]), file_start + bytes([0b00100111])
    assert read(plain + b"\xff\xd9").is_same_file(plain + b"\xff\xd9")
    assert are_equal_coefficients(read(zeros + b"\xff\xd9"), file)
    assert not read(zeros + b"\xff\xd9").is_same_file(zeros + b"\xff\xd9")


@pytest.mark.parametrize(
    "data",
    [
        _FILE[:2] + b"\xff\xfe\x00\x02" * 20000 + _FILE[2:],
        _FILE[:_SCAN] + b"\xff\xda\x00\x02" * 40000 + _FILE[_SCAN:],
    ],
)
def test_files_of_too_many_segments(data: bytes) -> None:
    """Files with more segments or fill bytes than encoders write are refused."""
    with pytest.raises(UnsupportedError, match="more than 16383 segments"):
        read(data)


def test_breaks_of_no_run_are_refused() -> None:
    """A break at a block that cannot be in a run raises an error."""
    file = make_file(
        8, 8 * 6, script=(((0,), 0, 0, 0, 0), ((0,), 1, 63, 0, 1), ((0,), 1, 63, 1, 0))
    )
    plane = np.zeros_like(file.coefficients[0])
    plane[0, 0, 5], plane[0, 1, 5] = 2, 1  # one is sent by the first scan, the other by the second
    file = _replace_tables(file.with_coefficients([plane]), np.ones(256))
    invalid_breaks = [(), (1, 2, 3, 4, 5), (0, 2, 3, 4, 5)]
    for index in range(3):
        assert list_blocks_in_runs(file, index, range(7)) == invalid_breaks[index]
        for block in range(7):
            invalid_file = replace_scan(file, index, run_breaks=(block,), padding=b"")
            if block in invalid_breaks[index]:
                assert read(invalid_file.to_bytes()).coefficients[0].tolist() == plane.tolist()
                continue
            with pytest.raises(FormatError, match="at a block that cannot be in a run"):
                invalid_file.to_bytes()


def test_sizes_are_checked_before_memory_is_reserved() -> None:
    """A file that claims too many pixels, or more blocks than it has bits for, is refused."""
    with pytest.raises(InvalidImageError, match="claims 33 rows of 31 pixels"):
        read(_FILE, max_pixels=1000)
    huge = struct.pack(">HH", 65535, 65535)
    for data in (_FILE, save_image(make_smooth(33, 31), progressive=True)):
        frame = data.index(b"\x08\x00\x21\x00\x1f") + 1
        with pytest.raises(InvalidImageError, match=r"ends in the middle|lacks restart"):
            read(data[:frame] + huge + data[frame + 4 :], max_pixels=2**32)


@pytest.mark.parametrize(
    ("subsampling", "channels", "fits"), [(2, 3, False), (2, 1, True), (0, 3, False), (0, 4, False)]
)
def test_memory_of_coefficients_is_limited(subsampling: int, channels: int, fits: bool) -> None:
    """Coefficients may take 2.25 bytes for each pixel that may be read, and 16 MiB in any case."""
    large_file = save_image(make_smooth(2400, 2400, channels), subsampling=subsampling, quality=5)
    pixels = 2400**2
    if fits:
        assert read(large_file, max_pixels=pixels).coefficients[0].size >= pixels
        return
    with pytest.raises(ImageTooLargeError, match="bytes of coefficients, more than"):
        read(large_file, max_pixels=pixels)
    assert read(large_file, max_pixels=4 * pixels).complete
