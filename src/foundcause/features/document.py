"""The documentation page of the statistics, written from the registry."""

from __future__ import annotations

from foundcause.features import FAMILIES, family
from foundcause.features.registry import markdown_table

_HEAD = """# Pairwise statistics

This page is generated: `python -m foundcause.features > docs/statistics.md`.

A statistic is a number for every ordered pair of columns (i, j) of a table, i being the putative cause.
`symmetric` ones have the same value for (j, i), `antisymmetric` ones the opposite, and `directed` ones that of
their partner. `foundcause.features.compute(values, observed, features="paper")` returns them as a tensor
(tasks, variables, variables, features); the sets below can be joined as in `"paper+extended"`, and single
features picked with `features=selection(["paper.pearson", "copula"])`.

Notation: x is a column winsorised and standardised over its observed cells (`paper`: at ten times 1.4826 mean
absolute deviations around the mean; `extended`: at eight times the interquartile range over 1.349 around the
median, or the mean deviation where half of the values are equal); n_ij is the number of rows in which both
columns are observed; r is Pearson's correlation and Omega the inverse of its shrunken matrix; e_ij is the residual
of j after a leave-one-out kernel regression on i.

Missing cells: by default every pair is judged by the rows in which both are observed. With `fill_seed=0` (or any
other number) gaps are filled first: each takes the value of a donor, one of the five observed rows whose predicted
value (ridge regression on the normal scores of all other columns) is nearest, chosen by the seed. Features that
say how much is missing keep telling the truth. Rows without any observed cell are left out by `paper`; `extended`
counts them as rows (log_rows, shares of missing cells). The shipped network reads both, filled in all but every
fourth pass, each time from other donors: filled tables miss what the regression misses, joint rows are biased where
gaps depend on other columns, and the average is better than either.
"""

_ABOUT = {
    "release": """
## `release`

The 45 features exactly as the released model computes them, defects included; official weights need them so.
The random frequencies w and phases b belong to those weights and are passed as `constants`. They see the scale
of columns (entropy_difference, local_r2_variance, variance_variation), the order of rows where values tie,
padding (precision_spread, size_ratio), the fill value of missing cells (range_share), and lose igci_* for
columns with two missing cells.
""",
    "paper": """
## `paper`

The same 45 features, mended: what networks of the paper's design read when they are trained here (presets `BASE` and
`TINY`). The shipped network reads `extended`, `peeled`, `sparsest` and `lagged`.

- Shifting, rescaling by a positive factor or permuting columns, permuting rows, padding and batching change
  nothing.
- Rows without any observed cell are dropped. Columns with fewer than three observed cells, or that are constant
  up to rounding, give 0 everywhere except in precision_spread, size_ratio and joint_share.
- Moments, regressions and dependences are taken over the rows that a pair shares; with fewer than three such
  rows, or without variation on them, the pair's features are 0. Ranks are those among all observed cells of a
  column.
- Ties share average ranks. Along a tied cause, igci_* step between distinct values, at the mean rank of the
  effect; xi places tied rows by a seeded hash of their ranks, never by their position, and uses Chatterjee's
  formula for tied effects.
- The correlation matrix is inverted with eigenvalues of at least 0.01, and means are taken in float64.
- The kernel block uses at most 256 rows (`kernel_rows`), chosen by the same hash: its bandwidth is a median
  distance and does not shrink with N, so that more rows only average more. It standardises its columns on those
  rows again.
- residual_dependence has 16 frequencies drawn once (numpy `RandomState(20250)`), and is scaled to be of order
  one. Kurtosis products and differences pass through sign(a) ln(1 + abs(a)). Residuals of pure rounding noise
  have no shape (0).
""",
    "extended": """
## `extended`

Further features that say more about discrete columns, small samples and third variables.

Regressions within pairs (noise_*, cubic_*, line_*, curve_*, deviation_*) cost the most, so not all rows are read for
all pairs (`statistics/looks.py`): all pairs are judged by 250,000 / D^2 rows, at least 200 and at most 5,000; then
pairs of which one column is among the six strongest of the other (block_order1_z) by up to 600,000 divided by their
number. Everything else reads all rows, up to 10,000.
""",
    "peeled": """
## `peeled`

A pair of a linear table tells its direction only if no third column causes both. Columns are therefore taken out of the
table one after the other, sources first, each regressed out of all that are left (DirectLiNGAM): the features say what
a pair told when the first of the two was taken out, where both stand in the order, what a regression on all columns
before it makes of a column, and how far the whole account can be believed. They are decisive where laws are linear and
noise is not Gaussian, and nearly idle elsewhere.

H is Hyvarinen's approximation of entropy; e is the residual of a column given all before it; R rows are read
(18,000,000 / D^3, at least 200, at most 1,500), by regressions up to 10,000. Of more than 24 columns one in twelve is
taken out at a time. Copies of a column are one column; columns of which the others leave nothing come last, side by
side.
""",
    "sparsest": """
## `sparsest`

In an order in which causes come first, a regression of a column on all columns before it needs its causes alone; in
another it needs more. The order in which the least is needed is searched for, from the one that has the columns first
of which the others explain least: a pair costs t^2 / 2, but at most ln(N) / 2 + 2, and columns are moved while that
makes the sum less (`statistics/sparsest.py`). The features say where a pair stands in the order, what a turn would
cost, and what the earlier column adds to all before the later one. They are decisive where laws are linear and graphs
dense, whatever the noise: scores of small sets of causes see little there.
""",
    "lagged": """
## `lagged`

What the order of the rows tells of a series, a table worth fewer independent rows than it has
(`foundcause.features.series`); 0 in all other tables. Every column is regressed on its own two rows before, or on all
columns one row before; what is left are its news. Unrelated columns have unrelated news, however long both drift, and
all rows of news count. Columns whose past helps to foretell another beyond that one's own past lead it. These are
statistics of the whole table in its order (the latest 10,000 rows, as normal scores; gaps bridged by straight lines),
the same in every pass; z is atanh(r) sqrt(rows - 3), written asinh(z / 4).
""",
    "sketch": """
## `sketch`

The joint distribution of a pair as a small picture: an 8 x 8 histogram of ranks, for networks that learn their own
bivariate features. Not part of the shipped network.
""",
}


def document() -> str:
    """The whole page in markdown."""
    parts = [_HEAD]
    for name in FAMILIES:
        features = family(name).features
        parts += [_ABOUT[name], f"\n{len(features)} features.\n\n", markdown_table(features)]
    return "".join(parts)
