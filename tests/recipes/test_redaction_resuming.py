"""With `resume`, equal redacted pictures are kept; with `allow_none`, pictures may be copied."""

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    InvalidParameterError,
    Layer,
    OutputExistsError,
    Passphrase,
    RedactionReport,
    UnsupportedError,
    decrypt_file,
    redact_file,
    unredact_file,
)
from sudokucrypt.images.attachments import add_attachment, may_have_attachment
from sudokucrypt.recipes.redaction_info import is_redacted
from sudokucrypt.recipes.sources import SourceFile
from tests.images import builders as b
from tests.recipes.redacting import (
    KEYS,
    list_makers,
    make_file,
    read_package,
    redact_bytes,
    save_scene,
)

AREA = [(16, 16, 16, 32)]
SECRET = Passphrase("correct horse battery staple")
FORMATS = ["JPEG", "PNG"]


def _write_file(tmp_path: Path, file_format: str, data: bytes | None = None) -> tuple[Path, Path]:
    """Write a picture, and return its path and the path for its result."""
    source = tmp_path / f"in.{file_format.lower()}"
    source.write_bytes(save_scene(file_format) if data is None else data)
    return source, tmp_path / f"out.{file_format.lower()}"


def _resume(source: Path, target: Path, layers: Sequence[Layer], **options: Any) -> RedactionReport:
    """Redact a picture with `resume`."""
    return redact_file(source, target, layers, resume=True, **options)


@pytest.mark.parametrize("sidecar", [False, True])
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_same_result_is_kept(tmp_path: Path, file_format: str, *, sidecar: bool) -> None:
    """A second run with the same layers keeps the result, although new salts would differ."""
    source, target = _write_file(tmp_path, file_format)
    layers = [
        Layer(KEYS[0], AREA, name="a"),
        Layer(SECRET, mask=np.eye(93, 117) > 0),
        Layer(None, [(60, 60, 8, 8)]),
    ]
    redact_file(source, target, layers, sidecar=sidecar)
    files_before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    report = _resume(source, target, layers, sidecar=sidecar)
    assert report.kept
    assert report.target == target
    assert files_before == {path: path.read_bytes() for path in tmp_path.iterdir()}


@pytest.mark.parametrize("file_format", FORMATS)
def test_another_result_is_named(tmp_path: Path, file_format: str) -> None:
    """Other areas, covers, names, keys, inputs or places of layers are errors that name them."""
    source, target = _write_file(tmp_path, file_format)
    layer = Layer(KEYS[0], AREA)
    redact_file(source, target, [layer])
    other_source = tmp_path / f"other.{file_format.lower()}"
    other_source.write_bytes(save_scene(file_format, seed=1))
    cases: list[tuple[str, Path, list[Layer], dict[str, Any]]] = [
        ("areas or its cover", source, [Layer(KEYS[0], [(0, 0, 16, 16)])], {}),
        ("areas or its cover", source, [layer, Layer(KEYS[1], [(64, 64, 8, 8)])], {}),
        ("areas or its cover", source, [layer, Layer(None, [(64, 64, 8, 8)])], {}),
        ("areas or its cover", source, [layer], {"cover": "white"}),
        ("names of its layers", source, [Layer(KEYS[0], AREA, name="b")], {}),
        ("wrong key", source, [Layer(KEYS[1], AREA)], {}),
        ("takes a key|wrong key|wrong passphrase", source, [Layer(SECRET, AREA)], {}),
        ("pixels or metadata", other_source, [layer], {}),
        ("pixels or metadata", source, [layer], {"sidecar": True}),
        ("its bytes differ", source, [Layer(None, AREA)], {}),
    ]
    for text, plain, layers, options in cases:
        with pytest.raises(OutputExistsError, match=f"not what this run would write: .*({text})"):
            _resume(plain, target, layers, **options)


