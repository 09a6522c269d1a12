"""What version 1.0.0 wrote is restored, or refused by the name of what left the format."""

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Key,
    Passphrase,
    UnsupportedVersionError,
    decrypt_file,
    rekey_file,
    unscramble_file,
    unscramble_robust_file,
)
from sudokucrypt.images import decode_picture
from sudokucrypt.keys import read_key
from sudokucrypt.recipes import inspect_file

FOLDER = Path(__file__).parents[1] / "data" / "v1"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
RESTORE: dict[str, Any] = {
    "scramble": unscramble_file,
    "jpeg": unscramble_file,
    "encrypt": decrypt_file,
    "robust": unscramble_robust_file,
}
# What left after version 1.1, by a word in the name of the file.
EARLIER = {
    "context.": "a context",
    "regions": "regions",
    "mask": "a mask",
    "cleartext": "readable metadata",
}
# Nothing in this file says that it was scrambled under a context.
BARE = "scramble-context-bare.png"


def _left(name: str) -> str | None:
    """Return the feature of a file that left the format."""
    return next((feature for word, feature in EARLIER.items() if word in name), None)


def test_the_index_lists_every_file() -> None:
    """At least 40 files are kept, and none of them is left out of the index."""
    listed = {entry["file"] for entry in INDEX}
    sidecars = {f"{name}.sudokucrypt.json" for name in listed}
    kept = {path.name for path in FOLDER.iterdir()} - {"index.json", "README.md"}
    assert listed <= kept <= listed | sidecars
    assert len(listed) == len(INDEX) >= 40


RESTORED = [entry for entry in INDEX if not _left(entry["file"]) and entry["file"] != BARE]
REFUSED = [entry for entry in INDEX if _left(entry["file"])]


@pytest.mark.parametrize("entry", REFUSED, ids=[entry["file"] for entry in REFUSED])
def test_what_left_the_format_is_named(entry: dict[str, Any]) -> None:
    """The error names the feature and the version that restores it; a wrong key is told first."""
    message = f"^made by an earlier version with {_left(entry['file'])}: restore it with version"
    path, result = FOLDER / entry["file"], io.BytesIO()
    with pytest.raises(UnsupportedVersionError, match=message):
        RESTORE[entry["recipe"]](path, result, read_key(entry["key"]))
    with pytest.raises(UnsupportedVersionError, match=message):
        rekey_file(path, result, read_key(entry["key"]), Key(bytes(32)))
    if "cleartext" in entry["file"]:  # which is under the seal
        assert inspect_file(path).header is not None
        with pytest.raises(DecryptionError):
            RESTORE[entry["recipe"]](path, result, Key(bytes(32)))
    else:
        with pytest.raises(UnsupportedVersionError, match=message):
            inspect_file(path)
    assert not result.getvalue()


def test_a_file_without_any_mark_is_not_recognized() -> None:
    """Under a context with default options, a file had no header."""
    with pytest.raises(FormatError, match="not a protected picture"):
        unscramble_file(FOLDER / BARE, io.BytesIO(), Key(bytes(32)))


@pytest.mark.parametrize("entry", RESTORED, ids=[entry["file"] for entry in RESTORED])
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
