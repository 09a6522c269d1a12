"""What the commands say: on stderr, lower case, without a final stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.recipes import FileReport


def say(kind: Literal["error", "warning", "note", "hint"], text: str) -> None:
    """Print one message line, so that stdout stays free for results."""
    click.echo(f"sudokucrypt: {kind}: {text}", err=True)


def say_done(report: FileReport, target: Path, *, named: bool) -> None:
    """Say what the output does not carry, and where it is unless the user named it."""
    if report.left_out:
        say("note", f"not carried over: {', '.join(report.left_out)}; the samples are exact")
    if not named:
        say("note", f"wrote '{target}'")
