"""``sudokucrypt demo``: make a key, encrypt a photo, decrypt it, and show all three pictures."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.messages import say_missing_kernels
from sudokucrypt.cli.options import PATH_TYPE
from sudokucrypt.errors import DecryptionError, OutputExistsError, SudokucryptError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sudokucrypt.typing import AnyArray

_PHOTO_PATH = Path(__file__).with_name("demo.jpg")
# Pixels between two pictures, and the heights of the captions below them and of their letters.
_GAP, _CAPTION_HEIGHT, _LETTER_HEIGHT = 8, 44, 24


@click.command("demo")
@option(
    "-o, --output DIR",
    "Folder for the results; by default a new one, sudokucrypt-demo.",
    name="folder",
    type=PATH_TYPE,
)
def command(*, folder: Path | None) -> None:
    """Make a key, encrypt a photo, decrypt it, and show all three side by side.

    The photo is NASA's portrait of the astronaut Eileen Collins (public domain).
    """
    from sudokucrypt.images import Picture, picture_parts, read_picture
    from sudokucrypt.keys import Key
    from sudokucrypt.recipes import decrypt_file, encrypt_file
    from sudokucrypt.storage import make_folder, require_free, write_atomically

    if str(folder) == "-":
        raise click.UsageError("the demonstration writes several files; name a folder with -o")
    if folder is None:
        numbered_names = (f"sudokucrypt-demo-{index}" for index in count(2))
        folder_names = chain(["sudokucrypt-demo"], numbered_names)
        folder = next(path for path in map(Path, folder_names) if not path.exists())
    names = ("demo.key", "photo.jpg", "encrypted.png", "decrypted.jpg", "side-by-side.png")
    paths = [folder / name for name in names]
    key_file, photo_file, encrypted_file, decrypted_file, overview_file = paths
    try:
        for path in paths:
            require_free(path)
    except OutputExistsError as error:
        raise OutputExistsError(str(error), hint="name another folder with -o") from None
    make_folder(folder)

    write_atomically({photo_file: [_PHOTO_PATH.read_bytes()]}, replace=False)
    click.echo(f"photo:        {photo_file}")
    Key.generate().to_file(key_file)
    key = Key.from_file(key_file)
    click.echo(f"key {key.id}: {key_file}")
    encrypt_file(photo_file, encrypted_file, key)
    click.echo(f"encrypted:    {encrypted_file}")
    try:
        decrypt_file(encrypted_file, folder / "wrong.jpg", Key.generate())
    except DecryptionError as error:
        click.echo(f"another key:  refused ({error})")
    else:
        raise SudokucryptError("the demonstration failed: a wrong key was not refused")
    decrypt_file(encrypted_file, decrypted_file, key)
    if decrypted_file.read_bytes() != photo_file.read_bytes():
        raise SudokucryptError("the decrypted file differs from the photo")
    click.echo(f"decrypted:    {decrypted_file} (the same file, byte for byte)")

    tiles = [(path.name, read_picture(path).pixels) for path in paths[1:4]]
    overview_picture = Picture.plain(_join_pictures(tiles))
    write_atomically({overview_file: picture_parts(overview_picture, "PNG")}, replace=False)
    click.echo(f"side by side: {overview_file}")
    say_missing_kernels()


def _join_pictures(tiles: Sequence[tuple[str, AnyArray]]) -> AnyArray:
    """Join pictures in a row, each scaled to the size of the first, with its name below."""
    import numpy as np

    from sudokucrypt.images import paint
    from sudokucrypt.sudoku.drawing import Drawing, Text

    height, width, _ = tiles[0][1].shape
    joined_pixels = np.full(
        (height + _CAPTION_HEIGHT, len(tiles) * (width + _GAP) - _GAP, 3), 255, np.uint8
    )
    captions = []
    for index, (name, pixels) in enumerate(tiles):
        left = index * (width + _GAP)
        # Pixels of small pictures are repeated and not interpolated, which would smooth noise.
        rows = np.arange(height) * len(pixels) // height
        columns = np.arange(width) * pixels.shape[1] // width
        joined_pixels[:height, left : left + width] = np.atleast_3d(pixels)[rows][:, columns]
        center = left + width // 2
        captions.append(
            Text(_CAPTION_HEIGHT - 14, center, _LETTER_HEIGHT, name, bold=False, color="#16181d")
        )
    caption_picture = paint(Drawing(_CAPTION_HEIGHT, joined_pixels.shape[1], (), tuple(captions)))
    joined_pixels[height:] = caption_picture.pixels
    return joined_pixels
