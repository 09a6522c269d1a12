"""The generators of the vectors for single images, scrambled and encrypted as a whole."""

from typing import Any

from sudokucrypt import Passphrase
from sudokucrypt.keys import MasterKey
from sudokucrypt.recipes.parts import ProtectedImage, Protection, protect_image
from tests.vectors.common import KEY, SALT, Case, bytes_or_digest, little, plain_image, protection

KDF_SALT = bytes(range(16, 32)).hex()
_NO_SALT: Case = {"salt": None}
_DTYPES = ("int8", "int16", "int32", "uint32", "uint64", "float16", "float64")


def _blocks(*shape: int, size: int, dtype: str = "uint8", **more: Any) -> Case:
    return {"shape": list(shape), "dtype": dtype, "unit": "block", "block_size": size, **more}


def _of(*shape: int, dtype: str = "uint8", **more: Any) -> Case:
    return {"shape": list(shape), "dtype": dtype, **more}


_SCRAMBLED: list[Case] = [
    _of(1),
    _of(1, 1, 3, dtype="float64"),
    _of(5, 7, dtype="bool"),
    _of(6, 6),
    _of(8, 9, 3),
    _of(8, 9, 3, unit="sample"),
    _of(8, 9, 3, rounds=1),
    _of(10, 11, dtype="uint16"),
    _of(10, 11, 2, dtype="int64", unit="sample"),
    *(_of(6, 7, dtype=dtype) for dtype in _DTYPES),
    _of(64, 64, 3),
    _of(80, 90, 3, dtype="float32"),
    # Equal images give equal results: units of every kind, one dimension, more than one byte.
    _of(8, 9, 3, **_NO_SALT),
    _of(8, 9, 3, unit="sample", **_NO_SALT),
    _of(40, **_NO_SALT),
    _of(10, 11, dtype="uint16", **_NO_SALT),
    _blocks(26, 31, 3, size=4, **_NO_SALT),
    # Groups: one of them alone, each without another, two of one length, and all three.
    _blocks(40, size=3),
    _blocks(3, 2, 1, size=16),
    _blocks(12, 3, size=4),
    _blocks(9, 1, size=2),
    _blocks(3, 12, size=4),
    _blocks(13, 15, size=2),
    _blocks(13, 13, size=2),
    _blocks(26, 31, 3, size=4),
    _blocks(48, 64, 4, size=8, dtype="uint16", rounds=2),
    _blocks(70, 71, size=1),
    # A small group at the edge decides how often the large one beside it is moved.
    _blocks(129, 130, size=2),
    # Chunks of 1048576 bytes: one sample less than one, one, one sample more, two.
    _blocks(131071, size=65535, dtype="uint64"),
    _blocks(256, 512, size=128, dtype="uint64"),
    _blocks(131073, size=65535, dtype="float64"),
    _blocks(512, 512, size=128, dtype="int64"),
]

_TEXTS = ("e\u0301", " spaces around ", "\ufb01le \u00b2 \u212b", "a\0b", "\U0001f9e9")
_CONTEXTS: list[Case] = [
    _of(12, 13, 3), _of(12, 13, 3, unit="sample"), _of(12, 13, 3, rounds=1),
    _of(12, 13, 3, rounds=5),
    *(_of(*shape) for shape in ((40,), (1, 40), (1, 40, 1), (5, 8), (8, 5), (40, 1))),
    *(_of(*shape) for shape in ((6, 7), (6, 7, 1), (6, 7, 2))),
    _blocks(13, 14, size=2, dtype="int32"), _blocks(14, 13, size=2, dtype="int32"),
    _blocks(26, 31, 3, size=4), _blocks(40, size=3), *(_of(6, 7, context=text) for text in _TEXTS),
]  # fmt: skip


_OPTIONS = ("unit", "block_size", "rounds", "context", "salt")


