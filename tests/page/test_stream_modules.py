"""The engine's modules for bytes, streams, digests and segments give what their definitions say."""

import base64
import binascii
import hashlib
import hmac
import re
import struct
from random import Random
from typing import Any

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from sudokucrypt import Key
from sudokucrypt.bijections.keyed import UnitPermutation
from sudokucrypt.draws import StreamDraws
from sudokucrypt.workers import Workers
from tests.page.node import Refusal, call, run_calls, run_node

pytestmark = pytest.mark.programs("node")
_MEBIBYTE = 2**20
_KEY = Key(bytes(range(32)))
_STREAM_KEY = bytes(range(40, 72))
_NO_BASE64 = Refusal("no base64")


def _make_bytes(length: int) -> bytes:
    return Random(length).randbytes(length)  # noqa: S311


def _make_stream(length: int, counter: int = 0, nonce: tuple[int, int, int] = (0, 0, 0)) -> bytes:
    """Return bytes of the stream of RFC 8439."""
    start = struct.pack("<IIII", counter, *nonce)
    cipher = Cipher(algorithms.ChaCha20(_STREAM_KEY, start), mode=None)
    return cipher.encryptor().update(bytes(length))


def _list_digests(data: bytes) -> list[bytes]:
    pieces = [data[start : start + _MEBIBYTE] for start in range(0, len(data), _MEBIBYTE)]
    return [hashlib.sha256(piece).digest() for piece in pieces]


def _sign_message(key: bytes, header: bytes, digests: list[bytes]) -> bytes:
    message = struct.pack("<Q", len(header)) + header + struct.pack("<Q", len(digests))
    return hmac.digest(key, message + b"".join(digests), "sha256")


def _read_base64(text: str) -> object:
    """Return the bytes of a text with whole padding or none, of which other bits are ignored."""
    letters = text.rstrip("=")
    sign_count = len(text) - len(letters)
    wrong = re.fullmatch("[A-Za-z0-9+/]*", letters) is None or sign_count > 2
    if wrong or len(letters) % 4 == 1 or (sign_count and len(text) % 4):
        return _NO_BASE64
    return binascii.a2b_base64(letters + "=" * (-len(letters) % 4))


def test_texts_of_bytes() -> None:
    """Bytes are written as letters, digits and base64, and read again, or refused."""
    rows: list[tuple[Any, object]] = []
    for length in (0, 1, 2, 3, 4, 24575, 24576, 24577, 24578, 49152, 49153):
        data = _make_bytes(length)
        text = base64.b64encode(data).decode()
        rows += [
            (call("bytes.hex", data), data.hex()),
            (call("bytes.unhex", data.hex()), data),
            (call("bytes.base64", data), text),
            (call("bytes.unbase64", text), data),
            (call("bytes.toLetters", data[:99]), data[:99].decode("latin-1")),
        ]
    texts = ["", "A", "AA", "AAA", "AAAA", "AAAAA", "AA=", "AA==", "AAA=", "AAA==", "A===", "=",
             "==", "AA=A", "AB==", "AAB=", "A-==", "A_A=", "+/+/", "AA AA=", "AAAA\n", "AAAA===",
             "AAAA=", "AAAA==", "AAAAAA==", "AAAAAA=="]  # fmt: skip
    rows += [(call("bytes.unbase64", text), _read_base64(text)) for text in texts]
    rows += [(call("bytes.unbase64", value), _NO_BASE64) for value in (5, None, ["AAAA"])]
    every = bytes(range(128))
    rows += [
        (call("bytes.ascii", every), every.decode()),
        (call("bytes.ascii", b""), ""),
        (call("bytes.ascii", b"a\x80"), Refusal("not ASCII text")),
        (call("bytes.ascii", b"\xff", "x"), Refusal("x")),
        (call("bytes.utf8", "a\xe9\U0001f600"), "a\xe9\U0001f600".encode()),
    ]
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]


