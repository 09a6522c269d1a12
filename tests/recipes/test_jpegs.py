"""A scrambled JPEG is a JPEG, and is restored byte for byte."""

import io
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    SudokucryptError,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    picture_permutation,
    read_header,
    rekey_file,
    scramble_bytes,
    scramble_file,
    unscramble_bytes,
    unscramble_file,
)
from sudokucrypt.images import decode_picture
from sudokucrypt.images.jpeg import read_coefficients
from sudokucrypt.images.jpeg.dummy_blocks import replace_dummies
from sudokucrypt.images.jpeg.structure import JpegStructure
from sudokucrypt.recipes import open_file, picture_key, read_sealed_info
from sudokucrypt.typing import AnyArray
from tests.images.jpeg.corpus import list_corpus, list_parts, list_photographs, make_smooth
from tests.images.jpeg.corpus import save_image as saved
from tests.images.jpeg.made import make_file, read
from tests.recipes.memory import inspect_picture, run_on_bytes, save_image
from tests.reports.browser import open_browser

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
HEADER = b"sudokucrypt\0"
_KINDS: tuple[dict[str, Any], ...] = ({}, {"progressive": True}, {"subsampling": 0})


def make_photo(index: int = 0, **options: Any) -> bytes:
    """Return a JPEG of the photograph with this index."""
    return saved(list(list_photographs().values())[index], **{"quality": 85, **options})


def scramble_jpeg(data: bytes, key: Any = KEY, **options: Any) -> bytes:
    """Scramble the bytes of a JPEG."""
    return run_on_bytes(scramble_file, data, key, **options)


def restore_plain(data: bytes, key: Any = KEY, **options: Any) -> bytes:
    """Unscramble the bytes of a JPEG."""
    return run_on_bytes(unscramble_file, data, key, **options)


def read_planes(data: bytes) -> tuple[AnyArray, ...]:
    """Return the coefficients of all components of a JPEG."""
    return read_coefficients(data, max_pixels=2**24).coefficients


def list_segments(data: bytes) -> list[int]:
    """Return the markers of all segments before the first scan."""
    markers, segment_start = [], 2
    while data[segment_start + 1] != 0xDA:
        markers.append(data[segment_start + 1])
        segment_start += 2 + int.from_bytes(data[segment_start + 2 : segment_start + 4], "big")
    return markers


def strip_header(data: bytes) -> bytes:
    """Remove the segments with our header from a JPEG."""
    position = 2
    while data[position + 1] != 0xDA:
        next_position = position + 2 + int.from_bytes(data[position + 2 : position + 4], "big")
        if data[position + 4 : next_position].startswith(HEADER):
            data = data[:position] + data[next_position:]
        else:
            position = next_position
    return data


@pytest.mark.parametrize("test_part", list_parts(12))
def test_every_file_is_restored(test_part: int) -> None:
    """Each JPEG of the corpus is scrambled to a JPEG of its size, and restored byte for byte."""
    for name, file in [*list_corpus().items()][test_part::12]:
        complete = read_coefficients(file, max_pixels=2**20).complete
        data = file if complete else make_photo(progressive=True)
        result = scramble_jpeg(data)
        _require_scrambled(data, result)
        assert restore_plain(result) == data, name


def _require_scrambled(data: bytes, result: bytes) -> None:
    """Check that most blocks were moved, and that the numbers of nonzero values stayed."""
    plain_picture, scrambled_picture = decode_picture(data), decode_picture(result)
    assert scrambled_picture.format == "JPEG"
    assert scrambled_picture.pixels.shape == plain_picture.pixels.shape
    assert scrambled_picture.header is not None
    for plain, moved_plane in zip(read_planes(data), read_planes(result), strict=True):
        if plain.size > 64 * 40 and plain[..., 1:].any():
            assert (plain != moved_plane).any(axis=-1).mean() > 0.7
        assert np.count_nonzero(plain[..., 1:]) == np.count_nonzero(moved_plane[..., 1:])


def test_viewers_open_scrambled_jpegs() -> None:
    """Pillow and imagecodecs decode scrambled JPEGs to pictures of the original size."""
    for options in _KINDS:
        result = scramble_jpeg(make_photo(**options))
        with Image.open(io.BytesIO(result)) as image:
            image.load()
            size = image.size
        assert imagecodecs.jpeg8_decode(result).shape[:2] == size[::-1]


