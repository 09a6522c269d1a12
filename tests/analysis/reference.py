"""The rows of docs/reference/analysis.md that registers make; running this prints them."""

from pathlib import Path

from sudokucrypt.analysis import ATTACKS, DISTURBANCES, METRICS
from sudokucrypt.analysis.metrics.metric import metrics_for

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "analysis.md"
_WHERE = {"pair": "`compared`: ", "twins": "`twin`: "}


def metric_rows() -> list[str]:
    """One row for each metric of images: its figures, and what it is."""
    return [
        f"| {_list_names(metric.figures or (metric.name,))} | "
        f"{_WHERE.get(metric.needs, '')}{metric.meaning} |"
        for metric in METRICS.values()
        if metric.needs in {"image", "channel", "pair", "twins"}
    ]


def need_rows() -> list[str]:
    """One row for each attack: what the attacker has, and the options of its command."""
    rows = []
    for name, attack in ATTACKS.items():
        options = (f"`--{each.name.replace('_', '-')} {each.metavar}`" for each in attack.options)
        rows.append(f"| `{name}` | {attack.needs} | {', '.join(options)} |")
    return rows


def detail_rows() -> list[str]:
    """One row for each further figure of an attack."""
    return [
        f"| `{name}` | `{key}` | {meaning} |"
        for name, attack in ATTACKS.items()
        for key, meaning in attack.details.items()
    ]


def disturbance_rows() -> list[str]:
    """One row for each disturbance: what it does, what its strength is, and the usual ones."""
    return [
        f"| `{name}` | {each.meaning} | {each.unit} | "
        f"{', '.join(f'{strength:g}' for strength in each.usual)} |"
        for name, each in DISTURBANCES.items()
    ]


def listed_figures() -> list[str]:
    """The figures of keys and those of maps, as they stand in a row."""
    kinds = (metrics_for("scheme"), metrics_for("map", "maps"))
    return [
        ", ".join(
            f"{_list_names(metric.figures or (metric.name,))} ({metric.meaning})" for metric in kind
        )
        for kind in kinds
    ]


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    rows = [*metric_rows(), *need_rows(), *detail_rows(), *disturbance_rows(), *listed_figures()]
    print("\n".join(rows))