def test_numbers_and_parts_of_bytes() -> None:
    """Numbers have the right order of bytes, and arrays are joined, compared and searched."""
    parts = [b"", b"a", b"bcd", b"", b"\xff\0"]
    rows: list[tuple[Any, object]] = [
        (call("bytes.concat", parts), b"".join(parts)),
        (call("bytes.concat", []), b""),
        (call("bytes.zeros", 3), bytes(3)),
        (call("bytes.uint32s"), b""),
        (call("bytes.uint32s", 1, 0x1020304, 2**32 - 1), b"\0\0\0\1\1\2\3\4\xff\xff\xff\xff"),
        *((call("bytes.le64", number), struct.pack("<Q", number))
          for number in (0, 1, 255, 256, 2**32 - 1, 2**32, 2**53 - 1)),
    ]  # fmt: skip
    for one in (b"", b"a", b"ab", b"ba", b"\1\1", b"aab", b"aabaab", b"xaabaac", b"abab"):
        for other in (b"", b"a", b"b", b"aa", b"ab", b"aab", b"aac", b"abaac", b"bb", b"\0\0"):
            rows += [
                (call("bytes.sameBytes", one, other), one == other),
                (call("bytes.startsWith", one, other), one.startswith(other)),
            ]
            if other:
                rows.append((call("bytes.occursIn", one, other), other in one))
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]
    script = """
        import { makeView, randomBytes, refuseOld, require } from "./engine/bytes.js";
        const refusals = [];
        const told = (run) => {
            try { run(); } catch (error) { refusals.push([error.constructor.name, error.message]); }
        };
        told(() => require(0, "x"));
        told(() => require(1, "y"));
        told(() => refuseOld("z"));
        const view = makeView(Uint8Array.of(9, 1, 2, 3).subarray(1, 3));
        const [one, other] = [randomBytes(32), randomBytes(32)];
        const random = [one.length, other.length, String(one) === String(other)];
        return { refusals, view: [view.getUint16(0), view.byteLength], random };
    """
    assert run_node(script, None) == {
        "refusals": [
            ["Refused", "x"],
            ["Refused", "made by an earlier version with z: restore it with version 1.1.0"],
        ],
        "view": [0x102, 2],
        "random": [32, 32, False],
    }


def test_masks_are_those_of_the_stream() -> None:
    """Bytes are masked with the stream of RFC 8439, from any block on, some of their bits only."""
    rows: list[tuple[Any, bytes]] = []
    for length in (0, 1, 63, 64, 65, 32767, 32768, 32769, 65536, 65536 + 100):
        data = _make_bytes(length)
        for bits, counter, nonce in ((8, 0, (0, 0, 0)), (1, 0, (0, 0, 0)), (8, 7, (1, 2, 3)),
                                     (3, 2**32 - 1100, (2**32 - 1, 5, 0))):  # fmt: skip
            stream = np.frombuffer(_make_stream(length, counter, nonce), np.uint8)
            expected = np.frombuffer(data, np.uint8) ^ (stream & (2**bits - 1))
            found = call("chacha20.mask", data, _STREAM_KEY, bits, counter, nonce)
            rows.append((found, expected.tobytes()))
    data = _make_bytes(300)
    masked = bytes(map(int.__xor__, data, _make_stream(300)))
    rows.append((call("chacha20.mask", data, _STREAM_KEY), masked))
    start = call("chacha20.readStart", _STREAM_KEY, (1, 2, 3), 100)
    rows.append((start, _make_stream(100, 0, (1, 2, 3))))
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]


