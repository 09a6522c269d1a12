"""Our own schemes as attacks see them: callables under one key."""

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
    """Return a seed that depends on all of these, bytes and arrays among them."""
    parts = [one if isinstance(one, bytes) else np.asarray(one).tobytes() for one in content]
    return int.from_bytes(sha256(b"|".join(parts)).digest(), "big")


def scrambling(**options: Any) -> Callable[[AnyArray], AnyArray]:
    """Return `scramble` under the options."""
    return lambda image: scramble(image, KEY, **options).pixels


def encrypting(**options: Any) -> Callable[[AnyArray], AnyArray]:
    """Return `encrypt` under the options."""
    return lambda image: encrypt(image, KEY, **options).pixels


def with_one_salt(protection: Protection) -> Callable[[AnyArray], AnyArray]:
    """Return a scheme as it is if the source of salt is broken."""
    return lambda image: protect_image(image, KEY, replace(protection, salt=bytes(16))).pixels


ONE_MAP = {
    "context": scrambling(context="album"),
    "context, samples": scrambling(context="album", unit="sample"),
    "context, blocks": scrambling(context="album", unit="block", block_size=16),
}
"""Scrambled under a fixed context: one map for all images."""

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
"""A map of its own for every image."""
