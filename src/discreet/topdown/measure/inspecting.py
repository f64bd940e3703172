"""`discreet census inspect`: whether the rows are what a spec takes them for, before anything is charged for them.

What a spec lacks is left out silently by a release, and what is public is kept whatever the rows say. So the owner
looks first. Exact, unpaid, for the owner's eyes only: no session and no server leads here, no ledger is opened, and
nothing is written down (`curator/owner/look.py`). What a release counts is read by the same statement as for a
measurement; why other rows are not counted, by one that leaves none out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base.wide import Ints
from discreet.curator.door.levels import AreaCodes, PlacedRows, place_rows
from discreet.curator.owner.look import OwnersLook
from discreet.curator.owner.misfits import Misfit
from discreet.engines.held import RowTally
from discreet.engines.survey import SurveyedTable
from discreet.topdown.measure.columns import check_columns
from discreet.topdown.measure.inspection import CensusInspection, EmptyAreas, InvariantFit, PublicGap
from discreet.topdown.measure.people import write_everybody, write_people
from discreet.topdown.spec.bounds import AnswerBounds
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.reading import read_spec
from discreet.topdown.spec.schema import CensusSchema

MOST_NAMED = 5
"""Areas and differences that are named one by one."""

NO_SUCH_AREA, NO_SUCH_VALUE, IMPOSSIBLE = "no such area", "no such value", "impossible"


def inspect(spec: str | Path | CensusSpec, tables: Mapping[str, Any] | None = None) -> CensusInspection:
    """Return how the rows fit a spec. For the owner alone: private rows are read and counted exactly."""
    asked = spec if isinstance(spec, CensusSpec) else read_spec(spec)
    with OwnersLook(asked.policy, tables) as look:
        table = look.find_table(asked.table)
        areas = check_columns(asked, table)
        codes = AreaCodes(areas.list_codes())
        survey = look.survey(asked.table)
        counted = place_rows(look.tally(*write_people(table.table.name, areas, asked.schema)), codes)
        everybody = look.tally(*write_everybody(table.table.name, areas, asked.schema))
    looked_at = (*_fit_units(asked, survey), *_fit_rows(asked, codes, everybody))
    invariants = tuple(_fit_invariant(asked, each, counted) for each in asked.invariants)
    return CensusInspection(
        asked.table, survey.rows, int(counted.counts.sum()), looked_at, invariants, tuple(_find_empty(asked, counted))
    )


def _fit_units(spec: CensusSpec, survey: SurveyedTable) -> Iterator[Misfit]:
    """Yield which rows belong to nobody, and which are beyond their unit's limit."""
    unit = spec.declared.unit
    if unit is None:
        return
    yield Misfit(unit, "no unit", "of the rows belong to no unit and never count", survey.lost, survey.rows)
    units = sum(many for _, many in survey.rows_of_units)
    beyond = sum(many for rows, many in survey.rows_of_units if rows > spec.rows)
    lost = sum((rows - spec.rows) * many for rows, many in survey.rows_of_units if rows > spec.rows)
    words = f"of the units have more rows than the limit of {spec.rows:,}"
    yield Misfit("max_rows", "units beyond", words, beyond, units, weighs=False)
    words = f"of the rows are beyond the limit of {spec.rows:,} for their unit, and left out"
    yield Misfit("max_rows", "rows lost", words, lost, survey.rows - survey.lost)


