"""Metadata are kept, stripped or sealed as the user says, and orientation is never applied."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import ExifTags, Image

from sudokucrypt import (
    Header,
    InvalidParameterError,
    Key,
    decrypt_file,
    encrypt_file,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import decode_picture, encode_picture
from sudokucrypt.recipes.pictures import same_pictures
from tests.cli.gallery import GALLERY, SECRET
from tests.cli.looking import exif_block, is_for_pillow, look

if TYPE_CHECKING:
    from tests.cli.conftest import Run

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
WAYS: dict[str, Any] = {
    "scramble": (scramble_file, unscramble_file),
    "encrypt": (encrypt_file, decrypt_file),
}
_SAYING = [name for name, data in GALLERY.items() if decode_picture(data).frames[0].metadata]


def readable(data: bytes) -> bool:
    """Tell whether anything is said beside the samples, in the clear."""
    picture = decode_picture(data)
    extras = b"" if picture.header is None else Header.from_bytes(picture.header).extras or b""
    said = any(frame.metadata for frame in picture.frames) or SECRET.encode() in data + extras
    if is_for_pillow(data):
        said |= any(tag is not None for tag in (exif_block(data), look(data)[0]["icc_profile"]))
    return said


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", _SAYING)
def test_stripped_metadata(name: str, way: str) -> None:
    """With metadata="strip" nothing but the picture is left, there and back."""
    protect, restore = WAYS[way]
    stored, result = io.BytesIO(), io.BytesIO()
    protect(io.BytesIO(GALLERY[name]), stored, KEY, metadata="strip", rounds=1)
    assert not readable(stored.getvalue())
    restore(io.BytesIO(stored.getvalue()), result, KEY)
    assert not readable(result.getvalue())
    assert same_pictures(decode_picture(result.getvalue()), decode_picture(GALLERY[name]))


@pytest.mark.parametrize("name", _SAYING)
def test_sealed_metadata(name: str) -> None:
    """With metadata="seal" nothing can be read, not even after rekey, and all of it comes back."""
    stored, again, result = (io.BytesIO() for _ in range(3))
    encrypt_file(io.BytesIO(GALLERY[name]), stored, KEY, metadata="seal", rounds=1)
    rekey_file(io.BytesIO(stored.getvalue()), again, KEY, OTHER)
    assert not readable(stored.getvalue())
    assert not readable(again.getvalue())
    decrypt_file(io.BytesIO(again.getvalue()), result, OTHER)
    restored = decode_picture(result.getvalue())
    plain = decode_picture(GALLERY[name])
    assert result.getvalue() == encode_picture(plain, restored.format, compress=1)


@pytest.mark.parametrize(
    ("protect", "choice"),
    [(scramble_file, "seal"), (scramble_file, "Strip"), (encrypt_file, "drop"), (encrypt_file, "")],
)
def test_other_choices(protect: Any, choice: str) -> None:
    """A choice that is not there is refused, and so is sealing without encryption."""
    stored = io.BytesIO()
    with pytest.raises(InvalidParameterError, match="metadata must be one of"):
        protect(io.BytesIO(GALLERY["RGB-metadata.png"]), stored, KEY, metadata=choice)
    assert not stored.getvalue()


@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB.webp", "RGB.jpg", "exif.tiff"])
def test_orientation_is_never_applied(name: str) -> None:
    """A picture that is to be shown turned stays as it is stored, and stays to be shown turned."""
    stored, result = io.BytesIO(), io.BytesIO()
    scramble_file(io.BytesIO(GALLERY[name]), stored, KEY)
    unscramble_file(io.BytesIO(stored.getvalue()), result, KEY)
    for data in (GALLERY[name], stored.getvalue(), result.getvalue()):
        assert decode_picture(data).pixels.shape == (13, 18, 3)
        with Image.open(io.BytesIO(data)) as image:
            assert image.getexif()[ExifTags.Base.Orientation] == 6


@pytest.mark.parametrize("option", [None, "--strip-metadata", "--seal-metadata"])
@pytest.mark.parametrize(
    "name",
    ["P-metadata.png", "RGBA-animation.png", "alike.tiff", "RGB-animation.webp", "disposal2.gif",
     "RGB.jpg"],
)  # fmt: skip
def test_command_line(run: Run, name: str, option: str | None) -> None:
    """The same from the command line, where metadata may be stripped or sealed."""
    Path("in").write_bytes(GALLERY[name])
    options = ["--key", "my.key", "--name", "there.{stem}{suffix}"]
    assert run("encrypt", "in", *options, *filter(None, [option])).code == 0
    (stored,) = Path().glob("there.*")
    assert run("decrypt", stored, "--key", "my.key", "--name", "back.{stem}{suffix}").code == 0
    restored = Path(f"back.{stored.name}").read_bytes()
    assert readable(stored.read_bytes()) == (option is None)
    if option == "--strip-metadata":
        assert not readable(restored)
        assert same_pictures(decode_picture(restored), decode_picture(GALLERY[name]))
    else:
        assert look(restored) == look(GALLERY[name])
