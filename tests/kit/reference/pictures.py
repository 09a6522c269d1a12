"""Section 7: the schemes, for pictures of any frames (Pictures) and for encryption.

`protect_picture` and `restore_picture` follow the numbered steps; the others are those steps.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.kit.reference import RefusedError, kdf
from tests.kit.reference import header as headers
from tests.kit.reference.context import context_text
from tests.kit.reference.description import Description
from tests.kit.reference.files import file_of_frame
from tests.kit.reference.frames import Frame, Work, protect_frame, restore_frame
from tests.kit.reference.header import CONTEXT, Header
from tests.kit.reference.hkdf import KEY_BYTES, key_id, picture_key
from tests.kit.reference.parts import (
    check_frames,
    described_frames,
    pixels_of_frames,
    rounds_of_picture,
)
from tests.kit.reference.tags import masked_extras, salt_of, seal_of, tag_of


@dataclass(frozen=True, kw_only=True)
class Secret:
    """What a picture is restored with: one of these three, the others None."""

    master: bytes | None = None
    passphrase: str | None = None
    picture: bytes | None = None


def check_key(key: bytes) -> None:
    """Refuse a key of another length."""
    if len(key) != KEY_BYTES:
        raise RefusedError("a key is 32 bytes")


def salted(draft: Header, frames: Sequence[bytes], master: bytes) -> Header:
    """The draft with its salt: the one it has, else the deterministic one (step 1)."""
    if draft.salt is not None:
        return draft
    if draft.kdf is not None:
        raise RefusedError("a deterministic salt under a passphrase")
    return replace(draft, salt=salt_of(draft, frames, master).hex())


def closed(header: Header, key: bytes, tag: bytes) -> Header:
    """The whole header: its tag, its extras masked, and then its seal (step 4)."""
    extras = None if header.extras is None else masked_extras(header.extras, key, tag)
    header = replace(header, extras=extras, tag=tag.hex())
    return replace(header, seal=seal_of(header, key).hex())


def protect_picture(
    frames: Sequence[Frame], draft: Header, *, key: bytes, context: str | None = None
) -> tuple[list[Frame], bytes]:
    """Scramble or encrypt the plain frames of a picture: the protected frames, and the header.

    The draft has no tag and no seal, no salt for a deterministic one, and plain extras. The context
    is None exactly if the scheme is not `scramble-context-v1`.
    """
    check_key(key)
    _check_context(draft, context)
    check_frames(frames, draft)
    frames, meaning = described_frames(frames, draft)
    for frame in frames:
        frame.samples()
    if meaning is not None and "file" in meaning:
        file_of_frame(frames[0], meaning["file"]["size"])
    if context is None:
        plain = [frame.data for frame in frames]
        draft = salted(draft, plain, key)
        of_picture = picture_key(key, bytes.fromhex(draft.salt or ""))
        tag = tag_of(draft, plain, of_picture)
        work = Work(header=draft, key=of_picture, nonce=tag)
        whole = closed(draft, of_picture, tag)
    else:
        work = Work(header=draft, key=key, nonce=context_text(context))
        whole = draft
    chosen = pixels_of_frames([frame.shape for frame in frames], draft, meaning)
    result = [
        protect_frame(frame, index, work=work, pixels=pixels)
        for index, (frame, pixels) in enumerate(zip(frames, chosen, strict=True))
    ]
    return result, headers.write(whole)


def _check_context(header: Header, context: str | None) -> None:
    if (header.scheme == CONTEXT) != (context is not None):
        raise RefusedError("a context text is for scramble-context-v1, and needed there")


def master_key(header: Header, secret: Secret) -> bytes:
    """The master key that is given, or that the passphrase gives; refused if it is another."""
    if secret.passphrase is not None:
        if header.kdf is None:
            raise RefusedError("a passphrase for a picture without a key derivation")
        key = kdf.derive(secret.passphrase, header.kdf)
    else:
        key = secret.master or b""
        check_key(key)
    if header.key_id != key_id(key):
        raise RefusedError("another key")
    return key


def key_of_picture(header: Header, secret: Secret) -> bytes:
    """The picture key that is given, or that of the master key or passphrase (step 2)."""
    if secret.picture is not None:
        check_key(secret.picture)
        return secret.picture
    return picture_key(master_key(header, secret), bytes.fromhex(header.salt or ""))


def check_seal(header: Header, key: bytes) -> None:
    """Refuse a header with another seal (step 3)."""
    if not hmac.compare_digest(seal_of(header, key), bytes.fromhex(header.seal or "")):
        raise RefusedError("wrong key or altered header")


def opened(header: Header, key: bytes) -> Header:
    """The header with plain extras (step 4)."""
    if header.extras is None:
        return header
    tag = bytes.fromhex(header.tag or "")
    return replace(header, extras=masked_extras(header.extras, key, tag))


def check_tag(header: Header, plain: Sequence[Frame], key: bytes) -> None:
    """Refuse other frames, or another header with plain extras, than were protected (step 6)."""
    tag = tag_of(header, [frame.data for frame in plain], key)
    if not hmac.compare_digest(tag, bytes.fromhex(header.tag or "")):
        raise RefusedError("wrong key or altered data")


def _header_for_context(frames: Sequence[Frame], key: bytes) -> Header:
    return Header(
        scheme=CONTEXT,
        unit="pixel",
        rounds=rounds_of_picture([frame.shape for frame in frames], "pixel"),
        shape=frames[0].shape,
        dtype=frames[0].dtype,
        key_id=key_id(key),
    )


def restore_picture(
    frames: Sequence[Frame],
    header_bytes: bytes | None,
    *,
    key: bytes | None = None,
    passphrase: str | None = None,
    of_picture: bytes | None = None,
    context: str | None = None,
) -> tuple[list[Frame], Description | None]:
    """Restore the frames at hand by the scheme of the header: the plain frames, what they mean.

    The header may be None for `scramble-context-v1`. One of master key, passphrase and picture key
    is given; the context is None exactly if the scheme is not that one.
    """
    secret = Secret(master=key, passphrase=passphrase, picture=of_picture)
    if context is not None and (key is None or passphrase is not None or of_picture is not None):
        raise RefusedError("a context takes a master key")
    header = None if header_bytes is None else headers.read(header_bytes)
    if header is None:
        if context is None or key is None:
            raise RefusedError("neither header nor context")
        check_key(key)
        header = _header_for_context(frames, key)
    _check_context(header, context)
    if context is None:
        work_key = key_of_picture(header, secret)
        check_seal(header, work_key)
        nonce = bytes.fromhex(header.tag or "")
        check_frames(frames, header)
        header = opened(header, work_key)
    else:
        work_key, nonce = master_key(header, secret), context_text(context)
        check_frames(frames, header)
    frames, meaning = described_frames(frames, header)
    chosen = pixels_of_frames([frame.shape for frame in frames], header, meaning)
    work = Work(header=header, key=work_key, nonce=nonce)
    # Assumed: encrypted booleans of another byte than 0 or 1 are refused like plain ones.
    plain = [
        restore_frame(frame, index, work=work, pixels=pixels)
        for index, (frame, pixels) in enumerate(zip(frames, chosen, strict=True))
    ]
    if context is None:
        check_tag(header, plain, work_key)
    if meaning is not None and "file" in meaning:
        file_of_frame(plain[0], meaning["file"]["size"])
    return plain, meaning
