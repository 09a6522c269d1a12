"""Assemble the page from its modules into one HTML file, with equal bytes on every machine.

JavaScript modules import each other only by ``import { a, b } from "./x.js";``, and names at their
top level are unique. So they are joined in the order of their imports, without these lines and the
word ``export``, and neither a bundler nor a parser is needed.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections import Counter
from functools import cache, partial
from importlib.resources import files
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

_IMPORT = re.compile(r'^import \{[^}]*\} from "([./a-z0-9_]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async |function |const |let |class )", re.MULTILINE)
# Comments are removed from the page.
_COMMENT = re.compile(r"^[ \t]*(?://.*|/\*\*?(?s:.*?)\*/)\n", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+|\n", re.MULTILINE)
# This matches strings and regular expressions, which are kept. It also matches signs that need no
# spaces around them and no line end after them. Names are not shortened, so that people can read
# the page.
_STRING_OR_SIGN = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<![\w)\]]\ )(?<![\w)\]])/(?![ /*])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n\[])+/\w*)"""
    # A semicolon at the end of a block and a comma at the end of a list are not needed.
    r"""|\ *//[^\n]*|;\s*(?=\})|(?<=\})\n|,\s*(?=[\])}])"""
    r"""|\ *([=({[,:;?<>&|!*%^])\s*|\ *([)}\]])\ *|(?<![-+])\ ([-+]=?)\ (?![-+])"""
    r"""|\ ?(/)\ |(?<=[)\]}]\ )([-+]=?)\ (?![-+])"""
    r"""|\bconst\b(?=[\ \[{])|(?<![\w$.])(?:true|false|undefined)(?![\w$:])"""
)
_SHORT_WORDS = {"const": "let", "true": "!0", "false": "!1", "undefined": "void 0"}
# An expression in a template string, if it contains no other string.
_EXPRESSION = re.compile(r"""\$\{[^{}"'`]*\}""")
# A function at the top level, and the body of a function that only returns a value.
_FUNCTION = re.compile(r"^(async )?function (\w+)\((.*?)\) \{\n(.*?)^}\n", re.MULTILINE | re.DOTALL)
_RETURN = re.compile(r"  return ([^\n]*(?:\n(?: {4}|  [)\]}])[^\n]*)*);\n")
# The source of a function or a value at the top level.
_DEFINITION = re.compile(
    r"^(?:async )?function (\w+)\(.*?^}\n|^const (\w+) = (?:[^\n]*;|\[\n.*?^\];)\n",
    re.MULTILINE | re.DOTALL,
)
# A constant at the top level, which is a number or a string; and a use of a constant.
_CONSTANT = re.compile(
    r'^const ([A-Z][A-Z0-9_]*) = ([-+*/ 0-9a-fnx_.]+|"[^"\n]*");(?: *//[^\n]*)?\n', re.MULTILINE
)
_CONSTANT_USE = re.compile(r"(?<![.\w$])[A-Z][A-Z0-9_]*(?![\w$])")
_PARAMETER = re.compile(r"(?<![\w$])(async(?=\())?\((\w+)\)=>")
# Calls of built-in functions, such as Math.max, in which the name of the object is removed.
_BUILT_IN_CALL = re.compile(
    r"\b(Math(?=\.)|Object(?=\.(?:assign|hasOwn)\b)|Number(?=\.isInteger)|Array(?=\.isArray))\.(\w+)"
)
# Punctuation in style sheets that needs no spaces around it. A space before a selector is kept.
_STYLE_SIGN_PATTERN = re.compile(r" *([{};,>]) *|(?<=[\w-]:) (?!:)")
# The browser must refuse to load or send data, and to run other scripts. Argon2 is compiled to
# WebAssembly, which needs wasm-unsafe-eval. Results are shown from blobs.
_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src {script} 'wasm-unsafe-eval'; style-src {style}; "
    "img-src blob: data:; media-src blob:; worker-src blob:; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)
_TEMPLATE_MARK = re.compile(r"<!-- ([a-z]+) -->")
_STYLE_FILES = "base.css", "page.css", "see/see.css"
_FILES_MARK = "<!-- files -->"


@cache
def join_code(entry_module: str) -> str:
    """Return the code of a module, such as ``shell/main.js``, and all modules that it imports."""
    return _strip_comments(_use_arrows(_join_modules(entry_module)))


