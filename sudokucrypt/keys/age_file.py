"""Age files, version 1, in their binary form: stanzas, the MAC of the header, and one payload.

The format is that of https://c2sp.org/age. Files here are short, so the payload is one chunk.
"""

import hmac
import secrets
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterable
from dataclasses import dataclass
from re import fullmatch
from typing import Final, Literal, TypeAlias

from sudokucrypt.errors import DecryptionError

FILE_LIMIT: Final = 65536
"""Most bytes of an age file that is read, so that its payload is always a single chunk."""

# As docs/spec/recipients-v1.md says; age itself sets no limit.
MAX_STANZAS: Final = 64
FILE_KEY_LENGTH: Final = 16

FailedStep: TypeAlias = Literal["header", "HMAC", "no match", "payload"]

_VERSION = b"age-encryption.org/v1\n"
_COLUMNS = 64  # of base64 in a line of a stanza's body; a shorter line ends the body
# Bytes from which HKDF makes the key of the payload, so that no key serves two payloads.
_NONCE = 16
# The last chunk of a payload has 1 at the end of its nonce, and the first one has number 0.
_ONLY_CHUNK = bytes(11) + b"\x01"


class AgeFileError(DecryptionError):
    """An age file that is damaged, or meant for others; callers show one message for all faults."""

    def __init__(self, fault: FailedStep) -> None:
        super().__init__()
        self.fault = fault


@dataclass(frozen=True)
class Stanza:
    """The file key for one recipient: the arguments of its first line, and its body."""

    arguments: tuple[str, ...]
    body: bytes

    def to_bytes(self) -> bytes:
        """Return the lines, the last of which is shorter than the others."""
        text = encode_unpadded(self.body)
        lines = [text[start : start + _COLUMNS] for start in range(0, len(text) + 1, _COLUMNS)]
        return "".join(f"{line}\n" for line in [f"-> {' '.join(self.arguments)}", *lines]).encode()


@dataclass(frozen=True)
class AgeFile:
    """An age file whose form is right; nothing in it is authentic yet."""

    stanzas: tuple[Stanza, ...]
    covered: bytes
    mac: bytes
    payload: bytes

    @classmethod
    def from_bytes(cls, data: bytes) -> "AgeFile":
        """Read a file; `AgeFileError` for any other form, and for files beyond the limits."""
        if len(data) > FILE_LIMIT or not data.startswith(_VERSION):
            raise AgeFileError("header")
        at, stanzas = len(_VERSION), list[Stanza]()
        while data.startswith(b"-> ", at):
            if len(stanzas) == MAX_STANZAS:
                raise AgeFileError("header")
            first, at = _split_line(data, at)
            if not fullmatch(r"->( [!-~]+)+", first):
                raise AgeFileError("header")
            body = list[str]()
            while not body or len(body[-1]) == _COLUMNS:
                line, at = _split_line(data, at)
                body.append(line)
            if len(body[-1]) > _COLUMNS:
                raise AgeFileError("header")
            stanzas.append(Stanza(tuple(first.split(" ")[1:]), from_unpadded("".join(body))))
        covered = data[:at] + b"---"
        last, at = _split_line(data, at)
        if not stanzas or not last.startswith("--- ") or len(data) < at + _NONCE:
            raise AgeFileError("header")
        return cls(tuple(stanzas), covered, from_unpadded(last[4:], 32), data[at:])

    def decrypt(self, file_key: bytes) -> bytes:
        """Return what is encrypted; `AgeFileError` if header or payload were changed."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        if not hmac.compare_digest(_compute_mac(file_key, self.covered), self.mac):
            raise AgeFileError("HMAC")
        nonce, chunk = self.payload[:_NONCE], self.payload[_NONCE:]
        try:
            return ChaCha20Poly1305(hkdf(file_key, nonce, b"payload")).decrypt(
                _ONLY_CHUNK, chunk, None
            )
        except InvalidTag:
            raise AgeFileError("payload") from None


def encrypt_payload(payload: bytes, file_key: bytes, stanzas: Iterable[Stanza]) -> bytes:
    """Return a new age file around a short payload, under a nonce that is drawn here."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    covered = _VERSION + b"".join(stanza.to_bytes() for stanza in stanzas) + b"---"
    last = f" {encode_unpadded(_compute_mac(file_key, covered))}\n".encode()
    nonce = secrets.token_bytes(_NONCE)
    cipher = ChaCha20Poly1305(hkdf(file_key, nonce, b"payload"))
    return covered + last + nonce + cipher.encrypt(_ONLY_CHUNK, payload, None)


def hkdf(material: bytes, salt: bytes, info: bytes) -> bytes:
    """Return 32 bytes of HKDF-SHA-256, with the salts and labels of age."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, salt, info).derive(material)


def encode_unpadded(data: bytes) -> str:
    """Return base64 without padding."""
    return b64encode(data).decode().rstrip("=")


def from_unpadded(text: str, length: int | None = None) -> bytes:
    """Read base64 without padding, in its one form; `AgeFileError` for anything else."""
    try:
        data = a2b_base64(text + "=" * (-len(text) % 4), strict_mode=True)
    except ValueError:
        raise AgeFileError("header") from None
    if encode_unpadded(data) != text or length not in (None, len(data)):
        raise AgeFileError("header")
    return data


def _split_line(data: bytes, start: int) -> tuple[str, int]:
    """Return a line without its end, and where the next one starts."""
    stop = data.find(b"\n", start)
    line = data[start:stop]
    if stop < 0 or not line.isascii():
        raise AgeFileError("header")
    return line.decode("ascii"), stop + 1


def _compute_mac(file_key: bytes, covered: bytes) -> bytes:
    return hmac.digest(hkdf(file_key, b"", b"header"), covered, "sha256")