def _fit_rows(spec: CensusSpec, codes: AreaCodes, tally: RowTally) -> Iterator[Misfit]:
    """Yield which of the rows that units keep are in no area, have a value of no category, or cannot be."""
    many, counts = int(tally.counts.sum()), tally.counts
    outside = codes.find(tally.points[:, :-1]) < 0
    words = f"of the rows are in none of the {len(codes.numbers):,} areas of the geography, and left out"
    yield Misfit(spec.area, NO_SUCH_AREA, words, int(counts[outside].sum()), many)
    places = np.unravel_index(tally.points[:, -1], [size + 1 for size in spec.schema.shape])
    unknown = np.zeros(len(counts), dtype=bool)
    for attribute, found in zip(spec.schema.attributes, places, strict=True):
        other = found == len(attribute.values)
        words = f"of the rows have none of the {len(attribute.values):,} values of the spec, and are left out"
        yield Misfit(attribute.name, NO_SUCH_VALUE, words, int(counts[other].sum()), many)
        unknown |= other
    kept = ~(outside | unknown)
    cells = np.ravel_multi_index([each[kept] for each in places], spec.schema.shape)
    for zero, name in zip(_list_zeros(spec.schema), _describe_zeros(spec.schema), strict=True):
        words = "of the rows cannot be, by the zeros of the spec: they are measured, and the release has nobody there"
        yield Misfit(name, IMPOSSIBLE, words, int(counts[kept][zero[cells]].sum()), many)


def _list_zeros(schema: CensusSchema) -> Iterator[np.ndarray]:
    """Yield, for each rule of what cannot be, the cells that it forbids."""
    for zero in schema.zeros:
        found = np.ones(schema.shape, dtype=bool)
        for axis, attribute in enumerate(schema.attributes):
            inside = np.isin(np.arange(len(attribute.values)), sorted(zero.get(attribute.name, ())))
            if attribute.name in zero:
                found &= inside.reshape([-1 if place == axis else 1 for place in range(found.ndim)])
        yield found.reshape(-1)


def _describe_zeros(schema: CensusSchema) -> Iterator[str]:
    for zero in schema.zeros:
        words = []
        for attribute in schema.attributes:
            values = [str(attribute.values[place]) for place in sorted(zero.get(attribute.name, ()))]
            more = " or ..." if len(values) > 3 else ""
            words += [f"{attribute.name} {' or '.join(values[:3])}{more}"] if values else []
        yield " with ".join(words)


def _fit_invariant(spec: CensusSpec, stated: Invariant, rows: PlacedRows) -> InvariantFit:
    """Return how the rows that are counted fit what is public."""
    level, query, bounds = spec.geography.levels[stated.level], stated.query, AnswerBounds.of_invariant(stated)
    counted = np.zeros(stated.values.shape, dtype=np.int64)
    np.add.at(counted, (spec.geography.ancestors[stated.level][rows.places], query.places[rows.cells]), rows.counts)
    off: Ints = np.minimum(counted - bounds.low, 0) + np.maximum(counted - bounds.high, 0)
    labels = spec.label_answers(query.name)
    wrong = np.argwhere(off)
    order = np.argsort(-np.abs(off[tuple(wrong.T)]), kind="stable")[:MOST_NAMED]
    largest = tuple(
        PublicGap(
            level.areas[area],
            ", ".join(map(str, labels[answer])),
            int(bounds.low[area, answer]),
            int(bounds.high[area, answer]),
            int(counted[area, answer]),
        )
        for area, answer in wrong[order]
    )
    areas = len(np.unique(wrong[:, 0]))
    public = int(np.count_nonzero((bounds.low > 0) | (bounds.high != NO_MOST)))
    return InvariantFit(stated.name, level.name, query.name, len(wrong), public, areas, largest)


def _find_empty(spec: CensusSpec, rows: PlacedRows) -> Iterator[EmptyAreas]:
    """Yield which published areas of each level have nobody."""
    people = np.bincount(rows.places, weights=rows.counts, minlength=len(spec.geography.leaves))
    for level in spec.geography.levels:
        known = spec.spine.find_published(level.name)
        inside = known.places >= 0
        found = np.bincount(known.places[inside], weights=people[inside], minlength=len(known.areas))
        empty = np.flatnonzero(found == 0)
        first = tuple(known.areas[area] for area in empty[:MOST_NAMED])
        yield EmptyAreas(level.name, len(empty), len(known.areas), first)
