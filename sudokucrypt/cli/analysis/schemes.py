"""The schemes that can be measured and attacked: ours, published ones, and those of users."""

import shlex
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import click

from sudokucrypt.analysis import (
    ATTACKS,
    BASELINES,
    METRICS,
    JpegScheme,
    Keyed,
    MeasuredScheme,
    Metric,
    SchemeResult,
    scheme_from_function,
    standard_ciphers,
)
from sudokucrypt.analysis.progress import limit_time
from sudokucrypt.analysis.schemes import KEY_BYTES, convert_foreign_errors, keeps_values
from sudokucrypt.ciphers import (
    ENCRYPT,
    SCHEMES,
    SCRAMBLE,
    SCRAMBLE_JPEG,
    ContextScheme,
    TaggedScheme,
)
from sudokucrypt.cli.extensions import Decorator, option
from sudokucrypt.cli.messages import say
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.cli.plugins import load_object
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError
from sudokucrypt.keys import SALT_LENGTH, Key
from sudokucrypt.recipes import scramble, unscramble, unscramble_robust
from sudokucrypt.recipes.arrays import restore_image
from sudokucrypt.recipes.jpegs import plan_jpeg
from sudokucrypt.recipes.options import MAX_ROUNDS, ScrambleArrayOptions
from sudokucrypt.recipes.protection import check_image, make_protection, protect_image
from sudokucrypt.registry import Registry
from sudokucrypt.robust import scramble_robustly
from sudokucrypt.storage import write_atomically
from sudokucrypt.typing import AnyArray

_ANALYSIS_CONTEXT = "analysis"
_VALUES_STAY_TEXT = "values stay: histogram, mean and entropy show"
_ONE_MAP_LIMITS = (
    "values stay; one map for all images of a context and size, which falls to a few chosen or "
    "known images"
)

# The schemes that are attacked unless others are named.
DEFAULT_SCHEMES = ("scramble", "scramble-context", "encrypt")


def list_compared_scheme_names() -> list[str]:
    """Return the names of the schemes that are compared unless others are named."""
    return [*DEFAULT_SCHEMES, *(name for name, scheme in BASELINES.items() if not scheme.basis)]


def load_schemes(*, block_size: int = 16, seed: int = 0) -> dict[str, MeasuredScheme]:
    """Return all schemes by name; `block_size` is for ``scramble-block``.

    Salts depend only on the seed, and nonces are counted from 1, so that reports are reproducible.
    """
    # Our schemes are first, since tables and lists have this order.
    schemes = [
        _make_salted_scheme(SCRAMBLE, "scramble", seed=seed, limits=_VALUES_STAY_TEXT),
        _make_salted_scheme(
            SCRAMBLE, "scramble-sample", seed=seed, unit="sample", limits=_VALUES_STAY_TEXT
        ),
        _make_salted_scheme(
            SCRAMBLE,
            "scramble-block",
            seed=seed,
            block_size=block_size,
            limits="values stay, and blocks can be put together like a jigsaw",
        ),
        MeasuredScheme(
            name="scramble-context",
            fixed=_make_context_function(),
            limits=_ONE_MAP_LIMITS,
            falls_to="chosen-plaintext",
        ),
        MeasuredScheme(
            name="scramble-context-block",
            fixed=_make_context_function(unit="block", block_size=block_size),
            block_size=block_size,
            limits=f"{_ONE_MAP_LIMITS}, and blocks can be put together like a jigsaw",
            falls_to="chosen-plaintext",
        ),
        _make_salted_scheme(
            ENCRYPT,
            "encrypt",
            seed=seed,
            limits="shape, depth and key id show; without salt also which pictures are equal",
        ),
    ]
    known_names = {*(scheme.name for scheme in schemes), *BASELINES}
    registered_ciphers = [
        cipher for cipher in SCHEMES.values() if cipher not in (SCRAMBLE, ENCRYPT)
    ]
    schemes += [
        _wrap_registered_cipher(cipher, known_names, seed=seed) for cipher in registered_ciphers
    ]
    standard_schemes = {scheme.name: scheme for scheme in standard_ciphers()}
    return {**{scheme.name: scheme for scheme in schemes}, **BASELINES, **standard_schemes}


