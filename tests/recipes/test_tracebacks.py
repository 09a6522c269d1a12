"""What an error keeps alive: no report of a crash shows samples that were never verified."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sudokucrypt import DecryptionError, Key, decrypt, encrypt, scramble, unscramble
from sudokucrypt.images import encode_picture, read_picture
from sudokucrypt.recipes import decrypt_file, encrypt_file, scramble_file, unscramble_file
from sudokucrypt.typing import AnyArray
from tests.images.builders import encoded, noise, saved

KEY = Key(bytes(32))


def find_held(error: BaseException | None) -> Iterator[AnyArray]:
    """Every array in the variables of the frames of an error, and of those it came from."""
    own = {id(KEY)}
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename != __file__:
                yield from _arrays(dict(trace.tb_frame.f_locals), own)
            trace = trace.tb_next
        error = error.__context__


def _arrays(value: Any, seen: set[int]) -> Iterator[AnyArray]:
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, bytes | bytearray | memoryview):
        yield np.frombuffer(value, dtype=np.uint8)
    elif isinstance(value, dict):
        for part in [*value.values()]:
            yield from _arrays(part, seen)
    elif isinstance(value, list | tuple | set):
        for part in [*value]:
            yield from _arrays(part, seen)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _arrays(getattr(value, field.name, None), seen)
        yield from _arrays(getattr(value, "__dict__", {}), seen)


def assert_nothing_plain(error: BaseException, plain: AnyArray) -> None:
    """No array has a quarter of the plain samples, some of which were damaged."""
    wanted = np.ascontiguousarray(plain).reshape(-1).view(np.uint8)
    for array in find_held(error):
        samples = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        count = min(len(samples), len(wanted))
        if count > len(wanted) // 2:
            equal = (samples[:count] == wanted[:count]).mean()
            assert equal < 0.25, f"an array of shape {array.shape} has {equal:.0%} of the samples"


@pytest.mark.parametrize(("forward", "backward"), [(encrypt, decrypt), (scramble, unscramble)])
def test_no_frame_holds_unverified_samples(forward: Any, backward: Any) -> None:
    """One changed sample fails the tag, and nothing of what was restored is left."""
    plain = noise(40, 30, 3)
    done = forward(plain, KEY)
    done.pixels[0, 0, 0] ^= 1
    with pytest.raises(DecryptionError) as raised:
        backward(done.pixels, KEY, done.header)
    assert_nothing_plain(raised.value, plain)
    assert (done.pixels[1:] != plain[1:]).any()


@pytest.mark.parametrize("operation", ["encrypt", "scramble"])
def test_no_frame_holds_unverified_samples_of_a_file(tmp_path: Path, operation: str) -> None:
    """Neither those that took the memory of the samples that were read."""
    plain = noise(40, 30, 3)
    source, middle = tmp_path / "a.png", tmp_path / "b.png"
    source.write_bytes(encoded(plain, "PNG"))
    if operation == "encrypt":
        encrypt_file(source, middle, KEY, as_file=False)
    else:
        scramble_file(source, middle, KEY)
    picture = read_picture(middle)
    pixels = picture.pixels.copy()
    pixels[0, 0, 0] ^= 1
    middle.write_bytes(encode_picture(replace(picture, pixels=pixels), "PNG"))
    with pytest.raises(DecryptionError) as raised:
        (decrypt_file if operation == "encrypt" else unscramble_file)(
            middle, tmp_path / "c.png", KEY
        )
    assert not (tmp_path / "c.png").exists()
    assert_nothing_plain(raised.value, plain)


@pytest.mark.parametrize(
    ("protect", "restore", "name"),
    [
        (scramble_file, unscramble_file, "a.jpg"),
        (encrypt_file, decrypt_file, "a.jpg"),
        (encrypt_file, decrypt_file, "a.txt"),
    ],
)
def test_no_frame_holds_the_bytes_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protect: Any, restore: Any, name: str
) -> None:
    """Nor the blocks or the bytes of a JPEG, and of files of any kind, whose tag is wrong."""
    middle = tmp_path / ("b.jpg" if protect is scramble_file else "b.png")
    source = tmp_path / name
    data = saved(noise(64, 48, 3), "JPEG") if name == "a.jpg" else bytes(range(256)) * 9
    source.write_bytes(data)
    protect(source, middle, KEY)
    refusing = SimpleNamespace(compare_digest=lambda *_: False)
    monkeypatch.setattr("sudokucrypt.ciphers.schemes.hmac", refusing)
    with pytest.raises(DecryptionError) as raised:
        restore(middle, tmp_path / "c", KEY)
    assert_nothing_plain(raised.value, np.frombuffer(data, dtype=np.uint8))
