"""Descriptions alone that every reader takes or refuses: their limits, padding, files.

No frames are at hand, so that sides, canvases and files may be larger than any test could hold.
"""

from collections.abc import Iterator

from tests.vectors import cases_previews
from tests.vectors.cases_files import FILES, NO_FILES
from tests.vectors.line_cases import COLORED, GRAY, Case, line, line_case

MOST = 2147483647
MAX_LINE = 4194304
_TWENTY = "9" * 20
_EXIF = '"metadata":{"exif":2}'


def _sized(length: int) -> str:
    """Return a line that makes extras without padding so long."""
    bare = line(format="")
    return line(format="x" * (length - 1 - len(bare)))


def _paddings(*, good: bool) -> Iterator[Case]:
    if good:
        for length in (255, 256, 257, 511, 512, 513):
            for more in (0, 256, 512):
                padding = -length % 256 + more
                yield line_case(f"{length} bytes and {padding}", _sized(length), padding=padding)
        yield line_case("a blob of zeros", line(f"{COLORED},{_EXIF}", frames=1), bytes(2))
        for blob in (b"\n\n", b"\r\n"):
            yield line_case(f"{blob!r} in a blob", line(f"{COLORED},{_EXIF}", frames=1), blob)
        return
    for length, paddings in {200: (0, 55, 57, 184, 311), 256: (1, 128, 255), 257: (0, 254)}.items():
        for padding in paddings:
            yield line_case(f"{length} bytes and {padding}", _sized(length), padding=padding)
    for place in (0, 27, 55):
        wrong = bytes(place) + b"\1" + bytes(55 - place)
        yield line_case(f"byte {place} of the padding", _sized(200), padding=wrong)
    spaces = line_case("padding of spaces", _sized(200), padding=b" " * 56)
    yield from (spaces, line_case("a longer padding of ones", _sized(256), padding=b"\1" * 256))


def _values(*, good: bool) -> Iterator[Case]:
    """Return frames with one more field, and pictures with one."""
    good_fields = (
        '"place":[0,1]', f'"place":[{MOST},{MOST}]', '"transparent":[4294967295]',
        '"transparent":[0,0,0,0]', '"showing":["0",0,4294967295]',
        f'"showing":["{_TWENTY}/{_TWENTY[:-1]}8",4294967295,0]', '"bits":2', '"bits":4',
        '"metadata":{"resolution":["1","1/2","meter"]}', '"metadata":{"texts":[["",""]]}',
        '"metadata":{"resolution":["72","72",null]}', '"metadata":{"native":[["",0]]}',
    )  # fmt: skip
    bad_fields = (
        '"place":[0,0]', f'"place":[{MOST + 1},0]', f'"place":[0,{MOST + 1}]', '"place":[1]',
        '"place":[1,2,3]', '"place":[-1,0]', '"place":[1.0,0]', '"transparent":[4294967296]',
        '"transparent":[]', '"transparent":[-1]', '"transparent":[true]', '"transparent":[0.0]',
        '"showing":["0",0,4294967296]', f'"showing":["{_TWENTY}9",0,0]', '"showing":["0",0]',
        f'"showing":["1/{_TWENTY}9",0,0]', '"showing":["2/4",0,0]', '"showing":["1/1",0,0]',
        '"showing":["01",0,0]', '"showing":["1/0",0,0]', '"showing":["0/2",0,0]',
        '"showing":["-1",0,0]', '"showing":["1/01",0,0]', '"showing":["1",0,0,0]',
        '"showing":["00",0,0]', '"bits":1', '"bits":8', '"bits":3', '"bits":4.0',
        '"metadata":{}', '"metadata":{"resolution":["1","1","foot"]}', '"metadata":{"native":[]}',
        '"metadata":{"resolution":["1","1"]}', '"metadata":{"texts":[["",null]]}',
        '"metadata":{"texts":[["","",""]]}', '"metadata":{"native":[[0,0]]}', '"more":0',
        '"metadata":{"texts":[[null,""]]}', '"metadata":{"texts":[]}', '"metadata":{"more":0}',
        '"metadata":{"icc":0,"exif":0}', '"palette":0',
    )  # fmt: skip
    for field in good_fields if good else bad_fields:
        yield line_case(f"a frame with {field:.50}", line(f"{COLORED},{field}"))
        if good and "bits" not in field:
            yield line_case(
                f"alone, a frame with {field:.50}", line(f"{COLORED},{field}", frames=1)
            )
    sides = (
        ("6", "6,7", "1,1", f"{MOST},{MOST}", "6,7,1")
        if good
        else (
            "0,7", "6,0", "6,7,0", "6,7,1,1", "6", "-6,7", f"{MOST + 1},1", "6,7,2", "6.0,7",
            "true,7",
        )
    )  # fmt: skip
    for shape in sides[1:] if good else sides:
        yield line_case(f"shape {shape}", line(GRAY.replace("6,7", shape)))
    for old, new in (('"uint8"', '"uint128"'), ('"gray"', '"grey"'), ('"gray"', '"rgb"'),
                     ('"gray"', '"gray-alpha"'), ('"gray"', '"cmyk"'), ('"gray"', "null"),
                     ('"shape":[6,7],', ""), ('"dtype":"uint8",', ""), (',"mode":"gray"', ""),
                     ('"shape":[6,7],"dtype":"uint8"',
                      '"dtype":"uint8","shape":[6,7]')):  # fmt: skip
        if not good:
            yield line_case(f"{new or 'nothing'} for {old}", line(GRAY.replace(old, new)))
    channels = {"gray": 1, "gray-alpha": 2, "rgb": 3, "rgba": 4, "palette": 1, "cmyk": 4}
    for mode, count in channels.items():
        for other in [count] if good else [1, 2, 3, 4, 5]:
            if good or other != count:
                shape = f"[6,7,{other}]"
                frame = f'"shape":{shape},"dtype":"uint8","mode":"{mode}"'
                yield line_case(f"{mode} of {other} channels", line(frame))
    wide = f'{GRAY.replace("uint8", "uint16")},"bits":4'
    if not good:
        yield line_case("bits of uint16", line(wide))
        yield line_case("bits of bool", line(wide.replace("uint16", "bool")))


