"""The page of a gallery: one HTML document that asks nobody for anything."""

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from mimetypes import MimeTypes

from sudokucrypt._version import __version__
from sudokucrypt.cli.gallery.contents import Gallery, GalleryEntry

_PLAIN = (
    "This page is not encrypted.",
    "Anyone who can open it sees the decrypted previews, names and times. Delete it after use.",
)
_SERVED = (
    "These files are decrypted for this browser.",
    "Nothing is written to disk by sudokucrypt. Close the page and press Ctrl-C in the terminal "
    "when you are done.",
)
_CHECKED = (
    "What you see comes from the sealed headers, which were checked. The files themselves are "
    "checked when they are decrypted. Where only a stored name is shown, name and time are those "
    "of the encrypted file, and anyone could have changed them."
)
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_TYPES = MimeTypes()  # without the settings of this machine
_SIGN = (
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" '
    'stroke-linejoin="round" stroke-linecap="round" aria-hidden="true">'
    '<path d="M12 3.5 22 20.5H2Z"/><path d="M12 10v5M12 17.6v.1"/></svg>'
)
_SHEET = (
    '<svg viewBox="0 0 160 120" role="img" aria-label="No preview">'
    '<path d="M56 22h32l20 20v56H56z M88 22v20h20" fill="none" stroke="currentColor" '
    'stroke-width="2" stroke-linejoin="round"/>'
    '<text x="82" y="77" font-size="15" font-weight="600" fill="currentColor" '
    'text-anchor="middle">{}</text></svg>'
)


def page_parts(gallery: Gallery, *, served: bool = False, working: bool = False) -> Iterator[bytes]:
    """Yield the page in parts, so that one preview at a time is held in memory.

    With `served`, previews and files are links to ``preview/NUMBER`` and ``file/NUMBER``, counted
    from 0, and otherwise previews are part of the page and files are not. A page that is `working`
    takes files, too.
    """
    for part in _parts(gallery, served=served, working=working):
        # Names of stored files may hold what UTF-8 cannot.
        yield part.encode("utf-8", "replace")


def policy(*, served: bool, working: bool = False) -> str:
    """Return what the page may load and run, as Content-Security-Policy says it."""
    pictures = "'self' data:" if served else "data:"
    style = f"'{_digest(_resource('page.css'))}'"
    scripts = " ".join(f"'{_digest(_resource(name))}'" for name in _scripts(working=working))
    asking = "connect-src 'self'; " if working else ""
    return (
        f"default-src 'none'; img-src {pictures}; style-src {style}; script-src {scripts}; "
        f"{asking}base-uri 'none'; form-action 'none'"
    )


def _scripts(*, working: bool) -> tuple[str, ...]:
    return ("page.js", "workbench.js") if working else ("page.js",)


def _parts(gallery: Gallery, *, served: bool, working: bool) -> Iterator[str]:
    count, rules = len(gallery.entries), policy(served=served, working=working)
    title = "Gallery" if count else "Open and protect"
    lead = _lead(gallery) if count else "Nothing leaves this computer."
    strong, rest = _SERVED if served else _PLAIN
    yield f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(rules)}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="generator" content="sudokucrypt {__version__}">
<title>{title}{f" of {_counted(count, 'file')}" if count else ""}</title>
<link rel="icon" href="data:,">
<style>{_resource("page.css")}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<p class="lead">{lead}</p>
<div class="warning" role="note">{_SIGN}<p><strong>{strong}</strong> {rest}</p></div>
</header>
<main>
{_resource("workbench.html") if working else ""}
<div class="tools" id="tools" role="search" hidden>
<input id="find" type="search" placeholder="Search names, dates, types" aria-label="Search"
 autocomplete="off" spellcheck="false">
<label>Order <select id="order" autocomplete="off">
<option value="oldest">oldest first</option>
<option value="newest">newest first</option>
<option value="name">by name</option>
</select></label>
<output id="shown" for="find"></output>
</div>
<ul class="cards" id="cards">
"""
    for index, entry in enumerate(gallery.entries):
        yield _card(gallery, index, entry, served=served)
    yield f"""</ul>
