"""Laws that keys, key files and streams keep in the reference program."""

import pytest

from tests.reference import RefusedError, bech32, hkdf
from tests.reference.chacha20 import BLOCK_COUNT, words

KEY = bytes(range(32))
MARK = "\ufeff"


def test_key_text() -> None:
    """The text of a key has 75 characters, reads back in either case, and in no mixture."""
    text = bech32.key_text(KEY)
    assert len(text) == 75
    assert text.startswith("SUDOKUCRYPT-KEY-1")
    assert bech32.key_from_text(text) == bech32.key_from_text(text.lower()) == KEY
    with pytest.raises(RefusedError, match="mixed case"):
        bech32.key_from_text(text[:40] + text[40:].lower())


def test_key_file() -> None:
    """A key file holds one key among empty lines and remarks."""
    text = bech32.key_text(KEY)
    content = f"# made by hand\r\n\r\n \t{text} \r\n\n".encode()
    assert bech32.key_from_file(content) == KEY
    for wrong in (b"# nothing\n", content * 2, b"\xff" + content):
        with pytest.raises(RefusedError, match="key file"):
            bech32.key_from_file(wrong)


def test_subkeys_differ() -> None:
    """Each use has its own subkey, and an empty context is not an absent one."""
    uses = ["master/id", "picture/tag", "picture/seal", "master/map", "master/map/right", "lock"]
    made = [hkdf.subkey(KEY, use, context=context) for use in uses for context in (None, b"", b"x")]
    assert len(set(made)) == len(made)
    assert hkdf.subkey(KEY, "master/id").hex().startswith(hkdf.key_id(KEY))


@pytest.mark.parametrize(
    "front", [MARK, f"{MARK}# one\n", " # one\n\t#\n\r#\n", "# \x0b \x85 \u2028 \r #\n"]
)
def test_what_means_nothing(front: str) -> None:
    """A mark at the start, and comments with anything but a line feed inside, are passed over."""
    assert bech32.key_from_file((front + bech32.key_text(KEY)).encode()) == KEY


@pytest.mark.parametrize(
    "front", [MARK * 2, f"{MARK * 2}# one\n", f"\n{MARK}", "# one\r", "# one\x0b", "\x0c", "\x0c\n"]
)
def test_what_is_no_line_end(front: str) -> None:
    """A second mark is refused, and a line ends with a line feed and nothing else."""
    with pytest.raises(RefusedError):
        bech32.key_from_file((front + bech32.key_text(KEY)).encode())


def test_stream_ends() -> None:
    """The stream ends with its block counter."""
    stream = words(KEY, counter=BLOCK_COUNT - 1)
    assert len([next(stream) for _ in range(16)]) == 16
    with pytest.raises(RefusedError, match="used up"):
        next(stream)
