"""The page from its modules: one file, the same bytes on every machine.

JavaScript modules import each other by ``import { a, b } from "./x.js";`` alone, and names at their
top level are unique. So they are joined in the order of their imports, without these lines and
without the word ``export``; neither a bundler nor a parser is needed.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections import Counter
from importlib.resources import files
from typing import Final

_IMPORT = re.compile(r'^import \{[^}]*\} from "([./a-z0-9_]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async |function |const |let |class )", re.MULTILINE)
# Comments explain the source; the page holds what runs.
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*?(?s:.*?)\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
# Texts and regular expressions stay as they are; around other signs no spaces are needed, and
# behind some of them no line ends. Names stay, so that the page can be read.
_SIGNS = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<![\w)\]]\ )(?<![\w)\]])/(?![ /*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/\w*)"""
    r"""|\ *//[^\n]*|\ *([=({[,:;?<>&|!*%^])\s*|\ *([)}\]])\ *|(?<![-+])\ ([-+]=?)\ (?![-+])"""
    r"""|\bconst\b(?=[\ \[{])"""
)
# A function at the top level, as its source has it.
_FUNCTION = re.compile(r"^(?:async )?function (\w+)\(.*?^}\n", re.MULTILINE | re.DOTALL)
_PARAMETER = re.compile(r"(?<![\w$])\((\w+)\)=>")
# Around these signs of style sheets no spaces are needed; a colon may begin a selector.
_STYLE_SIGNS = re.compile(r" *([{};,>]) *|(?<=[\w-]:) (?!:)")
# What the browser must refuse, whatever else goes wrong: nothing is loaded or sent, and no script
# runs but ours. Argon2 is compiled, so wasm-unsafe-eval; results are shown from blobs.
_POLICY: Final = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src {style}; "
    "img-src blob: data:; media-src blob:; worker-src blob:; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)
_MARK = re.compile(r"<!-- ([a-z]+) -->")
_STYLES = "base.css", "page.css"
_FILES = "<!-- files -->"


def joined(entry: str) -> str:
    """Return the code of a module, such as ``shell/main.js``, and of all that it imports."""
    return _stripped(_plain(entry))


def script_of(entry: str) -> str:
    """Return a script that calls the function of a module that is called like the module."""
    call = entry.rpartition("/")[2].removesuffix(".js")
    code = _stripped(_without_unused(_plain(entry), call))
    return f'"use strict";(() => {{\n{code}{call}();\n}})();\n'


def _plain(entry: str) -> str:
    """Return a module and all that it imports."""
    sources: dict[str, str] = {}
    _collect(entry, sources)
    return "".join(map(_bare, sources.values()))


def _bare(source: str) -> str:
    """Return a module without what only modules and readers need."""
    return _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))


def _without_unused(code: str, call: str) -> str:
    """Return code without functions that nothing names but themselves."""
    names = Counter(re.findall(r"\w+", code))
    names[call] += 1
    kept = _FUNCTION.sub(lambda match: match[0] if names[match[1]] > 1 else "", code)
    return code if kept == code else _without_unused(kept, call)


def _collect(path: str, sources: dict[str, str]) -> None:
    """Add a module after those that it imports."""
    if path in sources:
        return
    source = package_text(path)
    for target in _IMPORT.findall(source):
        _collect(_resolved(path, target), sources)
    sources[path] = source


def _resolved(path: str, target: str) -> str:
    """Return the path of an import: ``./x.js`` or ``../engine/x.js``."""
    folder = path.rpartition("/")[0]
    return target[3:] if target.startswith("../") else f"{folder}/{target.removeprefix('./')}"


def _stripped(code: str) -> str:
    bare = _INDENT.sub("", code)
    short = _SIGNS.sub(_shortened, bare)
    return _PARAMETER.sub(r"\1=>", short)


def _shortened(match: re.Match[str]) -> str:
    """Return what counts of a sign and the spaces around it; checked code runs with `let` alike."""
    if match.lastindex:
        return match[match.lastindex]
    return "let" if match[0] == "const" else ""


def stripped_style(source: str) -> str:
    """Return a style sheet without the spaces that only make it readable."""
    return _STYLE_SIGNS.sub(lambda match: match[1] or "", _INDENT.sub("", source)).replace(
        ";}", "}"
    )


def package_text(path: str) -> str:
    """Return a file of this package, with the line ends of Unix on every system."""
    return files("sudokucrypt.page").joinpath(path).read_text(encoding="utf-8")


def _source_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"


def page() -> bytes:
    """Return the page, as UTF-8."""
    return b"".join(page_parts())


def folder_page() -> bytes:
    """Return the page that a server shows which has a folder: only this one may ask its server."""
    return b"".join(_parts("shell/served.js", connect="'self'"))


def page_parts() -> list[bytes]:
    """Return the page in two parts, between which an album has its files."""
    return _parts("shell/main.js", connect="'none'")


def _parts(entry: str, *, connect: str) -> list[bytes]:
    words = files("sudokucrypt.keys").joinpath("words.txt").read_text(encoding="ascii")
    filled = document(
        "page.html",
        _POLICY.replace("{connect}", connect),
        style="".join(map(package_text, _STYLES)),
        words=words,
        worker=script_of("shell/worker.js"),
        script=script_of(entry),
    )
    return [part.encode("utf-8") for part in filled.split(_FILES)]


def document(template: str, policy: str, *, style: str, script: str, **texts: str) -> str:
    """Return a page from its template, with a policy for this style and this script alone."""
    parts = {**texts, "style": stripped_style(style), "script": script}
    # An element with raw text ends at the first of these, wherever it is in the source.
    for name, text in parts.items():
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            raise ValueError(f"the {name} of the page would end early")
    hashes = {name: _source_hash(parts[name]) for name in ("style", "script")}
    parts["policy"] = policy.format(**hashes)
    return _MARK.sub(lambda mark: parts.get(mark[1], mark[0]), package_text(template))
