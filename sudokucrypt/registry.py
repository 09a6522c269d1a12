"""Registers: what there is of one kind, ours and that of packages which add their own."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import getdoc
from typing import Any, Protocol, TypeVar

from sudokucrypt.errors import InvalidParameterError


def labeled_paragraphs(documented: object, *labels: str) -> dict[str, str]:
    """Return the paragraphs of a docstring that begin with a label, by label, and the rest by "".

    A label such as "Broken by" is followed by a colon and a space. Examples are left out.
    """
    text, found = (getdoc(documented) or "").partition("\n\n>>>")[0], dict.fromkeys(labels, "")
    rest = []
    for paragraph in text.split("\n\n"):
        label, _, said = paragraph.partition(": ")
        if label in found:
            found[label] = " ".join(said.split())
        else:
            rest.append(paragraph)
    return {**found, "": "\n\n".join(rest)}


class Named(Protocol):
    """An entry of a register: an object with a name."""

    @property
    def name(self) -> str:
        """One name, used in code, on the command line, in JSON and in the documentation."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """Objects of one kind by name.

    Our modules register their own when they are imported, and packages outside announce theirs as
    entry points; these are found when a name is missing or the register is listed.

    Parameters
    ----------
    kind : type
        What is registered.
    called : str
        What messages call one of them.
    group : str
        The group of entry points; each one names an object of that kind.
    package : str, optional
        The package whose modules all register something; imported with the entry points.
    order : callable, optional
        Returns the sort key of an object; by default the order is that of registration.
    adapt : callable, optional
        Makes an object of the kind from what was registered under a name.
    unique : callable, optional
        Returns what else only one object may have, such as the suffixes of its files.

    Examples
    --------
    >>> from sudokucrypt.analysis.attacks import ATTACKS
    >>> list(ATTACKS)[:2], ATTACKS["jigsaw"].name
    (['adaptive', 'affine'], 'jigsaw')
    """

    def __init__(
        self,
        kind: type[T],
        *,
        called: str,
        group: str,
        package: str | None = None,
        order: Callable[[T], Any] | None = None,
        adapt: Callable[[Any, str], T] | None = None,
        unique: Callable[[T], Iterable[Hashable]] = lambda _: (),
    ) -> None:
        self._kind, self._called, self._group, self._package = kind, called, group, package
        self._order, self._adapt, self._unique = order, adapt, unique
        self.held: dict[str, T] = {}
        """Those that are registered so far, in this order; ours come first."""
        self._complete = False

    def register(self, item: T) -> T:
        """Add an object, and return it.

        Raises `InvalidParameterError` if it is of another kind, or its name or what must be unique
        is taken.
        """
        if not isinstance(item, self._kind):
            raise InvalidParameterError(
                f"{self._called} must be a {self._kind.__name__}, not {type(item).__name__}"
            )
        for other in self.held.values():
            if other.name == item.name:
                raise InvalidParameterError(f"there is {self._called} {item.name!r} already")
            if taken := set(self._unique(item)) & set(self._unique(other)):
                raise InvalidParameterError(
                    f"{item.name!r} cannot have {min(taken, key=str)}, which {other.name!r} has"
                )
        self.held[item.name] = item
        return item

    def fill(self, items: Iterable[T]) -> None:
        """Add our own objects, of which tests know that no two have the same name."""
        for item in items:
            self.held[item.name] = item

    def remove(self, name: str) -> None:
        """Remove an object; do nothing if it is not registered."""
        self.held.pop(name, None)

    def __getitem__(self, name: str) -> T:
        return self.held[name] if name in self.held else self.find_all()[name]

    def __iter__(self) -> Iterator[str]:
        held = self.find_all()
        if self._order is None:
            return iter(list(held))
        order = self._order
        return iter(sorted(held, key=lambda name: order(held[name])))

    def __len__(self) -> int:
        return len(self.find_all())

    def find_all(self) -> dict[str, T]:
        """Return all objects in the order of registration, after looking for them once."""
        self.complete()
        return self.held

    def complete(self) -> bool:
        """Look for the objects of modules and packages, once; return whether this was the time."""
        if self._complete:
            return False
        self._complete = True  # modules may look up what there is while they are imported
        try:
            if self._package is not None:
                self._import_modules(self._package)
        except BaseException:
            self._complete = False
            raise
        self._add_entry_points()
        return True

    def _import_modules(self, package: str) -> None:
        from pkgutil import iter_modules

        for module in iter_modules(import_module(package).__path__, f"{package}."):
            import_module(module.name)

    def _add_entry_points(self) -> None:
        """Add what other packages announce; their faults must not stop ours."""
        from importlib.metadata import entry_points

        for entry in entry_points(group=self._group):
            try:
                item = entry.load()
                self.register(item if self._adapt is None else self._adapt(item, entry.name))
            except Exception as error:  # whatever code of others raises
                warnings.warn(
                    f"the entry point {entry.name!r} of {self._group} ({entry.value}) was left "
                    f"out: {type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
