"""Of XMP the properties that are allowed are copied, if they are short texts or lists of them."""

import base64
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sudokucrypt.images.cleartext.packet import NAMESPACES, cleartext_packet

_NAMES = {
    "x": "adobe:ns:meta/", "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xmpGImg": "http://ns.adobe.com/xap/1.0/g/img/", "xmpNote": "http://ns.adobe.com/xmp/note/",
    "own": "urn:somebody", **{namespace.prefix: name for name, namespace in NAMESPACES.items()},
}  # fmt: skip
_DECLARED = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in _NAMES.items())


def packet(inner: str, attributes: str = "", *, before: str = "") -> bytes:
    """A packet with one description."""
    return (
        f'{before}<?xpacket begin=""?><x:xmpmeta {_DECLARED}><rdf:RDF>'
        f'<rdf:Description rdf:about="" {attributes}>{inner}</rdf:Description>'
        '</rdf:RDF></x:xmpmeta>                  <?xpacket end="w"?>'
    ).encode()


def copied(data: bytes) -> str | None:
    """What stands inside the description of the copy."""
    copy = cleartext_packet(data)
    if copy is None:
        return None
    match = re.search(r"<rdf:Description[^>]*>(.*)</rdf:Description>", copy.decode(), re.DOTALL)
    assert match is not None
    return match[1]


def test_everything_that_is_allowed_is_copied() -> None:
    """Every property comes back, as an element or as an attribute, and the copy is its own copy."""
    names = [f"{space.prefix}:{name}" for space in NAMESPACES.values() for name in space.names]
    elements = "".join(f"<{name}>A &lt;text&gt; &amp; more</{name}>" for name in names)
    attributes = " ".join(f'{name}="A &lt;text&gt; &amp; more"' for name in names)
    copy = copied(packet(elements))
    assert copy is not None
    assert all(f"<{name}>A &lt;text&gt; &amp; more</{name}>" in copy for name in names)
    assert sorted(copied(packet("", attributes)) or "") == sorted(copy)
    whole = cleartext_packet(packet(elements))
    assert cleartext_packet(whole) == whole


@pytest.mark.parametrize("kind", ["Bag", "Seq", "Alt"])
def test_lists(kind: str) -> None:
    """Lists of texts keep their kind and their languages."""
    value = (
        f'<rdf:{kind}><rdf:li xml:lang="x-default">One</rdf:li><rdf:li>Two</rdf:li></rdf:{kind}>'
    )
    element = f"<dc:title>{value}</dc:title>"
    assert copied(packet(element)) == element


_RATING = "<xmp:Rating>3</xmp:Rating>"


def test_a_prefix_means_its_namespace() -> None:
    """What counts is the namespace that a prefix is bound to, in our own names at last."""
    lent = f'xmlns:dc="urn:somebody" xmlns:other="{_NAMES["dc"]}"'
    assert copied(packet("<other:title>A</other:title>", lent)) == "<dc:title>A</dc:title>"
    assert copied(packet("<dc:title>A</dc:title>", lent)) is None
    sealed = '<webp:header xmlns:webp="urn:sudokucrypt:1">{}</webp:header>'
    assert copied(packet(_RATING + sealed)) == _RATING


