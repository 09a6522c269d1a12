"""``sudokucrypt completion``: let the shell complete commands, options and file names."""

import io
from contextlib import redirect_stderr

import click
from click.shell_completion import get_completion_class

from sudokucrypt.cli.messages import say

_INSTRUCTIONS = {
    "bash": 'add to ~/.bashrc: eval "$(sudokucrypt completion bash)"',
    "zsh": 'add to ~/.zshrc, after compinit: eval "$(sudokucrypt completion zsh)"',
    "fish": "run: sudokucrypt completion fish > ~/.config/fish/completions/sudokucrypt.fish",
}


@click.command("completion")
@click.argument("shell", type=click.Choice(list(_INSTRUCTIONS)))
@click.pass_context
def command(context: click.Context, *, shell: str) -> None:
    """Print the completion script for SHELL, with instructions in a comment."""
    root_context = context.find_root()
    completion_class = get_completion_class(shell)
    if completion_class is None:  # a future release of click could drop a shell
        raise click.UsageError(f"completion for {shell} is not available")
    with redirect_stderr(
        io.StringIO()
    ) as error_output:  # click warns here about an old version of bash
        script = completion_class(
            root_context.command, {}, "sudokucrypt", "_SUDOKUCRYPT_COMPLETE"
        ).source()
    if error_output.getvalue():
        say("warning", f"the script needs {shell} 4.4 or later, which is not on this path")
    click.echo(f"# {_INSTRUCTIONS[shell]}")
    click.echo(script)
