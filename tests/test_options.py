"""Options are declared once: functions, commands and the reference use the declaration."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import Field, fields, is_dataclass
from pathlib import Path
from typing import Any

import click
import pytest

import sudokucrypt
from docs import options as reference
from sudokucrypt.cli.keys.secret_options import SecretOptions
from sudokucrypt.cli.options import BatchOptions, UnredactBatchOptions
from sudokucrypt.cli.pictures import commands, redaction
from sudokucrypt.cli.pictures.regions import RegionOptions
from sudokucrypt.options import OptionDeclaration, Options, describe_type, list_declared_options
from sudokucrypt.recipes import options

ROOT = Path(sudokucrypt.__file__).parent
KINDS = [each for each in vars(options).values() if isinstance(each, type) and is_dataclass(each)]
COMMAND_KINDS = [BatchOptions, UnredactBatchOptions, RegionOptions, SecretOptions]
FUNCTIONS: dict[str, type[Options]] = {
    "encrypt": options.EncryptArrayOptions,
    "scramble": options.ScrambleArrayOptions,
    "encrypt_file": options.EncryptOptions,
    "decrypt_file": options.DecryptOptions,
    "scramble_file": options.ScrambleOptions,
    "unscramble_file": options.UnscrambleOptions,
    "rekey_file": options.RekeyOptions,
    "scramble_robust_file": options.RobustOptions,
    "unscramble_robust_file": options.UnscrambleRobustOptions,
    "redact_file": options.RedactOptions,
    "unredact_file": options.UnredactOptions,
    "encrypt_bytes": options.EncryptOptions,
    "decrypt_bytes": options.DecryptOptions,
    "scramble_bytes": options.ScrambleOptions,
    "unscramble_bytes": options.UnscrambleOptions,
}
PATH_OPTIONS = {"sidecar", "replace", "resume", "update", "checksum"}
COMMANDS: dict[click.Command, list[type]] = {
    commands.encrypt: [options.EncryptOptions, BatchOptions, SecretOptions],
    commands.decrypt: [options.DecryptOptions, BatchOptions],
    commands.scramble: [options.ScrambleOptions, BatchOptions, SecretOptions],
    commands.unscramble: [options.UnscrambleOptions, BatchOptions],
    commands.rekey: [options.RekeyOptions, BatchOptions, SecretOptions],
    redaction.redact: [options.RedactOptions, BatchOptions, RegionOptions, SecretOptions],
    redaction.unredact: [options.UnredactOptions, UnredactBatchOptions],
}


def _iterate_declared() -> Iterator[tuple[Field[Any], OptionDeclaration]]:
    for kind in (*KINDS, *COMMAND_KINDS):
        yield from list_declared_options(kind).values()


def test_every_option_is_described() -> None:
    """Each option has whole sentences, and a number has a range."""
    for option_field, declared in _iterate_declared():
        assert re.fullmatch(r"\S.*[A-Za-z0-9_.)%`]\.", declared.text), option_field.name
        kind = str(option_field.type)
        if re.search(r"\b(int|float)\b", kind) and option_field.name != "shard":
            assert declared.bounds, option_field.name
        assert option_field.name == "sources" or "|" not in describe_type(option_field, declared)
    undeclared = {each.name for kind in KINDS for each in fields(kind)} - {
        name for kind in KINDS for name in list_declared_options(kind)
    }
    assert undeclared == set()


def test_no_sentence_is_written_twice() -> None:
    """Each description of an option is written once in the package."""
    texts: dict[str, int] = {}
    for _, declared in _iterate_declared():
        assert texts.setdefault(declared.text, id(declared.text)) == id(declared.text)
    source = " ".join(path.read_text("utf-8") for path in sorted(ROOT.rglob("*.py")))
    plain = re.sub(r'"\s+f?"', "", " ".join(source.split()))
    for text in texts:
        first_sentence = text.partition(". ")[0]
        assert plain.count(first_sentence) <= 1 or len(first_sentence) < 40, first_sentence


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_have_the_declared_options(name: str) -> None:
    """Signature and docstring have each option with its default, range and description."""
    function: Callable[..., Any] = getattr(sudokucrypt, name)
    kind, text = FUNCTIONS[name], " ".join(str(inspect.getdoc(function)).split())
    hidden_options = PATH_OPTIONS if name.endswith("_bytes") else set()
    parameters = inspect.signature(function).parameters
    for option, (option_field, declared) in list_declared_options(kind).items():
        if option in hidden_options:
            assert option not in parameters
            continue
        assert parameters[option].default == option_field.default
        assert f"{option} : {describe_type(option_field, declared)} {declared.text}" in text
    for parameter in parameters:
        assert re.search(rf"\*?{parameter} : ", text), parameter
    assert not re.search(r"<\w+>", text)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_commands_have_the_declared_options(command: click.Command) -> None:
    """Each declared option of a command has the description of its field, and its default."""
    options_by_name = {
        str(each.name): each for each in command.params if isinstance(each, click.Option)
    }
    for kind in COMMANDS[command]:
        for name, (option_field, declared) in list_declared_options(kind).items():
            if not declared.in_commands or name == "scheme":
                continue
            option = options_by_name[name]
            expected_help = re.sub(
                r"`(\w+)`", lambda other: f"--{other[1].replace('_', '-')}", declared.text
            )
            assert option.help == expected_help
            if not option.multiple:
                assert option.default == option_field.default


def test_the_reference_lists_all_options() -> None:
    """The page equals what `python -m docs.options` writes, and has all descriptions."""
    text = reference.PAGE.read_text(encoding="utf-8")
    assert text == reference.fill_page(text), "run docs.update again"
    for kind in reference.VERBS.values():
        for _, declared in list_declared_options(kind).values():
            assert declared.text in text
