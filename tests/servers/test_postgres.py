"""The tests' own PostgreSQL: durable, killed and started again at will, and gone at the end."""

from __future__ import annotations

import psycopg
import pytest

from servers.postgres import Cluster


@pytest.mark.slow
def test_what_was_committed_outlives_a_crash_of_the_server(postgres: Cluster, database: str) -> None:
    with postgres.connect(database) as session:
        session.execute("CREATE TABLE kept AS SELECT 1 AS x")
    postgres.stop("immediate")
    with pytest.raises(psycopg.OperationalError):
        postgres.connect(database)
    postgres.start()
    with postgres.connect(database) as session:
        assert session.execute("SELECT x FROM kept").fetchall() == [(1,)]
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            assert session.execute(f"SHOW {setting}".encode()).fetchone() == ("on",)
        assert session.execute("SHOW server_encoding").fetchone() == ("UTF8",)


def test_it_does_not_run_as_root(postgres: Cluster) -> None:
    assert (postgres.folder / "data" / "postmaster.pid").stat().st_uid != 0


def test_roles_other_than_the_superuser_need_their_password(postgres: Cluster, database: str) -> None:
    with postgres.connect() as session:
        session.execute("CREATE ROLE guest LOGIN PASSWORD 'right'")
    postgres.connect(database, user="guest", password="right").close()
    for host in ({}, {"host": "127.0.0.1"}):
        with pytest.raises(psycopg.OperationalError):
            postgres.connect(database, user="guest", password="wrong", **host)


def test_nothing_is_left_of_a_cluster_that_was_removed() -> None:
    cluster = Cluster()
    cluster.remove()
    assert not cluster.folder.exists()
    with pytest.raises(psycopg.OperationalError):
        cluster.connect()
