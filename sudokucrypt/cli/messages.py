"""What the commands say: on stderr, lower case, without a final stop; and their progress there.

No message repeats a key or passphrase that was typed in the wrong place. A key is recognized by its
form. A passphrase can be anything: so arguments are repeated only if they are values of options
that have nothing to do with secrets, name a file, look like one, or are short numbers; any other is
called by its position.
"""

from __future__ import annotations

import os
import re
import sys
import time
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import click

from sudokucrypt import errors
from sudokucrypt.errors import SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sudokucrypt.recipes import FileReport, RedactionReport


# Patterns are compiled when the first message needs them.
_KEY = r"(?i)(?:sudokucrypt|age)-(?:[a-z]+-)+1[0-9a-z]+"
# The end of a key whose beginning was lost; recipients, which are public, begin with age1.
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_MIXED = r"(?=(?:[a-z]*\d){3})(?=(?:\d*[a-z]){3})"  # digits and letters, unlike words
_TAIL = rf"(?i)(?<!age1)(?<!age1pq1)(?<![0-9a-z]){_MIXED}[{_BECH32}]{{40,}}(?![0-9a-z])"
_SUFFIXES = """
    age apng avif bin bmp csv gif gz heic heif htm html icc ico jp2 jpeg jpg json jsonl jxl key link
    md mov mp4 npy opensudoku pdf pgm png pnm ppm psd puzzle py qoi sdk sdm svg tar tex tga tif tiff
    txt webp zip
"""
_FILE = rf"(?i)(?:\.{{0,2}}/|~|[a-z][a-z0-9+]*://)\S*|.*\.(?:{'|'.join(_SUFFIXES.split())})"
_NUMBERS = r"[-+\d.,:x%]{1,24}"
_HIDDEN_VALUES = r"-[ki]|--(?:new-)?(?:key|pass|identity|to\b|words|max-derivation).*"
_misspelled: set[str] = set()
_ordinary: set[str] = set()
_VARIABLES = ("SUDOKUCRYPT_KEY_FILE", "SUDOKUCRYPT_KEY", "SUDOKUCRYPT_PASSPHRASE")


def hide_secrets(text: str) -> str:
    """Return a message without keys, and without arguments that may be a passphrase."""
    text = re.sub(_TAIL, "[key]", re.sub(_KEY, "[key]", text))
    variables = tuple(os.environ.get(name, "") for name in _VARIABLES)
    for argument, name in _list_candidates(tuple(sys.argv), variables, frozenset(_ordinary)):
        # By now it may be a file, such as the output, or known as misspelled.
        if argument in text and not is_harmless(argument):
            for quoted in (f"'{argument}'", repr(argument), f'"{argument}"', f"({argument})"):
                text = text.replace(quoted, name)
    return text


def is_harmless(argument: str) -> bool:
    """Return whether messages may repeat an argument: a file, what looks like one, or a number."""
    looks_so = re.fullmatch(_FILE, argument) or re.fullmatch(_NUMBERS, argument)
    folder, slash, _ = argument.partition("/")
    in_folder = bool(slash) and os.path.isdir(folder)
    return bool(looks_so) or in_folder or argument in _misspelled or os.path.lexists(argument)


def allow(word: str) -> str:
    """Let messages repeat a word that is a command, or nearly an option or a choice; return it."""
    _misspelled.add(word)
    return word


def know_options(forms: Iterable[str]) -> None:
    """Let messages repeat the values of these options of the command, except those for secrets."""
    _ordinary.clear()
    _ordinary.update([form for form in forms if not re.fullmatch(_HIDDEN_VALUES, form)])


def describe_position(argument: str) -> str:
    """Return what messages call an argument that they do not repeat."""
    return f"(argument {sys.argv.index(argument)})" if argument in sys.argv else "(an argument)"


