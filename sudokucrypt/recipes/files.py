"""Scramble and restore picture files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.errors import FormatError, InvalidParameterError
from sudokucrypt.formats import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.recipes.arrays import no_header, scramble, unscramble
from sudokucrypt.storage import read_limited, require_free, same_file, write_atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from sudokucrypt.keys import Key
    from sudokucrypt.typing import Unit


@dataclass(frozen=True)
class FileReport:
    """What came of a picture file.

    Parameters
    ----------
    shape : tuple of int
        (M, N) or (M, N, C).
    left_out : tuple of str
        What the input carries beside its samples, and the output does not.
    """

    shape: tuple[int, ...]
    left_out: tuple[str, ...]


def scramble_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    key: Key,
    *,
    unit: Unit = "pixel",
    block_size: int | None = None,
    rounds: int | None = None,
    deterministic: bool = False,
    context: str | None = None,
    sidecar: bool = False,
    compress: int = 0,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Scramble a picture file into another one that carries its header.

    Parameters
    ----------
    source, target : path
        Input and output; the suffix of `target` chooses PNG, TIFF or lossless WebP.
    key, unit, block_size, rounds, deterministic, context, threads
        As for `scramble`.
    sidecar : bool
        Also write the header to ``<target>.sudokucrypt.json``.
    compress : int
        0..9 for PNG: 0 stores the samples, which are noise to a compressor, 9 tries hardest.
    replace : bool
        Whether existing outputs may be replaced.

    Returns
    -------
    FileReport
        The shape of the picture, and what the output does not carry.

    Raises
    ------
    OutputExistsError
        If an output exists and `replace` is false.
    InvalidImageError, UnsupportedError
        If the input is not a readable picture, or a kind that is not supported.
    InvalidParameterError
        If an option is out of range, or input and output are one file.
    """
    from sudokucrypt.images import output_format, picture_parts, read_picture

    path, beside = Path(target), Path(sidecar_name(str(target)))
    kind = output_format(path)
    _check_target(Path(source), path, replace=replace)
    if sidecar and not replace:
        require_free(beside)
    picture = read_picture(Path(source))
    result = scramble(
        picture.pixels,
        key,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        threads=threads,
    )
    header, report = result.header, FileReport(picture.pixels.shape, picture.left_out)
    del picture  # its memory is needed for the output
    outputs: dict[Path, Sequence[bytes | memoryview]] = {}
    if sidecar:
        outputs[beside] = [sidecar_bytes(header)]
    outputs[path] = picture_parts(result.pixels, kind, header=header.to_bytes(), compress=compress)
    write_atomically(outputs, replace=replace)
    return report


def unscramble_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    key: Key,
    *,
    sidecar: str | os.PathLike[str] | None = None,
    context: str | None = None,
    compress: int = 1,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Restore a scrambled picture file into another one.

    Parameters
    ----------
    source, target : path
        Input and output; the suffix of `target` chooses PNG, TIFF or lossless WebP.
    key : Key
        The key it was scrambled with.
    sidecar : path, optional
        Where the header is, if neither beside the input nor inside it.
    context : str, optional
        The context it was scrambled under, if any.
    compress : int
        0..9 for PNG; 1, the default, is quick and saves much on a photograph.
    threads : int, optional
        As for `scramble`.
    replace : bool
        Whether an existing output may be replaced.

    Returns
    -------
    FileReport
        As for `scramble_file`.

    Raises
    ------
    DecryptionError
        If the key is wrong or the picture or its header was changed; nothing is written.
    FormatError
        If there is no header, or a damaged one.
    OutputExistsError, InvalidImageError, UnsupportedError, InvalidParameterError
        As for `scramble_file`.
    """
    from sudokucrypt.images import output_format, picture_parts, read_picture

    path = Path(target)
    kind = output_format(path)
    _check_target(Path(source), path, replace=replace)
    picture = read_picture(Path(source))
    header = _find_header(Path(source), picture.header, sidecar)
    image = unscramble(picture.pixels, key, header, context=context, threads=threads)
    report = FileReport(picture.pixels.shape, picture.left_out)
    del picture
    write_atomically({path: picture_parts(image, kind, compress=compress)}, replace=replace)
    return report


def read_header(
    source: str | os.PathLike[str], *, sidecar: str | os.PathLike[str] | None = None
) -> Header:
    """Return the header of a scrambled picture file, from its sidecar or from inside.

    Raises
    ------
    FormatError
        If there is none, or a damaged one.
    InvalidImageError, UnsupportedError
        If the file is not a readable picture.
    """
    from sudokucrypt.images import read_picture

    header = _find_header(Path(source), read_picture(Path(source)).header, sidecar)
    if header is None:
        raise no_header()
    return header


def _find_header(
    source: Path, embedded: bytes | None, sidecar: str | os.PathLike[str] | None
) -> Header | None:
    """Take the header from the sidecar that was named, else the one beside, else from inside."""
    beside = Path(sidecar_name(str(source)))
    place = Path(sidecar) if sidecar is not None else beside if beside.is_file() else None
    if place is not None:
        try:
            return parse_sidecar(read_limited(place, HEADER_LIMIT + 1))
        except OSError as error:
            raise FormatError(f"cannot read the sidecar '{place}': {error.strerror}") from None
    return None if embedded is None else Header.from_bytes(embedded)


def _check_target(source: Path, target: Path, *, replace: bool) -> None:
    if same_file(source, target):
        raise InvalidParameterError(
            "input and output are the same file", hint="name another output with -o"
        )
    if not replace:
        require_free(target)
