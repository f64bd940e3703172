"""What an owner may set of Spark, and what the guarantees rest on."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import PolicyError
from discreet.engines.spark.settings import BELIEVED, REQUIRED, check_settings, free, section, strange
from discreet.policy.model import DeclaredEngine, EngineKind


def declared(**settings: str) -> DeclaredEngine:
    return DeclaredEngine(
        "lake", EngineKind.SPARK, settings=tuple((name.replace("_", "."), value) for name, value in settings.items())
    )


@pytest.mark.parametrize("name", sorted(REQUIRED))
def test_no_setting_that_results_rest_on_can_be_written(name: str) -> None:
    with pytest.raises(PolicyError, match="not to be changed; take it out"):
        check_settings(DeclaredEngine("lake", EngineKind.SPARK, settings=((name, "anything"),)), Path("p.toml"))


@pytest.mark.parametrize(
    "name",
    [
        "spark.sql.legacy.sizeOfNull",
        "spark.sql.extensions",
        "spark.sql.optimizer.excludedRules",
        "spark.sql.adaptive.coalescePartitions.enabled",
    ],
)
def test_nor_can_any_other_that_changes_what_sql_means(name: str) -> None:
    with pytest.raises(PolicyError, match=r"p.toml: engines.lake.settings"):
        check_settings(DeclaredEngine("lake", EngineKind.SPARK, settings=((name, "true"),)), Path("p.toml"))


def test_what_is_no_setting_of_spark_is_refused() -> None:
    with pytest.raises(PolicyError, match="begin with spark"):
        check_settings(declared(executor_memory="4g"), Path("p.toml"))


def test_memory_cores_and_partitions_are_free() -> None:
    settings = declared(spark_executor_memory="4g", spark_cores_max="2", spark_sql_shuffle_partitions="8")
    check_settings(settings, Path("p.toml"))
    assert free("spark.hadoop.fs.s3a.endpoint")


def test_whatever_else_of_spark_sql_was_set_is_strange() -> None:
    names = ["spark.app.name", "spark.sql.shuffle.partitions", "spark.sql.ansi.enabled", "spark.sql.legacy.x"]
    assert strange(names) == ["spark.sql.ansi.enabled", "spark.sql.legacy.x"]


def test_nothing_that_believes_statistics_is_on() -> None:
    assert set(BELIEVED.values()) == {"false"}
    assert "spark.sql.parquet.filterPushdown" in BELIEVED


def test_problems_name_the_section() -> None:
    assert section(DeclaredEngine("engine", EngineKind.SPARK)) == ("engine",)
    assert section(DeclaredEngine("lake", EngineKind.SPARK)) == ("engines", "lake")
