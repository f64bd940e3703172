"""Survival curves and the log-rank test of a private table: one question, one charge, one record.

Each person was last seen at the latest `time` of their rows, and had the `event` if any of their rows says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discreet.answers import Receipt
from discreet.answers.numbers import format_percent, format_value
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.showing import ShownAsText
from discreet.curator import Curator
from discreet.curator.estimates.totals import bound_total
from discreet.curator.session import Session
from discreet.robust.asking import AskingTerms, PaidQuestion, find_session, measure_counts
from discreet.robust.measuring import COUNT_MISS, describe_people, write_groups
from discreet.robust.people import (
    People,
    add_parameters,
    check_values,
    find_people,
    read_condition,
    read_miss,
    write_condition,
    write_varying,
)
from discreet.robust.pictures import draw_curves
from discreet.robust.results import COVERS, NOT_COVERED, SampledGroup, list_cost, render_facts, write_facts
from discreet.robust.survival.life_tables import NoisyLifeTable, bound_survival, explain_equal_survival
from discreet.robust.testing.verdicts import PopulationTest

MOST_TIMES = 100
"""Intervals of time of one curve."""

BEYOND = 1.04
"""How far behind its last time a curve is drawn, so that what is told there is seen."""

ENDED = "(too few people at risk to say)"


@dataclass(frozen=True, repr=False)
class SurvivalCurve(ShownAsText):
    """The share of a population without the event after each time, with intervals for sampling and noise together.

    Each interval holds on its own. From the first time with too few people at risk on, nothing is told: `told` counts
    the times before it.
    """

    what: str
    times: tuple[float, ...]
    shares: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    told: int
    confidence: float
    groups: tuple[SampledGroup, ...]
    notes: tuple[str, ...]
    paid: PaidQuestion

    @property
    def receipt(self) -> Receipt:
        """The receipt of the one charge."""
        return self.paid.receipt

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the title: a line for each time, what is covered, and the cost."""
        points = zip(self.times, self.shares, self.low, self.high, strict=True)
        lines = [
            (f"after {time:g}", f"{format_value(share, (low, high))} ({low:.3f} .. {high:.3f})")
            for time, share, low, high in points
        ][: self.told]
        ended = [] if self.told == len(self.times) else [(f"after {self.times[self.told]:g}", ENDED)]
        return [
            *lines,
            *ended,
            ("covers", COVERS.format(format_percent(self.confidence), "share, each time on its own")),
            ("not covered", NOT_COVERED.format("")),
            *(("people", str(each)) for each in self.groups),
            *list_cost(self.paid),
            *(("note", note) for note in (*self.notes, *self.paid.remarks)),
        ]

    def __str__(self) -> str:
        return write_facts(self.what, "share without the event", self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, "share without the event", self.list_facts())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values: times, shares and intervals that are told."""
        told = slice(0, self.told)
        return {
            "what": self.what,
            "times": list(self.times[told]),
            "shares": list(self.shares[told]),
            "low": list(self.low[told]),
            "high": list(self.high[told]),
            "confidence": self.confidence,
            "ended": None if self.told == len(self.times) else self.times[self.told],
            "people": [each.to_dict() for each in self.groups],
            "guarantee": self.paid.guarantee,
            "receipt": self.receipt.to_dict(),
            "question": self.paid.question,
            "notes": [*self.notes, *self.paid.remarks],
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the curve with its intervals as steps; saved where a path is given."""
        told = slice(0, self.told)
        at = [0.0, *self.times[told]]
        at.append(at[-1] * BEYOND)
        heights, low, high = ([1.0, *each[told]] for each in (self.shares, self.low, self.high))
        for each in (heights, low, high):
            each.append(each[-1])
        covers = f"{format_percent(self.confidence)} intervals for sampling and noise together, each on its own"
        below, curves = [self.what, covers], [(self.what, at, heights, low, high)]
        place = None if path is None else Path(path)
        return draw_curves(curves, "time", "share without the event", [*below, self.paid.guarantee], place, steps=True)


