"""Files appear whole, with the permissions of any new file, and only in place of other files."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from sudokucrypt import OutputExistsError, SudokucryptError
from sudokucrypt.storage import write_atomically

if TYPE_CHECKING:
    from pathlib import Path


def test_permissions(tmp_path: Path) -> None:
    """New files have the permissions that the process gives, however many are written at once."""
    before = os.umask(0o027)
    try:
        with ThreadPoolExecutor(8) as pool:
            paths = [tmp_path / str(number) for number in range(64)]
            list(pool.map(lambda path: write_atomically({path: [b"x"]}, replace=False), paths))
        assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o640}
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_only_files_are_replaced(tmp_path: Path) -> None:
    """A pipe, device or folder is never replaced by a file, not even if files may be."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = set(tmp_path.iterdir())
    for path in before:
        with pytest.raises(SudokucryptError, match="is not a regular file"):
            write_atomically({path: [b"x"]}, replace=True)
        with pytest.raises(OutputExistsError):
            write_atomically({path: [b"x"]}, replace=False)
    assert set(tmp_path.iterdir()) == before
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_all_or_nothing(tmp_path: Path) -> None:
    """If one of several files cannot be written, none is, and the reason is in lower case."""
    contents = {tmp_path / "first": [b"x"], tmp_path / "missing" / "second": [b"y"]}
    with pytest.raises(SudokucryptError, match=r"second': no such file"):
        write_atomically(contents, replace=True)
    assert not list(tmp_path.iterdir())
