"""Sphinx configuration: ``make docs`` builds the site into docs/_build, without the network."""

from __future__ import annotations

import foundcause

project = "foundcause"
author = "The foundcause developers"
copyright = f"2026, {author}"
version = release = foundcause.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_design"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]

html_theme = "pydata_sphinx_theme"
html_title = "foundcause"
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "default",
}
html_show_sourcelink = False
html_static_path: list[str] = []