</main>
<footer>
<p>{_CHECKED}</p>
<p>sudokucrypt {__version__}</p>
</footer>
{"".join(f"<script>{_resource(name)}</script>" for name in _scripts(working=working))}
</body>
</html>
"""


def _lead(gallery: Gallery) -> str:
    """Return how many files are shown, and how many are not."""
    lead = _counted(len(gallery.entries), "file")
    if gallery.closed:
        verb = "does" if gallery.closed == 1 else "do"
        lead += f"; {_counted(gallery.closed, 'other')} {verb} not open with this key"
    if gallery.faulty:
        lead += f"; {_counted(gallery.faulty, 'damaged or unsupported file')} left out"
    return lead


def _card(gallery: Gallery, index: int, entry: GalleryEntry, *, served: bool) -> str:
    name = _shown(entry.name)
    tag, link = ("a", f' href="file/{index}"') if served else ("span", "")
    name = f'<{tag} class="name"{link} title="{name}"><bdi>{name}</bdi></{tag}>'
    lines = [" \N{MIDDLE DOT} ".join(map(_shown, entry.details))]
    if (moment := entry.moment) is not None:
        iso = escape(moment.isoformat(timespec="seconds"))
        lines.insert(0, f'<time datetime="{iso}">{moment:%Y-%m-%d %H:%M}</time>')
    if entry.folder:
        lines.append(f"in <bdi>{_shown(entry.folder)}</bdi>")
    if not entry.sealed:
        lines.append("stored name")
    if entry.layers:
        lines.append(" ".join(map(_padlock, range(1, len(entry.layers) + 1), entry.layers)))
    if entry.change:
        lines.append(f"<strong>file was changed: {_shown(entry.change)}</strong>")
    caption = "<br>".join(lines)
    return (
        f'<li class="card"><span class="well">{_picture(gallery, index, entry, served=served)}'
        f'</span><p class="caption">{name}<span>{caption}</span></p></li>\n'
    )


def _padlock(number: int, lifted: bool) -> str:  # noqa: FBT001 - what a padlock shows
    """Return the padlock of a layer: open if the key lifts it."""
    sign, word = ("\N{OPEN LOCK}", "lifts") if lifted else ("\N{LOCK}", "does not lift")
    return (
        f'<span role="img" aria-label="The key {word} layer {number}" '
        f'title="the key {word} layer {number}">{sign}</span>'
    )


def _picture(gallery: Gallery, index: int, entry: GalleryEntry, *, served: bool) -> str:
    """Return the preview, or a drawn sheet of paper with what the file is."""
    source = f"preview/{index}" if entry.preview else ""
    if source and not served:
        data = gallery.preview(entry) or b""
        source = f"data:image/webp;base64,{b64encode(data).decode('ascii')}" if data else ""
    if not source:
        return _SHEET.format(_label(entry))
    alternative = f"Preview of {_shown(entry.name)}"
    return f'<img src="{source}" alt="{alternative}" loading="lazy" decoding="async">'


def _label(entry: GalleryEntry) -> str:
    """Return the usual suffix of the sealed type of a file, or else that of its name."""
    usual = _TYPES.guess_extension(entry.type or "")
    suffix = re.search(r"\.([A-Za-z0-9]{1,5})$", usual or entry.name)
    return suffix[1].upper() if suffix else ""


def _shown(name: str) -> str:
    """Return a name as text of HTML that turns the direction of nothing, not even of itself."""
    return escape(_CONTROLS.sub("\ufffd", name))


def _counted(count: int, one: str) -> str:
    """Return how many there are, in words."""
    return f"{count} {one}{'' if count == 1 else 's'}"


@cache
def _resource(name: str) -> str:
    """Return a file in the folder of this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8").strip()


def _digest(text: str) -> str:
    """Return the digest by which a policy names a script or style sheet."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"
