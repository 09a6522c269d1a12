"""The engine restores files of the package, tells what it did, and refuses others by name."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Identity, Key, Passphrase, encrypt_bytes, scramble_bytes
from sudokucrypt.header import Header
from sudokucrypt.images import decode_picture
from sudokucrypt.images.orientation import write_orientation
from sudokucrypt.keys import PictureKey
from sudokucrypt.keys.age_file import encrypt_payload
from sudokucrypt.recipes.sealed import picture_key
from tests.images.builders import make_png, make_png_chunk, make_png_text, noise, save_image
from tests.page.node import Refusal, call, from_text, run_calls, run_node, to_text
from tests.page.works import make_secret, make_work, run_works

pytestmark = pytest.mark.programs("node")
_KEY, _OTHER = Key(bytes(range(32))), Key(bytes(range(1, 33)))
_OWNER, _STRANGER = Identity(bytes(range(1, 33))), Identity(bytes(range(2, 34)))
_WRONG = "the key or passphrase is wrong, or the file was altered"
_NO_HEADER = (
    "this picture is not protected, or it was converted or resized; "
    "robust pictures are restored on the command line"
)
_OTHER_HEADER = "the header in the picture is another than the one below it"
_STORED = "this is not the picture that was protected: a program stored it as a JPEG"
_OF_EARLIER = "made by an earlier version with {}: restore it with version 1.1.0"
_KIND = "the page does not restore this kind; use the command line: it is no PNG or JPEG"
_PIXELS = noise(13, 11, 3)
_PNG = make_png(_PIXELS)
_EARLIER_FOLDER = Path(__file__).parents[1] / "data" / "v1_1"


def _get_header(data: bytes) -> bytes:
    start = data.index(b"iTXtsudokucrypt\0\0\0\0\0")
    length = int.from_bytes(data[start - 4 : start], "big")
    return data[start + 20 : start + 4 + length]


def _remove_header(data: bytes) -> bytes:
    return data.replace(make_png_text(b"iTXt", "sudokucrypt", _get_header(data)), b"")


def test_headers_of_files() -> None:
    """A header is found in a PNG or a sidecar; other files are refused by their first bytes."""
    jpeg = save_image(noise(8, 8, 1), "JPEG")
    protected = encrypt_bytes(b"a", _KEY)
    header = _get_header(protected)
    start, layers = b'{"sudokucrypt":', b'{"redaction":'
    no_feed = Refusal("a sidecar ends with a line feed")

    def refuse_old(what: str) -> Refusal:
        return Refusal(_OF_EARLIER.format(what))

    def refuse_kind(kind: str) -> Refusal:
        return Refusal(f"{_KIND}, but {kind}")

    rows: list[tuple[bytes, bytes | None, object]] = [
        (protected, None, header), (protected, b"x\n", b"x"), (protected, b"\n", b""),
        (protected, b"", no_feed), (protected, b"x", no_feed), (protected, b"\nx", no_feed),
        (_PNG, None, None), (_PNG, header + b"\n", header), (jpeg, None, None),
        (jpeg, header + b"\n", header), (_PNG[:-1], None, Refusal(
            "the PNG is damaged: it is cut off")),
        (b"GIF89a", None, refuse_kind("image/gif")), (b"GIF8" + start, None,
                                                      refuse_old("a GIF result")),
        (b"GIF87a" + layers, None, refuse_old("a GIF result")),
        (b"GIF7" + start, None, refuse_kind("image/gif")),
        (b"RIFF....WEBP", None, refuse_kind("image/webp")),
        (b"RIFF....WEBP." + start, None, refuse_old("a WebP result")),
        (b"....    WEBP" + layers, None, refuse_old("a WebP result")),
        (b"RIFF...WEBP " + start, None, refuse_kind("image/webp")),
        (b"II*\0" + start, None, refuse_kind("image/tiff")),
        (b"II*\0" + layers, None, refuse_old("a TIFF result")),
        (b"MM\0*" + layers, None, refuse_old("a TIFF result")),
        (b"MM\0*" + start, None, refuse_kind("image/tiff")),
        (b"II\0*" + layers, None, refuse_kind("image/tiff")),
        (b"PK\3\4", None, Refusal("unpack the zip first")),
        (b"xyz" + start + layers, None, Refusal(_KIND)), (b"", None, Refusal(_KIND)),
        (b"\x89P", None, refuse_kind("image/png")), (b"GI", None, Refusal(_KIND)),
    ]  # fmt: skip
    calls = [call(".header", call("engine.findHeader", data, sidecar)) for data, sidecar, _ in rows]
    assert run_calls(calls) == [result for *_, result in rows]
    too_large = Refusal("the file is larger than 256 MiB; use the command line")
    sizes = [call("engine.checkSize", size) for size in (0, 2**28, 2**28 + 1)]
    assert run_calls(sizes) == [None, None, too_large]
    found = [call("engine.findHeader", jpeg, None), call("engine.findHeader", _PNG, None)]
    kinds = run_calls(call(".chunks", each) for each in found)
    assert kinds[0] is None
    assert [chunk["kind"] for chunk in kinds[1]] == ["IHDR", "IDAT"]


def test_samples_of_a_run() -> None:
    """At most 512 MiB of samples are read before a key fits, and those that fit count no more."""
    script = """
        import { SampleBudget } from "./engine/engine.js";
        return argument.map((sizes) => {
            const budget = new SampleBudget();
            return sizes.map((size) => {
                try {
                    if (size < 0) budget.giveBack(-size);
                    else budget.take(size);
                    return true;
                } catch (error) {
                    return error.message;
                }
            });
        });
    """
    all_bytes = 2**29
    refused = (
        "this file and others before it, which no key opened, take long to read: open it alone"
    )
    rows: list[tuple[list[int], list[object]]] = [
        ([all_bytes, 0, 1], [True, True, refused]), ([all_bytes + 1, 5], [refused, True]),
        ([all_bytes, -7, 7, 1], [True, True, True, refused]),
        ([all_bytes - 3, 4, 3, 1], [True, refused, True, refused]),
    ]  # fmt: skip
    assert run_node(script, [sizes for sizes, _ in rows]) == [result for _, result in rows]


def test_files_that_ask_for_a_passphrase() -> None:
    """Whether a passphrase opens a file stands in its header, in text or in rows."""
    with_key = encrypt_bytes(b"a", _KEY)
    with_words = encrypt_bytes(b"a", Passphrase("six words"))
    jpeg = save_image(noise(8, 8, 1), "JPEG")
    rows: list[tuple[bytes, object]] = [
        (with_key, False), (with_words, True), (_remove_header(with_key), False),
        (_remove_header(with_words), True), (_PNG, Refusal(_NO_HEADER)),
        (jpeg, Refusal(_NO_HEADER)),
        (scramble_bytes(save_image(noise(16, 16, 1), "JPEG"), Passphrase("six words")), True),
    ]  # fmt: skip
    calls = [call("engine.asksPassphrase", data) for data, _ in rows]
    assert run_calls(calls) == [result for _, result in rows]


def _list_stages(length: int, *stages: str) -> list[list[object]]:
    return [[stage, length, length] for stage in stages]


def _count_samples(data: bytes) -> int:
    """Return the bytes of all samples of a PNG of 8 bits, with its header rows."""
    columns, rows, _, color = struct.unpack(">IIBB", data[16:26])
    return int(rows * columns * {0: 1, 4: 2, 2: 3}[color])


def test_restored_files() -> None:
    """Each kind of result comes back with its type, its name, its metadata and its reports."""
    exif = write_orientation(6) or b""
    chunks = [
        make_png_chunk(b"eXIf", exif),
        make_png_chunk(b"pHYs", bytes([0, 0, 9, 9] * 2) + b"\1"),
    ]
    described = make_png(noise(40, 30, 2), chunks_before=chunks)
    jpeg = save_image(noise(20, 30, 3), "JPEG")
    plain: dict[str, Any] = {"name": None, "time": None, "picture": False, "preview": None,
                             "notes": []}  # fmt: skip
    as_png = plain | {"type": "image/png", "picture": True}
    as_jpeg = plain | {"type": "image/jpeg", "ending": "restored.jpg"}
    as_file = plain | {"type": "application/octet-stream"}
    files: list[tuple[bytes, dict[str, Any], bytes]] = [
        (encrypt_bytes(b"text", _KEY, name="t.txt"), as_file | {"name": "t.txt",
                                                        "type": "text/plain"}, b"text"),
        (encrypt_bytes(b"", _KEY, name="e", pad=True), as_file | {"name": "e"}, b""),
        (encrypt_bytes(described, _KEY, as_file=False), as_png, described),
        (encrypt_bytes(_PNG, _KEY, as_file=False), as_png, _PNG),
        (scramble_bytes(described, _KEY), as_png, described),
        (scramble_bytes(_PNG, _KEY, unit="block", block_size=4), as_png, _PNG),
        (scramble_bytes(jpeg, _KEY), as_jpeg, jpeg),
    ]  # fmt: skip
    works = [make_work("restore", data, _KEY) for data, *_ in files]
    bare = range(6)
    works += [make_work("restore", _remove_header(files[number][0]), _KEY) for number in bare]
    results = run_works(works)
    numbers = [*((number, False) for number in range(7)), *((number, True) for number in bare)]
    for (number, is_bare), result in zip(numbers, results, strict=True):
        data, about, expected = files[number]
        made = result["made"]
        content = from_text(made.pop("bytes"))
        assert made == about, number
        stages = [*dict.fromkeys(stage for stage, *_ in result["reports"])]
        moves = number in (2, 3, 4, 6)  # fewer units than 36 are moved at once
        assert stages == (["restore", "verify"] if moves else ["verify"]), number
        ends = [(done, total) for stage, done, total in result["reports"] if stage == "verify"]
        assert ends == [(1, 1)], number
        if about["picture"]:
            ours, theirs = decode_picture(content), decode_picture(expected)
            assert np.array_equal(ours.pixels, theirs.pixels), number
            assert ours.metadata == theirs.metadata, number
        else:
            assert content == expected, number
        size = _count_samples(data) if is_bare else 0
        assert result["taken"] == ([] if number == 6 else [size, -size]), number


def test_secrets_that_fit() -> None:
    """The first secret that fits is used, cheap ones before passphrases, and others are refused."""
    words = "six words"
    with_words = encrypt_bytes(b"a", Passphrase(words))
    with_key = encrypt_bytes(b"a", _KEY)
    both = encrypt_bytes(b"a", [Passphrase(words), _OWNER.recipient])
    for_owner = encrypt_bytes(b"a", [_OWNER.recipient])
    own = picture_key(_KEY, Header.from_bytes(_get_header(with_key)))
    stranger = PictureKey(bytes(32))
    wrong = make_secret("seven words")
    two = make_secret("SIX WORDS", folded=words)
    rows: list[tuple[bytes, list[Any], bool, bool]] = [
        (with_key, [_KEY], True, False), (with_key, [_OTHER], False, False),
        (with_key, [_OTHER, _KEY], True, False), (with_key, [own], True, False),
        (with_key, [stranger], False, False), (with_key, [stranger, own], True, False),
        (with_key, [words], False, False), (with_key, [words, _KEY], True, False),
        (with_key, [_OWNER], False, False), (with_key, [_OWNER, _KEY], True, False),
        (with_key, [], False, False),
        (with_words, [words], True, True), (with_words, [wrong], False, True),
        (with_words, [wrong, words], True, True), (with_words, [_KEY], False, False),
        (with_words, [two], True, True), (with_words, [words, _OWNER], True, True),
        (both, [words, _OWNER], True, False), (both, [_STRANGER, words], True, True),
        (both, [words], True, True), (for_owner, [_OWNER], True, False),
        (for_owner, [_STRANGER], False, False), (for_owner, [_STRANGER, _OWNER], True, False),
        (for_owner, [words], False, False),
    ]  # fmt: skip
    works = [make_work("restore", data, *secrets) for data, secrets, *_ in rows]
    works += [make_work("peek", _get_header(data), *secrets) for data, secrets, *_ in rows]
    for (_, secrets, fits, derives), result in zip(rows * 2, run_works(works), strict=True):
        if "refused" in result:
            assert (result["refused"], fits) == (_WRONG, False), secrets
        elif result["made"] is None:
            assert not fits
        elif "bytes" in result["made"]:
            assert (from_text(result["made"]["bytes"]), fits) == (b"a", True), secrets
        else:
            assert result["made"]["file"] == {"name": "input", "size": 1}
        stages = {stage for stage, *_ in result["reports"]}
        # A key that was derived before is stored, so that only the first of a spelling is told.
        assert derives or "deriving the key" not in stages, secrets


def test_headers_that_are_looked_into() -> None:
    """The shape and the sealed facts about a file are read without its picture."""
    file, scrambled = encrypt_bytes(b"abc", _KEY, name="a.b"), scramble_bytes(_PNG, _KEY)
    pixels = encrypt_bytes(_PNG, _KEY, as_file=False)
    works = [make_work("peek", _get_header(data), _KEY) for data in (file, scrambled, pixels)]
    header = Header.from_bytes(_get_header(file))
    nothing = {"shape": [13, 11, 3], "file": None, "preview": None}
    assert [result["made"] for result in run_works(works)] == [
        {"shape": [*header.shape], "file": {"name": "a.b", "size": 3}, "preview": None},
        nothing,
        nothing,
    ]


def _with_sidecar(data: bytes, header: bytes) -> dict[str, Any]:
    """Return the work of restoring a picture by the header of a sidecar."""
    return make_work("restore", data, _KEY, sidecar=to_text(header + b"\n"))


def test_pictures_that_are_refused() -> None:
    """Other headers, rounds, animations and stored pictures are refused, with a key that fits."""
    file = scramble_bytes(_PNG, _KEY)
    header = _get_header(file)
    other = scramble_bytes(make_png(_PIXELS[::-1]), _KEY)
    jpeg = save_image(noise(8, 8, 1), "JPEG")
    animated = file[:33] + make_png_chunk(b"acTL", bytes(8)) + file[33:]
    fields = json.loads(header)
    context = {name: value for name, value in fields.items() if name not in ("salt", "tag", "seal")}
    context["scheme"] = "scramble-context-v1"
    line = json.dumps(context, separators=(",", ":")).encode() + b"\n"
    many, most = (scramble_bytes(_PNG, _KEY, rounds=rounds) for rounds in (17, 16))
    rows: list[tuple[dict[str, Any], str | None]] = [
        (make_work("restore", most, _KEY), None),
        (make_work("restore", many, _KEY),
         "the header asks for 17 rounds, more than the 16 that are allowed"),
        (make_work("restore", animated, _KEY), _OF_EARLIER.format("an animation")),
        (make_work("restore", _remove_header(animated), _KEY), None),
        (make_work("restore", _PNG, _KEY), _NO_HEADER), (make_work("restore", jpeg, _KEY),
                                                         _NO_HEADER),
        (_with_sidecar(jpeg, header), _STORED), (_with_sidecar(other, header), _OTHER_HEADER),
        (_with_sidecar(file, header), None), (_with_sidecar(_remove_header(file), header), None),
        (_with_sidecar(_PNG, line[:-1]), _OF_EARLIER.format("a context")),
        (_with_sidecar(_PNG, header), _WRONG),
        (_with_sidecar(make_png(_PIXELS[1:]), header),
         "the picture has another shape or type than the header says"),
        (make_work("restore", b"xyz", _KEY), _KIND),
    ]  # fmt: skip
    results = run_works([work for work, _ in rows])
    for (_, message), result in zip(rows, results, strict=True):
        assert result.get("refused") == message
    calls = [call("pictures.openHeader", fields | {"scheme": "scramble-context-v1"}, None)]
    assert run_calls(calls) == [Refusal(_OF_EARLIER.format("a context"))]


def test_frames_that_are_refused() -> None:
    """Samples that do not fit shape and type are refused, and unauthentic ones are erased."""
    draft = {"sudokucrypt": 1, "scheme": "scramble-v1", "unit": "pixel", "shape": [2, 3],
             "dtype": "uint8", "salt": "00" * 16}  # fmt: skip
    misfit = Refusal("the samples do not fit the shape")
    other = Refusal("the picture has another shape or type than the header says")
    rows: list[tuple[list[int], str, bytes, object]] = [
        ([2, 3], "uint8", bytes(6), None), ([2, 3], "uint8", bytes(5), misfit),
        ([2, 3], "uint8", bytes(7), misfit), ([2, 3], "uint16", bytes(6), misfit),
        ([2, 3], "bool", b"\0\1\0\1\1\1", other), ([3, 2], "uint8", bytes(6), other),
        ([2, 3], "bool", b"\0\1\0\1\1\2", Refusal("a boolean is one byte, 0 or 1")),
        ([2, 3], "bool", b"\2" * 6, Refusal("a boolean is one byte, 0 or 1")),
        ([2, 3, 1], "uint8", bytes(6), other), ([6], "uint8", bytes(6), other),
    ]  # fmt: skip
    calls = []
    for shape, dtype, data, _ in rows:
        frame = {"shape": shape, "dtype": dtype, "data": data}
        calls.append(call("pictures.protectFrame", frame, draft, bytes(32)))
    for (*_, wanted), result in zip(rows, run_calls(calls), strict=True):
        assert result == wanted if wanted is not None else isinstance(result, bytes)
    script = """
        import { protectFrame, restoreFrame, openHeader } from "./engine/pictures.js";
        import { readHeader } from "./engine/header.js";
        const [fields, reports] = [argument, []];
        const frame = { shape: [2, 3], dtype: "uint8", data: Uint8Array.of(1, 2, 3, 4, 5, 6) };
        const key = { kind: "key", bytes: new Uint8Array(32) };
        const report = (...values) => reports.push(values);
        const header = readHeader(await protectFrame(frame, fields, key.bytes, [], report));
        frame.data[3] ^= 8;
        const opened = await openHeader(header, key);
        const message = await restoreFrame(frame, header, opened).catch((error) => error.message);
        return [message, [...frame.data], header.rounds, reports];
    """
    assert run_node(script, draft) == [_WRONG, [0] * 6, 4, [["digest", 1, 1]]]


def test_lists_of_recipients_in_headers() -> None:
    """The text of the picture key and a line feed are in the list, or the file is refused."""
    line = _get_header(encrypt_bytes(b"a", _KEY))
    header, own = json.loads(line), picture_key(_KEY, Header.from_bytes(line))
    text, wrong = own.to_text().encode(), Refusal(_WRONG)
    rows: list[tuple[bytes, object]] = [
        (text + b"\n", own.to_bytes()), (text + b" ", wrong), (text + b"\r", wrong),
        (PictureKey(bytes(32)).to_text().encode() + b"\n", wrong),
        (Key(own.to_bytes()).to_text().encode() + b"\n", wrong),
        (text, Refusal("the key has a typing error")), (b"\n", Refusal(
            "a character that no key has")),
        (b"\xff\n", Refusal("not ASCII text")),
    ]  # fmt: skip
    secret = call("keys.readKeyFile", _OWNER.to_text().encode())
    stanza = _OWNER.recipient.wrap(bytes(16))
    headers = []
    for payload, _ in rows:
        data = encrypt_payload(payload, bytes(16), [stanza])
        headers.append(header | {"recipients": base64.b64encode(data).decode()})
    seals = run_calls(call("tags.makeSeal", fields, own.to_bytes()) for fields in headers)
    calls = [call("pictures.openHeader", header, secret)]
    for fields, seal in zip(headers, seals, strict=True):
        calls.append(call("pictures.openHeader", fields | {"seal": seal.hex()}, secret))
    assert run_calls(calls) == [wrong, *(result for _, result in rows)]


def test_redacted_files_of_version_1_1() -> None:
    """All layers of a file of version 1 are lifted without a note about what anyone may change."""
    file = (_EARLIER_FOLDER / "redacted-rgb.png").read_bytes()
    (result,) = run_works([make_work("restore", file, _KEY)])
    assert [note[:8] for note in result["made"]["notes"]] == ["lifted: "]
    assert "covered" not in result["made"]["notes"][0]
