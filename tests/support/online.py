"""A register whose counts are answered one by one: people with several rows each, and some values that are odd."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import discreet
from discreet.answers import Answer
from discreet.curator import Curator

POLICY = """\
[budget]
epsilon = {epsilon}
delta = {delta}
{least}
[tables.cases]
{unit}
size = 1_000_000
version = "{version}"

[tables.cases.columns]
sex = {{ values = ["f", "m"] }}
age = {{ lower = 0, upper = {oldest} }}
risk = {{ values = [true, false] }}
area = {{ values = ["a", "b", "c", "d", "e", "f", "g", "h"] }}
{online}
{analysts}
"""

ONLINE = """
[tables.cases.online]
columns = ["sex", "age", "risk", "area"]
epsilon = {most}
"""

SMALL = '[tables.cases.online]\ncolumns = ["sex", "age"]\nepsilon = 100.0\n'
ANALYSTS = "[analysts.alice]\nepsilon = 100.0\n[analysts.bob]\nepsilon = {bob}\n"
FIRST = "SELECT COUNT(*) AS n FROM cases WHERE sex = 'f' AND age = 1"
OTHER = "SELECT COUNT(*) AS n FROM cases WHERE sex = 'm' AND age = 2"

UNITS = 'unit = "person"\nmax_rows = 2'
ROWS = "rows_are_units = true"
AREAS = ("a", "b", "c", "d", "e", "f", "g", "h")


def make_cases(people: int = 3_000, seed: int = 1) -> pa.Table:
    """Return cases: a person has one to four rows; some values are NULL, and some are none of the declared ones."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), rng.integers(1, 5, people))
    count = len(person)
    sex = rng.choice(np.array(["f", "m", "x", None]), count, p=[0.5, 0.45, 0.03, 0.02])
    age = rng.choice([0, 1, 2, 3, 4, -1], count, p=[0.3, 0.3, 0.2, 0.16, 0.02, 0.02])
    risk = rng.choice(np.array([True, False, None]), count, p=[0.3, 0.68, 0.02])
    area = rng.choice([*AREAS, "z"], count, p=[0.3, 0.2, 0.1, 0.1, 0.1, 0.08, 0.06, 0.04, 0.02])
    return pa.table(
        {
            "person": pa.array(person, pa.int64()),
            "sex": pa.array(sex.tolist(), pa.string()),
            "age": pa.array(age, pa.int64()),
            "risk": pa.array(risk.tolist(), pa.bool_()),
            "area": pa.array(area.tolist(), pa.string()),
        }
    )


def open_cases(
    folder: Path,
    *,
    unit: str = UNITS,
    epsilon: float = 100.0,
    delta: float = 0.0,
    most: float = 100.0,
    online: bool = True,
    version: str = "1",
    analysts: str = "",
    analyst: str | None = None,
    more: str = "",
    oldest: int = 3,
    table: pa.Table | None = None,
) -> Curator:
    """Write a policy, create its ledger where there is none, and open it as everybody does: by `discreet.Curator`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.toml"
    declared = ONLINE.format(most=most) + more if online else ""
    said: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "unit": unit, "version": version, "least": ""}
    said["oldest"] = oldest
    path.write_text(POLICY.format(**said, online=declared, analysts=analysts))
    if not (folder / ".discreet" / "ledger.db").exists():
        discreet.Curator.init(path)
    return discreet.Curator.open(path, analyst, {"cases": make_cases() if table is None else table})


def open_small(folder: Path, **how: object) -> Curator:
    """Open the register with a histogram of sex and age: 3 x 5 cells."""
    how.setdefault("more", SMALL)
    declared = str(how.pop("more")) + str(how.pop("named", ""))
    return open_cases(folder, online=False, analysts=declared, **how)  # type: ignore[arg-type]


def spend(curator: Curator, much: float = 20.0) -> None:
    """Pay for direct answers: ten of an ordinary price, and a dear one, which no histogram is bought for."""
    curator.ask(FIRST, 0.1)
    for _ in range(9):
        curator.ask(FIRST, 0.1, fresh=True)
    curator.ask(FIRST, much)


def read_way(answer: Answer) -> str:
    """Return which way answered, as the answer itself says."""
    first = answer.notes[0] if answer.notes else ""
    return "histogram" if "noisy histogram" in first else "inferred" if "by inference" in first else "direct"


def list_histograms(curator: Curator) -> list[int]:
    """Return the charges of histograms that were bought."""
    charges = [entry for entry in curator.ledger.entries() if entry.kind == "CHARGE"]
    return [entry.number for entry in charges if "CASE WHEN" in entry.body["text"]]
