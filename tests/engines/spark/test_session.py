"""A session of its own, with the settings that results rest on; or a word about why there is none."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from discreet.base.errors import DiscreetError, PolicyError
from discreet.engines.spark import session as sessions
from discreet.engines.spark.session import SparkConnection, connect, defaults
from discreet.engines.spark.settings import REQUIRED
from discreet.policy.model import DeclaredEngine, EngineKind
from servers.ports import free_port
from servers.spark import home

POLICY = Path("policy.toml")


def test_every_setting_is_what_results_need(session: SparkConnection) -> None:
    assert {name: session.session.conf.get(name) for name in REQUIRED} == REQUIRED
    assert session.session.conf.get("spark.sql.shuffle.partitions") == "2"
    assert defaults("local[2]")["spark.sql.shuffle.partitions"] == "32", "where the policy says nothing else"
    assert "spark.sql.shuffle.partitions" not in defaults("spark://host:7077")


def test_what_does_not_fit_is_an_error_and_never_another_value(session: SparkConnection) -> None:
    for wrong in ("CAST('x' AS INT)", "CAST(300 AS TINYINT)", "2147483647 + i", "1 / (i - 1)"):
        with pytest.raises(Exception, match=r"CAST_INVALID_INPUT|CAST_OVERFLOW|ARITHMETIC_OVERFLOW|DIVIDE_BY_ZERO"):
            session.session.sql(f"SELECT {wrong} FROM VALUES (1) AS t(i)").collect()


def test_how_a_statement_runs_does_not_change_with_the_rows_that_it_meets(session: SparkConnection) -> None:
    plans = []
    for there in (3, 9):  # no rest is 9, which nobody knows before the rows are read
        rows = f"SELECT id % 5 AS k FROM range(1000) WHERE id % 7 = {there}"
        found = session.session.sql(f"SELECT k, count(*) FROM ({rows}) GROUP BY k")
        assert len(found.collect()) == (5 if there == 3 else 0)
        plans.append(re.sub("[0-9]+", "", found._jdf.queryExecution().executedPlan().toString()))
    assert plans[0] == plans[1]
    assert "Exchange hashpartitioning" in plans[0]


def test_what_others_set_in_the_same_spark_changes_nothing_here(
    session: SparkConnection, declared: DeclaredEngine
) -> None:
    from pyspark.sql import SparkSession

    theirs = SparkSession(session.context)
    strange = {"spark.sql.ansi.enabled": "false", "spark.sql.parquet.filterPushdown": "true"}
    try:
        for name, value in strange.items():
            theirs.conf.set(name, value)
        ours = connect(declared, POLICY)
        assert {name: ours.session.conf.get(name) for name in REQUIRED} == REQUIRED
        assert {name: theirs.conf.get(name) for name in strange} == strange
        ours.close()
    finally:
        for name in strange:
            theirs.conf.unset(name)


def test_what_a_cluster_sets_for_all_is_put_back_to_the_default(
    session: SparkConnection, declared: DeclaredEngine
) -> None:
    legacy, plain = "spark.sql.legacy.allowNegativeScaleOfDecimal", "spark.sql.caseSensitive"
    for_all = session.context._jsc.sc().conf()
    try:
        for name, value in ((legacy, "true"), (plain, "false")):
            for_all.set(name, value)
        ours = connect(declared, POLICY)
        assert [ours.session.conf.get(name) for name in (legacy, plain)] == ["false", "true"]
        ours.close()
    finally:
        for name in (legacy, plain):
            for_all.remove(name)


def test_closing_one_of_several_sessions_stops_nothing(session: SparkConnection, declared: DeclaredEngine) -> None:
    second = connect(declared, POLICY)
    second.close()
    second.close()
    assert session.session.sql("SELECT 1").collect()[0][0] == 1


def test_another_master_in_the_same_process_is_refused(session: SparkConnection) -> None:
    with pytest.raises(PolicyError, match=r'engine.master: is "local\[1\]", and this process is already connected'):
        connect(DeclaredEngine("engine", EngineKind.SPARK, master="local[1]"), POLICY)


def test_a_master_that_does_not_answer_is_named_at_once() -> None:
    home()
    nowhere = DeclaredEngine("engine", EngineKind.SPARK, master=f"spark://127.0.0.1:{free_port()}")
    with pytest.raises(PolicyError, match=r"policy.toml: engine.master: nobody answers there; check the address"):
        sessions._started(nowhere, POLICY)


def test_a_connect_server_that_does_not_answer_is_named_at_once() -> None:
    home()
    for address in (f"sc://127.0.0.1:{free_port()}", f"sc://127.0.0.1:{free_port()}/;user_id=a", "sc://127.0.0.1:x"):
        with pytest.raises(PolicyError, match=r"engines.lake.remote: nobody answers there"):
            connect(DeclaredEngine("lake", EngineKind.SPARK, remote=address), POLICY)


def test_a_missing_java_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    home()
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    with pytest.raises(PolicyError, match="Spark runs on Java, which is not installed here; install Java 17"):
        sessions._started(DeclaredEngine("engine", EngineKind.SPARK, master="local[1]"), POLICY)


def test_a_missing_pyspark_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DiscreetError, match=r"pip install 'discreet\[spark\]'"):
        connect(DeclaredEngine("engine", EngineKind.SPARK, master="local[1]"), POLICY)


@pytest.mark.long
def test_an_operator_is_shown_no_word_of_java() -> None:
    home()
    program = (
        "from pathlib import Path\n"
        "from discreet.engines.spark.session import connect\n"
        "from discreet.policy.model import DeclaredEngine, EngineKind\n"
        "opened = connect(DeclaredEngine('engine', EngineKind.SPARK, master='local[1]'), Path('p.toml'))\n"
        "print(opened.session.sql('SELECT 41 + 1').collect()[0][0])\n"
        "opened.close()\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout.strip(), found.stderr.strip()) == (0, "42", "")


def test_spark_leaves_no_folder_where_somebody_asks_from() -> None:
    place = Path(defaults("local")["spark.sql.warehouse.dir"])
    assert place.is_relative_to(tempfile.gettempdir())
    assert place != Path(tempfile.gettempdir())
