"""Descriptions with one fault, for pictures that they would describe without it.

A blob of one byte more than there are would take one of the padding, and describe another picture.
So numbers of bytes that are too large are larger than all that is there.
"""

from collections.abc import Iterator

from sudokucrypt.images import describe
from tests.vectors.gallery import PICTURES
from tests.vectors.whole import padded

# The part of a picture's line that is another, and what stands there.
_CHANGES: dict[str, list[tuple[str, list[str]]]] = {
    "animation": [
        ('"format":"GIF"', ['"format":null', '"format":["GIF"]', '"formats":"GIF"']),
        ('"format":"GIF",', ["", '"format": "GIF",', '"format":"GIF","more":1,']),
        ('"rows":8', ['"rows":-8', '"rows":8.0', '"rows":2147483648', '"rows":"8"', '"rows":null']),
        ('"rows":8,', [""]),
        ('"loops":0', ['"loops":-1', '"loops":null', '"loops":false', '"loops":"0"']),
        ('"background":2', ['"background":300', '"background":1', '"background":true']),
        ('"palette":0}', ['"palette":1}', '"palette":2}', '"palette":-1}', '"palette":null}']),
        ('{"colors":12,"alphas":2},{"colors":12}',
         ['{"colors":12,"alphas":2}',
          '{"colors":12,"alphas":2},{"colors":12},{"colors":0}',
          '{"colors":12,"alphas":5},{"colors":9}', '{"colors":6,"alphas":8},{"colors":12}',
          '{"colors":12,"alphas":2,"wide":null},{"colors":12}',
          '{"colors":12,"alphas":0},{"colors":14}', '{"colors":11,"alphas":3},{"colors":12}',
          '{"alphas":2,"colors":12},{"colors":12}',
          '{"colors":12,"alphas":2,"wide":false},{"colors":12}',
          '{"colors":12,"alphas":2},{"colors":12,"wide":1}']),
        ('"mode":"palette","bits":4', ['"mode":"gray4","bits":4', '"mode":"rgb","bits":4',
                                       '"mode":"cmyk","bits":4', '"mode":null,"bits":4',
                                       '"bits":4,"mode":"palette"']),
        ('"bits":4', ['"bits":1', '"bits":8', '"bits":3', '"bits":4.0', '"bits":null']),
        ('"showing":["1/10",0,0]',
         [f'"showing":{value}' for value in (
             '["2/20",0,0]', '["0.1",0,0]', '["-1/10",0,0]', '["+1/10",0,0]', '["1/0",0,0]',
             '["1/1",0,0]', '["01/10",0,0]', '["1/10 ",0,0]', '["\\u0031/10",0,0]', '[0,0,0]',
             '["",0,0]', '["1/100000000000000000000",0,0]', '["100000000000000000000",0,0]',
             '["1/10",-1,0]', '["1/10",0,4294967296]', '["1/10",0]', '["1/10",0,0,0]', "[]",
             "null", '"1/10"')]),
        ('"transparent":[3]', ['"transparent":[]', '"transparent":3', '"transparent":[-3]',
                               '"transparent":[4294967296]', '"transparent":[true]']),
        ('"place":[6,7]', ['"place":[0,0]', '"place":[6]', '"place":[6,7,0]', '"place":[-6,7]',
                           '"place":[6,2147483648]', '"place":[2147483648,0]', '"place":{"6":7}',
                           '"place":"67"']),
        ('{"shape":[8,10],', ['{"shape":[8,10],"shape":[8,10],', '{"more":0,"shape":[8,10],']),
    ],
    "sealed": [
        ('"exif":4', ['"exif":500', '"exif":3', '"exif":-4', '"exif":4.0', '"exif":null',
                      f'"exif":{"9" * 5000}']),
        ('"exif":4,"icc":3', ['"icc":3,"exif":4', '"exif":4,"icc":3,"iptc":0']),
        ('["72","100/3","inch"]', ['["72/1","100/3","inch"]', '["72","100/3","foot"]',
                                   '["72","100/3"]', '["72","100/3","inch",0]', '[72,"100/3",null]',
                                   '["072","100/3","inch"]']),
        ('["Title",', ['["Title","",', "[0,", "[null,", '["\\u0054itle",', '["T\\/itle",']),
        ('\\u00f6', ['\\u00F6', "\u00f6"]),
        ('\\n', ['\\u000a']),
        ('\\udfff/', ['\\udfff\\/']),
        ('\\u007f', ['\x7f', '\\u007F']),
        ('"native":[["PNG gAMA",3],["",0]]', ['"native":[["PNG gAMA",3],["",500]]', '"native":[]',
                                              '"native":[["PNG gAMA",3,0],["",0]]',
                                              '"native":{"PNG gAMA":3}']),
        ('"metadata":{', ['"metadata":{"resolution":null,', '"metadata":[{']),
    ],
}  # fmt: skip


