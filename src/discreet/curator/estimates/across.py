"""Intervals of what is computed across released rows: windows, and aggregates over an answer.

The truth is the same function of the true aggregates of the same rows. It has an interval where public columns alone
decide which rows these are and in which order, and the keys of the answer are public; so no choice that depends on
noise stands between the noise and the interval. What is computed from them are counts and sums, which every group has.

A sum or an average of one count or sum for each row errs by a sum of independent noises of one law, whose tail is
bounded as such (`bound_total`). Everything else is bounded by interval arithmetic, with all rows inside their intervals
at once: each function here grows with every argument, so the ends of arguments give its ends.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from discreet.answers.fields import Row
from discreet.curator.estimates.arithmetic import (
    Interval,
    bound_expression,
    find_aggregates,
    has_simple_noise,
    is_noisy,
)
from discreet.curator.estimates.values import Values
from discreet.curator.release.finish import finish_ends
from discreet.plan.expressions import Expression, Reference, find_columns
from discreet.plan.question import Finish, Question
from discreet.plan.windows import Computed
from discreet.query.price import Price

SINGLE = ("lag", "lead", "first_value", "last_value")
"""Functions whose value is that of one row."""

BOUNDED = ("sum", "avg", "min", "max", *SINGLE)
"""Functions that grow with every argument."""

SUMMED = "conservative: the summed noise of all rows in it"
AT_ONCE = "conservative: every row in it bounded at once"
BY_NOISE = "none: noisy values decide which rows are in it, or in which order"
FROM_DATA = "none: keys come from the data, and rows of others are not in it"
TWICE = "none: it is computed from what was computed across rows"
OTHERS = "none: it is computed from more than counts and sums"
JOINED = "none: rows were joined, so that one may stand there several times"
UNCHANGED = "none: this function of noisy values has no interval"


def describe_interval(column: Computed, question: Question, priced: Price) -> str:
    """Say how the interval of a computed column is made, or why it has none; nothing where it is not noisy."""
    made = column.made
    if not is_noisy(column):
        return ""
    if any(is_noisy(each) for each in made.find_choices()):
        return BY_NOISE
    if priced.selection is not None:
        return FROM_DATA
    if question.finish.tables:
        return JOINED
    if made.function not in BOUNDED or made.distinct:
        return UNCHANGED
    if any(isinstance(each, Computed) for each in find_columns(made.arguments[0])):
        return TWICE
    used = find_aggregates(made.arguments[0])
    if not all(has_simple_noise(question.aggregates[place].kind) for place in used):
        return OTHERS
    if bound_expression(made.arguments[0], dict.fromkeys(used, (1.0, 2.0))) is None:
        return UNCHANGED
    return SUMMED if _is_summed(column) else AT_ONCE


def _is_summed(column: Computed) -> bool:
    made = column.made
    return made.function in ("sum", "avg") and isinstance(made.arguments[0], Reference)


@dataclass
class AcrossIntervals:
    """The intervals of all computed columns of one answer, found when they are asked for."""

    question: Question
    priced: Price
    values: Values
    finish: Finish
    """The question's own, with the values of other answers in place."""
    _found: dict[tuple[str, float, bool], list[Interval | None]] = field(default_factory=dict)

    def interval(self, column: Computed, place: int, miss: float, together: bool) -> Interval | None:
        """Return an interval of a column in one row of the answer; it misses the truth with at most this probability.

        `together`: all released values lie in their own intervals for this miss at once, which was accounted for.
        """
        key = (column.name, miss, together)
        if key not in self._found:
            has = describe_interval(column, self.question, self.priced).startswith("conservative")
            self._found[key] = self._bound(column, miss, together) if has else []
        found = self._found[key]
        return found[place] if found else None

    def _bound(self, column: Computed, miss: float, together: bool) -> list[Interval | None]:
        argument, rows = column.made.arguments[0], self.values.rows
        one = together or column.made.function in SINGLE
        ends = [
            self._find_ends(argument, place, miss / (1 if one else max(1, len(rows)))) for place in range(len(rows))
        ]
        listed = ([low for low, _ in ends], [high for _, high in ends])
        found = finish_ends(self.finish, self.priced.bounded.plan.keys, self.values, column, listed)
        return [self._read(column, row, miss) for row in found]

    def _find_ends(self, argument: Expression, place: int, miss: float) -> tuple[float | None, float | None]:
        """Return what the argument can be in one released row; nothing where it has no bounds."""
        used = find_aggregates(argument)
        row, each = self.values.rows[place], miss / max(1, len(used))
        found = bound_expression(argument, {index: self.values.interval(index, row, each) for index in used})
        if found is None or not all(math.isfinite(end) for end in found):
            return None, None
        return found

    def _read(self, column: Computed, row: Row, miss: float) -> Interval | None:
        """Return the interval from a value, its numbers of rows and of values, and the function of both ends."""
        value, rows, values, low, high = (None if each is None else float(str(each)) for each in row)
        if value is None or not rows or rows != values:
            return None
        argument = column.made.arguments[0]
        if _is_summed(column) and isinstance(argument, Reference):
            width = self.values.bound_total(argument.index, int(rows), miss)
            if width is not None:
                width = width / rows if column.made.function == "avg" else width
                width += abs(value) * 2**-52  # what is lost where whole numbers become floats
                return value - width, value + width
        return None if low is None or high is None else (low, high)
