"""Shells complete our commands: bash for real, and every shell that is there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

PACKAGED = Path(__file__).parent.parent.parent / "docs" / "completion"
"""What the wheel installs where shells look for completion."""

_BASH = """
eval "$(sudokucrypt completion bash)"
complete -p sudokucrypt
# What readline does when the tab key is pressed; outside of it there are no options to set.
compopt() { echo "$@" >> options; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_sudokucrypt_completion sudokucrypt
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """An environment in which our command is found by its name."""
    location = tmp_path / "programs"
    location.mkdir()
    program = location / "sudokucrypt"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sudokucrypt "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{location}{os.pathsep}{os.environ['PATH']}"}


def shell(command: list[str], path: dict[str, str], folder: Path) -> list[str]:
    done = subprocess.run(
        command, env=path, cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_every_shell_gets_a_script(run: Run) -> None:
    """The script says in its first line how it is used, and names our command and variable."""
    uses = {
        "bash": ('~/.bashrc: eval "$(sudokucrypt completion bash)"', "complete -o nosort -F"),
        "zsh": ('~/.zshrc, after compinit: eval "$(sudokucrypt completion zsh)"', "compdef"),
        "fish": (
            "sudokucrypt completion fish > ~/.config/fish/completions/sudokucrypt.fish",
            "complete --no-files --command sudokucrypt",
        ),
    }
    for name, (use, word) in uses.items():
        done = run("completion", name)
        assert done.code == 0
        first, *script = done.out.splitlines()
        assert first.startswith("# ")
        assert first.endswith(use)
        assert any(word in line for line in script)
        assert f"_SUDOKUCRYPT_COMPLETE={name}_complete" in done.out
    assert run("completion", "tcsh").code == 2
    assert run("completion").code == 2


def test_a_script_for_a_shell_that_is_elsewhere(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bash, the script is printed all the same, with a warning in our form."""
    monkeypatch.setenv("PATH", "")
    done = run("completion", "bash")
    warning = (
        "sudokucrypt: warning: the script needs bash 4.4 or later, which is not on this path\n"
    )
    assert (done.code, done.err) == (0, warning)
    assert "complete -o nosort" in done.out


@pytest.mark.programs("bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["enc"], ["encrypt"]),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (
                (["completion", ""], ["bash", "zsh", "fish"]),
                (["scramble", "--unit", ""], ["pixel", "sample", "block"]),
                (["redact", "--fa"], ["--faces", "--face-margin"]),
                (["encrypt", "--format", ""], ["png", "tiff"]),
                (
                    ["key", ""],
                    ["show", "passphrase", "picture", "card", "read-card", "split", "join"],
                ),
                (["info", "ph"], None),  # the name of a file
                (["redact", "--mask", ""], None),
            )
        ),
    ],
)
def test_bash(
    path: dict[str, str], tmp_path: Path, words: list[str], expected: list[str] | None
) -> None:
    """bash offers commands, options and choices, and completes the names of files itself."""
    command = ["bash", "--norc", "-c", _BASH, "bash", "sudokucrypt", *words]
    first, *offered = shell(command, path, tmp_path)
    assert first == "complete -o nosort -F _sudokucrypt_completion sudokucrypt"
    assert sorted(offered) == sorted(expected or [""])
    assert (tmp_path / "options").exists() == (expected is None)


@pytest.mark.programs("bash")
def test_bash_loads_what_is_packaged(path: dict[str, str], tmp_path: Path) -> None:
    """The file of the wheel leads to the script that the program prints, whatever click writes."""
    scripts = ('eval "$(sudokucrypt completion bash)"', f'source "{PACKAGED}/sudokucrypt"')
    printed, packaged = (
        shell(["bash", "--norc", "-c", f"{script}; complete -p; declare -f"], path, tmp_path)
        for script in scripts
    )
    assert printed == packaged
    assert "complete -o nosort -F _sudokucrypt_completion sudokucrypt" in packaged


@pytest.mark.programs("zsh")
def test_zsh(path: dict[str, str], tmp_path: Path) -> None:
    """zsh takes the script after compinit, and then knows how to complete our command."""
    script = 'autoload -Uz compinit && compinit -u -D && eval "$(sudokucrypt completion zsh)"'
    command = ["zsh", "-f", "-c", f"{script} && print $_comps[sudokucrypt]"]
    assert shell(command, path, tmp_path) == ["_sudokucrypt_completion"]


@pytest.mark.programs("zsh")
def test_zsh_loads_what_is_packaged(path: dict[str, str], tmp_path: Path) -> None:
    """compinit finds the file of the wheel, which hands over to what the program prints."""
    find = f'fpath=("{PACKAGED}" $fpath); autoload -Uz compinit && compinit -u -D'
    # Outside of a completion the last line of the file has nothing to add to.
    load = "print $_comps[sudokucrypt]; _sudokucrypt 2> errors; print $_comps[sudokucrypt]"
    command = ["zsh", "-f", "-c", f"{find}; {load}"]
    assert shell(command, path, tmp_path) == ["_sudokucrypt", "_sudokucrypt_completion"]


@pytest.mark.programs("fish")
@pytest.mark.parametrize(
    "script", ["sudokucrypt completion fish | source", f'source "{PACKAGED}/sudokucrypt.fish"']
)
def test_fish(path: dict[str, str], tmp_path: Path, script: str) -> None:
    """fish offers our commands, by what is printed and by the file of the wheel."""
    script = f'{script}; complete --do-complete "sudokucrypt enc"'
    offered = shell(["fish", "--no-config", "-c", script], path, tmp_path)
    assert [line.split("\t")[0] for line in offered] == ["encrypt"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words", "before", "expected"),
    [
        ("zsh", "sudokucrypt enc", "1", "plain\nencrypt\nEncrypt pictures"),
        ("fish", "sudokucrypt enc", "enc", "plain,encrypt\tEncrypt pictures"),
    ],
)
def test_what_other_shells_are_told(
    path: dict[str, str], tmp_path: Path, name: str, words: str, before: str, expected: str
) -> None:
    """What the scripts for zsh and fish ask of the command is answered in their form."""
    asked = {"_SUDOKUCRYPT_COMPLETE": f"{name}_complete", "COMP_WORDS": words, "COMP_CWORD": before}
    answer = "\n".join(shell(["sudokucrypt"], {**path, **asked}, tmp_path))
    assert answer.startswith(expected)
