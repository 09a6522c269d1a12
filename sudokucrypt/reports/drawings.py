"""Drawings for reports: plots as SVG in the colors of the page, and arrays as PNG."""

import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import cycle
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sudokucrypt.analysis.images import NamedImage, thin_out
from sudokucrypt.analysis.inputs import check_image, require_library
from sudokucrypt.analysis.metrics.correlation import Direction, compute_texture_views, scatter_pairs
from sudokucrypt.analysis.metrics.entropy import histogram
from sudokucrypt.reports.document import EncodedImage, Figure, FigureFormat
from sudokucrypt.typing import AnyArray

if TYPE_CHECKING:
    from matplotlib.typing import RcKeyType

# A placeholder color, which is replaced by the text color of the page.
_TEXT_COLOR = "#0a0b0c"
# CSS rules for light and dark themes, and the Matplotlib rule before which they are inserted.
_THEME_CSS = (
    "svg{color:#414b57}@media(prefers-color-scheme:dark){svg{color:#b9c3cf}}*{stroke-linejoin"
)
_GRAY_COLORS = ("#3f7cac",)
_COLORS = ("#d1495b", "#3a9d6e", "#3f7cac", "#8d6a9f")
_CURVE_COLORS = (*_COLORS[::-1], "#7a8450", "#c2689b")
_EXPECTED_COLOR = "#c77f1b"
_PLOT_SETTINGS: dict["RcKeyType", Any] = {
    "axes.edgecolor": _TEXT_COLOR,
    "axes.labelcolor": _TEXT_COLOR,
    "axes.labelsize": 9,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    # With a fixed salt, names inside an SVG, which are hashes, are reproducible.
    "svg.hashsalt": "sudokucrypt",
    "text.color": _TEXT_COLOR,
    "xtick.color": _TEXT_COLOR,
    "xtick.major.width": 0.6,
    "ytick.color": _TEXT_COLOR,
    "ytick.major.width": 0.6,
}
# The number of bars that fit on a plot, and the share of bars that are shown in full height.
_MAX_BAR_COUNT = 256
_UNCUT_BAR_SHARE = 0.99


def _draw_plot(
    width: float, height: float, draw: Callable[[Any], None], form: FigureFormat
) -> EncodedImage:
    """Call `draw` with the axes of a new plot of this size in inches; return the plot."""
    with require_library("matplotlib"):
        from matplotlib import figure, rc_context
    with rc_context(_PLOT_SETTINGS):
        canvas = figure.Figure(figsize=(width, height), layout="constrained")
        draw(canvas.add_subplot())
        kind, content = _save_figure(canvas, form)
    if form == "page":
        text = content.decode("utf-8")
        text = text.replace(_TEXT_COLOR, "currentColor").replace("*{stroke-linejoin", _THEME_CSS, 1)
        content = text.encode("utf-8")
    return kind, content


def _save_figure(canvas: Any, form: FigureFormat) -> EncodedImage:
    """Encode a figure of Matplotlib as a file without dates, so that it is reproducible."""
    buffer = io.BytesIO()
    if form == "pdf":
        canvas.savefig(buffer, format="pdf", transparent=True, metadata={"CreationDate": None})
        return "application/pdf", buffer.getvalue()
    canvas.savefig(buffer, format="svg", transparent=True, dpi=150, metadata={"Date": None})
    return "image/svg+xml", buffer.getvalue()


def draw_strip(pictures: Sequence[tuple[str, AnyArray]], form: FigureFormat) -> EncodedImage:
    """Draw pictures side by side in one file, each with its title below."""
    with require_library("matplotlib"):
        from matplotlib import figure, rc_context
    with rc_context(_PLOT_SETTINGS):
        canvas = figure.Figure(figsize=(1.7 * len(pictures), 2.0), layout="constrained")
        for axes, (title, pixels) in zip(
            canvas.subplots(1, len(pictures), squeeze=False)[0], pictures, strict=True
        ):
            axes.imshow(pixels, interpolation="nearest")
            axes.set(xticks=[], yticks=[])
            axes.set_xlabel("\n".join(wrap(title, 24)), fontsize=7)
            axes.spines[:].set_visible(False)
        return _save_figure(canvas, form)


def decode_drawing(content: bytes) -> AnyArray:
    """Return the samples of a PNG that this module has made."""
    with require_library("matplotlib"):
        from matplotlib import image
    return np.asarray(image.imread(io.BytesIO(content)))


