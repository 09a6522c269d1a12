"""The engine's modules for keys, headers and files give the results and refusals of the package."""

import hashlib
import hmac
import itertools
import json
from collections.abc import Iterable
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from sudokucrypt.errors import SudokucryptError
from sudokucrypt.header import Header
from sudokucrypt.images.description import (
    EmbeddedFile,
    blank_samples,
    kept_name,
    padded_size,
    parse_description,
)
from sudokucrypt.keys import PROFILES, Identity, Key, KeyDerivation, Passphrase, PictureKey, lock
from sudokucrypt.keys.age_file import (
    AgeFileError,
    Stanza,
    derive_by_hkdf,
    encode_unpadded,
    encrypt_payload,
)
from sudokucrypt.keys.passphrase import DerivationBudget
from sudokucrypt.keys.shares import split_key
from sudokucrypt.keys.texts import BECH32_ALPHABET, decode_bech32, encode_bech32
from tests.page.node import Call, Refusal, call, run_calls, run_node

pytestmark = pytest.mark.programs("node")
_MALFORMED = Refusal("the header is malformed, or of a newer version")
_TYPING_ERROR = Refusal("the key has a typing error")
_SALT = "000102030405060708090a0b0c0d0e0f"


def _list_sizes() -> list[int]:
    generator = Random(9)  # noqa: S311
    edges = [2**power + offset for power in range(1, 38) for offset in (-1, 0, 1)]
    squares = [side * (3 * side // 4) + offset for side in range(1, 400, 7) for offset in (0, 1)]
    drawn = [generator.randrange(2 ** generator.randrange(4, 38)) for _ in range(300)]
    return [*range(700), *edges, *squares, *drawn, 2**38]


def test_shapes_of_files() -> None:
    """A file of any size gets the shape of the package, with and without padding."""
    sizes = _list_sizes()
    calls, expected = [], []
    for size in sizes:
        for padded in (None, padded_size(size)):
            about = {"name": "a", "size": size, "type": None, "time": None}
            calls.append(
                call("files.describeFile", about, {"pad": padded is not None, "preview": None})
            )
            shape = list(EmbeddedFile(name="a", size=size, padded=padded).shape)
            frame = {"shape": shape, "dtype": "uint8", "mode": "gray"}
            file = {"name": "a", "size": size} | ({} if padded is None else {"padded": padded})
            description = {"format": "PNG", "file": file, "frames": [frame]}
            expected.append({"shape": shape, "description": description})
    assert run_calls(calls) == expected


def test_facts_about_files() -> None:
    """Names are cleaned, and types and times kept, as the package does."""
    names = ["a", "", ".", "..", "...", "a/b\\c:d", "\0\x1f \x7e\x7f\x9f\xa0", "\ud800x\udfff",
             "é" * 127, "é" * 128, "a" + "é" * 127, "x" * 255, "x" * 256, "😀" * 64, "\ufeffa",
             "😀"]  # fmt: skip
    types = ["image/png", "a/b", "A/b", "/b", "a/", "a", "a/b;c", "a/b/c", "a.+-9/b.+-9", "-a/b",
             "a/-b", "a" * 64 + "/b", "a" * 65 + "/b", "a/" + "b" * 64, "a/" + "b" * 65, "a/b\n",
             "\na/b", "9/9", None]  # fmt: skip
    times = [None, 0, 1, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1]
    assert run_calls(call("files.cleanName", name) for name in names) == list(map(kept_name, names))
    calls = []
    expected = []
    for media_type, time in [(name, None) for name in types] + [(None, time) for time in times]:
        given = None if time is None else {"integer": str(time)}
        about = {"name": "a", "size": 5, "type": media_type, "time": given}
        found = call("files.describeFile", about, {"pad": False, "preview": b"x"})
        calls.append(call(".file", call(".description", found)))
        kept: dict[str, Any] = {"name": "a", "size": 5}
        try:
            EmbeddedFile(name="a", size=5, type=media_type, time=time)
        except SudokucryptError:
            expected.append(kept)
            continue
        kept |= {} if media_type is None else {"type": media_type}
        expected.append(kept | ({} if time is None else {"time": str(time)}))
    assert run_calls(calls) == expected


def test_bytes_behind_a_file() -> None:
    """Only zeros may follow a file in its picture."""
    rows: list[tuple[bytes, int, object]] = [
        (b"abc\0\0", 3, b"abc"),
        (b"abc\0\0", 5, b"abc\0\0"),
        (b"abc\0\0", 0, Refusal("samples behind the file are not zero")),
        (b"abc\0\1", 3, Refusal("samples behind the file are not zero")),
        (b"abc\1\0", 3, Refusal("samples behind the file are not zero")),
        (b"\0\0", 0, b""),
    ]
    calls = [call("files.extractFile", {"data": data}, size) for data, size, _ in rows]
    assert run_calls(calls) == [result for _, _, result in rows]


def _compute_remainder(values: Iterable[int]) -> int:
    remainder = 1
    for value in values:
        top, remainder = remainder >> 25, (remainder & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(
            (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
        ):
            remainder ^= generator if top >> bit & 1 else 0
    return remainder


def _sum_groups(prefix: str, groups: list[int], length: int = 6) -> str | None:
    """Return the text of groups of five bits, with a sum of some letters; None if it takes more."""
    codes = [ord(letter) for letter in prefix]
    start = [*[code >> 5 for code in codes], 0, *[code & 31 for code in codes]]
    remainder = _compute_remainder([*start, *groups, *[0] * length]) ^ 1
    if remainder >> 5 * length:
        return None
    sum_groups = [remainder >> 5 * place & 31 for place in reversed(range(length))]
    return f"{prefix}1" + "".join(BECH32_ALPHABET[group] for group in [*groups, *sum_groups])


def _read_bech32(text: str) -> object:
    """Return prefix and data as the engine does, or its refusal where the package refuses."""
    if not text or any(not "!" <= letter <= "~" for letter in text):
        return Refusal("a character that no key has")
    if text not in (text.lower(), text.upper()):
        return Refusal("a key is in upper or in lower case")
    try:
        prefix, data = decode_bech32(text)
    except ValueError:
        return _TYPING_ERROR
    return {"prefix": prefix, "data": data}


def test_bech32_texts() -> None:
    """Texts of keys of all lengths are written and read as by the package."""
    generator = Random(5)  # noqa: S311
    prefixes = ["age", "a", "1", "a1b", "~!", "sudokucrypt-key-", "x" * 90]
    pairs = [(prefix, generator.randbytes(length)) for prefix in prefixes for length in range(42)]
    texts = [encode_bech32(prefix, data) for prefix, data in pairs]
    assert run_calls(call("bech32.toBech32", *pair) for pair in pairs) == texts
    read = [{"prefix": prefix, "data": data} for prefix, data in pairs]
    assert run_calls(call("bech32.fromBech32", text) for text in texts) == read
    assert run_calls(call("bech32.fromBech32", text.upper()) for text in texts) == read


def test_damaged_bech32_texts() -> None:
    """Wrong letters, sums, padding, separators and lengths are refused as by the package."""
    generator = Random(6)  # noqa: S311
    text = encode_bech32("sudokucrypt-key-", bytes(range(32)))
    texts = ["", "1", "a", "a1", "1qqqqqq", encode_bech32("", b"abcde"), encode_bech32("", b"")]
    texts += [text[:length] for length in range(len(text))] + [text + "q", " " + text, text + "\n"]
    for place in range(len(text)):
        for letter in ("q", "p", "1", "b", "A", " ", "\x7f", "\u212a", "é"):
            texts.append(text[:place] + letter + text[place + 1 :])
        texts += [text[:place] + text[place + 1 :], text[:place] + text[place].upper()]
        texts.append(text[:place] + text[place:].upper())
    for groups in ([], [1], [16], [0], [0, 0], [0, 1], [0, 4], [0, 2], [31, 28], [31, 31],
                   [1, 2, 3], [1, 2, 16], [1, 2, 3, 16], [1, 2, 3, 15], [1, 2, 3, 8], [0] * 5,
                   [1, 2, 3, 4, 8], [1, 2, 3, 4, 4], [0] * 6, [0] * 7, [0] * 8,
                   [1] * 8):  # fmt: skip
        texts.append(_sum_groups("ab", groups) or "")
    short = [_sum_groups(f"a{number}", [], 5) for number in range(400)]
    found = [each for each in short if each is not None]
    assert len(found) > 1
    texts += found
    texts += ["".join(generator.choices("aq1pz!~", k=12)) for _ in range(100)]
    results = run_calls(call("bech32.fromBech32", each) for each in texts)
    assert results == [_read_bech32(each) for each in texts]
    assert sum(result != _TYPING_ERROR for result in results) > 100


_FORMS = [
    *(f"argon2id:m={m},t={t},p={p}" for m, t, p in (
        (8, 1, 1), (7, 1, 1), (9, 1, 1), (16, 1, 2), (15, 1, 2), (2**22, 1, 1), (2**22 + 1, 1, 1),
        (512, 64, 64), (511, 64, 64), (512, 65, 64), (520, 64, 65), (9999999999, 1, 1),
        (10000000000, 1, 1), (64, 0, 1), (64, 1, 0), ("064", 1, 1), (-8, 1, 1), ("", 1, 1),
        ("6 4", 1, 1), (64, "1,", 1), (64, 1, "1 "))),
    *(f"scrypt:m={m},t={t},p={p}" for m, t, p in (
        (2, 1, 1), (1, 1, 1), (3, 1, 1), (4, 1, 64), (4, 1, 65), (6, 1, 1), (4, 2, 1),
        (2**22, 1, 1), (2**23, 1, 1), (1023, 1, 1))),
    "argon2i:m=64,t=1,p=1", "Scrypt:m=2,t=1,p=1", "argon2id:t=1,m=64,p=1", "", "argon2id",
]  # fmt: skip


def _read_kdf(text: str) -> object:
    try:
        derivation = KeyDerivation.from_text(text)
    except SudokucryptError as error:
        return Refusal(str(error))
    function, numbers, salt = derivation.to_text().split(":")
    memory, iterations, lanes = (int(number[2:]) for number in numbers.split(","))
    costs = {"memory": memory, "iterations": iterations, "lanes": lanes}
    return {"slow": function == "scrypt", **costs, "salt": bytes.fromhex(salt)}


def test_parameters_of_derivations() -> None:
    """Possible and impossible parameters are read and refused as by the package."""
    salts = [_SALT, _SALT[:-1], _SALT + "0", _SALT[:-1] + "A", _SALT + "\n", ""]
    texts = [f"{form}:{_SALT}" for form in _FORMS] + [f"{_FORMS[0]}:{salt}" for salt in salts]
    results = run_calls(call("passphrases.readKdf", text) for text in texts)
    assert results == list(map(_read_kdf, texts))
    assert 10 < sum(isinstance(result, Refusal) for result in results) < len(results) - 8


def test_costs_of_failing_derivations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget admits and refuses the same derivations as that of the package, in any order."""
    monkeypatch.setattr("sudokucrypt.keys.passphrase.PROFILES", PROFILES)  # not the cheap ones
    generator = Random(3)  # noqa: S311
    least = ["argon2id:m=262144,t=3,p=4", "argon2id:m=262144,t=4,p=4", "argon2id:m=262145,t=1,p=4",
             "argon2id:m=524288,t=1,p=1", "scrypt:m=131072,t=1,p=1", "scrypt:m=131072,t=1,p=2",
             "scrypt:m=262144,t=1,p=1", "scrypt:m=65536,t=1,p=2", "scrypt:m=65536,t=1,p=1",
             "argon2id:m=131072,t=6,p=1", "argon2id:m=131072,t=7,p=1", "argon2id:m=65536,t=1,p=1",
             "scrypt:m=65536,t=1,p=3"]  # fmt: skip
    sequences = [[(form, False)] * 30 for form in least]
    usual, small = "argon2id:m=131072,t=6,p=1", "argon2id:m=8,t=1,p=1"
    for form in (usual, "argon2id:m=131067,t=6,p=1", "argon2id:m=131068,t=6,p=1"):
        forms = [*[usual] * 23, *[small] * 3, form, small]
        sequences.append([(each, False) for each in forms])
    sequences.append([*[(usual, False)] * 24, (small, False)])
    for _ in range(40):
        forms = generator.sample(least, generator.randrange(1, 5))
        sequences.append([(form, generator.random() < 0.3) for form in forms * 20])
    numbered = [
        [(f"{form}:{number if generator.random() < 0.9 else 0:032x}", good)
         for number, (form, good) in enumerate(sequence)] for sequence in sequences
    ]  # fmt: skip
    script = """
        import { DerivationBudget } from "./engine/passphrases.js";
        return argument.map((sequence) => {
            const budget = new DerivationBudget();
            return sequence.map(([kdf, good]) => {
                try { budget.admit(kdf); } catch (error) { return error.message; }
                if (good) budget.confirm(kdf);
                return "";
            });
        });
    """
    expected = []
    for sequence in numbered:
        budget, messages = DerivationBudget(), []
        for kdf, good in sequence:
            derivation, message = KeyDerivation.from_text(kdf), ""
            try:
                budget.charge(derivation)
            except SudokucryptError as error:
                message = f"{error}: if you trust the file, open it alone"
            else:
                if good:
                    budget.refund(derivation)
            messages.append(message)
        expected.append(messages)
    assert run_node(script, numbered) == expected
    assert sum(message != "" for messages in expected for message in messages) > 100


_PLAIN: dict[str, Any] = {
    "sudokucrypt": 1, "scheme": "scramble-v1", "unit": "pixel", "rounds": 10, "shape": [5, 7],
    "dtype": "uint8", "key_id": "0123abcd", "salt": _SALT, "tag": _SALT * 2, "seal": _SALT * 2,
}  # fmt: skip
_ORDER = ["sudokucrypt", "scheme", "unit", "block_size", "rounds", "segment", "shape", "dtype",
          "key_id", "kdf", "recipients", "salt", "extras", "tag", "seal"]  # fmt: skip
_KDF = f"argon2id:m=64,t=1,p=1:{_SALT}"
_BLOCK: dict[str, Any] = {"unit": "block", "block_size": 8}
_LARGE: dict[str, Any] = {
    "scheme": "encrypt-v1",
    "segment": 2**20,
    "shape": [1024, 1025],
    "extras": "YQ==",
}
_HEADS: list[dict[str, Any]] = [
    {},
    *({"rounds": rounds} for rounds in (0, 1, 255, 256, -1, 1.5, "1", True, None, [1])),
    *({"shape": list(shape)} for shape in ((), (1,), (1, 2), (1, 2, 3), (1, 1, 1, 1), (0, 1), (-1,),
                                           (2**31 - 1,), (2**31,), (1.5,), ("1",), (True,))),
    {"shape": "5"}, {"shape": 5}, {"shape": None}, {"shape": {}},
    *({"dtype": name} for name in ("bool", "uint16", "uint32", "uint64", "int8", "int16", "int32",
                                   "int64", "float16", "float32", "float64", "float128", "u1", 1)),
    *({"key_id": text} for text in ("0123abc", "0123abcde", "0123ABCD", "0123abcg", 1, "")),
    *({"unit": unit} for unit in ("sample", "row", "", 1, "block")),
    *({"unit": "block", "block_size": size} for size in (0, 1, 65535, 65536, "8", 1.5, -1, None)),
    {"block_size": 8}, {"unit": "sample", "block_size": 8},
    *({"kdf": kdf} for kdf in (_KDF, _KDF + "0", _KDF[:-1], _KDF.upper(), ":" + _KDF, 1, None,
                               f"{'a' * 32}:m:{_SALT}", f"{'a' * 33}:m:{_SALT}", f":m:{_SALT}",
                               f"a:{'m' * 64}:{_SALT}", f"a:{'m' * 65}:{_SALT}", f"a::{_SALT}")),
    *({name: text} for name in ("salt", "tag", "seal")
      for text in (_SALT, _SALT * 2, _SALT + "0", _SALT * 2 + "0", _SALT[1:], _SALT.upper(), 5,
                   "g" * 32, "g" * 64, (_SALT * 2)[1:])),
    *({name: text} for name in ("recipients", "extras")
      for text in ("YQ==", "YWI=", "YWJj", "YR==", "YQ=", "YQ", "Y", "", "YQ==\n", "Y-==", 5)),
    {"extras": "YWJj" * 20000}, {"recipients": "YWJj" * 21845 + "YQ=="},
    {"recipients": "YWJj" * 21845 + "YWI="}, {"recipients": "YWJj" * 21846},
    *({"sudokucrypt": version} for version in (0, 2, "1", True, None)),
    {"more": 1}, {"toString": 1}, {"__proto__": 1},
    {"scheme": "encrypt-v1"}, {"scheme": "encrypt-v1", "unit": "sample"},
    {"scheme": "encrypt-v1", **_BLOCK}, {"scheme": "scramble-jpeg-v1", **_BLOCK},
    {"scheme": "scramble-jpeg-v1"}, {"scheme": "scramble-jpeg-v1", "unit": "sample"},
    {"scheme": "encrypt-v2"}, {"scheme": 1}, _BLOCK,
    _LARGE, _LARGE | {"shape": [1024, 1024]}, _LARGE | {"shape": [1024, 1024, 3]},
    _LARGE | {"shape": [2**21]}, _LARGE | {"dtype": "int8"}, _LARGE | {"scheme": "scramble-v1"},
    _LARGE | {"segment": 2**20 + 1}, _LARGE | {"segment": "1048576"}, _LARGE | {"segment": None},
    _LARGE | {"shape": [1, 2**20 + 1]}, _LARGE | {"shape": [1, 2**20]},
    {name: value for name, value in _LARGE.items() if name != "extras"},
]  # fmt: skip
# Only schemes know that these do not fit, so a header of the package has them.
_UNFIT: list[dict[str, Any]] = [
    {"scheme": "encrypt-v1", "unit": "sample"}, {"scheme": "encrypt-v1", **_BLOCK},
    {"scheme": "scramble-jpeg-v1"}, {"scheme": "scramble-jpeg-v1", "unit": "sample"},
    {"scheme": "encrypt-v2"},
]  # fmt: skip


def _write_head(fields: dict[str, Any], *without: str) -> bytes:
    names = [name for name in _ORDER if name in fields and name not in without]
    names += [name for name in fields if name not in _ORDER]
    return json.dumps({name: fields[name] for name in names}, separators=(",", ":")).encode()


def _is_header(data: bytes) -> bool:
    try:
        Header.from_bytes(data)
    except SudokucryptError:
        return False
    return True


def test_fields_of_headers() -> None:
    """Each value of a field that the package refuses is refused, and each other one is read."""
    heads = [_PLAIN | changes for changes in _HEADS]
    lines = [_write_head(head) for head in heads]
    bare = _PLAIN | {"scheme": "scramble-context-v1"}
    full = _PLAIN | {"kdf": _KDF, "recipients": "YQ==", "extras": "YWI="}
    others = [bare | {"kdf": _KDF}, bare | {"recipients": "YQ=="}, full]
    for head in (bare, *others, _PLAIN, _PLAIN | _BLOCK):
        secret = ("salt", "tag", "seal")
        for names in [(), *((name,) for name in head), secret, secret[:2], secret[1:]]:
            heads.append({name: value for name, value in head.items() if name not in names})
            lines.append(_write_head(head, *names))
    unfit = [_PLAIN | changes for changes in _UNFIT]
    unfit += [head for head in heads if (head.get("scheme") == bare["scheme"]) == ("salt" in head)]
    results = run_calls(call("header.readHeader", line) for line in lines)
    for head, line, result in zip(heads, lines, results, strict=True):
        is_valid = _is_header(line) and head not in unfit
        assert (result == head) == is_valid, (head, result)
        assert is_valid or isinstance(result, Refusal), head


def test_forms_of_headers() -> None:
    """A header has one form, limits, and names for removed features."""
    line = _write_head(_PLAIN)
    old = "made by an earlier version with {}: restore it with version 1.1.0"
    no_json = Refusal("header: not ASCII JSON")
    spaces = json.dumps(_PLAIN).encode()
    swapped = json.dumps(dict(reversed(_PLAIN.items())), separators=(",", ":")).encode()
    twice = line.replace(b'"rounds":10', b'"rounds":9,"rounds":10')
    rows: dict[bytes, object] = {
        line: _PLAIN, line + b"\n": _MALFORMED, b" " + line: _MALFORMED, line[:-1]: no_json,
        spaces: _MALFORMED, swapped: _MALFORMED, twice: _MALFORMED, b"null": _MALFORMED,
        b"[]": _MALFORMED, b"5": _MALFORMED, b"": no_json, line + b"\xff": no_json,
        line.replace(b"10", b"1e1"): _MALFORMED, line.replace(b"pixel", b"\\u0070ixel"): _MALFORMED,
        b'{"sudokucrypt":1,"regions":1}': Refusal(old.format("regions")),
        b'{"sudokucrypt":1,"mask":1}': Refusal(old.format("a mask")),
        b'{"sudokucrypt":2,"mask":1}': _MALFORMED,
        _write_head(_PLAIN | {"scheme": "scramble-context-v1", "extras": "YQ=="}):
            Refusal(old.format("a context")),
        _write_head(_PLAIN | {"scheme": "insecure-logistic-substitution-v1"}):
            Refusal(old.format("the scheme insecure-logistic-substitution-v1")),
        b"[" + b"[]," * (2**20 - 2) + b"[]": no_json,
        b"[" + b"[]," * (2**20 - 3) + b"[]]": _MALFORMED,
        b"[" + b"{}," * (2**20 - 2) + b"{}]": no_json,
    }  # fmt: skip
    assert run_calls(call("header.readHeader", data) for data in rows) == list(rows.values())


def test_lengths_of_headers() -> None:
    """A header of 32 MiB is read, and one with one more byte is refused."""
    script = """
        import { Refused } from "./engine/bytes.js";
        import { readHeader } from "./engine/header.js";
        const take = ([line, length]) => {
            try {
                const text = line.replace("?", "A".repeat(length));
                return readHeader(new TextEncoder().encode(text)).rounds;
            } catch (error) {
                if (error instanceof Refused) return error.message;
                throw error;
            }
        };
        return argument.map(take);
    """
    cases, expected = [], []
    for side, total in itertools.product((5, 50, 500, 5000), (2**25, 2**25 + 1)):
        line = _write_head(_PLAIN | {"shape": [side], "extras": "?"}).decode()
        length = total - len(line) + 1
        if length % 4 == 0:
            cases.append((line, length))
            expected.append(10 if total <= 2**25 else _MALFORMED.message)
    assert len(cases) == 2
    assert run_node(script, cases) == expected


_IDENTITY = Identity(bytes(range(1, 33)))
_FILE_KEY = bytes(range(16))


def _sign(changed: bytes) -> bytes:
    """Return an age file whose header was changed, with the sum that it then has."""
    start = changed.rindex(b"\n---") + 4
    digest = hmac.digest(derive_by_hkdf(_FILE_KEY, b"", b"header"), changed[:start], "sha256")
    end = changed.index(b"\n", start)
    return changed[:start] + b" " + encode_unpadded(digest).encode() + changed[end:]


def _make_age_files() -> list[bytes]:
    own, letters = _IDENTITY.recipient.wrap(_FILE_KEY), "abcdefgh"
    share, body = own.arguments[1], own.body

    def encrypt(*stanzas: Stanza) -> bytes:
        return encrypt_payload(b"payload", _FILE_KEY, stanzas)

    other, plain = Stanza(("grease", letters), b""), encrypt(own)
    files = [encrypt(*[other] * count, own) for count in (0, 1, 62, 63, 64)]
    files += [encrypt(own, *[other] * count) for count in (62, 63, 64)]
    files += [encrypt_payload(b"", _FILE_KEY, [own]), encrypt(other)]
    files += [encrypt(Identity.generate().recipient.wrap(_FILE_KEY), own)]
    files += [encrypt(Stanza(("x",), bytes(length)), own) for length in (0, 1, 2, 47, 48, 49, 96)]
    kinds = [(), (share,), (share, ""), (share, "a"), (share[:-1],), (share + "A",), (share + "=",)]
    kinds += [(encode_unpadded(bytes(length)),) for length in (31, 32, 33)]
    files += [encrypt(Stanza(("X25519", *words), body), own) for words in kinds]
    files += [encrypt(Stanza(("X25519", share), body + bytes(1)), own)]
    files += [encrypt(Stanza(("X25519", share), body[:-1]), own)]
    files += [encrypt(Stanza(("x25519", share), body), own), encrypt(Stanza(("scrypt", "a"), b""))]
    files += [plain[:length] for length in range(len(plain))]
    for place in range(len(plain)):
        for bit in (1, 4, 128):
            files.append(plain[:place] + bytes([plain[place] ^ bit]) + plain[place + 1 :])
    starts = [b"->  X", b"->\tX", b"-> \x7f\n\n-> X", b"-> ~ !\n\n-> X", b"-> a \n\n-> X"]
    bodies = [
        b"A" * 64 + b"\n",
        b"A" * 65,
        b"A" * 64,
        b"AB",
        b"A",
        b"AA",
        b"AA==",
        b"A-AA",
        b"AAAA",
    ]
    for after in starts + [b"-> a\n" + lines + b"\n-> X" for lines in bodies]:
        files.append(_sign(plain.replace(b"-> X", after)))
    files.append(_sign(plain.replace(b"/v1", b"/v2")))
    files.append(plain.replace(b"--- ", b"---"))
    files.append(plain.replace(plain[: plain.index(b"---")], b"age-encryption.org/v1\n"))
    room = 65536 - len(plain) + 7
    return files + [encrypt_payload(bytes(room + more), _FILE_KEY, [own]) for more in (0, 1)]


def _open_age(data: bytes) -> object:
    """Return the payload, None for others, or the error."""
    try:
        return _IDENTITY.decrypt(data)
    except AgeFileError as error:
        return None if error.failed_step == "no match" else error


def test_lists_of_recipients() -> None:
    """Age files with any damage are opened, passed over, or refused as by the package."""
    files = _make_age_files()
    results = run_calls(call("age.readAge", data, _IDENTITY.to_bytes()) for data in files)
    for data, result in zip(files, results, strict=True):
        expected = _open_age(data)
        if isinstance(expected, AgeFileError):
            assert isinstance(result, Refusal), data
        else:
            assert result == expected, data
    recipients = [decode_bech32(_IDENTITY.recipient.to_text())[1]]
    written = run_calls(call("age.writeAge", b"x", recipients * count) for count in (1, 64, 0, 65))
    assert [_IDENTITY.decrypt(data) for data in written[:2]] == [b"x", b"x"]
    assert written[2:] == [Refusal("1 to 64 recipients are possible")] * 2


_KEY, _PICTURE_KEY = Key(bytes(range(32))), PictureKey(bytes(range(5, 37)))
_FOUND = {"kind": "key", "bytes": _KEY.to_bytes()}


def test_texts_of_keys() -> None:
    """Key files of each form are read, and others refused by name."""
    passphrase = "correct horse"  # noqa: S105
    text, picture, owner = (each.to_text() for each in (_KEY, _PICTURE_KEY, _IDENTITY))
    locked, locked_owner = (lock(each, Passphrase(passphrase)) for each in (_KEY, _IDENTITY))
    unlocked = {"kind": "key", "locked": True, "bytes": _KEY.to_bytes()}
    opened = {"kind": "identity", "locked": True, "identities": [_IDENTITY.to_bytes()]}
    one_key, no_key = Refusal("a key file holds exactly one key"), Refusal("this is no key")
    no_identity, no_locked = Refusal("this is no identity"), Refusal("this is no locked key")
    post_quantum = "a {}post-quantum identity opens pictures on the command line only"
    wrong = Refusal("the passphrase is wrong, or the key file was altered")
    derivation = next(line for line in locked.split("\n") if line.startswith("argon2id:"))
    start = f"{derivation}\n"
    kinds = ("sudokucrypt-locked-", "sudokucrypt-locked-age-secret-key-", "age-secret-key-")
    rows: list[tuple[str, object]] = [
        (text, _FOUND), (text.lower(), _FOUND), (f"\ufeff# a\r\n \t{text}\r\n#b\n\n", _FOUND),
        ("\ufeff\ufeff" + text, Refusal("a key file has at most one byte order mark")),
        (picture, {"kind": "picture", "bytes": _PICTURE_KEY.to_bytes()}),
        (owner, {"kind": "identity", "identities": [_IDENTITY.to_bytes()]}),
        (f"{owner}\n{owner.lower()}",
         {"kind": "identity", "identities": [_IDENTITY.to_bytes()] * 2}),
        (f"{owner}\n{text}", no_identity), (f"{text}\n{owner}", no_locked),
        ("", one_key), ("# a", one_key), (f"{text}\n{text}\n{text}", one_key),
        (f"{text}\n{text}", no_locked), (text[:-1], _TYPING_ERROR), (locked, unlocked),
        (locked_owner, opened), (locked.replace(derivation, derivation[:-1] + "g"),
                                 Refusal("the field 'kdf' is malformed")),
        (locked.replace(derivation, derivation.replace("m=64", "m=65")), wrong),
        *((encode_bech32(prefix, bytes(length)), no_key) for length in (31, 33)
          for prefix in ("sudokucrypt-key-", "sudokucrypt-picture-key-")),
        (encode_bech32("sudokucrypt-keys-", bytes(32)), no_key),
        *((encode_bech32(kinds[2], bytes(length)), no_identity) for length in (31, 33)),
        *((start + encode_bech32(f"{kinds[0]}{kind}", bytes(length)), no_locked)
          for kind in ("key-", "age-secret-key-") for length in (47, 49)),
        (start + encode_bech32(kinds[0] + "keys-", bytes(48)), no_locked),
        (start + encode_bech32(kinds[0] + "key-", bytes(48)), wrong),
        (start + encode_bech32(kinds[1], bytes(48)), wrong),
        (start + encode_bech32(kinds[1] + "pq-", bytes(48)),
         Refusal(post_quantum.format("locked "))),
        (encode_bech32("age-secret-key-pq-", bytes(32)), Refusal(post_quantum.format(""))),
    ]  # fmt: skip
    calls = [call("keys.readKeyFile", line.encode(), passphrase) for line, _ in rows]
    assert run_calls(calls) == [result for _, result in rows]
    no_passphrase = Refusal("the key file is locked with a passphrase")
    calls = [call("keys.readKeyFile", data) for data in (locked.encode(), b"\xff", b"a\xc3")]
    no_text = Refusal("a key file is UTF-8 text")
    assert run_calls(calls) == [no_passphrase, no_text, no_text]
    other = call("keys.readKeyFile", locked.encode(), passphrase + "x")
    assert run_calls([other]) == [wrong]


def test_several_keys_and_shares() -> None:
    """Keys of several texts are all read, enough shares are joined, and faults name their text."""
    text, picture = _KEY.to_text(), _PICTURE_KEY.to_text()
    found_picture = {"kind": "picture", "bytes": _PICTURE_KEY.to_bytes()}
    shares = [share.to_text() for share in split_key(_KEY, shares=5, needed=3)]
    strangers = [share.to_text() for share in split_key(_KEY, shares=3, needed=2)]
    rows: list[tuple[list[str], object]] = [
        ([text], [_FOUND]), ([text, picture], [_FOUND, found_picture]), ([], []),
        ([f"{text}\n{picture}"], [_FOUND, found_picture]),
        ([f"{picture}\n{shares[0]}", *shares[1:]], [found_picture, _FOUND]),
        ([text[:-1]], _TYPING_ERROR), ([text, ""],
                                       Refusal("key 2 of 2: a key file holds exactly one key")),
        ([text[:-1], text], Refusal("key 1 of 2: the key has a typing error")),
        ([*shares, strangers[0]], Refusal(
            "the shares are of several splits: every split of a key has shares of its own")),
    ]  # fmt: skip
    for count in range(1, 6):
        few = Refusal(f"3 shares of the key are needed, and there are only {count}")
        for chosen in itertools.combinations(shares, count):
            rows.append((list(chosen), few if count < 3 else [_FOUND]))
            rows.append((["\n".join([*chosen, chosen[0]])], few if count < 3 else [_FOUND]))
    rows += [(list(pair), [_FOUND]) for pair in itertools.permutations(strangers, 2)]
    prefix, data = decode_bech32(shares[0])
    no_share = Refusal("this is no share of a key")
    damaged = Refusal("the share of a key is damaged, or of a newer version")
    for place, value, result in ((0, 2, damaged), (0, 0, damaged), (1, 1, damaged), (1, 0, damaged),
                                 (2, 0, damaged)):  # fmt: skip
        other = data[:place] + bytes([value]) + data[place + 1 :]
        rows.append(([encode_bech32(prefix, other)], result))
    for each in (data[:-1], data + b"a"):
        rows.append(([encode_bech32(prefix, each)], no_share))
    changed = encode_bech32(prefix, data[:-1] + bytes([data[-1] ^ 1]))
    same = Refusal(f"two shares have the number {data[2]}, and differ")
    contradict = "the shares contradict each other: at least one of them was changed"
    rows += [([*shares, changed], same), ([changed, *shares[1:4]], Refusal(contradict))]
    results = run_calls(call("keys.readSecrets", texts) for texts, _ in rows)
    assert results == [result for _, result in rows]


def test_stored_keys() -> None:
    """The last 64 derived keys are stored, and failed derivations are not."""
    script = """
        import { deriveOnce } from "./engine/keys.js";
        const count = async (number, form = "argon2id:m=8,t=1,p=1") => {
            let steps = 0;
            const kdf = `${form}:${number.toString(16).padStart(32, "0")}`;
            await deriveOnce(kdf, "x", () => steps++).catch(() => steps = -1);
            return steps > 0 ? 1 : steps;
        };
        const counts = [];
        for (const number of argument) counts.push(await count(number));
        for (let i = 0; i < 2; i++) counts.push(await count(0, "argon2id:m=1,t=1,p=1"));
        return counts;
    """
    numbers = [*range(64), *range(64), 64, *range(1, 65), 0, 2, 1]
    expected = [1] * 64 + [0] * 64 + [1] + [0] * 64 + [1, 0, 1] + [-1, -1]
    assert run_node(script, numbers) == expected


_WEBP = b"RIFF\0\0\0\0WEBP"
_FRAME: dict[str, Any] = {"shape": [3, 2], "dtype": "uint8", "mode": "gray"}
_CMYK: dict[str, Any] = _FRAME | {"shape": [2, 3, 4], "mode": "cmyk"}
_WITH_PREVIEW: dict[str, Any] = {"format": "PNG", "preview": 12}
_FILE: dict[str, Any] = {"name": "a", "size": 6}


def _write_extras(fields: dict[str, Any], blobs: bytes = b"") -> bytes:
    data = json.dumps(fields, separators=(",", ":")).encode() + b"\n" + blobs
    return data + bytes(-len(data) % 256)


def _list_limits() -> list[tuple[dict[str, Any], bytes]]:
    """Return lines with the largest file, the longest line and empty blobs, and larger ones."""
    lines: list[tuple[dict[str, Any], bytes]] = []
    largest = list(EmbeddedFile(name="a", size=2**38).shape)
    for size in (2**38, 2**38 + 1):
        file = _FILE | {"size": size}
        lines.append(
            ({"format": "PNG", "file": file, "frames": [_FRAME | {"shape": largest}]}, b"")
        )
    empty: list[Any] = [{"exif": 0}, {"native": [["a", 0]]}]
    lines += [({"format": "PNG", "frames": [_FRAME | {"metadata": each}]}, b"") for each in empty]
    room = 4194304 - len(json.dumps({"format": "", "frames": [_CMYK]}, separators=(",", ":")))
    for length in (room, room + 1):
        lines.append(({"format": "x" * length, "frames": [_CMYK]}, b""))
    return lines


def _list_extras() -> list[bytes]:
    """Return valid and wrong extras: each field of a picture and of a file once."""
    frames: list[Any] = [_FRAME, {}, 5, None, [], "x"]
    changes: list[tuple[str, list[Any]]] = [
        ("shape", [[1, 1], [0, 1], [1, 2, 1], [1, 2, 2], [1, 2, 3], [1, 2, 4], [1, 2, 5], [1], [],
                   [1, 1, 1, 1], 5, None, "xx", [1.5, 1], ["1", 1], [-1, 1], [2**31 - 1, 1], {}]),
        ("dtype", ["bool", "uint16", "float64", "float128", "u1", 1, None]),
        ("mode", ["rgb", "gray-alpha", "rgba", "cmyk", "palette", "", 1, None]),
    ]  # fmt: skip
    frames += [_FRAME | {name: value} for name, values in changes for value in values]
    modes = [("gray-alpha", 2), ("rgb", 3), ("rgba", 4), ("cmyk", 4), ("gray", 2), ("rgb", 4)]
    frames += [_FRAME | {"shape": [2, 3, depth], "mode": mode} for mode, depth in modes]
    frames += [{k: v for k, v in _FRAME.items() if k != name} for name in _FRAME]
    frames += [_FRAME | {"other": 1}, dict(reversed(_FRAME.items()))]
    lines: list[tuple[dict[str, Any], bytes]] = [
        (_WITH_PREVIEW | {"frames": [frame]}, _WEBP) for frame in frames
    ]
    plain = {"format": "PNG", "frames": [_FRAME]}
    lines += [(plain, b""), ({"format": "PNG", "frames": []}, b""), ({"frames": [_FRAME]}, b"")]
    lines += [({"format": "PNG", "frames": [_CMYK]}, b""), ({"format": 5, "frames": [_CMYK]}, b"")]
    lines += [({"format": "é\x7f", "frames": [_CMYK]}, b"")]
    for length in (12, 11, 13, 0, -1, 1.5, "12", None, True, 2**32, 2**32 - 1):
        lines.append(({"format": "PNG", "preview": length, "frames": [_FRAME]}, _WEBP))
        lines.append(({"format": "PNG", "structure": length, "frames": [_FRAME]}, _WEBP))
    for preview in (b"RIFX" + _WEBP[4:], _WEBP[:8] + b"WEBX", _WEBP + b"a", _WEBP[:11], b""):
        fields = {"format": "PNG", "preview": len(preview), "frames": [_FRAME]}
        lines.append((fields, preview))
    for length in (2**20, 2**20 + 1):
        lines.append(({"format": "PNG", "preview": length, "frames": [_FRAME]},
                      _WEBP.ljust(length, b"a")))  # fmt: skip
    resolutions: list[Any] = [["1", "2", unit] for unit in ("inch", "meter", None, "foot", 1)]
    resolutions += [[text, "1", None] for text in (
        "1/2", "2/4", "1/1", "0", "0/1", "0/2", "01", "1/02", "-1", "1.5", "9" * 20, "9" * 21,
        "1/" + "7" * 20, "1/" + "7" * 21, 1, None, "", "3/9", "1/0")]  # fmt: skip
    resolutions += [["1", "1"], ["1", "1", None, 1], [], {}, 0, False, "", "1"]
    metadata: list[tuple[Any, bytes]] = [({"resolution": each}, b"") for each in resolutions]
    for name in ("exif", "icc", "xmp", "other"):
        metadata += [({name: length}, b"abc") for length in (3, 2, 4, 0, "3", None)]
    metadata += [({"exif": 1, "icc": 1, "xmp": 1}, b"abc"), ({"icc": 1, "exif": 1}, b"ab"),
                 ({}, b""), ([], b""), (None, b""), (5, b""), ({"texts": [["a", "b"]]}, b""),
                 ({"texts": []}, b""), ({"texts": [["a"]]}, b""), ({"texts": [["a", 1]]}, b""),
                 ({"texts": [["a", "b", "c"]]}, b""), ({"texts": [["a", "b"], ["a", "b"]]}, b""),
                 ({"native": [["a", 2]]}, b"ab"), ({"native": [["a", 2], ["b", 1]]}, b"abc"),
                 ({"native": [["a", "2"]]}, b"ab"), ({"native": [[1, 2]]}, b"ab")]  # fmt: skip
    lines += [({"format": "PNG", "frames": [_FRAME | {"metadata": each}]}, blobs)
              for each, blobs in metadata]  # fmt: skip
    both = [_FRAME | {"metadata": {"exif": 1, "icc": 1}}]
    for names in (["exif"], ["icc"], ["exif", "icc"], ["icc", "exif"], [], ["xmp"], "exif", [5],
                  ["exif", "exif"], ["exif", "other"], None):  # fmt: skip
        lines.append(({"format": "PNG", "readable": names, "frames": both}, b"ab"))
    files: list[Any] = [{}, None, 5, [], {"name": "a"}, {"size": 6}, {"size": 6, "name": "a"}]
    values: dict[str, list[Any]] = {
        "name": ["", ".", "..", "a/b", "a" * 255, "a" * 256, "é" * 128, "\x9f", "\xa0", 5,
                 "\ud800"],
        "size": [5, 4, 7, 2**38, 2**38 + 1, -1, 1.5, "6", None, True],
        "padded": [6, 5, 7, 2**38, "6", None, True], "type": ["a/b", "A/b", "a", 5, None],
        "time": ["0", "1", "-1", "-0", "01", "", 1, str(2**63 - 1), str(2**63), str(-(2**63)),
                 str(-(2**63) - 1), None, "1.5"], "other": [1],
    }  # fmt: skip
    files += [_FILE | {name: value} for name in values for value in values[name]]
    for file in [_FILE, *files]:
        lines.append(({"format": "PNG", "file": file, "frames": [_FRAME]}, b""))
    wrong: list[dict[str, Any]] = [
        {"format": "JPEG"}, {"readable": ["exif"]}, {"structure": 0}, {"preview": 0},
    ]  # fmt: skip
    for change in wrong:
        fields = {"format": "PNG", "file": _FILE} | change
        lines.append(({name: fields[name] for name in ("format", "file", "preview", "structure",
                       "readable") if name in fields} | {"frames": [_FRAME]}, b""))  # fmt: skip
    for frame in ({"shape": [2, 3]}, {"dtype": "int8"}, {"shape": [3, 2, 1]}, {"shape": [3, 3]},
                  {"metadata": {"exif": 1}}, {"mode": "rgb", "shape": [3, 2, 3]}):  # fmt: skip
        lines.append(({"format": "PNG", "file": _FILE, "frames": [_FRAME | frame]}, b"a"))
    lines += _list_limits()
    extras = [_write_extras(fields, blobs) for fields, blobs in lines]
    whole = _write_extras({"format": "PNG", "file": _FILE, "frames": [_FRAME]})
    extras += [whole[:-1], whole[:-1] + b"a", whole + bytes(256), whole + bytes(1), b""]
    extras += [b" " + whole[:-1], whole.replace(b"\n", b"\0"), whole[:-2] + b"a\0", bytes(256)]
    extras += [whole.replace(b"PNG", b"\xffNG"), whole.replace(b'"a"', b'"\\u0061"')[:256]]
    return extras


def _is_description(extras: bytes) -> bool:
    try:
        parse_description(blank_samples(extras), extras)
    except SudokucryptError:
        return False
    return True


def test_descriptions() -> None:
    """A description is read and written again where the package reads it, or refused."""
    extras = _list_extras()
    rewrite = "description.writeDescription"
    results = run_calls(call(rewrite, call("description.readDescription", data)) for data in extras)
    for data, result in zip(extras, results, strict=True):
        assert (result == data) == _is_description(data), data[:1000]
        assert result == data or isinstance(result, Refusal), data[:1000]
    assert sum(map(_is_description, extras)) > 30


def test_ciphers_and_digests() -> None:
    """Sealed bytes, digests, subkeys and key ids are those of the package, for many lengths."""
    generator = Random(11)  # noqa: S311
    rows: list[tuple[Call, object]] = []
    for length in [*range(70), 127, 128, 129, 1000]:
        key, data, nonce = (generator.randbytes(size) for size in (32, length, 12))
        associated = generator.randbytes(length % 37)
        words = [int.from_bytes(nonce[start : start + 4], "little") for start in (0, 4, 8)]
        sealed = ChaCha20Poly1305(key).encrypt(nonce, data, associated)
        rows.append((call("aead.seal", key, words, data, associated), sealed))
        rows.append((call("aead.unseal", key, words, sealed, associated), data))
        changed = bytes([sealed[0] ^ 1]) + sealed[1:]
        wrong = [(changed, associated), (sealed[:-1] + bytes([sealed[-1] ^ 128]), associated)]
        wrong += [(sealed, associated + b"a"), (sealed[1:], associated), (sealed[:15], associated)]
        rows += [(call("aead.unseal", key, words, each, more), None) for each, more in wrong]
        rows.append((call("hashing.sha256", data), hashlib.sha256(data).digest()))
        rows.append((call("hashing.hmac", key, data), hmac.digest(key, data, "sha256")))
        rows.append((call("hashing.keyId", key), Key(key).id))
        short = data[:135]  # most of one block
        subkey = Key(key).subkey("salt", short, length=length + 1)
        rows.append((call("hashing.subkey", key, "master/salt", short, length + 1), subkey))
        for size in (1, 135, 136, 137, 300):
            digest = hashlib.shake_256(short).digest(size)
            rows.append((call("keccak.shake256", short, size), digest))
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]
