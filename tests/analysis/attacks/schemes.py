"""The schemes of this package under one key, as functions for attacks."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from sudokucrypt import Key, encrypt, scramble
from sudokucrypt.recipes.options import EncryptArrayOptions, ScrambleArrayOptions
from sudokucrypt.recipes.protection import Protection, make_protection, protect_image
from sudokucrypt.typing import AnyArray

KEY = Key(bytes(range(32)))


def make_seed(*content: Any) -> int:
    """Return a seed that depends on all of these values, such as bytes and arrays."""
    parts = [one if isinstance(one, bytes) else np.asarray(one).tobytes() for one in content]
    return int.from_bytes(sha256(b"|".join(parts)).digest(), "big")


def scrambling(**options: Any) -> Callable[[AnyArray], AnyArray]:
    """Return `scramble` with these options as a function of an image."""
    return lambda image: scramble(image, KEY, **options).pixels


def encrypting(**options: Any) -> Callable[[AnyArray], AnyArray]:
    """Return `encrypt` with these options as a function of an image."""
    return lambda image: encrypt(image, KEY, **options).pixels


def with_one_salt(protection: Protection) -> Callable[[AnyArray], AnyArray]:
    """Return a protection that always uses the same salt, as if the source of salt were broken."""
    return lambda image: protect_image(image, KEY, replace(protection, salt=bytes(16))).pixels


ONE_MAP = {
    "context": scrambling(context="album"),
    "context, samples": scrambling(context="album", unit="sample"),
    "context, blocks": scrambling(context="album", unit="block", block_size=16),
}
"""Schemes with a fixed context, and so with one map for all images."""

NEW_MAPS = {
    "salted": scrambling(),
    "deterministic": scrambling(deterministic=True),
    "salted, one salt": with_one_salt(make_protection(ScrambleArrayOptions())),
    "salted, samples": scrambling(unit="sample"),
    "salted, blocks": scrambling(unit="block", block_size=16),
    "encrypt": encrypting(),
    "encrypt, deterministic": encrypting(deterministic=True),
    "encrypt, one salt": with_one_salt(make_protection(EncryptArrayOptions())),
}
"""Schemes with a new map for every image."""
