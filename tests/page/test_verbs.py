"""Engine and command line agree on scrambling, encrypting and covering pictures."""

import json
import random
import zipfile
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sudokucrypt import (
    Identity,
    InvalidImageError,
    Key,
    Layer,
    Passphrase,
    PictureKey,
    Region,
    decrypt_bytes,
    encrypt_bytes,
    redact_file,
    scramble_bytes,
    unredact_file,
    unscramble_bytes,
)
from sudokucrypt.images import Picture, decode_picture, encode_picture, get_turn
from sudokucrypt.images.attachments import add_attachment, find_attachment
from sudokucrypt.keys import lock, split_key
from sudokucrypt.page.assembling import join_code
from sudokucrypt.recipes import read_header
from sudokucrypt.recipes.carriers.redaction.package import Package
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise
from tests.page.node import run_node
from tests.reports.browser import Page

pytestmark = pytest.mark.programs("node")
KEY = Key(bytes(range(32)))
KEYS = [Key(bytes([number]) * 32) for number in (1, 2)]
OTHER = Key(bytes(range(1, 33)))
STILLS = [name for name in GALLERY if name.endswith((".png", ".jpg"))]

_ENGINE_SCRIPT = dedent("""
    import { cover, protect, restore, scramble } from "./engine/engine.js";
    import { readSecrets } from "./engine/keys.js";
    import { hex, Refused, unhex } from "./engine/bytes.js";
    const layersOf = (layers, secrets) => {
        const left = [...secrets];
        return layers.map((layer) => ({ ...layer, secret: layer.permanent ? null : left.shift() }));
    };
    const answers = [];
    for (const { work, file, keys = [], passphrase, options = {} } of argument) {
        try {
            const secrets = await readSecrets(keys, passphrase);
            const source = { name: "a", bytes: unhex(file ?? "") };
            const works = {
                restore: () => restore(source.bytes, null, secrets),
                protect: () => protect({ ...source, type: "", time: null }, secrets[0], options),
                cover: () => cover(source, layersOf(options.layers, secrets), options),
                scramble: () => scramble(source, secrets[0], options),
            };
            answers.push(hex((await works[work]()).bytes));
        } catch (error) {
            if (!(error instanceof Refused)) throw error;
            answers.push(`refused: ${error.message}`);
        }
    }
    return answers;
""")


def run_engine(calls: list[dict[str, Any]]) -> list[bytes | str]:
    """Return the results of the engine for calls, or the messages of its refusals."""
    result = run_node(_ENGINE_SCRIPT, calls)
    assert isinstance(result, list)
    return [text if text.startswith("refused: ") else bytes.fromhex(text) for text in result]


def make_call(task: str, file: bytes, *keys: Key | PictureKey, **options: object) -> dict[str, Any]:
    """Return a call of the engine."""
    texts = [key.to_text() for key in keys]
    return {"work": task, "file": file.hex(), "keys": texts, "options": options}


def require_same_picture(actual: bytes, expected: bytes, name: str) -> None:
    """Fail unless two files have the same samples and metadata."""
    actual_picture, expected_picture = decode_picture(actual), decode_picture(expected)
    assert actual_picture.mode == expected_picture.mode, name
    assert np.array_equal(actual_picture.pixels, expected_picture.pixels), name
    assert actual_picture.metadata == expected_picture.metadata, name


def require_same(actual: bytes, expected: bytes, name: str) -> None:
    """Fail unless a JPEG has the same bytes, and a PNG the same samples and metadata."""
    if expected.startswith(b"\xff\xd8"):
        assert actual == expected, name
    else:
        require_same_picture(actual, expected, name)


