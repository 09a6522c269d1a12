"""A scrambled JPEG stays a JPEG, and restoring gives back the very file."""

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

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
HEADER = b"sudokucrypt\0"
_KINDS: tuple[dict[str, Any], ...] = ({}, {"progressive": True}, {"subsampling": 0})


def make_photo(index: int = 0, **options: Any) -> bytes:
    """A JPEG of a photograph."""
    return saved(list(list_photographs().values())[index], **{"quality": 85, **options})


def scramble_jpeg(data: bytes, key: Any = KEY, **options: Any) -> bytes:
    """The scrambled file."""
    return run_on_bytes(scramble_file, data, key, **options)


def restore_plain(data: bytes, key: Any = KEY, **options: Any) -> bytes:
    """The restored file."""
    return run_on_bytes(unscramble_file, data, key, **options)


def read_planes(data: bytes) -> tuple[AnyArray, ...]:
    """The coefficients of a file."""
    return read_coefficients(data, max_pixels=2**24).coefficients


def list_segments(data: bytes) -> list[int]:
    """The markers of all segments before the first scan."""
    markers, at = [], 2
    while data[at + 1] != 0xDA:
        markers.append(data[at + 1])
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return markers


def strip_header(data: bytes) -> bytes:
    """A file without the segments that hold our header."""
    at = 2
    while data[at + 1] != 0xDA:
        end = at + 2 + int.from_bytes(data[at + 2 : at + 4], "big")
        if data[at + 4 : end].startswith(HEADER):
            data = data[:at] + data[end:]
        else:
            at = end
    return data


@pytest.mark.parametrize("part", list_parts(12))
def test_every_file_comes_back(part: int) -> None:
    """Byte for byte, from a JPEG of its size in which no block and no mean is left as it was."""
    for name, file in [*list_corpus().items()][part::12]:
        complete = read_coefficients(file, max_pixels=2**20).complete
        data = file if complete else make_photo(progressive=True)
        result = scramble_jpeg(data)
        _require_moved(data, result)
        assert restore_plain(result) == data, name


def _require_moved(data: bytes, result: bytes) -> None:
    before, after = decode_picture(data), decode_picture(result)
    assert after.format == "JPEG"
    assert after.pixels.shape == before.pixels.shape
    assert after.header is not None
    for plain, moved in zip(read_planes(data), read_planes(result), strict=True):
        if plain.size > 64 * 40 and plain[..., 1:].any():
            assert (plain != moved).any(axis=-1).mean() > 0.7
        sizes = [np.sort(np.abs(each[..., 1:].astype(int)).ravel() > 0) for each in (plain, moved)]
        assert (sizes[0] == sizes[1]).all()


def test_viewers_open_it() -> None:
    """Pillow and imagecodecs show pictures of the same size."""
    for options in _KINDS:
        result = scramble_jpeg(make_photo(**options))
        with Image.open(io.BytesIO(result)) as image:
            image.load()
            size = image.size
        assert imagecodecs.jpeg8_decode(result).shape[:2] == size[::-1]


@pytest.mark.programs("djpeg")
def test_djpeg_opens_it(tmp_path: Path) -> None:
    """libjpeg-turbo's own program shows a picture of the same size, and warns of nothing."""
    path = tmp_path / "a.jpg"
    for options in _KINDS:
        path.write_bytes(scramble_jpeg(make_photo(**options)))
        done = subprocess.run(["djpeg", "-ppm", path], capture_output=True, check=True)
        with Image.open(path) as image:
            assert done.stdout.split()[1:3] == [b"%d" % side for side in image.size]
        assert not done.stderr


@pytest.mark.slow
@pytest.mark.programs("chromium")
def test_browsers_show_it(tmp_path: Path) -> None:
    """Chromium shows scrambled photos at the size of the original."""
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
    """Metadata, comments, unused tables and what follows the end are sealed; they come back."""
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


def test_what_was_added_to_a_scrambled_file_is_named_and_left_out() -> None:
    """Viewers show it, and nothing of the seal covers it; what was written is not named."""
    image = Image.fromarray(next(iter(list_photographs().values())))
    exif = Image.Exif()
    exif[0x0112] = 6
    data, named = save_image(image, "JPEG", exif=exif), {"data after the picture": b"behind"}
    named |= {name: _make_segment(*added) for name, added in _ADDED.items()}
    names = ["Exif", "comment", "APP13 segment", "Adobe", "data after the picture"]
    result = scramble_jpeg(data)
    write_changed = result[:2] + b"".join(named[name] for name in names[:-1]) + result[2:]
    for stored, dropped in ((result, ()), (write_changed + named[names[-1]], tuple(names))):
        target = io.BytesIO()
        report = unscramble_file(io.BytesIO(stored), target, KEY)
        assert (report.dropped, target.getvalue()) == (dropped, data)


