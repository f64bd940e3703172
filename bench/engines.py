"""What a private question costs on Spark and PostgreSQL, next to their own pre-aggregation and to Tumult on Spark.

Run by `make bench`; alone: `.venv/bin/python bench/engines.py [MILLIONS ...]`. It needs Java and PostgreSQL's programs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from curator import (  # noqa: E402
    GROUPS,
    MAX_GROUPS,
    MAX_ROWS,
    PAIRS,
    POLICY,
    QUESTION,
    ROWS_EACH,
    UNITS,
    Sums,
    asking,
    private,
    written,
)
from discreet.engines.engines import Engines  # noqa: E402
from discreet.policy import loads  # noqa: E402
from timing import alternate, markdown  # noqa: E402

MILLIONS = (1, 5, 20)
TUMULT_MOST = 5
"""Tumult is asked about so many million rows at most: it takes minutes beyond, and the ratio grows with the rows."""

SPARK = {
    "spark.master": "local[*]",
    "spark.driver.memory": "8g",
    "spark.sql.shuffle.partitions": "8",
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
}
"""Settings of all three on Spark: ours, its own and Tumult's. Its own web page tells how much was shuffled."""

POSTGRES = ("work_mem = '1GB'", "shared_buffers = '2GB'", "max_wal_size = '4GB'", "maintenance_work_mem = '512MB'")
VARIABLE = "DISCREET_BENCH_DSN"
Ask = Callable[[], Any]


def policy(where: str, engine: str) -> str:
    values = ", ".join(map(str, range(GROUPS)))
    text = POLICY.replace('source = "SOURCE"', where).replace("LIMITS", UNITS).replace("VALUES", values)
    return f"{text}\n[engine]\n{engine}\n"


@contextmanager
def on_spark(path: Path) -> Iterator[dict[str, Ask]]:
    """Give what asks Spark privately and plainly, in sessions of one context."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    for name, value in SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.read.parquet(str(path)).createOrReplaceTempView("t")
    text = policy(f'source = "{path}"', 'kind = "spark"\nmaster = "local[*]"')
    with closing(Engines(loads(text, str(path.with_suffix(".toml"))))) as engines:
        yield {"ours": asking(engines), "plain": lambda: session.sql(PAIRS).collect()}


def shuffled(ask: Ask) -> int:
    """Return how many bytes Spark writes for its shuffles while a question is asked."""
    from pyspark import SparkContext

    context = SparkContext.getOrCreate()

    def written_until_now() -> int:
        with urllib.request.urlopen(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages") as page:
            return sum(stage["shuffleWriteBytes"] for stage in json.load(page))

    before = written_until_now()
    ask()
    return written_until_now() - before


def tumult(path: Path) -> float | None:
    """Return the seconds of Tumult's second asking, or nothing where it is not installed."""
    python = HERE.parent / ".venv-tumult" / "bin" / "python"
    if not python.exists():
        return None
    command = [str(python), str(HERE / "speed_tumult.py"), str(path), *map(str, (GROUPS, MAX_GROUPS, MAX_ROWS))]
    settings = " ".join(f"--conf {name}={value}" for name, value in SPARK.items())
    environment = {**os.environ, "PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell"}
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=folder)
    return float(ran.stdout.split()[-1]) if ran.returncode == 0 else None