def test_scrambled_pictures_are_restored_both_ways() -> None:
    """Pictures of the gallery that engine or package scrambles are restored by the other one."""
    engine_files = run_engine([make_call("scramble", GALLERY[name], KEY) for name in STILLS])
    package_files = [scramble_bytes(GALLERY[name], KEY) for name in STILLS]
    restored_files = run_engine([make_call("restore", file, KEY) for file in package_files])
    for name, file, restored_file in zip(STILLS, engine_files, restored_files, strict=True):
        assert isinstance(file, bytes), (name, file)
        assert isinstance(restored_file, bytes), (name, restored_file)
        require_same(unscramble_bytes(file, KEY), GALLERY[name], name)
        require_same(restored_file, GALLERY[name], name)


def test_units() -> None:
    """The engine scrambles blocks and samples too, and the package restores them."""
    original = encode_array(noise(21, 13, 3), "PNG")
    for options in ({"unit": "block", "blockSize": 4}, {"unit": "sample"}):
        (engine_file,) = run_engine([make_call("scramble", original, KEY, **options)])
        assert isinstance(engine_file, bytes)
        require_same(unscramble_bytes(engine_file, KEY), original, str(options))


def test_key_rings() -> None:
    """The right one of several keys restores a file; without it, one message is given."""
    file = scramble_bytes(GALLERY["RGB.jpg"], KEY)
    restored_file, refusal = run_engine(
        [make_call("restore", file, OTHER, Key.generate(), KEY), make_call("restore", file, OTHER)]
    )
    assert restored_file == GALLERY["RGB.jpg"]
    assert refusal == "refused: the key or passphrase is wrong, or the file was altered"


def test_texts_of_keys() -> None:
    """Shares are joined in any order, and a text may contain several keys or a locked identity."""
    file = encrypt_bytes(b"text", KEY)
    identity = Identity.generate()
    file_for_identity = encrypt_bytes(b"text", [identity.recipient])
    first_share, second_share, third_share = (
        share.to_file_text() for share in split_key(KEY, shares=3, needed=2)
    )
    other_share = split_key(OTHER, shares=2, needed=2)[0].to_text()
    locked_identity = lock(identity, Passphrase("six words"))
    refusal = "refused: the key or passphrase is wrong, or the file was altered"
    expected: dict[tuple[bytes, tuple[str, ...]], bytes | str] = {
        (file, (first_share, third_share)): b"text",
        (file, (OTHER.to_text(), first_share + second_share)): b"text",
        (file, (f"{OTHER.to_text()}\n{KEY.to_text()}\n",)): b"text",
        (file, (f"{OTHER.to_text()}\n",)): refusal,
        (file_for_identity, (locked_identity,)): b"text",
        (file, (locked_identity,)): refusal,
        (file, (first_share,)): "refused: 2 shares of the key are needed, and there are only 1",
        (file, (OTHER.to_text(), "no key")): "refused: key 2 of 2: a character that no key has",
        (
            file,
            (first_share, other_share),
        ): "refused: the shares are of several splits: every split of a key has shares of its own",
        (file, ("AGE-SECRET-KEY-PQ-1AAAAA",)): "refused: a post-quantum identity opens pictures on"
        " the command line only",
    }
    calls = [
        {"work": "restore", "file": file_and_keys.hex(), "keys": texts, "passphrase": "six words"}
        for file_and_keys, texts in expected
    ]
    assert run_engine(calls) == [*expected.values()]


def test_recipients_of_other_kinds() -> None:
    """For a post-quantum recipient, the message names the command line."""
    options = {"recipients": [Identity.generate(post_quantum=True).recipient.to_text()]}
    (result,) = run_engine([make_call("scramble", GALLERY["RGB.jpg"], KEY, **options)])
    assert result == "refused: the page makes no files for post-quantum recipients;" + (
        " use the command line"
    )


def test_previews() -> None:
    """A large picture gets a preview of at most a hundredth of the file, or the smallest one."""
    script = """
        import { makePreview } from "./engine/drawing.js";
        const asked = [];
        const code = async (side, quality) => {
            asked.push([side, quality]);
            return new Uint8Array(side * quality);
        };
        const made = [];
        for (const [size, pixels] of argument) {
            asked.length = 0;
            const preview = await makePreview(size, { pixels, code });
            made.push([preview && preview.length, asked.length]);
        }
        return [made, await makePreview(10 ** 9, null)];
    """
    sizes = [[10**8, 999_999], [10**8, 10**6], [4_000_000, 10**6], [1000, 10**6]]
    previews = run_node(dedent(script), sizes)
    assert previews == [[[None, 0], [320 * 75, 1], [192 * 55, 3], [96 * 40, 5]], None]


