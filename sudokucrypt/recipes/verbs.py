"""How public functions look to type checkers: their arguments, and the options of a dataclass.

Each of these is a decorator of a function that gets its options as one object. The dataclass is
written once: type checkers take the keywords from its constructor, `help` from its fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from sudokucrypt.options import takes_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.redaction.covering import Layer
    from sudokucrypt.recipes.sinks import FileTarget
    from sudokucrypt.recipes.sources import FileSource
    from sudokucrypt.typing import ImageLike

_Options = TypeVar("_Options")
_Given = ParamSpec("_Given")
_Key_contra = TypeVar("_Key_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)


class ImageVerb(Protocol[_Key_contra, _Given, _Result_co]):
    """A function of an array."""

    def __call__(
        self, image: ImageLike, key: _Key_contra, *_: _Given.args, **options: _Given.kwargs
    ) -> _Result_co:
        """Call the function."""
        ...


class BytesVerb(Protocol[_Key_contra, _Given]):
    """A function of the bytes of a file, which returns those of another one."""

    def __call__(
        self, data: bytes, key: _Key_contra, *_: _Given.args, **options: _Given.kwargs
    ) -> bytes:
        """Call the function."""
        ...


class FileVerb(Protocol[_Key_contra, _Given, _Result_co]):
    """A function that makes one file of another one."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        key: _Key_contra,
        *_: _Given.args,
        **options: _Given.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


class RekeyVerb(Protocol[_Key_contra, _Given, _Result_co]):
    """The same with two keys."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        key: _Key_contra,
        new_key: ProtectingKey,
        *_: _Given.args,
        **options: _Given.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


class LayersVerb(Protocol[_Given, _Result_co]):
    """A function that makes one file of another one and layers."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        layers: Sequence[Layer],
        *_: _Given.args,
        **options: _Given.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


def image_verb(
    kind: Callable[_Given, _Options],
) -> Callable[
    [Callable[[ImageLike, _Key_contra, _Options], _Result_co]],
    ImageVerb[_Key_contra, _Given, _Result_co],
]:
    """Return the decorator of a function of an array."""
    return _make_decorator(kind)


def bytes_verb(
    kind: Callable[_Given, _Options],
) -> Callable[[Callable[[bytes, _Key_contra, _Options], bytes]], BytesVerb[_Key_contra, _Given]]:
    """Return the decorator of a function of bytes, to which options of paths mean nothing."""
    return _make_decorator(kind, hidden=("sidecar", "replace", "resume", "update", "checksum"))


def file_verb(
    kind: Callable[_Given, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, _Key_contra, _Options], _Result_co]],
    FileVerb[_Key_contra, _Given, _Result_co],
]:
    """Return the decorator of a function that makes one file of another one."""
    return _make_decorator(kind)


def rekey_verb(
    kind: Callable[_Given, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, _Key_contra, ProtectingKey, _Options], _Result_co]],
    RekeyVerb[_Key_contra, _Given, _Result_co],
]:
    """Return the same decorator for two keys."""
    return _make_decorator(kind)


def layers_verb(
    kind: Callable[_Given, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, Sequence[Layer], _Options], _Result_co]],
    LayersVerb[_Given, _Result_co],
]:
    """Return the decorator of a function that makes one file of another one and layers."""
    return _make_decorator(kind)


def _make_decorator(kind: Any, *, hidden: tuple[str, ...] = ()) -> Callable[[Any], Any]:
    return lambda function: takes_options(function, kind, hidden=hidden)
