"""PostgreSQL's own clients, over TLS and SCRAM: each connects, looks around for free, asks, and reads the answer."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from support.wire import PASSWORDS, RunningWire
from support.wire_clients import java, need, need_program, psql, trust

COUNT = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY ward"
WARDS = ["icu", "north", "south"]


def count_charges(wire: RunningWire) -> int:
    return wire.door.charges


def test_psql_shows_the_tables_without_asking_anything(wire: RunningWire) -> None:
    before = count_charges(wire)
    shown = psql(wire, r"\d", r"\dt", r"\d visits", r"\d+ visits", r"\d adults", r"\dn", r"\l", r"\du", r"\df", r"\dT")
    assert "public|visits|table|postgres" in shown
    assert "patient_id|bigint|||" in shown
    assert "0 to 110" in shown  # what the policy says of a column is its comment
    assert "public|adults|view|postgres" in shown
    assert "discreet|postgres|UTF8" in shown
    assert "alice||{}" in shown
    assert "ERROR" not in shown
    assert count_charges(wire) == before


def test_psql_describes_a_question_without_paying(wire: RunningWire) -> None:
    before = count_charges(wire)
    shown = psql(wire, rf"{COUNT} \gdesc", "SET discreet.intervals = on;", rf"{COUNT} \gdesc")
    assert shown.splitlines()[:3] == ["Column|Type", "ward|text", "n|bigint"]
    assert "n_low|double precision" in shown
    assert count_charges(wire) == before


def test_a_question_without_a_price_is_an_error_with_the_price_list(wire: RunningWire) -> None:
    before = count_charges(wire)
    shown = psql(wire, r"\set VERBOSITY verbose", f"{COUNT};")
    assert "ERROR:  55000: this question has no price" in shown
    assert "DETAIL:    epsilon=0.05: count rows +-" in shown
    assert "HINT:  SET discreet.epsilon = 0.1" in shown
    assert count_charges(wire) == before


@pytest.mark.parametrize(
    ("lines", "more"),
    [
        ([f"SET discreet.epsilon = 0.1; {COUNT};"], {}),
        ([f"/* epsilon = 0.1 */ {COUNT};"], {}),
        ([f"{COUNT} -- discreet.epsilon = 0.1", ";"], {}),
        ([f"{COUNT};"], {"options": "-c discreet.epsilon=0.1"}),
        ([f"COPY ({COUNT}) TO STDOUT /* epsilon = 0.1 */;"], {}),
    ],
)
def test_a_price_is_set_by_set_by_a_comment_or_by_options(
    wire: RunningWire, lines: list[str], more: dict[str, str]
) -> None:
    shown = psql(wire, "SET client_min_messages = warning;", *lines, **more)
    assert [line.replace("\t", "|").partition("|")[0] for line in shown.splitlines() if "icu" in line] == ["icu"]
    assert wire.door.visits[-1].asked[-1].epsilon == "0.1"


def test_psycopg_asks_in_text_and_in_binary_with_parameters(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        question = (
            "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits WHERE age > %s AND day >= %s GROUP BY ward"
        )
        given = (30, date(2025, 1, 1))
        as_text = connection.execute(question, given).fetchall()
        as_binary = connection.execute(question, given, binary=True).fetchall()
        assert as_text == as_binary
        assert sorted(row[0] for row in as_text) == WARDS
        assert {(type(row[1]), type(row[2])) for row in as_text} <= {(int, float), (int, type(None))}
        assert wire.door.visits[-1].asked[-1].params == {"1": 30, "2": date(2025, 1, 1)}


def test_what_limits_leave_out_comes_as_a_notice(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        told: list[str] = []
        connection.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))
        connection.execute("SET discreet.epsilon = '0.1'")
        connection.execute("SELECT AVG(age) AS plain FROM visits").fetchall()
        assert not any("units had more" in each for each in told)
        connection.execute("SET discreet.left_out = 'units'")
        connection.execute("SELECT AVG(age) AS counted FROM visits").fetchall()
        assert any(re.search(r"about [\d,]+ \+- [\d,]+ units had more .* \(95 %\)", each) for each in told)


def test_psycopg_pipelines_and_prepares(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        with connection.pipeline():
            cursors = [connection.execute(COUNT, prepare=True) for _ in range(3)]
        found = [cursor.fetchall() for cursor in cursors]
        assert found[0] == found[1] == found[2]
        assert [row[0] for row in found[0]] == WARDS


@pytest.mark.parametrize("form", ["text", "csv", "binary"])
def test_psycopg_copies_answers_in_every_format(wire: RunningWire, form: str) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        plain = connection.execute(COUNT).fetchall()
        with connection.cursor().copy(f"COPY ({COUNT}) TO STDOUT (FORMAT {form})") as copy:
            if form == "csv":
                rows = list(csv.reader(io.StringIO(b"".join(copy).decode())))
                assert [(ward, int(n)) for ward, n in rows] == plain
            else:
                copy.set_types(["text", "int8"])
                assert list(copy.rows()) == plain


def test_psycopg_reads_rows_in_parts_through_a_cursor(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn()) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        before = count_charges(wire)
        with connection.cursor("parts") as cursor:
            cursor.execute(COUNT)
            assert count_charges(wire) == before
            assert [row[0] for row in cursor.fetchmany(2)] == WARDS[:2]
            assert [row[0] for row in cursor.fetchall()] == WARDS[2:]
        assert count_charges(wire) == before + 1


def test_a_transaction_keeps_and_loses_what_was_set(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:

        def show() -> str:
            row = connection.execute("SHOW discreet.epsilon").fetchone()
            assert row is not None
            return str(row[0])

        with connection.transaction():
            connection.execute("SET discreet.epsilon = 0.5")
            connection.execute("SET LOCAL discreet.epsilon = 0.7")
            assert show() == "0.7"
        assert show() == "0.5"
        connection.execute("BEGIN")
        connection.execute("SET discreet.epsilon = 0.9")
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("SELECT * FROM visits")
        with pytest.raises(psycopg.errors.InFailedSqlTransaction):
            connection.execute("SHOW discreet.epsilon")
        assert connection.info.transaction_status.name == "INERROR"
        connection.execute("COMMIT")
        assert show() == "0.5"
        assert connection.info.transaction_status.name == "IDLE"


def test_intervals_stand_beside_noisy_numbers(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        connection.execute("SET discreet.intervals = on")
        cursor = connection.execute(COUNT)
        assert [each.name for each in cursor.description or ()] == ["ward", "n", "n_low", "n_high"]
        narrow = cursor.fetchall()
        connection.execute("SET discreet.confidence = 0.999")
        wide = connection.execute(COUNT).fetchall()
        for (_, n, low, high), (_, same, lower, higher) in zip(narrow, wide, strict=True):
            assert n == same
            assert lower < low < n < high < higher


def test_refusals_have_codes_that_programs_read(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        for question, kind in [
            ("SELECT COUNT(*) FROM nothing", psycopg.errors.UndefinedTable),
            ("SELECT COUNT(nothing) FROM visits", psycopg.errors.UndefinedColumn),
            ("SELECT COUNT(* FROM visits", psycopg.errors.SyntaxError),
            ("SELECT COUNT(*) OVER () FROM visits", psycopg.errors.FeatureNotSupported),
            ("INSERT INTO visits VALUES (1)", psycopg.errors.FeatureNotSupported),
            ("SET discreet.epsilon = 'much'", psycopg.errors.InvalidParameterValue),
            ("/* epsilon = 100 */ SELECT COUNT(*) FROM visits", psycopg.errors.ConfigurationLimitExceeded),
        ]:
            with pytest.raises(kind):
                connection.execute(question)


def test_psycopg2_asks(wire: RunningWire) -> None:
    psycopg2 = need("psycopg2", "psycopg2-binary")
    connection = psycopg2.connect(wire.dsn())
    with connection, connection.cursor() as cursor:
        cursor.execute("SET discreet.epsilon = 0.05")
        cursor.execute("SELECT ward, COUNT(*) AS n FROM visits WHERE age > %s GROUP BY ward", (30,))
        assert sorted(row[0] for row in cursor.fetchall()) == WARDS
    connection.close()


def test_asyncpg_asks_with_parameters_whose_types_it_looks_up(wire: RunningWire) -> None:
    asyncpg = need("asyncpg")

    async def ask() -> list[Any]:
        connection = await asyncpg.connect(
            host="localhost", port=wire.port, user="alice", password=PASSWORDS["alice"], database="discreet",
            ssl=trust(wire), server_settings={"discreet.epsilon": "0.05"},
        )  # fmt: skip
        try:
            question = "SELECT ward, COUNT(*) AS n FROM visits WHERE age > $1 AND ward <> $2 GROUP BY ward"
            rows = await connection.fetch(question, 30, "icu")
            async with connection.transaction():
                parts = [row["ward"] async for row in connection.cursor(COUNT, prefetch=1)]
            assert parts == WARDS
            assert await connection.fetchval("SELECT $1::int + 1", 41) == 42
            assert await connection.fetch("SELECT nspname FROM pg_namespace WHERE nspname = ANY($1)", ["public"])
            return list(rows)
        finally:
            await connection.close()

    assert {type(row["n"]) for row in asyncio.run(ask())} == {int}
    assert wire.door.visits[-1].asked[0].params == {"1": 30, "2": "icu"}


def test_pg8000_asks(wire: RunningWire) -> None:
    dbapi = need("pg8000.dbapi", "pg8000")
    connection = dbapi.connect(
        user="alice", host="localhost", port=wire.port, password=PASSWORDS["alice"], ssl_context=trust(wire)
    )
    cursor = connection.cursor()
    cursor.execute("SET discreet.epsilon = 0.05")
    cursor.execute("SELECT ward, COUNT(*) AS n FROM visits WHERE age > %s GROUP BY ward", (30,))
    assert sorted(row[0] for row in cursor.fetchall()) == WARDS
    connection.close()


@pytest.mark.many
@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "pg8000"])
def test_sqlalchemy_connects_inspects_and_feeds_pandas(wire: RunningWire, driver: str) -> None:
    sqlalchemy = need("sqlalchemy")
    need(driver, "psycopg2-binary" if driver == "psycopg2" else driver)
    pandas = need("pandas")
    secure = {"ssl_context": trust(wire)} if driver == "pg8000" else {"sslmode": "require"}
    address = sqlalchemy.URL.create(
        f"postgresql+{driver}", "alice", PASSWORDS["alice"], "localhost", wire.port, "discreet"
    )
    engine = sqlalchemy.create_engine(address, connect_args=secure)
    before = count_charges(wire)
    inspector = sqlalchemy.inspect(engine)
    assert sorted(inspector.get_table_names()) == ["patients", "prices", "visits", "wards"]
    assert inspector.get_view_names() == ["adults"]
    columns = {each["name"]: each for each in inspector.get_columns("visits")}
    assert str(columns["cost"]["type"]).startswith(("DOUBLE", "FLOAT"))
    assert columns["age"]["comment"] == "0 to 110"
    assert inspector.get_pk_constraint("visits")["constrained_columns"] == []
    assert inspector.get_foreign_keys("visits") == inspector.get_indexes("visits") == []
    sqlalchemy.MetaData().reflect(engine, views=True)
    assert count_charges(wire) == before
    with engine.connect() as connection:
        connection.execute(sqlalchemy.text("SET discreet.epsilon = 0.05"))
        frame = pandas.read_sql(sqlalchemy.text(COUNT), connection)
    assert list(frame["ward"]) == WARDS
    engine.dispose()


def test_adbc_reads_answers_as_arrow_and_lists_objects(wire: RunningWire) -> None:
    dbapi = need("adbc_driver_postgresql.dbapi", "adbc-driver-postgresql")
    address = f"postgresql://alice:{PASSWORDS['alice']}@localhost:{wire.port}/discreet"
    with dbapi.connect(f"{address}?sslmode=verify-full&sslrootcert={wire.certificate}") as connection:
        objects = connection.adbc_get_objects(depth="all").read_all().to_pylist()
        (found,) = [each for each in objects if each["catalog_name"] == "discreet"]
        schemas = {each["db_schema_name"]: each["db_schema_tables"] for each in found["catalog_db_schemas"]}
        assert {"visits", "adults"} <= {each["table_name"] for each in schemas["public"]}
        assert connection.adbc_get_table_schema("visits").names[:2] == ["patient_id", "age"]
        with connection.cursor() as cursor:
            cursor.execute("SET discreet.epsilon = 0.05")
            cursor.execute(COUNT)
            assert cursor.fetch_arrow_table().column("ward").to_pylist() == WARDS


@pytest.mark.long
def test_jdbc_reads_metadata_prepares_and_fetches_in_parts(wire: RunningWire) -> None:
    before = count_charges(wire)
    lines = java(wire, Path(__file__).with_name("Jdbc.java")).splitlines()
    assert "table visits TABLE" in lines
    assert "table adults VIEW" in lines
    assert "column age int8 -5" in lines
    assert "probe patient_id:int8" in lines
    assert [line for line in lines if line.startswith("row ")] == [f"row {ward}" for ward in WARDS]
    assert "part icu" in lines
    assert "refused 55000" in lines
    assert count_charges(wire) == before + 2


@pytest.mark.parametrize("mode", ["simple", "extended", "prepared"])
def test_pgbench_puts_load_on_it(wire: RunningWire, tmp_path: Path, mode: str) -> None:
    import os
    import subprocess

    program = need_program("pgbench", "postgresql")
    script = tmp_path / "load.sql"
    script.write_text("SELECT COUNT(*) AS n FROM visits WHERE age > 40 /* epsilon = 0.05 */;\n")
    words = [program, "-n", "-f", str(script), "-c", "2", "-j", "1", "-t", "5", "-M", mode, wire.dsn()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "number of transactions actually processed: 10/10" in done.stdout


def test_decimals_arrive_exactly(wire: RunningWire) -> None:
    with psycopg.connect(wire.dsn(), autocommit=True) as connection:
        connection.execute("SET discreet.epsilon = 0.05")
        connection.execute("SET discreet.integers = numeric")
        row = connection.execute("SELECT COUNT(*) AS n FROM visits", binary=True).fetchone()
        assert row is not None
        assert isinstance(row[0], Decimal)
