"""The documentation page of the statistics: ``python -m foundcause.features.statistics_page > docs/statistics.md``."""

from __future__ import annotations

from foundcause.features.registry import BUILT_IN, feature_set, markdown_table

_HEAD = """# Pairwise statistics

This page is generated. Run `python -m foundcause.features.statistics_page > docs/statistics.md`.

A statistic is a number for every ordered pair of columns (i, j), where i is the possible cause. A symmetric statistic
is the same for (j, i). An antisymmetric one changes its sign. A directed one has a partner, which holds its value for
(j, i). Every statistic is limited to [-8, 8], and it is 0 for pairs that share fewer than 3 rows.

    from foundcause.features import compute, feature_set

    compute(values, observed, features="extended+sparsest")   # (columns, columns, features)
    compute(values, observed, features=["copula", "order1_min_z"])
    feature_set("extended").names

The shipped network reads `extended`, `peeled`, `sparsest` and `lagged`. Its header names these features, so that a new
statistic changes nothing for it.

## Add a statistic

Write one function and register it. A network that you train on a set with your statistic reads it.

    from foundcause.features import Statistic, register

    @register("mine", Statistic("sign_agreement", "symmetric", "dependence", "mean of sign(g_i) sign(g_j)"))
    def sign_agreement(table):
        signs = table.columns.g.sign()
        return {"sign_agreement": signs.T @ signs / table.columns.joint}

    compute(values, features="mine")

The kinds are `symmetric`, `antisymmetric`, `directed` (matrices), `marginal` (one number per column) and `size` (one
number per table). `table.columns` holds the standardized columns, and `table.get(function)` shares intermediate results
between statistics.

## Speed

The slowest loops are compiled with numba (`foundcause.features.kernels`). Training always uses them. Other calls use
them for tables of at least 24 columns, because loading them takes half a second. Their first use on a machine compiles
them, which takes 10 to 20 seconds, and the result is cached. `compute(..., compiled=False)` and Python versions without
numba use torch instead. Values differ in the last digits.

## Notation

- N rows, D columns, and n_ij rows in which both columns are observed
- x: values, winsorized at eight times the interquartile range over 1.349 around the median, with mean 0 and variance 1
- r: average ranks, and g: their normal scores, both standardized
- z: a z-value, written as asinh(z / 4)
- e_ij: the residual of j after a regression on i

## Missing cells

By default a pair is judged by the rows in which both columns are observed. With `fill_seed` gaps are filled first. Each
gap takes the value of a donor, one of the five observed rows whose predicted value is nearest. The prediction is a
ridge regression on the normal scores of all other columns. Statistics about missing cells describe the table with its
gaps. The shipped network fills gaps in three of four passes, each time from other donors.
"""

_ABOUT = {
    "release": """
## `release`

The paper's 45 statistics exactly as the released network computes them, defects included. Official weights need them.
The random frequencies w and phases b belong to those weights and are passed as `constants`.
These statistics depend on things that they should not depend on: the scale of columns (entropy_difference,
local_r2_variance, variance_variation), the order of tied rows, padding (precision_spread, size_ratio) and the fill
value of missing cells (range_share). The igci features are 0 for columns with two missing cells.
""",
    "paper": """
## `paper`

The same 45 statistics with these defects corrected. The presets `BASE` and `TINY` read them.

- Values are winsorized at ten times 1.4826 mean absolute deviations around the mean.
- Shifting, rescaling or permuting columns, permuting rows, padding and batching change nothing.
- Rows without any observed cell are dropped. Columns with fewer than three observed cells, or without variation, give 0
  except in precision_spread, size_ratio and joint_share.
- Ties share average ranks. The igci features step between distinct values. xi orders tied rows by a seeded hash of
  their ranks and uses Chatterjee's formula for ties.
- The correlation matrix is inverted with eigenvalues of at least 0.01. Means are taken in float64.
- The kernel regression uses at most 256 rows (`kernel_rows`), chosen by the same hash.
- residual_dependence has 16 frequencies, drawn once with numpy's `RandomState(20250)`.
""",
    "extended": """
## `extended`

Statistics of discrete columns, small samples and third variables. Regressions within pairs (noise, cubic, line, curve
and deviation) cost the most, so they read samples of rows. All pairs are judged by 250,000 / D^2 rows, at least 200 and
at most 5,000. Pairs of which one column is among the six strongest of the other (by block_order1_z) are judged by up to
600,000 rows divided by the number of such pairs. Everything else reads up to 10,000 rows.
""",
    "peeled": """
## `peeled`

The topological order by residuals, as in DirectLiNGAM. Columns are taken out of the table one after the other, sources
first, and each is regressed out of all that remain. The statistics describe what a pair showed when its first column
was taken out, where both stand in the order, and how well the columns before it explain a column. They are decisive for
linear tables with non-Gaussian noise.

H is Hyvarinen's approximation of entropy, and e is the residual of a column given all before it. R rows are read:
18,000,000 / D^3, at least 200, at most 1,500. Regressions read up to 10,000. Of more than 24 columns one in twelve is
taken out at a time. Copies count as one column. Columns that the others determine come last.
""",
    "sparsest": """
## `sparsest`

The sparsest order. In an order with causes first, a regression of a column on all columns before it needs its causes
alone. In other orders it needs more. A pair costs t^2 / 2, but at most ln(N) / 2 + 2, and columns are moved while that
lowers the sum. The search starts with the columns that the others explain least. The statistics describe where a pair
stands in the order, what a turn would cost, and what the earlier column adds. They are decisive for dense linear
graphs, whatever the noise.
""",
    "lagged": """
## `lagged`

What the order of the rows of a time series says. These features are 0 for other tables. Every column is regressed on
its own two rows before, or on all columns one row before. The residuals are its innovations. Unrelated columns have
unrelated innovations, however far both drift. A column leads another if its past predicts the other beyond that one's
own past. Features belong to the whole table (the latest 10,000 rows, as normal scores, gaps interpolated) and are the
same in every pass. z is atanh(r) sqrt(rows - 3), written as asinh(z / 4).
""",
}


def page() -> str:
    """Write the whole page in markdown."""
    parts = [_HEAD]
    for name in BUILT_IN:
        features = feature_set(name).features
        parts += [_ABOUT[name], f"\n{len(features)} features.\n\n", markdown_table(features)]
    return "".join(parts)


if __name__ == "__main__":
    print(page(), end="")