_ADDED = {
    "Exif": (0xE1, b"Exif\0\0MM\0\x2a\0\0\0\x08\0\0\0\0\0\0"),
    "comment": (0xFE, b"look here"),
    "APP13 segment": (0xED, b"Photoshop 3.0\0"),
    "Adobe": (0xEE, b"Adobe\0\x64\0\0\0\0\0"),
}


def _make_segment(marker: int, body: bytes) -> bytes:
    return bytes([0xFF, marker]) + (len(body) + 2).to_bytes(2, "big") + body


def _make_out_of_range() -> bytes:
    """A JPEG with means that no samples have."""
    file = read_coefficients(saved(make_smooth(64, 48)), max_pixels=2**20)
    planes = [np.array(plane) for plane in file.coefficients]
    for plane in planes:
        count = plane[..., 0].size
        plane[..., 0] = np.linspace(-2047, 2047, count).reshape(plane.shape[:2])
    return file.with_coefficients(planes).optimize().to_bytes()


def test_means_of_no_samples_come_back() -> None:
    """They are moved into the range that viewers expect."""
    data = _make_out_of_range()
    result = scramble_jpeg(data)
    assert restore_plain(result) == data
    assert all(np.abs(plane[..., 0]).max() <= 128 for plane in read_planes(result))


def test_oddly_coded_files_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an encoder coded in a way of its own stands in a patch, which has a largest size."""
    data = saved(np.zeros((24, 24, 1), dtype=np.uint8))
    file = read_coefficients(data, max_pixels=2**10)
    oddly = _insert_runs_of_zeros(data)
    assert not np.any(read_planes(oddly)[0] != file.coefficients[0])
    assert not read_coefficients(oddly, max_pixels=2**10).same_file(oddly)
    assert restore_plain(scramble_jpeg(oddly)) == oddly
    for limit, reason in (
        ("sudokucrypt.recipes.jpegs._MOST_BESIDE", "holds more beside its picture"),
        ("sudokucrypt.images.jpeg.structure._LARGEST_PATCH", "do not give exactly"),
    ):
        monkeypatch.setattr(limit, 0)
        with pytest.raises(UnsupportedError, match=reason):
            scramble_jpeg(oddly, format="JPEG")


def _insert_runs_of_zeros(data: bytes) -> bytes:
    """A gray picture of no shapes whose first block says its zeros twice: ZRL before EOB."""
    start = data.index(b"\xff\xda") + 2
    start += int.from_bytes(data[start : start + 2], "big")
    coded = "".join(f"{byte:08b}" for byte in data[start:-2].replace(b"\xff\0", b"\xff"))
    zeros, end = "11111111001", "1010"  # in the usual table
    at = coded.index(end)
    coded = coded[:at] + zeros + coded[at:].rstrip("1")
    coded += "1" * (-len(coded) % 8)
    whole = int(coded, 2).to_bytes(len(coded) // 8, "big")
    return data[:start] + whole.replace(b"\xff", b"\xff\0") + data[-2:]


def test_bytes() -> None:
    """Files in memory stay JPEGs, too."""
    data = make_photo(1)
    hidden = scramble_bytes(data, KEY)
    assert hidden.startswith(b"\xff\xd8\xff")
    assert unscramble_bytes(hidden, KEY) == data


def test_a_sidecar_replaces_what_was_dropped(tmp_path: Path) -> None:
    """Segments that an app removes do no harm beside a sidecar."""
    _check_sidecar(tmp_path, lambda bare: [bare])


@pytest.mark.programs("jpegtran")
def test_a_sidecar_restores_what_was_recoded(tmp_path: Path) -> None:
    """Lossless recoding does no harm beside a sidecar."""
    ways = (["-optimize"], ["-progressive"], ["-restart", "1B"])

    def recode(bare: bytes) -> list[bytes]:
        commands = [["jpegtran", *way] for way in ways]
        return [
            subprocess.run(command, input=bare, capture_output=True, check=True).stdout
            for command in commands
        ]

    _check_sidecar(tmp_path, recode)


def _check_sidecar(tmp_path: Path, change: Callable[[bytes], list[bytes]]) -> None:
    """Restore, by its sidecar, what was made of a file without header."""
    data = make_photo()
    (tmp_path / "in.jpg").write_bytes(data)
    scramble_file(tmp_path / "in.jpg", tmp_path / "out.jpg", KEY, sidecar=True)
    bare = strip_header((tmp_path / "out.jpg").read_bytes())
    with pytest.raises(FormatError, match="not a protected picture"):
        restore_plain(bare)
    for write_changed in change(bare):
        (tmp_path / "out.jpg").write_bytes(write_changed)
        unscramble_file(tmp_path / "out.jpg", tmp_path / "back.jpg", KEY, replace=True)
        assert (tmp_path / "back.jpg").read_bytes() == data


def test_damage_is_found() -> None:
    """Cut files, wrong keys and headers of others are refused; `test_manipulations` goes on."""
    result = scramble_jpeg(make_photo(3))
    for end in range(0, len(result), 970):
        with pytest.raises(SudokucryptError):
            restore_plain(result[:end])
    with pytest.raises(DecryptionError, match="wrong key"):
        restore_plain(result, OTHER)
    other = scramble_jpeg(make_photo(4))
    with pytest.raises(DecryptionError):
        restore_plain(strip_header(other)[:2] + _find_header(result) + strip_header(other)[2:])


def test_hostile_structures_of_a_key_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anyone who has the key may seal nonsense; restoring refuses it, or gives what was meant."""
    generator = np.random.default_rng(2)
    data, refused = saved(make_smooth(20, 17), progressive=True, comment=b"words"), 0
    write = JpegStructure.to_bytes

    def write_changed(structure: JpegStructure) -> bytes:
        written = bytearray(write(structure))
        at = int(generator.integers(len(written)))
        kind = generator.integers(3)
        if kind == 0:
            written[at] ^= 1 << int(generator.integers(8))
        elif kind == 1:
            del written[at : at + int(generator.integers(1, 9))]
        else:
            written[at:at] = generator.bytes(4)
        return bytes(written)

    for _ in range(60):
        with monkeypatch.context() as patched:
            patched.setattr(JpegStructure, "to_bytes", write_changed)
            result = scramble_jpeg(data, rounds=1)
        try:
            restore_plain(result)
        except SudokucryptError:
            refused += 1
    assert refused > 40