def test_words_of_the_stream() -> None:
    """Words go on behind the buffer of the core, and end with the stream or with its length."""
    script = """
        import { Refused } from "./engine/bytes.js";
        import { mask, Words } from "./engine/chacha20.js";
        const key = Uint8Array.from(argument.key);
        const words = new Words(key);
        const first = Array.from({ length: argument.count }, () => words.next());
        const later = new Words(key, 2 ** 32 - 513);
        const last = Array.from({ length: 513 * 16 }, () => later.next());
        const read = () => { throw new Refused("it is read"); };
        const told = [() => later.next()];
        for (const length of [2 ** 38, 2 ** 38 + 1]) {
            told.push(() => mask({ length, subarray: read }, key));
        }
        const messages = told.map((run) => {
            try {
                return run();
            } catch (error) {
                return error instanceof Refused && error.message;
            }
        });
        return { first, last, messages };
    """
    count = 2 * 8192 + 5
    result: Any = run_node(script, {"key": [*_STREAM_KEY], "count": count})
    assert struct.pack(f"<{count}I", *result["first"]) == _make_stream(4 * count)
    words = struct.pack(f"<{513 * 16}I", *result["last"])
    # The library refuses a stream that ends, so that its last block is left out.
    assert words[:-64] == _make_stream(512 * 64, 2**32 - 513)
    too_long = "the stream has 2^38 bytes"
    assert result["messages"] == [too_long, "it is read", too_long]


def test_bounds_of_draws() -> None:
    """A draw takes words until one is below a multiple of its bound, which is 1 to 2^32."""
    script = """
        import { Refused } from "./engine/bytes.js";
        import { draw, randomWords } from "./engine/draws.js";
        const drawn = argument.map(([bound, words]) => {
            let used = 0;
            try {
                return [draw(bound, { next: () => words[used++] }), used];
            } catch (error) {
                return error instanceof Refused && error.message;
            }
        });
        const random = Array.from({ length: 64 }, () => randomWords.next());
        return { drawn, random };
    """
    words = [2**32 - 1, 2**32 - 2, 2**32 - 4, 2**31 + 2, 2**31 + 1, 2**31, 9, 5, 0]
    bounds = (1, 2, 3, 7, 10, 2**31, 2**31 + 1, 2**32 - 1, 2**32)
    cases = [(bound, words[start:]) for bound in bounds for start in range(8)]
    expected: list[Any] = []
    for bound, given in cases:
        limit = 2**32 // bound * bound
        used = next(i for i, word in enumerate(given) if word < limit)
        expected.append([given[used] % bound, used + 1])
    wrong = [(bound, [0]) for bound in (0, -1, 2**32 + 1)]
    result: Any = run_node(script, [*cases, *wrong])
    assert result["drawn"] == [*expected, *["a bound of a draw is 1..2^32"] * 3]
    assert len({*result["random"]}) > 60
    assert max(result["random"]) > 2**31


_TAGS_SCRIPT = """
    import { hex, unbase64 } from "./engine/bytes.js";
    import { hashChunks } from "./engine/tags.js";
    const results = [];
    for (const { size } of argument) {
        const data = new Uint8Array(size);
        for (let i = 0; i < size; i += 1021) data[i] = i / 1021 + 1;
        const reports = [];
        const digests = await hashChunks(data, (...values) => reports.push(values));
        const silent = (await hashChunks(data)).length;
        results.push({ digests: digests.map(hex), reports, silent });
    }
    return results;
"""


def test_digests_of_chunks() -> None:
    """Each mebibyte has a digest of its own, and the progress is told for every 16 of them."""
    sizes = (0, 1, _MEBIBYTE - 1, _MEBIBYTE, _MEBIBYTE + 1, 16 * _MEBIBYTE, 16 * _MEBIBYTE + 1,
             33 * _MEBIBYTE - 1)  # fmt: skip
    results: Any = run_node(_TAGS_SCRIPT, [{"size": size} for size in sizes])
    longest = np.zeros(sizes[-1], np.uint8)
    longest[::1021] = np.arange(1, len(longest[::1021]) + 1)
    for size, result in zip(sizes, results, strict=True):
        digests = _list_digests(longest[:size].tobytes())
        assert result["digests"] == [digest.hex() for digest in digests]
        assert result["silent"] == len(digests)
        ends = [*range(16, len(digests), 16), len(digests)] if digests else []
        assert result["reports"] == [[end, len(digests)] for end in ends]


