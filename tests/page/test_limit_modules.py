"""The engine's modules keep the limits of the format, and name removed features."""

import json
import struct
import zlib
from typing import Any

import pytest

from sudokucrypt import Identity, Key, Passphrase, encrypt_bytes
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.images.description import kept_name
from sudokucrypt.keys.age_file import Stanza, encode_unpadded, encrypt_payload
from tests.images.builders import noise, save_image
from tests.page.node import Refusal, call, run_calls, run_node, to_text
from tests.page.works import make_work, run_works

pytestmark = pytest.mark.programs("node")
_MALFORMED = Refusal("the header is malformed, or of a newer version")
_EARLIER = "made by an earlier version with {}: restore it with version 1.1.0"


def test_every_character_of_names() -> None:
    """Each forbidden character becomes a line, and no other one."""
    names = [f"a{chr(code)}b" for code in (*range(0x180), 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0x2044)]
    assert run_calls(call("files.cleanName", name) for name in names) == list(map(kept_name, names))


def test_the_longest_lines_of_headers() -> None:
    """A header has at most 65536 bytes beside its extras and its list of recipients."""
    rows: list[tuple[Any, object]] = []
    for texts in ({}, {"extras": "YQ=="}, {"extras": "YQ==", "recipients": "YWI="}):
        bare = json.dumps({"sudokucrypt": 1, "kdf": "", **texts}, separators=(",", ":"))
        room = 65536 - len(bare) + sum(map(len, texts.values()))
        for length in (room - 1, room, room + 1):
            fields = {"sudokucrypt": 1, "kdf": "a" * length, **texts}
            line = json.dumps({"sudokucrypt": 1, "kdf": fields["kdf"],
                               **dict(sorted(texts.items(), reverse=True))},
                              separators=(",", ":")).encode()  # fmt: skip
            rows.append(
                (call("header.writeHeader", fields), line if length <= room else _MALFORMED)
            )
    assert run_calls(each for each, _ in rows) == [result for _, result in rows]


def test_removed_features_of_descriptions() -> None:
    """Each removed field of a description is named, wherever other fields are wrong."""
    rows: list[tuple[dict[str, Any], str]] = [
        ({"animation": 1}, "an animation"), ({"frames": [{"showing": 1}]}, "an animation"),
        ({"frames": [5, None, {"place": 1}]}, "an animation"),
        ({"frames": [{}, {}]}, "several pages"), ({"palettes": 1}, "a palette"),
        ({"palettes": []}, "a palette"), ({"frames": [{"palette": 1}]}, "a palette"),
        ({"frames": [{"mode": "palette"}]}, "a palette"),
        ({"frames": [{"bits": 1}]}, "samples of fewer than 8 bits"),
        ({"frames": [{"transparent": 1}]}, "a transparent color"),
        ({"frames": [{}, {"bits": 1}]}, "several pages"), ({"frames": []}, ""),
        ({"frames": [{"mode": "palettes"}]}, ""), ({"frames": 5}, ""), ({"frames": [None]}, ""),
    ]  # fmt: skip
    malformed = "the sealed description is malformed, or of a newer version"
    calls, expected = [], []
    for fields, what in rows:
        data = json.dumps(fields, separators=(",", ":")).encode() + b"\n"
        calls.append(call("description.readDescription", data + bytes(-len(data) % 256)))
        expected.append(Refusal(_EARLIER.format(what) if what else malformed))
    assert run_calls(calls) == expected


def test_the_most_bytes_of_a_profile() -> None:
    """A profile in a PNG has at most 16 MiB."""
    script = """
        import { unbase64 } from "./engine/bytes.js";
        import { readPngMetadata } from "./engine/manner.js";
        const lengths = [];
        for (const text of argument) {
            const { icc } = await readPngMetadata([{ kind: "iCCP", body: unbase64(text) }]);
            lengths.push(icc ? icc.length : null);
        }
        return lengths;
    """
    sizes = (0, 1, 2**24, 2**24 + 1)
    bodies = [to_text(b"a\0\0" + zlib.compress(bytes(size))) for size in sizes]
    assert run_node(script, bodies) == [0, 1, 2**24, None]


def test_the_most_samples_of_surroundings() -> None:
    """A cover of the surroundings is made for at most 2^26 samples, of 8 or 16 bits."""
    script = """
        import { Refused } from "./engine/bytes.js";
        import { Samples } from "./engine/media.js";
        return argument.map((length) => {
            const data = { length, [Symbol.iterator]() { throw new Refused("it is filled"); } };
            const samples = new Samples({ shape: [1, 1], dtype: "uint8", data });
            try {
                samples.cover(Uint8Array.of(1), "surroundings", Uint8Array.of(1));
            } catch (error) {
                return error instanceof Refused && error.message;
            }
        });
    """
    refused = "the picture is too large for a cover of its surroundings; choose a color"
    lengths = [1, 2**26 - 1, 2**26, 2**26 + 1]
    assert run_node(script, lengths) == ["it is filled"] * 3 + [refused]


