"""Steps of sessions that make, change or check files; all other steps are commands."""

import importlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from PIL import Image

from sudokucrypt import Header, Key, Passphrase
from sudokucrypt.images import read_picture
from sudokucrypt.keys import lock
from sudokucrypt.typing import AnyArray
from tests.cli.conftest import PICTURES, is_same, list_names
from tests.cli.gallery import GALLERY
from tests.images.builders import encode_array, noise, save_image
from tests.images.jpeg import corpus

FILES_OF_1_1 = Path(__file__).parents[1] / "data" / "v1_1"

_KINDS: dict[str, Callable[[int, int], AnyArray]] = {
    "gray": lambda rows, columns: noise(rows, columns, 1),
    "gray16": lambda rows, columns: noise(rows, columns, 1, "uint16"),
    "rgb": lambda rows, columns: noise(rows, columns, 3),
    "rgba": lambda rows, columns: noise(rows, columns, 4),
    "even": lambda rows, columns: np.full((rows, columns, 3), 9, dtype=np.uint8),
    "black": lambda rows, columns: np.zeros((rows, columns), dtype=np.uint8),
    "smooth": corpus.make_smooth,
    "smooth-gray": lambda rows, columns: corpus.make_smooth(rows, columns, 1),
}
_PACKAGE_FORMATS = {".png": "PNG", ".tif": "TIFF", ".tiff": "TIFF"}
_PILLOW_FORMATS = {".bmp": "BMP", ".gif": "GIF", ".webp": "WEBP"}
_DAMAGES: dict[str, Callable[[AnyArray], AnyArray]] = {
    "one-pixel": lambda pixels: pixels ^ _choose_first_pixel(pixels),
    "one-row-less": lambda pixels: pixels[:-1],
    "other-depth": lambda pixels: pixels.astype(np.uint16),
    "nothing": lambda pixels: pixels,
}


def _choose_first_pixel(pixels: AnyArray) -> AnyArray:
    mask = np.zeros_like(pixels)
    mask[0, 0] = 1
    return mask


def _make_path(name: str) -> Path:
    """Return the path of a file, and make its folder."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


# Steps that make files


def do_picture(name: str, size: str, kind: str = "rgb", *options: str) -> None:
    """`picture NAME WIDTHxHEIGHT KIND [OPTION=VALUE]`: write a picture; options are Pillow's."""
    columns, rows = map(int, size.split("x"))
    pixels = _KINDS[kind](rows, columns)
    suffix = Path(name).suffix.lower()
    settings: dict[str, Any] = dict(option.split("=") for option in options)
    settings = {name: value == "yes" or value for name, value in settings.items()}
    if suffix in _PACKAGE_FORMATS:
        picture_bytes = encode_array(pixels, _PACKAGE_FORMATS[suffix])
    else:
        picture_bytes = save_image(
            pixels.squeeze(), _PILLOW_FORMATS.get(suffix, "JPEG"), **settings
        )
    _make_path(name).write_bytes(picture_bytes)


def do_several(name: str) -> None:
    """`several NAME`: write an animation, pages, or an icon of two sizes, by the suffix."""
    first_page, second_page = (Image.new("RGB", (48, 32), (shade, 40, 90)) for shade in (20, 220))
    if name.endswith(".ico"):
        first_page.save(_make_path(name), sizes=[(16, 16), (24, 16)])
    else:
        first_page.save(_make_path(name), save_all=True, append_images=[second_page])


def do_earlier(name: str, target: str) -> None:
    """`earlier NAME TARGET`: copy a file that version 1.1.0 wrote with the key in `my.key`."""
    shutil.copy(FILES_OF_1_1 / name, _make_path(target))


