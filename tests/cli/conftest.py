"""Fixtures that run the command line by its real entry point, in the process of the tests."""

import io
import json
import signal
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from sudokucrypt import Key
from sudokucrypt.cli.main import main
from sudokucrypt.images import read_picture
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from sudokucrypt.typing import AnyArray
from tests.images.builders import build_gif, encode_array, make_gif_image, noise, save_image

PICTURES = Path(__file__).parents[2] / "samples" / "pictures"
KEY = ("--key", "my.key")
END_SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def mark_slow(names: Iterable[str], *few: str) -> list[Any]:
    """Mark all parameters except a few as slow, so that the fast run leaves them out."""
    return [pytest.param(name, marks=[] if name in few else pytest.mark.slow) for name in names]


def list_names(root: Path) -> set[str]:
    """Return the names of all files below a folder."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def read_manifest(name: str = "done.jsonl") -> list[dict[str, Any]]:
    """Return the lines of a manifest as dictionaries."""
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def write_small_pictures(root: Path, count: int) -> dict[str, AnyArray]:
    """Write pictures of different sizes and channels; return their samples by name."""
    samples_by_name = {}
    root.mkdir()
    for index in range(count):
        pixels = noise(1 + index % 37, 2 + index % 23, (1, 3, 4)[index % 3]) + index % 256
        samples_by_name[f"{index:04}"] = pixels
        (root / f"{index:04}.png").write_bytes(encode_array(pixels, "PNG"))
    return samples_by_name


def is_same(first_file: str | Path, second_file: str | Path) -> bool:
    """Return whether two files contain the same picture."""
    return are_same_pictures(read_picture(Path(first_file)), read_picture(Path(second_file)))


@dataclass(frozen=True)
class Result:
    """The exit code of a command, and its output."""

    code: int
    out: str
    err: str
    out_bytes: bytes = b""

    @property
    def sheets(self) -> str:
        """Return the printed lines, without comments that state the rules of a Sudoku."""
        lines = self.out.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("#"))


class Run(Protocol):
    """A function that runs the command with arguments and bytes for stdin, and checks its result.

    The first argument is split at spaces; others are passed unchanged. `code` is the expected exit
    code, or None for any. Messages must contain the texts of `says`; stdout must be `out`, and
    stderr must be `err`.
    """

    def __call__(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        terminal: bool = False,
        code: int | None = 0,
        says: str | tuple[str, ...] = (),
        out: str | None = None,
        err: str | None = None,
    ) -> Result: ...


def check_result(
    result: Result, code: int | None, says: str | tuple[str, ...], out: str | None, err: str | None
) -> None:
    """Fail unless code, messages, stdout and stderr are as expected; None accepts anything."""
    actual = f"{result.err}{result.out}"
    assert code is None or result.code == code, actual
    for text in (says,) if isinstance(says, str) else says:
        assert text in result.err
    assert out is None or result.out == out
    assert err is None or result.err == err


class Stdin(io.TextIOWrapper):
    """A stdin with given bytes, which can claim to be a terminal."""

    terminal = False

    def isatty(self) -> bool:
        """Return whether the test asks for a terminal."""
        return self.terminal


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """Set signals to the defaults of a shell, and restore all handlers after the test."""
    old_handlers = {
        signal_number: signal.signal(
            signal_number,
            signal.default_int_handler if signal_number == signal.SIGINT else signal.SIG_DFL,
        )
        for signal_number in END_SIGNALS
    }
    old_hook = sys.unraisablehook
    yield
    sys.unraisablehook = old_hook
    for signal_number, handler in old_handlers.items():
        signal.signal(signal_number, handler)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Run]:
    """Return a function that runs commands in a folder with only photo.png and my.key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUDOKUCRYPT_KEY", raising=False)
    (tmp_path / "photo.png").write_bytes((PICTURES / "camera.png").read_bytes())
    Key(bytes(range(32))).to_file(tmp_path / "my.key")

    def call(
        *arguments: str | Path,
        stdin: bytes = b"",
        terminal: bool = False,
        code: int | None = 0,
        says: str | tuple[str, ...] = (),
        out: str | None = None,
        err: str | None = None,
    ) -> Result:
        result = call_command(arguments, stdin, terminal)
        check_result(result, code, says, out, err)
        return result

    def call_command(arguments: tuple[str | Path, ...], stdin: bytes, terminal: bool) -> Result:
        command_words = [*str(arguments[0]).split(), *map(str, arguments[1:])] if arguments else []
        monkeypatch.setattr(sys, "argv", ["sudokucrypt", *command_words])
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(stdin)))
        monkeypatch.setattr(Stdin, "terminal", terminal)
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as exit_error:
            main()
        captured = capsysbinary.readouterr()
        out, err = captured.out.decode("utf-8", "replace"), captured.err.decode()
        if "--debug" in command_words:  # a traceback is printed before the usual message
            return Result(int(exit_error.value.code or 0), out, err)
        assert "Traceback" not in err
        exit_code = int(exit_error.value.code or 0)
        for line in err.splitlines():
            if exit_code == 130 and not line:
                continue  # click ends the line that contains ^C
            assert line.startswith("sudokucrypt: "), line
            assert not line.endswith("."), line
        return Result(exit_code, out, err, captured.out)

    yield call
    assert not list(tmp_path.rglob(".*-part")), "a temporary file was left behind"


@pytest.fixture
def folder(run: Run) -> Path:
    """Make a folder with pictures, a subfolder, a hidden picture, and a file of another kind."""
    del run
    input_folder = Path("in")
    (input_folder / "deep" / "er").mkdir(parents=True)
    (input_folder / "a.png").write_bytes(encode_array(noise(9, 7, 3), "PNG"))
    (input_folder / "b.tif").write_bytes(encode_array(noise(5, 8, 1, "uint16"), "TIFF"))
    (input_folder / "deep" / "er" / "c.bmp").write_bytes(save_image(noise(8, 6, 3), "BMP"))
    (input_folder / "deep" / "d.gif").write_bytes(
        build_gif(make_gif_image(noise(8, 8, 1)), palette=bytes(768))
    )
    (input_folder / "deep" / "notes.txt").write_text("no picture\n")
    (input_folder / "hidden").mkdir()
    (input_folder / "hidden").rename(input_folder / ".hidden")
    (input_folder / ".hidden" / "e.png").write_bytes(encode_array(noise(2, 2, 1), "PNG"))
    return input_folder
