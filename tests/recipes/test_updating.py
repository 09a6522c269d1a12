"""With `update`, a result is kept while its input has the sealed size and time."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import (
    FileReport,
    Identity,
    InvalidImageError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    Passphrase,
    decrypt_file,
    encrypt_file,
)
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.keys import CostlyDerivationError, DerivationBudget, KeyDerivation
from sudokucrypt.recipes.naming import ResultNaming
from sudokucrypt.recipes.sources import OpenContent, SourceFile
from sudokucrypt.recipes.updating import open_file_result
from tests.images.builders import encode_array, noise

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
SIZES = [0, 1, 5000, 3_000_000]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with a file `a.bin`."""
    monkeypatch.chdir(tmp_path)
    Path("a.bin").write_bytes(os.urandom(5000))


def update(key: Any = KEY, target: Any = "a.png", **options: Any) -> FileReport:
    """Encrypt `a.bin` with `update`."""
    return encrypt_file("a.bin", target, key, update=True, **options)


def is_kept(**options: Any) -> bool:
    """Update `a.png`, check that it restores the file, and return whether it was kept."""
    bytes_before = Path("a.png").read_bytes()
    report = update(**options)
    assert report.kept == (Path("a.png").read_bytes() == bytes_before)
    assert (report.source_bytes, report.target_bytes) == (
        Path("a.bin").stat().st_size,
        Path("a.png").stat().st_size,
    )
    assert report.tag is not None
    decrypt_file("a.png", "back", options.get("key", KEY), replace=True)
    assert Path("back").read_bytes() == Path("a.bin").read_bytes()
    return report.kept


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("pad", [False, True])
def test_size_and_time_decide(size: int, pad: bool) -> None:
    """A result is kept until size or time of the file differ, or `pad` is changed."""
    Path("a.bin").write_bytes(os.urandom(size))
    assert not update(pad=pad).kept
    assert is_kept(pad=pad)
    assert is_kept(pad=pad, checksum=True)
    os.utime("a.bin", ns=(1, 1))
    assert is_kept(pad=pad, checksum=True)
    assert not is_kept(pad=pad)
    assert is_kept(pad=pad)
    assert not is_kept(pad=not pad)
    with Path("a.bin").open("ab") as file:
        file.write(b"!")
    os.utime("a.bin", ns=(1, 1))
    assert not is_kept(pad=not pad)


