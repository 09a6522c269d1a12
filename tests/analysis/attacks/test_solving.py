"""Test the affine attack, its solvers of equations, and the codebook attack."""

import numpy as np
import pytest

from sudokucrypt.analysis.attacks import (
    Oracle,
    Outcome,
    affine_attack,
    codebook_attack,
    random_images,
)
from sudokucrypt.analysis.attacks.affine import solve_modulo_2, solve_modulo_256
from sudokucrypt.analysis.attacks.codebook import _rotate_left, _rotate_right
from sudokucrypt.analysis.attacks.probing import Queries, make_generator
from sudokucrypt.analysis.attacks.s_boxes import _solve_first_boxes
from sudokucrypt.analysis.baselines import (
    BitShuffle,
    ChainAdd,
    ChainXor,
    GrayEncryptThenCompress,
    SBox,
    UniformShuffle,
)
from sudokucrypt.typing import AnyArray
from tests.analysis.attacks.schemes import encrypting, scrambling
from tests.analysis.ciphers import make_cipher
from tests.analysis.pictures import picture

SECRET = picture("camera")[100:164, 200:264]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16"])
@pytest.mark.parametrize(
    "scheme",
    [
        ChainXor(2).scramble,
        ChainAdd(2).scramble,
        BitShuffle().scramble,
        GrayEncryptThenCompress().scramble,
    ],
)
def test_affine_schemes_are_solved(scheme: Oracle, dtype: str) -> None:
    """A small picture is restored completely from affine schemes, for each dtype."""
    secret = SECRET > 100 if dtype == "bool" else SECRET.astype(dtype) * (257 ** (dtype != "uint8"))
    result = affine_attack(scheme, secret.astype(dtype)[:16, :16])
    assert (result.recovered, result.outcome) == (1.0, Outcome.BROKEN)


def test_sums_and_exclusive_or_mixed_fall_plane_by_plane() -> None:
    """A chain of sums with a mask is solved in 8 steps, one for each bit plane."""
    run = make_cipher("move, chain masked")
    result = affine_attack(lambda image: run(image, bytes(range(32))), SECRET)
    assert (result.outcome, result.details["planes"], result.recovered) == ("broken", 8, 1)


@pytest.mark.parametrize("scheme", [SBox().scramble, scrambling(), encrypting(), np.zeros_like])
def test_schemes_that_are_not_affine_give_nothing(scheme: Oracle) -> None:
    """The affine attack finds nothing in schemes that are not affine or are constant."""
    assert affine_attack(scheme, SECRET).outcome is Outcome.NOTHING


@pytest.mark.parametrize("shape", [(9, 9), (70, 64), (64, 70), (130, 129)])
def test_systems_over_bits_are_solved(shape: tuple[int, int]) -> None:
    """The solution over bits satisfies every equation, for systems of any shape and rank."""
    random = random_images((shape[0] + 1, shape[1]), 1, dtype="bool")[0]
    matrix, hidden = random[:-1], random[-1]
    matrix[1] = matrix[0]
    right = (matrix.astype(int) @ hidden) % 2 == 1
    assert np.array_equal((matrix.astype(int) @ solve_modulo_2(matrix, right)) % 2 == 1, right)


def test_systems_modulo_256_are_solved() -> None:
    """Systems modulo 256 with three right sides have the three unique solutions."""
    matrix, hidden = random_images((20, 9), 1)[0], random_images((9, 3), 1)[0]
    matrix[:9] |= np.eye(9, dtype=np.uint8)
    matrix[:9][np.triu_indices(9, 1)] &= 0xFE
    assert np.array_equal(solve_modulo_256(matrix, matrix @ hidden), hidden)


SECRET_CODEBOOK = picture("camera")[100:164:2, 200:264:2]
KEYS = random_images(SECRET_CODEBOOK.shape, 1, seed=5)[0]


def substitute_by_position(image: AnyArray) -> AnyArray:
    """Substitute each sample by its own table: an S-box between two shifts of levels."""
    return SBox(3).scramble(image + KEYS) - KEYS[::-1]


@pytest.mark.parametrize(
    "scheme",
    [
        substitute_by_position,
        lambda image: KEYS - image,
        lambda image: UniformShuffle(2).scramble(
            substitute_by_position(UniformShuffle().scramble(image))
        ),
    ],
)
def test_substitutions_fall_before_and_behind_a_map(scheme: Oracle) -> None:
    """Substitutions before and after a map are decoded, with 768 images and 6 for the map."""
    result = codebook_attack(scheme, SECRET_CODEBOOK)
    assert result.outcome is Outcome.BROKEN
    assert np.mean(result.picture == SECRET_CODEBOOK) == result.recovered > 0.85
    assert result.queries == 3 + 768 + 6


def test_nothing_is_asked_twice_of_a_salted_scheme() -> None:
    """The codebook attack on a salted scheme stops after 3 images."""
    result = codebook_attack(encrypting(), SECRET_CODEBOOK)
    assert (result.outcome, result.queries) == (Outcome.NOTHING, 3)


@pytest.mark.parametrize("change", [2, 3])
def test_substitutions_before_sums_fall(change: int) -> None:
    """S-boxes before sums of samples are undone, whether the first change tried is odd or even."""
    source = np.random.default_rng(change)
    matrix = np.tril(source.integers(0, 256, (16, 16))) | np.eye(16, dtype=np.int64)
    table = source.permutation(256)
    first = make_generator(23).permutation(np.arange(1, 256))[0]
    place = np.flatnonzero(table == (table[0] + change) % 256)[0]
    table[[first, place]] = table[[place, first]]

    def encrypt(image: AnyArray) -> AnyArray:
        return (matrix @ table[image.reshape(-1)] % 256).astype(np.uint8).reshape(image.shape)

    plain = source.integers(0, 256, (4, 4), dtype=np.uint8)
    assert np.array_equal(_solve_first_boxes(Queries(encrypt), encrypt(plain), "+"), plain)


def test_bits_rotate_by_distances_modulo_8() -> None:
    """Each sample is rotated by its distance, and rotated back."""
    samples = np.array([0b10000001, 0b10000001, 0b00000011, 0b01010000], np.uint8)
    distances = np.array([0, 1, 9, 255], np.uint8)
    rotated = _rotate_left(samples, distances)
    assert rotated.tolist() == [0b10000001, 0b00000011, 0b00000110, 0b00101000]
    assert _rotate_right(rotated, distances).tolist() == samples.tolist()
