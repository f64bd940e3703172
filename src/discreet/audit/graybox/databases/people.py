"""Generated people: rows of somebody new for a table, usual and as bad as its types allow."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from string import ascii_letters, digits
from typing import Any

import pyarrow as pa

from discreet.policy.model import USUAL_LONGEST, Bound, Table

WHOLES = (0, 1, -1, 7, 127, -128, 255, 2**31 - 1, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1)
FLOATS = (0.0, -0.0, 0.5, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"), 2.0**63)
TEXTS = ("", " ", "null", "NULL", "a'b", '"', "%_\\", "é", "\U0001f600", "nan", "1e400", "2020-02-30", "x" * 300)
DAYS = (0, -1, 18_262, -719_162, 2_932_896, 106_751_991, 2**31 - 2, -(2**31) + 2)
MOMENTS = (0, -1, 1_577_836_800_000_000, 253_402_300_799_999_999, -62_135_596_800_000_000, 2**62)
DECIMALS = ("0", "1", "-0.5", "1.25", "99999999")

LETTER = "\U0001f600"
"""Of which the longest texts are made: it takes the most bytes."""

DEAR_ROWS = 24
"""Rows of the dearest person; limits on rows are below this, or work on them is small."""


def list_worst(kind: pa.DataType) -> list[Any]:
    """Return the worst values that a type can hold, as Arrow takes them, NULL among them."""
    pools: list[tuple[Callable[[pa.DataType], bool], tuple[Any, ...]]] = [
        (pa.types.is_boolean, (True, False)),
        (pa.types.is_integer, WHOLES),
        (pa.types.is_floating, FLOATS),
        (lambda each: pa.types.is_string(each) or pa.types.is_large_string(each), TEXTS),
        (pa.types.is_date32, DAYS),
        (pa.types.is_timestamp, MOMENTS),
        (pa.types.is_decimal, tuple(Decimal(each) for each in DECIMALS)),
    ]
    pool = next((found for holds, found in pools if holds(kind)), ())
    return [*(value for value in pool if _fits(value, kind)), None]


def make_array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return values as a column; days and moments are given as whole numbers."""
    whole = all(each is None or isinstance(each, int) for each in values)
    if pa.types.is_date32(kind) and whole:
        return pa.array(values, pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind) and whole:
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)


def _fits(value: Any, kind: pa.DataType) -> bool:
    try:
        make_array([value], kind)
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return False
    return True


SHORT_NAMES = (*digits, *ascii_letters, *map("".join, product(ascii_letters, digits)))


def find_new_unit(tables: list[tuple[pa.Table, str]], longest: int = USUAL_LONGEST) -> Any | None:
    """Return a name that nobody has in these tables, by their columns of units; None where all are taken.

    Of texts with more letters than the `longest` questions see nobody.
    """
    taken = {value for table, unit in tables for value in set(_read(table.column(unit)))}
    kinds = [table.schema.field(unit).type for table, unit in tables]
    candidates: list[Any] = [*range(1_000_003, 1_000_103), *range(101, 127)]
    if any(pa.types.is_string(kind) or pa.types.is_large_string(kind) for kind in kinds):
        names = (*(f"somebody {place}" for place in range(100)), *SHORT_NAMES)
        candidates = [each for each in names if len(each) <= longest]
    elif any(pa.types.is_decimal(kind) for kind in kinds):
        candidates = [Decimal(each) for each in candidates]
    elif any(pa.types.is_date32(kind) for kind in kinds):
        candidates = [30_000 + each for each in range(1_000)]
    for each in candidates:
        if each not in taken and all(_fits(each, kind) for kind in kinds):
            return each
    return None


def _read(column: Any) -> list[Any]:
    kind = column.type
    if pa.types.is_date32(kind):
        return list(column.cast(pa.int32()).to_pylist())
    return list(column.cast(pa.int64()).to_pylist() if pa.types.is_timestamp(kind) else column.to_pylist())


