"""The properties of XMP that may be copied, by their namespaces.

None of them holds a picture, a structure or the name of another packet.

References
----------
.. [1] ISO 16684-1:2019, "Extensible metadata platform (XMP)", 8.
.. [2] IPTC, "Photo metadata standard 2023.2", https://iptc.org/standards/photo-metadata/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class Namespace(NamedTuple):
    """A namespace: how it is written before names, and the names."""

    prefix: str
    names: frozenset[str]


def _of(prefix: str, names: str) -> Namespace:
    return Namespace(prefix, frozenset(names.split()))


NAMESPACES: Final[Mapping[str, Namespace]] = {
    "http://purl.org/dc/elements/1.1/": _of(
        "dc",
        "contributor coverage creator date description format language publisher relation rights "
        "subject title type",
    ),
    "http://ns.adobe.com/xap/1.0/": _of(
        "xmp", "CreateDate CreatorTool Label MetadataDate ModifyDate Nickname Rating"
    ),
    "http://ns.adobe.com/xap/1.0/rights/": _of(
        "xmpRights", "Certificate Marked Owner UsageTerms WebStatement"
    ),
    "http://ns.adobe.com/photoshop/1.0/": _of(
        "photoshop",
        "AuthorsPosition CaptionWriter Category City ColorMode Country Credit DateCreated Headline "
        "ICCProfile Instructions Source State SupplementalCategories TransmissionReference Urgency",
    ),
    "http://ns.adobe.com/tiff/1.0/": _of(
        "tiff",
        "Artist Copyright DateTime ImageDescription ImageLength ImageWidth Make Model Orientation "
        "ResolutionUnit Software XResolution YResolution",
    ),
    "http://ns.adobe.com/exif/1.0/": _of(
        "exif",
        "ApertureValue BrightnessValue ColorSpace Contrast CustomRendered DateTimeDigitized "
        "DateTimeOriginal DigitalZoomRatio ExifVersion ExposureBiasValue ExposureMode "
        "ExposureProgram ExposureTime FNumber FocalLength FocalLengthIn35mmFilm FlashpixVersion "
        "GainControl GPSAltitude GPSAltitudeRef GPSImgDirection GPSImgDirectionRef GPSLatitude "
        "GPSLongitude GPSMapDatum GPSTimeStamp GPSVersionID ImageUniqueID ISOSpeedRatings "
        "LightSource MaxApertureValue MeteringMode PixelXDimension PixelYDimension Saturation "
        "SceneCaptureType SceneType SensingMethod Sharpness ShutterSpeedValue SubjectDistance "
        "SubjectDistanceRange UserComment WhiteBalance",
    ),
    "http://cipa.jp/exif/1.0/": _of(
        "exifEX",
        "BodySerialNumber CameraOwnerName Gamma LensMake LensModel LensSerialNumber "
        "PhotographicSensitivity RecommendedExposureIndex SensitivityType",
    ),
    "http://ns.adobe.com/exif/1.0/aux/": _of(
        "aux", "Firmware FlashCompensation ImageNumber Lens LensInfo OwnerName SerialNumber"
    ),
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": _of(
        "Iptc4xmpCore",
        "AltTextAccessibility CountryCode ExtDescrAccessibility IntellectualGenre Location Scene "
        "SubjectCode",
    ),
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": _of(
        "Iptc4xmpExt", "AddlModelInfo DigitalSourceType Event OrganisationInImageName PersonInImage"
    ),
    "http://ns.adobe.com/lightroom/1.0/": _of("lr", "hierarchicalSubject"),
}
"""What may be copied."""
