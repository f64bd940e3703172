"""The model of some readings, in the form that their domain needs: a table of all cells, or a junction tree."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from discreet.families.domain import CellTable, ColumnSet, Domain
from discreet.families.parities import Parities
from discreet.synthetic.fit.dense import DenseFit, fit_dense
from discreet.synthetic.fit.graphical import GraphicalFit, fit_graphical
from discreet.synthetic.fit.junction import triangulate
from discreet.synthetic.fit.kappa import ask_kappa
from discreet.synthetic.fit.newton import TOLERANCE
from discreet.synthetic.fit.quotient import QuotientFit, fit_quotient
from discreet.synthetic.reading import Reading, Total

FittedModel = DenseFit | GraphicalFit | QuotientFit

MOST_DENSE = 1 << 17
"""Cells that are fitted as one table while there is a choice; junction trees take over beyond."""

MOST_TREE = 1 << 21
"""Cells of all cliques of a junction tree together, once everything is spent."""


def fit_readings(
    domain: Domain,
    readings: Sequence[Reading],
    total: Total,
    earlier: FittedModel | None = None,
    tolerance: float = TOLERANCE,
    rough: float = 0.0,
    prior: CellTable | None = None,
) -> FittedModel:
    """Return the model of all readings; one of all but the last is where the search begins.

    A tree's fit may end as soon as the root mean square of its residuals, in standard deviations, is below `rough`. A
    prior is for tables of all cells: it has a weight for each.
    """
    told = [each for each in readings if each.columns]
    kappa = None if earlier is None else earlier.report.kappa
    if isinstance(earlier, GraphicalFit):
        kappa = ask_kappa(earlier)
    if (
        domain.cells > MOST_DENSE
        and set(domain.sizes) == {2}
        and all(isinstance(each.family, Parities) for each in told)
    ):
        masks = [each.family.masks[0] for each in told if isinstance(each.family, Parities)]
        answers = np.array([float(each.answers[0]) for each in told])
        thetas = earlier.theta if isinstance(earlier, QuotientFit) else None
        variances = [each.variance for each in told]
        return fit_quotient(len(domain.sizes), masks, answers, variances, total.rows, kappa, thetas, tolerance)
    start = None if earlier is None or isinstance(earlier, QuotientFit) else earlier.theta
    measured = [each.measured for each in told]
    if domain.cells <= MOST_DENSE or any(each.columns == domain.columns for each in told):
        return fit_dense(domain, measured, total.rows, kappa, prior, start, tolerance)
    return fit_graphical(domain, measured, total.rows, kappa, start, tolerance, rough)


def fits_tree(domain: Domain, sets: Sequence[ColumnSet], share: float) -> bool:
    """Say whether a model of these column sets stays small: larger ones only as more of the allowance is spent."""
    if domain.cells <= MOST_DENSE:
        return True
    cliques = triangulate(domain, list(sets))
    return sum(math.prod(domain.find_shape(clique)) for clique in cliques) <= MOST_TREE * share
