"""Tell whether a result that is there already is what a run would write."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import TaggedScheme, sample_digests, tag_message
from sudokucrypt.errors import OutputExistsError, SudokucryptError
from sudokucrypt.header import Header
from sudokucrypt.keys import Key
from sudokucrypt.recipes.parts import required, unlocked
from sudokucrypt.recipes.pictures import same_samples
from sudokucrypt.recipes.routes import Route
from sudokucrypt.storage import REPLACE_HINT
from sudokucrypt.workers import Workers

if TYPE_CHECKING:
    from pathlib import Path

    from sudokucrypt.images import Picture
    from sudokucrypt.keys import MasterKey
    from sudokucrypt.recipes.parts import Protection
    from sudokucrypt.recipes.pictures import Plan

_COMPARED = ("scheme", "unit", "block_size", "rounds", "shape", "dtype", "regions", "mask")


def require_same_result(
    plan: Plan, place: Path, key: MasterKey, how: Protection, max_pixels: int | None
) -> Header:
    """Return the header of a file that is what this plan would write, but for chance.

    Parameters
    ----------
    plan : Plan
        What would be protected.
    place : Path
        The protected picture that is there.
    key : Key or Passphrase
        What it would be protected with.
    how : Protection
        How it would be protected.
    max_pixels : int or None
        As for `scramble_file`.

    Raises
    ------
    OutputExistsError
        If it is anything else.
    """
    header = None
    try:
        stored = Route(place, None, "").load(max_pixels)
        if stored.header is None:
            differing = ["it is no protected picture"]
        else:
            header = Header.from_bytes(stored.header)
            differing = _differences(plan, stored, header, key, how)
    except SudokucryptError as error:
        differing = [str(error)]
    require_none(differing, place)
    return required(header)


def require_none(differing: list[str], place: Path) -> None:
    """Raise `OutputExistsError` if a result differs from what a run would write."""
    if differing:
        raise OutputExistsError(
            f"'{place}' exists, and is not what this run would write: {', '.join(differing)}",
            hint=REPLACE_HINT,
            hint_key="replace",
        )


def _differences(
    plan: Plan, stored: Picture, header: Header, key: MasterKey, how: Protection
) -> list[str]:
    """Return in what a stored picture differs from the plan, in the words of a message."""
    if header.scheme != how.scheme.name:
        return [f"its scheme is {header.scheme}"]
    working = unlocked(key, header)
    if not isinstance(working, Key) or (header.kdf is None) != isinstance(key, Key):
        return ["it takes a passphrase" if header.kdf else "it takes a key"]
    draft = how.draft(plan.parts, working, selection=plan.selection, extras=plan.extras)
    differing = [
        f"its {name.replace('_', ' ')} {'differ' if name.endswith('s') else 'differs'}"
        for name in _COMPARED
        if getattr(header, name) != getattr(draft, name)
    ]
    shapes = [[(p.pixels.shape, p.pixels.dtype) for p in of] for of in (plan.parts, stored.frames)]
    if not differing and shapes[0] != shapes[1]:
        differing.append("its frames differ")
    return differing or _hidden_differences(plan, stored, working, header, draft, how)


def _hidden_differences(
    plan: Plan, stored: Picture, key: Key, header: Header, draft: Header, how: Protection
) -> list[str]:
    """Return in what extras, salt and samples differ."""
    plain = [part.pixels for part in plan.parts]
    pairs = zip(plan.parts, stored.frames, strict=True)
    parts = [replace(part, pixels=frame.pixels) for part, frame in pairs]
    with Workers(how.threads) as workers:
        opened = how.scheme.opened(key, header, workers)
        if opened.extras != draft.extras:
            return ["its metadata differ"]
        if isinstance(how.scheme, TaggedScheme):
            message = tag_message(
                replace(draft, kdf=None, salt=None), sample_digests(plain, workers)
            )
            if (header.salt == key.synthetic_salt(message)) != (how.salt is None):
                return ["its salt is random" if how.salt is None else "its salt is deterministic"]
        frames = how.scheme.restore(parts, key, opened, workers)
    same = all(same_samples(one, other) for one, other in zip(frames, plain, strict=True))
    return [] if same else ["its samples differ"]
