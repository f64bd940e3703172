"""The catalog of one visit: a DuckDB in memory that holds public facts, and nothing else can be reached from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import duckdb
import pyarrow as pa
from sqlglot import exp

from discreet.curator.owner.tables import Tables
from discreet.server.pg_catalog.catalog_facts import CatalogFacts
from discreet.server.pg_catalog.facts import PublicColumn, PublicRelation, list_public, read_column
from discreet.server.pg_catalog.functions import MACROS, PREFIX
from discreet.server.pg_catalog.information import INFORMATION_ROWS
from discreet.server.pg_catalog.relations import list_keywords, list_relations
from discreet.server.pg_catalog.rewrite import LookUpContext, rewrite_query
from discreet.server.pg_catalog.rewritten import LookUpError
from discreet.server.pg_catalog.rows import ROWS, make_rows
from discreet.server.pg_catalog.type_names import format_type_names

SECONDS, MOST_ROWS, MEMORY = 10.0, 100_000, "256MB"
DUCK = {
    "bool": "BOOLEAN", "int8": "BIGINT", "numeric": "DECIMAL(38,9)", "float8": "DOUBLE", "text": "VARCHAR",
    "date": "DATE", "timestamptz": "TIMESTAMP",
}  # fmt: skip
KINDS = {
    "BOOLEAN": "bool", "BIGINT": "int8", "HUGEINT": "numeric", "DOUBLE": "float8", "FLOAT": "float8",
    "VARCHAR": "text", "DATE": "date", "TIMESTAMP": "timestamptz", "INTEGER": "int8", "SMALLINT": "int8",
    "TINYINT": "int8",
}  # fmt: skip

CODES: dict[type[Exception], str] = {
    duckdb.BinderException: "42703",
    duckdb.CatalogException: "42883",
    duckdb.ParserException: "42601",
    duckdb.ConversionException: "22P02",
    duckdb.OutOfRangeException: "22003",
}
"""What a statement does wrong, as programs read it."""

LOCKS = (
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET max_temp_directory_size = '0B'",
    "SET lock_configuration = true",
)
"""After these nothing outside of the database can be read, and none of it can be taken back."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """What a statement found: names, DuckDB's types, rows."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[object, ...], ...]


