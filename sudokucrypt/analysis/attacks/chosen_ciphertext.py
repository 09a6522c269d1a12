"""Chosen ciphertext: results that the attacker has changed, restored under the key."""

from collections.abc import Iterator

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing
from sudokucrypt.analysis.attacks.codebook import CONTROL_CHAIN
from sudokucrypt.errors import DecryptionError, UnsupportedError
from sudokucrypt.typing import AnyArray


def _guesses(undo: probing.Queries, seen: AnyArray) -> Iterator[tuple[str, AnyArray]]:
    """Yield what changed results give of the picture; none of them is the result itself."""
    random = probing.generator(8)
    first, second = (probing.noise(random, seen) | np.array(1, seen.dtype) for _ in range(2))
    a, b, both = undo(seen ^ first), undo(seen ^ second), undo(seen ^ first ^ second)
    yield "by exclusive-or of three others", a ^ b ^ both
    if seen.dtype != np.bool_:
        a, b, both = undo(seen + first), undo(seen + second), undo(seen + first + second)
        yield "as a sum of three others", a + b - both
    # Where one changed sample leaves most of the picture as it is, two results give all of it.
    low, high = seen.copy(), seen.copy()
    low.reshape(-1)[0] ^= seen.dtype.type(1)
    high.reshape(-1)[-1] ^= seen.dtype.type(1)
    yield "with one changed sample", undo(low)
    yield "with one changed sample, the last", undo(high)


@contract.attack(
    name="chosen-ciphertext",
    threat="chosen ciphertext",
    title="Chosen ciphertext",
    summary="Restore changed results, and put the picture together.",
    needs="results of the attacker's choice, restored under the key; none of them is the target",
    method="The attacker has changed copies of the result restored. If one changed sample spoils "
    "little, the rest of the picture comes back at once; if the inverse is affine, three changed "
    "results give the fourth, which is the picture. Schemes that check a tag refuse.",
    control=lambda: CONTROL_CHAIN,
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    if target.undo is None:
        raise UnsupportedError("there is no inverse that takes results alone")
    seen = contract.query(target.oracle, plain)
    if not np.array_equal(seen, contract.query(target.oracle, plain)):
        raise UnsupportedError("equal images give different results, so a result alone is not all")
    undo = probing.Queries(target.undo)
    finding = probing.nothing(seen, plain, queries=0, text="nothing was restored")
    try:
        for text, guess in _guesses(undo, seen):
            finding = probing.judged(seen, guess, plain, queries=undo.count, text=text)
            if finding.outcome is contract.Outcome.BROKEN:
                break
    except DecryptionError:
        text = "changed results are refused"
        return probing.nothing(seen, plain, queries=undo.count, text=text)
    return finding
