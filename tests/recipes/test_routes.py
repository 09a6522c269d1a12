"""Where pictures come from and go to: how much is read, and which header counts."""

import io
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    Key,
    OutputExistsError,
    decrypt_file,
    encrypt_file,
    read_header,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.bijections import keyed
from sudokucrypt.images import decode_picture, read_picture
from sudokucrypt.kernels import load_kernels
from sudokucrypt.recipes import read_sealed_info
from sudokucrypt.recipes.carriers.picture import same_pictures
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded, noise, saved
from tests.recipes.memory import result_of

KEY = Key(bytes(range(32)))
PLAIN = encoded(noise(9, 8, 1), "PNG")
MOST_FRAMES = 12


class Counting(io.BytesIO):
    """A stream that knows how much was read of it, and how much at most was asked for."""

    most = taken = 0

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        self.most = max(self.most, -1 if size is None else size)
        data = super().read(size)
        self.taken += len(data)
        assert size is not None
        assert size > 0
        return data


def test_streams_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream as long as a file may be is read, one byte more is refused, and in pieces."""
    limit = len(PLAIN)
    monkeypatch.setattr("sudokucrypt.images.FILE_LIMIT", limit)
    assert result_of(encrypt_file, PLAIN, KEY)
    with pytest.raises(InvalidImageError, match=f"more than the {limit} bytes that are read"):
        encrypt_file(io.BytesIO(PLAIN + b"x"), io.BytesIO(), KEY)
    endless = Counting(bytes(2**25))
    with pytest.raises(InvalidImageError, match="more than the"):
        encrypt_file(endless, io.BytesIO(), KEY)
    assert endless.taken <= limit + endless.most
    assert endless.most <= 2**20


def test_a_named_sidecar_counts_before_all_others(tmp_path: Path) -> None:
    """The one that was named, else the one beside the file, else the header inside."""
    for name in "ab":
        source = io.BytesIO(encoded(noise(9, 8, 1) ^ (name == "b"), "PNG"))
        encrypt_file(source, tmp_path / f"{name}.png", KEY, sidecar=True)
    first, second = (tmp_path / f"{name}.png.sudokucrypt.json" for name in "ab")
    inside = read_header(tmp_path / "a.png")
    other = read_header(tmp_path / "a.png", sidecar=second)
    assert other == read_header(tmp_path / "b.png") != inside
    first.write_bytes(second.read_bytes())
    assert read_header(tmp_path / "a.png") == other
    with pytest.raises(DecryptionError, match=r"the header is from .*b\.png\.sudokucrypt"):
        decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY, sidecar=second)
    report = decrypt_file(tmp_path / "a.png", io.BytesIO(), KEY)  # nobody named this one
    assert report.dropped == ("sidecar that does not belong to it",)
    assert inside is not None
    first.write_bytes(inside.to_bytes() + b"\n")
    with pytest.raises(DecryptionError) as refused:  # a sidecar that says the same is no reason
        decrypt_file(tmp_path / "a.png", io.BytesIO(), Key(bytes(32)))
    assert "the header is from" not in str(refused.value)
    first.write_bytes(b"damaged")
    assert read_sealed_info(tmp_path / "a.png", KEY).header.salt == inside.salt
    with pytest.raises(FormatError):
        read_header(tmp_path / "a.png")
    first.unlink()
    assert read_header(tmp_path / "a.png") == inside
    with pytest.raises(FormatError, match="cannot read the sidecar"):
        read_header(tmp_path / "a.png", sidecar=first)


def test_what_a_stream_is_written_to(tmp_path: Path) -> None:
    """Streams and files get the same bytes, whatever the other end is."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    results = []
    for source in (tmp_path / "in.png", io.BytesIO(PLAIN)):
        stream = io.BytesIO()
        report = scramble_file(source, stream, KEY, deterministic=True)
        results.append(stream.getvalue())
        assert (report.source_bytes, report.target_bytes) == (len(PLAIN), len(results[-1]))
        if not isinstance(source, io.BytesIO):
            scramble_file(source, tmp_path / "out.png", KEY, deterministic=True)
            results.append((tmp_path / "out.png").read_bytes())
            report = scramble_file(source, None, KEY, deterministic=True)
            assert report.target == tmp_path / "in.png.scrambled.png"
            results.append(report.target.read_bytes())
    assert len(set(results)) == 1
    assert not np.array_equal(
        decode_picture(results[0]).pixels, read_picture(tmp_path / "in.png").pixels
    )