def do_mask(name: str, size: str, *words: str) -> None:
    """`mask NAME WIDTHxHEIGHT [KIND] REGION...`: write a black picture with white rectangles."""
    columns, rows = map(int, size.split("x"))
    mask = _choose_regions((rows, columns), words)
    gray = mask.astype(np.uint8)
    images: dict[str, Callable[[], AnyArray]] = {
        "bits": lambda: mask,
        "deep": lambda: gray.astype(np.uint16),
        "blue": lambda: np.dstack([0 * gray, 0 * gray, gray]),
        "alpha": lambda: np.dstack([gray, np.full_like(gray, 255)]),
    }
    if words[0] == "palette":
        image = Image.fromarray(5 - 5 * gray)
        image.putpalette(bytes([0, 9, 0]) + bytes(15))
        image.save(name)
    else:
        pixels = images[words[0]]() if words[0] in images else gray
        Path(name).write_bytes(encode_array(pixels, "PNG"))


def _choose_regions(shape: tuple[int, ...], regions: Sequence[str]) -> AnyArray:
    """Return a mask that is true in the rectangles X,Y,W,H."""
    mask = np.zeros(shape[:2], dtype=bool)
    for region in regions:
        if "," in region:
            column, row, columns, rows = map(int, region.split(","))
            mask[row : row + rows, column : column + columns] = True
    return mask


def do_sample(name: str, target: str) -> None:
    shutil.copy(PICTURES / name, _make_path(target))


def do_gallery(name: str, target: str) -> None:
    _make_path(target).write_bytes(GALLERY[name])


def do_photograph(target: str) -> None:
    pixels = next(iter(corpus.list_photographs().values()))
    Image.fromarray(pixels).save(_make_path(target), quality=95)


def do_text(name: str, words: str = "") -> None:
    _make_path(name).write_text(words.replace("\\n", "\n"), encoding="utf-8")


def do_bytes(name: str, data: str, times: str = "1") -> None:
    _make_path(name).write_bytes(bytes.fromhex(data) * int(times))


def do_key(name: str, byte: str = "0") -> None:
    Key(bytes([int(byte)]) * 32).to_file(_make_path(name))


def do_locked(name: str, words: str) -> None:
    """`locked NAME WORDS`: write the key of `key NAME`, locked with a passphrase."""
    _make_path(name).write_text(lock(Key(bytes(32)), Passphrase(words)), encoding="ascii")
    Path(name).chmod(0o600)


def do_folder(name: str) -> None:
    Path(name).mkdir(parents=True)


def do_zip(name: str, source: str, *members: str) -> None:
    """Write an archive that contains a file under several names."""
    with zipfile.ZipFile(name, "w") as archive:
        for member in members:
            archive.writestr(member, Path(source).read_bytes())


