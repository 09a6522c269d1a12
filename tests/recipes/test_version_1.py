"""What version 1.0.0 wrote, every later version restores."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Passphrase, decrypt_file, unscramble_file, unscramble_robust_file
from sudokucrypt.images import decode_picture
from sudokucrypt.keys import read_key

FOLDER = Path(__file__).parents[1] / "data" / "v1"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
RESTORE: dict[str, Any] = {
    "scramble": unscramble_file,
    "jpeg": unscramble_file,
    "encrypt": decrypt_file,
    "robust": unscramble_robust_file,
}


def test_the_index_lists_every_file() -> None:
    """At least 40 files are kept, and none of them is left out of the index."""
    listed = {entry["file"] for entry in INDEX}
    sidecars = {f"{name}.sudokucrypt.json" for name in listed}
    kept = {path.name for path in FOLDER.iterdir()} - {"index.json", "README.md"}
    assert listed <= kept <= listed | sidecars
    assert len(listed) == len(INDEX) >= 40


@pytest.mark.parametrize("entry", INDEX, ids=[entry["file"] for entry in INDEX])
def test_files_of_version_1_restore(entry: dict[str, Any]) -> None:
    """Each file gives back, byte for byte, what it gave back when it was made."""
    phrase, options = entry.get("passphrase"), dict(entry["options"])
    secret = read_key(entry["key"]) if phrase is None else Passphrase(phrase)
    if "sidecar" in options:
        options["sidecar"] = FOLDER / options["sidecar"]
    result = io.BytesIO()
    RESTORE[entry["recipe"]](FOLDER / entry["file"], result, secret, **options)
    data = result.getvalue()
    if "sha256" in entry:
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    else:
        samples = b"".join(frame.pixels.tobytes() for frame in decode_picture(data).frames)
        assert hashlib.sha256(samples).hexdigest() == entry["sha256_of_samples"]
