"""Reports: figures collected into plain data, and written as JSON, CSV, Markdown or one page."""

from sudokucrypt.analysis.reports.attack_report import attack_report
from sudokucrypt.analysis.reports.attacking import (
    AttackFigures,
    AttackName,
    AttackRun,
    AttackSettings,
    run_attack,
)
from sudokucrypt.analysis.reports.comparison import (
    ComparedRun,
    ComparisonFigures,
    compare_schemes,
    report_key,
)
from sudokucrypt.analysis.reports.comparison_report import comparison_report
from sudokucrypt.analysis.reports.document import Cell, Figure, Report, Section, Table
from sudokucrypt.analysis.reports.image_figures import ImageFigures, measure_image
from sudokucrypt.analysis.reports.image_report import image_report
from sudokucrypt.analysis.reports.named_image import NamedImage
from sudokucrypt.analysis.reports.page import to_html
from sudokucrypt.analysis.reports.security import SecurityFigures, measure_security
from sudokucrypt.analysis.reports.security_report import security_report
from sudokucrypt.analysis.reports.specimens import specimens
from sudokucrypt.analysis.reports.subject import Keyed, Run, Subject, baseline_subjects
from sudokucrypt.analysis.reports.writing import to_csv, to_json, to_markdown, to_text

__all__ = [
    "AttackFigures",
    "AttackName",
    "AttackRun",
    "AttackSettings",
    "Cell",
    "ComparedRun",
    "ComparisonFigures",
    "Figure",
    "ImageFigures",
    "Keyed",
    "NamedImage",
    "Report",
    "Run",
    "Section",
    "SecurityFigures",
    "Subject",
    "Table",
    "attack_report",
    "baseline_subjects",
    "compare_schemes",
    "comparison_report",
    "image_report",
    "measure_image",
    "measure_security",
    "report_key",
    "run_attack",
    "security_report",
    "specimens",
    "to_csv",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
]
