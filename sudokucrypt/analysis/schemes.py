"""Define schemes under test as callables, without key files and headers."""

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

from sudokucrypt.analysis.progress import StoppedError, TimeLimitError, format_error, run_guarded
from sudokucrypt.errors import (
    DecryptionError,
    InvalidImageError,
    InvalidParameterError,
    SudokucryptError,
    UnsupportedError,
)
from sudokucrypt.sudoku.seeded import seeded_draws
from sudokucrypt.typing import AnyArray

# The attributes by which an object may describe its scheme.
_SCHEME_ATTRIBUTES = ("encrypt", "undo", "decrypt", "key_bits", "moves_only", "limits", "public")

# The length in bytes of the keys that measurements use.
KEY_BYTES = 32

# Shapes of images to try on a scheme, small and square ones first; some schemes take only one size.
_PROBE_SHAPES = (
    (16, 16),
    (64, 64),
    (256, 256),
    (512, 512),
    (64, 64, 3),
    (256, 256, 3),
    (512, 512, 3),
)

Salt: TypeAlias = Literal["none", "fresh"]
"""Whether a scheme uses new salt for each image, such as a nonce, or no salt."""


Evidence: TypeAlias = Literal["", "pairs", "authors' code", "paper", "other code", "memory"]
"""The evidence that a cipher follows its paper, the best first; "" for other schemes."""

RELIABLE_EVIDENCE = ("pairs", "authors' code", "paper")
"""The kinds of evidence with which a cipher is counted in statements about all ciphers."""


class UndoFunction(Protocol):
    """A function that restores an image with a 32-byte key, even if the result was changed."""

    def __call__(self, key: bytes, pixels: AnyArray = ..., /) -> AnyArray:
        """Return the image restored from the result, or from `pixels` of the same shape and dtype.

        `DecryptionError` is raised if the scheme detects a wrong key or changed pixels.
        """
        ...


class SchemeResult(NamedTuple):
    """A result of a scheme, with the shape and dtype of the image, and a function to undo it."""

    pixels: AnyArray
    undo: UndoFunction | None = None


KeyedMap: TypeAlias = Callable[[AnyArray, bytes], AnyArray]
"""A function of image and key that returns an image of the same shape and dtype."""

