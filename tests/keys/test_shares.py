"""Key shares: enough of them give the key, fewer reveal nothing, and errors name the share."""

import pickle
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from sudokucrypt import Identity, InvalidKeyError, InvalidParameterError, Key, Passphrase
from sudokucrypt.keys import KeyShare, join_key, read_key, read_shares, split_key
from sudokucrypt.keys.shares import evaluate_polynomials
from tests.vectors.common import Case, check_each

KEY = Key(bytes(range(32)))


@pytest.mark.parametrize("count", range(2, 10))
def test_any_shares_that_are_enough_give_the_key(count: int) -> None:
    """Every subset of the needed size gives the key, in any order; a smaller one is refused."""
    for needed in range(2, count + 1):
        shares = split_key(KEY, shares=count, needed=needed)
        assert [share.number for share in shares] == list(range(1, count + 1))
        for chosen_shares in combinations(shares, needed):
            assert join_key(reversed(chosen_shares), key_id=KEY.id) == KEY
        for chosen_shares in combinations(shares, needed - 1):
            with pytest.raises(InvalidKeyError, match=f"{needed} shares are needed"):
                join_key([*chosen_shares, chosen_shares[0]])
        assert join_key([*shares, shares[0]]) == KEY


def test_one_share_of_two_has_each_value_equally_often() -> None:
    """For each secret byte, a share has each of 256 values for exactly one coefficient."""
    coefficients = [bytes(range(start, start + 32)) for start in range(0, 256, 32)]
    for secret in range(256):
        values = b"".join(
            evaluate_polynomials([bytes([secret]) * 32, each], 2) for each in coefficients
        )
        assert sorted(values) == list(range(256))


@pytest.mark.parametrize("numbers", [(1, 2), (3, 9)])
def test_two_shares_of_three_have_each_pair_of_values_equally_often(
    numbers: tuple[int, int],
) -> None:
    """All 65,536 pairs of coefficients give all pairs of values once, for any secret byte.

    Values are linear in the coefficients, so this holds for all secrets if it holds for 0, and if
    the secret moves all pairs alike.
    """
    columns = [bytes(range(start, start + 32)) for start in range(0, 256, 32)]
    for secret in (0, 1, 0x57, 0xFF):
        pairs: Counter[tuple[int, int]] = Counter()
        for first_value in range(256):
            for column in columns:
                terms = [bytes([secret]) * 32, bytes([first_value]) * 32, column]
                pairs.update(
                    zip(*(evaluate_polynomials(terms, number) for number in numbers), strict=True)
                )
        assert len(pairs) == 65536


def test_multiplication_is_that_of_the_specification() -> None:
    """The value of a polynomial of degree 1 equals the product of the reference."""
    from tests.kit.reference.shares import multiply

    column = bytes(range(224, 256))
    for number in range(1, 256):
        expected = bytes(multiply(byte, number) for byte in column)
        assert evaluate_polynomials([bytes(32), column], number) == expected


@check_each("shares")
def test_vectors(case: Case) -> None:
    """The texts of a vector are joined to its key, or refused if it has none."""
    texts = case["given"]
    assert isinstance(texts, list)
    if case["key"] is None:
        with pytest.raises(InvalidKeyError):
            join_key(map(KeyShare.from_text, texts))
        return
    assert join_key(map(KeyShare.from_text, texts)).to_bytes().hex() == case["key"]


def test_splits_are_random() -> None:
    """Two splits of one key have different values, and their shares cannot be mixed."""
    first_split, second_split = (split_key(KEY, shares=3, needed=2) for _ in range(2))
    assert first_split[0].split != second_split[0].split
    assert {share.value for share in first_split}.isdisjoint(share.value for share in second_split)
    with pytest.raises(InvalidKeyError, match="share 3 is of another split than share 1"):
        join_key([*first_split[:2], second_split[2]])
    with pytest.raises(InvalidKeyError, match="share 2 is of another split"):
        join_key([first_split[0], second_split[1]])


def test_changed_shares_are_detected() -> None:
    """A changed share is noticed by the id of the key, or by a superfluous share."""
    shares = split_key(KEY, shares=3, needed=2)
    changed = KeyShare(2, 1, shares[0].split, bytes(32))
    assert join_key([changed, shares[1]]) != KEY
    with pytest.raises(InvalidKeyError, match=r"the shares give key \w+, not the one"):
        join_key([changed, shares[1]], key_id=KEY.id)
    with pytest.raises(InvalidKeyError, match="contradict each other"):
        join_key([changed, *shares[1:]])
    with pytest.raises(InvalidKeyError, match="share 1 and share 1 have the same number"):
        join_key([changed, *shares])
    assert join_key(shares[:2], key_id=f" {KEY.id.upper()} ") == KEY


