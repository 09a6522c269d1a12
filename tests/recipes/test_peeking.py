"""Looking into a protected file says what restoring it says, without its samples."""

import io
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Key,
    KeyDerivation,
    Passphrase,
    encrypt,
    encrypt_file,
    scramble_file,
)
from sudokucrypt.ciphers import ENCRYPT, Part
from sudokucrypt.images import blank_samples, decode_picture, read_picture
from sudokucrypt.recipes import find_header, open_file, read_sealed_info, sealed_info
from sudokucrypt.recipes.carriers.picture import same_pictures
from sudokucrypt.recipes.protection import Protection
from tests.cli.conftest import quick
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded, noise
from tests.recipes.memory import inspect_picture
from tests.recipes.test_seal_first import (
    LATE,
    LATE_CALLS,
    changed_fields,
    derive_key,
    head,
    reaches,
    trace_refusal,
)

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
FEW = ("L.png", "P-metadata.png", "F.tiff", "CMYK.tiff", "P.gif", "RGB.jpg")


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """An encrypted JPEG with a preview."""
    path = tmp_path / "photo.png"
    encrypt_file(io.BytesIO(GALLERY["RGB.jpg"]), path, KEY, preview=True, name="a photo.jpg")
    return path


@pytest.mark.parametrize("protect", [encrypt_file, scramble_file])
@pytest.mark.parametrize("name", quick(GALLERY, *FEW))
def test_a_peek_says_what_restoring_says(tmp_path: Path, name: str, protect: Any) -> None:
    """File, preview, format and shapes are those of the restored picture, of every kind."""
    options = {"preview": True} if protect is encrypt_file else {}
    source = tmp_path / name
    source.write_bytes(GALLERY[name])
    path = protect(source, None, KEY, **options).target
    peek, (header, record) = read_sealed_info(path, KEY), inspect_picture(path, KEY)
    assert (peek.file, peek.preview) == (record.file, record.preview)
    assert peek.format == (None if header.encrypted_metadata is None else record.picture.format)
    assert peek.shape == record.picture.pixels.shape
    assert (find_header(path), peek.header.tag) == (header, header.tag)


def test_opening_gives_the_plain_file(photo: Path) -> None:
    """`open_file` gives name, type and bytes of a file, and else a picture of the same pixels."""
    opened = open_file(photo, KEY)
    assert (opened.name, opened.type) == ("a photo.jpg", "image/jpeg")
    assert bytes(opened.content) == GALLERY["RGB.jpg"]
    for name, protect, kind in (
        ("RGB-metadata.png", encrypt_file, "image/png"),
        ("1xfloat32.tiff", encrypt_file, "image/tiff"),
    ):
        source = photo.with_name(name)
        source.write_bytes(GALLERY[name])
        opened = open_file(protect(source, None, KEY).target or "", KEY)
        assert (opened.name, opened.type) == (name, kind)
        restored = decode_picture(bytes(opened.content))
        assert same_pictures(restored, decode_picture(GALLERY[name]))


def test_samples_are_not_looked_at(photo: Path) -> None:
    """A peek into a picture whose samples were changed says the same, and opening refuses it."""
    before, stored = read_sealed_info(photo, KEY), read_picture(photo)
    photo.write_bytes(encoded(stored.pixels ^ 1, "PNG", header=stored.header))
    assert read_sealed_info(photo, KEY) == before
    with pytest.raises(DecryptionError):
        open_file(photo, KEY)


@pytest.mark.parametrize("scheme", ["scramble-v1", "encrypt-v1"])
def test_nothing_is_read_before_the_seal(scheme: str) -> None:
    """With a wrong key or a changed header there is one error, and no extras were unmasked."""
    header, key = head(scheme), derive_key(scheme)
    assert sealed_info(header, key).header.encrypted_metadata
    for changed in list(changed_fields(header))[::9]:
        trace = trace_refusal(lambda: sealed_info(changed, key))  # noqa: B023
        assert trace.error[:2] == (DecryptionError, str(DecryptionError()))
        assert not reaches(trace, *LATE, *LATE_CALLS)
    for wrong in (OTHER, Passphrase("wrong"), OTHER.picture_key(header.salt or b"")):
        with pytest.raises(DecryptionError):
            sealed_info(header, wrong)


