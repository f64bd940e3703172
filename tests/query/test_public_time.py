"""Public times: from the plan, the policy and declared sizes alone, and long enough for what is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.curator import Curator
from support.clinic import write_policy, write_tables

SMALL = "SELECT COUNT(*) FROM visits"
WIDE = "SELECT ward, age, COUNT(*), SUM(cost), AVG(age) FROM visits WHERE UPPER(doctor) LIKE '%A%' GROUP BY ward, age"


def find_time(folder: Path, sql: str, rows: int = 400, change: tuple[str, str] = ("", "")) -> float:
    folder.mkdir()
    write_tables(folder, [(patient, 30, 100.0, "icu") for patient in range(rows)])
    path = folder / "policy.toml"
    path.write_text(write_policy(files=True, analysts=True).replace(*change))
    Curator.init(path)
    with Curator.open(path, "alice", served=True) as curator:
        session = curator.session()
        found = session.find_public_time(session.prepare(sql, 0.1).operation.plans())
    assert found is not None
    return found


def test_rows_that_are_there_change_nothing(tmp_path: Path) -> None:
    assert find_time(tmp_path / "few", SMALL, 3) == find_time(tmp_path / "many", SMALL, 5000)


def test_declared_sizes_questions_and_patience_do(tmp_path: Path) -> None:
    usual = find_time(tmp_path / "usual", SMALL)
    assert find_time(tmp_path / "large", SMALL, change=("size = 1_000_000", "size = 9_000_000")) > usual
    assert find_time(tmp_path / "wide", WIDE) > usual
    patient = ("[tables.patients]", "[server]\npatience = 4\n[tables.patients]")
    assert find_time(tmp_path / "patient", SMALL, change=patient) >= 4 * usual


@pytest.mark.parametrize("sql", [SMALL, WIDE])
def test_times_are_quarters_of_a_second_doubled(tmp_path: Path, sql: str) -> None:
    seconds = 4 * find_time(tmp_path / "clinic", sql)
    assert seconds == 2 ** round(seconds).bit_length() / 2


def test_only_who_is_served_has_one(tmp_path: Path) -> None:
    folder = tmp_path
    write_tables(folder)
    path = folder / "policy.toml"
    path.write_text(write_policy(files=True, analysts=True))
    Curator.init(path)
    with Curator.open(path, "alice") as curator:
        session = curator.session()
        assert session.find_public_time(session.prepare(SMALL, 0.1).operation.plans()) is None
