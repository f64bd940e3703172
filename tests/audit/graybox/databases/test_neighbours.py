"""Generated neighbours: one unit less, more or other, in all tables that speak of it, and nobody else's row changed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from discreet.audit.graybox import list_values, make_neighbours, replay
from discreet.audit.graybox.comparing.verdicts import PairRelation
from discreet.audit.graybox.databases.neighbours import ReplayDatabase
from discreet.audit.graybox.databases.people import find_new_unit, list_worst, make_array
from discreet.base.errors import ParameterError
from discreet.policy import loads
from support import clinic

VISITS = clinic.VISITS[:60]
TABLES = clinic.make_tables(VISITS)


LETTERS = """
[budget]
epsilon = 1000
[tables.visits]
unit = "patient_id"
max_rows = 2
version = "1"
[tables.visits.columns]
patient_id = { type = "text", longest = 3 }
"""


def make(relation: str = "add-remove") -> dict[str, ReplayDatabase]:
    found = make_neighbours(loads(clinic.write_policy(neighbours=relation), "owner/policy.toml"), TABLES)
    return {each.name: each for base, others in found.groups for each in (base, *others)}


def list_rows(database: ReplayDatabase, table: str) -> dict[Any, Counter[str]]:
    """Return the rows of each unit; days and moments as numbers, since Python has not all of them."""
    assert database.tables is not None
    found: dict[Any, Counter[str]] = {}
    columns = []
    for column in database.tables[table].columns:
        whole = pa.types.is_temporal(column.type)
        columns.append(
            column.cast(pa.int32() if pa.types.is_date32(column.type) else pa.int64()).to_pylist()
            if whole
            else column.to_pylist()
        )
    for row in zip(*columns, strict=True):
        found.setdefault(row[0], Counter())[repr(row[1:])] += 1
    return found


@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_neighbours_differ_in_one_unit_in_all_tables_and_in_nothing_else(relation: str) -> None:
    made = make(relation)
    differed = 0
    for name, other in made.items():
        if other.relation is PairRelation.SAME or name == "unit alone in the tables":
            continue
        base, alone = made["the database"], 1 if relation == "add-remove" else 2
        if name == "unit at the lower bounds in place of unit at the upper bounds":
            base, alone = made["the database with unit at the upper bounds"], 1  # of the same name, and with other rows
        assert other.relation.value == relation
        changed: set[Any] = set()
        for table in ("visits", "patients"):
            mine, theirs = list_rows(base, table), list_rows(other, table)
            changed |= {unit for unit in mine.keys() | theirs.keys() if mine.get(unit) != theirs.get(unit)}
        assert other.tables is not None
        assert other.tables["wards"] is TABLES["wards"]
        assert len(changed) == alone, name
        differed += 1
    assert differed == (11 if relation == "add-remove" else 9)


def test_people_are_heavy_extreme_empty_dear_and_at_the_bounds() -> None:
    made = make()
    new: dict[str, pa.Table] = {}
    for name, other in made.items():
        if name.startswith("with ") and other.tables is not None:
            visits = other.tables["visits"]
            mask = [value == 1_000_003 for value in visits.column("patient_id").to_pylist()]
            new[name] = visits.filter(pa.array(mask))
    assert len(new["with unit with many rows"]) > 6, "more than its limit"
    assert len(set(new["with unit of one row again and again"].column("at").to_pylist())) == 1
    assert set(new["with unit of NULL"].column("cost").to_pylist()) == {None}
    assert set(new["with unit at the upper bounds"].column("cost").to_pylist()) == {5000.0}
    assert set(new["with unit at the lower bounds"].column("age").to_pylist()) == {0}
    extreme = new["with unit of extremes"].column("cost").to_pylist()
    assert any(each is not None and each != each for each in extreme), "NaN"
    assert float("inf") in extreme
    assert {len(each) for each in new["with unit dear in time"].column("doctor").to_pylist()} == {1024}
    assert {len(each) for each in new["with unit dear in time"].column("ward").to_pylist()} == {5}


def test_databases_of_the_same_people_hold_the_same_rows_of_them() -> None:
    made = make()
    base = list_rows(made["the database"], "visits")
    assert list_rows(made["rows in another order"], "visits") == base
    nobody = list_rows(made["rows that name nobody"], "visits")
    assert nobody.pop(None).total() == 7
    assert nobody == base
    alone = made["unit alone in the tables"].tables
    assert alone is not None
    assert [len(alone[name]) for name in ("visits", "patients")] == [1, 1]
    assert len(alone["wards"]) == 3


def test_rows_that_are_units_come_and_go_one_by_one() -> None:
    text = '[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\nversion = "1"\n'
    text += "[tables.t.columns]\nx = { lower = 0, upper = 9 }\n"
    table = pa.table({"x": [1, 2, 3, 4]})
    found = make_neighbours(loads(text, "owner/policy.toml"), {"t": table})
    sizes = {
        len(each.tables["t"]) for each in found.groups[0][1] if each.tables and each.relation is not PairRelation.SAME
    }
    assert sizes == {3, 5}
    assert "with row of extremes" in found.names


def test_some_neighbours_can_be_chosen_and_a_wrong_name_is_refused() -> None:
    found = list_values({"all": [1, 2], "less": [1], "more": [1, 2, 3]})
    assert found.names == ("less", "more")
    assert found.only("more").names == ("more",)
    with pytest.raises(ParameterError, match="one of 'less', 'more'"):
        found.only("other")


@pytest.mark.parametrize(
    "kind",
    [
        pa.int8(),
        pa.uint64(),
        pa.float32(),
        pa.string(),
        pa.bool_(),
        pa.date32(),
        pa.timestamp("ns"),
        pa.decimal128(9, 2),
    ],
    ids=str,
)
def test_every_type_has_worst_values_and_a_name_that_nobody_has(kind: pa.DataType) -> None:
    worst = list_worst(kind)
    assert worst[-1] is None
    assert len(worst) >= 3
    assert len(make_array(worst, kind)) == len(worst)
    if not (pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        taken = pa.table({"u": make_array([find_new_unit([(pa.table({"u": make_array([], kind)}), "u")])], kind)})
        assert find_new_unit([(taken, "u")]) is not None


def test_where_all_names_are_taken_nobody_is_added() -> None:
    every = pa.table({"u": pa.array(range(-128, 128), pa.int16()).cast(pa.int8())})
    assert find_new_unit([(every, "u")]) is None


def test_somebody_new_has_a_name_that_questions_see() -> None:
    """A text with more letters than are declared is nobody's: neighbours with somebody more would be none."""
    visits = TABLES["visits"]
    place = visits.schema.get_field_index("patient_id")
    names = pa.array([None if each is None else str(each % 1000) for each in visits.column(place).to_pylist()])
    tables = {"visits": visits.set_column(place, "patient_id", names)}
    policy = loads(LETTERS, "owner/policy.toml")
    neighbours = make_neighbours(policy, tables).only("with unit with many rows")
    report = replay("SELECT COUNT(*) FROM visits", neighbours, clock=False).raise_if_any()
    assert [each.observed for each in report.moved if each.norm == "L1"] == [2]


def test_neighbours_are_shown_by_their_names_and_without_a_row() -> None:
    found = make_neighbours(loads(clinic.write_policy(), "owner/policy.toml"), TABLES)
    assert "with unit of extremes" in repr(found)
    assert "patient_id" not in repr(found)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"policy": 3}, "policy must be the path of a policy"),
        ({"tables": [1]}, "tables must be tables by their names"),
        ({"place": "x"}, "place must be a function that puts tables"),
        ({"most_rows": 0}, "most_rows must be"),
    ],
)
def test_what_makes_no_neighbours_is_refused(given: dict[str, Any], words: str) -> None:
    policy = given.pop("policy", loads(clinic.write_policy(), "owner/policy.toml"))
    with pytest.raises(ParameterError, match=words):
        make_neighbours(policy, given.pop("tables", TABLES), **given)