@lru_cache(maxsize=4)
def _list_candidates(
    arguments: tuple[str, ...], variables: tuple[str, ...], ordinary: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Return the arguments, and values of options and variables, that no message may repeat."""
    words = list(enumerate(arguments))[1:]
    named = [
        (text, f"(argument {index})")
        for index, text in words
        if not text.startswith("-") and arguments[index - 1] not in ordinary
    ]
    values = [
        (text.partition("=")[2] if text.startswith("--") else text[2:], f"(in argument {index})")
        for index, text in words
        if text.startswith("-") and ordinary.isdisjoint({text[:2], text.partition("=")[0]})
    ]
    pairs = zip(variables, _VARIABLES, strict=True)
    held = [(text, f"(the value of {name})") for text, name in pairs]
    every = [(text, name) for text, name in [*named, *values, *held] if text]
    return tuple((text, name) for text, name in every if not is_harmless(text))


class Verbosity(IntEnum):
    """How much is said: without notes and progress, usually, or also of each input."""

    QUIET = 0
    USUAL = 1
    VERBOSE = 2


_COLORS = {"error": "red", "warning": "yellow", "hint": "cyan", "note": None}
_GROWTH, _MEGABYTE = 1.5, 1_000_000
"""From which growth on, in times and in bytes, it is said; files that stay files hardly grow."""
_USUAL_WIDTH = 80  # columns, of a terminal that does not say
_LEAST_WIDTH = 40  # of a narrower one, which breaks longer lines by itself
_PLAIN_STAGES = 4  # lines in place of a bar
_SILENT = 2.0  # seconds between such lines, so that what is quick prints none
_verbosity = Verbosity.USUAL
_plain = False

_EXIT_CODES: dict[type[SudokucryptError], int] = {
    errors.InvalidParameterError: 2,
    errors.DecryptionError: 3,
    errors.FormatError: 4,
    errors.InvalidGridError: 4,
    errors.InvalidImageError: 4,
    errors.InvalidKeyError: 4,
    errors.UnsupportedError: 4,
    errors.NoSolutionError: 5,
    errors.MultipleSolutionsError: 5,
    errors.OutputExistsError: 6,
}

# What the command line says in place of the hints of the rooms below, by their keys.
_HINTS = {
    "attempts": "ask for more --givens, or another --level, --rating or --pattern, or try another "
    "--seed",
    "as_file": "use --as file to get the very same file back",
    "claimed": "write them to different folders, or with another --name",
    "input": "write to another folder with -o, or under another name with --name",
    "join": "'sudokucrypt key join' joins shares, and 'key card' prints one",
    "share": "copy all of it again from its file or paper; 'sudokucrypt key split' makes shares",
    "key": "give it with --key FILE",
    "key_id": "'sudokucrypt info' shows the id of the key that is needed; a picture that was "
    "resized, recompressed or edited cannot be restored; see docs/howto/lost.md",
    "keygen": "'sudokucrypt keygen -o FILE' makes a key file",
    "no_sheet": "its rules may allow none; change them, or try another --seed",
    "no_update": "choose another output, or replace it with --force in place of --update",
    "no_ssh_key": "use a key file, or an identity of age, which 'sudokucrypt keygen --identity' "
    "and age-keygen make",
    "no_ssh_recipient": "ask for a recipient that starts with age1: age-keygen and "
    "'sudokucrypt keygen --identity' make an identity and print it",
    "other_key": "'sudokucrypt key show FILE --id' prints the id of a key file; "
    "see docs/howto/lost.md",
    "layers": "'unredact --list' prints which keys lift them; see docs/howto/lost.md",
    "passphrase": "give it with --passphrase",
    "pipe": "to read a pipe, name -, which is stdin; or copy its content to a file first",
    "protected": "'rekey' changes its key; restore it first to protect it in another way",
    "max_derivation": "if you trust the file, open it alone, or allow more with --max-derivation",
    "max_pixels": "if the file is meant to be that large, raise --max-pixels",
    "max_side": "scramble the picture again, for its service or with a smaller --max-side",
    "max_rounds": "if the file is meant to be slow, allow them with --max-rounds",
    "several": "'sudoku solve --all' prints them, and --count their number",
    "sidecar": "the picture usually holds the same: leave out --sidecar; see docs/howto/lost.md",
    "stream": "to write to stdout, name it -: -o -",
    "sealed": "name the output or another folder with -o",
    "search": "choose '--method stir' or another --seed",
    "regions": "name a file with its map: --regions FILE",
    "x_first": "a region is X,Y,W,H: X and W count columns, Y and H rows",
    "replace": "choose another name, or replace it with --force",
    "update": "--update in place of --resume replaces results of files that changed; or choose "
    "another name, or replace it with --force",
    "no_header": "use the file that was written, or name its sidecar with --sidecar FILE; see "
    "docs/howto/lost.md",
}


def find_exit_code(error: Exception) -> int:
    """Return the exit code of an error."""
    return next((_EXIT_CODES[kind] for kind in type(error).__mro__ if kind in _EXIT_CODES), 1)


def set_verbosity(verbosity: Verbosity) -> None:
    """Say more or less from now on, in all threads."""
    global _verbosity  # noqa: PLW0603 - messages come from threads, too, which no context reaches
    _verbosity = verbosity


def set_plain(*, plain: bool) -> None:
    """Print plain lines from now on, or those that the terminal can show."""
    global _plain  # noqa: PLW0603 - as above
    _plain = plain


def is_plain() -> bool:
    """Return whether a terminal gets neither colors nor anything that moves its cursor.

    The user may ask for this by --plain or NO_COLOR, and the terminal says it by TERM.
    """
    simple = ("", "dumb") if os.name == "posix" else ("dumb",)  # Windows has no TERM
    return _plain or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in simple


def is_terminal() -> bool:
    """Return whether messages go to a terminal."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # it is closed
        return False


def get_terminal_columns() -> int:
    """Return the number of columns of the terminal that messages go to, or 0 if unknown."""
    try:  # not by shutil, which asks stdout: that may be a file
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0


def say(kind: Literal["error", "warning", "note", "hint"], text: str) -> None:
    """Print one message line, so that stdout stays free for results.

    What cannot be printed is escaped: the name of a file may hold lines and commands of terminals.
    On a terminal, the line wraps at words, and its kind has a color. Where stderr is closed or
    full, the line is lost: a report of an error raises none.
    """
    if kind == "note" and _verbosity is Verbosity.QUIET:
        return
    # Names of files may hold control sequences, which a terminal would obey.
    text = hide_secrets(text)
    with suppress(UnicodeError):  # names that the locale cannot read are often UTF-8
        text = text.encode("utf-8", "surrogateescape").decode("utf-8")
    escaped = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    line = f"sudokucrypt: {kind}: {escaped}"
    if is_terminal() and not _plain:
        from textwrap import fill

        # The names of files stay whole.
        line = fill(
            line,
            max(get_terminal_columns() or _USUAL_WIDTH, _LEAST_WIDTH),
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if not is_plain():
            label = click.style(f"{kind}:", fg=_COLORS[kind], bold=kind == "error" or None)
            line = line.replace(f"{kind}:", label, 1)
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def say_more(text: str) -> None:
    """Print a note for those who asked for more."""
    if _verbosity is Verbosity.VERBOSE:
        say("note", text)


def describe(error: Exception) -> str:
    """Return what an error means to a user, expected or not."""
    if isinstance(error, SudokucryptError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    detail = getattr(error, "strerror", None) or f"unexpected {type(error).__name__}"
    return detail[:1].lower() + detail[1:]


def find_hint(error: Exception) -> str | None:
    """Return what to do about an error on the command line, if known."""
    if not isinstance(error, SudokucryptError):
        return None
    return _HINTS.get(error.hint_key or "", error.hint)


def say_error(error: SudokucryptError) -> None:
    """Print an error and what to do about it."""
    say("error", str(error))
    if hint := find_hint(error):
        say("hint", hint)


def say_done(report: FileReport, *, named: bool) -> None:
    """Say what the output does not carry, and where it is unless the user named it."""
    if report.kept:
        say("note", f"'{report.target}' is already there")
        return
    rough = make_rough_note(report)
    if report.renamed is not None:
        say_renamed(report.renamed, str(report.target))
    if report.dropped:
        exact = "" if rough else "; the samples are exact"
        say("note", f"not carried over: {', '.join(report.dropped)}{exact}")
    if rough:
        say("note", rough)
    if report.mode == "pixels":
        say_growth(report.source_bytes, report.target_bytes)
    if not named and report.target is not None:
        say("note", f"wrote '{report.target}'")


def say_growth(read: int | None, written: int | None) -> None:
    """Say that pixels take more room than the files that they were in, where it matters."""
    if read and written and written > _GROWTH * read and written - read >= _MEGABYTE:
        sizes = f"{read / _MEGABYTE:.1f} to {written / _MEGABYTE:.1f} MB"
        say("note", f"from {sizes}: pixels take more room than the file did")


def say_renamed(sealed: str, target: str) -> None:
    """Say that a sealed name was changed: who looks for the file must find it."""
    say("note", f"the file inside is called '{sealed}'; it is in '{target}'")


def say_missing_kernels() -> None:
    """Say that slower code is used, where nothing was compiled."""
    from sudokucrypt.kernels import is_compiled

    if not is_compiled():
        say(
            "note",
            "there are no compiled kernels, so slower code is used; to have them, install a C "
            "compiler, and then sudokucrypt again",
        )


def make_rough_note(report: FileReport) -> str | None:
    """Return what must be said of a result that is not all of the original, none of any other."""
    from sudokucrypt.recipes.carriers.contract import RedactionReport, RobustReport

    if isinstance(report, RedactionReport) and report.copied:
        return "copied unchanged, with all metadata, as nothing to cover was found"
    if isinstance(report, RedactionReport) and report.covered:
        return _make_partial_note(report)
    if not isinstance(report, RobustReport):
        return None
    if report.expected_psnr is None:
        size = f"made smaller to {report.shape[1]} x {report.shape[0]} pixels; "
        shrunk = size if report.shrunk else ""
        return f"{shrunk}the picture comes back approximately, and is not secret"
    cropped = f"; {report.missing:.0%} of it was cropped off" if report.missing else ""
    quality = f"restored roughly, about {report.expected_psnr:.0f} dB{cropped}"
    return f"{quality}; nothing shows whether its pixels were changed"


def _make_partial_note(report: RedactionReport) -> str:
    """Return what must be said of a picture that is covered in part."""
    *others, last = map(str, report.covered)
    left = f"layer {last} of {report.layers} stays covered"
    if others:
        left = f"layers {', '.join(others)} and {last} of {report.layers} stay covered"
    first = "; in files of version 1 anyone may have changed orientation and colors"
    return f"lifted {', '.join(report.lifted)}; {left}{first * (report.version == 1)}"


def make_announcer() -> Callable[[str], None]:
    """Return what prints the first of some lines, which says what to expect, and more if asked."""
    printed = False

    def announce(text: str) -> None:
        nonlocal printed
        if printed:
            say_more(text)
        else:
            say("note", text)
        printed = True

    return announce


@contextmanager
def progress_bar(title: str, *, stages: int = 0) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, with rate and remaining time, where stderr is a terminal.

    Elsewhere, what takes long prints a line at each of the `stages` of the work; so does all work
    on a terminal that shows plain lines only, or is too narrow for a bar. Yields a
    callback(done, total).
    """
    if _verbosity is Verbosity.QUIET or not is_terminal():
        yield _make_stage_printer(title, stages) if stages else lambda *_: None
        return
    if is_plain() or 0 < get_terminal_columns() < _LEAST_WIDTH:
        yield _make_stage_printer(title, stages or _PLAIN_STAGES, pause=_SILENT)
        return
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    class RateColumn(progress.ProgressColumn):
        """Steps in a second."""

        def render(self, task: progress.Task) -> Text:
            return Text(f"{task.speed or 0:.1f}/s")

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        RateColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(title, total=None)
        yield lambda done, total: shown.update(task, completed=done, total=total)


def _make_stage_printer(title: str, stages: int, *, pause: float = 0) -> Callable[[int, int], None]:
    """Return a callback that prints a line at each of these stages, at most one in `pause` s."""
    last, moment = 0, time.monotonic()

    def advance(done: int, total: int) -> None:
        nonlocal last, moment
        stage = stages * done // max(total, 1)
        if stage > last and time.monotonic() - moment >= pause:
            last, moment = stage, time.monotonic()
            say("note", f"{title}: {100 * stage // stages} % done")

    return advance
