"""Define what a metric is: its name, inputs, values and place in reports, and their registry."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import signature
from math import nan
from typing import Any, Literal, TypeAlias, TypeVar

from sudokucrypt.analysis.results import Measurement
from sudokucrypt.errors import InvalidImageError
from sudokucrypt.registry import Registry

# The inputs of `Metric.measure`, and the options that it may have:
#
# - "image": an image; "channel": one channel of an image; options ``levels`` and ``level``;
# - "pair": a plain image and a result; "twins": two results under one key for plain images that
#   differ in one sample; options ``levels`` and ``level``;
# - "map": the target of each unit; "maps": the targets under many keys; options ``shape`` and
#   ``level``;
# - "scheme": a function of image and key, an image and a key; options ``decrypt`` and ``level``.
MetricInputs: TypeAlias = Literal["image", "channel", "pair", "twins", "map", "maps", "scheme"]

# The result of a metric: a measurement, a plain number, or several measurements.
MetricValue: TypeAlias = Measurement | float | Sequence[Measurement]

# The subjects of metrics, in the order of reports; subjects from other packages come last.
METRIC_GROUPS = (
    "neighbors", "entropy", "histogram", "texture", "differential", "similarity", "map", "key",
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Metric:
    """A metric, with its description for commands and reports.

    `name` identifies the metric, such as "npcr", and `title` is its name in texts, by default from
    `name`. `group` is its subject, one of `METRIC_GROUPS` or a new one, and `meaning` a phrase that
    describes it.

    `measure` takes the inputs that `needs` names, see `MetricInputs`. It returns a `Measurement`, a
    plain number, or several measurements whose names begin with the name of the metric, and may
    raise `InvalidImageError` for images that are too small. `figures` are the names of its
    measurements, by default only the name of the metric.

    `column` is the head of its column in comparisons; if it is empty, the metric is only in the
    data, and with None it is not compared. `unit` is the unit of the value; shares have none, or
    "%" if reports print them in percent. `aim` says whether good values are "low", "high" or near
    the "expected" one; None excludes the metric from verdicts.
    """

    name: str
    group: str
    needs: MetricInputs
    measure: Callable[..., MetricValue]
    meaning: str
    figures: tuple[str, ...] = ()
    title: str = ""
    column: str | None = None
    unit: str = ""
    aim: Literal["expected", "low", "high"] | None = "expected"

    @property
    def head(self) -> str:
        """The heading of the metric's column in tables, with the unit; empty without a column."""
        return f"{self.column}, {self.unit}" if self.column and self.unit else self.column or ""

    def measure_named(
        self, *arguments: Any, ending: str = "", **options: Any
    ) -> tuple[Measurement, ...]:
        """Return named measurements; if the image is too small, values are NaN with a note.

        Options that `measure` does not have are ignored; `ending` is appended to the names, such as
        "_0" for the first channel.
        """
        # Metrics have different options, so a caller passes all of them.
        parameters = signature(self.measure).parameters
        accepted_options = {name: value for name, value in options.items() if name in parameters}
        try:
            value = self.measure(*arguments, **accepted_options)
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
    item_noun="a metric",
    group="sudokucrypt.metrics",
    package="sudokucrypt.analysis.metrics",
    order=lambda metric: (*METRIC_GROUPS, metric.group).index(metric.group),
)
"""Every metric, by name, group by group."""


MeasureFunction = TypeVar("MeasureFunction", bound=Callable[..., MetricValue])


def metric(
    group: str, needs: MetricInputs, meaning: str, **fields: Any
) -> Callable[[MeasureFunction], MeasureFunction]:
    """Return a decorator that registers a function as a `Metric`, by default under its own name.

    Parameters
    ----------
    group : str
        The subject, one of `METRIC_GROUPS` or a new one.
    needs : {"image", "channel", "pair", "twins", "map", "maps", "scheme"}
        The inputs of the function; see `MetricInputs`.
    meaning : str
        A phrase that describes the metric.
    **fields : Any
        Other fields of `Metric`; by default its `name` is the name of the function.
    """

    def decorate(measure: MeasureFunction) -> MeasureFunction:
        all_fields = {"name": getattr(measure, "__name__", ""), **fields}
        METRICS.register(
            Metric(group=group, needs=needs, meaning=meaning, measure=measure, **all_fields)
        )
        return measure

    return decorate


def list_metrics(*needs: MetricInputs, only_compared: bool = False) -> list[Metric]:
    """Return the metrics with one of these inputs; `only_compared`: only those in comparisons."""
    return [
        metric
        for metric in METRICS.values()
        if metric.needs in needs and (metric.column is not None or not only_compared)
    ]


def find_metric(measurement_name: str) -> Metric | None:
    """Return the metric of a measurement, whose name may have endings, or None if it is unknown.

    >>> find_metric("correlation_diagonal_0").name, find_metric("npcr_same_salt").name
    ('correlation_diagonal', 'npcr')
    """
    name = measurement_name
    # Endings such as _0 or _same_salt are removed until a registered name remains.
    while name and name not in METRICS:
        name = name.rpartition("_")[0]
    return METRICS.get(name)


def find_group(measurement_name: str) -> str:
    """Return the subject of a measurement, or "other" if its metric is unknown."""
    metric = find_metric(measurement_name)
    return "other" if metric is None else metric.group


def has_aim(measurement_name: str) -> bool:
    """Return whether a measurement has a verdict that counts."""
    metric = find_metric(measurement_name)
    return metric is not None and metric.aim is not None
