"""Passphrases, and the keys that are derived from them by a memory-hard function."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, NoReturn, TypeAlias
from weakref import WeakKeyDictionary

from sudokucrypt.errors import (
    FormatError,
    InvalidKeyError,
    InvalidParameterError,
    MissingKeyError,
    UnsupportedError,
    format_reason,
)
from sudokucrypt.keys.key import KEY_LENGTH, SALT_LENGTH, Key
from sudokucrypt.lazy import SuggestingType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.keys.identity import Identity, Recipient
    from sudokucrypt.keys.key import PictureKey
    from sudokucrypt.keys.ring import KeyRing

_RETRY_HINT = "check capitals, spaces and the keyboard layout; see docs/howto/lost.md"

# White space that people and programs type between words.
_SPACES = re.compile("[ \\t\\r\\n\u00a0\u2000-\u200a\u202f\u3000]+")

# The maximum size of a passphrase file in bytes, longer than any text that a person types.
_MAX_FILE_BYTES = 64 * 1024

# Largest parameters in the text form of a derivation; all supported libraries take them.
_MAX_MEMORY = 1 << 22  # KiB, that is 4 GiB
_MAX_ITERATIONS = 64
_MAX_LANES = 64

# Largest costs that a header of unknown origin may ask for; docs/spec/encryption-v1.md has the same
# numbers.
_AFFORDABLE_MEMORY = 7 << 17  # KiB, so that the whole program stays within 1 GiB
_AFFORDABLE_WORK = 1 << 22  # KiB times passes of Argon2id, whose lanes share the work
# Each lane may become a thread of the library.
_AFFORDABLE_LANES = 16
_AFFORDABLE_SCRYPT_WORK = 1 << 20  # N times p of scrypt, whose lanes run one after the other

# Derived keys are remembered as long as their passphrase exists. One derivation runs at a time:
# several would add up their memory, and threads that wait for the same key derive it only once.
_DERIVED_KEYS: WeakKeyDictionary[Passphrase, dict[KeyDerivation, Key]] = WeakKeyDictionary()
# The maximum number of keys that are remembered for a passphrase, as a folder may have many salts.
_MAX_REMEMBERED_KEYS = 64
_DERIVATION_LOCK = Lock()


def _renew_lock() -> None:
    """Give a forked child its own lock, since no thread there would release a locked one."""
    global _DERIVATION_LOCK  # noqa: PLW0603 - it is the lock of the whole process
    _DERIVATION_LOCK = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)


@cache
def list_words() -> tuple[str, ...]:
    """Return the 1,296 words for random passphrases, which are easy to tell apart."""
    from importlib.resources import files  # imported here, since most runs need no words

    lines = files("sudokucrypt.keys").joinpath("words.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


class Passphrase(metaclass=SuggestingType):
    """A secret text that only its owner knows; `repr` does not reveal it.

    Deriving a key takes about a second, so an object uses one key for all that it protects, and
    remembers the last 64 keys that were derived from it.

    Raises `InvalidKeyError` if it is not a text, is empty, contains a zero character, or is not
    valid Unicode. Texts are compared after Unicode normalization (NFC).
    """

    __slots__ = ("__weakref__", "_derivation", "_normal_passphrase", "_text", "budget")

    CONSTRUCTION_HINT = "Passphrase('some words') takes the words, and from_file reads them"

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidKeyError(f"a passphrase is text, not {type(text).__name__}")
        try:
            # Systems and keyboards encode the same word as different code points.
            self._text = unicodedata.normalize("NFC", text).encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidKeyError("the passphrase is not valid Unicode text") from None
        if not self._text:
            raise InvalidKeyError("the passphrase is empty")
        if b"\0" in self._text:
            # HMAC pads its key with zeros, so scrypt would ignore zeros at the end of a text.
            raise InvalidKeyError("the passphrase holds a zero character")
        self._derivation: KeyDerivation | None = None
        self._normal_passphrase: Passphrase | None = None
        self.budget: DerivationBudget | None = None
        """The limit for costly derivations of a run; None limits only each single derivation."""

    @property
    def derivation(self) -> KeyDerivation:
        """The derivation of the key for this passphrase, whose salt is drawn only once."""
        with _DERIVATION_LOCK:  # two threads must not draw two salts
            self._derivation = self._derivation or KeyDerivation.new()
            return self._derivation

    @classmethod
    def from_bytes(cls, data: bytes) -> Passphrase:
        """Read a passphrase from UTF-8 text, without the line end after it."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            hint = "save the file as UTF-8"
            raise InvalidKeyError("the passphrase is not UTF-8 text", hint=hint) from None
        return cls(text.removesuffix("\n").removesuffix("\r"))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Passphrase:
        """Read a file that contains only the passphrase.

        Raises `InvalidKeyError` if the file cannot be read, is empty or not UTF-8 text.
        """
        from sudokucrypt.storage import read_limited_file

        try:
            return cls.from_bytes(read_limited_file(Path(path), _MAX_FILE_BYTES))
        except OSError as error:
            reason = format_reason(error)
            is_missing = isinstance(error, FileNotFoundError)
            kind = MissingKeyError if is_missing else InvalidKeyError
            raise kind(f"cannot read the passphrase file '{path}': {reason}") from None

    def to_bytes(self) -> bytes:
        """Return the normalized text as UTF-8."""
        return self._text

    def iterate_spellings(self) -> Iterator[Passphrase]:
        """Yield this passphrase and, if it consists of listed words, also its normal spelling.

        A person who was told six words may type them with capitals, or with other spaces.
        """
        yield self
        text = self._text.decode("utf-8")
        words = [word for word in _SPACES.split(text.lower()) if word]
        normal_text = " ".join(words)
        if words and normal_text != text and set(list_words()).issuperset(words):
            # Yield the same object each time, since derived keys are remembered for each object.
            self._normal_passphrase = self._normal_passphrase or Passphrase(normal_text)
            yield self._normal_passphrase

    @property
    def retry_hint(self) -> str:
        """The hint for errors of this passphrase."""
        text = self._text.decode("utf-8")
        sides = (("start", text[0]), ("end", text[-1]))
        spaced_sides = [side for side, character in sides if character.isspace()]
        space_hint = (
            f"a space stands at its {' and at its '.join(spaced_sides)}; " if spaced_sides else ""
        )
        return space_hint + _RETRY_HINT

    def __repr__(self) -> str:
        return "<Passphrase>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a passphrase is never pickled, since the pickle would hold it; "
            "pass the name of its file, and read it where it is used"
        )


