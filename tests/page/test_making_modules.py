"""The engine protects, scrambles and covers files that the package opens, and makes keys."""

import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sudokucrypt import (
    Identity,
    Key,
    Passphrase,
    decrypt_bytes,
    encrypt_bytes,
    scramble_bytes,
    unscramble_bytes,
)
from sudokucrypt.header import Header
from sudokucrypt.images import decode_picture
from sudokucrypt.images.orientation import write_orientation
from sudokucrypt.keys import PictureKey, unlock
from sudokucrypt.keys.texts import decode_bech32, encode_bech32
from sudokucrypt.recipes.sealed import picture_key
from tests.images.builders import make_png, make_png_chunk, make_png_text, noise, save_image
from tests.page.node import Refusal, call, from_text, run_calls, run_node, to_text
from tests.page.works import make_secret, make_work, run_works

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.programs("node")
_KEY, _OWNER = Key(bytes(range(32))), Identity(bytes(range(1, 33)))
_WORDS = "six words"
_KDF = f"argon2id:m=8,t=1,p=1:{'0123456789abcdef' * 2}"
_PASSPHRASE = make_secret(_WORDS, kdf=_KDF)
_WEBP = b"RIFF\4\0\0\0WEBP"
_PIXELS = noise(13, 11, 3)
_REFUSED = "a picture is protected with a key or a passphrase, or for recipients"


def _get_header(data: bytes) -> bytes:
    start = data.index(b"iTXtsudokucrypt\0\0\0\0\0")
    length = int.from_bytes(data[start - 4 : start], "big")
    return data[start + 20 : start + 4 + length]


def _list_owners(*, recipients: bool) -> dict[str, Any]:
    return {"recipients": [_OWNER.recipient.to_text()]} if recipients else {}


def test_protected_files() -> None:
    """Files of all sizes are opened by each key that they are for, with their sealed facts."""
    rows: list[tuple[bytes, list[object], dict[str, Any], list[Any]]] = []
    for size in (0, 1, 2, 12, 13, 1000, 4097, 1_000_000, 1_050_000):
        data = bytes(i * i % 251 for i in range(size))
        rows += [(data, [_KEY], {"pad": size % 2 == 1}, [_KEY])]
    text = b"a text"
    rows += [
        (text, [_PASSPHRASE], {}, [Passphrase(_WORDS)]),
        (text, [_KEY], _list_owners(recipients=True), [_KEY, _OWNER]),
        (text, [], _list_owners(recipients=True), [_OWNER]),
        (text, [_KEY], {"preview": to_text(_WEBP)}, [_KEY]),
    ]
    about = {"type": "text/plain", "time": "7"}
    works = [make_work("protect", data, *secrets, name="a.txt", about=about, options=options)
             for data, secrets, options, _ in rows]  # fmt: skip
    results = run_works(works)
    restored = []
    for (data, _, options, keys), result in zip(rows, results, strict=True):
        made = result["made"]
        file, secret = from_text(made["bytes"]), made["secret"]
        own = PictureKey(from_text(secret["bytes"]))
        assert (made["name"], secret["kind"]) == ("a.txt.encrypted.png", "picture")
        header = Header.from_bytes(_get_header(file))
        for key in [*keys, own]:
            assert decrypt_bytes(file, key) == data
        assert picture_key(keys[0], header) == own
        assert header.segment == (2**20 if len(data) > 2**20 else None)
        assert (header.kdf is None) == (keys != [Passphrase(_WORDS)]) or header.kdf == _KDF
        assert (header.recipients is None) == ("recipients" not in options)
        restored.append(make_work("restore", file, own))
        stages = [report for report in result["reports"] if report[0] != "deriving the key"]
        assert stages[0] == ["digest", *[2 if len(data) > 2**20 else 1] * 2]
        assert {stage for stage, *_ in stages} <= {"digest", "protect"}
    for (data, _, options, _), result in zip(rows, run_works(restored), strict=True):
        assert result["made"] == {
            "name": "a.txt", "time": "7", "picture": False, "notes": [], "bytes": to_text(data),
            "preview": options.get("preview"), "type": "text/plain",
        }  # fmt: skip
    refused = [make_work("protect", text, *secrets) for secrets in
               ([], [_OWNER], [PictureKey(bytes(32))])]  # fmt: skip
    refused.append(make_work("protect", text, _OWNER, options=_list_owners(recipients=True)))
    assert [result.get("refused") for result in run_works(refused)] == [_REFUSED] * 4


