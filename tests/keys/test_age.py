"""Age files: the vectors of age, other programs, limits, and identity files."""

import base64
import hashlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sudokucrypt import Identity, InvalidKeyError, Key, Passphrase, PictureKey, Recipient
from sudokucrypt.errors import DecryptionError, OutputExistsError, UnsupportedError
from sudokucrypt.header import MAX_RECIPIENTS_BYTES
from sudokucrypt.keys import AgeFile, AgeFileError, encrypt_picture_key, lock, read_key, unlock
from sudokucrypt.keys import identity as identity_module
from sudokucrypt.keys.age_file import FILE_LIMIT, MAX_STANZAS, Stanza, encrypt_payload
from sudokucrypt.keys.texts import encode_bech32
from tests.spies import watch_calls

# C2SP/CCTV, age, https://github.com/C2SP/CCTV: the binary vectors but the largest; CC0 or 0BSD.
VECTORS: list[dict[str, Any]] = json.loads(
    Path(__file__, "..", "age-vectors.json").resolve().read_text()
)
CLASSES = {
    "header": "header failure",
    "HMAC": "HMAC failure",
    "no match": "no match",
    "payload": "payload failure",
}
LOW_ORDER_VECTORS = {"hybrid_identity", "hybrid_low_order"}
"""For points of low order the library raises the error of a wrong key."""

KEY = PictureKey(bytes(range(32)))
TEXT = f"{KEY.to_text()}\n".encode()
CLASSIC, HYBRID = Identity(bytes(range(32))), Identity.generate(post_quantum=True)


def find_outcome(identity: Identity, data: bytes) -> str:
    """Return the digest of the decrypted file, or the class of the error in the vectors."""
    try:
        return hashlib.sha256(identity.decrypt(data)).hexdigest()
    except AgeFileError as error:
        return CLASSES[error.failed_step]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_the_vectors_of_age(vector: dict[str, Any]) -> None:
    """Each file gives the payload or the error of its vector; files for passphrases are refused."""
    texts = vector.get("identity", CLASSIC.to_text())
    data = base64.b64decode(vector["file"])
    identities = map(Identity.from_text, [texts] if isinstance(texts, str) else texts)
    result = {find_outcome(identity, data) for identity in identities}
    expected = vector["payload"] if vector["expect"] == "success" else vector["expect"]
    if b"-> scrypt " in data:
        expected = "header failure"  # pictures use the field `kdf` for passphrases
    elif vector["name"] in LOW_ORDER_VECTORS:
        expected = "no match"
    assert expected in result
    assert result <= {expected, *CLASSES.values()}


def test_texts_and_sizes() -> None:
    """Texts of recipients and identities are as long as those of age, and are read back."""
    assert len(VECTORS) == 91
    assert len(CLASSIC.recipient.to_text()) == 62
    assert len(HYBRID.recipient.to_text()) == 1959
    assert len(HYBRID.to_text()) == 77
    for identity in (CLASSIC, HYBRID):
        assert Identity.from_text(identity.to_file_text()) == identity
        assert Recipient.from_text(identity.recipient.to_text()) == identity.recipient
    assert repr(CLASSIC.recipient) == f"<Recipient {CLASSIC.recipient.to_text()}>"
    hybrid_text = HYBRID.recipient.to_text()
    assert repr(HYBRID.recipient) == f"<Recipient {hybrid_text[:24]}...{hybrid_text[-8:]}>"
    sizes = [
        len(encrypt_picture_key([recipient.recipient], KEY)) for recipient in (CLASSIC, HYBRID)
    ]
    assert sizes == [284, 1743]


def test_a_header_holds_the_largest_age_file() -> None:
    """The largest age file that is read is as long as the largest field `recipients`."""
    assert FILE_LIMIT == MAX_RECIPIENTS_BYTES


@pytest.mark.parametrize(
    ("recipients", "message"),
    [
        ([], "1 to 64 recipients, not 0"),
        ([CLASSIC.recipient, HYBRID.recipient], "cannot be mixed"),
        ([Recipient(bytes([n] * 32)) for n in range(1, 66)], "1 to 64 recipients, not 65"),
        ([Recipient(bytes([n] * 1216)) for n in range(42)], "1 to 41 post-quantum recipients"),
        ([Recipient(bytes(32))], "not a valid public key"),
        ([Recipient(bytes(1216))], "not a valid public key"),
        ([Recipient(bytes([255] * 1216))], "not a valid public key"),
    ],
)
def test_recipients_that_are_refused(recipients: list[Recipient], message: str) -> None:
    """No recipient, too many, recipients of both kinds, and points of low order are refused."""
    with pytest.raises(InvalidKeyError, match=message):
        encrypt_picture_key(recipients, KEY)


