"""Which of many candidates are there at all: p-values, and two ways to be seldom wrong."""

from __future__ import annotations

import math

import numpy as np

from discreet.base import check
from discreet.base.grid import Floats
from discreet.base.later import Later
from discreet.local.oracles.oracle import Bools

special = Later("scipy.special")

CONTROLS = ("bonferroni", "fdr")


def find_p_values(raw: Floats, errors: Floats, freedom: float = math.inf) -> Floats:
    """Return how likely an estimate this high would be for a candidate that nobody has: by Student's t.

    Its degrees of freedom are infinite, which is the normal law, where standard errors are known and not estimated.
    """
    strengths = raw / errors
    found = special.ndtr(-strengths) if math.isinf(freedom) else special.stdtr(freedom, -strengths)
    return np.asarray(found, dtype=np.float64)


def find_freedom(misfit: float, rows: int) -> float:
    """Return the degrees of freedom of standard errors of which a part is known (Satterthwaite 1946).

    The noise is known. What unlisted texts add to it, misfit - 1 in parts of it, is seen in a candidate's rows only.
    """
    return max(1, rows - 1) * (misfit / (misfit - 1)) ** 2 if misfit > 1 else math.inf


def find_significant(p_values: Floats, level: float = 0.05, control: str = "bonferroni") -> Bools:
    """Say which candidates are significant.

    "bonferroni": the chance that any absent candidate is among them is at most the level, however they depend.
    "fdr": of those named, the absent are expected to be at most that share (Benjamini, Hochberg 1995; for p-values
    that are independent or positively dependent, Benjamini, Yekutieli 2001).
    """
    check.real("level", level, above=0, below=1)
    count = len(p_values)
    if check.choice("control", control, CONTROLS) == "bonferroni":
        return p_values <= level / count
    ordered = np.sort(p_values)
    fits = np.flatnonzero(ordered <= level * np.arange(1, count + 1) / count)
    return p_values <= ordered[fits[-1]] if len(fits) else np.zeros(count, dtype=bool)


def find_quantile(confidence: float, items: int = 1) -> float:
    """Return how many standard errors hold a value on both sides, or all of several values at once (Bonferroni)."""
    return float(-special.ndtri((1 - confidence) / (2 * items)))