@pytest.mark.parametrize("size", SIZES[1:])
def test_checksum_finds_changes_that_times_hide(size: int) -> None:
    """A file with a changed byte and the same size and time is noticed only with `checksum`."""
    Path("a.bin").write_bytes(bytes(size))
    update()
    status = Path("a.bin").stat()
    Path("a.bin").write_bytes(bytes(size - 1) + b"\1")
    os.utime("a.bin", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert update().kept
    assert not is_kept(checksum=True)
    assert is_kept(checksum=True)


def test_a_file_that_changes_while_it_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `checksum`, a file that changes while it is read is refused, and its result stays."""
    update()
    before = Path("a.png").read_bytes()
    monkeypatch.setattr(OpenContent, "is_changed", lambda _: True)
    with pytest.raises(InvalidImageError, match="changed while it was read"):
        update(checksum=True)
    assert Path("a.png").read_bytes() == before


def test_other_options_do_not_replace_results() -> None:
    """A result with other rounds, header rows or preview is kept."""
    update(rounds=20)
    assert update(rounds=2, header_rows=False, preview=True, deterministic=True).kept


def test_a_tiff_is_updated() -> None:
    """A TIFF result is kept for the same file, and replaced after the file changed."""
    update(target="a.tif")
    assert update(target="a.tif").kept
    os.utime("a.bin", ns=(1, 1))
    assert not update(target="a.tif").kept


def test_results_for_other_recipients_are_replaced() -> None:
    """A result for another number of recipients is replaced; recipients alone are refused."""
    first_identity, second_identity = Identity.generate(), Identity.generate()
    update()
    assert not update([KEY, first_identity.recipient]).kept
    assert update([KEY, first_identity.recipient]).kept
    assert not update([KEY, first_identity.recipient, second_identity.recipient]).kept
    with pytest.raises(InvalidParameterError, match="only their recipients"):
        update(first_identity.recipient)
    encrypt_file("a.bin", "only.png", first_identity.recipient)
    with pytest.raises(SudokucryptError, match="only its recipients can open it"):
        open_file_result(SourceFile.read("only.png"), first_identity.recipient)


def test_passphrases_open_their_results() -> None:
    """A result of a passphrase is kept with this passphrase.

    If the budget defers a costly derivation, updating raises `CostlyDerivationError`.
    """
    passphrase = Passphrase("a few words")
    update(passphrase)
    assert update(passphrase).kept
    costly = Passphrase("a few words")
    costly._derivation = KeyDerivation.new("strong")
    encrypt_file("a.bin", "b.png", costly)
    with_budget = Passphrase("a few words")
    with_budget.budget = DerivationBudget()
    with_budget.budget.deferring = True
    with pytest.raises(
        CostlyDerivationError, match="deriving the key of the file takes longer than usual"
    ):
        update(with_budget, "b.png")


def test_derivations_that_succeed_are_not_counted() -> None:
    """A passphrase that opens its results does not use its budget up."""
    passphrase = Passphrase("a few words")
    passphrase.budget = DerivationBudget()
    for number in range(20):
        encrypt_file("a.bin", f"{number}.png", passphrase)
        decrypt_file(f"{number}.png", f"{number}.bin", passphrase)
    assert not passphrase.budget._failed_cost


def write_plain() -> None:
    """Write a picture without header."""
    Path("a.png").write_bytes(encode_array(noise(5, 5, 1), "PNG"))


# Functions that write another file than a result, by a part of the error message.
OTHER_FILES: dict[str, Callable[[], object]] = {
    "no header": write_plain,
    "wrong key": lambda: encrypt_file("a.bin", "a.png", OTHER_KEY),
    "not a": lambda: Path("a.png").write_bytes(b"notes"),
    "not the result of a file": lambda: (
        Path("p.png").write_bytes(encode_array(noise(5, 5, 1), "PNG")),
        encrypt_file("p.png", "a.png", KEY, as_file=False),
    ),
    "a file called 'b.bin'": lambda: encrypt_file("a.bin", "a.png", KEY, name="b.bin"),
    "it ends in the middle": lambda: (
        update(),
        Path("a.png").write_bytes(Path("a.png").read_bytes()[:-30]),
    ),
    "is a folder": lambda: Path("a.png").mkdir(),
}


@pytest.mark.parametrize("message", OTHER_FILES)
@pytest.mark.parametrize("checksum", [False, True])
def test_other_files_are_not_replaced(message: str, checksum: bool) -> None:
    """A file that is not a result of this key and input is an error, and is not replaced."""
    OTHER_FILES[message]()
    bytes_before = None if Path("a.png").is_dir() else Path("a.png").read_bytes()
    with pytest.raises(OutputExistsError, match=message) as error_info:
        update(checksum=checksum)
    assert "replace=True instead of update" in str(error_info.value.hint)
    assert bytes_before is None or Path("a.png").read_bytes() == bytes_before


@pytest.mark.parametrize("options", [{"resume": True}, {"replace": True}])
def test_update_excludes_resume_and_replace(options: Any) -> None:
    """`update` together with `resume` or `replace` is refused."""
    with pytest.raises(InvalidParameterError, match="update, resume and replace"):
        update(**options)


@pytest.mark.parametrize("options", [{"as_file": False}, {"metadata": "strip"}])
def test_pixels_are_not_updated(options: Any) -> None:
    """`update` is refused with options that encrypt pixels, which have no sealed size and time."""
    with pytest.raises(InvalidParameterError):
        update(**options)


def test_streams_are_not_updated() -> None:
    """`update` is refused for streams, and `checksum` without `update`."""
    with pytest.raises(InvalidParameterError, match="update compares files"):
        update(target=io.BytesIO())
    with pytest.raises(InvalidParameterError, match="update compares files"):
        encrypt_file(io.BytesIO(b"x"), "x.png", KEY, update=True)
    with pytest.raises(InvalidParameterError, match="only applies to update"):
        encrypt_file("a.bin", "a.png", KEY, checksum=True)


def test_a_missing_input_is_named(tmp_path: Path) -> None:
    """If the input is missing, the error names it, and the result stays."""
    update()
    Path("a.bin").unlink()
    with pytest.raises(SudokucryptError, match=r"a\.bin"):
        update()
    assert (tmp_path / "a.png").exists()


def test_updating_with_a_naming() -> None:
    """A result that is named by a rule, or by default, is updated."""
    naming = ResultNaming(source=Path("a.bin"), participle="encrypted")
    update(target=naming)
    assert update(target=naming).kept
    assert update(target=None).target == Path("a.bin.encrypted.png")


def test_resume_names_update() -> None:
    """If the file changed, the hint of the error with `resume` mentions `update=True`."""
    update()
    os.utime("a.bin", ns=(1, 1))
    with pytest.raises(OutputExistsError) as error_info:
        encrypt_file("a.bin", "a.png", KEY, resume=True)
    assert "update=True" in str(error_info.value.hint)


@pytest.mark.parametrize("content", [None, b"{}"])
def test_sidecars_are_written(content: bytes | None) -> None:
    """A missing sidecar is written; if the sidecar has another header, both files are replaced."""
    update(sidecar=True)
    sidecar = Path("a.png.sudokucrypt.json")
    expected_sidecar = sidecar.read_bytes()
    sidecar.unlink()
    if content is not None:
        sidecar.write_bytes(content)
    assert update(sidecar=True).kept == (content is None)
    assert (sidecar.read_bytes() == expected_sidecar) == (content is None)
    assert update(sidecar=True).kept
