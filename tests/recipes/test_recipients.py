"""Pictures for recipients: who opens them, what a change does, and what two of them share."""

import base64
import io
import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import (
    DecryptionError,
    Header,
    Identity,
    InvalidKeyError,
    InvalidParameterError,
    Key,
    KeyRing,
    Passphrase,
    SudokucryptError,
    decrypt,
    decrypt_bytes,
    encrypt,
    encrypt_file,
    read_header,
    rekey_file,
    scramble,
    scramble_robust,
    unscramble,
    unscramble_robust,
)
from sudokucrypt.recipes import picture_key
from tests.images.builders import noise
from tests.recipes.memory import run_on_bytes

ME, OTHER = Identity(bytes(range(32))), Identity(bytes(32))
QUANTUM = Identity.generate(post_quantum=True)
KEY = Key(bytes(range(32)))
PLAIN = noise(12, 9, 3)
ARRAYS: Any = [(scramble, unscramble), (encrypt, decrypt)]


@pytest.mark.parametrize(("protect", "restore"), ARRAYS)
@pytest.mark.parametrize("mine", [ME, QUANTUM], ids=["X25519", "hybrid"])
def test_a_recipient_opens_and_nobody_else(protect: Any, restore: Any, mine: Identity) -> None:
    """With the identity, in a key ring too; alone, in a list, and beside a key of the owner."""
    for given in (mine, mine.recipient, [mine.recipient], (KEY, mine.recipient)):
        done = protect(PLAIN, given)
        for key in (mine, KeyRing([OTHER, KEY, mine]), picture_key(mine, done.header)):
            assert np.array_equal(restore(done.pixels, key, done.header), PLAIN)
        with pytest.raises(DecryptionError, match="wrong identity"):
            restore(done.pixels, OTHER, done.header)
        owned = isinstance(given, tuple)
        assert (done.header.key_id == KEY.id) == owned
        if owned:
            assert np.array_equal(restore(done.pixels, KEY, done.header), PLAIN)
        else:
            with pytest.raises(DecryptionError, match="or an identity of its recipients"):
                restore(done.pixels, KEY, done.header)


def test_a_passphrase_and_recipients_both_open() -> None:
    """The header then has both fields."""
    passphrase = Passphrase("a passphrase")
    done = encrypt(PLAIN, [passphrase, ME.recipient])
    assert done.header.kdf is not None
    for key in (passphrase, ME):
        assert np.array_equal(decrypt(done.pixels, key, done.header), PLAIN)


@pytest.mark.parametrize(
    "given",
    [
        *([], [KEY, KEY], [[ME.recipient]], [None], "age1", [KEY.picture_key(bytes(16)), ME]),
        *([KeyRing([KEY]), ME], [ME.recipient, QUANTUM.recipient]),
    ],
)
def test_what_protects_nothing(given: Any) -> None:
    """Nobody, two keys, lists in lists, keys that only restore, and a mix of kinds."""
    with pytest.raises(InvalidKeyError):
        encrypt(PLAIN, given)


def test_where_there_are_no_recipients() -> None:
    """Deterministic results, contexts and robust pictures refuse them; so do old pictures."""
    refused: list[Any] = [
        lambda: encrypt(PLAIN, [KEY, ME.recipient], deterministic=True),
        lambda: scramble(PLAIN, ME.recipient, deterministic=True),
        lambda: scramble(PLAIN, [ME.recipient], context="album"),
        lambda: scramble_robust(PLAIN, [ME.recipient]),  # type: ignore[arg-type]
    ]
    for each in refused:
        with pytest.raises(InvalidParameterError):
            each()
    done = encrypt(PLAIN, KEY)
    with pytest.raises(DecryptionError, match="the picture has no recipients, and needs key"):
        decrypt(done.pixels, ME, done.header)
    with pytest.raises(DecryptionError, match="not a passphrase or an identity"):
        unscramble_robust(scramble_robust(noise(64, 64, 3), KEY).samples, ME)