def _find_store(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    return cast("tuple[Any, str]", importlib.import_module("fsspec").url_to_fs(url))


def do_empty(url: str) -> None:
    files, path = _find_store(url)
    if files.exists(path):
        files.rm(path, recursive=True)


def do_store(source: str, url: str) -> None:
    files, path = _find_store(url)
    files.pipe_file(path, Path(source).read_bytes())


def do_fetch(url: str, target: str) -> None:
    files, path = _find_store(url)
    Path(target).write_bytes(files.cat_file(path))


# Steps that change files


def do_chmod(mode: str, *names: str) -> None:
    for name in names:
        Path(name).chmod(int(mode, 8))


def do_copy(source: str, target: str) -> None:
    shutil.copy(source, _make_path(target))


def do_move(source: str, target: str) -> None:
    Path(source).rename(_make_path(target))


def do_remove(*names: str) -> None:
    for name in names:
        Path(name).unlink()


def do_cut(name: str, share: str) -> None:
    """Cut a file to its first `90%`, to its first `30` bytes, or by its last 30 bytes (`-30`)."""
    content = Path(name).read_bytes()
    length = len(content) * float(share[:-1]) / 100 if share.endswith("%") else int(share)
    Path(name).write_bytes(content[: int(length)])


def do_append(name: str, words: str) -> None:
    Path(name).write_bytes(Path(name).read_bytes() + words.encode())


def do_flip_after(name: str, start_text: str, distance: str) -> None:
    """Change the byte at a distance after a text in a file."""
    content = bytearray(Path(name).read_bytes())
    content[content.index(start_text.replace("\\n", "\n").encode()) + int(distance)] ^= 1
    Path(name).write_bytes(content)


def do_drop_last_scan(name: str) -> None:
    """Remove the last scan of a progressive JPEG, without which it is not exact."""
    content = Path(name).read_bytes()
    Path(name).write_bytes(content[: content.rindex(b"\xff\xda")] + b"\xff\xd9")


def do_misspell(name: str) -> None:
    """Change the last letter of a key file."""
    text = Path(name).read_text(encoding="ascii").rstrip("\n")
    Path(name).write_text(f"{text[:-1]}{'P' if text[-1] == 'Q' else 'Q'}\n", encoding="ascii")


def do_resave(source: str, target: str, quality: str = "75") -> None:
    """Save a picture by another program, which drops the header."""
    with Image.open(source) as image:
        image.load()
        image.info.clear()
        image.save(target, quality=int(quality))


def do_resize(source: str, target: str, size: str) -> None:
    columns, rows = map(int, size.split("x"))
    with Image.open(source) as image:
        image.resize((columns, rows)).save(target, quality=90)


def do_damage(source: str, target: str, change: str, *fields: str) -> None:
    """Write a copy of a picture with changed samples or changed fields of its header."""
    picture = read_picture(Path(source))
    header = replace(Header.from_bytes(picture.header or b""), **dict(map(_parse_field, fields)))
    file_format = _PACKAGE_FORMATS[Path(target).suffix]
    content = encode_array(_DAMAGES[change](picture.pixels), file_format, header=header.to_bytes())
    Path(target).write_bytes(content)


def do_swap_header(source: str, target: str, header_source: str) -> None:
    """Write a copy of a picture with the header of another one."""
    pixels, header = read_picture(Path(source)).pixels, read_picture(Path(header_source)).header
    Path(target).write_bytes(encode_array(pixels, "PNG", header=header))


def do_lowercase(name: str) -> None:
    Path(name).write_text(Path(name).read_text(encoding="ascii").lower(), encoding="ascii")


def _parse_field(text: str) -> tuple[str, Any]:
    """Parse a field of a header: `rounds=4`, `kdf=TEXT`, `tag=` for None, `header_mac=00`."""
    name, _, value = text.partition("=")
    if not value:
        return name, None
    if name in ("salt", "tag", "header_mac"):
        return name, bytes.fromhex(value) * 32
    return name, int(value) if value.isdigit() else value


# Steps that check files


def do_exists(*names: str) -> None:
    for name in names:
        assert Path(name).exists(), f"there is no {name}"


def do_absent(*names: str) -> None:
    for name in names:
        assert not Path(name).exists(), f"there is a file {name}"


def list_names_at(url: str) -> set[str]:
    """Return the names of all objects below a URL."""
    files, path = _find_store(url)
    files.invalidate_cache()
    prefix = path.strip("/") + "/"
    return {name.strip("/").removeprefix(prefix) for name in files.find(path)}


def do_files(folder: str, *expected: str) -> None:
    """Fail unless these are all files below a folder or a URL."""
    names = list_names_at(folder) if "://" in folder else list_names(Path(folder))
    assert names == set(expected), f"there are {sorted(names)}"


def do_remember(*names: str) -> None:
    """Store the state of files for a later step `untouched`."""
    Path(".remembered").write_text(json.dumps({name: _identify(name) for name in names}))


def do_untouched(*names: str) -> None:
    """Fail if any of the files was written or replaced since `remember`."""
    old_state = json.loads(Path(".remembered").read_text(encoding="utf-8"))
    for name in names:
        assert _identify(name) == old_state[name], f"{name} was written again"


def _identify(name: str) -> list[int]:
    status = Path(name).stat()
    return [status.st_ino, status.st_mtime_ns]


def do_cmp(first_name: str, *other_names: str) -> None:
    """Fail unless the files have the same bytes."""
    for other_name in other_names:
        assert Path(first_name).read_bytes() == Path(other_name).read_bytes(), (
            f"{other_name} is another file"
        )


def do_same_json(first_name: str, second_name: str) -> None:
    """Fail unless the files contain the same JSON, written in any form."""
    first_data, second_data = (
        json.loads(Path(name).read_bytes()) for name in (first_name, second_name)
    )
    assert first_data == second_data, f"{first_data} is not {second_data}"


def do_same(first_name: str, *other_names: str) -> None:
    """Fail unless the files contain the same picture."""
    for other_name in other_names:
        assert is_same(first_name, other_name), f"{other_name} is another picture"


def do_unlike(first_name: str, *other_names: str) -> None:
    """Fail if another picture has the same samples as the first one."""
    pixels = read_picture(Path(first_name)).pixels
    for other_name in other_names:
        assert not np.array_equal(pixels, read_picture(Path(other_name)).pixels), (
            f"{other_name} is the same"
        )


def do_outside(first_name: str, second_name: str, *regions: str) -> None:
    """Fail unless two pictures are equal outside of the regions X,Y,W,H, and differ inside."""
    first_pixels, second_pixels = (
        read_picture(Path(first_name)).pixels,
        read_picture(Path(second_name)).pixels,
    )
    mask = _choose_regions(first_pixels.shape, regions)
    assert np.array_equal(first_pixels[~mask], second_pixels[~mask]), "something outside changed"
    assert not np.array_equal(first_pixels[mask], second_pixels[mask]), "nothing inside changed"


def do_outside_listed(first_name: str, second_name: str, name: str, pixel: str) -> None:
    """Do `outside` for the regions in a file; they have X,Y and less than half of all pixels."""
    regions = Path(name).read_text(encoding="ascii").split()
    do_outside(first_name, second_name, *regions)
    mask = _choose_regions(read_picture(Path(first_name)).pixels.shape, regions)
    column, row = map(int, pixel.split(","))
    assert mask[row, column], f"{pixel} is not in {regions}"
    assert mask.mean() < 0.5


def do_shape(name: str, size: str) -> None:
    """Fail unless a picture has WIDTHxHEIGHT pixels."""
    rows, columns = read_picture(Path(name)).pixels.shape[:2]
    assert f"{columns}x{rows}" == size, f"it has {columns}x{rows}"


def do_close(first_name: str, second_name: str, decibels: str) -> None:
    """Fail unless the PSNR of two pictures is above this number of decibels."""
    first_pixels, second_pixels = (
        read_picture(Path(name)).pixels.astype(float) for name in (first_name, second_name)
    )
    psnr = 10 * np.log10(255**2 / np.mean((first_pixels - second_pixels) ** 2))
    assert psnr > float(decibels), f"it is {psnr:.2f} dB"


def do_begins(name: str, *beginnings: str) -> None:
    """Fail unless a file begins with these bytes, written as hexadecimal digits."""
    found = Path(name).read_bytes()[:16]
    assert found.startswith(tuple(map(bytes.fromhex, beginnings))), f"it begins with {found.hex()}"


def do_contains(name: str, *words: str) -> None:
    for word in words:
        assert word.encode() in Path(name).read_bytes(), f"{word!r} is not in it"


def do_lacks(name: str, *words: str) -> None:
    for word in words:
        assert word.encode() not in Path(name).read_bytes(), f"{word!r} is in it"


def do_larger(first_name: str, second_name: str, factor: str = "1") -> None:
    """Fail unless the first file is larger than `factor` times the second."""
    sizes = [Path(name).stat().st_size for name in (first_name, second_name)]
    assert sizes[0] > float(factor) * sizes[1], f"they have {sizes} bytes"


def do_mode(name: str, mode: str) -> None:
    """Fail unless a file has these permissions, written as for chmod."""
    permissions = Path(name).stat().st_mode & 0o777
    assert permissions == int(mode, 8), f"it has {permissions:o}"


def do_modified(name: str, seconds: str) -> None:
    """Fail unless a file has this time, in seconds since 1970."""
    seconds_found = Path(name).stat().st_mtime
    assert seconds_found == int(seconds), f"it has {seconds_found}"


STEPS: dict[str, Callable[..., object]] = {
    "link": lambda source, name: Path(name).symlink_to(source),
    "hardlink": os.link,
    "fifo": os.mkfifo,
    "time": lambda name, seconds: os.utime(name, (int(seconds), int(seconds))),
    **{
        name.removeprefix("do_").replace("_", "-"): function
        for name, function in list(globals().items())
        if name.startswith("do_")
    },
}
"""By the first word of a line."""
