"""Test schemes that functions, objects and classes define."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from sudokucrypt import errors
from sudokucrypt.analysis import MeasuredScheme, scheme_from_function
from sudokucrypt.analysis.schemes import _is_from_user, list_uses

IMAGE = np.arange(48, dtype=np.uint8).reshape(6, 8)
KEY, OTHER = bytes([3, *range(31)]), bytes([4, *range(31)])


def make_scheme(function: Any, **attributes: Any) -> MeasuredScheme:
    """Return the scheme of a function with these attributes."""
    for name, value in attributes.items():
        setattr(function, name, value)
    return scheme_from_function(function)


def test_a_function_is_a_scheme() -> None:
    """A function without attributes defines a scheme with its name, without an inverse."""

    def turn(image: np.ndarray, key: bytes) -> np.ndarray:
        """Turn the rows. By the key."""
        image[:] = np.roll(image, key[0], axis=0)  # in place: the caller's image must not change
        return image

    scheme = make_scheme(turn)
    run = scheme.fixed(IMAGE, KEY)
    assert np.array_equal(run.pixels, np.roll(np.arange(48).reshape(6, 8), 3, axis=0))
    assert run.undo is None
    assert (scheme.name, scheme.limits) == ("turn", "not stated")
    assert (scheme.key_bits, scheme.moves_only, scheme.fresh) == (None, True, None)


def test_attributes_of_a_function_describe_its_scheme() -> None:
    """Attributes of a function state the inverse, the key bits, and if samples only move."""
    scheme = make_scheme(
        lambda image, key: image + np.uint8(key[0]),
        undo=lambda image, key: image - np.uint8(key[0]),
        key_bits=8,
    )
    run = scheme.fixed(IMAGE, KEY)
    assert run.undo is not None
    assert np.array_equal(run.undo(KEY), IMAGE)
    assert not np.array_equal(run.undo(OTHER), IMAGE)
    assert (scheme.key_bits, scheme.moves_only) == (8, False)
    assert make_scheme(lambda image, key: image ^ key[0], moves_only=True).moves_only


def test_faults_of_a_function_are_those_of_its_scheme() -> None:
    """Errors of a function are refusals, errors of `undo` wrong keys, and shapes are checked."""

    def picky(image: np.ndarray, key: bytes) -> np.ndarray:
        del key
        if image.shape[0] != image.shape[1]:
            message = "squares only\nsecond line"
            raise ValueError(message)
        return image

    with pytest.raises(
        errors.UnsupportedError, match=r"^'picky' failed: ValueError: squares only$"
    ):
        make_scheme(picky).fixed(IMAGE, KEY)
    with pytest.raises(errors.UnsupportedError, match=r"failed: SystemExit: 3$"):
        make_scheme(lambda *_: sys.exit(3)).fixed(IMAGE, KEY)
    run = make_scheme(lambda image, _: image, undo=lambda *_: 1 // 0).fixed(IMAGE, KEY)
    assert run.undo is not None
    with pytest.raises(errors.DecryptionError, match="ZeroDivisionError"):
        run.undo(KEY)
    for wrong in (lambda image, _: image.T, lambda image, _: image / 2, lambda *_: None):
        scheme = make_scheme(wrong)
        with pytest.raises(
            errors.InvalidImageError, match=r"image of shape \(6, 8\) and dtype uint8"
        ) as error_info:
            scheme.fixed(IMAGE, KEY)
        assert "if a nonce or tag makes the result longer" in (error_info.value.hint or "")


def test_attributes_are_checked() -> None:
    """Attributes of the wrong type or range are refused by name."""
    for name, value in (("undo", 5), ("key_bits", "many"), ("key_bits", -1), ("key_bits", True)):
        with pytest.raises(errors.InvalidParameterError, match=name):
            make_scheme(lambda *_: None, **{name: value})
    with pytest.raises(
        errors.InvalidParameterError, match="function of an image and a key, not str"
    ):
        scheme_from_function("cipher")


def test_objects_and_classes_with_two_methods_will_do() -> None:
    """Objects and classes with `encrypt` and `decrypt` define schemes with an inverse."""

    class Turned:
        key_bits = 8

        def encrypt(self, image: np.ndarray, key: bytes) -> np.ndarray:
            print("turning")
            return np.roll(image, key[0]).astype(float)

        def decrypt(self, image: np.ndarray, key: bytes) -> np.ndarray:
            return np.roll(image, -key[0])

    for given in (Turned, Turned()):
        scheme = scheme_from_function(given)
        run = scheme.fixed(IMAGE, KEY)
        assert run.pixels.dtype == np.uint8
        assert run.undo is not None
        assert np.array_equal(run.undo(KEY), IMAGE)
        assert (scheme.name, scheme.key_bits, scheme.moves_only) == ("Turned", 8, True)
    with pytest.raises(errors.InvalidParameterError, match="cannot be called without arguments"):
        scheme_from_function(MeasuredScheme)


def test_prints_of_a_scheme_go_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    """Output that a scheme prints goes to stderr."""
    make_scheme(lambda image, _: print("at work") or image)
    captured = capfd.readouterr()
    assert (captured.out, "at work" in captured.err) == ("", True)


def test_salts_that_a_scheme_draws_are_noticed() -> None:
    """A scheme that draws its own salt has only a salted use; a fixed size is detected."""
    random = np.random.default_rng(1)
    salted = make_scheme(lambda image, _: image ^ random.integers(0, 256, image.shape, np.uint8))
    assert list(list_uses(salted)) == ["fresh"]

    def large(image: np.ndarray, _: bytes) -> np.ndarray:
        assert image.shape == (256, 256)
        return image[::-1]

    scheme = make_scheme(large)
    assert (list(list_uses(scheme)), scheme.moves_only) == (["none"], True)


def test_an_interrupt_that_nobody_raised_is_from_the_user() -> None:
    """Without a traceback, an interrupt did not come from foreign code."""
    assert _is_from_user(KeyboardInterrupt())


def test_numbers_of_key_bits_may_be_0_or_broken() -> None:
    """A scheme may have no key, or a key of less than a bit, but not one without end."""
    for key_bits in (0, 0.5, 1):
        assert make_scheme(lambda image, _: image, key_bits=key_bits).key_bits == key_bits
    for key_bits in (-0.1, np.inf, np.nan):
        with pytest.raises(errors.InvalidParameterError, match=r"key_bits of .* must be 0 or more"):
            make_scheme(lambda image, _: image, key_bits=key_bits)


def test_a_scheme_that_copies_its_process_goes_on_once() -> None:
    """A copy of the process that a scheme makes ends with the call of the scheme."""
    script = """
import os
import numpy as np
from sudokucrypt.analysis import scheme_from_function
def copy(image, key):
    os.fork()
    return image
scheme_from_function(copy).fixed(np.zeros((2, 2), np.uint8), bytes(32))
print("once", flush=True)
"""
    command = [sys.executable, "-c", script]
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"once\n"
