"""A runner for the command line: the real entry point, in this process."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from sudokucrypt import Key
from sudokucrypt.cli.main import main
from tests.images.builders import encoded, gif, gif_image, noise, saved

if TYPE_CHECKING:
    from collections.abc import Iterator

PICTURES = Path(__file__).parents[2] / "samples" / "pictures"


@dataclass(frozen=True)
class Result:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str


class Run(Protocol):
    """Call the command with arguments, and bytes for its stdin."""

    def __call__(
        self, *arguments: str | Path, stdin: bytes = b"", terminal: bool = False
    ) -> Result: ...


class Stdin(io.TextIOWrapper):
    """Bytes to read, from a terminal if asked."""

    terminal = False

    def isatty(self) -> bool:
        """Tell what the test wants to hear."""
        return self.terminal


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Run]:
    """Run commands in an empty folder that holds only photo.png and my.key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUDOKUCRYPT_KEY", raising=False)
    (tmp_path / "photo.png").write_bytes((PICTURES / "camera.png").read_bytes())
    Key(bytes(range(32))).to_file(tmp_path / "my.key")

    def call(*arguments: str | Path, stdin: bytes = b"", terminal: bool = False) -> Result:
        monkeypatch.setattr(sys, "argv", ["sudokucrypt", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(stdin)))
        monkeypatch.setattr(Stdin, "terminal", terminal)
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        for line in printed.err.splitlines():
            assert line.startswith("sudokucrypt: "), line
            assert not line.endswith("."), line
        return Result(int(stopped.value.code or 0), printed.out, printed.err)

    yield call
    leftovers = [path for path in tmp_path.rglob(".*") if path.is_file()]
    assert not leftovers, "a temporary file was left behind"


@pytest.fixture
def folder(run: Run) -> Path:
    """Pictures in a folder and in one within, a hidden one, and a file that is none."""
    del run
    root = Path("in")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.png").write_bytes(encoded(noise(9, 7, 3), "PNG"))
    (root / "b.tif").write_bytes(encoded(noise(5, 8, 1, "uint16"), "TIFF"))
    (root / "deep" / "er" / "c.bmp").write_bytes(saved(noise(8, 6, 3), "BMP"))
    (root / "deep" / "d.gif").write_bytes(gif(gif_image(noise(8, 8, 1)), palette=bytes(768)))
    (root / "deep" / "notes.txt").write_text("no picture\n")
    (root / "hidden").mkdir()
    (root / "hidden").rename(root / ".hidden")
    (root / ".hidden" / "e.png").write_bytes(encoded(noise(2, 2, 1), "PNG"))
    return root