Keyed: TypeAlias = Callable[[AnyArray, bytes], SchemeResult]
"""A function of an image and a key of 32 bytes that returns a `SchemeResult`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredScheme:
    """A scheme to be measured and attacked.

    `fixed` is the scheme without salt, or always with the same salt, so that equal arguments
    give equal results, and `fresh` the scheme with new salt for each image, if it has salt. A
    scheme that always draws its own salt has the same callable for both. `key_bits` is the number
    of effective bits of the key, 0 if the key changes nothing and None if unknown. `moves_only` is
    true if samples change only their places, not their values. `unit` is the unit that moves as a
    whole (if blocks move, so do pixels); by default attacks try all units. `block_size` is the side
    of the blocks, if blocks move. `limits` is a sentence about known weaknesses. `public` returns
    the side information that is sent with the result of an image, which attackers see; `inverse`
    undoes any result. `code` contains the functions of other packages that the scheme runs, whose
    sources of randomness can be frozen.

    For schemes from papers: `description` says what the scheme does, `source` is the paper and
    `broken_by` the paper that breaks it. `basis` describes how a cipher follows one paper step by
    step: which details were checked against it, which are from memory and which were chosen.
    `evidence` is the kind of check: pairs of pictures and results, the code of the authors of the
    cipher or of its break, the text of a paper, other code, or memory. `reduced` is true if a part
    of the published cipher is left out, as its name then says. `claimed` has values that the paper
    prints, by the name of the metric. `falls_to` is the name of an attack of this package that
    breaks the scheme without knowing the design, "none" if all attacks fail, and "" if unknown.
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
        """The scheme in its intended use: with fresh salt, if it has salt."""
        return self.fixed if self.fresh is None else self.fresh

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[AnyArray], AnyArray]:
        """Return the scheme under one key, as a function for attacks."""
        function = self.fixed if fixed else self.usual
        return lambda image: function(image, key).pixels

    def make_restorer(self, key: bytes) -> Callable[[AnyArray], AnyArray] | None:
        """Return the inverse under one key, or None if the scheme has no `inverse`."""
        inverse = self.inverse
        return None if inverse is None else lambda pixels: inverse(pixels, key)

    def with_new_key_per_image(self) -> "MeasuredScheme":
        """Return the same scheme with a new key for each image, as a control.

        Attacks that need two images under one key must fail on it. `fixed` always uses the first of
        these keys; `fresh` derives keys from a counter, so results are reproducible.
        """
        image_numbers = count(1)

        def run_with_number(image: AnyArray, key: bytes, number: int) -> SchemeResult:
            def derive_key(key: bytes) -> bytes:
                return sha256(key + number.to_bytes(8, "big")).digest()

            result = self.fixed(image, derive_key(key))
            undo = result.undo
            if undo is None:
                return result
            return SchemeResult(
                result.pixels,
                lambda other_key, pixels=result.pixels: undo(derive_key(other_key), pixels),
            )

        return MeasuredScheme(
            name=f"{self.name}-new-keys",
            fixed=lambda image, key: run_with_number(image, key, 0),
            fresh=lambda image, key: run_with_number(image, key, next(image_numbers)),
            key_bits=self.key_bits,
            moves_only=self.moves_only,
            limits="a control: a new key for each image",
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class JpegScheme:
    """A scheme for JPEG files to be attacked: functions of the bytes of a file and a key.

    They return the bytes of a JPEG with the same frame. `fixed` and `fresh` are as in
    `MeasuredScheme`.
    """

    name: str
    fixed: Callable[[bytes, bytes], bytes]
    fresh: Callable[[bytes, bytes], bytes] | None = None

    def oracle(self, key: bytes, *, fixed: bool) -> Callable[[bytes], bytes]:
        """Return the scheme under one key, as a function for attacks."""
        function = self.fixed if fixed or self.fresh is None else self.fresh
        return lambda data: function(data, key)


def list_uses(scheme: MeasuredScheme | JpegScheme) -> dict[Salt, Any]:
    """Return the uses of a scheme: without salt if possible, and with fresh salt if it has any."""
    if scheme.fresh is None:
        return {"none": scheme.fixed}
    if scheme.fresh is scheme.fixed:
        return {"fresh": scheme.fresh}
    return {"none": scheme.fixed, "fresh": scheme.fresh}


def report_key(number: int, *, seed: int = 0) -> bytes:
    """Return one of the keys of measurements: 32 bytes that depend only on number and seed.

    Parameters
    ----------
    number : int
        The number of the key, 0 or more.
    seed : int, default 0
        The number from which keys and salts follow, 0 or more: equal seeds give equal results.
    """
    seed_text = f", seed {seed}" if seed else ""
    return sha256(f"sudokucrypt report, key {number}{seed_text}".encode()).digest()


def scheme_from_function(
    function: Any, *, name: str | None = None, timeout: float | None = None
) -> MeasuredScheme:
    """Return the scheme that a function defines.

    The function takes an image and a key of 32 bytes, and returns an image of the same shape and
    dtype. An object with the methods ``encrypt`` and ``decrypt``, a class of such objects, or a
    module with both functions is accepted too. The inverse of a function ``encrypt`` is the
    function ``decrypt`` of its module.

    The function may have these attributes: ``undo``, a function of a result and a key that returns
    the image; ``key_bits``, the number of effective bits of the key; ``moves_only``, whether
    samples only move (by default a small random image is tested); ``limits``, a sentence about
    known weaknesses; and ``public``, a function of the image that returns the side information sent
    with the result. If results for equal arguments differ, the scheme draws its own salt.

    Any error of the function becomes an `UnsupportedError`, as if the scheme refused the image; any
    error of ``undo`` becomes a `DecryptionError`. Printed output goes to stderr.

    Parameters
    ----------
    function : callable, object, class or module
        The definition of the scheme, as described above.
    name : str, optional
        The name of the scheme in reports; by default the name of the function.
    timeout : float, optional
        The seconds after which a call on a first small image is stopped, as if the scheme took no
        image; by default there is no limit.

    Examples
    --------
    >>> def flipped(image, key):
    ...     return image ^ key[0]
    >>> scheme = scheme_from_function(flipped)
    >>> scheme.name, scheme.key_bits, scheme.moves_only
    ('flipped', None, False)
    """
    scheme_name = name or str(getattr(function, "__name__", type(function).__name__))
    instance = _make_instance(function, scheme_name) if isinstance(function, type) else function
    with _wrap_foreign_errors(f"{scheme_name!r} cannot be used", InvalidParameterError):
        attributes = {
            attribute: getattr(instance, attribute)
            for attribute in _SCHEME_ATTRIBUTES
            if hasattr(instance, attribute)
        }
    encrypt = attributes.get("encrypt", instance)
    if not callable(encrypt):
        raise InvalidParameterError(
            f"a scheme is a function of an image and a key, not {type(function).__name__}"
        )
    undo: KeyedMap | None = attributes.get("undo", attributes.get("decrypt"))
    if undo is None and getattr(instance, "__name__", "") == "encrypt":
        undo = getattr(instance, "__globals__", {}).get("decrypt")
    key_bits, public = (
        attributes.get("key_bits"),
        cast("Callable[..., object]", attributes.get("public")),
    )
    if undo is not None and not callable(undo):
        raise InvalidParameterError(f"the undo of {scheme_name!r} must be a function, not {undo!r}")
    if key_bits is not None and (
        isinstance(key_bits, bool)
        or not isinstance(key_bits, int | float)
        or not 0 <= key_bits < np.inf
    ):
        raise InvalidParameterError(
            f"the key_bits of {scheme_name!r} must be 0 or more, not {key_bits!r}"
        )

    def run_scheme(image: AnyArray, key: bytes) -> SchemeResult:
        pixels = _run_foreign(encrypt, image, key, repr(scheme_name), UnsupportedError)
        if undo is None:
            return SchemeResult(pixels)
        return SchemeResult(
            pixels,
            lambda other_key, first_result=pixels: run_inverse(undo, first_result, other_key),
        )

    def run_inverse(inverse: KeyedMap, pixels: AnyArray, key: bytes) -> AnyArray:
        return _run_foreign(inverse, pixels, key, f"undoing {scheme_name!r}", DecryptionError)

    def find_public_data(image: AnyArray) -> object:
        with _wrap_foreign_errors(
            f"the public information of {scheme_name!r} failed", UnsupportedError
        ):
            return _make_comparable(public(image.copy()))

    image, first_result, second_result = _find_accepted_image(run_scheme, timeout)
    moves_only = attributes.get("moves_only")
    return MeasuredScheme(
        name=scheme_name,
        fixed=run_scheme,
        fresh=None if np.array_equal(first_result, second_result) else run_scheme,
        key_bits=None if key_bits is None else float(key_bits),
        moves_only=_have_same_values(image, first_result)
        if moves_only is None
        else bool(moves_only),
        limits=str(attributes.get("limits", "not stated")),
        public=None if public is None else find_public_data,
        inverse=None if undo is None else lambda pixels, key: run_inverse(undo, pixels, key),
        code=(encrypt, instance),
    )


def _run_foreign(
    function: KeyedMap,
    image: AnyArray,
    key: bytes,
    description: str,
    error_type: type[SudokucryptError],
) -> AnyArray:
    """Return the result of foreign code for an image, in its dtype, or raise our own error."""
    with _wrap_foreign_errors(f"{description} failed", error_type):
        pixels = np.asarray(function(image.copy(), key))
    if pixels.shape != image.shape or not _fits_type(pixels, image.dtype):
        shape_error = DecryptionError if error_type is DecryptionError else InvalidImageError
        raise shape_error(
            f"{description} returned an array of shape {pixels.shape} and dtype {pixels.dtype} "
            f"for an image of shape {image.shape} and dtype {image.dtype}",
            hint="a scheme keeps shape and dtype; if a nonce or tag makes the result longer, "
            "return the samples without it, and return it from the attribute `public`",
        )
    return pixels.astype(image.dtype, copy=False)


class _UnclosableOutput:
    """The standard error output, which cannot be closed."""

    def close(self) -> None:
        """Do nothing, since later messages need the output."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the output."""
        return getattr(sys.stderr, name)


def _refuse_to_exit(status: int) -> NoReturn:
    """Replace `os._exit` while foreign code runs, so that this code cannot end a report."""
    raise SystemExit(status)


def _is_from_user(error: KeyboardInterrupt) -> bool:
    """Return whether an interrupt came from the user, and was not raised by foreign code."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return True
    code, module = traceback.tb_frame.f_code, str(traceback.tb_frame.f_globals.get("__name__"))
    # A raise statement is in foreign code, unless it is in a signal handler of this package.
    is_at_raise = code.co_code[traceback.tb_lasti] == opcode.opmap["RAISE_VARARGS"]
    return not is_at_raise or module.startswith("sudokucrypt.")


def convert_foreign_errors(keyed: Keyed, *, name: str) -> Keyed:
    """Wrap a foreign scheme so that its errors are converted as in `scheme_from_function`.

    Parameters
    ----------
    keyed : callable
        The scheme. Its `undo`, if it has one, is wrapped too.
    name : str
        The name of the scheme in messages.
    """

    def run_with_converted_errors(image: AnyArray, key: bytes) -> SchemeResult:
        with _wrap_foreign_errors(f"{name!r} failed", UnsupportedError):
            pixels, undo = keyed(image.copy(), key)
        if undo is None:
            return SchemeResult(pixels)

        def undo_converted(other_key: bytes, changed_pixels: AnyArray = pixels, /) -> AnyArray:
            with _wrap_foreign_errors(f"undoing {name!r} failed", DecryptionError):
                return undo(other_key, changed_pixels)

        return SchemeResult(pixels, undo_converted)

    return run_with_converted_errors


@contextmanager
def _wrap_foreign_errors(failure_text: str, error_type: type[SudokucryptError]) -> Iterator[None]:
    """Convert any error of foreign code to one type, and redirect its output to stderr."""
    process_id, folder, end_process = os.getpid(), os.getcwd(), os._exit  # noqa: PTH109
    os._exit = _refuse_to_exit
    try:
        with redirect_stdout(cast("TextIO", _UnclosableOutput())):
            yield
    except TimeLimitError:
        raise
    # Foreign code may raise any error, and must not end a comparison of many schemes.
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and _is_from_user(error):
            raise
        raise error_type(f"{failure_text}: {format_error(error)}") from error
    finally:
        os._exit = end_process
        if os.getpid() != process_id:  # a scheme that forks must not write a second report
            end_process(0)
        if os.getcwd() != folder:  # noqa: PTH109 - reports must be written to the first folder
            os.chdir(folder)


def _make_instance(scheme_class: type, scheme_name: str) -> Any:
    failure = f"{scheme_name!r} is a class that cannot be called without arguments"
    with _wrap_foreign_errors(failure, InvalidParameterError):
        return scheme_class()


def _make_comparable(value: object) -> object:
    """Return a hashable value that is equal for equal contents, also of a list or an array."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value if isinstance(value, int | float | str | bytes | None) else repr(value)


def _fits_type(pixels: AnyArray, dtype: Any) -> bool:
    """Return whether `dtype`, such as uint8, can represent every sample, such as 3.0."""
    if pixels.dtype == dtype:
        return True
    if pixels.dtype.kind not in "iuf" or dtype == np.bool_:
        return False
    largest_value = np.iinfo(dtype).max
    return bool(np.all((pixels >= 0) & (pixels <= largest_value) & (pixels == np.floor(pixels))))


def keeps_values(run_scheme: Keyed) -> bool:
    """Return whether the result of a small random image has the same samples, in any order."""
    image, result, _ = _find_accepted_image(run_scheme)
    return _have_same_values(image, result)


def _have_same_values(first: AnyArray, second: AnyArray) -> bool:
    return np.array_equal(np.sort(first, axis=None), np.sort(second, axis=None))


def _iterate_probe_images() -> Iterator[AnyArray]:
    for shape in _PROBE_SHAPES:
        samples = seeded_draws(0).below_each(np.full(int(np.prod(shape)), 256))
        yield samples.astype(np.uint8).reshape(shape)


def _find_accepted_image(
    run_scheme: Keyed, timeout: float | None = None
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the first random image that a scheme accepts, and two results for this image.

    If it takes no image, both results are empty.
    """
    for image in _iterate_probe_images():
        try:
            first_result, second_result = run_guarded(
                lambda: [run_scheme(image, report_key(0)).pixels for _ in range(2)],  # noqa: B023
                foreign=True,
                limit=timeout,
            )
        except StoppedError:
            break
        except SudokucryptError:
            continue
        return image, first_result, second_result
    return image, image[:0], image[:0]


class _FrozenSource(random.Random):
    """A source that always gives the same numbers, with the methods of `random.SystemRandom`."""

    def seed(self, *_: Any) -> None:
        """Restart the source; the requested seed is ignored."""
        super().seed(0)


def _iterate_references(function: object) -> Iterator[tuple[dict[str, Any], str, Any]]:
    """Yield the objects that a function refers to, with their namespace and name."""
    underlying_function = getattr(function, "__func__", function)
    for namespace in (
        getattr(underlying_function, "__globals__", {}),
        getattr(function, "__dict__", {}),
    ):
        yield from ((namespace, name, value) for name, value in list(namespace.items()))
    for cell in getattr(underlying_function, "__closure__", None) or ():
        yield {}, "", cell.cell_contents


class FrozenRandomness:
    """Context manager in which the system, `random`, `secrets` and NumPy repeat the same numbers.

    Random generators that `functions` refer to are frozen too. Other generators of these
    functions, and sources of other libraries, are not.

    >>> still = FrozenRandomness()
    >>> with still():
    ...     first = os.urandom(4)
    >>> with still():
    ...     assert os.urandom(4) == first
    """

    def __init__(self, *functions: object) -> None:
        self._source = frozen_source = _FrozenSource()
        draw_random_bytes = frozen_source.randbytes
        replacement_pairs: list[tuple[object, Any]] = [
            (os.urandom, draw_random_bytes),
            (secrets.token_bytes, lambda count=32: draw_random_bytes(count or 32)),
            (secrets.randbits, frozen_source.getrandbits),
            (secrets.randbelow, frozen_source.randrange),
            (uuid.uuid4, lambda: uuid.UUID(bytes=draw_random_bytes(16))),
            (time.time, lambda: 0.0),
            (time.time_ns, lambda: 0),
        ]
        # Sources are found by identity, since objects of a module need not be hashable or
        # comparable.
        replacements = {id(source): replacement for source, replacement in replacement_pairs}
        self._replaced_names: list[tuple[dict[str, Any], str, Any, Any]] = []
        self._generators: list[np.random.Generator | random.Random] = []
        references = [
            (vars(module), name, value)
            for module in (os, secrets, uuid, time, np.random.bit_generator, random)
            for name, value in vars(module).items()
        ]
        references += [each for function in functions for each in _iterate_references(function)]
        for namespace, name, value in references:
            is_python_generator = (
                isinstance(value, random.Random) and type(value) is not random.SystemRandom
            )
            if id(value) in replacements and name:
                self._replaced_names.append((namespace, name, value, replacements[id(value)]))
            elif is_python_generator or isinstance(value, np.random.Generator):
                self._generators.append(value)

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Freeze all sources in a block, and restore their states afterwards."""
        python_state, numpy_state = random.getstate(), np.random.get_state()
        states: list[Any] = [
            each.getstate() if isinstance(each, random.Random) else each.bit_generator.state
            for each in self._generators
        ]
        try:
            for namespace, name, _, replacement in self._replaced_names:
                namespace[name] = replacement
            for generator in (self._source, random, np.random, *self._generators):
                if isinstance(generator, np.random.Generator):
                    bit_generator = generator.bit_generator
                    bit_generator.state = type(bit_generator)(0).state
                else:
                    generator.seed(0)
            yield
        finally:
            for namespace, name, value, _ in self._replaced_names:
                namespace[name] = value
            random.setstate(python_state)
            np.random.set_state(numpy_state)
            for generator, state in zip(self._generators, states, strict=True):
                if isinstance(generator, random.Random):
                    generator.setstate(state)
                else:
                    generator.bit_generator.state = state
