"""A scheme under test, as callables: analysis knows neither keys nor headers."""

import opcode
import os
import random
import secrets
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Any, Literal, NamedTuple, NoReturn, Protocol, TextIO, TypeAlias, cast

import numpy as np

from sudokucrypt.analysis.progress import LateError, StoppedError, format_error, run_guarded
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

# What an object may state of the scheme that it is.
_ATTRIBUTES = ("encrypt", "undo", "decrypt", "key_bits", "moves_only", "limits", "public")

# How long the keys are that schemes are measured under.
KEY_BYTES = 32

# Images that show what a scheme is like, small and square first; some take one size only.
_PROBES = ((16, 16), (64, 64), (256, 256), (512, 512), (64, 64, 3), (256, 256, 3), (512, 512, 3))

Salt: TypeAlias = Literal["none", "fresh"]
"""Whether a scheme has new salt for each image, such as a nonce."""


Evidence: TypeAlias = Literal["", "pairs", "authors' code", "paper", "other code", "memory"]
"""What a published cipher was checked against, the best first; nothing for other schemes."""

SURE_EVIDENCE = ("pairs", "authors' code", "paper")
"""The evidence with which a cipher counts in a finding about the literature."""


class Undo(Protocol):
    """How a result is undone: by the key of 32 bytes, and from pixels that may have changed."""

    def __call__(self, key: bytes, pixels: AnyArray = ..., /) -> AnyArray:
        """Return the image from the result, or from `pixels` of its shape and dtype.

        `DecryptionError` is raised if it is noticed that the key or the pixels are others.
        """
        ...


class SchemeResult(NamedTuple):
    """One use of a scheme: the result, of the shape and dtype of the image, and how to undo it."""

    pixels: AnyArray
    undo: Undo | None = None


KeyedMap: TypeAlias = Callable[[AnyArray, bytes], AnyArray]
"""A plain function of image and key to an image, of the same shape and dtype."""

