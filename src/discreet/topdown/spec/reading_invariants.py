"""The public numbers of areas in a census spec: read from files of the owner's, what is wrong is noted.

A file has a column for the level, named as the level is, one for each attribute or recode of the query, and `count`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.policy.problems import quote_value
from discreet.policy.section import Section
from discreet.privacy.neighbours import Neighbours
from discreet.topdown.spec.files import PublicColumns, PublicFolder, read_counts
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading_schema import Axes
from discreet.topdown.spec.recodes import AnswerAxis, list_labels
from discreet.topdown.spec.spine import Spine

KINDS = ("exact", "at_least", "facilities")
KEYS = ("level", "query", *KINDS, "except")
COUNT = "count"
"""The column with the numbers of an invariant's file."""


@dataclass(frozen=True)
class StatedInvariant:
    """What an invariant's section says, before its file is read: its names are known, and it may be stated."""

    name: str
    part: Section
    kind: str
    level: str
    query: str


@dataclass(frozen=True)
class InvariantOutline:
    """Checks what the sections of invariants say, which needs no file: names, and what no neighbours could share."""

    levels: Sequence[str]
    regrouped: Sequence[str]
    """Levels whose measured areas are not the published ones."""
    queries: Sequence[str]
    neighbours: Neighbours | None
    """None where the policy cannot be read."""

    def read_all(self, root: Section) -> Iterator[StatedInvariant]:
        """Yield the sections that say what they must; what is wrong with others is noted."""
        for name, part in root.section("invariants", None).sections(KEYS):
            level, query, kind = self._find_level(part), self._find_query(part), self._find_kind(part)
            if level is not None and query is not None and kind is not None:
                yield StatedInvariant(name, part, kind, level, query)

    def _find_kind(self, part: Section) -> str | None:
        kinds = [kind for kind in KINDS if kind in part]
        if len(kinds) != 1:
            wrong = "names no file" if not kinds else f"has {' and '.join(kinds)}"
            part.wrong((), wrong, 'write one of exact = "FILE", at_least = "FILE" and facilities = "FILE"')
            return None
        if kinds == ["exact"] and self.neighbours is Neighbours.ADD_REMOVE:
            wrong = "no two neighbours share exact totals where one has a person more: nothing would be promised"
            remedy = 'write neighbours = "replace" in the policy, or take it out; at_least and facilities may stay'
            part.wrong("exact", wrong, remedy)
            return None
        return kinds[0]

    def _find_level(self, part: Section) -> str | None:
        level = part.text("level", f"write one of {', '.join(self.levels)}")
        if level not in self.levels:
            wrong = "is missing" if level is None else f"is {quote_value(level)}, no level"
            part.wrong("level", wrong, f"write one of {', '.join(self.levels)}")
            return None
        if level in self.regrouped:
            wrong = f"{quote_value(level)} is regrouped, and its published areas are not those that are measured"
            part.wrong("level", wrong, "state the numbers of another level, or take it out of geography.regroup")
            return None
        return level

    def _find_query(self, part: Section) -> str | None:
        name = part.text("query", "write the name of a query")
        if name not in self.queries:
            wrong = "is missing" if name is None else f"is {quote_value(name)}, no query"
            part.wrong("query", wrong, f"write one of {', '.join(self.queries)}")
            return None
        return name