def _find_header(data: bytes) -> bytes:
    """The segments that hold our header."""
    start = data.index(HEADER) - 4
    return data[start : start + 2 + int.from_bytes(data[start + 2 : start + 4], "big")]


def test_another_format_is_no_jpeg(tmp_path: Path) -> None:
    """A scrambled JPEG that a program stored as PNG cannot be restored, and that is said."""
    (tmp_path / "in.jpg").write_bytes(make_photo())
    scramble_file(tmp_path / "in.jpg", tmp_path / "out.jpg", KEY, sidecar=True)
    with Image.open(tmp_path / "out.jpg") as image:
        image.save(tmp_path / "out.png")
    sidecar = tmp_path / "out.jpg.sudokucrypt.json"
    with pytest.raises(FormatError, match="not the JPEG that was scrambled"):
        unscramble_file(tmp_path / "out.png", tmp_path / "x.jpg", KEY, sidecar=sidecar)


def test_other_formats_may_be_asked_for(tmp_path: Path) -> None:
    """An output of another format holds pixels, and a restored JPEG is shown in any."""
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
    with pytest.raises(UnsupportedError, match="suffix is not that of a JPEG"):
        rekey_file(tmp_path / "a.jpg", tmp_path / "b.png", KEY, OTHER)
    assert not (tmp_path / "b.jpg").exists()
    for name in ("JPEG", "jpg"):  # pixels become none, and formats are written in one way
        with pytest.raises(UnsupportedError, match=f"cannot be written as {name}"):
            scramble_bytes(b"P5 2 2 255 abcd", KEY, format=name)


def test_scramble_and_decrypt_know_each_other() -> None:
    """What is scrambled is not decrypted, and not scrambled twice."""
    result = scramble_jpeg(make_photo())
    with pytest.raises(InvalidParameterError, match="scrambled only"):
        decrypt_file(io.BytesIO(result), io.BytesIO(), KEY)
    for protect in (scramble_file, encrypt_file):
        options: Any = {"as_file": False} if protect is encrypt_file else {}
        with pytest.raises(UnsupportedError, match="protected already"):
            protect(io.BytesIO(result), io.BytesIO(), KEY, **options)


def test_it_is_looked_into_and_rekeyed(tmp_path: Path) -> None:
    """Headers, keys of one picture, peeks, plain files in memory, and new keys."""
    data = make_photo()
    path = tmp_path / "photo.scrambled.jpg"
    path.write_bytes(scramble_jpeg(data))
    header = read_header(path)
    assert (header.scheme, header.unit, header.block_size) == ("scramble-jpeg-v1", "block", 8)
    assert read_sealed_info(path, KEY).shape == decode_picture(data).pixels.shape
    opened = open_file(path, picture_key(KEY, header))
    assert (opened.name, opened.type, bytes(opened.content)) == ("photo.jpg", "image/jpeg", data)
    assert np.array_equal(inspect_picture(path, KEY)[1].picture.pixels, decode_picture(data).pixels)
    with pytest.raises(UnsupportedError, match="maps of a JPEG"):
        picture_permutation(KEY, header)
    rekey_file(path, tmp_path / "new.jpg", KEY, OTHER)
    assert read_header(tmp_path / "new.jpg").rounds == header.rounds


