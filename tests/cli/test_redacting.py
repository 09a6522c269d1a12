"""`redact`: margins of faces, the confirmation, hostile files, layers, and turned pictures."""

import json
import os
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from PIL import Image

from sudokucrypt.cli.pictures import batch_run
from sudokucrypt.cli.pictures.redaction import _layer_command, redact
from sudokucrypt.images.attachments import add_attachment
from tests.cli.conftest import KEY, PICTURES, Run
from tests.recipes.turned import ORIENTATIONS, SUFFIXES, require_covered, show_upright, turn_picture


@pytest.mark.slow
def test_the_margin_enlarges_faces(run: Run) -> None:
    """--face-margin enlarges each face on all sides; --region is unchanged."""
    regions = {}
    for margin in ("0", "0.5"):
        options = ("--region", "1,2,3,4", "--faces", "--face-margin", margin, "--list-regions")
        result = run("redact", PICTURES / "astronaut.png", "-o", f"{margin}.png", *options, *KEY)
        regions[margin] = [tuple(map(int, line.split(","))) for line in result.out.splitlines()]
    assert regions["0"][0] == regions["0.5"][0] == (1, 2, 3, 4)
    column, row, columns, rows = regions["0"][1]
    top = max(0, row - 0.5 * rows)
    wider_box = (column - 0.5 * columns, top, 2 * columns, row + 1.5 * rows - top)
    assert regions["0.5"][1] == pytest.approx(
        wider_box, abs=3
    )  # both margins are rounded to whole pixels


@pytest.mark.parametrize("answer", [True, False])
def test_covering_for_good_is_asked_once_on_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, answer: bool
) -> None:
    """Covering for good is confirmed on a terminal; "no" or Ctrl-C changes nothing; --yes and
    pipes skip the question."""
    questions: list[str] = []

    def confirm(question: str, *, abort: bool, err: bool) -> None:
        questions.append(question)
        assert abort
        assert err
        if not answer:
            raise click.Abort

    monkeypatch.setattr(click, "confirm", confirm)
    (tmp_path / "copy.png").write_bytes((tmp_path / "photo.png").read_bytes())
    command = ("redact", "photo.png", "--region", "1,2,9,9", "--permanent", "-o")
    result = run(*command, "a.png", terminal=True, code=None)
    assert (result.code == 0) == (tmp_path / "a.png").exists() == answer
    assert len(questions) == 1
    assert "all metadata will be gone" in questions[0]
    assert (run(*command, "many/", "copy.png", terminal=True, code=None).code == 0) == answer
    assert len(questions) == 2
    assert "from all results" in questions[1]
    assert run(*command, "b.png").code == run(*command, "c.png", "--yes", terminal=True).code == 0
    run(*command, "d.png", "--dry-run", terminal=True)
    assert len(questions) == 2


def test_hostile_neighbors(run: Run) -> None:
    """Links, pipes, invalid layers and planted results in a folder affect no other file."""
    picture = Path("photo.png").read_bytes()
    for name in ("in", "out", "back"):
        Path(name).mkdir()
    other_file = Path("precious.txt")
    other_file.write_bytes(b"precious")
    for name in ("a", "b", "c", "d"):
        (Path("in") / f"{name}.png").write_bytes(picture)
    (Path("in") / "b.png.redaction").write_bytes(b"layers of nobody")
    (Path("in") / "c.png").write_bytes(add_attachment(picture, b"no layers"))
    two_packages = add_attachment(add_attachment(picture, b"one"), b"two")
    (Path("in") / "d.png").write_bytes(two_packages)
    (Path("in") / "link.png").symlink_to(other_file.absolute())
    os.mkfifo("in/pipe.png")
    (Path("out") / "a.png.redacted.png").symlink_to(other_file.absolute())
    command = ("redact", "in", "-o", "out", "--region", "9,9,40,40", *KEY)
    result = run(*command, code=1)
    for text in (
        "left out 1 symbolic link",
        "left out 1 pipe, socket or device",
        "left out 1 protected file: 'in/c.png'",
        "'out/a.png.redacted.png' exists",
        "'in/d.png' contains the layers of 2 redactions",
        "1 redacted, 2 failed",
    ):
        assert text in result.err, text
    assert "1 redacted, 0 already there" not in result.err
    (Path("in") / "d.png").unlink()
    run(*command, "--force")
    assert other_file.read_bytes() == b"precious"
    assert not (Path("out") / "a.png.redacted.png").is_symlink()
    (Path("out") / "z.redacted.png").write_bytes(add_attachment(picture, b"no layers"))
    (Path("out") / "plain.png").write_bytes(picture)
    result = run("unredact out -o back", *KEY, code=4)
    assert "left out 1 picture without layers to lift: 'out/plain.png'" in result.err
    assert "2 unredacted, 1 failed" in result.err
    assert {path.name: path.read_bytes() for path in Path("back").iterdir()} == {
        "a.png.unredacted.png": picture,
        "b.png.unredacted.png": picture,
    }
    listing = run("unredact out --list", code=4)
    assert "out/plain.png: picture without layers to lift" in listing.out
    assert listing.out.count("layer 1: 1 rectangle, 1600 pixels") == 2


