"""The clinic that the page about SQL asks: two private tables of the same people, two public ones, and a view."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa

from discreet.curator import Curator

POLICY = """\
[budget]
epsilon = 10_000.0
delta = 1e-7

[tables.visits]
unit = "patient_id"
identifies = "patient"
size = 1000
max_rows = 6
max_groups = 4
version = "1"
[tables.visits.columns]
age = { lower = 0, upper = 110 }
cost = { lower = 0, upper = 1000, step = 0.01 }
quantity = { lower = 0, upper = 9 }
ward = { values = ["north", "south", "icu"] }
day = { lower = 2025-01-01, upper = 2026-12-31 }

[tables.patients]
unit = "patient_id"
identifies = "patient"
size = 1000
max_rows = 1
version = "1"
[tables.patients.columns]
sex = { values = ["f", "m"] }

[tables.wards]
public = true
version = "1"
[tables.prices]
public = true
version = "1"

[views.adults]
sql = "SELECT * FROM visits WHERE age >= 18"
"""
WARDS = ["north", "south", "icu"]
FIRST = dt.date(2025, 1, 1)


def tables(people: int = 300) -> dict[str, pa.Table]:
    """Return generated tables: up to four visits each, and a few doctors, one of whom saw nearly everybody."""
    rows = [(person, visit) for person in range(people) for visit in range(1 + person % 4)]
    visits = {
        "patient_id": pa.array([person for person, _ in rows], pa.int64()),
        "age": pa.array([(person * 7 + visit) % 95 for person, visit in rows], pa.int64()),
        "cost": pa.array([float((person * 13 + visit * 101) % 900) for person, visit in rows], pa.float64()),
        "quantity": pa.array([(person + visit) % 5 for person, visit in rows], pa.int64()),
        "ward": pa.array([WARDS[(person + visit) % 3] for person, visit in rows], pa.string()),
        "day": pa.array([FIRST + dt.timedelta(days=(person * 3 + visit) % 700) for person, visit in rows], pa.date32()),
        "at": pa.array([dt.datetime(2025, 1, 1 + visit, person % 24) for person, visit in rows], pa.timestamp("us")),
        "doctor": pa.array(["Adler" if visit == 0 else f"Dr {person}" for person, visit in rows], pa.string()),
    }
    patients = {
        "patient_id": pa.array(range(people), pa.int64()),
        "sex": pa.array(["f" if person % 2 else "m" for person in range(people)], pa.string()),
        "born": pa.array([dt.date(1950 + person % 60, 1, 1) for person in range(people)], pa.date32()),
    }
    prices = {
        "ward": [ward for ward in WARDS for _ in range(2)],
        "item": ["bed", "meal"] * 3,
        "price": pa.array([100, 10, 90, 9, 400, 12], pa.int64()),
    }
    wards = {"ward": WARDS, "city": ["Aachen", "Bonn", "Bonn"], "beds": pa.array([40, 30, 12], pa.int64())}
    return {name: pa.table(each) for name, each in _named(visits, patients, wards, prices)}


def _named(*each: dict[str, object]) -> list[tuple[str, dict[str, object]]]:
    return list(zip(("visits", "patients", "wards", "prices"), each, strict=True))


def opened(folder: Path) -> Curator:
    """Write the policy into a folder and open it over the generated tables."""
    path = folder / "policy.toml"
    path.write_text(POLICY)
    Curator.init(path)
    return Curator.open(path, tables=tables())
