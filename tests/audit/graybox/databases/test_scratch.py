"""An owner's tables, read as questions see them, and curators over them whose ledgers are thrown away."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.audit.graybox import make_neighbours, replay
from discreet.audit.graybox.databases.scratch import make_scratch_policy, open_scratch, read_tables
from discreet.curator import Curator
from discreet.policy import Policy, load, loads
from support import clinic

CSV = """\
[budget]
epsilon = 1.0
delta = 1e-9
[tables.sales]
source = "sales.csv"
unit = "who"
size = 1000
max_rows = 2
hidden = ["secret"]
[tables.sales.columns]
who = { type = "text" }
amount = { type = "decimal(9, 2)", lower = 0, upper = 100 }
price = { type = "float", lower = 0, upper = 9 }
day = { type = "date" }
at = { type = "timestamp" }
paid = { type = "boolean" }
pieces = { type = "integer", lower = 0, upper = 9 }
secret = { type = "text" }
"""

ROWS = """\
who,amount,price,day,at,paid,pieces,secret
ada,1.25,2.5,2025-01-02,2025-01-02 03:04:05,true,3,x
bob,what,nan,2025-13-02,,false,99999999999999999999,y
,7,1,2025-01-03,2025-01-03 00:00:00,true,1,z
"""


def write_csv(folder: Path) -> Policy:
    (folder / "policy.toml").write_text(CSV)
    (folder / "sales.csv").write_text(ROWS)
    return load(folder / "policy.toml")


def test_a_private_csv_file_is_read_in_the_types_that_its_policy_declares(tmp_path: Path) -> None:
    policy = write_csv(tmp_path)
    table = read_tables(policy, None, 100)["sales"]
    assert table.column("who").to_pylist() == ["ada", "bob", None]
    assert table.column("amount").to_pylist() == [Decimal("1.25"), None, Decimal("7.00")]
    assert table.column("day").to_pylist() == [dt.date(2025, 1, 2), None, dt.date(2025, 1, 3)]
    assert table.column("at").to_pylist()[0] == dt.datetime(2025, 1, 2, 3, 4, 5)
    assert table.column("pieces").to_pylist() == [3, None, 1]
    with open_scratch(make_scratch_policy(policy), {"sales": table}) as curator:
        answer = curator.ask("SELECT SUM(amount), COUNT(*) FROM sales", 1.0)
        assert len(answer.rows) == 1
        assert "secret" not in str(curator.tables)
        folder = curator.policy.path.parent
        assert folder.exists()
        assert folder != tmp_path
    assert not folder.exists(), "the ledger is thrown away"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["policy.toml", "sales.csv"]


def test_of_large_tables_the_same_people_are_taken_in_all_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.audit.graybox.databases.scratch.MOST_PEOPLE", 20)
    clinic.write_tables(tmp_path)
    (tmp_path / "policy.toml").write_text(clinic.write_policy(files=True))
    found = read_tables(load(tmp_path / "policy.toml"), None, 100)
    visits, patients = (set(found[name].column("patient_id").to_pylist()) for name in ("visits", "patients"))
    assert len(visits) == 20
    assert visits == patients
    whole = clinic.make_tables()["visits"]
    expected = sum(value in visits for value in whole.column("patient_id").to_pylist())
    assert len(found["visits"]) == expected, "all rows of whoever is taken"
    assert found["wards"].num_rows == 3


def test_tables_that_are_handed_over_are_taken_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text(clinic.write_policy())
    given = clinic.make_tables(clinic.VISITS[:9])
    found = read_tables(load(tmp_path / "policy.toml"), given, 100)
    assert all(found[name] is table for name, table in given.items())


def test_a_scratch_policy_has_no_source_no_server_and_no_caps(tmp_path: Path) -> None:
    pq.write_table(pa.table({"patient_id": [1]}), tmp_path / "visits.parquet")
    (tmp_path / "policy.toml").write_text(clinic.write_policy(files=True, analysts=True, version=None))
    policy = load(tmp_path / "policy.toml")
    scratch = make_scratch_policy(policy)
    assert scratch.analysts == ()
    assert {each.source for each in scratch.tables} == {None}
    assert {each.version for each in scratch.tables} == {"1"}
    assert (scratch.epsilon, scratch.delta, scratch.neighbours) == (policy.epsilon, policy.delta, policy.neighbours)


def test_an_error_that_names_the_folder_of_a_thrown_away_ledger_is_the_same_on_every_neighbour() -> None:
    neighbours = make_neighbours(
        loads(clinic.write_policy(), "owner/policy.toml"), clinic.make_tables(clinic.VISITS[:60])
    )

    def name_folder(curator: Curator) -> object:
        raise ValueError(f"nothing in {curator._holdings.policy.path}")

    report = replay(name_folder, neighbours.only("with unit of extremes"), clock=False)
    assert report.findings == ()
    assert "nothing in" in str(report.refused)
