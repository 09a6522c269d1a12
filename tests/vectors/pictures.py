"""Small protected pictures and locked key files that `accept.json` and `reject.json` start from."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sudokucrypt import Header, Key, KeyDerivation, Passphrase
from sudokucrypt.ciphers import ENCRYPT, SCRAMBLE, ContextScheme
from sudokucrypt.recipes.parts import Protection, protect_image
from sudokucrypt.typing import Unit
from tests.reference import locked
from tests.vectors.common import KEY, SALT, Case, little, plain_image
from tests.vectors.images import KDF_SALT

PASSPHRASE = "\u00c5ngstr\u00f6m"  # noqa: S105 - it protects nothing
CONTEXT = "caf\u00e9"
ARGON2ID = f"argon2id:m=8,t=1,p=1:{KDF_SALT}"
SCRYPT = f"scrypt:m=16,t=1,p=1:{KDF_SALT}"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A protected picture, and what restores it.

    Parameters
    ----------
    header : str or None
        The header, or None for a context without one.
    shape : tuple of int
        Shape of the protected image at hand.
    dtype : str
        Sample type of the image at hand.
    pixels : bytes
        Its samples, each lowest byte first.
    key : str or None
        Text of the key, unless there is a passphrase.
    passphrase : str or None
        The passphrase, unless there is a key.
    picture_key : str or None
        Text of the picture key, if one is tried in place of both.
    context : str or None
        The context text, for `scramble-context-v1`.
    plain : bytes
        The plain image.
    """

    header: str | None
    shape: tuple[int, ...]
    dtype: str
    pixels: bytes
    key: str | None
    passphrase: str | None
    context: str | None
    plain: bytes
    picture_key: str | None = None

    def case(self, **changes: Any) -> Case:
        """Return the fields of a case in which these parts are others."""
        picture = replace(self, **changes)
        fields: Case = {"what": "picture", **vars(picture)}
        fields |= {"shape": list(picture.shape), "pixels": picture.pixels.hex()}
        del fields["plain"]
        return fields

    def own_key(self) -> str:
        """Return the text of the picture key."""
        return master_of(self).for_picture(header_fields(self)).to_text()


@cache
def picture(
    *,
    label: str = "picture",
    scheme: str = "encrypt-v1",
    shape: tuple[int, ...] = (6, 7),
    dtype: str = "uint8",
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    salt: bytes | None = SALT,
    kdf: str | None = None,
    passphrase: str = PASSPHRASE,
    context: str | None = None,
) -> Picture:
    """Return a picture that this package protects, under a passphrase if there is a `kdf`."""
    image = plain_image(label, shape, dtype)
    tagged = {chosen.name: chosen for chosen in (ENCRYPT, SCRAMBLE)}
    result = protect_image(
        image,
        KEY if kdf is None else Passphrase(passphrase),
        Protection(
            scheme=tagged[scheme] if context is None else ContextScheme(context),
            unit=unit,
            block_size=block_size,
            rounds=rounds,
            salt=salt if context is None else None,
            derivation=None if kdf is None else KeyDerivation.from_text(kdf),
        ),
    )
    return Picture(
        header=result.header.to_bytes().decode(),
        shape=shape,
        dtype=dtype,
        pixels=little(result.pixels),
        key=KEY.to_text() if kdf is None else None,
        passphrase=None if kdf is None else passphrase,
        context=context,
        plain=little(image),
    )


@cache
def context_picture() -> Picture:
    """Return a picture of `scramble-context-v1`."""
    return picture(context=CONTEXT)


def header_of(whole: Picture) -> str:
    """Return the header of a picture that has one."""
    assert whole.header is not None
    return whole.header


def header_fields(whole: Picture) -> Header:
    """Return the header of a picture as an object."""
    return Header.from_bytes(header_of(whole).encode())


def master_of(whole: Picture) -> Key:
    """Return the master key of a picture, which its passphrase may give."""
    if whole.passphrase is None:
        return KEY
    kdf = header_fields(whole).kdf
    assert kdf is not None
    return KeyDerivation.from_text(kdf).derive(Passphrase(whole.passphrase))


@cache
def locked_file(derivation: str = SCRYPT) -> str:
    """Return a locked key file; the reference wrote it, since the package draws its salt."""
    return locked.lock(KEY.to_bytes(), PASSPHRASE, derivation).decode("ascii")
