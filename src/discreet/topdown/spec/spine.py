"""The spine: a public list of the smallest areas, with their area of every level above, made into a tree.

The list has a column for each level and a row for each smallest area. Where an area skips a level the cell is empty: an
area of the same name as the one below stands in for it there. An area with a single child is measured twice, once as
itself and once as its child; both counts are of the same people. Where both have the same query, with shares a and b of
rho, noise variances are c / a and c / b, and their weighted mean has variance c / (a + b): what one measurement with
the share a + b has. So a tree with single children loses nothing against one that bypasses them and hands their
shares down, as production did, and needs no rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.topdown.spec.geography import Geography, Level


@dataclass(frozen=True, eq=False)
class PublishedAreas:
    """The real areas of a level, as people know them, and the place there of each smallest area of the geography.

    The place is -1 where a smallest area lies in no area of this level.
    """

    level: str
    areas: tuple[str, ...]
    places: Ints


@dataclass(frozen=True, eq=False)
class Spine:
    """The geography that is measured, which of its areas only stand in, and the areas that were regrouped away."""

    geography: Geography
    stand_ins: tuple[Bools, ...]
    """For each level, which of its areas stand in for a level that was skipped."""
    regrouped: Mapping[str, PublishedAreas] = field(default_factory=dict)
    """The published areas of levels that were put into groups of another size."""

    def find_published(self, level: str) -> PublishedAreas:
        """Return the areas of a level that are published: those of the public list, whatever is measured instead."""
        place = self.geography.find_level(level)
        if level in self.regrouped:
            return self.regrouped[level]
        return _list_published(self.geography, place, self.stand_ins[place])


def build_spine(levels: Sequence[str], columns: Sequence[pa.Array]) -> Spine:
    """Return the tree of a list of areas: for each level, the whole first, a column of names.

    Names are unique within their level. Areas stand in the order of their names within their parent's. What is no tree
    is refused with all that is wrong with it.
    """
    if len(set(levels)) < len(levels) or len(levels) != len(columns) or len(levels) < 2:
        raise ParameterError("geography.levels", list(levels), "at least two different levels, the whole first")
    filled, skipped = _fill_gaps(levels, columns)
    ranks, names = zip(*(_rank(each) for each in filled), strict=True)
    faults = [*_check_stand_ins(levels, ranks, skipped, names), *_check_tree(levels, ranks, names)]
    if faults:
        raise TreeError(faults)
    order = np.lexsort(tuple(reversed(ranks)))
    found, marks = [], []
    above: Ints = np.zeros(len(order), dtype=np.int64)
    for level, rank, name, gaps in zip(levels, ranks, names, skipped, strict=True):
        sorted_ranks = rank[order]
        starts = np.flatnonzero(np.diff(sorted_ranks, prepend=-1))
        found.append(Level(level, tuple(name[sorted_ranks[starts]].tolist()), above[starts]))
        marks.append(gaps[order][starts])
        above = np.cumsum(np.diff(sorted_ranks, prepend=-1) != 0) - 1
    return Spine(Geography(tuple(found)), tuple(marks))


def regroup_level(spine: Spine, level: str, children: int) -> Spine:
    """Return the spine with a level's areas put into groups of about so many consecutive children.

    Each area of the level above has as many groups as come nearest to the wanted number, of equal sizes to within one.
    Only the public list decides. The published areas of the level are kept beside it, and remain reported.
    """
    wanted = check.integer(f"geography.regroup.{level}", children, least=2)
    place = spine.geography.find_level(level)
    if not 0 < place < len(spine.geography.levels) - 1:
        raise ParameterError("geography.regroup", level, "a level between the first and the last")
    above, old, below = spine.geography.levels[place - 1 : place + 2]
    owners = old.parents[below.parents]
    sizes = np.bincount(owners, minlength=len(above))
    groups = np.maximum(1, (2 * sizes + wanted) // (2 * wanted))
    inside = np.arange(len(below)) - (np.cumsum(sizes) - sizes)[owners]
    parents = (np.cumsum(groups) - groups)[owners] + inside * groups[owners] // sizes[owners]
    owned = np.repeat(np.arange(len(above)), groups)
    numbers = np.arange(len(owned)) - (np.cumsum(groups) - groups)[owned] + 1
    named = tuple(f"{above.areas[owner]} / {number}" for owner, number in zip(owned, numbers, strict=True))
    levels = list(spine.geography.levels)
    levels[place], levels[place + 1] = Level(level, named, owned), Level(below.name, below.areas, parents)
    marks = list(spine.stand_ins)
    marks[place] = np.zeros(len(named), dtype=bool)
    kept = dict(spine.regrouped) | {level: spine.find_published(level)}
    return Spine(Geography(tuple(levels)), tuple(marks), kept)


def _list_published(geography: Geography, place: int, stand_ins: Bools) -> PublishedAreas:
    level = geography.levels[place]
    numbers = np.where(stand_ins, -1, np.cumsum(~stand_ins) - 1)
    areas = level.areas if not stand_ins.any() else tuple(np.array(level.areas, dtype=object)[~stand_ins].tolist())
    return PublishedAreas(level.name, areas, numbers[geography.ancestors[place]])


def _fill_gaps(levels: Sequence[str], columns: Sequence[pa.Array]) -> tuple[list[pa.Array], list[Bools]]:
    """Return the columns with a stand-in in every gap, named as the area below, and where the gaps were."""
    first, last = columns[0], columns[-1]
    if len(last) == 0:
        raise ParameterError("geography", "no row", "a row for each smallest area")
    for level, column, wanted in ((levels[-1], last, "a name"), (levels[0], first, "the name of the whole")):
        if column.null_count:
            row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
            where = "" if level == levels[-1] else f", area {last[row].as_py()!r}"
            remedy = ": repeat that of the area above where it has no parts" if level == levels[-1] else ""
            told = f"{wanted} in every row{remedy}: no area is an orphan"
            raise ParameterError(f"geography.{level}", _Row(row, where), told)
    filled, gaps = [last], [np.zeros(len(last), dtype=bool)]
    for column in reversed(columns[:-1]):
        gaps.append(np.asarray(column.is_null(), dtype=bool))
        filled.append(pc.coalesce(column, filled[-1]))
    return filled[::-1], gaps[::-1]


def _rank(column: pa.Array) -> tuple[Ints, Any]:
    """Return the rank of each name among the different ones, and these in their order."""
    coded = column.dictionary_encode()
    order = np.asarray(pc.sort_indices(coded.dictionary), dtype=np.int64)
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    names = np.array(coded.dictionary.to_pylist(), dtype=object)[order]
    return ranks[np.asarray(coded.indices, dtype=np.int64)], names


def _check_tree(levels: Sequence[str], ranks: Sequence[Ints], names: Sequence[Any]) -> Iterator[ParameterError]:
    """Yield a whole of several parts, a smallest area in two rows, and an area of each level with two parents."""
    if len(names[0]) > 1:
        shown = ", ".join(map(repr, names[0][:3]))
        yield ParameterError(f"geography.{levels[0]}", _Words(shown), "the one name of the whole in every row")
    smallest = np.bincount(ranks[-1])
    if smallest.max() > 1:
        area = names[-1][int(smallest.argmax())]
        yield ParameterError(f"geography.{levels[-1]}", area, "in one row only: a row for each smallest area")
    for place in range(2, len(levels)):
        parents = np.full(len(names[place]), -1, dtype=np.int64)
        parents[ranks[place]] = ranks[place - 1]
        torn = np.flatnonzero(parents[ranks[place]] != ranks[place - 1])
        if len(torn):
            row = int(torn[0])
            area = int(ranks[place][row])
            both = " and ".join(repr(names[place - 1][each]) for each in (parents[area], ranks[place - 1][row]))
            wanted = f"in one area of {levels[place - 1]} only, and it is in {both}: names are unique within a level"
            yield ParameterError(f"geography.{levels[place]}", names[place][area], wanted)


def _check_stand_ins(
    levels: Sequence[str], ranks: Sequence[Ints], skipped: Sequence[Bools], names: Sequence[Any]
) -> Iterator[ParameterError]:
    """Yield, of each level, a stand-in that has the name of a real area."""
    wanted = "another name, or a cell in every row: the same name stands in for an empty cell of this level"
    for level, rank, gaps, name in zip(levels, ranks, skipped, names, strict=True):
        both = np.intersect1d(rank[gaps], rank[~gaps])
        if len(both):
            yield ParameterError(f"geography.{level}", name[int(both[0])], wanted)


class TreeError(ParameterError):
    """A list of areas that is no tree: the first thing that is wrong with it, and all of them as `faults`."""

    def __init__(self, faults: Sequence[ParameterError]) -> None:
        self.faults = tuple(faults)
        Exception.__init__(self, str(faults[0]))
        self.name, self.allowed = faults[0].name, faults[0].allowed


class _Words(str):
    """A description, shown without quotes."""

    __slots__ = ()
    __repr__ = str.__str__


class _Row(_Words):
    """A row by its number."""

    __slots__ = ()

    def __new__(cls, row: int, where: str) -> _Row:
        return super().__new__(cls, f"nothing in row {row + 1}{where}")
