"""The report of `analyze`: one image, alone or with the plain image it was made from."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, get_args

from sudokucrypt.analysis.image_figures import ImageFigures
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.correlation import Direction
from sudokucrypt.analysis.metrics.metric import group_of, has_aim
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.reports import words
from sudokucrypt.reports.document import Figure, Report, Section
from sudokucrypt.reports.drawings import histogram_plot, picture_figure, scatter_plot, textures
from sudokucrypt.reports.sequences import sequences_data, sequences_section


def image_report(figures: ImageFigures) -> Report:
    """Put the figures of an image into words, tables and drawings.

    The figures are from `measure_image`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : ImageFigures
        The measurements, from `measure_image`.
    """
    images = [image for image in (figures.against, figures.image) if image is not None]
    others = (("plain image", figures.against), ("twin", figures.twin))
    sections = [_pictures(figures, images)]
    for name, chosen in _group_by_subject(figures.own).items():
        plain_title = name[:1].upper() + name[1:].replace("_", " ")
        title, drawings, abreast = _GROUPS.get(name, (plain_title, lambda _: (), 2))
        before = _group_by_subject(figures.plain).get(name, ())
        sections.append(
            Section(
                title=title,
                figures=tuple(figure for image in images for figure in drawings(image)),
                abreast=abreast,
                tables=(words.measurement_table(title, chosen, before=before),),
                notes=words.notes_of(chosen),
            )
        )
    if figures.twin is not None:
        sections.append(
            Section(
                title="One changed pixel",
                paragraphs=(
                    "Both images are results for plain images that differ in one pixel, under one "
                    "key. If a fresh salt was drawn for each, any scheme passes, and the figures "
                    "show nothing about the scheme.",
                ),
                tables=(words.measurement_table("Image and twin", figures.differential),),
                notes=words.notes_of(figures.differential),
            )
        )
    if figures.sequences:
        sections.append(sequences_section(figures.sequences))
    elif figures.randomness:
        sections.append(words.randomness_section(figures.randomness))
    return Report(
        title=f"Analysis of {figures.image.name}",
        lead=_lead(figures),
        facts=(
            *words.image_facts("image", figures.image),
            ("level of significance", f"{figures.level:g}"),
            *((role, image.name) for role, image in others if image is not None),
            *([("constants of NIST's tests", figures.reference)] if figures.randomness else []),
        ),
        sections=tuple(sections),
        data=_data(figures),
        records=_records(figures),
    )


def _group_by_subject(measurements: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """Return figures by the subject that their metrics belong to."""
    groups: dict[str, list[Measurement]] = {}
    for each in measurements:
        groups.setdefault(group_of(each.name), []).append(each)
    return groups


def _lead(figures: ImageFigures) -> str:
    """Return what the tests amount to, in words."""
    verdicts = [each.passed for each in figures.own if has_aim(each.name)]
    tests = [passed for passed in verdicts if passed is not None]
    text = (
        f"{sum(tests)} of {len(tests)} tests accept this image as random, at level "
        f"{figures.level:g}; about {figures.level * len(tests):.1f} of them would reject a truly "
        "random image. "
    )
    if any(each.name == "equal_samples" and each.value == 1 for each in figures.compared):
        text += "It is equal to the plain image. "
    elif figures.values_kept:
        text += (
            "It has the histogram of the plain image: samples were moved, not changed, so no test "
            "of the histogram can pass unless the plain image passes it. "
        )
    return text + "Passing them all does not show that an image is secret."


def _pictures(figures: ImageFigures, images: Sequence[NamedImage]) -> Section:
    """Return the images side by side, and how far they differ."""
    notes = [*words.notes_of(figures.compared)]
    if figures.compared:
        notes.append(
            "MSE, PSNR and SSIM measure the distance from the plain image; only for a restored "
            "image do they measure quality. An exactly restored image has an infinite PSNR."
        )
    tables = (words.measurement_table("Plain image and image", figures.compared),)
    drawings = tuple(
        picture_figure(each.name, each, alternative=f"the image {each.name}") for each in images
    )
    return Section(
        title="Pictures",
        figures=drawings,
        abreast=3,
        tables=tables if figures.compared else (),
        notes=tuple(notes),
    )


def _scatter_plots(image: NamedImage) -> Iterator[Figure]:
    if min(image.pixels.shape[:2]) > 1:
        # Three plots fill a row.
        for direction in get_args(Direction)[:3]:  # the fourth looks like the third
            yield Figure(
                title=f"{image.name}: pixels and their {direction} neighbors",
                draw=partial(scatter_plot, image.pixels, direction, levels=image.levels),
                alternative=f"scatter plot of {direction} neighbors in {image.name}",
            )


def _histograms(image: NamedImage) -> Iterator[Figure]:
    yield Figure(
        title=f"{image.name}: histogram of each channel",
        draw=partial(histogram_plot, image.pixels, levels=image.levels),
        alternative=f"histogram of {image.name}",
    )


def _textures(image: NamedImage) -> Iterator[Figure]:
    spectrum, autocorrelation = textures(image.pixels)
    yield Figure(
        title=f"{image.name}: spectrum, with frequency 0 in the center. Lines and dots show "
        "periods; noise has none",
        draw=spectrum,
        alternative=f"magnitude of the Fourier transform of {image.name}",
    )
    yield Figure(
        title=f"{image.name}: autocorrelation, for shifts of up to 24 rows and columns. Noise is "
        "pale except in the center",
        draw=autocorrelation,
        alternative=f"autocorrelation map of {image.name}",
        pixelated=True,
    )


# The title of a subject that is not its name, its drawings, and how many are side by side.
_GROUPS: dict[str, tuple[str, Callable[[NamedImage], Iterable[Figure]], int]] = {
    "neighbors": ("Neighboring pixels", _scatter_plots, 3),
    "histogram": ("Histogram and bit planes", _histograms, 2),
    "texture": ("Texture", _textures, 4),
}


def _data(figures: ImageFigures) -> dict[str, Any]:
    """Return the figures under stable keys."""
    data: dict[str, Any] = {
        "report": "image",
        "report_version": 1,
        "level": figures.level,
        "image": words.image_data(figures.image),
        "measurements": words.by_name(figures.own),
        "against": None,
        "twin": None,
        "randomness": words.randomness_data(figures.randomness) if figures.randomness else None,
        "sequences": sequences_data(figures.sequences) if figures.sequences else None,
    }
    if figures.against is not None:
        data["against"] = {
            "image": words.image_data(figures.against),
            "values_kept": figures.values_kept,
            "compared": words.by_name(figures.compared),
            "measurements": words.by_name(figures.plain),
        }
    if figures.twin is not None:
        data["twin"] = {
            "image": words.image_data(figures.twin),
            "measurements": words.by_name(figures.differential),
        }
    return data


def _records(figures: ImageFigures) -> list[dict[str, Any]]:
    """Return one row for each measurement, with what it belongs to."""
    groups = {
        "image": figures.own,
        "pair": figures.compared,
        "plain": figures.plain,
        "twin": figures.differential,
    }
    return [
        {"of": name, **words.flat_row(each)} for name, group in groups.items() for each in group
    ]
