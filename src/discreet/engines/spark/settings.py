"""Spark's settings: which an owner may write, and which the guarantees rest on.

A session here begins with Spark's own defaults for everything that says how SQL is read and run, whatever the cluster
or the process has set, and with what is listed below.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from discreet.policy.engines import DEFAULT
from discreet.policy.model import DeclaredEngine
from discreet.policy.problems import explain_problem, quote_value

MEANING = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.variable.substitute": "false",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.runSQLOnFiles": "true",
}
"""What a statement means. Names cannot escape ${...}; exact division rests on the types of quotients of decimals."""

BELIEVED = {
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.parquet.aggregatePushdown": "false",
    "spark.sql.parquet.recordLevelFilter.enabled": "false",
    "spark.sql.parquet.respectSummaryFiles": "false",
    "spark.sql.orc.filterPushdown": "false",
    "spark.sql.orc.aggregatePushdown": "false",
    "spark.sql.csv.filterPushdown.enabled": "false",
    "spark.sql.json.filterPushdown.enabled": "false",
    "spark.sql.avro.filterPushdown.enabled": "false",
    "spark.sql.cbo.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.optimizer.runtime.bloomFilter.enabled": "false",
    "spark.sql.optimizer.runtimeFilter.semiJoinReduction.enabled": "false",
}
"""What believes the statistics of files and tables, or filters rows before the statement does.

Statistics of a row group leave NaN out: a filter that believes them skips the NaN of a group or sees it, depending on
which other rows the group has. So one row could change whether thousands of others count.
"""

READING = {
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.inferTimestampNTZ.enabled": "true",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.int96TimestampConversion": "false",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}
"""How files are read: all of them or none; days are those of one calendar, and none raises for being old.

Columns that are names of folders are text: their type must not depend on which folders there are.
"""

RUNNING = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.optimizer.windowGroupLimitThreshold": "-1",
    "spark.sql.analyzer.maxIterations": "1000",
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushThreshold": "40000",
}
"""A statement that runs is not planned again by the rows that it meets.

An adaptive plan leaves out whole stages where no row fulfils a condition, and splits work by the bytes of rows: whether
one person is there decided half of the time. A unit's groups are sorted once, where its rows have come together, and
not before that too. With Spark's own limit of a hundred rounds, functions nested fifty deep would fail after their
charge. What Spark's parser remembers of statements grows without end by itself: some hundred different questions filled
a driver of one gigabyte, which then did nothing but collect garbage. From Spark 4.1 on it forgets, at some 200 MB here.
"""

UNLIMITED = "spark.driver.maxResultSize"
"""How many bytes of a result the driver takes before the question fails: how many keys the data have decided it."""

REQUIRED = {**MEANING, **BELIEVED, **READING, **RUNNING}

FREE = (
    "spark.sql.shuffle.partitions",
    "spark.sql.files.",
    "spark.sql.autoBroadcastJoinThreshold",
    "spark.sql.broadcastTimeout",
    "spark.sql.catalog.",
    "spark.sql.catalogImplementation",
    "spark.sql.defaultCatalog",
    "spark.sql.hive.metastore.",
    "spark.sql.warehouse.dir",
    "spark.sql.ui.",
)
"""What of Spark SQL may be set: how work is split and where tables are."""


def section(engine: DeclaredEngine) -> tuple[str, ...]:
    """Return where a policy declares an engine."""
    return (DEFAULT,) if engine.name == DEFAULT else ("engines", engine.name)


def free(name: str) -> bool:
    """Say whether a setting changes no result.

    >>> free("spark.executor.memory"), free("spark.sql.shuffle.partitions"), free("spark.sql.ansi.enabled")
    (True, True, False)
    """
    return name not in REQUIRED and name != UNLIMITED and (not name.startswith("spark.sql.") or name.startswith(FREE))


def check_settings(engine: DeclaredEngine, policy: Path) -> None:
    """Refuse settings of a policy that a guarantee rests on."""
    for name, value in engine.settings:
        key = (*section(engine), "settings", name)
        if not name.startswith("spark."):
            raise explain_problem(policy, key, "is no setting of Spark", "write names that begin with spark.")
        if not free(name):
            wrong = f"is {quote_value(value)}, and what a question gives or whether it fails is not to be changed"
            raise explain_problem(policy, key, wrong, "take it out")


def strange(found: Iterable[str]) -> list[str]:
    """Return the settings of a session that are not Spark's defaults and could change a result."""
    return sorted(name for name in found if name.startswith("spark.sql.") and not free(name))
