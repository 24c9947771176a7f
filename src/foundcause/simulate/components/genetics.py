"""Genotypes, transcripts and traits: Mendel's draws, dosage effects, liabilities. N rows (families), V nodes.

Held out of training, to choose thresholds. Causes at the top are genotypes with three values, a child's genotype is one
draw from each parent, effects follow dosage in ways that are not linear, and diseases are liabilities over a threshold.
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import connect_isolated, parent_counts, pick_parents
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

DOSAGE = {
    "additive": (-1.0, 0.0, 1.0),
    "dominant": (-1.0, 0.7, 0.7),
    "recessive": (-0.6, -0.6, 1.5),
    "hybrid": (-1, 1, -1),
}
LAYERS = ("founder", "child", "exposure", "transcript", "trait", "disease")


@field_component("genetics", role="thresholds")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Families with ``variables`` observed columns: genotypes of parents and children, transcripts and traits."""
    layer = np.sort(rng.choice(len(LAYERS), size=variables, p=rng.dirichlet([4.0, 3.0, 2.0, 8.0, 6.0, 3.0])))
    layer[0] = 0
    graph = _pedigree(rng, layer)
    builder = Builder(rows)
    ancestry = rng.random(rows) < rng.uniform(0.2, 0.8)
    stratified = variables >= 4 and rng.random() < 0.25
    if stratified:
        builder.add(ancestry.astype(float), [], hidden=True)
    clarity = rng.uniform(0.25, 0.8)
    felt: list[np.ndarray] = []
    for node in range(variables):
        causes = np.flatnonzero(graph[:, node])
        parents = (causes + stratified).tolist()
        kind = LAYERS[layer[node]] if len(causes) or layer[node] < 2 else "exposure"
        if kind in ("founder", "child") and not len(causes):
            frequency = np.full(rows, rng.uniform(0.15, 0.6))
            if stratified and rng.random() < 0.5:
                frequency = np.where(ancestry, frequency, np.clip(frequency + rng.uniform(0.15, 0.35), 0.0, 0.9))
                parents.append(0)
            column = rng.binomial(2, frequency).astype(float)
        elif kind == "child":
            column = _inherited(rng, [builder.column(k) for k in parents])
        else:
            column = _expressed(rng, kind, [felt[k] for k in causes], rows, clarity)
        column = _alive(rng, column)
        felt.append(_dosage(rng, column) if layer[node] < 2 else _centered(np.arcsinh(column)))
        builder.add(column, parents, discrete=kind in ("founder", "child", "disease"))
    return builder.scene(stratified=stratified, clarity=round(float(clarity), 3))


def _pedigree(rng: np.random.Generator, layer: np.ndarray) -> np.ndarray:
    """(V, V) bool: children have at most two founders, transcripts and traits have causes in earlier layers."""
    nodes = len(layer)
    counts = parent_counts(rng, nodes=nodes, edges_per_node=rng.uniform(1.2, 2.2), most_parents=5, roots=0.05)
    founders = int((layer == 0).sum())
    counts = np.where(layer == 1, min(2, founders), np.where(np.isin(layer, (0, 2)), 0, np.maximum(counts, 1)))
    scores = rng.uniform(0.3, 1.2) * rng.standard_normal(nodes)[:, None] - 0.5 * np.abs(layer[None, :] - layer[:, None])
    scores[:, layer == 1] = np.where((layer == 0)[:, None], 0.0, -np.inf)
    graph = pick_parents(rng, scores, counts)
    isolated_nodes = (layer >= 3) & ~graph.any(axis=0) & ~graph.any(axis=1)
    return connect_isolated(rng, graph, keep=1.0) if not isolated_nodes.any() else graph


def _inherited(rng: np.random.Generator, parents: list[np.ndarray]) -> np.ndarray:
    """A child's genotype: one allele of each parent, an unknown one where a parent is not in the table."""
    alleles = [rng.random(len(parent)) < parent / 2.0 for parent in parents]
    alleles += [rng.random(len(parents[0])) < 0.35] * (2 - len(alleles))
    return np.sum(alleles, axis=0).astype(float)


def _dosage(rng: np.random.Generator, genotype: np.ndarray) -> np.ndarray:
    """What effects feel of a genotype."""
    name = str(rng.choice(list(DOSAGE), p=[0.5, 0.25, 0.2, 0.05]))
    return _centered(np.array(DOSAGE[name])[np.clip(genotype, 0, 2).astype(int)])


def _expressed(rng: np.random.Generator, kind: str, causes: list[np.ndarray], rows: int, clarity: float) -> np.ndarray:
    """A transcript, a trait, a disease, or an exposure without causes."""
    if not causes:
        return rng.gamma(rng.uniform(1.0, 6.0), size=rows) * np.exp(rng.uniform(0.0, 3.0))
    signs = rng.choice([-1.0, 1.0], len(causes))
    liability = sum(sign * rng.uniform(0.6, 1.4) * cause for sign, cause in zip(signs, causes, strict=True))
    if len(causes) > 1 and rng.random() < 0.4:  # one cause works only where another is present
        liability = liability + rng.uniform(0.5, 1.0) * causes[0] * (causes[1] > 0.0)
    share = np.clip(clarity + 0.15 * rng.standard_normal(), 0.1, 0.95)
    latent = np.sqrt(share) * _centered(np.asarray(liability)) + np.sqrt(1.0 - share) * rng.standard_normal(rows)
    if kind == "disease":
        return (latent > np.quantile(latent, rng.uniform(0.5, 0.9))).astype(float)
    if kind == "transcript":
        depth = np.exp(rng.uniform(1.0, 5.0) + rng.uniform(0.4, 1.0) * latent)
        return rng.poisson(depth).astype(float) if rng.random() < 0.5 else depth
    return latent * np.exp(rng.uniform(0.0, 2.5)) + rng.uniform(0.0, 100.0)


def _alive(rng: np.random.Generator, column: np.ndarray) -> np.ndarray:
    """The column with two rows changed if it would be constant."""
    if np.ptp(column) == 0.0:
        column = column.copy()
        column[rng.choice(len(column), size=2, replace=False)] += 1.0
    return column


def _centered(column: np.ndarray) -> np.ndarray:
    return (column - column.mean()) / (column.std() + 1e-9)