@pytest.mark.programs("djpeg")
def test_djpeg_opens_scrambled_jpegs(tmp_path: Path) -> None:
    """The program djpeg decodes scrambled JPEGs to the original size, without a warning."""
    path = tmp_path / "a.jpg"
    for options in _KINDS:
        path.write_bytes(scramble_jpeg(make_photo(**options)))
        process = subprocess.run(["djpeg", "-ppm", path], capture_output=True, check=True)
        with Image.open(path) as image:
            assert process.stdout.split()[1:3] == [b"%d" % side for side in image.size]
        assert not process.stderr


@pytest.mark.slow
@pytest.mark.programs("chromium")
def test_browsers_show_scrambled_jpegs(tmp_path: Path) -> None:
    """Chromium shows scrambled photographs in the size of the original."""
    for index, options in enumerate(_KINDS):
        (tmp_path / f"{index}.jpg").write_bytes(scramble_jpeg(make_photo(**options)))
    images = "".join(f"<img src='{index}.jpg'>" for index in range(len(_KINDS)))
    (tmp_path / "page.html").write_text(f"<!doctype html>{images}", encoding="utf-8")
    rows, columns = decode_picture(make_photo()).pixels.shape[:2]
    with open_browser(tmp_path / "profile") as page:
        page.open(tmp_path / "page.html", width=900)
        page.value("Promise.all([...document.images].map(image => image.decode()))")
        sizes = page.value("[...document.images].map(i => [i.naturalWidth, i.naturalHeight])")
    assert sizes == [[columns, rows]] * len(_KINDS)


def test_nothing_beside_the_picture_is_readable() -> None:
    """Metadata, comments, unused tables and trailing bytes are sealed, and restored."""
    image = Image.fromarray(next(iter(list_photographs().values())))
    exif = Image.Exif()
    exif[0x010E] = "a very private description"
    options = {"comment": b"another private note", "icc_profile": b"profile"}
    saved_file = save_image(image, "JPEG", exif=exif, **options)
    table = b"\xff\xdb\0\x43\3" + b"a table that no component has".ljust(64, b"x")
    data = saved_file[:2] + table + saved_file[2:] + b"a private trailer"
    for metadata in ("seal", "strip"):
        result = scramble_jpeg(data, metadata=metadata)
        assert b"private" not in result
        assert b"a table" not in result
        assert set(list_segments(result)) == {0xE0, 0xEB, 0xDB, 0xC0, 0xC4}
        assert (restore_plain(result) == data) is (metadata == "seal")
    assert b"private" not in restore_plain(result)
    assert all(map(np.array_equal, read_planes(restore_plain(result)), read_planes(data)))


def test_segments_added_to_a_scrambled_file_are_reported_and_dropped() -> None:
    """Segments and trailing bytes that were added to a scrambled JPEG are not restored.

    `dropped` of the report names them, and is empty if nothing was added.
    """
    image = Image.fromarray(next(iter(list_photographs().values())))
    exif = Image.Exif()
    exif[0x0112] = 6
    data = save_image(image, "JPEG", exif=exif)
    segments = b"".join(_make_segment(*added) for added in _ADDED_SEGMENTS.values())
    result = scramble_jpeg(data)
    changed = result[:2] + segments + result[2:] + b"trailing bytes"
    for stored_file, dropped in (
        (result, ()),
        (changed, (*_ADDED_SEGMENTS, "data after the picture")),
    ):
        target = io.BytesIO()
        report = unscramble_file(io.BytesIO(stored_file), target, KEY)
        assert (report.dropped, target.getvalue()) == (dropped, data)


_ADDED_SEGMENTS = {
    "Exif": (0xE1, b"Exif\0\0MM\0\x2a\0\0\0\x08\0\0\0\0\0\0"),
    "comment": (0xFE, b"look here"),
    "APP13 segment": (0xED, b"Photoshop 3.0\0"),
    "Adobe": (0xEE, b"Adobe\0\x64\0\0\0\0\0"),
}


def _make_segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body


