"""Find repetitions: short nonces, blocks, parts, states of chains, streams of equal summaries."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import log2
from zlib import crc32

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.masks import FINDERS, list_combinations
from sudokucrypt.errors import SudokucryptError
from sudokucrypt.typing import AnyArray

# Pairs of this many results collide for nonces of up to about 18 bits.
_TIMES = 768
_SAMPLES = 32 * 32
_FEW_SAMPLES = 8 * 8
# Blocks may be as large as a quarter of a picture of 64 x 64, in color too.
_WIDE = 4 * 64 * 64
# From this share of equal samples on, parts count as equal.
_EQUAL, _UNEQUAL = 0.9, 0.5
# How often photographs are compared, any of which may carry several images.
_TRIES = 6
# Changes are tried at a position for each of these, with which hashes of strings multiply.
_FACTORS = (31, 33, 37, 53, 101, 131)
# Unequal images have no more equal samples than chance gives by as many deviations.
_DEVIATIONS = 8.0
# Images of which no more than their public information is asked for.
_PUBLIC_IMAGES = 1 << 13
_BITS = 72  # enough that sums of them cancel any checksum of up to 64 bits
# Pairs of the given number of images collide in states of up to about 13 bits, often enough to be
# sure.
_NEAR, _SURE = 256, 4
# Enough to see on a whole picture what showed on a small one.
_FEWER = 96

Public = Callable[[AnyArray], object]


def _measure_repeats(results: Iterator[AnyArray]) -> str:
    """Return of how many bits a nonce is that makes equal results as often as here, or nothing."""
    drawn = Counter(result.tobytes() for result in results)
    pairs = sum(count * (count - 1) for count in drawn.values()) / 2
    return f"{log2(_TIMES * (_TIMES - 1) / 2 / pairs):.1f} bits" if pairs else ""


def _draw_nonce(query: probing.Queries, image: AnyArray) -> str:
    return _measure_repeats(query(image) for _ in range(_TIMES))


def _split_pieces(image: AnyArray, kind: str) -> AnyArray:
    """Return an image as an array whose first axis is the one along which lags are counted."""
    if kind == "rows":
        return image.reshape(len(image), -1)
    if kind == "columns":
        return image.reshape(len(image), -1).T
    return image.reshape(-1, 1)


def _measure_lag_share(image: AnyArray, kind: str, lag: int) -> float:
    pieces = _split_pieces(image, kind)
    return float(np.mean(pieces[lag:] == pieces[:-lag]))


def _make_periodic_image(kind: str, lag: int, like: AnyArray) -> AnyArray:
    """Return an image of noise that repeats after the given number of rows, columns or samples."""
    pieces = _split_pieces(probing.draw_noise(probing.make_generator(9), like), kind)
    repeated = pieces[np.arange(len(pieces)) % lag]
    return np.ascontiguousarray(repeated.T if kind == "columns" else repeated).reshape(like.shape)


def _find_equal_blocks(query: probing.Queries, like: AnyArray) -> str:
    """Return which equal blocks of an image give equal blocks of a result, in words, or nothing.

    A constant image shows the period of blocks of any shape, and of streams that repeat.
    """
    constant, noise = (
        query(np.full_like(like, 1)),
        query(probing.draw_noise(probing.make_generator(8), like)),
    )
    for kind in ("rows", "columns", "samples"):
        lags = range(1, len(_split_pieces(like, kind)) // 2 + 1)
        fitting = [lag for lag in lags if _measure_lag_share(constant, kind, lag) >= _EQUAL]
        for lag in sorted({*fitting[:1], *({8, 16} & {*fitting})}):
            share = _measure_lag_share(query(_make_periodic_image(kind, lag, like)), kind, lag)
            if share >= _EQUAL and _measure_lag_share(noise, kind, lag) < _UNEQUAL:
                return f"what repeats after {lag} {kind} in an image does so in its result"
        # A stream of one row may be turned, or moved, by other amounts in each row.
        sorted_pieces = [np.sort(_split_pieces(image, kind), axis=1) for image in (constant, noise)]
        alike, chance = (np.mean((each == each[0]).all(axis=1)) for each in sorted_pieces)
        varied = sorted_pieces[0][0, 0] != sorted_pieces[0][0, -1]
        if kind != "samples" and varied and alike - chance >= _EQUAL:
            return f"{kind} of a stream hold the same samples"
    return ""


def _measure_shared_triples(images: list[AnyArray]) -> float:
    """Return the share of positions at which three results equal those at another position."""
    rows = np.stack([image.reshape(-1) for image in images], axis=1)
    _, indices, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    return float(np.mean(counts[indices.reshape(-1)] > 1))


def _find_equal_places(query: probing.Queries, like: AnyArray) -> str:
    """Return whether a stream, even a new one, is the same at several positions, in words.

    Three constant images show it, wherever these positions are. Results that have little to do
    with their images, such as photographs that carry them, look the same for noise.
    """
    levels = [like.dtype.type(level) for level in (0, 1, 0)]
    # One photograph may carry three of them, but hardly each time.
    for _ in range(_TRIES):
        noise = [probing.draw_noise(probing.make_generator(seed), like) for seed in (14, 15, 16)]
        constant = [query(np.full_like(like, level)) for level in levels]
        if all(np.ptp(image.astype(np.int64)) == 0 for image in constant):
            return ""  # constant images stay what they are if samples only move
        # Streams of few values agree by chance, as they do after a shuffle of each.
        random = probing.make_generator(17)
        shuffled = [random.permutation(image.reshape(-1)) for image in constant]
        chance = max(
            _measure_shared_triples([query(image) for image in noise]),
            _measure_shared_triples(shuffled),
        )
        if _measure_shared_triples(constant) - chance < _UNEQUAL:
            return ""
    return "a stream is the same at several positions"


def _iterate_changes(base: AnyArray) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """Yield pairs of images that differ in few samples, some with the same sums and histogram."""
    random, flat = probing.make_generator(10), base.reshape(-1)
    size, wide = flat.size, flat.dtype != np.bool_ and flat.size >= 16
    for factor in _FACTORS:
        # Away from both ends and from the middle, whose samples some schemes take for a summary.
        i, j = (int(size * (0.1 + 0.3 * each)) for each in random.random(2))
        j += size // 2
        for what, change in {
            "one sample": {i: 90},
            "another sample": {j: 90},
            "the lowest bit of a sample": {j: 1},
            "two samples by the same bits": {i: 90, j: 90},
        }.items():
            image = flat.copy()
            for index, bits in change.items():
                image[index] ^= np.array(bits & 1 if flat.dtype == np.bool_ else bits, flat.dtype)
            yield what, base, image.reshape(base.shape)
        for what, other in (("samples", j), ("neighboring samples", i + 1)):
            image = flat.copy()
            image[[i, other]] = flat[[other, i]]
            yield f"the order of two {what}", base, image.reshape(base.shape)
        if wide:  # levels in the middle can be raised and lowered
            image = flat.copy()
            image[i : i + 3] = image[i : i + 3] // 4 + 140
            for what, steps in (
                ("three samples of the same sum", (1, -2, 1)),
                ("two samples of the same hash of strings", (1, -factor, 0)),
            ):
                moved = image.copy()
                moved[i : i + 3] = image[i : i + 3].astype(int) + steps
                yield what, image.reshape(base.shape), moved.reshape(base.shape)


def _count_shared_parts(query: probing.Queries, images: AnyArray) -> int:
    """Return how many pairs of results have a part in common, beyond chance; 0 if hardly any."""
    rows = np.stack([query(each).reshape(-1) for each in images])
    shares = [np.mean(rows[index + 1 :] == row, axis=1) for index, row in enumerate(rows)]
    pairs, size = np.concatenate(shares), rows.shape[1]
    if not len(pairs) or (chance := float(np.median(pairs))) == 1:
        return 0
    spread = _DEVIATIONS * np.sqrt(max(chance, 1 / size) / size)
    limit = chance + max(contract.BROKEN * (1 - chance), spread)
    alike = int(np.count_nonzero(pairs > limit))
    return alike if alike >= _SURE else 0


def _are_carried(query: probing.Queries, like: AnyArray) -> bool:
    """Return whether results of unrelated images have parts in common.

    These come from elsewhere, such as a photograph that carries several pictures.
    """
    random = probing.make_generator(39)
    images = np.stack([probing.draw_noise(random, like) for _ in range(_NEAR)])
    return _count_shared_parts(query, images) > 0


def _find_colliding_states(query: probing.Queries, like: AnyArray) -> str:
    """Describe how often results of nearly equal images share a part, or return nothing.

    A chain hands on a state, and a summary picks a stream. Where states of two images are equal by
    chance, all that follows from them is equal until the next changed sample, however many chains
    there are.
    """
    random, base = (
        probing.make_generator(34),
        probing.draw_noise(probing.make_generator(11), like).reshape(-1),
    )
    for count in (1, 2, 3, 2):
        images = np.repeat(base[None], _NEAR, axis=0)
        changed = random.choice(base.size, min(count, base.size), replace=False)
        images[:, changed] = probing.draw_noise(random, images[:, changed])
        images = np.unique(images, axis=0).reshape(-1, *like.shape)
        if alike := _count_shared_parts(query, images):
            text = f"of {len(images)} images that differ in {count} of {like.size} samples {alike}"
            return f"{text} pairs have a part of their results in common, so"
    return ""


def _find_colliding_nonces(query: probing.Queries, few: AnyArray, plain: AnyArray) -> str:
    """Return how often results of one image have a part in common, in words, or nothing."""
    # There may be few ways to scramble a small picture, regardless of the nonce.
    for image, times in (
        (probing.draw_noise(probing.make_generator(38), few), _NEAR),
        (plain, _FEWER),
    ):
        images = np.repeat(image[None], times, axis=0)
        if not (alike := _count_shared_parts(query, images)):
            return ""
    return f"of {times} results of one image {alike} pairs have a part in common, so pictures show"


def _compute_crc(image: AnyArray) -> int:
    """Return the checksum that schemes take most often."""
    return crc32(image.tobytes())


def _make_equal_checksum(base: AnyArray, public: Public) -> AnyArray | None:
    """Return another image of the same public information, if that is a checksum; None if not."""
    random, flat = probing.make_generator(27), base.reshape(-1)

    def number(image: AnyArray) -> int:
        value = public(image.reshape(base.shape))
        return int.from_bytes(value) if isinstance(value, bytes) else hash(value)

    start, basis = number(flat), dict[int, tuple[int, int]]()
    for index in random.permutation(flat.size)[:_BITS].tolist():
        image = flat.copy()
        image[index] ^= np.array(1, flat.dtype)
        effect, chosen = number(image) ^ start, 1 << index
        while effect and effect.bit_length() in basis:
            other, more = basis[effect.bit_length()]
            effect, chosen = effect ^ other, chosen ^ more
        if effect:
            basis[effect.bit_length()] = effect, chosen
            continue
        flips = np.array([chosen >> each & 1 for each in range(flat.size)], flat.dtype)
        return np.asarray((flat ^ flips).reshape(base.shape))
    return None


def _find_equal_parts(query: probing.Queries, like: AnyArray, public: Public | None) -> str:
    """Return which changes leave a good part of a result as it is, in words, or nothing.

    Equal samples of results of unrelated images are chance, or no result of the picture at all.
    """
    base, second = (probing.draw_noise(probing.make_generator(seed), like) for seed in (11, 12))
    seen = query(base)
    chance = float(np.mean(seen == query(second)))
    if chance == 1:
        return ""
    spread = _DEVIATIONS * np.sqrt(max(chance, 1 / like.size) / like.size) / (1 - chance)
    changes = list(_iterate_changes(base))
    for name, checksum in (("the side information", public), ("their CRC-32", _compute_crc)):
        if checksum is not None and (other := _make_equal_checksum(base, checksum)) is not None:
            changes.append((f"bits that cancel in {name}", base, other))
    for what, before, image in changes:
        if np.array_equal(before, image) or (
            public is not None and public(image) != public(before)
        ):
            continue
        result = seen if before is base else query(before)
        share = (float(np.mean(query(image) == result)) - chance) / (1 - chance)
        if share > max(contract.BROKEN, spread):
            text = f"two images that differ in {what} have {share:.2f} of their results in common"
            return f"{text}, so"
    return ""


def _find_equal_streams(query: probing.Queries, like: AnyArray, public: Public | None) -> str:
    """Return how streams of unrelated images repeat, in words, or nothing."""
    random = probing.make_generator(28)
    images = [probing.draw_noise(random, like) for _ in range(_TIMES if public is None else 0)]
    if public is not None:
        known: dict[str, AnyArray] = {}
        for _ in range(_PUBLIC_IMAGES):
            image = probing.draw_noise(random, like)
            other = known.setdefault(repr(public(image)), image)
            if other is not image:
                images += [image, other]
            if len(images) >= 8:
                break
    pairs = [(image, query(image)) for image in images]
    for combination in list_combinations(like):
        streams = Counter(FINDERS[combination](seen, image).tobytes() for image, seen in pairs)
        repeated = sum(count > 1 for count in streams.values())
        if repeated > len(pairs) / 4:
            return f"images of one side information share a stream, by {combination}, so results"
        if repeated and public is None and len(streams) > 1:
            return f"streams of {_TIMES} images repeat, by {combination}, so results"
    return ""


def _feed_forward(image: AnyArray) -> AnyArray:
    """Put on a stream that follows from all samples before."""
    table = probing.make_generator(11).permutation(256)
    before = np.cumsum(image.reshape(-1), dtype=np.int64) - image.reshape(-1)
    stream = table[before % 256] & (1 << probing.count_bits(image)) - 1
    return np.asarray(image ^ stream.astype(image.dtype).reshape(image.shape))


@contract.attack(
    name="repeats",
    threat="chosen",
    title="Repeats",
    control=lambda: contract.Target(name="a stream of what came before", oracle=_feed_forward),
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Look for repeated nonces and streams, equal blocks and equal parts.

    Needs: images of the attacker's choice

    The attacker has one image scrambled many times, to see whether nonces repeat, images whose
    rows, columns or samples repeat, and pairs of images that differ in a sample, in the order
    of two, or in bits that keep sums, histogram or side information. Where a part of both
    results is equal, pictures that share a part show it, and guesses are confirmed part by
    part.
    """
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    few = small
    with suppress(SudokucryptError):  # of schemes that take no such image
        few = probing.shrink_target(target.oracle, plain, samples=_FEW_SAMPLES)
    query = probing.Queries(target.oracle)
    seen = query(small)
    wide = probing.shrink_target(target.oracle, plain, samples=_WIDE)
    if text := _find_equal_blocks(query, wide) or _find_equal_places(query, small):
        text += ", so drawings show"
    elif probing.is_repeatable(query, plain):
        text = _find_equal_parts(query, small, target.public)
        if (text := text or _find_colliding_states(query, few)) and not _are_carried(query, few):
            text += " guesses at parts are confirmed"
        else:
            text = _find_equal_streams(query, few, target.public)
    # There may be few ways to scramble a small picture, regardless of the nonce.
    elif _draw_nonce(query, few) and (bits := _draw_nonce(query, plain)):
        text = f"nonces repeat like those of {bits}"
    elif (text := _find_colliding_nonces(query, few, plain)) and _are_carried(query, few):
        text = ""
    if not text:
        text = "no nonce, block, part or stream repeats"
        return probing.report_nothing(seen, small, queries=query.count, text=text)
    return contract.Finding(
        outcome=contract.Outcome.BROKEN,
        text=text,
        queries=query.count,
        seen=seen,
        picture=seen,
        plain=small,
    )
