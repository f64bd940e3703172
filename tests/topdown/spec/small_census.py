"""A small census for tests: a country of two regions and four towns, with a policy, public files and a spec."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from discreet.base.errors import PolicyError
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.reading import read_spec

POLICY = """\
[budget]
epsilon = 20
delta = 1e-9
[privacy]
neighbours = "replace"
[tables.people]
source = "people.parquet"
unit = "person"
max_rows = 1
size = 1000
hidden = ["secret"]
[tables.people.columns]
adult = { values = ["no", "yes"] }
[tables.towns]
source = "areas.csv"
public = true
"""

AREAS = """\
Country,Region,Town
land,north,11
land,north,12
land,south,21
land,south,22
"""

SPEC = """\
[census]
table = "people"
area = "town"

[budget]
rho = "5/2"
delta = 1e-10

[geography]
file = "areas.csv"
levels = ["Country", "Region", "Town"]

[attributes]
kind = ["home", "prison", "school"]
adult = ["no", "yes"]

[recodes.facility]
attribute = "kind"
groups = { home = ["home"], facility = ["prison", "school"] }

[zeros.young_prisoners]
kind = ["prison"]
adult = ["no"]

[queries]
total = []
kind = ["kind"]
facility = ["facility"]
detailed = ["kind", "adult"]

[levels.Country]
share = "1/2"
queries = { total = "2/3", detailed = "1/3" }
[levels.Region]
share = 0.25
queries = { facility = 1 }
[levels.Town]
share = "1/4"
queries = { kind = "1/7", detailed = "6/7" }

[invariants."region totals"]
level = "Region"
query = "total"
exact = "totals.csv"

[invariants.facilities]
level = "Town"
query = "kind"
facilities = "facilities.csv"
except = ["home"]
"""

FILES = {
    "policy.toml": POLICY,
    "areas.csv": AREAS,
    "totals.csv": "Region,count\nnorth,100\nsouth,50\n",
    "facilities.csv": "Town,kind,count\n11,prison,2\n22,school,1\n22,prison,1\n",
}


def write_census(folder: Path, *changes: tuple[str, str], **files: str) -> Path:
    """Write the small census with changes of its spec (what is there, what is to stand there), and other files."""
    spec = SPEC
    for old, new in changes:
        assert spec.count(old) == 1, old
        spec = spec.replace(old, new)
    written: Mapping[str, str] = FILES | {name.replace("_", "."): text for name, text in files.items()}
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "census.toml").write_text(spec, encoding="utf-8")
    return folder / "census.toml"


def read_census(folder: Path, *changes: tuple[str, str], **files: str) -> CensusSpec:
    return read_spec(write_census(folder, *changes, **files))


def refuse_census(folder: Path, *changes: tuple[str, str], **files: str) -> list[str]:
    """Return the lines of the error, each without the file's name."""
    path = write_census(folder, *changes, **files)
    with pytest.raises(PolicyError) as found:
        read_spec(path)
    lines = str(found.value).split("\n")
    assert all(line.startswith(f"{path}: ") for line in lines), lines
    return [line.removeprefix(f"{path}: ") for line in lines]
