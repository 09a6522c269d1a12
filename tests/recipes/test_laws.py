"""Laws that each carrier must satisfy: each test runs for all kinds of protected files."""

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
    scramble_robust,
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
from sudokucrypt.recipes.carriers.picture import are_same_pictures
from sudokucrypt.recipes.protection import Protection
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.images.jpeg.corpus import list_photographs, save_image
from tests.recipes.memory import inspect_picture, run_on_bytes
from tests.recipes.test_arrays import draw_image

KEY, OTHER_KEY = Key(bytes(range(32))), Key(bytes(32))
PHOTOS = list(list_photographs().values())


@dataclass(frozen=True)
class Kind:
    """A kind of protected file: two inputs, and the functions that protect and restore them."""

    protect: Callable[..., FileReport]
    restore: Callable[..., FileReport]
    first_input: bytes
    second_input: bytes
    suffix: str = ".png"
    options: dict[str, Any] = field(default_factory=dict)
    exact: bool = True

    def make(self, path: Path, data: bytes | None = None, key: Any = KEY, **options: Any) -> Path:
        """Protect the first input, or other data, and return the path with the right suffix."""
        target = path.with_suffix(self.suffix)
        source = io.BytesIO(self.first_input if data is None else data)
        self.protect(source, target, key, **self.options, **options)
        return target

    def is_same(self, actual: bytes, expected: bytes) -> bool:
        """Return whether plain files have equal bytes, equal samples, or roughly equal samples."""
        if actual == expected or (self.suffix == ".jpg" and self.exact):
            return actual == expected
        first, second = (decode_picture(data).pixels.astype(float) for data in (actual, expected))
        if first.shape != second.shape:
            return False
        return not (first - second).any() if self.exact else np.abs(first - second).mean() < 8


