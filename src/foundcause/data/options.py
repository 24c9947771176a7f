"""``ReadOptions``: everything a user can say about reading a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from foundcause.data.names import names_given
from foundcause.errors import ConfigError, InputError

Policy = Literal["exclude", "drop", "error", "keep"]
POLICIES: tuple[Policy, ...] = ("exclude", "drop", "error")
KEEPABLE = ("identifier", "duplicate")
"""Judgements that the user may overrule with the policy ``keep``."""


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How to read a table. ``discover``, the estimator, the command line and the page share it.

    Parameters
    ----------
    separator : str or None
        What stands between the cells of a text file: one character, or ``whitespace``. None guesses.
    header : bool or None
        Whether the first row of a text file names the columns. None guesses.
    names : sequence of str or None
        Column names, for arrays and files without a header.
    drop : sequence of str
        Columns to leave out.
    nominal : sequence of str
        Columns whose cells are codes of categories without an order, such as zip codes.
    constant, empty : {"exclude", "drop", "error"}
        What happens to a column with one value, or with fewer than three observed cells. ``exclude`` keeps it in the
        answer without edges.
    identifier, duplicate : {"exclude", "drop", "error", "keep"}
        What happens to a column that names or counts the rows, or copies another one. ``keep`` uses it.
    index : bool
        Whether the named index of a DataFrame is a column like the others.
    sql : str or None
        The query to run on a SQLite file or connection.
    max_rows : int
        Larger tables are sampled while reading.
    random_state : int or None
        Seed of that sample. None takes the one of ``discover``, or 0.
    """

    separator: str | None = None
    header: bool | None = None
    names: Sequence[str] | None = None
    drop: Sequence[str] = ()
    nominal: Sequence[str] = ()
    constant: Policy = "exclude"
    empty: Policy = "exclude"
    identifier: Policy = "exclude"
    duplicate: Policy = "keep"
    index: bool = False
    sql: str | None = None
    max_rows: int = 20_000
    random_state: int | None = None

    def __post_init__(self) -> None:
        for option in ("drop", "nominal"):
            object.__setattr__(self, option, tuple(names_given(getattr(self, option))))
        if self.names is not None:
            if isinstance(self.names, str) or not isinstance(self.names, Iterable):
                raise ConfigError(f"names={self.names!r} must be a list with a name for each column")
            object.__setattr__(self, "names", tuple(self.names))
        for case in ("constant", "empty", "identifier", "duplicate"):
            choices = (*POLICIES, "keep") if case in KEEPABLE else POLICIES
            if getattr(self, case) not in choices:
                raise ConfigError(f"{case}={getattr(self, case)!r} is unknown. Choose {', '.join(choices)}")
        for option, least in (("max_rows", 1), ("random_state", 0)):
            number = getattr(self, option)
            if option == "random_state" and number is None:
                continue
            if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
                raise InputError(f"{option}={number!r} must be a whole number of at least {least}")
            object.__setattr__(self, option, int(number))

    @classmethod
    def of(cls, options: ReadOptions | Mapping[str, Any] | None = None, **overrides: Any) -> ReadOptions:
        """Return the options that a user passes, an object, a mapping or None, with some of them replaced."""
        known = {field.name for field in dataclasses.fields(cls)}
        if not (options is None or isinstance(options, cls | Mapping)):
            raise ConfigError(f"{options!r} is not ReadOptions. Give ReadOptions(...) or a dictionary of options")
        given = options if isinstance(options, Mapping) else {}
        if unknown := [name for name in (*given, *overrides) if name not in known]:
            raise ConfigError(f"{unknown[0]!r} is not a reading option. Choose one of {', '.join(sorted(known))}")
        if isinstance(options, cls):
            return dataclasses.replace(options, **overrides)
        return cls(**{**given, **overrides})

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values. ``ReadOptions.of`` reads them back."""
        values = dataclasses.asdict(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values}
