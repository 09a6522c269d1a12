"""The schemes that can be measured and attacked, by name: ours, and those for comparison."""

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
from sudokucrypt.analysis.progress import time_limit
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
from sudokucrypt.cli.options import PATH
from sudokucrypt.cli.plugins import load_object
from sudokucrypt.errors import DecryptionError, FormatError, InvalidParameterError
from sudokucrypt.keys import SALT_LENGTH, Key
from sudokucrypt.recipes import scramble, unscramble, unscramble_robust
from sudokucrypt.recipes.arrays import restore_image
from sudokucrypt.recipes.jpegs import plan_jpeg
from sudokucrypt.recipes.options import MAX_ROUNDS, ScrambleArrayOptions
from sudokucrypt.recipes.protection import checked_image, make_protection, protect_image
from sudokucrypt.registry import Registry
from sudokucrypt.robust import scramble_robustly
from sudokucrypt.storage import write_atomically
from sudokucrypt.typing import AnyArray

_CONTEXT = "analysis"
_MOVES = "values stay: histogram, mean and entropy show"
_ONE_MAP = (
    "values stay; one map for all images of a context and size, which falls to a few chosen or "
    "known images"
)

# What is compared and attacked unless other schemes are named.
USUAL = ("scramble", "scramble-context", "encrypt")


def name_usual_schemes() -> list[str]:
    """Return the names of the schemes that `compare` takes unless others are named."""
    return [*USUAL, *(name for name, scheme in BASELINES.items() if not scheme.basis)]


def load_schemes(*, block_size: int = 16, seed: int = 0) -> dict[str, MeasuredScheme]:
    """Return every scheme by name, ours first; `block_size` is that of ``scramble-block``.

    The fresh salts of ours follow from the seed, and nonces are counted from 1, so that reports are
    reproducible.
    """
    # Ours first: the order is that of tables and lists.
    ours = [
        _measure_salted(SCRAMBLE, "scramble", seed=seed, limits=_MOVES),
        _measure_salted(SCRAMBLE, "scramble-sample", seed=seed, unit="sample", limits=_MOVES),
        _measure_salted(
            SCRAMBLE,
            "scramble-block",
            seed=seed,
            block_size=block_size,
            limits="values stay, and blocks can be put together like a jigsaw",
        ),
        MeasuredScheme(
            name="scramble-context",
            fixed=_under_context(),
            limits=_ONE_MAP,
            falls_to="chosen-plaintext",
        ),
        MeasuredScheme(
            name="scramble-context-block",
            fixed=_under_context(unit="block", block_size=block_size),
            block_size=block_size,
            limits=f"{_ONE_MAP}, and blocks can be put together like a jigsaw",
            falls_to="chosen-plaintext",
        ),
        _measure_salted(
            ENCRYPT,
            "encrypt",
            seed=seed,
            limits="shape, depth and key id show; without salt also which pictures are equal",
        ),
    ]
    taken = {*(scheme.name for scheme in ours), *BASELINES}
    outside = [cipher for cipher in SCHEMES.values() if cipher not in (SCRAMBLE, ENCRYPT)]
    ours += [_wrap_outside_scheme(cipher, taken, seed=seed) for cipher in outside]
    counting = {scheme.name: scheme for scheme in standard_ciphers()}
    return {**{scheme.name: scheme for scheme in ours}, **BASELINES, **counting}


def _wrap_outside_scheme(
    cipher: TaggedScheme, taken: Container[str], *, seed: int
) -> MeasuredScheme:
    """Return a cipher of others; without a version its name is shorter, unless that is taken."""
    short = cipher.name.removesuffix("-v1")
    called = cipher.name if short in taken else short
    limits = cipher.limits or "a cipher from outside"
    return _guard_scheme(_measure_salted(cipher, called, seed=seed, limits=limits))


def make_robust_scheme() -> MeasuredScheme:
    """Return the scheme whose results survive recompression; they have another shape."""

    def scramble_fixed(image: AnyArray, key: bytes) -> SchemeResult:
        sheet = scramble_robustly(image, Key(key), salt=bytes(SALT_LENGTH)).samples

        def undo(key: bytes, pixels: AnyArray = sheet, /) -> AnyArray:
            try:
                return unscramble_robust(pixels, Key(key)).pixels
            except FormatError as error:  # its header cannot be found
                raise DecryptionError(str(error)) from error

        return SchemeResult(sheet, undo)

    return MeasuredScheme(
        name="scramble-robust",
        fixed=scramble_fixed,
        moves_only=False,
        limits="comes back roughly; pixels are not authenticated, and never secret",
    )


