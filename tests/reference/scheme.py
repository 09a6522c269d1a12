"""The schemes for single images, and keys from passphrases.

The bytes of an image are all its samples in C order, each lowest byte first.
"""

from collections.abc import Sequence

from tests.reference import RefusedError
from tests.reference import header as headers
from tests.reference import kdf as kdfs
from tests.reference.frames import Frame
from tests.reference.header import CONTEXT, ENCRYPT, KEYED, Header
from tests.reference.hkdf import key_id
from tests.reference.pictures import protect_picture, restore_picture


def protect_bytes(
    plain: bytes, draft: Header, *, key: bytes, context: str | None = None
) -> tuple[bytes, bytes]:
    """`protect_picture` of one frame with the shape and dtype of the header."""
    frame = Frame(shape=draft.shape, dtype=draft.dtype, data=plain)
    (made,), written = protect_picture([frame], draft, key=key, context=context)
    return made.data, written


def scramble_bytes(
    plain: bytes,
    *,
    shape: Sequence[int],
    dtype: str,
    unit: str,
    block_size: int | None = None,
    rounds: int,
    key: bytes,
    kdf: str | None = None,
    salt: bytes | None = None,
    context: str | None = None,
) -> tuple[bytes, bytes]:
    """Scramble the bytes of an image: by `scramble-context-v1` if there is a context text.

    The other parameters are the fields of the header; `salt` is 16 bytes, or None for a
    deterministic one.
    """
    draft = Header(
        scheme=KEYED if context is None else CONTEXT,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
        kdf=kdf,
        salt=None if salt is None else salt.hex(),
    )
    return protect_bytes(plain, draft, key=key, context=context)


def encrypt_bytes(
    plain: bytes,
    *,
    shape: Sequence[int],
    dtype: str,
    rounds: int,
    key: bytes,
    kdf: str | None = None,
    salt: bytes | None = None,
) -> tuple[bytes, bytes]:
    """Encrypt the bytes of an image by `encrypt-v1`."""
    draft = Header(
        scheme=ENCRYPT,
        unit="pixel",
        rounds=rounds,
        shape=tuple(shape),
        dtype=dtype,
        key_id=key_id(key),
        kdf=kdf,
        salt=None if salt is None else salt.hex(),
    )
    return protect_bytes(plain, draft, key=key)


def restore_bytes(
    data: bytes,
    header_bytes: bytes | None,
    *,
    shape: Sequence[int],
    dtype: str,
    key: bytes | None = None,
    passphrase: str | None = None,
    of_picture: bytes | None = None,
    context: str | None = None,
) -> bytes:
    """`restore_picture` of one frame."""
    frame = Frame(shape=tuple(shape), dtype=dtype, data=data)
    (plain,), _ = restore_picture(
        [frame],
        header_bytes,
        key=key,
        passphrase=passphrase,
        of_picture=of_picture,
        context=context,
    )
    return plain.data


def key_from_passphrase(header_bytes: bytes, passphrase: str) -> bytes:
    """Master key that the passphrase gives under the key derivation in the header."""
    header = headers.read(header_bytes)
    if header.kdf is None:
        raise RefusedError("a passphrase for a picture without a key derivation")
    return kdfs.derive(passphrase, header.kdf)
