"""Decorators that give public functions one keyword for each option of a dataclass.

The decorated function takes its options as one object. Type checkers take the keywords from the
constructor of the dataclass, and `help` takes them from its fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from sudokucrypt.options import add_option_keywords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sudokucrypt.keys import ProtectingKey
    from sudokucrypt.recipes.carriers.redaction.covering import Layer
    from sudokucrypt.recipes.sinks import FileTarget
    from sudokucrypt.recipes.sources import FileSource
    from sudokucrypt.typing import ImageLike

_Options = TypeVar("_Options")
_Keywords = ParamSpec("_Keywords")
_Key_contra = TypeVar("_Key_contra", contravariant=True)
_Result_co = TypeVar("_Result_co", covariant=True)


class ImageFunction(Protocol[_Key_contra, _Keywords, _Result_co]):
    """A function of an image, a key and options."""

    def __call__(
        self, image: ImageLike, key: _Key_contra, *_: _Keywords.args, **options: _Keywords.kwargs
    ) -> _Result_co:
        """Call the function."""
        ...


class BytesFunction(Protocol[_Key_contra, _Keywords]):
    """A function of the bytes of a file, a key and options, which returns the bytes of a file."""

    def __call__(
        self, data: bytes, key: _Key_contra, *_: _Keywords.args, **options: _Keywords.kwargs
    ) -> bytes:
        """Call the function."""
        ...


class FileFunction(Protocol[_Key_contra, _Keywords, _Result_co]):
    """A function of an input file, an output file, a key and options."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        key: _Key_contra,
        *_: _Keywords.args,
        **options: _Keywords.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


class RekeyFunction(Protocol[_Key_contra, _Keywords, _Result_co]):
    """A function of an input file, an output file, two keys and options."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        key: _Key_contra,
        new_key: ProtectingKey,
        *_: _Keywords.args,
        **options: _Keywords.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


class LayersFunction(Protocol[_Keywords, _Result_co]):
    """A function of an input file, an output file, layers and options."""

    def __call__(
        self,
        source: FileSource,
        target: FileTarget,
        layers: Sequence[Layer],
        *_: _Keywords.args,
        **options: _Keywords.kwargs,
    ) -> _Result_co:
        """Call the function."""
        ...


def wrap_image_function(
    options_class: Callable[_Keywords, _Options],
) -> Callable[
    [Callable[[ImageLike, _Key_contra, _Options], _Result_co]],
    ImageFunction[_Key_contra, _Keywords, _Result_co],
]:
    """Return the decorator that makes an `ImageFunction`."""
    return _make_decorator(options_class)


def wrap_bytes_function(
    options_class: Callable[_Keywords, _Options],
) -> Callable[
    [Callable[[bytes, _Key_contra, _Options], bytes]], BytesFunction[_Key_contra, _Keywords]
]:
    """Return the decorator that makes a `BytesFunction`, without the options for paths."""
    hidden_options = ("sidecar", "replace", "resume", "update", "checksum")
    return _make_decorator(options_class, hidden_options=hidden_options)


def wrap_file_function(
    options_class: Callable[_Keywords, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, _Key_contra, _Options], _Result_co]],
    FileFunction[_Key_contra, _Keywords, _Result_co],
]:
    """Return the decorator that makes a `FileFunction`."""
    return _make_decorator(options_class)


def wrap_rekey_function(
    options_class: Callable[_Keywords, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, _Key_contra, ProtectingKey, _Options], _Result_co]],
    RekeyFunction[_Key_contra, _Keywords, _Result_co],
]:
    """Return the decorator that makes a `RekeyFunction`."""
    return _make_decorator(options_class)


def wrap_layers_function(
    options_class: Callable[_Keywords, _Options],
) -> Callable[
    [Callable[[FileSource, FileTarget, Sequence[Layer], _Options], _Result_co]],
    LayersFunction[_Keywords, _Result_co],
]:
    """Return the decorator that makes a `LayersFunction`."""
    return _make_decorator(options_class)


def _make_decorator(
    options_class: Any, *, hidden_options: tuple[str, ...] = ()
) -> Callable[[Any], Any]:
    return lambda function: add_option_keywords(
        function, options_class, hidden_options=hidden_options
    )
