"""The self-contained HTML report: one file, no network, readable in light and dark."""

from foundcause.report.page import drawing, render_html, report_data, write_html

__all__ = ["drawing", "render_html", "report_data", "write_html"]
