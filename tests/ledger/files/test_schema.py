"""The layout: strict tables under this program's own mark, with a count of entries that SQLite keeps itself."""

from __future__ import annotations

import sqlite3

import pytest

from discreet.ledger.files.schema import APPLICATION, SCHEMA, VERSION


@pytest.fixture
def db() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    return connection


def test_the_file_says_what_it_is(db: sqlite3.Connection) -> None:
    assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
    assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_every_table_is_strict(db: sqlite3.Connection) -> None:
    tables = db.execute("SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite%'").fetchall()
    assert len(tables) == 8
    assert all(strict for _, strict in tables)


def test_sqlite_remembers_the_highest_number_after_its_entry_is_gone(db: sqlite3.Connection) -> None:
    db.execute("INSERT INTO entries VALUES (5, '', '', '', '')")
    db.execute("DELETE FROM entries")
    assert db.execute("SELECT seq FROM sqlite_sequence").fetchall() == [(5,)]


@pytest.mark.parametrize("index", ["asked", "policies"])
def test_what_every_question_looks_up_is_found_by_an_index(db: sqlite3.Connection, index: str) -> None:
    query = {
        "asked": "SELECT * FROM charges WHERE question = 'q' AND record IS NOT NULL ORDER BY record DESC LIMIT 1",
        "policies": "SELECT number FROM entries WHERE kind IN ('CREATE', 'POLICY') ORDER BY number DESC LIMIT 1",
    }[index]
    plan = " ".join(row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))
    assert f"INDEX {index}" in plan
    assert "TEMP B-TREE" not in plan
    db.close()
