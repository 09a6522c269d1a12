"""What holds for every kind of thing that a file can be protected as: laws times carriers."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FileReport,
    FormatError,
    Header,
    Identity,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    OutputExistsError,
    Passphrase,
    PictureKey,
    UnsupportedVersionError,
    decrypt,
    decrypt_file,
    encrypt,
    encrypt_file,
    find_robust,
    read_header,
    rekey_file,
    scramble,
    scramble_file,
    unscramble,
    unscramble_file,
)
from sudokucrypt.ciphers import ENCRYPT, Part
from sudokucrypt.images import (
    EmbeddedFile,
    Picture,
    PictureRecord,
    decode_picture,
    describe,
    embed,
    encode_picture,
)
from sudokucrypt.recipes import ProtectedImage, open_file, picture_key, scramble_robust_file
from sudokucrypt.recipes.carriers.picture import same_pictures
from sudokucrypt.recipes.protection import Protection
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.images.jpeg.corpus import list_photographs, save_image
from tests.recipes.memory import inspect_picture, run_on_bytes
from tests.recipes.test_arrays import draw_image

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
PHOTOS = list(list_photographs().values())


@dataclass(frozen=True)
class Kind:
    """Two files of one kind, how they are protected, and how they come back."""

    protect: Callable[..., FileReport]
    restore: Callable[..., FileReport]
    first: bytes
    second: bytes
    suffix: str = ".png"
    options: dict[str, Any] = field(default_factory=dict)
    exact: bool = True

    def make(self, path: Path, data: bytes | None = None, key: Any = KEY, **more: Any) -> Path:
        """A protected file in a folder."""
        target = path.with_suffix(self.suffix)
        source = io.BytesIO(self.first if data is None else data)
        self.protect(source, target, key, **self.options, **more)
        return target

    def same(self, one: bytes, other: bytes) -> bool:
        """Whether two plain files are the same: bytes, samples, or roughly these."""
        if one == other or (self.suffix == ".jpg" and self.exact):
            return one == other
        first, second = (decode_picture(data).pixels.astype(float) for data in (one, other))
        if first.shape != second.shape:
            return False
        return not (first - second).any() if self.exact else np.abs(first - second).mean() < 8


PIXELS: dict[str, Any] = {
    "first": encode_array(noise(9, 8, 3), "PNG"),
    "second": encode_array(noise(9, 8, 3) ^ 1, "PNG"),
}
PHOTO: dict[str, Any] = {
    "first": save_image(PHOTOS[0], quality=85),
    "second": save_image(PHOTOS[1], quality=85),
}
KINDS = {
    "encrypted picture": Kind(encrypt_file, decrypt_file, **PIXELS, options={"as_file": False}),
    "scrambled picture": Kind(scramble_file, unscramble_file, **PIXELS),
    "file": Kind(encrypt_file, decrypt_file, b"any bytes", b"any other", options={"as_file": True}),
    "JPEG": Kind(scramble_file, unscramble_file, **PHOTO, suffix=".jpg"),
    "robust picture": Kind(
        scramble_robust_file, unscramble_file, **PHOTO, suffix=".jpg", exact=False
    ),
}
TAGGED = [kind for kind in KINDS if kind != "robust picture"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind."""
    return KINDS[request.param]


@pytest.fixture(params=TAGGED)
def tag_kind(request: pytest.FixtureRequest) -> Kind:
    """Each kind whose samples are authenticated."""
    return KINDS[request.param]


def restore_plain(kind: Kind, path: Path, key: Any = KEY) -> bytes:
    """The bytes of the plain file."""
    stream = io.BytesIO()
    kind.restore(path, stream, key)
    return stream.getvalue()


def test_files_streams_and_memory_come_back(kind: Kind, tmp_path: Path) -> None:
    """From a path, a stream and in memory comes the same plain file."""
    path = kind.make(tmp_path / "safe")
    back = restore_plain(kind, path)
    assert kind.same(back, kind.first)
    assert run_on_bytes(kind.restore, path.read_bytes(), KEY) == back
    assert kind.same(bytes(open_file(path, KEY).content), back)


