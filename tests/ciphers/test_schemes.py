"""Pipelines restore what they protected, with any stages; and schemes, also of other packages."""

import hashlib
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
    SegmentCipher,
    Stage,
    StageContext,
    TaggedScheme,
    find_scheme,
    register_scheme,
    sample_digests,
)
from sudokucrypt.cli.program import cli
from sudokucrypt.header import SEGMENT_BYTES
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
    """Any stages in any order are undone; the input is changed only if it may be overwritten."""
    image = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    bytes_before = image.tobytes()
    pipeline = Pipeline(tuple(stages))
    with Workers(2) as workers:
        context = StageContext(Key(bytes(32)), nonce, workers)
        result = pipeline.run(Part(pixels=image), context)
        assert image.tobytes() == bytes_before
        assert not np.shares_memory(result, image)
        assert np.array_equal(pipeline.run(Part(pixels=result), context, backward=True), image)
        assert image.tobytes() == bytes_before
        overwritten = pipeline.run(Part(pixels=image, overwrite=True), context)
        assert np.array_equal(overwritten, result)
        assert np.shares_memory(overwritten, image) == bool(stages)


def test_stages_draw_from_streams_of_their_own() -> None:
    """Two masks of different use do not cancel each other; two of the same use do."""
    image = np.random.default_rng(1).integers(0, 256, (40, 40), dtype=np.uint8)
    part = Part(pixels=image)
    with Workers(1) as workers:
        context = StageContext(Key(bytes(32)), b"nonce", workers)
        different_uses = Pipeline((KeyStreamMask(), KeyStreamMask("another mask")))
        assert not np.array_equal(different_uses.run(part, context), image)
        same_use = Pipeline((KeyStreamMask(), KeyStreamMask()))
        assert np.array_equal(same_use.run(part, context), image)


def test_names_lead_to_schemes() -> None:
    """Every scheme is found by its name; an unknown name or superfluous context is refused."""
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


def test_a_removed_scheme_is_refused() -> None:
    """A header with the removed Sudoku substitution raises an error that names version 1.1."""
    name = "insecure-logistic-substitution-v1"
    with pytest.raises(UnsupportedVersionError) as refusal:
        find_scheme(name)
    assert str(refusal.value) == (
        f"made by an earlier version with the scheme {name}: restore it with version 1.1.0"
    )


@pytest.mark.parametrize("context", ["", "\udc80", b"bytes", 7])
def test_contexts_must_be_text(context: Any) -> None:
    """A context that is empty, not text, or not valid Unicode is refused."""
    with pytest.raises(InvalidParameterError, match="the context"):
        scramble(np.zeros((3, 3)), Key(bytes(32)), context=context)


# Pictures of several frames.


KEY = Key(bytes(range(32)))
SALT = bytes(range(16))
EVERY_SCHEME = [*SCHEMES.values(), ContextScheme("any")]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """Workers with a single thread."""
    with Workers(1) as single_thread:
        yield single_thread


