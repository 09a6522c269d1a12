"""What the recipes can be asked for.

Each option has its type in a `TypedDict`, by which type checkers know the keywords of the public
functions, and its default in a frozen dataclass, which is what the functions hand on. mypy compares
the two wherever one is made from the other; `shows` gives `help` the whole signature.
"""

from __future__ import annotations

import inspect
import secrets
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_args,
)

from sudokucrypt import ciphers
from sudokucrypt.errors import InvalidParameterError
from sudokucrypt.guiding import Annotation, guide
from sudokucrypt.keys import SALT_LENGTH
from sudokucrypt.recipes.opening import MAX_ROUNDS
from sudokucrypt.recipes.protection import Protection

if TYPE_CHECKING:
    from sudokucrypt.recipes.transfer import FileSource, FileTarget, FileTransfer, PathName
    from sudokucrypt.typing import Unit

# Side of a block in pixels: as large as a block of JPEG with its colors at half the size.
DEFAULT_BLOCK_SIZE = 16

# What becomes of metadata: they are sealed, or dropped.
MetadataChoice: TypeAlias = Literal["seal", "strip"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


class EncryptionOptions(TypedDict, total=False):
    """What `encrypt` takes; `docs/reference/options.md` says what each option means."""

    rounds: int | None
    deterministic: bool
    scheme: str
    threads: int | None


class _UnitOptions(EncryptionOptions, total=False):
    unit: Unit
    block_size: int | None


class ScramblingOptions(_UnitOptions, total=False):
    """What `scramble` takes."""

    context: str | None


class _ContentOptions(TypedDict, total=False):
    metadata: MetadataChoice
    header_rows: bool
    format: str | None
    max_pixels: int | None


class _PathOptions(TypedDict, total=False):
    sidecar: bool
    replace: bool
    resume: bool


class ScrambleBytesOptions(_UnitOptions, _ContentOptions, total=False):
    """What `scramble_bytes` takes."""

    compress: int


class ScrambleFileOptions(ScrambleBytesOptions, _PathOptions, total=False):
    """What `scramble_file` takes."""


class EncryptBytesOptions(EncryptionOptions, _ContentOptions, total=False):
    """What `encrypt_bytes` takes."""

    as_file: bool | None
    preview: bool | None
    pad: bool
    name: str | None


class EncryptFileOptions(EncryptBytesOptions, _PathOptions, total=False):
    """What `encrypt_file` takes."""


class _LimitOptions(TypedDict, total=False):
    max_pixels: int | None
    max_rounds: int
    threads: int | None


class OpenOptions(_LimitOptions, total=False):
    """What `open_file` and `inspect_file` take."""

    sidecar: PathName | None


class RekeyOptions(OpenOptions, total=False):
    """What `rekey_file` takes."""

    format: str | None
    replace: bool
    resume: bool


class DecryptBytesOptions(_LimitOptions, total=False):
    """What `decrypt_bytes` takes."""

    format: str | None
    compress: int


class DecryptFileOptions(DecryptBytesOptions, RekeyOptions, total=False):
    """What `decrypt_file` takes."""


class UnscrambleBytesOptions(_LimitOptions, total=False):
    """What `unscramble_bytes` takes."""

    format: str | None
    compress: int


class UnscrambleFileOptions(UnscrambleBytesOptions, RekeyOptions, total=False):
    """What `unscramble_file` takes."""


class _Settings:
    """What all settings are: the error for an option that there is not says which one is meant."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # each is a dataclass

    def __new__(cls, **options: object) -> Self:
        known = cls.__dataclass_fields__  # `fields` makes a list of them in every call
        for name in options.keys() - known.keys():
            from sudokucrypt.suggesting import meant_by

            meant = meant_by(name, known)
            every = ", ".join(each for each in known if known[each].init)
            remedy = f"use {meant}" if meant else f"the options are {every}"
            raise TypeError(f"unexpected option {name!r}; {remedy}")
        return super().__new__(cls)


@dataclass(frozen=True, eq=False, kw_only=True)
class EncryptionSettings(_Settings):
    """How samples are encrypted."""

    rounds: int | None = None
    deterministic: bool = False
    scheme: str = ciphers.ENCRYPT.name
    threads: int | None = None

    def protection(self) -> Protection:
        """Return how `encrypt` protects under these settings, with fresh salt."""
        chosen = ciphers.scheme_named(self.scheme)
        if not isinstance(chosen, ciphers.TaggedScheme) or not chosen.encrypts:
            raise InvalidParameterError(f"the scheme {self.scheme} does not encrypt")
        return Protection(
            scheme=chosen,
            rounds=self.rounds,
            salt=None if self.deterministic else secrets.token_bytes(SALT_LENGTH),
            threads=self.threads,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class UnitSettings(_Settings):
    """How samples of files are scrambled."""

    unit: Unit = "pixel"
    block_size: int | None = None
    rounds: int | None = None
    deterministic: bool = False
    scheme: str = ciphers.SCRAMBLE.name
    threads: int | None = None

    def protection(self) -> Protection:
        """Return how pictures are scrambled under these settings, with fresh salt."""
        chosen, size = ciphers.scheme_named(self.scheme), self.block_size
        if chosen.encrypts:
            raise InvalidParameterError(
                f"the scheme {self.scheme} does not scramble", hint="encrypt with it"
            )
        return Protection(
            scheme=chosen,
            unit=self.unit,
            block_size=DEFAULT_BLOCK_SIZE if self.unit == "block" and size is None else size,
            rounds=self.rounds,
            salt=None if self.deterministic else secrets.token_bytes(SALT_LENGTH),
            threads=self.threads,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ScramblingSettings(UnitSettings):
    """How samples of arrays are scrambled."""

    context: str | None = None

    def protection(self) -> Protection:
        """Return how `scramble` protects under these settings, with fresh salt if any."""
        if self.context is None:
            return super().protection()
        if self.scheme != ciphers.SCRAMBLE.name:
            raise InvalidParameterError(f"the scheme {self.scheme} takes no context")
        scheme = ciphers.ContextScheme(self.context)
        return replace(super().protection(), scheme=scheme, salt=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class ResultSettings(_Settings):
    """How a result is written."""

    format: str | None = None
    replace: bool = False
    resume: bool = False

    def transfer(self, source: FileSource, target: FileTarget, word: str) -> FileTransfer:
        """Return the transfer of a file; `word` says what is done, as in "scrambled"."""
        from sudokucrypt.recipes.transfer import FileTransfer  # arrays have no use for files

        return FileTransfer(
            source,
            target,
            word,
            format=self.format,
            replace=self.replace,
            resume=self.resume,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ContentSettings(ResultSettings):
    """What of a file is protected, and how the result is written."""

    metadata: MetadataChoice = "seal"
    header_rows: bool = True
    sidecar: bool = False
    max_pixels: int | None = None
    # Only some recipes let the caller choose these.
    as_file: bool | None = field(default=False, init=False)
    preview: bool | None = field(default=False, init=False)
    pad: bool = field(default=False, init=False)
    name: str | None = field(default=None, init=False)
    compress: int = field(default=0, init=False)  # for noise, which nothing makes smaller

    def __post_init__(self) -> None:
        if self.metadata not in get_args(MetadataChoice):
            choices = ", ".join(get_args(MetadataChoice))
            raise InvalidParameterError(f"metadata must be one of {choices}, not {self.metadata!r}")


@dataclass(frozen=True, eq=False, kw_only=True)
class ScrambleSettings(ContentSettings, UnitSettings):
    """What `scramble_file` was asked for."""

    compress: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class EncryptSettings(ContentSettings, EncryptionSettings):
    """What `encrypt_file` was asked for."""

    as_file: bool | None = None
    preview: bool | None = None
    pad: bool = False
    name: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class OpenSettings(_Settings):
    """What opening a protected file may cost, and where its header is."""

    sidecar: PathName | None = None
    max_pixels: int | None = None
    max_rounds: int = MAX_ROUNDS
    threads: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RekeySettings(ResultSettings, OpenSettings):
    """What `rekey_file` was asked for."""


@dataclass(frozen=True, eq=False, kw_only=True)
class RestoreSettings(ResultSettings, OpenSettings):
    """What `decrypt_file` was asked for."""

    compress: int = 1  # quick, and saves much on a photograph


def shows(settings: type, *, hidden: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Return a decorator that gives a function the signature that its options have in `settings`.

    Only `help` and `inspect.signature` see the difference; errors and docstring are as for
    `guide`.
    """

    def decorate(inner: _Function) -> _Function:
        function = guide(inner)
        signature = inspect.signature(function)
        named = [
            inspect.Parameter(
                option.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if option.default is MISSING else option.default,
                annotation=Annotation(option.type),
            )
            for option in fields(settings)
            if option.init and option.name not in hidden
        ]
        own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        shown = signature.replace(parameters=[*own, *named])
        function.__signature__ = shown  # type: ignore[attr-defined] # what `inspect` looks at
        return function

    return decorate