Keyed: TypeAlias = Callable[[AnyArray, bytes], SchemeResult]
"""Image and key of 32 bytes to `SchemeResult`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredScheme:
    """A scheme to be measured and attacked.

    `fixed` is the scheme without salt, or with the same salt each time, so that equal arguments
    give equal results, and `fresh` the scheme with new salt each time, if it has salt. One that
    always draws its own salt has the same callable for both. `key_bits` says how many bits of the
    key count, 0 if the key changes nothing and None if that is not stated, and `moves_only` whether
    samples change places and not values. `unit` is what moves as a whole (the pixels of blocks move
    too), and attacks try all of them by default; `block_size` is the side of the blocks that move,
    if blocks do. `limits` is what is known against the scheme, in a sentence. `public` gives what
    is sent along with the result of an image, which attackers see; `inverse` undoes any result.
    `code` are the functions of others that it runs, whose sources of randomness can be held still.

    What is known of a scheme of the literature: `description` says what it does, `source` is the
    paper and `broken_by` the paper that breaks it. `basis` is stated for a cipher that follows one
    paper step by step: what was checked against it, what is from memory and what was chosen.
    `evidence` says in short what it was checked against: pairs of pictures and results, the code of
    the authors of the cipher or of its break, the text of a paper, other code, or memory. `reduced`
    says whether a part of the published cipher is left out, as its name then says. `claimed` has
    values that the paper prints, by the name of the metric. `falls_to` is the name of an attack
    here that breaks it without knowing the design, "none" if all of them fail, and empty if that is
    not on record.
    """

    name: str
    fixed: Keyed
    fresh: Keyed | None = None
    key_bits: float | None = 8 * KEY_BYTES
    moves_only: bool = True
    unit: Literal["auto", "pixel", "sample", "bit"] = "auto"
    block_size: int | None = None
    limits: str
    public: Callable[[AnyArray], object] | None = None
    inverse: KeyedMap | None = None
    code: tuple[object, ...] = ()
    description: str = ""
    source: str = ""
    broken_by: str = ""
    evidence: Evidence = ""
    basis: str = ""
    reduced: bool = False
    claimed: Mapping[str, float] = field(default_factory=dict)
    falls_to: str = ""

    @property
    def usual(self) -> Keyed:
        """The scheme as it is meant to be used: with fresh salt, if it has any."""
        return self.fixed if self.fresh is None else self.fresh

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[AnyArray], AnyArray]:
        """Return the scheme under one key, as attacks take it."""
        chosen = self.fixed if fixed else self.usual
        return lambda image: chosen(image, key).pixels

    def make_restorer(self, key: bytes) -> Callable[[AnyArray], AnyArray] | None:
        """Return the inverse under one key, if it takes results alone."""
        inverse = self.inverse
        return None if inverse is None else lambda pixels: inverse(pixels, key)

    def with_new_key_per_image(self) -> "MeasuredScheme":
        """Return the control: the same scheme under a key of its own for each image.

        Attacks that need two images under one key must fail on it. `fixed` always takes the first
        of these keys; `fresh` counts, so that results are reproduced.
        """
        numbers = count(1)

        def run(image: AnyArray, key: bytes, number: int) -> SchemeResult:
            def derive(key: bytes) -> bytes:
                return sha256(key + number.to_bytes(8, "big")).digest()

            result = self.fixed(image, derive(key))
            undo = result.undo
            if undo is None:
                return result
            return SchemeResult(
                result.pixels, lambda other, seen=result.pixels: undo(derive(other), seen)
            )

        return MeasuredScheme(
            name=f"{self.name}-new-keys",
            fixed=lambda image, key: run(image, key, 0),
            fresh=lambda image, key: run(image, key, next(numbers)),
            key_bits=self.key_bits,
            moves_only=self.moves_only,
            limits="a control: a key of its own for each image",
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegScheme:
    """A scheme for JPEG files to be attacked: callables of the bytes of a file and of a key.

    They return the bytes of a JPEG with the same frame. `fixed` and `fresh` are as in
    `MeasuredScheme`.
    """

    name: str
    fixed: Callable[[bytes, bytes], bytes]
    fresh: Callable[[bytes, bytes], bytes] | None = None

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[bytes], bytes]:
        """Return the scheme under one key, as attacks take it."""
        chosen = self.fixed if fixed or self.fresh is None else self.fresh
        return lambda data: chosen(data, key)


def list_uses(scheme: MeasuredScheme | JpegScheme) -> dict[Salt, Any]:
    """Return a scheme without salt, if it can be had so, and with fresh salt, if it has any."""
    if scheme.fresh is None:
        return {"none": scheme.fixed}
    if scheme.fresh is scheme.fixed:
        return {"fresh": scheme.fresh}
    return {"none": scheme.fixed, "fresh": scheme.fresh}


def report_key(number: int, *, seed: int = 0) -> bytes:
    """Return one of the keys that schemes are measured under: 32 bytes, the same for a seed.

    Parameters
    ----------
    number : int
        Which of the keys, 0 or more.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    """
    more = f", seed {seed}" if seed else ""
    return sha256(f"sudokucrypt report, key {number}{more}".encode()).digest()


def scheme_from_function(
    function: Any, *, name: str | None = None, timeout: float | None = None
) -> MeasuredScheme:
    """Return a scheme that a plain function defines.

    It takes an image and a key of 32 bytes, and returns an image of the same shape and dtype. An
    object with the methods ``encrypt`` and ``decrypt``, a class of such objects, or a module with
    both functions will do too. The inverse of a function ``encrypt`` is the ``decrypt`` of its
    module.

    These attributes are optional: ``undo``, a callable that takes such a result and a key and
    returns the image; ``key_bits``, how many bits of the key count; ``moves_only``, whether values
    stay, which else a small random image shows; ``limits``, what is known against it; and
    ``public``, a function of the image that gives what is sent along with the result. A function
    whose results for equal arguments differ draws its own salt.

    Whatever the function raises becomes an `UnsupportedError`, as of a scheme that does not take
    an image; whatever ``undo`` raises becomes a `DecryptionError`. What it prints goes to stderr.

    Parameters
    ----------
    function : callable, object, class or module
        What defines the scheme, as described above.
    name : str, optional
        What reports call it; by default the name of the function.
    timeout : float, optional
        The seconds after which a call on a first small image is stopped, and the scheme counts as
        one that takes no image; by default there is no limit.

    Examples
    --------
    >>> def flipped(image, key):
    ...     return image ^ key[0]
    >>> scheme = scheme_from_function(flipped)
    >>> scheme.name, scheme.key_bits, scheme.moves_only
    ('flipped', None, False)
    """
    called = name or str(getattr(function, "__name__", type(function).__name__))
    held = _make_instance(function, called) if isinstance(function, type) else function
    with _wrap_foreign_errors(f"{called!r} cannot be used", InvalidParameterError):
        stated = {each: getattr(held, each) for each in _ATTRIBUTES if hasattr(held, each)}
    run = stated.get("encrypt", held)
    if not callable(run):
        raise InvalidParameterError(
            f"a scheme is a function of an image and a key, not {type(function).__name__}"
        )
    undo: KeyedMap | None = stated.get("undo", stated.get("decrypt"))
    if undo is None and getattr(held, "__name__", "") == "encrypt":
        undo = getattr(held, "__globals__", {}).get("decrypt")
    bits, public = stated.get("key_bits"), cast("Callable[..., object]", stated.get("public"))
    if undo is not None and not callable(undo):
        raise InvalidParameterError(f"the undo of {called!r} must be a function, not {undo!r}")
    if bits is not None and (
        isinstance(bits, bool) or not isinstance(bits, int | float) or not 0 <= bits < np.inf
    ):
        raise InvalidParameterError(f"the key_bits of {called!r} must be 0 or more, not {bits!r}")

    def fixed(image: AnyArray, key: bytes) -> SchemeResult:
        pixels = _run_foreign(run, image, key, repr(called), UnsupportedError)
        if undo is None:
            return SchemeResult(pixels)
        return SchemeResult(pixels, lambda other, seen=pixels: undo_guarded(undo, seen, other))

    def undo_guarded(inverse: KeyedMap, pixels: AnyArray, key: bytes) -> AnyArray:
        return _run_foreign(inverse, pixels, key, f"undoing {called!r}", DecryptionError)

    def find_public(image: AnyArray) -> object:
        with _wrap_foreign_errors(f"the public information of {called!r} failed", UnsupportedError):
            return _make_comparable(public(image.copy()))

    image, seen, again = _probe(fixed, timeout)
    moves = stated.get("moves_only")
    return MeasuredScheme(
        name=called,
        fixed=fixed,
        fresh=None if np.array_equal(seen, again) else fixed,
        key_bits=None if bits is None else float(bits),
        moves_only=_have_same_values(image, seen) if moves is None else bool(moves),
        limits=str(stated.get("limits", "not stated")),
        public=None if public is None else find_public,
        inverse=None if undo is None else lambda pixels, key: undo_guarded(undo, pixels, key),
        code=(run, held),
    )


def _run_foreign(
    function: KeyedMap, image: AnyArray, key: bytes, what: str, error_type: type[SudokucryptError]
) -> AnyArray:
    """Return the result of foreign code for an image, in its dtype, or raise our own error."""
    with _wrap_foreign_errors(f"{what} failed", error_type):
        pixels = np.asarray(function(image.copy(), key))
    if pixels.shape != image.shape or not _fits_type(pixels, image.dtype):
        wrong = DecryptionError if error_type is DecryptionError else InvalidImageError
        raise wrong(
            f"{what} made {pixels.shape} of {pixels.dtype} from {image.shape} of {image.dtype}",
            hint="a scheme keeps shape and dtype; where a nonce or tag makes the result longer, "
            "return the samples without it, and state it as the attribute `public`",
        )
    return pixels.astype(image.dtype, copy=False)


class _OpenOutput:
    """The standard error output, which nobody closes."""

    def close(self) -> None:
        """Do nothing: the messages that follow need it."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the output."""
        return getattr(sys.stderr, name)


