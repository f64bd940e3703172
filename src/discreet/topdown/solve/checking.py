"""A program of its own that says whether released counts are what they should be, in integers only.

It shares nothing with what made them: it knows cells as combinations of values, adds them up by itself, and reads
bounds as they were stated by the owner, not as they were propagated. An empty list is the proof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discreet.base.wide import LIMIT, Ints
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema

LevelCounts: TypeAlias = Any
"""The counts of a level: a row for each area, a column for each cell, written out or sparse."""

AT_ONCE = 2**22
"""How many counts are looked at together."""


@dataclass(frozen=True)
class Inconsistency:
    """Something that is wrong: where, and what."""

    level: str
    area: str
    what: str


def check_release(
    geography: Geography, schema: CensusSchema, invariants: Sequence[Invariant], counts: Sequence[LevelCounts]
) -> tuple[Inconsistency, ...]:
    """Return everything that is wrong with the counts of all levels: nothing, if all is well.

    Every count is a whole number of at least 0, and 0 in cells that cannot be; every area but the first is part of a
    parent whose counts are the sums of its children's, cell by cell; every invariant holds.
    """
    found: list[Inconsistency] = []
    if len(counts) != len(geography.levels):
        return (Inconsistency("", "", f"{len(counts)} levels of counts, not {len(geography.levels)}"),)
    for place, level in enumerate(geography.levels):
        if counts[place].shape != (len(level), schema.cells):
            wrong = f"counts of shape {counts[place].shape}, not {(len(level), schema.cells)}"
            found.append(Inconsistency(level.name, "", wrong))
    if found:
        return tuple(found)
    for place in range(len(geography.levels)):
        found += _check_counts(geography, place, schema, counts[place])
    if found:
        return tuple(found)
    for place in range(1, len(geography.levels)):
        found += _check_sums(geography, place, counts)
    for each in invariants:
        found += _check_invariant(geography, each, counts[each.level])
    return tuple(found)


def _check_counts(
    geography: Geography, place: int, schema: CensusSchema, counts: LevelCounts
) -> Iterator[Inconsistency]:
    """Yield areas with counts that are not whole, negative, too large to add up exactly, or where nobody can be."""
    level = geography.levels[place]
    impossible = _find_impossible(schema)
    largest = LIMIT // (len(level) * schema.cells)
    for start, part in _cut(counts):
        strange = np.zeros(part.shape, dtype=bool)
        if part.dtype.kind not in "iub":
            strange = ~(part == np.rint(part.astype(np.float64)))
        for what, wrong in (
            ("not a whole number", strange),
            ("below 0", ~strange & (part < 0)),
            (f"above {largest}, too large to add up", ~strange & (part > largest)),
            ("where nobody can be", ~strange & (part > 0) & impossible),
        ):
            for row in np.flatnonzero(wrong.any(axis=1)):
                cells = np.flatnonzero(wrong[row])
                told = f"{len(cells)} counts {what}, the first in cell {cells[0]}: {part[row, cells[0]]}"
                yield Inconsistency(level.name, level.areas[start + row], told)


def _check_sums(geography: Geography, place: int, counts: Sequence[LevelCounts]) -> Iterator[Inconsistency]:
    """Yield parents whose counts are not the sums of their children's."""
    above, level = geography.levels[place - 1], geography.levels[place]
    for start, part in _cut(counts[place - 1]):
        for row, own in enumerate(part.astype(np.int64)):
            first, stop = np.searchsorted(level.parents, (start + row, start + row + 1))
            total = _write_out(counts[place][first:stop]).astype(np.int64).sum(axis=0)
            cells = np.flatnonzero(total != own)
            if len(cells):
                told = f"{len(cells)} cells are not the sums of {level.name}"
                given = f"the first is cell {cells[0]}: {own[cells[0]]}, not {total[cells[0]]}"
                yield Inconsistency(above.name, above.areas[start + row], f"{told}; {given}")


def _check_invariant(geography: Geography, invariant: Invariant, counts: LevelCounts) -> Iterator[Inconsistency]:
    """Yield areas where public numbers do not hold."""
    level, query = geography.levels[invariant.level], invariant.query
    groups = _find_groups(query)
    for start, part in _cut(counts):
        given = np.zeros((query.size, len(part)), dtype=np.int64)
        np.add.at(given, groups, part.T.astype(np.int64))
        areas = slice(start, start + len(part))
        low = invariant.values[areas]
        high = low if invariant.exact else np.full(low.shape, LIMIT)
        if invariant.most is not None:
            high = np.minimum(high, invariant.most[areas])
        wrong = (low > given.T) | (high < given.T)
        for row, answer in np.argwhere(wrong):
            bounds = f"at least {low[row, answer]} and at most {high[row, answer]}"
            told = f"{invariant.name}: answer {answer} of {query.name} is {given[answer, row]}, and must be {bounds}"
            yield Inconsistency(level.name, level.areas[start + row], told)


def _cut(counts: LevelCounts) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield some areas at a time, written out, and the place of the first of them."""
    step = max(1, AT_ONCE // max(1, counts.shape[1]))
    for start in range(0, counts.shape[0], step):
        yield start, _write_out(counts[start : start + step])


def _write_out(counts: LevelCounts) -> NDArray[Any]:
    return counts.toarray() if sparse.issparse(counts) else np.asarray(counts)


def _list_values(schema: CensusSchema) -> list[Ints]:
    """Return, for each attribute, the place of the value that each cell has."""
    found, cells = [], np.arange(schema.cells)
    for attribute in reversed(schema.attributes):
        found.append(cells % len(attribute.values))
        cells = cells // len(attribute.values)
    return found[::-1]


def _find_impossible(schema: CensusSchema) -> NDArray[np.bool_]:
    """Return which cells nobody can be in."""
    values = dict(zip((each.name for each in schema.attributes), _list_values(schema), strict=True))
    found = np.zeros(schema.cells, dtype=bool)
    for zero in schema.zeros:
        found |= np.all([np.isin(values[name], list(places)) for name, places in zero.items()], axis=0)
    return found


def _find_groups(query: Query) -> Ints:
    """Return the answer that each cell is counted in: answers are numbered with the last attribute fastest."""
    values = _list_values(query.schema)
    found = np.zeros(query.schema.cells, dtype=np.int64)
    for part in query.parts:
        found = found * (max(part.groups) + 1) + np.array(part.groups)[values[part.attribute]]
    return found