def test_a_wrong_key_writes_nothing(kind: Kind, tmp_path: Path) -> None:
    """Another key, a passphrase and the key of another picture are refused."""
    path, target = kind.make(tmp_path / "safe"), tmp_path / "back"
    for key in (OTHER, Passphrase("words"), KEY.picture_key(bytes(16))):
        with pytest.raises(DecryptionError):
            kind.restore(path, target.with_suffix(kind.suffix), key)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_nothing_is_overwritten_unasked(kind: Kind, tmp_path: Path) -> None:
    """What exists stays, both ways, unless it may be replaced."""
    path, back = kind.make(tmp_path / "safe"), tmp_path / "back.png"
    back.write_bytes(b"mine")
    before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        kind.make(path)
    with pytest.raises(OutputExistsError):
        kind.restore(path, back, KEY)
    assert (path.read_bytes(), back.read_bytes()) == (before, b"mine")
    assert kind.make(path, replace=True).read_bytes() != before  # under a salt of its own
    assert not kind.restore(path, back, KEY, replace=True).kept


def test_resuming_keeps_what_is_the_same(kind: Kind, tmp_path: Path) -> None:
    """The result of the same call is kept, that of another input or key is refused."""
    path = kind.make(tmp_path / "safe")
    before = path.read_bytes()
    again = partial(kind.protect, target=path, resume=True, **kind.options)
    assert again(io.BytesIO(kind.first), key=KEY).kept
    for data, key in ((kind.second, KEY), (kind.first, OTHER)):
        with pytest.raises(OutputExistsError, match="is not what this run would write"):
            again(io.BytesIO(data), key=key)
    assert path.read_bytes() == before
    for suffix in {kind.suffix, ".png"}:
        back = tmp_path / f"back{suffix}"
        kind.restore(path, back, KEY)
        assert kind.restore(path, back, KEY, resume=True).kept
        back.write_bytes(kind.second)
        with pytest.raises(OutputExistsError, match="differ"):
            kind.restore(path, back, KEY, resume=True)


def test_rekeying(kind: Kind, tmp_path: Path) -> None:
    """The plain file stays, the old keys open nothing, the salt is new, and it can be resumed."""
    path, target = kind.make(tmp_path / "safe"), tmp_path / f"new{kind.suffix}"
    shared, again = read_own_key(kind, path), tmp_path / f"again{kind.suffix}"
    assert not rekey_file(path, target, KEY, OTHER).kept
    assert kind.same(restore_plain(kind, target, OTHER), kind.first)
    for key in (KEY, shared):
        with pytest.raises(DecryptionError):
            restore_plain(kind, target, key)
    rekey_file(path, again, shared, KEY)  # the key of the picture suffices, and even KEY is new
    assert kind.same(restore_plain(kind, again), kind.first)
    with pytest.raises(DecryptionError):
        restore_plain(kind, again, shared)
    salts = [
        (read_header(each).salt if kind.exact else find_robust(each).header.salt)
        for each in (path, target, again)
    ]
    assert len(set(salts)) == 3
    if kind.exact:
        assert rekey_file(path, target, KEY, OTHER, resume=True).kept
    with pytest.raises(OutputExistsError):
        rekey_file(path, target, KEY, KEY, resume=True)


def read_own_key(kind: Kind, path: Path) -> PictureKey:
    """Return the key of the picture in a file, read again from its text."""
    opened = None if kind.exact else find_robust(path).header.open_key(KEY)
    return PictureKey.from_text((opened or picture_key(KEY, read_header(path))).to_text())


def test_the_key_of_one_picture(kind: Kind, tmp_path: Path) -> None:
    """It restores that picture in every way, and no other of the same key, not even its like."""
    one, like = kind.make(tmp_path / "1"), kind.make(tmp_path / "2")
    other, key = kind.make(tmp_path / "3", kind.second), read_own_key(kind, one)
    assert (
        restore_plain(kind, one, key)
        == restore_plain(kind, one)
        == bytes(open_file(one, key).content)
    )
    for path in (like, other):
        for attempt in (
            lambda path=path: restore_plain(kind, path, key),
            lambda path=path: open_file(path, key),
            lambda path=path: rekey_file(path, io.BytesIO(), key, KEY),
        ):
            with pytest.raises(DecryptionError) as caught:
                attempt()
            assert str(caught.value) == str(DecryptionError()) or not kind.exact