def test_derivations_that_cost_too_much() -> None:
    """A file whose derivation costs too much is refused by its cost, whatever keys follow."""
    words = "six words"
    file = encrypt_bytes(b"a", Passphrase(words))
    start = file.index(b'"kdf":"') + 7
    end = file.index(b'"', start)
    salt = file[start:end].rsplit(b":", 1)[1]
    costly = b"argon2id:m=4194304,t=1,p=1:" + salt
    malformed = b"argon2id:m=064,t=1,p=1:" + salt
    chunk = file.index(b"iTXt") - 4
    messages = [
        "deriving the key from the passphrase would take more memory or time than is allowed",
        "the field 'kdf' is malformed",
        None,
    ]
    works = []
    for kdf in (costly, malformed, file[start:end]):
        text = file[chunk + 4 : start] + kdf + file[end : file.index(b"IDAT") - 8]
        head = struct.pack(">I", len(text) - 4) + text + struct.pack(">I", zlib.crc32(text))
        changed = file[:chunk] + head + file[file.index(b"IDAT") - 4 :]
        works.append(make_work("restore", changed, words, Key(bytes(32))))
    assert [result.get("refused") for result in run_works(works)] == messages


def test_shares_that_are_none() -> None:
    """Without shares, two are asked for."""
    message = "2 shares of the key are needed, and there are only 0"
    assert run_calls([call("shares.joinShares", [])]) == [Refusal(message)]


def test_faults_of_lists_of_recipients() -> None:
    """Each fault of a list of recipients has a message of its own."""
    owner, file_key = Identity(bytes(range(1, 33))), bytes(range(16))
    own = owner.recipient.wrap(file_key)
    cut_off, version = "the list of recipients is cut off", b"age-encryption.org/v1\n"
    other, altered = (
        "the list of recipients has another version",
        "the list of recipients was altered",
    )
    malformed, no_list = "a recipient is malformed", "the list of recipients is malformed"
    whole = encrypt_payload(b"x", file_key, [own])
    mac = whole.index(b"--- ") + 4

    def encrypt(*stanzas: Stanza) -> bytes:
        return encrypt_payload(b"x", file_key, stanzas)

    low = Stanza(("X25519", encode_unpadded(bytes(32))), own.body)
    rows: list[tuple[bytes, object]] = [
        (whole, b"x"),
        (b"", cut_off),
        (b"\n", other),
        (version[:-1], cut_off),
        (version, cut_off),
        (version[:-2] + b"2\n", other),
        (b"a" * 65536, cut_off),
        (b"a" * 65537, "the list of recipients is too long"),
        (b"\xff\n", "not ASCII text"),
        (version + b"--- \n", no_list),
        (version + b"-- \n", malformed),
        (whole.replace(b"--- ", b"---"), no_list),
        (version + b"-> a\nAAAAA\n", "no base64"),
        (version + b"-> a\nAB\n", no_list),
        (version + b"-> a\nAAA=\n", malformed),
        (version + b"-> a\n", cut_off),
        (encrypt(*[Stanza(("a",), b"")] * 63, own), b"x"),
        (encrypt(*[Stanza(("a",), b"")] * 64, own), malformed),
        (encrypt(Stanza(("scrypt", "a"), b"")), "a passphrase stands among the recipients"),
        (encrypt(low), malformed),
        (encrypt(Stanza(("X25519",), own.body)), malformed),
        (encrypt(Identity(bytes(range(2, 34))).recipient.wrap(file_key)), None),
        (whole[:mac] + b"AAAA" + whole[mac + 4 :], altered),
        (whole[:-1], altered),
        (whole[: mac + 44 + 31], altered),
        (whole[:-1] + bytes([whole[-1] ^ 1]), altered),
    ]  # fmt: skip
    calls = [call("age.readAge", data, owner.to_bytes()) for data, _ in rows]
    for (data, wanted), result in zip(rows, run_calls(calls), strict=True):
        expected = Refusal(wanted) if isinstance(wanted, str) else wanted
        assert result == expected, data[:99]


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 255, marker, len(body) + 2) + body


