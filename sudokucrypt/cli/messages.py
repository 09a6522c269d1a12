"""Messages and progress of commands, printed to stderr, lower case and without a final period.

No message repeats a key or passphrase that was typed in the wrong place. A key is recognized by its
form. A passphrase can be any text, so a message repeats an argument only if it is a value of an
option without secrets, the name of a file, similar to a file name, or a short number. Messages
name other arguments by their position.
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


# Patterns are text here, and compiled only when the first message is printed.
_KEY_PATTERN = r"(?i)(?:sudokucrypt|age)-(?:[a-z]+-)+1[0-9a-z]+"
# A key may be cut off at its beginning. Recipients, which begin with age1, are public.
_BECH32_ALPHABET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_MIXED_TEXT_LOOKAHEAD = (
    r"(?=(?:[a-z]*\d){3})(?=(?:\d*[a-z]){3})"  # at least three digits and three letters
)
_LONG_BECH32_PATTERN = (
    rf"(?i)(?<!age1)(?<!age1pq1)(?<![0-9a-z]){_MIXED_TEXT_LOOKAHEAD}"
    rf"[{_BECH32_ALPHABET}]{{40,}}(?![0-9a-z])"
)
_FILE_SUFFIXES = """
    age apng avif bin bmp csv gif gz heic heif htm html icc ico jp2 jpeg jpg json jsonl jxl key link
    md mov mp4 npy opensudoku pdf pgm png pnm ppm psd puzzle py qoi sdk sdm svg tar tex tga tif tiff
    txt webp zip
"""
_FILE_NAME_PATTERN = (
    rf"(?i)(?:\.{{0,2}}/|~|[a-z][a-z0-9+]*://)\S*|.*\.(?:{'|'.join(_FILE_SUFFIXES.split())})"
)
_NUMBER_PATTERN = r"[-+\d.,:x%]{1,24}"
_HIDDEN_VALUE_PATTERN = r"-[ki]|--(?:new-)?(?:key|pass|identity|to\b|words|max-derivation).*"
_allowed_words: set[str] = set()  # words that messages may repeat
_harmless_options: set[str] = set()  # options with values that messages may repeat
_SECRET_VARIABLES = ("SUDOKUCRYPT_KEY_FILE", "SUDOKUCRYPT_KEY", "SUDOKUCRYPT_PASSPHRASE")


def hide_secrets(text: str) -> str:
    """Replace keys, and arguments that may be a passphrase, in a message."""
    text = re.sub(_LONG_BECH32_PATTERN, "[key]", re.sub(_KEY_PATTERN, "[key]", text))
    variable_values = tuple(os.environ.get(name, "") for name in _SECRET_VARIABLES)
    for argument, name in _list_replacements(
        tuple(sys.argv), variable_values, frozenset(_harmless_options)
    ):
        # Checked again: the argument may be a file by now, or an allowed word.
        if argument in text and not is_harmless(argument):
            for quoted_argument in (
                f"'{argument}'",
                repr(argument),
                f'"{argument}"',
                f"({argument})",
            ):
                text = text.replace(quoted_argument, name)
    return text


def is_harmless(argument: str) -> bool:
    """Return whether messages may repeat an argument: it is or looks like a file or a number."""
    has_harmless_form = re.fullmatch(_FILE_NAME_PATTERN, argument) or re.fullmatch(
        _NUMBER_PATTERN, argument
    )
    folder, slash, _ = argument.partition("/")
    is_in_folder = bool(slash) and os.path.isdir(folder)
    return (
        bool(has_harmless_form)
        or is_in_folder
        or argument in _allowed_words
        or os.path.lexists(argument)
    )


def allow_word(word: str) -> str:
    """Let messages repeat a word that resembles a command, option or choice; return the word."""
    _allowed_words.add(word)
    return word


def allow_option_values(names: Iterable[str]) -> None:
    """Let messages repeat the values of these options, except options for secrets."""
    _harmless_options.clear()
    _harmless_options.update(
        [name for name in names if not re.fullmatch(_HIDDEN_VALUE_PATTERN, name)]
    )


def describe_position(argument: str) -> str:
    """Return the text that stands for an argument in messages, such as "(argument 2)"."""
    return f"(argument {sys.argv.index(argument)})" if argument in sys.argv else "(an argument)"


@lru_cache(maxsize=4)
def _list_replacements(
    arguments: tuple[str, ...], variable_values: tuple[str, ...], harmless_options: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Return texts that messages must not repeat, with the replacement of each.

    They are arguments, values of options, and values of environment variables.
    """
    numbered_arguments = list(enumerate(arguments))[1:]
    argument_replacements = [
        (text, f"(argument {index})")
        for index, text in numbered_arguments
        if not text.startswith("-") and arguments[index - 1] not in harmless_options
    ]
    values = [
        (text.partition("=")[2] if text.startswith("--") else text[2:], f"(in argument {index})")
        for index, text in numbered_arguments
        if text.startswith("-") and harmless_options.isdisjoint({text[:2], text.partition("=")[0]})
    ]
    named_variables = zip(variable_values, _SECRET_VARIABLES, strict=True)
    variable_replacements = [(text, f"(the value of {name})") for text, name in named_variables]
    candidates = [
        (text, name)
        for text, name in [*argument_replacements, *values, *variable_replacements]
        if text
    ]
    return tuple((text, name) for text, name in candidates if not is_harmless(text))