def test_scrambled_pictures() -> None:
    """Pictures are scrambled in each unit, with their metadata, and protected ones are refused."""
    exif = write_orientation(6) or b""
    chunks = [make_png_chunk(b"eXIf", exif),
              make_png_chunk(b"pHYs", struct.pack(">IIB", 9, 8, 1))]  # fmt: skip
    plain, described = make_png(_PIXELS), make_png(noise(20, 17, 4), chunks_before=chunks)
    gray = make_png(noise(17, 20, 1, "uint16"), chunks_before=chunks[1:])
    harsh = noise(20, 30, 3) // 128 * 255  # which has coefficients of many bits
    jpeg = save_image(harsh, "JPEG", quality=100)
    rows: list[tuple[bytes, list[object], dict[str, Any], Any]] = [
        (data, [_KEY], options, _KEY)
        for data in (plain, described, gray)
        for options in ({}, {"unit": "sample"}, {"unit": "block", "blockSize": 4},
                        {"unit": "block"})
    ]  # fmt: skip
    rows += [
        (jpeg, [_KEY], {}, _KEY), (plain, [_PASSPHRASE], {}, Passphrase(_WORDS)),
        (plain, [_KEY], _list_owners(recipients=True), _OWNER),
        (jpeg, [], _list_owners(recipients=True), _OWNER),
    ]  # fmt: skip
    works = [make_work("scramble", data, *secrets, name="p", options=options)
             for data, secrets, options, _ in rows]  # fmt: skip
    for (data, _, options, key), result in zip(rows, run_works(works), strict=True):
        made, is_jpeg = result["made"], data is jpeg
        file, own = from_text(made["bytes"]), PictureKey(from_text(made["secret"]["bytes"]))
        assert made["name"] == f"p.scrambled{'.jpg' if is_jpeg else '.png'}"
        assert "digest" in {stage for stage, *_ in result["reports"]}
        if is_jpeg:
            assert unscramble_bytes(file, key) == unscramble_bytes(file, own) == data
            continue
        header = Header.from_bytes(_get_header(file))
        unit = options.get("unit", "pixel")
        assert (header.unit, header.encrypted_metadata is None) == (unit, data is plain)
        assert header.block_size == (options.get("blockSize", 8) if unit == "block" else None)
        expected = decode_picture(data)
        for each in (key, own):
            picture = decode_picture(unscramble_bytes(file, each))
            assert np.array_equal(picture.pixels, expected.pixels)
            assert picture.metadata == expected.metadata
    scrambled = scramble_bytes(plain, _KEY)
    text = make_png_text(b"iTXt", "sudokucrypt", _get_header(scrambled))
    animated = plain[:33] + make_png_chunk(b"acTL", bytes(8)) + plain[33:]
    no_kind = "the page scrambles JPEG and PNG pictures; encrypt the file, or use the command line"
    refused = [
        (b"GIF89a", no_kind), (b"", no_kind), (animated, "this is an animation, and only one "
                                               "still picture is scrambled; encrypt it as a file"),
        (scrambled, "the picture is protected already"),
        (scrambled.replace(text, b""), "the picture is protected already"),
        (scramble_bytes(jpeg, _KEY), "the picture is protected already"),
    ]  # fmt: skip
    results = run_works(make_work("scramble", data, _KEY) for data, _ in refused)
    assert [result.get("refused") for result in results] == [message for _, message in refused]


