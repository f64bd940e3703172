"""Any function of people's rows: the private median of what it says of disjoint groups (sample and aggregate)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats, Grid
from discreet.base.rounding import float_down
from discreet.curator import Curator
from discreet.curator.door.statistics import DrawnQuantile, GroupedFunction
from discreet.curator.session import Session, Watch
from discreet.mechanisms.quantile import Quantile
from discreet.robust.asking import find_session
from discreet.robust.people import find_people
from discreet.robust.releasing import RobustEstimate, read_epsilon, release
from discreet.robust.values import plan_columns

FEWER = "the number is of a group's size, not of all people: what a function says of fewer people varies more"


@dataclass(frozen=True, slots=True)
class NamedFunction:
    """A function of people's rows, with the name by which the ledger knows it."""

    name: str
    function: Callable[[Floats], float]

    def describe(self) -> Json:
        """Return its name."""
        return {"named": self.name}

    def apply(self, rows: Floats) -> float:
        """Return its number."""
        return self.function(rows)


def aggregate(
    curator: Curator | Session,
    table: str,
    columns: Sequence[str],
    function: Callable[[Floats], float],
    *,
    name: str,
    groups: int,
    bounds: tuple[float, float],
    step: float | None = None,
    epsilon: Any = None,
    where: str | None = None,
    per_unit: str = "mean",
    params: Mapping[str, Any] | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> RobustEstimate:
    """Return what any function says of people's rows: the private median of its values on disjoint random groups.

    The function gets an array with a line for each person (or row) of a group and a column for each of `columns`, and
    returns a number; what it raises, or what is no number, counts as the middle of the public `bounds`. It need not be
    private, nor have any bounded sensitivity, but must be a function in the strict sense: it remembers nothing. How
    long it runs is seen. `name` is what the ledger knows it by: another function needs another name. More `groups`
    leave less noise, and fewer people for each value.
    """
    session, spending = find_session(curator), read_epsilon(epsilon)
    people = find_people(session, table, where, params)
    low, high = _read_bounds(bounds)
    size = Fraction(repr(float(check.positive("step", step)))) if step is not None else (high - low) / 10_000
    first, last = (int(Grid(size).snap(float(each))) for each in (low, high))
    if last <= first or max(abs(low), abs(high)) / size > 2**60:
        raise ParameterError("step", step, "one that the bounds hold several of, and fewer than 2^60")
    if not callable(function) or not isinstance(name, str) or not name.strip():
        raise ParameterError("function", function, "a function, with a name= of its own")
    values = plan_columns(session, people, columns, per_unit, max_rows)
    assert spending.epsilon is not None
    drawn = Quantile(Fraction(1, 2), last - first + 1, float_down(spending.epsilon), 2, sides=Fraction(0))
    parts = check.integer("groups", groups, least=2)
    made = GroupedFunction(NamedFunction(name, function), parts, size, first, last, DrawnQuantile(drawn, first))
    what = f"{name} of {values.words}: the median of {parts} disjoint groups"
    told, receipt = release(session, values.plan, made, spending, what, fresh, progress)
    assert told is not None
    notes = (
        "the number is that of a group's size, not of all people: what a function says of fewer people is noisier",
    )
    return RobustEstimate(what, "sample and aggregate", float(told[0] * size), None, 0.95, notes, receipt)


def _read_bounds(bounds: object) -> tuple[Fraction, Fraction]:
    if not isinstance(bounds, Sequence) or len(bounds) != 2:
        raise ParameterError(
            "bounds", bounds, "two numbers that the function's values are held between, the lower first"
        )
    low, high = (Fraction(repr(float(check.real("bounds", each)))) for each in bounds)
    if low >= high:
        raise ParameterError("bounds", bounds, "two numbers, the lower one first")
    return low, high