def test_files_of_many_kinds() -> None:
    """Files of any kind that engine or package encrypts are restored exactly by the other one."""
    files = dict(GALLERY) | {"empty": b"", "a letter": b"a", "text": b"\xef\xbb\xbfwords\n" * 999}
    engine_files = run_engine(
        [make_call("protect", file, KEY, pad=len(name) % 2) for name, file in files.items()]
    )
    restored_files = run_engine(
        [make_call("restore", encrypt_bytes(file, KEY), KEY) for file in files.values()]
    )
    for (name, file), result, restored_file in zip(
        files.items(), engine_files, restored_files, strict=True
    ):
        assert isinstance(result, bytes), (name, result)
        assert decrypt_bytes(result, KEY) == file, name
        assert restored_file == file, name
    assert len(files) > 100


def test_unsuitable_files_are_not_scrambled() -> None:
    """Files that are no pictures, or are scrambled already, are refused with the reason."""
    gif, text = GALLERY["P.gif"], b"no picture"
    outputs = [scramble_bytes(GALLERY[name], KEY) for name in ("RGB.jpg", "RGB.png")]
    results = run_engine([make_call("scramble", file, KEY) for file in (gif, text, *outputs)])
    other_kind = (
        "the page scrambles JPEG and PNG pictures; encrypt the file, or use the command line"
    )
    already_protected = "the picture is protected already"
    assert results == [
        f"refused: {why}" for why in (other_kind, other_kind, already_protected, already_protected)
    ]


