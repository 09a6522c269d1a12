"""Build ICC color profiles tag by tag."""

import struct
from collections.abc import Mapping

from PIL import ImageCms

SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def read_tags(profile: bytes) -> dict[bytes, bytes]:
    """Return the value of each tag of a profile by its signature."""
    count = int.from_bytes(profile[128:132], "big")
    return {
        signature: profile[start : start + size]
        for signature, start, size in struct.iter_unpack(">4sII", profile[132 : 132 + 12 * count])
    }


def assemble_profile(tags: Mapping[bytes, bytes], *, gap: bytes = b"", end: bytes = b"") -> bytes:
    """Return a profile of tags with the header of sRGB.

    `gap` is the bytes before each value, and `end` the bytes after the last.
    """
    data_start = 132 + 12 * len(tags)
    lines, body = struct.pack(">I", len(tags)), b""
    for signature, value in tags.items():
        body += gap
        lines += struct.pack(">4sII", signature, data_start + len(body), len(value))
        body += value + bytes(-len(value) % 4)
    return struct.pack(">I", data_start + len(body + end)) + SRGB[4:128] + lines + body + end
