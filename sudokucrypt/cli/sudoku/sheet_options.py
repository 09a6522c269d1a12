"""Options of the Sudoku commands for the rules of a grid, the seed, and the number of results."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import update_wrapper
from math import prod
from pathlib import Path
from typing import Any

import click

from sudokucrypt.cli.extensions import CommandFunction, option
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.cli.plugins import load_object
from sudokucrypt.cli.sudoku.forms import read_stored_text
from sudokucrypt.errors import InvalidGridError, InvalidParameterError
from sudokucrypt.sudoku import VARIANTS, Variant
from sudokucrypt.sudoku.model.boxes import default_box, find_square_order
from sudokucrypt.sudoku.model.jigsaw_maps import RegionMap, read_map, read_outlined_map
from sudokucrypt.sudoku.solving.solver import MAX_DIGITS
from sudokucrypt.sudoku.variants import BUILT_IN_KINDS, VariantKind, as_kind, combine_kinds
from sudokucrypt.typing import Box, RandomSource

MAX_ROWS = 1024  # rows of the largest grid that commands accept; its text takes some megabytes

_MAX_MAP_BYTES = 2**20
_SEED_BITS = 40  # short enough to copy by hand, long enough that no two runs have the same seed
# The key in `Context.meta` of the kinds that flags choose.
_KINDS_KEY = "sudokucrypt.sudoku.kinds"


def _parse_box(value: str) -> Box:
    """Convert text such as "3x3" to the numbers of rows and columns of a box."""
    match = re.fullmatch(r"([1-9][0-9]{0,3})[xX]([1-9][0-9]{0,3})", value)
    if match is None:
        raise click.BadParameter(f"a box is rows x columns, such as 3x3, not {value!r}")
    rows, columns = int(match[1]), int(match[2])
    if rows * columns > MAX_ROWS:
        raise click.BadParameter(f"a grid of {value} boxes has more than {MAX_ROWS} rows")
    return rows, columns


box_option = option("--box PxQ", "Rows and columns of a box.", type=_parse_box)


@dataclass(frozen=True, kw_only=True)
class VariantOptions:
    """The options for the rules of a grid: its kind, and a box, a map of regions, or sides."""

    box: Box | None = None
    kind: VariantKind = VARIANTS["standard"]
    sides: tuple[int, ...] | None = None
    regions: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.box and (self.sides or self.regions):
            flag = self.kind.flag if self.sides else "regions"
            raise click.UsageError(f"--{flag} already sets the shape of the grid; leave out --box")

    @property
    def shape(self) -> tuple[int, ...] | tuple[str, ...]:
        """The argument from which the kind builds its variant."""
        return self.sides or self.regions or self.box or (3, 3)

    @property
    def title(self) -> str:
        """The plural name of such grids in messages."""
        has_boxes = not (self.sides or self.kind.draw)
        return self.kind.title + (
            f" with {self.shape[0]}x{self.shape[1]} boxes" if has_boxes else ""
        )

    def make_variant(self, cells: int | None = None) -> Variant:
        """Return the variant; without --box, its box suits the number of cells, or is 3x3."""
        if cells is not None and self.kind.square and self.box is None:
            return self.kind.build(default_box(find_square_order(cells)))
        return self.kind.build(self.shape)

    def add_regions_from(self, text: str) -> "VariantOptions":
        """Return these rules, or the rules of a jigsaw if borders in the text show regions."""
        has_fixed_regions = self.box or self.regions or self.kind.name not in ("standard", "jigsaw")
        labels = None if has_fixed_regions else read_outlined_map(text)
        if labels is None:
            return self
        return VariantOptions(kind=VARIANTS["jigsaw"], regions=require_jigsaw_map(labels))

    def make_variant_source(self) -> Callable[[RandomSource], Variant]:
        """Return a function that returns the variant of each new grid, possibly at random."""
        return self.kind.rules(self.shape)

    def list_rule_fields(self) -> dict[str, Any]:
        """Return the JSON fields about the rules, except box and digits."""
        fields = {self.kind.name: self.sides, "regions": self.regions}
        return {name: value for name, value in fields.items() if value}


class VariantCommand(click.Command):
    """A command with a flag for each registered kind of Sudoku."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._add_flags(BUILT_IN_KINDS)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; kinds of other packages are only loaded for an unknown flag."""
        known_names = {name for parameter in self.params for name in parameter.opts}
        flags = {word.partition("=")[0] for word in args if word.startswith("--")}
        if ctx.resilient_parsing or not flags <= known_names:
            self._add_flags(VARIANTS.values())
        return super().parse_args(ctx, args)

    def _add_flags(self, kinds: Iterable[VariantKind]) -> None:
        """Add flags for kinds that have none yet, before --regions."""
        known_names = {name for parameter in self.params for name in parameter.opts}
        index = next(
            (
                position
                for position, parameter in enumerate(self.params)
                if parameter.name == "regions"
            ),
            0,
        )
        new_kinds = [kind for kind in kinds if kind.flags and not known_names & {*kind.flags}]
        self.params[index:index] = [_make_flag(kind) for kind in new_kinds]


