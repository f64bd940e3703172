"""A program of its own over a finished release: whether its files are exactly what they should be.

It shares nothing with what made them. The microdata are counted by an engine, in SQL, with the areas of the public
list and the groups of the spec, and set beside every table, row by row: so all tables agree with one another, at every
level. The counts of all cells go to `solve.checking`, which says whether they are whole, possible, and keep every
invariant.
"""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from discreet.answers.drawing import write_number
from discreet.base.errors import DiscreetError
from discreet.base.later import Later
from discreet.base.showing import ShownAsText
from discreet.topdown.release import microdata
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.rows import CSV, name_axis
from discreet.topdown.solve.checking import check_release
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.reading import read_spec
from discreet.topdown.spec.recodes import AnswerAxis

duckdb = Later("duckdb")

MOST_WORDS = 20
MEMORY = "2GB"
"""What the engine may use."""

NUMBERS = ("count", "low", "high", "margin", "gls", "gls_margin")
"""Columns of a table after those of its labels."""

WHOLE = "CASE WHEN regexp_full_match(count, '-?[0-9]+') THEN TRY_CAST(count AS BIGINT) END"
"""A count of a csv file: NULL where it is written as anything but a whole number, which a cast alone would round."""

CASTS = {str: "VARCHAR", bool: "BOOLEAN", int: "BIGINT"}

CheckWatch = Callable[[str, int, int], None]


@dataclass(frozen=True, repr=False)
class CheckedRelease(ShownAsText):
    """What was found: nothing wrong, or where and what."""

    folder: Path
    tables: int
    rows: int
    people: int
    wrong: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "exact": self.is_exact,
            "tables": self.tables,
            "rows": self.rows,
            "people": self.people,
            "wrong": list(self.wrong),
        }

    def __str__(self) -> str:
        counted = f"{self.tables} tables with {self.rows:,} rows, microdata of {write_number(self.people)} people"
        if self.is_exact:
            return f"{self.folder}: {counted}: all exact, consistent at every level, and every invariant holds"
        return "\n".join([f"{self.folder}: {counted}: {len(self.wrong)} things are wrong", *self.wrong[:MOST_WORDS]])


def check(
    release: CensusRelease | str | Path, spec: CensusSpec | str | Path | None = None, watch: CheckWatch | None = None
) -> CheckedRelease:
    """Check a finished release against its spec: by default the one that it was made with, where it lay then."""
    found = release if isinstance(release, CensusRelease) else CensusRelease.open(release)
    asked = spec if isinstance(spec, CensusSpec) else read_spec(found.told["file"] if spec is None else spec)
    if asked.digest != found.told["spec"]:
        raise DiscreetError(f"{asked.path} is not the spec that {found.folder} was made with; name that one")
    connection = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": tempfile.gettempdir()})
    try:
        _register(connection, found, asked)
        wrong = _check_cells(connection, asked)
        rows = 0
        for place, each in enumerate(found.told["tables"]):
            told, counted = _check_table(connection, found, asked, each["level"], each["query"])
            wrong += told
            rows += counted
            if watch is not None:
                watch("checking tables", place + 1, len(found.told["tables"]))
        people = connection.execute("SELECT count(*) FROM people").fetchone()[0]
    finally:
        connection.close()
    if people != found.told["people"]:
        wrong.append(f"{microdata.FILE}: {people:,} rows, not {found.told['people']:,}")
    return CheckedRelease(found.folder, len(found.told["tables"]), rows, people, tuple(wrong))


def _register(connection: Any, release: CensusRelease, spec: CensusSpec) -> None:
    """Name the microdata, the areas of each level, and the groups of each axis."""
    path = str(release.folder / microdata.FILE).replace("'", "''")
    connection.execute(f"CREATE VIEW people AS SELECT * FROM read_parquet('{path}')")
    leaves = spec.geography.leaves.areas
    columns: dict[str, Any] = {"leaf": pa.array(list(leaves)), "place": pa.array(np.arange(len(leaves)))}
    for place, level in enumerate(spec.geography.levels):
        known = spec.spine.find_published(level.name)
        names = np.array([*known.areas, None], dtype=object)
        columns[f"area_{place}"] = pa.array(names[known.places].tolist(), pa.string())
    connection.register("areas", pa.table(columns))
    connection.execute("CREATE TABLE leaves AS SELECT * FROM areas")


def _check_cells(connection: Any, spec: CensusSpec) -> list[str]:
    """Return what is wrong with the counts of all cells at every level."""
    cell = "0"
    for attribute in spec.schema.attributes:
        cases = " ".join(f"WHEN {_quote(value)} THEN {place}" for place, value in enumerate(attribute.values))
        cell = f"({cell}) * {len(attribute.values)} + CASE {_name(attribute.name)} {cases} END"
    sql = (
        f"SELECT place, {cell} AS cell, count(*) AS n FROM people JOIN leaves ON leaf = {_name(spec.area)}::VARCHAR "
        "GROUP BY ALL"
    )
    found = connection.execute(sql).fetchnumpy()
    shape = (len(spec.geography.leaves), spec.schema.cells)
    if np.ma.is_masked(found["cell"]):
        return [f"{microdata.FILE}: some people have values that no attribute has"]
    leaves = sparse.csr_array(
        (np.asarray(found["n"], dtype=np.int64), (np.asarray(found["place"]), np.asarray(found["cell"]))), shape=shape
    )
    ones = np.ones(shape[0], dtype=np.int64)
    counts = []
    for place, level in enumerate(spec.geography.levels):
        owners = spec.geography.ancestors[place]
        counts.append(sparse.csr_array((ones, (owners, np.arange(shape[0]))), shape=(len(level), shape[0])) @ leaves)
    told = check_release(spec.geography, spec.schema, spec.invariants, [each.tocsr() for each in counts])
    return [f"{each.level} {each.area}: {each.what}" for each in told]


