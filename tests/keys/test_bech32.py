"""Bech32: the published strings, and padding and characters that keys never have."""

import pytest

from sudokucrypt.keys import texts


# https://github.com/bitcoin/bips/blob/master/bip-0173.mediawiki, test vectors
@pytest.mark.parametrize(
    "text",
    [
        "A12UEL5L",
        "a12uel5l",
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
        "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
    ],
)
def test_published_bech32_is_accepted(text: str) -> None:
    """The valid strings of BIP 173 are decoded, and encoding gives them back in lower case."""
    prefix, payload = texts.decode_bech32(text)
    assert texts.encode_bech32(prefix, payload) == text.lower()


@pytest.mark.parametrize(
    "text",
    ["pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8", "10a06t8", "aB1x"],
)
def test_published_bad_bech32_is_refused(text: str) -> None:
    """The invalid strings of BIP 173 are refused."""
    with pytest.raises(ValueError, match=r"\w"):
        texts.decode_bech32(text)


def write_text(values: list[int]) -> str:
    """Return the text for groups of 5 bits, with the right checksum."""
    remainder = texts._compute_polymod([*texts._expand_prefix("a"), *values, *[0] * 6]) ^ 1
    checksum = [(remainder >> shift) & 31 for shift in range(25, -1, -5)]
    return "a1" + "".join(texts.BECH32_ALPHABET[value] for value in [*values, *checksum])


def test_groups_are_bytes() -> None:
    """Two groups of 5 bits give one byte; the other two bits are padding."""
    assert texts.decode_bech32(write_text([31, 28])) == ("a", b"\xff")


@pytest.mark.parametrize("values", [[0], [0] * 9, [31, 29], [0, 0, 0]])
def test_padding_is_less_than_a_group_and_zero(values: list[int]) -> None:
    """A text with a superfluous group, or with a padding bit that is not zero, is refused."""
    with pytest.raises(ValueError, match="padding"):
        texts.decode_bech32(write_text(values))


def test_a_character_that_becomes_ascii_in_lower_case_is_refused() -> None:
    """The Kelvin sign, whose lower case is k, is no letter of a text in upper case."""
    text = texts.encode_bech32("key", b"secret").upper()
    assert texts.decode_bech32(text) == ("key", b"secret")
    with pytest.raises(ValueError, match="a character is not allowed"):
        texts.decode_bech32(text.replace("K", "\N{KELVIN SIGN}"))


@pytest.mark.parametrize("symbol", ["b", "i", "o", "é", " "])
def test_a_foreign_character_is_refused(symbol: str) -> None:
    """A single character outside the alphabet gives an error that says so."""
    text = write_text([31, 28])
    with pytest.raises(ValueError, match="a character is not allowed"):
        texts.decode_bech32(text[:2] + symbol + text[3:])


def test_a_text_may_have_every_letter() -> None:
    """A payload with all groups of 5 bits, and so all letters of the alphabet, is decoded."""
    payload = sum(value << 5 * value for value in range(32)).to_bytes(20)
    text = texts.encode_bech32("a", payload)
    assert set(text[2:]) == set(texts.BECH32_ALPHABET)
    assert texts.decode_bech32(text) == ("a", payload)
