"""The catalog's database: public facts alone, and no way out of it."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import sqlglot
from sqlglot import exp

from discreet.server.pg_catalog import catalog as module
from discreet.server.pg_catalog.catalog import LookedUp, PublicCatalog
from discreet.server.pg_catalog.relations import list_keywords, list_procedures, list_relations, list_types
from discreet.server.pg_catalog.rewritten import LookUpError
from discreet.server.wire.reading import parse_postgres
from support.clinic import open_clinic
from support.wire_recording import SETTINGS

if TYPE_CHECKING:
    from servers.postgres import Cluster


LONG = "SELECT COUNT(*) FROM pg_attribute a, pg_attribute b, pg_am c WHERE a.attname || c.amname < b.attname"
"""It takes seconds where nobody stops it."""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicCatalog]:
    with (
        closing(open_clinic(tmp_path_factory.mktemp("clinic"), analysts=True, analyst="alice")) as curator,
        closing(PublicCatalog(curator.tables, "alice", "PostgreSQL 15.0")) as found,
    ):
        yield found


def look_up(catalog: PublicCatalog, text: str) -> LookedUp:
    tree = parse_postgres(text)
    if tree is None:
        raise LookUpError("this cannot be read")
    return catalog.look_up(tree, SETTINGS)


def test_tables_have_no_rows_in_it(catalog: PublicCatalog) -> None:
    for table in ("visits", "patients", "wards", "adults"):
        assert look_up(catalog, f"SELECT COUNT(*) FROM {table}").rows == ((0,),)


def test_only_the_analyst_and_the_roles_of_every_database_are_listed(catalog: PublicCatalog) -> None:
    names = {str(row[0]) for row in look_up(catalog, "SELECT rolname FROM pg_roles").rows}
    assert {name for name in names if not name.startswith("pg_")} == {"postgres", "alice"}
    assert look_up(catalog, "SELECT current_user, session_user, user").rows == (("alice",) * 3,)


@pytest.mark.parametrize("words", ["now()", "CURRENT_TIMESTAMP", "CURRENT_DATE", "LOCALTIMESTAMP"])
def test_the_time_is_told_in_utc(catalog: PublicCatalog, words: str) -> None:
    before = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    found = look_up(catalog, f"SELECT {words}").rows[0][0]
    after = dt.datetime.now(dt.UTC).replace(tzinfo=None)
    if words == "CURRENT_DATE":
        assert found in (before.date(), after.date())
    else:
        assert isinstance(found, dt.datetime)
        assert before <= found.replace(tzinfo=None) <= after


def test_sizes_are_those_that_the_policy_declares(catalog: PublicCatalog) -> None:
    found = dict(look_up(catalog, "SELECT relname, reltuples FROM pg_class WHERE relnamespace = 2200").rows)  # type: ignore[arg-type, var-annotated]
    assert found == {"visits": 1e6, "patients": 1e6, "wards": -1, "prices": -1, "adults": -1}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT * FROM information_schema.nothing",
        "SELECT * FROM pgc.pg_class",
        "SELECT * FROM main.x",
        "SELECT * FROM other.public.visits",
        "SELECT getenv('HOME')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT repeat('x', 1000000000)",
        "SELECT lpad('x', 1000000000)",
        "SELECT * FROM query('SELECT 1')",
        "SELECT * FROM query_table('x')",
        "SELECT nextval('x')",
        "SELECT read_text('/etc/passwd')",
        "SELECT setseed(0.5)",
        "SELECT current_setting('secret_directory')",
        "SELECT * FROM pragma_database_list()",
    ],
)
def test_nothing_outside_is_reached(catalog: PublicCatalog, text: str) -> None:
    with pytest.raises(LookUpError):
        look_up(catalog, text)


@pytest.mark.parametrize(
    "text",
    [
        "DROP TABLE public.visits",
        "INSERT INTO public.visits VALUES (1)",
        "ATTACH 'x'",
        "SET threads = 4",
        "COPY x TO 'y'",
    ],
)
def test_only_select_is_answered(catalog: PublicCatalog, text: str) -> None:
    tree = sqlglot.parse_one(text, dialect="duckdb")
    assert isinstance(tree, exp.Expr)
    with pytest.raises(LookUpError):
        catalog.look_up(tree, SETTINGS)


def test_the_database_itself_is_locked(catalog: PublicCatalog) -> None:
    base = catalog._base
    for text in (
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "SELECT * FROM read_csv('/etc/passwd')",
        "ATTACH '/tmp/x.db'",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "INSTALL httpfs",
    ):
        with pytest.raises(Exception, match=r"disabled|locked|Permission|Cannot|not allowed"):
            base.execute(text)


def test_long_look_ups_are_stopped(catalog: PublicCatalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 0.1)
    began = time.monotonic()
    with pytest.raises(LookUpError) as refused:
        look_up(catalog, LONG)
    assert refused.value.code == "57014"
    assert time.monotonic() - began < 5
    assert look_up(catalog, "SELECT 1").rows == ((1,),)


def test_large_results_are_refused(catalog: PublicCatalog) -> None:
    with pytest.raises(LookUpError) as refused:
        look_up(catalog, "SELECT a.attname FROM pg_attribute a, pg_attribute b")
    assert refused.value.code == "54000"


def test_a_look_up_can_be_stopped_from_another_thread(catalog: PublicCatalog) -> None:
    timer = threading.Timer(0.2, catalog.interrupt)
    timer.start()
    with pytest.raises(LookUpError):
        look_up(catalog, LONG)
    timer.join()


def test_settings_are_those_of_the_connection(catalog: PublicCatalog) -> None:
    tree = parse_postgres("SELECT setting FROM pg_settings WHERE name = 'application_name'")
    assert tree is not None
    for name in ("one", "two"):
        assert catalog.look_up(tree, {**SETTINGS, "application_name": name}).rows == ((name,),)


def test_columns_are_named_as_postgresql_names_them(catalog: PublicCatalog) -> None:
    text = (
        "SELECT 1, current_user, version(), count(*), 'a'::text, CASE WHEN true THEN 1 END, oid FROM pg_am GROUP BY oid"
    )
    names = [name for name, _ in look_up(catalog, text).columns]
    assert names == ["?column?", "current_user", "version", "count", "text", "case", "oid"]


def test_the_shape_is_that_of_a_real_postgresql(postgres: Cluster) -> None:
    with postgres.connect() as connection:
        if connection.info.server_version // 10_000 != 15:
            pytest.skip("another version has another catalog")
        real = connection.execute(
            "SELECT n.nspname || '.' || c.relname, array_agg(a.attname::text ORDER BY attnum) FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND attnum > 0 "
            "WHERE n.nspname IN ('pg_catalog', 'information_schema') AND relkind IN ('r', 'v') GROUP BY 1"
        ).fetchall()
        assert dict(real) == {name: [each for each, _, _ in found.columns] for name, found in list_relations().items()}
        types: dict[int, str] = dict(
            connection.execute("SELECT oid::int8, typname::text FROM pg_type WHERE oid < 10000").fetchall()
        )
        assert all(types.get(each.oid) == each.values["typname"] for each in list_types() if each.oid < 10_000)
        functions: dict[int, str] = dict(connection.execute("SELECT oid::int8, proname::text FROM pg_proc").fetchall())
        assert all(functions[oid] == name for oid, name, _, _ in list_procedures())
        words = {row[0] for row in connection.execute("SELECT word FROM pg_get_keywords()")}
        assert words == set(list_keywords())
