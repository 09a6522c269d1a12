"""Wrong keys, damaged pictures and headers: the right code and message, and no output."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sudokucrypt import Header
from sudokucrypt.images import read_picture
from sudokucrypt.typing import AnyArray
from tests.cli.conftest import KEY, Run
from tests.images.builders import encoded

Damage = tuple["AnyArray", Header]


_CHANGED = (3, "wrong key, or the picture or its header was changed")


@pytest.mark.parametrize(
    ("damage", "code", "message"),
    [
        (lambda pixels, header: (pixels ^ np.eye(256, dtype=np.uint8), header), *_CHANGED),
        (lambda pixels, header: (pixels, replace(header, rounds=4)), *_CHANGED),
        (lambda pixels, header: (pixels[:-1], header), *_CHANGED),
        (lambda pixels, header: (pixels.astype(np.uint16), header), *_CHANGED),
        (lambda pixels, header: (pixels, replace(header, header_mac=bytes(32))), *_CHANGED),
        (lambda pixels, header: (pixels, replace(header, header_mac=None)),
         4, "the header is damaged: the field 'seal' is missing"),
        (lambda pixels, header: (pixels, replace(header, salt=None, tag=None, header_mac=None)),
         4, "the header lacks its salt, tag or seal"),
    ],
    ids=["pixel", "rounds", "shape", "depth", "seal", "no seal", "nothing sealed"],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_damaged_pictures(
    run: Run, damage: Callable[[AnyArray, Header], Damage], code: int, message: str, kind: str
) -> None:
    """Each kind of damage has its exit code and message, in every container."""
    run("scramble", "photo.png", "-o", "good.png", *KEY)
    good = read_picture(Path("good.png"))
    pixels, header = damage(good.pixels, Header.from_bytes(good.header or b""))
    Path("bad").write_bytes(encoded(pixels, kind, header=header.to_bytes()))
    done = run("unscramble", "bad", "-o", "out.png", *KEY)
    assert done.code == code
    assert message in done.err
    assert not Path("out.png").exists()


def test_a_swapped_header(run: Run) -> None:
    """The header of another scrambled picture gives code 3, from the file or a sidecar."""
    for name in ("a", "b"):
        run("scramble", "photo.png", "-o", f"{name}.png", *KEY, "--sidecar")
    a, b = (read_picture(Path(f"{name}.png")) for name in ("a", "b"))
    Path("c.png").write_bytes(encoded(a.pixels, "PNG", header=b.header))
    assert run("unscramble", "c.png", "-o", "out.png", *KEY).code == 3
    swapped = ["--sidecar", "b.png.sudokucrypt.json"]
    done = run("unscramble", "a.png", "-o", "out.png", *KEY, *swapped)
    assert (done.code, Path("out.png").exists()) == (3, False)
    assert "the header is from 'b.png.sudokucrypt.json', and the picture holds another" in done.err
    Path("a.png.sudokucrypt.json").write_bytes(Path("b.png.sudokucrypt.json").read_bytes())
    done = run("unscramble", "a.png", "-o", "out.png", *KEY)
    assert (done.code, Path("out.png").exists()) == (3, False)
    assert "move the sidecar away" in done.err


@pytest.mark.parametrize("suffix", ["png", "tiff"])
def test_truncated_files(run: Run, suffix: str) -> None:
    """A file that is cut short gives code 4 and no output."""
    run("scramble", "photo.png", "-o", f"s.{suffix}", *KEY)
    data = Path(f"s.{suffix}").read_bytes()
    for share in (0, 0.1, 0.5, 0.9999):
        Path("cut").write_bytes(data[: int(len(data) * share)])
        done = run("unscramble", "cut", "-o", "out.png", *KEY)
        assert (done.code, Path("out.png").exists()) == (4, False)
        assert "'cut'" in done.err


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"sudokucrypt":1}\n', b"\xff" * 100, b"[" * 70000]
)
def test_a_damaged_sidecar(run: Run, content: bytes) -> None:
    """A sidecar that is no header gives code 4, even if the picture carries a good one."""
    run("scramble", "photo.png", "-o", "s.png", *KEY)
    Path("s.png.sudokucrypt.json").write_bytes(content)
    done = run("unscramble", "s.png", "-o", "out.png", *KEY)
    assert (done.code, Path("out.png").exists()) == (4, False)
    said = "the " if content.startswith(b"{") else "this is not a sidecar"
    assert f"error: 's.png.sudokucrypt.json': {said}" in done.err
    named = run("unscramble", "s.png", "-o", "out.png", *KEY, "--sidecar", "none")
    assert named.code == 4


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff\xfe\x00", b"# comment\n"])
def test_a_damaged_key(run: Run, content: bytes) -> None:
    """A key file that holds no key gives code 4, from a file and from stdin."""
    Path("bad.key").write_bytes(content)
    for key in ("bad.key", "missing.key", "."):
        assert run("scramble", "photo.png", "-o", "out.png", "--key", key).code == 4
    done = run("scramble", "photo.png", "-o", "out.png", "--key", "-", stdin=content)
    assert (done.code, Path("out.png").exists()) == (4, False)
