"""S-boxes around affine structure: unknown tables before it, or behind it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.affine import BitMatrix, solve_bits, solve_modulo_256
from sudokucrypt.analysis.attacks.scan_orders import list_both_ways
from sudokucrypt.analysis.baselines import SBox
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# Eight queries or more for each sample: the picture must be small.
_SAMPLES = 16 * 16
_LEVELS = np.arange(256, dtype=np.uint8)
# Of 12 levels of a sample nearly always 8 go to linearly independent ones.
_BASIS = 12
# Samples whose levels may name the states of other samples.
_REFERENCES = 8
# From this share of foretold samples on the structure is there; chance gives 1 in 256.
_FORETOLD = 0.9

_Peeled = Callable[[AnyArray], AnyArray]


def _unpack_bits(samples: AnyArray) -> BitMatrix:
    """Return the bits of rows of samples, those of a sample side by side."""
    return np.unpackbits(samples, axis=-1).astype(bool)


def _iterate_images(base: AnyArray, index: int, levels: AnyArray) -> Iterator[AnyArray]:
    """Yield an image with one sample at each of some levels."""
    for level in levels:
        image = base.copy()
        image.reshape(-1)[index] = level
        yield image


def _query_results(query: probing.Queries, images: Iterator[AnyArray]) -> AnyArray:
    return np.stack([query(image).reshape(-1) for image in images])


def _measure_superposition(query: probing.Queries, like: AnyArray) -> dict[str, float]:
    """Return how much of a result follows from what two halves of an image change, each alone.

    By exclusive-or of the changes, and by their sum.
    """
    random = probing.make_generator(22)
    first, second = (probing.draw_noise(random, like) for _ in range(2))
    half = random.random(like.shape) < 0.5
    a, b, c, d = (
        query(image)
        for image in (first, second, np.where(half, first, second), np.where(half, second, first))
    )
    return {"^": float(np.mean(a ^ b == c ^ d)), "+": float(np.mean(a + b == c + d))}


def _solve_before(query: probing.Queries, seen: AnyArray, group: str) -> AnyArray:
    """Return the picture, where S-boxes come first: what each sample changes adds up to results."""
    zeros = np.zeros_like(seen)
    base = query(zeros).reshape(-1)
    basis = probing.make_generator(23).permutation(_LEVELS[1:])[:_BASIS]
    flat = _query_results(query, (np.full_like(seen, level) for level in _LEVELS))
    results = np.stack(
        [_query_results(query, _iterate_images(zeros, i, basis)) for i in range(seen.size)]
    )
    right = np.concatenate([flat, seen.reshape(1, -1)])
    if group == "^":
        columns = (results ^ base).reshape(-1, seen.size)
        parts = solve_bits(_unpack_bits(columns).T, _unpack_bits(right ^ base).T)
        both = np.packbits(parts.reshape(seen.size, _BASIS, -1), axis=1).astype(np.int64)
        names = both[:, 0] << 8 | both[:, 1]
    else:
        # Of two levels that differ by an odd number one gives all the others.
        changes = results - base
        odd = (changes & 1).any(axis=2).argmax(axis=1)
        columns = changes[np.arange(seen.size), odd]
        names = solve_modulo_256(columns.T, (right - base).T).astype(np.int64)
    # What each level of a sample adds to a result, and last what that of the picture adds.
    levels = np.argmax(names[:, :-1] == names[:, -1:], axis=1)
    return np.asarray(levels.astype(np.uint8).reshape(seen.shape))


def _iterate_peelings(shape: tuple[int, ...]) -> Iterator[tuple[str, _Peeled]]:
    """Yield ways to undo a last chain of rows of samples; the first undoes none."""
    yield "", lambda rows: rows
    for name, order in list_both_ways(shape).items():
        for sign, join in (("^", np.bitwise_xor), ("-", np.subtract)):

            def undo_chain(
                rows: AnyArray, order: IntArray = order, join: np.ufunc = join
            ) -> AnyArray:
                samples = rows.copy()
                samples[..., order[1:]] = join(rows[..., order[1:]], rows[..., order[:-1]])
                return samples

            yield f", behind c {sign} q, q before c by {name}", undo_chain


def _solve_behind(query: probing.Queries, seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield pictures, where S-boxes come after affine structure.

    The levels of one sample give a sample of the result all its states. They name them: a state
    that other bits give is that of a level, and names add up by exclusive-or.
    """
    zeros, random = np.zeros_like(seen), probing.make_generator(24)
    positions = random.choice(seen.size, min(_REFERENCES, seen.size), replace=False)
    references = [
        _query_results(query, _iterate_images(zeros, index, _LEVELS)) for index in positions
    ]
    powers = 1 << np.arange(7, -1, -1).astype(np.uint8)
    single = np.concatenate(
        [_query_results(query, _iterate_images(zeros, index, powers)) for index in range(seen.size)]
    )
    first, second = (probing.draw_noise(random, seen) for _ in range(2))
    tests = _query_results(query, iter((first, second, first ^ second, first + second)))
    for text, peeled in _iterate_peelings(seen.shape):
        names, known = _match_levels([peeled(each) for each in references])
        if not known.any():
            continue

        def name_states(
            rows: AnyArray, names: AnyArray = names, peeled: _Peeled = peeled
        ) -> AnyArray:
            return np.asarray(names[np.arange(seen.size), peeled(rows)])

        a, b, joined, added = (each[known] for each in name_states(tests))
        columns, goal = name_states(single)[:, known], name_states(seen.reshape(-1))[known]
        if np.mean(a ^ b == joined) >= _FORETOLD:
            guess = np.packbits(solve_bits(_unpack_bits(columns).T, _unpack_bits(goal)))
            yield text, guess.reshape(seen.shape)
        elif np.mean(a + b == added) >= _FORETOLD:
            # The last of eight powers of two is 1.
            yield text, solve_modulo_256(columns[7::8].T, goal).reshape(seen.shape)