@contextmanager
def on_postgres(path: Path) -> Iterator[dict[str, Ask]]:
    """Give what asks PostgreSQL privately and plainly, about a table with the rows of the file."""
    import duckdb
    import psycopg

    from servers.postgres import Cluster

    cluster = Cluster()
    try:
        with (cluster.folder / "data" / "postgresql.conf").open("a") as conf:
            conf.write("\n".join(POSTGRES) + "\n")
        cluster.stop()
        cluster.start()
        with cluster.connect() as connection:
            connection.execute("CREATE TABLE t (u bigint, g bigint, x double precision)")
            found = duckdb.connect().execute(f"SELECT u, g, x FROM '{path}'")
            with connection.cursor().copy("COPY t FROM STDIN") as copy:
                while part := found.fetchmany(100_000):
                    copy.write("".join(f"{u}\t{g}\t{x!r}\n" for u, g, x in part))
            connection.execute("VACUUM ANALYZE t")
        os.environ[VARIABLE] = cluster.dsn()
        plain = psycopg.connect(cluster.dsn())
        text = policy('table = "public.t"', f'kind = "postgres"\ndsn_env = "{VARIABLE}"')
        with closing(Engines(loads(text, str(path.with_suffix(".toml"))))) as engines:
            yield {"ours": asking(engines), "plain": lambda: plain.execute(PAIRS).fetchall()}
        plain.close()
    finally:
        cluster.remove()


def report(millions: tuple[int, ...] = MILLIONS) -> str:
    """Return this file's part of the results; in the environment of the tests where Spark is not in this one."""
    if importlib.util.find_spec("pyspark") is None:
        python = HERE.parent / ".venv" / "bin" / "python"
        return subprocess.run([str(python), __file__], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = []
    with tempfile.TemporaryDirectory(dir=os.environ.get("DISCREET_BENCH_DIR")) as name:
        for count in millions:
            path = written(Path(name), count)
            wanted = private(path, UNITS)()
            with on_spark(path) as spark:
                _check(spark["ours"](), wanted)
                bytes_ = {name: shuffled(ask) / count / 1e6 for name, ask in spark.items()}
                taken = alternate(spark, 2 if count > 5 else 5)
            theirs = tumult(path) if count <= TUMULT_MOST else None
            rows.append(_row(count, "Spark", taken, theirs))
            with on_postgres(path) as postgres:
                _check(postgres["ours"](), wanted)
                rows.append(_row(count, "PostgreSQL", alternate(postgres, 2 if count > 5 else 5), None))
            path.unlink()
    header = ["rows", "engine", "its own", "discreet", "ratio", "asked", "Tumult", "times ours", "asked"]
    settings = ", ".join(f"`{name}={value}`" for name, value in SPARK.items())
    return (
        "## Engines\n\n"
        f"`{QUESTION}` with {GROUPS:,} public groups and {ROWS_EACH} rows of each unit, of which it\n"
        f"keeps {MAX_GROUPS} groups with {MAX_ROWS} rows each (every unit is over its bound): from the text of the\n"
        "question to whole numbers by key, without noise, which are DuckDB's number by number. Beside it, in turn,\n"
        f"the engine's own `{PAIRS}`.\n"
        f"Spark, Tumult's too: {settings}. PostgreSQL: {', '.join(f'`{each}`' for each in POSTGRES)}.\n\n"
        f"{markdown(header, rows)}\n\n"
        f"With {count} million rows Spark writes {bytes_['ours']:.0f} bytes for each row to its shuffles, and "
        f"{bytes_['plain']:.0f} for its own.\n"
    )


def _check(found: Sums, wanted: Sums) -> None:
    if found != wanted:
        raise SystemExit("the engine's numbers are not DuckDB's")


def _row(millions: int, engine: str, taken: dict[str, float], theirs: float | None) -> list[str]:
    ratio = taken["ours"] / taken["plain"]
    row = [f"{millions} million", engine, f"{taken['plain']:.2f} s", f"{taken['ours']:.2f} s", f"{ratio:.2f}"]
    row.append(f"3: {'met' if ratio <= 3 else 'MISSED'}")
    if theirs is None:
        return [*row, "", "", ""]
    times = theirs / taken["ours"]
    return [*row, f"{theirs:.1f} s", f"{times:.1f}", f"5: {'met' if times >= 5 else 'MISSED'}"]


if __name__ == "__main__":
    print(report(tuple(int(each) for each in sys.argv[1:]) or MILLIONS))
