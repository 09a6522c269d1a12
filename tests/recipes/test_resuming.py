"""With `resume` a result is kept if it is what would be written; else what differs is named."""

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    FileReport,
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
from sudokucrypt.storage import FileStatus
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise

KEY, OTHER, THIRD = Key(bytes(range(32))), Key(bytes(32)), Key(b"3" * 32)
SOURCE = GALLERY["RGB-metadata.png"]
encrypt_pixels = partial(encrypt_file, as_file=False)
WAYS: Any = {encrypt_pixels: decrypt_file, scramble_file: unscramble_file}


def resume_call(call: Callable[[], FileReport], target: Path) -> FileReport | str:
    """The report, or what the error says; either way nothing that is there changes."""
    before = (target.read_bytes(), target.stat().st_mtime_ns)
    outcome: FileReport | OutputExistsError
    try:
        outcome = call()
    except OutputExistsError as error:
        outcome = error
    assert (target.read_bytes(), target.stat().st_mtime_ns) == before
    if isinstance(outcome, FileReport):
        return outcome
    assert "replace=True" in str(outcome.hint)
    start = f"'{target}' exists, and is not what this run would write: "
    assert str(outcome).startswith(start)
    return str(outcome).removeprefix(start)


def is_kept(outcome: FileReport | str, target: Path) -> bool:
    """Whether the result was kept."""
    return isinstance(outcome, FileReport) and outcome.kept and outcome.target == target


OPTIONS: list[tuple[Any, dict[str, Any]]] = [
    (protect, options)
    for protect in WAYS
    for options in (
        {},
        {"rounds": 3},
        {"deterministic": True},
        {"metadata": "strip"},
    )
] + [
    (scramble_file, {"unit": "sample"}),
    (scramble_file, {"unit": "block", "block_size": 3}),
]


@pytest.mark.parametrize(("protect", "options"), OPTIONS)
def test_the_same_again_is_kept(tmp_path: Path, protect: Any, options: Any) -> None:
    """What the same call wrote is kept, regardless of its options, up to chance."""
    key = Passphrase("open") if "rounds" in options else KEY
    target = tmp_path / "out.png"
    first = protect(io.BytesIO(SOURCE), target, key, **options)
    assert not first.kept
    outcome = resume_call(
        lambda: protect(io.BytesIO(SOURCE), target, key, resume=True, **options), target
    )
    assert is_kept(outcome, target)
    assert isinstance(outcome, FileReport)
    assert (outcome.shape, outcome.dropped) == (first.shape, first.dropped)
    missing = tmp_path / "other.png"
    assert not protect(io.BytesIO(SOURCE), missing, key, resume=True, **options).kept
    assert missing.exists()


DIFFERENT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
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


@pytest.mark.parametrize(("before", "now", "difference"), DIFFERENT)
def test_what_differs_is_named(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], difference: str
) -> None:
    """Other options than those of the result are an error that names each of them."""
    target = tmp_path / "out.png"
    scramble_file(io.BytesIO(SOURCE), target, KEY, **before)
    outcome = resume_call(
        lambda: scramble_file(io.BytesIO(SOURCE), target, KEY, resume=True, **now), target
    )
    assert outcome == difference
    scramble_file(io.BytesIO(SOURCE), target, KEY, replace=True, **now)
    assert is_kept(
        resume_call(
            lambda: scramble_file(io.BytesIO(SOURCE), target, KEY, resume=True, **now), target
        ),
        target,
    )


@pytest.mark.parametrize("protect", WAYS)
def test_another_scheme_is_named(tmp_path: Path, protect: Any) -> None:
    """Encrypted is not scrambled, and neither is plain."""
    target = tmp_path / "out.png"
    other = next(way for way in WAYS if way is not protect)
    other(io.BytesIO(SOURCE), target, KEY)
    scheme = read_header(target).scheme
    again = lambda: protect(io.BytesIO(SOURCE), target, KEY, resume=True)  # noqa: E731
    assert resume_call(again, target) == f"its scheme is {scheme}"
    target.write_bytes(SOURCE)
    assert resume_call(again, target) == "it is not a protected picture"