def test_results_of_other_options_are_not_kept(tmp_path: Path) -> None:
    """With resume, rounds and salt count; the named scheme is the usual one."""
    source, target = tmp_path / "in.jpg", tmp_path / "out.jpg"
    source.write_bytes(make_photo())
    scramble_file(source, target, KEY)
    others: list[dict[str, Any]] = [{"rounds": 7}, {"deterministic": True}]
    for options in others:
        with pytest.raises(OutputExistsError, match="not what this run would write"):
            scramble_file(source, target, KEY, resume=True, **options)
    for _ in range(2):  # more rounds than are read unasked
        slow = scramble_file(source, tmp_path / "slow.jpg", KEY, rounds=20, resume=True)
    assert slow.kept
    named = scramble_jpeg(make_photo(), scheme="scramble-jpeg-v1", deterministic=True)
    assert named == scramble_jpeg(make_photo(), deterministic=True)


def test_what_cannot_stay_a_jpeg_becomes_pixels(tmp_path: Path) -> None:
    """A file that lacks scans is scrambled by its pixels, or refused where a JPEG was named."""
    lacking = [
        d for d in list_corpus().values() if not read_coefficients(d, max_pixels=2**20).complete
    ]
    (tmp_path / "in.jpg").write_bytes(lacking[-1])
    report = scramble_file(tmp_path / "in.jpg", None, KEY)
    assert report.target is not None
    assert report.target.suffix == ".png"
    assert report.pixels_because == "JPEG that cannot stay one"
    with pytest.raises(UnsupportedError, match="lacks some of its scans"):
        scramble_file(tmp_path / "in.jpg", tmp_path / "named.jpg", KEY)
    with pytest.raises(InvalidImageError, match="more than the 9 pixels"):
        scramble_file(tmp_path / "in.jpg", None, KEY, max_pixels=9, replace=True)


# Scrambled JPEGs come back though a program coded them anew without loss.


recoding = pytest.mark.programs("jpegtran")
_WAYS = (("-optimize",), ("-progressive",), ("-restart", "1B"))
_MEANS: Any = (((0, 1, 2), 0, 0, 0, 0), *(((n,), 1, 63, 0, 0) for n in range(3)))
_LOW: Any = (((0, 1, 2), 0, 0, 0, 1), *(((n,), 0, 0, 1, 0) for n in range(3)), *_MEANS[1:])
_APART: Any = (*(((n,), 0, 0, 0, 0) for n in range(3)), *_MEANS[1:])
_SAMPLINGS = ((2, 2), (1, 2), (1, 1))


def _recode_file(data: bytes, *way: str) -> bytes:
    command = ["jpegtran", "-copy", "all", *way]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def _require_restored(data: bytes) -> None:
    result = scramble_jpeg(data)
    for way in _WAYS:
        again = _recode_file(result, *way)
        assert restore_plain(again) == data, way


@cache
def _list_filled() -> list[bytes]:
    """The files with blocks that only complete units."""
    files = [(data, read(data)) for data in list_corpus().values()]
    return [
        data
        for data, file in files
        if file.complete and any(each.shape != each.blocks for each in file.frame.components)
    ]


@recoding
@pytest.mark.parametrize("part", list_parts(20))
def test_files_with_fillers_come_back(part: int) -> None:
    """Of every size and sampling."""
    for data in _list_filled()[part::20]:
        _require_restored(data)


@recoding
@pytest.mark.parametrize("script", [(), _MEANS, _LOW, _APART])
@pytest.mark.parametrize("sides", [(1, 1), (17, 17), (33, 40)])
def test_unusual_fillers_come_back(sides: tuple[int, int], script: Any) -> None:
    """Fillers of which the file holds anything at all, or nothing."""
    data = make_file(*sides, samplings=_SAMPLINGS, script=script).to_bytes()
    _require_restored(data)


@recoding
@pytest.mark.parametrize("script", [(), _MEANS])
def test_fillers_tell_nothing(script: Any) -> None:
    """Those of a scrambled file follow from its other blocks."""
    file = read(scramble_jpeg(make_file(17, 17, samplings=_SAMPLINGS, script=script).to_bytes()))
    for plane, component in zip(file.coefficients, file.frame.components, strict=True):
        usual = plane.copy()
        replace_dummies(usual, component)
        assert np.array_equal(plane, usual)