def _wrap_registered_cipher(
    cipher: TaggedScheme, known_names: Container[str], *, seed: int
) -> MeasuredScheme:
    """Return a registered cipher as a scheme, named without "-v1" if that name is free."""
    short_name = cipher.name.removesuffix("-v1")
    scheme_name = cipher.name if short_name in known_names else short_name
    limits = cipher.limits or "a cipher from outside"
    return _guard_scheme(_make_salted_scheme(cipher, scheme_name, seed=seed, limits=limits))


def make_robust_scheme() -> MeasuredScheme:
    """Return the scheme of robust pictures, whose results have another shape than the input."""

    def scramble_with_fixed_salt(image: AnyArray, key: bytes) -> SchemeResult:
        carrier_samples = scramble_robustly(image, Key(key), salt=bytes(SALT_LENGTH)).samples

        def undo(key: bytes, pixels: AnyArray = carrier_samples, /) -> AnyArray:
            try:
                return unscramble_robust(pixels, Key(key)).pixels
            except FormatError as error:  # the header is damaged and cannot be found
                raise DecryptionError(str(error)) from error

        return SchemeResult(carrier_samples, undo)

    return MeasuredScheme(
        name="scramble-robust",
        fixed=scramble_with_fixed_salt,
        moves_only=False,
        limits="restored approximately; pixels are not authenticated, and never secret",
    )


def make_jpeg_scheme(*, max_pixels: int) -> JpegScheme:
    """Return the scheme that scrambles JPEG files as JPEG files."""
    return JpegScheme(
        name=SCRAMBLE_JPEG.name.removesuffix("-v1"),
        fixed=partial(_scramble_jpeg, max_pixels=max_pixels, deterministic=True),
        fresh=partial(_scramble_jpeg, max_pixels=max_pixels, deterministic=False),
    )


def _scramble_jpeg(jpeg_bytes: bytes, key: bytes, *, max_pixels: int, deterministic: bool) -> bytes:
    scrambling_plan = plan_jpeg(jpeg_bytes, name="the picture", max_pixels=max_pixels)
    return scrambling_plan.protect(
        Key(key), make_protection(ScrambleArrayOptions(deterministic=deterministic))
    )[0]


def choose_schemes(
    names: Sequence[str],
    *,
    own_schemes: Sequence[str] = (),
    block_size: int = 16,
    seed: int = 0,
    further_schemes: Sequence[MeasuredScheme] = (),
    timeout: float | None = None,
) -> list[MeasuredScheme]:
    """Return the schemes of the user in `own_schemes`, then the listed schemes in `names`.

    A scheme of the user is a location such as "my_file.py:cipher", or a listed name. If its name is
    already used, it is named by its location; if it needs more than `timeout` seconds for a first
    small image, it counts as a scheme that accepts no image. `further_schemes` are listed in
    addition to `load_schemes`.
    """
    schemes = load_schemes(block_size=block_size, seed=seed)
    schemes |= {scheme.name: scheme for scheme in further_schemes}
    chosen_schemes: dict[str, MeasuredScheme] = {}
    for location in own_schemes:
        scheme = _find_listed_scheme(location, schemes)
        if scheme is None:
            scheme = _load_user_scheme(location, schemes, seed=seed, timeout=timeout)
            if scheme.name in schemes or scheme.name in chosen_schemes:
                scheme = replace(scheme, name=location)
        chosen_schemes[scheme.name] = scheme
    for name in (name.strip() for name in names):
        scheme = _find_listed_scheme(name, schemes)
        if scheme is None:
            raise InvalidParameterError(
                f"there is no scheme {name!r}", hint=f"choose from {', '.join(schemes)}"
            )
        chosen_schemes[scheme.name] = scheme
    return list(chosen_schemes.values())


def load_scheme(location: str, *, timeout: float | None = None) -> MeasuredScheme:
    """Return the listed scheme of this name, or a scheme of the user at this location."""
    schemes = load_schemes()
    return _find_listed_scheme(location, schemes) or _load_user_scheme(
        location, schemes, timeout=timeout
    )


def _find_listed_scheme(name: str, schemes: Mapping[str, MeasuredScheme]) -> MeasuredScheme | None:
    """Return the listed scheme with this name, or with this name in headers, or None."""
    if name not in schemes and (name in SCHEMES or name == ContextScheme.name):
        name = name.removesuffix("-v1")
    return schemes.get(name)


