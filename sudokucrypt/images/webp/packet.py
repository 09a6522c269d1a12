"""Our header in an XMP packet, the only place for text in a WebP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sudokucrypt.images.source import Source

NAMESPACE: Final = b"urn:sudokucrypt:1"
"""What any packet with our header names."""

_PACKET = (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description rdf:about="" xmlns:sudokucrypt="urn:sudokucrypt:1">'
    "<sudokucrypt:header>{header}</sudokucrypt:header>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
    '<?xpacket end="r"?>'
).encode()
_BINDING = re.compile(rb"""xmlns:sudokucrypt\s*=\s*["']([^"']*)["']""")
_ELEMENT = re.compile(rb"<sudokucrypt:header>([^<]*)</sudokucrypt:header>")
_ENTITIES = {b"amp": b"&", b"lt": b"<", b"gt": b">", b"quot": b'"', b"apos": b"'"}
_ENTITY = re.compile(rb"&(amp|lt|gt|quot|apos);")


def packet(header: bytes) -> bytes:
    """Return the XMP packet that carries a header."""
    for name in (b"amp", b"lt", b"gt"):
        header = header.replace(_ENTITIES[name], b"&" + name + b";")
    return _PACKET.replace(b"{header}", header)


def headers_in(source: Source, body: bytes) -> list[bytes]:
    """Return the headers in an XMP packet, by pattern: a parser would bring its own dangers."""
    found = [
        _ENTITY.sub(lambda entity: _ENTITIES[entity.group(1)], text)
        for text in _ELEMENT.findall(body)
    ]
    # Another program may have bound the prefix, or the namespace, to something else.
    written = found and set(_BINDING.findall(body)) == {NAMESPACE}
    if not written and (found or NAMESPACE in body):
        raise source.bad_header("the XMP packet around it was rewritten")
    return found
