"""The clinic that tests ask: visits, the patients who made them, public wards and prices, and a policy about them.

Its tables are generated and large enough for answers to be useful. The only other world that tests share is
`support/hospital.py`: a few rows written by hand, whose exact results are known, with everything that may be wrong in
a row, rows that are units, and a hidden column.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from discreet.curator import Curator

Visit = tuple[int | None, int | None, float | None, str | None]
"""patient, age, cost, ward; the other columns of a visit follow from these."""

POLICY = """\
[budget]
epsilon = {epsilon}
delta = {delta}

[privacy]
neighbours = "{neighbours}"           # or "replace"

[tables.visits]
{visits_source}unit = "patient_id"
identifies = "patient"
size = 1_000_000
{version}{limits}
[tables.visits.columns]
age  = {{ lower = 0, upper = 110 }}
cost = {{ lower = 0, upper = 5000, step = 0.01 }}
ward = {{ values = ["north", "south", "icu"] }}
quantity = {{ lower = 0, upper = 9 }}
day = {{ lower = 2025-01-01, upper = 2026-12-31 }}

[tables.patients]
{patients_source}unit = "patient_id"
identifies = "patient"             # the same people
size = 1_000_000
version = "1"
max_rows = 1
[tables.patients.columns]
sex = {{ values = ["f", "m"] }}

[tables.wards]
{wards_source}public = true
version = "1"
[tables.wards.columns]
beds = {{ type = "integer" }}

[tables.prices]
{prices_source}public = true
version = "1"
[tables.prices.columns]
price = {{ type = "integer" }}

[views.adults]
sql = "SELECT * FROM visits WHERE age >= 18"
"""

ANALYSTS = """
[analysts.alice]
epsilon = 1.0
[analysts.bob]
epsilon = 0.5
"""

FILES = {"visits": "visits.parquet", "patients": "patients.parquet", "wards": "wards.csv", "prices": "prices.csv"}
LIMITS = "max_rows = 3\nmax_groups = 2"
NAMES = ("north", "south", "icu")

WARDS = pa.table({"ward": NAMES, "city": ["Aachen", "Bonn", "Bonn"], "beds": [40, 30, 12]})
PRICES = pa.table(
    {
        "ward": [ward for ward in NAMES for _ in range(2)],
        "item": ["bed", "meal"] * 3,
        "price": [100, 10, 90, 9, 400, 12],
    }
)

VISITS: list[Visit] = [
    (patient, 20 + (7 * patient + visit) % 80, 100.0 * (1 + (patient + visit) % 9), NAMES[visit % 3])
    for patient in range(400)
    for visit in range(1 + patient % 3)
]
"""Four hundred patients with one to three visits each: nobody is over the limits."""

FIRST = dt.date(2025, 1, 1)


def write_policy(
    *,
    epsilon: float = 3.0,
    delta: float = 1e-9,
    neighbours: str = "add-remove",
    limits: str = LIMITS,
    version: str | None = "1",
    analysts: bool = False,
    files: bool = False,
) -> str:
    """Return the text of the policy: about tables handed over from Python, or about `files` beside it."""
    sources = {f"{name}_source": f'source = "{file}"\n' if files else "" for name, file in FILES.items()}
    named = "" if version is None else f'version = "{version}"\n'
    text = POLICY.format(epsilon=epsilon, delta=delta, neighbours=neighbours, limits=limits, version=named, **sources)
    return text + (ANALYSTS if analysts else "")


def make_visits(rows: Sequence[Visit] = VISITS) -> pa.Table:
    """Return visits as a table. Each row follows from its four values alone; one doctor saw half of all patients."""
    mixed = [(patient or 0) * 31 + (age or 0) for patient, age, _, _ in rows]
    columns: dict[str, tuple[Any, pa.DataType]] = {
        "patient_id": ([row[0] for row in rows], pa.int64()),
        "age": ([row[1] for row in rows], pa.int64()),
        "cost": ([row[2] for row in rows], pa.float64()),
        "ward": ([row[3] for row in rows], pa.string()),
        "quantity": ([each % 5 for each in mixed], pa.int64()),
        "day": ([FIRST + dt.timedelta(each % 700) for each in mixed], pa.date32()),
        "at": ([dt.datetime(2025, 1, 1 + each % 28, each % 24) for each in mixed], pa.timestamp("us")),
        "doctor": (["Adler" if each % 2 else f"Dr {each % 997}" for each in mixed], pa.string()),
    }
    return pa.table({name: pa.array(values, kind) for name, (values, kind) in columns.items()})


def make_tables(rows: Sequence[Visit] = VISITS) -> dict[str, pa.Table]:
    """Return all tables by name: these visits, the patients who made them, and the public ones."""
    return dict(_make_usual_tables()) if rows is VISITS else _make_tables(rows)


@functools.cache
def _make_usual_tables() -> dict[str, pa.Table]:
    return _make_tables(VISITS)


def _make_tables(rows: Sequence[Visit]) -> dict[str, pa.Table]:
    people = sorted({patient for patient, *_ in rows if patient is not None})
    patients = {
        "patient_id": pa.array(people, pa.int64()),
        "sex": pa.array(["f" if person % 2 else "m" for person in people], pa.string()),
        "born": pa.array([dt.date(1950 + person % 60, 1, 1) for person in people], pa.date32()),
    }
    return {"visits": make_visits(rows), "patients": pa.table(patients), "wards": WARDS, "prices": PRICES}


def write_tables(folder: Path, rows: Sequence[Visit] = VISITS) -> None:
    """Write the tables into files: the private ones as parquet, the public ones as csv."""
    for name, table in make_tables(rows).items():
        place = folder / FILES[name]
        if place.suffix == ".csv":
            pyarrow.csv.write_csv(table, place)
        else:
            pyarrow.parquet.write_table(table, place)


def open_clinic(folder: Path, rows: Sequence[Visit] = VISITS, *, analyst: str | None = None, **policy: Any) -> Curator:
    """Write a policy into the folder, create its ledger where there is none, and open it over these visits."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.toml"
    path.write_text(write_policy(**policy))
    if not (folder / ".discreet" / "ledger.db").exists():
        Curator.init(path)
    return Curator.open(path, analyst, make_tables(rows))