class Verbosity(IntEnum):
    """How much is printed: no notes (QUIET), the usual notes, or also a note for each input."""

    QUIET = 0
    USUAL = 1
    VERBOSE = 2


_COLORS = {"error": "red", "warning": "yellow", "hint": "cyan", "note": None}
_MIN_GROWTH, _MEGABYTE = 1.5, 1_000_000
"""A note tells that results are larger if they are this many times, and this many bytes, larger."""
_DEFAULT_WIDTH = 80  # columns, if the terminal does not report its width
_MIN_WIDTH = 40  # columns; a narrower terminal breaks longer lines itself
_PLAIN_STAGE_COUNT = 4  # lines of progress on a plain terminal, in place of a bar
_STAGE_SECONDS = 2.0  # time between two such lines, so that quick work prints none
_verbosity = Verbosity.USUAL
_is_output_plain = False

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

# Hints for users of the command line, by the hint key of the error; they replace the hints of the
# library.
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
    """Set how much all threads print from now on."""
    global _verbosity  # noqa: PLW0603 - threads print too, and do not see context variables
    _verbosity = verbosity


def set_plain_output(*, plain: bool) -> None:
    """Set whether only plain lines are printed from now on, without colors and bars."""
    global _is_output_plain  # noqa: PLW0603 - as above
    _is_output_plain = plain


def is_output_plain() -> bool:
    """Return whether to print no colors, and nothing that moves the cursor of a terminal.

    The user can choose this by --plain or NO_COLOR, and a terminal by TERM.
    """
    # Windows does not set TERM.
    plain_term_values = ("", "dumb") if os.name == "posix" else ("dumb",)
    return (
        _is_output_plain
        or bool(os.environ.get("NO_COLOR"))
        or os.environ.get("TERM", "") in plain_term_values
    )


