"""No codec gets bytes of a file before its header is authenticated."""

import io
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import imagecodecs
import pi_heif
import pytest
from PIL import Image, ImageFile

from sudokucrypt import (
    Header,
    Key,
    SudokucryptError,
    decrypt_file,
    encrypt_file,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import decode_picture, extract_header, picture_parts
from sudokucrypt.images.driver import Source
from sudokucrypt.images.jpeg import coded
from sudokucrypt.recipes import find_header, inspect_file, open_file, read_sealed_info
from tests.cli.gallery import GALLERY
from tests.images.samples import FILES
from tests.recipes.memory import run_on_bytes
from tests.spies import watch_calls

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
_SOURCES = {"PNG": "RGB.png", "TIFF": "RGB.png", "JPEG": "RGB.jpg"}

CALLS: dict[str, Callable[[Path], object]] = {
    "decrypt": lambda path: decrypt_file(path, io.BytesIO(), KEY),
    "unscramble": lambda path: unscramble_file(path, io.BytesIO(), KEY),
    "rekey": lambda path: rekey_file(path, io.BytesIO(), KEY, OTHER_KEY),
    "info": lambda path: inspect_file(path, KEY),
    "sealed info": lambda path: read_sealed_info(path, KEY),
    "open": lambda path: open_file(path, KEY),
}
"""Everything that reads a protected file with a key."""
_DECODING_CALLS = ("unscramble", "rekey", "info", "open")


@pytest.fixture
def called_decoders(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of decoders in the order in which they are called."""
    names: list[str] = []

    def watch(owner: Any, name: str) -> None:
        watch_calls(monkeypatch, owner, name, lambda *_, **__: names.append(name))

    for name in dir(imagecodecs):
        with suppress(AttributeError, ImportError):
            if name.endswith("_decode"):
                watch(imagecodecs, name)
    watch(Image, "open")
    watch(ImageFile.ImageFile, "__init__")
    watch(pi_heif, "open_heif")
    watch(vars(coded)["_kernels"], "decode")
    watch(Source, "shape")  # called by every decoder of ours before it reserves memory
    return names


@cache
def _protect_picture(file_format: str) -> bytes:
    """Return an encrypted picture of a format."""
    return run_on_bytes(scramble_file, GALLERY[_SOURCES[file_format]], KEY, format=file_format)


def _forge_tag(data: bytes) -> bytes:
    """Return a protected file with a wrong authentication tag in its header."""
    header = extract_header(data) or b""
    forged_header = replace(Header.from_bytes(header), tag=bytes(32)).to_bytes()
    if data.startswith(b"\xff\xd8"):
        return data.replace(header.split(b'"tag":"')[1][:64], b"0" * 64)
    picture = replace(decode_picture(data), header=forged_header)
    return b"".join(picture_parts(picture, picture.format))


@pytest.mark.parametrize("file_format", _SOURCES)
def test_protected_files(file_format: str, called_decoders: list[str], tmp_path: Path) -> None:
    """A file with a forged header calls no decoder in any operation; a valid one is decoded."""
    path = tmp_path / "x"
    data, forged = _protect_picture(file_format), _forge_tag(_protect_picture(file_format))
    for name, call in CALLS.items():
        path.write_bytes(forged)
        called_decoders.clear()
        with pytest.raises(SudokucryptError):
            call(path)
        assert called_decoders == [], name
        path.write_bytes(data)
        with suppress(SudokucryptError):
            call(path)
        assert called_decoders or name not in _DECODING_CALLS


@pytest.fixture(scope="session")
def forged_sidecar() -> bytes:
    """A sidecar file with a wrong authentication tag."""
    target = run_on_bytes(encrypt_file, GALLERY["RGB.png"], KEY, as_file=False)
    header = Header.from_bytes(extract_header(target) or b"")
    return replace(header, tag=bytes(32)).to_bytes() + b"\n"


@pytest.mark.parametrize("name", FILES)
def test_files_with_a_sidecar(
    name: str, called_decoders: list[str], forged_sidecar: bytes, tmp_path: Path
) -> None:
    """A picture of any format with a forged sidecar is refused before a decoder is called."""
    path = tmp_path / "x.png"
    path.write_bytes(FILES[name])
    (tmp_path / "x.png.sudokucrypt.json").write_bytes(forged_sidecar)
    for call in CALLS.values():
        with pytest.raises(SudokucryptError):
            call(path)
    assert find_header(path) is not None
    assert called_decoders == []