def make_jpeg_scheme(*, max_pixels: int) -> JpegScheme:
    """Return the scheme of JPEG files that stay JPEG files."""
    return JpegScheme(
        name=SCRAMBLE_JPEG.name.removesuffix("-v1"),
        fixed=partial(_scramble_jpeg, max_pixels=max_pixels, deterministic=True),
        fresh=partial(_scramble_jpeg, max_pixels=max_pixels, deterministic=False),
    )


def _scramble_jpeg(data: bytes, key: bytes, *, max_pixels: int, deterministic: bool) -> bytes:
    plan = plan_jpeg(data, name="the picture", max_pixels=max_pixels)
    return plan.protect(
        Key(key), make_protection(ScrambleArrayOptions(deterministic=deterministic))
    )[0]


def choose_schemes(
    names: Sequence[str],
    *,
    own: Sequence[str] = (),
    block_size: int = 16,
    seed: int = 0,
    more: Sequence[MeasuredScheme] = (),
    timeout: float | None = None,
) -> list[MeasuredScheme]:
    """Return schemes of the user, from locations such as "my_file.py:cipher", then those of a name.

    A location may be a name too. `more` are known here besides `load_schemes`. One of the user that
    is called like another scheme is called by its whole location, and one that takes longer than
    `timeout` seconds for a first small image counts as one that takes no image.
    """
    known = load_schemes(block_size=block_size, seed=seed)
    known |= {scheme.name: scheme for scheme in more}
    chosen: dict[str, MeasuredScheme] = {}
    for location in own:
        scheme = _find_listed(location, known)
        if scheme is None:
            scheme = _load_scheme(location, known, seed=seed, timeout=timeout)
            if scheme.name in known or scheme.name in chosen:
                scheme = replace(scheme, name=location)
        chosen[scheme.name] = scheme
    for name in (name.strip() for name in names):
        scheme = _find_listed(name, known)
        if scheme is None:
            raise InvalidParameterError(
                f"there is no scheme {name!r}", hint=f"choose from {', '.join(known)}"
            )
        chosen[scheme.name] = scheme
    return list(chosen.values())


def load_scheme(location: str, *, timeout: float | None = None) -> MeasuredScheme:
    """Return the listed scheme of this name, or the scheme that an object of the user defines."""
    known = load_schemes()
    return _find_listed(location, known) or _load_scheme(location, known, timeout=timeout)


def _find_listed(name: str, known: Mapping[str, MeasuredScheme]) -> MeasuredScheme | None:
    """Return the scheme of this name in the list, or of the name that headers have for it."""
    if name not in known and (name in SCHEMES or name == ContextScheme.name):
        name = name.removesuffix("-v1")
    return known.get(name)


def _load_scheme(
    location: str,
    known: Mapping[str, MeasuredScheme],
    *,
    seed: int = 0,
    timeout: float | None = None,
) -> MeasuredScheme:
    """Return the scheme that an object of the user defines, as pictures or analysis take it."""
    held = load_object(location)
    if isinstance(held, MeasuredScheme):
        return held if held.code else _guard_scheme(held)
    if isinstance(held, TaggedScheme):
        with time_limit(timeout):
            return _wrap_outside_scheme(held, known, seed=seed)
    if not callable(held) and not hasattr(held, "encrypt"):
        raise InvalidParameterError(
            f"'{location}' is of type {type(held).__name__}, not a scheme",
            hint="a scheme is a TaggedScheme, or a function that takes an array and the bytes "
            "of a key, and returns an array of the same shape and dtype",
        )
    name = location.rpartition(":")[2].rpartition(".")[2]
    return scheme_from_function(held, name=location if name in known else name, timeout=timeout)


def _guard_scheme(scheme: MeasuredScheme) -> MeasuredScheme:
    """Return a scheme of others that is known to be one, and whose faults are errors of ours."""
    fixed = convert_foreign_errors(scheme.fixed, name=scheme.name)
    fresh = fixed if scheme.fresh is scheme.fixed else scheme.fresh
    if fresh is not None and fresh is not fixed:
        fresh = convert_foreign_errors(fresh, name=scheme.name)
    return replace(scheme, fixed=fixed, fresh=fresh, code=(scheme.fixed, scheme.fresh))


def listing_option(name: str, lines: Callable[[], Iterable[str]], *, text: str) -> Decorator:
    """Return a flag that prints these lines in place of what the command does."""

    def show(context: click.Context, _: click.Parameter, wanted: object) -> None:
        if wanted and not context.resilient_parsing:
            click.echo("\n".join(lines()))
            context.exit()

    return option(name, text, is_eager=True, expose_value=False, callback=show)


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
    type=PATH,
    is_eager=True,
    expose_value=False,
    callback=_write_template,
)

