"""Known answers of the documents that the specification builds on."""

import hashlib

import pytest

from tests.kit.reference import RefusedError
from tests.kit.reference.aead import poly1305, seal, unseal
from tests.kit.reference.argon2 import argon2id
from tests.kit.reference.bech32 import bytes_from_groups, decode, encode, groups_from_bytes
from tests.kit.reference.chacha20 import ZERO_NONCE, block, quarter_round, words
from tests.kit.reference.hkdf import expand, extract

HEX = bytes.fromhex

# RFC 8439: section 2.3.2, then appendix A.1, test vectors #1 and #2 (key, counter, nonce, stream).
CHACHA20_BLOCKS = [
    (bytes(range(32)), 1, HEX("000000090000004a00000000"), HEX(
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")),
    (bytes(32), 0, ZERO_NONCE, HEX(
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586")),
    (bytes(32), 1, ZERO_NONCE, HEX(
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f")),
]  # fmt: skip

# RFC 5869, appendix A: input key material, salt, info, pseudorandom key, output.
HKDF_CASES = [
    (b"\x0b" * 22, bytes(range(0x0D)), bytes(range(0xF0, 0xFA)),
     HEX("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"),
     HEX("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")),
    (bytes(range(0x50)), bytes(range(0x60, 0xB0)), bytes(range(0xB0, 0x100)),
     HEX("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"),
     HEX("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6"
         "5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")),
    (b"\x0b" * 22, None, b"",
     HEX("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04"),
     HEX("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")),
]  # fmt: skip

# BIP 173, "Test vectors": the strings that are valid Bech32, and those that are not.
BECH32_VALID = [
    "A12UEL5L", "a12uel5l",
    "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
    "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "11" + "q" * 82 + "c8247j",
    "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "?1ezyfcl",
]  # fmt: skip
BECH32_INVALID = [
    ("\x201nwldj5", "range"), ("\x7f1axkwrx", "range"), ("\x801eym55h", "range"),
    ("an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx",
     "90 characters"),
    ("pzry9x0s0muk", "no human-readable part"), ("1pzry9x0s0muk", "no human-readable part"),
    ("x1b4n0q5v", "data part"), ("li1dgmt3", "data part"), ("de1lg7wt\xff", "range"),
    ("A1G7SGD8", "checksum"), ("10a06t8", "no human-readable part"),
    ("1qzzfhee", "no human-readable part"),
]  # fmt: skip

# BIP 173, "Test vectors": a mixed-case address, and two whose padding is too long or not zero.
MIXED_CASE_ADDRESS = "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7"
PADDED_ADDRESSES = [
    "bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du",
    "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv",
]

# RFC 7914, section 12: password, salt, N, r, p, key.
SCRYPT_CASES = [
    (b"", b"", 16, 1, 1, HEX(
        "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906")),
    (b"password", b"NaCl", 1024, 8, 16, HEX(
        "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")),
]  # fmt: skip

# RFC 8439, section 2.8.2: the plain text, then the encrypted text and its tag.
SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: "
    b"If I could offer you only one tip for the future, sunscreen would be it."
)
SUNSCREEN_SEALED = HEX(
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
    "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
    "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
    "3ff4def08e4b7a9de576d26586cec64b6116"
    "1ae10b594f09e26a7e902ecbd0600691"
)


def test_chacha20_quarter_round() -> None:
    """RFC 8439, section 2.1.1: the quarter round of its four words."""
    words_in = (0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567)
    assert quarter_round(*words_in) == (0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB)


@pytest.mark.parametrize(("key", "counter", "nonce", "stream"), CHACHA20_BLOCKS)
def test_chacha20_block(key: bytes, counter: int, nonce: bytes, stream: bytes) -> None:
    """RFC 8439: the block function gives its key streams."""
    assert block(key, counter, nonce) == stream


def test_stream_words() -> None:
    """RFC 8439, A.1 #1 and #2: the stream is blocks 0, 1, ... read lowest byte first."""
    stream = words(bytes(32))
    expected = b"".join(vector[3] for vector in CHACHA20_BLOCKS[1:])
    assert b"".join(next(stream).to_bytes(4, "little") for _ in range(32)) == expected


@pytest.mark.parametrize(("material", "salt", "info", "pseudorandom_key", "output"), HKDF_CASES)
def test_hkdf(
    material: bytes, salt: bytes | None, info: bytes, pseudorandom_key: bytes, output: bytes
) -> None:
    """RFC 5869, appendix A: extract and expand give its answers."""
    assert extract(salt, material) == pseudorandom_key
    assert expand(pseudorandom_key, info, len(output)) == output


@pytest.mark.parametrize("text", BECH32_VALID)
def test_bech32_valid(text: str) -> None:
    """BIP 173: a valid string is read, and written again in lower case."""
    assert encode(*decode(text)) == text.lower()


@pytest.mark.parametrize(("text", "reason"), BECH32_INVALID)
def test_bech32_invalid(text: str, reason: str) -> None:
    """BIP 173: an invalid string is refused, for its own reason."""
    with pytest.raises(RefusedError, match=reason):
        decode(text)


def test_bech32_mixed_case() -> None:
    """BIP 173: mixed case is refused where either case alone is read."""
    assert decode(MIXED_CASE_ADDRESS.lower()) == decode(MIXED_CASE_ADDRESS.upper())
    with pytest.raises(RefusedError, match="mixed case"):
        decode(MIXED_CASE_ADDRESS)


@pytest.mark.parametrize("text", PADDED_ADDRESSES)
def test_bech32_padding(text: str) -> None:
    """BIP 173: padding of more than four bits, or not zero, is refused."""
    _, (_, *program) = decode(text)
    with pytest.raises(RefusedError, match="padding"):
        bytes_from_groups(program)


def test_bech32_bytes() -> None:
    """BIP 173, "Examples": the witness program of the main net P2WPKH address, there and back."""
    program = HEX("751e76e8199196d454941c45d1b3a323f1433bd6")
    address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    assert encode("bc", [0, *groups_from_bytes(program)]) == address
    _, (_, *groups) = decode(address)
    assert bytes_from_groups(groups) == program


def test_argon2id() -> None:
    """RFC 9106, section 5.3: the tag of its password, with a secret and associated data."""
    tag = argon2id(
        b"\x01" * 32, salt=b"\x02" * 16, memory=32, passes=3, parallel=4, length=32,
        secret=b"\x03" * 8, data=b"\x04" * 12,
    )  # fmt: skip
    assert tag == HEX("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659")


@pytest.mark.parametrize(("password", "salt", "n", "r", "p", "key"), SCRYPT_CASES)
def test_scrypt(password: bytes, salt: bytes, n: int, r: int, p: int, key: bytes) -> None:
    """RFC 7914, section 12: the function of the standard library gives its keys."""
    assert hashlib.scrypt(password, salt=salt, n=n, r=r, p=p, dklen=64) == key


def test_poly1305() -> None:
    """RFC 8439, section 2.5.2: the tag of its message."""
    key = HEX("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
    tag = HEX("a8061dc1305136c6c22b8baf0c0127a9")
    assert poly1305(key, b"Cryptographic Forum Research Group") == tag


def test_aead() -> None:
    """RFC 8439, section 2.8.2: sealed and unsealed."""
    nonce, associated = HEX("070000004041424344454647"), HEX("50515253c0c1c2c3c4c5c6c7")
    key = bytes(range(0x80, 0xA0))
    sealed = seal(SUNSCREEN, key=key, nonce=nonce, associated=associated)
    assert sealed == SUNSCREEN_SEALED
    assert unseal(sealed, key=key, nonce=nonce, associated=associated) == SUNSCREEN
