"""Sessions read one state of the tables, write nothing, are set up alike whatever the server says, and keep secrets."""

from __future__ import annotations

import threading
import time
import traceback

import psycopg
import pytest

from discreet.base.errors import DiscreetError, PolicyError
from discreet.engines.postgres import session as module
from discreet.engines.postgres.session import OLDEST, SETTINGS, PostgresSession, ServerFacts, driver, settings
from discreet.policy.model import DeclaredEngine, EngineKind
from engines.postgres.placed import DECLARED, PATH, VARIABLE, Placed

SECRET = "a-password-that-nobody-sees"


def server() -> ServerFacts:
    return ServerFacts(PATH, DECLARED)


def refusal(placed: Placed) -> str:
    """Return what is said when no session can be had; the address is nowhere in it."""
    with pytest.raises(PolicyError) as found:
        server().connect()
    shown = "".join(traceback.format_exception(found.value)) + repr(found.value) + repr(server())
    for word in (SECRET, "127.0.0.1", "nobody_there", "no_such_database", "somebody", str(placed.cluster.folder)):
        assert word not in shown
    assert found.value.__cause__ is None
    assert found.value.__suppress_context__ or found.value.__context__ is None
    return str(found.value)


def test_a_session_sees_one_state_whatever_others_write(placed: Placed) -> None:
    placed.owner.execute("CREATE TABLE t AS SELECT 1 AS x")
    with server().connect() as session:
        assert session.rows("SELECT x FROM public.t") == [(1,)]
        placed.owner.execute("INSERT INTO t VALUES (2)")
        assert session.rows("SELECT x FROM public.t") == [(1,)]
    with server().connect() as session:
        assert session.rows("SELECT count(*) FROM public.t") == [(2,)]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO public.t VALUES (2)",
        "DELETE FROM public.t",
        "CREATE TABLE public.other (x int)",
        "DROP TABLE public.t",
        "SELECT nextval('public.s')",
        "SET TRANSACTION READ WRITE",
    ],
)
def test_a_session_writes_nothing(placed: Placed, statement: str) -> None:
    placed.owner.execute("CREATE TABLE t AS SELECT 1 AS x")
    placed.owner.execute("CREATE SEQUENCE s")
    with (
        server().connect() as session,
        pytest.raises((psycopg.errors.ReadOnlySqlTransaction, psycopg.errors.ActiveSqlTransaction)),
    ):
        session.rows(statement)
    assert placed.owner.execute("SELECT x FROM t").fetchall() == [(1,)]


def assert_pinned(session: PostgresSession) -> None:
    for name, value in zip(*settings(session.version), strict=True):
        assert session.rows("SELECT current_setting(%s)", name) == [(value,)], name


def test_what_only_newer_servers_know_is_set_there() -> None:
    assert "transaction_timeout" not in settings(150_000)[0]
    assert set(settings(170_000)[0]) == set(SETTINGS)


HOSTILE = {
    "timezone": "Asia/Tokyo",
    "datestyle": "German, DMY",
    "extra_float_digits": "-15",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
    "statement_timeout": "1h",
    "lock_timeout": "1h",
    "idle_in_transaction_session_timeout": "1h",
    "search_path": "public, pg_catalog",
    "row_security": "on",
    "jit": "on",
    "work_mem": "64kB",
    "default_transaction_isolation": "serializable",
    "default_transaction_read_only": "off",
    "client_encoding": "LATIN1",
}


@pytest.mark.parametrize("whose", ["DATABASE {}", "ROLE postgres IN DATABASE {}"])
def test_defaults_of_a_role_or_a_database_change_nothing(placed: Placed, whose: str) -> None:
    others = {"default_transaction_isolation", "default_transaction_read_only", "client_encoding", "work_mem"}
    assert set(SETTINGS) == HOSTILE.keys() - others | {"transaction_timeout"}
    for name, value in HOSTILE.items():
        written = value if name == "search_path" else f"'{value}'"
        placed.owner.execute(f"ALTER {whose.format(placed.name)} SET {name} = {written}".encode())
    with server().connect() as session:
        assert_pinned(session)
        assert session.rows("SHOW transaction_isolation") == [("repeatable read",)]
        assert session.rows("SHOW transaction_read_only") == [("on",)]
        assert session.rows("SHOW work_mem") == [("128MB",)]
        assert session.rows("SELECT length('\\')") == [(1,)]
        assert session.rows("SELECT '\u20ac'") == [("\u20ac",)]


