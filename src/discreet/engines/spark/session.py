"""Sessions of Spark: on a cluster, in this process, or behind Spark Connect, each with the settings that results need.

A session is always one of its own: what else runs in the same Spark keeps its settings, and cannot change ours.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discreet.base.errors import DiscreetError, PolicyError
from discreet.engines.spark.settings import REQUIRED, check, strange
from discreet.policy.problems import problem, shown

PATIENCE = 10
"""Seconds until a master or server that does not answer is called unreachable."""

LOCAL = re.compile(r"local(\[(\*|[0-9]+)\])?")


@dataclass(frozen=True, slots=True)
class Spark:
    """Where Spark is, from a policy's [engine]: `master` or `remote`, and further settings of Spark's own."""

    master: str | None = None
    remote: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)


class Session:
    """An open session: SQL in, rows out. `context` is None behind Spark Connect."""

    def __init__(self, session: Any, context: Any, own: bool) -> None:
        self.session, self.context, self._own = session, context, own

    def close(self) -> None:
        """End the session, and the Spark that it was started for."""
        with contextlib.suppress(Exception):  # a cluster that is gone has no session any more
            if self.context is None:
                self.session.stop()
            elif self._own:
                self.context.stop()


def connected(spark: Spark, policy: Path) -> Session:
    """Return a new session whose settings are set and were read back, or say why there is none."""
    check(spark.settings, policy)
    if importlib.util.find_spec("pyspark") is None:
        raise DiscreetError("Spark needs pyspark, which is not installed; write pip install 'discreet[spark]'")
    if (spark.master is None) == (spark.remote is None):
        remedy = 'write master = "spark://host:7077" or remote = "sc://host:15002"'
        raise problem(policy, ("engine",), "needs either master or remote", remedy)
    found = _behind_connect(spark, policy) if spark.remote is not None else _on_cluster(spark, policy)
    try:
        _set(found.session, spark)
    except Exception:
        found.close()
        wrong = "the session does not take the settings that results rest on"
        raise problem(policy, ("engine",), wrong, "use Spark 4 without changes to its SQL") from None
    return found


def _set(session: Any, spark: Spark) -> None:
    """Put every setting to Spark's default or to ours, and read back what it is now."""
    for name in strange(row["key"] for row in session.sql("SET").collect()):
        if session.conf.isModifiable(name):
            session.conf.unset(name)
    for name, value in REQUIRED.items():
        session.conf.set(name, value)
    for name, value in spark.settings.items():
        if session.conf.isModifiable(name):
            session.conf.set(name, value)
    wrong = [name for name, value in REQUIRED.items() if session.conf.get(name) != value]
    if wrong:
        raise PolicyError(f"{wrong[0]} cannot be set")


def _on_cluster(spark: Spark, policy: Path) -> Session:
    """Return a session of the Spark of this process, which is started where there is none."""
    assert spark.master is not None
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None and running.master != spark.master:
        wrong = f"is {shown(spark.master)}, and this process is already connected to {shown(running.master)}"
        raise problem(policy, ("engine", "master"), wrong, "stop that, or open this policy in a process of its own")
    context = _started(spark, policy) if running is None else running
    session = SparkSession(context)
    return Session(session.newSession(), context, own=running is None)


def _started(spark: Spark, policy: Path) -> Any:
    """Start Spark's driver. What its Java says goes nowhere: it is not for operators, and could quote data."""
    from pyspark import SparkConf, SparkContext

    assert spark.master is not None
    _check_java(policy)
    if not LOCAL.fullmatch(spark.master):
        _check_reachable(spark.master.removeprefix("spark://").split(","), policy, "master")
    defaults = {"spark.app.name": "discreet", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    conf = SparkConf(loadDefaults=False).setMaster(spark.master)
    for name, value in {**defaults, **spark.settings}.items():
        conf.set(name, value)
    try:
        launch = importlib.import_module("pyspark.java_gateway").launch_gateway
        gateway = launch(conf, {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL})
        context = SparkContext(conf=conf, gateway=gateway)
        context.setLogLevel("ERROR")
    except Exception:
        wrong, remedy = (
            "Spark could not be started there",
            "check the address, the settings, and that Java is 17 or newer",
        )
        raise problem(policy, ("engine", "master"), wrong, remedy) from None
    return context


def _behind_connect(spark: Spark, policy: Path) -> Session:
    """Return a new session of a Spark Connect server."""
    assert spark.remote is not None
    place = spark.remote.removeprefix("sc://").split("/")[0].split(";")[0]
    if not spark.remote.startswith("sc://"):
        wrong, remedy = f"is {shown(spark.remote)}", 'write remote = "sc://host:15002"'
        raise problem(policy, ("engine", "remote"), wrong, remedy)
    _check_reachable([place if ":" in place else f"{place}:15002"], policy, "remote")
    try:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(spark.remote).create()
        session.sql("SELECT 1").collect()
    except ImportError:
        raise DiscreetError("Spark Connect needs more of pyspark; write pip install 'discreet[spark]'") from None
    except Exception:
        wrong, remedy = "Spark Connect does not answer there", "check the address, and that the server is of Spark 4"
        raise problem(policy, ("engine", "remote"), wrong, remedy) from None
    return Session(session, None, own=True)


def _check_java(policy: Path) -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home) / "bin" / "java") if home else "java") is None:
        wrong, remedy = "Spark runs on Java, which is not installed here", "install Java 17 or newer, or set JAVA_HOME"
        raise problem(policy, ("engine", "master"), wrong, remedy)


def _check_reachable(places: list[str], policy: Path, key: str) -> None:
    """Refuse addresses where nobody listens: Spark would try for minutes, and then say so in Java's words."""
    for place in places:
        host, _, port = place.rpartition(":")
        with contextlib.suppress(OSError, ValueError, OverflowError):
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
    wrong, remedy = "nobody answers there", "check the address, and that Spark runs"
    raise problem(policy, ("engine", key), wrong, remedy)
