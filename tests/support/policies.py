"""What the tests of policies share: the owner's example, small policies, and their refusals line by line."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import Policy, loads

EXAMPLE = """\
[budget]
epsilon = 3.0
delta = 1e-9

[privacy]
neighbours = "add-remove"          # or "replace"

[tables.visits]
source = "visits/*.parquet"        # parquet, csv, a duckdb database file; pandas / polars / arrow tables from Python
unit = "patient_id"                # or rows_are_units = true; one of the two is required
identifies = "patient"             # tables with the same word speak of the same people; default: the unit column's name
size = 1_000_000                   # public order of magnitude; required where delta > 0
version = "2026-03"                # the operator's name for this state of the data
max_rows = 20                      # per unit in the whole table
max_groups = 5                     # per unit in one question; max_rows_per_group likewise
[tables.visits.columns]            # csv needs a type each; other sources bring their own
age  = { lower = 0, upper = 110 }
cost = { lower = 0, upper = 5000, step = 0.01 }
ward = { values = ["north", "south", "icu"] }

[tables.wards]
source = "wards.csv"
public = true

[analysts.alice]
epsilon = 1.0
"""

FILE = "owner/policy.toml"


def read(text: str) -> Policy:
    return loads(text, FILE)


def refusals(text: str) -> list[str]:
    """Return the lines of the error that the text gives, each without the name of the file that it must begin with."""
    with pytest.raises(PolicyError) as found:
        read(text)
    return lines_of(found.value)


def lines_of(error: PolicyError) -> list[str]:
    lines = str(error).split("\n")
    assert all(line.startswith(f"{FILE}: ") for line in lines)
    return [line.removeprefix(f"{FILE}: ") for line in lines]


def refusal(text: str) -> str:
    """Return the one line of the error that the text gives."""
    (line,) = refusals(text)
    return line


def table(body: str, columns: str = "", budget: str = "epsilon = 1.0") -> str:
    """Return a policy with one table `t`, of one row per unit unless the body says otherwise."""
    if not any(word in body for word in ("unit", "public")):
        body += "\nrows_are_units = true"
    return f"[budget]\n{budget}\n[tables.t]\n{body}\n[tables.t.columns]\n{columns}\n"