def survival_curve(
    curator: Curator | Session,
    table: str,
    time: str,
    event: str,
    *,
    times: Sequence[float],
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    confidence: float = 0.95,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> SurvivalCurve:
    """Return the share of people without the event after each of some public, rising `times`: Kaplan-Meier's curve.

    `time` is a column or an expression: how long each person was seen, the longest of their rows; `event` is a
    condition. Who was last seen without it counts as at risk until the next of the times.
    """
    session, miss = find_session(curator), read_miss(confidence)
    people, ends = find_people(session, table, where, params), check_times(times)
    tables, paid = _count_lives(session, people, time, event, ends, AskingTerms(epsilon, rho, fresh))
    shares, low, high = (each[0] for each in bound_survival(tables, miss))
    told = int(tables.told[0].sum())
    what = f"survival of {people.describe()}: {time} until {event}"
    groups = _list_people(tables, ("",))
    return SurvivalCurve(
        what,
        ends,
        tuple(shares.tolist()),
        tuple(low.tolist()),
        tuple(high.tolist()),
        told,
        float(confidence),
        groups,
        describe_people(people, False),
        paid,
    )


def log_rank_test(
    curator: Curator | Session,
    table: str,
    time: str,
    event: str,
    *,
    times: Sequence[float],
    by: str,
    between: Any,
    epsilon: Any = None,
    rho: Any = None,
    where: str | None = None,
    params: Mapping[str, Any] | None = None,
    fresh: bool = False,
) -> PopulationTest:
    """Test whether two groups of `by` have the same survival over public, rising `times`."""
    session = find_session(curator)
    people, ends = find_people(session, table, where, params), check_times(times)
    groups = check_values("between", between, 2, 2)
    terms = AskingTerms(epsilon, rho, fresh)
    tables, paid = _count_lives(session, people, time, event, ends, terms, by, groups)
    first, second = (
        NoisyLifeTable(tables.events[[at]], tables.censored[[at]], tables.beyond[[at]], tables.noise) for at in (0, 1)
    )
    p_values, enough = explain_equal_survival(first, second)
    names = tuple(f"{by} = {each}" for each in groups)
    what = f"survival of {people.describe()}: {time} until {event}"
    null, notes = f"{names[0]} and {names[1]} have the same survival", describe_people(people, True)
    counted = _list_people(tables, names)
    return PopulationTest(what, null, float(p_values[0]), (), counted, bool(enough[0]), None, notes, paid)


def check_times(times: Sequence[float]) -> tuple[float, ...]:
    """Return public times that rise."""
    if isinstance(times, str) or not isinstance(times, Sequence) or not 1 <= len(times) <= MOST_TIMES:
        raise ParameterError("times", times, f"a list of 1 to {MOST_TIMES} numbers that rise")
    found = tuple(float(check.real("times", each)) for each in times)
    if any(first >= second for first, second in pairwise(found)):
        raise ParameterError("times", times, "numbers that rise")
    return found


def _count_lives(
    session: Session,
    people: People,
    time: str,
    event: str,
    times: tuple[float, ...],
    terms: AskingTerms,
    by: str | None = None,
    groups: Sequence[Any] = (),
) -> tuple[NoisyLifeTable, PaidQuestion]:
    """Count people in the cells of a life table, a row for each group; beyond the last time there is one cell."""
    seen = write_varying(session, people, "time", time)
    happened = write_condition(read_condition(session, people, "event", event))
    columns = {"seen": ("MAX", seen), "happened": ("MAX", happened)}
    cases = []
    for place, end in enumerate(times):
        add_parameters(people.parameters, {f"time_{place}": end})
        cases.append(f"WHEN happened = 1 AND seen <= $time_{place} THEN {2 * place}")
        cases.append(f"WHEN seen <= $time_{place} THEN {2 * place + 1}")
    last = 2 * len(times)
    cell = f"CASE {' '.join(cases)} WHEN seen > $time_{len(times) - 1} THEN {last} END AS cell"
    if by is None:
        sql = f"SELECT cell, COUNT(*) AS n FROM (SELECT {cell} FROM {people.write(columns)}) GROUP BY cell"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("cell", last + 1),))
    else:
        rows = write_groups(session, people, columns, by, groups)
        sql = f"SELECT place, cell, COUNT(*) AS n FROM (SELECT place, {cell} FROM {rows}) GROUP BY place, cell"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("place", len(groups)), ("cell", last + 1)))
    both = np.atleast_2d(cells)
    return NoisyLifeTable(both[:, 0:last:2], both[:, 1:last:2], both[:, last], noise), paid


def _list_people(table: NoisyLifeTable, names: Sequence[str]) -> tuple[SampledGroup, ...]:
    within = int(np.ceil(bound_total(table.noise, 2 * table.events.shape[-1] + 1, 2 * COUNT_MISS)))
    counts = table.at_risk[:, 0]
    return tuple(SampledGroup(name, round(float(count)), within) for name, count in zip(names, counts, strict=True))
