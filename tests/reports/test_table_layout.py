"""Tables of text that fit 80 columns, and tables of LaTeX that fit a page."""

import re
import subprocess
from itertools import product
from pathlib import Path

import pytest

from sudokucrypt.reports import Cell, Report, Section, Table, to_latex
from sudokucrypt.reports.table_layout import TERMINAL_WIDTH, format_table_lines, transpose_table

_ESCAPES = r"\\(?:textbackslash|textasciitilde|textasciicircum)\{\}"


def list_numbers(rows: int, columns: int, *, name: str = "scheme") -> Table:
    """Return a table of numbers with heads of ten letters."""
    return Table(
        title="Numbers",
        columns=(name, *(f"figure {n:03}" for n in range(columns))),
        rows=tuple(
            (
                Cell(text=f"s{row}"),
                *(Cell(text=f"{row}.{n:03}", number=True) for n in range(columns)),
            )
            for row in range(rows)
        ),
    )


@pytest.mark.parametrize(("rows", "columns"), list(product((1, 2, 3, 30), (1, 6, 7, 40))))
def test_every_number_is_there_once_in_80_columns(rows: int, columns: int) -> None:
    """A wide table is transposed or split, and contains each number once."""
    table = list_numbers(rows, columns)
    lines = list(format_table_lines(table))
    assert max(map(len, lines)) <= TERMINAL_WIDTH
    result = re.findall(r"(?<![\w.])\d+\.\d{3}(?![\w.])", "\n".join(lines))
    assert sorted(result) == sorted(f"{row}.{n:03}" for row in range(rows) for n in range(columns))


def test_transposing_twice_gives_the_same_table() -> None:
    """Transposing makes columns of rows; transposing twice gives the same table."""
    table = list_numbers(2, 9)
    assert transpose_table(table).columns == ("scheme", "s0", "s1")
    assert transpose_table(transpose_table(table)) == table
    assert next(format_table_lines(table)).split() == ["scheme", "s0", "s1"]


def test_long_texts_are_folded() -> None:
    """A sentence in a narrow column is folded onto several lines, with empty fields next to it."""
    sentence = "one map for all images of a size, which falls to a few chosen ones; no key at all"
    rows = ((Cell(text="hilbert"), Cell(text="places"), Cell(text=sentence)),)
    lines = list(
        format_table_lines(Table(title="", columns=("scheme", "changes", "limits"), rows=rows))
    )
    assert max(map(len, lines)) <= TERMINAL_WIDTH
    assert len(lines) > 2
    start = lines[0].index("limits")
    assert " ".join(line[start:] for line in lines[1:]) == sentence
    assert not lines[2][:start].strip()


def write_latex(table: Table, **fields: str) -> str:
    """Return the LaTeX of a report with one table."""
    section = Section(title="Part", tables=(table,))
    return to_latex(
        Report(title="T", lead="", facts=(), sections=(section,), data={}, **fields)  # type: ignore[arg-type]
    )


