"""Pictures for recipients: only they open them, changes are refused, and pictures are unlinked."""

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

OWNER, OTHER_IDENTITY = Identity(bytes(range(32))), Identity(bytes(32))
HYBRID_IDENTITY = Identity.generate(post_quantum=True)
KEY = Key(bytes(range(32)))
PLAIN = noise(12, 9, 3)
ARRAY_FUNCTIONS: Any = [(scramble, unscramble), (encrypt, decrypt)]


@pytest.mark.parametrize(("protect", "restore"), ARRAY_FUNCTIONS)
@pytest.mark.parametrize("mine", [OWNER, HYBRID_IDENTITY], ids=["X25519", "hybrid"])
def test_only_recipients_open_a_picture(protect: Any, restore: Any, mine: Identity) -> None:
    """An identity, a ring with it and the picture key restore an image for its recipient.

    Other identities do not. A key does only if it protected the image together with the recipient.
    """
    for keys in (mine, mine.recipient, [mine.recipient], (KEY, mine.recipient)):
        result = protect(PLAIN, keys)
        for key in (mine, KeyRing([OTHER_IDENTITY, KEY, mine]), picture_key(mine, result.header)):
            assert np.array_equal(restore(result.pixels, key, result.header), PLAIN)
        with pytest.raises(DecryptionError, match="wrong identity"):
            restore(result.pixels, OTHER_IDENTITY, result.header)
        has_key = isinstance(keys, tuple)
        assert (result.header.key_id == KEY.id) == has_key
        if has_key:
            assert np.array_equal(restore(result.pixels, KEY, result.header), PLAIN)
        else:
            with pytest.raises(DecryptionError, match="or an identity of its recipients"):
                restore(result.pixels, KEY, result.header)


def test_a_passphrase_and_recipients_both_open() -> None:
    """An image for a passphrase and a recipient is restored by each of them."""
    passphrase = Passphrase("a passphrase")
    result = encrypt(PLAIN, [passphrase, OWNER.recipient])
    assert result.header.kdf is not None
    for key in (passphrase, OWNER):
        assert np.array_equal(decrypt(result.pixels, key, result.header), PLAIN)


@pytest.mark.parametrize(
    "keys",
    [
        *([], [KEY, KEY], [[OWNER.recipient]], [None], "age1", [KEY.picture_key(bytes(16)), OWNER]),
        *([KeyRing([KEY]), OWNER], [OWNER.recipient, HYBRID_IDENTITY.recipient]),
    ],
)
def test_invalid_keys_and_recipients(keys: Any) -> None:
    """No key, two keys, nested lists, keys that only restore, and mixed kinds are refused."""
    with pytest.raises(InvalidKeyError):
        encrypt(PLAIN, keys)