def test_mistyped_shares() -> None:
    """Look-alike letters are read; a single wrong, missing or extra character is located."""
    share, other_share = split_key(KEY, shares=2, needed=2)
    text = share.to_text()
    value_start = text.index("1") + 1
    typed = "\n".join(text[at : at + 30] for at in range(0, len(text), 30)).lower()
    assert KeyShare.from_text(f"# a comment\n{typed}") == share
    lookalike = text[:value_start] + text[value_start:].replace("0", "O").replace("L", "I")
    assert KeyShare.from_text(lookalike) == share
    wrong = "Q" if text[60] != "Q" else "P"
    for damaged_text, expected in (
        (text[:60] + wrong + text[61:], "character 61 of line 1 is wrong"),
        (text[:60] + text[61:], "a character is missing before character"),
        (text[:60] + wrong + text[60:], "is one too many"),
        (text[:60] + "!" + text[61:], "character 61 of line 1 is not allowed"),
    ):
        with pytest.raises(InvalidKeyError) as error_info:
            KeyShare.from_text(damaged_text)
        assert "a damaged sudokucrypt key share" in str(error_info.value)
        assert expected in str(error_info.value)
    other_text = other_share.to_text()
    lines = f"#\n{text}\n{other_text[:40]}{'Q' if other_text[40] != 'Q' else 'P'}{other_text[41:]}"
    with pytest.raises(InvalidKeyError, match=r"'shares' is a damaged .* character 41 of line 3"):
        read_shares(lines, origin="'shares'")
    several = read_shares(f"{text}\n{other_text}", origin="'shares'")
    assert [each.origin for each in several] == ["text 1 of 'shares'", "text 2 of 'shares'"]
    assert [each.origin for each in read_shares(f"{text}\n{other_text}")] == [None, None]
    for wrong in ("", "abc", f"{text}\n{text}", KEY.to_text(), share.label, text[:-9]):
        with pytest.raises(InvalidKeyError, match="not a sudokucrypt key share"):
            KeyShare.from_text(wrong)
    with pytest.raises(InvalidKeyError, match="it is a share of a key"):
        read_key(text)


def test_labels() -> None:
    """A label and the value give the share again; a mistyped label is refused."""
    share = split_key(KEY, shares=2, needed=2)[0]
    label = share.label
    assert KeyShare.from_label(f"{label[:30]}\n {label[30:].lower()}", share.value) == share
    assert KeyShare.from_label(label.ljust(256), share.value) == share
    # Of equal characters, which a label has by chance, the first is named.
    place = len(label[:40].rstrip(label[40])) + 1
    with pytest.raises(InvalidKeyError, match=f"a character is missing before character {place} "):
        KeyShare.from_label(label[:40] + label[41:], share.value)
    wrong = label[:40] + ("Q" if label[40] != "Q" else "P") + label[41:]
    for text in (wrong, share.to_text(), "", label.ljust(257), label + "Q" * 10**7):
        with pytest.raises(InvalidKeyError, match="key share"):
            KeyShare.from_label(text, share.value)


def test_files_of_shares(tmp_path: Path) -> None:
    """A share is read from its file, and errors name the file."""
    share = split_key(KEY, shares=3, needed=2)[1]
    path = tmp_path / "share.txt"
    path.write_text(share.to_file_text(), encoding="ascii")
    read_share = KeyShare.from_file(path)
    assert (read_share, read_share.origin) == (share, f"'{path}'")
    assert KEY.id not in share.to_file_text()
    path.write_text("nothing", encoding="ascii")
    with pytest.raises(InvalidKeyError, match=r"share.txt' is not a sudokucrypt key share"):
        KeyShare.from_file(path)
    path.write_text(2 * share.to_file_text(), encoding="ascii")
    with pytest.raises(InvalidKeyError, match=r"share.txt' is .* exactly one share"):
        KeyShare.from_file(path)


def test_the_value_of_a_share_is_not_shown() -> None:
    """`repr` of a share does not show its value, and to pickle a share is refused."""
    share = split_key(KEY, shares=2, needed=2)[0]
    assert repr(share) == "<KeyShare 1, of which 2 are needed>"
    with pytest.raises(TypeError, match="never pickled"):
        pickle.dumps(share)


def test_splits_that_are_refused() -> None:
    """Secrets that are no master key are not split, nor a key with impossible numbers."""
    for secret in (Passphrase("some words"), KEY.picture_key(bytes(16)), Identity.generate()):
        with pytest.raises(InvalidKeyError, match="only a Key has shares"):
            split_key(secret, shares=3, needed=2)  # type: ignore[arg-type]
    for shares, needed in ((3, 1), (2, 3), (256, 2), (0, 0), (1, 1), (3, -2)):
        with pytest.raises(InvalidParameterError, match="cannot be needed"):
            split_key(KEY, shares=shares, needed=needed)
    with pytest.raises(InvalidKeyError, match="there is no share"):
        join_key([])
    for fields in ((1, 1, bytes(16)), (2, 0, bytes(16)), (2, 256, bytes(16)), (2, 1, bytes(15))):
        with pytest.raises(InvalidKeyError):
            KeyShare(*fields, bytes(32))
