"""Arrow tables from Python: frames of pandas, without a guess at what a column of objects holds, and public values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet.base.types import Type
from discreet.plan.expressions import Constant
from discreet.policy.model import Table

if TYPE_CHECKING:
    import pyarrow as pa


def from_pandas(frame: Any, table: Table) -> pa.Table:
    """Return the frame; columns of objects are text, or what the policy declares, and raise where they are neither.

    Arrow would take their types from the rows: whether a column is of whole numbers would tell that nobody has half a
    one, and `discreet tables` would say so for free.
    """
    import pyarrow as pa

    columns = {str(name): frame.iloc[:, place] for place, name in enumerate(frame.columns)}
    if len(columns) < len(frame.columns):
        raise ValueError("two columns have one name")
    return pa.table({name: _column(column, _declared(name, table)) for name, column in columns.items()})


def _declared(name: str, table: Table) -> Type:
    column = table.column(name)
    return (column and column.type) or Type.TEXT


def _column(column: Any, declared: Type) -> Any:
    import pyarrow as pa

    types = {
        Type.BOOLEAN: pa.bool_(),
        Type.INTEGER: pa.int64(),
        Type.FLOAT: pa.float64(),
        Type.TEXT: pa.string(),
        Type.DATE: pa.date32(),
        Type.TIMESTAMP: pa.timestamp("us"),
        Type.DECIMAL: pa.decimal128(38, 9),
    }
    return pa.array(column, types[declared] if str(column.dtype) == "object" else None, from_pandas=True)


def to_values_table(values: Mapping[str, Sequence[Constant]], types: Sequence[Type]) -> pa.Table:
    """Return constants as a table, in columns of these names and types."""
    import pyarrow as pa

    pairs = zip(values.items(), types, strict=True)
    return pa.table({name: _values_column(each, type_) for (name, each), type_ in pairs})


def _values_column(values: Sequence[Constant], type_: Type) -> Any:
    import pyarrow as pa

    kinds = {
        Type.BOOLEAN: pa.bool_(),
        Type.TEXT: pa.string(),
        Type.DATE: pa.date32(),
        Type.INTEGER: pa.decimal128(38, 0),
    }
    plain: list[object] = list(values)
    if type_ is Type.INTEGER:
        plain = [None if value is None else Decimal(str(value)) for value in values]
    elif type_ in (Type.FLOAT, Type.DECIMAL):
        plain = [float(value) if isinstance(value, int | Fraction) else None for value in values]
    elif type_ is Type.TIMESTAMP:
        plain = [_utc(value) for value in values]
    kind = pa.timestamp("us") if type_ is Type.TIMESTAMP else kinds.get(type_, pa.float64())
    return pa.array(plain, kind)


def _utc(value: Constant) -> dt.datetime | None:
    return value.astimezone(dt.UTC).replace(tzinfo=None) if isinstance(value, dt.datetime) else None


def drop_zones(table: pa.Table) -> pa.Table:
    """Return the table with its points in time in UTC and without a zone: DuckDB fails on some that have one.

    Seconds and milliseconds with a zone become microseconds while a table is read, and what does not fit raises.
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        kind = field.type
        if pa.types.is_timestamp(kind) and kind.tz is not None and kind.unit in ("s", "ms"):
            column = table.column(place).cast(pa.timestamp(kind.unit))
            table = table.set_column(place, field.with_type(pa.timestamp(kind.unit)), column)
    return table
