"""With `resume`, an equal existing result is kept; otherwise the error names the difference."""

import io
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    FileReport,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyDerivation,
    OutputExistsError,
    Passphrase,
    SudokucryptError,
    decrypt_file,
    encrypt_file,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import Metadata, encode_picture, read_picture
from sudokucrypt.recipes.options import EncryptOptions
from sudokucrypt.recipes.sinks import Sink
from sudokucrypt.recipes.sources import OpenContent
from sudokucrypt.storage import FileStatus
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.recipes.memory import inspect_picture

KEY, OTHER_KEY, THIRD_KEY = Key(bytes(range(32))), Key(bytes(32)), Key(b"3" * 32)
SOURCE = GALLERY["RGB-metadata.png"]
encrypt_pixels = partial(encrypt_file, as_file=False)
RESTORE_BY_PROTECT: Any = {encrypt_pixels: decrypt_file, scramble_file: unscramble_file}


def resume_call(call: Callable[[], FileReport], target: Path) -> FileReport | str:
    """Return the report of a call, or the difference that its error names; check the target."""
    state_before = (target.read_bytes(), target.stat().st_mtime_ns)
    outcome: FileReport | OutputExistsError
    try:
        outcome = call()
    except OutputExistsError as error:
        outcome = error
    assert (target.read_bytes(), target.stat().st_mtime_ns) == state_before
    if isinstance(outcome, FileReport):
        return outcome
    assert "replace=True" in str(outcome.hint)
    message_start = f"'{target}' exists, and is not what this run would write: "
    assert str(outcome).startswith(message_start)
    return str(outcome).removeprefix(message_start)


def is_kept(outcome: FileReport | str, target: Path) -> bool:
    """Return whether a call kept the existing target."""
    return isinstance(outcome, FileReport) and outcome.kept and outcome.target == target


OPTION_CASES: list[tuple[Any, dict[str, Any]]] = [
    (protect, options)
    for protect in RESTORE_BY_PROTECT
    for options in (
        {},
        {"rounds": 3},
        {"deterministic": True},
        {"metadata": "strip"},
    )
] + [
    (scramble_file, {"unit": "sample"}),
    (scramble_file, {"unit": "block", "block_size": 3}),
    (encrypt_file, {"as_file": True, "header_rows": True}),
    (encrypt_file, {"as_file": True, "header_rows": False}),
]


@pytest.mark.parametrize(("protect", "options"), OPTION_CASES)
def test_results_of_equal_calls_are_kept(tmp_path: Path, protect: Any, options: Any) -> None:
    """With `resume`, a result of the same call is kept, and a missing result is written."""
    key = Passphrase("open") if "rounds" in options else KEY
    target = tmp_path / "out.png"
    first_report = protect(io.BytesIO(SOURCE), target, key, **options)
    assert not first_report.kept
    outcome = resume_call(
        lambda: protect(io.BytesIO(SOURCE), target, key, resume=True, **options), target
    )
    assert is_kept(outcome, target)
    assert isinstance(outcome, FileReport)
    for name in ("shape", "dropped", "tag", "source_bytes", "target_bytes"):
        assert getattr(outcome, name) == getattr(first_report, name)
    missing_path = tmp_path / "other.png"
    assert not protect(io.BytesIO(SOURCE), missing_path, key, resume=True, **options).kept
    assert missing_path.exists()


def test_a_result_of_many_pixels_is_kept(tmp_path: Path) -> None:
    """With `resume`, pixels with as many samples as files that have segments are kept."""
    source, target = encode_array(noise(1025, 1025, 1), "PNG"), tmp_path / "out.png"
    assert not encrypt_pixels(io.BytesIO(source), target, KEY).kept
    outcome = resume_call(
        lambda: encrypt_pixels(io.BytesIO(source), target, KEY, resume=True), target
    )
    assert is_kept(outcome, target)