@pytest.mark.parametrize("file_format", FORMATS)
def test_only_covered_pixels_differ(tmp_path: Path, file_format: str) -> None:
    """If the input changed only inside the covered area, resuming is an error."""
    pixels = b.noise(64, 64, 3)
    source, target = _write_file(tmp_path, file_format, b.save_image(pixels, file_format))
    redact_file(source, target, [Layer(KEYS[0], AREA)])
    pixels[20:24, 20:40] ^= 255
    source.write_bytes(b.save_image(pixels, file_format))
    with pytest.raises(OutputExistsError, match="not what this run would write"):
        _resume(source, target, [Layer(KEYS[0], AREA)])


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_file_without_layers_is_no_result(tmp_path: Path, file_format: str) -> None:
    """Resuming over a plain picture is an error, unless the redaction has no layers with keys."""
    source, target = _write_file(tmp_path, file_format)
    target.write_bytes(source.read_bytes())
    with pytest.raises(OutputExistsError, match="it holds no layers"):
        _resume(source, target, [Layer(KEYS[0], AREA)])
    redact_file(source, target, [Layer(None, AREA)], replace=True)
    assert _resume(source, target, [Layer(None, AREA)]).kept


def test_a_planted_result_without_covers_is_refused(tmp_path: Path) -> None:
    """A file with the right layers, but without the covers, is not kept as a result."""
    source, target = _write_file(tmp_path, "PNG")
    covered = redact_bytes(source.read_bytes(), [Layer(KEYS[0], AREA)])
    package = read_package(covered).to_bytes()
    pixels = b.noise(93, 117, 3)
    for planted in (source.read_bytes(), b.save_image(pixels, "PNG")):
        target.write_bytes(add_attachment(planted, package))
        with pytest.raises(OutputExistsError, match="its pixels or metadata differ"):
            _resume(source, target, [Layer(KEYS[0], AREA)])


def test_an_existing_file_stays(tmp_path: Path) -> None:
    """Neither function replaces a file by default, and layers are given as a list."""
    source, target = _write_file(tmp_path, "PNG")
    with pytest.raises(InvalidParameterError, match="layers are a list of Layer"):
        redact_file(source, target, Layer(KEYS[0], AREA))  # type: ignore[arg-type] # tested
    redact_file(source, target, [Layer(KEYS[0], AREA)])
    with pytest.raises(OutputExistsError):
        redact_file(source, target, [Layer(KEYS[0], AREA)])
    with pytest.raises(OutputExistsError):
        unredact_file(target, source, KEYS[0])


@pytest.mark.parametrize("file_format", FORMATS)
def test_areas_are_not_searched_in_vain(tmp_path: Path, file_format: str) -> None:
    """If the result with the usual name exists, this is the error before a function is called."""
    source, _ = _write_file(tmp_path, file_format)
    pictures: list[object] = []

    def find(picture: object) -> list[tuple[int, int, int, int]]:
        pictures.append(picture)
        return AREA

    redact_file(source, None, [Layer(KEYS[0], find)])
    with pytest.raises(OutputExistsError):
        redact_file(source, None, [Layer(KEYS[0], find)])
    assert len(pictures) == 1


def test_recipients_cannot_be_compared(tmp_path: Path) -> None:
    """Resuming is an error if only recipients can open a layer; with a key the result is kept."""
    from sudokucrypt import Identity

    source, target = _write_file(tmp_path, "PNG")
    recipient = Identity.generate().recipient
    redact_file(source, target, [Layer([recipient], AREA)])
    with pytest.raises(OutputExistsError, match="only its recipients can open it"):
        _resume(source, target, [Layer([recipient], AREA)])
    redact_file(source, target, [Layer([KEYS[0], recipient], AREA)], replace=True)
    assert _resume(source, target, [Layer([KEYS[0], recipient], AREA)]).kept
    with pytest.raises(OutputExistsError, match="it has other recipients"):
        _resume(source, target, [Layer(KEYS[0], AREA)])