def test_an_archive_is_to_be_unpacked() -> None:
    """A zip file, such as the page writes of several results, is refused with what to do."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("photo.png", encrypt_bytes(GALLERY["RGB.png"], KEY))
    (result,) = run_engine([make_call("restore", archive.getvalue(), KEY)])
    assert result == "refused: unpack the zip first"
    with pytest.raises(InvalidImageError, match="is not a picture") as error:
        decrypt_bytes(archive.getvalue(), KEY)
    assert str(error.value.hint).startswith("unpack a zip file first")


def _make_cover_call(
    name: str, file: bytes, layers: list[dict[str, Any]], color: str
) -> dict[str, Any]:
    """Return a call that covers areas, with a key for each layer."""
    return make_call("cover", file, *KEYS, layers=layers, cover=color) | {"name": name}


def _unredact(file: bytes, *keys: Key) -> bytes:
    """Return the file that the package restores from a redacted one."""
    result = BytesIO()
    unredact_file(BytesIO(file), result, *keys)
    return result.getvalue()


def _redact(file: bytes, layers: list[dict[str, Any]], color: str) -> bytes:
    """Return the redacted file that the package makes for the same areas."""
    result, keys = BytesIO(), iter(KEYS)
    package_layers = [
        Layer(
            None if layer.get("permanent") else next(keys),
            [Region(*area) for area in layer["areas"]],
            name=layer.get("name", ""),
            metadata=layer.get("metadata", False),
        )
        for layer in layers
    ]
    redact_file(BytesIO(file), result, package_layers, cover=color)
    return result.getvalue()


def _describe_redaction(file: bytes) -> tuple[dict[str, Any], list[int]]:
    """Return the index of a redacted file without its number, and the lengths of its layers."""
    package = Package.from_bytes(find_attachment(file) or b"")
    index = json.loads(package.line)
    del index["id"]
    return index, [len(layer) for layer in package.layers]


def _make_pictures() -> dict[str, bytes]:
    """Return pictures of every mode and orientation, with metadata."""
    pictures = {name: GALLERY[name] for name in STILLS}
    for number in range(1, 9):
        image = Image.fromarray(noise(52, 71, 3))
        for suffix in ("JPEG", "PNG"):
            exif, buffer = Image.Exif(), BytesIO()
            exif[274] = number
            image.save(buffer, suffix, exif=exif)
            pictures[f"turn {number}.{suffix}"] = buffer.getvalue()
    return pictures


def test_covers_equal_those_of_the_command_line() -> None:
    """Covers, areas, lengths and metadata equal the package's, and both lift them."""
    generator = random.Random(5)  # noqa: S311
    calls, pictures = [], _make_pictures()
    for number, (name, original) in enumerate(pictures.items()):
        picture = decode_picture(original)
        rows, columns = get_turn(picture).get_upright_shape(picture.pixels.shape[:2])

        def draw_area(rows: int = rows, columns: int = columns) -> list[int]:
            row, column = generator.randrange(rows), generator.randrange(columns)
            height, width = rows - row, columns - column
            return [row, column, generator.randint(1, height), generator.randint(1, width)]

        layers: list[dict[str, Any]] = [{"areas": [draw_area(), draw_area()], "name": "\u00fc"}]
        layers.append({"areas": [draw_area()]})
        if number % 3 == 0:
            layers.append({"areas": [[0, 0, 1, 1]], "permanent": True})
        color = ("black", "#ff8800", "surroundings")[number % 3 if number % 2 else 2]
        calls.append(_make_cover_call(name, original, layers, color))
    engine_results = run_engine(calls)
    partial = run_engine(
        [make_call("restore", file, KEYS[0]) for file in engine_results if isinstance(file, bytes)]
    )
    for call, file, partial_result in zip(calls, engine_results, partial, strict=True):
        name, layers, color = call["name"], call["options"]["layers"], call["options"]["cover"]
        original = pictures[name]
        assert isinstance(file, bytes), (name, file)
        assert isinstance(partial_result, bytes), (name, partial_result)
        package_result = _redact(original, layers, color)
        assert _describe_redaction(file) == _describe_redaction(package_result), name
        require_same_picture(file, package_result, name)
        require_same_picture(partial_result, _unredact(file, KEYS[0]), name)
        assert find_attachment(partial_result) == find_attachment(file), name
        lifted_file = _unredact(file, *KEYS)
        assert lifted_file == _unredact(partial_result, *KEYS), name
        if len(layers) == 2:
            assert lifted_file == original, name


def test_metadata_is_covered_alone() -> None:
    """Without areas, metadata are encrypted or removed, also if other layers have areas."""
    exif, buffer = Image.Exif(), BytesIO()
    exif[271] = "a maker"
    for file_format in ("JPEG", "PNG"):
        buffer.seek(0)
        Image.fromarray(noise(40, 60, 3)).save(buffer, file_format, exif=exif)
        original = buffer.getvalue()
        metadata_layer: dict[str, Any] = {"areas": [], "metadata": True}
        permanent_layer = metadata_layer | {"permanent": True}
        cases = [[metadata_layer], [permanent_layer], [{"areas": [[0, 0, 8, 8]]}, permanent_layer]]
        engine_results = run_engine(
            [_make_cover_call(file_format, original, layers, "black") for layers in cases]
        )
        for layers, file in zip(cases, engine_results, strict=True):
            assert isinstance(file, bytes), file
            assert b"a maker" not in file
            package_result = _redact(original, layers, "black")
            require_same_picture(file, package_result, file_format)
            if layers != [permanent_layer]:
                assert _describe_redaction(file) == _describe_redaction(package_result)
                lifted_file = _unredact(file, KEYS[0])
                assert (lifted_file == original) == (layers == [metadata_layer])
                require_same_picture(lifted_file, _unredact(package_result, KEYS[0]), file_format)


