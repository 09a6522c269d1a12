"""The commands that protect picture files, restore them, and change their key."""

from __future__ import annotations

from dataclasses import fields, replace
from inspect import unwrap
from typing import TYPE_CHECKING, Any

import click

from sudokucrypt.cli.extensions import (
    CommandFunction,
    GroupedCommand,
    declared_option,
    option,
    option_group,
)
from sudokucrypt.cli.keys.secret_options import (
    SecretOptions,
    load_protecting_key,
    load_restoring_key,
    recipient_options,
    say_who_can_open,
    secret_options,
)
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import (
    FILE_TYPE,
    BatchOptions,
    PruningOptions,
    batch_options,
    scheme_option,
)
from sudokucrypt.recipes.options import (
    DecryptOptions,
    EncryptOptions,
    RekeyOptions,
    RobustOptions,
    ScrambleOptions,
    UnscrambleOptions,
)

if TYPE_CHECKING:
    from sudokucrypt.cli.pictures.job import RunSettings

# Commands import the code that does their work only when they run, so that a misspelled option
# is reported at once.

# Options that only make sense where pictures are restored exactly.
_EXACT_ONLY_OPTIONS = {
    "unit", "block_size", "rounds", "deterministic", "scheme", "metadata", "sidecar",
    "compress",
}  # fmt: skip


def _list_profiles(context: click.Context, _: click.Parameter, name: str | None) -> str | None:
    """For ``--profile list``, print a table of profiles and exit; otherwise return `name`."""
    if name != "list":
        return name
    from sudokucrypt.robust import PROFILES

    click.echo(f"{'profile':10} {'max side':>8} {'quality':>7}  {'date':7}  source")
    for profile in PROFILES.values():
        line = f"{profile.name:10} {profile.max_side:8} {profile.quality:7}"
        click.echo(f"{line}  {profile.date:7}  {profile.source}")
    return context.exit()


def robust_options(command: CommandFunction) -> CommandFunction:
    """Add the parameters ``robust``, ``profile``, ``max_side`` and ``quality`` to a command."""
    for add_option in (
        declared_option(RobustOptions, "quality"),
        declared_option(RobustOptions, "max_side"),
        declared_option(RobustOptions, "profile", callback=_list_profiles, is_eager=True),
        option(
            "--robust",
            "Survive services that recompress pictures; the restored picture is close to the "
            "original, not equal. Writes a gray JPEG, or a PNG.",
            heading="How",
            everyday=True,
        ),
    ):
        command = add_option(command)
    return command


def check_robust_options(*, robust: bool, **robust_settings: Any) -> None:
    """Raise `click.UsageError` for options that cannot be combined with ``--robust``."""
    if not robust:
        if any(robust_settings.values()):
            raise click.UsageError("--profile, --max-side and --quality go with --robust")
        return
    context = click.get_current_context()
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        value = value and value != parameter.get_default(context)
        if value and parameter.name in _EXACT_ONLY_OPTIONS:
            raise click.UsageError(f"--robust cannot be combined with {parameter.opts[0]}")


def make_robust_options(options: ScrambleOptions, **robust_settings: Any) -> RobustOptions:
    """Return the options of ``--robust``, with the common options copied from `options`."""
    shared_field_names = {field.name for field in fields(RobustOptions)} & {
        field.name for field in fields(options)
    }
    return RobustOptions(
        **{name: getattr(options, name) for name in shared_field_names}, **robust_settings
    )


_EXAMPLES = {
    "encrypt": """\
sudokucrypt encrypt photo.jpg --key my.key
sudokucrypt encrypt holidays -r --all-files -o safe --key my.key""",
    "scramble": """\
sudokucrypt scramble photo.jpg --key my.key
sudokucrypt scramble photo.png --unit block --key my.key""",
    "decrypt": """\
sudokucrypt decrypt photo.jpg.encrypted.png --key my.key
sudokucrypt decrypt safe -r -o holidays --key my.key""",
    "unscramble": """\
sudokucrypt unscramble photo.jpg.scrambled.jpg --key my.key
sudokucrypt unscramble hidden -r -o shown --key my.key""",
    "rekey": """\
sudokucrypt rekey photo.jpg.encrypted.png --key my.key --new-key new.key
sudokucrypt rekey safe -r -o new --key my.key --new-key new.key""",
}


@click.command(cls=GroupedCommand, examples=_EXAMPLES["encrypt"])
@batch_options
@option(
    "--all-files",
    "Take files of any kind from folders, including hidden ones.",
    heading="What",
    everyday=True,
)
@option(
    "--prune",
    "With --update, remove results whose original is gone, after asking.",
    heading="Where",
    everyday=True,
)
@option(
    "--yes",
    "Do not ask before --prune removes results, unless most would go or a folder is empty.",
    heading="Where",
)
@option_group("options", EncryptOptions, excluded_names=("scheme",))
@scheme_option("encrypt-v1")
@recipient_options
@secret_options
def encrypt(
    *,
    batch: BatchOptions,
    options: EncryptOptions,
    secret: SecretOptions,
    all_files: bool,
    prune: bool,
    yes: bool,
) -> None:
    """Encrypt pictures and other files.

    IN is a file, a folder, or - for stdin. Results are pictures that look like noise. Decrypting
    restores the very same file; with --as pixels, and with options that need pixels, it restores
    the same pixels and metadata in a new file. Only size, shape, depth and the key id stay
    visible.
    """
    from sudokucrypt.cli.pictures.batch_run import run

    if all_files and options.as_file is None:
        options = replace(options, as_file=True)
    if (yes and not prune) or (prune and not options.update):
        raise click.UsageError("--prune is for --update" if prune else "--yes is for --prune")
    pruning = PruningOptions(prune=prune, skips_question=yes)
    run(batch, _make_protecting_work(batch, options, secret), all_files=all_files, pruning=pruning)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["scramble"])
