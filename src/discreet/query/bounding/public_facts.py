"""What is public about expressions: ranges by interval arithmetic, and domains of keys.

Facts belong to expressions, never to names: a column that is redefined has the facts of its new expression. And no fact
is trusted: ranges are enforced by a clamp where they are used, and values outside a domain are in no group.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.base.errors import QueryError
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Constant, Expression, Literal, Reference, find_columns
from discreet.plan.lowering import find_digits
from discreet.plan.ranges import Range, find_range
from discreet.plan.relations import (
    Block,
    InnerAggregate,
    InnerKind,
    Lookup,
    PerUnit,
    Scan,
    Source,
    find_held,
    list_sources,
)
from discreet.plan.scales import find_scale
from discreet.policy.model import DeclaredColumn as Declared
from discreet.query.bounding.limits import bound_unit_rows
from discreet.query.catalog import Catalog

MOST_VALUES = 100_000
"""Values of a domain that is derived."""

UNIONS: dict[str, Callable[[tuple[Expression, ...]], tuple[Expression, ...]]] = {
    "case": lambda arguments: (*arguments[1:-1:2], arguments[-1]),
    "coalesce": lambda arguments: arguments,
}
"""Functions whose result is one of some arguments, and those."""

WHOLE = ("floor", "ceil", "trunc", "round", "int_div")
"""Functions of floats with whole results; `round` with no digits only."""

PERIODS = {"hour": 3_600, "minute": 60, "second": 1}
"""Seconds of periods that begin more often than days."""

YEARS = ("year", "isoyear", "decade", "century", "millennium")
"""Parts of a time that are the same all day, and are not bounded by themselves."""


@dataclass
class PublicFacts:
    """What is known about the columns of a question's relations."""

    catalog: Catalog
    block: Block
    relations: dict[str, Source | Lookup] = field(default_factory=dict)
    _ranges: dict[Column, Range | None] = field(default_factory=dict)
    _domains: dict[Column, tuple[Constant, ...] | None] = field(default_factory=dict)
    """What columns were found to be: subqueries in one another would be gone through again for every mention."""

    @classmethod
    def of(cls, block: Block, catalog: Catalog) -> PublicFacts:
        """Return the facts about everything in a block."""
        return cls(catalog, block, {each.relation: each for each in list_sources(block)})

    def range(self, expression: Expression) -> Range | None:
        """Return between which numbers an expression lies when its columns are within their bounds."""
        return find_range(expression, self._column_range)

    def bounds(self, expression: Expression) -> Range | None:
        """Return the range of an expression, or that of its few public values, such as the years between two dates."""
        found = self.range(expression)
        if found is not None or not expression.type.numeric:
            return found
        values = self._domain(expression) or ()
        numbers = [Fraction(value) for value in values if isinstance(value, int | Fraction)]
        if not numbers:
            return None
        return Range(min(numbers), max(numbers), _find_step(expression))

    def declared(self, column: Column) -> Declared | None:
        """Return what the policy says about a column of a table."""
        found = self.relations[column.relation]
        if isinstance(found, Scan | Lookup):
            return self.catalog.column(self.catalog.table(found.table), column.name)
        return None

    def _column_range(self, column: Column) -> Range | None:
        if column not in self._ranges:
            self._ranges[column] = self._range_inside(column)
        return self._ranges[column]

    def _range_inside(self, column: Column) -> Range | None:
        found = self.relations[column.relation]
        if isinstance(found, Scan | Lookup):
            if isinstance(found, Lookup):
                return self._public_range(found, column)
            declared = self.declared(column)
            assert declared is not None
            if not isinstance(declared.lower, Fraction) or not isinstance(declared.upper, Fraction):
                return None
            return Range(declared.lower, declared.upper, declared.step or _find_step(column))
        assert isinstance(column, Reference)
        held = find_held(found, column)
        if held:
            return cover_ranges([self.bounds(each) for each in held])
        assert isinstance(found, PerUnit)
        return self._inner_range(found, found.aggregates[column.index])

    def _public_range(self, found: Lookup, column: Column) -> Range | None:
        """Return the least and the greatest number of a public column."""
        if not column.type.numeric:
            return None
        values = self.catalog.public_values(found.table, column.name)
        numbers = [Fraction(value) for value in values if isinstance(value, int | float | Fraction)]
        if not numbers:
            return None
        return Range(min(numbers), max(numbers), _find_step(column))

    def _inner_range(self, found: PerUnit, asked: InnerAggregate) -> Range | None:
        """Return the range of an aggregate of one unit's rows, of which there are only so many."""
        rows = bound_unit_rows(found.block, self.catalog).total
        if asked.kind in (InnerKind.ROWS, InnerKind.VALUES, InnerKind.DISTINCT):
            return Range(Fraction(0), Fraction(rows), Fraction(1))
        assert asked.argument is not None
        inner = self.bounds(asked.argument)
        if inner is None or asked.kind in (InnerKind.LEAST, InnerKind.GREATEST):
            return inner
        if asked.kind is InnerKind.MEAN:
            return Range(inner.lower, inner.upper, None)
        return Range(min(inner.lower, inner.lower * rows), max(inner.upper, inner.upper * rows), inner.step)

    def domain(self, key: Expression) -> tuple[Constant, ...] | None:
        """Return the public values of a key, sorted, without NULL; None where there are none and keys are data."""
        found = self._domain(key)
        if found is None:
            return None
        values = {each for each in found if each is not None}
        if key.type is Type.FLOAT:  # as engines compare them: one row must not meet two of them
            values = {Fraction(float(each)) for each in values if isinstance(each, int | Fraction)}
        if key.type is Type.DECIMAL:  # exactly, each once
            values = {Fraction(each) for each in values if isinstance(each, int | Fraction)}
        return tuple(sorted(values, key=lambda value: (str(type(value)), value)))

    def _domain(self, key: Expression) -> tuple[Constant, ...] | None:
        if isinstance(key, Literal):
            return (key.value,)
        if isinstance(key, Column):
            return self._column_domain(key)
        if key.type is Type.BOOLEAN:
            return (False, True)
        if key.function in UNIONS:
            return self._merged_domain(UNIONS[key.function](key.arguments))
        return self._whole(key) or self._times(key) or self._mapped(key)

    def _merged_domain(self, expressions: tuple[Expression, ...]) -> tuple[Constant, ...] | None:
        """Return the values of any of the expressions; None where one of them has no public values."""
        parts = [self._domain(each) for each in expressions]
        return None if None in parts else tuple(dict.fromkeys(value for part in parts for value in part or ()))

    def _whole(self, key: Call) -> tuple[Constant, ...] | None:
        """Return the whole numbers of a bounded expression that has no others."""
        if key.type is not Type.INTEGER and not (key.function in WHOLE and len(key.arguments) < 3):
            return None
        if key.function == "round" and len(key.arguments) > 1:
            return None
        if key.type is Type.INTEGER and self._finite(key):
            return None  # its columns have few values, so that some of the range may be left out
        found = self.range(key)
        if found is None or found.upper - found.lower > MOST_VALUES:
            return None
        whole = range(math.ceil(found.lower), math.floor(found.upper) + 1)
        return tuple(whole) if key.type is Type.INTEGER else tuple(Fraction(each) for each in whole)

    def _finite(self, key: Call) -> bool:
        return all(self._column_domain(column) is not None for column in find_columns(key))

    def _times(self, key: Call) -> tuple[Constant, ...] | None:
        """Return the beginnings of periods between declared bounds of a time; days of a date are counted elsewhere."""
        column = key.arguments[-1]
        if not isinstance(column, Column) or column.type is not Type.TIMESTAMP:
            return None
        unit = key.arguments[0].value if isinstance(key.arguments[0], Literal) else None
        daily = key.function in ("date_trunc", "as_date", "last_day") or (key.function == "date_part" and unit in YEARS)
        declared = self.declared(column)
        if declared is None or not (daily or (key.function == "time_trunc" and unit in PERIODS)):
            return None
        lower, upper = declared.lower, declared.upper
        if not isinstance(lower, dt.datetime) or not isinstance(upper, dt.datetime):
            return None
        seconds = 86_400 if daily else PERIODS[str(unit)]
        first = int(lower.timestamp()) // seconds * seconds
        count = (int(upper.timestamp()) - first) // seconds + 1
        if count > MOST_VALUES:
            return None
        start = dt.datetime.fromtimestamp(first, dt.UTC)
        moments = tuple(start + dt.timedelta(seconds=seconds * each) for each in range(count))
        return self.catalog.evaluate(key, {column: moments})

    def _mapped(self, key: Call) -> tuple[Constant, ...] | None:
        """Return what the expression makes of all combinations of its arguments' values."""
        inputs: dict[Column, tuple[Constant, ...]] = {}
        arguments: list[Expression] = []
        size = 1
        for place, argument in enumerate(key.arguments):
            if isinstance(argument, Literal):
                arguments.append(argument)
                continue
            values = self._domain(argument)
            if values is None:
                return None
            column = Column("given", f"x{place}", argument.type, digits=find_digits(argument))
            inputs[column] = tuple(dict.fromkeys(values))
            size *= len(values) + 1
            arguments.append(column)
        if size > MOST_VALUES or not inputs:
            return None
        return self.catalog.evaluate(Call(key.function, tuple(arguments), key.type), inputs)

    def _column_domain(self, column: Column) -> tuple[Constant, ...] | None:
        if column not in self._domains:
            self._domains[column] = self._domain_inside(column)
        return self._domains[column]

    def _domain_inside(self, column: Column) -> tuple[Constant, ...] | None:
        found = self.relations[column.relation]
        if isinstance(column, Reference):
            held = find_held(found, column)
            return self._merged_domain(held) if held else self._range_domain(column)
        declared = self.declared(column)
        assert declared is not None
        if declared.values is not None:
            _check_distinct(column, declared)
            return declared.values
        if column.type is Type.BOOLEAN:
            return (False, True)
        if isinstance(found, Lookup):
            if column.type is Type.FLOAT:
                raise QueryError(
                    f"{column.name!r} is {column.type}, and such numbers are no keys; group by integers or text"
                )
            return self.catalog.public_values(found.table, column.name)
        if column.type is Type.DATE and isinstance(declared.lower, dt.date) and isinstance(declared.upper, dt.date):
            days = (declared.upper - declared.lower).days + 1
            if days <= MOST_VALUES:
                return tuple(declared.lower + dt.timedelta(days=each) for each in range(days))
        return self._range_domain(column)

    def _range_domain(self, column: Column) -> tuple[Constant, ...] | None:
        """Return the whole numbers between the bounds of an integer column."""
        found = self._column_range(column)
        if column.type is not Type.INTEGER or found is None or found.upper - found.lower > MOST_VALUES:
            return None
        return tuple(range(math.ceil(found.lower), math.floor(found.upper) + 1))


def _find_step(expression: Expression) -> Fraction | None:
    """Return the grid that all values of a type lie on: whole numbers, or a decimal's last places."""
    exact = expression.type in (Type.INTEGER, Type.DECIMAL)
    return Fraction(1, 10 ** find_scale(expression)) if exact else None


def cover_ranges(ranges: list[Range | None]) -> Range | None:
    """Return the least range that holds all of them."""
    known = [each for each in ranges if each is not None]
    if len(known) < len(ranges):
        return None
    steps = [each.step for each in known]
    step = None if None in steps else min(each for each in steps if each is not None)
    return Range(min(each.lower for each in known), max(each.upper for each in known), step)


def _check_distinct(column: Column, declared: Declared) -> None:
    """Refuse declared values that engines would compare as one float."""
    values = declared.values or ()
    whole = [value for value in values if isinstance(value, int)]
    if column.type is Type.FLOAT and len({float(value) for value in whole}) < len(values):
        raise QueryError(
            f"{column.name!r} has declared values that are one float; store the column as text or integers"
        )
