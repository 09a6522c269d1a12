"""What holds for every kind of thing that a file can be protected as: laws times carriers."""

import io
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    FileReport,
    Identity,
    Key,
    OutputExistsError,
    Passphrase,
    PictureKey,
    decrypt_file,
    encrypt_file,
    find_robust,
    read_header,
    rekey_file,
    scramble_file,
    unscramble_file,
)
from sudokucrypt.images import decode_picture
from sudokucrypt.recipes import open_file, picture_key, scramble_robust_file
from tests.images.builders import encoded, noise
from tests.images.jpeg.corpus import photographs, saved
from tests.recipes.memory import result_of

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))
PHOTOS = list(photographs().values())


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

    def protected(self, path: Path, data: bytes | None = None, key: Any = KEY, **more: Any) -> Path:
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
    "first": encoded(noise(9, 8, 3), "PNG"),
    "second": encoded(noise(9, 8, 3) ^ 1, "PNG"),
}
PHOTO: dict[str, Any] = {
    "first": saved(PHOTOS[0], quality=85),
    "second": saved(PHOTOS[1], quality=85),
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
def tagged(request: pytest.FixtureRequest) -> Kind:
    """Each kind whose samples are authenticated."""
    return KINDS[request.param]


def restored(kind: Kind, path: Path, key: Any = KEY) -> bytes:
    """The bytes of the plain file."""
    stream = io.BytesIO()
    kind.restore(path, stream, key)
    return stream.getvalue()


def test_files_streams_and_memory_come_back(kind: Kind, tmp_path: Path) -> None:
    """From a path, a stream and in memory comes the same plain file."""
    path = kind.protected(tmp_path / "safe")
    back = restored(kind, path)
    assert kind.same(back, kind.first)
    assert result_of(kind.restore, path.read_bytes(), KEY) == back
    assert kind.same(bytes(open_file(path, KEY).content), back)


def test_a_wrong_key_writes_nothing(kind: Kind, tmp_path: Path) -> None:
    """Another key, a passphrase and the key of another picture are refused."""
    path, target = kind.protected(tmp_path / "safe"), tmp_path / "back"
    for key in (OTHER, Passphrase("words"), KEY.picture_key(bytes(16))):
        with pytest.raises(DecryptionError):
            kind.restore(path, target.with_suffix(kind.suffix), key)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_nothing_is_overwritten_unasked(kind: Kind, tmp_path: Path) -> None:
    """What exists stays, both ways, unless it may be replaced."""
    path, back = kind.protected(tmp_path / "safe"), tmp_path / "back.png"
    back.write_bytes(b"mine")
    before = path.read_bytes()
    with pytest.raises(OutputExistsError):
        kind.protected(path)
    with pytest.raises(OutputExistsError):
        kind.restore(path, back, KEY)
    assert (path.read_bytes(), back.read_bytes()) == (before, b"mine")
    assert kind.protected(path, replace=True).read_bytes() != before  # under a salt of its own
    assert not kind.restore(path, back, KEY, replace=True).kept


def test_resuming_keeps_what_is_the_same(kind: Kind, tmp_path: Path) -> None:
    """The result of the same call is kept, that of another input or key is refused."""
    path = kind.protected(tmp_path / "safe")
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
    path, target = kind.protected(tmp_path / "safe"), tmp_path / f"new{kind.suffix}"
    shared, again = own_key(kind, path), tmp_path / f"again{kind.suffix}"
    assert not rekey_file(path, target, KEY, OTHER).kept
    assert kind.same(restored(kind, target, OTHER), kind.first)
    for key in (KEY, shared):
        with pytest.raises(DecryptionError):
            restored(kind, target, key)
    rekey_file(path, again, shared, KEY)  # the key of the picture suffices, and even KEY is new
    assert kind.same(restored(kind, again), kind.first)
    with pytest.raises(DecryptionError):
        restored(kind, again, shared)
    salts = [
        (read_header(each).salt if kind.exact else find_robust(each).header.salt)
        for each in (path, target, again)
    ]
    assert len(set(salts)) == 3
    if kind.exact:
        assert rekey_file(path, target, KEY, OTHER, resume=True).kept
    with pytest.raises(OutputExistsError):
        rekey_file(path, target, KEY, KEY, resume=True)


def own_key(kind: Kind, path: Path) -> PictureKey:
    """Return the key of the picture in a file, read again from its text."""
    opened = None if kind.exact else find_robust(path).header.open_key(KEY)
    return PictureKey.from_text((opened or picture_key(KEY, read_header(path))).to_text())


def test_the_key_of_one_picture(kind: Kind, tmp_path: Path) -> None:
    """It restores that picture in every way, and no other of the same key, not even its like."""
    one, like = kind.protected(tmp_path / "1"), kind.protected(tmp_path / "2")
    other, key = kind.protected(tmp_path / "3", kind.second), own_key(kind, one)
    assert restored(kind, one, key) == restored(kind, one) == bytes(open_file(one, key).content)
    for path in (like, other):
        for attempt in (
            lambda path=path: restored(kind, path, key),
            lambda path=path: open_file(path, key),
            lambda path=path: rekey_file(path, io.BytesIO(), key, KEY),
        ):
            with pytest.raises(DecryptionError) as caught:
                attempt()
            assert str(caught.value) == str(DecryptionError()) or not kind.exact


def test_recipients(tagged: Kind, tmp_path: Path) -> None:
    """Each of several identities opens it, with or without a key, and it is resumed by the key."""
    mine, other = (Identity(bytes([number]) * 32) for number in (1, 2))
    path = tagged.protected(tmp_path / "safe", key=[KEY, mine.recipient])
    for key in (KEY, mine):
        assert tagged.same(restored(tagged, path, key), tagged.first)
    with pytest.raises(DecryptionError):
        restored(tagged, path, other)
    again = partial(tagged.protect, target=path, resume=True, **tagged.options)
    assert again(io.BytesIO(tagged.first), key=[KEY, other.recipient]).kept
    for given in (KEY, [KEY, mine.recipient, other.recipient], mine):
        with pytest.raises(OutputExistsError):
            again(io.BytesIO(tagged.first), key=given)
    path = tagged.protected(tmp_path / "alone", key=[mine.recipient, other.recipient])
    assert tagged.same(restored(tagged, path, other), tagged.first)


def test_sidecars_come_along(tagged: Kind, tmp_path: Path) -> None:
    """A result gets one if it was asked for, and when its key changes."""
    path = tagged.protected(tmp_path / "safe", sidecar=True)
    rekey_file(path, target := tmp_path / f"new{tagged.suffix}", KEY, OTHER)
    for each in (path, target):
        beside = each.with_name(f"{each.name}.sudokucrypt.json")
        assert beside.read_bytes() == read_header(each).to_bytes() + b"\n"
    bare = tagged.protected(tmp_path / "bare")
    rekey_file(bare, target := tmp_path / f"next{tagged.suffix}", KEY, OTHER)
    assert not target.with_name(f"{target.name}.sudokucrypt.json").exists()


def test_passphrases_and_salts(tagged: Kind, tmp_path: Path) -> None:
    """A passphrase opens what it protected; deterministic results are equal, others are not."""
    words = Passphrase("a passphrase for tests")
    path = tagged.protected(tmp_path / "words", key=words)
    back = restored(tagged, path, Passphrase("a passphrase for tests"))
    assert tagged.same(back, tagged.first)
    same = [tagged.protected(tmp_path / name, deterministic=True).read_bytes() for name in "ab"]
    assert same[0] == same[1]
    assert tagged.protected(tmp_path / "c").read_bytes() not in same
