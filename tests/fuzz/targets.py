"""All targets by name."""

from collections.abc import Sequence
from typing import Final, Protocol

from tests.fuzz import bmp, description, flat, gif, header, jpeg, key, png, sidecar, tiff, webp


class Target(Protocol):
    """What each of the modules looks like."""

    @property
    def TARGET(self) -> str: ...  # noqa: N802 - a constant of the module

    @property
    def SEEDS(self) -> Sequence[bytes]: ...  # noqa: N802 - as above

    def check(self, data: bytes) -> None: ...


_MODULES: tuple[Target, ...] = (
    header, sidecar, description, png, key, tiff, gif, bmp, webp, flat, jpeg,
)  # fmt: skip
TARGETS: Final = {module.TARGET: module for module in _MODULES}
