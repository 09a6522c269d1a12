"""Pack the source archive and the wheel so that one commit always gives the same bytes.

One wheel supports every later Python version. All packed files have the time of the commit.
"""

import gzip
import io
import os
import subprocess
import sysconfig
import tarfile
from contextlib import suppress
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.sdist import sdist

_EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
"""The environment variable of the standard for reproducible builds: seconds since 1970."""


class PackWheel(bdist_wheel):
    """Tag the wheel for Python 3.11 and later, and give its files the time of the commit."""

    def finalize_options(self) -> None:
        """Request the limited API, except for free-threaded Python, which has no limited API."""
        if not sysconfig.get_config_var("Py_GIL_DISABLED"):
            self.py_limited_api = "cp311"
        super().finalize_options()

    def run(self) -> None:
        """Build the wheel, in which all files have the time of the commit."""
        os.environ.setdefault(_EPOCH_VARIABLE, str(find_commit_time(Path())))
        super().run()


class PackArchive(sdist):
    """Pack the source archive so that it depends only on names, contents and executable flags."""

    def make_archive(
        self,
        base_name: str,
        format: str,  # noqa: A002 - the name that setuptools gives it
        root_dir: str | None = None,
        base_dir: str | None = None,
        owner: str | None = None,
        group: str | None = None,
    ) -> str:
        """Pack by setuptools, then replace the times and owners that it takes from the checkout."""
        path = Path(super().make_archive(base_name, format, root_dir, base_dir, owner, group))
        if path.suffix == ".gz":
            time = int(os.environ.get(_EPOCH_VARIABLE, find_commit_time(Path())))
            path.write_bytes(normalize_archive(path.read_bytes(), time))
        return str(path)


def find_commit_time(folder: Path) -> int:
    """Return the time of the commit in a folder, in seconds since 1970.

    In an unpacked archive, which has no commit, all files have this time.
    """
    if (folder / ".git").exists():
        command = ["git", "log", "-1", "--format=%ct"]
        # Git may be missing, or the folder may have no commit.
        with suppress(OSError, ValueError, subprocess.CalledProcessError):
            return int(subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout)  # noqa: S603 - fixed arguments
    return int((folder / "pyproject.toml").stat().st_mtime)


def normalize_archive(data: bytes, time: int) -> bytes:
    """Return a compressed archive with sorted members, the given time and no owners."""
    new_archive_stream = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as old_archive,
        tarfile.open(
            fileobj=new_archive_stream, mode="w", format=tarfile.PAX_FORMAT
        ) as new_archive,
    ):
        for member in sorted(old_archive.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.pax_headers = time, 0, 0, {}
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new_archive.addfile(
                member, old_archive.extractfile(member) if member.isfile() else None
            )
    return gzip.compress(new_archive_stream.getvalue(), mtime=time)