def _needs(*, good: bool) -> Iterator[Case]:
    """Return single frames that need a description, or none."""
    special = [GRAY.replace('"gray"', f'"{mode}"') for mode in ("palette",)]
    cmyk = '"shape":[6,7,4],"dtype":"uint8","mode":"cmyk"'
    plain = [GRAY, COLORED, COLORED.replace("3]", "4]").replace("rgb", "rgba")]
    for frame in [*special, cmyk, f'{GRAY},"bits":2'] if good else plain:
        yield line_case(f"one frame {frame}", line(frame, frames=1))
    if good:
        more = '"animation":{"rows":6,"columns":7},'
        yield line_case("a still animation", line(GRAY, more=more, frames=1))
    else:
        yield line_case("no frames", line(frames=0))
        yield line_case("no format", line().replace('"format":"TIFF",', ""))
        yield line_case("a format of null", line().replace('"TIFF"', "null"))


def _animations(*, good: bool) -> Iterator[Case]:
    texts = (
        '"rows":0,"columns":0', f'"rows":{MOST},"columns":{MOST}',
        '"rows":1,"columns":1,"loops":4294967295', '"rows":1,"columns":1,"loops":0,"background":0',
    ) if good else (
        f'"rows":{MOST + 1},"columns":1', f'"rows":1,"columns":{MOST + 1}', '"rows":1',
        '"columns":1',
        '"rows":-1,"columns":1', '"columns":1,"rows":1', '"rows":1,"columns":1,"loops":4294967296',
        '"rows":1,"columns":1,"loops":-1', '"rows":1,"columns":1,"loops":true',
        '"rows":1,"columns":1,"palette":0', '"rows":1,"columns":1,"more":0',
    )  # fmt: skip
    for text in texts:
        yield line_case(f"animation {text}", line(more=f'"animation":{{{text}}},'))


