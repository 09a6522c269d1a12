"""``sudokucrypt analyze``, ``compare``, ``attack`` and ``security-report``."""

from pathlib import Path
from typing import get_args

import click

from sudokucrypt import analysis, reports
from sudokucrypt.analysis.attacks import Attack
from sudokucrypt.analysis.randomness import Reference, bits_from_image, packed_bits
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.extensions import Command, Group, option
from sudokucrypt.cli.messages import announced, progress_bar, say
from sudokucrypt.cli.options import PATH, max_pixels_option
from sudokucrypt.reports.latex import PageWidth
from sudokucrypt.storage import make_folder

level_option = option(
    "--level A",
    "Level of significance: the share of random images that a test rejects.",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
)

seed_option = option(
    "--seed N",
    "Keys and salts follow from N, so that all figures come again; times do not.",
    type=click.IntRange(0),
    default=0,
)
timeout_option = option(
    "--timeout S",
    "Stop each part that takes longer than S seconds, and go on with the next.",
    type=click.FloatRange(0, min_open=True),
)


@click.command()
@click.argument("source", metavar="IN", type=PATH)
@option("--against PLAIN", "Compare IN with the plain picture that it was made from.", type=PATH)
@option(
    "--twin OTHER",
    "Compute npcr and uaci; OTHER is the result, under the same key, for a plain picture that "
    "differs in one pixel.",
    type=PATH,
)
@schemes.own_scheme_option(
    "Measure what your scheme makes of IN, the plain picture, and of IN with one sample changed"
)
@level_option
@schemes.metric_option
@option("--randomness", "Also run the tests of NIST SP 800-22 on the bits of IN.")
@option(
    "--nist-constants NAME",
    "Constants of these tests: 'corrected', or those of the program sts-2.1.2, which differ in "
    "six tests.",
    name="reference",
    type=click.Choice(get_args(Reference)),
    default="corrected",
)
@option(
    "--export-bits FILE",
    "Write the bits of all samples, most significant first, for other test suites; - is stdout.",
    name="bits",
    type=PATH,
)
@schemes.listing_option(
    "--list-metrics",
    lambda: (f"{name:26}{metric.meaning}" for name, metric in analysis.METRICS.items()),
    text="Print the names of all metrics, including those of other commands.",
)
@schemes.new_scheme_option
@files.output_options
@max_pixels_option
def analyze(
    *,
    source: Path,
    against: Path | None,
    twin: Path | None,
    own: str | None,
    level: float,
    randomness: bool,
    reference: Reference,
    bits: Path | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Measure how random the picture IN, or - for stdin, looks.

    Correlation, entropy, histogram, texture: each figure is shown beside the value of a random
    picture of this size, with a verdict. Passing every test does not show that a picture is secret.
    """
    others = {"against": against, "twin": twin}
    paths = {role: path for role, path in others.items() if path is not None}
    if own is not None and paths:
        raise click.UsageError("--scheme makes what --against and --twin name: leave them out")
    sources = [source, *paths.values()]
    output.check(sources, also=[] if bits is None else [bits])
    scheme = None if own is None else schemes.own_scheme(own)
    image, *read = files.read_images(sources, max_pixels=max_pixels)
    roles = dict(zip(paths, read, strict=True))
    if scheme is not None:
        # With a scheme of the user, what is named is the plain picture, and the rest is made of it.
        roles["against"], key = image, analysis.report_key(0)
        image, roles["twin"] = analysis.protected_twins(scheme.fixed, image, key, name=scheme.name)
    with progress_bar("measuring") as advance:
        result = analysis.measure_image(
            image,
            against=roles.get("against"),
            twin=roles.get("twin"),
            level=level,
            randomness=randomness,
            reference=reference,
            progress=advance,
        )
    also = {}
    if bits is not None:
        also[bits] = packed_bits(bits_from_image(image.pixels, levels=image.levels))
    output.write(reports.image_report(result), also=also)


def _sides(_: click.Context, __: click.Parameter, text: str | None) -> tuple[int, ...]:
    """Read sides in pixels with commas between."""
    try:
        sides = tuple(int(side) for side in text.split(",")) if text else ()
    except ValueError:
        sides = (0,)
    if not all(1 <= side <= analysis.LARGEST_SIDE for side in sides):
        raise click.UsageError(
            f"--sizes takes sides of 1 to {analysis.LARGEST_SIDE} pixels, such as 256,512"
        )
    return sides


@click.command()
@click.argument("sources", metavar="IN...", nargs=-1, required=True, type=PATH)
@schemes.scheme_options(
    "compare",
    "scramble, scramble-context, encrypt, and the schemes from the literature.",
)
@schemes.metric_option
@level_option
@option(
    "--keys N",
    "Measure each scheme under N keys, and show means and deviations.",
    type=click.IntRange(1),
    default=1,
)
@seed_option
@option(
    "--published FILE.csv",
    "Values that papers print, to be shown below: one row for each scheme, with the columns that "
    "--csv writes.",
    type=PATH,
)
@option(
    "--repeats N",
    "Time each scheme N times; the shortest time counts.",
    type=click.IntRange(1),
    default=3,
)
@option(
    "--sizes N,N,...",
    "Also measure time and memory of the schemes on square images with these sides in pixels.",
    name="sides",
    callback=_sides,
)
@option("--robustness", "Also disturb the results, and measure what is restored.")
@files.output_options
@max_pixels_option
def compare(
    *,
    sources: tuple[Path, ...],
    names: str | None,
    own: tuple[str, ...],
    level: float,
    keys: int,
    seed: int,
    published: Path | None,
    repeats: int,
    sides: tuple[int, ...],
    robustness: bool,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Compare schemes on the pictures IN, in one table.

    Each scheme has a row with figures, verdicts and times; all use the same keys.
    """
    output.check([*sources, *([published] if published else [])])
    wanted = [*schemes.USUAL, *analysis.BASELINES] if names is None else names.split(",")
    chosen = schemes.chosen_schemes(wanted, own=own, seed=seed)
    rows = files.read_published(published) if published else []
    pictures = files.read_images(sources, max_pixels=max_pixels)
    with progress_bar("comparing", stages=10) as advance:
        result = analysis.compare_schemes(
            pictures,
            chosen,
            level=level,
            keys=keys,
            seed=seed,
            repeats=repeats,
            sides=sides,
            robustness=robustness,
            progress=advance,
        )
    output.write(reports.comparison_report(result, published=rows))


class _Attacks(Group):
    """A command for each attack that is registered, and one for all of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return ["all", *analysis.ATTACKS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name == "all":
            return attack_all
        return _attack_command(analysis.ATTACKS[cmd_name]) if cmd_name in analysis.ATTACKS else None


@click.command("all")
@click.argument("source", metavar="IN", type=PATH)
@schemes.scheme_options("attack", f"{', '.join(schemes.USUAL)}, or with --scheme that alone.")
@schemes.attack_option
@timeout_option
@files.output_options
@max_pixels_option
def attack_all(
    *,
    source: Path,
    names: str | None,
    own: tuple[str, ...],
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Run every attack on schemes, and show which of them is broken by which."""
    output.check([source])
    wanted = names.split(",") if names else () if own else schemes.USUAL
    chosen = schemes.chosen_schemes(wanted, own=own)
    plain = files.read_image(source, max_pixels=max_pixels)
    with progress_bar("attacking", stages=16) as advance:
        result = analysis.run_attacks(plain, chosen, timeout=timeout, progress=advance)
    output.write(reports.attacks_report(result))


@click.group(cls=_Attacks)
def attack() -> None:
    """Attack schemes on the picture IN, and show what the attacker recovers.

    Each attack runs on the schemes both as they are meant to be used and without salt, and on a
    control that it must break. It uses a fixed test key, never yours.
    """


def _attack_command(kind: Attack) -> click.Command:
    """Return the command of one attack, with an option for each number that it takes."""
    if kind.takes != "pixels":
        return _jpeg_command(kind)
    usual = ("scramble-block", "scramble", "encrypt") if kind.blocks else schemes.USUAL

    def number_options(command: Command) -> Command:
        for each in reversed(kind.options):
            form = f"--{each.name.replace('_', '-')} {each.metavar}"
            limits = click.IntRange(each.least, each.most)
            command = option(form, each.text, type=limits, default=each.default)(command)
        return command

    @click.command(kind.name, help=kind.summary)
    @click.argument("source", metavar="IN", type=PATH)
    @schemes.scheme_options("attack", f"{', '.join(usual)}, or with --scheme that alone.")
    @number_options
    @files.output_options
    @max_pixels_option
    def run(
        *,
        source: Path,
        names: str | None,
        own: tuple[str, ...],
        output: files.ReportOptions,
        max_pixels: int | None,
        **numbers: int,
    ) -> None:
        output.check([source])
        wanted = names.split(",") if names else () if own else usual
        chosen = schemes.chosen_schemes(wanted, own=own, block_size=numbers.get("block_size") or 16)
        plain = files.read_image(source, max_pixels=max_pixels)
        with progress_bar("attacking") as advance:
            result = analysis.run_attack(
                kind.name, plain, chosen, options=numbers, progress=advance
            )
        output.write(reports.attack_report(result))

    return run


def _jpeg_command(kind: Attack) -> click.Command:
    """Return the command of an attack on JPEG files, which may take several."""

    def others(command: Command) -> Command:
        if kind.takes == "jpeg":
            return command
        return click.argument("others", metavar="[OTHER]...", nargs=-1, type=PATH)(command)

    @click.command(kind.name, help=kind.summary)
    @click.argument("source", metavar="IN", type=PATH)
    @others
    @files.output_options
    @max_pixels_option
    def run(
        *,
        source: Path,
        output: files.ReportOptions,
        max_pixels: int | None,
        others: tuple[Path, ...] = (),
    ) -> None:
        output.check([source, *others])
        plain, *known = (files.read_jpeg(each, max_pixels=max_pixels) for each in (source, *others))
        chosen = [schemes.jpeg_scheme(max_pixels=plain.max_pixels)]
        with progress_bar("attacking") as advance:
            result = analysis.run_jpeg_attack(
                kind.name, plain, chosen, others=known, progress=advance
            )
        output.write(reports.attack_report(result))

    return run


@click.command()
@click.argument("names", metavar="SCHEME [IN]...", nargs=-1, type=PATH)
@schemes.own_scheme_option("Your own scheme, instead of SCHEME")
@schemes.list_schemes_option
@schemes.metric_option
@schemes.attack_option
@option("--keys N", "Number of keys for each figure.", type=click.IntRange(5), default=20)
@seed_option
@level_option
@option("--quick", "Look at a small part of the first picture only, under 5 keys, in seconds.")
@timeout_option
@option("--latex", "Also write the tables in LaTeX.")
@option("--csv", "Also write the figures as CSV.")
@files.width_option
@option("--figures", "Also write all pictures and plots to a folder, each as SVG and as PDF.")
@option(
    "-o, --output DIR",
    "Folder for all files; by default the current one.",
    name="folder",
    type=click.Path(path_type=Path, file_okay=False, readable=False),
    default=Path(),
    show_default=False,
)
@option("--force", "Replace existing output.")
@max_pixels_option
def security_report(
    *,
    names: tuple[Path, ...],
    own: str | None,
    keys: int,
    seed: int,
    level: float,
    quick: bool,
    timeout: float | None,
    latex: bool,
    csv: bool,
    width: PageWidth,
    figures: bool,
    folder: Path,
    force: bool,
    max_pixels: int | None,
) -> None:
    """Run every measurement and attack on SCHEME, and write a page and its data.

    Writes SCHEME-security.html and SCHEME-security.json. Without IN, a portrait and six generated
    pictures are used: black, gradient, checkerboard, text, white, clouds.
    """
    if own is None and not names:
        raise click.UsageError("missing argument 'SCHEME'")
    first = names[:1] if own is None else ()
    (scheme,) = schemes.chosen_schemes(
        list(map(str, first)), own=() if own is None else (own,), seed=seed
    )
    sources = names[len(first) :]
    # A scheme of the user may be called by its location.
    stem = f"{scheme.name.rpartition(':')[2]}-security"
    page, data = (folder / f"{stem}.{ending}" for ending in ("html", "json"))
    more = {"latex": folder / f"{stem}.tex"} if latex else {}
    more |= {"csv": folder / f"{stem}.csv"} if csv else {}
    output = files.ReportOptions(
        forms=("json",),
        width=width,
        page=page,
        figures=folder / f"{stem}-figures" if figures else None,
        output=data,
        force=force,
    )
    output.check(sources, also=more.values(), new=folder)
    if sources:
        pictures = files.read_images(sources, max_pixels=max_pixels)
    else:
        pictures = [files.portrait(), *analysis.specimens()]
    with progress_bar("measuring", stages=10) as advance:
        result = analysis.measure_security(
            scheme,
            pictures,
            keys=keys,
            seed=seed,
            level=level,
            quick=quick,
            timeout=timeout,
            progress=advance,
            announce=announced(),
        )
    report = reports.security_report(result)
    # Only now: a report that cannot be made leaves no folder behind.
    make_folder(folder)
    output.write(report, also={path: output.text(report, form) for form, path in more.items()})
    answer = reports.broken_sentence(result).removesuffix(".")
    say("note", f"{answer[:1].lower()}{answer[1:]}")
    click.echo("\n".join(map(str, (page, data, *more.values()))))
