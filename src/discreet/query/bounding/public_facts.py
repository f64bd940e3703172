"""What is public about expressions: ranges by interval arithmetic, and domains of keys.

Facts belong to expressions, never to names: a column that is redefined has the facts of its new expression. And no fact
is trusted: ranges are enforced by a clamp where they are used, and values outside a domain are in no group.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base.errors import QueryError
from discreet.base.exact import to_float
from discreet.base.types import Type
from discreet.plan.expressions import (
    COLUMN_BITS,
    Call,
    Column,
    Constant,
    Expression,
    Literal,
    Reference,
    find_columns,
    join_conditions,
)
from discreet.plan.functions import count_bits
from discreet.plan.lowering import find_digits
from discreet.plan.relations import Block, InnerKind, Lookup, Nested, PerUnit, find_held
from discreet.policy.model import DeclaredColumn as Declared
from discreet.query.bounding.conditions import list_values, replace_parts, split_terms
from discreet.query.bounding.public_ranges import ListedValues, PublicRanges

MOST_VALUES = 100_000
"""Values of a domain that is derived."""

WHOLE = ("floor", "ceil", "trunc", "round", "int_div")
"""Functions of floats with whole results; `round` with no digits only."""

PERIODS = {"hour": 3_600, "minute": 60, "second": 1}
"""Seconds of periods that begin more often than days."""

YEARS = ("year", "isoyear", "decade", "century", "millennium")
"""Parts of a time that are the same all day, and are not bounded by themselves."""


@dataclass
class PublicFacts(PublicRanges):
    """What is known about the columns of a question's relations: ranges, and values that keys can have."""

    def domain(self, key: Expression) -> ListedValues | None:
        """Return the public values of a key, sorted, without NULL; None where there are none and keys are data."""
        found = self._domain(key)
        if isinstance(key, Call):
            found = self._fulfil(key, found, self._equal(key, self.block), split_terms(self._where))
        if found is None:
            return None
        values: set[Any] = {each for each in found if each is not None}
        if key.type in (Type.FLOAT, Type.DECIMAL):  # as engines compare them: one row must not meet two of them
            values = {to_compared(each, key.type) for each in values if isinstance(each, int | Fraction)}
        return tuple(sorted(values, key=lambda value: (str(type(value)), value)))

    def _domain(self, key: Expression) -> ListedValues | None:
        if isinstance(key, Literal):
            return (key.value,)
        if isinstance(key, Column):
            return self.column_domain(key)
        if key.type is Type.BOOLEAN:
            return (False, True)
        if key.function == "case":
            return self._case_domain(key)
        if key.function == "coalesce":
            return self._merged_domain(key.arguments)
        return self._whole(key) or self._times(key) or self._mapped(key) or self._between(key)

    @property
    def _where(self) -> Expression | None:
        """The condition of the whole question, where what is known follows conditions."""
        return self.block.where if self.blocks else None

    def _case_domain(self, key: Call) -> ListedValues | None:
        """Return the values of CASE: in `CASE WHEN x IN ('a', 'b') THEN x ELSE 'other' END` those that x has there."""
        rest = self._domain(key.arguments[-1])
        if rest is None:
            return None
        found: list[Constant] = list(rest)
        for condition, value in zip(key.arguments[:-1:2], key.arguments[1:-1:2], strict=True):
            values = self._fulfil(value, self._domain(value), None, split_terms(condition))
            if values is None:
                return None
            found += values
        return tuple(dict.fromkeys(found))

    def _fulfil(
        self,
        target: Expression,
        values: ListedValues | None,
        equal: ListedValues | None,
        terms: Iterable[Expression],
    ) -> ListedValues | None:
        """Return the values of `target` with which all the terms can be true.

        `equal` are the values of what it is equal to. Without values of its own it has those that a term lists.
        """
        given, listed = _stand_for(target, "x"), list(terms)
        if values is None:
            found = (list_values(term, target, self.constant) for term in listed)
            values = next((each for each in found if each is not None), equal)
        if values is not None and equal is not None:
            both = set(equal)
            values = tuple(each for each in values if each in both)
        alone = [replace_parts(term, {target: given}) for term in listed]
        alone = [term for term in alone if set(find_columns(term)) == {given}]
        if not alone or values is None or isinstance(target, Literal):
            return values
        where = join_conditions(alone)
        met = self.catalog.combine((given,), where, (((given,), tuple((each,) for each in values)),))
        kept = {to_compared(value, target.type) for (value,) in met}
        return tuple(each for each in values if to_compared(each, target.type) in kept)

    def _equal(self, target: Expression, block: Block) -> ListedValues | None:
        """Return the values of a column of a public table that the target is joined to: other rows are dropped."""
        for mine, theirs in list_equal(block) if self.blocks else ():
            if mine == target:
                return self.column_domain(theirs)
        return None

    def _merged_domain(self, expressions: tuple[Expression, ...]) -> ListedValues | None:
        """Return the values of any of the expressions; None where one of them has no public values."""
        parts = [self._domain(each) for each in expressions]
        return None if None in parts else tuple(dict.fromkeys(value for part in parts for value in part or ()))

    def _whole(self, key: Call) -> ListedValues | None:
        """Return the whole numbers of a bounded expression that has no others."""
        made = any(isinstance(argument, Call) for argument in key.arguments)
        if key.type is Type.INTEGER and (made or self._finite(key)):
            return None  # what it is made from may have few values, so that some of the range may be left out
        return self._between(key)

    def _between(self, key: Call) -> ListedValues | None:
        """Return all whole numbers between the bounds of an expression that has no others."""
        if key.type is not Type.INTEGER and not (key.function in WHOLE and len(key.arguments) < 3):
            return None
        if key.function == "round" and len(key.arguments) > 1:
            return None
        found = self.range(key)
        if found is None or found.upper - found.lower > MOST_VALUES:
            return None
        whole = range(math.ceil(found.lower), math.floor(found.upper) + 1)
        if key.type is not Type.INTEGER:
            return tuple(Fraction(each) for each in whole)
        most = 1 << count_bits(key)  # engines have no larger ones: a cast to them is NULL
        return tuple(each for each in whole if abs(each) <= most)

    def _finite(self, key: Call) -> bool:
        return all(self.column_domain(column) is not None for column in find_columns(key))

    def _times(self, key: Call) -> ListedValues | None:
        """Return the beginnings of periods between the bounds of a time; days of a date are counted elsewhere."""
        column = key.arguments[-1]
        if not isinstance(column, Column) or column.type is not Type.TIMESTAMP:
            return None
        unit = key.arguments[0].value if isinstance(key.arguments[0], Literal) else None
        daily = key.function in ("date_trunc", "as_date", "last_day") or (key.function == "date_part" and unit in YEARS)
        if not (daily or (key.function == "time_trunc" and unit in PERIODS)):
            return None
        lower, upper = self._column_moments(column) or (None, None)
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

    def _mapped(self, key: Call) -> ListedValues | None:
        """Return what the expression makes of all combinations of its arguments' values.

        Arguments of one and the same column go together: a year, a month and a day of it are not all combined.
        """
        made = [each for each in key.arguments if not isinstance(each, Literal)]
        columns = set(find_columns(key))
        values = self.column_domain(next(iter(columns))) if len(made) > 1 and len(columns) == 1 else None
        if values is not None and len(values) <= MOST_VALUES:
            return self.catalog.evaluate(key, {columns.pop(): values})
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
            column = _stand_for(argument, f"x{place}")
            inputs[column] = tuple(dict.fromkeys(values))
            size *= len(values) + 1
            arguments.append(column)
        if size > MOST_VALUES or not inputs:
            return None
        return self.catalog.evaluate(Call(key.function, tuple(arguments), key.type), inputs)

    def column_domain(self, column: Column) -> ListedValues | None:
        """Return the public values of a column, in no order; None where there are none."""
        if column not in self._domains:
            found = self._domain_inside(column)
            if column.relation in self.blocks:
                block = self.blocks[column.relation]
                found = self._fulfil(column, found, self._equal(column, block), split_terms(block.where))
            self._domains[column] = found
        return self._domains[column]

    def _domain_inside(self, column: Column) -> ListedValues | None:
        found = self.relations[column.relation]
        if isinstance(column, Reference):
            held = find_held(found, column)
            if held:
                return self._merged_domain(held)
            if isinstance(found, Nested):  # a row's number
                return self._range_domain(column)
            assert isinstance(found, PerUnit)
            asked = found.aggregates[column.index]
            if asked.kind in (InnerKind.LEAST, InnerKind.GREATEST) and asked.argument is not None:
                return self._domain(asked.argument)
            return self._range_domain(column)
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

    def _range_domain(self, column: Column) -> ListedValues | None:
        """Return the whole numbers between the bounds of an integer column."""
        found = self._column_range(column)
        if column.type is not Type.INTEGER or found is None or found.upper - found.lower > MOST_VALUES:
            return None
        return tuple(range(math.ceil(found.lower), math.floor(found.upper) + 1))


