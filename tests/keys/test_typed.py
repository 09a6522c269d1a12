"""Typed keys: look-alike letters are read, and a single mistake is located."""

import random

import pytest

from sudokucrypt import InvalidKeyError, Key, Passphrase
from sudokucrypt.keys import Identity, lock, read_key
from sudokucrypt.keys.texts import (
    BECH32_ALPHABET,
    decode_bech32,
    normalize_key_text,
    require_no_mistake,
)

KEYS = [Key(bytes(range(n, n + 32))) for n in range(6)]
TEXTS = [*(key.to_text() for key in KEYS), Identity.generate().to_text()]


def find_start(text: str) -> int:
    """Return the index of the first character after the prefix."""
    return text.index("1") + 1


def choose_other_letter(letter: str, source: random.Random) -> str:
    """Return another letter of the alphabet, in the same case."""
    letter_in_key: str = source.choice(sorted({*BECH32_ALPHABET} - {letter.lower()}))
    return letter_in_key.upper() if letter.isupper() else letter_in_key


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_letters_that_look_alike_are_read(text: str) -> None:
    """O for 0, I and 1 for L, B for 8, and any mixture of cases give the same key."""
    prefix, data = text[: find_start(text)], text[find_start(text) :].upper()
    typed = [
        data.replace("0", "O").replace("L", "I").replace("8", "B"),
        data.replace("L", "1"),
        data.lower().replace("0", "o"),
        data[:20].lower() + data[20:],
    ]
    for typed_text in typed:
        for typed_prefix in (prefix, prefix.lower(), prefix[:-1] + "l", prefix[:-1] + "I"):
            assert read_key(normalize_key_text(typed_prefix + typed_text)) == read_key(text)


def test_a_file_of_wrong_keys_takes_no_time() -> None:
    """Only a few of 300 damaged keys are searched for a mistake, and no key of a wrong length."""
    source = random.Random(1)  # noqa: S311 - a test wants the same again
    prefix = TEXTS[0][: find_start(TEXTS[0])]
    damaged_keys = [
        prefix + "".join(source.choices(BECH32_ALPHABET, k=58)).upper() for _ in range(300)
    ]
    calls = 0

    def count_call(text: str) -> tuple[str, bytes]:
        nonlocal calls
        calls += 1
        return decode_bech32(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sudokucrypt.keys.texts.decode_bech32", count_call)
        require_no_mistake("\n".join(damaged_keys))
        assert 2000 < calls < 20_000
        require_no_mistake(f"{prefix}{'Q' * 50_000}")
        assert calls < 20_000


@pytest.mark.parametrize("others", [7, 8])
def test_eight_keys_are_searched_for_a_mistake(others: int) -> None:
    """A mistake is located in the eighth damaged key of a file, and not in the ninth."""
    damaged_keys = [f"{TEXTS[0][: find_start(TEXTS[0])]}Q"] * others
    text = "\n".join([*damaged_keys, f"{TEXTS[0]}!"])
    if others == 8:
        require_no_mistake(text)
        return
    with pytest.raises(InvalidKeyError, match="of line 8 is not allowed"):
        require_no_mistake(text)


def test_other_texts_stay() -> None:
    """Texts that do not begin as a key does, and a key in lower case, are not changed."""
    for text in ("", "a passphrase Of Mine", "sudokucrypt-keys", "1", TEXTS[0].lower()):
        assert normalize_key_text(text) == text


@pytest.mark.parametrize("seed", range(4))
def test_each_single_mistake_is_located(seed: int) -> None:
    """For a wrong, missing or exchanged character the error has its line and position."""
    source = random.Random(seed)  # noqa: S311 - a test wants the same again
    text = TEXTS[seed]
    for _ in range(2):
        index = source.randrange(find_start(text) + 1, len(text) - 1)
        while text[index] in (text[index - 1], text[index + 1]):
            index -= 1
        wrong = choose_other_letter(text[index], source)
        cases = {
            f"character {index + 1} of line 2 is wrong": text[:index] + wrong + text[index + 1 :],
            f"character {index + 1} of line 2 and the one before it are exchanged": (
                text[: index - 1] + text[index] + text[index - 1] + text[index + 1 :]
            ),
            f"a character is missing before character {index + 1} of line 2": (
                text[:index] + text[index + 1 :]
            ),
        }
        for message, typed in cases.items():
            with pytest.raises(InvalidKeyError, match=message) as error_info:
                require_no_mistake(f"# a key\n{typed}\n")
            assert "a new key does not restore" in str(error_info.value.hint)
            assert text[-12:].lower() not in str(error_info.value).lower()


def test_positions_in_groups_and_lines() -> None:
    """Spaces count as characters of a line, and of two keys the one with the mistake is located."""
    text = TEXTS[0]
    index = 50
    typed = text[:index] + choose_other_letter(text[index], random.Random(1)) + text[index + 1 :]  # noqa: S311
    grouped = f"\ufeff# card\n\n{typed[:20]} {typed[20:40]}\r\n  {typed[40:]}\n"
    with pytest.raises(InvalidKeyError, match="character 13 of line 4 is wrong"):
        require_no_mistake(grouped)
    locked = lock(KEYS[1], Passphrase("open"))
    for others in (TEXTS[1], f"a note\n{TEXTS[1]}", locked.rstrip("\n")):
        line = others.count("\n") + 2
        with pytest.raises(InvalidKeyError, match=f"character 51 of line {line} is wrong"):
            require_no_mistake(f"{others}\n{typed}\n")


def test_other_mistakes_are_not_located() -> None:
    """Right keys, other texts and keys with several mistakes raise no error here."""
    source = random.Random(5)  # noqa: S311
    text = TEXTS[0]
    two_mistakes = "".join(
        choose_other_letter(c, source) if i in (30, 60) else c for i, c in enumerate(text)
    )
    for typed_text in (*TEXTS, "\n".join(TEXTS), "no key", "", two_mistakes, "sudokucrypt-key-1"):
        require_no_mistake(typed_text)
