"""Files of versions 1.0.0 and 1.1.0 are restored, or refused with an error that says why."""

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
    unredact_file,
    unscramble_file,
    unscramble_robust_file,
)
from sudokucrypt.images import Metadata, decode_picture
from sudokucrypt.keys import read_key

DATA = Path(__file__).parents[1] / "data"
RESTORE: dict[str, Any] = {
    "scramble": unscramble_file,
    "jpeg": unscramble_file,
    "encrypt": decrypt_file,
    "redact": unredact_file,
    "robust": unscramble_robust_file,
}

# Files with texts and tags of a format, which version 1.2 does not restore, so that the restored
# files have other bytes. The value is the SHA-256 of their samples.
WITH_TEXTS = {
    "scramble-sample.png": "08047263e68d12490c0c54c5627f6aab2ab304d12cf6f65a62a488099e942dfa",
    "scramble-sidecar.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "scramble-cleartext.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "scramble-cmyk.tiff": "25fc8233ae3e283071cc214ed996c749ad0c9f058aff87f152140155dfece145",
    "encrypt-rgb.png": "13d6bfc8b47d8db1ac2b5e2430f7fd8372ebdc108b0c0b2be0fdf9fdd345356e",
    "encrypt-cleartext.png": "c607d76ae7509c26df5460ed2551f11838e026dcbfa5a246b0aaf9dc0f36af71",
    "encrypt-sidecar.png": "094182c99b22ead15ae34bbe16dbff532f484698c30cef9fa4c70a2254171a85",
}
# Files of version 1.0 that are refused, and the unsupported feature that the error names.
UNSUPPORTED_OF_1_0 = {
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
# A picture scrambled under a context, without header: nothing tells it from noise.
WITHOUT_HEADER = "scramble-context-bare.png"


def _read_index(version: str) -> list[dict[str, Any]]:
    """Return the entries of the index of a version, with the paths of the files."""
    folder = DATA / version
    index: list[dict[str, Any]] = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    if version == "v1":
        for entry in index:
            if (name := entry["file"]) in UNSUPPORTED_OF_1_0:
                entry["earlier"] = UNSUPPORTED_OF_1_0[name]
            if name in WITH_TEXTS:
                entry["sha256_of_samples"] = WITH_TEXTS[name]
    return [{"path": folder / entry["file"], **entry} for entry in index]


INDEX = {version: _read_index(version) for version in ("v1", "v1_1")}
FILES = {f"{version}, {each['file']}": each for version in INDEX for each in INDEX[version]}
UNSUPPORTED = [name for name, entry in FILES.items() if "earlier" in entry]
SUPPORTED = [
    name
    for name, entry in FILES.items()
    if name not in UNSUPPORTED and entry["file"] != WITHOUT_HEADER
]


@pytest.mark.parametrize(
    ("version", "supported", "unsupported"), [("v1", 25, 15), ("v1_1", 40, 20)]
)
def test_the_index_lists_every_file(version: str, supported: int, unsupported: int) -> None:
    """The index lists all files of a version; many are supported, and some are not."""
    listed_files = [entry["file"] for entry in INDEX[version]]
    sidecars = {f"{name}.sudokucrypt.json" for name in listed_files}
    existing = {path.name for path in (DATA / version).iterdir()} - {"index.json", "README.md"}
    assert set(listed_files) <= existing <= {*listed_files, *sidecars}
    assert len(set(listed_files)) == len(listed_files)
    assert sum(name.startswith(f"{version},") for name in SUPPORTED) >= supported
    assert sum(name.startswith(f"{version},") for name in UNSUPPORTED) >= unsupported


def restore_plain(entry: dict[str, Any]) -> bytes:
    """Restore the file of an entry, and return its bytes."""
    phrase, options = entry.get("passphrase"), dict(entry.get("options", {}))
    secret = read_key(entry["key"]) if phrase is None else Passphrase(phrase)
    options.pop("context", None)
    if "sidecar" in options:
        options["sidecar"] = entry["path"].with_name(options["sidecar"])
    result = io.BytesIO()
    RESTORE[entry["recipe"]](entry["path"], result, secret, **options)
    return result.getvalue()


def describe_metadata(metadata: Metadata) -> dict[str, Any]:
    """Return metadata in the form of the index."""
    fields: dict[str, Any] = {
        name: hashlib.sha256(value).hexdigest()
        for name in ("exif", "icc", "xmp")
        if (value := getattr(metadata, name)) is not None
    }
    if (density := metadata.resolution) is not None:
        fields["resolution"] = [str(density.columns), str(density.rows), density.unit]
    return fields


@pytest.mark.parametrize("name", SUPPORTED)
def test_files_of_earlier_versions_are_restored(name: str) -> None:
    """Each file is restored exactly; one with texts has equal samples, mode and other metadata."""
    entry = FILES[name]
    data = restore_plain(entry)
    samples = entry.get("sha256_of_samples")
    if samples is None:
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
        return
    picture = decode_picture(data)
    assert hashlib.sha256(picture.pixels.tobytes()).hexdigest() == samples
    if "mode" in entry:
        assert list(picture.pixels.shape) == entry["shape"]
        assert (picture.mode, str(picture.pixels.dtype)) == (entry["mode"], entry["dtype"])
        assert describe_metadata(picture.metadata) == entry["metadata"]


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_files_with_unsupported_features_are_refused(name: str) -> None:
    """The error names the unsupported feature and the version that restores the file."""
    entry = FILES[name]
    expected = f"made by an earlier version with {entry['earlier']}: restore it with version 1.1.0"
    with pytest.raises(UnsupportedVersionError, match=f"^{expected}$"):
        restore_plain(entry)
    key, result = read_key(entry["key"]), io.BytesIO()
    if entry["recipe"] in ("scramble", "jpeg", "encrypt"):
        with pytest.raises(UnsupportedVersionError, match=f"^{expected}$"):
            rekey_file(entry["path"], result, key, Key(bytes(32)))
    assert not result.getvalue()


@pytest.mark.parametrize("name", ["v1, jpeg-cleartext.jpg", "v1, encrypt-bits.png"])
def test_sealed_features_are_named_only_with_the_right_key(name: str) -> None:
    """With a wrong key, a file with a sealed unsupported feature gives the wrong-key error."""
    with pytest.raises(DecryptionError):
        RESTORE[FILES[name]["recipe"]](FILES[name]["path"], io.BytesIO(), Key(bytes(32)))


def test_a_file_without_header_is_not_recognized() -> None:
    """A picture that version 1.0 scrambled under a context, without header, is refused."""
    with pytest.raises(FormatError, match="not a protected picture"):
        unscramble_file(DATA / "v1" / WITHOUT_HEADER, io.BytesIO(), Key(bytes(32)))