def test_what_the_owner_sealed_is_checked_too() -> None:
    """Extras that describe no such picture are refused, though the seal holds."""
    pixels = noise(3, 4, 1)
    line = b'{"format":"PNG","frames":[{"shape":%b,"dtype":"%b","mode":"gray"}]}\n'
    for shape, kind in (
        (b"[3,5]", b"uint8"), (b"[3,4]", b"uint16"), (b"[3,4]", b"object"), (b"[0,4]", b"uint8"),
        (b"[3]", b"uint8"), (b"[2147483647,2147483647]", b"float64"), (b"[3,4]", b"S9"),
        (b'"34"', b"uint8"), (b"[3,4,5]", b"uint8"), (b"[3,4]", b"nonsense"),
    ):  # fmt: skip
        data = line % (shape, kind)
        settings = Protection(scheme=ENCRYPT, salt=bytes(16))
        extras = data + bytes(-len(data) % 256)
        header = settings.protect([Part(pixels=pixels)], KEY, encrypted_metadata=extras)[1]
        with pytest.raises(DecryptionError):
            sealed_info(header, KEY)
    for size in ((9,), (3, 4, 5), (3, 4, 1)):  # arrays that are no pictures
        with pytest.raises(DecryptionError):
            sealed_info(encrypt(np.zeros(size), KEY).header, KEY)


def test_blank_samples_take_no_memory() -> None:
    """Samples of any described size are there at once; what describes none is malformed."""
    line = b'{"frames":[%b]}\n'
    large = blank_samples(line % b'{"shape":[2147483647,2147483647],"dtype":"uint8"}')
    assert large.shape == (2**31 - 1, 2**31 - 1)
    assert blank_samples(line % b'{"shape":[2,3,4],"dtype":"float64"}').dtype == np.float64
    for extras in (b"", b"\n", b"[]\n", b"{}\n", b'{"frames":7}\n', line % b"7", line % b""):
        with pytest.raises(FormatError):
            blank_samples(extras)


@pytest.fixture
def derivations(monkeypatch: pytest.MonkeyPatch) -> list[KeyDerivation]:
    """The derivations that were made."""
    result: list[KeyDerivation] = []
    derive = KeyDerivation._derive

    def noted(derivation: KeyDerivation, secret: bytes) -> bytes:
        result.append(derivation)
        return derive(derivation, secret)

    monkeypatch.setattr(KeyDerivation, "_derive", noted)
    return result


def test_a_salt_costs_one_derivation(derivations: list[KeyDerivation]) -> None:
    """Pictures with the salt of another one cost no derivation, whether they open or not."""
    derivation = KeyDerivation.new()
    settings = Protection(scheme=ENCRYPT, salt=bytes(16), derivation=derivation)
    word, parts = Passphrase("open"), [Part(pixels=noise(3, 4, 1))]
    headers = [settings.protect(parts, word)[1] for _ in range(3)]
    derivations.clear()
    for passphrase, opens in ((word, True), (Passphrase("wrong"), False)):
        for header in headers:
            if opens:
                peek = sealed_info(header, passphrase)
                assert sealed_info(header, peek.key) == peek
            else:
                with pytest.raises(DecryptionError, match="passphrase"):
                    sealed_info(header, passphrase)
    assert derivations == [derivation]  # of the wrong one: the right one protected them


def test_what_cannot_be_looked_into(tmp_path: Path) -> None:
    """A plain picture has no header."""
    path = tmp_path / "x.png"
    path.write_bytes(GALLERY["RGB.png"])
    assert find_header(path) is None
    with pytest.raises(FormatError):
        read_sealed_info(path, KEY)


def test_a_large_file_takes_a_moment(tmp_path: Path) -> None:
    """Of a PNG of 16 megabytes only the header is read."""
    path = tmp_path / "large.png"
    data = np.random.default_rng(0).bytes(1 << 24)
    encrypt_file(io.BytesIO(data), path, KEY, as_file=True, name="large.bin")
    before = time.process_time()
    peek = read_sealed_info(path, KEY)
    assert time.process_time() - before < 0.1
    assert peek.file is not None
    assert peek.file.size == len(data)
