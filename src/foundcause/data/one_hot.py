"""Columns of 0 and 1 that exclude each other: one variable, spread over a column for each of its categories.

Shapes: N rows, K columns of 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

_JOIN = np.log(0.05)  # chance that an independent column never meets a group
_CERTAIN = np.log(1e-4)  # chance that any group of a table without such a variable looks like one
_COVERED, _COVERED_BY_TWO = 0.25, 0.5
_STEM = re.compile(r"[\W_]")


def one_hot_groups(values: np.ndarray, names: Sequence[str]) -> list[list[int]]:
    """Places of the columns of each such variable; values (N, D), NaN for missing.

    In no row two of them are 1, as good as never happens to independent columns that are 1 as often, and together they
    are 1 in a good part of the rows: for two columns, which may also exclude each other by nature, in most.
    """
    observed, ones = ~np.isnan(values), values == 1
    binary = np.flatnonzero((ones | (values == 0) | ~observed).all(axis=0) & ones.any(axis=0))
    if len(binary) < 2:
        return []
    ones, observed = ones[:, binary], observed[:, binary]
    chosen = ones.astype(np.float32)
    apart = chosen.T @ chosen == 0
    seen = chosen.T @ observed.astype(np.float32)  # [i, j]: rows in which i is 1 and j is observed
    rows = np.maximum(observed.sum(axis=0), 1)
    stems = [_STEM.split(names[k], maxsplit=1)[0].casefold() for k in binary.tolist()]
    groups: list[list[int]] = []
    chances: list[float] = []
    # Frequent ones first: they meet if they can, so that a rare column finds groups that are right.
    for k in np.argsort(-chosen.sum(axis=0), kind="stable").tolist():
        fitting = []
        for place, group in enumerate(groups):
            if apart[k, group].all():
                # Log of the chance that k misses all rows in which one of the group is 1, were it independent of them.
                taken = seen[group, k].sum() / rows[k]
                chance = float(seen[k, group].min() * np.log1p(-min(taken, 1 - 1e-6)))
                if chance < _JOIN:
                    # Where categories of two variables exclude each other, names may tell which belong together.
                    fitting.append((stems[k] != stems[group[0]], chance, place))
        if fitting:
            _, chance, place = min(fitting)
            groups[place].append(k)
            chances[place] += chance
        else:
            groups.append([k])
            chances.append(0.0)
    return sorted(
        binary[sorted(group)].tolist()
        for group, chance in zip(groups, chances, strict=True)
        if len(group) > 1
        and chance < _CERTAIN - len(group) * np.log(len(binary))  # so many groups could have been found by chance
        and ones[:, group].any(axis=1).mean() > (_COVERED if len(group) > 2 else _COVERED_BY_TWO)
    )
