"""Key files and key derivations alone that every reader takes or refuses."""

from collections.abc import Iterator
from typing import Any

from tests.kit.reference import aead, bech32, kdf, locked
from tests.kit.reference.hkdf import subkey

Case = dict[str, Any]
SECRET = bytes(range(32))
MASTER = bech32.key_text(SECRET)
PICTURE = bech32.key_text(SECRET, prefix=bech32.PICTURE_KEY_PREFIX)
MARK = "\ufeff"
_PREFIXES = {"master": bech32.KEY_PREFIX, "picture": bech32.PICTURE_KEY_PREFIX}
SALT = "10" * 16
DERIVATION = f"scrypt:m=16,t=1,p=1:{SALT}"
PASSPHRASE = "\u00c5ngstr\u00f6m"  # noqa: S105 - it protects nothing

# In a comment these end no line; in front of a key they are no white space.
_NO_LINE_ENDS = {
    "CR": "\r", "VT": "\v", "FF": "\f", "FS": "\x1c", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029",
}  # fmt: skip
_NO_SPACES = {**_NO_LINE_ENDS, "no-break space": "\u00a0", "zero-width space": "\u200b"}


def _key(name: str, content: str | bytes, *, level: str = "master", **fields: Any) -> Case:
    given = {"content": content} if isinstance(content, str) else {"bytes": content.hex()}
    about: Case = {"name": f"{level} key: {name}", "what": "key", "content": None, "bytes": None}
    return {**about, **given, "passphrase": None, "level": level, **fields}


def _good_keys() -> Iterator[Case]:
    for level, text in (("master", MASTER), ("picture", PICTURE)):
        for name, content in {
            "lower case": text.lower(),
            "no line feed at the end": text,
            "a mark in front": f"{MARK}{text}\n",
            "a mark before a comment": f"{MARK}# one\n{text}\n",
            "comments behind white space": f" # one\n\t#\n\r#\n \t\r# two\n{text}\n",
            "carriage returns": f"# one\r\n\r\n{text}\r\n",
            "white space around": f"\t \r{text}\r \t\n",
            "a semicolon in a comment": f"#; one\n#\n##\n{text}\n",
            "another key in a comment": f"#{text.lower()}\n{text}\n",
        }.items():
            yield _key(name, content, level=level)
        for name, letter in _NO_LINE_ENDS.items():
            content = f"# one {letter}{MASTER[:30]}{letter}\n{text}\n"
            yield _key(f"{name} in a comment", content, level=level)
    for byte in (0, 1, 128, 255):
        data = bytes([byte]) * 32
        for level, prefix in _PREFIXES.items():
            text = bech32.key_text(data, prefix=prefix)
            yield _key(f"bytes {byte}", text, level=level, secret=data.hex())


def _bad_keys() -> Iterator[Case]:
    for level, text, other in (("master", MASTER, PICTURE), ("picture", PICTURE, MASTER)):
        for name, content in {
            "the text of another level": other, "both levels": f"{text}\n{other}\n",
            "twice": f"{text}\n{text}\n", "two marks": f"{MARK}{MARK}{text}\n",
            "two marks before a comment": f"{MARK}{MARK}# one\n{text}\n",
            "two marks on a line": f"{MARK}{MARK}\n{text}\n",
            "a mark before the second line": f"# one\n{MARK}{text}\n",
            "a mark behind": f"{text}{MARK}\n", "a mark behind a space": f" {MARK}{text}\n",
            "a comment by a semicolon": f"; one\n{text}\n", "a comment behind": f"{text} # one\n",
            "another line": f"{text}\none\n", "mixed case": text[:40] + text[40:].lower(),
            "Kelvin for K": text.replace("K", "\u212a"), "nothing": "",
        }.items():  # fmt: skip
            yield _key(name, content, level=level)
        for name, letter in _NO_LINE_ENDS.items():
            yield _key(f"{name} behind a comment", f"# one{letter}{text}", level=level)
        for name, letter in _NO_SPACES.items():
            if name != "CR":
                yield _key(f"{name} in front", f"{letter}{text}\n", level=level)
                yield _key(f"{name} behind", f"{text}{letter}\n", level=level)
                yield _key(f"{name} on a line", f"{letter}\n{text}\n", level=level)
        for name, data in {
            "FF in a comment": b"# \xff\n",
            "half a pair in a comment": b"# \xed\xa0\x80\n",
            "Latin-1 in a comment": "# caf\u00e9\n".encode("latin-1"),
            "an overlong zero in a comment": b"# \xc0\x80\n",
        }.items():
            yield _key(name, data + text.encode(), level=level)
        yield _key("UTF-16", text.encode("utf-16"), level=level)
        yield from _bad_texts(level, bech32.decode(text)[1])


def _bad_texts(level: str, groups: list[int]) -> Iterator[Case]:
    right = _PREFIXES[level]
    prefixes = (right[:-1], f"{right[:-1]}s-", "sudokucrypt-", locked.LOCKED_PREFIX, "a")
    for prefix in prefixes:
        yield _key(f"prefix {prefix}", bech32.encode(prefix, groups).upper(), level=level)
    for length in (0, 16, 31, 33):
        short = bech32.groups_from_bytes((SECRET * 2)[:length])
        yield _key(f"{length} bytes", bech32.encode(right, short).upper(), level=level)
    for bit in range(4):
        wrong = [*groups[:-1], groups[-1] | 1 << bit]
        yield _key(f"padding bit {bit}", bech32.encode(right, wrong).upper(), level=level)
    yield _key("five bits of padding", bech32.encode(right, [*groups, 0]).upper(), level=level)
    text = bech32.encode(right, groups).upper()
    last = "P" if text[-1] != "P" else "Z"
    yield _key("another checksum", text[:-1] + last, level=level)


