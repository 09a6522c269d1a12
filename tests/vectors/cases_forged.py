"""Single arrays that are read or refused for one reason alone, which an edited header cannot have.

See `tests.vectors.forge`: tag, masks and seal fit whatever is wrong.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any

from tests.kit.reference import bech32, kdf
from tests.kit.reference import header as headers
from tests.kit.reference.argon2 import argon2id
from tests.kit.reference.frames import Frame
from tests.kit.reference.header import CONTEXT, ENCRYPT, KEYED, SAMPLE_BYTES, Header
from tests.kit.reference.hkdf import key_id, picture_key
from tests.kit.reference.pictures import protect_picture
from tests.kit.reference.units import default_rounds
from tests.vectors.forge import forged, forged_context

Case = dict[str, Any]
SECRET = bytes(range(32))
OTHER = bytes(range(1, 33))
SALT = bytes(range(16))
KDF_SALT = bytes(range(16, 32))
SCRYPT = f"scrypt:m=16,t=1,p=1:{KDF_SALT.hex()}"
ARGON2ID = f"argon2id:m=8,t=1,p=1:{KDF_SALT.hex()}"
TAGGED = (ENCRYPT, KEYED)
BITS = (0, 32, 128, 255)
SIDES = (6, 7)
ROUNDS = default_rounds([6 * 7])

# Texts whose forms NFC and NFKC, or with and without white space around, are not the same.
TEXTS = ("\u00c5ngstr\u00f6m", " spaces around \t", "\ufb01le \u00b2 \u212b", "\U0001f9e9 x")


def plain(label: str, shape: tuple[int, ...] = SIDES, dtype: str = "uint8") -> Frame:
    """Return a frame of samples that look random, the same ones for the same label."""
    data = hashlib.shake_256(label.encode()).digest(prod(shape) * SAMPLE_BYTES[dtype])
    if dtype == "bool":
        data = bytes(byte & 1 for byte in data)
    return Frame(shape=shape, dtype=dtype, data=data)


def draft(frame: Frame, scheme: str = ENCRYPT, *, key: bytes = SECRET, **fields: Any) -> Header:
    """Return the header of a frame without tag and seal."""
    salt = None if scheme == CONTEXT else SALT.hex()
    given: dict[str, Any] = {"unit": "pixel", "rounds": ROUNDS, "salt": salt, "key_id": key_id(key)}
    return Header(scheme=scheme, shape=frame.shape, dtype=frame.dtype, **{**given, **fields})


def master_text(key: bytes) -> str:
    """Return the text of a master key."""
    return bech32.key_text(key)


def picture_text(key: bytes) -> str:
    """Return the text of a picture key."""
    return bech32.key_text(key, prefix=bech32.PICTURE_KEY_PREFIX)


def case_of(name: str, made: Frame, header: bytes | None, **fields: Any) -> Case:
    """Return a case of one array at hand, without a key unless one is given."""
    return {
        "name": name, "what": "picture",
        "header": None if header is None else header.decode("ascii"), "shape": list(made.shape),
        "dtype": made.dtype, "pixels": made.data.hex(), "key": None, "passphrase": None,
        "picture_key": None, "context": None, **fields,
    }  # fmt: skip


def _one(frame: Frame, header: Header, **options: Any) -> tuple[Frame, bytes]:
    """Forge a picture of one frame, under the secret key unless another is given."""
    (made,), written = forged([frame], header, **{"key": SECRET, **options})
    return made, written


def _raw(secret: bytes, derivation: str) -> bytes:
    """Derive a key from any bytes, be they those of no passphrase."""
    d = kdf.parse(derivation)
    if d.function == kdf.SCRYPT:
        return hashlib.scrypt(secret, salt=d.salt, n=d.memory, r=8, p=d.parallel, dklen=32)
    return argon2id(
        secret, salt=d.salt, length=32, memory=d.memory, passes=d.passes, parallel=d.parallel
    )


def _tags() -> Iterator[Case]:
    of_picture = picture_text(picture_key(SECRET, SALT))
    for scheme in TAGGED:
        frame = plain("tags")
        header = draft(frame, scheme)
        for bit in BITS:
            made, written = _one(frame, header, flipped=bit)
            yield case_of(f"{scheme}: bit {bit} of the tag", made, written, key=master_text(SECRET))
            name = f"{scheme}: bit {bit} of the tag, by the picture key"
            yield case_of(name, made, written, picture_key=of_picture)
            made, written = _one(frame, header)
            seal = bytearray.fromhex(headers.read(written).seal or "")
            seal[bit // 8] ^= 1 << bit % 8
            changed = headers.write(replace(headers.read(written), seal=seal.hex()))
            name = f"{scheme}: bit {bit} of the seal"
            yield case_of(name, made, changed, key=master_text(SECRET))
        tagged = replace(header, rounds=7)
        made, written = _one(frame, header, tagged=tagged)
        yield case_of(f"{scheme}: other rounds tagged", made, written, key=master_text(SECRET))
        made, written = _one(frame, header)
        other = _one(plain("another picture"), header)[1]
        stolen = replace(headers.read(written), seal=headers.read(other).seal)
        changed = headers.write(stolen)
        yield case_of(f"{scheme}: another's seal", made, changed, key=master_text(SECRET))


def _keys() -> Iterator[Case]:
    frame = plain("keys")
    for scheme in TAGGED:
        made, written = _one(frame, draft(frame, scheme))
        for name, key in {
            "another salt": picture_key(SECRET, SALT[::-1]),
            "another master key": picture_key(OTHER, SALT),
            "the master key": SECRET,
        }.items():
            what = f"{scheme}: a picture key of {name}"
            yield case_of(what, made, written, picture_key=picture_text(key))
        of_picture = picture_key(SECRET, SALT)
        fitting = draft(frame, scheme, key=of_picture)
        made, written = _one(frame, fitting)
        name = f"{scheme}: a picture key as master key"
        yield case_of(name, made, written, key=master_text(of_picture))
        for wrong in ("00000000", key_id(SECRET)[:4] + "0000", "0000" + key_id(SECRET)[4:]):
            made, written = _one(frame, draft(frame, scheme, key_id=wrong))
            yield case_of(f"{scheme}: id {wrong}", made, written, key=master_text(SECRET))
    made, written = _one(frame, draft(frame))
    yield case_of("no derivation", made, written, passphrase=TEXTS[0])
    for derivation in (SCRYPT, ARGON2ID):
        key = kdf.derive(TEXTS[0], derivation)
        fields: dict[str, Any] = {"key": key, "kdf": derivation}
        made, written = _one(frame, draft(frame, **fields), key=key)
        yield case_of(f"{derivation:.5}: another key", made, written, key=master_text(OTHER))
        header = draft(frame, **fields, key_id="00000000")
        made, written = _one(frame, header, key=key)
        yield case_of(f"{derivation:.5}: another id", made, written, passphrase=TEXTS[0])


def _passphrases() -> Iterator[Case]:
    frame = plain("passphrases")
    wrong = [("", b""), ("x\ud83e", b"x\xed\xa0\xbe"), ("x\ud83e", b"x"), ("x\ud83e", b"x?"),
             ("\udfff", b"\xed\xbf\xbf"), (TEXTS[2], b"file 2 \xc3\x85"),
             (TEXTS[2], TEXTS[2].encode()), (TEXTS[1], TEXTS[1].strip().encode()),
             (TEXTS[0], TEXTS[0].lower().encode()), ("A\u030a", b"A\xcc\x8a"),
             ("\0", b"\0"), ("x\0", b"x\0"), ("x\0", b"x"), ("x\0y", b"x\0y")]  # fmt: skip
    for derivation, cases in ((SCRYPT, wrong), (ARGON2ID, wrong[:2])):
        for text, secret in cases:
            key = _raw(secret, derivation)
            made, written = _one(frame, draft(frame, key=key, kdf=derivation), key=key)
            name = f"{derivation:.5}: {text!a} under {secret.hex() or 'nothing'}"
            yield case_of(name, made, written, passphrase=text)


def _contexts() -> Iterator[Case]:
    frame = plain("contexts")
    header = draft(frame, CONTEXT)
    for text, secret in [("", b""), ("x\ud83e", b"x\xed\xa0\xbe"), ("x\ud83e", b"x"),
                         ("x\ud83e", b"x?")]:  # fmt: skip
        (made,), written = forged_context([frame], header, key=SECRET, text=secret)
        fields = {"key": master_text(SECRET), "context": text}
        name = f"context {text!a} under {secret.hex() or 'nothing'}"
        yield case_of(name, made, written, **fields)
        yield case_of(f"{name}, no header", made, None, **fields)
    (made,), written = protect_picture([frame], header, key=SECRET, context="x")
    of_picture, master = picture_text(SECRET), master_text(SECRET)
    for name, fields in {
        "no context": {"key": master},
        "a context and a picture key": {"picture_key": of_picture, "context": "x"},
        "a context and a passphrase": {"passphrase": "x", "context": "x"},
        "a context and two keys": {"key": master, "picture_key": of_picture, "context": "x"},
        "a context, a key and a passphrase": {"key": master, "passphrase": "x", "context": "x"},
        "another key under a context": {"key": master_text(OTHER), "context": "x"},
    }.items():
        yield case_of(name, made, written, **fields)
    for name, fields in {
        "neither header nor context": {"key": master},
        "no header and a picture key": {"picture_key": of_picture, "context": "x"},
        "no header and a passphrase": {"passphrase": "x", "context": "x"},
    }.items():
        yield case_of(name, made, None, **fields)
    for scheme in TAGGED:
        made, written = _one(frame, draft(frame, scheme))
        fields = {"key": master, "context": "x"}
        yield case_of(f"{scheme}: a context", made, written, **fields)


def _at_hand() -> Iterator[Case]:
    """Return arrays of other shapes or types, of which every byte is right."""
    for scheme in (*TAGGED, CONTEXT):
        context = "x" if scheme == CONTEXT else None
        frame = plain("at hand")
        header = draft(frame, scheme)
        (made,), written = protect_picture([frame], header, key=SECRET, context=context)
        for shape in ((7, 6), (42,), (6, 7, 1), (1, 42), (2, 21)):
            name = f"{scheme}: {'x'.join(map(str, shape))} at hand"
            other = replace(made, shape=shape)
            yield case_of(name, other, written, key=master_text(SECRET), context=context)
        other = replace(made, dtype="int8")
        yield case_of(f"{scheme}: int8 at hand", other, written, key=master_text(SECRET),
                      context=context)  # fmt: skip
    two = Frame(shape=SIDES, dtype="uint8", data=bytes([2] * 42), bits=1)
    for scheme in TAGGED:
        made, written = _one(two, replace(draft(two, scheme), dtype="bool"))
        name = f"{scheme}: booleans of 2"
        yield case_of(name, replace(made, dtype="bool"), written, key=master_text(SECRET))


def rejected() -> list[Case]:
    """Arrays that are refused for one reason alone."""
    layers = {
        "tag": _tags, "key": _keys, "passphrase": _passphrases, "context": _contexts,
        "shape": _at_hand,
    }  # fmt: skip
    return [
        {**case, "name": f"forged {layer}: {case['name']}", "layer": layer}
        for layer, make in layers.items()
        for case in make()
    ]
