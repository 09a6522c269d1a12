"""What is said of a file that was written, or that was there already and is kept."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from sudokucrypt.ciphers import TaggedScheme, sample_digests, tag_message
from sudokucrypt.errors import OutputExistsError, SudokucryptError
from sudokucrypt.header import Header
from sudokucrypt.images import EmbeddedFile, Picture, describe, described
from sudokucrypt.keys import Key, MasterKey
from sudokucrypt.recipes import parts, pictures
from sudokucrypt.recipes.embedding import Way
from sudokucrypt.recipes.routes import Route
from sudokucrypt.remote import Url
from sudokucrypt.storage import REPLACE_HINT, Location
from sudokucrypt.typing import Region
from sudokucrypt.workers import Workers

_COMPARED = ("scheme", "unit", "block_size", "rounds", "shape", "dtype", "regions", "mask")


@dataclass(frozen=True)
class FileReport:
    """What came of a picture file.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C), of the first frame.
    dropped : tuple of str
        What the input carries beside its samples, and the output does not.
    target : Path, Url or None
        What was written; none for a stream.
    regions : tuple of (int, int, int, int) or None
        The rectangles that were changed, if not the whole picture or a mask.
    kept : bool
        Whether the output was already there, and is what would have been written.
    way : Way or None
        How the input was encrypted and why, unless the caller chose.
    file : EmbeddedFile or None
        What is known of the file that was encrypted as it is, or restored.
    source_bytes, target_bytes : int or None
        Bytes that were read, and of the picture or file that was written or is kept.
    tag : bytes or None
        The tag of the protected picture, if it has one.
    """

    shape: tuple[int, ...]
    dropped: tuple[str, ...]
    target: Location | None
    regions: tuple[Region, ...] | None = None
    kept: bool = False
    way: Way | None = None
    file: EmbeddedFile | None = None
    source_bytes: int | None = None
    target_bytes: int | None = None
    tag: bytes | None = None


def report(
    picture: Picture,
    dropped: tuple[str, ...],
    place: Location | BinaryIO,
    header: Header | None = None,
    *,
    size: int | None = None,
) -> FileReport:
    """Return what is said of a picture that was written, `size` bytes of it."""
    target = place if isinstance(place, Path | Url) else None
    regions, tag = (None, None) if header is None else (header.regions, header.tag)
    shape = picture.pixels.shape
    return FileReport(shape, dropped, target, regions, target_bytes=size, tag=tag)


def same_result(
    route: Route,
    plan: pictures.Plan,
    place: Location,
    key: MasterKey,
    how: parts.Protection,
    *,
    sidecar: bool,
    max_pixels: int | None,
) -> FileReport:
    """Return what is said of a file that is what this plan would write, but for chance."""
    header, size = None, None
    try:
        there = Route(place, None, "").read()
        size, stored = len(there.data), there.decoded(max_pixels)
        if stored.header is None:
            differing = ["it is not a protected picture"]
        else:
            header = Header.from_bytes(stored.header)
            differing = _differences(plan, stored, header, key, how)
    except SudokucryptError as error:
        differing = [str(error)]
    require_none(differing, place)
    if sidecar:
        route.keep_sidecar(place, parts.required(header))
    done = report(plan.stored, plan.dropped, place, header, size=size)
    return replace(done, regions=None, kept=True)


def require_none(differing: list[str], place: Location) -> None:
    """Raise `OutputExistsError` if a result differs from what a run would write."""
    if differing:
        raise OutputExistsError(
            f"'{place}' exists, and is not what this run would write: {', '.join(differing)}",
            hint=REPLACE_HINT,
            hint_key="replace",
        )


def _differences(
    plan: pictures.Plan, stored: Picture, header: Header, key: MasterKey, how: parts.Protection
) -> list[str]:
    """Return in what a stored picture differs from the plan, in the words of a message."""
    if header.scheme != how.scheme.name:
        return [f"its scheme is {header.scheme}"]
    working = parts.unlocked(key, header)
    if not isinstance(working, Key) or (header.kdf is None) != isinstance(key, Key):
        return ["it takes a passphrase" if header.kdf else "it takes a key"]
    draft = how.draft(
        plan.parts, working, selection=plan.selection, encrypted_metadata=plan.encrypted_metadata
    )
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
    plan: pictures.Plan,
    stored: Picture,
    key: Key,
    header: Header,
    draft: Header,
    how: parts.Protection,
) -> list[str]:
    plain = [part.pixels for part in plan.parts]
    pairs = zip(plan.parts, stored.frames, strict=True)
    protected = [replace(part, pixels=frame.pixels) for part, frame in pairs]
    with Workers(how.threads) as workers:
        opened = how.scheme.opened(key, header, workers)
        if _without_preview(stored, opened) != _without_preview(stored, draft):
            return ["its metadata differ"]
        if isinstance(how.scheme, TaggedScheme):
            message = tag_message(
                replace(draft, kdf=None, salt=None), sample_digests(plain, workers)
            )
            if (header.salt == key.synthetic_salt(message)) != (how.salt is None):
                return ["its salt is random" if how.salt is None else "its salt is deterministic"]
        frames = how.scheme.restore(protected, key, opened, workers)
    same = all(pictures.same_samples(one, other) for one, other in zip(frames, plain, strict=True))
    return [] if same else ["its samples differ"]


def _without_preview(stored: Picture, header: Header) -> bytes | None:
    """Return the description without the preview, which libraries may make in several ways."""
    if header.encrypted_metadata is None:
        return None
    return describe(replace(described(stored.frames, header.encrypted_metadata), preview=None))
