"""Noisy counts of people by group and by bin of their one value: what tests by ranks rest on, in one question.

Bins lie between public `cuts`. Each person has one value and one group, so that they are in one cell at most, and each
count has the noise of the whole charge. The value's public bounds are read from a question that is prepared and never
asked: cuts outside of them would make bins that nobody can be in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.curator.estimates.totals import bound_total
from discreet.curator.session import Session
from discreet.robust.asking import AskingTerms, PaidQuestion, measure_counts
from discreet.robust.intervals.laws import SumNoise
from discreet.robust.measuring import COUNT_MISS, describe_people, describe_values, write_groups
from discreet.robust.people import PER_UNIT, People, add_parameters, write_varying
from discreet.robust.results import SampledGroup

PARTS = 5
"""Bins where no cuts are given: equal parts of what the public bounds allow."""

SIGNED_PARTS = 6
"""The same around 0, with a cut there: values of either sign are told apart, however small they are."""

MOST_CUTS = 50

BinEdge = tuple[str, float]
"""How a bin ends: `<` or `<=`, and the cut."""


@dataclass(frozen=True, slots=True)
class BinnedPeople:
    """Noisy counts of people, a row for each group and a column for each bin, and in words what was counted."""

    cells: Floats
    noise: SumNoise
    cuts: tuple[float, ...]
    what: str
    names: tuple[str, ...]
    notes: tuple[str, ...]
    paid: PaidQuestion

    @property
    def groups(self) -> tuple[SampledGroup, ...]:
        """Each group with its noisy number of people."""
        within = math.ceil(bound_total(self.noise, self.cells.shape[-1], 2 * COUNT_MISS))
        counts = self.cells.sum(axis=-1)
        return tuple(
            SampledGroup(name, round(float(count)), within) for name, count in zip(self.names, counts, strict=True)
        )


def count_bins(
    session: Session,
    people: People,
    column: str,
    per_unit: str,
    cuts: Any,
    terms: AskingTerms,
    by: str | None = None,
    groups: Sequence[Any] = (),
    *,
    bins: int | None = None,
    mirrored: bool = False,
) -> BinnedPeople:
    """Count people by the bin of their value, in all or in each of some groups.

    A value that is a cut is in the bin below it. `mirrored` bins are symmetric around 0 instead: of two values that
    differ in their sign alone each is in the mirror image of the other's bin, and a cut at 0 makes a bin of 0 alone.
    `bins` is how many of them must come out, where somebody has said so.
    """
    function = PER_UNIT[check.choice("per_unit", per_unit, tuple(PER_UNIT))]
    columns = {"value": (function, write_varying(session, people, "column", column))}
    bounds = read_bounds(session, people, columns, terms)
    held = check_cuts(cuts, bounds, mirrored)
    if bins is not None and bins != len(held) + 1:
        raise ParameterError("shares", bins, f"one share for each of the {len(held) + 1} bins that the cuts make")
    edges = list_edges(held, mirrored)
    case = write_bins(edges, people.parameters)
    size = len(edges) + 1
    if by is None:
        sql = f"SELECT bin, COUNT(*) AS n FROM (SELECT {case} FROM {people.write(columns)}) GROUP BY bin"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("bin", size),))
        names: tuple[str, ...] = ("",)
    else:
        rows = write_groups(session, people, columns, by, groups)
        sql = f"SELECT place, bin, COUNT(*) AS n FROM (SELECT place, {case} FROM {rows}) GROUP BY place, bin"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("place", len(groups)), ("bin", size)))
        names = tuple(f"{by} = {each}" for each in groups)
    ties = f"values within one bin count as ties: there are cuts at {', '.join(format_value(cut) for cut in held)}"
    notes = (*describe_people(people, by is not None), ties)
    what = describe_values(people, column, per_unit)
    return BinnedPeople(np.atleast_2d(cells), noise, held, what, names, notes, paid)


def read_bounds(
    session: Session, people: People, columns: dict[str, tuple[str, str]], terms: AskingTerms
) -> tuple[float, float]:
    """Return the public bounds of people's values, or refuse a column without any."""
    sql = f"SELECT SUM(value) AS v FROM {people.write(columns)}"
    prepared = session.prepare(sql, terms.epsilon, rho=terms.rho, params=people.parameters)
    grid = prepared.priced.bounded.plan.measures[0].grid
    assert grid is not None
    low, high = (float(grid.center + grid.step * end) for end in (grid.lower, grid.upper))
    return low, high


def check_cuts(cuts: Any, bounds: tuple[float, float], mirrored: bool = False) -> tuple[float, ...]:
    """Return public cuts that rise, inside the public bounds: those given, or else equal parts."""
    low, high = bounds
    if mirrored and not low < 0 < high:
        raise ParameterError("column", f"{low:g} .. {high:g}", "one with values of both signs inside its public bounds")
    if cuts is None:
        ends, parts = ((-min(-low, high), min(-low, high)), SIGNED_PARTS) if mirrored else (bounds, PARTS)
        found = tuple(((parts - each) * ends[0] + each * ends[1]) / parts for each in range(1, parts))
    elif isinstance(cuts, str) or not isinstance(cuts, Sequence) or not 1 <= len(cuts) <= MOST_CUTS:
        raise ParameterError("cuts", cuts, f"a list of 1 to {MOST_CUTS} numbers that rise, for at least two bins")
    else:
        found = tuple(float(check.real("cuts", each)) for each in cuts)
    if any(first >= second for first, second in pairwise(found)):
        raise ParameterError("cuts", cuts, "numbers that rise")
    if not (low <= found[0] and found[-1] < high) or (mirrored and found[0] == low):
        raise ParameterError("cuts", cuts, f"numbers inside the public bounds, {low:g} .. {high:g}: others part nobody")
    if mirrored and any(first != -second for first, second in zip(found, reversed(found), strict=True)):
        raise ParameterError("cuts", cuts, "numbers symmetric around 0, such as [-2, -1, 0, 1, 2]")
    return found


def list_edges(cuts: Sequence[float], mirrored: bool) -> list[BinEdge]:
    """Return how each bin but the last ends.

    >>> list_edges((-1.0, 0.0, 1.0), True)
    [('<', -1.0), ('<', 0.0), ('<=', 0.0), ('<=', 1.0)]
    """
    if not mirrored:
        return [("<=", cut) for cut in cuts]
    return [*(("<", cut) for cut in cuts if cut <= 0), *(("<=", cut) for cut in cuts if cut >= 0)]


def write_bins(edges: Sequence[BinEdge], parameters: dict[str, Any]) -> str:
    """Return the bin of `value` in SQL; who has no value is in none."""
    add_parameters(parameters, {f"cut_{place}": cut for place, (_, cut) in enumerate(edges)})
    cases = " ".join(f"WHEN value {sign} $cut_{place} THEN {place}" for place, (sign, _) in enumerate(edges))
    last = len(edges) - 1
    beyond = ">" if edges[last][0] == "<=" else ">="
    return f"CASE {cases} WHEN value {beyond} $cut_{last} THEN {last + 1} END AS bin"
