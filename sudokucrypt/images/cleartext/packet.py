"""XMP rebuilt from the properties that are allowed: texts, and lists of texts.

::

    x:xmpmeta > rdf:RDF > rdf:Description (properties as attributes) > property
    property > text, or rdf:Bag, rdf:Seq or rdf:Alt > rdf:li > text

References
----------
.. [1] ISO 16684-1:2019, "Extensible metadata platform (XMP)", 7 and 8.
.. [2] IPTC, "Photo metadata standard 2023.2", https://iptc.org/standards/photo-metadata/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Final, NamedTuple
from xml.parsers import expat

from sudokucrypt.images.cleartext.wrappings import holds_picture, is_plain


class Namespace(NamedTuple):
    """A namespace: how it is written before names, and the names."""

    prefix: str
    names: frozenset[str]


_ALLOWED: Final = """
    dc http://purl.org/dc/elements/1.1/
        contributor coverage creator date description format language publisher relation rights
        subject title type
    xmp http://ns.adobe.com/xap/1.0/
        CreateDate CreatorTool Label MetadataDate ModifyDate Nickname Rating
    xmpRights http://ns.adobe.com/xap/1.0/rights/
        Certificate Marked Owner UsageTerms WebStatement
    photoshop http://ns.adobe.com/photoshop/1.0/
        AuthorsPosition CaptionWriter Category City ColorMode Country Credit DateCreated Headline
        ICCProfile Instructions Source State SupplementalCategories TransmissionReference Urgency
    tiff http://ns.adobe.com/tiff/1.0/
        Artist Copyright DateTime ImageDescription ImageLength ImageWidth Make Model Orientation
        ResolutionUnit Software XResolution YResolution
    exif http://ns.adobe.com/exif/1.0/
        ApertureValue BrightnessValue ColorSpace Contrast CustomRendered DateTimeDigitized
        DateTimeOriginal DigitalZoomRatio ExifVersion ExposureBiasValue ExposureMode ExposureProgram
        ExposureTime FNumber FocalLength FocalLengthIn35mmFilm FlashpixVersion GainControl
        GPSAltitude GPSAltitudeRef GPSImgDirection GPSImgDirectionRef GPSLatitude GPSLongitude
        GPSMapDatum GPSTimeStamp GPSVersionID ImageUniqueID ISOSpeedRatings LightSource
        MaxApertureValue MeteringMode PixelXDimension PixelYDimension Saturation SceneCaptureType
        SceneType SensingMethod Sharpness ShutterSpeedValue SubjectDistance SubjectDistanceRange
        UserComment WhiteBalance
    exifEX http://cipa.jp/exif/1.0/
        BodySerialNumber CameraOwnerName Gamma LensMake LensModel LensSerialNumber
        PhotographicSensitivity RecommendedExposureIndex SensitivityType
    aux http://ns.adobe.com/exif/1.0/aux/
        Firmware FlashCompensation ImageNumber Lens LensInfo OwnerName SerialNumber
    Iptc4xmpCore http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/
        AltTextAccessibility CountryCode ExtDescrAccessibility IntellectualGenre Location Scene
        SubjectCode
    Iptc4xmpExt http://iptc.org/std/Iptc4xmpExt/2008-02-29/
        AddlModelInfo DigitalSourceType Event OrganisationInImageName PersonInImage
    lr http://ns.adobe.com/lightroom/1.0/
        hierarchicalSubject
