"""Small files with headers in them, and sidecars: which header counts, and what is refused."""

from collections.abc import Iterator
from typing import Any

from tests.kit.reference.containers import PNG_FORM
from tests.vectors.built_files import extension, gif, packet, png, tiff, webp
from tests.vectors.cases_headers import CONTEXT, line

Case = dict[str, Any]
Files = Iterator[tuple[str, bytes, str | bool | None]]
"""Names and files with the header that counts, None where there is none, False if refused."""

RIGHT = line(**CONTEXT)  # the shortest that there is
OTHERS = [line(**CONTEXT, rounds=str(rounds)) for rounds in (3, 4)]
KEYWORD = b"sudokucrypt\0"
LONG = line()
DAMAGED = RIGHT[:-1]


def _text(
    header: str = RIGHT, *, keyword: bytes = KEYWORD, form: bytes = PNG_FORM
) -> tuple[bytes, bytes]:
    return b"iTXt", keyword + form + header.encode("utf-8")


def _pngs() -> Files:
    text, title = _text(), (b"tEXt", b"Title\0cat")
    yield "before the samples", png(title, text), RIGHT
    yield "behind the samples", png(behind=(title, text)), RIGHT
    yield "nothing", png(title), None
    for kind in (b"tEXt", b"zTXt"):
        yield f"a {kind.decode()} chunk", png((kind, text[1])), None
    for keyword in (b"Sudokucrypt\0", b"sudokucrypt \0", b" sudokucrypt\0", b"sudokucrypt2\0"):
        yield f"keyword {keyword!a}", png(_text(keyword=keyword)), None
        yield f"{keyword!a} beside it", png(_text(OTHERS[0], keyword=keyword), text), RIGHT
    last = png()
    yield "behind the end", last + png(text)[33:], None
    for name, form in {
        "compressed": b"\1\0\0\0",
        "another method": b"\0\1\0\0",
        "a language": b"\0\0en\0\0",
        "a translated keyword": b"\0\0\0x\0",
    }.items():
        wrong = _text(form=form)
        yield name, png(wrong), False
        yield f"{name} beside it", png(wrong, text), False
        yield f"{name} behind it", png(text, behind=(wrong,)), False
    yield "cut off", png((b"iTXt", KEYWORD + b"\0\0")), False
    yield "only the keyword and its zero", png((b"iTXt", KEYWORD)), False
    yield "only the keyword", png((b"iTXt", KEYWORD[:-1])), None
    yield "two", png(text, _text(OTHERS[0])), False
    yield "two equal ones", png(text, behind=(text,)), False
    yield "damaged", png(_text(DAMAGED)), False
    yield "empty", png(_text("")), False
    yield "a line feed", png(_text(RIGHT + "\n")), False
    yield "no ASCII", png(_text(RIGHT.replace("pixel", "p\u00edxel"))), False
    whole = png(text)
    changed = whole.replace(b'"rounds":8', b'"rounds":9')
    yield "another checksum", changed, False


def _tiffs() -> Files:
    right, other = RIGHT.encode() + b"\0", OTHERS[0].encode() + b"\0"
    for order in "<>":
        texts: list[tuple[str, bytes, str | bool | None]] = [
            ("alone", right, RIGHT),
            ("first", right + b"a cat\0", RIGHT),
            ("last", b"a cat\0" + right, RIGHT),
            ("between", b"a cat\0" + right + b"a dog\0", RIGHT),
            ("behind an empty text", b"\0" + right, RIGHT),
            ("none", b"a cat\0", None),
            ("short", b"cat\0", None),
            ("within a text", b"header: " + right, None),
            ("another object", b'{"sudoku":1}\0', None),
            ("two", right + other, False),
            ("two equal ones", right + right, False),
            ("damaged beside it", DAMAGED.encode() + b"\0" + right, False),
            ("damaged", DAMAGED.encode() + b"\0", False),
        ]
        for name, text, found in texts if order == "<" else texts[:3]:
            yield f"{order} {name}", tiff(text, order=order), found
        yield f"{order} no text", tiff(None, order=order), None
        yield f"{order} on the second page", tiff(b"a cat\0", right, order=order), RIGHT
        yield f"{order} on both pages", tiff(right, other, order=order), False


def _gifs() -> Files:
    right, other = extension(RIGHT.encode()), extension(OTHERS[0].encode())
    loops = extension(b"\1\0\0", name=b"NETSCAPE2.0")
    yield "before the image", gif(right), RIGHT
    yield "behind the image", gif(loops, right), RIGHT
    yield "without global colors", gif(loops, right, colors=False), RIGHT
    yield "version 87a", gif(b"", right, signature=b"GIF87a"), RIGHT
    yield "short sub-blocks", gif(b"", extension(RIGHT.encode(), size=40)), RIGHT
    yield "long sub-blocks", gif(b"", extension(LONG.encode())), LONG
    yield "nothing", gif(loops), None
    for name, block in {
        "a comment": extension(RIGHT.encode(), label=b"\xfe"),
        "another extension": extension(RIGHT.encode(), label=b"\x01"),
        "another code": extension(RIGHT.encode(), name=b"SUDOKUCR1.0"),
        "another identifier": extension(RIGHT.encode(), name=b"SUDOKUXXYPT"),
    }.items():
        yield name, gif(loops, block), None
        yield f"{name} beside it", gif(block, right), RIGHT
    yield "two", gif(right, other), False
    yield "two equal ones", gif(right, right), False
    yield "damaged", gif(extension(DAMAGED.encode())), False


