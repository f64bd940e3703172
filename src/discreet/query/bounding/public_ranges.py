"""What is public about numbers and times: the ranges of expressions, by interval arithmetic.

Facts belong to expressions, never to names: a column that is redefined has the facts of its new expression. And no fact
is trusted: ranges are enforced by a clamp where they are used.
"""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from discreet.base.exact import to_float
from discreet.base.types import Type
from discreet.plan.expressions import Call, Column, Constant, Expression, Literal, Reference
from discreet.plan.ranges import Range, find_range
from discreet.plan.relations import (
    INNER_MEANS,
    Block,
    InnerAggregate,
    InnerKind,
    Lookup,
    Nested,
    PerUnit,
    Scan,
    Source,
    find_held,
    list_placed,
    list_sources,
)
from discreet.plan.scales import find_scale
from discreet.policy.model import DeclaredColumn as Declared
from discreet.query.bounding.conditions import list_ends, split_terms
from discreet.query.bounding.limits import bound_unit_rows
from discreet.query.bounding.moments import Moments, bound_times, cover_moments, cut_moments, find_moments
from discreet.query.catalog import Catalog

ListedValues = tuple[Constant, ...]
"""Public values of an expression, in no order."""


@dataclass
class PublicRanges(ABC):
    """What is known about the numbers and times of a question's relations."""

    catalog: Catalog
    block: Block
    relations: dict[str, Source | Lookup] = field(default_factory=dict)
    blocks: dict[str, Block] = field(default_factory=dict)
    """The block that each relation stands in, where what is known follows its conditions; else none."""

    _ranges: dict[Column, Range | None] = field(default_factory=dict)
    _domains: dict[Column, ListedValues | None] = field(default_factory=dict)
    """What columns were found to be: subqueries in one another would be gone through again for every mention."""

    @classmethod
    def of(cls, block: Block, catalog: Catalog) -> Self:
        """Return the facts about everything in a block."""
        return cls(catalog, block, {each.relation: each for each in list_sources(block)})

    @classmethod
    def narrowed(cls, block: Block, catalog: Catalog) -> Self:
        """Return what is known of the rows that fulfil the conditions of the blocks that they go through.

        A value is left out only where no row with declared values that fulfils WHERE can have it, so that as a key it
        would have no row, whatever the data. Which ones these are follows from public facts and the question alone.
        """
        return replace(cls.of(block, catalog), blocks=dict(list_placed(block)))

    @abstractmethod
    def _domain(self, key: Expression) -> ListedValues | None:
        """Return the public values of an expression, NULL perhaps among them; None where there are none."""

    def range(self, expression: Expression) -> Range | None:
        """Return between which numbers an expression lies when its columns are within their bounds."""
        return find_range(expression, self._column_range, self._range_of_times)

    def _range_of_times(self, expression: Call) -> Range | None:
        return bound_times(expression, self._moments, self.catalog.evaluate)

    def _moments(self, expression: Expression) -> Moments | None:
        return find_moments(expression, self._column_moments, self.catalog.evaluate)

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
            found = self._range_inside(column)
            self._ranges[column] = None if found is None else self._cut_range(column, found)
        return self._ranges[column]

    def _cut_range(self, column: Column, found: Range) -> Range:
        """Return the range within the ends that conditions compare the column with."""
        lower, upper = found.lower, found.upper
        for name, value in self._ends(column):
            if isinstance(value, bool) or not isinstance(value, int | Fraction):
                continue
            below, above = sorted((Fraction(value), Fraction(to_float(Fraction(value)))))  # as floats are compared
            if column.type is Type.INTEGER and isinstance(value, int):
                below, above = Fraction(value + (name == "gt")), Fraction(value - (name == "lt"))
            lower = max(lower, below) if name in ("gt", "ge", "eq") else lower
            upper = min(upper, above) if name in ("lt", "le", "eq") else upper
        return Range(lower, upper, found.step) if lower <= upper else found

    def _terms(self, column: Column) -> list[Expression]:
        """Return the conditions that every row of the column's block fulfils."""
        block = self.blocks.get(column.relation)
        return [] if block is None else list(split_terms(block.where))

    def _ends(self, column: Column) -> list[tuple[str, Constant]]:
        """Return what conditions compare a column with."""
        return [end for term in self._terms(column) for end in list_ends(term, column, self.constant)]

    def constant(self, expression: Expression) -> Constant:
        """Return the value of an expression without columns."""
        if isinstance(expression, Literal):
            return expression.value
        found = self.catalog.evaluate(expression, {Column("given", "x", Type.BOOLEAN): ()})
        return found[0] if found else None

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
        if isinstance(found, Nested):  # a row's number
            return Range(Fraction(1), Fraction(max(bound_unit_rows(found.block, self.catalog).total, 1)), Fraction(1))
        assert isinstance(found, PerUnit)
        return self._inner_range(found, found.aggregates[column.index])

    def _column_moments(self, column: Column) -> Moments | None:
        """Return the first and the last time of a column: as declared, or of what it holds, within conditions."""
        found = self.relations[column.relation]
        ends: Moments | None = None
        if isinstance(found, Lookup):
            values = self.catalog.public_values(found.table, column.name)
            times = [each for each in values if isinstance(each, dt.date)]
            ends = (min(times), max(times)) if times else None
        elif isinstance(found, Scan):
            declared = self.declared(column)
            assert declared is not None
            if isinstance(declared.lower, dt.date) and isinstance(declared.upper, dt.date):
                ends = (declared.lower, declared.upper)
        else:
            assert isinstance(column, Reference)
            held = find_held(found, column)
            if not held and isinstance(found, PerUnit):
                argument = found.aggregates[column.index].argument  # of MIN and MAX: no other aggregate is a time
                held = () if argument is None else (argument,)
            ends = cover_moments([self._moments(each) for each in held], column.type)
        return None if ends is None else cut_moments(ends, self._ends(column))

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
        if asked.kind in INNER_MEANS:
            return Range(inner.lower, inner.upper, None)
        return Range(min(inner.lower, inner.lower * rows), max(inner.upper, inner.upper * rows), inner.step)


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
