"""A runner for the command line: the real entry point, in this process."""

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
from sudokucrypt.recipes.carriers.picture import same_pictures
from sudokucrypt.typing import AnyArray
from tests.images.builders import build_gif, encode_array, make_gif_image, noise, save_image

PICTURES = Path(__file__).parents[2] / "samples" / "pictures"
KEY = ("--key", "my.key")
ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
WAYS = [("scramble", "unscramble"), ("encrypt", "decrypt")]


def mark_slow(names: Iterable[str], *few: str) -> list[Any]:
    """Parameters of which only a few are for the fast run."""
    return [pytest.param(name, marks=[] if name in few else pytest.mark.slow) for name in names]


def list_names(root: Path) -> set[str]:
    """The files in a folder and in those within it."""
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def read_manifest(name: str = "done.jsonl") -> list[dict[str, Any]]:
    """The lines of a manifest."""
    return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]


def write_small_pictures(root: Path, count: int) -> dict[str, AnyArray]:
    """Pictures of different sizes and channels, and their samples."""
    plain = {}
    root.mkdir()
    for index in range(count):
        pixels = noise(1 + index % 37, 2 + index % 23, (1, 3, 4)[index % 3]) + index % 256
        plain[f"{index:04}"] = pixels
        (root / f"{index:04}.png").write_bytes(encode_array(pixels, "PNG"))
    return plain


def is_same(first: str | Path, second: str | Path) -> bool:
    """Whether two files hold the same picture."""
    return same_pictures(read_picture(Path(first)), read_picture(Path(second)))


@dataclass(frozen=True)
class Result:
    """Exit code and what was printed."""

    code: int
    out: str
    err: str
    raw: bytes = b""

    @property
    def sheets(self) -> str:
        """What was printed, without the comments that state rules."""
        lines = self.out.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("#"))


class Run(Protocol):
    """Call the command with arguments, and bytes for its stdin, and check how it ends.

    The first argument is split at its spaces, as a shell does it; the others are taken as they are.
    `code` is the exit code, None for any; `says` are texts among the messages; `out` and `err` are
    all that is printed on stdout and on stderr.
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
    done: Result, code: int | None, says: str | tuple[str, ...], out: str | None, err: str | None
) -> None:
    """Fail unless a command ended as is said; what is None may be anything."""
    printed = f"{done.err}{done.out}"
    assert code is None or done.code == code, printed
    for text in (says,) if isinstance(says, str) else says:
        assert text in done.err
    assert out is None or done.out == out
    assert err is None or done.err == err


class Stdin(io.TextIOWrapper):
    """Bytes to read, from a terminal if asked."""

    terminal = False

    def isatty(self) -> bool:
        """Return what the test asks for."""
        return self.terminal


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """Let signals do what a shell lets them do, whatever our parent ignores, and undo `main`."""
    before = {
        number: signal.signal(
            number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        )
        for number in ENDS
    }
    hook = sys.unraisablehook
    yield
    sys.unraisablehook = hook
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Iterator[Run]:
    """Run commands in an empty folder that holds only photo.png and my.key."""
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
        done = call_command(arguments, stdin, terminal)
        check_result(done, code, says, out, err)
        return done

    def call_command(arguments: tuple[str | Path, ...], stdin: bytes, terminal: bool) -> Result:
        words = [*str(arguments[0]).split(), *map(str, arguments[1:])] if arguments else []
        monkeypatch.setattr(sys, "argv", ["sudokucrypt", *words])
        monkeypatch.setattr(sys, "stdin", Stdin(io.BytesIO(stdin)))
        monkeypatch.setattr(Stdin, "terminal", terminal)
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsysbinary.readouterr()
        out, err = printed.out.decode("utf-8", "replace"), printed.err.decode()
        if "--debug" in words:  # where it happened comes before the usual message
            return Result(int(stopped.value.code or 0), out, err)
        assert "Traceback" not in err
        code = int(stopped.value.code or 0)
        for line in err.splitlines():
            if code == 130 and not line:
                continue  # click ends the line that ^C stands in
            assert line.startswith("sudokucrypt: "), line
            assert not line.endswith("."), line
        return Result(code, out, err, printed.out)

    yield call
    assert not list(tmp_path.rglob(".*-part")), "a temporary file was left behind"


@pytest.fixture
def folder(run: Run) -> Path:
    """Pictures in a folder and in one within, a hidden one, and a file that is none."""
    del run
    root = Path("in")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.png").write_bytes(encode_array(noise(9, 7, 3), "PNG"))
    (root / "b.tif").write_bytes(encode_array(noise(5, 8, 1, "uint16"), "TIFF"))
    (root / "deep" / "er" / "c.bmp").write_bytes(save_image(noise(8, 6, 3), "BMP"))
    (root / "deep" / "d.gif").write_bytes(
        build_gif(make_gif_image(noise(8, 8, 1)), palette=bytes(768))
    )
    (root / "deep" / "notes.txt").write_text("no picture\n")
    (root / "hidden").mkdir()
    (root / "hidden").rename(root / ".hidden")
    (root / ".hidden" / "e.png").write_bytes(encode_array(noise(2, 2, 1), "PNG"))
    return root
