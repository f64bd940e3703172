"""What a model says to the questions of a family."""

from __future__ import annotations

import numpy as np

from discreet.families.domain import CellSource, DenseTable
from discreet.families.family import Family, Vector
from discreet.families.parities import Parities, list_bits
from discreet.synthetic.fit.dense import DenseFit
from discreet.synthetic.fit.quotient import QuotientFit
from discreet.synthetic.fitting import FittedModel


def estimate_groups(model: FittedModel, family: Family) -> list[Vector]:
    """Return the expected answers of every group."""
    if isinstance(model, QuotientFit) and isinstance(family, Parities):
        sets = [list_bits(mask) for mask in family.masks]
        lines = np.full((len(sets), max(map(len, sets), default=0) or 1), -1, dtype=np.int64)
        for place, columns in enumerate(sets):
            lines[place, : len(columns)] = columns
        return list(model.answer_sets(lines).reshape(-1, 1))
    return family.answer_all(list_cells(model))


def list_cells(model: FittedModel) -> CellSource:
    """Return a model as a source of counts: of a dense one the whole table, which many sets share passes over."""
    return DenseTable(model.domain, model.shares * model.report.total) if isinstance(model, DenseFit) else model
