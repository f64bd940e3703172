"""Tables: where rows come from, whom they are about, and how much one unit may contribute."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from discreet.policy.columns import KEYS as COLUMN_KEYS
from discreet.policy.columns import read_column
from discreet.policy.engines import DEFAULT
from discreet.policy.keys import read_keys
from discreet.policy.model import DUCKDB, DeclaredColumn, DeclaredEngine, EngineKind, SourceFormat, Table
from discreet.policy.online import read_online
from discreet.policy.problems import quote, quote_value
from discreet.policy.section import Section, check_key_names

PRIVATE_KEYS = (
    "unit",
    "rows_are_units",
    "through",
    "identifies",
    "unique",
    "size",
    "max_rows",
    "max_groups",
    "max_rows_per_group",
    "min_count",
    "online",
)
KEYS = ("source", "format", "table", "engine", "public", *PRIVATE_KEYS, "version", "columns", "hidden")

ENDINGS = {
    ".parquet": SourceFormat.PARQUET,
    ".pq": SourceFormat.PARQUET,
    ".csv": SourceFormat.CSV,
    ".duckdb": SourceFormat.DUCKDB,
    ".ddb": SourceFormat.DUCKDB,
    ".db": SourceFormat.DUCKDB,
}
MOST_ROWS = 1 << 48
"""The largest limit of a unit's rows or groups: engines count as far in whole numbers without an overflow."""
SECRET = re.compile(
    r"\$\{|://[^/]*@|(?<![a-z])(password|passwd|pwd|secret|token|(access|secret|api)_?key(_id)?)\s*=", re.IGNORECASE
)


def read_table(name: str, section: Section, engines: tuple[DeclaredEngine, ...]) -> Table:
    """Return what a section declares about a table; what is wrong is left out and noted."""
    engine = _engine(section, engines)
    table = Table(
        name,
        source=_source(section, engine.kind),
        format=_format(section) if engine.kind is EngineKind.DUCKDB else _place(section, engine.kind),
        engine=engine.name,
        public=section.flag("public"),
        version=section.text("version", 'write a name in quotes, such as version = "2026-03"'),
        columns=_columns(section),
        hidden=section.texts("hidden"),
    )
    table = replace(table, database_table=_database_table(section, table))
    _check_hidden(section, table)
    if table.public:
        _check_public(section, table)
        return table
    if table.format is SourceFormat.CSV:
        _check_types(section, table)
    table = _bounded(section, _with_unit(section, table))
    table = replace(table, unique=read_keys(section, table))
    return replace(table, online=read_online(section, table))


def guess_format(source: str) -> SourceFormat | None:
    """Return what a file is by the ending of its name, if that says it."""
    path = PurePath(source.lower())
    return ENDINGS.get(PurePath(path.stem).suffix if path.suffix in (".gz", ".zst") else path.suffix)


def _engine(section: Section, engines: tuple[DeclaredEngine, ...]) -> DeclaredEngine:
    """Return the engine that a table names, or the one for all that name none: the policy's own, or DuckDB."""
    known = {engine.name: engine for engine in engines}
    default = known.get(DEFAULT, known[DUCKDB])
    named = section.text("engine", 'write the name of an engine in quotes, such as engine = "warehouse"')
    if named is None or named in known:
        return default if named is None else known[named]
    names = " or ".join(f"engine = {quote(name)}" for name in known if name != DEFAULT)
    section.wrong("engine", f"{quote_value(named)} is not declared", f"write a section [engines.{named}], or {names}")
    return default


def _place(section: Section, kind: EngineKind) -> SourceFormat:
    """Return where Spark or PostgreSQL finds a table: parquet files, or a table that it knows by name."""
    if "source" not in section:
        if "format" in section:
            section.wrong("format", "is there without a source", "take it out")
        return SourceFormat.TABLE
    if kind is EngineKind.POSTGRES:
        section.wrong("source", "is for files, and this table lies in PostgreSQL", 'write table = "schema.name"')
        return SourceFormat.TABLE
    if section.content.get("format", SourceFormat.PARQUET) != SourceFormat.PARQUET:
        section.wrong("format", "Spark reads parquet files here, or tables that it knows", 'write format = "parquet"')
    elif str(section.content["source"]).lower().endswith((".csv", ".csv.gz", ".duckdb")):
        remedy = 'store it as parquet, or leave it to DuckDB with engine = "duckdb"'
        section.wrong("source", "is no parquet, and Spark reads parquet files here, or tables that it knows", remedy)
    return SourceFormat.PARQUET


def _source(section: Section, kind: EngineKind) -> str | None:
    source = section.text("source", 'write a file or a pattern in quotes, such as source = "visits/*.parquet"')
    if source is None:
        return None
    if SECRET.search(source):
        remedy = "name a file; secrets come through environment variables only, named by keys that end in _env"
        section.wrong("source", "looks as if it held a secret or a place for one", remedy)
        return None
    if "://" in source and kind is not EngineKind.SPARK:
        section.wrong(
            "source", "is an address, not a file", "name a parquet, csv or duckdb file that this machine holds"
        )
        return None
    return source


