"""The report of `analyze`: measurements of an image, perhaps with its plain image."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, get_args

from sudokucrypt.analysis.image_figures import ImageFigures
from sudokucrypt.analysis.images import NamedImage
from sudokucrypt.analysis.metrics.correlation import Direction
from sudokucrypt.analysis.metrics.metric import find_group, has_aim
from sudokucrypt.analysis.results import Measurement
from sudokucrypt.reports import words
from sudokucrypt.reports.document import Figure, Report, Section
from sudokucrypt.reports.drawings import (
    draw_histogram,
    draw_scatter_plot,
    make_picture_figure,
    make_texture_drawings,
)
from sudokucrypt.reports.sequences import make_sequences_data, make_sequences_section


def image_report(figures: ImageFigures) -> Report:
    """Make the report on the measurements of an image, as text, tables and drawings.

    The figures are from `measure_image`; docs/reference/analysis.md lists the keys of the data.

    Parameters
    ----------
    figures : ImageFigures
        The measurements, from `measure_image`.
    """
    images = [image for image in (figures.against, figures.image) if image is not None]
    labeled_images = (("plain image", figures.against), ("twin", figures.twin))
    sections = [_make_picture_section(figures, images)]
    for name, group in _group_by_subject(figures.own).items():
        default_title = name[:1].upper() + name[1:].replace("_", " ")
        title, draw_figures, figures_per_row = _SUBJECT_SECTIONS.get(
            name, (default_title, lambda _: (), 2)
        )
        plain_measurements = _group_by_subject(figures.plain).get(name, ())
        sections.append(
            Section(
                title=title,
                figures=tuple(figure for image in images for figure in draw_figures(image)),
                abreast=figures_per_row,
                tables=(
                    words.make_measurement_table(
                        title, group, plain_measurements=plain_measurements
                    ),
                ),
                notes=words.collect_notes(group),
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
                tables=(words.make_measurement_table("Image and twin", figures.differential),),
                notes=words.collect_notes(figures.differential),
            )
        )
    if figures.sequences:
        sections.append(make_sequences_section(figures.sequences))
    elif figures.randomness:
        sections.append(words.make_randomness_section(figures.randomness))
    return Report(
        title=f"Analysis of {figures.image.name}",
        lead=_make_lead(figures),
        facts=(
            *words.list_image_facts("image", figures.image),
            ("level of significance", f"{figures.level:g}"),
            *((role, image.name) for role, image in labeled_images if image is not None),
            *([("constants of NIST's tests", figures.reference)] if figures.randomness else []),
        ),
        sections=tuple(sections),
        data=_collect_data(figures),
        records=_list_records(figures),
    )


def _group_by_subject(measurements: Iterable[Measurement]) -> dict[str, list[Measurement]]:
    """Group measurements by the subject of their metric, such as "histogram"."""
    groups: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        groups.setdefault(find_group(measurement.name), []).append(measurement)
    return groups


def _make_lead(figures: ImageFigures) -> str:
    """Summarize the results of the tests in a few sentences."""
    verdicts = [measurement.passed for measurement in figures.own if has_aim(measurement.name)]
    passed_flags = [passed for passed in verdicts if passed is not None]
    text = (
        f"{sum(passed_flags)} of {len(passed_flags)} tests accept this image as random, at level "
        f"{figures.level:g}; about {figures.level * len(passed_flags):.1f} of them would reject "
        "a truly "
        "random image. "
    )
    if any(
        measurement.name == "equal_samples" and measurement.value == 1
        for measurement in figures.compared
    ):
        text += "It is equal to the plain image. "
    elif figures.values_kept:
        text += (
            "It has the histogram of the plain image: samples were moved, not changed, so no test "
            "of the histogram can pass unless the plain image passes it. "
        )
    return text + "Passing them all does not show that an image is secret."


def _make_picture_section(figures: ImageFigures, images: Sequence[NamedImage]) -> Section:
    """Return a section with the images side by side, and measures of their difference."""
    notes = [*words.collect_notes(figures.compared)]
    if figures.compared:
        notes.append(
            "MSE, PSNR and SSIM measure the distance from the plain image; only for a restored "
            "image do they measure quality. An exactly restored image has an infinite PSNR."
        )
    tables = (words.make_measurement_table("Plain image and image", figures.compared),)
    drawings = tuple(
        make_picture_figure(image.name, image, alternative_text=f"the image {image.name}")
        for image in images
    )
    return Section(
        title="Pictures",
        figures=drawings,
        abreast=3,
        tables=tables if figures.compared else (),
        notes=tuple(notes),
    )


def _plot_neighbors(image: NamedImage) -> Iterator[Figure]:
    if min(image.pixels.shape[:2]) > 1:
        # Only three directions, since three plots fill a row.
        for direction in get_args(Direction)[:3]:  # the fourth looks like the third
            yield Figure(
                title=f"{image.name}: pixels and their {direction} neighbors",
                draw=partial(draw_scatter_plot, image.pixels, direction, levels=image.levels),
                alternative=f"scatter plot of {direction} neighbors in {image.name}",
            )


def _plot_histograms(image: NamedImage) -> Iterator[Figure]:
    yield Figure(
        title=f"{image.name}: histogram of each channel",
        draw=partial(draw_histogram, image.pixels, levels=image.levels),
        alternative=f"histogram of {image.name}",
    )


def _plot_textures(image: NamedImage) -> Iterator[Figure]:
    spectrum, autocorrelation = make_texture_drawings(image.pixels)
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


# Subjects with a section: its title, the function that makes its drawings, and drawings per row.
_SUBJECT_SECTIONS: dict[str, tuple[str, Callable[[NamedImage], Iterable[Figure]], int]] = {
    "neighbors": ("Neighboring pixels", _plot_neighbors, 3),
    "histogram": ("Histogram and bit planes", _plot_histograms, 2),
    "texture": ("Texture", _plot_textures, 4),
}


def _collect_data(figures: ImageFigures) -> dict[str, Any]:
    """Return all measurements as data with stable keys."""
    data: dict[str, Any] = {
        "report": "image",
        "report_version": 1,
        "level": figures.level,
        "image": words.make_image_data(figures.image),
        "measurements": words.index_by_name(figures.own),
        "against": None,
        "twin": None,
        "randomness": words.make_randomness_data(figures.randomness)
        if figures.randomness
        else None,
        "sequences": make_sequences_data(figures.sequences) if figures.sequences else None,
    }
    if figures.against is not None:
        data["against"] = {
            "image": words.make_image_data(figures.against),
            "values_kept": figures.values_kept,
            "compared": words.index_by_name(figures.compared),
            "measurements": words.index_by_name(figures.plain),
        }
    if figures.twin is not None:
        data["twin"] = {
            "image": words.make_image_data(figures.twin),
            "measurements": words.index_by_name(figures.differential),
        }
    return data


def _list_records(figures: ImageFigures) -> list[dict[str, Any]]:
    """Return one row of data for each measurement, with its image and its subject."""
    groups = {
        "image": figures.own,
        "pair": figures.compared,
        "plain": figures.plain,
        "twin": figures.differential,
    }
    return [
        {"of": name, **words.make_flat_row(measurement)}
        for name, group in groups.items()
        for measurement in group
    ]