def test_a_file_that_changes_while_it_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `resume`, an input whose samples were read just before it changed is refused."""
    source, target = tmp_path / "notes.txt", tmp_path / "out.png"
    source.write_bytes(bytes(1000))
    encrypt_file(source, target, KEY)
    is_changed = OpenContent.is_changed

    def change_and_compare(content: OpenContent) -> bool:
        source.write_bytes(b"x" * 1000)
        os.utime(source, ns=(1, 1))
        return is_changed(content)

    monkeypatch.setattr(OpenContent, "is_changed", change_and_compare)
    with pytest.raises(OutputExistsError, match="changed while it was read"):
        encrypt_file(source, target, KEY, resume=True)


DIFFERENCE_CASES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {"rounds": 3}, "its rounds differ"),
    ({"unit": "sample"}, {}, "its unit differs"),
    (
        {"unit": "block", "block_size": 3},
        {"unit": "block", "block_size": 4},
        "its block size differs",
    ),
    ({"metadata": "strip"}, {}, "its metadata differ"),
    ({}, {"metadata": "strip"}, "its metadata differ"),
    ({"deterministic": True}, {}, "its salt is deterministic"),
    ({}, {"deterministic": True}, "its salt is random"),
]


@pytest.mark.parametrize(("first_options", "options", "difference"), DIFFERENCE_CASES)
def test_differing_options_are_named(
    tmp_path: Path, first_options: dict[str, Any], options: dict[str, Any], difference: str
) -> None:
    """Resuming with other options than those of the existing result is an error that names them."""
    target = tmp_path / "out.png"
    scramble_file(io.BytesIO(SOURCE), target, KEY, **first_options)

    def resume() -> FileReport:
        return scramble_file(io.BytesIO(SOURCE), target, KEY, resume=True, **options)

    assert resume_call(resume, target) == difference
    scramble_file(io.BytesIO(SOURCE), target, KEY, replace=True, **options)
    assert is_kept(resume_call(resume, target), target)


@pytest.mark.parametrize("deterministic", [True, False])
def test_the_kind_of_salt_of_a_file_is_named(tmp_path: Path, *, deterministic: bool) -> None:
    """A file with another kind of salt is not kept, even if its bytes are the same."""
    source, target = tmp_path / "in", tmp_path / "out.png"
    source.write_bytes(b"data")
    protect = partial(encrypt_file, source, target, KEY, as_file=True)
    protect(deterministic=deterministic)
    kind = "deterministic" if deterministic else "random"
    outcome = resume_call(lambda: protect(deterministic=not deterministic, resume=True), target)
    assert outcome == f"its salt is {kind}"


def test_the_format_of_the_input_is_sealed(tmp_path: Path) -> None:
    """A protected picture tells the format that its input had, not its own."""
    source, target = tmp_path / "in.tif", tmp_path / "out.png"
    source.write_bytes(GALLERY["RGB-metadata.tiff"])
    report = encrypt_pixels(source, target, KEY)
    assert report.pixels_because is None
    assert inspect_picture(target, KEY)[1].picture.format == "TIFF"


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
def test_another_scheme_is_named(tmp_path: Path, protect: Any) -> None:
    """Resuming is an error if the existing file is of another scheme, or a plain picture."""
    target = tmp_path / "out.png"
    other_protect = next(way for way in RESTORE_BY_PROTECT if way is not protect)
    other_protect(io.BytesIO(SOURCE), target, KEY)
    scheme = read_header(target).scheme

    def resume() -> FileReport:
        return protect(io.BytesIO(SOURCE), target, KEY, resume=True)  # type: ignore[no-any-return]

    assert resume_call(resume, target) == f"its scheme is {scheme}"
    target.write_bytes(SOURCE)
    assert resume_call(resume, target) == "it is not a protected picture"


def test_files_and_pixels_differ(tmp_path: Path) -> None:
    """Resuming is an error if pixels were encrypted instead of a file, or a file instead."""
    target = tmp_path / "out.png"
    for as_file in (True, False):
        encrypt_file(io.BytesIO(SOURCE), target, KEY, as_file=as_file, replace=True)
        outcome = resume_call(
            lambda: encrypt_file(io.BytesIO(SOURCE), target, KEY, as_file=not as_file, resume=True),  # noqa: B023
            target,
        )
        assert isinstance(outcome, str)


def test_another_secret_is_named(tmp_path: Path) -> None:
    """Resuming with another key or passphrase, or the key derived from it, is an error."""
    target = tmp_path / "out.png"

    def resume(key: Any) -> FileReport | str:
        return resume_call(
            lambda: encrypt_pixels(io.BytesIO(SOURCE), target, key, resume=True), target
        )

    encrypt_pixels(io.BytesIO(SOURCE), target, KEY)
    assert (
        resume(OTHER_KEY)
        == f"wrong key: the picture needs key {KEY.id}, and this is key {OTHER_KEY.id}"
    )
    assert resume(Passphrase("x")) == f"wrong key: the picture needs key {KEY.id}, not a passphrase"
    target.unlink()
    encrypt_pixels(io.BytesIO(SOURCE), target, Passphrase("x"))
    derived = KeyDerivation.from_text(read_header(target).kdf or "").derive(Passphrase("x"))
    assert is_kept(resume(Passphrase("x")), target)
    assert "wrong passphrase" in str(resume(Passphrase("y")))
    assert f"needs a passphrase, and this is key {KEY.id}" in str(resume(KEY))
    assert resume(derived) == "it takes a passphrase"


def test_only_encrypting_hints_at_updates(tmp_path: Path) -> None:
    """An existing file that differs can be updated if it was encrypted, but not if restored."""
    source, target, back = (tmp_path / name for name in ("in", "out.png", "back"))
    source.write_bytes(b"data")
    encrypt_file(source, target, KEY)
    back.write_bytes(b"other")
    with pytest.raises(OutputExistsError) as error_info:
        decrypt_file(target, back, KEY, resume=True)
    assert error_info.value.hint_key == "replace"
    source.write_bytes(b"more data")
    with pytest.raises(OutputExistsError) as error_info:
        encrypt_file(source, target, KEY, resume=True)
    assert error_info.value.hint_key == "update"


def test_new_keys_are_checked_before_anything_is_read() -> None:
    """A key that cannot protect is refused even if the file is missing."""
    with pytest.raises(InvalidKeyError, match="one picture cannot protect any"):
        rekey_file("missing", "out.png", KEY, KEY.picture_key(bytes(16)))  # type: ignore[arg-type]


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
def test_another_picture_is_named(tmp_path: Path, protect: Any) -> None:
    """Resuming with other samples, shapes or types is an error, even for 0.0 and -0.0."""
    target = tmp_path / "out.tiff"

    def compare(first: Any, second: Any) -> FileReport | str:
        first, second = (encode_array(np.asarray(array), "TIFF") for array in (first, second))
        protect(io.BytesIO(first), target, KEY, replace=True)
        return resume_call(lambda: protect(io.BytesIO(second), target, KEY, resume=True), target)

    changed = noise(13, 18, 3)
    changed[5, 5] ^= 1
    assert compare(noise(13, 18, 3), changed) == "its samples differ"
    assert compare(noise(13, 18, 3), noise(12, 18, 3)) == "its shape differs"
    assert compare(noise(13, 18, 1), noise(13, 18, 1, "uint16")) == "its dtype differs"
    zero, nan = np.zeros((4, 5), dtype="f4"), np.full((4, 5), np.nan, dtype="f4")
    assert compare(zero, -zero) == "its samples differ"
    assert is_kept(compare(nan, nan), target)


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
def test_a_result_without_its_last_row(tmp_path: Path, protect: Any) -> None:
    """A result whose samples have another shape than its header says is not kept."""
    target = tmp_path / "out.png"
    protect(io.BytesIO(SOURCE), target, KEY)
    picture = read_picture(target)
    cut = replace(picture, pixels=picture.pixels[:-1])
    target.write_bytes(encode_picture(cut, "PNG"))
    outcome = resume_call(lambda: protect(io.BytesIO(SOURCE), target, KEY, resume=True), target)
    assert outcome == "its shape differs"


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
@pytest.mark.parametrize("damage", ["empty", "cut", "samples", "tag", "header_mac", "salt"])
def test_a_damaged_result_is_not_kept(tmp_path: Path, protect: Any, damage: str) -> None:
    """A result that was damaged, and cannot be restored, is not kept."""
    target = tmp_path / "out.png"
    protect(io.BytesIO(SOURCE), target, KEY)
    picture, data = read_picture(target), target.read_bytes()
    if damage in ("empty", "cut"):
        target.write_bytes(data[: 0 if damage == "empty" else -20])
    elif damage == "samples":
        pixels = picture.pixels.copy()
        pixels[3, 3] ^= 1
        target.write_bytes(encode_picture(replace(picture, pixels=pixels), "PNG"))
    else:
        header = read_header(target)
        changed: dict[str, Any] = {damage: getattr(header, damage)[::-1]}
        line = replace(header, **changed).to_bytes()
        target.write_bytes(encode_picture(replace(picture, header=line), "PNG"))
    outcome = resume_call(lambda: protect(io.BytesIO(SOURCE), target, KEY, resume=True), target)
    assert isinstance(outcome, str)
    with pytest.raises(SudokucryptError):
        RESTORE_BY_PROTECT[protect](target, io.BytesIO(), KEY)


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
def test_resuming_a_restored_picture(tmp_path: Path, protect: Any) -> None:
    """A restored picture with equal samples is kept; other samples and a wrong key are errors."""
    stored_stream, target, restore = (
        io.BytesIO(),
        tmp_path / "back.png",
        RESTORE_BY_PROTECT[protect],
    )
    protect(io.BytesIO(SOURCE), stored_stream, KEY)

    def resume() -> FileReport | str:
        data = io.BytesIO(stored_stream.getvalue())
        return resume_call(lambda: restore(data, target, KEY, resume=True), target)

    restore(io.BytesIO(stored_stream.getvalue()), target, KEY)
    assert is_kept(resume(), target)
    target.write_bytes(encode_picture(replace(read_picture(target), metadata=Metadata()), "PNG"))
    assert is_kept(resume(), target)
    target.write_bytes(GALLERY["RGBA.png"])
    assert resume() == "its samples differ"
    with pytest.raises(SudokucryptError):
        restore(io.BytesIO(stored_stream.getvalue()), target, OTHER_KEY, resume=True)


def test_resuming_a_rekeyed_picture(tmp_path: Path) -> None:
    """A rekeyed picture is kept if new key, options and picture are equal."""
    stored_path, target = tmp_path / "s.png", tmp_path / "r.png"
    for protect in RESTORE_BY_PROTECT:
        protect(io.BytesIO(SOURCE), stored_path, KEY, rounds=5, replace=True)

        def resume(new: Key, source: Path = stored_path) -> FileReport | str:
            return resume_call(lambda: rekey_file(source, target, KEY, new, resume=True), target)

        rekey_file(stored_path, target, KEY, OTHER_KEY, replace=True)
        assert is_kept(resume(OTHER_KEY), target)
        assert resume(THIRD_KEY) == (
            f"wrong key: the picture needs key {OTHER_KEY.id}, and this is key {THIRD_KEY.id}"
        )
        rekey_file(stored_path, target, KEY, THIRD_KEY, replace=True)
        assert isinstance(resume(OTHER_KEY), str)
        changed = tmp_path / "t.png"
        protect(io.BytesIO(SOURCE), changed, KEY, rounds=6, replace=True)
        assert resume(THIRD_KEY, changed) == "its rounds differ"
        protect(
            io.BytesIO(encode_array(noise(13, 18, 3), "PNG")), changed, KEY, rounds=5, replace=True
        )
        assert resume(THIRD_KEY, changed) == "its metadata differ"


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
def test_max_pixels_limits_existing_results(tmp_path: Path, protect: Any) -> None:
    """An existing result with more than `max_pixels` pixels is refused."""
    target = tmp_path / "out.png"
    protect(io.BytesIO(encode_array(noise(20, 20, 1), "PNG")), target, KEY)
    small_picture = encode_array(noise(5, 5, 1), "PNG")
    outcome = resume_call(
        lambda: protect(io.BytesIO(small_picture), target, KEY, resume=True, max_pixels=399), target
    )
    assert "more than the 399" in str(outcome)


def test_a_missing_sidecar_is_written(tmp_path: Path) -> None:
    """Resuming writes a missing sidecar, and replaces one if its picture is missing.

    The sidecar of another picture is an error.
    """
    target, sidecar = tmp_path / "p.png", tmp_path / "p.png.sudokucrypt.json"
    sidecar.write_text("from an interrupted run")
    first_report = encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)
    header = sidecar.read_bytes()
    sidecar.unlink()
    second_report = encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)
    assert (first_report.kept, second_report.kept, sidecar.read_bytes()) == (False, True, header)
    encrypt_pixels(io.BytesIO(SOURCE), tmp_path / "q.png", KEY, sidecar=True)
    sidecar.write_bytes((tmp_path / "q.png.sudokucrypt.json").read_bytes())
    with pytest.raises(OutputExistsError, match=r"json' exists"):
        encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)


def test_a_passphrase_needs_a_random_salt(tmp_path: Path) -> None:
    """Resuming with a passphrase and `deterministic` is an error, whatever the target has."""
    target = tmp_path / "p.png"
    encrypt_pixels(io.BytesIO(SOURCE), target, KEY)
    with pytest.raises(InvalidParameterError, match="random salt"):
        encrypt_pixels(
            io.BytesIO(SOURCE), target, Passphrase("open"), deterministic=True, resume=True
        )


def test_another_run_keeps_its_sidecar(tmp_path: Path) -> None:
    """If another run has written the picture meanwhile, neither it nor its sidecar is replaced."""
    target, sidecar = tmp_path / "p.png", tmp_path / "p.png.sudokucrypt.json"
    encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True)
    files_before = (target.read_bytes(), sidecar.read_bytes())
    sink = Sink.for_target(io.BytesIO(), target, EncryptOptions(resume=True, sidecar=True))
    header = replace(read_header(target), salt=bytes(16))
    with pytest.raises(OutputExistsError):
        sink.store(target, [b"second"], FileStatus(), header, must_be_new=False, is_nameless=False)
    assert (target.read_bytes(), sidecar.read_bytes()) == files_before
