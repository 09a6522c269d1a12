"""Settings for all tests: property tests are repeatable and have no deadline."""

import atexit
import shutil
import tempfile

from hypothesis import configuration, settings

_scratch = tempfile.mkdtemp(prefix="sudokucrypt-hypothesis-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
configuration.set_hypothesis_home_dir(_scratch)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
