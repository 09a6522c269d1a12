"""Areas of `redact`: the margin around faces, one question, and hostile neighbors."""

import os
from pathlib import Path

import click
import pytest

from sudokucrypt.images.attachments import with_attachment
from tests.cli.conftest import KEY, PICTURES, Run


@pytest.mark.slow
def test_margin(run: Run) -> None:
    """--face-margin widens each face on all sides, and --region goes along as it is."""
    regions = {}
    for margin in ("0", "0.5"):
        options = ("--region", "1,2,3,4", "--faces", "--face-margin", margin, "--list-regions")
        done = run("redact", PICTURES / "astronaut.png", "-o", f"{margin}.png", *options, *KEY)
        regions[margin] = [tuple(map(int, line.split(","))) for line in done.out.splitlines()]
    assert regions["0"][0] == regions["0.5"][0] == (1, 2, 3, 4)
    column, row, columns, rows = regions["0"][1]
    top = max(0, row - 0.5 * rows)
    wider = (column - 0.5 * columns, top, 2 * columns, row + 1.5 * rows - top)
    assert regions["0.5"][1] == pytest.approx(wider, abs=3)  # both are rounded to whole pixels


@pytest.mark.parametrize("answer", [True, False])
def test_covering_for_good_is_asked_once_on_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, answer: bool
) -> None:
    """Whoever says no, or has no time to, loses nothing; `--yes` and pipes are not asked."""
    asked: list[str] = []

    def confirm(question: str, *, abort: bool, err: bool) -> None:
        asked.append(question)
        assert abort
        assert err
        if not answer:
            raise click.Abort

    monkeypatch.setattr(click, "confirm", confirm)
    (tmp_path / "copy.png").write_bytes((tmp_path / "photo.png").read_bytes())
    command = ("redact", "photo.png", "--region", "1,2,9,9", "--permanent", "-o")
    done = run(*command, "a.png", terminal=True)
    assert (done.code == 0) == (tmp_path / "a.png").exists() == answer
    assert len(asked) == 1
    assert "all metadata will be gone" in asked[0]
    assert (run(*command, "many/", "copy.png", terminal=True).code == 0) == answer
    assert len(asked) == 2
    assert "from all results" in asked[1]
    assert run(*command, "b.png").code == run(*command, "c.png", "--yes", terminal=True).code == 0
    assert run(*command, "d.png", "--dry-run", terminal=True).code == 0
    assert len(asked) == 2


def test_hostile_neighbors(run: Run) -> None:
    """Links, pipes, strange layers and planted results harm no other picture and no other file."""
    picture = Path("photo.png").read_bytes()
    for name in ("in", "out", "back"):
        Path(name).mkdir()
    precious = Path("precious.txt")
    precious.write_bytes(b"precious")
    for name in ("a", "b", "c", "d"):
        (Path("in") / f"{name}.png").write_bytes(picture)
    (Path("in") / "b.png.redaction").write_bytes(b"layers of nobody")
    (Path("in") / "c.png").write_bytes(with_attachment(picture, b"no layers"))
    twice = with_attachment(with_attachment(picture, b"one"), b"two")
    (Path("in") / "d.png").write_bytes(twice)
    (Path("in") / "link.png").symlink_to(precious.absolute())
    os.mkfifo("in/pipe.png")
    (Path("out") / "a.png.redacted.png").symlink_to(precious.absolute())
    command = ("redact", "in", "-o", "out", "--region", "9,9,40,40", *KEY)
    done = run(*command)
    assert done.code == 1
    for text in (
        "left out 1 symbolic link",
        "left out 1 pipe, socket or device",
        "left out 1 protected file: 'in/c.png'",
        "'out/a.png.redacted.png' exists",
        "'in/d.png' holds the layers of 2 redactions",
        "1 redacted, 2 failed",
    ):
        assert text in done.err, text
    assert "1 redacted, 0 already there" not in done.err
    (Path("in") / "d.png").unlink()
    assert run(*command, "--force").code == 0
    assert precious.read_bytes() == b"precious"
    assert not (Path("out") / "a.png.redacted.png").is_symlink()
    (Path("out") / "z.redacted.png").write_bytes(with_attachment(picture, b"no layers"))
    (Path("out") / "plain.png").write_bytes(picture)
    done = run("unredact", "out", "-o", "back", *KEY)
    assert done.code == 4
    assert "left out 1 picture without layers to lift: 'out/plain.png'" in done.err
    assert "2 unredacted, 1 failed" in done.err
    assert {path.name: path.read_bytes() for path in Path("back").iterdir()} == {
        "a.png.unredacted.png": picture,
        "b.png.unredacted.png": picture,
    }
    listed = run("unredact", "out", "--list")
    assert listed.code == 4
    assert "out/plain.png: picture without layers to lift" in listed.out
    assert listed.out.count("layer 1: 1 rectangle, 1600 pixels") == 2