def test_recipients(tag_kind: Kind, tmp_path: Path) -> None:
    """Each of several identities opens it, with or without a key, and it is resumed by the key."""
    mine, other = (Identity(bytes([number]) * 32) for number in (1, 2))
    path = tag_kind.make(tmp_path / "safe", key=[KEY, mine.recipient])
    for key in (KEY, mine):
        assert tag_kind.same(restore_plain(tag_kind, path, key), tag_kind.first)
    with pytest.raises(DecryptionError):
        restore_plain(tag_kind, path, other)
    again = partial(tag_kind.protect, target=path, resume=True, **tag_kind.options)
    assert again(io.BytesIO(tag_kind.first), key=[KEY, other.recipient]).kept
    for given in (KEY, [KEY, mine.recipient, other.recipient], mine):
        with pytest.raises(OutputExistsError):
            again(io.BytesIO(tag_kind.first), key=given)
    path = tag_kind.make(tmp_path / "alone", key=[mine.recipient, other.recipient])
    assert tag_kind.same(restore_plain(tag_kind, path, other), tag_kind.first)


def test_sidecars_come_along(tag_kind: Kind, tmp_path: Path) -> None:
    """A result gets one if it was asked for, and when its key changes."""
    path = tag_kind.make(tmp_path / "safe", sidecar=True)
    rekey_file(path, target := tmp_path / f"new{tag_kind.suffix}", KEY, OTHER)
    for each in (path, target):
        beside = each.with_name(f"{each.name}.sudokucrypt.json")
        assert beside.read_bytes() == read_header(each).to_bytes() + b"\n"
    bare = tag_kind.make(tmp_path / "bare")
    rekey_file(bare, target := tmp_path / f"next{tag_kind.suffix}", KEY, OTHER)
    assert not target.with_name(f"{target.name}.sudokucrypt.json").exists()


def test_passphrases_and_salts(tag_kind: Kind, tmp_path: Path) -> None:
    """A passphrase opens what it protected; deterministic results are equal, others are not."""
    words = Passphrase("a passphrase for tests")
    path = tag_kind.make(tmp_path / "words", key=words)
    back = restore_plain(tag_kind, path, Passphrase("a passphrase for tests"))
    assert tag_kind.same(back, tag_kind.first)
    same = [tag_kind.make(tmp_path / name, deterministic=True).read_bytes() for name in "ab"]
    assert same[0] == same[1]
    assert tag_kind.make(tmp_path / "c").read_bytes() not in same


# A picture gets another key and a salt of its own; all else that was chosen for it stays.


encrypt_pixels = partial(encrypt_file, as_file=False)
WAYS: Any = {encrypt_pixels: decrypt_file, scramble_file: unscramble_file}
NAME = "RGB-metadata.png"


def protect_picture(protect: Any, key: Any = KEY, name: str = NAME, **options: Any) -> bytes:
    """The protected file."""
    return run_on_bytes(protect, GALLERY[name], key, **options)


def rekey_picture(data: bytes, key: Any = KEY, new: Any = OTHER, **options: Any) -> bytes:
    """The file under the new key."""
    return run_on_bytes(rekey_file, data, key, new, **options)


def read_bytes_header(data: bytes) -> Header:
    """Its header."""
    return read_header(io.BytesIO(data))