def _stand_for(expression: Expression, name: str) -> Column:
    """Return a column of public values in the place of an expression, with its digits and bits."""
    bits = count_bits(expression) or COLUMN_BITS
    return Column("given", name, expression.type, digits=find_digits(expression), bits=bits)


def list_equal(block: Block) -> Iterator[tuple[Expression, Column]]:
    """Yield what the rows of a block have equal to a column of a public table: rows without a partner are dropped.

    Floats are left out: they are no keys.
    """
    for join in block.joins:
        if isinstance(join, Lookup) and not join.keep:
            for mine, name in join.on:
                if mine.type not in (Type.FLOAT, Type.DECIMAL):
                    yield mine, Column(join.relation, name, mine.type)


def to_compared(value: Constant, type_: Type) -> Constant:
    """Return a value as engines compare it: one float for all numbers that round to it; decimals exactly, each once."""
    if type_ is Type.FLOAT and isinstance(value, int | Fraction):
        return Fraction(to_float(Fraction(value)))
    return Fraction(value) if type_ is Type.DECIMAL and isinstance(value, int | Fraction) else value


def _check_distinct(column: Column, declared: Declared) -> None:
    """Refuse declared values that engines would compare as one float."""
    values = declared.values or ()
    whole = [value for value in values if isinstance(value, int)]
    if column.type is Type.FLOAT and len({float(value) for value in whole}) < len(values):
        raise QueryError(
            f"{column.name!r} has declared values that are one float; store the column as text or integers"
        )