def _refuse_to_exit(status: int) -> NoReturn:
    """Stand in for `os._exit` while code of others runs, which must not end a report."""
    raise SystemExit(status)


def _is_from_user(error: KeyboardInterrupt) -> bool:
    """Return whether an interrupt came while code of others ran, which did not raise it itself."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return True
    code, module = trace.tb_frame.f_code, str(trace.tb_frame.f_globals.get("__name__"))
    # Our own handlers raise too.
    at_raise = code.co_code[trace.tb_lasti] == opcode.opmap["RAISE_VARARGS"]
    return not at_raise or module.startswith("sudokucrypt.")


def guard(keyed: Keyed, *, name: str) -> Keyed:
    """Return a scheme of others whose faults become errors of ours, as in `scheme_from_function`.

    Parameters
    ----------
    keyed : callable
        The scheme. Its undo, if it has one, is guarded too.
    name : str
        What messages call it.
    """

    def run(image: AnyArray, key: bytes) -> SchemeResult:
        with _wrap_foreign_errors(f"{name!r} failed", UnsupportedError):
            pixels, undo = keyed(image.copy(), key)
        if undo is None:
            return SchemeResult(pixels)

        def undo_guarded(other: bytes, seen: AnyArray = pixels, /) -> AnyArray:
            with _wrap_foreign_errors(f"undoing {name!r} failed", DecryptionError):
                return undo(other, seen)

        return SchemeResult(pixels, undo_guarded)

    return run


@contextmanager
def _wrap_foreign_errors(failure: str, error_type: type[SudokucryptError]) -> Iterator[None]:
    """Turn all that the code of others raises into one error, and keep its output off stdout."""
    process, folder, end_process = os.getpid(), os.getcwd(), os._exit  # noqa: PTH109
    os._exit = _refuse_to_exit
    try:
        with redirect_stdout(cast("TextIO", _OpenOutput())):
            yield
    except LateError:
        raise
    # The code of others may raise anything, and must not end a comparison of many schemes.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and _is_from_user(error):
            raise
        raise error_type(f"{failure}: {format_error(error)}") from error
    finally:
        os._exit = end_process
        if os.getpid() != process:  # a scheme that forks must not write a second report
            end_process(0)
        if os.getcwd() != folder:  # noqa: PTH109 - nor one that moves write it elsewhere
            os.chdir(folder)


def _make_instance(kind: type, called: str) -> Any:
    what = f"{called!r} is a class that cannot be called without arguments"
    with _wrap_foreign_errors(what, InvalidParameterError):
        return kind()


def _make_comparable(value: object) -> object:
    """Return a value that can be compared and hashed, as lists and arrays cannot."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value if isinstance(value, int | float | str | bytes | None) else repr(value)