def _check_table(
    connection: Any, release: CensusRelease, spec: CensusSpec, level: str, query: str
) -> tuple[list[str], int]:
    """Return what is wrong with a table beside the microdata, and how many rows it has: one part at a time."""
    path = release.find_file(level, query)
    if not path.exists():
        return [f"{path}: is missing"], 0
    place = spec.geography.find_level(level)
    axes = spec.axes[spec.find_query(query).name]
    names = [f"label_{number}" for number in range(len(axes))]
    labels = [f"{_write_label(spec, each.name)} AS {name}" for each, name in zip(axes, names, strict=True)]
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE counted AS SELECT area_{place} AS area, {', '.join([*labels, 'count(*) AS n'])} "
        f"FROM people JOIN leaves ON leaf = {_name(spec.area)}::VARCHAR WHERE area_{place} IS NOT NULL GROUP BY ALL"
    )
    keys = ", ".join(["area", *names])
    rows, people, areas = 0, 0, 0
    wrong: list[str] = []
    for part in sorted(path.glob(f"*{path.suffix}")) if path.is_dir() else [path]:
        told = _write_reading(part, axes)
        if told is None:
            wrong.append(f"{part}: has other columns than a table of this query")
            continue
        beside = f"(SELECT {keys}, coalesce(n, 0) AS n, count FROM {told} LEFT JOIN counted USING ({keys}))"
        off = "count(*) FILTER (WHERE count IS DISTINCT FROM n)"
        sample = f"first(({keys}, n, count)::VARCHAR) FILTER (WHERE count IS DISTINCT FROM n)"
        different = f"count(DISTINCT hash({keys}))"
        sql = f"SELECT count(*), sum(n), count(DISTINCT area), {different}, {off}, {sample} FROM {beside}"
        try:
            many, found, here, unlike, strange, first = connection.execute(sql).fetchone()
        except duckdb.Error as error:
            wrong.append(f"{part}: cannot be read ({' '.join(str(error).split())[:100]})")
            continue
        rows, people, areas = rows + many, people + int(found or 0), areas + here
        if strange:
            wrong.append(f"{part}: {strange:,} rows are not what the microdata have, such as {first}")
        if unlike != many and (twice := _count_twice(connection, told, keys)):
            wrong.append(f"{part}: {twice:,} rows are there twice")
    published = len(spec.spine.find_published(level).areas)
    expected = published * _count_answers(spec, query)
    if rows != expected or areas != published:
        wrong.append(f"{path}: {rows:,} rows of {areas:,} areas, not {expected:,} of {published:,}")
    (everybody,) = connection.execute("SELECT coalesce(sum(n), 0) FROM counted").fetchone()
    if people != everybody and not wrong:
        wrong.append(f"{path}: holds {people:,} of {everybody:,} people")
    return wrong, rows


def _write_reading(part: Path, axes: Sequence[AnswerAxis]) -> str | None:
    """Return SQL for a part of a table: area, labels and count. None for csv with other columns.

    Of csv every cell is a text: nothing is guessed, and labels are those of the microdata once these are read as what
    they are. A count that is no whole number is none.
    """
    columns = [name_axis(each) for each in axes]
    names = [f"label_{number}" for number in range(len(axes))]
    if part.suffix != f".{CSV}":
        own = [f"{_name(column)} AS {name}" for column, name in zip(columns, names, strict=True)]
        return f"(SELECT {', '.join(['area', *own, 'count'])} FROM read_parquet({_quote(str(part))}))"
    whole = ["level", "area", *columns, *NUMBERS]
    with part.open(encoding="utf-8", newline="") as file:
        if next(csv.reader(file), []) != whole:
            return None
    own = [
        f"{_name(column)}::{CASTS[type(axis.labels[0])]} AS {name}"
        for column, name, axis in zip(columns, names, axes, strict=True)
    ]
    kinds = ", ".join(f"{_quote(column)}: 'VARCHAR'" for column in whole)
    how = "header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', allow_quoted_nulls = false"
    read = f"read_csv({_quote(str(part))}, columns = {{{kinds}}}, {how})"
    return f"(SELECT {', '.join(['area', *own, f'{WHOLE} AS count'])} FROM {read})"


def _count_twice(connection: Any, told: str, keys: str) -> int:
    """Return how many rows are there more than once: for certain, where hashes say that there may be some."""
    (found,) = connection.execute(f"SELECT count(*) - count(DISTINCT ({keys})) FROM {told}").fetchone()
    return int(found)


def _count_answers(spec: CensusSpec, query: str) -> int:
    """Return how many answers of a query somebody can be counted in."""
    asked = spec.find_query(query)
    return len(set(asked.places[~spec.schema.impossible.reshape(-1)].tolist()))


def _write_label(spec: CensusSpec, name: str) -> str:
    """Return SQL for what an attribute, or a group of one, is called in a table."""
    for recode in spec.recodes:
        if recode.name == name:
            attribute = spec.schema.attributes[recode.attribute]
            cases = " ".join(
                f"WHEN {_quote(value)} THEN {_quote(recode.labels[group])}"
                for value, group in zip(attribute.values, recode.groups, strict=True)
            )
            return f"CASE {_name(attribute.name)} {cases} END"
    return _name(name)


def _name(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _quote(value: str | int | bool) -> str:
    if isinstance(value, str):
        doubled = value.replace("'", "''")
        return f"'{doubled}'"
    return str(value)
