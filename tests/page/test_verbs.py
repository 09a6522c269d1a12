"""What the page does with pictures besides decrypting agrees with the command line, both ways."""

import json
import random
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
from sudokucrypt.images import Picture, decode_picture, encode_picture, turn_of
from sudokucrypt.images.attachments import attach, find_attachment
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

_ANSWERS = dedent("""
    import { cover, protect, restore, scramble } from "./engine/engine.js";
    import { secretsOfTexts } from "./engine/keys.js";
    import { hex, Refused, unhex } from "./engine/bytes.js";
    const layersOf = (layers, secrets) => {
        const left = [...secrets];
        return layers.map((layer) => ({ ...layer, secret: layer.permanent ? null : left.shift() }));
    };
    const answers = [];
    for (const { work, file, keys = [], passphrase, options = {} } of argument) {
        try {
            const secrets = await secretsOfTexts(keys, passphrase);
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


def answers(calls: list[dict[str, Any]]) -> list[bytes | str]:
    """Return what the engine makes of files, or why it refuses."""
    result = run_node(_ANSWERS, calls)
    assert isinstance(result, list)
    return [text if text.startswith("refused: ") else bytes.fromhex(text) for text in result]


def call(work: str, file: bytes, *keys: Key | PictureKey, **options: object) -> dict[str, Any]:
    """Return a call of the engine."""
    texts = [key.to_text() for key in keys]
    return {"work": work, "file": file.hex(), "keys": texts, "options": options}


def require_same_picture(made: bytes, wanted: bytes, name: str) -> None:
    """Fail unless two files show the same samples, and have the same metadata."""
    one, other = decode_picture(made), decode_picture(wanted)
    assert one.mode == other.mode, name
    assert np.array_equal(one.pixels, other.pixels), name
    assert one.metadata == other.metadata, name


def require_same(made: bytes, wanted: bytes, name: str) -> None:
    """Fail unless a JPEG is the very file, and a PNG has the same samples and metadata."""
    if wanted.startswith(b"\xff\xd8"):
        assert made == wanted, name
    else:
        require_same_picture(made, wanted, name)


def test_scrambled_pictures_go_both_ways() -> None:
    """All stills of the gallery, of every mode and depth, come back from one to the other."""
    made = answers([call("scramble", GALLERY[name], KEY) for name in STILLS])
    ours = [scramble_bytes(GALLERY[name], KEY) for name in STILLS]
    back = answers([call("restore", file, KEY) for file in ours])
    for name, file, restored in zip(STILLS, made, back, strict=True):
        assert isinstance(file, bytes), (name, file)
        assert isinstance(restored, bytes), (name, restored)
        require_same(unscramble_bytes(file, KEY), GALLERY[name], name)
        require_same(restored, GALLERY[name], name)


def test_units() -> None:
    """Blocks and samples can be scrambled, too."""
    plain = encode_array(noise(21, 13, 3), "PNG")
    for options in ({"unit": "block", "blockSize": 4}, {"unit": "sample"}):
        (made,) = answers([call("scramble", plain, KEY, **options)])
        assert isinstance(made, bytes)
        require_same(unscramble_bytes(made, KEY), plain, str(options))


def test_key_rings() -> None:
    """Several keys are tried, regardless of their order; none of them is refused in one way."""
    file = scramble_bytes(GALLERY["RGB.jpg"], KEY)
    right, wrong = answers(
        [call("restore", file, OTHER, Key.generate(), KEY), call("restore", file, OTHER)]
    )
    assert right == GALLERY["RGB.jpg"]
    assert wrong == "refused: the key or passphrase is wrong, or the file was altered"


def test_texts_of_keys() -> None:
    """Shares are joined, wherever they stand; a text holds several keys, or a locked identity."""
    file = encrypt_bytes(b"text", KEY)
    identity = Identity.generate()
    theirs = encrypt_bytes(b"text", [identity.recipient])
    first, second, third = (share.to_file_text() for share in split_key(KEY, shares=3, needed=2))
    other = split_key(OTHER, shares=2, needed=2)[0].to_text()
    locked = lock(identity, Passphrase("six words"))
    wrong = "refused: the key or passphrase is wrong, or the file was altered"
    wanted: dict[tuple[bytes, tuple[str, ...]], bytes | str] = {
        (file, (first, third)): b"text",
        (file, (OTHER.to_text(), first + second)): b"text",
        (file, (f"{OTHER.to_text()}\n{KEY.to_text()}\n",)): b"text",
        (file, (f"{OTHER.to_text()}\n",)): wrong,
        (theirs, (locked,)): b"text",
        (file, (locked,)): wrong,
        (file, (first,)): "refused: 2 shares of the key are needed, and there are only 1",
        (file, (OTHER.to_text(), "no key")): "refused: key 2 of 2: a character that no key has",
        (file, (first, other)): "refused: the shares are of several splits: every split of a key"
        " has shares of its own",
        (file, ("AGE-SECRET-KEY-PQ-1AAAAA",)): "refused: a post-quantum identity opens pictures on"
        " the command line only",
    }
    calls = [
        {"work": "restore", "file": each.hex(), "keys": texts, "passphrase": "six words"}
        for each, texts in wanted
    ]
    assert answers(calls) == [*wanted.values()]


def test_recipients_of_other_kinds() -> None:
    """For a post-quantum recipient, the message names the command line."""
    options = {"recipients": [Identity.generate(post_quantum=True).recipient.to_text()]}
    (result,) = answers([call("scramble", GALLERY["RGB.jpg"], KEY, **options)])
    assert result == "refused: the page makes no files for post-quantum recipients;" + (
        " use the command line"
    )


def test_previews() -> None:
    """A large picture gets one that fits into a hundredth of the file, or else the smallest."""
    script = """
        import { previewOf } from "./engine/drawing.js";
        const asked = [];
        const code = async (side, quality) => {
            asked.push([side, quality]);
            return new Uint8Array(side * quality);
        };
        const made = [];
        for (const [size, pixels] of argument) {
            asked.length = 0;
            const preview = await previewOf(size, { pixels, code });
            made.push([preview && preview.length, asked.length]);
        }
        return [made, await previewOf(10 ** 9, null)];
    """
    sizes = [[10**8, 999_999], [10**8, 10**6], [4_000_000, 10**6], [1000, 10**6]]
    made = run_node(dedent(script), sizes)
    assert made == [[[None, 0], [320 * 75, 1], [192 * 55, 3], [96 * 40, 5]], None]


def test_files_of_many_kinds() -> None:
    """What either of them encrypts, the other gives back to the byte, whatever it is."""
    files = dict(GALLERY) | {"empty": b"", "a letter": b"a", "text": b"\xef\xbb\xbfwords\n" * 999}
    made = answers([call("protect", file, KEY, pad=len(name) % 2) for name, file in files.items()])
    back = answers([call("restore", encrypt_bytes(file, KEY), KEY) for file in files.values()])
    for (name, file), result, restored in zip(files.items(), made, back, strict=True):
        assert isinstance(result, bytes), (name, result)
        assert decrypt_bytes(result, KEY) == file, name
        assert restored == file, name
    assert len(files) > 100


def test_what_is_not_scrambled() -> None:
    """Other files, and pictures that are scrambled already, are refused by what they are."""
    gif, text = GALLERY["P.gif"], b"no picture"
    twice = [scramble_bytes(GALLERY[name], KEY) for name in ("RGB.jpg", "RGB.png")]
    results = answers([call("scramble", file, KEY) for file in (gif, text, *twice)])
    other = "the page scrambles JPEG and PNG pictures; encrypt the file, or use the command line"
    same = "the picture is protected already"
    assert results == [f"refused: {why}" for why in (other, other, same, same)]


def _cover(name: str, file: bytes, layers: list[dict[str, Any]], color: str) -> dict[str, Any]:
    """Return a call that covers areas, each layer with a key of its own."""
    return call("cover", file, *KEYS, layers=layers, cover=color) | {"name": name}


def _unredacted(file: bytes, *keys: Key) -> bytes:
    """Return what the package lifts."""
    result = BytesIO()
    unredact_file(BytesIO(file), result, *keys)
    return result.getvalue()


def _redacted(file: bytes, layers: list[dict[str, Any]], color: str) -> bytes:
    """Return what the package makes of the same areas."""
    result, keys = BytesIO(), iter(KEYS)
    chosen = [
        Layer(
            None if each.get("permanent") else next(keys),
            [Region(*area) for area in each["areas"]],
            name=each.get("name", ""),
            metadata=each.get("metadata", False),
        )
        for each in layers
    ]
    redact_file(BytesIO(file), result, chosen, cover=color)
    return result.getvalue()


def _about(file: bytes) -> tuple[dict[str, Any], list[int]]:
    """Return the index of a redacted file without its number, and the lengths of the layers."""
    package = Package.of_bytes(find_attachment(file) or b"")
    index = json.loads(package.line)
    del index["id"]
    return index, [len(layer) for layer in package.layers]


def _pictures() -> dict[str, bytes]:
    """Return pictures of every mode, turned in every way, and with metadata."""
    pictures = {name: GALLERY[name] for name in STILLS}
    for number in range(1, 9):
        image = Image.fromarray(noise(52, 71, 3))
        for suffix in ("JPEG", "PNG"):
            exif, buffer = Image.Exif(), BytesIO()
            exif[274] = number
            image.save(buffer, suffix, exif=exif)
            pictures[f"turn {number}.{suffix}"] = buffer.getvalue()
    return pictures


def test_covers_are_those_of_the_command_line() -> None:
    """Samples, coefficients, areas, lengths and metadata are the same, and both lift them."""
    chance = random.Random(5)  # noqa: S311
    calls, pictures = [], _pictures()
    for number, (name, plain) in enumerate(pictures.items()):
        picture = decode_picture(plain)
        rows, columns = turn_of(picture).upright_shape(picture.pixels.shape[:2])

        def area(rows: int = rows, columns: int = columns) -> list[int]:
            row, column = chance.randrange(rows), chance.randrange(columns)
            height, width = rows - row, columns - column
            return [row, column, chance.randint(1, height), chance.randint(1, width)]

        layers: list[dict[str, Any]] = [{"areas": [area(), area()], "name": "\u00fc"}]
        layers.append({"areas": [area()]})
        if number % 3 == 0:
            layers.append({"areas": [[0, 0, 1, 1]], "permanent": True})
        color = ("black", "#ff8800", "surroundings")[number % 3 if number % 2 else 2]
        calls.append(_cover(name, plain, layers, color))
    made = answers(calls)
    partial = answers([call("restore", file, KEYS[0]) for file in made if isinstance(file, bytes)])
    for each, file, part in zip(calls, made, partial, strict=True):
        name, layers, color = each["name"], each["options"]["layers"], each["options"]["cover"]
        plain = pictures[name]
        assert isinstance(file, bytes), (name, file)
        assert isinstance(part, bytes), (name, part)
        ours = _redacted(plain, layers, color)
        assert _about(file) == _about(ours), name
        require_same_picture(file, ours, name)
        require_same_picture(part, _unredacted(file, KEYS[0]), name)
        assert find_attachment(part) == find_attachment(file), name
        lifted = _unredacted(file, *KEYS)
        assert lifted == _unredacted(part, *KEYS), name
        if len(layers) == 2:
            assert lifted == plain, name


def test_metadata_is_covered_alone() -> None:
    """Without areas metadata is sealed, or gone for ever, also where other layers have areas."""
    exif, buffer = Image.Exif(), BytesIO()
    exif[271] = "a maker"
    for kind in ("JPEG", "PNG"):
        buffer.seek(0)
        Image.fromarray(noise(40, 60, 3)).save(buffer, kind, exif=exif)
        plain = buffer.getvalue()
        bare: dict[str, Any] = {"areas": [], "metadata": True}
        gone = bare | {"permanent": True}
        cases = [[bare], [gone], [{"areas": [[0, 0, 8, 8]]}, gone]]
        made = answers([_cover(kind, plain, layers, "black") for layers in cases])
        for layers, file in zip(cases, made, strict=True):
            assert isinstance(file, bytes), file
            assert b"a maker" not in file
            ours = _redacted(plain, layers, "black")
            require_same_picture(file, ours, kind)
            if layers != [gone]:
                assert _about(file) == _about(ours)
                lifted = _unredacted(file, KEYS[0])
                assert (lifted == plain) == (layers == [bare])
                require_same_picture(lifted, _unredacted(ours, KEYS[0]), kind)


def test_what_is_not_covered() -> None:
    """Areas outside, names of several lines, and pictures that are redacted already are refused."""
    file, area = GALLERY["RGB.png"], [0, 0, 2, 2]
    twice = _redacted(file, [{"areas": [area]}], "black")
    results = answers(
        [
            _cover("", file, [{"areas": [[0, 0, 1, 10**6]]}], "black"),
            _cover("", file, [{"areas": [[0, 0, 0, 1]]}], "black"),
            _cover("", file, [{"areas": []}], "black"),
            _cover("", file, [], "black"),
            _cover("", file, [{"areas": [area], "name": "a\nb"}], "black"),
            _cover("", file, [{"areas": [area]}], "mosaic"),
            _cover("", GALLERY["P.gif"], [{"areas": [area]}], "black"),
            _cover("", twice, [{"areas": [area]}], "black"),
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


def test_layers_that_are_none() -> None:
    """A layer is a file of noise: no still, no redacted picture, and nothing that inflates."""
    plain = GALLERY["RGB.png"]
    file = _redacted(plain, [{"areas": [[0, 0, 2, 2]]}], "black")
    package = Package.of_bytes(find_attachment(file) or b"")
    header = read_header(BytesIO(package.layers[0])).to_bytes()
    inflating = Picture.plain(np.zeros((5000, 5000), dtype=np.uint8), header=header)
    none = "refused: the key or passphrase lifts no layer of this picture"
    layers = {
        scramble_bytes(plain, KEYS[0]): none,
        encode_picture(inflating, "PNG", compress=9): "refused: the picture is larger than this"
        " page opens; use the command line",
        file: none,
    }
    bare, changed = file[: file.index(b"suRd") - 4] + file[-12:], []
    for layer in layers:
        other = Package(package.line, (layer,), package.rest)
        changed.append(attach(bare, other.to_bytes()))
    results = answers([call("restore", each, KEYS[0]) for each in changed])
    assert results[:2] == [*layers.values()][:2]
    assert str(results[2]).startswith("refused: this picture is not protected")


@pytest.mark.programs("chromium")
def test_pictures_of_other_kinds(browser: Page, tmp_path: Path) -> None:
    """What the browser shows of them is covered in a PNG, and all keys give the very file."""
    path = tmp_path / "page.html"
    code = join_code("shell/worker.js")
    path.write_text(f"<!doctype html><meta charset=utf-8><script>{code}</script>", encoding="utf-8")
    script = """(async (file, key, area) => {
        const [secret] = await secretsOfTexts([key]);
        const source = { name: "a", bytes: unbase64(file) };
        const layers = [{ areas: [area], secret }];
        return base64((await cover(source, layers, { decode: decodedFrame })).bytes);
    })"""
    browser.open(path, width=390)
    image = Image.fromarray(noise(40, 60, 3))
    for kind, options in {"WEBP": {"lossless": True}, "BMP": {}, "GIF": {}}.items():
        buffer = BytesIO()
        image.save(buffer, kind, **options)
        plain = buffer.getvalue()
        expression = f"{script}({b64encode(plain).decode()!r}, {KEY.to_text()!r}, [3, 4, 10, 20])"
        file = b64decode(browser.value(expression))
        assert _unredacted(file, KEY) == plain, kind
        shown = np.array(Image.open(BytesIO(plain)).convert("RGBA"))
        shown[3:13, 4:24] = 0, 0, 0, 255
        assert np.array_equal(np.array(Image.open(BytesIO(file))), shown), kind
    browser.leave()