def make_header(
    scheme: TaggedScheme | ContextScheme, encrypted_metadata: bytes | None = None
) -> Header:
    """Return a header without a tag."""
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
    """Return frames with the same samples."""
    return [Part(pixels=noise(9, 8, 1)) for _ in range(count)]


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_pictures_of_frames(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Equal frames become different ones and are restored; the header does not show it."""
    parts = make_equal_parts(4)
    frames, header = scheme.protect(parts, KEY, make_header(scheme), workers)
    assert len({frame.tobytes() for frame in frames}) == 4
    stored_parts = [Part(pixels=frame) for frame in frames]
    restored = scheme.restore(stored_parts, KEY, scheme.open_header(KEY, header, workers), workers)
    assert [frame.tobytes() for frame in restored] == [part.pixels.tobytes() for part in parts]
    assert replace(header, header_mac=None, tag=None) == make_header(scheme)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_the_key_of_the_picture_restores_too(workers: Workers, scheme: TaggedScheme) -> None:
    """A picture that the master key opens also opens with its picture key, and with no other."""
    parts = make_equal_parts(2)
    frames, header = scheme.protect(parts, KEY, make_header(scheme, b"extras"), workers)
    picture_key = KEY.picture_key(SALT)
    opened_header = scheme.open_header(picture_key, header, workers)
    assert opened_header == scheme.open_header(KEY, header, workers)
    restored = scheme.restore([Part(pixels=f) for f in frames], picture_key, opened_header, workers)
    assert [frame.tobytes() for frame in restored] == [part.pixels.tobytes() for part in parts]
    for other_key in (Key(bytes(32)), KEY.picture_key(bytes(16)), Key(bytes(32)).picture_key(SALT)):
        with pytest.raises(DecryptionError):
            scheme.open_header(other_key, header, workers)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_every_frame_is_under_the_tag(workers: Workers, scheme: TaggedScheme) -> None:
    """A missing, superfluous, repeated, moved or changed frame is refused, and no sample shown."""
    frames, header = scheme.protect(make_equal_parts(3), KEY, make_header(scheme), workers)

    def expect_refusal(changed: Sequence[np.ndarray]) -> None:
        with pytest.raises(DecryptionError):
            scheme.restore([Part(pixels=frame) for frame in changed], KEY, header, workers)

    first_frame, second_frame, third_frame = frames
    expect_refusal([first_frame, second_frame])
    expect_refusal([*frames, third_frame])
    expect_refusal([first_frame, third_frame, second_frame])
    expect_refusal([first_frame, first_frame, third_frame])
    for index in range(3):
        changed = [np.array(frame) for frame in frames]
        changed[index][8, 7] ^= 1
        expect_refusal(changed)

    def convert_wrongly(plain_frames: list[AnyArray]) -> list[AnyArray]:
        raise ValueError(f"{len(plain_frames)} frames")

    with pytest.raises(ValueError, match="3 frames") as error_info:
        scheme.restore(
            [Part(pixels=frame) for frame in frames], KEY, header, workers, convert=convert_wrongly
        )
    # A crash report would show the plain samples in the variables of the call that failed.
    assert not error_info.traceback[-1].frame.f_locals


@pytest.mark.parametrize("scheme", EVERY_SCHEME, ids=lambda scheme: scheme.name)
def test_encrypted_metadata(workers: Workers, scheme: TaggedScheme | ContextScheme) -> None:
    """Encrypted metadata are masked if the scheme has a tag, and are restored."""
    metadata = bytes(range(256)) * 3
    parts = make_equal_parts(1)
    _, header = scheme.protect(parts, KEY, make_header(scheme, metadata), workers)
    assert header.encrypted_metadata is not None
    assert len(header.encrypted_metadata) == len(metadata)
    assert (header.encrypted_metadata == metadata) is not isinstance(scheme, TaggedScheme)
    assert scheme.open_header(KEY, header, workers).encrypted_metadata == metadata
    if isinstance(scheme, TaggedScheme):
        _, other_header = scheme.protect(parts, KEY, make_header(scheme, metadata[::-1]), workers)
        assert other_header.tag != header.tag


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
@pytest.mark.parametrize(
    "absent", [("header_mac",), ("header_mac", "tag"), ("header_mac", "tag", "salt")]
)
def test_a_header_without_its_seal(
    workers: Workers, scheme: TaggedScheme, absent: tuple[str, ...]
) -> None:
    """A header without seal, tag or salt is refused with any key."""
    _, header = scheme.protect(make_equal_parts(1), KEY, make_header(scheme, b"extras"), workers)
    incomplete = replace(header, **dict.fromkeys(absent))  # type: ignore[arg-type]
    for key in (KEY, KEY.picture_key(SALT)):
        with pytest.raises(FormatError, match="salt, tag or seal"):
            scheme.open_header(key, incomplete, workers)


def test_a_context_has_no_seal_and_no_key_of_one_picture(workers: Workers) -> None:
    """Under a context, a header with a salt is refused, and so is a picture key."""
    scheme = ContextScheme("any")
    draft_header = make_header(scheme)
    sealed = replace(draft_header, salt=SALT, tag=bytes(32), header_mac=bytes(32))
    with pytest.raises(FormatError, match="a salt, tag or seal, which"):
        scheme.open_header(KEY, sealed, workers)
    for call in (scheme.open_header, lambda *rest: scheme.restore(make_equal_parts(1), *rest)):
        with pytest.raises(InvalidKeyError, match="one picture"):
            call(KEY.picture_key(SALT), draft_header, workers)


# A scheme of another package, which is registered by its name.


IMAGE = noise(20, 30, 3)

PLUGIN = """
from tests.ciphers.test_schemes import MIRROR, VEIL
"""


@dataclass(frozen=True)
class Mirror:
    """Reverse the rows if a bit of the key says so."""

    def forward(self, source: AnyArray, target: AnyArray, context: StageContext) -> None:
        """Write the turned samples."""
        is_turned = context.key.subkey("toy", context.nonce)[0] % 2 == 0
        target[...] = source[::-1].copy() if is_turned else source

    backward = forward


def make_mirror_pipeline(header: Header) -> Pipeline:
    """Return the pipeline of the test scheme that scrambles."""
    return Pipeline((Permutation(header.unit, header.block_size, header.rounds), Mirror()))


def make_veil_pipeline(header: Header) -> Pipeline:
    """Return the pipeline of the test scheme that encrypts."""
    del header
    return Pipeline((Mirror(), KeyStreamMask(use="toy-mask")))


MIRROR = TaggedScheme("toy-mirror-v1", make_mirror_pipeline, limits="a toy")
VEIL = TaggedScheme("toy-veil-v1", make_veil_pipeline, encrypts=True, key_bits=1, limits="a toy")


@pytest.fixture(autouse=True)
def _remove_schemes() -> object:
    """Remove the test schemes after each test."""
    yield
    for scheme in (MIRROR, VEIL):
        SCHEMES.remove(scheme.name)


def test_functions_find_a_registered_scheme() -> None:
    """Functions use a registered scheme by its name; without it the picture cannot be restored."""
    assert register_scheme(MIRROR) is MIRROR
    register_scheme(VEIL)
    scrambled = scramble(IMAGE, KEY, scheme=MIRROR.name, unit="sample")
    assert scrambled.header.scheme == MIRROR.name
    assert np.array_equal(unscramble(scrambled.pixels, KEY, scrambled.header), IMAGE)
    encrypted = encrypt(IMAGE, KEY, scheme=VEIL.name)
    assert np.array_equal(decrypt(encrypted.pixels, KEY, encrypted.header), IMAGE)
    with pytest.raises(DecryptionError):
        unscramble(scrambled.pixels[::-1], KEY, scrambled.header)
    SCHEMES.remove(MIRROR.name)
    with pytest.raises(UnsupportedVersionError, match="toy-mirror-v1"):
        unscramble(scrambled.pixels, KEY, scrambled.header)


def test_functions_refuse_schemes_of_the_other_kind() -> None:
    """`scramble` refuses schemes that encrypt, `encrypt` those that do not, and both a context."""
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
    """A name that another scheme has, or that a header cannot hold, is refused."""
    with pytest.raises(InvalidParameterError):
        register_scheme(TaggedScheme(name, make_mirror_pipeline))


def run(*arguments: object, folder: Path) -> Result:
    (folder / "toys.py").write_text(PLUGIN, encoding="utf-8")
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_commands_load_a_scheme_from_a_file(tmp_path: Path) -> None:
    """Commands that get the scheme as FILE.py:NAME protect, restore and rekey with it."""
    KEY.to_file(tmp_path / "a.key")
    Key(bytes(32)).to_file(tmp_path / "b.key")
    (tmp_path / "in.png").write_bytes(encode_array(IMAGE, "PNG"))
    plain = read_picture(tmp_path / "in.png").pixels
    first, second = ("--key", tmp_path / "a.key"), ("--key", tmp_path / "b.key")
    for protect, restore, toy in (("scramble", "unscramble", MIRROR), ("encrypt", "decrypt", VEIL)):
        scheme_option = ("--scheme", f"{tmp_path}/toys.py:{'MIRROR' if toy is MIRROR else 'VEIL'}")
        result, restored = tmp_path / f"{protect}.png", tmp_path / f"{restore}.png"
        outcome = run(
            protect, tmp_path / "in.png", "-o", result, *first, *scheme_option, folder=tmp_path
        )
        assert outcome.exit_code == 0, outcome.output
        SCHEMES.remove(toy.name)
        rekeyed = tmp_path / f"rekeyed-{protect}.png"
        new = ("--new-key", tmp_path / "b.key")
        outcome = run("rekey", result, "-o", rekeyed, *first, *new, *scheme_option, folder=tmp_path)
        assert outcome.exit_code == 0, outcome.output
        SCHEMES.remove(toy.name)
        assert run(restore, rekeyed, "-o", restored, *second, folder=tmp_path).exit_code != 0
        outcome = run(restore, rekeyed, "-o", restored, *second, *scheme_option, folder=tmp_path)
        assert outcome.exit_code == 0, outcome.output
        assert np.array_equal(read_picture(restored).pixels, plain)


def test_entry_points_add_schemes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheme of an entry point is found; for our own schemes no entry point is read."""
    entries = EntryPoints([EntryPoint("toy", f"{__name__}:MIRROR", "sudokucrypt.ciphers")])
    groups: list[str] = []

    def select_and_note(group: str) -> EntryPoints:
        groups.append(group)
        return entries.select(group=group)

    monkeypatch.setattr("importlib.metadata.entry_points", select_and_note)
    registry = Registry(TaggedScheme, item_noun="a scheme", group="sudokucrypt.ciphers")
    registry.register(VEIL)
    assert registry[VEIL.name] is VEIL
    assert not groups
    assert registry[MIRROR.name] is MIRROR
    assert list(registry) == [VEIL.name, MIRROR.name]


def test_a_large_picture_without_segments_is_not_divided() -> None:
    """A picture of more than one segment, whose header has none, is only restored as a whole."""
    header = encrypt(np.zeros(SEGMENT_BYTES, "u1"), KEY).header
    SegmentCipher(KEY.for_picture(header), header)
    header = encrypt(np.zeros(SEGMENT_BYTES + 1, "u1"), KEY).header
    with pytest.raises(ValueError, match="is not in segments"):
        SegmentCipher(KEY.for_picture(header), header)


@pytest.mark.parametrize("threads", [1, 3])
def test_each_chunk_of_samples_has_its_digest(threads: int) -> None:
    """A digest covers 1 MiB of samples, or what is left; every frame starts a new chunk."""
    frames = [noise(700, 1024, 3), noise(5, 5, 1)]
    with Workers(threads) as workers:
        digests = sample_digests(frames, workers)
    chunks = [
        frame.tobytes()[start : start + 2**20]
        for frame in frames
        for start in range(0, frame.nbytes, 2**20)
    ]
    assert digests == [hashlib.sha256(chunk).digest() for chunk in chunks]
    assert len(digests) == 3 + 1
