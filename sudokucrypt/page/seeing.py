"""The page that shows how a Sudoku moves a picture."""

from __future__ import annotations

from sudokucrypt.page.assembling import document, package_text, script_of

# Nothing is loaded or sent; the core of the streams is compiled.
_POLICY = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src {style}; "
    "img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'"
)
_STYLES = "base.css", "see/see.css", "see/page.css"


def see_page() -> bytes:
    """Return the page, as UTF-8: the part `see/see.html` in a page of its own."""
    return document(
        "see/page.html",
        _POLICY,
        style="".join(map(package_text, _STYLES)),
        see=package_text("see/see.html"),
        script=script_of("see/see.js"),
    ).encode("utf-8")
