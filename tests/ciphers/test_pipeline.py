"""Pipelines run backwards over what they ran forwards, whatever their stages."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sudokucrypt import InvalidParameterError, Key, UnsupportedVersionError, scramble
from sudokucrypt.ciphers import (
    SCHEMES,
    ContextScheme,
    KeyStreamMask,
    Part,
    Permutation,
    Pipeline,
    Stage,
    StageContext,
    scheme_named,
)
from sudokucrypt.workers import Workers

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
        assert scheme_named(name) is scheme
        assert scheme.name == name
        with pytest.raises(InvalidParameterError):
            scheme_named(name, "context")
    assert scheme_named(ContextScheme.name, "x") == ContextScheme("x")
    with pytest.raises(InvalidParameterError):
        scheme_named(ContextScheme.name)
    with pytest.raises(UnsupportedVersionError):
        scheme_named("scramble-v2")


def test_a_scheme_that_has_left_names_the_version_that_has_it() -> None:
    """A header with the Sudoku substitution of version 1.1 is refused in one sentence."""
    name = "insecure-logistic-substitution-v1"
    with pytest.raises(UnsupportedVersionError) as refusal:
        scheme_named(name)
    assert str(refusal.value) == (
        f"made by an earlier version with the scheme {name}: restore it with version 1.1.0"
    )


@pytest.mark.parametrize("context", ["", "\udc80", b"bytes", 7])
def test_contexts_must_be_text(context: Any) -> None:
    """What is no text, empty, or beyond UTF-8 is refused, not passed on."""
    with pytest.raises(InvalidParameterError, match="the context"):
        scramble(np.zeros((3, 3)), Key(bytes(32)), context=context)
