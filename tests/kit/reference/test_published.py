"""Known answers in documents that the specification refers to, from `published.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.kit.reference import RefusedError
from tests.kit.reference.bech32 import decode, encode, join_groups, split_bytes
from tests.kit.reference.chacha20 import compute_block, iterate_words, mix_quarter_round
from tests.kit.reference.hkdf import expand, extract

from_hex = bytes.fromhex
PUBLISHED: dict[str, Any] = json.loads(
    Path(__file__).with_name("published.json").read_text(encoding="ascii")
)
BECH32 = PUBLISHED["bech32"]


def test_chacha20_quarter_round() -> None:
    """RFC 8439, section 2.1.1: the quarter round of its four words."""
    input_words = (0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567)
    assert mix_quarter_round(*input_words) == (0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB)


@pytest.mark.parametrize("case", PUBLISHED["chacha20"]["cases"])
def test_chacha20_block(case: dict[str, Any]) -> None:
    """RFC 8439: the block function gives its key streams."""
    result = compute_block(from_hex(case["key"]), case["counter"], from_hex(case["nonce"]))
    assert result.hex() == case["stream"]


def test_stream_words() -> None:
    """RFC 8439, A.1 #1 and #2: the stream is blocks 0, 1, ... read lowest byte first."""
    stream = iterate_words(bytes(32))
    expected = "".join(case["stream"] for case in PUBLISHED["chacha20"]["cases"][1:])
    assert b"".join(next(stream).to_bytes(4, "little") for _ in range(32)).hex() == expected


@pytest.mark.parametrize("case", PUBLISHED["hkdf"]["cases"])
def test_hkdf(case: dict[str, Any]) -> None:
    """RFC 5869, appendix A: extract and expand give its answers."""
    salt = None if case["salt"] is None else from_hex(case["salt"])
    key, output = from_hex(case["pseudorandom_key"]), from_hex(case["output"])
    assert extract(salt, from_hex(case["material"])) == key
    assert expand(key, from_hex(case["info"]), len(output)) == output


@pytest.mark.parametrize("text", BECH32["valid"])
def test_bech32_valid(text: str) -> None:
    """BIP 173: a valid string is read, and written again in lower case."""
    assert encode(*decode(text)) == text.lower()


@pytest.mark.parametrize(("text", "reason"), BECH32["invalid"])
def test_bech32_invalid(text: str, reason: str) -> None:
    """BIP 173: an invalid string is refused, for its own reason."""
    with pytest.raises(RefusedError, match=reason):
        decode(text)


def test_bech32_mixed_case() -> None:
    """BIP 173: mixed case is refused where either case alone is read."""
    address = BECH32["mixed case"]
    assert decode(address.lower()) == decode(address.upper())
    with pytest.raises(RefusedError, match="mixed case"):
        decode(address)


@pytest.mark.parametrize("text", BECH32["padded"])
def test_bech32_padding(text: str) -> None:
    """BIP 173: padding of more than four bits, or not zero, is refused."""
    _, (_, *program) = decode(text)
    with pytest.raises(RefusedError, match="padding"):
        join_groups(program)


def test_bech32_bytes() -> None:
    """BIP 173, "Examples": the witness program of the main net P2WPKH address, there and back."""
    program = from_hex("751e76e8199196d454941c45d1b3a323f1433bd6")
    address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    assert encode("bc", [0, *split_bytes(program)]) == address
    _, (_, *groups) = decode(address)
    assert join_groups(groups) == program
