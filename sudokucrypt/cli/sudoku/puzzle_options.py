"""Options that describe the puzzles to make, and functions that make such puzzles."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import click

from sudokucrypt import sudoku
from sudokucrypt.cli.extensions import option, option_group
from sudokucrypt.cli.messages import show_progress_bar
from sudokucrypt.sudoku.making.constrained import CONSTRAINT_MAKERS, make_constrained_sheet
from sudokucrypt.sudoku.making.puzzles import get_comfortable_givens
from sudokucrypt.sudoku.making.recipe import REMOVAL_METHODS, RemovalMethod
from sudokucrypt.typing import RandomSource

_MAX_COMFORTABLE_CELLS = 81  # larger grids get as few givens as possible
_BATCH_SIZE = 128  # puzzles of ordinary Sudoku are made faster in batches if no level is requested


@dataclass(frozen=True, kw_only=True)
class PuzzleOptions:
    """The options that describe the puzzles to make."""

    givens: int | None
    level: str | None
    rating: tuple[float, float] | None
    technique: sudoku.Technique | None
    symmetric: bool | None
    pattern: sudoku.Pattern | None
    method: RemovalMethod
    minimal: bool
    without_rating: bool
    constraints: tuple[str, ...] | None

    def __post_init__(self) -> None:
        if self.symmetric and self.pattern:
            raise click.UsageError(
                "--symmetric means --pattern half-turn; give only one of the two"
            )
        if self.minimal and self.givens is not None:
            raise click.UsageError("--givens and --minimal cannot be combined; leave out one")
        if self.constraints and (self.level or self.rating or self.technique is not None):
            raise click.UsageError(
                "--level, --rating and --technique cannot be combined with --constraints; "
                "leave out one or the other"
            )

    @property
    def writes_ratings(self) -> bool:
        """Whether ratings of puzzles are written."""
        return not self.without_rating

    def make_puzzles(
        self,
        count: int,
        source: RandomSource,
        draw_rules: Callable[[RandomSource], sudoku.Variant | sudoku.SudokuPuzzle],
        *,
        is_for_book: bool = False,
    ) -> Iterator[sudoku.Made]:
        """Make `count` puzzles, with a progress bar; `draw_rules` draws the rules of each puzzle.

        Puzzles of a book or of a given level are symmetric by default, since people like that.
        """
        is_for_players = is_for_book or self.level is not None
        can_be_symmetric = self.givens is None and not (
            self.minimal or self.pattern or self.constraints
        )
        is_symmetric = (
            is_for_players and can_be_symmetric if self.symmetric is None else self.symmetric
        )
        made_count = 0
        with show_progress_bar("making puzzles") as advance:
            while made_count < count:
                sheet = self._add_constraints(draw_rules(source), source)
                is_ordinary = sheet == sudoku.Variant.standard() and self.level is None
                batch_size = min(_BATCH_SIZE if is_ordinary else 1, count - made_count)
                batch = self._make_batch(batch_size, source, sheet, is_symmetric=is_symmetric)
                yield from batch
                made_count += len(batch)
                advance(made_count, count)

    def _add_constraints(
        self, sheet: sudoku.Variant | sudoku.SudokuPuzzle, source: RandomSource
    ) -> sudoku.Variant | sudoku.SudokuPuzzle:
        """With --constraints, return a full grid with drawn constraints; otherwise `sheet`."""
        if self.constraints is None:
            return sheet
        if isinstance(sheet, sudoku.SudokuPuzzle) or sheet.digits**2 != len(sheet.cells):
            raise click.UsageError(
                "--constraints can only be drawn for new square grids; leave out --from and kinds "
                "of Sudoku that are not square"
            )
        return make_constrained_sheet(source, kinds=self.constraints, rules=sheet)

    def _make_batch(
        self,
        count: int,
        source: RandomSource,
        sheet: sudoku.Variant | sudoku.SudokuPuzzle,
        *,
        is_symmetric: bool,
    ) -> list[sudoku.Made]:
        level = None if self.level is None else sudoku.Level.from_text(self.level)
        givens: int | range | None = self.givens
        variant = sheet if isinstance(sheet, sudoku.Variant) else sheet.variant
        has_comfortable_givens = (
            level is not None and level < sudoku.Level.EXPERT and not self.minimal
        )
        # On larger grids, adding a given back takes a second or more.
        if (
            has_comfortable_givens
            and givens is None
            and len(variant.cells) <= _MAX_COMFORTABLE_CELLS
        ):
            givens = get_comfortable_givens(variant)
        return sudoku.make_puzzles(
            count,
            source,
            sheet=sheet,
            givens=givens,
            level=level,
            rating=self.rating,
            technique=self.technique,
            minimal="each" if self.minimal else True,
            pattern="half-turn" if is_symmetric else self.pattern,
            method=self.method,
        )


def _parse_constraint_kinds(value: str) -> tuple[str, ...]:
    """Convert text such as "killer,thermometer" to kinds of constraints."""
    kinds = tuple(dict.fromkeys(value.lower().split(",")))
    for kind in kinds:
        if kind not in CONSTRAINT_MAKERS:
            raise click.BadParameter(
                f"{kind!r} is no kind of constraint; choose from "
                f"{', '.join(CONSTRAINT_MAKERS)}, joined by commas"
            )
    return kinds


def _parse_rating(value: str) -> tuple[float, float]:
    """Convert text such as "6.5..7.2", or one rating, to the least and largest rating."""
    match = re.fullmatch(r"(\d{1,2}(?:\.\d)?)(?:\.\.(\d{1,2}(?:\.\d)?))?", value)
    if match is None:
        raise click.BadParameter(
            f"--rating takes a rating or a range, such as 6.5..7.2, not {value!r}"
        )
    return float(match[1]), float(match[2] or match[1])


class _TechniqueChoice(click.Choice[str]):
    """The type of an option for a technique, whose name has hyphens in place of spaces."""

    def __init__(self) -> None:
        super().__init__(
            [_join_with_dashes(technique.label) for technique in sudoku.Technique],
            case_sensitive=False,
        )

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert a name to a technique."""
        if isinstance(value, sudoku.Technique):
            return value
        return sudoku.Technique.from_text(super().convert(_join_with_dashes(value), param, ctx))