def _to_value(bound: Bound, kind: pa.DataType) -> Any | None:
    """Return a bound as a column's type holds it; None where it does not."""
    value: Any = bound
    if isinstance(bound, Fraction):
        value = int(bound) if pa.types.is_integer(kind) else float(bound)
        if pa.types.is_decimal(kind):
            value = Decimal(bound.numerator) / bound.denominator
    return value if _fits(value, kind) else None


class PersonMaker:
    """Makes rows of somebody new for one table."""

    def __init__(self, declared: Table, table: pa.Table, unit: str | None, name: Any, seed: int) -> None:
        self.declared, self.table, self.unit, self.name = declared, table, unit, name
        self._random = random.Random(f"{declared.name} {seed}")

    def make_usual(self, rows: int) -> pa.Table:
        """Return copies of other people's rows, in no order; of an empty table, values that are declared."""
        if not len(self.table):
            return self._build({field.name: self._declare(field, rows) for field in self._fields})
        places = [self._random.randrange(len(self.table)) for _ in range(rows)]
        return self._name(self.table.take(pa.array(places, pa.int64())))

    def make_double(self, rows: int) -> pa.Table:
        """Return one row, again and again."""
        one = self.make_usual(1)
        return one.take(pa.array([0] * rows, pa.int64()))

    def make_worst(self, rows: int) -> pa.Table:
        """Return at least so many rows of the worst values, all of them: beside one another as columns are shifted."""
        found = {}
        rows = max(rows, 1, *(len(list_worst(field.type)) for field in self._fields)) if self._fields else rows
        for shift, field in enumerate(self._fields):
            pool = list_worst(field.type)
            found[field.name] = [pool[(place + 5 * shift) % len(pool)] for place in range(rows)]
        return self._build(found)

    def make_bounds(self, rows: int, upper: bool) -> pa.Table:
        """Return rows at the upper ends of what is declared, or at the lower ones."""
        usual = self.make_usual(rows)
        for place, field in enumerate(usual.schema):
            column = self.declared.column(field.name)
            bound = None if column is None else column.upper if upper else column.lower
            if bound is not None and field.name != self.unit:
                value = _to_value(bound, field.type)
                if value is not None:
                    usual = usual.set_column(place, field, pa.array([value] * len(usual), field.type))
        return usual

    def make_nothing(self, rows: int) -> pa.Table:
        """Return rows that hold nothing but NULL."""
        return self._build({field.name: [None] * rows for field in self._fields})

    def make_dear(self) -> pa.Table:
        """Return rows with the longest texts that are declared."""
        usual = self.make_usual(DEAR_ROWS)
        for place, field in enumerate(usual.schema):
            is_text = pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
            if is_text and field.name != self.unit:
                longest = self.declared.most_letters(field.name)
                texts = [LETTER * (longest - 1) + "ab"[row % 2] for row in range(DEAR_ROWS)]
                usual = usual.set_column(place, field, pa.array(texts, field.type))
        return usual

    @property
    def _fields(self) -> list[pa.Field]:
        return [field for field in self.table.schema if field.name != self.unit]

    def _declare(self, field: pa.Field, rows: int) -> list[Any]:
        column = self.declared.column(field.name)
        values = None if column is None else column.values
        if values and all(_fits(each, field.type) for each in values):
            return [values[row % len(values)] for row in range(rows)]
        pool = [each for each in list_worst(field.type)[:3] if each is not None] or [None]
        return [pool[row % len(pool)] for row in range(rows)]

    def _build(self, columns: dict[str, list[Any]]) -> pa.Table:
        rows = max((len(each) for each in columns.values()), default=1)
        arrays = []
        for field in self.table.schema:
            values = [self.name] * rows if field.name == self.unit else columns[field.name]
            arrays.append(make_array(values, field.type))
        return pa.table(arrays, schema=self.table.schema)

    def _name(self, rows: pa.Table) -> pa.Table:
        """Return rows with the unit's own name."""
        if self.unit is None:
            return rows
        place = rows.schema.get_field_index(self.unit)
        field = rows.schema.field(place)
        return rows.set_column(place, field, make_array([self.name] * len(rows), field.type))
