"""What version 1.0.0 wrote, every later version restores, or refuses by name."""

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

FOLDER = Path(__file__).parents[1] / "data" / "v1"
INDEX: list[dict[str, Any]] = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
RESTORE: dict[str, Any] = {
    "scramble": unscramble_file,
    "jpeg": unscramble_file,
    "encrypt": decrypt_file,
    "robust": unscramble_robust_file,
}


# Files with texts and tags of a format, which version 1.2 does not restore, and the SHA-256 of the
# samples that they have: without these notes a restored file has other bytes.
WITH_TEXTS = {
    "scramble-sample.png": "08047263e68d12490c0c54c5627f6aab2ab304d12cf6f65a62a488099e942dfa",
    "scramble-sidecar.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "scramble-cleartext.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "scramble-cmyk.tiff": "25fc8233ae3e283071cc214ed996c749ad0c9f058aff87f152140155dfece145",
    "encrypt-rgb.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "encrypt-cleartext.png": "c607d76ae7509c26df5460ed2551f11838e026dcbfa5a246b0aaf9dc0f36af71",
    "encrypt-sidecar.png": "094182c99b22ead15ae34bbe16dbff532f484698c30cef9fa4c70a2254171a85",
}
# What is refused, and its name; what headers say comes first.
LEFT = {
    "scramble-context.png": "a context",
    "scramble-regions.png": "regions",
    "scramble-mask-rgb.png": "a mask",
    "scramble-animation.png": "an animation",
    "scramble-gif.gif": "a GIF result",
    "scramble-webp.webp": "a WebP result",
    "scramble-webp-animation.webp": "a WebP result",
    "scramble-pages.tiff": "several pages",
    "encrypt-bits.png": "samples of fewer than 8 bits",
    "encrypt-regions.png": "regions",
    "encrypt-mask.png": "a mask",
    "encrypt-animation.gif": "a GIF result",
    "encrypt-webp.webp": "a WebP result",
    "jpeg-cleartext.jpg": "readable metadata",
    "jpeg-regions.jpg": "regions",
}
# A picture without header, which only its context restores: nothing tells it from noise.
BARE = "scramble-context-bare.png"
KEPT = [entry for entry in INDEX if entry["file"] not in (*LEFT, BARE)]


def test_the_index_lists_every_file() -> None:
    """At least 40 files are kept, and none of them is left out of the index."""
    listed = {entry["file"] for entry in INDEX}
    sidecars = {f"{name}.sudokucrypt.json" for name in listed}
    kept = {path.name for path in FOLDER.iterdir()} - {"index.json", "README.md"}
    assert listed <= kept <= listed | sidecars
    assert len(listed) == len(INDEX) >= 40


def restored(entry: dict[str, Any]) -> bytes:
    """The file that restoring gives."""
    phrase, options = entry.get("passphrase"), dict(entry["options"])
    secret = read_key(entry["key"]) if phrase is None else Passphrase(phrase)
    options.pop("context", None)
    if "sidecar" in options:
        options["sidecar"] = FOLDER / options["sidecar"]
    result = io.BytesIO()
    RESTORE[entry["recipe"]](FOLDER / entry["file"], result, secret, **options)
    return result.getvalue()


@pytest.mark.parametrize("entry", KEPT, ids=[entry["file"] for entry in KEPT])
def test_files_of_version_1_restore(entry: dict[str, Any]) -> None:
    """Each file gives back, byte for byte, what it gave back when it was made, but for texts."""
    data = restored(entry)
    samples = WITH_TEXTS.get(entry["file"], entry.get("sha256_of_samples"))
    if samples is None:
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    else:
        assert hashlib.sha256(decode_picture(data).pixels.tobytes()).hexdigest() == samples


@pytest.mark.parametrize("name", LEFT)
def test_files_with_what_left_are_refused_by_name(name: str) -> None:
    """The error names what the file uses, and the version that restores it; nothing is written."""
    (entry,) = (entry for entry in INDEX if entry["file"] == name)
    expected = f"made by an earlier version with {LEFT[name]}: restore it with version 1.1.0"
    with pytest.raises(UnsupportedVersionError, match=f"^{expected}$"):
        restored(entry)
    key, result = read_key(entry["key"]), io.BytesIO()
    with pytest.raises(UnsupportedVersionError, match=f"^{expected}$"):
        rekey_file(FOLDER / name, result, key, Key(bytes(32)))
    assert not result.getvalue()


@pytest.mark.parametrize("name", ["jpeg-cleartext.jpg", "encrypt-bits.png"])
def test_what_a_seal_covers_is_named_to_its_key(name: str) -> None:
    """Another key is refused as a wrong key: only behind the seal is anything interpreted."""
    (entry,) = (entry for entry in INDEX if entry["file"] == name)
    with pytest.raises(DecryptionError):
        RESTORE[entry["recipe"]](FOLDER / name, io.BytesIO(), Key(bytes(32)))


def test_a_file_without_any_mark_is_not_recognized() -> None:
    """Under a context with default options, a file had no header."""
    with pytest.raises(FormatError, match="not a protected picture"):
        unscramble_file(FOLDER / BARE, io.BytesIO(), Key(bytes(32)))
