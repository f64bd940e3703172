"""Plain DuckDB beside the bounded plan: the same text over the same rows, those without a unit taken out.

No limit binds here and every value lies on its grid, so that both must agree to the last digit.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa

from discreet.curator.estimates.finished import Finished, finish_beside, make_values
from discreet.curator.release.released import Released, ReleasedSet
from discreet.plan.beside import list_releases
from discreet.query.bound import Bounded, bound
from discreet.query.price_several import price_several
from support.hospital import asked, catalog_of, engine_of

POLICY = """\
[budget]
epsilon = 10.0
delta = 1e-9

[tables.visits]
unit = "patient"
size = 1000
max_rows = 20
hidden = ["secret"]
[tables.visits.columns]
age = { lower = 0, upper = 110 }
cost = { lower = 0, upper = 100, step = 0.25 }
ward = { values = ["north", "south", "icu"] }

[tables.stays]
unit = "who"
identifies = "patient"
size = 1000
max_rows = 20
[tables.stays.columns]
days = { lower = 0, upper = 60 }
price = { lower = -50, upper = 100, step = 0.25 }

[tables.secrets]
unit = "patient"
size = 1000
max_rows = 20
hidden = ["patient"]
[tables.secrets.columns]
score = { lower = 0, upper = 9 }

[tables.staff]
unit = "employee"
size = 1000
max_rows = 20

[tables.people]
rows_are_units = true
size = 1000
[tables.people.columns]
age = { lower = 0, upper = 110 }

[tables.wards]
public = true
[tables.beds]
public = true

[views.adults]
sql = "SELECT * FROM visits WHERE age >= 18"
[views.totals]
sql = "SELECT patient, SUM(cost) AS total, COUNT(*) AS n FROM adults GROUP BY patient"
"""

WARDS = pa.table({"ward": ["north", "south", "icu"], "floor": pa.array([1, 2, 2], pa.int64()), "city": ["A", "B", "B"]})
BEDS = pa.table({"ward": ["north", "north", "south", "attic"], "bed": pa.array([1, 2, 3, 4], pa.int64())})


def _tables() -> dict[str, pa.Table]:
    draw = random.Random(11)
    visits: list[tuple[Any, ...]] = []
    stays: list[tuple[Any, ...]] = []
    secrets: list[tuple[Any, ...]] = []
    for patient in [*range(40), None]:
        for _ in range(draw.randint(0, 5)):
            ward = draw.choice(["north", "south", "icu"])
            cost = draw.choice([None, draw.randint(0, 400) / 4])
            visits.append((patient, draw.choice([None, draw.randint(0, 99)]), cost, ward, draw.random() < 0.5, "x"))
        for _ in range(draw.randint(0, 3)):
            stays.append((patient, draw.randint(0, 60), draw.randint(-200, 400) / 4, draw.choice(["north", "icu"])))
        secrets.append((patient, draw.randint(0, 9)))
    names = {
        "visits": ("patient", "age", "cost", "ward", "sick", "secret"),
        "stays": ("who", "days", "price", "ward"),
        "secrets": ("patient", "score"),
    }
    rows = {"visits": visits, "stays": stays, "secrets": secrets}
    made = {
        name: pa.table({column: pa.array([row[place] for row in rows[name]]) for place, column in enumerate(columns)})
        for name, columns in names.items()
    }
    staff = pa.table({"employee": pa.array([1, 2], pa.int64()), "patient": pa.array([1, 2], pa.int64())})
    people = pa.table({"age": pa.array([3, 30, 60], pa.int64())})
    return {**made, "staff": staff, "people": people, "wards": WARDS, "beds": BEDS}


TABLES = _tables()
ENGINE = engine_of(POLICY, TABLES)
UNITS = {"visits": "patient", "stays": "who", "secrets": "patient", "staff": "employee"}

PLAIN = duckdb.connect(":memory:", config={"threads": 1})
for _name, _table in TABLES.items():
    PLAIN.register("given", _table)
    _kept = f" WHERE {UNITS[_name]} IS NOT NULL" if _name in UNITS else ""
    PLAIN.execute(f"CREATE TABLE {_name} AS SELECT * FROM given{_kept}").fetchall()
for _view in ENGINE.policy.views:
    PLAIN.execute(f"CREATE VIEW {_view.name} AS {_view.sql}").fetchall()


def exactly(text: str) -> list[tuple[Any, ...]]:
    """Return the rows that a question would have without any noise."""
    question = asked(ENGINE, text)
    question = replace(question, beside=tuple(replace(each, pick=None) for each in question.beside))
    found = [bound(replace(each, pick=None), catalog_of(ENGINE)) for each in list_releases(question).questions]
    priced = price_several(tuple(found), ENGINE.policy, epsilon=Fraction(1))
    first, *others = (_release(each) for each in found)
    released = replace(first, beside=tuple(others))
    values = make_values(question, priced, released)
    return [row for _, row in Finished(question, priced, values, finish_beside(question, priced, released)).rows]


def _release(bounded: Bounded) -> Released:
    exact = ENGINE.run(bounded.plan).result()
    return Released(tuple(ReleasedSet(each.sums, keys=each.keys) for each in exact.sets))


def assert_same(text: str) -> None:
    """Compare with DuckDB; keys that no row has are there too, with nothing in them."""
    ours, theirs = exactly(text), PLAIN.execute(text).fetchall()
    assert len(theirs) > 0
    ours = [_rounded(row) for row in ours]
    missing = [row for row in map(_rounded, theirs) if row not in ours]
    assert not missing, (missing, ours)
    known = [_rounded(row) for row in theirs]
    for row in ours:
        assert row in known or any(value in (0, None) for value in row), (row, known)


def _rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        round(float(value), 6) if isinstance(value, int | float) and value is not True else value for value in row
    )