def test_unsupported_uses_of_recipients() -> None:
    """Deterministic results, contexts and robust pictures take no recipients.

    Identities do not open pictures without recipients.
    """
    calls: list[Any] = [
        lambda: encrypt(PLAIN, [KEY, OWNER.recipient], deterministic=True),
        lambda: scramble(PLAIN, OWNER.recipient, deterministic=True),
        lambda: scramble(PLAIN, [OWNER.recipient], context="album"),
        lambda: scramble_robust(PLAIN, [OWNER.recipient]),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(InvalidParameterError):
            call()
    result = encrypt(PLAIN, KEY)
    with pytest.raises(DecryptionError, match="the picture has no recipients, and needs key"):
        decrypt(result.pixels, OWNER, result.header)
    with pytest.raises(DecryptionError, match="not a passphrase or an identity"):
        unscramble_robust(scramble_robust(noise(64, 64, 3), KEY).samples, OWNER)


def test_headers_of_recipients() -> None:
    """The field `recipients` is before the salt, has 1 to 65,536 bytes, and needs a salt."""
    header = encrypt(PLAIN, OWNER).header
    names = list(json.loads(header.to_bytes()))
    assert names[names.index("key_id") :] == ["key_id", "recipients", "salt", "tag", "seal"]
    assert Header.from_bytes(header.to_bytes()) == header
    for wrong_names in (b"", bytes(65537)):
        with pytest.raises(SudokucryptError):
            replace(header, recipients=wrong_names)
    with pytest.raises(SudokucryptError):
        replace(header, salt=None, tag=None, header_mac=None)
    complete_header = replace(header, recipients=bytes(65536))
    assert Header.from_bytes(complete_header.to_bytes()) == complete_header


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_changed_recipients_give_one_message(count: int) -> None:
    """If any byte of the field `recipients` is changed, the identity gives the same message."""
    result = encrypt(PLAIN, [OTHER_IDENTITY, OWNER])
    field = result.header.recipients or b""
    rng, messages = np.random.default_rng(1), set()
    for _ in range(count):
        position, mask = int(rng.integers(len(field))), int(rng.integers(1, 256))
        changed = field[:position] + bytes([field[position] ^ mask]) + field[position + 1 :]
        header = Header.from_bytes(replace(result.header, recipients=changed).to_bytes())
        with pytest.raises(DecryptionError) as error_info:
            decrypt(result.pixels, OWNER, header)
        assert error_info.value.__cause__ is None
        messages.add((str(error_info.value), error_info.value.hint))
    assert len(messages) == 1


def test_recipients_of_another_picture_are_refused() -> None:
    """The field `recipients` of another picture opens, but the seal refuses it."""
    first_result, second_result = encrypt(PLAIN, OWNER), encrypt(PLAIN, OWNER)
    swapped = replace(first_result.header, recipients=second_result.header.recipients)
    with pytest.raises(DecryptionError, match="wrong identity, or the header was changed"):
        decrypt(first_result.pixels, OWNER, swapped)


@pytest.mark.parametrize(
    ("mine", "kind"), [(OWNER, b"X25519"), (HYBRID_IDENTITY, b"mlkem768x25519")]
)
def test_two_pictures_to_one_recipient_share_nothing(mine: Identity, kind: bytes) -> None:
    """Two headers for one recipient have no field or 8 bytes in common that identify it."""

    def list_substrings(data: bytes) -> set[bytes]:
        return {data[start : start + 8] for start in range(len(data) - 7)}

    first, second = (json.loads(encrypt(PLAIN, mine.recipient).header.to_bytes()) for _ in range(2))
    equal_fields = [name for name, value in first.items() if second[name] == value]
    assert equal_fields == ["sudokucrypt", "scheme", "unit", "rounds", "shape", "dtype"]
    files = [base64.b64decode(header["recipients"]) for header in (first, second)]
    file_start = b"age-encryption.org/v1\n-> " + kind + b" "
    assert all(file.startswith(file_start) for file in files)
    substrings = [list_substrings(file.removeprefix(file_start)) for file in files]
    assert not substrings[0] & substrings[1]


def test_rekeying_replaces_recipients() -> None:
    """After rekeying, exactly the new keys and recipients open a file."""
    first_result = run_on_bytes(encrypt_file, b"any file", OWNER)
    for_three = run_on_bytes(
        rekey_file, first_result, OWNER, [KEY, OTHER_IDENTITY.recipient, OWNER.recipient]
    )
    for key in (KEY, OTHER_IDENTITY, OWNER):
        assert decrypt_bytes(for_three, key) == b"any file"
    for_one = run_on_bytes(rekey_file, for_three, KEY, OTHER_IDENTITY.recipient)
    assert decrypt_bytes(for_one, OTHER_IDENTITY) == b"any file"
    for key in (KEY, OWNER):
        with pytest.raises(DecryptionError):
            decrypt_bytes(for_one, key)
    without_recipients = run_on_bytes(rekey_file, for_one, OTHER_IDENTITY, KEY)
    assert read_header(io.BytesIO(without_recipients)).recipients is None


@pytest.mark.programs("age")
def test_age_decrypts_the_picture_key(tmp_path: Path) -> None:
    """The program `age` decrypts the field `recipients` of a header to the picture key."""
    OWNER.to_file(tmp_path / "id")
    result = encrypt(PLAIN, [OTHER_IDENTITY, OWNER])
    command = ["age", "-d", "-i", str(tmp_path / "id")]
    run = subprocess.run(command, input=result.header.recipients, capture_output=True, check=True)
    assert run.stdout.decode() == picture_key(OWNER, result.header).to_text() + "\n"


def test_recipients_that_age_wrote() -> None:
    """A picture whose field `recipients` was written by the program `age` is restored."""
    result = json.loads(Path("tests/recipes/age-made.json").read_text())
    header = Header.from_bytes(result["header"].encode())
    pixels = np.frombuffer(bytes.fromhex(result["pixels"]), dtype=np.uint8).reshape(header.shape)
    plain = decrypt(pixels, Identity.from_text(result["identity"]), header)
    assert plain.tobytes().hex() == result["plain"]
