"""Codebooks: constant images show what becomes of every sample, given the one before it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.scan_orders import ScanOrder, scans
from sudokucrypt.analysis.baselines import SBox, UniformShuffle
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray, IntArray

# Each sample may need a table of 256 entries, and that for many relations.
_SAMPLES = 3 * 32 * 32
# Three of each of 256 levels: most keys that a table is asked for are in it, 1 - e^-3.
_IMAGES = 768
# Spots change what comes before a sample, while most samples keep the level of the image.
_SPOTS = 1 / 48
_PLACES = 32
# The agreement from which a relation is more than chance, and how many are followed up.
_AGREEMENT = 0.1
_TRIED = 3
# Digits are sent three times, raised by different amounts: a table may lack one of them.
_RAISED = (0, 85, 170)

_Bytes: TypeAlias = NDArray[np.uint8]
_Join: TypeAlias = Callable[[_Bytes, _Bytes], _Bytes]


def _rotate_left(samples: _Bytes, by: _Bytes) -> _Bytes:
    return np.asarray(samples << (by & 7) | samples >> (-by & 7), np.uint8)


def _rotate_right(samples: _Bytes, by: _Bytes) -> _Bytes:
    return _rotate_left(samples, -by)


# How a sample may be joined with q, the one before it in the result, and taken apart again.
_JOINS: dict[str, tuple[_Join, _Join]] = {
    "{}": (lambda x, _: x, lambda x, _: x),
    "{} ^ q": (np.bitwise_xor, np.bitwise_xor),
    "{} + q": (np.add, np.subtract),
    "{} - q": (np.subtract, np.add),
    "q - {}": (lambda x, q: q - x, lambda x, q: q - x),
    "{} turned left by q": (_rotate_left, _rotate_right),
    "{} turned right by q": (_rotate_right, _rotate_left),
}
# How a stream that q gives may be put on: the stream of result and plain sample, and back.
_STREAMS: dict[str, tuple[_Join, _Join]] = {
    "c ^ p": (np.bitwise_xor, np.bitwise_xor),
    "c - p": (np.subtract, np.subtract),
    "c + p": (np.add, np.subtract),
}


@dataclass(frozen=True, eq=False)
class _Relation:
    """What of a result gives what of the image, by a table for each position or by one for all.

    The result is c, q the sample before it, and p the plain sample. A key of c and q gives a value,
    and value, c and q give p.
    """

    name: str
    value: Callable[[_Bytes, _Bytes, _Bytes], _Bytes]
    plain: Callable[[_Bytes, _Bytes, _Bytes], _Bytes]


def _relations() -> dict[Callable[[_Bytes, _Bytes], AnyArray], list[_Relation]]:
    """Return the relations to try by their keys, the simplest first."""
    by_key: dict[Callable[[_Bytes, _Bytes], AnyArray], list[_Relation]] = {}

    def relate(name: str, join: _Join, undo: _Join) -> _Relation:
        return _Relation(name, lambda _c, q, p: join(p, q), lambda value, _c, q: undo(value, q))

    def stream(name: str, join: _Join, undo: _Join) -> _Relation:
        back = (
            (lambda value, c, _q: undo(value, c))
            if name == "c + p"
            else (lambda value, c, _q: undo(c, value))
        )
        return _Relation(f"{name} follows from q", lambda c, _q, p: join(c, p), back)

    for result, (key, _) in _JOINS.items():
        by_key[key] = [
            relate(f"{image.format('p')} follows from {result.format('c')}", *both)
            for image, both in _JOINS.items()
        ]
    by_key[lambda _, q: q] = [stream(name, *both) for name, both in _STREAMS.items()]
    return by_key


@dataclass(eq=False)
class _Book:
    """Tables of one relation along one scan, made of results of images of one level each."""

    relation: _Relation
    key: Callable[[_Bytes, _Bytes], AnyArray]
    scan: ScanOrder
    pooled: bool = False
    tables: IntArray = field(default_factory=lambda: np.zeros((0, 0), np.int16))

    def fill(self, results: _Bytes, levels: _Bytes) -> None:
        """Enter results, of shape (images, samples), with the level of each image."""
        rows, keys = (1, 1 << 16) if self.pooled else (results.shape[1], 1 << 8)
        self.tables = np.full((rows, keys), -1, np.int16)
        table_rows = np.arange(results.shape[1]) % rows
        # Backwards, so that images that came first win where two of them disagree.
        for c, level in zip(results[::-1], levels[::-1], strict=True):
            q = self._before(c)
            value = self.relation.value(c, q, np.full_like(c, level))
            self.tables[table_rows, self.key(c, q)] = value

    def decode(self, c: _Bytes) -> tuple[_Bytes, NDArray[np.bool_]]:
        """Return the samples behind a result, and which of them the tables know."""
        q = self._before(c)
        value = self.tables[np.arange(c.size) % len(self.tables), self.key(c, q)]
        return self.relation.plain(value.astype(np.uint8), c, q), value >= 0

    def _before(self, c: _Bytes) -> _Bytes:
        # What starts a chain is the same each time, so that any constant stands for it.
        return np.where(self.scan.before < 0, np.uint8(0), c[self.scan.before])


def codebook_attack(oracle: contract.Oracle, picture: ArrayLike) -> contract.Finding:
    """Decode samples by tables that constant images fill, with feedback from the sample before.

    In most ciphers of the literature a sample of the result follows from one sample of the image
    and one neighbor of the result: substitutions, masks, S-boxes before or behind a chain, and
    chains through an S-box. Images of one level with a few random spots show which neighbor, in
    which scan order, and how both are joined; they fill a table for each position, or one for all.
    What was decoded may have moved, which images of digits show. The picture has 256 levels at
    most, and is made smaller where it is large.
    Source: R. Rhouma, S. Belghith, 2008, doi:10.1016/j.physleta.2008.07.057, for tables without
    feedback.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    picture : ndarray of shape (M, N) or (M, N, C), bool, uint8 or uint16
        The picture that the attacker is after.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import SBox
    >>> waves = np.uint8(np.add.outer(np.arange(32), np.arange(32)) ** 2 % 256)
    >>> result = codebook_attack(SBox().scramble, waves)
    >>> result.outcome.value, result.recovered > 0.9
    ('broken', True)
    """
    plain = np.asarray(picture)
    if probing.bit_count(plain) > 8:
        raise InvalidImageError(
            "a codebook of 65536 levels takes as many images, which is too many",
            hint="convert the picture to 8 bits a sample",
        )
    small = probing.small_target(oracle, plain, samples=_SAMPLES)
    query, random = probing.Queries(oracle), probing.generator()
    seen = query(small)
    count = 1 << probing.bit_count(small)
    levels = np.repeat(np.arange(count), _IMAGES // count).astype(np.uint8)

    def result(samples: AnyArray) -> _Bytes:
        return query(samples.astype(small.dtype).reshape(small.shape)).reshape(-1).view(np.uint8)

    if not probing.is_repeatable(query, plain):
        text = "equal images give different results"
        return probing.report_nothing(seen, small, queries=query.count, text=text, agreement=0.0)
    results = np.stack([result(_make_speckled_image(random, level, small)) for level in levels])
    # Without feedback q is nothing at all; this costs one book, and is tried before any scan.
    ranked = [
        (1.0, _make_book_without_feedback(small.size)),
        *_rank_books(random, results, levels, small.shape),
    ]
    findings = []
    for share, book in ranked[: 1 + _TRIED]:
        if share < _AGREEMENT:
            continue
        book.fill(results, levels)
        guess = _restore(book, result, seen, count)
        kind = "one table of c and q" if book.pooled else "a table for each position"
        text = f"{book.relation.name}, by {kind}"
        if "q" in text:
            text += f", q before c by {book.scan.name}"
        finding = probing.judge(seen, guess, small, queries=query.count, text=text, agreement=share)
        findings.append(finding)
        if finding.outcome is contract.Outcome.BROKEN:
            break
    return max(findings, key=lambda finding: finding.recovered)


def _make_book_without_feedback(size: int) -> _Book:
    """Return the book of schemes in which samples follow from one sample each."""
    (key, (relation, *_)), *_ = _relations().items()
    return _Book(relation, key, ScanOrder("none", np.full(size, -1)))


def _make_speckled_image(random: np.random.Generator, level: np.uint8, like: AnyArray) -> AnyArray:
    image = np.full(like.shape, level).astype(like.dtype)
    return np.where(random.random(like.shape) < _SPOTS, probing.noise(random, like), image)


def _rank_books(
    random: np.random.Generator, results: _Bytes, levels: _Bytes, shape: tuple[int, ...]
) -> list[tuple[float, _Book]]:
    """Return every relation along every scan with its agreement, the best first."""
    positions = random.choice(results.shape[1], min(_PLACES, results.shape[1]), replace=False)
    p = np.broadcast_to(levels[:, None], (len(levels), len(positions)))
    ranked = []
    relations = _relations()
    simplest = next(iter(relations.values()))[0]
    for scan in scans(shape):
        c = results[:, positions]
        q = np.where(scan.before[positions] < 0, np.uint8(0), results[:, scan.before[positions]])
        for key, group in relations.items():
            shares = _agreements(key(c, q), [each.value(c, q, p) for each in group], p, q)
            for share, relation in zip(shares, group, strict=True):
                ranked.append((share, _Book(relation, key, scan)))
        # All positions have one key each, so that one table holds for all.
        share = _agreements(_join_keys(c, q).reshape(-1, 1), [p.reshape(-1, 1)], p, q, pooled=True)[
            0
        ]
        # A table of all pairs is filled in part only: a smaller one is better where both agree.
        ranked.append((share / 2, _Book(simplest, _join_keys, scan, pooled=True)))
    return sorted(ranked, key=lambda each: -each[0])


def _join_keys(c: _Bytes, q: _Bytes) -> AnyArray:
    return q.astype(np.uint16) << 8 | c


def _agreements(
    keys: AnyArray, values: list[_Bytes], p: _Bytes, q: _Bytes, *, pooled: bool = False
) -> list[float]:
    """Return how often equal keys at one position come with equal values, though images differ."""
    order = np.argsort(keys, axis=0, kind="stable")
    flat = order * keys.shape[1] + np.arange(keys.shape[1])

    def pairs(samples: AnyArray) -> NDArray[np.bool_]:
        inside = np.take(samples, flat)  # a fifth of the time of take_along_axis
        return np.asarray(inside[1:] == inside[:-1], bool)

    alike = pairs(keys)
    if not pooled:
        # Equal images at a position agree in everything, whatever the scheme does.
        alike &= ~(pairs(p) & pairs(q))
    count = np.count_nonzero(alike)
    if count < keys.size / _IMAGES:
        return [0.0] * len(values)
    return [float(np.count_nonzero(pairs(value) & alike) / count) for value in values]


def _restore(
    book: _Book, result: Callable[[AnyArray], _Bytes], seen: AnyArray, levels: int
) -> AnyArray:
    """Return what the tables make of a result, moved back to where images of digits show it."""
    size, digits = seen.size, 1
    while levels**digits < size:
        digits += 1
    sources, known = np.zeros(size, np.int64), np.ones(size, bool)
    for digit in range(digits):
        votes, voted = np.zeros(size, np.int64), np.zeros(size, bool)
        for raised in _RAISED:
            numbers = np.arange(size) // levels**digit + raised
            shown, sure = book.decode(result(numbers % levels))
            new = sure & ~voted
            votes[new] = (shown.astype(np.int64)[new] - raised) % levels
            voted |= sure
        sources += votes * levels**digit
        known &= voted
    decoded, sure = book.decode(seen.reshape(-1).view(np.uint8))
    known &= sure & (sources < size)
    guess = np.zeros(size, np.uint8)
    guess[sources[known]] = decoded[known]
    return guess.astype(seen.dtype).reshape(seen.shape)


def _substitute_and_chain(image: AnyArray) -> AnyArray:
    """Substitute, move and chain by exclusive-or: the commonest design of the literature."""
    inner = SBox().scramble(UniformShuffle().scramble(image)).reshape(-1)
    return np.bitwise_xor.accumulate(inner).reshape(image.shape)


def _undo_substituted_chain(image: AnyArray) -> AnyArray:
    inner = image.reshape(-1).copy()
    inner[1:] ^= image.reshape(-1)[:-1]
    return UniformShuffle().unscramble(SBox().unscramble(inner.reshape(image.shape)))


# What this attack must break, with its inverse.
CONTROL_CHAIN = contract.Target(
    name="one map, one S-box and a chain",
    oracle=_substitute_and_chain,
    undo=_undo_substituted_chain,
)


@contract.attack(
    name="codebook",
    title="Codebook with feedback",
    control=lambda: CONTROL_CHAIN,
    details={"agreement": "how often the best relation holds, 0..1"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Decode samples by tables that constant images fill.

    Needs: three images of the attacker's choice for each level, 768 in all

    The attacker has images of one level each scrambled, with a few random spots. Where a sample
    of the result follows from one sample of the image and the one before it in the result, in
    whatever order, their results fill tables that decode all others; what has moved is found as
    with chosen plaintext.
    """
    return codebook_attack(target.oracle, plain)
