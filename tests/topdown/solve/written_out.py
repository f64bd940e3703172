"""Precisions written out as matrices: what all of their forms must agree with."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.base.grid import Floats
from discreet.base.wide import Ints
from discreet.topdown.solve.precision import Precision, restrict_precision
from discreet.topdown.spec.queries import Query, QueryPart
from topdown.solve.problems import ask, make_schema

SCHEMA = make_schema(5, 2, 3)
GROUPED = Query("grouped", SCHEMA, (QueryPart(0, (0, 1, 1, 2, 2)), QueryPart(2, (0, 1, 2))))
QUERIES = [ask(SCHEMA), ask(SCHEMA, 0), GROUPED, ask(SCHEMA, 1, 2), ask(SCHEMA, 0, 1, 2)]
CELLS = np.array([0, 3, 4, 7, 11, 12, 13, 20, 29])


def write_out(precision: Precision, children: int, cells: int) -> Floats:
    """Return all matrices, a column at a time."""
    columns = [precision.apply(np.tile(unit, (children, 1))) for unit in np.eye(cells)]
    return np.stack(columns, axis=2)


def check_parts(precision: Precision, matrices: Floats, cells: Ints) -> None:
    """Make sure that some cells of a precision are those of the matrices, and that no eigenvalue is above its bound."""
    part = restrict_precision(precision, cells, SCHEMA.cells)
    wanted = matrices[:, cells][:, :, cells]
    assert write_out(part, len(matrices), len(cells)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    for bound in (part.lipschitz, precision.lipschitz):
        assert np.all(bound >= np.linalg.eigvalsh(wanted)[:, -1] * (1 - 1e-9))
