"""List mutants of a module: its source with one place changed, as by a slip of the hand."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent

_OTHER_COMPARISONS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_OTHER_OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.BitXor: ("^", "|"),
}
_OTHER_FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
_LEFT_ALONE = (ast.Raise, ast.AnnAssign, ast.arg, ast.JoinedStr, ast.Import, ast.ImportFrom)
"""Messages and types, which the tests need not check."""


@dataclass(frozen=True)
class Mutant:
    """A change of one place.

    Parameters
    ----------
    path : str
        The path of the module, relative to the root of the project.
    line : int
        The number of the line, counted from 1.
    old, new : str
        The line before and after the change, without indentation; the change may continue on
        the lines below.
    source : str
        The whole module with the change.
    """

    path: str
    line: int
    old_text: str
    new_text: str
    source: str

    @property
    def name(self) -> str:
        """The name in the list of equivalent mutants, without a line number, which would change."""
        return f"{self.path}: {self.old_text}  ->  {self.new_text}"


def list_mutants(path: Path) -> Iterator[Mutant]:
    """Yield all mutants of a module."""
    text = path.read_bytes()
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for (first, start), (last, stop), replacement in _list_changes(ast.parse(text), text, starts):
        start_offset, stop_offset = starts[first - 1] + start, starts[last - 1] + stop
        source = (text[:start_offset] + replacement.encode() + text[stop_offset:]).decode()
        old_line = text.decode().splitlines()[first - 1].strip()
        yield Mutant(
            str(path.relative_to(ROOT)),
            first,
            old_line,
            source.splitlines()[first - 1].strip(),
            source,
        )


Location = tuple[int, int]
Change = tuple[Location, Location, str]


def _list_changes(tree: ast.AST, text: bytes, starts: list[int]) -> Iterator[Change]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.stmt | ast.IfExp):
            yield from _change_statements(node, text, starts)
        else:
            yield from _change_expressions(node, text, starts)
        if not isinstance(node, _LEFT_ALONE):
            yield from _list_changes(_remove_irrelevant(node), text, starts)


def _change_statements(
    node: ast.stmt | ast.IfExp, text: bytes, starts: list[int]
) -> Iterator[Change]:
    """Leave out raising or calling statements, negate conditions, return nothing."""
    match node:
        case ast.Raise() | ast.Expr(value=ast.Call()):
            yield *_find_span(node), "pass"
        case ast.If(test=ast.Name(id="TYPE_CHECKING")) | ast.If(test=ast.Compare()):
            pass
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield *_find_span(test), f"(not ({_read_text(test, text, starts)}))"
        case ast.Return(value=ast.Constant(value=None)):
            pass
        case ast.Return(value=ast.expr() as value):
            yield *_find_span(value), "None"


def _change_expressions(node: ast.AST, text: bytes, starts: list[int]) -> Iterator[Change]:
    """Replace an operator, number, constant or function by another one."""
    match node:
        case ast.Compare(left=left, ops=[found], comparators=[right]):
            yield from _change_operator(left, right, _OTHER_COMPARISONS[type(found)], text, starts)
        case ast.BinOp(left=left, op=joined, right=right) if type(joined) in _OTHER_OPERATORS:
            yield from _change_operator(left, right, _OTHER_OPERATORS[type(joined)], text, starts)
        case ast.BoolOp(op=ast.And(), values=[left, right, *_]):
            yield from _change_operator(left, right, ("and", "or"), text, starts)
        case ast.BoolOp(op=ast.Or(), values=[left, right, *_]):
            yield from _change_operator(left, right, ("or", "and"), text, starts)
        case ast.Constant(value=bool() as value):
            yield *_find_span(node), str(not value)
        case ast.Constant(value=int() as number):
            yield *_find_span(node), str(number + 1)
        case ast.Constant(value=bytes() as data) if data:
            yield *_find_span(node), repr(data[:-1])
        case ast.Name(id=name, ctx=ast.Load()) if name in _OTHER_FUNCTIONS:
            yield *_find_span(node), _OTHER_FUNCTIONS[name]


def _remove_irrelevant(node: ast.AST) -> ast.AST:
    """Remove decorators, annotations, and arguments of which other values change nothing."""
    if isinstance(node, ast.Call):
        # NumPy takes any negative length, and `zip` has inputs of one length.
        node.keywords = [each for each in node.keywords if each.arg != "strict"]
        if isinstance(node.func, ast.Attribute) and node.func.attr == "reshape":
            node.args = [each for each in node.args if not isinstance(each, ast.UnaryOp)]
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        node.decorator_list = []
    if isinstance(node, ast.FunctionDef):
        node.returns = None
    return node


def _change_operator(
    left: ast.expr, right: ast.expr, names: tuple[str, str], text: bytes, starts: list[int]
) -> Iterator[Change]:
    """Change the operator between two operands."""
    operator_start = starts[(left.end_lineno or 1) - 1] + (left.end_col_offset or 0)
    operator_end = starts[right.lineno - 1] + right.col_offset
    position = text.find(names[0].encode(), operator_start, operator_end)
    if position >= 0:
        line = max(index for index, start in enumerate(starts) if start <= position)
        column = position - starts[line]
        yield (line + 1, column), (line + 1, column + len(names[0])), names[1]


def _find_span(node: ast.expr | ast.stmt) -> tuple[Location, Location]:
    return (node.lineno, node.col_offset), (node.end_lineno or 1, node.end_col_offset or 0)


def _read_text(node: ast.expr, text: bytes, starts: list[int]) -> str:
    (first, start), (last, stop) = _find_span(node)
    return text[starts[first - 1] + start : starts[last - 1] + stop].decode()
