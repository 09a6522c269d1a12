"""Small protected pictures and locked key files that `accept.json` and `reject.json` start from."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sudokucrypt import Header, Key, KeyDerivation, Passphrase
from sudokucrypt.recipes.parts import protect_image
from tests.kit.reference import locked
from tests.vectors.common import KEY, SALT, Case, little, plain_image, protection
from tests.vectors.images import KDF_SALT

PASSPHRASE = "\u00c5ngstr\u00f6m"  # noqa: S105 - it protects nothing
CONTEXT = "caf\u00e9"
ARGON2ID = f"argon2id:m=8,t=1,p=1:{KDF_SALT}"
SCRYPT = f"scrypt:m=16,t=1,p=1:{KDF_SALT}"


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A protected picture of one image, its samples lowest byte first, and what restores it.

    Without a header there is a context; `key` and `picture_key` are texts, one of these or the
    passphrase is given.
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
    salt: bytes | None = SALT,
    kdf: str | None = None,
    passphrase: str = PASSPHRASE,
    context: str | None = None,
    **options: Any,
) -> Picture:
    """Return a picture that this package protects, under a passphrase if there is a `kdf`."""
    image = plain_image(label, shape, dtype)
    result = protect_image(
        image,
        KEY if kdf is None else Passphrase(passphrase),
        protection(scheme, context=context, salt=salt, kdf=kdf, **options),
    )
    return Picture(
        header=result.header.to_bytes().decode(), shape=shape, dtype=dtype,
        pixels=little(result.pixels), key=KEY.to_text() if kdf is None else None,
        passphrase=None if kdf is None else passphrase, context=context, plain=little(image),
    )  # fmt: skip


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