SHADOWS = """
CREATE FUNCTION public.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT 'fooled' $$;
CREATE FUNCTION public.md5(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'fooled' $$;
CREATE FUNCTION public.equals(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT true $$;
CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.equals);
CREATE TABLE public.pg_class (oid oid, relname name, relnamespace oid, relkind "char");
CREATE TABLE public.pg_settings (name text);
CREATE DOMAIN public.float8 AS int;
CREATE DOMAIN public.text AS varchar(1);
"""


def test_nothing_in_a_schema_shadows_what_postgresql_has(placed: Placed) -> None:
    placed.owner.execute(f"ALTER DATABASE {placed.name} SET search_path = public, pg_catalog".encode())
    placed.owner.execute(SHADOWS)
    with server().connect() as session:
        assert_pinned(session)
        assert session.rows("SELECT md5('a'::text), 'a'::text = 'b'::text, '1.5'::float8") == [
            ("0cc175b9c0f1b6a831c399e269772661", False, 1.5)
        ]
        assert session.rows("SELECT count(*) > 100 FROM pg_class") == [(True,)]


def test_a_table_of_the_session_does_not_come_before_postgresqls_own() -> None:
    assert SETTINGS["search_path"].split(", ") == ["pg_catalog", "pg_temp"]


def test_a_limit_on_temporary_files_is_refused(placed: Placed) -> None:
    placed.owner.execute(f"ALTER DATABASE {placed.name} SET temp_file_limit = '1MB'".encode())
    assert "limits temporary files" in refusal(placed)


def test_the_variable_must_be_set_and_hold_an_address(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f"nonsense {SECRET} = '")
    assert f"{VARIABLE} holds no address of a database; write host=..." in refusal(placed)
    monkeypatch.delenv(VARIABLE)
    assert f"engine.dsn_env: the environment variable {VARIABLE} is not set; set it" in refusal(placed)
    named = ServerFacts(PATH, DeclaredEngine("warehouse", EngineKind.POSTGRES, dsn_env=VARIABLE))
    with pytest.raises(PolicyError, match=r"engines\.warehouse\.dsn_env"):
        named.connect()


def test_a_server_that_does_not_answer(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn(host="127.0.0.1", port=1, password=SECRET, user="reader"))
    assert "no server answers; check that the server runs" in refusal(placed)


def test_a_wrong_password_user_or_database(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    placed.role("somebody", "right")
    for given in ({"user": "somebody"}, {"user": "nobody_there"}):
        monkeypatch.setenv(VARIABLE, placed.cluster.dsn(placed.name, password=SECRET, **given))
        assert "the server refuses the connection; check the user, the password" in refusal(placed)
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn("no_such_database", password=SECRET))
    assert "the server refuses the connection" in refusal(placed)
    placed.owner.execute("DROP OWNED BY somebody")
    placed.owner.execute("DROP ROLE somebody")


def test_a_database_of_another_encoding_is_refused(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    placed.owner.execute("DROP DATABASE IF EXISTS latin")
    placed.owner.execute("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    monkeypatch.setenv(VARIABLE, placed.cluster.dsn("latin"))
    assert "the encoding of the database is not UTF8; create the database with ENCODING 'UTF8'" in refusal(placed)


def test_an_old_server_is_refused(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    assert OLDEST == 150_000
    monkeypatch.setattr(module, "OLDEST", 10**9)
    assert "older than PostgreSQL 15" in refusal(placed)


def test_a_refused_session_leaves_no_connection_behind(placed: Placed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BEGIN", "SELECT 1/0")
    assert "the server broke off" in refusal(placed)
    count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'discreet' AND datname = %s"
    for _ in range(600):
        if placed.owner.execute(count, (placed.name,)).fetchall() == [(0,)]:
            return
        time.sleep(0.1)
    pytest.fail("the connection is still there")


def test_what_runs_is_cancelled_from_another_thread(placed: Placed) -> None:
    asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = %s"

    def cancel_once_it_sleeps() -> None:
        while placed.owner.execute(asleep, (placed.name,)).fetchall() == [(0,)]:
            time.sleep(0.01)
        session.cancel()

    with server().connect() as session:
        session.cancel()
        threading.Thread(target=cancel_once_it_sleeps).start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            session.rows("SELECT pg_sleep(60)")
    session.cancel()


def test_without_the_driver_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(DiscreetError, match=r"pip install 'discreet\[postgres\]'"):
        driver()


def test_percent_signs_are_letters_in_statements_without_parameters(placed: Placed) -> None:
    with server().connect() as session:
        assert session.rows("SELECT '%s %(x)s %%'") == [("%s %(x)s %%",)]


def test_more_memory_that_the_server_grants_is_used(placed: Placed) -> None:
    placed.owner.execute(f"ALTER DATABASE {placed.name} SET work_mem = '1GB'".encode())
    with server().connect() as session:
        assert session.rows("SHOW work_mem") == [("1GB",)]
