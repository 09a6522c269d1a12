"""Single arrays that are read by a picture key, by any passphrase, or under any context."""

import unicodedata
from collections.abc import Iterator
from typing import Any

from tests.kit.reference import kdf
from tests.kit.reference.frames import Frame
from tests.kit.reference.header import CONTEXT, KEYED
from tests.kit.reference.hkdf import picture_key
from tests.kit.reference.pictures import protect_picture
from tests.vectors.cases_forged import (
    ARGON2ID,
    SALT,
    SCRYPT,
    SECRET,
    TAGGED,
    TEXTS,
    Case,
    case_of,
    draft,
    master_text,
    picture_text,
    plain,
)
from tests.vectors.forge import forged


def _read(name: str, frame: Frame, made: Frame, header: bytes | None, **fields: Any) -> Case:
    return {**case_of(name, made, header, **fields), "plain": frame.data.hex()}


def _picture_keys() -> Iterator[Case]:
    frame = plain("picture keys")
    of_picture = picture_text(picture_key(SECRET, SALT))
    for scheme in TAGGED:
        (made,), written = forged([frame], draft(frame, scheme), key=SECRET)
        yield _read(f"{scheme}: by its picture key", frame, made, written, picture_key=of_picture)
        name = f"{scheme}: by its picture key in lower case"
        yield _read(name, frame, made, written, picture_key=of_picture.lower())
        (made,), written = forged([frame], draft(frame, scheme, key_id="00000000"), key=SECRET)
        name = f"{scheme}: by its picture key, whatever the id"
        yield _read(name, frame, made, written, picture_key=of_picture)
    blocks = draft(frame, KEYED, unit="block", block_size=2)
    (made,), written = forged([frame], blocks, key=SECRET)
    yield _read("blocks by their picture key", frame, made, written, picture_key=of_picture)


def _passphrases() -> Iterator[Case]:
    frame = plain("passphrases")
    for derivation in (SCRYPT, ARGON2ID):
        for text in TEXTS:
            key = kdf.derive(text, derivation)
            header = draft(frame, key=key, kdf=derivation)
            (made,), written = forged([frame], header, key=key)
            name = f"{derivation:.5} of {text!a}"
            yield _read(name, frame, made, written, passphrase=text)
            turned = unicodedata.normalize("NFD", text)
            if turned != text:
                yield _read(f"{name} in form D", frame, made, written, passphrase=turned)
        yield _read(f"{derivation:.5}: the derived key", frame, made, written, key=master_text(key))
        of_picture = picture_text(picture_key(key, SALT))
        name = f"{derivation:.5}: the picture key"
        yield _read(name, frame, made, written, picture_key=of_picture)


def _contexts() -> Iterator[Case]:
    key = master_text(SECRET)
    for shape in ((6, 7), (40,), (6, 7, 3), (7, 6, 1)):
        frame = plain("contexts", shape)
        header = draft(frame, CONTEXT)
        for text in (*TEXTS, "a\0"):
            (made,), written = protect_picture([frame], header, key=SECRET, context=text)
            name = f"{'x'.join(map(str, shape))} under {text!a}"
            yield _read(name, frame, made, written, key=key, context=text)
            turned = unicodedata.normalize("NFD", text)
            name = f"{name} in form D, no header"
            yield _read(name, frame, made, None, key=key, context=turned)
    for unit, size, rounds in (("sample", None, 4), ("block", 2, 4), ("pixel", None, 5)):
        frame = plain("units", (6, 7, 3))
        header = draft(frame, CONTEXT, unit=unit, block_size=size, rounds=rounds)
        (made,), written = protect_picture([frame], header, key=SECRET, context="x")
        yield _read(f"{unit}, {rounds} rounds under x", frame, made, written, key=key, context="x")


def accepted() -> list[Case]:
    """Arrays that every reader restores."""
    makers = (_picture_keys, _passphrases, _contexts)
    return [{**case, "name": f"opened: {case['name']}"} for make in makers for case in make()]