def _format(section: Section) -> SourceFormat:
    words = (SourceFormat.PARQUET, SourceFormat.CSV, SourceFormat.DUCKDB)
    named = section.content.get("format")
    source = section.content.get("source")
    remedy = "write one of " + ", ".join(f"format = {quote(word)}" for word in words)
    if named is not None and named not in words:
        section.wrong("format", f"is {quote_value(named)}", remedy)
    elif named is not None and source is None:
        section.wrong("format", "is there without a source", "write source, or take format out for a table from Python")
    elif named is not None:
        return SourceFormat(named)
    elif isinstance(source, str):
        found = guess_format(source)
        if found is not None:
            return found
        if source.strip() and not SECRET.search(source) and "://" not in source:
            section.wrong("source", f"{quote_value(source)} does not end in .parquet, .csv or .duckdb", remedy)
    return SourceFormat.PYTHON


def _database_table(section: Section, table: Table) -> str | None:
    named = section.text("table", 'write a name in quotes, such as table = "visits"')
    if table.format in (SourceFormat.DUCKDB, SourceFormat.TABLE):
        return named or table.name
    if named is not None and "source" in section and table.format is not SourceFormat.PYTHON:
        section.wrong("table", "is for duckdb sources and tables of engines", "take it out")
    elif named is not None and "source" not in section:
        section.wrong("table", "is there without a source", "name the duckdb file as source, or take table out")
    return None


def _columns(section: Section) -> tuple[DeclaredColumn, ...]:
    columns = section.section("columns", None)
    return tuple(read_column(name, column) for name, column in columns.sections(COLUMN_KEYS))


def _check_hidden(section: Section, table: Table) -> None:
    check_key_names(section.problems, (*section.key, "hidden"), table.hidden)
    for column in table.columns:
        if column.name in table.hidden and (column.lower is not None or column.values is not None):
            section.wrong(
                ("columns", column.name),
                "is hidden, so nobody can use its bounds or values",
                "take them out or show it",
            )


def _check_public(section: Section, table: Table) -> None:
    for word in PRIVATE_KEYS:
        if word in section:
            wrong = f"is for private tables, and {quote_value(table.name)} is public: it is about nobody"
            section.wrong(word, wrong, f"take {word} out, or take public out")
    for column in table.columns:
        for word in ("lower", "upper", "step", "values"):
            if word in section.content["columns"][column.name]:
                place = ("columns", column.name, word)
                section.wrong(place, "is for private tables: a public table shows its own values", f"take {word} out")


def _check_types(section: Section, table: Table) -> None:
    for column in table.columns:
        if "type" not in section.content["columns"][column.name]:
            place = ("columns", column.name)
            section.wrong(place, "has no type, and csv files bring none", 'write its type, such as type = "integer"')


def _with_unit(section: Section, table: Table) -> Table:
    unit = section.text("unit", 'write the name of a column in quotes, such as unit = "patient_id"')
    rows = section.flag("rows_are_units")
    identifies = section.text("identifies", 'write a word in quotes, such as identifies = "patient"')
    if rows and ("unit" in section or "through" in section):
        word = "unit" if "unit" in section else "through"
        section.wrong((), f"{word} and rows_are_units = true contradict each other", "keep one of the two")
    elif not rows and "unit" not in section and "through" not in section:
        section.wrong(
            (),
            "does not say whom its rows are about",
            'write unit = "COLUMN" for the column that says whose row it is, and max_rows for the most that one has; '
            'or through = "COLUMN -> TABLE.COLUMN" where another table knows it; '
            "or rows_are_units = true where each row is about somebody else; or public = true where it is about nobody",
        )
    elif rows and identifies is not None:
        wrong = "is there with rows_are_units, and rows carry no name by which tables could speak of the same people"
        section.wrong("identifies", wrong, "take identifies out, or name the unit column")
    return replace(table, unit=unit, rows_are_units=rows, identifies=None if rows else identifies or unit)


def _bounded(section: Section, table: Table) -> Table:
    words = ("max_rows", "max_groups", "max_rows_per_group")
    rows, groups, rows_per_group = (section.whole(word) for word in words)
    for word, most in zip(words, (rows, groups, rows_per_group), strict=True):
        if most is not None and most > MOST_ROWS:
            section.wrong(
                word, f"is {most}, more than any table has", f"write at most {MOST_ROWS}, such as {word} = 20"
            )
    if table.rows_are_units:
        for word, most in zip(words, (rows, groups, rows_per_group), strict=True):
            if most not in (None, 1):
                section.wrong(word, f"is {most}, and with rows_are_units a unit has one row", f"take {word} out")
        rows = groups = rows_per_group = 1
    elif not _says_how_many(section):
        section.wrong(
            "max_rows",
            "is missing: nothing says how many rows one unit may have",
            "write max_rows = 20, or max_groups and max_rows_per_group both",
        )
    return replace(
        table,
        size=section.whole("size"),
        min_count=section.whole("min_count"),
        max_rows=rows,
        max_groups=groups,
        max_rows_per_group=rows_per_group,
    )


def _says_how_many(section: Section) -> bool:
    """Say whether a table with units has a limit of their rows."""
    with_units = "unit" in section or "through" in section
    return not with_units or "max_rows" in section or ("max_groups" in section and "max_rows_per_group" in section)