def test_a_file_is_no_picture_of_pixels(tmp_path: Path) -> None:
    """What holds a file is not a result of a run that encrypts pixels; nor the other way round."""
    target = tmp_path / "out.png"
    for made, now in ((True, False), (False, True)):
        encrypt_file(io.BytesIO(SOURCE), target, KEY, as_file=made, replace=True)
        outcome = resume_call(
            lambda: encrypt_file(io.BytesIO(SOURCE), target, KEY, as_file=now, resume=True),  # noqa: B023
            target,
        )
        assert isinstance(outcome, str)


def test_another_secret_is_named(tmp_path: Path) -> None:
    """A key is not a passphrase, not even the key that was derived from it, and no other key."""
    target = tmp_path / "out.png"

    def again(key: Any) -> FileReport | str:
        return resume_call(
            lambda: encrypt_pixels(io.BytesIO(SOURCE), target, key, resume=True), target
        )

    encrypt_pixels(io.BytesIO(SOURCE), target, KEY)
    assert again(OTHER) == f"wrong key: the picture needs key {KEY.id}, and this is key {OTHER.id}"
    assert again(Passphrase("x")) == f"wrong key: the picture needs key {KEY.id}, not a passphrase"
    target.unlink()
    encrypt_pixels(io.BytesIO(SOURCE), target, Passphrase("x"))
    derived = KeyDerivation.from_text(read_header(target).kdf or "").derive(Passphrase("x"))
    assert is_kept(again(Passphrase("x")), target)
    assert "wrong passphrase" in str(again(Passphrase("y")))
    assert f"needs a passphrase, and this is key {KEY.id}" in str(again(KEY))
    assert again(derived) == "it takes a passphrase"


@pytest.mark.parametrize("protect", WAYS)
def test_another_picture_is_named(tmp_path: Path, protect: Any) -> None:
    """Other samples, shapes and types are told apart, also in one bit of a float."""
    target = tmp_path / "out.tiff"

    def differs(first: bytes, second: bytes) -> FileReport | str:
        protect(io.BytesIO(first), target, KEY, replace=True)
        return resume_call(lambda: protect(io.BytesIO(second), target, KEY, resume=True), target)

    def tiff(array: Any) -> bytes:
        return encode_array(np.asarray(array), "TIFF")

    changed = noise(13, 18, 3)
    changed[5, 5] ^= 1
    assert differs(tiff(noise(13, 18, 3)), tiff(changed)) == "its samples differ"
    assert differs(tiff(noise(13, 18, 3)), tiff(noise(12, 18, 3))) == "its shape differs"
    assert differs(tiff(noise(13, 18, 1)), tiff(noise(13, 18, 1, "uint16"))) == "its dtype differs"
    zero, nan = np.zeros((4, 5), dtype="f4"), np.full((4, 5), np.nan, dtype="f4")
    assert differs(tiff(zero), tiff(-zero)) == "its samples differ"
    assert is_kept(differs(tiff(nan), tiff(nan)), target)


@pytest.mark.parametrize("protect", WAYS)
@pytest.mark.parametrize("damage", ["empty", "cut", "samples", "tag", "header_mac", "salt"])
def test_a_damaged_result_is_not_kept(tmp_path: Path, protect: Any, damage: str) -> None:
    """What would not be restored is never taken for done."""
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
        WAYS[protect](target, io.BytesIO(), KEY)


@pytest.mark.parametrize("protect", WAYS)
def test_restoring_again(tmp_path: Path, protect: Any) -> None:
    """A restored picture is kept if its samples are those that would be written."""
    stored, target, restore = io.BytesIO(), tmp_path / "back.png", WAYS[protect]
    protect(io.BytesIO(SOURCE), stored, KEY)

    def again() -> FileReport | str:
        data = io.BytesIO(stored.getvalue())
        return resume_call(lambda: restore(data, target, KEY, resume=True), target)

    restore(io.BytesIO(stored.getvalue()), target, KEY)
    assert is_kept(again(), target)
    target.write_bytes(encode_picture(replace(read_picture(target), metadata=Metadata()), "PNG"))
    assert is_kept(again(), target)
    target.write_bytes(GALLERY["RGBA.png"])
    assert again() == "its samples differ"
    with pytest.raises(SudokucryptError):
        restore(io.BytesIO(stored.getvalue()), target, OTHER, resume=True)