def is_terminal() -> bool:
    """Return whether messages go to a terminal."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except ValueError:  # stderr is closed
        return False


def get_terminal_columns() -> int:
    """Return the number of columns of the terminal that messages go to, or 0 if unknown."""
    try:  # `shutil` would ask stdout, which may be a file, for its width
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0


def say(kind: Literal["error", "warning", "note", "hint"], text: str) -> None:
    """Print one message to stderr, since stdout is for results.

    Unprintable characters are escaped: the name of a file may contain line breaks and commands for
    terminals. On a terminal, the line wraps at words, and its kind has a color. If stderr is closed
    or full, the message is lost and no error is raised.
    """
    if kind == "note" and _verbosity is Verbosity.QUIET:
        return
    text = hide_secrets(text)
    with suppress(UnicodeError):  # file names that the locale cannot decode are often UTF-8
        text = text.encode("utf-8", "surrogateescape").decode("utf-8")
    escaped_text = "".join(
        letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text
    )
    line = f"sudokucrypt: {kind}: {escaped_text}"
    if is_terminal() and not _is_output_plain:
        from textwrap import fill

        # Names of files are not split.
        line = fill(
            line,
            max(get_terminal_columns() or _DEFAULT_WIDTH, _MIN_WIDTH),
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        if not is_output_plain():
            label = click.style(f"{kind}:", fg=_COLORS[kind], bold=kind == "error" or None)
            line = line.replace(f"{kind}:", label, 1)
    with suppress(OSError, ValueError):
        click.echo(line, err=True)


def say_if_verbose(text: str) -> None:
    """Print a note if --verbose was given."""
    if _verbosity is Verbosity.VERBOSE:
        say("note", text)


def describe_error(error: Exception) -> str:
    """Return the message that users see for an expected or unexpected error."""
    if isinstance(error, SudokucryptError):
        return str(error)
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    detail = getattr(error, "strerror", None) or f"unexpected {type(error).__name__}"
    return detail[:1].lower() + detail[1:]


def find_hint(error: Exception) -> str | None:
    """Return the hint that the command line prints for an error, or None."""
    if not isinstance(error, SudokucryptError):
        return None
    return _HINTS.get(error.hint_key or "", error.hint)


def say_error(error: SudokucryptError) -> None:
    """Print an error and its hint."""
    say("error", str(error))
    if hint := find_hint(error):
        say("hint", hint)


def say_result_notes(report: FileReport, *, is_named: bool) -> None:
    """Print notes about a result: what it lacks, and its path unless the user named it."""
    if report.kept:
        say("note", f"'{report.target}' is already there")
        return
    inexactness_note = make_inexactness_note(report)
    if report.renamed is not None:
        say_sealed_name(report.renamed, str(report.target))
    if report.dropped:
        exactness_text = "" if inexactness_note else "; the samples are exact"
        say("note", f"not carried over: {', '.join(report.dropped)}{exactness_text}")
    if inexactness_note:
        say("note", inexactness_note)
    if report.mode == "pixels":
        say_growth(report.source_bytes, report.target_bytes)
    if not is_named and report.target is not None:
        say("note", f"wrote '{report.target}'")


def say_growth(input_bytes: int | None, output_bytes: int | None) -> None:
    """Print a note if results of encrypting by pixels are much larger than the source files."""
    if (
        input_bytes
        and output_bytes
        and output_bytes > _MIN_GROWTH * input_bytes
        and output_bytes - input_bytes >= _MEGABYTE
    ):
        sizes = f"{input_bytes / _MEGABYTE:.1f} to {output_bytes / _MEGABYTE:.1f} MB"
        say("note", f"from {sizes}: pixels take more space than the file did")


def say_sealed_name(sealed_name: str, target: str) -> None:
    """Print a note that a restored file does not have its sealed name, so that it can be found."""
    say("note", f"the file inside is called '{sealed_name}'; it is in '{target}'")


def say_missing_kernels() -> None:
    """Print a note that slower code is used, unless compiled kernels exist."""
    from sudokucrypt.kernels import is_compiled

    if not is_compiled():
        say(
            "note",
            "there are no compiled kernels, so slower code is used; to have them, install a C "
            "compiler, and then sudokucrypt again",
        )


def make_inexactness_note(report: FileReport) -> str | None:
    """Return the note about a result that is not an exact or complete original, or None."""
    from sudokucrypt.recipes.carriers.contract import RedactionReport, RobustReport

    if isinstance(report, RedactionReport) and report.copied:
        return "copied unchanged, with all metadata, as nothing to cover was found"
    if isinstance(report, RedactionReport) and report.covered:
        return _make_covered_layers_note(report)
    if not isinstance(report, RobustReport):
        return None
    if report.expected_psnr is None:
        size = f"made smaller to {report.shape[1]} x {report.shape[0]} pixels; "
        prefix = size if report.shrunk else ""
        return f"{prefix}the picture can be restored approximately, and is not secret"
    cropped_note = f"; {report.missing:.0%} of it was cropped off" if report.missing else ""
    quality = f"restored roughly, about {report.expected_psnr:.0f} dB{cropped_note}"
    return f"{quality}; nothing shows whether its pixels were changed"


def _make_covered_layers_note(report: RedactionReport) -> str:
    """Return the note about a picture of which some layers were lifted and others stay covered."""
    *earlier_numbers, last_number = map(str, report.covered)
    covered_layers_text = f"layer {last_number} of {report.layers} stays covered"
    if earlier_numbers:
        covered_layers_text = (
            f"layers {', '.join(earlier_numbers)} and {last_number} of {report.layers} stay covered"
        )
    version_warning = "; in files of version 1 anyone may have changed orientation and colors"
    return (
        f"lifted {', '.join(report.lifted)}; "
        f"{covered_layers_text}{version_warning * (report.version == 1)}"
    )


def make_announcer() -> Callable[[str], None]:
    """Return a printer that shows its first line as a note, and later lines only with --verbose."""
    was_first_line_printed = False

    def announce(text: str) -> None:
        nonlocal was_first_line_printed
        if was_first_line_printed:
            say_if_verbose(text)
        else:
            say("note", text)
        was_first_line_printed = True

    return announce


@contextmanager
def show_progress_bar(title: str, *, stages: int = 0) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar, with rate and remaining time, on a terminal; yield its callback.

    The callback takes the number of finished steps and their total. If stderr is not a terminal, it
    prints `stages` lines during the work, by default none. On a terminal that is plain or too
    narrow for a bar, it prints `stages` lines, by default 4, but none for quick work.
    """
    if _verbosity is Verbosity.QUIET or not is_terminal():
        yield _make_stage_printer(title, stages) if stages else lambda *_: None
        return
    if is_output_plain() or 0 < get_terminal_columns() < _MIN_WIDTH:
        yield _make_stage_printer(
            title, stages or _PLAIN_STAGE_COUNT, min_pause_seconds=_STAGE_SECONDS
        )
        return
    from rich import progress
    from rich.console import Console
    from rich.text import Text

    class RateColumn(progress.ProgressColumn):
        """The column with the number of steps per second."""

        def render(self, task: progress.Task) -> Text:
            return Text(f"{task.speed or 0:.1f}/s")

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        RateColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task_id = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task_id, completed=done, total=total)


def _make_stage_printer(
    title: str, stage_count: int, *, min_pause_seconds: float = 0
) -> Callable[[int, int], None]:
    """Return a callback that prints a line at each stage, at least `min_pause_seconds` apart."""
    last_stage, last_print_time = 0, time.monotonic()

    def advance(done_step_count: int, total: int) -> None:
        nonlocal last_stage, last_print_time
        stage = stage_count * done_step_count // max(total, 1)
        if stage > last_stage and time.monotonic() - last_print_time >= min_pause_seconds:
            last_stage, last_print_time = stage, time.monotonic()
            say("note", f"{title}: {100 * stage // stage_count} % done")

    return advance