def _list_channels(image: AnyArray) -> list[tuple[AnyArray, str]]:
    """Return each channel of an image with the color for its plots."""
    if image.ndim == 2:
        return [(image, _GRAY_COLORS[0])]
    colors = _COLORS if image.shape[2] >= 3 else _GRAY_COLORS + _COLORS[3:]
    return [
        (image[..., channel], colors[channel % len(colors)]) for channel in range(image.shape[2])
    ]


def draw_histogram(
    image: AnyArray, *, levels: int | None = None, form: FigureFormat = "page"
) -> EncodedImage:
    """Draw how often each level occurs in each channel, and the mean of all levels.

    More than 256 levels are counted in 256 groups.
    """
    pixels, levels = check_image(image, levels=levels)
    group = -(-levels // _MAX_BAR_COUNT)

    def draw(axes: Any) -> None:
        edges = np.arange(0, levels + group, group)
        heights = []
        for channel, color in _list_channels(pixels):
            counts = histogram(channel, levels=levels)
            bar_counts = np.add.reduceat(counts, edges[:-1])
            heights.append(bar_counts)
            axes.stairs(bar_counts, edges, fill=True, color=color, alpha=0.35)
            axes.stairs(bar_counts, edges, color=color, linewidth=0.7)
        mean_count = pixels.size / (1 if pixels.ndim == 2 else pixels.shape[2]) / levels * group
        axes.axhline(
            mean_count, color=_EXPECTED_COLOR, linewidth=1.2, linestyle="--", label="even spread"
        )
        # A few frequent levels, such as black at an edge, must not make all other bars too small.
        height_limit = 1.6 * max(float(np.quantile(heights, _UNCUT_BAR_SHARE)), mean_count)
        top_count = None
        if np.max(heights) > 2 * height_limit:
            top_count = height_limit
            axes.plot([], [], " ", label="higher bars are cut off")
        axes.set(xlim=(0, levels), ylim=(0, top_count), xlabel="level", ylabel="samples")
        axes.legend(loc="best")

    return _draw_plot(4.2, 2.4, draw, form)


def draw_scatter_plot(
    image: AnyArray,
    direction: Direction,
    *,
    levels: int | None = None,
    count: int = 3000,
    form: FigureFormat = "page",
) -> EncodedImage:
    """Draw levels of pixels against levels of neighbors; correlated pairs lie near the diagonal.

    In all, `count` pairs of all channels are drawn; they are always the same pairs.
    """
    pixels, levels = check_image(image, levels=levels)
    channels = _list_channels(pixels)

    def draw(axes: Any) -> None:
        for channel, color in channels:
            pairs = scatter_pairs(channel, direction, count=count // len(channels))
            # Dots are rasterized: thousands of vector shapes would enlarge the page by megabytes.
            axes.scatter(*pairs.T, s=2.5, color=color, alpha=0.4, linewidths=0, rasterized=True)
        limits = (-0.02 * levels, 1.02 * levels)
        axes.set(xlim=limits, ylim=limits, aspect="equal", xlabel="pixel", ylabel="neighbor")

    return _draw_plot(2.6, 2.6, draw, form)


def draw_curves(
    curves: Mapping[str, Sequence[float]], *, expected: str, form: FigureFormat = "page"
) -> EncodedImage:
    """Draw curves of shares over the number of known images; the one named `expected` is dashed."""

    def draw(axes: Any) -> None:
        colors = cycle(_CURVE_COLORS)
        for name, shares in curves.items():
            counts = range(1, len(shares) + 1)
            if name == expected:
                axes.plot(counts, shares, "--", color=_EXPECTED_COLOR, linewidth=1.4, label=name)
            else:
                color = next(colors)
                axes.plot(counts, shares, "o-", color=color, linewidth=1, markersize=4, label=name)
        axes.set(ylim=(-0.03, 1.03), xlabel="known images", ylabel="recovered share")
        # Ticks are at whole numbers of images.
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(loc="best")

    return _draw_plot(4.6, 2.7, draw, form)


def draw_p_values(p_values: Sequence[float], *, form: FigureFormat = "page") -> EncodedImage:
    """Draw how many p-values are in each tenth of 0..1; random images have equal numbers."""
    counts, edges = np.histogram(p_values, bins=10, range=(0, 1))

    def draw(axes: Any) -> None:
        axes.stairs(counts, edges, fill=True, color=_GRAY_COLORS[0], alpha=0.6)
        axes.axhline(
            len(p_values) / 10,
            color=_EXPECTED_COLOR,
            linewidth=1.2,
            linestyle="--",
            label="even spread",
        )
        axes.set(xlim=(0, 1), ylim=(0, None), xlabel="p-value", ylabel="runs")
        axes.legend(loc="best")

    return _draw_plot(4.2, 2.2, draw, form)


# Maximum number of pixels of the longer side of a preview, so that pages stay small.
MAX_PREVIEW_SIDE = 512

# Maximum shift in each direction: in a larger map, single peaks would be too small in print.
_MAX_CORRELATION_SHIFT = 24


def draw_preview(
    image: AnyArray,
    *,
    levels: int | None = None,
    side: int = MAX_PREVIEW_SIDE,
    form: FigureFormat = "page",
) -> EncodedImage:
    """Draw an image as gray, or its first three channels as red, green and blue."""
    pixels, levels = check_image(thin_out(image, side=side), levels=levels)
    samples = np.atleast_3d(
        (pixels.astype(np.float64) * 255 / (levels - 1)).round().astype(np.uint8)
    )
    if samples.shape[2] < 3:
        samples = samples[..., [0, 0, 0]]
    return _encode_png(np.ascontiguousarray(samples[..., :3]), form=form)


def make_picture_figure(
    title: str, image: NamedImage, *, alternative_text: str, side: int = MAX_PREVIEW_SIDE
) -> Figure:
    """Return a drawing of an image, reduced to at most `side` pixels on a side."""
    draw = partial(draw_preview, image.pixels, levels=image.levels, side=side)
    return Figure(title=title, draw=draw, alternative=alternative_text)


def make_texture_drawings(
    image: AnyArray,
) -> tuple[Callable[..., EncodedImage], Callable[..., EncodedImage]]:
    """Return functions that draw spectrum and autocorrelation with one Fourier transform.

    The spectrum is the logarithm of the magnitude, frequency 0 in the center. The autocorrelation
    is for offsets of up to 24 rows and columns: blue is negative, red positive, and full color
    is 1; constant channels are left out.
    """
    step = -(-max(image.shape[:2]) // MAX_PREVIEW_SIDE)
    # The transform is computed by the drawing that is made first.
    compute_views = cache(
        partial(compute_texture_views, image, step=step, max_offset=_MAX_CORRELATION_SHIFT)
    )

    def draw_spectrum(*, form: FigureFormat = "page") -> EncodedImage:
        log_spectrum = np.log1p(compute_views()[0])
        return _encode_png(
            log_spectrum,
            colors="magma",
            min_value=0.0,
            max_value=float(log_spectrum.max()),
            form=form,
        )

    def draw_autocorrelation(*, form: FigureFormat = "page") -> EncodedImage:
        correlations = compute_views()[1]
        # The square root makes weak correlation visible; the sign is kept.
        roots = np.sign(correlations) * np.sqrt(np.abs(correlations))
        return _encode_png(roots, colors="RdBu_r", min_value=-1.0, max_value=1.0, form=form)

    return draw_spectrum, draw_autocorrelation


def _encode_png(
    array: AnyArray,
    *,
    colors: str | None = None,
    min_value: float | None = None,
    max_value: float | None = None,
    form: FigureFormat,
) -> EncodedImage:
    if form != "page":
        with require_library("matplotlib"):
            from matplotlib import figure, rc_context
        rows, columns = array.shape[:2]
        options: dict[str, Any] = {
            "cmap": colors,
            "vmin": min_value,
            "vmax": max_value,
            "aspect": "auto",
        }
        with rc_context(_PLOT_SETTINGS):
            canvas = figure.Figure(figsize=(2.5, 2.5 * rows / columns))
            axes = canvas.add_axes((0, 0, 1, 1))
            axes.set_axis_off()
            axes.imshow(array, interpolation="nearest", **options)
            return _save_figure(canvas, form)
    buffer = io.BytesIO()
    with require_library("matplotlib"):
        from matplotlib import image
    image.imsave(buffer, array, format="png", cmap=colors, vmin=min_value, vmax=max_value)
    return "image/png", buffer.getvalue()