def _locked(
    *,
    derivation: str = DERIVATION,
    written: str | None = None,
    associated: bytes | None = None,
    nonce: bytes = bytes(12),
    use: str | None = "lock",
    prefix: str = locked.LOCKED_PREFIX,
    flipped: int | None = None,
    secret: bytes = SECRET,
) -> str:
    """Return a locked file in which one thing may be another, all others made to fit."""
    derived = kdf.derive(PASSPHRASE, derivation)
    line = derivation if written is None else written
    sealed = bytearray(
        aead.seal(
            secret,
            key=derived if use is None else subkey(derived, use),
            nonce=nonce,
            associated=derivation.encode() if associated is None else associated,
        )
    )
    if flipped is not None:
        sealed[flipped] ^= 1
    text = bech32.encode(prefix, bech32.groups_from_bytes(bytes(sealed))).upper()
    return f"{line}\n{text}\n"


def _padded(text: str) -> str:
    """Return a locked file whose text has one letter more, with a right checksum."""
    prefix, groups = bech32.decode(text, limit=None)
    return f"{DERIVATION}\n{bech32.encode(prefix, [*groups, 0]).upper()}\n"


def _locked_keys(*, good: bool) -> Iterator[Case]:
    right = _locked()
    first, second = right.split()
    if good:
        files = {
            "bare": right,
            "among comments": f"{MARK}# one\n \n{first}\r\n\t# two\n  {second.lower()}\t\n",
            "spaces around the derivation": _locked(written=f" \t{DERIVATION} \r"),
            "Argon2id": _locked(derivation=f"argon2id:m=9,t=1,p=1:{SALT}"),
        }
    else:
        files = {
            "under the derived key": _locked(use=None),
            "under another label": _locked(use="master/lock"),
            "another nonce": _locked(nonce=b"\1" + bytes(11)),
            "nothing associated": _locked(associated=b""),
            "a line feed associated": _locked(associated=DERIVATION.encode() + b"\n"),
            "spaces associated": _locked(written=f" {DERIVATION} ",
                                         associated=f" {DERIVATION} ".encode()),
            "the prefix of a key": _locked(prefix=bech32.KEY_PREFIX),
            "the prefix of a picture key": _locked(prefix=bech32.PICTURE_KEY_PREFIX),
            "31 bytes": _locked(secret=SECRET[:31]),
            "33 bytes": _locked(secret=SECRET + b"\0"),
            "five bits of padding": _padded(second),
            "lines exchanged": f"{second}\n{first}\n",
            "three lines": f"{first}\n{second}\n{second}\n",
            "one line": f"{second}\n",
            "another salt": _locked(written=DERIVATION[:-1] + "1"),
            **{f"byte {i} flipped": _locked(flipped=i) for i in (0, 31, 32, 35, 36, 39, 40, 47)},
        }  # fmt: skip
    for name, content in files.items():
        yield _key(f"locked, {name}", content, passphrase=PASSPHRASE)


def _kdfs(*heads: str) -> Iterator[Case]:
    for head in heads:
        yield {"name": f"kdf alone: {head}", "what": "kdf", "text": f"{head}:{SALT}"}


def accepted() -> list[Case]:
    """Key files, and derivations of the format, be they beyond what a reader would pay for."""
    keys = [{"secret": SECRET.hex(), **case} for case in (*_good_keys(), *_locked_keys(good=True))]
    return keys + list(
        _kdfs(
            "argon2id:m=4194304,t=64,p=64", "argon2id:m=8,t=1,p=1", "argon2id:m=512,t=1,p=64",
            "argon2id:m=16,t=64,p=2", "argon2id:m=1048577,t=1,p=1", "argon2id:m=136,t=1,p=17",
            "scrypt:m=4194304,t=1,p=64", "scrypt:m=2,t=1,p=1", "scrypt:m=2,t=1,p=64",
        )
    )  # fmt: skip


def rejected() -> list[Case]:
    """Key files and derivations with one fault."""
    kdfs = _kdfs(
        "argon2id:m=4194305,t=1,p=1", "argon2id:m=8,t=65,p=1", "argon2id:m=520,t=1,p=65",
        "argon2id:m=7,t=1,p=1", "argon2id:m=15,t=1,p=2", "argon2id:m=511,t=1,p=64",
        "argon2id:m=0,t=1,p=1", "argon2id:m=8,t=0,p=1", "argon2id:m=8,t=1,p=0",
        "argon2id:m=08,t=1,p=1", "argon2id:m=8,t=01,p=1", "argon2id:m=8,t=1,p=01",
        "argon2i:m=8,t=1,p=1", "argon2d:m=8,t=1,p=1", "argon2:m=8,t=1,p=1",
        "argon2id:t=1,m=8,p=1", "argon2id:m=8,t=1", "argon2id:m=8,t=1,p=1,", "argon2id:8,1,1",
        "scrypt:m=8388608,t=1,p=1", "scrypt:m=1,t=1,p=1", "scrypt:m=3,t=1,p=1",
        "scrypt:m=0,t=1,p=1", "scrypt:m=16,t=2,p=1", "scrypt:m=16,t=1,p=65",
        "scrypt:m=16,t=1,p=0", "scrypt:m=16,p=1",
    )  # fmt: skip
    return [
        *({**case, "layer": "key text"} for case in _bad_keys()),
        *({**case, "layer": "key file"} for case in _locked_keys(good=False)),
        *({**case, "layer": "kdf limits"} for case in kdfs),
    ]
