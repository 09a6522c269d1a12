"""Pipelines run backwards over what they ran forwards, regardless of their stages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import (
    DecryptionError,
    FormatError,
    Header,
    InvalidKeyError,
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
    ContextScheme,
    KeyStreamMask,
    Part,
    Permutation,
    Pipeline,
    Stage,
    StageContext,
    TaggedScheme,
    find_scheme,
    register_scheme,
)
from sudokucrypt.cli.program import cli
from sudokucrypt.images import read_picture
from sudokucrypt.registry import Registry
from sudokucrypt.typing import AnyArray
from sudokucrypt.workers import Workers
from tests.images.builders import encode_array, noise

pytestmark = pytest.mark.kernels

STAGES: list[Stage] = [
    Permutation("pixel", None, 2),
    Permutation("sample", None, 1, use="samples"),
    Permutation("block", 3, 2, use="blocks"),
    KeyStreamMask(),
    KeyStreamMask("another mask"),
]


@given(
    st.lists(st.sampled_from(STAGES), max_size=5),
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.integers(1, 4)),
    st.binary(max_size=40),
)
def test_backward_undoes_forward(stages: list[Stage], shape: tuple[int, ...], nonce: bytes) -> None:
    """Any stages in any order are undone, and the input is never changed."""
    image = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    before = image.tobytes()
    pipeline = Pipeline(tuple(stages))
    with Workers(2) as workers:
        context = StageContext(Key(bytes(32)), nonce, workers)
        result = pipeline.run(Part(pixels=image), context)
        assert image.tobytes() == before
        assert not np.shares_memory(result, image)
        assert np.array_equal(pipeline.run(Part(pixels=result), context, backward=True), image)
        assert image.tobytes() == before


def test_stages_draw_from_streams_of_their_own() -> None:
    """Two stages of different use do not undo each other, nor repeat each other's work."""
    image = np.random.default_rng(1).integers(0, 256, (40, 40), dtype=np.uint8)
    part = Part(pixels=image)
    with Workers(1) as workers:
        context = StageContext(Key(bytes(32)), b"nonce", workers)
        twice = Pipeline((KeyStreamMask(), KeyStreamMask("another mask")))
        assert not np.array_equal(twice.run(part, context), image)
        again = Pipeline((KeyStreamMask(), KeyStreamMask()))
        assert np.array_equal(again.run(part, context), image)


def test_names_lead_to_schemes() -> None:
    """Every scheme is found under its own name; unknown names and stray contexts are refused."""
    for name, scheme in SCHEMES.items():
        assert find_scheme(name) is scheme
        assert scheme.name == name
        with pytest.raises(InvalidParameterError):
            find_scheme(name, "context")
    assert find_scheme(ContextScheme.name, "x") == ContextScheme("x")
    with pytest.raises(InvalidParameterError):
        find_scheme(ContextScheme.name)
    with pytest.raises(UnsupportedVersionError):
        find_scheme("scramble-v2")


def test_a_scheme_that_has_left_names_the_version_that_has_it() -> None:
    """A header with the Sudoku substitution of version 1.1 is refused in one sentence."""
    name = "insecure-logistic-substitution-v1"
    with pytest.raises(UnsupportedVersionError) as refusal:
        find_scheme(name)
    assert str(refusal.value) == (
        f"made by an earlier version with the scheme {name}: restore it with version 1.1.0"
    )


@pytest.mark.parametrize("context", ["", "\udc80", b"bytes", 7])
def test_contexts_must_be_text(context: Any) -> None:
    """What is not a text, empty, or beyond UTF-8 is refused, not passed on."""
    with pytest.raises(InvalidParameterError, match="the context"):
        scramble(np.zeros((3, 3)), Key(bytes(32)), context=context)


# Pictures of frames: each is changed in its own way, and all are restored.


