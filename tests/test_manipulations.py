"""Protected files that are changed, with sidecars and names: exact restoration or an error."""

import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from sudokucrypt import (
    DecryptionError,
    FormatError,
    InvalidImageError,
    Key,
    Layer,
    SudokucryptError,
    UnsupportedError,
    decrypt_file,
    encrypt_file,
    images,
    redact_file,
    scramble_file,
    unredact_file,
    unscramble_file,
)
from sudokucrypt.header import get_sidecar_name
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from tests.damage import change_bytes, change_pieces, change_samples
from tests.images.builders import noise

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(range(1, 33)))
RESTORES: dict[Any, Any] = {
    encrypt_file: decrypt_file,
    scramble_file: unscramble_file,
    redact_file: unredact_file,
}
AREAS = [(0, 0, 4, 4)]
ERRORS = (DecryptionError, FormatError, InvalidImageError, UnsupportedError)
"""The errors for changed files."""


@dataclass(frozen=True, kw_only=True)
class Protected:
    """A protected file with its sidecar and name, and the plain file that it is restored to."""

    name: str
    data: bytes
    sidecar: bytes | None
    plain: bytes
    restore: Callable[..., object]


def _make_case(folder: Path, name: str, source: bytes, protect: Any, **options: Any) -> Protected:
    """Protect a file, and return it with the restored file."""
    path = folder / name
    key = [Layer(KEY, AREAS)] if protect is redact_file else KEY
    protect(io.BytesIO(source), path, key, **options)
    sidecar_path = path.with_name(get_sidecar_name(path.name))
    restore = RESTORES[protect]
    restored = io.BytesIO()
    restore(path, restored, KEY)
    return Protected(
        name=name,
        data=path.read_bytes(),
        sidecar=sidecar_path.read_bytes() if sidecar_path.exists() else None,
        plain=restored.getvalue(),
        restore=restore,
    )


@pytest.fixture(scope="module")
def protected_files(tmp_path_factory: pytest.TempPathFactory) -> list[Protected]:
    """Small protected files of all kinds that are authenticated, in several formats."""
    folder = tmp_path_factory.mktemp("protected")
    gray, film = images.Picture.plain(noise(7, 9, 1)), io.BytesIO()
    frames = [Image.fromarray(noise(6, 5, 3)) for _ in range(3)]
    frames[0].save(film, "PNG", save_all=True, append_images=frames[1:], duration=40)
    tagged, photo = io.BytesIO(), io.BytesIO()
    exif = Image.Exif()
    exif[270] = "described"
    Image.fromarray(noise(8, 8, 4)).save(tagged, "PNG", exif=exif)
    Image.fromarray(noise(17, 9, 3) // 4).save(photo, "JPEG", quality=60)
    picture = images.encode_picture(gray, "PNG")
    return [
        _make_case(folder, "a.png", picture, encrypt_file),
        _make_case(folder, "b.png", picture, scramble_file),
        _make_case(folder, "c.tiff", picture, encrypt_file),
        _make_case(folder, "d.tif", tagged.getvalue(), scramble_file),
        _make_case(folder, "e.png", film.getvalue(), encrypt_file),
        _make_case(folder, "f.png", tagged.getvalue(), encrypt_file, sidecar=True),
        _make_case(folder, "g.tiff", tagged.getvalue(), scramble_file, sidecar=True),
        _make_case(folder, "h.png", picture, encrypt_file, rounds=9),
        _make_case(folder, "i.png", b"any file, of any kind", encrypt_file, as_file=True),
        _make_case(folder, "j.jpg", photo.getvalue(), scramble_file),
        _make_case(folder, "k.png", photo.getvalue(), encrypt_file),
        _make_case(folder, "l.png", picture, redact_file),
        _make_case(folder, "m.jpg", photo.getvalue(), redact_file),
    ]


def manipulate(source: random.Random, file: Protected, other: Protected) -> Protected:
    """Return a file with one to five random changes."""
    for _ in range(source.choice((1, 1, 1, 2, 5))):
        change_data = source.choice((change_bytes, change_pieces, change_samples))
        match source.randrange(8):
            case 0:
                suffix = source.choice((".png", ".jpg", ".tiff", ".webp", "", ".gif"))
                file = replace(file, name=file.name.partition(".")[0] + suffix)
            case 1:
                file = replace(file, sidecar=other.sidecar)
            case 2 if file.sidecar is not None:
                file = replace(file, sidecar=change_data(source, file.sidecar, other.data))
            case _:
                file = replace(file, data=change_data(source, file.data, other.data))
    return file


def is_same(data: bytes, other_data: bytes) -> bool:
    """Return whether two plain files are equal, or are pictures of equal samples and metadata."""
    if data == other_data:
        return True
    try:
        picture, other_picture = images.decode_picture(data), images.decode_picture(other_data)
    except SudokucryptError:
        return False
    return are_same_pictures(picture, other_picture) and picture.metadata == other_picture.metadata


@pytest.mark.parametrize(
    "count",
    [
        300,
        pytest.param(3000, marks=pytest.mark.slow),
        pytest.param(100_000, marks=pytest.mark.nightly),
    ],
)
def test_nothing_wrong_is_released(
    protected_files: list[Protected], tmp_path: Path, count: int
) -> None:
    """A changed file is restored exactly, or raises an error and nothing is written."""
    source = random.Random(count)  # noqa: S311 - changes, not secrets
    outcomes: Counter[str] = Counter()
    for _ in range(count):
        file, other = source.sample(protected_files, 2)
        changed = manipulate(source, file, other)
        path, target = tmp_path / changed.name, io.BytesIO()
        path.write_bytes(changed.data)
        sidecar = path.with_name(get_sidecar_name(path.name))
        if changed.sidecar is not None:
            sidecar.write_bytes(changed.sidecar)
        key = source.choice((KEY, KEY, KEY, OTHER_KEY))
        refusal: SudokucryptError | None = None
        try:
            changed.restore(path, target, key)
        except SudokucryptError as error:
            refusal = error
        if refusal is None:
            outcomes["exact"] += 1
            assert key == KEY
            assert any(is_same(each.plain, target.getvalue()) for each in (file, other)), changed
        else:
            outcomes["refused"] += 1
            assert not target.getvalue()
            # The header of another file may ask for another function.
            assert isinstance(refusal, ERRORS) or "scrambled" in str(refusal), changed
        sidecar.unlink(missing_ok=True)
        path.unlink()
    assert min(outcomes.values()) > count // 50, outcomes
