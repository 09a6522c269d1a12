"""Large files are restored exactly, or not at all if they were changed, in constant memory."""

import io
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    Header,
    InvalidImageError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    SudokucryptError,
    decrypt_bytes,
    decrypt_file,
    encrypt_bytes,
    encrypt_file,
    picture_permutation,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.ciphers import ENCRYPT, Part, SegmentCipher
from sudokucrypt.header import SEGMENT_BYTES
from sudokucrypt.images import (
    EmbeddedFile,
    Metadata,
    Picture,
    PictureRecord,
    PngStream,
    Source,
    decode_picture,
    describe,
    embed,
    encode_picture,
    read_picture,
)
from sudokucrypt.recipes import open_file, sources
from sudokucrypt.recipes.carriers import segments
from sudokucrypt.recipes.carriers.contract import receive_file
from sudokucrypt.recipes.carriers.file import MAX_FILE_BYTES
from sudokucrypt.recipes.carriers.segments import SegmentBuffers, StreamedFile, make_workers
from sudokucrypt.recipes.operations import make_request, restore_in_memory
from sudokucrypt.recipes.options import DecryptOptions
from sudokucrypt.recipes.protection import Protection
from sudokucrypt.storage import supports_nameless_files
from sudokucrypt.workers import Workers
from tests.damage import change_bytes
from tests.programs import run_python
from tests.recipes.memory import inspect_picture
from tests.spies import fill_disk, watch_calls, watch_memory

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))
SIZES = [0, 1, 1048434, 1048435, 1050504, 3145728, 3145729]


def draw_noise(size: int, seed: int = 7) -> bytes:
    """Return random bytes, which cannot be compressed."""
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8).tobytes()


