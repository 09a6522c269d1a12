"""Facts about a file without decoding it agree with the decoded picture."""

import json
import mimetypes
import random
import re
import struct
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt.errors import SudokucryptError, UnsupportedVersionError
from sudokucrypt.images import (
    decode_picture,
    drivers,
    extract_header,
    find_driver,
    find_lossy_format,
    known_format,
    media_type,
    read_picture,
    read_shape,
    stored_header,
)
from tests.images.builders import (
    HEADER,
    build_tiff,
    build_webp,
    encode_array,
    make_box,
    make_png_chunk,
    make_png_text,
    noise,
    save_image,
)
from tests.images.samples import (
    FILES,
    JXL_START,
    REFUSED_FILES,
    damage_data,
    encode_jxl,
    get_format,
)

_LOSSY_FORMATS = {"JPEG", "AVIF", "HEIF", "JPEG 2000"}
_ALSO_LOSSY = {"TIFF, jpeg", "TIFF, CMYK-JPEG", "WebP, lossy", "JPEG XL, lossy"}
_VECTORS = Path(__file__).parent.parent / "kit" / "vectors" / "containers.json"
_MEDIA_TYPE = r"image/[a-z0-9][a-z0-9.+-]{0,63}"
_RGB = noise(9, 11, 3)
_STILL_NAMES = [name for name in FILES if name not in REFUSED_FILES]


@pytest.mark.parametrize("name", FILES)
def test_lossy_formats_are_recognized(name: str) -> None:
    """`find_lossy_format` returns the format of a file with lossy coding, otherwise None."""
    driver = known_format(FILES[name])
    assert driver is not None
    assert driver.name == get_format(name)
    lossy = get_format(name) in _LOSSY_FORMATS or name in _ALSO_LOSSY
    assert find_lossy_format(FILES[name]) == (driver.message_name if lossy else None)


def _build_animated_webp(*kinds: bool) -> bytes:
    """Return an animated WebP of lossy and lossless frames."""
    frames = [
        (b"ANMF", bytes(16) + save_image(_RGB, "WEBP", lossless=not lossy)[12:]) for lossy in kinds
    ]
    return build_webp((b"VP8X", b"\2" + bytes(9)), (b"ANIM", bytes(6)), *frames)


def _build_pages(*changes: dict[int, tuple[int, list[int]]]) -> bytes:
    """Return a TIFF of pages, each with the given tags changed."""
    data = build_tiff(pixels=_RGB)
    (directory_start,) = struct.unpack_from("<I", data, 4)
    file = data[:directory_start]
    for index, tag_changes in enumerate(changes):
        page = build_tiff(tag_changes, pixels=_RGB)[
            directory_start:-4
        ]  # the values before the directory are equal in all pages
        following = len(file) + len(page) + 4 if index + 1 < len(changes) else 0
        file += page + struct.pack("<I", following)
    return file


_JPEG_PAGE, _PREVIEW = {259: (3, [7])}, {254: (4, [1]), 259: (3, [7])}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (_build_animated_webp(False, False), None), (_build_animated_webp(False, True), "WebP"),
        (_build_pages({}, {}), None), (_build_pages({}, _JPEG_PAGE), "TIFF"),
        (_build_pages({}, _PREVIEW), None),
        (_build_pages({259: (3, [34712])}), "TIFF"), (_build_pages({259: (3, [6])}), "TIFF"),
        (JXL_START + make_box(b"jxlc", encode_jxl(_RGB)), None),
        (JXL_START + make_box(b"jxlp", bytes(4), encode_jxl(_RGB)), None),
        (JXL_START + make_box(b"jxlc", encode_jxl(_RGB)) + make_box(b"jbrd", b"x"), "JPEG XL"),
        (JXL_START + make_box(b"jxlc", encode_jxl(_RGB, lossless=False)), "JPEG XL"),
        (encode_jxl(noise(9, 33, 3).reshape(3, 9, 11, 3)), "JPEG XL"),  # animated: counts as lossy
        (b"II\xbc\1" + bytes(60), "JPEG XR"), (b"FUJIFILMCCD-RAW 0201", None), (b"", None),
        (b"hello, world", None),
    ],
)  # fmt: skip
def test_formats_with_optional_loss(data: bytes, expected: str | None) -> None:
    """For formats with and without loss, frames, pages and boxes decide, but previews do not."""
    assert find_lossy_format(data) == expected


