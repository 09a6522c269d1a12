"""Test that fallbacks replace missing kernels, and that errors name the install command."""

from pathlib import Path

import pytest

from sudokucrypt.errors import UnsupportedError
from sudokucrypt.kernels import load_kernels, load_or_defer_kernels
from tests.programs import run_python

PHOTO = Path("sudokucrypt/cli/pictures/demo.jpg")
SCRIPT_WITHOUT_KERNELS = """
import io, sys, sudokucrypt as s
data, key = open(sys.argv[1], "rb").read(), s.Key.generate()
sealed, opened = io.BytesIO(), io.BytesIO()
s.encrypt_file(io.BytesIO(data), sealed, key, format="PNG", preview=True)
s.decrypt_file(io.BytesIO(sealed.getvalue()), opened, key)
assert opened.getvalue() == data
s.scramble_file(io.BytesIO(data), io.BytesIO(), key, format="PNG")
try:
    s.scramble_file(io.BytesIO(data), io.BytesIO(), key, format="JPEG")
except s.UnsupportedError as error:
    print(error, error.hint, sep="; ")
"""


def test_missing_kernels_tell_how_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only use of a missing kernel without fallback raises an error; the hint depends on why the
    kernel is missing."""
    monkeypatch.delenv("SUDOKUCRYPT_PLAIN", raising=False)
    missing_kernels = load_or_defer_kernels(
        "sudokucrypt.draws._kernels", "nothing", "the things of dreams"
    )
    assert not hasattr(missing_kernels, "__iter__")
    with pytest.raises(UnsupportedError, match="the things of dreams need compiled") as error_info:
        missing_kernels.dream()
    assert "C compiler" in str(error_info.value.hint)


def test_fallbacks_are_loaded_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment variable keeps compiled kernels from being loaded."""
    monkeypatch.setenv("SUDOKUCRYPT_PLAIN", "1")
    assert load_kernels("sudokucrypt.draws._kernels", "shuffle").__name__.endswith("shuffle_plain")


def test_photos_are_encrypted_without_kernels() -> None:
    """Without kernels, photos are encrypted with a preview and scrambled by pixels; scrambling by
    coefficients is refused."""
    process = run_python("-c", SCRIPT_WITHOUT_KERNELS, PHOTO, SUDOKUCRYPT_PLAIN="1")
    assert process.stdout == (
        "the coefficients of JPEG files need compiled kernels; "
        "unset the environment variable SUDOKUCRYPT_PLAIN, which disables them\n"
    )