@cache
def make_script(entry_module: str) -> str:
    """Return a script with a module and its imports, which calls the function of the same name."""
    function_name = entry_module.rpartition("/")[2].removesuffix(".js")
    code = _inline_constants(_remove_unused_code(_join_modules(entry_module), function_name))
    code = _strip_comments(_use_arrows(code))
    built_in_calls = sorted({match.groups() for match in _BUILT_IN_CALL.finditer(code)})
    uses_by_object = groupby(built_in_calls, key=itemgetter(0))
    names = [
        f"{{{','.join(name for _, name in pairs)}}}={object_name}"
        for object_name, pairs in uses_by_object
    ]
    declaration = f"let{','.join(names)};" if names else ""
    code = _BUILT_IN_CALL.sub(r"\2", code)
    return f'"use strict";(() => {{\n{declaration}{code}{function_name}();\n}})();\n'


def _join_modules(entry_module: str) -> str:
    """Return the source of a module and all modules that it imports."""
    sources: dict[str, str] = {}
    _collect_modules(entry_module, sources)
    return "".join(map(_strip_module, sources.values()))


def _strip_module(source: str) -> str:
    """Return the source of a module without imports, exports and comments."""
    return _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))


def _remove_unused_code(code: str, called_function: str) -> str:
    """Remove functions and values that neither the code itself nor its caller uses."""
    names = Counter(re.findall(r"\w+", code))
    names[called_function] += 1
    used_code = _DEFINITION.sub(
        lambda match: match[0] if names[match[1] or match[2]] > 1 else "", code
    )
    return code if used_code == code else _remove_unused_code(used_code, called_function)


def _use_arrows(code: str) -> str:
    """Rewrite functions as constant arrow functions, which are shorter and can be joined."""
    return _FUNCTION.sub(_make_arrow, code)


def _make_arrow(match: re.Match[str]) -> str:
    """Return a function at the top level as a constant arrow function."""
    prefix, name, parameters, body = match.groups(default="")
    value = _RETURN.fullmatch(body)
    result = f"{{\n{body}}}"
    if value:
        result = f"({value[1]})" if value[1].startswith("{") else value[1]
    return f"const {name} = {prefix}({parameters}) => {result};\n"


def _inline_constants(code: str) -> str:
    """Return code in which names of constants are replaced by their values, if that is shorter."""
    counts = Counter(_CONSTANT_USE.findall(code))
    values = {
        name: value.replace(" ", "") if value[0] != '"' else value
        for name, value in _CONSTANT.findall(code)
        if (counts[name] - 1) * len(value) < counts[name] * len(name) + len(value)
    }
    if not values:
        return code
    code_without_constants = _CONSTANT.sub(
        lambda match: "" if match[1] in values else match[0], code
    )
    return _inline_constants(
        _CONSTANT_USE.sub(partial(_replace_name, values), code_without_constants)
    )


def _replace_name(values: dict[str, str], match: re.Match[str]) -> str:
    """Return the value of a constant, in parentheses if needed, or another name unchanged."""
    value = values.get(match[0], match[0])
    start, end = match.span()
    surroundings = match.string[max(0, start - 2) : start] + match.string[end : end + 2]
    is_single_token = re.fullmatch(r'\w+|".*"', value)
    return value if is_single_token or not re.search(r"[-+*/%]", surroundings) else f"({value})"


def _collect_modules(path: str, sources: dict[str, str]) -> None:
    """Add the source of a module to `sources`, after the modules that it imports."""
    if path in sources:
        return
    source = read_package_text(path)
    for target in _IMPORT.findall(source):
        _collect_modules(_resolve_path(path, target), sources)
    sources[path] = source


def _resolve_path(path: str, target: str) -> str:
    """Return the path of a module, given an import of ``./x.js`` or ``../engine/x.js``."""
    folder = path.rpartition("/")[0]
    return target[3:] if target.startswith("../") else f"{folder}/{target.removeprefix('./')}"


def _strip_comments(code: str) -> str:
    code_without_comments = _join_declarations(_STRING_OR_SIGN.sub(_remove_comment, code))
    shortened_code = _STRING_OR_SIGN.sub(_shorten_sign, code_without_comments)
    return _PARAMETER.sub(lambda match: f"{match[1] or ''} {match[2]}=>".lstrip(), shortened_code)


