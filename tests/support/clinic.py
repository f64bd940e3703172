"""A small clinic for tests: visits of patients, public wards, a policy, and a curator over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from discreet.curator import Curator

Visit = tuple[int | None, int | None, float | None, str | None]
"""patient, age, cost, ward."""

POLICY = """\
[budget]
epsilon = {epsilon}
delta = {delta}

[privacy]
neighbours = "{neighbours}"

[tables.visits]
unit = "patient_id"
size = 1_000_000
version = "1"
{limits}
[tables.visits.columns]
age  = {{ lower = 0, upper = 110 }}
cost = {{ lower = 0, upper = 5000, step = 0.01 }}
ward = {{ values = ["north", "south", "icu"] }}

[tables.wards]
public = true
version = "1"
"""

ANALYSTS = """
[analysts.alice]
epsilon = 1.0
[analysts.bob]
epsilon = 0.5
"""

LIMITS = "max_rows = 3\nmax_groups = 2"
WARDS = pa.table({"ward": ["north", "south", "icu"], "city": ["Aachen", "Bonn", "Bonn"], "beds": [40, 30, 12]})

VISITS: list[Visit] = [
    (
        patient,
        20 + (7 * patient + visit) % 80,
        100.0 * (1 + (patient + visit) % 9),
        ("north", "south", "icu")[visit % 3],
    )
    for patient in range(400)
    for visit in range(1 + patient % 3)
]
"""Four hundred patients with one to three visits each: nobody is over the limits."""


def visits(rows: Sequence[Visit]) -> pa.Table:
    """Return rows as a table."""
    types = (pa.int64(), pa.int64(), pa.float64(), pa.string())
    names = ("patient_id", "age", "cost", "ward")
    columns = [[row[place] for row in rows] for place in range(4)]
    return pa.table({name: pa.array(column, kind) for name, column, kind in zip(names, columns, types, strict=True)})


def clinic(
    folder: Path,
    rows: Sequence[Visit] = VISITS,
    *,
    analyst: str | None = None,
    analysts: bool = False,
    epsilon: float = 3.0,
    delta: float = 1e-9,
    neighbours: str = "add-remove",
    limits: str = LIMITS,
) -> Curator:
    """Write a policy into the folder, create its ledger where there is none, and open it over these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.toml"
    text = POLICY.format(epsilon=epsilon, delta=delta, neighbours=neighbours, limits=limits)
    path.write_text(text + (ANALYSTS if analysts else ""))
    if not (folder / ".discreet" / "ledger.db").exists():
        Curator.init(path)
    return Curator.open(path, analyst, {"visits": visits(rows), "wards": WARDS})
