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
    reason_of,
)
from sudokucrypt.keys.key import KEY_LENGTH, SALT_LENGTH, Key
from sudokucrypt.lazy import Suggesting

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sudokucrypt.keys.identity import Identity, Recipient
    from sudokucrypt.keys.key import PictureKey
    from sudokucrypt.keys.ring import KeyRing

_RETRY_HINT = "check capitals, spaces and the keyboard layout; see docs/howto/lost.md"

# What people and programs put between words. Other white space is in no keyboard's reach.
_SPACES = re.compile("[ \\t\\r\\n\u00a0\u2000-\u200a\u202f\u3000]+")

# Bytes of a passphrase file that are read: no text that somebody typed is longer.
_LIMIT = 64 * 1024

# What the text form may say at all; the libraries take these everywhere.
_MAX_MEMORY = 1 << 22  # KiB, that is 4 GiB
_MAX_ITERATIONS = 64
_MAX_LANES = 64

# What a stranger's header may cost; docs/spec/encryption-v1.md has the same numbers.
_AFFORDABLE_MEMORY = 7 << 17  # KiB, so that the whole program stays within 1 GiB
_AFFORDABLE_WORK = 1 << 22  # KiB passes of Argon2id, whose lanes share the work
# Each lane may become a thread of the library.
_AFFORDABLE_LANES = 16
_AFFORDABLE_SCRYPT = 1 << 20  # N p, since its lanes run one after the other

# Keys are remembered for as long as their passphrase lives. One lock for all derivations: those of
# several threads would add up their memory, and of one key all but the first would be in vain.
_DERIVED: WeakKeyDictionary[Passphrase, dict[KeyDerivation, Key]] = WeakKeyDictionary()
_MOST_DERIVED = 64  # of one passphrase; each picture of a stranger may bring a salt of its own
_DERIVING = Lock()


def _renew_lock() -> None:
    """Give a forked child a lock of its own: no thread there would release its parent's."""
    global _DERIVING  # noqa: PLW0603 - it is the lock of the whole process
    _DERIVING = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_lock)


@cache
def words_to_draw() -> tuple[str, ...]:
    """Return the 1,296 words that passphrases are drawn from, which are easy to tell apart."""
    from importlib.resources import files  # most runs draw and fold none

    lines = files("sudokucrypt.keys").joinpath("words.txt").read_text("utf-8").splitlines()
    return tuple(line for line in lines if not line.startswith("#"))


