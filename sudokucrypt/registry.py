"""Registers: all objects of one kind by name, ours and those that other packages add."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import getdoc
from typing import Any, Protocol, TypeVar

from sudokucrypt.errors import InvalidParameterError


def split_labeled_paragraphs(documented: object, *labels: str) -> dict[str, str]:
    """Return a dict from each label to its paragraph in a docstring, and from "" to the rest.

    A label such as "Broken by" is followed by a colon and a space. Examples are left out.
    """
    text, paragraphs = (getdoc(documented) or "").partition("\n\n>>>")[0], dict.fromkeys(labels, "")
    unlabeled = []
    for paragraph in text.split("\n\n"):
        label, _, content = paragraph.partition(": ")
        if label in paragraphs:
            paragraphs[label] = " ".join(content.split())
        else:
            unlabeled.append(paragraph)
    return {**paragraphs, "": "\n\n".join(unlabeled)}


class Named(Protocol):
    """An entry of a register: an object with a name."""

    @property
    def name(self) -> str:
        """The name in code, on the command line, in JSON and in the documentation."""
        ...


T = TypeVar("T", bound=Named)


class Registry(Mapping[str, T]):
    """Objects of one kind by name.

    Our modules register their objects when they are imported. Other packages declare theirs as
    entry points, which are loaded when a name is missing or the register is listed.

    Parameters
    ----------
    kind : type
        The class of the objects.
    called : str
        The word for an object in messages, with its article.
    group : str
        The group of entry points; each entry point is an object of that kind.
    package : str, optional
        A package whose modules register objects; they are imported with the entry points.
    order : callable, optional
        Returns the sort key of an object; by default the order is that of registration.
    adapt : callable, optional
        Makes an object of the kind from an entry point and its name.
    unique : callable, optional
        Returns values that no two objects may share, such as the suffixes of their files.

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
        self.registered: dict[str, T] = {}
        """The objects that are registered so far, in the order of registration."""
        self._complete = False

    def register(self, item: T) -> T:
        """Add an object, and return it.

        Raises `InvalidParameterError` if it is of another kind, or if another object has its name
        or one of its unique values.
        """
        if not isinstance(item, self._kind):
            raise InvalidParameterError(
                f"{self._called} must be a {self._kind.__name__}, not {type(item).__name__}"
            )
        for present in self.registered.values():
            if present.name == item.name:
                raise InvalidParameterError(f"there is {self._called} {item.name!r} already")
            if shared := set(self._unique(item)) & set(self._unique(present)):
                raise InvalidParameterError(
                    f"{item.name!r} cannot have {min(shared, key=str)}, which {present.name!r} has"
                )
        self.registered[item.name] = item
        return item

    def fill(self, items: Iterable[T]) -> None:
        """Add our own objects without checks; tests make sure that their names differ."""
        for item in items:
            self.registered[item.name] = item

    def remove(self, name: str) -> None:
        """Remove an object; do nothing if it is not registered."""
        self.registered.pop(name, None)

    def __getitem__(self, name: str) -> T:
        return self.registered[name] if name in self.registered else self.find_all()[name]

    def __iter__(self) -> Iterator[str]:
        objects = self.find_all()
        if self._order is None:
            return iter(list(objects))
        order = self._order
        return iter(sorted(objects, key=lambda name: order(objects[name])))

    def __len__(self) -> int:
        return len(self.find_all())

    def find_all(self) -> dict[str, T]:
        """Load the objects of modules and packages if necessary, and return all by name."""
        self.complete()
        return self.registered

    def complete(self) -> bool:
        """Load the objects of modules and packages; return False if they are loaded already."""
        if self._complete:
            return False
        self._complete = True  # modules may read the register while they are imported
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
        """Add the objects of other packages; an error in one of them is only a warning."""
        from importlib.metadata import entry_points

        for entry in entry_points(group=self._group):
            try:
                item = entry.load()
                self.register(item if self._adapt is None else self._adapt(item, entry.name))
            except Exception as error:  # code of others may raise any error
                warnings.warn(
                    f"the entry point {entry.name!r} of {self._group} ({entry.value}) was left "
                    f"out: {type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
