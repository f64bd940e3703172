"""Engines are declared by kind, reached by addresses without secrets, and named by the tables that lie there."""

from __future__ import annotations

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import loads
from discreet.policy.model import DUCKDB, DeclaredEngine, EngineKind, SourceFormat
from support.policies import read, refusal, table

SPARK = '[engine]\nkind = "spark"\nmaster = "spark://host:7077"\n'
WAREHOUSE = '[engines.warehouse]\nkind = "postgres"\ndsn_env = "WAREHOUSE"\n'


def more(name: str, body: str) -> str:
    """Return one more table."""
    return f"[tables.{name}]\nrows_are_units = true\n{body}\n"


def test_without_engines_every_table_lies_in_duckdb() -> None:
    policy = read(table(""))
    assert policy.engines == (DeclaredEngine(DUCKDB, EngineKind.DUCKDB),)
    assert policy.tables[0].engine == DUCKDB


def test_one_section_is_for_all_tables_and_a_table_may_name_another() -> None:
    policy = read(table("") + more("u", 'engine = "duckdb"') + more("v", 'engine = "warehouse"') + SPARK + WAREHOUSE)
    assert [policy.engine(each).kind for each in policy.tables] == [
        EngineKind.SPARK,
        EngineKind.DUCKDB,
        EngineKind.POSTGRES,
    ]
    assert policy.engine(policy.tables[2]).dsn_env == "WAREHOUSE"


@pytest.mark.parametrize("source", ["wards.csv", "wards.CSV", "wards.csv.gz", "wards.duckdb"])
def test_other_files_than_parquet_are_for_duckdb_and_no_engine_is_started_to_say_so(source: str) -> None:
    text = f'[budget]\nepsilon = 1\n{SPARK}[tables.wards]\nsource = "{source}"\npublic = true\n'
    with pytest.raises(PolicyError, match='store it as parquet, or leave it to DuckDB with engine = "duckdb"'):
        loads(text, "policy.toml")
    loads(text.replace(".csv.gz", ".csv") + 'engine = "duckdb"\n', "policy.toml")


def test_spark_finds_parquet_files_addresses_of_them_and_tables_by_name() -> None:
    policy = read(
        table('source = "a/*.parquet"') + more("u", 'source = "s3a://lake/v"') + more("v", 'table = "db.v"') + SPARK
    )
    assert [each.format for each in policy.tables] == [SourceFormat.PARQUET, SourceFormat.PARQUET, SourceFormat.TABLE]
    assert policy.location(policy.tables[1]) == "s3a://lake/v"
    assert policy.tables[2].database_table == "db.v"


def test_postgres_finds_tables_by_name_their_own_where_none_is_given() -> None:
    policy = read(table("") + '[engine]\nkind = "postgres"\ndsn_env = "CLINIC"\n')
    assert (policy.tables[0].format, policy.tables[0].database_table) == (SourceFormat.TABLE, "t")
    wrong = refusal(table('source = "a.parquet"') + '[engine]\nkind = "postgres"\ndsn_env = "CLINIC"\n')
    assert wrong.startswith("tables.t.source: is for files")


@pytest.mark.parametrize(
    ("section", "wrong"),
    [
        ("[engine]\n", "engine.kind: is missing; write one of kind"),
        ('[engine]\nkind = "oracle"\n', 'engine.kind: is "oracle"; write one of kind'),
        ('[engine]\nkind = "spark"\n', "engine: says not where Spark is"),
        ('[engine]\nkind = "spark"\nmaster = "local[*]"\nremote = "sc://h"\n', "engine: both master and remote"),
        ('[engine]\nkind = "spark"\nremote = "http://h"\n', 'engine.remote: is "http://h"'),
        ('[engine]\nkind = "spark"\nremote = "sc://h/;token=abc"\n', "engine.remote: looks as if it held a secret"),
        ('[engine]\nkind = "spark"\nmaster = "spark://me:pw@h"\n', "engine.master: looks as if it held a secret"),
        ('[engine]\nkind = "postgres"\n', "engine.dsn_env: is missing"),
        (
            '[engine]\nkind = "postgres"\ndsn_env = "host=h password=x"\n',
            "engine.dsn_env: is no name",
        ),
        (
            '[engine]\nkind = "postgres"\ndsn_env = "A"\nmaster = "local"\n',
            "engine.master: is not for",
        ),
        ('[engine]\nkind = "duckdb"\ndsn_env = "A"\n', "engine.dsn_env: is not for engines of kind"),
        ('[engines.duckdb]\nkind = "spark"\nmaster = "local"\n', "engines.duckdb: is a name that is taken"),
        (SPARK + "[engine.settings]\n'spark.x' = 1.5\n", "engine.settings.spark.x: is"),
        (SPARK + "[engine.settings]\n'fs.secret.key' = 'x'\n", "engine.settings.fs.secret.key: looks as if it held"),
    ],
)
def test_what_cannot_be_reached_is_refused(section: str, wrong: str) -> None:
    told = refusal(table("") + section)
    assert wrong in told.replace('"fs.secret.key"', "fs.secret.key").replace('"spark.x"', "spark.x")
    assert "abc" not in told
    assert "password" not in told


def test_settings_are_texts() -> None:
    policy = read(table("") + SPARK + "[engine.settings]\n'spark.b' = true\n'spark.a' = 2\n")
    assert policy.engines[1].settings == (("spark.a", "2"), ("spark.b", "true"))


def test_an_engine_that_nobody_declared_is_refused() -> None:
    told = refusal(table('engine = "lake"') + WAREHOUSE)
    assert told.startswith(
        'tables.t.engine: "lake" is not declared; write a section [engines.lake], or engine = "duckdb"'
    )
