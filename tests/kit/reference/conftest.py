"""The laws of the reference itself are slow tests: it changes only with the specification."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them; what is compared with published values stays quick."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.stem != "test_published":
            item.add_marker(pytest.mark.slow)
