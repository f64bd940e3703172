"""Runs on the embedded engine: together, cut short, failed, and one after the other."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.duck import connection
from discreet.engines.duck.connection import share
from discreet.engines.duck.engine import DuckEngine
from discreet.engines.engines import Engines
from discreet.engines.running import RunCancelledError
from discreet.policy import loads
from support.hospital import HOSPITAL, POLICY, answered, bounded, duck, engine_of

TEXTS = (
    "SELECT COUNT(*) FROM visits",
    "SELECT ward, SUM(cost), MEDIAN(age) FROM visits GROUP BY ward",
    "SELECT COUNT(*), SUM(age) FROM people",
    "SELECT floor, COUNT(*) FROM visits JOIN wards USING (ward) GROUP BY floor",
)


def test_runs_at_once_do_not_meet() -> None:
    engine = engine_of()
    plans = [bounded(engine, text).plan for text in TEXTS]
    alone = [engine.run(plan).result() for plan in plans]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda plan: engine.run(plan).result(), plans * 3))
    assert together == alone * 3


def test_a_run_says_how_far_it_is() -> None:
    engine = engine_of()
    run = engine.run(bounded(engine, TEXTS[0]).plan)
    assert run.progress() <= 1
    assert run.wait(60)
    assert run.progress() == 1
    run.cancel()
    assert run.result().sets[0].sums == ((4,),)


def test_a_cancelled_run_raises_and_the_next_one_works() -> None:
    many = pa.table({"age": pa.array(range(3_000_000), pa.int64())})
    policy = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n"
    policy += "[tables.t.columns]\nage = { lower = 0, upper = 9 }\n"
    engine = engine_of(policy, {"t": many})
    slow = "SELECT AVG(age), MEDIAN(age) FROM t WHERE age * age % 7 <> 8 AND age / 3 / 7 / 9 <> 5"
    run = engine.run(bounded(engine, slow).plan)
    run.cancel()
    with pytest.raises(RunCancelledError):
        run.result()
    assert answered(engine, "SELECT COUNT(*) FROM t").sets[0].sums == ((3_000_000,),)


def test_a_failed_run_raises_and_the_next_one_works() -> None:
    engine = engine_of()
    plan = bounded(engine, TEXTS[0]).plan
    clause = duck(engine)._sources["visits"].clause
    duck(engine)._sources["visits"].clause = "nowhere"
    with pytest.raises(duckdb.Error):
        engine.run(plan).result()
    duck(engine)._sources["visits"].clause = clause
    assert engine.run(plan).result().sets[0].sums == ((4,),)


def test_public_tables_tell_their_values_and_private_ones_do_not() -> None:
    engine = engine_of()
    assert engine.public_values("wards", "floor") == (1, 2)
    assert engine.fan_out("wards", ("ward",)) == 1
    assert engine.fan_out("wards", ("floor", "ward")) == 1
    assert engine.fan_out("wards", ("floor",)) == 2
    for ask in (lambda: engine.public_values("visits", "ward"), lambda: engine.fan_out("Visits", ("ward",))):
        with pytest.raises(PolicyError, match="is private"):
            ask()


def test_tables_that_nobody_declared_are_refused() -> None:
    with pytest.raises(PolicyError, match="there is no table 'stranger'"):
        engine_of(POLICY, {**HOSPITAL, "stranger": HOSPITAL["wards"]})


def test_units_have_a_type_also_where_they_are_hidden() -> None:
    engine = engine_of(POLICY.replace('["secret"]', '["secret", "patient"]'))
    assert engine.tables["visits"].unit_type is Type.INTEGER
    assert engine.tables["people"].unit_type is None
    assert engine.tables["visits"].column("patient") is None
    assert answered(engine, "SELECT COUNT(DISTINCT patient) FROM visits").sets[0].sums == ((3,),)


def test_fingerprints_change_with_the_files(tmp_path: object) -> None:
    engine = engine_of()
    assert engine.fingerprint("visits") == "python"
    file = f"{tmp_path}/t.csv"
    policy = '[budget]\nepsilon = 1.0\n[tables.t]\nsource = "t.csv"\nrows_are_units = true\n'
    policy += '[tables.t.columns]\na = { type = "integer" }\n'
    found = []
    for content in ("a\n1\n", "a\n1\n2\n"):
        with open(file, "w") as out:
            out.write(content)
        found.append(DuckEngine(loads(policy, f"{tmp_path}/policy.toml")).fingerprint("t"))
    assert found[0] != found[1]


@pytest.mark.parametrize("name", ["read at", 'a"b', "x) AS y; --", "SELECT"])
def test_periods_of_a_column_of_any_name_are_keys(name: str) -> None:
    key = '"' + name.replace('"', '""') + '"'
    policy = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n[tables.t.columns]\n"
    policy += f"'{name}' = {{ lower = 2026-01-01T00:00:00Z, upper = 2026-03-31T00:00:00Z }}\n"
    moments = pa.array([dt.datetime(2026, 2, 3, 4), dt.datetime(2026, 3, 1), None], pa.timestamp("us"))
    engine = engine_of(policy, {"t": pa.table({name: moments})})
    plan = bounded(engine, f"SELECT date_trunc('month', {key}) AS m, COUNT(*) FROM t GROUP BY m").plan
    assert engine.run(plan).result().sets[0].sums == ((0, 1, 1),)


def test_tables_from_python_are_seen_by_those_alone_who_were_given_them() -> None:
    policy = "[budget]\nepsilon = 1.0\n[tables.t]\nrows_are_units = true\n"
    engines = [engine_of(policy, {"t": pa.table({"age": pa.array(range(many), pa.int64())})}) for many in (3, 5)]
    count = "SELECT COUNT(*) FROM t"
    assert [answered(each, count).sets[0].sums for each in (*engines, engines[0])] == [((3,),), ((5,),), ((3,),)]
    engines[0].close()
    assert answered(engines[1], count).sets[0].sums == ((5,),)
    engines[1].close()
    with closing(share()) as cursor:
        assert cursor.execute("SELECT name FROM (SHOW ALL TABLES)").fetchall() == []
        assert cursor.execute("SELECT count(*) FROM duckdb_databases() WHERE NOT internal").fetchall() == [(1,)]


def test_a_shared_database_that_became_unusable_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection._Shared, "connection", None)
    with closing(share()):
        assert connection._Shared.connection is not None
        connection._Shared.connection.close()
    with closing(share()) as cursor:
        assert cursor.execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]


FORKING = """
import os, sys
from discreet.engines.duck.connection import share

share().close()
child = os.fork()
assert share().execute("SELECT 1").fetchone() == (1,)
if child:
    sys.exit(os.waitpid(child, 0)[1])
"""


def test_a_forked_child_uses_and_leaves_a_shared_database_of_its_own() -> None:
    ended = subprocess.run([sys.executable, "-c", FORKING], timeout=60, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_what_is_attached_is_seen_by_those_alone_who_attached_it(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as file:
        file.execute("CREATE TABLE t AS SELECT 1 AS age")
    policy = '[budget]\nepsilon = 1.0\n[tables.t]\nsource = "t.duckdb"\nrows_are_units = true\n'
    engines = [Engines(loads(policy, tmp_path / "policy.toml")) for _ in range(2)]
    assert [answered(each, "SELECT COUNT(*) FROM t").sets[0].sums for each in engines] == [((1,),)] * 2
    for each in engines:
        each.close()
