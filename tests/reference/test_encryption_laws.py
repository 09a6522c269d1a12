"""Laws that encryption, passphrases and locked key files keep in the reference program."""

import random
from math import prod

import pytest

from tests.reference import RefusedError, aead, argon2, bech32, kdf, locked
from tests.reference import header as headers
from tests.reference.header import SAMPLE_BYTES
from tests.reference.hkdf import key_id
from tests.reference.scheme import (
    encrypt_bytes,
    key_from_passphrase,
    protect_bytes,
    restore_bytes,
)
from tests.reference.tags import mask

KEY = bytes(range(32))
SALT = bytes(range(16))
PASSPHRASE = "Ångström, twice"  # noqa: S105 - it protects nothing
ARGON2ID = f"argon2id:m=8,t=1,p=1:{SALT.hex()}"
SCRYPT = f"scrypt:m=16,t=1,p=1:{SALT.hex()}"
SHAPES = [(1,), (1, 1, 3), (40,), (7, 5, 3), (13, 31)]


def image(shape: tuple[int, ...], dtype: str, seed: int) -> bytes:
    data = random.Random(seed).randbytes(prod(shape) * SAMPLE_BYTES[dtype])  # noqa: S311 - seeded
    return bytes(byte & 1 for byte in data) if dtype == "bool" else data


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_restore(shape: tuple[int, ...], dtype: str) -> None:
    """decrypt(encrypt(x)) == x, and the header is read and written again."""
    plain = image(shape, dtype, seed=1)
    encrypted, header = encrypt_bytes(plain, shape=shape, dtype=dtype, rounds=2, key=KEY)
    assert headers.write(headers.read(header)) == header
    assert len(encrypted) == len(plain)
    assert dtype != "bool" or set(encrypted) <= {0, 1}
    assert restore_bytes(encrypted, header, shape=shape, dtype=dtype, key=KEY) == plain


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
def test_mask_undoes_itself(bits: int) -> None:
    """mask(mask(x)) == x, another subkey gives another mask, and higher bits stay."""
    data = image((40,), "uint8", seed=2)
    masked = mask(data, KEY, bits=bits)
    assert mask(masked, KEY, bits=bits) == data != masked
    assert mask(data, KEY[::-1], bits=bits) != masked
    assert all((a ^ b) >> bits == 0 for a, b in zip(data, masked, strict=True))


def test_every_flip_is_refused() -> None:
    """A flipped bit in the encrypted image is refused."""
    plain = image((8, 5), "uint8", seed=3)
    encrypted, header = encrypt_bytes(plain, shape=(8, 5), dtype="uint8", rounds=1, key=KEY)
    for place in range(len(encrypted)):
        altered = bytearray(encrypted)
        altered[place] ^= 0x80
        with pytest.raises(RefusedError, match="altered"):
            restore_bytes(bytes(altered), header, shape=(8, 5), dtype="uint8", key=KEY)


@pytest.mark.parametrize("derivation", [ARGON2ID, SCRYPT])
@pytest.mark.parametrize("scheme", ["scramble-v1", "encrypt-v1"])
def test_passphrase(derivation: str, scheme: str) -> None:
    """A picture is restored with its passphrase in either form, and with no other."""
    key = kdf.derive(PASSPHRASE, derivation)
    header = headers.Header(
        scheme=scheme,
        unit="pixel",
        rounds=2,
        shape=(6, 7),
        dtype="uint8",
        key_id=key_id(key),
        kdf=derivation,
        salt=SALT.hex(),
    )
    plain = image((6, 7), "uint8", seed=4)
    made, written = protect_bytes(plain, header, key=key)
    again = key_from_passphrase(written, "A\u030angstro\u0308m, twice")
    assert again == key
    assert restore_bytes(made, written, shape=(6, 7), dtype="uint8", key=again) == plain
    other = key_from_passphrase(written, PASSPHRASE + " ")
    with pytest.raises(RefusedError, match="another key"):
        restore_bytes(made, written, shape=(6, 7), dtype="uint8", key=other)


def test_passphrase_without_derivation_is_refused() -> None:
    """A passphrase is refused where the header has no derivation, and so is an empty one."""
    _, header = encrypt_bytes(bytes(6), shape=(6,), dtype="uint8", rounds=1, key=KEY)
    with pytest.raises(RefusedError, match="without a key derivation"):
        key_from_passphrase(header, PASSPHRASE)
    for wrong in ("", "\ud800"):
        with pytest.raises(RefusedError, match="passphrase"):
            kdf.derive(wrong, ARGON2ID)


@pytest.mark.parametrize("numbers", [(8, 1, 1), (16, 2, 2), (33, 1, 3), (64, 3, 1)])
def test_argon2id_depends_on_every_input(numbers: tuple[int, int, int]) -> None:
    """Another password, salt, number or length gives another tag."""
    memory, passes, parallel = numbers

    def tag(
        password: bytes = b"a", salt: bytes = SALT, more: int = 0, turns: int = 0, length: int = 32
    ) -> bytes:
        return argon2.argon2id(
            password,
            salt=salt,
            memory=memory + more,
            passes=passes + turns,
            parallel=parallel,
            length=length,
        )

    tags = [tag(), tag(b"b"), tag(salt=bytes(16)), tag(more=1), tag(turns=1), tag(length=100)]
    assert len({made[:32] for made in tags}) == len(tags)
    assert [len(made) for made in tags] == [32] * 5 + [100]


