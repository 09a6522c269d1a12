from sudokucrypt.reports.attack_report import attack_report as attack_report
from sudokucrypt.reports.attack_report import attacks_report as attacks_report
from sudokucrypt.reports.comparison_report import comparison_report as comparison_report
from sudokucrypt.reports.document import Cell as Cell
from sudokucrypt.reports.document import Figure as Figure
from sudokucrypt.reports.document import Report as Report
from sudokucrypt.reports.document import Section as Section
from sudokucrypt.reports.document import Table as Table
from sudokucrypt.reports.documents import to_csv as to_csv
from sudokucrypt.reports.documents import to_figures as to_figures
from sudokucrypt.reports.documents import to_html as to_html
from sudokucrypt.reports.documents import to_json as to_json
from sudokucrypt.reports.documents import to_markdown as to_markdown
from sudokucrypt.reports.documents import to_text as to_text
from sudokucrypt.reports.image_report import image_report as image_report
from sudokucrypt.reports.latex import to_latex as to_latex
from sudokucrypt.reports.robustness_report import robustness_report as robustness_report
from sudokucrypt.reports.security_report import broken_sentence as broken_sentence
from sudokucrypt.reports.security_report import security_report as security_report
from sudokucrypt.reports.zoo_report import cipher_report as cipher_report
from sudokucrypt.reports.zoo_report import zoo_report as zoo_report

__all__: list[str]