def _fits_type(pixels: AnyArray, dtype: Any) -> bool:
    """Return whether numbers of another type are samples of this one, as 3.0 and 3 are."""
    if pixels.dtype == dtype:
        return True
    if pixels.dtype.kind not in "iuf" or dtype == np.bool_:
        return False
    top = np.iinfo(dtype).max
    return bool(np.all((pixels >= 0) & (pixels <= top) & (pixels == np.floor(pixels))))


def keeps_values(fixed: Keyed) -> bool:
    """Return whether a small image of random samples keeps them, in whatever order."""
    image, seen, _ = _probe(fixed)
    return _have_same_values(image, seen)


def _have_same_values(first: AnyArray, second: AnyArray) -> bool:
    return np.array_equal(np.sort(first, axis=None), np.sort(second, axis=None))


def _probe_images() -> Iterator[AnyArray]:
    for shape in _PROBES:
        draws = seeded_draws(0).below_each(np.full(int(np.prod(shape)), 256))
        yield draws.astype(np.uint8).reshape(shape)


def _probe(fixed: Keyed, timeout: float | None = None) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the first random image that a scheme takes, with two results.

    If it takes none the result is empty, as that of a scheme without salt that changes values.
    """
    for image in _probe_images():
        try:
            first, second = run_guarded(
                lambda: [fixed(image, report_key(0)).pixels for _ in range(2)],  # noqa: B023
                foreign=True,
                limit=timeout,
            )
        except StoppedError:
            break
        except SudokucryptError:
            continue
        return image, first, second
    return image, image[:0], image[:0]


class _StillSource(random.Random):
    """A source of the same numbers each time, with the methods of the system's source."""

    def seed(self, *_: Any) -> None:
        """Begin again: the seed that was asked for does not count."""
        super().seed(0)


