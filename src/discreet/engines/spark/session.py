"""Sessions of Spark: on a cluster, in this process, or behind Spark Connect, each with the settings that results need.

A session is always one of its own: what else runs in the same Spark keeps its settings, and cannot change ours.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

from discreet.base.errors import DiscreetError, PolicyError
from discreet.base.quiet import silence
from discreet.engines.spark.settings import REQUIRED, UNLIMITED, check_settings, section, strange
from discreet.policy.model import DeclaredEngine
from discreet.policy.problems import explain_problem, quote_value

PATIENCE = 10
"""Seconds until a master or server that does not answer is called unreachable."""

PARTITIONS = 32
"""Into how many parts a Spark in this process splits what it shuffles; by itself it would take 200 for every table."""

_SHARED: dict[int, int] = {}
"""How many sessions are open on a Spark that was started here, by the identity of its context."""


class SparkConnection:
    """An open session. `context` is None behind Spark Connect."""

    def __init__(self, session: Any, context: Any) -> None:
        self.session, self.context = session, context
        self._open = True
        if id(context) in _SHARED:
            _SHARED[id(context)] += 1

    def unheard(self) -> contextlib.AbstractContextManager[None]:
        """Keep pyspark from writing errors, which may quote rows, beside raising them."""
        from pyspark.logger import PySparkLogger

        return silence(PySparkLogger.getLogger("SQLQueryContextLogger"))

    def close(self) -> None:
        """End the session; the last one on a Spark that was started here stops it too, and no other does."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(Exception):  # a cluster that is gone has no session any more
            if self.context is None:
                self.session.stop()
        if id(self.context) in _SHARED:
            _SHARED[id(self.context)] -= 1
            if not _SHARED[id(self.context)]:
                del _SHARED[id(self.context)]
                with contextlib.suppress(Exception):
                    self.context.stop()


def connect(engine: DeclaredEngine, policy: Path) -> SparkConnection:
    """Return a new session whose settings are set and were read back, or say why there is none."""
    check_settings(engine, policy)
    if importlib.util.find_spec("pyspark") is None:
        raise DiscreetError("Spark needs pyspark, which is not installed; write pip install 'discreet[spark]'")
    found = _behind_connect(engine, policy) if engine.remote is not None else _on_cluster(engine, policy)
    try:
        with warnings.catch_warnings(action="ignore"):  # Spark calls a default of its own deprecated
            _set(found.session, engine)
    except Exception:
        found.close()
        wrong = "the session does not take the settings that results rest on"
        raise explain_problem(policy, section(engine), wrong, "use Spark 4 without changes to its SQL") from None
    return found


def _set(session: Any, engine: DeclaredEngine) -> None:
    """Put every setting to Spark's default or to ours, and read back what it is now."""
    for name in strange(row["key"] for row in session.sql("SET").collect()):
        if session.conf.isModifiable(name):
            session.conf.unset(name)
    for name, value in REQUIRED.items():
        if session.conf.get(name, None) != value:
            session.conf.set(name, value)
    for name, value in engine.settings:
        if session.conf.isModifiable(name):
            session.conf.set(name, value)
    wrong = [name for name, value in REQUIRED.items() if session.conf.get(name) != value]
    if wrong:
        raise PolicyError(f"{wrong[0]} cannot be set")


def _on_cluster(engine: DeclaredEngine, policy: Path) -> SparkConnection:
    """Return a session of the Spark of this process, which is started where there is none."""
    assert engine.master is not None
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None and running.master != engine.master:
        wrong = (
            f"is {quote_value(engine.master)}, and this process is already connected to {quote_value(running.master)}"
        )
        remedy = "stop that, or open this policy in a process of its own"
        raise explain_problem(policy, (*section(engine), "master"), wrong, remedy)
    context = _started(engine, policy) if running is None else running
    return SparkConnection(SparkSession(context).newSession(), context)


def defaults(master: str) -> dict[str, str]:
    """Return what a Spark that is started here begins with, where the policy says nothing else.

    Spark makes a folder for tables of its own, which nobody writes here; it would lie wherever somebody asks from.
    """
    split = {"spark.sql.shuffle.partitions": str(PARTITIONS)} if master.startswith("local") else {}
    warehouse = Path(tempfile.gettempdir()) / f"discreet-warehouse-{os.getuid()}"
    return {
        **split,
        "spark.app.name": "discreet",
        UNLIMITED: "0",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.warehouse.dir": str(warehouse),
    }


def _started(engine: DeclaredEngine, policy: Path) -> Any:
    """Start Spark's driver. What its Java says goes nowhere: it is not for operators, and could quote data."""
    from pyspark import SparkConf, SparkContext

    assert engine.master is not None
    _check_java(engine, policy)
    if engine.master.startswith("spark://"):
        _check_reachable(engine.master.removeprefix("spark://").split(","), policy, (*section(engine), "master"))
    conf = SparkConf(loadDefaults=False).setMaster(engine.master)
    for name, value in {**defaults(engine.master), **dict(engine.settings)}.items():
        conf.set(name, value)
    try:
        launch = importlib.import_module("pyspark.java_gateway").launch_gateway
        quiet = {"stdin": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        context = SparkContext(conf=conf, gateway=SparkContext._gateway or launch(conf, quiet))
        context.setLogLevel("ERROR")
        if engine.master.startswith("local"):
            context.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)
    except Exception:
        wrong = "Spark could not be started there"
        remedy = "check the address, the settings, and that Java is 17 or newer"
        raise explain_problem(policy, (*section(engine), "master"), wrong, remedy) from None
    _SHARED[id(context)] = 0
    return context


def _behind_connect(engine: DeclaredEngine, policy: Path) -> SparkConnection:
    """Return a new session of a Spark Connect server."""
    assert engine.remote is not None
    place = engine.remote.removeprefix("sc://").split("/")[0].split(";")[0]
    if not engine.remote.startswith("sc://"):
        wrong, remedy = f"is {quote_value(engine.remote)}", 'write remote = "sc://host:15002"'
        raise explain_problem(policy, (*section(engine), "remote"), wrong, remedy)
    _check_reachable([place if ":" in place else f"{place}:15002"], policy, (*section(engine), "remote"))
    try:
        from pyspark.sql.connect.session import SparkSession

        session = SparkSession.builder.remote(engine.remote).create()
        session.sql("SELECT 1").collect()
    except ImportError:
        raise DiscreetError("Spark Connect needs more of pyspark; write pip install 'discreet[spark]'") from None
    except Exception:
        wrong, remedy = "Spark Connect does not answer there", "check the address, and that the server is of Spark 4"
        raise explain_problem(policy, (*section(engine), "remote"), wrong, remedy) from None
    return SparkConnection(session, None)


def _check_java(engine: DeclaredEngine, policy: Path) -> None:
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home) / "bin" / "java") if home else "java") is None:
        wrong, remedy = "Spark runs on Java, which is not installed here", "install Java 17 or newer, or set JAVA_HOME"
        raise explain_problem(policy, (*section(engine), "master"), wrong, remedy)


def _check_reachable(places: list[str], policy: Path, key: tuple[str, ...]) -> None:
    """Refuse addresses where nobody listens: Spark would try for minutes, and then say so in Java's words."""
    for place in places:
        host, _, port = place.rpartition(":")
        with contextlib.suppress(OSError, ValueError, OverflowError):
            socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
            return
    wrong, remedy = "nobody answers there", "check the address, and that Spark runs"
    raise explain_problem(policy, key, wrong, remedy)
