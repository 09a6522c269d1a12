"""Registers: what there is of one kind, ours and that of packages which add their own."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module, metadata
from pkgutil import iter_modules
from typing import Any, Protocol, TypeVar

from sudokucrypt.errors import InvalidParameterError


class Named(Protocol):
    """What a register holds: an object that says its name."""

    @property
    def name(self) -> str:
        """One name, used in code, on the command line, in JSON and in the documentation."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """Objects of one kind by name.

    The modules of a package register their own when they are imported, and packages outside
    announce theirs as entry points. Both are found when the register is first read.

    Parameters
    ----------
    kind : type
        What is registered.
    package : str
        The package whose modules register ours.
    group : str
        The group of entry points; each one names an object of that kind.
    order : callable, optional
        Returns the sort key of an object; by default the order is that of names.

    Examples
    --------
    >>> from sudokucrypt.analysis.attacks import ATTACKS
    >>> list(ATTACKS)[:2], ATTACKS["jigsaw"].name
    (['chosen-plaintext', 'differential'], 'jigsaw')
    """

    def __init__(
        self,
        kind: type[T],
        *,
        package: str,
        group: str,
        order: Callable[[T], Any] = lambda each: each.name,
    ) -> None:
        self._kind, self._package, self._group, self._order = kind, package, group, order
        self._held: dict[str, T] = {}
        self._complete = False

    def register(self, item: T) -> T:
        """Add an object, and return it.

        Raises
        ------
        InvalidParameterError
            If it is of another kind, or its name is taken.
        """
        kind = self._kind.__name__.lower()
        if not isinstance(item, self._kind):
            raise InvalidParameterError(f"{item!r} is not an object of {self._kind.__name__}")
        if item.name in self._held:
            raise InvalidParameterError(f"there are two of the {kind} {item.name!r}")
        self._held[item.name] = item
        return item

    def remove(self, name: str) -> None:
        """Take an object out again; what is not there stays out."""
        self._held.pop(name, None)

    def __getitem__(self, name: str) -> T:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._all(), key=lambda name: self._order(self._held[name])))

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, T]:
        """Return all objects, after looking for them once."""
        if not self._complete:
            self._complete = True
            for module in iter_modules(import_module(self._package).__path__, f"{self._package}."):
                import_module(module.name)
            for entry in metadata.entry_points(group=self._group):
                self._register_entry(entry)
        return self._held

    def _register_entry(self, entry: metadata.EntryPoint) -> None:
        """Add what another package announces; its faults must not stop ours."""
        try:
            self.register(entry.load())
        except Exception as error:  # whatever code of others raises
            warnings.warn(
                f"the entry point {entry.name!r} of {self._group} ({entry.value}) was left out: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning,
                stacklevel=2,
            )