def test_covered_pictures() -> None:
    """Layers are lifted alone by their own secrets and together, and what is left is told."""
    png, jpeg = make_png(_PIXELS), save_image(noise(20, 30, 3), "JPEG")
    frame = {"shape": [13, 11, 4], "dtype": "uint8", "data": to_text(noise(13, 11, 4).tobytes())}
    kinds: list[tuple[bytes, str, str]] = [
        (png, "image/png", ".png"), (jpeg, "image/jpeg", ".jpg"),
        (b"RIFF....WEBP", "image/webp", ".webp"), (b"GIF89a", "image/gif", ".gif"),
        (b"II*\0", "image/tiff", ".tif"), (b"MM\0*", "image/tiff", ".tif"),
        (b"xyz", "application/octet-stream", ""),
    ]  # fmt: skip
    layers = [
        {"areas": [[0, 0, 2, 2]], "secret": make_secret(_KEY)},
        {"areas": [[8, 8, 2, 2]], "name": "two", "secret": None, **_list_owners(recipients=True)},
        {"areas": [[1, 8, 2, 2]], "name": "three", "secret": _PASSPHRASE},
    ]
    works = [make_work("cover", data, name="p", layers=layers, frame=frame) for data, *_ in kinds]
    opening, expected = [], []
    for (data, media_type, suffix), result in zip(kinds, run_works(works), strict=True):
        made = result["made"]
        assert made["name"] == f"p.redacted{'.jpg' if data is jpeg else '.png'}"
        assert from_text(made["lifted"]) == data
        assert [secret["kind"] for secret in made["secrets"]] == ["picture"] * 3
        own = [PictureKey(from_text(secret["bytes"])) for secret in made["secrets"]]
        file = from_text(made["bytes"])
        stays = "{} of 3 layers stay covered; keep the redacted file"
        cases: list[tuple[Sequence[object], list[str]]] = [
            (own, ["lifted: 1, two, three"]), ([_KEY, _OWNER, _WORDS], ["lifted: 1, two, three"]),
            ([own[1]], ["lifted: two", stays.format(2)]),
            ([_OWNER, own[0]], ["lifted: 1, two", stays.format(1)]),
            ([Key(bytes(32))], []),
        ]  # fmt: skip
        for secrets, notes in cases:
            opening.append(make_work("restore", file, *secrets))
            whole = len(notes) == 1
            name = (media_type, suffix) if whole or data is jpeg else ("image/png", ".png")
            expected.append((notes, name, data if whole else None))
    for (notes, name, content), result in zip(expected, run_works(opening), strict=True):
        if not notes:
            refused = "the key or passphrase lifts no layer of this picture"
            assert result["refused"] == refused
            continue
        made = result["made"]
        actual = from_text(made.pop("bytes"))
        assert made == {
            "name": None, "time": None, "picture": False, "preview": None, "notes": notes,
            "type": name[0], "ending": f"unredacted{name[1]}",
        }  # fmt: skip
        assert content is None or actual == content
    (result,) = run_works([make_work("cover", png, layers=[{"areas": [[0, 0, 1, 1]],
                                                            "secret": None}])])  # fmt: skip
    assert result["refused"] == _REFUSED


def test_recipients_and_identities() -> None:
    """Texts of recipients are read or refused, and new identities are those of the package."""
    text = _OWNER.recipient.to_text()
    data = decode_bech32(text)[1]
    no_recipient = Refusal("this is no recipient")
    post_quantum = Refusal(
        "the page makes no files for post-quantum recipients; use the command line"
    )
    rows: list[tuple[str, object]] = [
        (text, data), (text.upper(), no_recipient), (encode_bech32("age", data[:31]), no_recipient),
        (encode_bech32("age", data + b"\0"), no_recipient), (encode_bech32("agf", data),
                                                             no_recipient),
        (encode_bech32("age-secret-key-", data), no_recipient),
        (encode_bech32("age1pq", data), post_quantum), (encode_bech32("agepq", data), post_quantum),
        (text[:-1], Refusal("the key has a typing error")),
    ]  # fmt: skip
    assert run_calls(call("age.parseRecipient", each) for each, _ in rows) == [
        result for _, result in rows
    ]
    one, other = run_calls([call("age.makeIdentity")] * 2)
    identity = Identity.from_text(one["identity"])
    assert identity.recipient.to_text() == one["recipient"]
    assert one["identity"] == identity.to_text()
    assert one != other


