"""Keys of any kind: read from their texts, and several of them that restore pictures together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys.key import KEY_LENGTH, Key, PictureKey, Secret
from sudokucrypt.keys.texts import IDENTITY_PREFIX, decode_key, error_context, refuse_key
from sudokucrypt.lazy import Suggesting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sudokucrypt.keys.identity import Identity

Opened = TypeVar("Opened")


class KeyRing(metaclass=Suggesting):
    """Keys that restore pictures together; nothing is protected with them.

    A picture is opened with the keys that have the id in its header, then with those of single
    pictures and with identities, which have none: all are tried, since two ids may be equal.

    Raises `InvalidKeyError` if there is no key, or something else among them. Equal keys count
    once.
    """

    __slots__ = ("keys",)

    HOW = "a key ring is made of a list: KeyRing([key, other])"

    def __init__(self, keys: Iterable[Key | PictureKey | Identity]) -> None:
        if isinstance(keys, Secret):
            raise InvalidKeyError("a key ring is made of several keys", hint=self.HOW)
        self.keys = tuple(dict.fromkeys(keys))
        """The keys, in their order."""
        if not self.keys or not all(isinstance(key, Secret) for key in self.keys):
            raise InvalidKeyError("a key ring holds one key or more, and nothing else")

    def open(
        self,
        key_id: str | None,
        attempt: Callable[[Key | PictureKey | Identity], Opened],
        *,
        needed: str,
    ) -> Opened:
        """Return what an attempt gives with the first key that it succeeds with.

        `needed` is what messages call the key that a picture needs. `DecryptionError` if there is
        no key with this id, or no attempt succeeds.
        """
        fitting: list[Key | PictureKey | Identity] = []
        fitting += [key for key in self.keys if isinstance(key, Key) and key.id == key_id]
        fitting += [key for key in self.keys if not isinstance(key, Key)]
        for key in fitting:
            try:
                return attempt(key)
            except DecryptionError:
                if key is fitting[-1]:
                    raise
        raise DecryptionError(
            f"wrong key: the picture needs {needed}, which is none of {len(self.keys)} keys",
            hint="Key.id is the id of a key",
            hint_key="other_key",
        )

    def __len__(self) -> int:
        return len(self.keys)

    def __repr__(self) -> str:
        return f"<KeyRing of {len(self.keys)} keys>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are never pickled, since the pickle would hold the secrets")


def read_key(text: str, *, origin: str | None = None) -> Key | PictureKey | Identity:
    """Read a key or an identity from its Bech32 text, or from a whole file that holds one.

    The text may have comment lines; errors name its origin, as for `Key`.

    Raises
    ------
    InvalidKeyError
        As for `Key.from_text`.
    """
    with error_context(origin):
        prefix, secret = decode_key(text, Key.PREFIX, KEY_LENGTH)
        kinds: dict[str, type[Key | PictureKey | Identity]]
        kinds = {Key.PREFIX: Key, PictureKey.PREFIX: PictureKey}
        if prefix.startswith(IDENTITY_PREFIX):  # whose modules nobody else needs
            from sudokucrypt.keys.identity import Identity, PostQuantumIdentity

            kinds = {Identity.PREFIX: Identity, PostQuantumIdentity.PREFIX: PostQuantumIdentity}
        if prefix not in kinds:
            refuse_key(f"a key starts with {Key.PREFIX.upper()}1")
        return kinds[prefix](secret, origin=origin)