def test_salts_tags_and_seals() -> None:
    """Salt, tag and seal are sums of the header without some fields, and of the digests."""
    fields = {"sudokucrypt": 1, "scheme": "scramble-v1", "unit": "pixel", "rounds": 4,
              "shape": [2, 3], "dtype": "uint8", "key_id": "00000000", "salt": "ab" * 16,
              "extras": "eHl6", "tag": "cd" * 32}  # fmt: skip
    master = _KEY.to_bytes()
    rows: list[tuple[Any, object]] = []

    def write(*names: str) -> bytes:
        kept = (f'"{name}":{_write(value)}' for name, value in fields.items() if name not in names)
        return f"{{{','.join(kept)}}}".encode()

    def derive(use: str, context: bytes | None = None) -> bytes:
        info = f"sudokucrypt/v1/{use}".encode() + (b"" if context is None else b"\0" + context)
        first = hmac.digest(hmac.digest(bytes(32), master, "sha256"), info + b"\1", "sha256")
        return bytes(first)

    for count in (0, 1, 3):
        digests = [bytes([number]) * 32 for number in range(count)]
        salt = _sign_message(derive("master/salt"), write("salt", "tag", "seal"), digests)
        tag = _sign_message(derive("picture/tag"), write("tag", "seal"), digests)
        rows += [
            (call("tags.deriveSalt", fields, digests, master), salt[:16].hex()),
            (call("tags.hashTag", fields, digests, master), tag),
        ]
    seal = hmac.digest(derive("picture/seal"), write(), "sha256")
    rows += [
        (call("tags.makeSeal", fields, master), seal),
        (call("tags.isSealed", {**fields, "seal": seal.hex()}, master), True),
        (call("tags.isSealed", {**fields, "seal": "00" * 32}, master), False),
        (call("tags.isSealed", {**fields, "rounds": 5, "seal": seal.hex()}, master), False),
        (call("hashing.subkey", master, "x"), derive("x")),
        (call("hashing.subkey", master, "x", b""), derive("x", b"")),
        (call("hashing.subkey", master, "x", b"y", 5), derive("x", b"y")[:5]),
        (call("hashing.pictureKey", master, bytes(16)), derive("master/picture", bytes(16))),
        (call("hashing.keyId", master), _KEY.id),
    ]
    wrong = Refusal("a master key is 32 bytes, a salt 16")
    for key_length, salt_length in ((31, 16), (33, 16), (32, 15), (32, 17)):
        given = (bytes(key_length), bytes(salt_length))
        rows.append((call("hashing.pictureKey", *given), wrong))
    cipher = Cipher(algorithms.ChaCha20(derive("picture/extras", b"tag"), bytes(16)), mode=None)
    masked = base64.b64encode(cipher.encryptor().update(b"xyz")).decode()
    rows.append((call("tags.maskExtras", fields, master, b"tag"), {**fields, "extras": masked}))
    bare = {name: value for name, value in fields.items() if name != "extras"}
    rows.append((call("tags.maskExtras", bare, master, b"tag"), bare))
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]


def _write(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).replace(" ", "")


_SEGMENTS_SCRIPT = """
    import { hex } from "./engine/bytes.js";
    import { Words } from "./engine/chacha20.js";
    import { sha256 } from "./engine/hashing.js";
    import { drawMaps, moveSegments } from "./engine/units.js";
    const results = [];
    for (const { length, rounds, key } of argument) {
        const data = new Uint8Array(length);
        for (let i = 0; i < length; i++) data[i] = i * i + (i >> 8);
        const before = hex(await sha256(data));
        const maps = drawMaps(length, rounds, new Words(Uint8Array.from(key)));
        moveSegments(data, maps, false);
        const moved = hex(await sha256(data));
        moveSegments(data, maps, true);
        results.push([before, moved, hex(await sha256(data)) === before]);
    }
    return results;
"""


class _Reader:
    """The bytes of the stream, as the package draws from it."""

    def __init__(self) -> None:
        self._data, self._at = _make_stream(2**20), 0

    def read(self, length: int, /) -> bytes:
        self._at += length
        return self._data[self._at - length : self._at]