def _webps() -> Files:
    # One pixel that is hardly seen, whose odd length makes a byte of padding.
    pixel = "2f00000010075081540820000a1a02495bbced8f8f88e87f00"
    image = (b"VP8L", bytes.fromhex(pixel))
    extended = (b"VP8X", b"\x14" + bytes(9))
    right = packet(RIGHT)
    yield "a packet", webp(extended, image, right), RIGHT
    yield "nothing", webp(image), None
    other = (b"XMP ", packet()[1].replace(b"urn:sudokucrypt:1", b"urn:cat:1"))
    yield "another packet", webp(extended, image, other), None
    quoted = RIGHT.replace('"', "&quot;")
    yield "entities of quotes", webp(extended, image, packet(quoted)), RIGHT
    yield "no element", webp(extended, image, packet()), False
    attribute = f' sudokucrypt:header="{quoted}"'
    yield "an attribute", webp(extended, image, packet(more=attribute)), False
    yield "another prefix", webp(extended, image, packet(RIGHT, prefix="s")), False
    yield "an empty element", webp(extended, image, packet("")), False
    yield "two equal ones", webp(extended, image, packet(RIGHT, RIGHT)), False
    yield "two", webp(extended, image, packet(RIGHT, OTHERS[0])), False
    yield "damaged", webp(extended, image, packet(DAMAGED)), False


def _sidecars() -> Iterator[Case]:
    right, other, third = (f"{text}\n".encode() for text in (RIGHT, *OTHERS))
    picture, bare = png(_text(OTHERS[1])), png()
    bad = DAMAGED.encode() + b"\n"
    for name, data, named, beside, found in (
        ("named", bare, right, None, RIGHT),
        ("beside", bare, None, right, RIGHT),
        ("named, beside and within", picture, right, other, RIGHT),
        ("beside and within", picture, None, right, RIGHT),
        ("within", picture, None, None, OTHERS[1]),
        ("named where the one within is damaged", png(_text(DAMAGED)), right, None, RIGHT),
        ("beside where two are within", png(_text(), _text()), None, right, False),
        ("named where two are within", png(_text(), _text()), right, None, False),
        ("named where another form is within", png(_text(form=b"\1\0\0\0")), right, None, False),
        ("named where nothing is within", png(_text("")), right, None, False),
        ("named where another start is within", png(_text(" " + RIGHT)), right, None, False),
        ("named where a line feed is within", png(_text(RIGHT + "\n")), right, None, False),
        ("named where DEL is within", png(_text(RIGHT + "\x7f")), right, None, False),
        ("named where US is within", png(_text(RIGHT + "\x1f")), right, None, False),
        ("named where no ASCII is within", png(_text(RIGHT + "\u00ed")), right, None, False),
        ("beside where spaces are within", png(_text(RIGHT + " ")), None, right, RIGHT),
        ("no line feed", bare, right[:-1], None, False),
        ("no line feed beside", bare, None, right[:-1], False),
        ("two line feeds", bare, right + b"\n", None, False),
        ("carriage return and line feed", bare, right[:-1] + b"\r\n", None, False),
        ("a line feed in front", bare, b"\n" + right, None, False),
        ("a byte order mark", bare, b"\xef\xbb\xbf" + right, None, False),
        ("empty", bare, b"", None, False),
        ("only a line feed", bare, b"\n", None, False),
        ("damaged, others right", picture, bad, third, False),
        ("damaged beside, within right", picture, None, bad, False),
        ("without line feed, others right", picture, right[:-1], third, False),
    ):
        yield _case(f"sidecar: {name}", data, found, named=named, beside=beside)


def _case(
    name: str,
    picture: bytes,
    found: str | bool | None,
    *,
    named: bytes | None = None,
    beside: bytes | None = None,
) -> Case:
    return {
        "name": name, "picture": picture.hex(), "named": None if named is None else named.hex(),
        "beside": None if beside is None else beside.hex(), "header": found or None,
        "refused": found is False,
    }  # fmt: skip


def containers() -> list[Case]:
    """Picture files and sidecars with the header that counts, if there is one."""
    kinds = {"PNG": _pngs, "TIFF": _tiffs, "GIF": _gifs, "WebP": _webps}
    cases = [
        _case(f"{kind}: {name}", data, found)
        for kind, make in kinds.items()
        for name, data, found in make()
    ]
    return cases + list(_sidecars())