@pytest.mark.parametrize("protect", WAYS)
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 5},
        {"deterministic": True},
        {"metadata": "strip"},
        {"format": "TIFF"},
    ],
)
def test_all_else_stays(protect: Any, options: Any) -> None:
    """Scheme, rounds, format and what is sealed are those of the old file."""
    data = protect_picture(protect, **options)
    again = rekey_picture(data)
    before, after = read_bytes_header(data), read_bytes_header(again)
    for name in ("scheme", "unit", "rounds", "shape", "dtype"):
        assert getattr(before, name) == getattr(after, name)
    assert (after.key_id, after.kdf) == (OTHER.id, None)
    assert decode_picture(again).format == decode_picture(data).format
    derived = read_bytes_header(protect_picture(protect, OTHER, **options)).salt
    assert len({before.salt, after.salt, derived}) == 3  # not even a deterministic one is kept
    assert run_on_bytes(WAYS[protect], data, KEY) == run_on_bytes(WAYS[protect], again, OTHER)
    with pytest.raises(DecryptionError):
        run_on_bytes(WAYS[protect], again, KEY)


@pytest.mark.parametrize("size", [1, 3, 20])
def test_units_stay(size: int) -> None:
    """Blocks stay blocks of their size, and samples samples."""
    header = read_bytes_header(
        rekey_picture(protect_picture(scramble_file, unit="block", block_size=size))
    )
    assert (header.unit, header.block_size) == ("block", size)
    assert (
        read_bytes_header(rekey_picture(protect_picture(scramble_file, unit="sample"))).unit
        == "sample"
    )


def test_between_keys_and_passphrases() -> None:
    """A picture changes from a key to a passphrase and back, and its record comes and goes."""
    data = protect_picture(encrypt_pixels)
    locked = rekey_picture(data, KEY, Passphrase("open"))
    assert read_bytes_header(locked).kdf is not None
    again = rekey_picture(locked, Passphrase("open"), Passphrase("sesame"))
    assert read_bytes_header(again).kdf != read_bytes_header(locked).kdf
    plain = rekey_picture(again, Passphrase("sesame"), OTHER)
    assert read_bytes_header(plain).kdf is None
    assert same_pictures(
        inspect_picture(io.BytesIO(plain), OTHER)[1].picture, decode_picture(GALLERY[NAME])
    )


def test_a_scheme_of_a_newer_release_is_named() -> None:
    """A scheme that nobody here knows is said to be unknown, not to be one without a tag."""
    stored = decode_picture(protect_picture(encrypt_pixels), "x")
    header = (stored.header or b"").replace(b"encrypt-v1", b"encrypt-v9")
    newer = encode_picture(replace(stored, header=header), "PNG")
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        rekey_picture(newer)
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        inspect_picture(io.BytesIO(newer), KEY)


def test_what_is_behind_a_file_is_zero() -> None:
    """Anyone who has the key cannot hide bytes behind a file: no reader takes such a picture."""
    file = EmbeddedFile(name="notes.txt", size=5)
    picture = Picture.plain(embed(b"notes", file))
    extras = describe(PictureRecord(picture=picture, file=file))
    settings = Protection(scheme=ENCRYPT, salt=bytes(16))
    pixels, header = settings.protect(
        [Part(pixels=picture.pixels | 1)], KEY, encrypted_metadata=extras
    )
    data = encode_picture(Picture.plain(pixels[0], header=header.to_bytes()), "PNG")
    for call in (
        lambda: run_on_bytes(decrypt_file, data, KEY),
        lambda: rekey_picture(data),
        lambda: inspect_picture(io.BytesIO(data), KEY),
    ):
        with pytest.raises(DecryptionError):
            call()


# The key of one picture opens that picture in every way, opens no other, and protects nothing.


PLAIN = draw_image((12, 17, 3))
ARRAYS: Any = [(scramble, unscramble), (encrypt, decrypt)]


def read_picture_key(data: bytes, key: Any = KEY) -> PictureKey:
    """The key of the picture in a file."""
    return picture_key(key, read_header(io.BytesIO(data)))


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
def test_it_opens_its_image(protect: Any, restore: Any, options: Any) -> None:
    """An array comes back with the key of its picture."""
    result = protect(PLAIN, KEY, **options)
    shared = PictureKey.from_text(KEY.for_picture(result.header).to_text())
    assert np.array_equal(restore(result.pixels, shared, result.header), PLAIN)