class Passphrase(metaclass=Suggesting):
    """A text that only its owner knows; its `repr` shows nothing of it.

    Deriving a key takes about a second, so an object derives once for all that it protects, and
    remembers the last 64 keys that it gave.

    Raises `InvalidKeyError` if it is no text, empty, holds a zero character, or is not valid
    Unicode. Texts are compared after Unicode normalization (NFC).
    """

    __slots__ = ("__weakref__", "_derivation", "_folded", "_text", "budget")

    HOW = "Passphrase('some words') takes the words, and from_file reads them"

    if not TYPE_CHECKING:  # type checkers know all attributes by themselves

        def __getattr__(self, name):
            """Raise the error for a missing attribute."""
            type(self).suggest(name)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidKeyError(f"a passphrase is text, not {type(text).__name__}")
        try:
            # One word may come as several sequences of code points, by system and keyboard.
            self._text = unicodedata.normalize("NFC", text).encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidKeyError("the passphrase is not valid Unicode text") from None
        if not self._text:
            raise InvalidKeyError("the passphrase is empty")
        if b"\0" in self._text:
            # HMAC pads its key with zeros, so scrypt ignores those at the end of a text.
            raise InvalidKeyError("the passphrase holds a zero character")
        self._derivation: KeyDerivation | None = None
        self._folded: Passphrase | None = None
        self.budget: DerivationBudget | None = None
        """What files of strangers may cost with this passphrase; by default there is no limit but
        that of each file."""

    @property
    def derivation(self) -> KeyDerivation:
        """How the key is derived for all that this object protects, with a salt drawn once."""
        with _DERIVING:  # two threads must not draw two salts
            self._derivation = self._derivation or KeyDerivation.new()
            return self._derivation

    @classmethod
    def from_bytes(cls, data: bytes) -> Passphrase:
        """Read UTF-8 text; one line end at its end does not count."""
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            hint = "save the file as UTF-8"
            raise InvalidKeyError("the passphrase is not UTF-8 text", hint=hint) from None
        return cls(text.removesuffix("\n").removesuffix("\r"))

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Passphrase:
        """Read a file that holds the passphrase and nothing else.

        Raises `InvalidKeyError` if the file cannot be read, is empty or not UTF-8 text.
        """
        from sudokucrypt.storage import read_limited

        try:
            return cls.from_bytes(read_limited(Path(path), _LIMIT))
        except OSError as error:
            reason = reason_of(error)
            missing = isinstance(error, FileNotFoundError)
            kind = MissingKeyError if missing else InvalidKeyError
            raise kind(f"cannot read the passphrase file '{path}': {reason}") from None

    def to_bytes(self) -> bytes:
        """Return the normalized text as UTF-8."""
        return self._text

    def readings(self) -> Iterator[Passphrase]:
        """Yield this passphrase, and then the drawn words that it may be another spelling of.

        Who is told six words may write them with capitals, or with other spaces.
        """
        yield self
        text = self._text.decode("utf-8")
        words = [word for word in _SPACES.split(text.lower()) if word]
        spelled = " ".join(words)
        if words and spelled != text and set(words_to_draw()).issuperset(words):
            self._folded = self._folded or Passphrase(spelled)  # it remembers its keys, too
            yield self._folded

    @property
    def retry_hint(self) -> str:
        """What to do if this passphrase is wrong."""
        text = self._text.decode("utf-8")
        ends = [where for where, end in (("start", text[0]), ("end", text[-1])) if end.isspace()]
        space = f"a space stands at its {' and at its '.join(ends)}; " if ends else ""
        return space + _RETRY_HINT

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
    memory: int  #: KiB. For scrypt a power of two; with blocks of 8, its cost N is this number.
    iterations: int  #: Passes over the memory; 1 for scrypt.
    lanes: int  #: Parallel lanes; the factor p of scrypt.
    salt: bytes  #: 16 bytes.

    @classmethod
    def new(cls, profile: str = "default") -> KeyDerivation:
        """Return the named profile with a new salt; scrypt where Argon2id is missing.

        Raises `InvalidParameterError` if there is no such profile.
        """
        if profile not in PROFILES:
            raise InvalidParameterError(f"profile must be one of {', '.join(PROFILES)}")
        memory, iterations, lanes = PROFILES[profile]
        salt = secrets.token_bytes(SALT_LENGTH)
        if _has_argon2():
            return cls("argon2id", memory, iterations, lanes, salt)
        # One pass and one lane of scrypt over half the memory take about as long.
        return cls("scrypt", memory // 2, 1, 1, salt)

    @classmethod
    def from_text(cls, text: str) -> KeyDerivation:
        """Read the text form, such as ``argon2id:m=262144,t=3,p=4:<salt>``.

        Raises `FormatError` if the text has another form; and `UnsupportedError` if it asks for
        more than 4 GiB, 64 iterations or 64 lanes, or an impossible number.
        """
        # No leading zeros: each derivation has one text, as each header has one form.
        number = "([1-9][0-9]{0,9})"
        form = f"(argon2id|scrypt):m={number},t={number},p={number}:([0-9a-f]{{32}})"
        match = re.fullmatch(form, text)
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
        """Return the text form."""
        cost = f"m={self.memory},t={self.iterations},p={self.lanes}"
        return f"{self.name}:{cost}:{self.salt.hex()}"

    @property
    def costly(self) -> bool:
        """Whether it takes more memory or work than what `Passphrase` writes by default."""
        memory, iterations, _ = PROFILES["default"]
        if self.name == "scrypt":
            return self.memory * self.lanes > memory // 2
        return self.memory > memory or self.memory * self.iterations > memory * iterations

    @property
    def cost(self) -> int:
        """How much work it is: KiB passes of Argon2id, or what takes scrypt as long."""
        if self.name == "scrypt":
            _, iterations, _ = PROFILES["default"]
            return self.memory * self.lanes * iterations * 2  # half the memory takes as long
        return self.memory * self.iterations

    @staticmethod
    def usual_cost() -> int:
        """Return the cost of what `Passphrase` writes by default."""
        memory, iterations, _ = PROFILES["default"]
        return memory * iterations

    def require_affordable(self) -> None:
        """Refuse parameters that cost more than a file of unknown origin may ask for.

        Raises
        ------
        UnsupportedError
            For both above 896 MiB, for Argon2id above 4 GiB over all passes or 16 lanes, and for
            scrypt with N p above 2**20: some seconds at most.
        """
        if self.name == "scrypt":
            cheap = self.memory * self.lanes <= _AFFORDABLE_SCRYPT
        else:
            work = self.memory * self.iterations
            cheap = work <= _AFFORDABLE_WORK and self.lanes <= _AFFORDABLE_LANES
        if not cheap or self.memory > _AFFORDABLE_MEMORY:
            raise UnsupportedError(
                "deriving the key from the passphrase would take more memory or time than is "
                "allowed",
                hint="if you trust the file, derive the key with KeyDerivation.derive in Python",
            )

    def derive(self, passphrase: Passphrase) -> Key:
        """Return the key; takes the memory and time that the parameters ask for, the first time.

        Derivations of one process wait for each other, so that their memory does not add up.

        Raises `UnsupportedError` if the installed library has no Argon2id.
        """
        with _DERIVING:
            keys = _DERIVED.setdefault(passphrase, {})
            if self not in keys:
                while len(keys) >= _MOST_DERIVED:
                    del keys[next(iter(keys))]  # the oldest
                keys[self] = Key(self._derive(passphrase.to_bytes()))
            return keys[self]

    def _derive(self, secret: bytes) -> bytes:
        """Return the 32 bytes of a key, by the function itself."""
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
    """A key is derived later, after those that cost what is usual."""


# Usual derivations that may fail for each costly one: 24 with 3 of those take half a minute.
_USUAL_FOR_COSTLY = 8


class DerivationBudget:
    """What derivations may cost that fail in one run.

    Whoever sends a file chooses what deriving its key costs, up to some seconds, and a folder may
    have thousands of such files. Those that the passphrase opens count for nothing. After `most`
    costly ones failed, further ones are refused. Others are refused once what failed would cost
    more than 8 times as many of the usual ones, and 8 at least: thousands of cheap ones, which a
    stranger puts into a folder, do not close the way to those that follow.
    """

    def __init__(self, most: int = 3) -> None:
        self.deferring = False
        """Whether costly derivations are put off, by a `CostlyDerivationError`."""
        self._most = most
        self._good: set[KeyDerivation] = set()
        self._spent: set[KeyDerivation] = set()  # begun, and not known to be good
        self._failed = {True: 0, False: 0}  # how many of those are costly, and how many are not
        self._failed_cost = 0  # of those that are not
        self._lock = Lock()

    def charge(self, derivation: KeyDerivation) -> None:
        """Raise `UnsupportedError` if a derivation that is about to begin costs too much."""
        with self._lock:
            if derivation in self._good | self._spent:
                return
            costly = derivation.costly
            if costly and self.deferring:
                raise CostlyDerivationError("its key takes longer to derive than usual")
            if costly:
                full = self._failed[costly] >= self._most
            else:
                most = _USUAL_FOR_COSTLY * max(1, self._most) * KeyDerivation.usual_cost()
                full = self._failed_cost + derivation.cost > most
            if full:
                count = self._failed[costly]
                raise UnsupportedError(
                    f"deriving its key takes a while, and that failed for {count} others",
                    hint="if you trust the file, open it alone, or allow more",
                    hint_key="max_derivation",
                )
            self._spent.add(derivation)
            self._count(derivation, 1)

    def refund(self, derivation: KeyDerivation) -> None:
        """Count a derivation no more, whose key was right."""
        with self._lock:
            if derivation in self._spent:
                self._spent.discard(derivation)
                self._count(derivation, -1)
            self._good.add(derivation)

    def _count(self, derivation: KeyDerivation, step: int) -> None:
        """Add a derivation to those that failed, or take it away."""
        self._failed[derivation.costly] += step
        if not derivation.costly:
            self._failed_cost += step * derivation.cost


def defer_costly(key: RestoringKey | ProtectingKey, *, deferring: bool) -> None:
    """Let the costly derivations of a passphrase with a budget come later, or no longer."""
    if isinstance(key, Passphrase) and key.budget is not None:
        key.budget.deferring = deferring


PROFILES: Final = {"default": (262144, 3, 4), "strong": (524288, 4, 4)}
"""KiB, iterations and lanes, at least those of the second option of RFC 9106 (64 MiB, 3, 4)."""


MasterKey: TypeAlias = Key | Passphrase
"""What opens all that it protects: a key, or a passphrase that one is derived from."""

ProtectingKey: TypeAlias = (
    "Key | Passphrase | Recipient | Identity | Sequence[Key | Passphrase | Recipient | Identity]"
)
"""What protects pictures: a master key, recipients, or both in a list."""

RestoringKey: TypeAlias = "Key | Passphrase | PictureKey | Identity | KeyRing"
"""What restores pictures."""


def _has_argon2() -> bool:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

        # The class may be there without Argon2id in the OpenSSL behind it: only a trial shows that.
        Argon2id(salt=bytes(16), length=32, iterations=1, lanes=1, memory_cost=8)
    except (ImportError, UnsupportedAlgorithm):
        return False
    return True
