"""Arrow tables, and the data frames made of them: every number exact, whatever its width."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from discreet.answers.fields import Field, Row, to_utc
from discreet.base.errors import DiscreetError
from discreet.base.types import Type

INT64 = 2**63
WIDTHS = (38, 76)
"""The digits that Arrow's two decimal types hold."""


def require_module(package: str, install: str) -> Any:
    """Return an optional package, or raise an error that names what to install."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise DiscreetError(f"{package.split('.')[0]} is needed: install {install}") from None


def to_arrow(fields: tuple[Field, ...], rows: tuple[Row, ...], about: Mapping[str, str]) -> Any:
    """Return a pyarrow table: whole numbers as int64 where all fit, else as decimals; `about` as schema metadata."""
    import pyarrow as pa

    columns = [_column(field, [row[place] for row in rows]) for place, field in enumerate(fields)]
    schema = pa.schema(
        [
            pa.field(field.name, column.type, metadata={"discreet.interval": field.remark} if field.remark else None)
            for field, column in zip(fields, columns, strict=True)
        ],
        metadata=dict(about) or None,
    )
    return pa.table(columns, schema=schema)


def to_pandas(fields: tuple[Field, ...], rows: tuple[Row, ...]) -> Any:
    """Return a pandas frame. Whole numbers stay whole: missing ones give pandas' Int64, wide ones Python's own."""
    pandas = require_module("pandas", "pandas")
    import pyarrow as pa

    table = to_arrow(fields, rows, {})
    whole = any(column.type == pa.int64() and column.null_count for column in table.columns)
    frame = table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get if whole else None)
    for place, field in enumerate(fields):
        if field.type is Type.INTEGER and table.schema.field(place).type != pa.int64():
            frame[field.name] = pandas.Series([row[place] for row in rows], dtype=object)
    return frame


def to_polars(fields: tuple[Field, ...], rows: tuple[Row, ...]) -> Any:
    """Return a polars frame; numbers beyond its 38 digits come as text, exactly."""
    polars = require_module("polars", "polars")
    import pyarrow as pa

    table = to_arrow(fields, rows, {})
    for place, column in enumerate(table.columns):
        if pa.types.is_decimal256(column.type):
            table = table.set_column(place, fields[place].name, pa.array(_texts(column.to_pylist()), pa.string()))
    return polars.from_arrow(table)


def _column(field: Field, values: list[Any]) -> Any:
    import pyarrow as pa

    present = [value for value in values if value is not None]
    match field.type:
        case Type.INTEGER:
            if all(-INT64 <= value < INT64 for value in present):
                return pa.array(values, pa.int64())
            return _decimals([None if value is None else Decimal(value) for value in values])
        case Type.DECIMAL:
            return _decimals([None if value is None else Decimal(value) for value in values])
        case Type.FLOAT:
            return pa.array([None if value is None else float(value) for value in values], pa.float64())
        case Type.TIMESTAMP:
            if not any(isinstance(value, datetime) and value.tzinfo is not None for value in values):
                return pa.array(values, pa.timestamp("us"))
            points = [to_utc(value) if isinstance(value, datetime) else None for value in values]
            return pa.array(points, pa.timestamp("us", "UTC"))
        case Type.BOOLEAN:
            return pa.array(values, pa.bool_())
        case Type.DATE:
            return pa.array(values, pa.date32())
    return pa.array(values, pa.string())


def _decimals(values: list[Decimal | None]) -> Any:
    """Return the narrowest decimal column that holds all values exactly, or their texts where none does."""
    import pyarrow as pa

    present = [value.as_tuple() for value in values if value is not None]
    scales = [part.exponent for part in present]
    if all(isinstance(scale, int) for scale in scales):
        after = max([0, *(-scale for scale in scales if isinstance(scale, int))])
        before = max([0, *(len(part.digits) + int(part.exponent) for part in present)])
        for width, kind in zip(WIDTHS, (pa.decimal128, pa.decimal256), strict=True):
            if after + before <= width:
                return pa.array(values, kind(width, after))
    return pa.array(_texts(values), pa.string())


def _texts(values: list[Decimal | None]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]
