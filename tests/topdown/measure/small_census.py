"""A small census that tests measure: people in blocks, tracts and a whole, some of whose rows are left out."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.base.wide import Ints
from discreet.curator import Curator
from discreet.topdown.measure.asked import AskedQuery
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.queries import Query, QueryPart
from discreet.topdown.spec.schema import Attribute, CensusSchema

BLOCKS = ("01", "02", "1x", "A", "Ärm", "zz9", "zz10")
"""Names of different lengths and letters; nobody lives in A."""

TRACTS = ("one", "two", "three")

GEOGRAPHY = Geography(
    (
        Level("all", ("all",), np.array([0])),
        Level("tract", TRACTS, np.array([0, 0, 0])),
        Level("block", BLOCKS, np.array([0, 0, 0, 1, 2, 2, 2])),
    )
)

SEX = Attribute("sex", ("f", "m"))
AGE = Attribute("age", (0, 1, 2))
VOTES = Attribute("votes", (False, True))
SCHEMA = CensusSchema((SEX, AGE, VOTES))

TOTAL = Query("total", SCHEMA)
ADULT = Query("adult", SCHEMA, (QueryPart(1, (0, 1, 1)),))
SEX_AGE = Query("sex by age", SCHEMA, (QueryPart(0, (0, 1)), QueryPart(1, (0, 1, 2))))
DETAIL = Query("detail", SCHEMA, (QueryPart(0, (0, 1)), QueryPart(1, (0, 1, 2)), QueryPart(2, (0, 1))))

Person = tuple[int | None, str | None, str | None, int | None, bool | None]
"""person, block, sex, age, votes"""

PEOPLE: list[Person] = [
    (number, BLOCKS[place], "fm"[number % 2], (number * 7 // 3) % 3, number % 5 < 2)
    for number, place in enumerate(place for place, many in enumerate((9, 5, 1, 0, 3, 14, 2)) for _ in range(many))
]

ODD: list[Person] = [
    (1000, "nowhere", "f", 0, True),
    (1001, "zz 9", "f", 0, True),
    (1002, "01 ", "m", 1, True),
    (1003, "001", "m", 1, True),
    (1004, "0", "m", 1, True),
    (1005, "", "m", 1, True),
    (1006, None, "f", 2, False),
    (1007, "01", "x", 0, True),
    (1008, "01", "f", 3, True),
    (1009, "01", None, 0, True),
    (1010, "01", "f", None, True),
    (1011, "01", "f", 0, None),
    (1012, "aRM", "f", 0, True),
    (1013, "Arm", "f", 0, True),
    (None, "01", "f", 0, True),
]
"""Rows of no area, of no cell or of nobody: none of them is counted."""

POLICY = """\
[budget]
epsilon = {epsilon}
delta = {delta}
[privacy]
neighbours = "{neighbours}"
[tables.people]
{unit}
size = 100_000
version = "1"
[tables.towns]
public = true
version = "1"
"""


def write_policy(
    *,
    epsilon: float = 200.0,
    delta: float = 1e-9,
    neighbours: str = "add-remove",
    unit: str = 'unit = "person"\nmax_rows = 1',
    ledger: str | None = None,
) -> str:
    """Return the text of a policy; `ledger` names the variable that says where its ledger is, where that is no file."""
    text = POLICY.format(epsilon=epsilon, delta=delta, neighbours=neighbours, unit=unit)
    return text if ledger is None else f'{text}[ledger]\ndsn_env = "{ledger}"\n'


def make_people(rows: Sequence[Person] = (*PEOPLE, *ODD)) -> pa.Table:
    """Return people as a table."""
    kinds = (pa.int64(), pa.string(), pa.string(), pa.int64(), pa.bool_())
    columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
    names = ("person", "block", "sex", "age", "votes")
    made = {name: pa.array(list(each), kind) for name, each, kind in zip(names, columns, kinds, strict=True)}
    number = [BLOCKS.index(block) * 10 if block in BLOCKS else -7 for _, block, *_ in rows]
    return pa.table(made | {"number": pa.array(number, pa.int64())})


def make_tables(rows: Sequence[Person] = (*PEOPLE, *ODD)) -> dict[str, pa.Table]:
    """Return the tables of the policy."""
    return {"people": make_people(rows), "towns": pa.table({"name": ["here"]})}


def open_census(folder: Path, rows: Sequence[Person] = (*PEOPLE, *ODD), **how: Any) -> Curator:
    """Return a curator of these people, with a ledger in the folder: a new one where there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.toml"
    path.write_text(write_policy(**how))
    made = folder / "made"
    if not made.exists():
        Curator.init(path)
        made.touch()
    return Curator.open(path, tables=make_tables(rows))


def list_asked(rho: Fraction = Fraction(3), queries: Sequence[Query] = (TOTAL, ADULT, DETAIL)) -> list[AskedQuery]:
    """Return these queries at every level, with equal parts of rho."""
    many = len(queries) * len(GEOGRAPHY.levels)
    return [AskedQuery(level, query, rho / many) for level in range(len(GEOGRAPHY.levels)) for query in queries]


def count_exactly(level: int, query: Query, rows: Sequence[Person] = PEOPLE) -> Ints:
    """Return the exact answers by counting person by person."""
    found = np.zeros((len(GEOGRAPHY.levels[level]), query.size), dtype=np.int64)
    for _, block, sex, age, votes in rows:
        assert block is not None
        area = int(GEOGRAPHY.ancestors[level][BLOCKS.index(block)])
        place = 0
        for part in query.parts:
            value = (sex, age, votes)[part.attribute]
            assert value is not None
            place = place * part.size + part.groups[SCHEMA.attributes[part.attribute].find_place(value)]
        found[area, place] += 1
    return found