def test_units_move_inside_segments() -> None:
    """Pieces of 64 bytes move inside each mebibyte, in whole ones equally, as in the package."""
    sizes = (_MEBIBYTE, _MEBIBYTE + 1, _MEBIBYTE + 63, _MEBIBYTE + 64, 2 * _MEBIBYTE + 64 * 40 + 5,
             3 * _MEBIBYTE, 2 * _MEBIBYTE - 1)  # fmt: skip
    cases: list[dict[str, Any]] = [
        {"length": size, "rounds": rounds, "key": [*_STREAM_KEY]}
        for size in sizes
        for rounds in (1, 3)
    ]
    results: Any = run_node(_SEGMENTS_SCRIPT, cases)
    for case, (before, moved, is_undone) in zip(cases, results, strict=True):
        length = case["length"]
        places = np.arange(length)
        data = (places * places + (places >> 8)).astype(np.uint8)
        assert hashlib.sha256(data.tobytes()).hexdigest() == before
        draws = StreamDraws(_Reader())
        orders = {}
        for size in (_MEBIBYTE, length % _MEBIBYTE):
            order = np.arange(size // 64)
            with Workers(1) as workers:
                UnitPermutation(len(order), case["rounds"], draws).apply(order, order, workers)
            orders[size // 64] = order
        for start in range(0, length, _MEBIBYTE):
            segment = data[start : start + _MEBIBYTE]
            units = segment[: len(segment) // 64 * 64].reshape(-1, 64)
            units[:] = units[orders[len(units)]]
        assert hashlib.sha256(data.tobytes()).hexdigest() == moved, case
        assert is_undone


def test_many_units_move() -> None:
    """A square of 2^20 units, whose groups are wider than a strip, moves as in the package."""
    script = """
        import { hex } from "./engine/bytes.js";
        import { Words } from "./engine/chacha20.js";
        import { sha256 } from "./engine/hashing.js";
        import { permuteUnits } from "./engine/permutation.js";
        const units = new Float64Array(2 ** 20).map((_, i) => i);
        const data = new Uint8Array(units.buffer);
        permuteUnits(data, 8, 1, new Words(Uint8Array.from(argument)), false);
        const moved = hex(await sha256(data));
        permuteUnits(data, 8, 1, new Words(Uint8Array.from(argument)), true);
        return [moved, units.every((unit, i) => unit === i)];
    """
    order = np.arange(_MEBIBYTE)
    with Workers(1) as workers:
        draws = StreamDraws(_Reader())
        UnitPermutation(_MEBIBYTE, 1, draws).apply(order, order, workers)
    digest = hashlib.sha256(order.astype("<f8").tobytes()).hexdigest()
    assert run_node(script, [*_STREAM_KEY]) == [digest, True]


def test_files_become_frames() -> None:
    """A file stands at the start of its frame, before zeros, and its padding is counted in it."""
    script = """
        import { hex, unhex } from "./engine/bytes.js";
        import { describeFile, extractFile, wrapFile } from "./engine/files.js";
        return argument.map(([content, pad]) => {
            const bytes = unhex(content);
            const about = { name: "a", type: "a/b", time: 5n, bytes };
            const options = { pad, preview: null };
            const { frame, description } = wrapFile(about, options);
            const made = { shape: frame.shape, description };
            const wanted = describeFile({ ...about, size: bytes.length }, options);
            const same = JSON.stringify(made) === JSON.stringify(wanted);
            const back = hex(extractFile(frame, bytes.length));
            return [same, frame.dtype, frame.shape, hex(frame.data), back];
        });
    """
    cases = [
        (_make_bytes(size).hex(), pad) for size in (0, 1, 2, 7, 13, 1001) for pad in (False, True)
    ]
    results: Any = run_node(script, cases)
    for (content, _), (same, dtype, (rows, columns), data, back) in zip(
        cases, results, strict=True
    ):
        assert (same, dtype, back) == (True, "uint8", content)
        assert data == content.ljust(2 * rows * columns, "0")
