"""Messages where no session can show them: what opens a secret, and what lower rooms do not say."""

import re
from pathlib import Path

import sudokucrypt
from sudokucrypt import DecryptionError
from sudokucrypt.cli import messages
from tests.cli.conftest import Run

_PACKAGE = Path(sudokucrypt.__file__).parent
_OF_COMMANDS = r"--[a-z]|'(rekey|info)'|sudokucrypt (key|keygen|info) "


def test_descriptors_are_not_open_to_others(run: Run) -> None:
    """What comes through an open descriptor is not said to be open to others."""
    Path("my.key").chmod(0o644)
    with Path("my.key").open("rb") as file:
        done = run("scramble", "photo.png", "-o", "x.png", "--key", f"/dev/fd/{file.fileno()}")
    assert (done.code, done.err) == (0, "")


def test_lower_rooms_do_not_know_the_command_line() -> None:
    """Lines below the command line name no option but where it is declared; each key has a hint."""
    rooms = [path for path in _PACKAGE.rglob("*.py") if _PACKAGE / "cli" not in path.parents]
    rooms.remove(_PACKAGE / "kernels" / "building.py")  # which calls Cython by its options
    # Where options are declared, for functions and for commands.
    rooms = [path for path in rooms if path.name != "options.py"]
    lines = "\n".join(path.read_text(encoding="utf-8") for path in rooms).splitlines()
    assert [line for line in lines if re.search(_OF_COMMANDS, line)] == []
    keys = {DecryptionError().hint_key}
    for line in lines:
        keys.update(re.findall(r'"(\w+)"', line.partition("hint_key=")[2]))
    assert keys == set(messages._HINTS)
