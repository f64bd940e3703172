"""Hockey sticks between mixtures of Gaussians by plain numerical integration, apart from the source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Mixture = Sequence[tuple[float, float]]
"""(shift, weight) of each N(shift, 1)."""


def evaluate(mixture: Mixture, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the density at each x."""
    total = np.zeros_like(x)
    for shift, weight in mixture:
        total += weight * np.exp(-((x - shift) ** 2) / 2) / np.sqrt(2 * np.pi)
    return total


def integrate_stick(first: Mixture, second: Mixture, epsilon: float, points: int = 1 << 20) -> float:
    """Integrate (first - e^epsilon second)+ by midpoints."""
    x, width = _list_midpoints(first, second, points)
    return float(np.maximum(evaluate(first, x) - np.exp(epsilon) * evaluate(second, x), 0.0).sum() * width)


def integrate_two(first: Mixture, second: Mixture, epsilon: float, points: int = 3000) -> float:
    """Integrate the same for two independent releases, over the plane."""
    x, width = _list_midpoints(first, second, points)
    p, q = evaluate(first, x), evaluate(second, x)
    return float(np.maximum(np.outer(p, p) - np.exp(epsilon) * np.outer(q, q), 0.0).sum() * width**2)


def integrate_moment(first: Mixture, second: Mixture, order: float, points: int = 1 << 18) -> float:
    """Return the Renyi divergence of this order."""
    x, width = _list_midpoints(first, second, points, reach=12.0 + 2 * order)
    logs = order * np.log(evaluate(first, x)) + (1 - order) * np.log(evaluate(second, x))
    return float((np.log(np.exp(logs - logs.max()).sum() * width) + logs.max()) / (order - 1))


def _list_midpoints(
    first: Mixture, second: Mixture, points: int, reach: float = 12.0
) -> tuple[NDArray[np.float64], float]:
    shifts = [shift for shift, _ in (*first, *second)]
    edges = np.linspace(min(shifts) - reach, max(shifts) + reach, points + 1)
    return (edges[1:] + edges[:-1]) / 2, float(edges[1] - edges[0])