def _join_with_dashes(label: str) -> str:
    return label.replace(" ", "-").replace("_", "-")


rating_option = option(
    "--rating A..B", "Rated from A to B, on a scale from 1.0 to 11.", type=_parse_rating
)
technique_option = option(
    "--technique NAME", "Solved by hand with this technique among others.", type=_TechniqueChoice()
)


# A decorator that adds the options for puzzles to a command, as one parameter ``puzzle_settings``.
puzzle_options = option_group(
    "puzzle_settings",
    PuzzleOptions,
    option(
        "--givens N",
        "Number of givens; by default 30 to 36 of 81 with --level, and else as few as it takes.",
        type=click.IntRange(0),
    ),
    option(
        "--minimal",
        "No given is redundant, with --level, --symmetric and --pattern too: longer searches.",
    ),
    option(
        "--level",
        "Difficulty: beginner needs naked singles only, expert needs chains or trial and error.",
        type=click.Choice([level.label for level in sudoku.Level]),
    ),
    rating_option,
    technique_option,
    option(
        "--symmetric/--no-symmetric",
        "Place the givens symmetrically under a half turn; by default in books and with --level.",
        type=bool,
        default=None,
        show_default=False,
    ),
    option(
        "--pattern", "Place the givens with another symmetry.", type=click.Choice(sudoku.PATTERNS)
    ),
    option(
        "--method",
        "Remove givens from the solution, or first add givens where two solutions differ.",
        type=click.Choice(REMOVAL_METHODS),
        default="remove",
    ),
    option(
        "--constraints",
        "Draw constraints around the solution: killer, thermometer, arrow or kropki, or several "
        "with commas between. Fewer givens are needed, or none.",
        type=_parse_constraint_kinds,
        metavar="KINDS",
    ),
    option(
        "--no-rating", "Write the level alone: ratings can take seconds.", name="without_rating"
    ),
)