def test_a_converted_picture_needs_its_sidecar_alone(tmp_path: Path) -> None:
    """Saved as BMP, which holds no header and is not written, it is decrypted with its metadata."""
    encrypt_file(
        io.BytesIO(GALLERY["RGB-metadata.png"]),
        tmp_path / "p.png",
        KEY,
        as_file=False,
        sidecar=True,
    )
    converted = saved(read_picture(tmp_path / "p.png").pixels, "BMP")
    (tmp_path / "p.bmp").write_bytes(converted)
    (tmp_path / "p.png.sudokucrypt.json").rename(tmp_path / "p.bmp.sudokucrypt.json")
    report = decrypt_file(tmp_path / "p.bmp", tmp_path / "back.png", KEY)
    plain, back = decode_picture(GALLERY["RGB-metadata.png"]), read_picture(tmp_path / "back.png")
    assert same_pictures(plain, back)
    assert plain.metadata == back.metadata
    assert report.dropped == ("resolution that is not sealed",)  # that of the BMP


def test_the_way_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture passes few functions on its way to the kernel, and each room once."""
    ways: list[list[str]] = []

    def seen(name: str) -> Any:
        def called(*arguments: Any, **options: Any) -> None:
            way: list[str] = []
            frame = sys._getframe(1)
            while way[-1:] != ["sudokucrypt.recipes.files"]:
                way.append(frame.f_globals["__name__"])
                assert frame.f_back is not None
                frame = frame.f_back
            ways.append(way[::-1])
            getattr(kernels, name)(*arguments, **options)

        return called

    kernels = load_kernels("sudokucrypt.bijections._kernels", "passes")
    names = ("move_rows", "move_stacks", "exchange")
    spies = SimpleNamespace(**vars(kernels) | {name: seen(name) for name in names})
    monkeypatch.setattr(keyed, "_kernels", spies)
    picture = encoded(noise(100, 100, 1), "PNG")
    scrambled = result_of(scramble_file, picture, KEY, threads=1)
    unscramble_file(io.BytesIO(scrambled), io.BytesIO(), KEY, threads=1)
    assert len(ways) > 2 * len(names)
    for way in ways:
        assert len(way) <= MOST_FRAMES
        rooms = [module.split(".")[1] for module in way]
        order = ["recipes", "ciphers", "bijections"]
        firsts = [rooms.index(room) for room in order]
        assert firsts == sorted(firsts)
        assert rooms.count("recipes") == firsts[1] <= 5


def test_only_what_a_file_needs_is_loaded(tmp_path: Path) -> None:
    """Scrambling a PNG loads no parser of another format, and neither Pillow nor pi_heif."""
    (tmp_path / "in.png").write_bytes(PLAIN)
    code = (
        "import sys; from sudokucrypt import Key, scramble_file, unscramble_file;"
        f"scramble_file({str(tmp_path / 'in.png')!r}, {str(tmp_path / 'out.png')!r}, "
        "Key.generate()); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.split())
    assert "sudokucrypt.images.png.file" in loaded
    others = ("tiff", "gif", "webp", "jpeg", "foreign", "cleartext")
    unwanted = ("PIL", "pi_heif", "cv2", *(f"sudokucrypt.images.{name}" for name in others))
    assert not [name for name in loaded if name.startswith(unwanted)]


def test_the_target_is_looked_at_before_the_source_is_read(tmp_path: Path) -> None:
    """Nobody waits for a long reading to hear that the output exists."""
    source, target = tmp_path / "no-picture.png", tmp_path / "there.png"
    source.write_bytes(b"what no picture begins with")
    target.touch()
    with pytest.raises(OutputExistsError):
        scramble_file(source, target, KEY)
