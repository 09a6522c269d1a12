"""JPEG files with a preview that is hidden in segments or after the end marker."""

import base64
import struct
import zlib
from collections.abc import Iterator

from tests.images.builders import make_box, save_image
from tests.leaks import previews
from tests.leaks.blocks import (
    PROFILE_WITH_PREVIEW,
    build_content_credentials,
    build_exif,
    build_layer,
    build_packet,
    build_profile,
    build_resource,
    build_thumbnail_packet,
)
from tests.leaks.previews import Case, hide_preview

_PLAIN_JPEG = save_image(previews.MAIN, "JPEG", quality=90)
_XMP = b"http://ns.adobe.com/xap/1.0/\0"
_EXTENDED_XMP = b"http://ns.adobe.com/xmp/extension/\0"
_JPEG64 = base64.b64encode(previews.JPEG.data)
_COMMENT = b"ASCII\0\0\0"


def build_segment(marker: int, body: bytes) -> bytes:
    """Return an application segment or a comment."""
    return struct.pack(">BBH", 0xFF, marker, 2 + len(body)) + body


def build_jpeg(*segments: bytes, trailing_data: bytes = b"") -> bytes:
    """Return the main picture with the given segments at its start, and bytes after its end."""
    return _PLAIN_JPEG[:2] + b"".join(segments) + _PLAIN_JPEG[2:] + trailing_data


def list_cases() -> Iterator[Case]:
    """Yield all JPEG files with a hidden preview."""
    yield from _hide_in_exif()
    yield from _hide_in_segments()
    yield from _hide_in_packets()
    yield from _hide_in_profiles()
    yield from _hide_after_the_end()


def _hide_in_exif() -> Iterator[Case]:
    def case(place_name: str, block: bytes) -> Case:
        return hide_preview(
            f"jpeg-exif-{place_name}", build_jpeg(build_segment(0xE1, b"Exif\0\0" + block))
        )

    yield case("thumbnail", build_exif(thumbnail=previews.JPEG.data))
    yield case("thumbnail-big-endian", build_exif(thumbnail=previews.JPEG.data, order=">"))
    yield case("samples-thumbnail", build_exif(raw_thumbnail=previews.RAW))
    yield case("maker-note", build_exif(photo=[(37500, 7, b"MAKER\0" + previews.JPEG.data)]))
    yield case("samples-maker-note", build_exif(photo=[(37500, 7, b"MAKER\0" + previews.RAW)]))
    yield case("comment", build_exif(photo=[(37510, 7, previews.JPEG.data)]))
    yield case("comment-base64", build_exif(photo=[(37510, 7, _COMMENT + _JPEG64)]))
    compressed = base64.urlsafe_b64encode(zlib.compress(previews.JPEG.data))
    yield case("comment-packed", build_exif(photo=[(37510, 7, _COMMENT + compressed)]))
    yield case(
        "samples-comment",
        build_exif(photo=[(37510, 7, b"UNICODE\0" + previews.RAW[:900])]),
    )
    yield case(
        "description", build_exif(file=[(270, 2, base64.encodebytes(previews.JPEG.data) + b"\0")])
    )
    yield case(
        "description-hex", build_exif(file=[(270, 2, previews.JPEG.data.hex().encode() + b"\0")])
    )
    yield case(
        "samples-artist", build_exif(file=[(315, 2, base64.b64encode(previews.RAW[:600]) + b"\0")])
    )
    yield case("samples-behind-text", build_exif(file=[(272, 2, b"Model\0" + previews.RAW[:900])]))
    yield case("unknown-tag", build_exif(file=[(65000, 7, previews.JPEG.data)]))
    yield case("samples-print-matching", build_exif(file=[(50341, 7, b"PrintIM\0" + previews.RAW)]))
    yield case("samples-title", build_exif(file=[(40091, 1, previews.RAW[:900])]))
    yield case("samples-area", build_exif(gps=[(28, 7, bytes(8) + previews.RAW)]))
    yield case("samples-gps-tag", build_exif(gps=[(2, 5, previews.RAW), (1, 2, b"N\0")]))
    yield case("gap", build_exif(gap=previews.JPEG.data))
    yield case("photoshop", build_exif(file=[(34377, 1, build_resource(1036, previews.JPEG.data))]))
    yield case("profile", build_exif(file=[(34675, 7, build_profile(end=previews.JPEG.data))]))
    exif = b"Exif\0\0" + build_exif(thumbnail=previews.JPEG.data)
    halves = build_segment(0xE1, exif[:400]) + build_segment(0xE1, b"Exif\0\0" + exif[400:])
    yield hide_preview("jpeg-exif-in-two", build_jpeg(halves))


