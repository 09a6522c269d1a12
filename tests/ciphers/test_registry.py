"""A scheme of another package: registered by name, it works in functions and commands."""

from dataclasses import dataclass
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sudokucrypt import (
    DecryptionError,
    InvalidParameterError,
    Key,
    UnsupportedVersionError,
    decrypt,
    encrypt,
    scramble,
    unscramble,
)
from sudokucrypt.ciphers import (
    SCHEMES,
    KeyStreamMask,
    Permutation,
    Pipeline,
    StageContext,
    TaggedScheme,
    register_scheme,
)
from sudokucrypt.cli.program import cli
from sudokucrypt.header import Header
from sudokucrypt.images import read_picture
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray
from tests.images.builders import encoded, noise

KEY = Key(bytes(range(32)))
IMAGE = noise(20, 30, 3)

PLUGIN = """
from tests.ciphers.test_registry import MIRROR, VEIL
"""


@dataclass(frozen=True)
class Mirror:
    """Turn all samples round if the key says so."""

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the turned samples."""
        turned = context.key.subkey("toy", context.nonce)[0] % 2 == 0
        target[...] = source[::-1].copy() if turned else source

    backward = forward


def mirrored(header: Header) -> Pipeline:
    """Return the pipeline of the toy that moves pixels."""
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds), Mirror()))


def veiled(header: Header) -> Pipeline:
    """Return the pipeline of the toy that encrypts."""
    del header
    return Pipeline((Mirror(), KeyStreamMask(use="toy-mask")))


MIRROR = TaggedScheme("toy-mirror-v1", mirrored, limits="a toy")
VEIL = TaggedScheme("toy-veil-v1", veiled, encrypts=True, key_bits=1, limits="a toy")


@pytest.fixture(autouse=True)
def _forget() -> object:
    """Take the toys out again."""
    yield
    for scheme in (MIRROR, VEIL):
        SCHEMES.remove(scheme.name)


def test_it_works_by_its_name() -> None:
    """What it made names it, and is restored by whoever has registered it."""
    assert register_scheme(MIRROR) is MIRROR
    register_scheme(VEIL)
    moved = scramble(IMAGE, KEY, scheme=MIRROR.name, unit="sample")
    assert moved.header.scheme == MIRROR.name
    assert np.array_equal(unscramble(moved.pixels, KEY, moved.header), IMAGE)
    hidden = encrypt(IMAGE, KEY, scheme=VEIL.name)
    assert np.array_equal(decrypt(hidden.pixels, KEY, hidden.header), IMAGE)
    with pytest.raises(DecryptionError):
        unscramble(moved.pixels[::-1], KEY, moved.header)
    SCHEMES.remove(MIRROR.name)
    with pytest.raises(UnsupportedVersionError, match="toy-mirror-v1"):
        unscramble(moved.pixels, KEY, moved.header)


def test_what_it_does_decides_which_function_takes_it() -> None:
    """A scheme that encrypts does not scramble, the other way round, and neither has a context."""
    register_scheme(MIRROR)
    register_scheme(VEIL)
    with pytest.raises(InvalidParameterError, match="does not scramble"):
        scramble(IMAGE, KEY, scheme=VEIL.name)
    with pytest.raises(InvalidParameterError, match="does not encrypt"):
        encrypt(IMAGE, KEY, scheme=MIRROR.name)
    with pytest.raises(InvalidParameterError, match="takes no context"):
        scramble(IMAGE, KEY, scheme=MIRROR.name, context="holidays")


@pytest.mark.parametrize("name", ["scramble-v1", "scramble-context-v1", "Toy", "", "-", "x" * 65])
def test_names_are_checked(name: str) -> None:
    """A name that is taken, or that no header can hold, is refused."""
    with pytest.raises(InvalidParameterError):
        register_scheme(TaggedScheme(name, mirrored))


def run(*arguments: object, folder: Path) -> Result:
    (folder / "toys.py").write_text(PLUGIN, encoding="utf-8")
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_it_works_in_the_commands(tmp_path: Path) -> None:
    """Named as FILE.py:NAME, it protects, and restores, and rekeys."""
    KEY.to_file(tmp_path / "a.key")
    Key(bytes(32)).to_file(tmp_path / "b.key")
    (tmp_path / "in.png").write_bytes(encoded(IMAGE, "PNG"))
    plain = read_picture(tmp_path / "in.png").pixels
    first, second = ("--key", tmp_path / "a.key"), ("--key", tmp_path / "b.key")
    for protect, restore, toy in (("scramble", "unscramble", MIRROR), ("encrypt", "decrypt", VEIL)):
        own = ("--scheme", f"{tmp_path}/toys.py:{'MIRROR' if toy is MIRROR else 'VEIL'}")
        result, back = tmp_path / f"{protect}.png", tmp_path / f"{restore}.png"
        done = run(protect, tmp_path / "in.png", "-o", result, *first, *own, folder=tmp_path)
        assert done.exit_code == 0, done.output
        SCHEMES.remove(toy.name)
        again = tmp_path / f"rekeyed-{protect}.png"
        new = ("--new-key", tmp_path / "b.key")
        done = run("rekey", result, "-o", again, *first, *new, *own, folder=tmp_path)
        assert done.exit_code == 0, done.output
        SCHEMES.remove(toy.name)
        assert run(restore, again, "-o", back, *second, folder=tmp_path).exit_code != 0
        done = run(restore, again, "-o", back, *second, *own, folder=tmp_path)
        assert done.exit_code == 0, done.output
        assert np.array_equal(read_picture(back).pixels, plain)


def test_packages_bring_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point of the group adds a scheme; ours are found without looking for any."""
    entries = EntryPoints([EntryPoint("toy", f"{__name__}:MIRROR", "sudokucrypt.ciphers")])
    looked: list[str] = []

    def found(group: str) -> EntryPoints:
        looked.append(group)
        return entries.select(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", found)
    held = Registry(
        TaggedScheme,
        called="a scheme",
        group="sudokucrypt.ciphers",
        package="sudokucrypt.ciphers.schemes",
    )
    held.register(VEIL)
    assert held[VEIL.name] is VEIL
    assert not looked
    assert held[MIRROR.name] is MIRROR
    assert list(held) == [VEIL.name, MIRROR.name]
