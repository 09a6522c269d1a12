"""What the page does with pictures besides decrypting agrees with the command line, both ways."""

from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from sudokucrypt import Key, PictureKey, scramble_bytes, unscramble_bytes
from sudokucrypt.images import decode_picture
from tests.cli.gallery import GALLERY
from tests.images.builders import encoded, noise
from tests.page.node import run_node

pytestmark = pytest.mark.programs("node")
KEY = Key(bytes(range(32)))
OTHER = Key(bytes(range(1, 33)))
STILLS = [name for name in GALLERY if name.endswith((".png", ".jpg"))]

_ANSWERS = dedent("""
    import { restore, scramble, secretOfText } from "./engine/engine.js";
    import { hex, Refused, unhex } from "./engine/bytes.js";
    const answers = [];
    for (const { work, file, keys = [], options = {} } of argument) {
        try {
            const secrets = await Promise.all(keys.map((key) => secretOfText(key)));
            const source = { name: "a", bytes: unhex(file ?? "") };
            const works = {
                restore: () => restore(source.bytes, null, secrets),
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


def require_same(made: bytes, wanted: bytes, name: str) -> None:
    """Fail unless a JPEG is the very file, and a PNG has the same samples and metadata."""
    if wanted.startswith(b"\xff\xd8"):
        assert made == wanted, name
        return
    one, other = decode_picture(made), decode_picture(wanted)
    assert one.mode == other.mode, name
    assert np.array_equal(one.pixels, other.pixels), name
    assert one.metadata == other.metadata, name


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
    plain = encoded(noise(21, 13, 3), "PNG")
    for options in ({"unit": "block", "blockSize": 4}, {"unit": "sample"}):
        (made,) = answers([call("scramble", plain, KEY, **options)])
        assert isinstance(made, bytes)
        require_same(unscramble_bytes(made, KEY), plain, str(options))


def test_key_rings() -> None:
    """Several keys are tried, whatever their order; none of them is refused in one way."""
    file = scramble_bytes(GALLERY["RGB.jpg"], KEY)
    right, wrong = answers(
        [call("restore", file, OTHER, Key.generate(), KEY), call("restore", file, OTHER)]
    )
    assert right == GALLERY["RGB.jpg"]
    assert wrong == "refused: the key or passphrase is wrong, or the file was altered"


def test_what_is_not_scrambled() -> None:
    """Other files, and pictures that are scrambled already, are refused by what they are."""
    gif, text = GALLERY["P.gif"], b"no picture"
    twice = [scramble_bytes(GALLERY[name], KEY) for name in ("RGB.jpg", "RGB.png")]
    results = answers([call("scramble", file, KEY) for file in (gif, text, *twice)])
    other = "the page scrambles JPEG and PNG pictures; encrypt the file, or use the command line"
    same = "the picture is protected already"
    assert results == [f"refused: {why}" for why in (other, other, same, same)]
