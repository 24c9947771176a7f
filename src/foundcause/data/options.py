"""How to read a table: one object that ``discover``, the estimator, the command line and the page share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from foundcause.data.names import names_given
from foundcause.data.screen import Policies, Policy
from foundcause.errors import ConfigError

MAX_ROWS = 20_000


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table.

    Parameters
    ----------
    separator : str or None
        Separator of a text file. None guesses it.
    header : bool or None
        Whether the first row of a text file names the columns. None guesses it.
    names : sequence of str or None
        Column names, for arrays and files without a header.
    drop : sequence of str
        Columns to leave out.
    nominal : sequence of str
        Columns whose numbers are codes of categories without an order, such as zip codes.
    constant, empty, identifier, duplicate : {"isolate", "drop", "error", "keep"}
        What to do with such columns. ``isolate`` keeps them without edges, ``drop`` leaves them out, ``error`` refuses
        the table. ``keep`` uses an identifier or a duplicate like any other column.
    max_rows : int
        Larger tables are sampled without replacement.
    random_state : int or None
        Seed of that sample. None takes the one of ``discover``, or 0.
    """

    separator: str | None = None
    header: bool | None = None
    names: Sequence[str] | None = None
    drop: Sequence[str] = ()
    nominal: Sequence[str] = ()
    constant: Policy = "isolate"
    empty: Policy = "isolate"
    identifier: Policy = "isolate"
    duplicate: Policy = "keep"
    max_rows: int = MAX_ROWS
    random_state: int | None = None

    def __post_init__(self) -> None:
        for option in ("drop", "nominal"):
            object.__setattr__(self, option, tuple(names_given(getattr(self, option))))
        if self.names is not None:
            object.__setattr__(self, "names", tuple(self.names))
        if isinstance(self.max_rows, np.integer):
            object.__setattr__(self, "max_rows", int(self.max_rows))
        Policies(constant=self.constant, empty=self.empty, identifier=self.identifier, duplicate=self.duplicate)

    @classmethod
    def of(cls, options: ReadOptions | Mapping[str, Any] | None = None, **overrides: Any) -> ReadOptions:
        """Return the options that a user passes: an object, a dictionary or None, with some of them replaced."""
        known = [field.name for field in fields(cls)]
        for given in (options, overrides):
            if unknown := [key for key in given or () if key not in known] if isinstance(given, Mapping) else []:
                raise ConfigError(f"there is no reading option {unknown[0]!r}; the options are {', '.join(known)}")
        if isinstance(options, cls):
            return replace(options, **overrides)
        if options is None or isinstance(options, Mapping):
            return cls(**{**(options or {}), **overrides})
        raise ConfigError(f"read={options!r} is not ReadOptions; give ReadOptions(...) or a dictionary of options")

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; ``ReadOptions.of`` reads them back."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
