"""The geography of a census spec, and the public numbers of its areas: read from files, what is wrong is noted."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.policy.model import DeclaredColumn
from discreet.policy.problems import Problems, quote_value
from discreet.policy.section import Section
from discreet.privacy.neighbours import Neighbours
from discreet.topdown.spec.files import PublicColumns, PublicFolder, read_counts
from discreet.topdown.spec.invariants import NO_MOST, Invariant
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.reading_schema import Axes
from discreet.topdown.spec.recodes import AnswerAxis
from discreet.topdown.spec.spine import Spine, build_spine, regroup_level

KINDS = ("exact", "at_least", "facilities")
KEYS = ("level", "query", *KINDS, "except")
COUNT = "count"
"""The column with the numbers of an invariant's file."""


def note_error(problems: Problems, error: ParameterError) -> None:
    """Note what a check complains about, in the form that all problems have."""
    got = str(error).rpartition("; got ")[2]
    deep = 2 if error.name.startswith("geography.regroup.") else 1
    problems.add(error.name.split(".", deep), f"is {got}", f"it must be {error.allowed}")


def read_levels(root: Section) -> tuple[str, ...]:
    """Return the names of the levels, the whole first: columns of the geography's file."""
    section = root.section("geography", ("file", "levels", "regroup"))
    levels = section.texts("levels")
    if len(levels) < 2 or len(set(levels)) < len(levels):
        remedy = 'write at least two columns of the file, the whole first, such as levels = ["Country", "County"]'
        section.wrong("levels", f"is {quote_value(list(levels))}", remedy)
        return ()
    return levels


def read_spine(
    root: Section, levels: tuple[str, ...], folder: PublicFolder, column: DeclaredColumn | None
) -> Spine | None:
    """Return the tree of areas, with the levels regrouped that are to be; None where something is wrong."""
    section = root.section("geography", ("file", "levels", "regroup"))
    if "file" not in section:
        section.wrong("file", "is missing", 'write a file with a row for each smallest area, as in file = "areas.csv"')
        return None
    columns = folder.read(section, "file", levels)
    if columns is None:
        return None
    wanted = section.section("regroup", levels[1:-1])
    sizes = {level: wanted.whole(level) for level in levels[1:-1] if level in wanted}
    try:
        spine = build_spine(levels, [columns[level] for level in levels])
        for level, children in sizes.items():
            if children is not None:
                spine = regroup_level(spine, level, children)
    except ParameterError as error:
        note_error(section.problems, error)
        return None
    _check_bounds(section, spine, column)
    return spine


def _check_bounds(section: Section, spine: Spine, column: DeclaredColumn | None) -> None:
    """Refuse smallest areas beyond the policy's bounds of their column: nobody could be counted there."""
    if column is None or not isinstance(column.lower, Fraction) or not isinstance(column.upper, Fraction):
        return
    for name in spine.geography.leaves.areas:
        if not name.isdecimal() or not column.lower <= int(name) <= column.upper:
            wrong = f"{quote_value(name)} is outside of the policy's bounds of the column {quote_value(column.name)}"
            section.wrong("file", wrong, "widen lower and upper there, or take them out")
            return


def _tells_all(query: Query) -> bool:
    """Say whether every answer is of one combination at the most that can be."""
    possible = ~query.schema.impossible.reshape(-1)
    return int(np.bincount(query.places[possible]).max()) <= 1


@dataclass(frozen=True)
class InvariantReader:
    """Reads the invariants of a spec whose other parts are known."""

    folder: PublicFolder
    spine: Spine
    queries: tuple[Query, ...]
    axes: Axes
    neighbours: Neighbours

    def read_all(self, root: Section) -> tuple[Invariant, ...]:
        """Return the invariants; what is wrong is left out and noted."""
        section = root.section("invariants", None)
        found = [self.read(name, part) for name, part in section.sections(KEYS)]
        return tuple(each for each in found if each is not None)

    def read(self, name: str, part: Section) -> Invariant | None:
        """Return one invariant, or None where something is wrong with it, which is noted."""
        level, query = self._find_level(part), self._find_query(part)
        kinds = [kind for kind in KINDS if kind in part]
        if len(kinds) != 1:
            wrong = "names no file" if not kinds else f"has {' and '.join(kinds)}"
            part.wrong((), wrong, 'write one of exact = "FILE", at_least = "FILE" and facilities = "FILE"')
            return None
        kind = kinds[0]
        if kind == "exact" and self.neighbours is Neighbours.ADD_REMOVE:
            wrong = "no two neighbours share exact totals where one has a person more: nothing would be promised"
            remedy = 'write neighbours = "replace" in the policy, or take it out; at_least and facilities may stay'
            part.wrong("exact", wrong, remedy)
            return None
        if level is None or query is None:
            return None
        if kind == "exact" and level == self.spine.geography.leaves.name and _tells_all(query):
            wrong = "it gives every count of every smallest area: no two neighbours share them, so nothing is promised"
            part.wrong("exact", wrong, "name a query with fewer attributes, or a level above")
            return None
        free = self._read_free(part, kind, query)
        columns = self.folder.read(part, kind, [level, *(axis.name for axis in self.axes[query.name]), COUNT])
        if free is None or columns is None:
            return None
        return self._fill(name, part, kind, level, query, columns, free)

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
            part.wrong("except", f"{quote_value(areas[int(wrong_free[0][0])])} has such facilities", "take it out")
            return None
        most = np.where((values == 0) & ~free & ~silent[:, None], 0, NO_MOST)
        return Invariant(name, place, query, values, exact=False, most=most)

    def _find_level(self, part: Section) -> str | None:
        names = [each.name for each in self.spine.geography.levels]
        level = part.text("level", f"write one of {', '.join(names)}")
        if level not in names:
            wrong = "is missing" if level is None else f"is {quote_value(level)}, no level"
            part.wrong("level", wrong, f"write one of {', '.join(names)}")
            return None
        if level in self.spine.regrouped:
            wrong = f"{quote_value(level)} is regrouped, and its published areas are not those that are measured"
            part.wrong("level", wrong, "state the numbers of another level, or take it out of geography.regroup")
            return None
        return level

    def _find_query(self, part: Section) -> Query | None:
        name = part.text("query", "write the name of a query")
        found = next((each for each in self.queries if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self.queries)
            wrong = "is missing" if name is None else f"is {quote_value(name)}, no query"
            part.wrong("query", wrong, f"write one of {known}")
        return found

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
