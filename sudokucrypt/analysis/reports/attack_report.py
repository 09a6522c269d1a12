"""The report of `attack`: what was broken, what was not, and what the attacker sees."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from sudokucrypt.analysis.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.analysis.reports.image_report import described
from sudokucrypt.analysis.reports.plots import curve_plot
from sudokucrypt.analysis.reports.rasters import preview
from sudokucrypt.analysis.reports.words import number_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sudokucrypt.analysis.reports.attacking import AttackFigures, AttackRun

TITLES = {
    "cpa": "Chosen plaintext",
    "kpa": "Known plaintext",
    "row-column": "Row and column structure",
    "differential": "Differences",
    "jigsaw": "Jigsaw",
    "reuse": "Reuse of salt and key stream",
}
_METHODS = {
    "cpa": "The attacker has a few images of his choice scrambled, whose samples spell the number "
    "of each place. Where one map moves all images, the results spell the map.",
    "kpa": "The attacker has some images and their results, and has not chosen them. Places whose "
    "samples agree in all of them cannot be told apart; each further image splits them.",
    "row-column": "The attacker has one image and its result, and looks for rows and columns that "
    "still hold the same pixels.",
    "differential": "The attacker has the result for zeros taken off all others, so that a mask "
    "that is the same for all images falls away, and then goes on as with chosen plaintext.",
    "jigsaw": "The attacker has one result and nothing else, and puts blocks together whose edges "
    "fit.",
    "reuse": "The attacker has one image and its result, takes the key stream from them, and takes "
    "that off the result of another image.",
}
_SALTS = {"none": "without salt", "fresh": "fresh salt"}


def attack_report(found: AttackFigures) -> Report:
    """Put one attack into words, a table and pictures.

    Parameters
    ----------
    found : AttackFigures
        From `run_attack`.

    Returns
    -------
    Report
        Its data have the keys that docs/reference/analysis.md lists.

    Examples
    --------
    >>> from sudokucrypt.analysis.reports import baseline_subjects, run_attack, specimens
    >>> found = run_attack("row-column", specimens(64)[-1], [baseline_subjects()["row-column"]])
    >>> attack_report(found).lead.partition(". ")[0]
    'It breaks row-column (without salt)'
    """
    title = TITLES[found.attack]
    return Report(
        title=f"Attack: {title[:1].lower()}{title[1:]}",
        lead=attack_lead(found),
        facts=(
            ("picture", found.plain.name),
            ("shape", " x ".join(map(str, found.plain.pixels.shape))),
            ("samples", f"{found.plain.pixels.dtype}, {found.plain.levels} levels"),
        ),
        sections=(attack_section(found, title="Results"), *_picture_sections(found)),
        data={
            "report": "attack",
            "report_version": 1,
            "attack": found.attack,
            "picture": described(found.plain),
            **attack_data(found),
        },
        records=[_record(run) for run in found.runs],
    )


def attack_lead(found: AttackFigures) -> str:
    """Return the outcome in a sentence or two."""
    own = [run for run in found.runs if not run.control]
    broken = [_label(run) for run in own if run.broken]
    kept = [_label(run) for run in own if run.picture is not None and not run.broken]
    text = f"It breaks {', '.join(broken)}. " if broken else "It breaks none of these schemes. "
    if kept and broken:
        text += f"It does not break {', '.join(kept)}. "
    refused: dict[str, list[str]] = {}
    for run in own:
        if run.picture is None:
            refused.setdefault(run.verdict, []).append(_label(run))
    text += "".join(f"{', '.join(names)}: {verdict}. " for verdict, names in refused.items())
    if found.sound:
        return (
            f"{text}It does break its control, so that a failure means something: this attack "
            "does not work. Others may."
        )
    return f"{text}It did not break its control either, so that its failures mean nothing."


def _label(run: AttackRun) -> str:
    return f"{run.scheme} ({_SALTS[run.salt]})"


def attack_section(found: AttackFigures, *, title: str) -> Section:
    """Return the table of an attack, and for known plaintext its curve."""
    rows = tuple(
        (
            Cell(text=run.scheme + (", the control" if run.control else "")),
            Cell(text=_SALTS[run.salt]),
            Cell(text=str(run.queries), number=True),
            number_cell(run.recovered),
            Cell(text="broken" if run.broken else "not broken", verdict=not run.broken)
            if run.picture is not None
            else Cell(text="not tried"),
        )
        for run in found.runs
    )
    columns = ("scheme", "salt", "images", "recovered", "outcome")
    return Section(
        title=title,
        paragraphs=(_METHODS[found.attack],),
        figures=tuple(_curves(found)),
        tables=(Table(title=TITLES[found.attack], columns=columns, rows=rows),),
        notes=(
            *(f"{_label(run)}: {run.verdict}." for run in found.runs if not run.control),
            "recovered: the share of pixels, samples or, for the jigsaw, joints that come back "
            "right. From a half on, pictures are plain to see.",
        ),
    )


def _curves(found: AttackFigures) -> Iterator[Figure]:
    """Yield the recovered share over the number of known images, beside theory."""
    tried = [run for run in found.runs if "recovered_after" in run.details]
    if not tried:
        return
    theory = "theory, one map"
    curves = {_label(run): run.details["recovered_after"] for run in tried}
    curves[theory] = tried[0].details["expected_after"]
    count = len(curves[theory])
    yield Figure(
        title="Recovered share after each known image",
        draw=partial(
            curve_plot,
            range(1, count + 1),
            curves,
            across="known images",
            up="recovered share",
            expected=theory,
        ),
        alternative="recovered share over the number of known images",
        wide=True,
    )


def _picture_sections(found: AttackFigures) -> Iterator[Section]:
    """Yield for each scheme what went in, what the attacker has, and what he makes of it."""
    for run in found.runs:
        if run.seen is None or run.picture is None:
            continue
        drawn = [("plain", found.plain.pixels), ("as the attacker has it", run.seen)]
        for count, stage in enumerate(run.stages, 1):
            images = "1 known image" if count == 1 else f"{count} known images"
            drawn.append((f"what the attacker makes of it after {images}", stage))
        if not run.stages:
            drawn.append(("what the attacker makes of it", run.picture))
        yield Section(
            title=_label(run) + (", the control" if run.control else ""),
            figures=tuple(
                Figure(
                    title=name,
                    draw=partial(preview, pixels, levels=found.plain.levels),
                    alternative=f"{found.plain.name} {name}, {_label(run)}",
                )
                for name, pixels in drawn
            ),
            abreast=4 if run.stages else 3,
        )


def attack_data(found: AttackFigures) -> dict[str, Any]:
    """Return outcomes as JSON holds them."""
    return {
        "control_broken": found.sound,
        "results": [{**_record(run), "details": dict(run.details)} for run in found.runs],
    }


def _record(run: AttackRun) -> dict[str, Any]:
    return {
        "scheme": run.scheme,
        "salt": run.salt,
        "control": run.control,
        "images": run.queries,
        "recovered": run.recovered,
        "broken": run.broken,
        "tried": run.picture is not None,
        "verdict": run.verdict,
    }
