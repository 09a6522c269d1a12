"""Read keys of any kind from their texts, and collect them in key rings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn, TypeVar

from sudokucrypt.errors import DecryptionError, InvalidKeyError
from sudokucrypt.keys.key import KEY_LENGTH, Key, PictureKey, Secret
from sudokucrypt.keys.texts import IDENTITY_PREFIX, add_origin_to_errors, decode_key, refuse_key
from sudokucrypt.lazy import SuggestingType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sudokucrypt.keys.identity import Identity

Opened = TypeVar("Opened")


class KeyRing(metaclass=SuggestingType):
    """A collection of keys for restoring pictures; it cannot protect pictures.

    For a picture, the keys with the id in its header are tried first, of which there may be
    several, and then picture keys and identities, which have no id.

    Raises `InvalidKeyError` if there is no key, or an object that is not a key. Equal keys are kept
    only once.
    """

    __slots__ = ("keys",)

    CONSTRUCTION_HINT = "a key ring is made of a list: KeyRing([key, other])"

    def __init__(self, keys: Iterable[Key | PictureKey | Identity]) -> None:
        if isinstance(keys, Secret):
            raise InvalidKeyError(
                "a key ring needs a list of keys, not one key", hint=self.CONSTRUCTION_HINT
            )
        self.keys = tuple(dict.fromkeys(keys))
        """The distinct keys, in the order in which they were passed."""
        if not self.keys or not all(isinstance(key, Secret) for key in self.keys):
            raise InvalidKeyError("a key ring needs at least one key, and can contain only keys")

    def open(
        self,
        key_id: str | None,
        attempt: Callable[[Key | PictureKey | Identity], Opened],
        *,
        needed: str,
    ) -> Opened:
        """Call `attempt` with suitable keys, and return its first result.

        Raises `DecryptionError` if no key is suitable, or the last attempt fails; `needed` is the
        name of the needed key in the message.
        """
        suitable_keys: list[Key | PictureKey | Identity] = []
        suitable_keys += [key for key in self.keys if isinstance(key, Key) and key.id == key_id]
        suitable_keys += [key for key in self.keys if not isinstance(key, Key)]
        for key in suitable_keys:
            try:
                return attempt(key)
            except DecryptionError:
                if key is suitable_keys[-1]:
                    raise
        raise DecryptionError(
            f"wrong key: the picture needs {needed}, which is not one of {len(self.keys)} keys",
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
    """Read a key or an identity from its Bech32 text, or from the content of its file.

    The text may have comment lines. `origin` is the name of the text in messages, as for `Key`.

    Raises
    ------
    InvalidKeyError
        As for `Key.from_text`.
    """
    with add_origin_to_errors(origin):
        prefix, secret = decode_key(text, Key.PREFIX, KEY_LENGTH)
        kinds: dict[str, type[Key | PictureKey | Identity]]
        kinds = {Key.PREFIX: Key, PictureKey.PREFIX: PictureKey}
        if prefix.startswith(IDENTITY_PREFIX):  # imported here, since other keys do not need it
            from sudokucrypt.keys.identity import Identity, PostQuantumIdentity

            kinds = {Identity.PREFIX: Identity, PostQuantumIdentity.PREFIX: PostQuantumIdentity}
        if prefix not in kinds:
            refuse_key(f"a key starts with {Key.PREFIX.upper()}1")
        return kinds[prefix](secret, origin=origin)
