"""Albums: HTML pages that contain encrypted files."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence

from sudokucrypt.page.assembling import make_page_parts

# Browsers do not run scripts of these types. Neither Base64 nor this JSON can contain an end tag,
# so no content can end its element early.
_DESCRIPTION_ELEMENT = '<script type="application/json" id="album">%s</script>\n'
_FILE_ELEMENT = b'<script type="application/octet-stream" id="file-%d">%s</script>\n'
_ALBUM_ELEMENTS = re.compile(
    rb'<script type="application/json" id="album">[^<>]*</script>\n'
    rb'|<script type="application/octet-stream" id="file-\d+">[A-Za-z0-9+/=]*</script>\n'
)


def make_album(files: Sequence[bytes], title: str = "") -> Iterator[bytes]:
    """Yield the parts of an HTML page that contains encrypted files, and shows them decrypted.

    Parameters
    ----------
    files : sequence of bytes
        Results of `encrypt_bytes` as PNG, which contain their names encrypted. The page states the
        number of files, so that an album that was cut short is noticed.
    title : str
        A title that anyone who opens the album can read; by default none.
    """
    first_part, last_part = make_page_parts()
    description = json.dumps({"files": len(files), **({"title": title} if title else {})})
    yield first_part
    yield (
        _DESCRIPTION_ELEMENT % description.replace("<", "\\u003c").replace(">", "\\u003e")
    ).encode("ascii")
    for number, content in enumerate(files, 1):
        yield _FILE_ELEMENT % (number, b64encode(content))
    yield last_part


def remove_files(content: bytes) -> bytes:
    """Return the page of an album without its files, which is equal for every album."""
    return _ALBUM_ELEMENTS.sub(b"", content)
