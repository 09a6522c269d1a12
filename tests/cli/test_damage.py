"""Wrong keys, damaged pictures and headers: the right code and message, and no output."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sudokucrypt import Header, Key
from sudokucrypt.images import read_picture
from tests.images.builders import encoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from sudokucrypt.typing import AnyArray
    from tests.cli.conftest import Run

Damage = tuple["AnyArray", Header]


def flipped_pixel(pixels: AnyArray, header: Header) -> Damage:
    changed = pixels.copy()
    changed.flat[77] ^= 1
    return changed, header


def other_rounds(pixels: AnyArray, header: Header) -> Damage:
    text = header.to_bytes().replace(b'"rounds":3', b'"rounds":4')
    return pixels, Header.from_bytes(text)


def other_shape(pixels: AnyArray, header: Header) -> Damage:
    return pixels[:-1], header


def other_depth(pixels: AnyArray, header: Header) -> Damage:
    return pixels.astype(np.uint16), header


def other_seal(pixels: AnyArray, header: Header) -> Damage:
    return pixels, replace(header, seal=bytes(32))


def no_seal(pixels: AnyArray, header: Header) -> Damage:
    return pixels, replace(header, seal=None)


def nothing_sealed(pixels: AnyArray, header: Header) -> Damage:
    return pixels, replace(header, salt=None, tag=None, seal=None)


@pytest.mark.parametrize(
    ("damage", "code", "message"),
    [
        (flipped_pixel, 3, "wrong key, or the picture or its header was changed"),
        (other_rounds, 3, "wrong key, or the picture or its header was changed"),
        (other_shape, 3, "wrong key, or the picture or its header was changed"),
        (other_depth, 3, "wrong key, or the picture or its header was changed"),
        (other_seal, 3, "wrong key, or the picture or its header was changed"),
        (no_seal, 4, "the header is damaged: the field 'seal' is missing"),
        (nothing_sealed, 4, "the header lacks its salt, tag or seal"),
    ],
)
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_damaged_pictures(
    run: Run, damage: Callable[[AnyArray, Header], Damage], code: int, message: str, kind: str
) -> None:
    """Each kind of damage has its exit code and message, in every container."""
    run("scramble", "photo.png", "-o", "good.png", "--key", "my.key")
    good = read_picture(Path("good.png"))
    assert good.header is not None
    pixels, header = damage(good.pixels, Header.from_bytes(good.header))
    Path("bad").write_bytes(encoded(pixels, kind, header=header.to_bytes()))
    done = run("unscramble", "bad", "-o", "out.png", "--key", "my.key")
    assert done.code == code
    assert message in done.err
    assert not Path("out.png").exists()


def test_a_wrong_key(run: Run) -> None:
    """Another key gives code 3 and no output."""
    Key.generate().to_file("other.key")
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key")
    done = run("unscramble", "s.png", "-o", "out.png", "--key", "other.key")
    assert (done.code, Path("out.png").exists()) == (3, False)
    needed, mine = Key(bytes(range(32))).id, Key.from_file("other.key").id
    assert done.err.startswith(
        f"sudokucrypt: error: wrong key: the picture needs key {needed}, and this is key {mine}\n"
    )


def test_a_swapped_header(run: Run) -> None:
    """The header of another scrambled picture gives code 3, from the file or a sidecar."""
    for name in ("a", "b"):
        run("scramble", "photo.png", "-o", f"{name}.png", "--key", "my.key", "--sidecar")
    a, b = (read_picture(Path(f"{name}.png")) for name in ("a", "b"))
    Path("c.png").write_bytes(encoded(a.pixels, "PNG", header=b.header))
    assert run("unscramble", "c.png", "-o", "out.png", "--key", "my.key").code == 3
    swapped = ["--sidecar", "b.png.sudokucrypt.json"]
    done = run("unscramble", "a.png", "-o", "out.png", "--key", "my.key", *swapped)
    assert (done.code, Path("out.png").exists()) == (3, False)
    assert "the header is from 'b.png.sudokucrypt.json', and the picture holds another" in done.err
    Path("a.png.sudokucrypt.json").write_bytes(Path("b.png.sudokucrypt.json").read_bytes())
    done = run("unscramble", "a.png", "-o", "out.png", "--key", "my.key")
    assert (done.code, Path("out.png").exists()) == (3, False)
    assert "move the sidecar away" in done.err


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99, 0.9999])
@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_truncated_files(run: Run, share: float, suffix: str) -> None:
    """A file that is cut short gives code 4 and no output."""
    run("scramble", "photo.png", "-o", f"s.{suffix}", "--key", "my.key")
    data = Path(f"s.{suffix}").read_bytes()
    Path("cut").write_bytes(data[: int(len(data) * share)])
    done = run("unscramble", "cut", "-o", "out.png", "--key", "my.key")
    assert (done.code, Path("out.png").exists()) == (4, False)
    assert "'cut'" in done.err


def test_a_missing_header(run: Run) -> None:
    """A picture that was never scrambled gives code 4 and a hint, from both commands."""
    for command in (
        ["unscramble", "photo.png", "-o", "out.png", "--key", "my.key"],
        ["info", "photo.png"],
    ):
        done = run(*command)
        assert (done.code, Path("out.png").exists()) == (4, False)
        assert "no header" in done.err
        assert "hint" in done.err


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"sudokucrypt":1}\n', b"\xff" * 100, b"[" * 70000]
)
def test_a_damaged_sidecar(run: Run, content: bytes) -> None:
    """A sidecar that is no header gives code 4, even if the picture carries a good one."""
    run("scramble", "photo.png", "-o", "s.png", "--key", "my.key")
    Path("s.png.sudokucrypt.json").write_bytes(content)
    done = run("unscramble", "s.png", "-o", "out.png", "--key", "my.key")
    assert (done.code, Path("out.png").exists()) == (4, False)
    named = run("unscramble", "s.png", "-o", "out.png", "--key", "my.key", "--sidecar", "none")
    assert named.code == 4


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe\x00", b"# comment\n"])
def test_a_damaged_key(run: Run, content: bytes) -> None:
    """A key file that holds no key gives code 4, from a file and from stdin."""
    Path("bad.key").write_bytes(content)
    for key in ("bad.key", "missing.key", "."):
        assert run("scramble", "photo.png", "-o", "out.png", "--key", key).code == 4
    done = run("scramble", "photo.png", "-o", "out.png", "--key", "-", stdin=content)
    assert (done.code, Path("out.png").exists()) == (4, False)
