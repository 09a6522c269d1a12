"""Registers: all objects of one kind by name, ours and those that other packages add."""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from importlib import import_module
from inspect import getdoc
from typing import Any, Protocol, TypeVar

from sudokucrypt.errors import InvalidParameterError


def split_labeled_paragraphs(documented_object: object, *labels: str) -> dict[str, str]:
    """Return a dict from each label to its paragraph in a docstring, and from "" to the rest.

    A label such as "Broken by" is followed by a colon and a space. Examples are left out.
    """
    text, paragraphs = (
        (getdoc(documented_object) or "").partition("\n\n>>>")[0],
        dict.fromkeys(labels, ""),
    )
    unlabeled_paragraphs = []
    for paragraph in text.split("\n\n"):
        label, _, content = paragraph.partition(": ")
        if label in paragraphs:
            paragraphs[label] = " ".join(content.split())
        else:
            unlabeled_paragraphs.append(paragraph)
    return {**paragraphs, "": "\n\n".join(unlabeled_paragraphs)}


class NamedEntry(Protocol):
    """An entry of a register: an object with a name."""

    @property
    def name(self) -> str:
        """The name in code, on the command line, in JSON and in the documentation."""
        ...


T = TypeVar("T", bound=NamedEntry)


class Registry(Mapping[str, T]):
    """A mapping from names to the registered objects of one kind.

    Our modules register their objects when they are imported. Other packages declare theirs as
    entry points, which are loaded when a name is missing or the register is listed.

    Parameters
    ----------
    kind : type
        The class of the objects.
    item_noun : str
        The word for an object in messages, with its article.
    group : str
        The group of entry points; each entry point is an object of that kind.
    package : str, optional
        A package whose modules register objects; they are imported with the entry points.
    order : callable, optional
        Returns the sort key of an object; by default the order is that of registration.
    adapt : callable, optional
        Makes an object of the kind from an entry point and its name.
    get_unique_values : callable, optional
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
        item_noun: str,
        group: str,
        package: str | None = None,
        order: Callable[[T], Any] | None = None,
        adapt: Callable[[Any, str], T] | None = None,
        get_unique_values: Callable[[T], Iterable[Hashable]] = lambda _: (),
    ) -> None:
        self._kind, self._item_noun, self._group, self._package = kind, item_noun, group, package
        self._get_sort_key, self._adapt_item, self._get_unique_values = (
            order,
            adapt,
            get_unique_values,
        )
        self.registered_items: dict[str, T] = {}
        """The objects that are registered so far, in the order of registration."""
        self._is_complete = False

    def register(self, item: T) -> T:
        """Add an object, and return it.

        Raises `InvalidParameterError` if it is of another kind, or if another object has its name
        or one of its unique values.
        """
        if not isinstance(item, self._kind):
            raise InvalidParameterError(
                f"{self._item_noun} must be a {self._kind.__name__}, not {type(item).__name__}"
            )
        for registered_item in self.registered_items.values():
            if registered_item.name == item.name:
                raise InvalidParameterError(f"there is {self._item_noun} {item.name!r} already")
            if shared_values := set(self._get_unique_values(item)) & set(
                self._get_unique_values(registered_item)
            ):
                raise InvalidParameterError(
                    f"{item.name!r} cannot use {min(shared_values, key=str)}, which "
                    f"{registered_item.name!r} uses already"
                )
        self.registered_items[item.name] = item
        return item

    def fill(self, items: Iterable[T]) -> None:
        """Add our own objects without checks; tests make sure that their names differ."""
        for item in items:
            self.registered_items[item.name] = item

    def remove(self, name: str) -> None:
        """Remove an object; do nothing if it is not registered."""
        self.registered_items.pop(name, None)

    def __getitem__(self, name: str) -> T:
        return (
            self.registered_items[name] if name in self.registered_items else self.find_all()[name]
        )

    def __iter__(self) -> Iterator[str]:
        objects_by_name = self.find_all()
        if self._get_sort_key is None:
            return iter(list(objects_by_name))
        order = self._get_sort_key
        return iter(sorted(objects_by_name, key=lambda name: order(objects_by_name[name])))

    def __len__(self) -> int:
        return len(self.find_all())

    def find_all(self) -> dict[str, T]:
        """Load the objects of modules and packages if necessary, and return all by name."""
        self.load_all()
        return self.registered_items

    def load_all(self) -> bool:
        """Load the objects of modules and packages; return False if they are loaded already."""
        if self._is_complete:
            return False
        self._is_complete = True  # modules may read the register while they are imported
        try:
            if self._package is not None:
                self._import_modules(self._package)
        except BaseException:
            self._is_complete = False
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
                self.register(
                    item if self._adapt_item is None else self._adapt_item(item, entry.name)
                )
            except Exception as error:  # code of others may raise any error
                warnings.warn(
                    f"the entry point {entry.name!r} of {self._group} ({entry.value}) was left "
                    f"out: {type(error).__name__}: {error}",
                    RuntimeWarning,
                    stacklevel=2,
                )