def write_file(path: Path, data: bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(data)
    return path


def list_files(folder: Path) -> set[str]:
    """Return the names of all files in a folder."""
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("pad", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_files_are_restored(tmp_path: Path, size: int, *, pad: bool) -> None:
    """Encrypting, rekeying, decrypting and resuming restore a file of any size exactly.

    The header has segments if the picture is larger than one.
    """
    data = draw_noise(size)
    plain, encrypted_file = write_file(tmp_path / "in", data), tmp_path / "made.png"
    encrypt_file(plain, encrypted_file, KEY, pad=pad)
    decrypt_file(encrypted_file, tmp_path / "out", KEY)
    assert (tmp_path / "out").read_bytes() == data
    header = read_header(encrypted_file)
    samples = header.shape[0] * header.shape[1]
    assert (header.segment == SEGMENT_BYTES) == (samples > SEGMENT_BYTES)
    assert header.segment is None or header.rounds == 3
    rekey_file(encrypted_file, tmp_path / "again.png", KEY, OTHER_KEY)
    assert open_file(tmp_path / "again.png", OTHER_KEY).content == data
    assert read_header(tmp_path / "again.png").segment == header.segment
    assert decrypt_bytes(encrypt_bytes(data, KEY, pad=pad), KEY) == data
    for result in (
        encrypt_file(plain, encrypted_file, KEY, pad=pad, resume=True),
        decrypt_file(encrypted_file, tmp_path / "out", KEY, resume=True),
    ):
        assert result.kept


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_pieces_equal_the_result_in_memory(tmp_path: Path, threads: int) -> None:
    """A file that is encrypted in pieces is restored by the scheme in memory, and by segments."""
    data = draw_noise(2 * SEGMENT_BYTES + 100)
    encrypt_file(write_file(tmp_path / "in", data), tmp_path / "made.png", KEY, threads=threads)
    stored_picture = read_picture(tmp_path / "made.png")
    header = Header.from_bytes(stored_picture.header or b"")
    with Workers(2) as workers:
        opened = ENCRYPT.open_header(KEY, header, workers)
        (plain,) = ENCRYPT.restore([Part(pixels=stored_picture.pixels)], KEY, opened, workers)
    assert plain.tobytes()[: len(data)] == data
    cipher = SegmentCipher(KEY.picture_key(header.salt or b""), header)
    flat_samples = stored_picture.pixels.reshape(-1)
    for index in (2, 0, 1):
        segment = flat_samples[index * SEGMENT_BYTES : (index + 1) * SEGMENT_BYTES].copy()
        restored = np.empty_like(segment)
        cipher.restore(index, segment, restored)
        expected = plain.reshape(-1)[index * SEGMENT_BYTES : (index + 1) * SEGMENT_BYTES]
        assert restored.tobytes() == expected.tobytes()


def test_deterministic_results_depend_on_nothing_else(tmp_path: Path) -> None:
    """Equal files give equal deterministic results with any number of threads."""
    data = draw_noise(SEGMENT_BYTES + 70_000)
    plain = write_file(tmp_path / "input", data)
    for threads in (1, 3):
        encrypt_file(plain, tmp_path / f"{threads}.png", KEY, deterministic=True, threads=threads)
    first_result = (tmp_path / "1.png").read_bytes()
    assert (tmp_path / "3.png").read_bytes() == first_result
    time = plain.stat().st_mtime_ns
    assert encrypt_bytes(data, KEY, deterministic=True) != first_result  # a stream has no time
    os.utime(plain, ns=(time, time))
    with plain.open("rb") as stream:
        encrypt_file(stream, tmp_path / "stream.png", KEY, deterministic=True, name="input")
    assert read_header(tmp_path / "stream.png").segment == SEGMENT_BYTES


def strip_header(data: bytes) -> bytes:
    """Remove the chunk with the header from a PNG; its header rows stay."""
    chunk_start = data.index(b"iTXt") - 4
    length = int.from_bytes(data[chunk_start : chunk_start + 4], "big")
    return data[:chunk_start] + data[chunk_start + 12 + length :]


def convert_to_colors(data: bytes) -> bytes:
    """Convert a gray PNG with its header rows to RGB, as some programs do."""
    stream = PngStream.open(Source(b"", "x", 2**27), io.BytesIO(data), len(data))
    assert stream is not None
    gray = np.concatenate([lines.copy() for lines in stream.lines()])
    picture = Picture.plain(np.repeat(gray[..., None], 3, axis=2))
    return encode_picture(replace(picture, header=stream.picture.header), "PNG")


def test_pictures_that_programs_changed_are_restored(tmp_path: Path) -> None:
    """A picture is restored without its header chunk, in colors, compressed, or without rows."""
    data = draw_noise(SEGMENT_BYTES + 12_345)
    plain = write_file(tmp_path / "in", data)
    encrypt_file(plain, tmp_path / "rows.png", KEY)
    encrypt_file(plain, tmp_path / "without-rows.png", KEY, header_rows=False)
    with_rows = (tmp_path / "rows.png").read_bytes()
    for name, content in {
        "stripped": strip_header(with_rows),
        "converted": convert_to_colors(with_rows),
        "packed": encode_picture(decode_picture(with_rows), "PNG", compress=6),
        "without rows": (tmp_path / "without-rows.png").read_bytes(),
    }.items():
        assert decrypt_bytes(content, KEY) == data, name
        write_file(tmp_path / f"{name}.2.png", content)
        decrypt_file(tmp_path / f"{name}.2.png", tmp_path / f"{name}.out", KEY)
        assert (tmp_path / f"{name}.out").read_bytes() == data


def test_results_of_1_1_are_restored_and_kept(tmp_path: Path) -> None:
    """A large file that version 1.1 encrypted, without segments, is restored and kept."""
    data = draw_noise(SEGMENT_BYTES + 12_345)
    plain = write_file(tmp_path / "in", data)
    file = EmbeddedFile(name="in", size=len(data), time=plain.stat().st_mtime_ns)
    picture = Picture.plain(embed(data, file))
    protection = Protection(scheme=ENCRYPT, salt=bytes(16))
    (frame,), header = protection.protect(
        [Part(pixels=picture.pixels)],
        KEY,
        encrypted_metadata=describe(PictureRecord(picture=picture, file=file)),
    )
    assert (header.segment, header.rounds) == (None, 2)
    protected = replace(Picture.plain(frame), header=header.to_bytes(), header_rows=True)
    encrypted_file = write_file(tmp_path / "in.png", encode_picture(protected, "PNG"))
    decrypt_file(encrypted_file, tmp_path / "out", KEY)
    assert (tmp_path / "out").read_bytes() == data
    assert encrypt_file(plain, encrypted_file, KEY, resume=True).kept
    plain.write_bytes(data[:-1] + b"!")
    os.utime(plain, ns=(file.time or 0, file.time or 0))
    with pytest.raises(OutputExistsError, match="samples differ"):
        encrypt_file(plain, encrypted_file, KEY, resume=True)


def rearrange_samples(data: bytes, dice: random.Random) -> bytes:
    """Return a valid PNG in which one thing of the samples is changed at random.

    It is a bit, two exchanged segments, a repeated segment, a segment moved to the end, the number
    of rows, or two exchanged units.
    """
    picture = decode_picture(data)
    flat = picture.pixels.reshape(-1).copy()
    segments = [flat[start : start + SEGMENT_BYTES] for start in range(0, flat.size, SEGMENT_BYTES)]
    full_segments = len(segments) - 1
    kind = dice.randrange(6)
    first, second = dice.randrange(full_segments), dice.randrange(full_segments)
    pixels = None
    if kind == 0:
        flat[dice.randrange(flat.size)] ^= 1 << dice.randrange(8)
    elif kind == 1:
        segments[first][:], segments[second][:] = segments[second].copy(), segments[first].copy()
    elif kind == 2:
        segments[first][:] = segments[second]
    elif kind == 3:
        sample_parts = [
            flat[: first * SEGMENT_BYTES],
            flat[(first + 1) * SEGMENT_BYTES :],
            segments[first],
        ]
        flat = np.concatenate(sample_parts)
    elif kind == 4:
        rows = picture.pixels.shape[0] + dice.choice([-2, -1, 1, 2])
        pixels = np.resize(flat, (rows, picture.pixels.shape[1]))
    else:
        offset = 64 * dice.randrange(SEGMENT_BYTES // 64 - 1)
        unit = segments[first][offset : offset + 64].copy()
        segments[first][offset : offset + 64] = segments[first][offset + 64 : offset + 128]
        segments[first][offset + 64 : offset + 128] = unit
    pixels = flat.reshape(picture.pixels.shape) if pixels is None else pixels
    return encode_picture(replace(picture, pixels=pixels), "PNG")


@pytest.mark.parametrize(
    "count", [24, pytest.param(2000, marks=pytest.mark.nightly)], ids=["some", "many"]
)
def test_changed_files_are_never_released(tmp_path: Path, count: int) -> None:
    """Decrypting a damaged file gives the original bytes or an error, which leaves no file."""
    data = draw_noise(3 * SEGMENT_BYTES + 777)
    encrypted = encrypt_bytes(data, KEY, name="file")
    dice, released = random.Random(count), 0  # noqa: S311 - of tests
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(count):
        damaged_file = (
            change_bytes(dice, encrypted) if number % 2 else rearrange_samples(encrypted, dice)
        )
        source = write_file(tmp_path / "changed.png", damaged_file)
        try:
            decrypt_file(source, folder / "out", KEY)
        except SudokucryptError:
            assert list_files(folder) == set()
        else:
            assert (folder / "out").read_bytes() == data
            (folder / "out").unlink()
            released += 1
    # Some changes affect no sample, or exchange equal segments.
    assert released < count // 2


def hook_readings(monkeypatch: pytest.MonkeyPatch, callback: Callable[[int], None]) -> None:
    """Call `callback` with the number of each read of a segment, before the read."""
    reading_numbers = itertools.count()

    def count(_: object, __: int, target: np.ndarray) -> None:
        if len(target) > 4096:
            callback(next(reading_numbers))

    watch_calls(monkeypatch, sources.OpenContent, "read_into", count)


class Recorder:
    """A stream that collects the written bytes, which tests can read at any time."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, part: bytes) -> int:
        self.data += part
        return memoryview(part).nbytes

    def flush(self) -> None:
        """Do nothing, since `write` buffers nothing."""


CHANGE_FUNCTIONS: dict[str, Callable[[BinaryIO], object]] = {
    "a byte of the first segment": lambda file: (file.seek(5), file.write(b"!")),
    "a byte of the last segment": lambda file: (file.seek(-5, 2), file.write(b"!")),
    "cut": lambda file: file.truncate(2 * SEGMENT_BYTES + 5),
    "emptied": lambda file: file.truncate(0),
    "appended to": lambda file: (file.seek(0, 2), file.write(b"more")),
}


@pytest.mark.parametrize("moment", range(8))
@pytest.mark.parametrize("name", CHANGE_FUNCTIONS)
def test_no_stream_masks_two_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, moment: int
) -> None:
    """If an input changes while it is read, encrypting fails or encrypts one state of the file.

    No segment number is encrypted with two different contents.
    """
    data = draw_noise(3 * SEGMENT_BYTES + 777)
    path = write_file(tmp_path / "in", data)
    encrypted: list[tuple[int, bytes]] = []

    def record(_: object, index: int, source: np.ndarray, __: object) -> None:
        encrypted.append((index, source.tobytes()))

    def change(number: int) -> None:
        if number == moment:
            with path.open("r+b") as file:
                CHANGE_FUNCTIONS[name](file)

    watch_calls(monkeypatch, SegmentCipher, "protect", record)
    hook_readings(monkeypatch, change)
    stream = Recorder()
    refusal = ""
    try:
        encrypt_file(path, stream, KEY, deterministic=True, threads=1)  # type: ignore[arg-type]
    except InvalidImageError as error:
        refusal = str(error)
    assert refusal in ("", f"'{path}' changed while it was read")
    if not refusal:
        monkeypatch.undo()
        content = decrypt_bytes(bytes(stream.data), KEY)
        assert content in (data, path.read_bytes()[: len(content)])
    content_by_index: dict[int, bytes] = {}
    for index, segment in encrypted:
        assert content_by_index.setdefault(index, segment) == segment
        if moment >= 4:  # all segments were digested before the change
            padded = data.ljust((index + 1) * SEGMENT_BYTES, b"\0")
            assert segment == padded[index * SEGMENT_BYTES : index * SEGMENT_BYTES + len(segment)]


@pytest.mark.parametrize("hiding", [True, False])
@pytest.mark.parametrize("moment", [1, 2, 5, 9, 40])
def test_a_protected_file_that_changes_is_not_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: int, *, hiding: bool
) -> None:
    """If a protected file changes while it is read, decrypting fails or gives the original file.

    `hiding` says whether the result is written to a file without a name first.
    """
    data = draw_noise(3 * SEGMENT_BYTES + 777)
    path = tmp_path / "made.png"
    path.write_bytes(encrypt_bytes(data, KEY, name="file"))
    if not hiding:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    numbers = itertools.count(1)

    def change(*_: object) -> None:
        if next(numbers) == moment:
            with path.open("r+b") as file:
                file.seek(-(SEGMENT_BYTES // 2), 2)
                file.write(bytes(1000))

    watch_calls(monkeypatch, SegmentCipher, "restore", change)
    folder = tmp_path / "folder"
    folder.mkdir()
    with suppress(SudokucryptError):
        decrypt_file(path, folder / "out", KEY, threads=1)
        assert (folder / "out").read_bytes() == data
    assert list_files(folder) <= {"out"}
    if list_files(folder):
        assert (folder / "out").read_bytes() == data


def test_a_stream_gets_no_unverified_byte(tmp_path: Path) -> None:
    """If the last segment was changed, no byte of the first one is written to a stream."""
    data = draw_noise(3 * SEGMENT_BYTES + 777)
    picture = decode_picture(encrypt_bytes(data, KEY, header_rows=False))
    pixels = picture.pixels.copy()
    pixels[-1, -1] ^= 1
    changed = encode_picture(replace(picture, pixels=pixels), "PNG")
    path, stream = write_file(tmp_path / "changed.png", changed), Recorder()
    with pytest.raises(DecryptionError):
        decrypt_file(path, stream, KEY)  # type: ignore[arg-type]
    assert not stream.data
    with pytest.raises(DecryptionError):
        inspect_picture(path, KEY)


def test_what_is_no_file() -> None:
    """An array is neither a path nor an open file."""
    with pytest.raises(InvalidParameterError, match="a path or an open binary file, not ndarray"):
        encrypt_file(np.zeros(5), io.BytesIO(), KEY)  # type: ignore[arg-type] # that is what is tested


def test_the_longest_file_fits_into_the_key_stream() -> None:
    """The picture of the longest file needs at most the 256 GiB of the key stream."""
    for size, fits in ((MAX_FILE_BYTES, True), (MAX_FILE_BYTES + 1, False)):
        assert (prod(EmbeddedFile(name="x", size=size).shape) <= 2**38) is fits


def test_the_map_of_a_large_file() -> None:
    """`picture_permutation` of a file in segments moves its bytes before they are masked."""
    data = draw_noise(2 * SEGMENT_BYTES + 5)
    picture = decode_picture(encrypt_bytes(data, KEY, header_rows=False))
    assert picture.header is not None
    header = Header.from_bytes(picture.header)
    permutation = picture_permutation(KEY, header)
    assert header.tag is not None
    stream = KEY.for_picture(header).stream("keystream", header.tag).read(picture.pixels.size)
    moved = np.frombuffer(stream, np.uint8) ^ picture.pixels.ravel()
    plain = np.zeros(picture.pixels.size, np.uint8)
    plain[: len(data)] = np.frombuffer(data, np.uint8)
    assert len(permutation) == len(plain)
    assert np.array_equal(plain[permutation], moved)


def test_streams_have_a_limit_where_they_are_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream above the limit is refused by `encrypt_file`, and restored by `decrypt_file`."""
    monkeypatch.setattr(sources, "STREAM_LIMIT", 2 * SEGMENT_BYTES)
    data = draw_noise(3 * SEGMENT_BYTES)
    path = write_file(tmp_path / "in", data)
    with (
        path.open("rb") as stream,
        pytest.raises(InvalidImageError, match="2097152 bytes that are read from a") as error_info,
    ):
        encrypt_file(stream, tmp_path / "out.png", KEY)
    assert error_info.value.hint == "write it to a file, and name that"
    encrypt_file(path, tmp_path / "out.png", KEY)
    with (tmp_path / "out.png").open("rb") as stream:
        decrypt_file(stream, tmp_path / "back", KEY)
    assert (tmp_path / "back").read_bytes() == data
    assert list_files(tmp_path) == {"in", "out.png", "back"}


# Read from /proc, since the peak of `getrusage` includes the parent process.
_PEAK_SCRIPT = """
import re, sys
from pathlib import Path
from sudokucrypt import Key, decrypt_file, encrypt_file
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10
start = peak()
key, (source, made, back) = Key(bytes(range(32))), sys.argv[1:]
encrypt_file(source, made, key)
decrypt_file(made, back, key)
print(peak() - start)
"""


def test_the_header_in_rows_of_a_large_file_is_found_without_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file with its header only in rows is decrypted without loading it into memory."""
    data = draw_noise(3 * SEGMENT_BYTES)
    encrypted_file = write_file(tmp_path / "made.png", strip_header(encrypt_bytes(data, KEY)))
    monkeypatch.delattr(sources.OpenContent, "load")
    decrypt_file(encrypted_file, tmp_path / "out", KEY)
    assert (tmp_path / "out").read_bytes() == data


@pytest.mark.parametrize("megabytes", [200, pytest.param(5000, marks=pytest.mark.nightly)])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the peak of memory")
def test_memory_stays_constant(tmp_path: Path, megabytes: int) -> None:
    """Encrypting and decrypting a file of zeros of any size takes at most 150 MB of memory."""
    source = tmp_path / "in"
    with source.open("wb") as file:
        file.truncate(megabytes * 10**6)
    arguments = [source, tmp_path / "made.png", tmp_path / "back"]
    assert int(run_python("-c", _PEAK_SCRIPT, *arguments).stdout) <= 150
    assert (tmp_path / "back").stat().st_size == megabytes * 10**6


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_png_by_pixels_takes_little_more_than_its_samples(
    tmp_path: Path, encrypted: bool
) -> None:
    """Protecting and restoring a picture takes at most 1.6 times the memory of its samples."""
    pixels = np.random.default_rng(1).integers(0, 256, (2000, 3000, 3), dtype=np.uint8)
    source, protected_path, restored_path = (
        tmp_path / name for name in ("in.png", "made.png", "back.png")
    )
    protect: Callable[..., object] = (
        partial(encrypt_file, as_file=False) if encrypted else scramble_file
    )
    restore = partial(decrypt_file if encrypted else unscramble_file, compress=0)
    for rows in (pixels[:9], pixels):  # the first run imports modules, and is not measured
        source.write_bytes(encode_picture(Picture.plain(rows), "PNG"))
        with watch_memory() as memory:
            protect(source, protected_path, KEY, replace=True)
            restore(protected_path, restored_path, KEY, replace=True)
    assert memory.peak < 1.6 * pixels.nbytes
    assert np.array_equal(read_picture(restored_path).pixels, pixels)


_WORK_SCRIPT = """
import sys
from sudokucrypt import *
key, (task, source, target) = Key(bytes(range(32))), sys.argv[1:]
print("ready", flush=True)
work = {"encrypt": encrypt_file, "decrypt": decrypt_file}[task]
work(source, target, key, threads=1, replace=True)
"""


@pytest.mark.parametrize(
    "count", [4, pytest.param(60, marks=pytest.mark.nightly)], ids=["some", "many"]
)
@pytest.mark.parametrize("task", ["encrypt", "decrypt"])
def test_killed_at_any_moment(tmp_path: Path, task: str, count: int) -> None:
    """A killed process leaves a complete result or none; decrypting leaves no other plain file."""
    data = draw_noise(40 * SEGMENT_BYTES)
    plain = write_file(tmp_path / "plain", data)
    encrypt_file(plain, tmp_path / "made.png", KEY)
    source = plain if task == "encrypt" else tmp_path / "made.png"
    folder = tmp_path / "folder"
    folder.mkdir()
    for number in range(count):
        process = subprocess.Popen(
            [sys.executable, "-c", _WORK_SCRIPT, task, source, folder / "out"],
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.4 * number / count)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        leftovers = list_files(folder) - {"out"}
        if task == "decrypt" and supports_nameless_files(folder):
            assert not leftovers
        if (folder / "out").exists():
            result = (folder / "out").read_bytes()
            assert (result if task == "decrypt" else decrypt_bytes(result, KEY)) == data
            if number % 2:  # every other time the next process replaces it
                (folder / "out").unlink()
        for name in leftovers:
            (folder / name).unlink()


@pytest.mark.parametrize("task", [encrypt_file, decrypt_file])
def test_a_disk_that_is_full_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: Callable[..., object]
) -> None:
    """If the disk is full, the error says so, and no file is left."""
    data = draw_noise(3 * SEGMENT_BYTES)
    plain, encrypted_file = write_file(tmp_path / "plain", data), tmp_path / "made.png"
    encrypt_file(plain, encrypted_file, KEY)
    source = plain if task is encrypt_file else encrypted_file
    folder = tmp_path / "folder"
    folder.mkdir()
    for moment in range(20):
        with monkeypatch.context() as patch:
            fill_disk(patch, moment * len(data) // 20)
            with pytest.raises(SudokucryptError, match="no space left"):
                task(source, folder / "out.png", KEY)
        assert list_files(folder) == set()


@pytest.mark.skipif(not Path("/proc/version").exists(), reason="no file here hides its size")
def test_a_file_that_hides_its_size_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    """`/proc/version` has size 0, but contents, and is refused instead of losing its bytes."""
    with pytest.raises(InvalidImageError, match="changed while it was read"):
        encrypt_file("/proc/version", tmp_path / "out.png", KEY)
    assert list_files(tmp_path) == set()


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="no file here fails when read")
def test_an_input_that_fails_while_it_is_read_is_named(tmp_path: Path) -> None:
    """An error while reading names the input, and not the output."""
    source, target = "/proc/self/mem", tmp_path / "out.png"
    message = f"cannot read '{source}': input/output error"
    with pytest.raises(InvalidImageError, match=message):
        encrypt_file(source, target, KEY, as_file=True)
    with pytest.raises(InvalidImageError, match=message):
        decrypt_file(source, target, KEY)
    with pytest.raises(InvalidImageError, match=message):
        rekey_file(source, target, KEY, OTHER_KEY)
    assert list_files(tmp_path) == set()


def test_a_stream_that_cannot_be_spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the folder for temporary files is missing, the error says so, and no file is left."""
    encrypted_file = io.BytesIO()
    encrypt_file(io.BytesIO(draw_noise(2 * SEGMENT_BYTES)), encrypted_file, KEY)
    monkeypatch.setattr(sources, "STREAM_LIMIT", SEGMENT_BYTES)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    stream = io.BufferedReader(io.BytesIO(encrypted_file.getvalue()))
    with pytest.raises(SudokucryptError, match="cannot keep the input in a temporary file: no "):
        decrypt_file(stream, tmp_path / "out", KEY)
    assert list_files(tmp_path) == set()


def test_a_size_that_hides_bytes_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the sealed size is smaller than the file, so that bytes follow it, nothing is written."""
    data, encrypted_file, output = draw_noise(SEGMENT_BYTES + 100), io.BytesIO(), io.BytesIO()

    def lie(record: PictureRecord) -> bytes | None:
        assert record.file is not None
        return describe(replace(record, file=replace(record.file, size=len(data) - 10)))

    with monkeypatch.context() as patch:
        patch.setattr("sudokucrypt.images.describe", lie)
        encrypt_file(io.BytesIO(data), encrypted_file, KEY)
    with pytest.raises(DecryptionError):
        decrypt_file(io.BytesIO(encrypted_file.getvalue()), output, KEY)
    assert output.getvalue() == b""


def test_consecutive_segments_have_buffers_of_their_own() -> None:
    """While one segment is processed, the next ones are read into other memory."""
    buffers = SegmentBuffers(9 * SEGMENT_BYTES)
    count = len(buffers._buffers)
    arrays = [buffers.get_buffer(index, SEGMENT_BYTES) for index in range(2 * count)]
    assert count > 1
    for first, second in itertools.combinations(range(2 * count), 2):
        is_shared = np.shares_memory(arrays[first], arrays[second])
        assert is_shared == (second - first == count)


def test_only_files_have_segments() -> None:
    """A header with segments that seals a picture instead of a file is refused."""
    pixels = np.zeros((1100, 1000), dtype=np.uint8)
    from sudokucrypt.images import Picture, PictureRecord, describe

    picture = replace(Picture.plain(pixels), metadata=Metadata(icc=b"profile"))
    extras = describe(PictureRecord(picture=picture))
    protection = Protection(scheme=ENCRYPT, salt=bytes(16))
    (frame,), header = protection.protect(
        [Part(pixels=pixels)], KEY, encrypted_metadata=extras, has_segments=True
    )
    assert header.segment == SEGMENT_BYTES
    stored_picture = replace(Picture.plain(frame), header=header.to_bytes())
    with pytest.raises(DecryptionError):
        decrypt_bytes(encode_picture(stored_picture, "PNG"), KEY)


def test_segments_that_differ_from_the_verified_ones_are_refused(tmp_path: Path) -> None:
    """A file that changes after it was verified is not released."""
    encrypt_file(
        write_file(tmp_path / "in", draw_noise(2 * SEGMENT_BYTES)), tmp_path / "a.png", KEY
    )
    request = make_request(tmp_path / "a.png", KEY, DecryptOptions())
    restored, _ = restore_in_memory(receive_file(request))
    assert isinstance(restored, StreamedFile)
    restored.verify()
    restored.digests[1] = bytes(32)
    with pytest.raises(InvalidImageError, match="changed while it was read"):
        restored.extract()


def test_segments_of_an_opened_file_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`open_file` keeps the bytes of segments whose memory later segments overwrite."""
    monkeypatch.setattr(segments, "_BUFFER_COUNT", 2)
    monkeypatch.setenv("SUDOKUCRYPT_THREADS", "1")
    data = draw_noise(5 * SEGMENT_BYTES + 1)
    encrypt_file(write_file(tmp_path / "in", data), tmp_path / "a.png", KEY)
    assert open_file(tmp_path / "a.png", KEY).content == data


def test_more_threads_than_buffers_allow_are_not_started() -> None:
    """Four threads work on segments at most, and one on less than a segment."""
    counts = [(64, 1 << 30, 4), (3, 1 << 30, 3), (1, 1 << 30, 1), (64, 10, 1)]
    for threads, sample_count, expected in counts:
        assert make_workers(threads, sample_count).threads == expected