def _iterate_sources(function: object) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield the objects that a function refers to by name."""
    inner = getattr(function, "__func__", function)
    for kept in (getattr(inner, "__globals__", {}), getattr(function, "__dict__", {})):
        yield from ((kept, name, value) for name, value in list(kept.items()))
    for cell in getattr(inner, "__closure__", None) or ():
        yield {}, "", cell.cell_contents


class FrozenRandomness:
    """Blocks in which the system, `random`, `secrets` and NumPy give the same numbers each time.

    `functions` are those that will run: generators that they refer to are held still too. What
    they keep elsewhere, and sources of other libraries, are not reached.

    >>> still = FrozenRandomness()
    >>> with still():
    ...     first = os.urandom(4)
    >>> with still():
    ...     assert os.urandom(4) == first
    """

    def __init__(self, *functions: object) -> None:
        self._source = still = _StillSource()
        pack_row_samples = still.randbytes
        pairs: list[tuple[object, Any]] = [
            (os.urandom, pack_row_samples),
            (secrets.token_bytes, lambda count=32: pack_row_samples(count or 32)),
            (secrets.randbits, still.getrandbits),
            (secrets.randbelow, still.randrange),
            (uuid.uuid4, lambda: uuid.UUID(bytes=pack_row_samples(16))),
            (time.time, lambda: 0.0),
            (time.time_ns, lambda: 0),
        ]
        # By identity: what a module holds need not be hashable, nor comparable.
        stand_ins = {id(source): stand_in for source, stand_in in pairs}
        self._names: list[tuple[dict[str, Any], str, Any, Any]] = []
        self._generators: list[np.random.Generator | random.Random] = []
        kept = [
            (vars(module), name, value)
            for module in (os, secrets, uuid, time, np.random.bit_generator, random)
            for name, value in vars(module).items()
        ]
        kept += [each for function in functions for each in _iterate_sources(function)]
        for names, name, value in kept:
            own = isinstance(value, random.Random) and type(value) is not random.SystemRandom
            if id(value) in stand_ins and name:
                self._names.append((names, name, value, stand_ins[id(value)]))
            elif own or isinstance(value, np.random.Generator):
                self._generators.append(value)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Hold all sources still in one block, and let them go on behind it as before."""
        python, numpy = random.getstate(), np.random.get_state()
        states: list[Any] = [
            each.getstate() if isinstance(each, random.Random) else each.bit_generator.state
            for each in self._generators
        ]
        try:
            for names, name, _, stand_in in self._names:
                names[name] = stand_in
            for generator in (self._source, random, np.random, *self._generators):
                if isinstance(generator, np.random.Generator):
                    bits = generator.bit_generator
                    bits.state = type(bits)(0).state
                else:
                    generator.seed(0)
            yield
        finally:
            for names, name, value, _ in self._names:
                names[name] = value
            random.setstate(python)
            np.random.set_state(numpy)
            for generator, state in zip(self._generators, states, strict=True):
                if isinstance(generator, random.Random):
                    generator.setstate(state)
                else:
                    generator.bit_generator.state = state
