"""Texts of keys, key files and locked key files with one fault."""

from collections.abc import Iterator

from tests.kit.reference import bech32
from tests.kit.reference.locked import LOCKED_PREFIX
from tests.vectors.common import KEY, Case
from tests.vectors.pictures import PASSPHRASE, SCRYPT, locked_file

Fault = tuple[str, str, Case]
_KELVIN = "\u212a"  # its lower case is the letter k
_PADDING_BITS = 4


def _encoded(groups: list[int], prefix: str = bech32.KEY_PREFIX) -> str:
    """Return upper-case Bech32 with a right checksum."""
    return bech32.encode(prefix, groups).upper()


def _exchanged(text: str, place: int) -> str:
    """Return the text with another letter of Bech32 at this place."""
    new = "P" if text[place] != "P" else "Z"
    return text[:place] + new + text[place:][1:]


def _texts() -> Iterator[tuple[str, str]]:
    text = KEY.to_text()
    secret = KEY.to_bytes()
    groups = bech32.groups_from_bytes(secret)
    start = len(bech32.KEY_PREFIX) + 1
    yield "nothing", ""
    yield "comments only", "# a key\n\n"
    for place in (start, start + 20, start + 51, start + 52, len(text) - 1):
        yield f"another letter at {place}", _exchanged(text, place)
    yield "two letters exchanged", text[:-2] + text[-1] + text[-2]
    yield "the last letter cut off", text[:-1]
    yield "a letter more", text + "Q"
    yield "a letter within less", text[:40] + text[41:]
    yield "one letter in lower case", text[:start] + text[start].lower() + text[start + 1 :]
    yield "prefix in lower case", text[:start].lower() + text[start:]
    yield "data in lower case", text[:start] + text[start:].lower()
    yield "letter b", text[:start] + "B" + text[start + 1 :]
    yield "digit 1 in the data", text[: start + 9] + "1" + text[start + 10 :]
    yield "space within", f"{text[:30]} {text[30:]}"
    yield "line feed within", f"{text[:30]}\n{text[30:]}"
    yield "quotes around", f'"{text}"'
    yield "a comment behind", f"{text} # mine"
    yield "no-break space around", f"\u00a0{text}\u00a0"
    yield "the Kelvin sign for a K", text.replace("K", _KELVIN, 1)
    yield "a letter outside of ASCII", text.replace("Y", "\u00dd", 1)
    yield "no separator", text[: start - 1] + text[start:]
    yield "data alone", text[start:]
    yield "hexadecimal digits", secret.hex()
    yield "the same key twice", f"{text}\n{text}\n"
    yield "a key and its twin in lower case", f"{text}\n{text.lower()}\n"
    for prefix in ("sudokucrypt-key", "sudokucrypt-keys-", "sudokucrypt-", "age-secret-key-", "a"):
        yield f"prefix {prefix}", _encoded(groups, prefix)
    yield "prefix of a locked key", _encoded(groups, LOCKED_PREFIX)
    for length in (0, 16, 31, 33):
        data = (secret * 2)[:length]
        yield f"key of {length} bytes", _encoded(bech32.groups_from_bytes(data))
    for bit in range(_PADDING_BITS):
        yield f"padding bit {bit}", _encoded([*groups[:-1], groups[-1] | 1 << bit])
    yield "five bits of padding more", _encoded([*groups, 0])
    yield "the checksum constant of Bech32m", _bech32m(text)


def _bech32m(text: str) -> str:
    """Return the text with the checksum of BIP 350, whose constant is another."""
    difference = 0x2BC830A3 ^ bech32.CHECKSUM_CONSTANT
    old = [bech32.CHARSET.index(letter) for letter in text[-6:].lower()]
    new = [value ^ difference >> 5 * (5 - i) & 31 for i, value in enumerate(old)]
    return text[:-6] + "".join(bech32.CHARSET[value] for value in new).upper()