def images() -> list[Case]:
    """Whole scrambled images with their headers."""
    contexts: list[Case] = [{"context": "caf\u00e9", **_NO_SALT, **case} for case in _CONTEXTS]
    cases = []
    for number, options in enumerate([*_SCRAMBLED, *contexts]):
        case: Case = {"label": f"image {number}", "unit": "pixel", "block_size": None}
        case |= {"rounds": None, "context": None, "salt": SALT.hex()} | options
        how = protection("scramble-v1", **{name: case[name] for name in _OPTIONS})
        cases.append(_finished(case, how, KEY, "scrambled"))
    return cases


_ENCRYPTED: list[Case] = [
    _of(1), _of(1, dtype="bool"), _of(1, 1, 3, dtype="float64"), _of(40), _of(40, dtype="bool"),
    _of(8, 9, 3), _of(8, 9, 3, **_NO_SALT), _of(8, 9, 3, dtype="bool", rounds=1),
    _of(8, 9, 3, dtype="uint16", rounds=5), _of(8, 9, 3, dtype="float32"),
    _of(6, 6, dtype="int64", rounds=255, **_NO_SALT), _of(10, 11, 2, dtype="float16"),
    _of(64, 64, 3), _of(64, 64, 3, dtype="uint16", **_NO_SALT), _of(9, 9, dtype="bool", **_NO_SALT),
    _of(35, 1), _of(1, 35),
]  # fmt: skip

_ANGSTROM = "\u00c5ngstr\u00f6m"
_PASSPHRASES: list[tuple[str, str, Case]] = [
    (_ANGSTROM, "argon2id:m=32,t=1,p=1", _of(8, 9, 3)),
    (_ANGSTROM, "scrypt:m=16,t=1,p=1", _of(8, 9, 3)),
    (_ANGSTROM, "argon2id:m=33,t=2,p=2", _of(5, 7, dtype="int16")),
    (_ANGSTROM, "argon2id:m=31,t=3,p=3", _of(6, 7)),
    (" spaces ", "argon2id:m=8,t=1,p=1", _of(6, 7)),
    (" spaces ", "scrypt:m=2,t=1,p=1", _of(6, 7)),
    ("\ufb01le \u00b2", "argon2id:m=8,t=1,p=1", _of(6, 7)),
    ("\ufb01le \u00b2", "scrypt:m=64,t=1,p=3", _of(6, 7)),
    ("A\u030angstro\u0308m", "scrypt:m=16,t=1,p=1", _of(6, 7)),
    ("\U0001f9e9\n\t", "scrypt:m=16,t=1,p=1", _of(6, 7)),
]


def encryptions() -> list[Case]:
    """Whole encrypted images with their headers, under keys and under passphrases."""
    none: Case = {"passphrase": None, "kdf": None}
    wanted: list[tuple[Case, Case]] = [(none, options) for options in _ENCRYPTED]
    wanted += [
        ({"passphrase": passphrase, "kdf": f"{kdf}:{KDF_SALT}"}, options)
        for passphrase, kdf, options in _PASSPHRASES
    ]
    cases = []
    for number, (secret, options) in enumerate(wanted):
        case: Case = {"label": f"encryption {number}", "rounds": None, "salt": SALT.hex()}
        case |= {**secret, **options}
        kdf = case["kdf"]
        how = protection(rounds=case["rounds"], salt=case["salt"], kdf=kdf)
        key = KEY if kdf is None else Passphrase(case["passphrase"])
        cases.append(_finished(case, how, key, "encrypted"))
    return cases


def _finished(case: Case, how: Protection, key: MasterKey, name: str) -> Case:
    """Return a case with what came of it."""
    image = plain_image(case["label"], case["shape"], case["dtype"])
    result = protect_image(image, key, how)
    case["plain"] = bytes_or_digest(little(image))
    case["picture_key"] = _picture_key(result, how, key)
    case["header"] = result.header.to_bytes().decode()
    case[name] = bytes_or_digest(little(result.pixels))
    return case


def _picture_key(result: ProtectedImage, how: Protection, key: MasterKey) -> str | None:
    """Return the key of the picture alone, from which a reader can go on."""
    if result.header.salt is None:
        return None
    if isinstance(key, Passphrase):
        assert how.derivation is not None
        key = how.derivation.derive(key)
    return key.for_picture(result.header).to_bytes().hex()
