"""What intervals and tests rest on: noisy sums of people's values and noisy counts of people, each by one question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.answers.numbers import format_value
from discreet.base import check
from discreet.base.grid import Floats
from discreet.curator.estimates.totals import bound_total
from discreet.curator.session import Session
from discreet.robust.asking import AskingTerms, PaidQuestion, measure_counts, measure_sums
from discreet.robust.declared import check_declared
from discreet.robust.intervals.laws import SumNoise
from discreet.robust.intervals.proportions import NoisyShares
from discreet.robust.intervals.sums import ValueSums
from discreet.robust.people import (
    PER_UNIT,
    People,
    read_condition,
    write_column,
    write_condition,
    write_places,
    write_varying,
)
from discreet.robust.results import SampledGroup

COUNT_MISS = 0.025
"""On each side, where a number of people is shown."""

ANY = {"any": "MAX", "all": "MIN"}
"""Who has something: a person with one such row, or one with no other."""


@dataclass(frozen=True, slots=True)
class MeasuredValues:
    """Noisy sums of values, an element for each group, and in words what was measured of whom."""

    sums: ValueSums
    what: str
    groups: tuple[SampledGroup, ...]
    clamped: str
    notes: tuple[str, ...]
    paid: PaidQuestion

    def take(self, group: int) -> ValueSums:
        """Return the sums of one group."""
        each = slice(group, group + 1)
        sums = self.sums
        return ValueSums(sums.count[each], sums.total[each], sums.squares[each], sums.noises, sums.scale)


@dataclass(frozen=True, slots=True)
class MeasuredShares:
    """Noisy counts of people with and without something, an element for each group, and the same words."""

    counts: NoisyShares
    what: str
    groups: tuple[SampledGroup, ...]
    notes: tuple[str, ...]
    paid: PaidQuestion

    def take(self, group: int) -> NoisyShares:
        """Return the counts of one group."""
        each = slice(group, group + 1)
        return NoisyShares(self.counts.yes[each], self.counts.no[each], self.counts.noise)


@dataclass(frozen=True, slots=True)
class PeopleCells:
    """Noisy counts of people in the cells of public values, and their noise."""

    cells: Floats
    noise: SumNoise
    within: int
    """How far the number of all people is off at 95 %."""
    notes: tuple[str, ...]
    paid: PaidQuestion


def sum_values(
    session: Session,
    people: People,
    column: str,
    per_unit: str,
    terms: AskingTerms,
    by: str | None = None,
    groups: Sequence[Any] = (),
    null: float | None = None,
) -> MeasuredValues:
    """Measure one value for each person, in all or in each of some groups, by VAR_POP of it.

    A `null` is a mean that is to be tested: one outside of the public bounds is refused before the charge.
    """
    function = PER_UNIT[check.choice("per_unit", per_unit, tuple(PER_UNIT))]
    value = write_varying(session, people, "column", column)
    columns = {"value": (function, value)}
    what = describe_values(people, column, per_unit)
    if by is None:
        sql = f"SELECT VAR_POP(value) AS v FROM {people.write(columns)}"
        sums, paid = measure_sums(session, people, sql, terms, null=null)
        names: tuple[str, ...] = ("",)
    else:
        rows = write_groups(session, people, columns, by, groups)
        sql = f"SELECT place, VAR_POP(value) AS v FROM {rows} GROUP BY place"
        sums, paid = measure_sums(session, people, sql, terms, len(groups))
        names = tuple(f"{by} = {each}" for each in groups)
    ends = sums.scale.to_value(np.array([sums.scale.lower, sums.scale.upper]))
    clamped = f"values outside {format_value(float(ends[0]))} .. {format_value(float(ends[1]))}"
    rounded = f"values are rounded to multiples of {format_value(sums.scale.step)} first"
    notes = (*describe_people(people, by is not None), rounded)
    return MeasuredValues(sums, what, list_groups(sums, names), clamped, notes, paid)


def count_shares(
    session: Session,
    people: People,
    condition: str,
    per_unit: str,
    terms: AskingTerms,
    by: str | None = None,
    groups: Sequence[Any] = (),
) -> MeasuredShares:
    """Count people for whom a condition holds and for whom it does not, in all or in each of some groups."""
    function = ANY[check.choice("per_unit", per_unit, tuple(ANY))]
    columns = {"yes": (function, write_condition(read_condition(session, people, "condition", condition)))}
    rows_word = "" if people.unit is None else f" in {per_unit} of the rows of one {people.word}"
    what = f"{condition}{rows_word}, in {people.describe()}"
    if by is None:
        sql = f"SELECT yes, COUNT(*) AS n FROM {people.write(columns)} GROUP BY yes"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("yes", 2),))
        names: tuple[str, ...] = ("",)
    else:
        rows = write_groups(session, people, columns, by, groups)
        sql = f"SELECT place, yes, COUNT(*) AS n FROM {rows} GROUP BY place, yes"
        cells, noise, paid = measure_counts(session, people, sql, terms, (("place", len(groups)), ("yes", 2)))
        names = tuple(f"{by} = {each}" for each in groups)
    both = cells.reshape(-1, 2)
    counts = NoisyShares(both[:, 1], both[:, 0], noise)
    return MeasuredShares(counts, what, list_groups(counts, names), describe_people(people, by is not None), paid)


def count_cells(
    session: Session, people: People, sides: Sequence[tuple[str, Sequence[Any]]], terms: AskingTerms
) -> PeopleCells:
    """Count people in the cells of one or several columns with public values.

    Who has rows with different values of a column is in no cell.
    """
    parameters = people.parameters
    columns: dict[str, tuple[str, str]] = {}
    conditions, places, same = [], [], []
    for number, (column, values) in enumerate(sides):
        expression = write_column(session, people, "column", column)
        check_declared(session.tables[people.table], f"a value of {column}", column, values)
        place, condition = write_places(expression, values, f"side_{number}", parameters)
        columns |= {f"place_{number}": ("MIN", place)} | (
            {f"last_{number}": ("MAX", place)} if people.unit is not None else {}
        )
        conditions.append(condition)
        places.append(f"place_{number}")
        same.append(f"place_{number} = last_{number}")
    only = f" WHERE {' AND '.join(same)}" if people.unit is not None else ""
    listed = ", ".join(places)
    sql = f"SELECT {listed}, COUNT(*) AS n FROM {people.write(columns, conditions)}{only} GROUP BY {listed}"
    keys = tuple((name, len(values)) for name, (_, values) in zip(places, sides, strict=True))
    cells, noise, paid = measure_counts(session, people, sql, terms, keys)
    within = math.ceil(bound_total(noise, cells.size, 2 * COUNT_MISS))
    return PeopleCells(cells, noise, within, describe_people(people, True), paid)


def write_groups(
    session: Session, people: People, columns: dict[str, tuple[str, str]], by: str, groups: Sequence[Any]
) -> str:
    """Return one row for each person who is in one of the groups alone, with its `place` among them."""
    check_declared(session.tables[people.table], f"a group of {by}", by, groups)
    place, condition = write_places(write_column(session, people, "by", by), groups, "group", people.parameters)
    if people.unit is None:
        return people.write({**columns, "place": ("MIN", place)}, [condition])
    rows = people.write({**columns, "place": ("MIN", place), "last": ("MAX", place)}, [condition])
    return f"(SELECT * FROM {rows} WHERE place = last)"


def list_groups(measured: ValueSums | NoisyShares, names: Sequence[str]) -> tuple[SampledGroup, ...]:
    """Return each group with its noisy number of people."""
    within = measured.bound_count(COUNT_MISS)
    return tuple(
        SampledGroup(name, round(float(count)), int(np.ceil(reach)))
        for name, count, reach in zip(names, measured.count, within, strict=True)
    )


def describe_values(people: People, column: str, per_unit: str) -> str:
    """Say which value each person has."""
    of = f"{people.word}'s {per_unit} of {column}" if people.unit is not None else column
    return f"{of} in {people.describe()}"


def describe_people(people: People, grouped: bool) -> tuple[str, ...]:
    """Say how each person comes to have one value and one group."""
    if people.unit is None:
        return ("each row is somebody else's, so that rows are the sample",)
    first = f"each {people.word} counts once, with one value made from its rows: the sample is of people, not of rows"
    return (first, f"a {people.word} with rows in several groups is in none") if grouped else (first,)