def _key(content: str, passphrase: str | None = None) -> Case:
    """Return the fields of a case about a key file, or about the text of a key alone."""
    case: Case = {"what": "key", "level": "master", "content": content, "bytes": None}
    return case | {"passphrase": passphrase}


def _locked_files() -> Iterator[tuple[str, str]]:
    first, second = locked_file().split()
    _, groups = bech32.decode(second, limit=None)
    sealed = bech32.bytes_from_groups(groups)
    start = len(LOCKED_PREFIX) + 1
    yield "nothing", ""
    yield "no first line", f"{second}\n"
    yield "no second line", f"{first}\n"
    yield "first line as a comment", f"# {first}\n{second}\n"
    yield "lines exchanged", f"{second}\n{first}\n"
    yield "both on one line", f"{first} {second}\n"
    yield "first line twice", f"{first}\n{first}\n{second}\n"
    yield "second line twice", f"{first}\n{second}\n{second}\n"
    yield "a plain key", KEY.to_text()
    yield "a plain key in the second line", f"{first}\n{KEY.to_text()}\n"
    for name, text in {
        "checksum": _exchanged(second, len(second) - 1),
        "another letter": _exchanged(second, start + 30),
        "cut off": second[:-1],
        "a letter more": second + "Q",
        "mixed case": second[:start] + second[start:].lower(),
        "the Kelvin sign for a K": second.replace("K", _KELVIN, 1),
        "another prefix": _encoded(groups, "sudokucrypt-locked-keys-"),
        "47 bytes": _encoded(bech32.groups_from_bytes(sealed[:-1]), LOCKED_PREFIX),
        "49 bytes": _encoded(bech32.groups_from_bytes(sealed + b"\0"), LOCKED_PREFIX),
        "no bytes": _encoded([], LOCKED_PREFIX),
        "padding": _encoded([*groups[:-1], groups[-1] | 1], LOCKED_PREFIX),
        "five bits of padding more": _encoded([*groups, 0], LOCKED_PREFIX),
    }.items():
        yield f"second line: {name}", f"{first}\n{text}\n"


def _derivations() -> Iterator[tuple[str, str]]:
    first, second = locked_file().split()
    for old, new in (
        ("scrypt", "Scrypt"), ("scrypt", "bcrypt"), ("m=16", "m=15"), ("m=16", "m=016"),
        ("m=16", "m=8388608"), ("t=1", "t=2"), ("p=1", "p=65"), (",p=1", ""), ("1e1f", "1E1F"),
        ("1e1f", "1e"), (":m", " :m"),
    ):  # fmt: skip
        yield f"{old!r} as {new!r}", f"{first.replace(old, new)}\n{second}\n"


def _sealed() -> Iterator[tuple[str, str]]:
    first, second = locked_file().split()
    _, groups = bech32.decode(second, limit=None)
    sealed = bech32.bytes_from_groups(groups)
    for place in (0, 31, 32, 47):
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        text = _encoded(bech32.groups_from_bytes(changed), LOCKED_PREFIX)
        yield f"byte {place} of the locked key", f"{first}\n{text}\n"
    yield "another salt", f"{first[:-1]}e\n{second}\n"
    yield "another cost", f"{first.replace('m=16', 'm=32')}\n{second}\n"


def faults() -> Iterator[Fault]:
    """Keys with one fault."""
    for name, content in _texts():
        yield f"key: {name}", "key text", _key(content)
    yield "key: a locked file without passphrase", "key text", _key(locked_file())
    for name, content in _locked_files():
        yield f"locked key: {name}", "key file", _key(content, PASSPHRASE)
    for name, content in _derivations():
        yield f"locked key: {name}", "kdf limits", _key(content, PASSPHRASE)
    for name, content in _sealed():
        yield f"locked key: {name}", "key", _key(content, PASSPHRASE)
    for passphrase in (PASSPHRASE.lower(), PASSPHRASE + " ", SCRYPT):
        case = _key(locked_file(), passphrase)
        yield f"locked key: passphrase {passphrase!r}", "key", case
