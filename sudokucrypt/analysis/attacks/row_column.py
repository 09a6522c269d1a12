"""Recover maps that keep the pixels of a row or column together, from one known image."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from sudokucrypt.analysis.attacks import contract, unit_maps
from sudokucrypt.analysis.baselines import RowColumnShuffle, UniformShuffle
from sudokucrypt.typing import AnyArray, IntArray

# Fixed, so that the random comparison is the same in every run.
_SHUFFLE_SEED = 22


def row_column_attack(
    oracle: contract.Oracle,
    shape: tuple[int, ...] | None = None,
    *,
    image: ArrayLike | None = None,
    dtype: DTypeLike = np.uint8,
) -> contract.Finding:
    """Identify rows and columns in a result by their pixels, from one known image.

    The known image has uniform samples of this shape and dtype, unless `image` is given.

    Moving columns does not change the set of pixels of a row, and vice versa. So rows and columns
    are matched by their sorted pixels, equal ones in reading order, and pixels by their row, column
    and samples. If rows and columns move as a whole, this gives the whole map; if only the pixels
    of a row stay together, it gives as much as known plaintext does for images of the size of a
    row. It breaks a single pass of a Sudoku bijection by rows and digits, so a round has passes of
    three kinds. `known_plaintext_attack` names the source, which treats this case.

    Details are the details of `chosen_plaintext_attack` and four shares: `rows_found` and
    `columns_found`, the rows and columns that contain the pixels of one plain row or column, and
    `rows_kept` and `columns_kept`, those whose pixels stayed in them, in any order.


    Parameters
    ----------
    oracle : callable
        The scheme under one key: takes an image, and returns one of its shape and dtype.
    shape : tuple of int, optional
        The shape of the known image; required unless `image` is given.
    image : array_like, optional
        The known image; by default one of uniform samples.
    dtype : dtype, default uint8
        The type of the samples if no image is given: bool, uint8 or uint16.

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
    units = unit_maps.ImageUnits.from_image(plain)
    target_result = contract.query(oracle, plain)
    rows = _match_rows(plain, target_result)
    columns = _match_rows(plain.swapaxes(0, 1), target_result.swapaxes(0, 1))
    identified_lines = (
        np.where(np.isin(np.arange(matches.size), matches), np.arange(matches.size), -1)
        for matches in (rows, columns)
    )
    # Units are matched if their samples are equal and their rows and columns were matched.
    plain_line_numbers, result_line_numbers = (
        _number_lines(*identified_lines),
        _number_lines(rows, columns),
    )
    sources = unit_maps.match_units(
        *unit_maps.refine_classes(
            (plain_line_numbers, units.split(plain)),
            (result_line_numbers, units.split(target_result)),
        )
    )
    map_check = unit_maps.MapCheck(units)
    recovered_share = map_check.measure_map_share(
        sources, contract.query_all(oracle, map_check.images)
    )
    share = units.format_share(recovered_share)
    found_text = (
        f"{np.count_nonzero(rows >= 0)} of {rows.size} rows and "
        f"{np.count_nonzero(columns >= 0)} of {columns.size} columns were identified by their "
        "pixels"
    )
    outcome, text = (
        contract.Outcome.NOTHING,
        f"{found_text}, and the map is right for {share} later on",
    )
    if map_check.judge_map_share(recovered_share) is contract.Outcome.BROKEN:
        outcome = contract.Outcome.BROKEN
        text = f"1 known image gave the places of {share}; {found_text}"
    elif _is_beyond_chance(rows, columns, plain, target_result):
        outcome, text = contract.Outcome.LEAKS, f"{text}; results show which pixels share a line"
    finding = unit_maps.make_map_finding(
        outcome,
        text,
        unit="pixel",
        rows_found=float((rows >= 0).mean()),
        columns_found=float((columns >= 0).mean()),
        rows_kept=_measure_kept_row_share(plain, target_result),
        columns_kept=_measure_kept_row_share(plain.swapaxes(0, 1), target_result.swapaxes(0, 1)),
        sources=sources,
        recovered_share=recovered_share,
    )
    return replace(finding, queries=1)


def _is_beyond_chance(rows: IntArray, columns: IntArray, plain: AnyArray, result: AnyArray) -> bool:
    """Return whether more rows or columns were identified than in a shuffled result."""
    # Constant rows, and rows of narrow pictures, are identified under any scheme.
    shuffled_result = UniformShuffle(_SHUFFLE_SEED).scramble(result)
    comparisons = (
        (rows, plain, shuffled_result),
        (columns, plain.swapaxes(0, 1), shuffled_result.swapaxes(0, 1)),
    )
    return any(
        contract.judge_share(
            float((matches >= 0).mean()),
            chance=float((_match_rows(plain_rows, result_rows) >= 0).mean()),
            trials=len(matches),
        )
        is not contract.Outcome.NOTHING
        for matches, plain_rows, result_rows in comparisons
    )


def _sort_row_pixels(image: AnyArray) -> AnyArray:
    """Return for each row its pixels in sorted order."""
    rows = image.reshape(*image.shape[:2], -1)
    # Moving pixels inside of a row changes only their order, so rows are compared after sorting.
    return np.stack([row[np.lexsort(row.T)].reshape(-1) for row in rows])


def _match_rows(plain: AnyArray, result: AnyArray) -> IntArray:
    """Return for each row of a result the row of the image with the same pixels, or -1."""
    initial_classes = np.zeros(len(plain), dtype=np.int64)
    return unit_maps.match_units(
        *unit_maps.refine_classes(
            (initial_classes, _sort_row_pixels(plain)), (initial_classes, _sort_row_pixels(result))
        )
    )


def _number_lines(rows: IntArray, columns: IntArray) -> IntArray:
    """Return a number for each pixel that encodes the matches of its row and of its column."""
    return np.add.outer((rows + 1) * (len(columns) + 1), columns + 1).reshape(-1)


def _measure_kept_row_share(plain: AnyArray, result: AnyArray) -> float:
    return float((_sort_row_pixels(plain) == _sort_row_pixels(result)).all(axis=1).mean())


@contract.attack(
    name="row-column",
    threat="chosen",
    title="Row and column structure",
    control=lambda: contract.Target(name="row-column", oracle=RowColumnShuffle().scramble),
    details={
        "rows_found": "the share of rows that contain the pixels of one plain row",
        "columns_found": "the share of columns that contain the pixels of one plain column",
        "rows_kept": "the share of rows whose pixels stayed in them",
        "columns_kept": "the share of columns whose pixels stayed in them",
    },
)
def _run_attack(target: contract.Target, picture: AnyArray) -> contract.Finding:
    """Identify rows and columns from one known image.

    Needs: one image and its result; looks for rows and columns that stay together

    The attacker has one image and its result, and searches for rows and columns that still contain
    the same pixels.
    """
    result = row_column_attack(target.oracle, picture.shape, dtype=picture.dtype)
    return result.apply_to(contract.query(target.oracle, picture))
