"""JPEG files in which a preview hides, in segments and behind the end."""

import base64
import struct
import zlib
from collections.abc import Iterator

from tests.images.builders import box, saved
from tests.leaks import previews
from tests.leaks.blocks import HIDING, c2pa, exif, layers, packet, profile, resources, thumbnails
from tests.leaks.previews import Case, hide_preview

_PLAIN = saved(previews.MAIN, "JPEG", quality=90)
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_EXTENDED = b"http://ns.adobe.com/xmp/extension/\0"
_JPEG64 = base64.b64encode(previews.JPEG.data)
_COMMENT = b"ASCII\0\0\0"


def segment(marker: int, body: bytes) -> bytes:
    """A segment of application data or a comment."""
    return struct.pack(">BBH", 0xFF, marker, 2 + len(body)) + body


def jpeg(*segments: bytes, end: bytes = b"") -> bytes:
    """The picture with these segments at its start and these bytes behind its end."""
    return _PLAIN[:2] + b"".join(segments) + _PLAIN[2:] + end


def cases() -> Iterator[Case]:
    """Yield all of them."""
    yield from _in_exif()
    yield from _in_segments()
    yield from _in_packets()
    yield from _in_profiles()
    yield from _behind_the_end()


def _in_exif() -> Iterator[Case]:
    def case(place: str, block: bytes) -> Case:
        return hide_preview(f"jpeg-exif-{place}", jpeg(segment(0xE1, b"Exif\0\0" + block)))

    yield case("thumbnail", exif(thumbnail=previews.JPEG.data))
    yield case("thumbnail-big-endian", exif(thumbnail=previews.JPEG.data, order=">"))
    yield case("samples-thumbnail", exif(raw_thumbnail=previews.RAW))
    yield case("maker-note", exif(shot=[(37500, 7, b"MAKER\0" + previews.JPEG.data)]))
    yield case("samples-maker-note", exif(shot=[(37500, 7, b"MAKER\0" + previews.RAW)]))
    yield case("comment", exif(shot=[(37510, 7, previews.JPEG.data)]))
    yield case("comment-base64", exif(shot=[(37510, 7, _COMMENT + _JPEG64)]))
    packed = base64.urlsafe_b64encode(zlib.compress(previews.JPEG.data))
    yield case("comment-packed", exif(shot=[(37510, 7, _COMMENT + packed)]))
    yield case("samples-comment", exif(shot=[(37510, 7, b"UNICODE\0" + previews.RAW[:900])]))
    yield case("description", exif(file=[(270, 2, base64.encodebytes(previews.JPEG.data) + b"\0")]))
    yield case("description-hex", exif(file=[(270, 2, previews.JPEG.data.hex().encode() + b"\0")]))
    yield case(
        "samples-artist", exif(file=[(315, 2, base64.b64encode(previews.RAW[:600]) + b"\0")])
    )
    yield case("samples-behind-text", exif(file=[(272, 2, b"Model\0" + previews.RAW[:900])]))
    yield case("unknown-tag", exif(file=[(65000, 7, previews.JPEG.data)]))
    yield case("samples-print-matching", exif(file=[(50341, 7, b"PrintIM\0" + previews.RAW)]))
    yield case("samples-title", exif(file=[(40091, 1, previews.RAW[:900])]))
    yield case("samples-area", exif(place=[(28, 7, bytes(8) + previews.RAW)]))
    yield case("samples-gps-tag", exif(place=[(2, 5, previews.RAW), (1, 2, b"N\0")]))
    yield case("gap", exif(gap=previews.JPEG.data))
    yield case("photoshop", exif(file=[(34377, 1, resources(1036, previews.JPEG.data))]))
    yield case("profile", exif(file=[(34675, 7, profile(end=previews.JPEG.data))]))
    parts = b"Exif\0\0" + exif(thumbnail=previews.JPEG.data)
    halves = segment(0xE1, parts[:400]) + segment(0xE1, b"Exif\0\0" + parts[400:])
    yield hide_preview("jpeg-exif-in-two", jpeg(halves))