@pytest.mark.parametrize("name", sorted(_LOSSY_FORMATS | _ALSO_LOSSY | {"TIFF", "WebP, animation"}))
def test_hostile_files_raise_nothing(name: str) -> None:
    """For a file with random changes, `find_lossy_format` raises no error."""
    draw = random.Random(name)  # noqa: S311 - a fixed seed, not a secret
    for _ in range(200):
        assert find_lossy_format(damage_data(draw, FILES[name])) in (None, get_format(name))


def test_every_suffix_leads_to_its_format() -> None:
    """Each suffix belongs to one format, and an unknown suffix to none."""
    assert {suffix: find_driver(suffix) for driver in drivers() for suffix in driver.suffixes} == {
        suffix: driver for driver in drivers() for suffix in driver.suffixes
    }
    assert find_driver(".nothing") is None
    assert known_format(b"") is None


@given(st.binary(max_size=80), st.text(max_size=20))
def test_media_types_are_valid(data: bytes, name: str) -> None:
    """For random bytes and names, a media type is valid or None."""
    result = media_type(data, name)
    assert result is None or re.fullmatch(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*", result)
    assert find_lossy_format(data) is None or known_format(data) is not None


def test_every_format_has_a_media_type() -> None:
    """Each format has its own media type, and content is preferred to a name."""
    result = [driver.media_type for driver in drivers()]
    assert all(re.fullmatch(_MEDIA_TYPE, media) for media in result)
    assert len(set(result)) == len(result)
    for name, data in FILES.items():
        driver = known_format(data)
        assert driver is not None
        assert media_type(data, "letter.pdf") == driver.media_type
        assert get_format(name) == driver.name


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.pdf", "application/pdf"), ("A.PDF", "application/pdf"), ("b.mp4", "video/mp4"),
        ("a.tar.gz", "application/gzip"), ("a.txt.xz", "application/x-xz"), ("x.unheard-of", None),
        ("no suffix", None), ("", None), (".pdf", None), ("a.b/c", None),
        ("data:text/html,x", None), ("a.\n", None),
    ],
)  # fmt: skip
def test_other_files_are_known_by_their_name(
    name: str, expected: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other files get their media type by their last suffix, not by settings of the machine."""
    mimetypes.init()  # so that settings of the machine would be used
    monkeypatch.setitem(mimetypes.types_map, ".unheard-of", "text/settings")
    monkeypatch.setitem(mimetypes.types_map, ".pdf", "text/settings")
    assert media_type(b"%PDF-1.7", name) == expected


def _read_header(path: Path) -> bytes | None:
    return read_picture(path).header


def _read_header_of_bytes(path: Path) -> bytes | None:
    return extract_header(path.read_bytes(), str(path))


def _require_same_header(path: Path, data: bytes) -> None:
    """Check that the header, or the error, is the same with and without reading the whole file."""
    path.write_bytes(data)
    headers = []
    for find_header in (_read_header, stored_header, _read_header_of_bytes):
        try:
            headers.append(repr(find_header(path)))
        except SudokucryptError as error:
            headers.append(repr(error))
    assert len(set(headers)) == 1


@pytest.mark.parametrize("name", _STILL_NAMES)
def test_headers_of_files(name: str, tmp_path: Path) -> None:
    """The header of every kind of file is found, or None."""
    _require_same_header(tmp_path / "x", FILES[name])


@pytest.mark.parametrize("name", _STILL_NAMES)
def test_shapes_of_files(name: str, tmp_path: Path) -> None:
    """`read_shape` returns the shape of the decoded picture."""
    path = tmp_path / "x"
    path.write_bytes(FILES[name])
    assert read_shape(FILES[name]) == read_picture(path).pixels.shape[:2]


def test_headers_of_vectors(tmp_path: Path) -> None:
    """For protected files of the vectors, header or error are the same as when decoding."""
    cases = json.loads(_VECTORS.read_text())["cases"]
    assert len(cases) > 50
    for case in cases:
        data = bytes.fromhex(case["picture"])
        try:
            decode_picture(data)
        except UnsupportedVersionError:  # raised only if frames are counted
            continue
        except SudokucryptError:
            pass
        _require_same_header(tmp_path / "x", data)


@pytest.mark.parametrize("name", ["PNG", "TIFF"])
def test_headers_are_read_without_samples(name: str) -> None:
    """The header is found in a file with damaged samples, and in one with too many pixels."""
    data = encode_array(noise(64, 64, 3), name, header=HEADER)
    assert extract_header(data, max_pixels=1) == HEADER
    damaged_file = bytearray(data)
    damaged_file[-600] ^= 0xFF
    assert extract_header(bytes(damaged_file)) == HEADER
    with pytest.raises(SudokucryptError, match="claims 64 rows"):
        decode_picture(data, max_pixels=1)


def test_headers_of_large_pictures(tmp_path: Path) -> None:
    """Finding the header of a 300 MB picture reads little of it, even with a huge text chunk."""
    data = encode_array(noise(9, 11, 3), "PNG", header=HEADER)
    data_start, data_end = data.index(b"IDAT") - 4, len(data) - 12
    size = 300_000_000
    path = tmp_path / "large.png"
    for kind, body_start in ((b"IDAT", b""), (b"iTXt", b"sudokucrypts\0")):
        with path.open("wb") as file:
            file.write(data[:data_start] + struct.pack(">I", size) + kind + body_start)
            file.seek(size + 4 - len(body_start), 1)
            file.write(make_png_text(b"tEXt", "Comment", b"x") + data[data_end:])
        tracemalloc.start()
        started = time.perf_counter()
        try:
            assert stored_header(path) == HEADER
            _, peak_memory = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert time.perf_counter() - started < 1
        assert peak_memory < 2**20


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (encode_array(_RGB, "PNG", header=HEADER)[:-1], "ends in the middle"),
        (encode_array(_RGB, "PNG", header=HEADER)[:300], "ends in the middle"),
        (
            encode_array(_RGB, "PNG", header=HEADER).replace(b"<&amp;>", b"<&amp;!"),
            "wrong checksum",
        ),
        (encode_array(_RGB, "PNG", header=HEADER).replace(b"IDAT", b"I\0AT"), "there is no chunk"),
        pytest.param(
            encode_array(_RGB, "PNG")[:33] + make_png_chunk(b"teXt") * 2**19,
            "17920 chunks",
            marks=pytest.mark.slow,
        ),
        (b"x", "not a picture"),
    ],
    ids=["end", "middle", "checksum", "chunk", "chunks", "other"],
)
def test_headers_of_damaged_files(data: bytes, reason: str, tmp_path: Path) -> None:
    """Damage before the header raises the error that decoding raises."""
    path = tmp_path / "x.png"
    path.write_bytes(data)
    for find_header in (_read_header, stored_header, _read_header_of_bytes):
        with pytest.raises(SudokucryptError, match=reason):
            find_header(path)


def test_headers_of_missing_files(tmp_path: Path) -> None:
    """A missing file or a folder raises the error that `read_picture` raises."""
    for path in (tmp_path, tmp_path / "missing", tmp_path / "a\0b"):
        messages = []
        for find_header in (_read_header, stored_header):
            with pytest.raises(SudokucryptError) as error_info:
                find_header(path)
            messages.append(str(error_info.value))
        assert messages[0] == messages[1]
