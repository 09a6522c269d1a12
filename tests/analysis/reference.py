"""Make the rows of docs/reference/analysis.md from the registers; running this prints them."""

from pathlib import Path

from sudokucrypt.analysis import ATTACKS, DISTURBANCES, METRICS
from sudokucrypt.analysis.metrics.metric import list_metrics

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "analysis.md"
_WHERE = {"pair": "`compared`: ", "twins": "`twin`: "}


def make_metric_rows() -> list[str]:
    """Return a row for each metric of images: the names of its values, and its meaning."""
    return [
        f"| {_list_names(metric.figures or (metric.name,))} | "
        f"{_WHERE.get(metric.needs, '')}{metric.meaning} |"
        for metric in METRICS.values()
        if metric.needs in {"image", "channel", "pair", "twins"}
    ]


def make_need_rows() -> list[str]:
    """Return a row for each attack: what it needs, and the options of its command."""
    rows = []
    for name, attack in ATTACKS.items():
        options = (f"`--{each.name.replace('_', '-')} {each.metavar}`" for each in attack.options)
        rows.append(f"| `{name}` | {attack.needs} | {', '.join(options)} |")
    return rows


def make_detail_rows() -> list[str]:
    """Return a row for each detail of an attack."""
    return [
        f"| `{name}` | `{key}` | {meaning} |"
        for name, attack in ATTACKS.items()
        for key, meaning in attack.details.items()
    ]


def make_disturbance_rows() -> list[str]:
    """Return a row for each disturbance: its meaning, its unit, and its usual strengths."""
    return [
        f"| `{name}` | {each.meaning} | {each.unit} | "
        f"{', '.join(f'{strength:g}' for strength in each.usual)} |"
        for name, each in DISTURBANCES.items()
    ]


def list_key_and_map_metrics() -> list[str]:
    """Return the metrics of keys and the metrics of maps, each as one text."""
    kinds = (list_metrics("scheme"), list_metrics("map", "maps"))
    return [
        ", ".join(
            f"{_list_names(metric.figures or (metric.name,))} ({metric.meaning})" for metric in kind
        )
        for kind in kinds
    ]


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


if __name__ == "__main__":
    rows = [
        *make_metric_rows(),
        *make_need_rows(),
        *make_detail_rows(),
        *make_disturbance_rows(),
        *list_key_and_map_metrics(),
    ]
    print("\n".join(rows))