def _in_segments() -> Iterator[Case]:
    def case(place: str, marker: int, body: bytes) -> Case:
        return hide_preview(f"jpeg-{place}", jpeg(segment(marker, body)))

    yield case("photoshop-1036", 0xED, b"Photoshop 3.0\0" + resources(1036, previews.JPEG.data))
    yield case("photoshop-1033", 0xED, b"Photoshop 3.0\0" + resources(1033, previews.JPEG.data))
    yield case("samples-photoshop-layers", 0xED, layers(previews.RAW))
    yield case("jfxx", 0xE0, b"JFXX\0\x10" + previews.JPEG.data)
    yield case("jfxx-samples", 0xE0, b"JFXX\0\x13\x20\x18" + previews.RAW)
    yield case("jfif-samples", 0xE0, b"JFIF\0\1\2\0\0\1\0\1\x20\x18" + previews.RAW)
    yield case("jumbf", 0xEB, b"JP\0\1\0\0\0\1" + c2pa(previews.JPEG.data))
    yield case("flashpix", 0xE2, b"FPXR\0\2" + previews.JPEG.data)
    yield case("unknown-segment", 0xE7, b"MAKER\0" + previews.JPEG.data)
    yield case("samples-unused-quantizer", 0xDB, b"\3" + previews.RAW[:64].replace(b"\0", b"\1"))
    values = bytes(dict.fromkeys(previews.RAW))[:60]
    yield case("samples-unused-codes", 0xC4, b"\x13" + bytes([0] * 7 + [60] + [0] * 8) + values)
    yield case("comment", 0xFE, _JPEG64)
    yield case("comment-plain", 0xFE, previews.JPEG.data)
    yield case("comment-samples", 0xFE, previews.RAW)
    for name, preview in previews.PREVIEWS.items():
        code = base64.encodebytes(preview.data)
        yield hide_preview(f"jpeg-comment-{name}", jpeg(segment(0xFE, code)), preview)


def _in_packets() -> Iterator[Case]:
    def case(place: str, body: bytes) -> Case:
        return hide_preview(f"jpeg-xmp-{place}", jpeg(segment(0xE1, _XMP + body)))

    code = _JPEG64.decode()
    yield case("thumbnails", thumbnails(previews.JPEG.data))
    yield case("thumbnails-entities", thumbnails(previews.JPEG.data, line_end="&#xA;"))
    yield case("property", packet(f"<GImage:Data>{code}</GImage:Data>"))
    yield case("attribute", packet("", f'GImage:Data="{code}"'))
    yield case("label", packet(f"<xmp:Label>{code}</xmp:Label>"))
    short = "".join(f"<rdf:li>{code[i : i + 50]}</rdf:li>" for i in range(0, len(code), 50))
    yield case("subjects", packet(f"<dc:subject><rdf:Bag>{short}</rdf:Bag></dc:subject>"))
    yield case("comment", packet("").replace(b"A lake", b"A<!--" + _JPEG64 + b"--> lake"))
    yield case("behind", packet("") + b"<?xpacket end='w'?>" + previews.JPEG.data)
    note = "0123456789ABCDEF0123456789ABCDEF"
    main = segment(0xE1, _XMP + packet("", f'xmpNote:HasExtendedXMP="{note}"'))
    body = thumbnails(previews.JPEG.data)
    more = _EXTENDED + note.encode() + struct.pack(">II", len(body), 0) + body
    yield hide_preview("jpeg-xmp-extended", jpeg(main, segment(0xE1, more)))


def _in_profiles() -> Iterator[Case]:
    def case(place: str, icc: bytes) -> Case:
        return hide_preview(f"jpeg-icc-{place}", jpeg(segment(0xE2, b"ICC_PROFILE\0\1\1" + icc)))

    yield case("private-tag", HIDING)
    yield case("gap", profile(gap=previews.JPEG.data))
    yield case("end", profile(end=previews.JPEG.data))
    yield case("text", profile({b"cprt": b"text" + bytes(4) + _JPEG64 + b"\0"}))
    yield case("samples-text", profile({b"cprt": b"text" + bytes(4) + previews.RAW}))
    yield case("samples-table", profile({b"A2B0": b"mft2" + bytes(4) + previews.RAW}))
    points = struct.pack(">I", len(previews.RAW) // 2) + previews.RAW
    yield case("samples-curve", profile({b"gTRC": b"curv" + bytes(4) + points}))
    name = b"desc" + bytes(4) + struct.pack(">I", 2) + b"x\0" + previews.RAW
    yield case("samples-behind-text", profile({b"desc": name}))
    yield case("samples-reserved", profile()[:100] + previews.RAW[:28] + profile()[128:])


def _behind_the_end() -> Iterator[Case]:
    index = segment(0xE2, b"MPF\0II*\0\x08\0\0\0\0\0\0\0\0\0")
    yield hide_preview("jpeg-mpf", jpeg(index, end=previews.JPEG.data))
    gain = segment(0xE1, _XMP + packet("", 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"'))
    yield hide_preview("jpeg-gain-map", jpeg(gain, index, end=previews.JPEG.data))
    yield hide_preview("jpeg-trailing", jpeg(end=bytes(9) + previews.JPEG.data))
    film = box(b"ftyp", b"mp42\0\0\0\0isom") + box(b"mdat", previews.JPEG.data)
    yield hide_preview("jpeg-motion-photo", jpeg(end=b"MotionPhoto_Data" + film))
    yield hide_preview("jpeg-trailing-samples", jpeg(end=previews.RAW))