def _join_declarations(code: str) -> str:
    """Return code in which adjacent declarations are joined."""
    lines: list[str] = []
    declaration_indents: list[int] = []  # the indents of the declarations to which a line belongs
    for line in filter(str.strip, code.split("\n")):
        text = line.strip(" ")
        indent = len(line) - len(line.lstrip(" "))
        while declaration_indents and indent < declaration_indents[-1]:
            declaration_indents.pop()
        is_in_declaration = bool(declaration_indents) and indent == declaration_indents[-1]
        keyword, _, declaration = text.partition(" ")
        if keyword in ("const", "let"):
            if not is_in_declaration:
                declaration_indents.append(indent)
            elif lines[-1].endswith(";"):
                lines[-1] = f"{lines[-1][:-1]},"
                text = declaration
        elif is_in_declaration and text[0] not in ")]}":
            declaration_indents.pop()
        lines.append(text)
    return "".join(f"{line}\n" for line in lines)


def _remove_comment(match: re.Match[str]) -> str:
    """Return an empty string for a comment after code, and any other match unchanged."""
    return "" if not match.lastindex and match[0].lstrip().startswith("//") else match[0]


def _shorten_sign(match: re.Match[str]) -> str:
    """Return a sign without the spaces around it, or a shorter form of a word, such as ``let``."""
    if match[0].startswith("`"):
        return _EXPRESSION.sub(
            lambda inner_match: _STRING_OR_SIGN.sub(_shorten_sign, inner_match[0]), match[0]
        )
    if match.lastindex:
        return match[match.lastindex]
    return _SHORT_WORDS.get(match[0], "")


def strip_style(source: str) -> str:
    """Return a style sheet without unneeded spaces."""
    return _STYLE_SIGN_PATTERN.sub(lambda match: match[1] or "", _INDENT.sub("", source)).replace(
        ";}", "}"
    )


def read_package_text(path: str) -> str:
    """Return the text of a file of this package, with Unix line ends on every system."""
    return files("sudokucrypt.page").joinpath(path).read_text(encoding="utf-8")


def _hash_source(text: str) -> str:
    source_hash = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{b64encode(source_hash).decode('ascii')}'"


def page() -> bytes:
    """Return the page that encrypts and decrypts files, as UTF-8."""
    return b"".join(make_page_parts())


def make_folder_page() -> bytes:
    """Return the page for a server of a folder; it may send requests to its own server only."""
    return b"".join(_make_page_parts("shell/served.js", connect_source="'self'"))


def make_page_parts() -> tuple[bytes, ...]:
    """Return the page in two parts, between which an album contains its files."""
    return _make_page_parts("shell/app.js", connect_source="'none'")


@cache  # a program writes many albums, all with the same page
def _make_page_parts(entry_module: str, *, connect_source: str) -> tuple[bytes, ...]:
    lines = files("sudokucrypt.keys").joinpath("words.txt").read_text(encoding="ascii").splitlines()
    comments, words = (
        [line for line in lines if line.startswith("#") == is_comment]
        for is_comment in (True, False)
    )
    content = make_document(
        "page.html",
        _SECURITY_POLICY.replace("{connect}", connect_source),
        style="".join(map(read_package_text, _STYLE_FILES)),
        words="\n".join([*comments, _compress_words(words)]),
        script=make_script(entry_module),
    )
    # The page has no line end after its last tag: when the page saves itself, browsers would move
    # that line end into the body.
    return tuple(part.encode("utf-8") for part in content.rstrip("\n").split(_FILES_MARK))


def _compress_words(words: list[str]) -> str:
    """Compress words: a number replaces the letters that a word shares with the previous word.

    If the number is that of the previous word, it is left out, and a capital letter follows.
    """
    compressed_words, count = [], -1
    for previous_word, word in pairwise(["", *words]):
        previous_count, count = count, 0
        while word[: count + 1] == previous_word[: count + 1]:
            count += 1
        ending = word[count:]
        compressed_words.append(
            ending.capitalize() if count == previous_count else f"{count}{ending}"
        )
    return "".join(compressed_words)


def make_document(template: str, policy: str, *, style: str, script: str, **texts: str) -> str:
    """Return a page from its template, with a policy that allows only this style and script.

    `texts` replace the marks of their names in the template.
    """
    marked_texts = {**texts, "style": strip_style(style), "script": script}
    # Any of these tags would end the script or style element, even inside a string.
    for name, text in marked_texts.items():
        if re.search(r"</(?:script|style)|<!--", text, re.IGNORECASE):
            raise ValueError(f"the {name} of the page would end early")
    hashes = {name: _hash_source(marked_texts[name]) for name in ("style", "script")}
    marked_texts["policy"] = policy.format(**hashes)
    source = read_package_text(template).replace(">\n<", "><")
    return _TEMPLATE_MARK.sub(lambda mark: marked_texts.get(mark[1], mark[0]), source)