def test_it_opens_the_picture_of_a_passphrase() -> None:
    """A picture under a passphrase has a key of its own, and its derivation is not asked for."""
    data = protect_picture(encrypt_pixels, key=Passphrase("open"))
    shared = read_picture_key(data, Passphrase("open"))
    restored = [run_on_bytes(decrypt_file, data, key) for key in (shared, Passphrase("open"))]
    assert restored[0] == restored[1]
    with pytest.raises(DecryptionError):
        read_picture_key(data, Passphrase("closed"))


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
def test_it_opens_no_other_image(protect: Any, restore: Any) -> None:
    """Not another one of the same key, not the same one with another salt, not under its name."""
    first, again, other = (
        protect(plain, KEY) for plain in (PLAIN, PLAIN, draw_image((12, 17, 3), seed=1))
    )
    shared = KEY.for_picture(first.header)
    result: ProtectedImage
    for result in (again, other, protect(PLAIN, OTHER)):
        stolen = (replace(result.header, salt=first.header.salt), first.header)
        for header in (result.header, *stolen):
            with pytest.raises(DecryptionError):
                restore(result.pixels, shared, header)


def test_the_names_of_keys_do_not_matter_to_it() -> None:
    """It is taken as it is: neither key id nor derivation is looked at, but for the seal."""
    result = encrypt(PLAIN, Passphrase("open"))
    shared = picture_key(Passphrase("open"), result.header)
    assert np.array_equal(decrypt(result.pixels, shared, result.header), PLAIN)
    for change in ({"key_id": "00000000"}, {"kdf": "x:y=1:" + "00" * 16}, {"kdf": None}):
        with pytest.raises(DecryptionError) as caught:
            decrypt(result.pixels, shared, replace(result.header, **change))
        assert str(caught.value) == str(DecryptionError())


@pytest.mark.parametrize(
    "protect",
    [
        lambda key: encrypt(PLAIN, key),
        lambda key: encrypt(PLAIN, key, deterministic=True),
        lambda key: scramble(PLAIN, key),
        lambda key: scramble(PLAIN, key, unit="block"),
        lambda key: scramble(PLAIN, key, context="x"),
        lambda key: protect_picture(encrypt_pixels, key=key),
        lambda key: protect_picture(scramble_file, key=key),
        lambda key: rekey_file(io.BytesIO(protect_picture(encrypt_pixels)), io.BytesIO(), KEY, key),
        lambda key: picture_key(key, encrypt(PLAIN, KEY).header),
    ],
)
def test_it_protects_nothing(protect: Any) -> None:
    """Whatever protects something, or derives a key, refuses it before anything is read."""
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        protect(PictureKey(bytes(32)))


def test_a_context_needs_the_master_key() -> None:
    """What was scrambled under a context has no key of its own, and none opens it."""
    result = scramble(PLAIN, KEY, context="x")
    shared = KEY.picture_key(bytes(16))
    with pytest.raises(InvalidKeyError, match="one picture"):
        unscramble(result.pixels, shared, result.header, context="x")
    with pytest.raises(InvalidParameterError, match="one picture"):
        unscramble(result.pixels, shared, context="x")
    with pytest.raises(FormatError, match="no key of its own"):
        picture_key(KEY, result.header)


@pytest.mark.parametrize("key", [None, "text", bytes(32), 5])
def test_what_is_no_key(key: Any) -> None:
    """Anything else is refused by name, in every call."""
    header = encrypt(PLAIN, KEY).header
    for call in (
        lambda: encrypt(PLAIN, key),
        lambda: scramble(PLAIN, key),
        lambda: decrypt(PLAIN, key, header),
        lambda: unscramble(PLAIN, key, header),
        lambda: picture_key(key, header),
        lambda: open_file(io.BytesIO(b""), key),
        lambda: rekey_file(io.BytesIO(b""), io.BytesIO(), key, KEY),
        lambda: rekey_file(io.BytesIO(b""), io.BytesIO(), KEY, key),
        lambda: decrypt_file(io.BytesIO(b""), io.BytesIO(), key),
    ):
        with pytest.raises(InvalidKeyError, match=type(key).__name__):
            call()
    with pytest.raises(InvalidKeyError, match="str"):
        inspect_picture(io.BytesIO(b""), "text")
