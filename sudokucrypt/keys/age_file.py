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

# The maximum number of stanzas by docs/spec/recipients-v1.md; age itself has no limit.
MAX_STANZAS: Final = 64
FILE_KEY_LENGTH: Final = 16

FailedStep: TypeAlias = Literal["header", "HMAC", "no match", "payload"]

_VERSION = b"age-encryption.org/v1\n"
# Characters of base64 in a line of a stanza's body; a shorter line ends the body.
_LINE_LENGTH = 64
# Random bytes from which HKDF derives the key of the payload, so that each payload has its own key.
_NONCE_LENGTH = 16
# The nonce of the only chunk of a payload: chunk number 0, and the mark of the last chunk.
_ONLY_CHUNK_NONCE = bytes(11) + b"\x01"


class AgeFileError(DecryptionError):
    """An age file is damaged or for other identities; the message does not reveal which."""

    def __init__(self, failed_step: FailedStep) -> None:
        super().__init__()
        self.failed_step = failed_step


@dataclass(frozen=True)
class Stanza:
    """The encrypted file key for one recipient: the arguments of the first line, and the body."""

    arguments: tuple[str, ...]
    body: bytes

    def to_bytes(self) -> bytes:
        """Return the encoded lines; the last line of the body is shorter than the others."""
        text = encode_unpadded(self.body)
        starts = range(0, len(text) + 1, _LINE_LENGTH)
        lines = [text[start : start + _LINE_LENGTH] for start in starts]
        return "".join(f"{line}\n" for line in [f"-> {' '.join(self.arguments)}", *lines]).encode()


@dataclass(frozen=True)
class AgeFile:
    """A parsed age file, which is not authenticated yet."""

    stanzas: tuple[Stanza, ...]
    authenticated_header: bytes  # the part of the header that `mac` covers
    mac: bytes
    payload: bytes  # encrypted, with its nonce before it

    @classmethod
    def from_bytes(cls, data: bytes) -> "AgeFile":
        """Parse an age file; `AgeFileError` if it is malformed, or beyond the limits."""
        if len(data) > FILE_LIMIT or not data.startswith(_VERSION):
            raise AgeFileError("header")
        position, stanzas = len(_VERSION), list[Stanza]()
        while data.startswith(b"-> ", position):
            if len(stanzas) == MAX_STANZAS:
                raise AgeFileError("header")
            first_line, position = _split_line(data, position)
            if not fullmatch(r"->( [!-~]+)+", first_line):
                raise AgeFileError("header")
            body = list[str]()
            while not body or len(body[-1]) == _LINE_LENGTH:
                line, position = _split_line(data, position)
                body.append(line)
            if len(body[-1]) > _LINE_LENGTH:
                raise AgeFileError("header")
            stanzas.append(Stanza(tuple(first_line.split(" ")[1:]), decode_unpadded("".join(body))))
        header = data[:position] + b"---"
        last_line, position = _split_line(data, position)
        if not stanzas or not last_line.startswith("--- ") or len(data) < position + _NONCE_LENGTH:
            raise AgeFileError("header")
        return cls(tuple(stanzas), header, decode_unpadded(last_line[4:], 32), data[position:])

    def decrypt(self, file_key: bytes) -> bytes:
        """Return the plain payload; `AgeFileError` if header or payload were changed."""
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        if not hmac.compare_digest(_compute_mac(file_key, self.authenticated_header), self.mac):
            raise AgeFileError("HMAC")
        nonce, chunk = self.payload[:_NONCE_LENGTH], self.payload[_NONCE_LENGTH:]
        try:
            return ChaCha20Poly1305(derive_by_hkdf(file_key, nonce, b"payload")).decrypt(
                _ONLY_CHUNK_NONCE, chunk, None
            )
        except InvalidTag:
            raise AgeFileError("payload") from None


def encrypt_payload(payload: bytes, file_key: bytes, stanzas: Iterable[Stanza]) -> bytes:
    """Encrypt a short payload as an age file with these stanzas, under a random nonce."""
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    header = _VERSION + b"".join(stanza.to_bytes() for stanza in stanzas) + b"---"
    mac = f" {encode_unpadded(_compute_mac(file_key, header))}\n".encode()
    nonce = secrets.token_bytes(_NONCE_LENGTH)
    cipher = ChaCha20Poly1305(derive_by_hkdf(file_key, nonce, b"payload"))
    return header + mac + nonce + cipher.encrypt(_ONLY_CHUNK_NONCE, payload, None)


def derive_by_hkdf(material: bytes, salt: bytes, info: bytes) -> bytes:
    """Return 32 bytes of HKDF-SHA-256 (RFC 5869) of key material."""
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, salt, info).derive(material)


def encode_unpadded(data: bytes) -> str:
    """Return base64 without padding."""
    return b64encode(data).decode().rstrip("=")


def decode_unpadded(text: str, length: int | None = None) -> bytes:
    """Decode base64 without padding; `AgeFileError` for another form or length."""
    try:
        data = a2b_base64(text + "=" * (-len(text) % 4))
    except ValueError:
        raise AgeFileError("header") from None
    if encode_unpadded(data) != text or length not in (None, len(data)):
        raise AgeFileError("header")
    return data


def _split_line(data: bytes, start: int) -> tuple[str, int]:
    """Return the line from `start` on without its end, and the start of the next line."""
    line_end = data.find(b"\n", start)
    line = data[start:line_end]
    if line_end < 0 or not line.isascii():
        raise AgeFileError("header")
    return line.decode("ascii"), line_end + 1


def _compute_mac(file_key: bytes, header: bytes) -> bytes:
    return hmac.digest(derive_by_hkdf(file_key, b"", b"header"), header, "sha256")
