"""Ends of dates and times, and of their differences."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest

from discreet.base.types import Type
from discreet.plan.expressions import Column, Expression, Literal
from discreet.plan.functions import call
from discreet.plan.ranges import Range
from discreet.query.bounding.moments import Moments, bound_times, cover_moments, cut_moments, find_moments
from support.oracle import ENGINE

DAY, OTHER = Column("t0", "day", Type.DATE), Column("t0", "other", Type.DATE)
AT = Column("t0", "at", Type.TIMESTAMP)
FIRST, LAST = dt.date(2026, 1, 15), dt.date(2026, 3, 10)
EARLY, LATE = (dt.datetime(2026, 1, 1, hour, tzinfo=dt.UTC) for hour in (1, 5))


def known(column: Column) -> Moments | None:
    return {DAY: (FIRST, LAST), AT: (EARLY, LATE)}.get(column)


def find(expression: Expression) -> Moments | None:
    return find_moments(expression, known, ENGINE.evaluate)


def unit(name: str) -> Literal:
    return Literal(name, Type.TEXT)


@pytest.mark.parametrize(
    ("expression", "ends"),
    [
        (DAY, (FIRST, LAST)),
        (OTHER, None),
        (Literal(FIRST, Type.DATE), (FIRST, FIRST)),
        (call("date_trunc", unit("month"), DAY), (dt.date(2026, 1, 1), dt.date(2026, 3, 1))),
        (call("last_day", DAY), (dt.date(2026, 1, 31), dt.date(2026, 3, 31))),
        (call("plus_days", DAY, Literal(5, Type.INTEGER)), (dt.date(2026, 1, 20), dt.date(2026, 3, 15))),
        (call("as_date", AT), (dt.date(2026, 1, 1), dt.date(2026, 1, 1))),
        (call("coalesce", DAY, Literal(dt.date(2025, 1, 1), Type.DATE)), (dt.date(2025, 1, 1), LAST)),
        (call("case", call("is_null", AT), DAY, Literal(None, Type.DATE)), (FIRST, LAST)),
        (call("greatest", DAY, OTHER), None),
        (call("plus_days", OTHER, Literal(5, Type.INTEGER)), None),
    ],
)
def test_moments_follow_expressions(expression: Expression, ends: Moments | None) -> None:
    assert find(expression) == ends


def test_what_leaves_the_calendar_has_no_ends() -> None:
    assert find(call("plus_months", DAY, Literal(100_000, Type.INTEGER))) is None


@pytest.mark.parametrize(
    ("expression", "ends"),
    [
        (call("date_diff", unit("day"), DAY, Literal(LAST, Type.DATE)), (0, 54)),
        (call("date_diff", unit("month"), DAY, DAY), (-2, 2)),
        (call("date_diff", unit("hour"), AT, Literal(LATE, Type.TIMESTAMP)), (0, 4)),
        (call("date_part", unit("year"), call("plus_months", DAY, Literal(10, Type.INTEGER))), (2026, 2027)),
        (call("date_part", unit("month"), DAY), None),
        (call("date_diff", unit("day"), DAY, OTHER), None),
    ],
)
def test_numbers_of_times(expression: Expression, ends: tuple[int, int] | None) -> None:
    assert not isinstance(expression, Column | Literal)
    wanted = None if ends is None else Range(Fraction(ends[0]), Fraction(ends[1]), Fraction(1))
    assert bound_times(expression, find, ENGINE.evaluate) == wanted


def test_ends_are_cut_by_comparisons_of_their_own_type() -> None:
    middle, one = dt.date(2026, 2, 1), dt.timedelta(days=1)
    assert cut_moments((FIRST, LAST), [("gt", middle)]) == (middle + one, LAST)
    assert cut_moments((FIRST, LAST), [("ge", middle), ("lt", LAST)]) == (middle, LAST - one)
    assert cut_moments((FIRST, LAST), [("eq", middle)]) == (middle, middle)
    assert cut_moments((EARLY, LATE), [("lt", LATE)]) == (EARLY, LATE - dt.timedelta(microseconds=1))
    for says_nothing in (("lt", EARLY), ("lt", None), ("le", dt.date(2030, 1, 1)), ("gt", dt.date(2030, 1, 1))):
        assert cut_moments((FIRST, LAST), [says_nothing]) == (FIRST, LAST)


def test_the_hull_of_moments_is_of_one_type() -> None:
    assert cover_moments([(FIRST, LAST), (LAST, LAST)], Type.DATE) == (FIRST, LAST)
    unknown: list[list[Moments | None]] = [[], [None], [(FIRST, LAST), None], [(EARLY, LATE)]]
    unknown.append([(FIRST, LAST), (EARLY, LATE)])
    for found in unknown:
        assert cover_moments(found, Type.DATE) is None
