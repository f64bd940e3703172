"""Fields: what a column of an answer is called, which type its values have, and whether they are noisy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

from discreet.base.errors import ParameterError
from discreet.base.types import Type

Number = int | float | Decimal
Bounds = tuple[tuple[Number, Number] | None, ...]
"""The intervals of one row, one per column: None for keys, and where a noisy value has no interval."""

Row = tuple[object, ...]

CLASSES: dict[Type, tuple[type, ...]] = {
    Type.BOOLEAN: (bool,),
    Type.INTEGER: (int,),
    Type.DECIMAL: (Decimal, int),
    Type.FLOAT: (float, int),
    Type.TEXT: (str,),
    Type.DATE: (date,),
    Type.TIMESTAMP: (datetime,),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One column of an answer. Keys are not noisy; `remark` says how a noisy value's interval is made.

    A remark is `exact`, or starts with `conservative:` or `none:` and gives the reason.
    """

    name: str
    type: Type
    noisy: bool
    remark: str = ""

    def holds(self, value: object) -> bool:
        """Say whether the value is missing or a Python value of the field's type."""
        if value is None:
            return True
        if isinstance(value, bool) is not (self.type is Type.BOOLEAN):
            return False
        if self.type is Type.DATE and isinstance(value, datetime):
            return False
        return isinstance(value, CLASSES[self.type])


def is_finite(value: object) -> bool:
    """Say whether the value is a finite number, also one that no float can hold."""
    if isinstance(value, Decimal):
        return value.is_finite()
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


def to_utc(value: datetime) -> datetime:
    """Return a point in time in UTC; one without a zone is in UTC already."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def check_fields(fields: tuple[Field, ...], rows: tuple[Row, ...]) -> None:
    """Raise unless the names differ and every row holds one value of the right type per field.

    The message names the column and the type, never a value.
    """
    names = [field.name for field in fields]
    for name in names:
        if names.count(name) > 1:
            raise ParameterError("fields", name, "columns with different names")
    for row in rows:
        if len(row) != len(fields):
            raise ParameterError("rows", len(row), f"rows of {len(fields)} values, one per column")
    for place, field in enumerate(fields):
        for row in rows:
            if not field.holds(row[place]):
                raise ParameterError.of_data(f"column {field.name!r}", row[place], f"{field.type} values or None")


def check_bounds(fields: tuple[Field, ...], rows: tuple[Row, ...], bounds: tuple[Bounds, ...]) -> tuple[Bounds, ...]:
    """Return the bounds of all rows, one pair or None per column; no bounds at all stand for None everywhere."""
    if not bounds:
        return tuple((None,) * len(fields) for _ in rows)
    if len(bounds) != len(rows) or any(len(row) != len(fields) for row in bounds):
        raise ParameterError("bounds", len(bounds), f"{len(rows)} rows of {len(fields)} intervals")
    for row in bounds:
        for field, pair in zip(fields, row, strict=True):
            if pair is not None and not (field.noisy and field.type.numeric and pair[0] <= pair[1]):
                raise ParameterError.of_data(
                    f"bounds of {field.name!r}", pair, "None, or low <= high for a noisy number"
                )
    return bounds
