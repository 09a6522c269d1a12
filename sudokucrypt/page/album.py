"""Albums: the page with encrypted files inside."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator

from sudokucrypt.page.assembling import page_parts

# Browsers run no script of this type; base64 holds nothing that could end the element.
_FILE = b'<script type="application/octet-stream" id="file-%d">%s</script>\n'
_FILES = re.compile(
    rb'<script type="application/octet-stream" id="file-\d+">[A-Za-z0-9+/=]*</script>\n'
)


def album(files: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the parts of the page with encrypted files inside, which it shows once decrypted.

    The files are results of `encrypt_bytes` as PNG. Their names are sealed in them, and nowhere
    else.
    """
    before, after = page_parts()
    yield before
    for number, content in enumerate(files, 1):
        yield _FILE % (number, b64encode(content))
    yield after


def without_files(content: bytes) -> bytes:
    """Return the page of an album, which has the same bytes for all of them."""
    return _FILES.sub(b"", content)
