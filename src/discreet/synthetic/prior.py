"""Public priors: a table that anybody may see says where a model starts, and where it stays if nothing speaks against.

A prior is public, so it costs nothing, and a wrong one only makes a model worse: readings outweigh it, the more the
further they disagree (`fit/kappa.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.base.errors import ParameterError
from discreet.families.domain import CellTable, RowTable
from discreet.query.placed_columns import PlacedColumn
from discreet.query.placing import locate_values, take_table
from discreet.synthetic.fitting import MOST_DENSE
from discreet.synthetic.model import SyntheticModel
from discreet.synthetic.workload import find_domain


def read_prior(columns: Sequence[PlacedColumn], given: Any) -> CellTable:
    """Return weights of all cells, or refuse what does not have these columns.

    It is made from an Arrow table or a pandas frame of public rows, or from a model of the same columns; and from one
    row more that is spread over all cells, so that none is thought impossible.
    """
    domain = find_domain(columns)
    if domain.cells > MOST_DENSE:
        allowed = f"left out, or give fewer columns or wider bins: {domain.cells:,} cells are more than {MOST_DENSE:,}"
        raise ParameterError("prior", domain.sizes, allowed)
    if isinstance(given, SyntheticModel):
        if given.transcript.columns != tuple(columns):
            told = [column.name for column in given.transcript.columns]
            raise ParameterError("prior", told, "a model of the same columns with the same values and bins")
        counts = given.fit.project(domain.columns)
    else:
        table = take_table("prior", given, " or a SyntheticModel")
        counts = RowTable(domain, tuple(_locate(column, table) for column in columns)).project(domain.columns)
    return np.asarray((counts + 1 / domain.cells) / (counts.sum() + 1))


def _locate(column: PlacedColumn, table: pa.Table) -> Any:
    """Return the place of each row's value."""
    if column.name not in table.column_names:
        raise ParameterError("prior", table.column_names, f"a table with the column {column.name}")
    try:
        return locate_values(column, table[column.name])
    except pa.ArrowException:
        held = table[column.name].type
        raise ParameterError("prior", str(held), f"for {column.name} values of type {column.type.value}") from None
