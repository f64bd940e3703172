"""The clinic of `discreet demo`: 100,000 invented patients with a million visits, the same each time."""

from __future__ import annotations

from pathlib import Path

SEED, PATIENTS, VISITS = 20260301, 100_000, 1_000_000
WARDS = ("cardiology", "emergency", "geriatrics", "maternity", "surgery")
BUSY = (0.22, 0.34, 0.16, 0.1, 0.18)
PRICES = (900.0, 350.0, 700.0, 1200.0, 2100.0)

POLICY = """\
[budget]
epsilon = 3.0                  # the most that all answers together may cost
delta = 1e-9

[tables.visits]
source = "visits.parquet"
unit = "patient_id"            # a patient is protected with all visits
size = 1_000_000
version = "2026-03"
max_rows = 25                  # visits of one patient; further ones are left out
[tables.visits.columns]
age       = { lower = 0, upper = 110 }
sex       = { values = ["f", "m"] }
ward      = { values = ["cardiology", "emergency", "geriatrics", "maternity", "surgery"] }
cost      = { lower = 0, upper = 5000, step = 0.01 }
stay_days = { lower = 0, upper = 60 }

[tables.wards]
source = "wards.csv"
public = true                  # about nobody
[tables.wards.columns]
beds = { type = "integer" }
"""

CITIES = """\
ward,city,beds
cardiology,Lindau,60
emergency,Lindau,45
geriatrics,Bregenz,80
maternity,Bregenz,35
surgery,Lindau,70
"""


def generate(folder: Path, patients: int = PATIENTS, visits: int = VISITS) -> Path:
    """Write the clinic's tables and its policy into a folder, and return the policy's path."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet

    chance = np.random.default_rng(SEED)
    ages = np.clip(chance.gamma(5.0, 9.0, patients), 0, 109).astype(np.int64)
    sexes = chance.random(patients) < 0.53
    who = chance.integers(0, patients, visits)
    ward = chance.choice(len(WARDS), visits, p=BUSY)
    cost = np.array(PRICES)[ward] * chance.gamma(2.0, 0.5, visits) + 3.0 * ages[who]
    stay = np.minimum(chance.poisson(1.0 + ages[who] / 25.0), 60)
    days = np.datetime64("2025-01-01") + chance.integers(0, 365, visits)
    table = pa.table(
        {
            "patient_id": pa.array(who + 1),
            "age": pa.array(ages[who]),
            "sex": pa.array(np.where(sexes[who], "f", "m")),
            "ward": pa.array(np.array(WARDS)[ward]),
            "cost": pa.array(np.round(np.minimum(cost, 5000.0), 2)),
            "stay_days": pa.array(stay),
            "visited": pa.array(days, pa.date32()),
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table, folder / "visits.parquet")
    (folder / "wards.csv").write_text(CITIES, encoding="utf-8")
    policy = folder / "policy.toml"
    policy.write_text(POLICY, encoding="utf-8")
    return policy