def _hide_in_segments() -> Iterator[Case]:
    def case(place_name: str, marker: int, body: bytes) -> Case:
        return hide_preview(f"jpeg-{place_name}", build_jpeg(build_segment(marker, body)))

    yield case(
        "photoshop-1036", 0xED, b"Photoshop 3.0\0" + build_resource(1036, previews.JPEG.data)
    )
    yield case(
        "photoshop-1033", 0xED, b"Photoshop 3.0\0" + build_resource(1033, previews.JPEG.data)
    )
    yield case("samples-photoshop-layers", 0xED, build_layer(previews.RAW))
    yield case("jfxx", 0xE0, b"JFXX\0\x10" + previews.JPEG.data)
    yield case("jfxx-samples", 0xE0, b"JFXX\0\x13\x20\x18" + previews.RAW)
    yield case("jfif-samples", 0xE0, b"JFIF\0\1\2\0\0\1\0\1\x20\x18" + previews.RAW)
    yield case("jumbf", 0xEB, b"JP\0\1\0\0\0\1" + build_content_credentials(previews.JPEG.data))
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
        yield hide_preview(f"jpeg-comment-{name}", build_jpeg(build_segment(0xFE, code)), preview)


def _hide_in_packets() -> Iterator[Case]:
    def case(place_name: str, body: bytes) -> Case:
        return hide_preview(f"jpeg-xmp-{place_name}", build_jpeg(build_segment(0xE1, _XMP + body)))

    code = _JPEG64.decode()
    yield case("thumbnails", build_thumbnail_packet(previews.JPEG.data))
    yield case("thumbnails-entities", build_thumbnail_packet(previews.JPEG.data, line_end="&#xA;"))
    yield case("property", build_packet(f"<GImage:Data>{code}</GImage:Data>"))
    yield case("attribute", build_packet("", f'GImage:Data="{code}"'))
    yield case("label", build_packet(f"<xmp:Label>{code}</xmp:Label>"))
    short = "".join(f"<rdf:li>{code[i : i + 50]}</rdf:li>" for i in range(0, len(code), 50))
    yield case("subjects", build_packet(f"<dc:subject><rdf:Bag>{short}</rdf:Bag></dc:subject>"))
    yield case("comment", build_packet("").replace(b"A lake", b"A<!--" + _JPEG64 + b"--> lake"))
    yield case("behind", build_packet("") + b"<?xpacket end='w'?>" + previews.JPEG.data)
    packet_id = "0123456789ABCDEF0123456789ABCDEF"
    main = build_segment(0xE1, _XMP + build_packet("", f'xmpNote:HasExtendedXMP="{packet_id}"'))
    body = build_thumbnail_packet(previews.JPEG.data)
    extended_packet = _EXTENDED_XMP + packet_id.encode() + struct.pack(">II", len(body), 0) + body
    yield hide_preview("jpeg-xmp-extended", build_jpeg(main, build_segment(0xE1, extended_packet)))


def _hide_in_profiles() -> Iterator[Case]:
    def case(place_name: str, icc: bytes) -> Case:
        return hide_preview(
            f"jpeg-icc-{place_name}", build_jpeg(build_segment(0xE2, b"ICC_PROFILE\0\1\1" + icc))
        )

    yield case("private-tag", PROFILE_WITH_PREVIEW)
    yield case("gap", build_profile(gap=previews.JPEG.data))
    yield case("end", build_profile(end=previews.JPEG.data))
    yield case("text", build_profile({b"cprt": b"text" + bytes(4) + _JPEG64 + b"\0"}))
    yield case("samples-text", build_profile({b"cprt": b"text" + bytes(4) + previews.RAW}))
    yield case("samples-table", build_profile({b"A2B0": b"mft2" + bytes(4) + previews.RAW}))
    curve = struct.pack(">I", len(previews.RAW) // 2) + previews.RAW
    yield case("samples-curve", build_profile({b"gTRC": b"curv" + bytes(4) + curve}))
    name = b"desc" + bytes(4) + struct.pack(">I", 2) + b"x\0" + previews.RAW
    yield case("samples-behind-text", build_profile({b"desc": name}))
    yield case(
        "samples-reserved", build_profile()[:100] + previews.RAW[:28] + build_profile()[128:]
    )


def _hide_after_the_end() -> Iterator[Case]:
    index = build_segment(0xE2, b"MPF\0II*\0\x08\0\0\0\0\0\0\0\0\0")
    yield hide_preview("jpeg-mpf", build_jpeg(index, trailing_data=previews.JPEG.data))
    gain_map = build_segment(
        0xE1, _XMP + build_packet("", 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"')
    )
    yield hide_preview(
        "jpeg-gain-map", build_jpeg(gain_map, index, trailing_data=previews.JPEG.data)
    )
    yield hide_preview("jpeg-trailing", build_jpeg(trailing_data=bytes(9) + previews.JPEG.data))
    film = make_box(b"ftyp", b"mp42\0\0\0\0isom") + make_box(b"mdat", previews.JPEG.data)
    yield hide_preview("jpeg-motion-photo", build_jpeg(trailing_data=b"MotionPhoto_Data" + film))
    yield hide_preview("jpeg-trailing-samples", build_jpeg(trailing_data=previews.RAW))