@pytest.mark.parametrize(
    "head",
    [
        "argon2id:m=7,t=1,p=1",
        "argon2id:m=15,t=1,p=2",
        "argon2id:m=4194305,t=1,p=1",
        "argon2id:m=8,t=65,p=1",
        "argon2id:m=1024,t=1,p=65",
        "argon2id:m=8,t=0,p=1",
        "argon2id:m=8,t=1,p=0",
        "argon2id:m=08,t=1,p=1",
        "argon2id:t=1,m=8,p=1",
        "argon2id:m=8,t=1",
        "argon2i:m=8,t=1,p=1",
        "scrypt:m=1,t=1,p=1",
        "scrypt:m=0,t=1,p=1",
        "scrypt:m=24,t=1,p=1",
        "scrypt:m=16,t=2,p=1",
        "scrypt:m=16,t=1,p=65",
        "scrypt:m=8388608,t=1,p=1",
        "scrypt:m=16,r=8,p=1",
    ],
)
def test_derivation_refused(head: str) -> None:
    """A derivation that a reader of headers accepts is refused outside of form and limits."""
    text = f"{head}:{SALT.hex()}"
    assert kdf.is_readable(text)
    with pytest.raises(RefusedError, match="key derivation"):
        kdf.parse(text)


@pytest.mark.parametrize("old_new", [("argon2id", "Argon2id"), (":0001", ":00"), ("0e0f", "0E0F")])
def test_derivation_not_readable(old_new: tuple[str, str]) -> None:
    """Another form than a reader of headers accepts is refused."""
    text = ARGON2ID.replace(*old_new)
    assert kdf.is_readable(ARGON2ID)
    assert not any(map(kdf.is_readable, (text, ARGON2ID + "\n", f" {ARGON2ID}", "", None)))
    with pytest.raises(RefusedError, match="key derivation"):
        kdf.parse(text)


def test_kdf_needs_a_salt_and_a_key() -> None:
    """A picture with a derivation has a salt that was drawn, and no context."""
    with pytest.raises(RefusedError, match="deterministic salt"):
        encrypt_bytes(bytes(6), shape=(6,), dtype="uint8", rounds=1, key=KEY, kdf=ARGON2ID)
    with pytest.raises(RefusedError, match="without use"):
        headers.Header(
            scheme="scramble-context-v1",
            unit="pixel",
            rounds=1,
            shape=(6,),
            dtype="uint8",
            key_id=key_id(KEY),
            kdf=ARGON2ID,
        )


def test_encryption_takes_pixels_only() -> None:
    """encrypt-v1 with another unit is refused."""
    _, header = encrypt_bytes(bytes(6), shape=(6,), dtype="uint8", rounds=1, key=KEY)
    with pytest.raises(RefusedError, match="another unit"):
        headers.read(header.replace(b'"pixel"', b'"sample"'))


@pytest.mark.parametrize("length", [0, 1, 16, 63, 64, 65, 200])
def test_seal(length: int) -> None:
    """unseal(seal(x)) == x, and a flipped bit or other associated data is refused."""
    plain, nonce = bytes(length), bytes(12)
    sealed = aead.seal(plain, key=KEY, nonce=nonce, associated=b"line")
    assert aead.unseal(sealed, key=KEY, nonce=nonce, associated=b"line") == plain
    with pytest.raises(RefusedError, match="altered"):
        aead.unseal(sealed, key=KEY, nonce=nonce, associated=b"lines")
    for place in range(len(sealed)):
        altered = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        with pytest.raises(RefusedError, match="altered"):
            aead.unseal(altered, key=KEY, nonce=nonce, associated=b"line")


@pytest.mark.parametrize("derivation", [ARGON2ID, SCRYPT])
def test_locked_key_file(derivation: str) -> None:
    """unlock(lock(key)) == key, among empty lines and remarks; it is no plain key file."""
    content = locked.lock(KEY, PASSPHRASE, derivation)
    assert locked.unlock(content, PASSPHRASE) == KEY
    noisy = b"\xef\xbb\xbf# locked\r\n\n" + content.replace(b"\n", b" \r\n\t")
    assert locked.unlock(noisy, PASSPHRASE) == KEY
    with pytest.raises(RefusedError, match="wrong passphrase"):
        locked.unlock(content, PASSPHRASE.upper())
    with pytest.raises(RefusedError, match="exactly one key"):
        bech32.key_from_file(content)
    with pytest.raises(RefusedError, match="a derivation and a locked key"):
        locked.unlock(bech32.key_text(KEY).encode(), PASSPHRASE)


def test_locked_key_line_is_authenticated() -> None:
    """The derivation of the first line is associated data: another salt is refused."""
    content = locked.lock(KEY, PASSPHRASE, SCRYPT)
    with pytest.raises(RefusedError, match="altered"):
        locked.unlock(content.replace(b"t=1,p=1:00", b"t=1,p=1:01"), PASSPHRASE)
    plain = f"{SCRYPT}\n{bech32.key_text(KEY)}\n".encode()
    with pytest.raises(RefusedError, match="not of a locked key"):
        locked.unlock(plain, PASSPHRASE)
