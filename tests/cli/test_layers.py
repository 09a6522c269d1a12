"""Options before and behind ``--layer`` mean the same, whichever order they are in."""

from typing import Any

import click
import pytest

from sudokucrypt.cli.pictures import batch_run
from sudokucrypt.cli.pictures.redaction import _layer, redact
from tests.cli.conftest import Run

# A value for each option of the whole command, but for the messages of all commands.
_WHOLE: dict[str, tuple[str, ...]] = {
    "output": ("-o", "out/"), "template": ("--name", "{stem}{suffix}"), "recursive": ("-r",),
    "listing": ("--list",), "jobs": ("--jobs", "2"), "resume": ("--resume",),
    "replace": ("--force",), "manifest": ("--manifest=done.jsonl",), "shard": ("--shard", "1/2"),
    "cluster": ("--dask", "local"), "max_pixels": ("--max-pixels", "99999999"),
    "threads": ("--threads", "1"), "dry_run": ("--dry-run",), "list_regions": ("--list-regions",),
    "allow_none": ("--allow-none",), "yes": ("--yes",), "cover": ("--cover", "white"),
    "sidecar": ("--sidecar",), "preview": ("--preview",), "boxes_out": ("--boxes-out", "b.csv"),
    "sources": ("photo.png",),
}  # fmt: skip
# Those of layers that hold for all if they are before the first one.
_HELD: dict[str, tuple[str, ...]] = {
    "face_margin": ("--face-margin", "0.5"), "permanent": ("--permanent",),
    "key": ("--key", "my.key"), "identity": ("--identity", "me.txt"), "to": ("--to", "age1x"),
    "to_file": ("--to-file", "list.pub"), "prompt": ("--passphrase",),
    "file": ("--passphrase-file", "words.txt"), "descriptor": ("--passphrase-fd", "9"),
    "max_derivation": ("--max-derivation", "7"),
}  # fmt: skip
_AREAS = {"rectangles", "mask_file", "boxes_file", "faces", "metadata"}
_FIRST, _SECOND = ("--layer", "a", "--faces"), ("--layer=b", "--faces", "--region", "1,2,3,4")


@pytest.fixture
def orders(run: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what a command would do with its inputs."""
    done: list[Any] = []
    monkeypatch.setattr(batch_run, "run", lambda batch, work: done.append((batch, work)))
    monkeypatch.setattr("sudokucrypt.cli.pictures.redaction.load_protecting", lambda *_: None)

    def order(*arguments: str) -> Any:
        done.clear()
        result = run("redact", *arguments)
        assert result.code == 0, result.err
        ((batch, work),) = done
        steps = work.recipe, work.search, work.found, work.closing
        return batch, steps, work.options, work.secrets, work.layers

    return order


def test_every_option_is_here() -> None:
    """A new option of the command says what it means before and behind ``--layer``."""
    messages = {"quiet", "verbose", "plain", "debug", "help_all"}
    names = {str(parameter.name) for parameter in redact.params} - {"layer", *messages}
    assert names == {*_WHOLE, *_HELD, *_AREAS}
    own = {parameter.name for parameter in _layer.params if isinstance(parameter, click.Option)}
    assert own == {*_HELD, *_AREAS}


@pytest.mark.parametrize("name", _WHOLE)
def test_options_of_the_command(orders: Any, name: str) -> None:
    """They mean the same before the first layer, and behind each."""
    given = _WHOLE[name]
    rest = ("--key", "my.key", *(() if name == "sources" else ("photo.png",)))
    expected = orders(*rest, *given, *_FIRST, *_SECOND)
    assert orders(*rest, *_FIRST, *given, *_SECOND) == expected
    assert orders(*rest, *_FIRST, *_SECOND, *given) == expected
    assert name in ("sources", "yes") or orders(*rest, *_FIRST, *_SECOND) != expected


@pytest.mark.parametrize("name", _HELD)
def test_options_of_all_layers(orders: Any, name: str) -> None:
    """Before the first layer they are those of all layers, and behind one of that one only."""
    given = _HELD[name]
    rest = ("photo.png", "--yes")
    before = orders(*rest, *given, *_FIRST, *_SECOND)
    each = orders(*rest, *_FIRST, *given, *_SECOND, *given)
    assert each == before
    assert orders(*rest, *_FIRST, *_SECOND) != before
    assert orders(*rest, *_FIRST, *given, *_SECOND) not in (
        before,
        orders(*rest, *_FIRST, *_SECOND),
    )


@pytest.mark.parametrize(
    "half", [("--layer",), ("--face-margin", "1"), ("--layer", "--faces"), ("--layer", "a", "-o")]
)
def test_half_of_a_command_is_completed(half: tuple[str, ...]) -> None:
    """A shell that asks for the next word gets no error for what is not there yet."""
    redact.make_context("redact", ["photo.png", *half], resilient_parsing=True)


def test_help_and_messages_may_be_behind_a_layer(run: Run) -> None:
    """So do options that all commands take."""
    assert "Usage" in run("redact", "photo.png", "--layer", "a", "--help").out
    assert isinstance(redact, click.Command)
