"""Fuzz JPEG files: restoring a scrambled JPEG returns the same bytes, and other files are
rejected."""

from typing import Final

from sudokucrypt import Key, scramble_bytes, unscramble_bytes
from sudokucrypt.errors import SudokucryptError
from tests.fuzz.oracle import watch_output
from tests.fuzz.targets import Target
from tests.images.jpeg.corpus import make_smooth, save_image
from tests.images.jpeg.made import PROGRESSION, make_file

_START: Final = b"\xff\xd8\xff"
_MAX_PIXELS: Final = 4096
_KEY: Final = Key(bytes(range(32)))

_PLAIN: Final = [
    save_image(make_smooth(9, 8, 1)),
    save_image(make_smooth(9, 17), restart_marker_blocks=1, comment=b"words") + b"behind",
    save_image(make_smooth(8, 9, 4), quality=20),
    save_image(make_smooth(17, 9), progressive=True),
    make_file(9, 20, script=PROGRESSION, restart=2).to_bytes(),
]
_SEEDS = [
    *_PLAIN,
    *(scramble_bytes(data, _KEY, rounds=1, deterministic=True) for data in _PLAIN),
]


def check(data: bytes) -> None:
    """Scramble a JPEG and restore the result; also restore the input as if it were scrambled."""
    if data.startswith(_START):
        with watch_output():
            _check_round_trip(data)
            _check_restoring(data)


def _check_round_trip(data: bytes) -> None:
    try:
        scrambled = scramble_bytes(data, _KEY, rounds=1, max_pixels=_MAX_PIXELS)
    except SudokucryptError:
        return
    if scrambled.startswith(_START):
        assert unscramble_bytes(scrambled, _KEY, max_pixels=_MAX_PIXELS) == data, "bytes are lost"


def _check_restoring(data: bytes) -> None:
    try:
        plain = unscramble_bytes(data, _KEY, max_pixels=_MAX_PIXELS)
    except SudokucryptError:
        return
    assert plain in _PLAIN, "a picture was forged"


TARGETS: Final = (Target("jpeg", _SEEDS, check),)
