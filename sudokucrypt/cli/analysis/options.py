"""Options that several analysis commands have."""

import signal

import click

from sudokucrypt.cli.extensions import option

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
    # Systems without timers cannot stop a part, so the option has no default there.
    default=300 if hasattr(signal, "setitimer") else None,
)
