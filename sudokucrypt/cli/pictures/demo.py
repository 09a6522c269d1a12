"""``sudokucrypt demo``: a key, a scrambled picture, the restored one, and what they look like."""

from itertools import chain, count
from pathlib import Path

import click
import numpy as np

from sudokucrypt.cli.extensions import option
from sudokucrypt.cli.options import PATH
from sudokucrypt.errors import DecryptionError, OutputExistsError, SudokucryptError
from sudokucrypt.keys import Key
from sudokucrypt.recipes import scramble_file, unscramble_file
from sudokucrypt.storage import make_folder, require_free, write_atomically

_PICTURE = Path(__file__).with_name("demo.jpg")
_GAP = 8


@click.command("demo")
@option(
    "-o, --output DIR",
    "Folder for the results; by default a new one, sudokucrypt-demo.",
    name="folder",
    type=PATH,
)
def command(*, folder: Path | None) -> None:
    """Make a key, scramble a sample picture, restore it, and show all three pictures.

    The picture is NASA's portrait of the astronaut Eileen Collins (public domain).
    """
    from sudokucrypt.images import Picture, picture_parts, read_picture

    if folder is None:
        later = (f"sudokucrypt-demo-{index}" for index in count(2))
        free = chain(["sudokucrypt-demo"], later)
        folder = next(path for path in map(Path, free) if not path.exists())
    names = ("demo.key", "plain.png", "scrambled.png", "restored.png", "side-by-side.png")
    key_file, plain, scrambled, restored, sheet = paths = [folder / name for name in names]
    try:
        for path in paths:
            require_free(path)
    except OutputExistsError as error:
        raise OutputExistsError(str(error), hint="name another folder with -o") from None
    make_folder(folder)

    original = read_picture(_PICTURE).pixels
    write_atomically({plain: picture_parts(Picture.plain(original), "PNG")}, replace=False)
    Key.generate().to_file(key_file)
    key = Key.from_file(key_file)
    click.echo(f"key {key.id}: {key_file}")
    scramble_file(plain, scrambled, key)
    click.echo(f"scrambled:    {scrambled}")
    unscramble_file(scrambled, restored, key)
    after = read_picture(restored).pixels
    if not np.array_equal(after, original):
        raise SudokucryptError("the restored picture differs from the plain one")
    click.echo(f"restored:     {restored} (every sample is equal)")
    try:
        unscramble_file(scrambled, folder / "wrong.png", Key.generate())
    except DecryptionError as error:
        click.echo(f"another key:  refused ({error})")
    else:
        raise SudokucryptError("another key was not refused")

    gap = np.full((len(original), _GAP, 3), 255, dtype=np.uint8)
    strip = np.hstack([original, gap, read_picture(scrambled).pixels, gap, after])
    write_atomically({sheet: picture_parts(Picture.plain(strip), "PNG")}, replace=False)
    click.echo(f"side by side: {sheet}")
