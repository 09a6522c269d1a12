"""Known plaintext against schemes that keep rows or columns together: one image is enough."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.baselines import RowColumnShuffle, UniformShuffle
from sudokucrypt.typing import AnyArray, IntArray

# The control is the same one in every run.
_CONTROL_SEED = 22


def row_column_attack(
    oracle: contract.Oracle,
    shape: tuple[int, ...] | None = None,
    *,
    image: ArrayLike | None = None,
    dtype: DTypeLike = np.uint8,
) -> contract.Finding:
    """Find lines again by the pixels they hold, from one known image.

    The known image is one of uniform samples of this shape and dtype, unless `image` is given.

    Moving columns does not change which pixels a row holds, nor the other way round. So lines are
    matched by their sorted pixels, in reading order where several hold the same, and pixels by
    their lines and samples. Where rows and columns move as a whole this gives the whole map; where
    only rows hold together, it gives as much as known plaintext does for images of the size of a
    row. One pass of a Sudoku bijection by rows and digits falls in this way, which is why a round
    has passes of three kinds. `known_plaintext_attack` names the source, which treats this case.

    Details are those of `chosen_plaintext_attack`, and shares of lines: `rows_found` and
    `columns_found`, which hold the pixels of one plain line, and `rows_kept` and `columns_kept`,
    whose pixels stayed in them, in any order.

    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    shape : tuple of int, optional
        The shape of the known image; required unless `image` is given.
    image : array_like, optional
        The known image; by default one of uniform samples.
    dtype : dtype, default uint8
        The type of the samples where no image is given: bool, uint8 or uint16.

    Examples
    --------
    >>> from sudokucrypt.analysis.baselines import RowColumnShuffle
    >>> row_column_attack(RowColumnShuffle().scramble, (48, 64)).recovered
    1.0
    """
    plain = (
        unit_maps.random_images(shape or (), 1, dtype=dtype)[0]
        if image is None
        else np.asarray(image)
    )
    units = unit_maps.ImageUnits.like(plain)
    seen = contract.query(oracle, plain)
    rows = _match_rows(plain, seen)
    columns = _match_rows(plain.swapaxes(0, 1), seen.swapaxes(0, 1))
    known = (
        np.where(np.isin(np.arange(matches.size), matches), np.arange(matches.size), -1)
        for matches in (rows, columns)
    )
    # Units are equal if their samples are and their lines were found to be the same.
    before, after = _number_lines(*known), _number_lines(rows, columns)
    sources = unit_maps.match_units(
        *unit_maps.refine_classes((before, units.split(plain)), (after, units.split(seen)))
    )
    check = unit_maps.MapCheck(units)
    recovered = check.share(sources, contract.query_all(oracle, check.images))
    share = units.in_words(recovered)
    lines = (
        f"{np.count_nonzero(rows >= 0)} of {rows.size} rows and "
        f"{np.count_nonzero(columns >= 0)} of {columns.size} columns were found again by the "
        "pixels they hold"
    )
    outcome, words = contract.Outcome.NOTHING, f"{lines}, and the map is right for {share} later on"
    if check.outcome(recovered) is contract.Outcome.BROKEN:
        outcome = contract.Outcome.BROKEN
        words = f"1 known image gave the places of {share}; {lines}"
    elif _is_beyond_chance(rows, columns, plain, seen):
        outcome, words = contract.Outcome.LEAKS, f"{words}; which pixels share a line shows"
    found = unit_maps.map_finding(
        outcome,
        words,
        unit="pixel",
        rows_found=float((rows >= 0).mean()),
        columns_found=float((columns >= 0).mean()),
        rows_kept=_measure_line_share(plain, seen),
        columns_kept=_measure_line_share(plain.swapaxes(0, 1), seen.swapaxes(0, 1)),
        sources=sources,
        recovered=recovered,
    )
    return replace(found, queries=1)


def _is_beyond_chance(rows: IntArray, columns: IntArray, plain: AnyArray, seen: AnyArray) -> bool:
    """Return whether more lines were found than in a result whose pixels are shuffled."""
    # Constant lines and narrow pictures are found again whatever happens to them.
    control = UniformShuffle(_CONTROL_SEED).scramble(seen)
    kinds = ((rows, plain, control), (columns, plain.swapaxes(0, 1), control.swapaxes(0, 1)))
    return any(
        contract.judge_share(
            float((matches >= 0).mean()),
            chance=float((_match_rows(before, after) >= 0).mean()),
            trials=len(matches),
        )
        is not contract.Outcome.NOTHING
        for matches, before, after in kinds
    )


def _list_contents(image: AnyArray) -> AnyArray:
    """Return for each row the pixels that it holds, in an order of their own."""
    rows = image.reshape(*image.shape[:2], -1)
    # Moving pixels inside of a line changes their order only, so lines are compared sorted.
    return np.stack([row[np.lexsort(row.T)].reshape(-1) for row in rows])


def _match_rows(plain: AnyArray, seen: AnyArray) -> IntArray:
    """Return for each row of a result a row of the image that holds its pixels; -1 if none."""
    one_class = np.zeros(len(plain), dtype=np.int64)
    return unit_maps.match_units(
        *unit_maps.refine_classes(
            (one_class, _list_contents(plain)), (one_class, _list_contents(seen))
        )
    )


def _number_lines(rows: IntArray, columns: IntArray) -> IntArray:
    """Return a number for the lines that cross at each pixel, from those of both or -1."""
    return np.add.outer((rows + 1) * (len(columns) + 1), columns + 1).reshape(-1)


def _measure_line_share(plain: AnyArray, seen: AnyArray) -> float:
    return float((_list_contents(plain) == _list_contents(seen)).all(axis=1).mean())


@contract.attack(
    name="row-column",
    threat="chosen",
    title="Row and column structure",
    control=lambda: contract.Target(name="row-column", oracle=RowColumnShuffle().scramble),
    details={
        "rows_found": "the share of rows that hold the pixels of one plain row",
        "columns_found": "the same for columns",
        "rows_kept": "the share of rows whose pixels stayed in them",
        "columns_kept": "the same for columns",
    },
)
def _run(target: contract.Target, plain: AnyArray) -> contract.Finding:
    """Find rows and columns again from one known image.

    Needs: one image and its result; looks for rows and columns that stay together

    The attacker has one image and its result, and looks for rows and columns that still hold
    the same pixels.
    """
    result = row_column_attack(target.oracle, plain.shape, dtype=plain.dtype)
    return result.apply_to(contract.query(target.oracle, plain))
