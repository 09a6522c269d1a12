"""Shared summaries: streams and maps that depend on a sum or a sample of the image only."""

from collections.abc import Callable, Iterator

import numpy as np

from sudokucrypt.analysis.attacks import attack, probing
from sudokucrypt.analysis.attacks.differential import differential_attack
from sudokucrypt.analysis.attacks.masks import FINDERS, REMOVERS, Combination, combinations_for
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

_SAMPLES = 64 * 64
_VALUES = 256
# How much more of a result must agree between images that share a summary.
_MORE = 0.1
_TRIES = 4096

_Fit = Callable[[AnyArray, int], AnyArray]


def _put(position: float) -> _Fit:
    def fit(image: AnyArray, value: int) -> AnyArray:
        made = image.copy()
        made.reshape(-1)[round(position * (image.size - 1))] = value
        return made

    return fit


def _with_sum(image: AnyArray, value: int) -> AnyArray:
    made = image.copy()
    made.reshape(-1)[7] += np.array(value - int(image.sum(dtype=np.int64)) & 255, image.dtype)
    return made


def _with_parity(image: AnyArray, value: int) -> AnyArray:
    made = image.copy()
    made.reshape(-1)[7] ^= np.bitwise_xor.reduce(image, axis=None) ^ image.dtype.type(value)
    return made


def _with_mean(image: AnyArray, value: int) -> AnyArray:
    """Raise or lower as many samples as it takes, the same ones each time."""
    made = image.astype(np.int64).reshape(-1)
    left = value * made.size + made.size // 2 - int(made.sum())
    for index in probing.generator(12).permutation(made.size):
        if left == 0:
            break
        changed = min(max(int(made[index]) + left, 0), 255)
        left -= changed - int(made[index])
        made[index] = changed
    return made.astype(image.dtype).reshape(image.shape)


# What a summary is called, how an image is given one, and what that of an image is.
_SUMMARIES: dict[str, tuple[_Fit, Callable[[AnyArray], int]]] = {
    "the first sample": (_put(0), lambda x: int(x.flat[0])),
    "the last sample": (_put(1), lambda x: int(x.flat[-1])),
    "the middle sample": (_put(0.5), lambda x: int(x.flat[round((x.size - 1) / 2)])),
    "the sum modulo 256": (_with_sum, lambda x: int(x.sum(dtype=np.int64)) % 256),
    "the exclusive-or of all samples": (
        _with_parity,
        lambda x: int(np.bitwise_xor.reduce(x, axis=None)),
    ),
    "the mean": (_with_mean, lambda x: int(x.mean())),
}


def _with_public(public: Callable[[AnyArray], object], wanted: object) -> _Fit:
    """Return how images get the side information of the target: by trying samples."""

    def fit(image: AnyArray, value: int) -> AnyArray:
        del value
        random, made = probing.generator(13), image.copy()
        for _ in range(_TRIES):
            if public(made) == wanted:
                break
            made.reshape(-1)[random.integers(made.size)] = random.integers(256)
        return made

    return fit


def _shares(
    asked: probing.Queries, fit: _Fit, first: AnyArray, second: AnyArray
) -> Iterator[tuple[float, Combination | None]]:
    """Yield how alike streams, and then results, are for two images of one summary."""
    x, y = (fit(image, 131) for image in (first, second))
    seen, other = asked(x), asked(y)
    for combination in combinations_for(first):
        find = FINDERS[combination]
        yield float(np.mean(find(seen, x) == find(other, y))), combination
    # A map keeps what a few changed samples do not touch, as long as it stays the same map.
    near = x.copy()
    near.reshape(-1)[[near.size // 3, near.size // 5]] ^= np.array(90, near.dtype)
    yield float(np.mean(asked(fit(near, 131)) == seen)), None


def _summed(image: AnyArray) -> AnyArray:
    seed = 100 + int(image.sum(dtype=np.int64)) % 256
    return image ^ probing.noise(probing.generator(seed), image)


@attack.attack(
    name="summary",
    title="Shared summary",
    summary="Fix the sum, the mean or a sample that a key stream depends on.",
    needs="images of the attacker's choice, of each of 256 values of a summary",
    method="Many schemes make the key stream depend on a sum or a sample of the picture, to stop "
    "chosen images. Images that share it share the stream. There are 256 streams: the attacker "
    "has them all and takes the smoothest picture, or recovers map and mask for each value.",
    control=lambda: attack.Target(name="a stream keyed by the sum", oracle=_summed),
    details={"summary": "which summary decides, in words, or null"},
)
def _run(target: attack.Target, plain: AnyArray) -> attack.Finding:
    small = probing.small_target(
        target.oracle, plain, samples=_SAMPLES, queries=lambda _: 2 * _VALUES
    )
    asked, random = probing.Queries(target.oracle), probing.generator()
    seen = asked(small)
    first, second = (probing.noise(random, small) for _ in range(2))
    free = list(_shares(asked, lambda image, _: image, first, second))
    known = dict(_SUMMARIES) if small.dtype == np.uint8 else {}
    if target.public is not None:
        fit = _with_public(target.public, target.public(small))
        known["the side information"] = (fit, lambda _: 0)
    best: tuple[float, str, Combination | None] = (0.0, "", None)
    for name, (fit, _) in known.items():
        for (share, combination), (usual, _) in zip(
            _shares(asked, fit, first, second), free, strict=True
        ):
            best = max(best, (share - usual, name, combination), key=lambda each: each[0])
    more, name, combination = best
    if more < _MORE:
        text = f"images of one summary agree in {more:.4f} more of their results at most"
        return probing.nothing(seen, small, queries=asked.count, text=text, summary=None)
    fit, of = known[name]
    if combination is not None:
        values = range(_VALUES) if name in _SUMMARIES else range(1)
        guesses = []
        for value in values:
            image = fit(first, value)
            stream = FINDERS[combination](asked(image), image)
            guesses.append(REMOVERS[combination](seen, stream))
        guess, queries = min(guesses, key=probing.roughness), asked.count
    else:
        guess, queries = seen, asked.count
        try:
            # The attacker does this for each value; the right one is run.
            behind = differential_attack(
                lambda image: target.oracle(fit(image, of(small))), small.shape, dtype=small.dtype
            )
            guess = behind.restore(seen)
            queries += behind.queries * (_VALUES if name in _SUMMARIES else 1)
        except SudokucryptError:  # of shapes or units that differences do not take
            pass
    text = f"images that share {name} share what is secret"
    return probing.judged(seen, guess, small, queries=queries, text=text, summary=name)
