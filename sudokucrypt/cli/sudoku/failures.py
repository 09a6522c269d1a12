"""What is wrong with some of many puzzles: named by their lines, and an exit code at the end."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from sudokucrypt.cli.messages import code_of, hint_of, say
from sudokucrypt.cli.sudoku.texts import Written
from sudokucrypt.errors import SudokucryptError


class Failures:
    """What goes wrong: it ends the command where there is one puzzle, and else only that one."""

    def __init__(self, puzzles: Sequence[Written]) -> None:
        self._alone = len(puzzles) == 1
        self._codes: set[int] = set()
        self._hints: set[str] = set()

    @contextmanager
    def of(self, written: Written) -> Iterator[None]:
        """Say what goes wrong with a puzzle, and go on."""
        try:
            yield
        except SudokucryptError as error:
            if self._alone:
                raise
            say("error", f"line {written.line}: {error}")
            self._codes.add(code_of(error))
            hint = hint_of(error)
            if hint and hint not in self._hints:
                self._hints.add(hint)
                say("hint", hint)

    def end(self) -> None:
        """Leave with the lowest of the exit codes, if anything went wrong."""
        if self._codes:
            raise click.exceptions.Exit(min(self._codes))