@batch_options
@option_group("options", ScrambleOptions, excluded_names=("scheme",))
@scheme_option("scramble-v1")
@robust_options
@recipient_options
@secret_options
def scramble(
    *,
    batch: BatchOptions,
    options: ScrambleOptions,
    secret: SecretOptions,
    robust: bool,
    **robust_settings: Any,
) -> None:
    """Scramble pictures: move their pixels by a permutation that depends on the key.

    IN is a file, a folder, or - for stdin. This hides a picture from view but is not encryption:
    pixels keep their values. Metadata are sealed. A JPEG stays a JPEG, whose blocks are moved and
    masked, and unscrambling restores the very same file.
    """
    from sudokucrypt.cli.pictures.batch_run import run

    check_robust_options(robust=robust, **robust_settings)
    if robust:
        from sudokucrypt.cli.pictures.job import RunSettings
        from sudokucrypt.recipes import scramble_robust_file

        work = RunSettings(
            recipe=unwrap(scramble_robust_file),
            options=make_robust_options(options, **robust_settings),
            secret_options=(secret,),
            keys=(load_protecting_key(secret, batch.sources),),
        )
        run(batch, work)
        return
    shape = run(batch, _make_protecting_work(batch, options, secret))
    block_size = options.block_size or 16
    if options.unit == "block" and shape is not None and max(shape[:2]) < 2 * block_size:
        say("warning", "no two whole blocks fit into the picture; choose a smaller --block-size")


def _make_protecting_work(
    batch: BatchOptions, options: EncryptOptions | ScrambleOptions, secret: SecretOptions
) -> RunSettings:
    """Return the work of ``encrypt``, or of ``scramble`` without ``--robust``."""
    from sudokucrypt.cli.pictures.job import RunSettings
    from sudokucrypt.recipes import operations

    key = load_protecting_key(secret, batch.sources)
    say_who_can_open(key)
    return RunSettings(
        recipe=operations.protect, options=options, secret_options=(secret,), keys=(key,)
    )


@click.command(cls=GroupedCommand, examples=_EXAMPLES["decrypt"])
@batch_options
@scheme_option(None, expose_value=False)
@option_group("options", DecryptOptions)
@secret_options
def decrypt(*, batch: BatchOptions, options: DecryptOptions, secret: SecretOptions) -> None:
    """Decrypt pictures and files exactly, or fail.

    IN is a file, a folder, or - for stdin. What was encrypted as a file gets back its name and
    time. A wrong key or a changed picture is detected, and then nothing is written.
    """
    _restore_inputs(batch, options, secret)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["unscramble"])
@batch_options
@scheme_option(None, expose_value=False)
@option_group("options", UnscrambleOptions)
@secret_options
def unscramble(*, batch: BatchOptions, options: UnscrambleOptions, secret: SecretOptions) -> None:
    """Restore scrambled pictures exactly, or fail.

    IN is a file, a folder, or - for stdin. A wrong key or a changed picture is detected, and then
    nothing is written. Results of 'scramble --robust' are restored approximately, even after
    recompression; changes of their pixels are not detected.
    """
    _restore_inputs(batch, options, secret)


def _restore_inputs(batch: BatchOptions, options: DecryptOptions, secret: SecretOptions) -> None:
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.cli.pictures.job import RunSettings
    from sudokucrypt.recipes import operations

    key = load_restoring_key(secret, batch.sources)
    work = RunSettings(
        recipe=operations.restore, options=options, secret_options=(secret,), keys=(key,)
    )
    run(batch, work, is_restoring=True)


@click.command(cls=GroupedCommand, examples=_EXAMPLES["rekey"])
@batch_options
@option(
    "--new-key NEW",
    "File of the new key, or - for stdin. With --to it may be left out.",
    type=FILE_TYPE,
    heading="Key",
    everyday=True,
)
@scheme_option(None, expose_value=False)
@option_group("options", RekeyOptions)
@recipient_options
@secret_options
def rekey(
    *, batch: BatchOptions, options: RekeyOptions, secret: SecretOptions, new_key: str | None
) -> None:
    """Restore pictures with the old key and protect them with the new one, or for recipients.

    IN is a file, a folder, or - for stdin. Scheme, unit, rounds and sealed metadata stay;
    the salt is new. Nothing plain is written to disk. Existing copies of IN still open with the old
    key. Results have the recipients that --to names and no others.
    """
    from sudokucrypt.cli.pictures.batch_run import run
    from sudokucrypt.cli.pictures.job import RunSettings
    from sudokucrypt.recipes import operations

    new_key_options = SecretOptions(
        key=() if new_key is None else (new_key,), to=secret.to, to_file=secret.to_file
    )
    secret = replace(secret, to=(), to_file=())
    if not (new_key_options.key or new_key_options.to or new_key_options.to_file):
        raise click.UsageError("name the new key with --new-key, or recipients with --to")
    if secret.reads_stdin and new_key_options.reads_stdin:
        raise click.UsageError("stdin cannot give both keys")
    new_keys = load_protecting_key(new_key_options, batch.sources)
    say_who_can_open(new_keys)
    work = RunSettings(
        recipe=operations.rekey,
        options=options,
        secret_options=(secret, new_key_options),
        keys=(load_restoring_key(secret, batch.sources), new_keys),
    )
    run(batch, work, is_restoring=True)
