"""What a metric is: its name, what it needs, what it expects, and where it is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from math import nan
from typing import Any, Literal, TypeAlias, TypeVar

from sudokucrypt.analysis.results import Measurement
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry

# What `Metric.measure` takes, and the options among which it may name some:
#
# - "image": an image, and "channel": one channel of it; ``levels`` and ``level``; - "pair": a plain
# image and a result, and "twins": two results for one key whose plain images differ in one sample;
# ``levels`` and ``level``; - "map": where each unit lands, and "maps": that of many keys; ``shape``
# and ``level``; - "scheme": a function of image and key, an image and a key; ``decrypt`` and
# ``level``.
Needs: TypeAlias = Literal["image", "channel", "pair", "twins", "map", "maps", "scheme"]

# What a metric returns: a figure, as a test or as a plain number, or several.
MetricValue: TypeAlias = Measurement | float | Sequence[Measurement]

# The subjects of figures, in the order of reports; those of other packages come last.
GROUPS = (
    "neighbors", "entropy", "histogram", "texture", "differential", "similarity", "map", "key",
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """A metric as commands and reports take it.

    `name` is used everywhere, such as "npcr", and `title` what it is called in words where this is
    not its name. `group` is its subject, one of `GROUPS` or a new one, and `meaning` a phrase.

    `measure` takes what `needs` says, see `Needs`. It returns a `Measurement`, a plain number, or
    several measurements whose names begin with that of the metric, and may raise
    `InvalidImageError` for images that are too small. `figures` are the names of what it returns,
    by default that of the metric alone.

    `column` is the head of its column where schemes are compared; an empty one keeps it out of the
    table and in the data, None out of comparisons. `unit` is that of the figure; shares have none,
    or "%" where reports print them in percent. `aim` says where good figures lie; without one a
    verdict on the figure does not count.
    """

    name: str
    group: str
    needs: Needs
    measure: Callable[..., MetricValue]
    meaning: str
    figures: tuple[str, ...] = ()
    title: str = ""
    column: str | None = None
    unit: str = ""
    aim: Literal["expected", "low", "high"] | None = "expected"

    @property
    def head(self) -> str:
        """The head of its column, with the unit; none without a column."""
        return f"{self.column}, {self.unit}" if self.column and self.unit else self.column or ""

    def take(self, *arguments: Any, ending: str = "", **options: Any) -> tuple[Measurement, ...]:
        """Measure, and name the figures; what an image is too small for is NaN and says why.

        Options that `measure` does not name are left out; `ending` is joined to the names, such as
        "_0" for the first channel.
        """
        # Metrics take the options they name, so that a caller need not know which those are.
        named = signature(self.measure).parameters
        accepted = {name: value for name, value in options.items() if name in named}
        try:
            value = self.measure(*arguments, **accepted)
        except InvalidImageError as error:
            note = f"not measured, {error}"
            return tuple(
                Measurement(name=name + ending, value=nan, note=note)
                for name in self.figures or (self.name,)
            )
        if isinstance(value, Measurement):
            return (replace(value, name=self.name + ending),)
        if isinstance(value, Sequence):
            return tuple(replace(each, name=each.name + ending) for each in value)
        return (Measurement(name=self.name + ending, value=float(value)),)


METRICS = Registry(
    Metric,
    called="a metric",
    group="sudokucrypt.metrics",
    package="sudokucrypt.analysis.metrics",
    order=lambda metric: (*GROUPS, metric.group).index(metric.group),
)
"""Every metric, by name, group by group."""


F = TypeVar("F", bound=Callable[..., MetricValue])


def metric(group: str, needs: Needs, meaning: str, **fields: Any) -> Callable[[F], F]:
    """Return a decorator that registers a function as a `Metric`, by default under its own name.

    Parameters
    ----------
    group : str
        The subject, one of `GROUPS` or a new one.
    needs : {"image", "channel", "pair", "twins", "map", "maps", "scheme"}
        What the function takes; see `Needs`.
    meaning : str
        What the metric says, as a phrase.
    **fields : Any
        Other fields of `Metric`; its `name` is by default that of the function.
    """

    def decorate(measure: F) -> F:
        more = {"name": getattr(measure, "__name__", ""), **fields}
        METRICS.register(Metric(group=group, needs=needs, meaning=meaning, measure=measure, **more))
        return measure

    return decorate


def metrics_for(*needs: Needs, compared: bool = False) -> list[Metric]:
    """Return the metrics that take one of these, or those of them that comparisons show."""
    return [
        metric
        for metric in METRICS.values()
        if metric.needs in needs and (metric.column is not None or not compared)
    ]


def metric_of(figure: str) -> Metric | None:
    """Return the metric that a figure is of, whatever is joined to its name.

    >>> metric_of("correlation_diagonal_0").name, metric_of("npcr_same_salt").name
    ('correlation_diagonal', 'npcr')
    """
    name = figure
    # Endings such as _0 or _same_salt are cut off until a registered name is left.
    while name and name not in METRICS:
        name = name.rpartition("_")[0]
    return METRICS.get(name)


def group_of(figure: str) -> str:
    """Return the subject of a figure."""
    metric = metric_of(figure)
    return "other" if metric is None else metric.group


def has_aim(figure: str) -> bool:
    """Return whether a verdict on a figure counts."""
    metric = metric_of(figure)
    return metric is not None and metric.aim is not None
