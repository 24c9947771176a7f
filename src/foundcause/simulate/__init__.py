"""Synthetic tables with their causal graphs. ``mixture.py`` is the page to start from."""
