"""One contract for all that a file can be protected as; defaults that are promised to callers."""

import inspect
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import Key, encrypt_file, rekey_file, unscramble_file
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord, encode_picture, read_picture
from sudokucrypt.keys import ProtectingKey
from sudokucrypt.recipes import (
    FileReport,
    RobustReport,
    open_file,
    scramble_robust_file,
    unscramble_robust,
    unscramble_robust_file,
)
from sudokucrypt.recipes.carriers import CARRIERS, register_carrier
from sudokucrypt.recipes.carriers.contract import BytesDraft, Draft, ProtectRequest, ReceivedFile
from sudokucrypt.recipes.options import DecryptOptions, OpenOptions
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import SourceFile

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
DEFAULTS: dict[str, dict[str, Any]] = {
    "scramble": {"unit": "pixel", "scheme": "scramble-v1", "deterministic": False, "rounds": None},
    "encrypt": {"scheme": "encrypt-v1", "deterministic": False, "rounds": None},
    "scramble_file": {"compress": 0, "metadata": "seal", "replace": False, "resume": False},
    "encrypt_file": {"as_file": None, "preview": None, "name": None, "scheme": "encrypt-v1"},
    "unscramble_file": {"compress": 1, "max_rounds": 16, "format": None, "sidecar": None},
    "decrypt_file": {"compress": 1, "max_rounds": 16, "format": None},
    "scramble_bytes": {"compress": 0, "unit": "pixel", "block_size": None},
    "decrypt_bytes": {"compress": 1, "max_rounds": 16, "max_pixels": None},
    "rekey_file": {"max_rounds": 16, "threads": None, "replace": False},
}
"""Defaults of options that results or limits depend on."""


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_are_promised(name: str) -> None:
    """Signatures show every option with its default, and no other keyword is taken."""
    function = getattr(sudokucrypt, name)
    parameters = inspect.signature(function).parameters
    assert {option: parameters[option].default for option in DEFAULTS[name]} == DEFAULTS[name]
    assert not any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    given = [each.default for each in parameters.values()].count(inspect.Parameter.empty)
    with pytest.raises(TypeError, match="unexpected"):
        function(b"", *[KEY] * (given - 1), colour=1)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """A robust picture in a file."""
    rng = np.random.default_rng(5)
    pixels = rng.integers(60, 200, (10, 12, 3), dtype=np.uint8).repeat(8, 0).repeat(8, 1)
    source = io.BytesIO(encode_picture(Picture.plain(pixels), "PNG"))
    scramble_robust_file(source, tmp_path / "sheet.jpg", KEY)
    return tmp_path / "sheet.jpg"


def test_two_functions_restore_a_robust_picture(sheet: Path, tmp_path: Path) -> None:
    """That for scrambled files does it too, with the same bytes and report."""
    report = unscramble_file(sheet, tmp_path / "a.png", KEY)
    unscramble_robust_file(sheet, tmp_path / "b.png", KEY)
    assert isinstance(report, RobustReport)
    opened = open_file(sheet, KEY)
    assert opened.name == "sheet.png"
    result = bytes(opened.content)
    assert result == (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_a_sheet_whose_colors_came_apart(sheet: Path) -> None:
    """Services send gray with red and blue a little off: the luma of JPEG is what counts."""
    gray = read_picture(sheet).pixels[..., None].repeat(3, axis=2).astype(int)
    gray[..., 0] += 4
    gray[..., 2] -= 4
    apart = unscramble_robust(np.clip(gray, 0, 255).astype(np.uint8), KEY).pixels.astype(int)
    whole = unscramble_robust(read_picture(sheet).pixels, KEY).pixels.astype(int)
    assert np.abs(apart - whole).mean() < 4


def _turn_around(content: bytes, sink: Sink) -> Draft:
    """Bytes that a toy carrier turned around, either way."""
    return BytesDraft(
        destination=sink.settle("PNG")[1], report=FileReport(shape=(1, 1)), content=content
    )


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A carrier of texts that begin with TOY, which it turns around; and one that was restored."""

    content: bytes = b""

    def plan(self, source: SourceFile, request: ProtectRequest) -> Draft | None:
        """Turn a text around."""
        if not source.load().startswith(b"TOY"):
            return None
        return _turn_around(source.load()[::-1], request.sink)

    def recognises(self, file: ReceivedFile) -> bool:
        """Look at its end."""
        return file.source.load().endswith(b"YOT")

    def restore(self, file: ReceivedFile) -> "Toy":
        """Turn it back."""
        return Toy(content=file.source.load()[::-1])

    def inspect(self) -> PictureRecord:
        """Return a picture of its bytes."""
        file = EmbeddedFile(name="toy", size=len(self.content))
        return PictureRecord(picture=Picture.plain(np.zeros(file.shape, np.uint8)), file=file)

    def draft(self, sink: Sink, options: DecryptOptions) -> Draft:
        """Write the text."""
        del options
        return _turn_around(self.content, sink)

    def again(self, sink: Sink, key: ProtectingKey, options: OpenOptions) -> Draft:
        """Turn it around again."""
        del key, options
        return _turn_around(self.content[::-1], sink)


def test_a_carrier_from_outside(tmp_path: Path) -> None:
    """What another package registers is protected, restored, rekeyed and opened like ours."""
    register_carrier(Toy())
    try:
        turned, back = tmp_path / "t.png", io.BytesIO()
        encrypt_file(io.BytesIO(b"TOY story"), turned, KEY)
        assert turned.read_bytes() == b"yrots YOT"
        unscramble_file(turned, back, KEY)
        assert back.getvalue() == b"TOY story"
        assert open_file(turned, KEY).content == b"TOY story"
        rekeyed = io.BytesIO()
        rekey_file(turned, rekeyed, KEY, OTHER)
        assert rekeyed.getvalue() == b"yrots YOT"
    finally:
        del CARRIERS[0]