PIXELS: dict[str, Any] = {
    "first_input": encode_array(noise(9, 8, 3), "PNG"),
    "second_input": encode_array(noise(9, 8, 3) ^ 1, "PNG"),
}
PHOTO: dict[str, Any] = {
    "first_input": save_image(PHOTOS[0], quality=85),
    "second_input": save_image(PHOTOS[1], quality=85),
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
TAGGED_KINDS = [kind for kind in KINDS if kind != "robust picture"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Run the test for each kind of protected file."""
    return KINDS[request.param]


@pytest.fixture(params=TAGGED_KINDS)
def tag_kind(request: pytest.FixtureRequest) -> Kind:
    """Run the test for each kind of protected file with a tag."""
    return KINDS[request.param]


def restore_plain(kind: Kind, path: Path, key: Any = KEY) -> bytes:
    """Restore a protected file, and return the bytes of the plain file."""
    stream = io.BytesIO()
    kind.restore(path, stream, key)
    return stream.getvalue()


def test_files_streams_and_memory_are_restored(kind: Kind, tmp_path: Path) -> None:
    """A protected file is restored equally from a path, from a stream and in memory."""
    path = kind.make(tmp_path / "safe")
    restored = restore_plain(kind, path)
    assert kind.is_same(restored, kind.first_input)
    assert run_on_bytes(kind.restore, path.read_bytes(), KEY) == restored
    assert kind.is_same(bytes(open_file(path, KEY).content), restored)


def test_a_wrong_key_writes_nothing(kind: Kind, tmp_path: Path) -> None:
    """A wrong key, a passphrase and the key of another picture are refused; no file is written."""
    path, target = kind.make(tmp_path / "safe"), tmp_path / "back"
    for key in (OTHER_KEY, Passphrase("words"), KEY.picture_key(bytes(16))):
        with pytest.raises(DecryptionError):
            kind.restore(path, target.with_suffix(kind.suffix), key)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_existing_files_are_not_overwritten(kind: Kind, tmp_path: Path) -> None:
    """Protecting and restoring replace an existing output only with `replace=True`."""
    path, restored_path = kind.make(tmp_path / "safe"), tmp_path / "back.png"
    restored_path.write_bytes(b"mine")
    old_content = path.read_bytes()
    with pytest.raises(OutputExistsError):
        kind.make(path)
    with pytest.raises(OutputExistsError):
        kind.restore(path, restored_path, KEY)
    assert (path.read_bytes(), restored_path.read_bytes()) == (old_content, b"mine")
    assert kind.make(path, replace=True).read_bytes() != old_content  # since its salt is new
    assert not kind.restore(path, restored_path, KEY, replace=True).kept


def test_resuming_keeps_equal_results(kind: Kind, tmp_path: Path) -> None:
    """With `resume`, the result of an equal call is kept; another input or key is an error."""
    path = kind.make(tmp_path / "safe")
    old_content = path.read_bytes()
    resume = partial(kind.protect, target=path, resume=True, **kind.options)
    assert resume(io.BytesIO(kind.first_input), key=KEY).kept
    for data, key in ((kind.second_input, KEY), (kind.first_input, OTHER_KEY)):
        with pytest.raises(OutputExistsError, match="is not what this run would write"):
            resume(io.BytesIO(data), key=key)
    assert path.read_bytes() == old_content
    for suffix in {kind.suffix, ".png"}:
        restored_path = tmp_path / f"back{suffix}"
        kind.restore(path, restored_path, KEY)
        assert kind.restore(path, restored_path, KEY, resume=True).kept
        restored_path.write_bytes(kind.second_input)
        with pytest.raises(OutputExistsError, match="differ"):
            kind.restore(path, restored_path, KEY, resume=True)


def test_rekeying(kind: Kind, tmp_path: Path) -> None:
    """A rekeyed file has the same contents and a new salt, and only its new key opens it.

    With `resume`, an equal result is kept, and another one is an error.
    """
    path, target = kind.make(tmp_path / "safe"), tmp_path / f"new{kind.suffix}"
    picture_key, second_path = read_picture_key_of(kind, path), tmp_path / f"second{kind.suffix}"
    assert not rekey_file(path, target, KEY, OTHER_KEY).kept
    assert kind.is_same(restore_plain(kind, target, OTHER_KEY), kind.first_input)
    for key in (KEY, picture_key):
        with pytest.raises(DecryptionError):
            restore_plain(kind, target, key)
    rekey_file(path, second_path, picture_key, KEY)  # the salt is new, although the key is the same
    assert kind.is_same(restore_plain(kind, second_path), kind.first_input)
    with pytest.raises(DecryptionError):
        restore_plain(kind, second_path, picture_key)
    salts = [
        (read_header(file).salt if kind.exact else find_robust(file).header.salt)
        for file in (path, target, second_path)
    ]
    assert len(set(salts)) == 3
    if kind.exact:
        assert rekey_file(path, target, KEY, OTHER_KEY, resume=True).kept
    with pytest.raises(OutputExistsError):
        rekey_file(path, target, KEY, KEY, resume=True)


def read_picture_key_of(kind: Kind, path: Path) -> PictureKey:
    """Return the picture key of a file, after encoding it as text and reading it again."""
    opened = None if kind.exact else find_robust(path).header.open_key(KEY)
    return PictureKey.from_text((opened or picture_key(KEY, read_header(path))).to_text())


def test_the_key_of_one_picture(kind: Kind, tmp_path: Path) -> None:
    """A picture key restores its file, but no other file of the same master key.

    It does not even restore another result of the same input.
    """
    first, same_input = kind.make(tmp_path / "1"), kind.make(tmp_path / "2")
    second, key = kind.make(tmp_path / "3", kind.second_input), read_picture_key_of(kind, first)
    assert (
        restore_plain(kind, first, key)
        == restore_plain(kind, first)
        == bytes(open_file(first, key).content)
    )
    for path in (same_input, second):
        for restored_path in (
            lambda path=path: restore_plain(kind, path, key),
            lambda path=path: open_file(path, key),
            lambda path=path: rekey_file(path, io.BytesIO(), key, KEY),
        ):
            with pytest.raises(DecryptionError) as error_info:
                restored_path()
            assert str(error_info.value) == str(DecryptionError()) or not kind.exact


def test_recipients(tag_kind: Kind, tmp_path: Path) -> None:
    """Each recipient and the key restore a file for both, and its key resumes it.

    Resuming with another number of recipients, or without a key, is an error.
    """
    own_identity, stranger = (Identity(bytes([number]) * 32) for number in (1, 2))
    path = tag_kind.make(tmp_path / "safe", key=[KEY, own_identity.recipient])
    for key in (KEY, own_identity):
        assert tag_kind.is_same(restore_plain(tag_kind, path, key), tag_kind.first_input)
    with pytest.raises(DecryptionError):
        restore_plain(tag_kind, path, stranger)
    resume = partial(tag_kind.protect, target=path, resume=True, **tag_kind.options)
    assert resume(io.BytesIO(tag_kind.first_input), key=[KEY, stranger.recipient]).kept
    for keys in (KEY, [KEY, own_identity.recipient, stranger.recipient], own_identity):
        with pytest.raises(OutputExistsError):
            resume(io.BytesIO(tag_kind.first_input), key=keys)
    path = tag_kind.make(tmp_path / "recipients", key=[own_identity.recipient, stranger.recipient])
    assert tag_kind.is_same(restore_plain(tag_kind, path, stranger), tag_kind.first_input)


def test_rekeying_keeps_sidecars(tag_kind: Kind, tmp_path: Path) -> None:
    """A rekeyed file has a sidecar exactly if the input has one."""
    path = tag_kind.make(tmp_path / "safe", sidecar=True)
    rekey_file(path, target := tmp_path / f"new{tag_kind.suffix}", KEY, OTHER_KEY)
    for file in (path, target):
        sidecar = file.with_name(f"{file.name}.sudokucrypt.json")
        assert sidecar.read_bytes() == read_header(file).to_bytes() + b"\n"
    without_sidecar = tag_kind.make(tmp_path / "without")
    rekey_file(without_sidecar, target := tmp_path / f"next{tag_kind.suffix}", KEY, OTHER_KEY)
    assert not target.with_name(f"{target.name}.sudokucrypt.json").exists()


def test_passphrases_and_salts(tag_kind: Kind, tmp_path: Path) -> None:
    """A passphrase restores its file; two deterministic results are equal, others differ."""
    passphrase = Passphrase("a passphrase for tests")
    path = tag_kind.make(tmp_path / "passphrase", key=passphrase)
    restored = restore_plain(tag_kind, path, Passphrase("a passphrase for tests"))
    assert tag_kind.is_same(restored, tag_kind.first_input)
    equal = [tag_kind.make(tmp_path / name, deterministic=True).read_bytes() for name in "ab"]
    assert equal[0] == equal[1]
    assert tag_kind.make(tmp_path / "c").read_bytes() not in equal


# Rekeying changes the key and the salt of a picture, and nothing else.


encrypt_pixels = partial(encrypt_file, as_file=False)
RESTORE_BY_PROTECT: Any = {encrypt_pixels: decrypt_file, scramble_file: unscramble_file}
PICTURE_NAME = "RGB-metadata.png"


def protect_picture(
    protect: Any, key: Any = KEY, name: str = PICTURE_NAME, **options: Any
) -> bytes:
    """Protect a picture of the gallery, and return the bytes of the result."""
    return run_on_bytes(protect, GALLERY[name], key, **options)


def rekey_picture(data: bytes, key: Any = KEY, new_key: Any = OTHER_KEY, **options: Any) -> bytes:
    """Return the bytes of a protected file under a new key."""
    return run_on_bytes(rekey_file, data, key, new_key, **options)


def read_bytes_header(data: bytes) -> Header:
    """Return the header of the bytes of a protected file."""
    return read_header(io.BytesIO(data))


@pytest.mark.parametrize("protect", RESTORE_BY_PROTECT)
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 5},
        {"deterministic": True},
        {"metadata": "strip"},
        {"format": "TIFF"},
    ],
)
def test_rekeying_keeps_options(protect: Any, options: Any) -> None:
    """A rekeyed picture keeps scheme, rounds, format and sealed metadata, but not its salt."""
    data = protect_picture(protect, **options)
    rekeyed = rekey_picture(data)
    old_header, new_header = read_bytes_header(data), read_bytes_header(rekeyed)
    for name in ("scheme", "unit", "rounds", "shape", "dtype"):
        assert getattr(old_header, name) == getattr(new_header, name)
    assert (new_header.key_id, new_header.kdf) == (OTHER_KEY.id, None)
    assert decode_picture(rekeyed).format == decode_picture(data).format
    derived = read_bytes_header(protect_picture(protect, OTHER_KEY, **options)).salt
    assert (
        len({old_header.salt, new_header.salt, derived}) == 3
    )  # a deterministic salt becomes random too
    assert run_on_bytes(RESTORE_BY_PROTECT[protect], data, KEY) == run_on_bytes(
        RESTORE_BY_PROTECT[protect], rekeyed, OTHER_KEY
    )
    with pytest.raises(DecryptionError):
        run_on_bytes(RESTORE_BY_PROTECT[protect], rekeyed, KEY)


@pytest.mark.parametrize("size", [1, 3, 20])
def test_rekeying_keeps_units(size: int) -> None:
    """A rekeyed picture keeps the unit, `block` with its size or `sample`."""
    header = read_bytes_header(
        rekey_picture(protect_picture(scramble_file, unit="block", block_size=size))
    )
    assert (header.unit, header.block_size) == ("block", size)
    assert (
        read_bytes_header(rekey_picture(protect_picture(scramble_file, unit="sample"))).unit
        == "sample"
    )


def test_between_keys_and_passphrases() -> None:
    """A picture is rekeyed from a key to a passphrase, to another one, and to a key.

    The header has a derivation exactly while the picture has a passphrase.
    """
    data = protect_picture(encrypt_pixels)
    first_result = rekey_picture(data, KEY, Passphrase("open"))
    assert read_bytes_header(first_result).kdf is not None
    second_result = rekey_picture(first_result, Passphrase("open"), Passphrase("sesame"))
    assert read_bytes_header(second_result).kdf != read_bytes_header(first_result).kdf
    third_result = rekey_picture(second_result, Passphrase("sesame"), OTHER_KEY)
    assert read_bytes_header(third_result).kdf is None
    assert are_same_pictures(
        inspect_picture(io.BytesIO(third_result), OTHER_KEY)[1].picture,
        decode_picture(GALLERY[PICTURE_NAME]),
    )


def test_a_scheme_of_a_newer_release_is_named() -> None:
    """The error for a picture of an unknown scheme names the scheme."""
    stored_picture = decode_picture(protect_picture(encrypt_pixels), "x")
    header = (stored_picture.header or b"").replace(b"encrypt-v1", b"encrypt-v9")
    newer_header = encode_picture(replace(stored_picture, header=header), "PNG")
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        rekey_picture(newer_header)
    with pytest.raises(UnsupportedVersionError, match="'encrypt-v9' is not known"):
        inspect_picture(io.BytesIO(newer_header), KEY)


def test_hidden_bytes_after_a_file_are_refused() -> None:
    """A picture in which other bytes than zeros follow the file is refused, despite its tag."""
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


# Picture keys: each opens its picture, opens no other picture, and protects nothing.


PLAIN = draw_image((12, 17, 3))
ARRAY_FUNCTIONS: Any = [(scramble, unscramble), (encrypt, decrypt)]


def read_picture_key(data: bytes, key: Any = KEY) -> PictureKey:
    """Return the picture key of the bytes of a protected file."""
    return picture_key(key, read_header(io.BytesIO(data)))


@pytest.mark.parametrize(("protect", "restore"), ARRAY_FUNCTIONS)
@pytest.mark.parametrize("options", [{}, {"deterministic": True}])
def test_a_picture_key_opens_its_image(protect: Any, restore: Any, options: Any) -> None:
    """A protected array is restored with its picture key, which was read from its text."""
    result = protect(PLAIN, KEY, **options)
    shared = PictureKey.from_text(KEY.for_picture(result.header).to_text())
    assert np.array_equal(restore(result.pixels, shared, result.header), PLAIN)


def test_a_picture_key_opens_the_picture_of_a_passphrase() -> None:
    """A picture that a passphrase protects is restored with its picture key."""
    data = protect_picture(encrypt_pixels, key=Passphrase("open"))
    shared = read_picture_key(data, Passphrase("open"))
    restored = [run_on_bytes(decrypt_file, data, key) for key in (shared, Passphrase("open"))]
    assert restored[0] == restored[1]
    with pytest.raises(DecryptionError):
        read_picture_key(data, Passphrase("closed"))


@pytest.mark.parametrize(("protect", "restore"), ARRAY_FUNCTIONS)
def test_a_picture_key_opens_no_other_image(protect: Any, restore: Any) -> None:
    """A picture key does not restore other results, even with the salt or header of its own image.

    The other results are of the same image, of another one, and of the same image under another
    key.
    """
    first_image, second_image, other_image = (
        protect(plain, KEY) for plain in (PLAIN, PLAIN, draw_image((12, 17, 3), seed=1))
    )
    shared = KEY.for_picture(first_image.header)
    result: ProtectedImage
    for result in (second_image, other_image, protect(PLAIN, OTHER_KEY)):
        forged = (replace(result.header, salt=first_image.header.salt), first_image.header)
        for header in (result.header, *forged):
            with pytest.raises(DecryptionError):
                restore(result.pixels, shared, header)


def test_picture_keys_are_not_compared_with_key_ids() -> None:
    """A picture key is refused for a changed key id or derivation by the seal, not by the id."""
    result = encrypt(PLAIN, Passphrase("open"))
    shared = picture_key(Passphrase("open"), result.header)
    assert np.array_equal(decrypt(result.pixels, shared, result.header), PLAIN)
    for changed_fields in ({"key_id": "00000000"}, {"kdf": "x:y=1:" + "00" * 16}, {"kdf": None}):
        with pytest.raises(DecryptionError) as error_info:
            decrypt(result.pixels, shared, replace(result.header, **changed_fields))
        assert str(error_info.value) == str(DecryptionError())


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
def test_a_picture_key_protects_nothing(protect: Any) -> None:
    """Functions that protect something or make a picture key refuse a picture key."""
    with pytest.raises(InvalidKeyError, match="cannot protect any"):
        protect(PictureKey(bytes(32)))


def test_a_context_needs_the_master_key() -> None:
    """An image scrambled under a context has no picture key, and any picture key is refused."""
    result = scramble(PLAIN, KEY, context="x")
    shared = KEY.picture_key(bytes(16))
    with pytest.raises(InvalidKeyError, match="one picture"):
        unscramble(result.pixels, shared, result.header, context="x")
    with pytest.raises(InvalidParameterError, match="one picture"):
        unscramble(result.pixels, shared, context="x")
    with pytest.raises(FormatError, match="no key of its own"):
        picture_key(KEY, result.header)


@pytest.mark.parametrize("key", [None, "text", bytes(32), 5])
def test_other_objects_are_no_keys(key: Any) -> None:
    """All functions refuse None, texts, bytes and numbers as a key, and name their type."""
    header = encrypt(PLAIN, KEY).header
    for call in (
        lambda: encrypt(PLAIN, key),
        lambda: scramble(PLAIN, key),
        lambda: scramble_robust(PLAIN, key),
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
