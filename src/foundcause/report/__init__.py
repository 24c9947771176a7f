"""What people see of a result: the HTML report, pictures, the terminal, notebooks, and files for other tools."""

from foundcause.report.page import given_pairs, render_html, write_html

__all__ = ["given_pairs", "render_html", "write_html"]