def _load_user_scheme(
    location: str,
    schemes: Mapping[str, MeasuredScheme],
    *,
    seed: int = 0,
    timeout: float | None = None,
) -> MeasuredScheme:
    """Import an object of the user (a cipher, a function or a scheme), and return its scheme."""
    user_object = load_object(location)
    if isinstance(user_object, MeasuredScheme):
        return user_object if user_object.code else _guard_scheme(user_object)
    if isinstance(user_object, TaggedScheme):
        with limit_time(timeout):
            return _wrap_registered_cipher(user_object, schemes, seed=seed)
    if not callable(user_object) and not hasattr(user_object, "encrypt"):
        raise InvalidParameterError(
            f"'{location}' is of type {type(user_object).__name__}, not a scheme",
            hint="a scheme is a TaggedScheme, or a function that takes an array and the bytes "
            "of a key, and returns an array of the same shape and dtype",
        )
    name = location.rpartition(":")[2].rpartition(".")[2]
    return scheme_from_function(
        user_object, name=location if name in schemes else name, timeout=timeout
    )


def _guard_scheme(scheme: MeasuredScheme) -> MeasuredScheme:
    """Return a scheme whose results are checked, and whose exceptions are converted."""
    guarded_fixed_use = convert_foreign_errors(scheme.fixed, name=scheme.name)
    guarded_fresh_use = guarded_fixed_use if scheme.fresh is scheme.fixed else scheme.fresh
    if guarded_fresh_use is not None and guarded_fresh_use is not guarded_fixed_use:
        guarded_fresh_use = convert_foreign_errors(guarded_fresh_use, name=scheme.name)
    return replace(
        scheme, fixed=guarded_fixed_use, fresh=guarded_fresh_use, code=(scheme.fixed, scheme.fresh)
    )


def listing_option(name: str, lines: Callable[[], Iterable[str]], *, text: str) -> Decorator:
    """Return a decorator that adds a flag which prints these lines and ends the command."""

    def print_lines(context: click.Context, _: click.Parameter, is_given: object) -> None:
        if is_given and not context.resilient_parsing:
            click.echo("\n".join(lines()))
            context.exit()

    return option(name, text, is_eager=True, expose_value=False, callback=print_lines)