@dataclass(frozen=True)
class InvariantReader:
    """Reads the files of invariants whose sections are right."""

    folder: PublicFolder
    spine: Spine
    queries: tuple[Query, ...]
    axes: Axes

    def read_all(self, stated: Sequence[StatedInvariant]) -> tuple[Invariant, ...]:
        """Return the invariants; what is wrong is left out and noted."""
        found = [self.read(each) for each in stated]
        return tuple(each for each in found if each is not None)

    def read(self, stated: StatedInvariant) -> Invariant | None:
        """Return one invariant, or None where something is wrong with it, which is noted."""
        part, kind, level = stated.part, stated.kind, stated.level
        query = next(each for each in self.queries if each.name == stated.query)
        if kind == "exact" and level == self.spine.geography.leaves.name and _tells_all(query):
            wrong = "it gives every count of every smallest area: no two neighbours share them, so nothing is promised"
            part.wrong("exact", wrong, "name a query with fewer attributes, or a level above")
            return None
        free = self._read_free(part, kind, query)
        names = [level, *(axis.name for axis in self.axes[query.name]), COUNT]
        columns = self.folder.read(part, kind, names, self._write_example(level, query, free))
        if free is None or columns is None:
            return None
        return self._fill(stated.name, part, kind, level, query, columns, free)

    def _write_example(self, level: str, query: Query, free: Bools | None) -> list[str]:
        """Return a line of such a file: the first area, and the first answer of which something may be said."""
        place = self.spine.geography.find_level(level)
        area = self.spine.geography.levels[place].areas[int(np.argmin(self.spine.stand_ins[place]))]
        answer = 0 if free is None else int(np.argmin(free))
        return [area, *map(_write_label, list_labels(self.axes[query.name])[answer]), "100"]

    def _fill(
        self, name: str, part: Section, kind: str, level: str, query: Query, columns: PublicColumns, free: Bools
    ) -> Invariant | None:
        """Return the invariant with its numbers, a row for each area; nothing is said of a stand-in that has none."""
        place = self.spine.geography.find_level(level)
        areas = self.spine.geography.levels[place].areas
        counts = read_counts(part, kind, columns[COUNT])
        rows = _locate(part, kind, level, columns[level], areas)
        answers: Ints | None = np.zeros(len(columns[COUNT]), dtype=np.int64)
        for axis in self.axes[query.name]:
            places = _locate(part, kind, axis.name, columns[axis.name], [_write_label(each) for each in axis.labels])
            answers = None if places is None or answers is None else answers * len(axis.labels) + places
        if counts is None or rows is None or answers is None:
            return None
        times = np.zeros((len(areas), query.size), dtype=np.int64)
        np.add.at(times, (rows, answers), 1)
        if times.max(initial=0) > 1:
            area = areas[int(np.argwhere(times > 1)[0][0])]
            part.wrong(kind, f"{quote_value(area)} is there twice for one answer", "write each area and answer once")
            return None
        silent = self.spine.stand_ins[place] & ~times.any(axis=1)
        if kind == "exact" and not times[~silent].all():
            area = areas[int(np.argwhere((times == 0) & ~silent[:, None])[0][0])]
            wrong = f"{quote_value(area)} of {level} has no number for each answer of {query.name}"
            part.wrong(kind, wrong, "write all of them, also those that are 0")
            return None
        values = np.zeros((len(areas), query.size), dtype=np.int64)
        values[rows, answers] = counts
        if kind == "at_least" or (kind == "exact" and not silent.any()):
            return Invariant(name, place, query, values, exact=kind == "exact")
        if kind == "exact":
            return Invariant(name, place, query, values, False, np.where(silent[:, None], NO_MOST, values))
        wrong_free = np.argwhere((values > 0) & free)
        if len(wrong_free):
            wrong = f"{quote_value(areas[int(wrong_free[0][0])])} has such facilities"
            part.wrong("except", wrong, "take its line out of the file, or the value out of this list")
            return None
        most = np.where((values == 0) & ~free & ~silent[:, None], 0, NO_MOST)
        return Invariant(name, place, query, values, exact=False, most=most)

    def _read_free(self, part: Section, kind: str, query: Query) -> Bools | None:
        """Return which answers are no facilities: nothing is said of them."""
        free = np.zeros(query.size, dtype=bool)
        if "except" not in part:
            return free
        labels: AnswerAxis | None = self.axes[query.name][0] if len(query.parts) == 1 else None
        if kind != "facilities" or labels is None:
            part.wrong("except", "goes with facilities of a query by one attribute or recode", "take it out")
            return None
        values = part.content["except"]
        known = list(labels.labels)
        if not isinstance(values, list) or not all(value in known for value in values):
            part.wrong("except", f"is {quote_value(values)}", f"write a list of values of {labels.name}")
            return None
        free[[known.index(value) for value in values]] = True
        return free


def _tells_all(query: Query) -> bool:
    """Say whether every answer is of one combination at the most that can be."""
    possible = ~query.schema.impossible.reshape(-1)
    return int(np.bincount(query.places[possible]).max()) <= 1


def _write_label(value: object) -> str:
    """Return a value as a csv file writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _locate(part: Section, kind: str, column: str, texts: pa.Array, known: tuple[str, ...] | list[str]) -> Ints | None:
    """Return the place of each text among those that are known, or note the first that is not."""
    places = pc.index_in(texts, value_set=pa.array(known, pa.string()))
    missing = np.flatnonzero(np.asarray(places.is_null()))
    if len(missing):
        row = int(missing[0])
        more = "" if len(missing) == 1 else f", and {len(missing) - 1} more"
        wrong = f"{column} {quote_value(texts[row].as_py() or '')} in row {row + 1} is not known{more}"
        part.wrong(kind, wrong, f"write names of {column} as they are elsewhere")
        return None
    return np.asarray(places, dtype=np.int64)
