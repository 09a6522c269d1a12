"""Metadata are sealed or stripped as the user says, and only what is sealed is restored."""

import io
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import ExifTags, Image

from sudokucrypt import (
    Header,
    InvalidParameterError,
    Key,
    decrypt_file,
    encrypt_file,
    images,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.recipes.carriers.picture import same_pictures
from tests.cli.conftest import Run, quick
from tests.cli.gallery import GALLERY, SECRET, exif
from tests.cli.looking import exif_block, is_for_pillow, look
from tests.images.builders import png_text

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
OPERATIONS: dict[str, Any] = {
    "scramble": (scramble_file, unscramble_file),
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
}
PLAIN = {name: images.decode_picture(data) for name, data in GALLERY.items()}
SAYING = [
    name
    for name, plain in PLAIN.items()
    if plain.metadata and (plain.metadata.names() != ("resolution",) or "RGB" in name)
]
FEW = ("P-metadata.png", "RGB.webp")
BLOCK = exif(turned=False).tobytes().removeprefix(b"Exif\0\0")


def protect_picture(name: str, operation: str = "encrypt", **options: Any) -> bytes:
    """The file that comes of a picture of the gallery, with its samples."""
    stored = io.BytesIO()
    if name.endswith(".jpg"):  # scrambled, it would stay a JPEG
        options = {"format": "PNG", **options}
    OPERATIONS[operation][0](io.BytesIO(GALLERY[name]), stored, KEY, rounds=1, **options)
    return stored.getvalue()


def restore_plain(
    data: bytes, operation: str = "encrypt", key: Key = KEY, **options: Any
) -> tuple[bytes, Any]:
    """The file that comes back, and the report."""
    result = io.BytesIO()
    report = OPERATIONS[operation][1](io.BytesIO(data), result, key, **options)
    return result.getvalue(), report


def readable(data: bytes) -> bool:
    """Tell whether anything is said beside the samples, in the clear."""
    picture = images.decode_picture(data)
    extras = (
        b""
        if picture.header is None
        else Header.from_bytes(picture.header).encrypted_metadata or b""
    )
    metadata = bool(picture.metadata) or SECRET.encode() in data + extras
    if is_for_pillow(data):
        metadata |= any(tag is not None for tag in (exif_block(data), look(data)["icc_profile"]))
    return metadata


def assert_whole(data: bytes, name: str) -> None:
    """All of the picture came back: the file is what the package writes of the original."""
    assert data == images.encode_picture(
        PLAIN[name], images.decode_picture(data).format, compress=1
    )


@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", quick(SAYING, *FEW))
def test_stripped_metadata(name: str, operation: str) -> None:
    """With metadata="strip" nothing but the picture is left, there and back."""
    data = protect_picture(name, operation, metadata="strip")
    assert not readable(data)
    back, report = restore_plain(data, operation)
    assert not readable(back)
    assert report.dropped == ()
    assert same_pictures(images.decode_picture(back), PLAIN[name])


@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", quick(SAYING, *FEW))
def test_metadata_come_back(name: str, operation: str) -> None:
    """Nothing is readable, after rekey too; all of it is restored."""
    data, again = protect_picture(name, operation), io.BytesIO()
    rekey_file(io.BytesIO(data), again, KEY, OTHER)
    for stored, key in ((data, KEY), (again.getvalue(), OTHER)):
        assert not readable(stored)
        back, report = restore_plain(stored, operation, key)
        assert_whole(back, name)
        assert report.dropped == ()


def add_metadata(data: bytes, metadata: images.Metadata) -> bytes:
    """The protected file with these metadata."""
    picture = replace(images.decode_picture(data), metadata=metadata)
    return images.encode_picture(picture, picture.format)


def with_text(data: bytes) -> bytes:
    """The PNG with a text after its header."""
    return data[:33] + png_text(b"tEXt", "Comment", b"false") + data[33:]


@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("choice", ["seal", "strip"])
@pytest.mark.parametrize(
    "name", quick(("RGB-metadata.png", "P-metadata.tiff", "RGB.jpg", "L.png"), "RGB-metadata.png")
)
@pytest.mark.parametrize("field", ["exif", "icc", "xmp"])
def test_what_somebody_adds_is_left_out(name: str, choice: str, operation: str, field: str) -> None:
    """EXIF, profile and XMP that are not sealed do not come back, and are named."""
    data = protect_picture(name, operation, metadata=choice)
    expected, before = restore_plain(data, operation)
    more = {"exif": BLOCK, "icc": b"no profile", "xmp": b"<x/>"}
    changed = add_metadata(data, images.Metadata(**{field: more[field]}))  # type: ignore[arg-type]
    back, report = restore_plain(changed, operation)
    assert back == expected
    word = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP"}[field]
    assert set(report.dropped) == {*before.dropped, f"{word} that is not sealed"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_rekeying_takes_nothing_of_what_was_added(operation: str) -> None:
    """What is not sealed is named and left out."""
    data, again = protect_picture("RGB-metadata.png", operation), io.BytesIO()
    false = with_text(add_metadata(data, images.Metadata(exif=BLOCK, icc=b"false")))
    report = rekey_file(io.BytesIO(false), again, KEY, OTHER)
    assert not readable(again.getvalue())
    named = {"text that is not sealed", "EXIF that is not sealed", "ICC profile that is not sealed"}
    assert set(report.dropped) == named
    assert_whole(restore_plain(again.getvalue(), operation, OTHER)[0], "RGB-metadata.png")


@pytest.mark.parametrize("protect", [scramble_file, encrypt_file])
@pytest.mark.parametrize("choice", ["Strip", "drop", "", None])
def test_other_choices(protect: Any, choice: Any) -> None:
    """A choice that is not there is refused."""
    stored = io.BytesIO()
    with pytest.raises(InvalidParameterError, match="metadata must be one of seal, strip"):
        protect(io.BytesIO(GALLERY["RGB-metadata.png"]), stored, KEY, metadata=choice)
    assert not stored.getvalue()


@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB.webp", "RGB.jpg", "exif.tiff"])
def test_orientation_is_never_applied(name: str) -> None:
    """A picture that is to be shown turned stays as it is stored, and stays to be shown turned."""
    for data in (GALLERY[name], restore_plain(protect_picture(name, "scramble"), "scramble")[0]):
        assert images.decode_picture(data).pixels.shape == (13, 18, 3)
        with Image.open(io.BytesIO(data)) as image:
            assert image.getexif()[ExifTags.Base.Orientation] == 6


@pytest.mark.parametrize("option", [None, "--strip-metadata"])
@pytest.mark.parametrize(
    "name",
    [
        *quick(["P-metadata.png", "RGB.webp", "RGB.jpg"]),
        *("CMYK-metadata.tiff", "transparent.gif"),
    ],
)
def test_command_line(run: Run, name: str, option: str | None) -> None:
    """The same from the command line, where metadata may be stripped."""
    Path("in").write_bytes(GALLERY[name])
    options = ["--key", "my.key", "--name", "there.{stem}{suffix}"]
    assert run("encrypt", "in", "--as", "pixels", *options, *filter(None, [option])).code == 0
    (stored,) = Path().glob("there.*")
    assert run("decrypt", stored, "--key", "my.key", "--name", "back.{stem}{suffix}").code == 0
    back = Path(f"back.{stored.name}").read_bytes()
    assert not readable(stored.read_bytes())
    if option == "--strip-metadata":
        assert not readable(back)
        assert same_pictures(images.decode_picture(back), PLAIN[name])
    else:
        assert look(back) == look(GALLERY[name])


def test_notes_of_what_is_left_out(run: Run) -> None:
    """What is not kept, and what was added, is named on stderr."""
    Path("in.png").write_bytes(GALLERY["RGB-metadata.png"])
    done = run("encrypt", "in.png", "--as", "pixels", "-o", "c.png", "--key", "my.key")
    note = "not carried over: text; the samples are exact"
    assert (done.code, done.err) == (0, f"sudokucrypt: note: {note}\n")
    Path("d.png").write_bytes(add_metadata(Path("c.png").read_bytes(), images.Metadata(exif=BLOCK)))
    done = run("decrypt", "d.png", "-o", "p.png", "--key", "my.key")
    note = "not carried over: EXIF that is not sealed; the samples are exact"
    assert (done.code, done.err) == (0, f"sudokucrypt: note: {note}\n")
