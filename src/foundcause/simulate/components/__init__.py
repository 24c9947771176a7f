"""The components of mixtures, one file each (the short special tasks share one). A line registers the file's own."""

from importlib import import_module

MODULES = (
    "auctions",
    "bnrep",
    "bodies",
    "borrowed",
    "days",
    "ecology",
    "epidemics",
    "expert_networks",
    "flows",
    "genetics",
    "markets",
    "mixed_kinds",
    "pair_families",
    "pair_laws",
    "paths",
    "regions",
    "sensors",
    "signalling",
    "special_tasks",
    "studies",
    "surveys",
    "telemetry",
    "textbook",
    "time_series",
    "workshops",
)
for _module in MODULES:
    import_module(f"{__name__}.{_module}")
