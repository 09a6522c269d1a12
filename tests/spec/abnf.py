"""ABNF without recursion as regular expressions (RFC 5234, RFC 7405)."""

import re
from collections.abc import Mapping
from pathlib import Path

_BLOCK = re.compile(r"^```abnf\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"^([a-z][a-z0-9-]*) += ((?:.*\n)(?: +.*\n)*)", re.MULTILINE)
_TOKEN = re.compile(
    r'%s"([^"]*)"|"([^"A-Za-z]*)"|%x([0-9A-F]+)(?:-([0-9A-F]+))?|(\d+)(?=[a-z(])|(\d*)\*(\d*)'
    r"|([a-z][a-z0-9-]*)|([][()/])"
)


def rules_of(page: Path) -> dict[str, str]:
    """The rules of all blocks of a page by name, without comments."""
    text = "".join(_BLOCK.findall(page.read_text(encoding="utf-8")))
    bare = re.sub(r" *;[^\"\n]*$", "", text, flags=re.MULTILINE)
    rules = _RULE.findall(bare)
    assert len(dict(rules)) == len(rules) == len(re.findall("^[a-z]", bare, re.MULTILINE))
    return dict(rules)


def pattern_of(name: str, rules: Mapping[str, str]) -> str:
    """The regular expression of a rule, in parentheses."""
    source, position, pattern, count = rules[name], 0, "", ""
    ends = []  # what closes each open group, and how often it occurs
    while position < len(source):
        if source[position].isspace():
            position += 1
            continue
        match = _TOKEN.match(source, position)
        assert match is not None, source[position:]
        position = match.end()
        exact, plain, low, high, times, least, most, rule, sign = match.groups()
        if times or most is not None:
            count = f"{{{times}}}" if times else f"{{{least or 0},{most}}}"
            continue
        if sign in ("(", "["):
            ends.append(count if sign == "(" else "?")
            pattern += "(?:"
        elif sign == "/":
            pattern += "|"
        elif sign:
            pattern += f"){ends.pop()}"
        elif low:
            pattern += rf"[\x{low}-\x{high or low}]{count}"
        elif rule:
            pattern += pattern_of(rule, rules) + count
        else:
            pattern += f"(?:{re.escape(exact or plain)}){count}"
        count = ""
    return f"(?:{pattern})"
