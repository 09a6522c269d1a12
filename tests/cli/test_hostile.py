"""Hostile input leads to an error in one line, in bounded time and memory, without output."""

import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from sudokucrypt import Key, encrypt_bytes
from sudokucrypt.header import Header
from sudokucrypt.images import decode_picture, encode_picture, extract_header, read_picture
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from tests.cli.conftest import KEY, Result, Run, mark_slow
from tests.cli.gallery import GALLERY
from tests.cli.test_files_of_any_kind import yield_small_files
from tests.images.builders import (
    build_apng,
    build_gif,
    build_png,
    build_tiff,
    make_gif_image,
    make_png,
    make_png_chunk,
    noise,
)

_GIB = 2**30


def assert_refused(result: Result, code: int = 4) -> None:
    """Fail unless a command printed one error, perhaps with a hint, and no result."""
    assert (result.code, result.out) == (code, "")
    lines = result.err.splitlines()
    assert lines[0].startswith("sudokucrypt: error: ")
    assert "unexpected" not in lines[0]
    assert len(lines) == 1 or (len(lines) == 2 and lines[1].startswith("sudokucrypt: hint: "))
    assert not list(Path().glob("out*"))


def compress_zeros(size: int) -> bytes:
    """Return a zlib stream of zeros, joined from equal blocks of one MiB."""
    compressor = zlib.compressobj(9)
    compressor.compress(b"")
    block = compressor.compress(bytes(2**20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    block = block.removeprefix(b"\x78\xda")
    blocks, remainder = divmod(size, 2**20)
    last_block = zlib.compress(bytes(remainder), 9)[2:-4]
    checksum = size % 65521 << 16 | 1
    return b"\x78\xda" + block * blocks + last_block + checksum.to_bytes(4, "big")


def make_png_bomb(rows: int, columns: int, *, color: int, bits: int, lacking: int = 0) -> bytes:
    """Return a PNG of zeros with all pixels that it claims, except `lacking` bytes at its end."""
    size = {0: 1, 2: 3, 4: 2, 6: 4}[color] * bits // 8
    header_fields = struct.pack(">IIBBBBB", columns, rows, bits, color, 0, 0, 0)
    stream = compress_zeros(rows * (1 + columns * size) - lacking)
    chunks = ((b"IHDR", header_fields), (b"IDAT", stream), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(make_png_chunk(*chunk) for chunk in chunks)


def run_within_gib(*arguments: str, program: tuple[str, ...] = ("-m", "sudokucrypt")) -> Result:
    """Run the command as a program with at most 1 GiB of address space and 60 s of CPU time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_GIB, _GIB))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))

    result = subprocess.run(
        [sys.executable, *program, *arguments],
        env={**os.environ, "SUDOKUCRYPT_THREADS": "2", "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(result.returncode, result.stdout, result.stderr)


_LOOK_INTO = """
import io, sys, time, zlib
from pathlib import Path
from sudokucrypt import Key, SudokucryptError, decrypt_file, unscramble_file
from sudokucrypt.recipes import find_header
key = Key(bytes(range(32)))

def slowness():  # of a processor that others use, beside one that is idle
    data, begun = zlib.compress(bytes(2**26), 1), time.process_time()
    for _ in range(3):
        zlib.decompress(data)
    return max(1, (time.process_time() - begun) / 0.3)

for path in sorted(Path("hostile").iterdir()):
    for work in (find_header, *(
        lambda path, restore=restore: restore(path, io.BytesIO(), key)
        for restore in (decrypt_file, unscramble_file)
    )):
        begun = time.process_time()
        try:
            work(path)
        except SudokucryptError:
            pass
        spent = time.process_time() - begun
        assert spent < 5 or spent < 5 * slowness(), path.name
"""


def assert_cheap(files: Iterable[tuple[str, bytes]]) -> None:
    """Fail if refusing one of these files needs more than 5 s of CPU time or 1 GiB."""
    Path("hostile").mkdir()
    for name, data in files:
        (Path("hostile") / name).write_bytes(data)
    result = run_within_gib("-c", _LOOK_INTO, program=())
    assert (result.code, result.err) == (0, "")


def test_small_hostile_files(run: Run) -> None:
    """Files from fuzzing, cut files, and small files that claim a large content are cheap."""
    del run
    assert_cheap([*yield_small_files(), *((name, make()) for name, make in _SMALL_BOMBS.items())])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns", "color", "bits"),
    [(8192, 16384, 6, 8), (3, 44_000_000, 2, 8), (2**26, 2, 0, 8)],
)
def test_large_hostile_pictures(run: Run, rows: int, columns: int, color: int, bits: int) -> None:
    """The largest readable pictures without header, searched for robust ones, are cheap."""
    del run
    assert_cheap([("bomb.png", make_png_bomb(rows, columns, color=color, bits=bits))])


@pytest.mark.slow
def test_a_folder_of_hostile_headers(run: Run) -> None:
    """A thousand headers with maximal costs need at most a minute of CPU time in all."""
    del run
    Path("pw").write_text("saffron kite 9 moons")
    Path("pw").chmod(0o600)
    Path("in").mkdir()
    picture = encrypt_bytes(b"bait", Key(bytes(32)))
    header = Header.from_bytes(extract_header(picture) or b"")
    original = decode_picture(picture)
    for index in range(1000):
        costs = ("m=262144,t=3,p=4", "m=917504,t=4,p=4", "m=8,t=64,p=1", "m=4194304,t=64,p=64")
        kdf = f"argon2id:{costs[index % 4]}:{index:032x}"
        line = replace(header, kdf=kdf).to_bytes()
        if index % 10 == 9:  # deeply nested JSON, and a number with very many digits
            line = b'{"sudokucrypt":' + (b"[" * 60_000 if index % 20 > 9 else b"9" * 60_000)
        hostile_file = encode_picture(replace(original, header=line, header_rows=False), "PNG")
        Path(f"in/{index}.png").write_bytes(hostile_file)
    result = run_within_gib("decrypt", "in", "-o", "out", "--passphrase-file", "pw")
    assert result.code in (1, 3)
    assert "Traceback" not in result.err


def test_the_bombs_are_bombs() -> None:
    """The compressed zeros of other tests inflate to the claimed number of zeros."""
    assert zlib.decompress(compress_zeros(3 * 2**20 + 17)) == bytes(3 * 2**20 + 17)
    assert len(compress_zeros(2 * _GIB)) < 3 * 2**20
    assert not decode_picture(make_png_bomb(300, 2000, color=6, bits=16)).pixels.any()


@pytest.mark.slow
@pytest.mark.parametrize(
    "chunk",
    [
        (b"zTXt", b"Comment\0\0"),
        (b"iTXt", b"Comment\0\1\0\0\0"),
        (b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0"),
        (b"iCCP", b"profile\0\0"),
    ],
)
def test_bombs_in_texts(run: Run, chunk: tuple[bytes, bytes]) -> None:
    """A compressed text or profile of 2 GiB is copied without decompressing it."""
    chunk_type, text_start = chunk
    content = text_start + compress_zeros(2 * _GIB)
    Path("in.png").write_bytes(
        make_png(noise(3, 3, 1), chunks_before=[make_png_chunk(chunk_type, content)])
    )
    assert run_within_gib("encrypt", "in.png", "-o", "there.png", *KEY).code == 0
    assert run_within_gib("decrypt", "there.png", "-o", "back.png", *KEY).code == 0
    assert content in Path("back.png").read_bytes()
    assert are_same_pictures(read_picture(Path("back.png")), read_picture(Path("in.png")))
    run("encrypt in.png -o bare.png --strip-metadata", *KEY)
    assert content not in Path("bare.png").read_bytes()


def make_header_bomb() -> bytes:
    """Return a PNG with a header of 2 GiB, compressed."""
    chunk_body = b"sudokucrypt\0\1\0\0\0" + compress_zeros(2 * _GIB)
    return make_png(noise(3, 3, 1), chunks_before=[make_png_chunk(b"iTXt", chunk_body)])


def make_gif_bomb() -> bytes:
    """Return a GIF of 65535 by 65535 pixels that contains only 64 pixels."""
    data = build_gif(make_gif_image(noise(8, 8, 1)), columns=65535, rows=65535)
    return data.replace(struct.pack("<HH", 8, 8), struct.pack("<HH", 65535, 65535))


_SMALL_BOMBS: dict[str, Callable[[], bytes]] = {
    "no end": lambda: build_png(10, 10, b"").replace(b"IEND", b"IENX"),
    "TIFF": lambda: build_tiff({256: (4, [2**16]), 257: (4, [2**16]), 259: (3, [8])}),
    "GIF": make_gif_bomb,
    "Netpbm": lambda: b"P6 40000 40000 65535\n" + bytes(99),
}
_LARGE_BOMBS: dict[str, Callable[[], bytes]] = {
    "header": make_header_bomb,
    "much more": lambda: make_png_bomb(10, 10, color=0, bits=8, lacking=-2 * _GIB),
    "many bytes": lambda: make_png_bomb(16384, 8192, color=6, bits=16, lacking=_GIB - 2**20),
}


@pytest.mark.parametrize("name", mark_slow([*_SMALL_BOMBS, *_LARGE_BOMBS], *_SMALL_BOMBS))
def test_bombs(run: Run, name: str) -> None:
    """Small files that claim or contain too much are refused, within 1 GiB of memory."""
    make_bomb = (_SMALL_BOMBS | _LARGE_BOMBS)[name]
    Path("in").write_bytes(make_bomb())
    pixels = ("encrypt", "--as", "pixels")
    for command in (pixels, ("decrypt",), ("scramble",)):
        assert_refused(run(*command, "in", "-o", "out.png", *KEY, code=4))
    assert_refused(run("info in", code=4))
    if name in _LARGE_BOMBS:
        assert_refused(run_within_gib(*pixels, "in", "-o", "out.png", *KEY))


@pytest.mark.parametrize(
    ("data", "claimed"),
    [
        (make_png_bomb(1000, 1000, color=6, bits=16), 8_000_000),
        (make_png_bomb(300, 100, color=2, bits=16), 180_000),
        (GALLERY["1xfloat64.tiff"], 8 * 13 * 18),
        (GALLERY["4xfloat64.tiff"], 32 * 13 * 18),
        (b"P6 4 4 65535\n" + bytes(96), 96),
    ],
    ids=["RGBA.png", "RGB.png", "gray.tiff", "RGBA.tiff", "RGB.ppm"],
)
def test_bombs_of_bytes_name_the_option(run: Run, data: bytes, claimed: int) -> None:
    """A picture with allowed pixels but too many bytes is refused; the hint names the option."""
    Path("in").write_bytes(data)
    most = claimed // 4
    result = run("encrypt in --as pixels --max-pixels", str(most - 1), *KEY, code=4)
    assert_refused(result)
    assert f"claims {claimed} bytes of samples, more than the {4 * most - 4} bytes" in result.err
    assert "--max-pixels" in result.err
    run("encrypt in --as pixels --max-pixels", str(most), *KEY)


@pytest.mark.slow
def test_the_largest_bomb(run: Run) -> None:
    """A picture of the maximal size that is cut at its end is refused within 1 GiB."""
    del run
    Path("in.png").write_bytes(make_png_bomb(8192, 16384, color=6, bits=8, lacking=1))
    result = run_within_gib("encrypt", "--as", "pixels", "in.png", "-o", "out.png", *KEY)
    assert_refused(result)
    assert "fewer samples" in result.err


def try_both_ways(run: Run, data: bytes) -> bool:
    """Return True if a file is encrypted and restored exactly, or False if it is refused."""
    Path("in").write_bytes(data)
    options = ("--as", "pixels", "--rounds", "1", "--name", "out.{stem}{suffix}")
    result = run("encrypt in", *options, *KEY, code=None)
    if result.code:
        assert_refused(result)
        return False
    (output_path,) = Path().glob("out.*")
    restored_path = output_path.with_stem("back")
    run("decrypt", output_path, "-o", restored_path, *KEY)
    assert are_same_pictures(read_picture(restored_path), decode_picture(data))
    output_path.unlink()
    restored_path.unlink()
    return True


_FILES_TO_CUT = (
    "tiff_lzw.tiff RGB.webp P-metadata.png P.gif RGB.jpg RGB.bmp RGB.ppm RGB.avif 3xuint8.jxl"
)


@pytest.mark.parametrize("name", mark_slow(_FILES_TO_CUT.split(), "tiff_lzw.tiff", "RGB.webp"))
def test_cut_files(run: Run, name: str) -> None:
    """A file cut at any multiple of 64 bytes is refused, in each format with a signature."""
    if name not in GALLERY and name.endswith((".avif", ".jxl")):
        pytest.skip("this installation has no codec for it")
    data = GALLERY[name]
    accepted = [
        try_both_ways(run, data[:length]) for length in (*range(0, len(data), 64), len(data))
    ]
    assert accepted[-1]
    assert not any(accepted[: len(accepted) // 2])  # data after the samples may be missing


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "header_start"),
    [
        (make_png(noise(2, 2, 1), chunks_before=[make_png_chunk(b"tRNS", b"\0\7")]), None),
        (make_png(noise(3, 2, 3)), 33),
        (build_apng(make_png_chunk(b"IDAT", zlib.compress(bytes(15))), frames=1), None),
        (build_tiff(pixels=noise(3, 2, 3)), None),
        (
            build_gif(
                make_gif_image(noise(3, 2, 1) % 4, bits=2), columns=2, rows=3, palette=bytes(12)
            ),
            None,
        ),
    ],
    ids=["small PNG", "PNG", "APNG", "TIFF", "GIF"],
)
def test_changed_bytes_are_detected(run: Run, data: bytes, header_start: int | None) -> None:
    """A changed byte of a file header is detected, or the file is read as another picture.

    Checksums of a PNG are corrected, since they would detect each change.
    """
    for position in range(len(data) if header_start is None else header_start):
        for bit_mask in (0x01, 0x80, 0xFF):
            damaged_data = bytearray(data)
            damaged_data[position] ^= bit_mask
            accepted = [try_both_ways(run, bytes(damaged_data))]
            if data[1:4] == b"PNG" and 16 <= position < 29:
                damaged_data[29:33] = zlib.crc32(damaged_data[12:29]).to_bytes(4, "big")
                accepted.append(try_both_ways(run, bytes(damaged_data)))
            assert position > 1 or not any(
                accepted
            )  # without its first bytes, a file has no format


_NAMES = ["größe 图 🧩", "--key", "{stem}", "line\nbreak", os.fsdecode(b"\xff\xfe"), "a" * 235]
_MORE_NAMES = "two  words|-dash|-|~|$HOME|%s|'|\"|\x1b[31mred|\u202eright|x..|*|C:\\x|nul"


@pytest.mark.parametrize("command", ["encrypt", "unscramble", "info"])
def test_sockets_and_long_names(run: Run, command: str) -> None:
    """A socket and a name that is too long are refused at once; the message names them."""
    options = () if command == "info" else KEY
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        for name in ("socket", "x" * 300 + ".png"):
            result = run(command, name, *options, code=4)
            assert_refused(result)
            assert name in result.err


@pytest.mark.parametrize("suffix", ["", "/"])
def test_folders_with_long_names(run: Run, suffix: str) -> None:
    """If a folder cannot be made, the message names it."""
    shutil.copy("photo.png", "other.png")
    result = run("encrypt photo.png other.png -o", "x" * 300 + suffix, *KEY, code=1)
    assert f"cannot make the folder '{'x' * 300}'" in result.err
    assert "note: 0 encrypted, 2 failed\n" in result.err


@pytest.mark.parametrize("name", mark_slow([*_NAMES, *_MORE_NAMES.split("|"), "🧩" * 58], *_NAMES))
def test_names(run: Run, name: str) -> None:
    """Files with any name are processed; messages are one line without control characters."""
    Path("in").mkdir()
    source_path = Path("in") / f"{name}.png"
    source_path.write_bytes(Path("photo.png").read_bytes())
    run("encrypt in -o safe", *KEY)
    os.chdir("in")
    shutil.copy("../my.key", "my.key")
    run("encrypt --as pixels", *KEY, "--", source_path.name)
    (result_name,) = (path.name for path in Path().iterdir() if "encrypted" in path.name)
    run("decrypt", *KEY, "--", result_name)
    result = run("decrypt", *KEY, "--", result_name, code=6)
    assert all(line.isprintable() for line in result.err.splitlines())
    assert len(result.err.splitlines()) == 2
    Path(result_name).unlink()
    Path(f"{name}.bad").write_bytes(b"\x89PNG\r\n\x1a\n")
    result = run("encrypt --as pixels", *KEY, "--", f"{name}.bad", code=4)
    assert_refused(result)
    os.chdir("..")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
@pytest.mark.parametrize("extra", [(), ("--jobs", "2")])
def test_names_in_a_locale_of_one_byte(run: Run, extra: tuple[str, ...]) -> None:
    """In a locale with one byte per letter, files with any names are restored with their names."""
    del run
    expected_names = ["写真.txt", "plain.txt", "zz Größe.txt"]
    Path("in").mkdir()
    for name in expected_names:
        Path("in", name).write_text(name, encoding="utf-8")
    ascii_locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    utf8_locale = {"LC_ALL": "C.UTF-8"}

    def call(locale: dict[str, str], *arguments: str) -> str:
        result = subprocess.run(
            [sys.executable, "-m", "sudokucrypt", *arguments, *KEY],
            env={**os.environ, **locale},
            capture_output=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        assert b"unexpected" not in result.stderr
        return result.stderr.decode("ascii" if locale is ascii_locale else "utf-8")

    for index, (write, read) in enumerate(
        ((utf8_locale, ascii_locale), (ascii_locale, utf8_locale), (ascii_locale, ascii_locale))
    ):
        encrypted_folder, restored_folder = f"safe{index}", f"back{index}"
        call(
            write,
            "encrypt",
            "in",
            "-r",
            "--all-files",
            "-o",
            encrypted_folder,
            "--name",
            "{random}",
            *extra,
        )
        messages_seen = call(read, "decrypt", encrypted_folder, "-r", "-o", restored_folder, *extra)
        assert messages_seen == "sudokucrypt: note: 3 decrypted, 0 failed\n"
        assert sorted(os.listdir(restored_folder)) == sorted(expected_names)
        for name in expected_names:
            assert Path(restored_folder, name).read_text(encoding="utf-8") == name
    for encrypted_path in sorted(Path("safe0").iterdir()):
        call(ascii_locale, "decrypt", str(encrypted_path), "-o", "one/")
    assert sorted(os.listdir("one")) == sorted(expected_names)