def test_headers_of_recipients() -> None:
    """The field stands between kdf and salt, as base64 of 1 to 65,536 bytes, and needs a salt."""
    header = encrypt(PLAIN, ME).header
    names = list(json.loads(header.to_bytes()))
    assert names[names.index("key_id") :] == ["key_id", "recipients", "salt", "tag", "seal"]
    assert Header.from_bytes(header.to_bytes()) == header
    for wrong in (b"", bytes(65537)):
        with pytest.raises(SudokucryptError):
            replace(header, recipients=wrong)
    with pytest.raises(SudokucryptError):
        replace(header, salt=None, tag=None, header_mac=None)
    full = replace(header, recipients=bytes(65536))
    assert Header.from_bytes(full.to_bytes()) == full


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_changed_bytes_are_refused_alike(count: int) -> None:
    """Whichever byte of the field was changed, the identity gives one message."""
    done = encrypt(PLAIN, [OTHER, ME])
    field = done.header.recipients or b""
    rng, messages = np.random.default_rng(1), set()
    for _ in range(count):
        at, other = int(rng.integers(len(field))), int(rng.integers(1, 256))
        changed = field[:at] + bytes([field[at] ^ other]) + field[at + 1 :]
        header = Header.from_bytes(replace(done.header, recipients=changed).to_bytes())
        with pytest.raises(DecryptionError) as caught:
            decrypt(done.pixels, ME, header)
        assert caught.value.__cause__ is None
        messages.add((str(caught.value), caught.value.hint))
    assert len(messages) == 1


def test_a_good_age_file_of_another_picture_is_refused_alike() -> None:
    """A field that was taken from another picture opens, and the seal does not hold."""
    first, second = encrypt(PLAIN, ME), encrypt(PLAIN, ME)
    swapped = replace(first.header, recipients=second.header.recipients)
    with pytest.raises(DecryptionError, match="wrong identity, or the header was changed"):
        decrypt(first.pixels, ME, swapped)


@pytest.mark.parametrize(("mine", "kind"), [(ME, b"X25519"), (QUANTUM, b"mlkem768x25519")])
def test_two_pictures_to_one_recipient_share_nothing(mine: Identity, kind: bytes) -> None:
    """All that is equal in two headers is what headers for anybody have in common."""

    def eights(data: bytes) -> set[bytes]:
        return {data[start : start + 8] for start in range(len(data) - 7)}

    first, again = (json.loads(encrypt(PLAIN, mine.recipient).header.to_bytes()) for _ in range(2))
    equal = [name for name, value in first.items() if again[name] == value]
    assert equal == ["sudokucrypt", "scheme", "unit", "rounds", "shape", "dtype"]
    files = [base64.b64decode(each["recipients"]) for each in (first, again)]
    start = b"age-encryption.org/v1\n-> " + kind + b" "
    assert all(file.startswith(start) for file in files)
    one, other = (eights(file.removeprefix(start)) for file in files)
    assert not one & other


def test_rekeying_adds_and_removes() -> None:
    """A new list replaces the old one, whether the owner has a key or not."""
    first = run_on_bytes(encrypt_file, b"any file", ME)
    more = run_on_bytes(rekey_file, first, ME, [KEY, OTHER.recipient, ME.recipient])
    for key in (KEY, OTHER, ME):
        assert decrypt_bytes(more, key) == b"any file"
    fewer = run_on_bytes(rekey_file, more, KEY, OTHER.recipient)
    assert decrypt_bytes(fewer, OTHER) == b"any file"
    for key in (KEY, ME):
        with pytest.raises(DecryptionError):
            decrypt_bytes(fewer, key)
    alone = run_on_bytes(rekey_file, fewer, OTHER, KEY)
    assert read_header(io.BytesIO(alone)).recipients is None


@pytest.mark.programs("age")
def test_age_opens_a_picture_without_us(tmp_path: Path) -> None:
    """What it prints for the field of a header is the key of that picture."""
    ME.to_file(tmp_path / "id")
    done = encrypt(PLAIN, [OTHER, ME])
    command = ["age", "-d", "-i", str(tmp_path / "id")]
    run = subprocess.run(command, input=done.header.recipients, capture_output=True, check=True)
    assert run.stdout.decode() == picture_key(ME, done.header).to_text() + "\n"


def test_a_field_that_age_made() -> None:
    """A header whose age file `age` itself wrote restores its picture."""
    result = json.loads(Path("tests/recipes/age-made.json").read_text())
    header = Header.from_bytes(result["header"].encode())
    pixels = np.frombuffer(bytes.fromhex(result["pixels"]), dtype=np.uint8).reshape(header.shape)
    plain = decrypt(pixels, Identity.from_text(result["identity"]), header)
    assert plain.tobytes().hex() == result["plain"]