def test_new_keys_and_passphrases() -> None:
    """New key files have 32 random bytes, and passphrases one or two readings."""
    one, other = run_calls([call("keys.makeKeyFile")] * 2)
    assert Key.from_text(one.strip()) != Key.from_text(other.strip())
    assert one == Key.from_text(one.strip()).to_text() + "\n"
    rows: list[tuple[tuple[str | None, ...], object]] = [
        (("x",), ["x"]), (("x", None), ["x"]), (("X y", "x y"), ["X y", "x y"]),
        (("",), Refusal("the passphrase is empty")),
        (("a\0",), Refusal("the passphrase holds a zero character")),
        (("\ud800",), Refusal("the passphrase is not valid Unicode text")),
    ]  # fmt: skip
    made = [call("keys.makePassphrase", *texts) for texts, _ in rows]
    assert run_calls(call(".readings", each) for each in made) == [result for _, result in rows]
    kinds = run_calls(call(f".{name}", made[0]) for name in ("kind", "kdf", "text"))
    assert kinds == ["passphrase", None, "x"]


def test_locked_key_files() -> None:
    """A key that the engine locks is unlocked by the package, and no other secret is locked."""
    only_keys = Refusal("the page locks key files, and neither identities nor keys of pictures")
    texts = [_OWNER.to_text(), PictureKey(bytes(32)).to_text()]
    calls = [call("keys.lockKeyFile", text, _WORDS) for text in [_KEY.to_text(), *texts]]
    locked, *others = run_calls(calls)
    assert others == [only_keys] * 2
    assert unlock(locked, Passphrase(_WORDS)) == _KEY
    derivation, text, rest = locked.split("\n")
    assert (derivation[:24], len(derivation), rest) == ("argon2id:m=262144,t=3,p=", 58, "")
    assert text == text.upper()


_STEPS_SCRIPT = """
    import { derive } from "./engine/passphrases.js";
    import { hex } from "./engine/bytes.js";
    const results = [];
    for (const kdf of argument) {
        const reports = [];
        const key = await derive(kdf, "x", (...values) => reports.push(values));
        results.push([hex(key).length, reports]);
    }
    return results;
"""


def test_progress_of_derivations() -> None:
    """The steps of a derivation are told: four of each pass and lane, or 64 of each lane."""
    salt = "0" * 32
    rows = [("argon2id:m=64,t=3,p=2", 24), ("argon2id:m=8,t=1,p=1", 4), ("scrypt:m=2,t=1,p=1", 64),
            ("scrypt:m=64,t=1,p=3", 192)]  # fmt: skip
    results = run_node(_STEPS_SCRIPT, [f"{kdf}:{salt}" for kdf, _ in rows])
    assert results == [
        [64, [["deriving the key", step, count] for step in range(1, count + 1)]]
        for _, count in rows
    ]


def test_other_keys_with_a_header_of_the_package() -> None:
    """A header that the engine wrote has the form and the order of the package's fields."""
    (result,) = run_works([make_work("protect", b"abc", _KEY, options={"pad": True})])
    ours = json.loads(_get_header(from_text(result["made"]["bytes"])))
    theirs = json.loads(_get_header(encrypt_bytes(b"abc", _KEY)))
    assert [*ours] == [*theirs]
    assert len(ours["salt"]) == 32
    changing = ("salt", "tag", "seal", "extras", "shape", "rounds")
    assert {name: value for name, value in ours.items() if name not in changing} == {
        name: value for name, value in theirs.items() if name not in changing
    }