def test_latex_is_well_formed() -> None:
    """Groups and environments are closed in order, and rows have a field for each column."""
    arrow, rare_sign = "\N{RIGHTWARDS ARROW}", "\N{CJK UNIFIED IDEOGRAPH-4E00}"
    hostile = rf"a & b % c $ d # e _ f {{ g }} h \ i ~ j ^ k < l > m | n {arrow} {rare_sign}"
    rows = (
        (Cell(text=hostile), Cell(text="-1.5e-07", verdict=False, number=True), Cell(text="-")),
        (Cell(text="plain"), Cell(text="2", verdict=True, number=True), Cell(text="x" * 60)),
    )
    for table in (Table(title=hostile, columns=("a_b", "c", "d"), rows=rows), list_numbers(3, 40)):
        text = write_latex(table)
        assert "%" not in re.sub(r"\\%|^%.*$", "", text, flags=re.M)
        assert text.isascii()
        check_environments(text)
        for spec, body in re.findall(
            r"\\begin\{tabular\}\{@\{\}([^\n]*)@\{\}\}\n(.*?)\\end\{tabular\}", text, re.S
        ):
            count = len(re.sub(r"p\{.*?\}", "p", spec))
            lines = [line for line in body.splitlines() if line.endswith(r"\tabularnewline")]
            assert lines
            assert {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {count - 1}
    assert "$-$1.5e$-$07$^{\\ast}$" in write_latex(
        Table(title="", columns=("a", "b", "c"), rows=rows)
    )


def make_wide_report() -> Report:
    """Return a report with tables that are too wide unless their texts are folded."""
    sentence = "one map for all images of a size, which falls to a few chosen or known images"
    rows = tuple(
        (
            Cell(text=name),
            Cell(text=sentence),
            *(Cell(text=f"{number:.4f} ± 0.0021", number=True) for number in (99.6094, -0.0012)),
            Cell(text="MMMM WWWW not tried", verdict=False),
        )
        for name in ("scramble-context-block", "a_file_of_mine.py:encrypt", "x" * 70)
    )
    heads = ("scheme", "known limits", "correlation horizontal", "NPCR, fresh salt, %", "outcome")
    tables = (Table(title="Rows " + "y" * 70, columns=heads, rows=rows), list_numbers(4, 27))
    section = Section(title="Part", tables=tables)
    return Report(title="T", lead="", facts=(), sections=(section,), data={})


@pytest.mark.programs("pdflatex")
@pytest.mark.slow
@pytest.mark.parametrize(("width", "points"), [("page", 345), ("column", 252)])
def test_tables_are_no_wider_than_their_column(width: str, points: int, tmp_path: Path) -> None:
    """TeX reports no overfull box for tables with long heads, words and numbers."""
    text = to_latex(make_wide_report(), width="column" if width == "column" else "page")
    preamble = rf"\documentclass{{article}}\usepackage{{booktabs}}\textwidth={points}pt"
    page = rf"{preamble}\columnwidth={points}pt\begin{{document}}{text}\clearpage\end{{document}}"
    (tmp_path / "t.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-2000:]
    assert "Overfull" not in result.stdout


# Widths of letters of cmr10 in thousandths of its size, from its metrics (D. E. Knuth, 1986).
CMR10 = {
    letter: width
    for width, letters in {
        278: "il.,:;'![]",
        306: "fj",
        333: " -",
        389: "t()",
        394: "rs",
        444: "cez",
        500: "ago0123456789/*",
        528: "kqvxy",
        556: "bdhnpuS",
        625: "LIJ",
        681: "EFPZ",
        736: "wACHNTUVXYBR",
        778: "DGKOQ=+<>&\N{PLUS-MINUS SIGN}\N{MINUS SIGN}\N{MULTIPLICATION SIGN}",
        833: "m%",
        1028: "MW",
    }.items()
    for letter in letters
}
# Small fonts are wider in proportion: the digits of cmr8 are 531 thousandths of its size.
CMR8 = 1.0625


def find_points(text: str, size: float) -> float:
    """Return the width of a text in LaTeX without line breaks, by the metrics of its letters."""
    text = text.replace(r"\allowbreak{}", "").replace(r"\raggedright ", "")
    text = text.replace(r"$^{\ast}$", "*").replace("$-$", "\N{MINUS SIGN}")
    text = re.sub(r"\\([&%#_$])", r"\1", text.replace(r"$\pm$", "\N{PLUS-MINUS SIGN}"))
    return sum(CMR10.get(letter, 600) for letter in text) / 1000 * size * CMR8


@pytest.mark.parametrize(("width", "points", "size"), [("page", 345, 9), ("column", 252, 8)])
def test_letters_fit_the_column(width: str, points: int, size: int) -> None:
    """By font metrics, without TeX, no table is wider than its page or column."""
    text = to_latex(make_wide_report(), width="column" if width == "column" else "page")
    tables = re.findall(
        r"\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}(.*?)\\end\{tabular\}", text, re.DOTALL
    )
    gap = 2 * float(re.findall(r"tabcolsep\}\{([\d.]+)pt", text)[0])
    assert len(tables) > 2
    for spec, body in tables:
        kinds = re.findall(r"[lr]|p\{\d+pt\}", spec)
        rows = [
            re.split(r"(?<!\\)& ?", line.removesuffix(r"\tabularnewline").strip())
            for line in body.splitlines()
            if line.endswith(r"\tabularnewline")
        ]
        sizes = []
        for column_type, cells in zip(kinds, zip(*rows, strict=True), strict=True):
            parts = [re.sub(r"\\shortstack\[r\]\{(.*)\}", r"\1", cell.strip()) for cell in cells]
            break_pattern = (
                r"\\\\|\\allowbreak\{\}|(?<!raggedright) " if column_type[0] == "p" else r"\\\\"
            )
            widest = max(
                find_points(word, size) for part in parts for word in re.split(break_pattern, part)
            )
            room = float(column_type[2:-3]) if column_type[0] == "p" else widest
            assert widest <= room
            sizes.append(room)
        assert sum(sizes) + gap * (len(sizes) - 1) <= points


def check_environments(text: str) -> None:
    """Fail unless all environments, braces and formulas are closed in order."""
    opened: list[str] = []
    for begins, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if begins == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    for line in text.splitlines():
        plain_text = re.sub(r"\\[\\{}$&%#_]", "", re.sub(_ESCAPES, "", line))
        assert plain_text.count("$") % 2 == 0, line
        depth = 0
        for brace in re.findall(r"[{}]", plain_text):
            depth += 1 if brace == "{" else -1
            assert depth >= 0, line
        assert depth == 0, line
