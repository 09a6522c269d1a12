"""Metadata are sealed, kept or stripped as the user says, and only what is sealed comes back."""

import io
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import ExifTags, Image

from sudokucrypt import (
    FormatError,
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
from sudokucrypt.recipes.records import same_pictures
from tests.cli.conftest import Run, quick
from tests.cli.gallery import GALLERY, SECRET, exif
from tests.cli.looking import exif_block, is_for_pillow, look
from tests.recipes.memory import inspected, result_of

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
OPERATIONS: dict[str, Any] = {
    "scramble": (scramble_file, unscramble_file),
    "encrypt": (partial(encrypt_file, as_file=False), decrypt_file),
}
PLAIN = {name: images.decode_picture(data) for name, data in GALLERY.items()}
SAYING = [
    name
    for name, plain in PLAIN.items()
    if plain.frames[0].metadata
    and (plain.frames[0].metadata.names() != ("resolution",) or "RGB" in name)
]
_FEW = "RGB-metadata.png P-metadata.tiff RGBA-animation.png alike.tiff RGB.webp disposal2.gif"
FEW = f"{_FEW} RGB-animation.webp RGB.jpg RGB.bmp".split()
BLOCK = exif(turned=False).tobytes().removeprefix(b"Exif\0\0")


def protected(name: str, operation: str = "encrypt", **options: Any) -> bytes:
    """The file that comes of a picture of the gallery, with its samples."""
    stored = io.BytesIO()
    if name.endswith(".jpg"):  # scrambled, it would stay a JPEG
        options = {"format": "PNG", **options}
    OPERATIONS[operation][0](io.BytesIO(GALLERY[name]), stored, KEY, rounds=1, **options)
    return stored.getvalue()


def restored(
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
    metadata = any(frame.metadata for frame in picture.frames) or SECRET.encode() in data + extras
    if is_for_pillow(data):
        metadata |= any(tag is not None for tag in (exif_block(data), look(data)[0]["icc_profile"]))
    return metadata


def assert_whole(data: bytes, name: str) -> None:
    """All of the picture came back: the file is what the package writes of the original."""
    assert data == images.encode_picture(
        PLAIN[name], images.decode_picture(data).format, compress=1
    )


@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", quick(SAYING, "P-metadata.png", "RGB.webp", "disposal2.gif"))
def test_stripped_metadata(name: str, operation: str) -> None:
    """With metadata="strip" nothing but the picture is left, there and back."""
    data = protected(name, operation, metadata="strip")
    assert not readable(data)
    back, report = restored(data, operation)
    assert not readable(back)
    assert not report.dropped
    assert same_pictures(images.decode_picture(back), PLAIN[name])


@pytest.mark.parametrize("choice", ["seal", "keep"])
@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("name", quick(SAYING, "P-metadata.png", "RGB.webp", "disposal2.gif"))
def test_metadata_come_back(name: str, operation: str, choice: str) -> None:
    """Nothing is readable, or a harmless copy if kept, after rekey too; all of it comes back."""
    data, again = protected(name, operation, metadata=choice), io.BytesIO()
    rekey_file(io.BytesIO(data), again, KEY, OTHER)
    for stored, key in ((data, KEY), (again.getvalue(), OTHER)):
        if choice == "keep":
            assert_copied(images.decode_picture(stored), PLAIN[name])
        else:
            assert not readable(stored)
        back, report = restored(stored, operation, key)
        assert_whole(back, name)
        assert set(report.dropped) <= ({"text"} if name == "CMYK.jpg" else set())  # in a TIFF


def assert_copied(picture: images.Picture, plain: images.Picture) -> None:
    """Each frame says what is harmless of what it said before."""
    for frame, before in zip(picture.frames, plain.frames, strict=True):
        copy = images.cleartext_metadata(replace(frame, metadata=before.metadata), picture.format)
        dense = frame.metadata.resolution
        if picture.format == "PNG" and dense is not None and copy.resolution is not None:
            assert dense.columns.denominator == 1  # it counts whole pixels per meter
            copy = replace(copy, resolution=dense)
        assert frame.metadata == copy
        assert not frame.metadata.texts
        assert not frame.metadata.native


@pytest.mark.parametrize("name", quick(FEW, "RGB-metadata.png", "RGB-animation.webp"))
def test_the_sealed_list_names_what_is_readable(name: str) -> None:
    """`readable` is what stands beside the samples, and is empty where nothing does."""
    for choice in ("seal", "keep", "strip"):
        data = protected(name, metadata=choice)
        _, record = inspected(io.BytesIO(data), KEY)
        beside = {n for frame in images.decode_picture(data).frames for n in frame.metadata.names()}
        assert set(record.cleartext_names) == beside
        assert (choice == "keep") or not beside
        sealed = any(frame.metadata for frame in record.picture.frames)
        assert sealed == (choice != "strip")


def added(data: bytes, metadata: images.Metadata) -> bytes:
    """The protected file with something more, or else, beside the samples of its first frame."""
    picture = images.decode_picture(data)
    others = [frame.metadata for frame in picture.frames[1:]]
    return images.encode_picture(picture.with_metadata([metadata, *others]), picture.format)


@pytest.mark.parametrize("operation", quick(OPERATIONS, "encrypt"))
@pytest.mark.parametrize("choice", ["seal", "keep", "strip"])
@pytest.mark.parametrize(
    "name", quick(("RGB-metadata.png", "P-metadata.tiff", "RGB.jpg", "L.png"), "RGB-metadata.png")
)
@pytest.mark.parametrize("field", ["exif", "icc", "xmp", "texts"])
def test_what_somebody_adds_is_left_out(name: str, choice: str, operation: str, field: str) -> None:
    """EXIF, profile, XMP and texts that are not sealed, or changed, do not come back; all named."""
    data = protected(name, operation, metadata=choice)
    expected, before = restored(data, operation)
    beside = images.decode_picture(data).frames[0].metadata
    more: dict[str, Any] = {
        "exif": BLOCK,
        "icc": b"no profile",
        "xmp": b"<x/>",
        "texts": (("Comment", "false"),),
    }
    changed = added(data, replace(beside, **{field: more[field]}))
    if images.decode_picture(changed).frames[0].metadata == beside:
        assert field == "texts"  # which a TIFF has no room for beside the header
        return
    back, report = restored(changed, operation)
    assert back == expected
    word = {"exif": "EXIF", "icc": "ICC profile", "xmp": "XMP", "texts": "text"}[field]
    assert set(report.dropped) == {*before.dropped, f"{word} that is not sealed"}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_rekeying_takes_nothing_of_what_was_added(operation: str) -> None:
    """Copies get only what the sealed list names, made anew from what is sealed."""
    for choice in ("seal", "keep"):
        data = protected("RGB-metadata.png", operation, metadata=choice)
        again, clean = io.BytesIO(), io.BytesIO()
        false = images.Metadata(exif=BLOCK, icc=b"false", texts=(("Comment", "false"),))
        report = rekey_file(io.BytesIO(added(data, false)), again, KEY, OTHER)
        rekey_file(io.BytesIO(data), clean, KEY, OTHER)
        one, other = (images.decode_picture(result.getvalue()) for result in (again, clean))
        assert one.frames[0].metadata == other.frames[0].metadata
        assert "text that is not sealed" in report.dropped
        assert_whole(restored(again.getvalue(), operation, OTHER)[0], "RGB-metadata.png")


@pytest.mark.parametrize("choice", ["seal", "keep", "strip"])
@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB-animation.webp"])
def test_a_context_seals_nothing(name: str, choice: str) -> None:
    """Metadata are dropped and named; a readable copy may stand beside, and does not come back."""
    stored = io.BytesIO()
    source, options = io.BytesIO(GALLERY[name]), {"context": "x", "metadata": choice}
    report = scramble_file(source, stored, KEY, **options)  # type: ignore[arg-type]
    names = {n for frame in PLAIN[name].frames for n in frame.metadata.names()}
    assert set(report.dropped) == (set() if choice == "strip" else names)
    assert readable(stored.getvalue()) == (choice == "keep")
    back, report = restored(stored.getvalue(), "scramble", context="x")
    assert not readable(back)
    assert all(word.endswith("that is not sealed") for word in report.dropped)
    assert bool(report.dropped) == (choice == "keep")
    assert same_pictures(images.decode_picture(back), PLAIN[name])


@pytest.mark.parametrize("said", [{"metadata": images.Metadata(exif=b"x")}, {"transparent": (0,)}])
def test_a_context_brings_nothing_in(said: dict[str, Any]) -> None:
    """Plain extras are anybody's: they say how samples look, and metadata in them are refused."""
    picture = images.decode_picture(result_of(scramble_file, GALLERY["L.png"], KEY, context="x"))
    frame = replace(picture.frames[0], **said)
    extras = images.describe(
        images.PictureRecord(picture=images.Picture(frames=(frame,), format="PNG"))
    )
    header = replace(Header.from_bytes(picture.header or b""), encrypted_metadata=extras)
    forged = images.encode_picture(replace(picture, header=header.to_bytes()), "PNG")
    if "metadata" in said:
        with pytest.raises(FormatError, match="seals neither metadata nor files"):
            restored(forged, "scramble", context="x")
    else:
        restored(forged, "scramble", context="x")


@pytest.mark.parametrize("protect", [scramble_file, encrypt_file])
@pytest.mark.parametrize("choice", ["Strip", "drop", "", None])
def test_other_choices(protect: Any, choice: Any) -> None:
    """A choice that is not there is refused."""
    stored = io.BytesIO()
    with pytest.raises(InvalidParameterError, match="metadata must be one of seal, keep, strip"):
        protect(io.BytesIO(GALLERY["RGB-metadata.png"]), stored, KEY, metadata=choice)
    assert not stored.getvalue()


@pytest.mark.parametrize("name", ["RGB-metadata.png", "RGB.webp", "RGB.jpg", "exif.tiff"])
def test_orientation_is_never_applied(name: str) -> None:
    """A picture that is to be shown turned stays as it is stored, and stays to be shown turned."""
    stored = protected(name, "scramble", metadata="keep")
    for data in (GALLERY[name], stored, restored(stored, "scramble")[0]):
        assert images.decode_picture(data).pixels.shape == (13, 18, 3)
        with Image.open(io.BytesIO(data)) as image:
            assert image.getexif()[ExifTags.Base.Orientation] == 6


@pytest.mark.parametrize("option", [None, "--strip-metadata", "--keep-metadata"])
@pytest.mark.parametrize(
    "name",
    [
        *quick(["P-metadata.png", "RGBA-animation.png", "RGB-animation.webp", "RGB.jpg"]),
        *("alike.tiff", "disposal2.gif"),
    ],
)
def test_command_line(run: Run, name: str, option: str | None) -> None:
    """The same from the command line, where metadata may be kept readable or stripped."""
    Path("in").write_bytes(GALLERY[name])
    options = ["--key", "my.key", "--name", "there.{stem}{suffix}"]
    assert run("encrypt", "in", "--as", "pixels", *options, *filter(None, [option])).code == 0
    (stored,) = Path().glob("there.*")
    assert run("decrypt", stored, "--key", "my.key", "--name", "back.{stem}{suffix}").code == 0
    back = Path(f"back.{stored.name}").read_bytes()
    copies = option == "--keep-metadata" and name != "disposal2.gif"  # which has a text alone
    assert readable(stored.read_bytes()) == copies
    if option == "--strip-metadata":
        assert not readable(back)
        assert same_pictures(images.decode_picture(back), PLAIN[name])
    else:
        assert look(back) == look(GALLERY[name])


def test_notes_of_what_is_left_out(run: Run) -> None:
    """What was added, and what a context drops, is named on stderr."""
    Path("in.png").write_bytes(GALLERY["RGB-metadata.png"])
    assert run("encrypt", "in.png", "--as", "pixels", "-o", "c.png", "--key", "my.key").err == ""
    Path("d.png").write_bytes(added(Path("c.png").read_bytes(), images.Metadata(exif=BLOCK)))
    done = run("decrypt", "d.png", "-o", "p.png", "--key", "my.key")
    note = "not carried over: EXIF that is not sealed; the samples are exact"
    assert (done.code, done.err) == (0, f"sudokucrypt: note: {note}\n")
    done = run("scramble", "in.png", "-o", "s.png", "--key", "my.key", "--context", "x")
    assert done.code == 0
    assert "not carried over: EXIF, ICC profile, resolution, text, PNG gAMA" in done.err


def test_notes_of_an_unusual_profile(run: Run) -> None:
    """A color profile that is none of the usual ones is sealed alone, and a note says so."""
    picture = PLAIN["L.png"].with_metadata([images.Metadata(icc=b"a camera's own profile")])
    Path("in.png").write_bytes(images.encode_picture(picture, "PNG"))
    options = ("--as", "pixels", "--key", "my.key", "--keep-metadata")
    done = run("encrypt", "in.png", "-o", "c.png", *options)
    assert done.code == 0
    assert "note: not carried over: readable ICC profile" in done.err
    assert run("decrypt", "c.png", "-o", "p.png", "--key", "my.key").err == ""
    assert images.read_picture(Path("p.png")).frames[0].metadata == picture.frames[0].metadata