def _make_out_of_range() -> bytes:
    """Return a JPEG with means of blocks out of the range of samples."""
    file = read_coefficients(saved(make_smooth(64, 48)), max_pixels=2**20)
    planes = [np.array(plane) for plane in file.coefficients]
    for plane in planes:
        count = plane[..., 0].size
        plane[..., 0] = np.linspace(-2047, 2047, count).reshape(plane.shape[:2])
    return file.with_coefficients(planes).optimize().to_bytes()


def test_means_out_of_range_are_restored() -> None:
    """Means out of the range of samples are scrambled into that range, and restored."""
    data = _make_out_of_range()
    result = scramble_jpeg(data)
    assert restore_plain(result) == data
    assert all(np.abs(plane[..., 0]).max() <= 128 for plane in read_planes(result))


def test_oddly_coded_files_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with an unusual coding of the same coefficients is restored exactly by a patch.

    It is refused if the patch or the structure is too long.
    """
    data = saved(np.zeros((24, 24, 1), dtype=np.uint8))
    file = read_coefficients(data, max_pixels=2**10)
    oddly_coded = _insert_runs_of_zeros(data)
    assert not np.any(read_planes(oddly_coded)[0] != file.coefficients[0])
    assert not read_coefficients(oddly_coded, max_pixels=2**10).is_same_file(oddly_coded)
    assert restore_plain(scramble_jpeg(oddly_coded)) == oddly_coded
    structure = JpegStructure.from_file(oddly_coded, file)
    assert structure is not None
    longest = "sudokucrypt.recipes.jpegs._MAX_STRUCTURE_BYTES"
    monkeypatch.setattr(longest, len(structure.to_bytes()))
    assert restore_plain(scramble_jpeg(oddly_coded)) == oddly_coded
    for name, value, message in (
        (longest, len(structure.to_bytes()) - 1, "more data besides its picture"),
        ("sudokucrypt.images.jpeg.structure._MAX_PATCH_BYTES", 0, "do not give exactly"),
        ("sudokucrypt.recipes.jpegs._MODES", {3: "rgb"}, "is a JPEG of 1 components"),
    ):
        monkeypatch.setattr(name, value)
        with pytest.raises(UnsupportedError, match=message):
            scramble_jpeg(oddly_coded, format="JPEG")


def _insert_runs_of_zeros(data: bytes) -> bytes:
    """Insert a superfluous run of zeros, ZRL before EOB, into the first block of a black JPEG."""
    scan_start = data.index(b"\xff\xda") + 2
    scan_start += int.from_bytes(data[scan_start : scan_start + 2], "big")
    coded = "".join(f"{byte:08b}" for byte in data[scan_start:-2].replace(b"\xff\0", b"\xff"))
    zrl, eob = "11111111001", "1010"  # the codes in the usual table
    position = coded.index(eob)
    coded = coded[:position] + zrl + coded[position:].rstrip("1")
    coded += "1" * (-len(coded) % 8)
    scan = int(coded, 2).to_bytes(len(coded) // 8, "big")
    return data[:scan_start] + scan.replace(b"\xff", b"\xff\0") + data[-2:]


def test_bytes() -> None:
    """`scramble_bytes` makes a JPEG of a JPEG, and `unscramble_bytes` restores it."""
    data = make_photo(1)
    scrambled = scramble_bytes(data, KEY)
    assert scrambled.startswith(b"\xff\xd8\xff")
    assert unscramble_bytes(scrambled, KEY) == data


def test_a_sidecar_replaces_removed_segments(tmp_path: Path) -> None:
    """A scrambled JPEG without its header segments is restored with its sidecar."""
    _check_sidecar(tmp_path, lambda without_header: [without_header])


@pytest.mark.programs("jpegtran")
def test_a_sidecar_restores_recoded_files(tmp_path: Path) -> None:
    """A scrambled JPEG without header that jpegtran recoded is restored with its sidecar."""

    def recode(without_header: bytes) -> list[bytes]:
        commands = [["jpegtran", *way] for way in _RECODING_OPTIONS]
        return [
            subprocess.run(command, input=without_header, capture_output=True, check=True).stdout
            for command in commands
        ]

    _check_sidecar(tmp_path, recode)


def _check_sidecar(tmp_path: Path, change: Callable[[bytes], list[bytes]]) -> None:
    """Check that all results of `change` for a file without header are restored by its sidecar."""
    data = make_photo()
    (tmp_path / "in.jpg").write_bytes(data)
    scramble_file(tmp_path / "in.jpg", tmp_path / "out.jpg", KEY, sidecar=True)
    without_header = strip_header((tmp_path / "out.jpg").read_bytes())
    with pytest.raises(FormatError, match="not a protected picture"):
        restore_plain(without_header)
    for changed in change(without_header):
        (tmp_path / "out.jpg").write_bytes(changed)
        unscramble_file(tmp_path / "out.jpg", tmp_path / "back.jpg", KEY, replace=True)
        assert (tmp_path / "back.jpg").read_bytes() == data


def test_damage_is_found() -> None:
    """Truncated files, wrong keys and headers of other files are refused.

    `test_manipulations` tries other damage.
    """
    result = scramble_jpeg(make_photo(3))
    for cut_length in range(0, len(result), 970):
        with pytest.raises(SudokucryptError):
            restore_plain(result[:cut_length])
    with pytest.raises(DecryptionError, match="wrong key"):
        restore_plain(result, OTHER_KEY)
    other = scramble_jpeg(make_photo(4))
    with pytest.raises(DecryptionError):
        restore_plain(strip_header(other)[:2] + _find_header(result) + strip_header(other)[2:])


def test_hostile_structures_of_a_key_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged structure that was sealed with the right key is refused, or restored harmlessly."""
    generator = np.random.default_rng(2)
    data, refused = saved(make_smooth(20, 17), progressive=True, comment=b"words"), 0
    write = JpegStructure.to_bytes

    def write_changed(structure: JpegStructure) -> bytes:
        changed_structure = bytearray(write(structure))
        position = int(generator.integers(len(changed_structure)))
        kind = generator.integers(3)
        if kind == 0:
            changed_structure[position] ^= 1 << int(generator.integers(8))
        elif kind == 1:
            del changed_structure[position : position + int(generator.integers(1, 9))]
        else:
            changed_structure[position:position] = generator.bytes(4)
        return bytes(changed_structure)

    for _ in range(60):
        with monkeypatch.context() as patched:
            patched.setattr(JpegStructure, "to_bytes", write_changed)
            result = scramble_jpeg(data, rounds=1)
        try:
            restore_plain(result)
        except SudokucryptError:
            refused += 1
    assert refused > 40


