"""What repeats: short nonces, equal blocks, and equal beginnings."""

from math import log2

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.scan_orders import both_ways
from sudokucrypt.typing import AnyArray

# Pairs of this many results collide for nonces of up to about 18 bits.
_TIMES = 768
_SAMPLES = 16 * 16
_BLOCK = 16
# From this share of equal samples on a beginning counts as equal.
_EQUAL = 0.9


def _text_of_nonces(query: probing.Queries, image: AnyArray) -> str:
    """Return what repeated results show about the nonce; empty if nothing."""
    drawn = [query(image).tobytes() for _ in range(_TIMES)]
    pairs = sum(drawn.count(each) - 1 for each in drawn) / 2
    if not pairs:
        return ""
    return f"nonces repeat like those of {log2(_TIMES * (_TIMES - 1) / 2 / pairs):.1f} bits"


def _equal_blocks(query: probing.Queries, like: AnyArray) -> bool:
    """Return whether equal blocks of an image give equal blocks, which show in drawings."""
    random = probing.generator(9)
    once = probing.noise(random, like).reshape(-1)[:_BLOCK]
    image = np.resize(once, like.size).astype(like.dtype).reshape(like.shape)
    flat = query(image).reshape(-1)
    blocks = flat[: flat.size // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
    return len(np.unique(blocks, axis=0)) <= len(blocks) / 2


def _causal(query: probing.Queries, like: AnyArray) -> tuple[str | None, bool]:
    """Return an order in which equal beginnings of images give equal beginnings of results.

    And whether an image that was scrambled again for each order had one result.
    """
    results = set()
    random = probing.generator(10)
    first, second = (probing.noise(random, like).reshape(-1) for _ in range(2))
    for name, order in both_ways(like.shape).items():
        mixed = first.copy()
        late = order[like.size // 2 :]
        mixed[late] = second[late]
        seen, other = (query(each.reshape(like.shape)).reshape(-1) for each in (first, mixed))
        results.add(seen.tobytes())
        # Blocks that reach over the middle may differ.
        early = order[: like.size // 2 - min(2 * _BLOCK, like.size // 8)]
        if np.mean(seen[early] == other[early]) > _EQUAL:
            return name, len(results) == 1
    return None, len(results) == 1


def _fed_forward(image: AnyArray) -> AnyArray:
    """Put on a stream that follows from all samples before."""
    table = probing.generator(11).permutation(256)
    before = np.cumsum(image.reshape(-1), dtype=np.int64) - image.reshape(-1)
    stream = table[before % 256] & (1 << probing.bit_count(image)) - 1
    return np.asarray(image ^ stream.astype(image.dtype).reshape(image.shape))


@contract.attack(
    name="repeats",
    threat="chosen",
    title="Repeats",
    summary="Look for repeated nonces, equal blocks and equal beginnings.",
    needs="images of the attacker's choice",
    method="The attacker has one image scrambled many times, to see whether nonces repeat, and "
    "images of equal blocks and equal beginnings. Where beginnings of results are equal too, an "
    "initial value never changes, and guesses are confirmed part by part.",
    control=lambda: contract.Target(name="a stream of what came before", oracle=_fed_forward),
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    small = probing.small_target(target.oracle, plain, samples=_SAMPLES)
    query = probing.Queries(target.oracle)
    seen, text = query(small), ""
    same = probing.repeatable(query, plain)
    if same and _equal_blocks(query, small):
        text = f"equal blocks of {_BLOCK} samples give equal results, so drawings show"
    elif same:
        scan, same = _causal(query, small)
        if scan is not None:
            text = f"equal beginnings by {scan} show, so guesses are confirmed part by part"
    if not same:  # two results of a short nonce can be the same by chance, but not all
        # There may be few ways to scramble a small picture, whatever the nonce.
        text = (_text_of_nonces(query, small) and _text_of_nonces(query, plain)) or text
    if not text:
        text = "no nonce, block or beginning repeats"
        return probing.nothing(seen, small, queries=query.count, text=text)
    return contract.Finding(
        outcome=contract.Outcome.BROKEN,
        text=text,
        queries=query.count,
        recovered=0.0,
        seen=seen,
        picture=seen,
        plain=small,
    )
