"""Play every session in sessions/; sessions/README.md explains their syntax."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.session import Scene, Stage, Updates, read_scenes

SESSIONS = Path(__file__).parent / "sessions"
MARKS = {"slow": pytest.mark.slow, "kernels": pytest.mark.kernels}


def _list_parameters() -> list[object]:
    """Return the scenes of all files as parameters, named by file and rule."""
    return [
        pytest.param(
            scene,
            id=f"{path.relative_to(SESSIONS).with_suffix('')}: {scene.rule}",
            marks=[MARKS[mark] for mark in scene.marks],
        )
        for path in sorted(SESSIONS.rglob("*.txt"))
        for scene in read_scenes(path)
    ]


@pytest.fixture(scope="module")
def updates(request: pytest.FixtureRequest) -> Iterator[Updates | None]:
    """With ``--update``, rewrite sessions that differ at the end of the test run."""
    collected_updates = Updates() if request.config.getoption("--update") else None
    yield collected_updates
    if collected_updates is not None:
        collected_updates.write()


@pytest.mark.parametrize("scene", _list_parameters())
def test_session(
    run: Run, monkeypatch: pytest.MonkeyPatch, scene: Scene, updates: Updates | None
) -> None:
    """Each command of a scene has the exit code, messages, output and files that it states."""
    monkeypatch.delenv("SUDOKUCRYPT_PASSPHRASE", raising=False)
    Stage(run, monkeypatch, updates).play(scene)


_OUTDATED_SCENES = """# A comment.
key other.key

== a key is shown
$ sudokucrypt key show my.key --id
  wrong
! sudokucrypt info none.png -> 3
  error: cannot read 'none.png': ...
  hint: nothing helps
$ sudokucrypt --help
  Usage: ...
  ...
  nothing
$ sudokucrypt key show other.key --id
  ...
"""
_UPDATED_SCENES = """# A comment.
key other.key

== a key is shown
$ sudokucrypt key show my.key --id
  5a08beb8
! sudokucrypt info none.png -> 4
  error: cannot read 'none.png': ...
$ sudokucrypt --help
  Usage: ...
  ...
$ sudokucrypt key show other.key --id
  ...
"""


def test_sessions_are_updated(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An update keeps lines that fit and lines with `...`; without an update, a diff is shown."""
    path = tmp_path / "session.txt"
    path.write_text(_OUTDATED_SCENES, encoding="utf-8")
    (scene,) = read_scenes(path)
    with pytest.raises(pytest.fail.Exception, match=r"(?s)key show.*-wrong\n\+5a08beb8"):
        Stage(run, monkeypatch).play(scene)
    Path("other.key").unlink()
    Stage(run, monkeypatch, updates := Updates()).play(scene)
    updates.write()
    assert path.read_text(encoding="utf-8") == _UPDATED_SCENES
    (scene,) = read_scenes(path)
    Path("other.key").unlink()
    Stage(run, monkeypatch).play(scene)
