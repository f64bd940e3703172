"""The places of values in a column: of those that a question names, and of a table that its owner holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.query.placed_columns import (
    ARROW,
    BinnedColumn,
    Condition,
    ListedColumn,
    ListedWhole,
    PlacedColumn,
    Places,
    to_number,
)


def choose_places(column: PlacedColumn, wanted: Any) -> list[int]:
    """Return the places that a question names: of a value, of a list of values, or of all bins between two edges.

    None is NULL. Where no value does, the words of `describe_places` name a place ("other", "[0, 10)").
    """
    if isinstance(column, BinnedColumn) and isinstance(wanted, tuple):
        return _choose_bins(column, wanted)
    several = isinstance(wanted, Iterable) and not isinstance(wanted, str)
    return sorted({_find_place(column, each) for each in (wanted if several else [wanted])})


def _find_place(column: PlacedColumn, value: Any) -> int:
    names = column.describe_places()
    if isinstance(column, Condition):
        if isinstance(value, bool):
            return int(value)
        raise ParameterError("where", value, f"for {column.name} True or False: where it is unknown, it does not hold")
    if value is None:
        return 0
    if isinstance(column, ListedColumn):
        same = [place for place, each in enumerate(column.values, 1) if each == value and type(each) is type(value)]
        if same:
            return same[0]
    if isinstance(column, ListedWhole) and isinstance(value, int) and column.lower <= value <= column.upper:
        return value - column.lower + 1
    if isinstance(value, str) and value in names:
        return names.index(value)
    raise ParameterError("where", value, f"for {column.name} one of {_shorten(names)}")


def _choose_bins(column: BinnedColumn, ends: tuple[Any, ...]) -> list[int]:
    """Return the bins between two edges: a question cannot cut through a bin."""
    edges = [to_number(edge) for edge in column.edges]
    try:
        low, high = (edges.index(to_number(end)) for end in ends)
    except (ValueError, TypeError):
        shown = column.describe_places()[1:]
        raise ParameterError("where", ends, f"two edges of {column.name}'s bins: {_shorten(shown)}") from None
    return list(range(low + 1, high + 1))


def locate_values(column: PlacedColumn, values: pa.Array | pa.ChunkedArray) -> Places:
    """Return the place of every value of an Arrow column, as `write_place` has it in SQL."""
    held = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if isinstance(column, Condition):
        if not pa.types.is_boolean(held.type):
            raise ParameterError("table", str(held.type), f"one with a true or false in {column.name}")
        return np.asarray(held.fill_null(False)).astype(np.int64)
    if isinstance(column, ListedColumn):
        return _locate_listed(column, held)
    if isinstance(column, ListedWhole):
        clipped = pc.min_element_wise(pc.max_element_wise(held, column.lower), column.upper)
        shifted = pc.subtract(clipped.cast(pa.int64()), column.lower - 1)
        return np.asarray(pc.if_else(pc.is_null(held), 0, shifted)).astype(np.int64)
    assert isinstance(column, BinnedColumn)
    inner = np.array([float(to_number(edge)) for edge in column.edges[1:-1]])
    numbers = _read_numbers(column, held)
    places = np.searchsorted(inner, numbers, side="right") + 1
    return np.where(np.isnan(numbers), 0, places)


def _locate_listed(column: ListedColumn, held: pa.Array) -> Places:
    """Return the places of listed values, and of others; texts longer than all listed ones are NULL, as in SQL."""
    kind = ARROW[column.type]
    found = pc.index_in(held.cast(kind), value_set=pa.array(column.values, kind))
    places = np.where(np.asarray(found.is_null()), column.size - 1, np.asarray(found.fill_null(0)) + 1)
    missing = np.asarray(held.is_null())
    if column.type is Type.TEXT:
        longest = max((len(str(value)) for value in column.values), default=0)
        missing = missing | np.asarray(pc.greater(pc.utf8_length(held.cast(kind)), longest).fill_null(True))
    return np.where(missing, 0, places).astype(np.int64)


def _read_numbers(column: BinnedColumn, held: pa.Array) -> Any:
    """Return values as floats, NaN where missing: days and microseconds since 1970 for dates and times."""
    if column.type is Type.DATE:
        held = held.cast(pa.date32()).cast(pa.int32())
    elif column.type is Type.TIMESTAMP:
        held = held.cast(pa.timestamp("us", getattr(held.type, "tz", None))).cast(pa.int64())
    return np.asarray(held.cast(pa.float64()).fill_null(float("nan")))


def _shorten(names: list[str]) -> str:
    return ", ".join(names if len(names) <= 12 else [*names[:8], "...", names[-1]])


def take_table(name: str, given: Any, also: str = "") -> pa.Table:
    """Return an Arrow table, also from a pandas frame, or refuse anything else."""
    if isinstance(given, pa.Table):
        return given
    if type(given).__module__.partition(".")[0] == "pandas":
        return pa.Table.from_pandas(given, preserve_index=False)
    raise ParameterError(name, type(given), f"an Arrow table or a pandas frame{also}")