def _write_template(context: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is None or context.resilient_parsing:
        return
    template = Path(__file__).with_name("new_scheme.txt").read_text(encoding="utf-8")
    text = template.replace("THIS_FILE.py", shlex.quote(str(path)))
    write_atomically({path: [text.encode()]}, replace=False)
    say("note", f"wrote '{path}'; its first lines show how to measure and attack it")
    context.exit()


new_scheme_option = option(
    "--new-scheme FILE.py",
    "Write a sample scheme for you to change, instead of measuring.",
    type=PATH_TYPE,
    is_eager=True,
    expose_value=False,
    callback=_write_template,
)

list_schemes_option = listing_option(
    "--list-schemes",
    lambda: (f"{name:32}{scheme.limits}" for name, scheme in load_schemes().items()),
    text="Print the names of all schemes.",
)


def own_scheme_option(text: str, *, name: str = "own_scheme", **settings: Any) -> Decorator:
    """Return a decorator that adds --scheme; its help begins with `text`, the use of the scheme."""
    return option(
        "--scheme FILE.py:NAME",
        f"{text}, also as MODULE:NAME: one that commands for pictures take, or a function that "
        "takes an array and the bytes of a key and returns an array; or the name of a listed "
        "scheme.",
        name=name,
        **settings,
    )


def scheme_options(verb: str, default_text: str) -> Decorator:
    """Return a decorator that adds the options for choosing schemes.

    The help says what is done with them, `verb`, and which of them are the default, `default_text`.
    """
    scheme_names = option(
        "--schemes A,B,...",
        f"Names of the schemes to {verb}, separated by commas; by default {default_text}",
        name="names",
    )
    own_schemes = own_scheme_option(
        "Your own scheme, can be repeated", name="own_schemes", multiple=True
    )
    return lambda command: scheme_names(own_schemes(list_schemes_option(command)))


def _make_registering_callback(registry: Registry[Any], adapt: Callable[[str, Any], Any]) -> Any:
    """Return the callback of an option that registers objects of users and returns their names.

    `adapt` converts a location and the object at this location to an entry of the registry.
    """

    def register_objects(
        _: click.Context, __: click.Parameter, locations: Sequence[str]
    ) -> list[str]:
        names = []
        for location in locations:
            # A decorator in the file may register the object during the import.
            known_names = set(registry)
            user_object = load_object(location)
            new_names = [name for name in registry if name not in known_names]
            if not new_names:
                new_names = [registry.register(adapt(location, user_object)).name]
            names += new_names
        return names

    return register_objects


def _make_metric(location: str, user_object: Any) -> Metric:
    if isinstance(user_object, Metric) or not callable(user_object):
        return user_object  # type: ignore[no-any-return] # the registry refuses what is no metric
    name = location.rpartition(":")[2]
    meaning = (user_object.__doc__ or "a metric of your own").partition("\n")[0].rstrip(".")
    return Metric(
        name=name,
        group="own",
        needs="image",
        measure=user_object,
        meaning=meaning,
        column=name,
        aim=None,
    )


metric_option = option(
    "--metric FILE.py:NAME",
    "Your own metric, can be repeated: a function of an image that returns a number, one under "
    "the decorator sudokucrypt.analysis.metric, or a Metric.",
    name="metrics",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_make_registering_callback(METRICS, _make_metric),
)

attack_option = option(
    "--attack FILE.py:NAME",
    "Your own attack, can be repeated: a function under the decorator "
    "sudokucrypt.analysis.attacks.attack, or an Attack.",
    name="attacks",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_make_registering_callback(ATTACKS, lambda _, held: held),
)


def _make_salted_scheme(
    cipher: TaggedScheme,
    name: str,
    *,
    seed: int,
    limits: str,
    **units: Any,
) -> MeasuredScheme:
    """Return a cipher as a scheme with and without fresh salts; `units` are unit and block size."""
    options = {"unit": "block", **units} if "block_size" in units else units
    saltless_function = _make_keyed_function(cipher, lambda: None, **options)
    # Salts are derived from a counter, so that runs with the same seed give the same report.
    salt_numbers = count(1)

    def make_next_salt() -> bytes:
        return sha256(f"{name}, seed {seed}, salt {next(salt_numbers)}".encode()).digest()[
            :SALT_LENGTH
        ]

    return MeasuredScheme(
        name=name,
        fixed=saltless_function,
        fresh=_make_keyed_function(cipher, make_next_salt, **options),
        key_bits=8 * KEY_BYTES if cipher.key_bits is None else cipher.key_bits,
        moves_only=cipher is SCRAMBLE or (not cipher.encrypts and keeps_values(saltless_function)),
        limits=limits,
        # Not known for blocks: only a run of the attack shows whether it can reassemble the
        # blocks.
        falls_to="none" if cipher in (SCRAMBLE, ENCRYPT) and "block_size" not in units else "",
        **units,
    )


def _make_keyed_function(
    cipher: TaggedScheme, salt: Callable[[], bytes | None], **options: Any
) -> Keyed:
    def run(image: AnyArray, key: bytes) -> SchemeResult:
        base_protection = make_protection(ScrambleArrayOptions(**options))
        protection = replace(base_protection, scheme=cipher, salt=salt())
        scrambled_image = protect_image(check_image(image), Key(key), protection)
        restore_options: dict[str, Any] = {"max_rounds": MAX_ROUNDS, "threads": protection.threads}
        return SchemeResult(
            scrambled_image.pixels,
            lambda key, pixels=scrambled_image.pixels: restore_image(
                pixels, Key(key), scrambled_image.header, cipher, **restore_options
            ),
        )

    return run


def _make_context_function(**options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> SchemeResult:
        scrambled_image = scramble(image, Key(key), context=_ANALYSIS_CONTEXT, **options)

        def undo(key_bytes: bytes, pixels: AnyArray = scrambled_image.pixels, /) -> AnyArray:
            other_key = Key(key_bytes)
            # The header gets the id of this key, so that a wrong key is tried instead of refused.
            header = replace(scrambled_image.header, key_id=other_key.id)
            return unscramble(pixels, other_key, header, context=_ANALYSIS_CONTEXT)

        return SchemeResult(scrambled_image.pixels, undo)

    return run
