"""Finished rows with an interval for every cell, of one answer or of several in one statement."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.answers.fields import Row
from discreet.curator.estimates.across import AcrossIntervals
from discreet.curator.estimates.arithmetic import Interval, bound_expression, find_parts, is_noisy
from discreet.curator.estimates.values import Values
from discreet.curator.release.finish import JoinedRows, finish_joined, finish_rows, list_joined
from discreet.curator.release.released import Released
from discreet.plan.beside import list_releases, name_attached, put_values
from discreet.plan.expressions import Constant, Expression, Literal, find_columns
from discreet.plan.question import Finish, Question
from discreet.plan.windows import Attached, Computed, Joined, JoinedTable, find_computed
from discreet.query.price import Price


class Finished:
    """The rows of one answer; `beside` are the answers whose values stand in it, by their places."""

    def __init__(self, question: Question, priced: Price, values: Values, beside: Sequence[Finished] = ()) -> None:
        self.question, self.values, self.beside = question, values, beside
        single = [(place, each.value) for place, each in enumerate(beside) if each.single]
        put = {name_attached(place, value.type).name: value for place, value in single}
        finish, keys = put_values(find_finish(question, priced), put), priced.bounded.plan.keys
        self._extras: list[Row] = []
        if finish.tables:
            self._joined = _list_joined(finish)
            extras = [f"j{each.table}_number" if each.noisy else each.name for each in self._joined]
            tables = [self._list_rows(place, each) for place, each in enumerate(finish.tables)]
            found = finish_joined(finish, keys, values, tables, extras)
            self.rows, self._extras = [(number, row) for number, row, _ in found], [each for _, _, each in found]
        else:
            self.rows = finish_rows(finish, keys, values)
        self._across = AcrossIntervals(question, priced, values, finish)

    def _list_rows(self, place: int, table: JoinedTable) -> JoinedRows:
        """Return the rows that released ones are joined to."""
        if table.part is None:
            return list_joined(place, table.types, table.rows)
        return list_joined(place, table.types, [row for _, row in self.beside[table.part].rows])

    @property
    def single(self) -> bool:
        """Whether the answer has one column, so that it may stand in place of a value."""
        return len(self.question.finish.outputs) == 1

    @property
    def value(self) -> Literal:
        """The value of an answer of one column and at most one row: NULL where it has none."""
        ((_, shown),) = self.question.finish.outputs
        return Literal(_to_constant(self.rows[0][1][0]) if self.rows else None, shown.type)

    @property
    def cells(self) -> int:
        """How many values have an interval of their own, from which those of all cells are made."""
        outputs = [expression for _, expression in self.question.finish.outputs]
        each = max(1, len(self.question.aggregates) + len(find_computed(outputs)))
        others = sum(max(1, len(other.rows)) * len(other.question.finish.outputs) for other in self.beside)
        return max(1, len(self.values.rows)) * each + others

    def bound(self, expression: Expression, place: int, miss: float, together: bool) -> Interval | None:
        """Return an interval for one cell; what it is made from shares what may be missed.

        `together`: all released values lie in their own intervals for this miss at once, which was accounted for.
        """
        parts, number = find_parts(expression), self.rows[place][0]
        known: dict[int | str, Interval] = {}
        each = miss / max(1, sum(not isinstance(part, Joined) or part.noisy for part in parts))
        for part in parts:
            if isinstance(part, Joined):
                found = self._bound_joined(part, place, each)
                known |= {} if found is None else {part.name: found}
            elif isinstance(part, Attached):
                found = self.beside[part.part].bound_value(each)
                known |= {} if found is None else {part.name: found}
            elif isinstance(part, Computed):
                found = self._across.interval(part, place, each, together)
                known |= {} if found is None else {part.name: found}
            elif number is not None:
                known[part] = self.values.interval(part, self.values.rows[number], each)
        return bound_expression(expression, known) if parts and is_noisy(expression) else None

    def _bound_joined(self, column: Joined, place: int, miss: float) -> Interval | None:
        """Return what a column of a joined table can be: a public value is itself, and one of an answer as it is there.

        Nothing where there is no partner.
        """
        value = self._extras[place][self._joined.index(column)]
        if not column.noisy:
            number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
            return None if number is None else (number, number)
        part = self.question.finish.tables[column.table].part
        if part is None or not isinstance(value, int):
            return None
        other = self.beside[part]
        return other.bound(other.question.finish.outputs[column.place][1], value, miss, False)

    def bound_value(self, miss: float) -> Interval | None:
        """Return an interval for the value of an answer of one row."""
        ((_, shown),) = self.question.finish.outputs
        return self.bound(shown, 0, miss, False) if self.rows else None


def finish_beside(question: Question, priced: Price, released: Released) -> list[Finished]:
    """Return the other answers of a statement, each with the values of those before it."""
    found: list[Finished] = []
    prices, measured = (priced, *priced.beside), (released, *released.beside)
    for each, place in zip(question.beside, list_releases(question).shared, strict=True):
        values = make_values(each, prices[place], measured[place])
        found.append(Finished(each, prices[place], values, tuple(found)))
    return found


def make_values(question: Question, priced: Price, released: Released) -> Values:
    """Return the aggregates of what was released: none where keys were chosen by one."""
    return Values(question.aggregates if priced.choice is None else (), priced, released)


def find_finish(question: Question, priced: Price) -> Finish:
    """Return what is done to released values: a choice of keys has done what ORDER BY and LIMIT say."""
    if priced.choice is None or question.pick is None or not question.pick.ordered:
        return question.finish
    return replace(question.finish, order=(), limit=None)


def _list_joined(finish: Finish) -> list[Joined]:
    """Return the columns of joined tables that are shown, or computed with, as they are."""
    found = [each for _, shown in finish.outputs for each in find_columns(shown) if isinstance(each, Joined)]
    return list(dict.fromkeys(found))


def _to_constant(value: object) -> Constant:
    """Return a finished value as a constant; what is no number, or none of a float's, is NULL."""
    if isinstance(value, float):
        return Fraction(value) if math.isfinite(value) else None
    if isinstance(value, dt.datetime):
        return value.replace(tzinfo=dt.UTC)
    return value if isinstance(value, int | str | dt.date) else None