def _make_flag(kind: VariantKind) -> click.Option:
    """Make the flag of a kind."""

    def store_kind(ctx: click.Context, _: click.Parameter, value: Any) -> None:
        if value:
            side_lengths = value if kind.takes else None
            ctx.meta.setdefault(_KINDS_KEY, {})[kind.flag or kind.name] = (kind, side_lengths)

    settings: dict[str, Any] = {"is_flag": True}
    if kind.takes:
        settings = {"type": lambda value: _parse_sides(kind, value), "metavar": kind.takes}
    return click.Option(
        kind.flags, expose_value=False, callback=store_kind, help=kind.help, **settings
    )


def _parse_sides(kind: VariantKind, value: str) -> tuple[int, ...]:
    """Convert the value of a flag, such as "2,3,4,5", to sides; one number is used for all."""
    side_names = kind.takes or ""
    count = len(side_names.split(","))
    side_lengths: tuple[int, ...] = ()
    if re.fullmatch(r"[1-9][0-9]{0,3}(,[1-9][0-9]{0,3})*", value) is not None:
        side_lengths = tuple(map(int, value.split(",")))
        side_lengths = side_lengths * count if len(side_lengths) == 1 else side_lengths
    if len(side_lengths) != count:
        raise click.BadParameter(f"{kind.title} take {side_names}, not {value!r}")
    if prod(side_lengths) > MAX_ROWS**2:
        raise click.BadParameter(f"{kind.title} have up to {MAX_ROWS**2} cells")
    return side_lengths


def add_variant_options(command: CommandFunction) -> CommandFunction:
    """Add the options for the rules to a `VariantCommand`, as one parameter ``rules``."""

    def run_with_rules(
        box: Box | None, spec: str | None, regions: Path | None, **arguments: Any
    ) -> None:
        rules = _choose_rules(box, spec, regions)
        command(rules=rules, **arguments)

    update_wrapper(run_with_rules, command)
    variant_option = option(
        "--variant MODULE:NAME",
        "Your own kind of Sudoku: Python code, in a module or as FILE.py:NAME.",
        name="spec",
    )
    regions_option = option(
        "--regions FILE",
        "A jigsaw with the regions of a map: a line for each row, a letter for each cell.",
        type=PATH_TYPE,
    )
    return box_option(regions_option(variant_option(run_with_rules)))


def _choose_rules(box: Box | None, spec: str | None, regions: Path | None) -> VariantOptions:
    """Return the rules that flags, --variant and --regions choose, combined if possible."""
    chosen_kinds: dict[str, tuple[VariantKind, Any]] = click.get_current_context().meta.get(
        _KINDS_KEY, {}
    )
    if spec is not None:
        kind = as_kind(load_object(spec), spec.rpartition(":")[2])
        if kind.takes:
            raise click.UsageError(
                f"{kind.title} take {kind.takes}; register the kind to get a flag for them"
            )
        chosen_kinds = {**chosen_kinds, "variant": (kind, None)}
    labels = None
    if regions is not None:
        # A given map replaces --jigsaw, which would draw a random map.
        other_kinds = {flag: kind for flag, kind in chosen_kinds.items() if flag != "jigsaw"}
        chosen_kinds = {"regions": (VARIANTS["jigsaw"], None), **other_kinds}
        labels = require_jigsaw_map(read_stored_text(regions, _MAX_MAP_BYTES))
    if len(chosen_kinds) > 1:
        try:
            combined_kind = combine_kinds([kind for kind, _ in chosen_kinds.values()])
        except InvalidParameterError as error:
            flags_text = " or ".join(f"--{flag}" for flag in chosen_kinds)
            raise click.UsageError(f"{error}; leave out {flags_text}") from None
        chosen_kinds = {combined_kind.name: (combined_kind, None)}
    kind, side_lengths = next(iter(chosen_kinds.values()), (VARIANTS["standard"], None))
    return VariantOptions(box=box, kind=kind, sides=side_lengths, regions=labels)


def require_jigsaw_map(regions: RegionMap) -> tuple[str, ...]:
    """Return the rows of a map of regions; raise an error if it cannot be a jigsaw."""
    labels = read_map(regions)
    if len(labels) > MAX_DIGITS:
        raise InvalidGridError(f"a map of regions has up to {MAX_DIGITS} rows, not {len(labels)}")
    return Variant.jigsaw(labels).regions


seed_option = option(
    "--seed S",
    "The same seed and options give the same results. Without --seed, a new seed is printed.",
    type=click.IntRange(0),
)
count_option = option("--count N", "How many to make.", type=click.IntRange(1), default=1)


def choose_seed(seed: int | None) -> int:
    """Return the given seed, or draw a new one and print it."""
    if seed is None:
        import secrets

        seed = secrets.randbits(_SEED_BITS)
        say("note", f"seed {seed}; '--seed {seed}' makes the same again")
    return seed


def make_random_source(seed: int | None) -> tuple[int, RandomSource]:
    """Return the given or a new seed, and the random source that it starts."""
    from sudokucrypt.sudoku import seeded_draws

    seed = choose_seed(seed)
    return seed, seeded_draws(seed)