class PublicCatalog:
    """Answers what clients look up for one analyst. Threads may share it; statements run one after another."""

    def __init__(self, tables: Tables, analyst: str, version: str) -> None:
        self._base = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": MEMORY})
        self._lock = threading.Lock()
        self._running: duckdb.DuckDBPyConnection | None = None
        self._version = version
        self._made: set[str] = set()
        for schema in ("pgc", "infos", "public"):
            self._base.execute(f"CREATE SCHEMA {schema}")
        for signature, (_, needs) in MACROS.items():
            if not needs:
                self._make_macro(signature)
        self._base.execute("SET search_path = 'main,public'")
        with suppress(duckdb.Error):  # older versions have no such threads
            self._base.execute("SET async_threads = 1")
        for statement in LOCKS:
            self._base.execute(statement)
        self._analyst = analyst
        self._relations = list_public(tables, self._make_tables(tables))
        self._by_name: Mapping[str, PublicRelation] = {each.name.lower(): each for each in self._relations}

    @property
    def relations(self) -> tuple[PublicRelation, ...]:
        """What may be asked about."""
        return self._relations

    def close(self) -> None:
        """Let go of the database; a statement that runs is stopped first."""
        self.interrupt()
        with self._lock:
            self._base.close()

    def interrupt(self) -> None:
        """Stop the statement that runs."""
        running = self._running
        if running is not None:
            running.interrupt()

    def look_up(
        self, tree: exp.Expr, settings: Mapping[str, str], params: Mapping[str, object] | None = None
    ) -> LookedUp:
        """Answer a statement; refuse what is no SELECT over the catalog, takes too long or is too large."""
        context = LookUpContext(self._by_name, self._analyst, settings, self._version)
        try:
            query = rewrite_query(tree, context)
        except RecursionError:
            raise LookUpError("the statement is nested too deeply", "54001") from None
        with self._lock:
            for name in sorted(query.relations):
                self._make_relation(name, tuple(sorted(settings.items())))
            for signature in MACROS:
                if signature.split("(")[0] in query.macros and signature not in self._made:
                    self._make_macro(signature)
            given = {name: value for name, value in (params or {}).items() if name in query.parameters}
            return self._run(query.sql, given)

    def _run(self, sql: str, params: Mapping[str, object] | None) -> LookedUp:
        self._running = cursor = self._base.cursor()
        timer = threading.Timer(SECONDS, cursor.interrupt)
        timer.start()
        try:
            cursor.execute(sql, dict(params) if params else None)
            columns = tuple((str(name), str(kind)) for name, kind, *_ in cursor.description or ())
            rows = cursor.fetchmany(MOST_ROWS + 1)
        except duckdb.InterruptException:
            raise LookUpError("the look-up was stopped, or took too long", "57014") from None
        except duckdb.OutOfMemoryException:
            raise LookUpError("the look-up needs too much memory", "53200") from None
        except duckdb.Error as problem:
            code = next((code for kind, code in CODES.items() if isinstance(problem, kind)), "0A000")
            raise LookUpError(f"the catalog cannot answer this: {str(problem).splitlines()[0][:200]}", code) from None
        finally:
            timer.cancel()
            self._running = None
            cursor.close()
        if len(rows) > MOST_ROWS:
            raise LookUpError(f"the look-up has more than {MOST_ROWS} rows", "54000")
        return LookedUp(columns, tuple(map(tuple, rows)))

    def _make_relation(self, name: str, settings: tuple[tuple[str, str], ...]) -> None:
        """Create a relation of the catalog when it is first asked for; that of settings every time."""
        if name.startswith("public.") or (name in self._made and name != "pgc.pg_settings"):
            return
        facts = CatalogFacts(self._analyst, self._relations, settings)
        self._create(name, _make_table(name, facts))
        self._made.add(name)

    def _make_macro(self, signature: str) -> None:
        """Create a macro, when the relations that it reads are there."""
        self._base.execute(f"CREATE MACRO {PREFIX}{signature} AS {MACROS[signature][0]}")
        self._made.add(signature)

    def _create(self, name: str, content: pa.Table) -> None:
        schema, _, relation = name.partition(".")
        self._base.register("incoming", content)
        self._base.execute(f'CREATE OR REPLACE TABLE {schema}."{relation}" AS SELECT * FROM incoming')
        self._base.unregister("incoming")

    def _make_tables(self, tables: Tables) -> dict[str, tuple[PublicColumn, ...]]:
        """Create the analyst's tables and views without any rows, and return the columns of the views."""
        for resolved in tables:
            columns = [read_column(each) for each in resolved.columns]
            listed = ", ".join(f"{_quote(each.name)} {DUCK[each.kind]}" for each in columns)
            self._base.execute(f"CREATE TABLE public.{_quote(resolved.table.name)} ({listed or 'nothing VARCHAR'})")
        views: dict[str, tuple[PublicColumn, ...]] = {}
        for view in tables.views:
            try:
                self._base.execute(f"CREATE VIEW public.{_quote(view.name)} AS {view.sql}")
                found = self._base.execute(f"SELECT * FROM public.{_quote(view.name)}").description or ()
            except duckdb.Error:
                continue
            columns = [PublicColumn(str(name), KINDS.get(str(kind).split("(")[0], "text")) for name, kind, *_ in found]
            views[view.name] = tuple(columns)
        return views


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _make_table(name: str, facts: CatalogFacts) -> pa.Table:
    """Return the content of a relation, by its name in DuckDB."""
    schema, _, relation = name.partition(".")
    if name in _EXTRA:
        return _EXTRA[name](facts)
    if schema == "infos":
        found = list_relations()[f"information_schema.{relation}"]
        return make_rows(found, facts)
    return make_rows(list_relations()[f"pg_catalog.{relation}"], facts)


def _type_names(facts: CatalogFacts) -> pa.Table:
    names = [*format_type_names()]
    names += [
        pair for each in facts.relations for pair in ((each.type_oid, each.name), (each.array_oid, each.name + "[]"))
    ]
    return pa.table({"oid": pa.array([oid for oid, _ in names], pa.uint32()), "formatted": [name for _, name in names]})


def _view_texts(facts: CatalogFacts) -> pa.Table:
    views = [each for each in facts.relations if each.kind == "v"]
    texts = pa.array([each.definition for each in views], pa.string())
    return pa.table({"oid": pa.array([each.oid for each in views], pa.uint32()), "definition": texts})


def _keywords(facts: CatalogFacts) -> pa.Table:
    return pa.table({"word": pa.array(list_keywords(), pa.string())})


_EXTRA: dict[str, Callable[[CatalogFacts], pa.Table]] = {
    "pgc.type_names": _type_names,
    "pgc.view_texts": _view_texts,
    "pgc.keywords": _keywords,
}
"""Relations that only macros read."""

ROWS.update(INFORMATION_ROWS)