def test_a_structure_of_other_sampling_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sealed structure whose components have other sizes does not describe the file."""
    pixels = make_smooth(32, 32)
    data, other = (saved(pixels, quality=90, subsampling=kind) for kind in (0, 2))
    other_file = read_coefficients(other, max_pixels=2**10)
    other_structure = JpegStructure.from_file(other, other_file)
    assert other_structure is not None
    lie = other_structure.to_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(JpegStructure, "to_bytes", lambda _: lie)
        result = scramble_jpeg(data)
    with pytest.raises(DecryptionError):
        restore_plain(result)


def _find_header(data: bytes) -> bytes:
    """Return the segment with our header."""
    position = data.index(HEADER) - 4
    return data[position : position + 2 + int.from_bytes(data[position + 2 : position + 4], "big")]


def test_a_scrambled_jpeg_stored_as_png_is_refused(tmp_path: Path) -> None:
    """A scrambled JPEG that is now a PNG or JPEG XL cannot be restored; the error says so."""
    (tmp_path / "in.jpg").write_bytes(make_photo())
    scramble_file(tmp_path / "in.jpg", tmp_path / "out.jpg", KEY, sidecar=True)
    with Image.open(tmp_path / "out.jpg") as image:
        image.save(tmp_path / "out.png")
        jpeg_xl = imagecodecs.jpegxl_encode(np.asarray(image), usecontainer=False)
    (tmp_path / "out.jxl").write_bytes(jpeg_xl)
    assert jpeg_xl.startswith(b"\xff")
    sidecar = tmp_path / "out.jpg.sudokucrypt.json"
    for name in ("out.png", "out.jxl"):
        with pytest.raises(FormatError, match="not the JPEG that was scrambled"):
            unscramble_file(tmp_path / name, tmp_path / "x.jpg", KEY, sidecar=sidecar)


def test_other_formats_may_be_requested(tmp_path: Path) -> None:
    """A JPEG can be scrambled to a PNG by its pixels, and be restored to a TIFF.

    An output named as JPEG is refused if it cannot be one.
    """
    data = make_photo()
    (tmp_path / "in.jpg").write_bytes(data)
    plain = decode_picture(data).pixels
    scramble_file(tmp_path / "in.jpg", tmp_path / "a.png", KEY)
    scramble_file(tmp_path / "in.jpg", tmp_path / "a.jpg", KEY)
    for name in ("a.png", "a.jpg"):
        unscramble_file(tmp_path / name, tmp_path / f"{name}.tiff", KEY)
        assert np.array_equal(
            decode_picture((tmp_path / f"{name}.tiff").read_bytes()).pixels, plain
        )
    for options in ({"unit": "sample"}, {"unit": "block", "block_size": 8}):
        assert scramble_jpeg(data, **options).startswith(b"\x89PNG")
        with pytest.raises(UnsupportedError, match="is lossy"):
            scramble_file(tmp_path / "in.jpg", tmp_path / "b.jpg", KEY, **options)
    with pytest.raises(UnsupportedError, match="is lossy"):
        encrypt_file(tmp_path / "in.jpg", tmp_path / "b.jpg", KEY)
    with pytest.raises(UnsupportedError, match="the suffix is of another format"):
        rekey_file(tmp_path / "a.jpg", tmp_path / "b.png", KEY, OTHER_KEY)
    assert not (tmp_path / "b.jpg").exists()
    for name in ("JPEG", "jpg"):  # the input is not a JPEG, and "jpg" is no name of a format
        with pytest.raises(UnsupportedError, match=f"cannot be written as {name}"):
            scramble_bytes(b"P5 2 2 255 abcd", KEY, format=name)


def test_scrambled_jpegs_are_neither_decrypted_nor_protected_again() -> None:
    """A scrambled JPEG is refused by `decrypt_file`, `scramble_file` and `encrypt_file`."""
    result = scramble_jpeg(make_photo())
    with pytest.raises(InvalidParameterError, match="scrambled only"):
        decrypt_file(io.BytesIO(result), io.BytesIO(), KEY)
    for protect in (scramble_file, encrypt_file):
        options: Any = {"as_file": False} if protect is encrypt_file else {}
        with pytest.raises(UnsupportedError, match="protected already"):
            protect(io.BytesIO(result), io.BytesIO(), KEY, **options)


def test_scrambled_jpegs_are_inspected_and_rekeyed(tmp_path: Path) -> None:
    """All functions that read, open, inspect or rekey protected files take a scrambled JPEG."""
    data = make_photo()
    path = tmp_path / "photo.scrambled.jpg"
    path.write_bytes(scramble_jpeg(data))
    header = read_header(path)
    assert (header.scheme, header.unit, header.block_size) == ("scramble-jpeg-v1", "block", 8)
    assert read_sealed_info(path, KEY).shape == decode_picture(data).pixels.shape
    opened = open_file(path, picture_key(KEY, header))
    assert (opened.name, opened.type, bytes(opened.content)) == ("photo.jpg", "image/jpeg", data)
    assert np.array_equal(inspect_picture(path, KEY)[1].picture.pixels, decode_picture(data).pixels)
    with pytest.raises(UnsupportedError, match="no single permutation"):
        picture_permutation(KEY, header)
    rekey_file(path, tmp_path / "new.jpg", KEY, OTHER_KEY)
    assert read_header(tmp_path / "new.jpg").rounds == header.rounds


def test_results_of_other_options_are_not_kept(tmp_path: Path) -> None:
    """With `resume`, a result of other rounds or another kind of salt is an error.

    A result of equal options is kept. The scheme of JPEGs may be named, and is the default.
    """
    source, target = tmp_path / "in.jpg", tmp_path / "out.jpg"
    source.write_bytes(make_photo())
    first_report = scramble_file(source, target, KEY)
    kept_report = scramble_file(source, target, KEY, resume=True)
    assert kept_report.kept
    assert kept_report.tag == first_report.tag is not None
    assert first_report.shape == decode_picture(make_photo()).pixels.shape
    other_options: list[dict[str, Any]] = [{"rounds": 7}, {"deterministic": True}]
    for options in other_options:
        with pytest.raises(OutputExistsError, match="not what this run would write"):
            scramble_file(source, target, KEY, resume=True, **options)
    for _ in range(2):  # more rounds than are restored by default
        slow_passphrase = scramble_file(source, tmp_path / "slow.jpg", KEY, rounds=20, resume=True)
    assert slow_passphrase.kept
    with_name = scramble_jpeg(make_photo(), scheme="scramble-jpeg-v1", deterministic=True)
    assert with_name == scramble_jpeg(make_photo(), deterministic=True)


def test_jpegs_that_lack_scans_are_scrambled_by_pixels(tmp_path: Path) -> None:
    """A JPEG that lacks scans is scrambled to a PNG, or refused if the output is named as JPEG."""
    files = [data for data in list_corpus().values() if not read(data).complete]
    (tmp_path / "in.jpg").write_bytes(files[-1])
    report = scramble_file(tmp_path / "in.jpg", None, KEY)
    assert report.target is not None
    assert report.target.suffix == ".png"
    assert report.pixels_because == "JPEG that cannot stay one"
    with pytest.raises(UnsupportedError, match="lacks some of its scans"):
        scramble_file(tmp_path / "in.jpg", tmp_path / "named.jpg", KEY)
    with pytest.raises(InvalidImageError, match="more than the 9 pixels"):
        scramble_file(tmp_path / "in.jpg", None, KEY, max_pixels=9, replace=True)


# Scrambled JPEGs are restored after a program recoded them without loss.


recoding = pytest.mark.programs("jpegtran")
_RECODING_OPTIONS = (("-optimize",), ("-progressive",), ("-restart", "1B"))
# Scripts of progressive scans: means of all components together, their lowest bits apart, or each
# component by itself.
_MEAN_SCANS: Any = (((0, 1, 2), 0, 0, 0, 0), *(((n,), 1, 63, 0, 0) for n in range(3)))
_LOW_BITS: Any = (
    ((0, 1, 2), 0, 0, 0, 1),
    *(((n,), 0, 0, 1, 0) for n in range(3)),
    *_MEAN_SCANS[1:],
)
_SEPARATE_SCANS: Any = (*(((n,), 0, 0, 0, 0) for n in range(3)), *_MEAN_SCANS[1:])
_SAMPLINGS = ((2, 2), (1, 2), (1, 1))


def _recode_file(data: bytes, *way: str) -> bytes:
    command = ["jpegtran", "-copy", "all", *way]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def _require_restored(data: bytes) -> None:
    result = scramble_jpeg(data)
    for recoding_way in _RECODING_OPTIONS:
        assert restore_plain(_recode_file(result, *recoding_way)) == data, recoding_way


@cache
def _list_files_with_fillers() -> list[bytes]:
    """Return the files of the corpus with filler blocks, which only complete units."""
    files = [(data, read(data)) for data in list_corpus().values()]
    return [
        data
        for data, file in files
        if file.complete and any(each.shape != each.blocks for each in file.frame.components)
    ]


@recoding
@pytest.mark.parametrize("test_part", list_parts(20))
def test_recoded_files_with_fillers_are_restored(test_part: int) -> None:
    """Scrambled files with filler blocks, of all sizes and samplings, are restored if recoded."""
    for data in _list_files_with_fillers()[test_part::20]:
        _require_restored(data)


@recoding
@pytest.mark.parametrize("script", [(), _MEAN_SCANS, _LOW_BITS, _SEPARATE_SCANS])
@pytest.mark.parametrize("sides", [(1, 1), (17, 17), (33, 40)])
def test_unusual_fillers_are_restored(sides: tuple[int, int], script: Any) -> None:
    """Filler blocks with arbitrary contents, or missing from some scans, are restored."""
    data = make_file(*sides, samplings=_SAMPLINGS, script=script).to_bytes()
    _require_restored(data)


@recoding
@pytest.mark.parametrize("script", [(), _MEAN_SCANS])
def test_fillers_reveal_nothing(script: Any) -> None:
    """The filler blocks of a scrambled file depend only on its other blocks."""
    file = read(scramble_jpeg(make_file(17, 17, samplings=_SAMPLINGS, script=script).to_bytes()))
    for plane, component in zip(file.coefficients, file.frame.components, strict=True):
        usual_plane = plane.copy()
        replace_dummies(usual_plane, component)
        assert np.array_equal(plane, usual_plane)
