"""Scramble, encrypt and restore picture files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sudokucrypt.ciphers import SCHEMES
from sudokucrypt.errors import FormatError, InvalidParameterError
from sudokucrypt.formats import HEADER_LIMIT, Header, parse_sidecar, sidecar_bytes, sidecar_name
from sudokucrypt.recipes.encryption import decrypt, encrypt
from sudokucrypt.recipes.parts import no_header
from sudokucrypt.recipes.scrambling import scramble, unscramble
from sudokucrypt.storage import read_limited, require_free, same_file, write_atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from sudokucrypt.keys import Key, Passphrase
    from sudokucrypt.recipes.parts import ProtectedImage
    from sudokucrypt.typing import AnyArray, Buffer, Unit

    Name = str | os.PathLike[str]


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
    source: Name,
    target: Name,
    key: Key | Passphrase,
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
    work = partial(
        scramble,
        key=key,
        unit=unit,
        block_size=block_size,
        rounds=rounds,
        deterministic=deterministic,
        context=context,
        threads=threads,
    )
    return _protect(source, target, work, sidecar=sidecar, compress=compress, replace=replace)


def unscramble_file(
    source: Name,
    target: Name,
    key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
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
    key : Key or Passphrase
        What it was scrambled with.
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

    def work(pixels: AnyArray, header: Header | None) -> AnyArray:
        return unscramble(pixels, key, header, context=context, threads=threads)

    return _restore(source, target, work, sidecar=sidecar, compress=compress, replace=replace)


def encrypt_file(
    source: Name,
    target: Name,
    key: Key | Passphrase,
    *,
    rounds: int | None = None,
    deterministic: bool = False,
    sidecar: bool = False,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Encrypt a picture file into another one that carries its header.

    Parameters, result and errors are those of `encrypt` and `scramble_file`.
    """
    work = partial(encrypt, key=key, rounds=rounds, deterministic=deterministic, threads=threads)
    return _protect(source, target, work, sidecar=sidecar, compress=0, replace=replace)


def decrypt_file(
    source: Name,
    target: Name,
    key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
    compress: int = 1,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Decrypt a picture file into another one.

    Parameters, result and errors are those of `unscramble_file`.
    """

    def work(pixels: AnyArray, header: Header | None) -> AnyArray:
        return decrypt(pixels, key, _present(header), threads=threads)

    return _restore(source, target, work, sidecar=sidecar, compress=compress, replace=replace)


def rekey_file(
    source: Name,
    target: Name,
    key: Key | Passphrase,
    new_key: Key | Passphrase,
    *,
    sidecar: Name | None = None,
    threads: int | None = None,
    replace: bool = False,
) -> FileReport:
    """Restore a picture file with one key, and protect it in the same way with another.

    Scheme, unit and rounds stay; the salt is new, if there was one. The plain picture is never
    written.

    Parameters
    ----------
    source, target : path
        Input and output; the suffix of `target` chooses PNG, TIFF or lossless WebP.
    key, new_key : Key or Passphrase
        What the picture is protected with, and what it shall be.
    sidecar, threads, replace
        As for `unscramble_file`.

    Raises
    ------
    DecryptionError, FormatError, OutputExistsError, InvalidImageError, UnsupportedError
        As for `unscramble_file`.
    InvalidParameterError
        If the picture was scrambled under a context.
    """
    from sudokucrypt.images import read_picture

    header = _present(_find_header(Path(source), read_picture(Path(source)).header, sidecar))
    scheme = SCHEMES.get(header.scheme)
    if scheme is None:
        raise InvalidParameterError(
            f"a picture of scheme {header.scheme} has no tag, so its key cannot be changed safely",
            hint="unscramble it and scramble the result",
        )
    deterministic = header.salt is None

    def work(pixels: AnyArray) -> ProtectedImage:
        if scheme.encrypts:
            plain = decrypt(pixels, key, header, threads=threads)
            return encrypt(
                plain, new_key, rounds=header.rounds, deterministic=deterministic, threads=threads
            )
        plain = unscramble(pixels, key, header, threads=threads)
        return scramble(
            plain,
            new_key,
            unit=header.unit,
            block_size=header.block_size,
            rounds=header.rounds,
            deterministic=deterministic,
            threads=threads,
        )

    beside = sidecar is not None or _sidecar_of(Path(source)).is_file()
    return _protect(source, target, work, sidecar=beside, compress=0, replace=replace)


def read_header(source: Name, *, sidecar: Name | None = None) -> Header:
    """Return the header of a protected picture file, from its sidecar or from inside.

    Raises
    ------
    FormatError
        If there is none, or a damaged one.
    InvalidImageError, UnsupportedError
        If the file is not a readable picture.
    """
    from sudokucrypt.images import read_picture

    return _present(_find_header(Path(source), read_picture(Path(source)).header, sidecar))


def _protect(
    source: Name,
    target: Name,
    work: Callable[[AnyArray], ProtectedImage],
    *,
    sidecar: bool,
    compress: int,
    replace: bool,
) -> FileReport:
    """Read, protect, and write picture and sidecar."""
    from sudokucrypt.images import Picture, output_format, picture_parts, read_picture

    path, beside = Path(target), _sidecar_of(Path(target))
    kind = output_format(path)
    _check_target(Path(source), path, replace=replace)
    if sidecar and not replace:
        require_free(beside)
    picture = read_picture(Path(source))
    result = work(picture.pixels)
    report = FileReport(picture.pixels.shape, picture.left_out)
    del picture  # its memory is needed for the output
    outputs: dict[Path, Iterable[Buffer]] = {}
    if sidecar:
        outputs[beside] = [sidecar_bytes(result.header)]
    outputs[path] = picture_parts(
        Picture.plain(result.pixels, header=result.header.to_bytes()), kind, compress=compress
    )
    write_atomically(outputs, replace=replace)
    return report


def _restore(
    source: Name,
    target: Name,
    work: Callable[[AnyArray, Header | None], AnyArray],
    *,
    sidecar: Name | None,
    compress: int,
    replace: bool,
) -> FileReport:
    """Read, restore, and write the plain picture."""
    from sudokucrypt.images import Picture, output_format, picture_parts, read_picture

    path = Path(target)
    kind = output_format(path)
    _check_target(Path(source), path, replace=replace)
    picture = read_picture(Path(source))
    image = work(picture.pixels, _find_header(Path(source), picture.header, sidecar))
    report = FileReport(picture.pixels.shape, picture.left_out)
    del picture
    write_atomically(
        {path: picture_parts(Picture.plain(image), kind, compress=compress)}, replace=replace
    )
    return report


def _sidecar_of(path: Path) -> Path:
    return path.with_name(sidecar_name(path.name))


def _find_header(source: Path, embedded: bytes | None, sidecar: Name | None) -> Header | None:
    """Take the header from the sidecar that was named, else the one beside, else from inside."""
    beside = _sidecar_of(source)
    place = Path(sidecar) if sidecar is not None else beside if beside.is_file() else None
    if place is not None:
        try:
            return parse_sidecar(read_limited(place, HEADER_LIMIT + 1))
        except OSError as error:
            raise FormatError(f"cannot read the sidecar '{place}': {error.strerror}") from None
    return None if embedded is None else Header.from_bytes(embedded)


def _present(header: Header | None) -> Header:
    if header is None:
        raise no_header()
    return header


def _check_target(source: Path, target: Path, *, replace: bool) -> None:
    if same_file(source, target):
        raise InvalidParameterError(
            "input and output are the same file", hint="name another output with -o"
        )
    if not replace:
        require_free(target)
