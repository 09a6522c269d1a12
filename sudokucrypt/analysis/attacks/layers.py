"""Strip off layers that never change around moves that change each time."""

import numpy as np

from sudokucrypt.analysis.attacks import contract, probing, unit_maps
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.typing import AnyArray

_SAMPLES = 32 * 32
# From this share of decoded samples on, that are of the levels sent, values show.
_SHOWN = 0.9
# The levels of the image that is decoded, and the share of samples that have the second one.
_SENT, _SHARE = (5, 200), 0.25


def _make_new_rows() -> contract.Oracle:
    """Return a scheme that shuffles rows in another way each time, and puts on one mask."""
    random = probing.make_generator(33)

    def scheme(image: AnyArray) -> AnyArray:
        moved = image[random.permutation(len(image))]
        return np.asarray(moved ^ probing.draw_noise(probing.make_generator(31), image))

    return scheme


@contract.attack(
    name="layers",
    threat="chosen",
    title="Fixed layers",
    control=lambda: contract.Target(name="one mask on rows in new orders", oracle=_make_new_rows()),
    details={"shown": "the share of samples whose values show, 0..1"},
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Strip off masks and tables that never change, though positions do.

    Needs: an image of each level of the attacker's choice, and some images more

    Constant images look the same in any way they move. If their results never change
    although those of others do, they show what becomes of each level at each position, whatever
    mask or table is put on, and so strip it off: what is left has moved only, and shows the
    values of every picture, as a scrambled picture does.
    """
    if probing.count_bits(plain) > 8:
        raise InvalidImageError(
            "a table of 65536 levels takes as many images, which is too many",
            hint="convert the picture to 8 bits a sample",
        )
    small = probing.shrink_target(target.oracle, plain, samples=_SAMPLES)
    query, levels = probing.Queries(target.oracle), 1 << probing.count_bits(small)
    seen = query(small)

    def result(level: int) -> AnyArray:
        return query(np.full_like(small, level))

    def give_up(text: str) -> contract.Finding:
        return probing.report_nothing(seen, small, queries=query.count, text=text, shown=0.0)

    # The rows of a picture may all be equal, so that their order does not show.
    if probing.is_repeatable(query, probing.draw_noise(probing.make_generator(32), small)):
        return give_up("equal images give equal results, so no layer is new")
    if not all(np.array_equal(result(level), result(level)) for level in (0, 1)):
        return give_up("even constant images give different results")
    if unit_maps.has_units(target.oracle, small, "sample"):
        return give_up("samples keep their values, so there is no layer to strip off")
    tables = np.full((small.size, levels), -1)
    for level in range(levels):
        tables[np.arange(small.size), result(level).reshape(-1).view(np.uint8)] = level

    def decode(image: AnyArray) -> AnyArray:
        return tables[np.arange(small.size), image.reshape(-1).view(np.uint8)]

    sent = tuple(level % levels for level in _SENT) if levels > 2 else (0, 1)
    mixed = probing.make_generator(32).random(small.shape) < _SHARE
    shown = decode(query(np.where(mixed, sent[1], sent[0]).astype(small.dtype)))
    share = float(np.isin(shown, sent).mean())
    right = abs(float(np.mean(shown == sent[1])) - float(mixed.mean())) < 1 - _SHOWN
    if share < _SHOWN or not right or (levels == 2 and abs(float(mixed.mean()) - 0.5) < 0.1):
        return give_up(f"tables of constant images decode {share:.4f} of the samples of others")
    stripped = np.maximum(decode(seen), 0).astype(small.dtype).reshape(small.shape)
    return contract.Finding(
        outcome=contract.Outcome.BROKEN,
        text=f"the values of {share:.4f} of the samples show, behind a layer that never changes",
        queries=query.count,
        recovered=0.0,
        seen=seen,
        picture=stripped,
        plain=small,
        details={"shown": share},
    )