KEY = Key(bytes(range(32)))
SALT = bytes(range(16))
EVERY_SCHEME = [*SCHEMES.values(), ContextScheme("any")]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Someone who does the work."""
    with Workers(1) as some:
        yield some


def make_header(
    scheme: TaggedScheme | ContextScheme, encrypted_metadata: bytes | None = None
) -> Header:
    """A header before it has a tag."""
    return Header(
        salt=SALT if isinstance(scheme, TaggedScheme) else None,
        scheme=scheme.name,
        unit="pixel",
        rounds=2,
        shape=(9, 8),
        dtype="uint8",
        key_id=KEY.id,
        encrypted_metadata=encrypted_metadata,
    )


def make_equal_parts(count: int) -> list[Part]:
    """Frames of the same samples."""
    return [Part(pixels=noise(9, 8, 1)) for _ in range(count)]


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_pictures_of_frames(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Equal frames become different ones, and come back; their header tells nothing of it."""
    parts = make_equal_parts(4)
    frames, written = scheme.protect(parts, KEY, make_header(scheme), workers)
    assert len({frame.tobytes() for frame in frames}) == 4
    stored = [Part(pixels=frame) for frame in frames]
    back = scheme.restore(stored, KEY, scheme.open_header(KEY, written, workers), workers)
    assert [frame.tobytes() for frame in back] == [part.pixels.tobytes() for part in parts]
    assert replace(written, header_mac=None, tag=None) == make_header(scheme)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_the_key_of_the_picture_restores_too(workers: Workers, scheme: TaggedScheme) -> None:
    """What the master key opens, the picture key derived from the salt opens as well."""
    parts = make_equal_parts(2)
    frames, written = scheme.protect(parts, KEY, make_header(scheme, b"extras"), workers)
    picture_key = KEY.picture_key(SALT)
    opened = scheme.open_header(picture_key, written, workers)
    assert opened == scheme.open_header(KEY, written, workers)
    back = scheme.restore([Part(pixels=f) for f in frames], picture_key, opened, workers)
    assert [frame.tobytes() for frame in back] == [part.pixels.tobytes() for part in parts]
    for other in (Key(bytes(32)), KEY.picture_key(bytes(16)), Key(bytes(32)).picture_key(SALT)):
        with pytest.raises(DecryptionError):
            scheme.open_header(other, written, workers)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_every_frame_is_under_the_tag(workers: Workers, scheme: TaggedScheme) -> None:
    """A frame less, more, twice, elsewhere, or with a changed bit is refused."""
    frames, written = scheme.protect(make_equal_parts(3), KEY, make_header(scheme), workers)

    def expect_refusal(changed: Sequence[np.ndarray]) -> None:
        with pytest.raises(DecryptionError):
            scheme.restore([Part(pixels=frame) for frame in changed], KEY, written, workers)

    first, second, third = frames
    expect_refusal([first, second])
    expect_refusal([*frames, third])
    expect_refusal([first, third, second])
    expect_refusal([first, first, third])
    for index in range(3):
        changed = [np.array(frame) for frame in frames]
        changed[index][8, 7] ^= 1
        expect_refusal(changed)


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_extras(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Extras are masked if, and only if, the scheme has a tag; they come back as they were."""
    extras = bytes(range(256)) * 3
    parts = make_equal_parts(1)
    _, written = scheme.protect(parts, KEY, make_header(scheme, extras), workers)
    assert written.encrypted_metadata is not None
    assert len(written.encrypted_metadata) == len(extras)
    assert (written.encrypted_metadata == extras) is not isinstance(scheme, TaggedScheme)
    assert scheme.open_header(KEY, written, workers).encrypted_metadata == extras
    if isinstance(scheme, TaggedScheme):
        _, other = scheme.protect(parts, KEY, make_header(scheme, extras[::-1]), workers)
        assert other.tag != written.tag


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
@pytest.mark.parametrize(
    "absent", [("header_mac",), ("header_mac", "tag"), ("header_mac", "tag", "salt")]
)
def test_a_header_without_its_seal(
    workers: Workers, scheme: TaggedScheme, absent: tuple[str, ...]
) -> None:
    """A draft, or a header that was cut off, opens nothing, regardless of the key."""
    _, written = scheme.protect(make_equal_parts(1), KEY, make_header(scheme, b"extras"), workers)
    cut = replace(written, **dict.fromkeys(absent))  # type: ignore[arg-type]
    for key in (KEY, KEY.picture_key(SALT)):
        with pytest.raises(FormatError, match="salt, tag or seal"):
            scheme.open_header(key, cut, workers)


def test_a_context_has_no_seal_and_no_key_of_one_picture(workers: Workers) -> None:
    """A salt in its header is refused, and so is the key of one picture."""
    scheme = ContextScheme("any")
    draft = make_header(scheme)
    sealed = replace(draft, salt=SALT, tag=bytes(32), header_mac=bytes(32))
    with pytest.raises(FormatError, match="no salt, tag or seal"):
        scheme.open_header(KEY, sealed, workers)
    for call in (scheme.open_header, lambda *rest: scheme.restore(make_equal_parts(1), *rest)):
        with pytest.raises(InvalidKeyError, match="one picture"):
            call(KEY.picture_key(SALT), draft, workers)


# A scheme of another package: registered by name, it works in functions and commands.


IMAGE = noise(20, 30, 3)

PLUGIN = """
from tests.ciphers.test_schemes import MIRROR, VEIL
"""


@dataclass(frozen=True)
class Mirror:
    """Turn all samples round if the key says so."""

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the turned samples."""
        turned = context.key.subkey("toy", context.nonce)[0] % 2 == 0
        target[...] = source[::-1].copy() if turned else source

    backward = forward


def mirror_samples(header: Header) -> Pipeline:
    """Return the pipeline of the toy that moves pixels."""
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds), Mirror()))


def veil_samples(header: Header) -> Pipeline:
    """Return the pipeline of the toy that encrypts."""
    del header
    return Pipeline((Mirror(), KeyStreamMask(use="toy-mask")))


MIRROR = TaggedScheme("toy-mirror-v1", mirror_samples, limits="a toy")
VEIL = TaggedScheme("toy-veil-v1", veil_samples, encrypts=True, key_bits=1, limits="a toy")


@pytest.fixture(autouse=True)
def _forget() -> object:
    """Take the toys out again."""
    yield
    for scheme in (MIRROR, VEIL):
        SCHEMES.remove(scheme.name)


def test_it_works_by_its_name() -> None:
    """What it made names it, and is restored by anyone who has registered it."""
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
        register_scheme(TaggedScheme(name, mirror_samples))


def run(*arguments: object, folder: Path) -> Result:
    (folder / "toys.py").write_text(PLUGIN, encoding="utf-8")
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_it_works_in_the_commands(tmp_path: Path) -> None:
    """Named as FILE.py:NAME, it protects, and restores, and rekeys."""
    KEY.to_file(tmp_path / "a.key")
    Key(bytes(32)).to_file(tmp_path / "b.key")
    (tmp_path / "in.png").write_bytes(encode_array(IMAGE, "PNG"))
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

    def select_and_note(group: str) -> EntryPoints:
        looked.append(group)
        return entries.select(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", select_and_note)
    held = Registry(TaggedScheme, called="a scheme", group="sudokucrypt.ciphers")
    held.register(VEIL)
    assert held[VEIL.name] is VEIL
    assert not looked
    assert held[MIRROR.name] is MIRROR
    assert list(held) == [VEIL.name, MIRROR.name]