def test_the_largest_number_of_recipients() -> None:
    """64 classic or 41 hybrid recipients fit; a recipient that is given twice counts once."""
    for max_count, identity in ((64, CLASSIC), (41, HYBRID)):
        other_recipients = [
            Identity.generate(post_quantum=identity is HYBRID).recipient
            for _ in range(max_count - 1)
        ]
        data = encrypt_picture_key([*other_recipients, identity.recipient, identity.recipient], KEY)
        assert len(data) <= FILE_LIMIT
        assert len(AgeFile.from_bytes(data).stanzas) == max_count
        assert identity.open(data) == KEY


def test_another_version_is_refused() -> None:
    """A file of another version of the format is not read, and neither is one that is too long."""
    data = encrypt_picture_key([CLASSIC.recipient], KEY)
    assert len(AgeFile.from_bytes(data).stanzas) == 1
    for changed in (data.replace(b"/v1", b"/v2", 1), data + bytes(FILE_LIMIT)):
        with pytest.raises(AgeFileError) as error_info:
            AgeFile.from_bytes(changed)
        assert (str(error_info.value), error_info.value.hint) == (
            str(DecryptionError()),
            DecryptionError().hint,
        )
    assert len(AgeFile.from_bytes(data.ljust(FILE_LIMIT)).stanzas) == 1


def test_bodies_of_stanzas_end_with_a_shorter_line() -> None:
    """A stanza with a body of any length is read back, also if its lines are full."""
    bodies = [bytes(range(length)) for length in (0, 1, 47, 48, 49, 95, 96, 97)]
    stanzas = tuple(Stanza(("x", str(len(body))), body) for body in bodies)
    assert AgeFile.from_bytes(encrypt_payload(b"", bytes(16), stanzas)).stanzas == stanzas


@pytest.mark.parametrize(
    "text",
    [
        *("", "age1", "AGE1" + "Q" * 58, "age1yubikey1qqqq", "ssh-ed25519 AAAA"),
        *(CLASSIC.to_text(), CLASSIC.recipient.to_text().upper(), encode_bech32("x", bytes(32))),
    ],
)
def test_texts_that_are_no_recipients(text: str) -> None:
    """Other texts, also that of an identity, are refused; the message does not repeat the text."""
    with pytest.raises(InvalidKeyError) as error_info:
        Recipient.from_text(text)
    assert not text or text not in str(error_info.value)
    with pytest.raises(InvalidKeyError, match="length"):
        Recipient(text.encode())


@pytest.mark.parametrize("payload", [TEXT[:-1], TEXT.lower(), b"\n" + TEXT, b"", b"\xff", TEXT * 2])
def test_a_payload_has_one_form(payload: bytes) -> None:
    """A payload other than the text of a picture key and a line feed is refused."""
    pyrage = pytest.importorskip("pyrage")
    recipient = pyrage.x25519.Recipient.from_str(CLASSIC.recipient.to_text())
    with pytest.raises(DecryptionError):
        CLASSIC.open(pyrage.encrypt(payload, [recipient]))


def test_pyrage_reads_and_writes_the_same() -> None:
    """pyrage opens our file for two recipients, and we open one that it encrypted for two."""
    pyrage = pytest.importorskip("pyrage")
    identity = pyrage.x25519.Identity.generate()
    recipients = [CLASSIC.recipient, Recipient.from_text(str(identity.to_public()))]
    assert pyrage.decrypt(encrypt_picture_key(recipients, KEY), [identity]) == TEXT
    recipient = pyrage.x25519.Recipient.from_str(CLASSIC.recipient.to_text())
    assert CLASSIC.open(pyrage.encrypt(TEXT, [identity.to_public(), recipient])) == KEY


@pytest.mark.programs("age", "age-keygen")
def test_age_reads_and_writes_the_same(tmp_path: Path) -> None:
    """The program opens our file with our identity file, and we open its file with its identity."""
    CLASSIC.to_file(tmp_path / "id")
    result = encrypt_picture_key([CLASSIC.recipient], KEY)
    age = ["age", "-d", "-i", str(tmp_path / "id")]
    assert subprocess.run(age, input=result, capture_output=True, check=True).stdout == TEXT
    subprocess.run(["age-keygen", "-o", str(tmp_path / "made")], capture_output=True, check=True)
    identity = Identity.from_file(tmp_path / "made")
    command = ["age", "-r", identity.recipient.to_text()]
    data = subprocess.run(command, input=TEXT, capture_output=True, check=True).stdout
    assert identity.open(data) == KEY


@pytest.mark.parametrize("identity", [CLASSIC, HYBRID], ids=["X25519", "hybrid"])
def test_identities_are_stored_as_keys_are(identity: Identity, tmp_path: Path) -> None:
    """An identity file has mode 0600 and is never replaced; `repr` and pickle do not show it."""
    path = tmp_path / "me.txt"
    identity.to_file(path)
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert Identity.from_file(path) == identity
    with pytest.raises(OutputExistsError):
        identity.to_file(path)
    assert identity.to_text() not in f"{identity!r} {identity}"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(identity)


