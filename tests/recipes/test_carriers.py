"""One contract for all that a file can be protected as; defaults that are promised to callers."""

import inspect
import io
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sudokucrypt
from sudokucrypt import Key, OutputExistsError, encrypt_file, rekey_file, unscramble_file
from sudokucrypt.images import EmbeddedFile, Picture, PictureRecord, encode_picture, read_picture
from sudokucrypt.recipes import (
    FileReport,
    RobustReport,
    open_file,
    scramble_robust_file,
    unscramble_robust,
    unscramble_robust_file,
)
from sudokucrypt.recipes.carriers import CARRIERS, register_carrier
from sudokucrypt.recipes.carriers.contract import (
    PlainFile,
    Product,
    ProtectRequest,
    RekeyRequest,
    RestoreRequest,
    RobustRequest,
)
from sudokucrypt.recipes.options import RestoreSettings
from sudokucrypt.recipes.transfer import Destination, FileTransfer, SourceFile

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
DEFAULTS: dict[str, dict[str, Any]] = {
    "scramble": {"unit": "pixel", "scheme": "scramble-v1", "deterministic": False, "rounds": None},
    "encrypt": {"scheme": "encrypt-v1", "deterministic": False, "mask": None, "regions": None},
    "scramble_file": {"compress": 0, "metadata": "seal", "replace": False, "resume": False},
    "encrypt_file": {"as_file": None, "preview": None, "name": None, "scheme": "encrypt-v1"},
    "unscramble_file": {"compress": 1, "max_rounds": 16, "context": None, "sidecar": None},
    "decrypt_file": {"compress": 1, "max_rounds": 16, "scheme": None, "format": None},
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


def test_robust_pictures_take_part_in_everything(sheet: Path, tmp_path: Path) -> None:
    """They are restored by the function for scrambled files, opened in memory, and rekeyed."""
    exact, again = tmp_path / "a.png", tmp_path / "b.png"
    report = unscramble_file(sheet, exact, KEY)
    assert isinstance(report, RobustReport)
    unscramble_robust_file(sheet, again, KEY)
    assert exact.read_bytes() == again.read_bytes()
    opened = open_file(sheet, KEY)
    assert (opened.name, bytes(opened.content)) == ("sheet.png", exact.read_bytes())
    assert unscramble_file(sheet, exact, KEY, resume=True).kept
    rekeyed = tmp_path / "r.jpg"
    rekey_file(sheet, rekeyed, KEY, OTHER)
    unscramble_file(rekeyed, again, OTHER, replace=True)
    before, after = (read_picture(path).pixels.astype(int) for path in (exact, again))
    assert before.shape == after.shape
    assert np.abs(before - after).mean() < 6
    with pytest.raises(OutputExistsError, match="its samples differ"):
        unscramble_file(rekeyed, exact, OTHER, resume=True)


def test_a_sheet_whose_colors_came_apart(sheet: Path) -> None:
    """Services send gray with red and blue a little off: the luma of JPEG is what counts."""
    gray = read_picture(sheet).pixels[..., None].repeat(3, axis=2).astype(int)
    gray[..., 0] += 4
    gray[..., 2] -= 4
    apart = unscramble_robust(np.clip(gray, 0, 255).astype(np.uint8), KEY).pixels.astype(int)
    whole = unscramble_robust(read_picture(sheet).pixels, KEY).pixels.astype(int)
    assert np.abs(apart - whole).mean() < 4


@dataclass(frozen=True, kw_only=True)
class Turned:
    """Bytes that a toy carrier turns around, either way."""

    content: bytes
    destination: Destination

    def make(self) -> Product:
        """Return them."""
        return Product(report=partial(FileReport, shape=(1, 1)), content=[self.content])

    def compare(self, existing: SourceFile) -> Product:
        """Return what is there."""
        del existing
        return Product(report=partial(FileReport, shape=(1, 1)))


@dataclass(frozen=True, kw_only=True)
class Toy:
    """A carrier of texts that begin with TOY, which it turns around; and one that was restored."""

    name: str = "toy"
    content: bytes = b""

    def plan(self, source: SourceFile, request: ProtectRequest | RobustRequest) -> Turned | None:
        """Turn a text around."""
        if not source.data.startswith(b"TOY"):
            return None
        _, destination = request.transfer.settle("PNG")
        return Turned(content=source.data[::-1], destination=destination)

    def recognises(self, request: RestoreRequest) -> bool:
        """Look at its end."""
        return request.source.data.endswith(b"YOT")

    def restore(self, request: RestoreRequest) -> "Toy":
        """Turn it back."""
        return Toy(content=request.source.data[::-1])

    @property
    def record(self) -> PictureRecord:
        """A picture of its bytes."""
        file = EmbeddedFile(name="toy", size=len(self.content))
        return PictureRecord(picture=Picture.plain(np.zeros(file.shape, np.uint8)), file=file)

    def draft(self, transfer: FileTransfer, settings: RestoreSettings) -> Turned:
        """Write the text."""
        del settings
        return Turned(content=self.content, destination=transfer.settle("PNG")[1])

    def again(self, request: RekeyRequest) -> Turned:
        """Turn it around again."""
        _, destination = request.transfer.settle("PNG")
        return Turned(content=self.content[::-1], destination=destination)

    def plain_file(self, stem: str, *, threads: int | None) -> PlainFile:
        """Return the text."""
        del threads
        return PlainFile(name=stem, type=None, content=self.content)


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