# The meaning of options before and after ``--layer``, in any order.


# Arguments for each option of the whole command, except options that all commands have.
_COMMAND_OPTIONS: dict[str, tuple[str, ...]] = {
    "output": ("-o", "out/"), "template": ("--name", "{stem}{suffix}"), "recursive": ("-r",),
    "listing": ("--list",), "jobs": ("--jobs", "2"), "resume": ("--resume",),
    "replace": ("--force",), "manifest": ("--manifest=done.jsonl",), "shard": ("--shard", "1/2"),
    "cluster": ("--dask", "local"), "max_pixels": ("--max-pixels", "99999999"),
    "threads": ("--threads", "1"), "dry_run": ("--dry-run",), "list_regions": ("--list-regions",),
    "allow_none": ("--allow-none",), "yes": ("--yes",), "cover": ("--cover", "white"),
    "sidecar": ("--sidecar",), "preview": ("--preview",), "boxes_out": ("--boxes-out", "b.csv"),
    "sources": ("photo.png",),
}  # fmt: skip
# Arguments for options that apply to all layers if they are before the first one.
_INHERITED_OPTIONS: dict[str, tuple[str, ...]] = {
    "face_margin": ("--face-margin", "0.5"), "permanent": ("--permanent",),
    "key": ("--key", "my.key"), "identity": ("--identity", "me.txt"), "to": ("--to", "age1x"),
    "to_file": ("--to-file", "list.pub"), "prompt": ("--passphrase",),
    "file": ("--passphrase-file", "words.txt"), "descriptor": ("--passphrase-fd", "9"),
    "max_derivation": ("--max-derivation", "7"),
}  # fmt: skip
_AREAS = {"rectangles", "mask_file", "boxes_file", "faces", "metadata"}
_FIRST_LAYER, _SECOND_LAYER = (
    ("--layer", "a", "--faces"),
    ("--layer=b", "--faces", "--region", "1,2,3,4"),
)