def test_invalid_covers_are_refused() -> None:
    """Areas outside of the picture, names of several lines, and redacted pictures are refused."""
    file, area = GALLERY["RGB.png"], [0, 0, 2, 2]
    redacted_twice = _redact(file, [{"areas": [area]}], "black")
    results = run_engine(
        [
            _make_cover_call("", file, [{"areas": [[0, 0, 1, 10**6]]}], "black"),
            _make_cover_call("", file, [{"areas": [[0, 0, 0, 1]]}], "black"),
            _make_cover_call("", file, [{"areas": []}], "black"),
            _make_cover_call("", file, [], "black"),
            _make_cover_call("", file, [{"areas": [area], "name": "a\nb"}], "black"),
            _make_cover_call("", file, [{"areas": [area]}], "mosaic"),
            _make_cover_call("", GALLERY["P.gif"], [{"areas": [area]}], "black"),
            _make_cover_call("", redacted_twice, [{"areas": [area]}], "black"),
        ]
    )
    assert results == [
        "refused: an area does not lie in the picture",
        "refused: an area does not lie in the picture",
        "refused: a layer has no areas",
        "refused: no area was chosen",
        "refused: the name of a layer is one line of at most 100 characters",
        "refused: a cover is black, white, gray, a color such as #ff8800, or surroundings",
        "refused: the page covers areas of JPEG and PNG pictures; use the command line",
        "refused: the picture is redacted already: lift its covers first, and cover everything"
        " at once",
    ]


def test_invalid_layers_are_refused() -> None:
    """A layer that is a still picture, a redacted picture, or inflates too far is refused."""
    original = GALLERY["RGB.png"]
    file = _redact(original, [{"areas": [[0, 0, 2, 2]]}], "black")
    package = Package.from_bytes(find_attachment(file) or b"")
    header = read_header(BytesIO(package.layers[0])).to_bytes()
    inflating = Picture.plain(np.zeros((5000, 5000), dtype=np.uint8), header=header)
    refusal = "refused: the key or passphrase lifts no layer of this picture"
    layers = {
        scramble_bytes(original, KEYS[0]): refusal,
        encode_picture(inflating, "PNG", compress=9): "refused: the picture is larger than this"
        " page opens; use the command line",
        file: refusal,
    }
    file_without_layers, changed_files = file[: file.index(b"suRd") - 4] + file[-12:], []
    for layer in layers:
        changed_package = Package(package.line, (layer,), package.sealed_restoration_data)
        changed_files.append(add_attachment(file_without_layers, changed_package.to_bytes()))
    results = run_engine(
        [make_call("restore", changed_file, KEYS[0]) for changed_file in changed_files]
    )
    assert results[:2] == [*layers.values()][:2]
    assert str(results[2]).startswith("refused: this picture is not protected")


@pytest.mark.programs("chromium")
def test_pictures_of_other_kinds(browser: Page, tmp_path: Path) -> None:
    """The visible pixels of other formats are covered in a PNG; all keys restore the file."""
    path = tmp_path / "page.html"
    module = join_code("shell/worker.js")
    path.write_text(
        f"<!doctype html><meta charset=utf-8><script>{module}</script>", encoding="utf-8"
    )
    script = """(async (file, key, area) => {
        const [secret] = await readSecrets([key]);
        const source = { name: "a", bytes: unbase64(file) };
        const layers = [{ areas: [area], secret }];
        return base64((await cover(source, layers, { decode: decodeFrame })).bytes);
    })"""
    browser.open(path, width=390)
    image = Image.fromarray(noise(40, 60, 3))
    for file_format, options in {"WEBP": {"lossless": True}, "BMP": {}, "GIF": {}}.items():
        buffer = BytesIO()
        image.save(buffer, file_format, **options)
        original = buffer.getvalue()
        expression = (
            f"{script}({b64encode(original).decode()!r}, {KEY.to_text()!r}, [3, 4, 10, 20])"
        )
        file = b64decode(browser.value(expression))
        assert _unredact(file, KEY) == original, file_format
        visible_pixels = np.array(Image.open(BytesIO(original)).convert("RGBA"))
        visible_pixels[3:13, 4:24] = 0, 0, 0, 255
        assert np.array_equal(np.array(Image.open(BytesIO(file))), visible_pixels), file_format
    browser.leave()
