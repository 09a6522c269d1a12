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
from functools import partial
from importlib.resources import files
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

_IMPORT = re.compile(r'^import \{[^}]*\} from "([./a-z0-9_]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async |function |const |let |class )", re.MULTILINE)
# Comments explain the source; the page holds what runs.
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*?(?s:.*?)\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|\n", re.MULTILINE)
# Texts and regular expressions stay as they are; around other signs no spaces are needed, and
# behind some of them no line ends. Names stay, so that the page can be read.
_SIGNS = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<![\w)\]]\ )(?<![\w)\]])/(?![ /*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/\w*)"""
    # The last sign of a block or a list means nothing.
    r"""|\ *//[^\n]*|;\s*(?=\})|(?<=\})\n|,\s*(?=[\])}])"""
    r"""|\ *([=({[,:;?<>&|!*%^])\s*|\ *([)}\]])\ *|(?<![-+])\ ([-+]=?)\ (?![-+])"""
    r"""|\ ?(/)\ |(?<=[)\]}]\ )([-+]=?)\ (?![-+])"""
    r"""|\bconst\b(?=[\ \[{])"""
)
# What stands in a text, if it holds no other text.
_EXPRESSION = re.compile(r"""\$\{[^{}"'`]*\}""")
# A function at the top level, and one that only returns something.
_FUNCTION = re.compile(r"^(async )?function (\w+)\((.*?)\) \{\n(.*?)^}\n", re.MULTILINE | re.DOTALL)
_RETURN = re.compile(r"  return ([^\n]*(?:\n(?: {4}|  [)\]}])[^\n]*)*);\n")
# A function or a value at the top level, as its source has it.
_NAMED = re.compile(
    r"^(?:async )?function (\w+)\(.*?^}\n|^const (\w+) = (?:[^\n]*;|\[\n.*?^\];)\n",
    re.MULTILINE | re.DOTALL,
)
# A constant at the top level, which is a number or a text, and a place where one is used.
_CONSTANT = re.compile(
    r'^const ([A-Z][A-Z0-9_]*) = ([-+*/ 0-9a-fnx_.]+|"[^"\n]*");(?: *//[^\n]*)?\n', re.MULTILINE
)
_USE = re.compile(r"(?<![.\w$])[A-Z][A-Z0-9_]*(?![\w$])")
_PARAMETER = re.compile(r"(?<![\w$])(async(?=\())?\((\w+)\)=>")
# Functions of the language that the page says by their names alone.
_STATIC = re.compile(
    r"\b(Math(?=\.)|Object(?=\.(?:assign|hasOwn)\b)|Number(?=\.isInteger)|Array(?=\.isArray))\.(\w+)"
)
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
_STYLES = "base.css", "page.css", "see/see.css"
_FILES = "<!-- files -->"


def joined(entry: str) -> str:
    """Return the code of a module, such as ``shell/main.js``, and of all that it imports."""
    return _strip_comments(_use_arrows(_join_modules(entry)))


def make_script(entry: str) -> str:
    """Return a script that calls the function of a module that is called like the module."""
    call = entry.rpartition("/")[2].removesuffix(".js")
    code = _inline_constants(_remove_unused(_join_modules(entry), call))
    code = _strip_comments(_use_arrows(code))
    found = sorted({match.groups() for match in _STATIC.finditer(code)})
    owners = groupby(found, key=itemgetter(0))
    named = [f"{{{','.join(name for _, name in names)}}}={owner}" for owner, names in owners]
    start = f"let{','.join(named)};" if named else ""
    code = _STATIC.sub(r"\2", code)
    return f'"use strict";(() => {{\n{start}{code}{call}();\n}})();\n'


def _join_modules(entry: str) -> str:
    """Return a module and all that it imports."""
    sources: dict[str, str] = {}
    _collect(entry, sources)
    return "".join(map(_strip_module, sources.values()))


def _strip_module(source: str) -> str:
    """Return a module without what only modules and readers need."""
    return _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))


def _remove_unused(code: str, call: str) -> str:
    """Return code without functions and values that nothing names but themselves."""
    names = Counter(re.findall(r"\w+", code))
    names[call] += 1
    kept = _NAMED.sub(lambda match: match[0] if names[match[1] or match[2]] > 1 else "", code)
    return code if kept == code else _remove_unused(kept, call)


def _use_arrows(code: str) -> str:
    """Return code with functions as values, which are shorter and joined to their neighbors."""
    return _FUNCTION.sub(_make_arrow, code)


def _make_arrow(match: re.Match[str]) -> str:
    """Return a function at the top level as a value."""
    prefix, name, parameters, body = match.groups(default="")
    returned = _RETURN.fullmatch(body)
    result = f"{{\n{body}}}"
    if returned:
        result = f"({returned[1]})" if returned[1].startswith("{") else returned[1]
    return f"const {name} = {prefix}({parameters}) => {result};\n"


def _inline_constants(code: str) -> str:
    """Return code with constants in the places of their names, where that is shorter."""
    counts = Counter(_USE.findall(code))
    values = {
        name: value.replace(" ", "") if value[0] != '"' else value
        for name, value in _CONSTANT.findall(code)
        if (counts[name] - 1) * len(value) < counts[name] * len(name) + len(value)
    }
    if not values:
        return code
    bare = _CONSTANT.sub(lambda match: "" if match[1] in values else match[0], code)
    return _inline_constants(_USE.sub(partial(_put, values), bare))


def _put(values: dict[str, str], match: re.Match[str]) -> str:
    """Return the value of a name, in parentheses where it is calculated with."""
    value = values.get(match[0], match[0])
    start, end = match.span()
    around = match.string[max(0, start - 2) : start] + match.string[end : end + 2]
    single = re.fullmatch(r'\w+|".*"', value)
    return value if single or not re.search(r"[-+*/%]", around) else f"({value})"


def _collect(path: str, sources: dict[str, str]) -> None:
    """Add a module after those that it imports."""
    if path in sources:
        return
    source = package_text(path)
    for target in _IMPORT.findall(source):
        _collect(_resolve_path(path, target), sources)
    sources[path] = source


def _resolve_path(path: str, target: str) -> str:
    """Return the path of an import: ``./x.js`` or ``../engine/x.js``."""
    folder = path.rpartition("/")[0]
    return target[3:] if target.startswith("../") else f"{folder}/{target.removeprefix('./')}"


def _strip_comments(code: str) -> str:
    bare = _join_declarations(_SIGNS.sub(_remove_comment, code))
    short = _SIGNS.sub(_shorten_sign, bare)
    return _PARAMETER.sub(lambda match: f"{match[1] or ''} {match[2]}=>".lstrip(), short)


def _join_declarations(code: str) -> str:
    """Return code in which declarations beside each other are one."""
    lines: list[str] = []
    declared: list[int] = []  # the indents of the declarations that a line belongs to
    for line in filter(str.strip, code.split("\n")):
        text = line.strip(" ")
        indent = len(line) - len(line.lstrip(" "))
        while declared and indent < declared[-1]:
            declared.pop()
        within = bool(declared) and indent == declared[-1]
        keyword, _, rest = text.partition(" ")
        if keyword in ("const", "let"):
            if not within:
                declared.append(indent)
            elif lines[-1].endswith(";"):
                lines[-1] = f"{lines[-1][:-1]},"
                text = rest
        elif within and text[0] not in ")]}":
            declared.pop()
        lines.append(text)
    return "".join(f"{line}\n" for line in lines)


def _remove_comment(match: re.Match[str]) -> str:
    """Return nothing for a comment behind code, and all else as it is."""
    return "" if not match.lastindex and match[0].lstrip().startswith("//") else match[0]


def _shorten_sign(match: re.Match[str]) -> str:
    """Return what counts of a sign and the spaces around it; checked code runs with `let` alike."""
    if match[0].startswith("`"):
        return _EXPRESSION.sub(lambda within: _SIGNS.sub(_shorten_sign, within[0]), match[0])
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


def _hash_source(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{b64encode(digest).decode('ascii')}'"


def page() -> bytes:
    """Return the page, as UTF-8."""
    return b"".join(page_parts())


def folder_page() -> bytes:
    """Return the page that a server shows which has a folder: only this one may ask its server."""
    return b"".join(_list_parts("shell/served.js", connect="'self'"))


def page_parts() -> list[bytes]:
    """Return the page in two parts, between which an album has its files."""
    return _list_parts("shell/app.js", connect="'none'")


def _list_parts(entry: str, *, connect: str) -> list[bytes]:
    lines = files("sudokucrypt.keys").joinpath("words.txt").read_text(encoding="ascii").splitlines()
    notes, words = (
        [line for line in lines if line.startswith("#") == note] for note in (True, False)
    )
    filled = document(
        "page.html",
        _POLICY.replace("{connect}", connect),
        style="".join(map(package_text, _STYLES)),
        words="\n".join([*notes, _code_words(words)]),
        script=make_script(entry),
    )
    # Without a line end, which browsers would move into the body: the page writes itself again.
    return [part.encode("utf-8") for part in filled.rstrip("\n").split(_FILES)]


def _code_words(words: list[str]) -> str:
    """Return words without the letters that begin the word before each, but with their number.

    Where it is the number before, a capital letter tells so.
    """
    parts, same = [], -1
    for previous, word in pairwise(["", *words]):
        before, same = same, 0
        while word[: same + 1] == previous[: same + 1]:
            same += 1
        rest = word[same:]
        parts.append(rest.capitalize() if same == before else f"{same}{rest}")
    return "".join(parts)


def document(template: str, policy: str, *, style: str, script: str, **texts: str) -> str:
    """Return a page from its template, with a policy for this style and this script alone."""
    parts = {**texts, "style": stripped_style(style), "script": script}
    # An element with raw text ends at the first of these, wherever it is in the source.
    for name, text in parts.items():
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            raise ValueError(f"the {name} of the page would end early")
    hashes = {name: _hash_source(parts[name]) for name in ("style", "script")}
    parts["policy"] = policy.format(**hashes)
    source = package_text(template).replace(">\n<", "><")
    return _MARK.sub(lambda mark: parts.get(mark[1], mark[0]), source)