@pytest.mark.parametrize("file_format", [*FORMATS, "BMP", "TIFF"])
def test_a_picture_without_areas_is_copied(tmp_path: Path, file_format: str) -> None:
    """With `allow_none`, a picture in which no function finds an area is copied byte for byte.

    The copy must keep the suffix. An empty list or mask is still an error.
    """
    source, _ = _write_file(tmp_path, file_format)
    finds_none, with_area = Layer(KEYS[0], lambda _: []), Layer(KEYS[1], AREA)
    report = redact_file(source, None, [finds_none, Layer(None, lambda _: [])], allow_none=True)
    assert report.copied
    assert report.target is not None
    assert report.target.name.startswith(f"{source.name}.redacted.")
    assert Path(str(report.target)).read_bytes() == source.read_bytes()
    assert _resume(source, Path(str(report.target)), [finds_none], allow_none=True).kept
    stream = io.BytesIO()
    redact_file(source, stream, [finds_none], allow_none=True)
    assert stream.getvalue() == source.read_bytes()
    for name in ("out.webp", "out.xyz"):
        with pytest.raises(UnsupportedError, match="keeps its format, which has another suffix"):
            redact_file(source, tmp_path / name, [finds_none], allow_none=True)
    for empty in (Layer(KEYS[0], []), Layer(KEYS[0], mask=np.zeros((93, 117), dtype=bool))):
        with pytest.raises(InvalidParameterError, match="no pixel is selected"):
            redact_file(source, io.BytesIO(), [empty, with_area], allow_none=True)
    report = redact_file(source, io.BytesIO(), [finds_none, with_area], allow_none=True)
    assert (report.copied, report.layers) == (False, 1)


def test_lifting_keeps_an_equal_file(tmp_path: Path) -> None:
    """With `resume`, an existing lifted file is kept if its bytes are equal, else an error."""
    source, target = _write_file(tmp_path, "JPEG")
    redact_file(source, target, [Layer(KEYS[0], AREA)])
    functions: tuple[Any, ...] = (unredact_file, decrypt_file)
    for number, lift in enumerate(functions):
        lifted = tmp_path / f"lifted{number}.jpg"
        kept_results = [lift(target, lifted, KEYS[0], resume=True).kept for _ in range(2)]
        named = lift(target, None, KEYS[0]).target
        assert (named.suffix, named.read_bytes()) == (".jpg", source.read_bytes())
        named.unlink()
        assert kept_results == [False, True]
        assert lifted.read_bytes() == source.read_bytes()
        lifted.write_bytes(b"something else")
        with pytest.raises(OutputExistsError, match="its bytes differ"):
            lift(target, lifted, KEYS[0], resume=True)


def test_a_sidecar_of_an_earlier_result_is_an_error(tmp_path: Path) -> None:
    """A result without a sidecar is not written next to a sidecar of an earlier result."""
    source, target = _write_file(tmp_path, "PNG")
    redact_file(source, target, [Layer(KEYS[0], AREA)], sidecar=True)
    files_before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    finds_none = Layer(KEYS[0], lambda _: [])
    cases: list[tuple[list[Layer], dict[str, Any]]] = [
        ([Layer(None, AREA)], {}),
        ([Layer(None, AREA)], {"sidecar": True}),
        ([Layer(KEYS[0], AREA)], {}),
        ([finds_none], {"allow_none": True}),
    ]
    for layers, options in cases:
        with pytest.raises(OutputExistsError, match="holds the layers of an earlier result"):
            redact_file(source, target, layers, replace=True, **options)
    assert files_before == {path: path.read_bytes() for path in tmp_path.iterdir()}
    redact_file(source, target, [Layer(KEYS[1], AREA)], sidecar=True, replace=True)
    assert unredact_file(target, tmp_path / "back.png", KEYS[1]).lifted == ("1",)


@pytest.mark.parametrize(
    "name", sorted(name for name in list_makers() if name[:4] in ("PNG,", "JPEG"))
)
def test_redacted_files_are_found_without_reading_them(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`is_redacted` tells plain from redacted PNG and JPEG files, and takes truncated ones."""
    data, path = make_file(name), tmp_path / "picture"
    path.write_bytes(data)
    with monkeypatch.context() as patch:
        patch.setattr(SourceFile, "read", os.abort)
        assert is_redacted(path) is False
    covered = redact_bytes(data, [Layer(KEYS[0], [(0, 0, 1, 1)])])
    path.write_bytes(covered)
    assert is_redacted(path)
    assert may_have_attachment(io.BytesIO(covered))
    for cut_length in range(0, len(data), 97):
        may_have_attachment(io.BytesIO(data[:cut_length]))
