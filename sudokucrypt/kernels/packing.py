"""Pack the archive and the wheel, when the package is built: the same bytes from one commit.

One wheel serves every later Python. All files have the time of the commit, whoever packs them.
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

_EPOCH = "SOURCE_DATE_EPOCH"
"""The variable that packers agree on: seconds since 1970."""


class PackWheel(bdist_wheel):
    """Tag the wheel for every later version of Python, whatever builds it, and date its files."""

    def finalize_options(self) -> None:
        """Ask for the limited API, which Pythons without the lock lack: they have no kernels."""
        if not sysconfig.get_config_var("Py_GIL_DISABLED"):
            self.py_limited_api = "cp311"
        super().finalize_options()

    def run(self) -> None:
        """Give all files the time of the commit."""
        os.environ.setdefault(_EPOCH, str(find_time(Path())))
        super().run()


class PackArchive(sdist):
    """Pack the source archive so that names, contents and what may be run alone count."""

    def make_archive(
        self,
        base_name: str,
        format: str,  # noqa: A002 - the name that setuptools gives it
        root_dir: str | None = None,
        base_dir: str | None = None,
        owner: str | None = None,
        group: str | None = None,
    ) -> str:
        """Pack as setuptools does, and then anew: it takes times and owners from the checkout."""
        path = Path(super().make_archive(base_name, format, root_dir, base_dir, owner, group))
        if path.suffix == ".gz":
            time = int(os.environ.get(_EPOCH, find_time(Path())))
            path.write_bytes(normalize_archive(path.read_bytes(), time))
        return str(path)


def find_time(folder: Path) -> int:
    """Return the time of the commit in a folder, in seconds since 1970.

    In an unpacked archive all files have it.
    """
    if (folder / ".git").exists():
        asked = ["git", "log", "-1", "--format=%ct"]
        # There may be no git, and no commit.
        with suppress(OSError, ValueError, subprocess.CalledProcessError):
            return int(subprocess.run(asked, cwd=folder, capture_output=True, check=True).stdout)  # noqa: S603 - our own words
    return int((folder / "pyproject.toml").stat().st_mtime)


def normalize_archive(data: bytes, time: int) -> bytes:
    """Return a compressed archive with sorted names, one time and no owner."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(data)) as old,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.pax_headers = time, 0, 0, {}
            member.uname = member.gname = ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    return gzip.compress(packed.getvalue(), mtime=time)