@pytest.mark.parametrize(
    "property_",
    [
        "<own:title>text</own:title>",
        "<dc:other>text</dc:other>",
        "<xmp:Thumbnails><rdf:Alt><rdf:li><xmpGImg:image>AAAA</xmpGImg:image></rdf:li></rdf:Alt>"
        "</xmp:Thumbnails>",
        "<xmpNote:HasExtendedXMP>0123456789ABCDEF</xmpNote:HasExtendedXMP>",
        "<photoshop:History>text</photoshop:History>",
        "<dc:title></dc:title>",
        "<dc:title>" + "long " * 300 + "</dc:title>",
        "<dc:title>" + "/9j/4AAQ" * 8 + "</dc:title>",
        "<dc:title>&#x85;</dc:title>",
        "<dc:title own:hidden='text'>text</dc:title>",
        "<dc:title xml:lang='en'>text</dc:title>",
        "<dc:title>text<own:more/></dc:title>",
        "<dc:title><rdf:Bag><rdf:li own:hidden='a'>text</rdf:li></rdf:Bag></dc:title>",
        "<dc:title><rdf:Bag><rdf:li xml:lang='a b'>text</rdf:li></rdf:Bag></dc:title>",
        "<dc:title><rdf:Bag own:hidden='a'><rdf:li>text</rdf:li></rdf:Bag></dc:title>",
        "<dc:title><rdf:Bag><rdf:li><rdf:Bag/></rdf:li></rdf:Bag></dc:title>",
        "<dc:title><rdf:Bag>" + "<rdf:li>a</rdf:li>" * 65 + "</rdf:Bag></dc:title>",
        "<dc:title><rdf:Bag/></dc:title>",
        "<dc:title><rdf:Description><own:a>text</own:a></rdf:Description></dc:title>",
        "<!-- a comment --><?own data?>",
        "text",
    ],
)
def test_other_properties_are_dropped(property_: str) -> None:
    """What is not listed, or has another form, is not copied, and the rest is."""
    assert copied(packet(property_ + _RATING)) == _RATING


def test_pieces_of_a_picture_are_found() -> None:
    """Texts that are a picture only together are not copied."""
    code = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(64))).decode()
    items = "".join(f"<rdf:li>{code[i : i + 8]}</rdf:li>" for i in range(0, len(code), 8))
    assert copied(packet(f"{_RATING}<dc:subject><rdf:Bag>{items}</rdf:Bag></dc:subject>")) is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"no XML", packet(_RATING)[:-40], packet(_RATING) + b"more",
        packet(_RATING, before='<!DOCTYPE x [<!ENTITY e "text">]>'),
        packet("<dc:title>&e;</dc:title>", before='<!DOCTYPE x [<!ENTITY e "text">]>'),
        packet("<dc:title>&e;</dc:title>"), packet(_RATING).decode().encode("utf-16"),
        packet("<dc:title>caf\xe9</dc:title>").decode().encode("latin-1"),
        packet("<own:a>" * 20 + "</own:a>" * 20 + _RATING), packet("<own:a/>" * 5000 + _RATING),
        packet(_RATING).replace(b"rdf:RDF", b"own:RDF"), b"<a/>", packet(""),
    ],
)  # fmt: skip
def test_packets_that_are_not_copied(data: bytes) -> None:
    """What is no XML in UTF-8, declares anything, is too deep or too large, or says nothing."""
    assert cleartext_packet(data) is None


def test_the_copy_is_short() -> None:
    """However much is said, 32 KiB at most are copied."""
    text = "word " * 200
    items = f"<rdf:li>{text}</rdf:li>" * 60
    lists = "".join(
        f"<dc:{name}><rdf:Bag>{items}</rdf:Bag></dc:{name}>" for name in ("title", "subject")
    )
    assert copied(packet(_RATING + lists)) == _RATING


@settings(max_examples=60)
@given(st.data())
def test_damaged_packets(data: st.DataObject) -> None:
    """Whatever bytes are changed, nothing is raised, and the copy is its own copy."""
    names = "<dc:title><rdf:Alt><rdf:li xml:lang='en'>One</rdf:li></rdf:Alt></dc:title>"
    changed = bytearray(packet(_RATING + names, "xmp:Label='red'"))
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    copy = cleartext_packet(bytes(changed))
    assert cleartext_packet(copy) == copy


@given(st.text('a é€😀\n\0<>&;/"=:dc', max_size=300))
def test_any_text(text: str) -> None:
    """Nothing is raised by any text, as a packet or in one."""
    data = text.encode()
    for whole in (data, packet(_RATING).replace(b">3<", b">" + data + b"<")):
        copy = cleartext_packet(whole)
        assert cleartext_packet(copy) == copy