def _palettes(*, good: bool) -> Iterator[Case]:
    """Return palettes: those of the frames, which use them all."""
    lists: dict[str, tuple[str, bytes]] = {
        '{"colors":0}': ("0", b""),
        '{"colors":6,"alphas":2}': ("0", b"colorsal"),
        '{"colors":6,"alphas":1}': ("0", b"colorsa"),
        '{"colors":12,"alphas":2,"wide":true}': ("0", b"twelve bytesal"),
        '{"colors":3},{"colors":3}': ("0 1", b"abcdef"),
        '{"colors":6},{"colors":6,"wide":true}': ("0 1", b"abcdefabcdef"),
    } if good else {
        '{"colors":4}': ("0", b"abcd"),
        '{"colors":9,"wide":true}': ("0", b"nine byte"),
        '{"colors":6,"alphas":0}': ("0", b"colors"),
        '{"colors":6,"alphas":3}': ("0", b"colorsalp"),
        '{"colors":0,"alphas":1}': ("0", b"a"),
        '{"colors":12,"alphas":3,"wide":true}': ("0", b"twelve bytesalp"),
        '{"colors":12,"alphas":4,"wide":true}': ("0", b"twelve bytesalph"),
        '{"alphas":1,"colors":3}': ("0", b"abcd"),
        '{"colors":6,"wide":false}': ("0", b"colors"),
        '{"colors":6,"wide":1}': ("0", b"colors"),
        '{"colors":3},{"colors":3} ': ("0 1", b"abcabc"),
        '{"colors":3},{"colors":3}': ("1 0", b"abcdef"),
        '{"colors":3},{"colors":3},{"colors":3}': ("0 1", b"abcdefghi"),
        '{"colors":3}': ("0 1", b"abc"),
        '{"alphas":1}': ("0", b"a"),
        '{"colors":1000}': ("0", b"abc"),
        "": ("", b""),
    }  # fmt: skip
    for palettes, (used, blobs) in lists.items():
        frames = [f'{{{GRAY},"palette":{number}}}' for number in used.split()]
        text = line(more=f'"palettes":[{palettes.strip()}],')
        text = text.replace('"frames":[', f'"frames":[{"".join(f"{frame}," for frame in frames)}')
        yield line_case(f"palettes {palettes or 'none'}, used {used}", text, blobs)
    first = (
        '"palettes":[{"colors":3},{"colors":3}],"animation":{"rows":1,"columns":1,"palette":%d},'
    )
    frame = f'{GRAY},"palette":{1 if good else 0}'
    text = line(frame, more=first % (0 if good else 1))
    yield line_case("a palette of the animation first", text, b"abcdef")


def _readable(*, good: bool) -> Iterator[Case]:
    told = f'{COLORED},"metadata":{{"exif":1,"icc":1,"xmp":1,"resolution":["1","1",null],' + (
        '"texts":[["",""]],"native":[["",0]]}'
    )
    texts = (
        '["exif"]', '["icc"]', '["resolution"]', '["xmp"]', '["exif","icc","resolution","xmp"]',
        '["icc","xmp"]',
    ) if good else (
        "[]", '["xmp","exif"]', '["exif","icc","xmp","resolution"]', '["texts"]', '["native"]',
        '["exif","exif"]', '"exif"', "null", '[["exif"]]', '["Exif"]', '{"exif":true}',
    )  # fmt: skip
    for text in texts:
        yield line_case(
            f"readable {text}", line(told, more=f'"readable":{text},', frames=1), b"abc"
        )
    painted = f'{GRAY},"palette":0,{_EXIF}'
    fields = ['"readable":["exif"]', '"palettes":[{"colors":3}]']
    more = ",".join(fields if good else fields[::-1])
    yield line_case(f"{more:.10} first", line(painted, more=f"{more},", frames=1), b"rgbII")
    both = '"readable":["exif"],"palettes":[{"colors":3}],'
    turned = '"palettes":[{"colors":3}],"readable":["exif"],'
    palette = f'{GRAY},"palette":0,{_EXIF}'
    text = line(palette, more=both if good else turned, frames=1)
    yield line_case("readable and palettes", text, b"abcII")
    last = line(frames=3, more='"readable":["exif"],')
    second = last.replace(f"{{{COLORED}}}]", f"{{{COLORED},{_EXIF}}}]")
    if good:
        yield line_case("readable of the last frame", second, b"II")
    else:
        yield line_case("readable of no frame", last)
        other = second.replace('"readable":["exif"]', '"readable":["icc"]')
        yield line_case("readable of another kind", other, b"II")
        swapped = second.replace('"format":"TIFF","readable":["exif"]',
                                 '"readable":["exif"],"format":"TIFF"')  # fmt: skip
        yield line_case("readable before the format", swapped, b"II")
        behind = second.replace('"readable":["exif"],', "")[:-1] + ',"readable":["exif"]}'
        yield line_case("readable behind the frames", behind, b"II")


def _long(*, good: bool) -> Iterator[Case]:
    bare = len(line(format=""))
    most = MAX_LINE - bare if good else MAX_LINE - bare + 1
    yield line_case(f"a line of {bare + most} bytes", line(format="*"), fill=most)


def _cases(*, good: bool) -> list[Case]:
    makers = (_paddings, _values, _needs, _animations, _palettes, _readable, _long)
    cases = [case for make in makers for case in make(good=good)]
    cases += [line_case(f"file: {name}", text) for name, text in (FILES if good else NO_FILES)]
    return [*cases, *(cases_previews.accepted() if good else cases_previews.rejected())]


def accepted() -> list[Case]:
    """Descriptions that every reader takes."""
    return _cases(good=True)


def rejected() -> list[Case]:
    """Descriptions with one fault."""
    return [{**case, "layer": "description"} for case in _cases(good=False)]
