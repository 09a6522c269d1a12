"""``sudokucrypt security-report``: run every measurement and attack on one scheme."""

from pathlib import Path

import click

from sudokucrypt import analysis, reports
from sudokucrypt.cli.analysis import files, schemes
from sudokucrypt.cli.analysis.options import level_option, seed_option, timeout_option
from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import make_announcer, say, show_progress_bar
from sudokucrypt.cli.options import PATH_TYPE, max_pixels_option


@click.command()
@click.argument("names", metavar="SCHEME [IN]...", nargs=-1, type=PATH_TYPE)
@schemes.own_scheme_option("Your own scheme, instead of SCHEME")
@schemes.list_schemes_option
@schemes.metric_option
@schemes.attack_option
@option("--keys N", "Number of keys for each figure.", type=click.IntRange(5), default=20)
@seed_option
@level_option
@option("--quick", "Look at a small part of the first picture only, under 5 keys, in seconds.")
@timeout_option
@files.output_options
@max_pixels_option
def security_report(
    *,
    names: tuple[Path, ...],
    own_scheme: str | None,
    keys: int,
    seed: int,
    level: float,
    quick: bool,
    timeout: float | None,
    output: files.ReportOptions,
    max_pixels: int | None,
) -> None:
    """Run every measurement and attack on SCHEME, and write a page and its data.

    Without -o, writes SCHEME-security.html and SCHEME-security.json. Without IN, a portrait and six
    generated pictures are used: black, gradient, checkerboard, text, white, clouds.
    """
    if own_scheme is None and not names:
        raise click.UsageError("missing argument 'SCHEME'")
    scheme_names = names[:1] if own_scheme is None else ()
    (scheme,) = schemes.choose_schemes(
        list(map(str, scheme_names)),
        own_schemes=() if own_scheme is None else (own_scheme,),
        seed=seed,
        timeout=timeout,
    )
    sources = names[len(scheme_names) :]
    # The name of a user's scheme may be its location, of which only the last part is used.
    stem = f"{scheme.name.rpartition(':')[2]}-security"
    given_output = output
    output = given_output.add_default_files(Path(f"{stem}.html"), Path(f"{stem}.json"))
    output.check(sources)
    if sources:
        pictures = files.read_images(sources, max_pixels=max_pixels)
    else:
        pictures = [files.load_portrait(), *analysis.specimens()]
    with show_progress_bar("measuring", stages=10) as advance:
        result = analysis.measure_security(
            scheme,
            pictures,
            keys=keys,
            seed=seed,
            level=level,
            quick=quick,
            timeout=timeout,
            progress=advance,
            announce=make_announcer(),
        )
    output.write(reports.security_report(result))
    answer = reports.broken_sentence(result).removesuffix(".")
    say("note", f"{answer[:1].lower()}{answer[1:]}")
    if output is not given_output:
        click.echo("\n".join(map(str, output.outputs)))
