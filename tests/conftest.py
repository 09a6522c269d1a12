"""Settings for all tests: reproducible property tests, and cheap derivation of keys."""

import atexit
import gc
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import configuration, settings

from tests import long_tests, programs
from tests.build_kernels import COMMAND, list_stale_kernels
from tests.kernel_tests import find_reason_to_skip

pytest_plugins = ["tests.reports.browser"]  # provides the fixture `tab`

gc.disable()  # collecting tests would spend a third of its time on garbage collection

_scratch = tempfile.mkdtemp(prefix="sudokucrypt-hypothesis-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
configuration.set_hypothesis_home_dir(_scratch)

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.register_profile("nightly", deadline=None, database=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of our tests."""
    parser.addoption("--no-kernels", action="store_true", help="do without compiled kernels")
    parser.addoption(
        "--update", action="store_true", help="write anew what tests compare results with"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose fallbacks before the package is imported, and refuse outdated compiled kernels."""
    if config.getoption("--no-kernels"):
        os.environ["SUDOKUCRYPT_PLAIN"] = "1"
    elif not hasattr(config, "workerinput") and (
        stale_kernels := list_stale_kernels()
    ):  # only once for all processes
        names = [name.rpartition(".")[2] for name in stale_kernels]
        raise pytest.UsageError(
            f"kernels are older than their text; run: {' '.join([COMMAND, *names])}"
        )


class _WithoutKernels(pytest.Module):
    """A test file that is not imported, since it may need kernels at import."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        pytest.skip(str(find_reason_to_skip(self.nodeid)), allow_module_level=True)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Without compiled kernels, skip files whose tests all need them."""
    try:
        name = module_path.relative_to(parent.config.rootpath).as_posix()
    except ValueError:
        return None
    if find_reason_to_skip(name) is None:
        return None
    module: pytest.Module = _WithoutKernels.from_parent(parent, path=module_path)
    return module


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need missing programs or kernels, and mark long tests."""
    long_test_ids = long_tests.list_long()
    for item in items:
        programs.skip_without(item)
        if (reason := find_reason_to_skip(item.nodeid)) is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.nodeid in long_test_ids:
            item.add_marker(pytest.mark.long)
        if item.nodeid in long_test_ids or item.get_closest_marker("nightly"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Turn garbage collection on. Freezing would hide the referrers that Hypothesis looks for."""
    gc.enable()


@pytest.fixture
def compare_with_record(request: pytest.FixtureRequest) -> Callable[[Path, object], None]:
    """Return a function that compares a value with a JSON file, which ``--update`` writes anew."""

    def compare(path: Path, value: object) -> None:
        if request.config.getoption("--update"):
            path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
        assert value == json.loads(path.read_text(encoding="utf-8"))

    return compare


@pytest.fixture(autouse=True, scope="session")
def _hide_keys_of_the_developer() -> Iterator[None]:
    """Make this process and its children look for a default key in an empty folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", _scratch)
        for name in ("SUDOKUCRYPT_KEY_FILE", "SUDOKUCRYPT_KEY", "SUDOKUCRYPT_PASSPHRASE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _cheap_passphrases() -> Iterator[None]:
    """Make deriving keys cheap; tests of the real profiles use `sudokucrypt.keys.PROFILES`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sudokucrypt.keys.passphrase.PROFILES", {"default": (64, 1, 1), "strong": (128, 1, 1)}
        )
        yield