"""
NAMESPACES: Final = {
    uri: Namespace(prefix, frozenset(names.split()))
    for prefix, uri, names in re.findall(
        r"^    (\w+) (\S+)\n((?: {8}.+\n)+)", _ALLOWED, re.MULTILINE
    )
}
"""What may be copied: no property that holds a picture, a structure or the name of a packet."""

_LIMIT: Final = 4 * 2**20
_MOST_WRITTEN: Final = 32 * 2**10
_MOST_ELEMENTS: Final = 4096
_DEEPEST: Final = 16
_MOST_ITEMS: Final = 64

_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_LANGUAGE: Final = "http://www.w3.org/XML/1998/namespace lang"
_ROOT, _DESCRIPTION, _ITEM = f"{_RDF} RDF", f"{_RDF} Description", f"{_RDF} li"
_LISTS: Final = {f"{_RDF} {kind}": f"rdf:{kind}" for kind in ("Bag", "Seq", "Alt")}
_LANGUAGE_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,3}")


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """The packet is none, or larger or deeper than any that people write."""


@dataclass(eq=False)
class _Element:
    """An element with what is in it; names stand behind their namespace and a space."""

    name: str
    attributes: Mapping[str, str]
    children: list[_Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)


def cleartext_packet(packet: bytes | None) -> bytes | None:
    """Return a packet with nothing but the allowed properties, or none if there are none."""
    if packet is None or len(packet) > _LIMIT:
        return None
    try:
        root = _parsed(packet)
    except (_Refused, expat.ExpatError, UnicodeDecodeError):
        return None
    properties: dict[tuple[str, str], _Value] = {}
    left = _MOST_WRITTEN
    for name, value in _properties(root):
        namespace, _, local = name.rpartition(" ")
        allowed = NAMESPACES.get(namespace)
        if not allowed or local not in allowed.names or value is None:
            continue
        left -= sum(map(len, value.texts))
        if left >= 0 and value.is_plain():
            properties.setdefault((namespace, local), value)
    # Together they could hold what none of them holds.
    texts = "".join(text for value in properties.values() for text in value.texts)
    written = _written(properties)
    if not properties or len(written) > _MOST_WRITTEN or holds_picture(texts.encode()):
        return None
    return written


@dataclass(frozen=True)
class _Value:
    """The texts of a property, with their languages if they are a list that has some."""

    texts: tuple[str, ...]
    kind: str | None = None
    languages: tuple[str | None, ...] = ()

    def is_plain(self) -> bool:
        known = (tag is None or _LANGUAGE_TAG.fullmatch(tag) for tag in self.languages)
        few = 0 < len(self.texts) <= _MOST_ITEMS
        return few and all(known) and all(map(is_plain, self.texts))

    def written(self) -> str:
        if self.kind is None:
            return escape(self.texts[0])
        tags = ("" if tag is None else f' xml:lang="{tag}"' for tag in self.languages)
        pairs = zip(tags, map(escape, self.texts), strict=True)
        items = "".join(f"<rdf:li{tag}>{text}</rdf:li>" for tag, text in pairs)
        return f"<{self.kind}>{items}</{self.kind}>"


def _parsed(packet: bytes) -> _Element:
    packet.decode()
    outside = _Element("", {})
    path = [outside]
    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST_ELEMENTS or len(path) > _DEEPEST:
            raise _Refused
        element = _Element(name, attributes)
        path[-1].children.append(element)
        path.append(element)

    def characters(text: str) -> None:
        path[-1].pieces.append(text)

    def refuse(*_: object) -> None:
        raise _Refused

    parser = expat.ParserCreate("utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, lambda _: path.pop()
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.Parse(packet, True)
    return outside.children[0]


def _properties(root: _Element) -> Iterator[tuple[str, _Value | None]]:
    """Yield name and value of all properties, and none for a value that is not understood."""
    tops = [root] if root.name == _ROOT else [e for e in root.children if e.name == _ROOT]
    for top in tops:
        for description in top.children:
            if description.name != _DESCRIPTION:
                continue
            for name, text in description.attributes.items():
                yield name, _Value((text,))
            for element in description.children:
                yield element.name, _value(element)


def _value(element: _Element) -> _Value | None:
    """Return the text or the list in an element, or none if it is anything else."""
    if element.attributes:
        return None
    if not element.children:
        return _Value((element.text,))
    if len(element.children) > 1 or element.text.strip():
        return None
    (inner,) = element.children
    kind = _LISTS.get(inner.name)
    if kind is None or inner.attributes or inner.text.strip():
        return None
    for item in inner.children:
        if item.name != _ITEM or item.children or item.attributes.keys() - {_LANGUAGE}:
            return None
    texts = tuple(item.text for item in inner.children)
    return _Value(texts, kind, tuple(item.attributes.get(_LANGUAGE) for item in inner.children))


def _written(properties: Mapping[tuple[str, str], _Value]) -> bytes:
    used = dict.fromkeys(namespace for namespace, _ in properties)
    declared = "".join(f' xmlns:{NAMESPACES[name].prefix}="{name}"' for name in used)
    elements = []
    for (namespace, local), value in properties.items():
        tag = f"{NAMESPACES[namespace].prefix}:{local}"
        elements.append(f"<{tag}>{value.written()}</{tag}>")
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        f'<rdf:RDF xmlns:rdf="{_RDF}"><rdf:Description rdf:about=""{declared}>'
        f"{''.join(elements)}</rdf:Description></rdf:RDF></x:xmpmeta>"
        '<?xpacket end="r"?>'
    ).encode()
