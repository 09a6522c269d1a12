"""What cannot be is refused before anything is written or printed, with the code of its kind."""

import shlex
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import PICTURES, Run
from tests.images.builders import encoded, noise

# Command lines, K for a key and P for a passphrase, with alternatives; behind the arrow stands a
# part of the message.
_REFUSED = {
    1: """
        scramble photo.png -o no/such/folder.png K
    """,
    2: """
        nonsense|scramble
        unscramble photo.png --nonsense
        scramble photo.png
        scramble photo.png --key
        scramble photo.png K --unit tile
        scramble photo.png K --block-size 8
        scramble photo.png K --unit block --block-size 0
        scramble photo.png K --rounds 0|two
        scramble photo.png K --context ''
        encrypt photo.png -o out.png
        encrypt photo.png -o out.png P --passphrase|K|--deterministic
        encrypt photo.png -o out.png P --passphrase-fd 0
        encrypt|scramble photo.png -o out.png K --keep-metadata --strip-metadata
        encrypt|scramble photo.png -o out.png K --seal-metadata
        scramble - --key -
        scramble - photo.png -o out --key -
        decrypt - -o out.png --key -
        encrypt - -o out.png --passphrase-fd 0
        rekey - -o out.png K --new-key -
        rekey photo.png -o out.png --key - --new-key -
        scramble - -o - --sidecar K
        scramble - -o - --region 1,1,2,2 --list-regions K
        scramble photo.png photo.png -o - K
        scramble - - -o out K
        scramble in -o -|one.png|photo.png K
        scramble in photo.png -o my.key K
        scramble in -o out --resume --force K
        scramble in -o out --jobs 0 K
        scramble photo.png -o x.png --name {stem} K
        scramble in -o out --name ''|out.png|{word}{suffix}|{stem K -> template
        scramble in -o out --name {stem}/{word}{suffix}|{stem.parent}{suffix} K -> template
        scramble in -o out --name {stem}{size}|{0}{stem}|{stem!z}|{stem:d} K -> template
        encrypt photo.png -o out.png --region 1,2,3|1,2,3,4,5|a,2,3,4|1.5,2,3,4 K -> X,Y,W,H
        encrypt photo.png -o out.png --region 1,2,0,4|1,2,3,-4|-1,2,3,4 K -> lie
        encrypt photo.png -o out.png --region 250,0,7,4|0,256,1,1|0,0,9999999999999999999,1 K -> lie
        encrypt photo.png -o out.png --mask black.png K -> no pixel is selected
        encrypt photo.png -o out.png --mask small.png K -> 256 rows of 256
        encrypt photo.png -o out.png --allow-none|--list-regions K -> --region
        encrypt photo.png -o out.png --face-margin 3 --faces K -> margin
    """,
    4: """
        scramble photo.png -o out.jpg|out.avif K -> lossy
        scramble photo.png -o out.bmp K -> 'out.bmp' cannot be written
        scramble photo.png -o out K -> no suffix
        scramble missing.png -o out.png K -> 'missing.png'
        scramble my.key -o out.png K -> 'my.key'
        scramble empty.png -o out.png K -> 'empty.png'
        scramble in/.hidden/none -o x.png K
        scramble nothing -o out K
        encrypt photo.png -o out.png --mask none.png K -> 'none.png'
        encrypt photo.png -o out.png --mask my.key K -> is not a picture
        encrypt photo.png -o out.png --passphrase-file missing|empty.png|.
        encrypt photo.png -o out.png --passphrase-fd 987
    """,
}
_EVERY = [
    (code, words, message)
    for code, text in _REFUSED.items()
    for line in filter(None, map(str.strip, text.split("\n")))
    for command, _, message in [line.partition(" -> ")]
    for words in product(*(word.split("|") for word in shlex.split(command)))
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("code", "words", "message"), _EVERY)
def test_what_cannot_be(run: Run, code: int, words: tuple[str, ...], message: str) -> None:
    """It makes no sense, is not there, or would need one stream for two things."""
    Path("nothing").mkdir()
    Path("empty.png").touch()
    Path("pw").write_bytes(b"open")
    Path("black.png").write_bytes(encoded(np.zeros((256, 256), dtype=np.uint8), "PNG"))
    Path("small.png").write_bytes(encoded(noise(255, 256, 1), "PNG"))
    before = set(Path().rglob("*"))
    given = {"K": ["--key", "my.key"], "P": ["--passphrase-file", "pw"]}
    arguments = [part for word in words for part in given.get(word, [word])]
    done = run(*arguments, stdin=(PICTURES / "camera.png").read_bytes())
    assert (done.code, done.out) == (code, "")
    assert message in done.err
    assert ("lossy" in done.err) == (message == "lossy")
    assert set(Path().rglob("*")) == before