def test_rekeying_again(tmp_path: Path) -> None:
    """A rekeyed picture is kept under the new key alone, and if its picture is the same."""
    stored, target = tmp_path / "s.png", tmp_path / "r.png"
    for protect in WAYS:
        protect(io.BytesIO(SOURCE), stored, KEY, rounds=5, replace=True)

        def again(new: Key, source: Path = stored) -> FileReport | str:
            return resume_call(lambda: rekey_file(source, target, KEY, new, resume=True), target)

        rekey_file(stored, target, KEY, OTHER, replace=True)
        assert is_kept(again(OTHER), target)
        assert again(THIRD) == (
            f"wrong key: the picture needs key {OTHER.id}, and this is key {THIRD.id}"
        )
        rekey_file(stored, target, KEY, THIRD, replace=True)
        assert isinstance(again(OTHER), str)
        changed = tmp_path / "t.png"
        protect(io.BytesIO(SOURCE), changed, KEY, rounds=6, replace=True)
        assert again(THIRD, changed) == "its rounds differ"
        protect(
            io.BytesIO(encode_array(noise(13, 18, 3), "PNG")), changed, KEY, rounds=5, replace=True
        )
        assert again(THIRD, changed) == "its metadata differ"


@pytest.mark.parametrize("protect", WAYS)
def test_max_pixels_counts_for_both(tmp_path: Path, protect: Any) -> None:
    """The result that is there is read under the same limit as the picture."""
    target = tmp_path / "out.png"
    protect(io.BytesIO(encode_array(noise(20, 20, 1), "PNG")), target, KEY)
    small = encode_array(noise(5, 5, 1), "PNG")
    outcome = resume_call(
        lambda: protect(io.BytesIO(small), target, KEY, resume=True, max_pixels=399), target
    )
    assert "more than the 399" in str(outcome)


def test_a_missing_sidecar_comes_back(tmp_path: Path) -> None:
    """A sidecar that is missing, or left by a run that was stopped, is written again."""
    target, beside = tmp_path / "p.png", tmp_path / "p.png.sudokucrypt.json"
    beside.write_text("left behind")
    first = encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)
    header = beside.read_bytes()
    beside.unlink()
    again = encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)
    assert (first.kept, again.kept, beside.read_bytes()) == (False, True, header)
    other = encrypt_pixels(io.BytesIO(SOURCE), tmp_path / "q.png", KEY, sidecar=True)
    assert other.target is not None
    beside.write_bytes((tmp_path / "q.png.sudokucrypt.json").read_bytes())
    with pytest.raises(OutputExistsError, match=r"json' exists"):
        encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True, resume=True)


def test_a_passphrase_needs_a_random_salt(tmp_path: Path) -> None:
    """Resuming says so before it compares anything."""
    target = tmp_path / "p.png"
    encrypt_pixels(io.BytesIO(SOURCE), target, KEY)
    with pytest.raises(InvalidParameterError, match="random salt"):
        encrypt_pixels(
            io.BytesIO(SOURCE), target, Passphrase("open"), deterministic=True, resume=True
        )


def test_another_run_keeps_its_sidecar(tmp_path: Path) -> None:
    """Of two runs at once, the one whose picture comes second touches neither file."""
    target, beside = tmp_path / "p.png", tmp_path / "p.png.sudokucrypt.json"
    encrypt_pixels(io.BytesIO(SOURCE), target, KEY, sidecar=True)
    before = (target.read_bytes(), beside.read_bytes())
    sink = Sink.for_target(io.BytesIO(), target, EncryptOptions(resume=True, sidecar=True))
    header = replace(read_header(target), salt=bytes(16))
    with pytest.raises(OutputExistsError):
        sink.store(target, [b"second"], FileStatus(), header, new=False, hidden=False)
    assert (target.read_bytes(), beside.read_bytes()) == before