def test_locked_identities() -> None:
    """The passphrase unlocks identities and a key, another does not; a locked key is no key."""
    passphrase = Passphrase("a passphrase")
    for secret in (CLASSIC, HYBRID, Key(bytes(32))):
        text = lock(secret, passphrase)
        assert secret.to_text() not in text
        assert unlock(text, passphrase) == secret
        with pytest.raises(DecryptionError):
            unlock(text, Passphrase("another"))
    line = text.splitlines()[-1]
    assert "LOCKED-KEY-1" in line
    with pytest.raises(InvalidKeyError):
        read_key(text)


def test_hostile_files_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 64 stanzas costs one key exchange per stanza; files beyond the limits cost none."""
    exchanges: list[object] = []
    strangers = [Identity.generate().recipient for _ in range(MAX_STANZAS - 1)]
    watch_calls(
        monkeypatch,
        identity_module,
        "_make_wrapping_cipher",
        lambda *shares: exchanges.append(shares),
    )
    for position in (0, 31, 63):
        recipients = [*strangers[:position], CLASSIC.recipient, *strangers[position:]]
        data = encrypt_picture_key(recipients, KEY)
        exchanges.clear()
        assert CLASSIC.open(data) == KEY
        assert len(exchanges) == MAX_STANZAS
        exchanges.clear()
        assert find_outcome(Identity(bytes(32)), data) == "no match"
        assert len(exchanges) == MAX_STANZAS
    exchanges.clear()
    file_start = b"age-encryption.org/v1\n"
    mac = b"A" * 43 + b"\n" + bytes(16)
    for stanzas in (
        b"-> X25519 a\n\n" * 5000,
        b"-> a\n" + b"A" * 65_000,
        b"-> a" * 16_000,
        b"--- " + mac,
        b"-> a\n\n---x" + mac,
    ):
        assert find_outcome(CLASSIC, file_start + stanzas) == "header failure"
    assert not exchanges


_SSH = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGw0Iq7Zx0cQ9mA0Yy8mC1t6l2Cw9o2v3p4q5r6s7t8u ann@host"
_PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END\n"


def test_ssh_keys_are_refused() -> None:
    """An SSH or PEM key is refused as recipient and as identity; the hint says what is accepted."""
    with pytest.raises(InvalidKeyError, match="SSH keys are not taken as recipients") as error_info:
        Recipient.from_text(_SSH)
    assert "starts with age1" in str(error_info.value.hint)
    for text in (_SSH, _PEM, _PEM.replace("OPENSSH", "RSA")):
        for read_text in (Key.from_text, Identity.from_text):
            with pytest.raises(
                InvalidKeyError, match="SSH and PEM keys are not taken"
            ) as error_info:
                read_text(text)
            assert "Identity of age" in str(error_info.value.hint)


def test_lists_of_recipients() -> None:
    """Comments may follow a recipient; an error has the number of the line and the file name."""
    text = CLASSIC.recipient.to_text()
    lines = f"\ufeff# the team\r\n\r\n{text}  # Ann\r\n {text}\t# Bob # at home\n"
    assert Recipient.from_lines(lines) == [CLASSIC.recipient] * 2
    for invalid_line in (_SSH, "age1yubikey1q", text[:-1], f"{text} Ann", f"{text}#Ann"):
        with pytest.raises(InvalidKeyError, match=r"^'team.txt', line 3: "):
            Recipient.from_lines(f"# the team\n{text}\n{invalid_line}\n", origin="'team.txt'")
    with pytest.raises(InvalidKeyError, match=r"^line 1: "):
        Recipient.from_lines("x")


@pytest.mark.parametrize("error", ["ImportError", "UnsupportedAlgorithm"])
def test_an_openssl_without_mlkem(error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without ML-KEM, post-quantum identities raise a clear error, and X25519 still works."""
    from cryptography.exceptions import UnsupportedAlgorithm

    encrypted = encrypt_picture_key([HYBRID.recipient], KEY)
    recipient = HYBRID.recipient
    mlkem = "cryptography.hazmat.primitives.asymmetric.mlkem"
    if error == "ImportError":
        monkeypatch.setitem(sys.modules, mlkem, None)
    else:

        def refuse(*_: object) -> None:
            raise UnsupportedAlgorithm("ML-KEM")

        for name in ("MLKEM768PrivateKey", "MLKEM768PublicKey"):
            kind = type(name, (), dict.fromkeys(("from_seed_bytes", "from_public_bytes"), refuse))
            monkeypatch.setattr(f"{mlkem}.{name}", kind)
    calls = (
        lambda: encrypt_picture_key([recipient], KEY),
        lambda: HYBRID.open(encrypted),
        lambda: Identity.generate(post_quantum=True).recipient,
    )
    for call in calls:
        with pytest.raises(UnsupportedError, match="which the installed OpenSSL does not have"):
            call()
    assert CLASSIC.open(encrypt_picture_key([CLASSIC.recipient], KEY)) == KEY
