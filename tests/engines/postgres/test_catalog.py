"""The catalog tells what columns there are, refuses what no snapshot holds still, and notices every write."""

from __future__ import annotations

import time

import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.postgres.catalog import CatalogRelation, Stored, find, writes
from discreet.engines.postgres.session import ServerFacts
from engines.postgres.placed import DECLARED, PATH, Placed


def found(name: str, schema: str = "public") -> CatalogRelation:
    with ServerFacts(PATH, DECLARED).connect() as session:
        return find(session, schema, name, lambda wrong, remedy: PolicyError(f"{wrong}; {remedy}"))


def refused(name: str) -> str:
    with pytest.raises(PolicyError) as told:
        found(name)
    return str(told.value)


def state(name: str) -> str | None:
    relation = found(name)
    with ServerFacts(PATH, DECLARED).connect() as session:
        return writes(session, relation)


def test_columns_have_types_and_decimals_their_digits(placed: Placed) -> None:
    placed.owner.execute("CREATE DOMAIN price AS numeric(6, 2)")
    placed.owner.execute(
        "CREATE TABLE t (a int2, b numeric(10, 3), c numeric, d numeric(3, -2), e numeric(2, 5), f price, g json)"
    )
    relation = found("t")
    assert not relation.view
    assert relation.columns == {
        "a": Stored("int2", Type.INTEGER),
        "b": Stored("numeric", Type.DECIMAL, (7, 3)),
        "c": Stored("numeric", Type.DECIMAL),
        "d": Stored("numeric", Type.DECIMAL, (5, -2)),
        "e": Stored("numeric", Type.DECIMAL, (-3, 5)),
        "f": Stored("numeric", Type.DECIMAL, (4, 2)),
        "g": Stored("json", None),
    }


@pytest.mark.parametrize(
    "view",
    [
        "SELECT 1 AS u WHERE random() < 0.5",
        "SELECT u FROM t ORDER BY gen_random_uuid() LIMIT 1",
        "SELECT u FROM t WHERE lucky(u)",
        "SELECT sum(lucky(u)::int) AS u FROM t GROUP BY u",
        "SELECT u FROM t TABLESAMPLE BERNOULLI (50)",
        "SELECT u FROM t WHERE u ||| 3",
    ],
)
def test_a_view_that_differs_each_time_is_refused(placed: Placed, view: str) -> None:
    placed.owner.execute("CREATE TABLE t (u int)")
    placed.owner.execute(
        "CREATE FUNCTION lucky(int) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN true; END $$"
    )
    placed.owner.execute(
        "CREATE FUNCTION both_(int, int) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN true; END $$"
    )
    placed.owner.execute("CREATE OPERATOR ||| (LEFTARG = int, RIGHTARG = int, FUNCTION = both_)")
    placed.owner.execute(f"CREATE VIEW inner_ AS {view}".encode())
    placed.owner.execute("CREATE VIEW v AS SELECT * FROM inner_")
    for name in ("v", "inner_"):
        assert "the view calls a volatile function, so that it differs each time; leave functions" in refused(name)
    placed.owner.execute("CREATE MATERIALIZED VIEW m AS SELECT * FROM v")
    assert not found("m").view


def test_a_view_of_stable_functions_is_taken(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int, x text)")
    placed.owner.execute("CREATE VIEW v AS SELECT u, upper(x) AS x, count(*) FROM t GROUP BY u, x HAVING u > 0")
    assert found("v").view


def test_foreign_tables_are_refused_wherever_they_stand(placed: Placed) -> None:
    placed.owner.execute("CREATE FOREIGN DATA WRAPPER far; CREATE SERVER away FOREIGN DATA WRAPPER far")
    placed.owner.execute("CREATE FOREIGN TABLE f (u int) SERVER away")
    placed.owner.execute("CREATE VIEW v AS SELECT * FROM f; CREATE VIEW w AS SELECT * FROM v")
    placed.owner.execute("CREATE TABLE p (u int) PARTITION BY LIST (u)")
    placed.owner.execute("CREATE FOREIGN TABLE part PARTITION OF p DEFAULT SERVER away")
    for name in ("f", "v", "w", "p"):
        assert "it is a foreign table, or has one behind it; copy the rows into a table" in refused(name)


def changed(placed: Placed, name: str, statement: str) -> bool:
    """Say whether the state changes within the time that PostgreSQL takes to count."""
    before = state(name)
    placed.owner.execute(statement.encode())
    placed.owner.execute("SELECT pg_stat_force_next_flush()")
    for _ in range(600):
        if state(name) != before:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {} VALUES (3)",
        "UPDATE {} SET u = 9 WHERE u = 1",
        "DELETE FROM {} WHERE u = 1",
        "TRUNCATE {}",
        "INSERT INTO part VALUES (1)",
    ],
)
def test_every_write_changes_the_state(placed: Placed, statement: str) -> None:
    placed.owner.execute("CREATE TABLE t (u int) PARTITION BY RANGE (u)")
    placed.owner.execute("CREATE TABLE part PARTITION OF t DEFAULT")
    placed.owner.execute("INSERT INTO t VALUES (1), (2); SELECT pg_stat_force_next_flush()")
    time.sleep(0.2)
    first = state("t")
    assert first is not None
    assert state("t") == first
    assert changed(placed, "t", statement.format("t"))


def test_reading_and_writing_elsewhere_do_not_change_the_state(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int); INSERT INTO t VALUES (1); CREATE TABLE other (u int)")
    placed.owner.execute("SELECT pg_stat_force_next_flush()")
    time.sleep(0.2)
    before = state("t")
    for statement in (
        "SELECT * FROM t",
        "INSERT INTO other VALUES (1)",
        "VACUUM t",
        "SELECT pg_stat_force_next_flush()",
    ):
        placed.owner.execute(statement.encode())
    time.sleep(0.3)
    assert state("t") == before


def test_a_refreshed_materialized_view_has_another_state(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int); CREATE MATERIALIZED VIEW m AS SELECT u FROM t")
    assert changed(placed, "m", "REFRESH MATERIALIZED VIEW m")


@pytest.mark.parametrize("reset", ["pg_stat_reset()", "pg_stat_reset_shared('bgwriter')"])
def test_counts_that_begin_anew_are_another_state(placed: Placed, reset: str) -> None:
    """As many other writes as before would look like no writes. A crash sets the second one back, and all counts."""
    placed.owner.execute("CREATE TABLE t (u int)")
    assert changed(placed, "t", f"SELECT {reset}")


def test_views_and_tables_without_counts_have_no_state(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t (u int); CREATE VIEW v AS SELECT u FROM t")
    assert state("v") is None
    placed.owner.execute(f"ALTER DATABASE {placed.name} SET track_counts = off".encode())
    assert state("t") is None
