"""The generator of the vectors for keys: their texts, ids and every subkey of section 1."""

from collections.abc import Iterator

from sudokucrypt import Key, PictureKey
from sudokucrypt.keys.secret import derive
from tests.vectors.common import SALT, Case

_TAG = bytes(range(64, 96))
_INFO = (
    b"".join(number.to_bytes(8, "little") for number in (6, 7, 1, 2, 8))
    + b"block\0"
    + "caf\u00e9".encode()
)

# Level, use without its level, contexts: none, of no bytes, of zero bytes, of 16 bytes and more.
_USES: list[tuple[str, str, list[bytes | None]]] = [
    ("master", "id", [None]), ("master", "salt", [None]),
    ("master", "picture", [bytes(16), b"\xff" * 16]),
    ("master", "map", [b"", b"\0", b"nonce", b"\0\0", bytes(range(32))]),
    ("master", "context", [_INFO]), ("master", "context/right", [_INFO]),
    ("master", "context/bottom", [_INFO]), ("master", "context/frame/1", [_INFO]),
    ("master", "context/bottom/frame/10", [_INFO]), ("picture", "tag", [None]),
    ("picture", "seal", [None]), ("picture", "extras", [_TAG]),
    ("picture", "permutation", [_TAG, bytes(32)]), ("picture", "permutation/right", [_TAG]),
    ("picture", "permutation/bottom", [_TAG]), ("picture", "keystream", [_TAG]),
    ("picture", "permutation/frame/1", [_TAG]), ("picture", "permutation/right/frame/12", [_TAG]),
    ("picture", "keystream/frame/11", [_TAG]),
]  # fmt: skip


def keys() -> list[Case]:
    """Texts and ids of keys, picture keys, and subkeys for every use."""
    secrets = [bytes(32), bytes(range(32)), b"\xff" * 32, bytes(range(0, 256, 8))]
    salts = [bytes(16), SALT, b"\xff" * 16, bytes(range(240, 256))]
    cases = []
    for secret, salt in zip(secrets, salts, strict=True):
        key = Key(secret)
        picture_key = key.picture_key(salt)
        case: Case = {"secret": secret.hex(), "text": key.to_text(), "id": key.id}
        case["picture_text"] = PictureKey(secret).to_text()
        case |= {"salt": salt.hex(), "picture_key": picture_key.to_bytes().hex()}
        case["subkeys"] = list(_subkeys(key, picture_key))
        cases.append(case)
    return cases


def _subkeys(key: Key, picture_key: PictureKey) -> Iterator[Case]:
    for level, use, contexts in _USES:
        source = key if level == "master" else picture_key
        for context in contexts:
            length = 4 if use == "id" else 32
            subkey = source.subkey(use, context, length=length)
            yield _subkey(level, f"{level}/{use}", context, subkey)
    # The key that a passphrase gives has this one use, which no level stands in front of.
    yield _subkey("passphrase", "lock", None, derive(key.to_bytes(), "lock"))


def _subkey(level: str, use: str, context: bytes | None, subkey: bytes) -> Case:
    shown = None if context is None else context.hex()
    return {"level": level, "use": use, "context": shown, "subkey": subkey.hex()}
