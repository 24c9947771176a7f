"""What happens to tables of every component, in this order. Importing a module registers its corruptions."""

from importlib import import_module

MODULES = ("extra_columns", "measurement_scales", "paper_artifacts", "row_errors")

ORDER = ("repeats", "artifacts", "scales", "classes", "resolution", "unrelated_columns", "slips", "derived")
"""Corruptions that are not named here come last, in the order in which they registered."""
for _module in MODULES:
    import_module(f"{__name__}.{_module}")
