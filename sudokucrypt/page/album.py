"""Albums: the page with encrypted files inside."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence

from sudokucrypt.page.assembling import page_parts

# Browsers run no script of these types; neither base64 nor this JSON holds what ends the element.
_ABOUT = '<script type="application/json" id="album">%s</script>\n'
_FILE = b'<script type="application/octet-stream" id="file-%d">%s</script>\n'
_INSIDE = re.compile(
    rb'<script type="application/json" id="album">[^<>]*</script>\n'
    rb'|<script type="application/octet-stream" id="file-\d+">[A-Za-z0-9+/=]*</script>\n'
)


def album(files: Sequence[bytes], title: str = "") -> Iterator[bytes]:
    """Yield the parts of the page with encrypted files inside, which it shows once decrypted.

    Parameters
    ----------
    files : sequence of bytes
        Results of `encrypt_bytes` as PNG. Their names are sealed in them, and nowhere else; their
        number is stated, so that an album that was cut says so.
    title : str
        What everybody sees who opens the album; by default nothing.
    """
    before, after = page_parts()
    about = json.dumps({"files": len(files), **({"title": title} if title else {})})
    yield before
    yield (_ABOUT % about.replace("<", "\\u003c").replace(">", "\\u003e")).encode("ascii")
    for number, content in enumerate(files, 1):
        yield _FILE % (number, b64encode(content))
    yield after


def without_files(content: bytes) -> bytes:
    """Return the page of an album without its files, the same bytes for every album."""
    return _INSIDE.sub(b"", content)