def _described(name: str) -> bytes:
    """Return line and blobs of a picture whose last blob does not end in a zero."""
    extras = describe(PICTURES[name])
    assert extras is not None
    return extras.rstrip(b"\0")


def is_line(extras: bytes) -> bool:
    """Tell whether extras can be shown as a line of ASCII and what is behind it."""
    line, feed, _ = extras.partition(b"\n")
    return bool(feed) and line.isascii()


def faulty_extras() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong, the name of a picture, and the extras that do not describe it."""
    for name, changes in _CHANGES.items():
        line, feed, blobs = _described(name).partition(b"\n")
        for old, values in changes:
            for value in values:
                part = old.encode()
                assert line.count(part) >= 1, old
                changed = line.replace(part, value.encode(), 1)
                yield f"{name}: {old} is {value:.60}", name, padded(changed + feed + blobs)
    sealed = _described("sealed")
    yield "no line feed", "sealed", padded(sealed.partition(b"\n")[0])
    yield "a carriage return", "sealed", padded(sealed.replace(b"\n", b"\r\n", 1))
    yield "a space in front", "sealed", padded(b" " + sealed)
    yield "a byte order mark", "sealed", padded(b"\xef\xbb\xbf" + sealed)
    yield "no JSON", "sealed", padded(b"{\n")
    yield "a list", "sealed", padded(b"[]\n")
    yield "a number", "sealed", padded(b"1\n")
    yield "deep brackets", "sealed", padded(b"[" * 3000 + b"\n")
    yield "only a line feed", "sealed", padded(b"\n")
    for fault, extras in {
        "no padding": sealed,
        "a byte of padding less": padded(sealed)[:-1],
        "a byte of padding more": padded(sealed, 1),
        "128 bytes of padding more": padded(sealed, 128),
        "255 bytes of padding more": padded(sealed, 255),
        "the first byte of the padding is 1": padded(sealed + b"\1"),
        "the last byte of the padding is 1": padded(sealed)[:-1] + b"\1",
        "the last of 256 bytes more is 1": padded(sealed, 256)[:-1] + b"\1",
        "a space in the padding": padded(sealed)[:-2] + b" \0",
    }.items():
        yield fault, "sealed", extras
    needless = b'{"format":"PNG","frames":[{"shape":[6,7,3],"dtype":"uint8","mode":"rgb"%b}]}\n'
    for fault, more in {
        "a description without need": b"", "metadata that say nothing": b',"metadata":{}',
        "a place that is none": b',"place":[0,0]', "a palette that is not there": b',"palette":0',
        "a list without members": b',"transparent":[]', "bits that say nothing": b',"bits":8',
    }.items():  # fmt: skip
        yield fault, "plain", padded(needless % more)
    two = (
        b'{"format":"","palettes":[{"colors":3},{"colors":3}],"animation":{"rows":6,"columns":7,'
        b'"palette":%d},"frames":[{"shape":[6,7,3],"dtype":"uint8","mode":"rgb","palette":%d}]}\n%b'
    )
    yield "a palette without use", "plain", padded(two % (0, 0, b"abcdef"))
    yield "palettes in another order", "plain", padded(two % (1, 0, b"abcdef"))
    yield "equal palettes", "plain", padded(two % (0, 1, b"abcabc"))
    sixteen = (
        b'{"format":"","frames":[{"shape":[6,7,4],"dtype":"uint16","mode":"cmyk","bits":4}]}\n'
    )
    yield "bits of another type", "cmyk", padded(sixteen)
