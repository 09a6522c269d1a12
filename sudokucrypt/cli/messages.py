"""What the commands say: on stderr, lower case, without a final stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

if TYPE_CHECKING:
    from collections.abc import Sequence


def say(kind: Literal["error", "warning", "note", "hint"], text: str) -> None:
    """Print one message line, so that stdout stays free for results."""
    click.echo(f"sudokucrypt: {kind}: {text}", err=True)


def note_left_out(parts: Sequence[str]) -> None:
    """Name what a picture carries besides its samples and the output does not."""
    if parts:
        say("note", f"not carried over: {', '.join(parts)}; the samples are exact")