def test_the_most_segments_of_a_jpeg() -> None:
    """A JPEG has at most 2^14 segments, and as many bytes that fill before one."""
    from sudokucrypt.images.jpeg.reading import read_coefficients

    file = save_image(noise(8, 8, 1), "JPEG")
    count = len(run_calls([call("jpeg_file.readSegments", file)])[0])
    files = [file[:2] + _segment(0xFE, b"") * more + file[2:]
             for more in (2**14 - count, 2**14 - count + 1)]  # fmt: skip
    files += [file[:2] + b"\xff" * more + file[2:] for more in (2**14, 2**14 + 1)]
    for data, is_read in zip(files, (True, False, True), strict=False):
        try:
            read_coefficients(data, max_pixels=64)
        except SudokucryptError:
            assert not is_read
        else:
            assert is_read
    results = run_calls(call(".rows", call("jpeg_file.readJpeg", data)) for data in files)
    assert [result == 8 for result in results] == [True, False] * 2


def test_the_most_scans_of_a_jpeg() -> None:
    """A large JPEG has at most 32 scans, and a smaller one more, of 2^31 pixels together."""
    codes = bytes([0] * 7 + [1] + [0] * 8) + b"\0"
    start = b"\xff\xd8" + _segment(0xDB, b"\0" + b"\1" * 64)
    tables = _segment(0xC4, b"\0" + codes + b"\x10" + codes)
    files, expected = [], []
    for rows, columns in ((8192, 8192), (8192, 6553), (6553, 8192), (8193, 8192), (16000, 4000)):
        frame = _segment(0xC2, struct.pack(">BHHB", 8, rows, columns, 1) + b"\1\x11\0")
        most = max(32, 2**31 // (rows * columns))
        for count in (2, most, most + 1):
            bands = [(0, 0), *((at, at) for at in range(1, count - 1)), (count - 1, 63)]
            scans = [_segment(0xDA, b"\1\1\0" + bytes(band) + b"\0") for band in bands]
            files.append(start + frame + tables + b"".join(scans) + b"\xff\xd9")
            expected.append(count <= most)
    results = run_calls(call(".rows", call("jpeg_file.readJpeg", data)) for data in files)
    assert [not isinstance(result, Refusal) for result in results] == expected


def test_the_most_blocks_of_a_jpeg() -> None:
    """The blocks of a JPEG take at most 256 MiB; those of this one are then missing."""
    codes = bytes([0] * 7 + [1] + [0] * 8) + b"\0"
    tables = _segment(0xDB, b"\0" + b"\1" * 64) + _segment(0xC4, b"\0" + codes + b"\x10" + codes)
    calls = []
    for rows, columns in ((8192, 16384), (8192, 16385)):
        frame = _segment(0xC0, struct.pack(">BHHB", 8, rows, columns, 1) + b"\1\x11\0")
        file = b"\xff\xd8" + tables + frame + _segment(0xDA, b"\1\1\0\0\x3f\0") + b"\xff\xd9"
        calls.append(call("jpeg_blocks.Blocks", call("jpeg_file.readJpeg", file)))
    missing = "the JPEG is damaged: its data cannot be decoded"
    larger = "the picture is larger than this page opens; use the command line"
    assert run_calls(calls) == [Refusal(missing), Refusal(larger)]


def test_the_most_work_of_a_derivation() -> None:
    """A derivation of each function takes at most so much memory, time and so many lanes."""
    rows = [
        ("argon2id", 917504, 4, 16, True),
        ("argon2id", 917505, 1, 1, False),
        ("argon2id", 524288, 8, 1, True),
        ("argon2id", 524288, 9, 1, False),
        ("argon2id", 524289, 8, 1, False),
        ("argon2id", 65536, 64, 1, True),
        ("argon2id", 65537, 64, 1, False),
        ("argon2id", 1024, 1, 16, True),
        ("argon2id", 1024, 1, 17, False),
        ("scrypt", 2**19, 1, 2, True),
        ("scrypt", 2**19, 1, 3, False),
        ("scrypt", 2**20, 1, 1, False),
        ("scrypt", 2**15, 1, 32, True),
        ("scrypt", 2**15, 1, 33, False),
        ("scrypt", 2**14, 1, 64, True),
    ]
    too_much = "deriving the key from the passphrase would take more memory or time than is allowed"
    calls = [
        call("passphrases.derive", f"{name}:m={memory},t={times},p={lanes}:{'0' * 32}", "")
        for name, memory, times, lanes, _ in rows
    ]
    empty = "the passphrase is empty"  # which is told of costs that are allowed
    wanted = [Refusal(empty if is_allowed else too_much) for *_, is_allowed in rows]
    assert run_calls(calls) == wanted