@dataclass(frozen=True)
class KeyDerivation:
    """A memory-hard function with its parameters and salt."""

    name: Literal["argon2id", "scrypt"]  #: RFC 9106 or RFC 7914.
    memory: int  #: KiB; for scrypt a power of two, equal to its cost N with r = 8.
    iterations: int  #: Passes over the memory; 1 for scrypt.
    lanes: int  #: Parallel lanes; the factor p of scrypt.
    salt: bytes  #: 16 bytes.

    @classmethod
    def new(cls, profile: str = "default") -> KeyDerivation:
        """Return a derivation with the costs of a profile and a new salt.

        It is scrypt if the installed library has no Argon2id.

        Raises `InvalidParameterError` if there is no such profile.
        """
        if profile not in PROFILES:
            raise InvalidParameterError(f"profile must be one of {', '.join(PROFILES)}")
        memory, iterations, lanes = PROFILES[profile]
        salt = secrets.token_bytes(SALT_LENGTH)
        if _has_argon2():
            return cls("argon2id", memory, iterations, lanes, salt)
        # With half the memory, one pass and one lane, scrypt takes about as long as Argon2id.
        return cls("scrypt", memory // 2, 1, 1, salt)

    @classmethod
    def from_text(cls, text: str) -> KeyDerivation:
        """Read the text form, such as ``argon2id:m=262144,t=3,p=4:<salt>``.

        Raises `FormatError` if the text has another form; and `UnsupportedError` if it asks for
        more than 4 GiB, 64 iterations or 64 lanes, or for numbers that the function does not allow.
        """
        # No leading zeros, so that each derivation has only one text.
        number = "([1-9][0-9]{0,9})"
        pattern = f"(argon2id|scrypt):m={number},t={number},p={number}:([0-9a-f]{{32}})"
        match = re.fullmatch(pattern, text)
        if match is None:
            raise FormatError("the field 'kdf' is malformed")
        memory, iterations, lanes = (int(digits) for digits in match.groups()[1:4])
        if memory > _MAX_MEMORY or iterations > _MAX_ITERATIONS or lanes > _MAX_LANES:
            raise UnsupportedError(
                "the field 'kdf' asks for more memory or time than is allowed",
                hint=f"at most {_MAX_MEMORY} KiB, {_MAX_ITERATIONS} iterations, {_MAX_LANES} lanes",
            )
        salt = bytes.fromhex(match[5])
        if match[1] == "scrypt":
            # RFC 7914: N is a power of two above 1.
            if memory < 2 or memory & (memory - 1) or iterations != 1:
                raise UnsupportedError("the field 'kdf' holds numbers that scrypt cannot take")
            return cls("scrypt", memory, 1, lanes, salt)
        # RFC 9106, 3.1: at least 8 KiB for each lane.
        if memory < 8 * lanes:
            raise UnsupportedError("the field 'kdf' holds numbers that argon2id cannot take")
        return cls("argon2id", memory, iterations, lanes, salt)

    def to_text(self) -> str:
        """Return the text form, which `from_text` reads."""
        cost_text = f"m={self.memory},t={self.iterations},p={self.lanes}"
        return f"{self.name}:{cost_text}:{self.salt.hex()}"

    @property
    def costly(self) -> bool:
        """Whether the derivation takes more memory or work than the default profile."""
        memory, iterations, _ = PROFILES["default"]
        if self.name == "scrypt":
            return self.memory * self.lanes > memory // 2
        return self.memory > memory or self.memory * self.iterations > memory * iterations

    @property
    def cost(self) -> int:
        """The cost in KiB times passes of Argon2id; scrypt counts like equally slow Argon2id."""
        if self.name == "scrypt":
            _, iterations, _ = PROFILES["default"]
            # Scrypt takes as long as Argon2id with twice the memory.
            return self.memory * self.lanes * iterations * 2
        return self.memory * self.iterations

    @staticmethod
    def get_default_cost() -> int:
        """Return the cost of the default profile."""
        memory, iterations, _ = PROFILES["default"]
        return memory * iterations

    def require_affordable(self) -> None:
        """Raise an error if deriving would cost more than a file of unknown origin may ask for.

        The allowed derivations take some seconds at most.

        Raises
        ------
        UnsupportedError
            If the memory is above 896 MiB; for Argon2id, if memory times passes is above 4 GiB, or
            there are more than 16 lanes; for scrypt, if N p is above 2**20.
        """
        if self.name == "scrypt":
            is_affordable = self.memory * self.lanes <= _AFFORDABLE_SCRYPT_WORK
        else:
            derivation_cost = self.memory * self.iterations
            is_affordable = derivation_cost <= _AFFORDABLE_WORK and self.lanes <= _AFFORDABLE_LANES
        if not is_affordable or self.memory > _AFFORDABLE_MEMORY:
            raise UnsupportedError(
                "deriving the key from the passphrase would take more memory or time than is "
                "allowed",
                hint="if you trust the file, derive the key with KeyDerivation.derive in Python",
            )

    def derive(self, passphrase: Passphrase) -> Key:
        """Return the key of a passphrase; it is computed the first time, and then remembered.

        Only one derivation runs at a time in a process, so that their memory does not add up.

        Raises `UnsupportedError` if the installed library has no Argon2id.
        """
        with _DERIVATION_LOCK:
            keys = _DERIVED_KEYS.setdefault(passphrase, {})
            if self not in keys:
                while len(keys) >= _MAX_REMEMBERED_KEYS:
                    del keys[next(iter(keys))]  # the oldest
                keys[self] = Key(self._derive(passphrase.to_bytes()))
            return keys[self]

    def _derive(self, secret: bytes) -> bytes:
        """Compute the 32 bytes of a key with Argon2id or scrypt."""
        if self.name == "scrypt":
            from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

            return Scrypt(self.salt, KEY_LENGTH, n=self.memory, r=8, p=self.lanes).derive(secret)
        if not _has_argon2():
            raise UnsupportedError(
                "this installation has no Argon2id",
                hint="install a newer release of the package 'cryptography'",
            )
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        argon2 = Argon2id(
            salt=self.salt,
            length=KEY_LENGTH,
            iterations=self.iterations,
            lanes=self.lanes,
            memory_cost=self.memory,
        )
        return argon2.derive(secret)


class CostlyDerivationError(UnsupportedError):
    """A costly derivation is deferred until all files with cheaper ones were opened."""


# The number of derivations of default cost that may fail for each costly derivation that may fail.
# Together, 24 default and 3 costly derivations take half a minute.
_DEFAULT_COSTS_PER_COSTLY_ONE = 8


class DerivationBudget:
    """The limit for derivations that fail in one run.

    The sender of a file chooses the cost of deriving its key, up to some seconds, and a folder may
    have thousands of such files. Derivations that open a file are not counted. After
    `max_costly_failures` costly derivations failed, further costly ones are refused. Other
    derivations are refused once the failed ones have cost more than 8 times this number of default
    derivations, or at least 8 of them. So thousands of cheap files of an attacker do not prevent
    opening the other files of a folder.
    """

    def __init__(self, max_costly_failures: int = 3) -> None:
        self.deferring = False
        """Whether costly derivations are deferred by raising `CostlyDerivationError`."""
        self._max_costly_failures = max_costly_failures
        self._successful_derivations: set[KeyDerivation] = set()
        # Derivations that were started and have not succeeded, so that they count as failed.
        self._unfinished_derivations: set[KeyDerivation] = set()
        # The numbers of charged derivations: True for costly ones, False for the others.
        self._failure_counts = {True: 0, False: 0}
        self._failed_cost = 0  # total cost of charged derivations that are not costly
        self._lock = Lock()

    def charge(self, derivation: KeyDerivation) -> None:
        """Count a derivation that is about to start; `UnsupportedError` if the budget is spent."""
        with self._lock:
            if derivation in self._successful_derivations | self._unfinished_derivations:
                return
            is_costly = derivation.costly
            if is_costly and self.deferring:
                raise CostlyDerivationError("deriving the key of the file takes longer than usual")
            if is_costly:
                is_exhausted = self._failure_counts[is_costly] >= self._max_costly_failures
            else:
                count = _DEFAULT_COSTS_PER_COSTLY_ONE * max(1, self._max_costly_failures)
                limit = count * KeyDerivation.get_default_cost()
                is_exhausted = self._failed_cost + derivation.cost > limit
            if is_exhausted:
                count = self._failure_counts[is_costly]
                raise UnsupportedError(
                    f"deriving the key of the file takes a while, and failed for {count} others",
                    hint="if you trust the file, open it alone, or allow more",
                    hint_key="max_derivation",
                )
            self._unfinished_derivations.add(derivation)
            self._add_failures(derivation, 1)

    def refund(self, derivation: KeyDerivation) -> None:
        """Stop counting a derivation, since its key was right."""
        with self._lock:
            if derivation in self._unfinished_derivations:
                self._unfinished_derivations.discard(derivation)
                self._add_failures(derivation, -1)
            self._successful_derivations.add(derivation)

    def _add_failures(self, derivation: KeyDerivation, count: int) -> None:
        """Add `count` to the failures of derivations of the same kind, costly or not."""
        self._failure_counts[derivation.costly] += count
        if not derivation.costly:
            self._failed_cost += count * derivation.cost


def defer_costly_derivations(key: RestoringKey | ProtectingKey, *, deferring: bool) -> None:
    """Defer the costly derivations of a passphrase with a budget, or stop deferring them."""
    if isinstance(key, Passphrase) and key.budget is not None:
        key.budget.deferring = deferring


PROFILES: Final = {"default": (262144, 3, 4), "strong": (524288, 4, 4)}
"""KiB, iterations and lanes, at least those of the second option of RFC 9106 (64 MiB, 3, 4)."""


MasterKey: TypeAlias = Key | Passphrase
"""A key that opens everything that it protects: a `Key`, or a passphrase to derive one from."""

ProtectingKey: TypeAlias = (
    "Key | Passphrase | Recipient | Identity | Sequence[Key | Passphrase | Recipient | Identity]"
)
"""A key for protecting pictures: a master key, recipients, or both in a list."""

RestoringKey: TypeAlias = "Key | Passphrase | PictureKey | Identity | KeyRing"
"""A key for restoring pictures."""


def _has_argon2() -> bool:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        # The class may exist although OpenSSL has no Argon2id, which only a trial shows.
        Argon2id(salt=bytes(16), length=32, iterations=1, lanes=1, memory_cost=8)
    except (ImportError, UnsupportedAlgorithm):
        return False
    return True
