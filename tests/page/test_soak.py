"""Randomly changed files, albums and folders are refused or restored exactly by the engine."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from sudokucrypt import (
    Identity,
    Key,
    Layer,
    Passphrase,
    encrypt_bytes,
    encrypt_file,
    redact_file,
    scramble_bytes,
)
from sudokucrypt.page import make_album
from tests.images.builders import encode_array, noise
from tests.page.node import run_node

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.programs("node")
KEY, OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))
IDENTITY = Identity.generate()
SCRIPT = Path(__file__).with_name("soak.js").read_text(encoding="utf-8")
WORDS = "lend trace april dove gulf iron"
MOST_MEGABYTES = 1024
MOST_SECONDS = 5  # of CPU, for one call


def redact_picture(data: bytes, folder: Path) -> bytes:
    """Return a picture with two covered areas."""
    layers = [Layer(key=KEY, regions=[(0, 0, 9, 9)]), Layer(key=OTHER, regions=[(9, 12, 12, 8)])]
    suffix = ".jpg" if data[:2] == b"\xff\xd8" else ".png"
    source, target = folder / f"in{suffix}", folder / f"out{suffix}"
    source.write_bytes(data)
    redact_file(source, target, layers)
    return target.read_bytes()


def _make_results(folder: Path) -> list[dict[str, Any]]:
    """Return results of every kind that the page restores, which are then changed."""
    photo, gray = encode_array(noise(24, 31, 3), "PNG"), encode_array(noise(20, 20, 1), "PNG")
    Image.fromarray(noise(40, 48, 3)).save(folder / "photo.jpg", quality=80)
    jpeg = (folder / "photo.jpg").read_bytes()
    file = encrypt_bytes(b"a file " * 40, KEY, name="a.txt")
    (folder / "plain.png").write_bytes(photo)
    encrypt_file(folder / "plain.png", folder / "beside.png", KEY, sidecar=True, as_file=False)
    sidecar = (folder / "beside.png.sudokucrypt.json").read_bytes()
    makers: dict[str, Callable[[], bytes]] = {
        "file": lambda: file,
        "padded": lambda: encrypt_bytes(b"b" * 999, KEY, name="b.bin", pad=True),
        "pixels": lambda: encrypt_bytes(photo, KEY, as_file=False),
        "gray": lambda: encrypt_bytes(gray, KEY, as_file=False),
        "scrambled": lambda: scramble_bytes(photo, KEY),
        "blocks": lambda: scramble_bytes(photo, KEY, unit="block", block_size=4),
        "jpeg": lambda: scramble_bytes(jpeg, KEY),
        "passphrase": lambda: encrypt_bytes(b"words", Passphrase(WORDS), name="w"),
        "recipient": lambda: encrypt_bytes(b"for you", IDENTITY.recipient, name="r"),
        "redacted": lambda: redact_picture(photo, folder),
        "redacted JPEG": lambda: redact_picture(jpeg, folder),
    }
    bases: list[dict[str, Any]] = [
        {"kind": name, "file": make_file().hex(), "sidecar": None}
        for name, make_file in makers.items()
    ]
    picture = (folder / "beside.png").read_bytes()
    bases.append({"kind": "folder", "file": picture.hex(), "sidecar": sidecar.hex()})
    members = [file, encrypt_bytes(b"second", Passphrase(WORDS), name="second.txt")]
    album_file = b"".join(make_album(members))
    bases.append(
        {
            "kind": "album",
            "file": album_file.hex(),
            "sidecar": None,
            "members": [member.hex() for member in members],
        }
    )
    return bases


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 260), pytest.param(2, 15_000, marks=pytest.mark.nightly)]
)
def test_changed_files(seed: int, count: int, tmp_path: Path) -> None:
    """For changed files, the engine gives no wrong output, calls end, and their CPU time and memory
    are bounded."""
    bases = _make_results(tmp_path)
    keys = [KEY.to_text(), OTHER.to_text(), IDENTITY.to_text()]
    argument = {"bases": bases, "keys": keys, "passphrase": WORDS, "seed": seed, "count": count}
    result: Any = run_node(SCRIPT, argument)
    print(result)
    assert result["faults"] == []
    assert min(result["counts"].values()) > 0
    assert result["megabytes"] < MOST_MEGABYTES
    assert result["seconds"] < MOST_SECONDS
