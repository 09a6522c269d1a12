"""Reports: measurements as sentences, tables and drawings, written in several forms."""

from sudokucrypt.reports.attack_report import attack_report, attacks_report
from sudokucrypt.reports.comparison_report import comparison_report
from sudokucrypt.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.reports.documents import to_csv, to_figures, to_html, to_json, to_markdown, to_text
from sudokucrypt.reports.image_report import image_report
from sudokucrypt.reports.latex import to_latex
from sudokucrypt.reports.robustness_report import robustness_report
from sudokucrypt.reports.security_report import broken_sentence, security_report
from sudokucrypt.reports.sequences import bits_report
from sudokucrypt.reports.zoo_report import cipher_report, zoo_report

__all__ = [
    "Cell",
    "Figure",
    "Report",
    "Section",
    "Table",
    "attack_report",
    "attacks_report",
    "bits_report",
    "broken_sentence",
    "cipher_report",
    "comparison_report",
    "image_report",
    "robustness_report",
    "security_report",
    "to_csv",
    "to_figures",
    "to_html",
    "to_json",
    "to_latex",
    "to_markdown",
    "to_text",
    "zoo_report",
]
