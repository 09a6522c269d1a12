"""What version 1.1.0 wrote, every later version restores, or refuses by name."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import decrypt_file, unredact_file, unscramble_file, unscramble_robust_file
from sudokucrypt.errors import UnsupportedVersionError
from sudokucrypt.images import Metadata, decode_picture
from sudokucrypt.keys import read_key

FOLDER = Path(__file__).parents[1] / "data" / "v1_1"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
RESTORE: dict[str, Any] = {
    "scramble": unscramble_file,
    "encrypt": decrypt_file,
    "redact": unredact_file,
    "robust": unscramble_robust_file,
}
KEPT = [entry for entry in INDEX if "earlier" not in entry]
LEFT = [entry for entry in INDEX if "earlier" in entry]
# What headers say; the rest is said by files and by what is sealed.


def restored(entry: dict[str, Any]) -> bytes:
    """The file that restoring gives."""
    result = io.BytesIO()
    RESTORE[entry["recipe"]](FOLDER / entry["file"], result, read_key(entry["key"]))
    return result.getvalue()


def sealed(metadata: Metadata) -> dict[str, Any]:
    """Metadata in the form of the index."""
    fields: dict[str, Any] = {
        name: hashlib.sha256(value).hexdigest()
        for name in ("exif", "icc", "xmp")
        if (value := getattr(metadata, name)) is not None
    }
    if (density := metadata.resolution) is not None:
        fields["resolution"] = [str(density.columns), str(density.rows), density.unit]
    return fields


def test_the_index_lists_every_file() -> None:
    """All files are in the index, at least 40 that restore and 20 that are refused."""
    assert {entry["file"] for entry in INDEX} | {"index.json", "README.md"} == {
        path.name for path in FOLDER.iterdir()
    }
    assert len(KEPT) >= 40
    assert len(LEFT) >= 20


@pytest.mark.parametrize("entry", KEPT, ids=[entry["file"] for entry in KEPT])
def test_files_of_version_1_1_restore(entry: dict[str, Any]) -> None:
    """Each file gives back the same bytes, or the same samples, mode and metadata."""
    data = restored(entry)
    if "sha256" in entry:
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
        return
    picture = decode_picture(data)
    assert hashlib.sha256(picture.pixels.tobytes()).hexdigest() == entry["sha256_of_samples"]
    if "mode" in entry:
        assert list(picture.pixels.shape) == entry["shape"]
        assert (picture.mode, str(picture.pixels.dtype)) == (entry["mode"], entry["dtype"])
        assert sealed(picture.metadata) == entry["metadata"]


@pytest.mark.parametrize("entry", LEFT, ids=[entry["file"] for entry in LEFT])
def test_files_with_what_left_are_refused_by_name(entry: dict[str, Any]) -> None:
    """The error names what the file uses, and the version that restores it."""
    expected = f"made by an earlier version with {entry['earlier']}: restore it with version 1.1.0"
    with pytest.raises(UnsupportedVersionError, match=f"^{expected}$"):
        restored(entry)
