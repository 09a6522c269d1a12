"""Name what a wheel is for, when the package is built: one wheel serves every later Python."""

import sysconfig

from setuptools.command.bdist_wheel import bdist_wheel


class TagWheel(bdist_wheel):
    """Tag the wheel for every later version of Python, whatever builds it."""

    def finalize_options(self) -> None:
        """Ask for the limited API, which Pythons without the lock lack: they have no kernels."""
        if not sysconfig.get_config_var("Py_GIL_DISABLED"):
            self.py_limited_api = "cp311"
        super().finalize_options()