list_schemes_option = listing_option(
    "--list-schemes",
    lambda: (f"{name:32}{scheme.limits}" for name, scheme in load_schemes().items()),
    text="Print the names of all schemes.",
)


def own_scheme_option(text: str, **settings: Any) -> Decorator:
    """Return the option that takes a scheme of the user; `text` says what becomes of it."""
    return option(
        "--scheme FILE.py:NAME",
        f"{text}, also as MODULE:NAME: one that commands for pictures take, or a function that "
        "takes an array and the bytes of a key and returns an array; or the name of a listed "
        "scheme.",
        name="own",
        **settings,
    )


def scheme_options(verb: str, usual: str) -> Decorator:
    """Return a decorator with the options that choose schemes; `usual` says which by default."""
    named = option(
        "--schemes A,B,...",
        f"Names of the schemes to {verb}, separated by commas; by default {usual}",
        name="names",
    )
    own = own_scheme_option("Your own scheme, can be repeated", multiple=True)
    return lambda command: named(own(list_schemes_option(command)))


def _make_registering_callback(registry: Registry[Any], adapt: Callable[[str, Any], Any]) -> Any:
    """Return the callback that registers objects which an option names, and returns their names."""

    def load(_: click.Context, __: click.Parameter, locations: Sequence[str]) -> list[str]:
        names = []
        for location in locations:
            # A decorator may register it while the file is imported.
            before = set(registry)
            held = load_object(location)
            added = [name for name in registry if name not in before]
            if not added:
                added = [registry.register(adapt(location, held)).name]
            names += added
        return names

    return load


def _make_metric(location: str, held: Any) -> Metric:
    if isinstance(held, Metric) or not callable(held):
        return held  # type: ignore[no-any-return] # the registry refuses what is no metric
    name = location.rpartition(":")[2]
    meaning = (held.__doc__ or "a metric of your own").partition("\n")[0].rstrip(".")
    return Metric(
        name=name, group="own", needs="image", measure=held, meaning=meaning, column=name, aim=None
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


def _measure_salted(
    cipher: TaggedScheme,
    name: str,
    *,
    seed: int,
    limits: str,
    **units: Any,
) -> MeasuredScheme:
    """Return a cipher with and without a fresh salt; `units` say what moves as a whole."""
    options = {"unit": "block", **units} if "block_size" in units else units
    fixed = _make_keyed(cipher, lambda: None, **options)
    # Counted, so that a report with a seed comes out the same again.
    salts = count(1)

    def next_salt() -> bytes:
        return sha256(f"{name}, seed {seed}, salt {next(salts)}".encode()).digest()[:SALT_LENGTH]

    return MeasuredScheme(
        name=name,
        fixed=fixed,
        fresh=_make_keyed(cipher, next_salt, **options),
        key_bits=8 * KEY_BYTES if cipher.key_bits is None else cipher.key_bits,
        moves_only=cipher is SCRAMBLE or (not cipher.encrypts and keeps_values(fixed)),
        limits=limits,
        # A jigsaw of blocks may come out or not: that is left to the attack.
        falls_to="none" if cipher in (SCRAMBLE, ENCRYPT) and "block_size" not in units else "",
        **units,
    )


def _make_keyed(cipher: TaggedScheme, salt: Callable[[], bytes | None], **options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> SchemeResult:
        settings = make_protection(ScrambleArrayOptions(**options))
        protection = replace(settings, scheme=cipher, salt=salt())
        made = protect_image(checked_image(image), Key(key), protection)
        more: dict[str, Any] = {"max_rounds": MAX_ROUNDS, "threads": protection.threads}
        return SchemeResult(
            made.pixels,
            lambda other, seen=made.pixels: restore_image(
                seen, Key(other), made.header, cipher, **more
            ),
        )

    return run


def _under_context(**options: Any) -> Keyed:
    def run(image: AnyArray, key: bytes) -> SchemeResult:
        made = scramble(image, Key(key), context=_CONTEXT, **options)

        def undo(other: bytes, seen: AnyArray = made.pixels, /) -> AnyArray:
            taken = Key(other)
            # The key id of the header would refuse a wrong key.
            header = replace(made.header, key_id=taken.id)
            return unscramble(seen, taken, header, context=_CONTEXT)

        return SchemeResult(made.pixels, undo)

    return run
