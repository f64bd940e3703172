"""What a synthetic table must beat at least: plain noise on all cells, a tree of counts, and independent columns.

All of them take the exact total as public and hide one replaced row, as the reference does: a partition's counts then
move by 2 in L1 and by the root of 2 in L2. Noise is numpy's, floating point: errors are measured here, nobody is
protected.
"""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from synthetic_data import Numbers, Rows

FAN_OUT = 10


def project(values: Numbers, total: float) -> Numbers:
    """Return the table nearest to these values (in L2) among those with no negative cell and this total."""
    ordered = -np.sort(-values, axis=None)
    steps = (np.cumsum(ordered) - total) / np.arange(1, values.size + 1)
    nearest: Numbers = np.maximum(values - steps[np.flatnonzero(ordered > steps)[-1]], 0.0)
    return nearest


def make_histogram(counts: Numbers, epsilon: float, random: np.random.Generator) -> Numbers:
    """Return noisy counts of all cells, projected."""
    return project(counts + random.laplace(0.0, 2.0 / epsilon, counts.shape), float(counts.sum()))


def make_tree(counts: Numbers, epsilon: float, random: np.random.Generator, fan_out: int = FAN_OUT) -> Numbers:
    """Return the cells of a tree of noisy counts made consistent (Hay and others 2010), projected.

    On every axis at once, a node has `fan_out` children, the last ones fewer; every level below the exact root gets the
    same noise. Consistent means least squares: going up, a node's own count and its children's sum are weighed by their
    variances; going down, what is left between a node and its children is shared among them by theirs.
    """
    levels = max(1, max(math.ceil(round(math.log(size, fan_out), 9)) for size in counts.shape))
    scale = 2.0 * levels / epsilon
    widths = [fan_out ** (levels - level) for level in range(1, levels + 1)]
    exact = [_merge(counts, width) for width in widths]
    best = [level + random.laplace(0.0, scale, level.shape) for level in exact]
    variances = [np.full(level.shape, 2.0 * scale**2) for level in exact]
    for level in reversed(range(levels - 1)):
        sums, spread = _merge(best[level + 1], fan_out), _merge(variances[level + 1], fan_out)
        weight = spread / (spread + variances[level])
        best[level] = weight * best[level] + (1.0 - weight) * sums
        variances[level] = weight * variances[level]
    above = np.full((1,) * counts.ndim, float(counts.sum()))
    for level in range(levels):
        width = fan_out if level else max(counts.shape)
        left = (above - _merge(best[level], width)) / _merge(variances[level], width)
        best[level] = best[level] + variances[level] * _repeat(left, width, best[level].shape)
        above = best[level]
    return project(above, float(counts.sum()))


def make_independent(marginals: list[Numbers], epsilon: float, random: np.random.Generator) -> list[Numbers]:
    """Return every column's noisy counts, projected, for an equal part of epsilon: columns taken as independent."""
    return [make_histogram(marginal, epsilon / len(marginals), random) for marginal in marginals]


def make_gaussian(marginals: list[Numbers], epsilon: float, delta: float, random: np.random.Generator) -> list[Numbers]:
    """Return the same with Gaussian noise, for (epsilon, delta) by way of zCDP."""
    rho = (math.sqrt(math.log(1.0 / delta) + epsilon) - math.sqrt(math.log(1.0 / delta))) ** 2
    sigma = math.sqrt(len(marginals) / rho)
    return [
        project(marginal + random.normal(0.0, sigma, marginal.shape), float(marginal.sum())) for marginal in marginals
    ]


def list_marginals(data: Numbers | Rows) -> list[Numbers]:
    """Return the exact counts of each column."""
    if isinstance(data, Rows):
        return [data.project((column,)) for column in range(len(data.sizes))]
    return [data.sum(axis=tuple(set(range(data.ndim)) - {axis})) for axis in range(data.ndim)]


def multiply(marginals: list[Numbers]) -> Numbers:
    """Return the table of independent columns, with the total of the first."""
    total = float(marginals[0].sum())
    return total * reduce(np.multiply.outer, [marginal / total for marginal in marginals])


def _merge(table: Numbers, width: int) -> Numbers:
    """Return the sums of blocks with this many cells on each axis."""
    for axis, size in enumerate(table.shape):
        table = np.add.reduceat(table, np.arange(0, size, width), axis=axis)
    return table


def _repeat(table: Numbers, width: int, shape: tuple[int, ...]) -> Numbers:
    """Return every block's number in each of its cells."""
    return table[np.ix_(*(np.arange(size) // width for size in shape))]


def check() -> None:
    """Raise where the tree is not the least squares of its own counts, or a projection leaves the simplex."""
    random = np.random.default_rng(0)
    counts = random.integers(50, 99, (7, 11))
    found = make_tree(counts, 1e3, random, fan_out=3)
    assert found.shape == counts.shape
    assert math.isclose(float(found.sum()), float(counts.sum()))
    assert np.abs(found - counts).max() < 1.0
    state = np.random.default_rng(1)
    levels = [_merge(counts, width) for width in (9, 3, 1)]
    noisy = [level + state.laplace(0.0, 6.0, level.shape) for level in levels]
    cells = np.eye(counts.size).reshape(counts.size, *counts.shape)
    lines = np.concatenate([np.stack([_merge(cell, width).ravel() for cell in cells], 1) for width in (9, 3, 1)])
    lines = np.concatenate([lines, np.full((1, counts.size), 1e6)])
    truths = np.concatenate([*(level.ravel() for level in noisy), [1e6 * counts.sum()]])
    best = np.linalg.lstsq(lines, truths, rcond=None)[0].reshape(counts.shape)
    tree = make_tree(counts, 1.0, np.random.default_rng(1), fan_out=3)
    np.testing.assert_allclose(tree, project(best, float(counts.sum())), atol=1e-3)
    np.testing.assert_allclose(project(np.array([3.0, 1.0, -2.0]), 3.0), [2.5, 0.5, 0.0])