def _match_levels(references: list[AnyArray]) -> tuple[AnyArray, BitMatrix]:
    """Return the level that gives each sample each state, and which samples take all states."""
    size = references[0].shape[1]
    names, known = np.zeros((size, 256), np.uint8), np.zeros(size, bool)
    for states in references:
        # The sum rules out nearly all at once, for a hundredth of the cost of sorting.
        new = ~known & (states.sum(axis=0, dtype=np.int64) == _LEVELS.sum(dtype=np.int64))
        new[new] = (np.sort(states[:, new], axis=0) == _LEVELS[:, None]).all(axis=0)
        names[np.flatnonzero(new), states[:, new]] = _LEVELS[:, None]
        known |= new
    return names, known


def _chain_both_ways(image: AnyArray) -> AnyArray:
    """Chain by exclusive-or, substitute, and chain again from the other end."""
    inner = np.bitwise_xor.accumulate(image.reshape(-1))
    outer = np.bitwise_xor.accumulate(SBox().scramble(inner.reshape(image.shape)).reshape(-1)[::-1])
    return outer[::-1].reshape(image.shape)


@contract.attack(
    name="s-boxes",
    threat="chosen",
    title="S-boxes and affine structure",
    control=lambda: contract.Target(
        name="chains both ways around an S-box", oracle=_chain_both_ways
    ),
    details={"superposed": "how much of a result follows from two halves of an image, 0..1"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Solve linear equations before or behind unknown S-boxes.

    Needs: 12 images of the attacker's choice for each sample of a small picture

    Where S-boxes come first, each level of a sample changes the result in a way of its own, and
    such changes add up by exclusive-or, whatever moves and chains follow. Where S-boxes come
    last, or before a last chain, the levels of one sample name the states of all others, and
    names add up. Either way linear equations give the picture.
    """
    if plain.dtype != np.uint8:
        raise InvalidImageError(
            "S-boxes take images of 8 bits a sample",
            hint="convert the picture to 8 bits a sample",
        )
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    query = probing.Queries(target.oracle)
    seen = query(small)
    if not probing.is_repeatable(query, plain):
        text = "equal images give different results"
        return probing.report_nothing(seen, small, queries=query.count, text=text, superposed=0.0)
    shares = _measure_superposition(query, plain)
    group = max(shares, key=shares.__getitem__)
    share = shares[group]
    guesses: Iterator[tuple[str, AnyArray]] = (
        (f"S-boxes come last{text}", guess) for text, guess in _solve_behind(query, seen)
    )
    if share >= _FORETOLD:
        guesses = iter([("S-boxes come first", _solve_before(query, seen, group))])
    text = f"neither halves of an image nor states add up ({share:.4f})"
    finding = probing.report_nothing(seen, small, queries=query.count, text=text, superposed=share)
    for text, guess in guesses:
        finding = probing.judge(
            seen, guess, small, queries=query.count, text=text, superposed=share
        )
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return replace(finding, queries=query.count)