@pytest.fixture
def planned_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that parses a command, and returns its work without doing it."""
    planned_runs: list[Any] = []
    monkeypatch.setattr(batch_run, "run", lambda batch, work: planned_runs.append((batch, work)))
    monkeypatch.setattr("sudokucrypt.cli.pictures.redaction.load_protecting_key", lambda *_: None)

    def plan_command(*arguments: str) -> Any:
        planned_runs.clear()
        run("redact", *arguments)
        ((batch, work),) = planned_runs
        steps = work.recipe, work.only_searches, work.found_boxes, work.closing_note
        return batch, steps, work.options, work.secret_options, work.layers

    return plan_command


def test_every_option_of_redact_is_tested() -> None:
    """Each option of `redact` is in one of the lists of this test."""
    messages = {"quiet", "verbose", "plain", "debug", "help_all"}
    names = {str(parameter.name) for parameter in redact.params} - {"layer", *messages}
    assert names == {*_COMMAND_OPTIONS, *_INHERITED_OPTIONS, *_AREAS}
    layer_names = {
        parameter.name for parameter in _layer_command.params if isinstance(parameter, click.Option)
    }
    assert layer_names == {*_INHERITED_OPTIONS, *_AREAS}


@pytest.mark.parametrize("name", _COMMAND_OPTIONS)
def test_options_of_the_command(planned_work: Any, name: str) -> None:
    """Options of the whole command mean the same before the first layer and after any layer."""
    option_words = _COMMAND_OPTIONS[name]
    other_words = ("--key", "my.key", *(() if name == "sources" else ("photo.png",)))
    expected = planned_work(*other_words, *option_words, *_FIRST_LAYER, *_SECOND_LAYER)
    assert planned_work(*other_words, *_FIRST_LAYER, *option_words, *_SECOND_LAYER) == expected
    assert planned_work(*other_words, *_FIRST_LAYER, *_SECOND_LAYER, *option_words) == expected
    assert (
        name in ("sources", "yes")
        or planned_work(*other_words, *_FIRST_LAYER, *_SECOND_LAYER) != expected
    )


@pytest.mark.parametrize("name", _INHERITED_OPTIONS)
def test_options_of_all_layers(planned_work: Any, name: str) -> None:
    """An option before the first layer is for all layers, and after a layer only for this layer."""
    option_words = _INHERITED_OPTIONS[name]
    other_words = ("photo.png", "--yes")
    work_before = planned_work(*other_words, *option_words, *_FIRST_LAYER, *_SECOND_LAYER)
    work_of_both = planned_work(
        *other_words, *_FIRST_LAYER, *option_words, *_SECOND_LAYER, *option_words
    )
    assert work_of_both == work_before
    assert planned_work(*other_words, *_FIRST_LAYER, *_SECOND_LAYER) != work_before
    assert planned_work(*other_words, *_FIRST_LAYER, *option_words, *_SECOND_LAYER) not in (
        work_before,
        planned_work(*other_words, *_FIRST_LAYER, *_SECOND_LAYER),
    )


@pytest.mark.parametrize(
    "incomplete_options",
    [("--layer",), ("--face-margin", "1"), ("--layer", "--faces"), ("--layer", "a", "-o")],
)
def test_half_of_a_command_is_completed(incomplete_options: tuple[str, ...]) -> None:
    """Completing an incomplete command causes no error about missing words."""
    redact.make_context("redact", ["photo.png", *incomplete_options], resilient_parsing=True)


def test_help_and_messages_may_be_behind_a_layer(run: Run) -> None:
    """--help and options for messages are accepted after a layer."""
    assert "Usage" in run("redact photo.png --layer a --help").out
    assert isinstance(redact, click.Command)


# Areas on the command line are in the picture as viewers show it, with any stored orientation.


_BOX = "3,2,5,4"  # inside the smallest picture in any orientation


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("file_format", SUFFIXES)
def test_every_way_to_choose(run: Run, file_format: str, orientation: int) -> None:
    """A rectangle, a list of boxes and a mask cover the same visible place, in any orientation."""
    data, source = (
        turn_picture(file_format, orientation),
        Path("in").with_suffix(SUFFIXES[file_format]),
    )
    target = "out.jpg" if file_format == "JPEG" else "out.png"
    source.write_bytes(data)
    mask = np.zeros(show_upright(data).shape[:2], dtype=bool)
    mask[2:6, 3:8] = True
    Image.fromarray(mask).save("mask.png")
    # A mask may have an orientation of its own.
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(np.rot90(mask)).save("turned.png", exif=exif)
    Path("boxes.json").write_text(json.dumps([[3.4, 2.4, 4.5, 3.3]]), encoding="ascii")
    for choice in (
        ("--region", _BOX),
        ("--boxes", "boxes.json"),
        ("--mask", "mask.png"),
        ("--mask", "turned.png"),
    ):
        run("redact", source, "-o", target, *choice, "--permanent", "--force")
        written_data = Path(target).read_bytes()
        require_covered(data, written_data, mask, slack=8 if file_format == "JPEG" else 0)


@pytest.mark.parametrize("file_format", ["JPEG", "PNG"])
def test_lists_and_previews_are_as_shown(run: Run, file_format: str) -> None:
    """Listed rectangles can be given as --region, and a preview is upright."""
    data, source = turn_picture(file_format, 6), Path("in").with_suffix(SUFFIXES[file_format])
    source.write_bytes(data)
    command = ("redact", source, "-o", "preview.png", "--preview")
    run(*command, "--region", "1,50,9,9", "--list-regions", out="1,50,9,9\n")
    preview, shown_original = show_upright(Path("preview.png").read_bytes()), show_upright(data)
    assert preview.shape == shown_original.shape == (64, 40, 3)
    rows, columns = np.nonzero((preview != shown_original).any(axis=2))
    unit = 8 if file_format == "JPEG" else 1  # the covered area consists of whole units
    assert rows.min() == 50 // unit * unit
    assert (columns.min(), columns.max()) == (1 // unit * unit, -(-10 // unit) * unit - 1)
    result = run(*command, "--region", "50,1,9,9", "--force", code=2)
    assert "a picture of 64 rows and 40 columns" in result.err
    assert "X and W count columns" in result.err
