"""The same schema on a real PostgreSQL, the statements that clients send to it, and both catalogs side by side."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.server.pg_catalog.catalog import PublicCatalog
from discreet.server.pg_catalog.relations import list_relations, list_types
from discreet.server.pg_catalog.rewritten import LookUpError
from discreet.server.wire.commands import LookUp
from discreet.server.wire.reading import sort_query
from discreet.server.wire.settings import FIXED, USUAL
from support.wire_clients import need, need_program, write_java

if TYPE_CHECKING:
    from discreet.curator.owner.tables import Tables
    from servers.postgres import Cluster

DATABASE, PASSWORD = "discreet", "wonder-land-7"
SETTINGS = {name.lower(): value for name, value in {**USUAL, **FIXED}.items()}
FIRST = 12_000
"""Numbers from here on differ between databases; below, they are PostgreSQL's own."""

Table = tuple[list[str], list[tuple[str, ...]]]

PSQL = [
    r"\d", r"\d+", r"\dt", r"\dt+", r"\dn", r"\dn+", r"\l", r"\l+", r"\du", r"\du+", r"\df", r"\df+", r"\dT", r"\dT+",
    r"\dv", r"\dv+", r"\di", r"\ds", r"\dm", r"\dp", r"\dx", r"\dg", r"\db", r"\dc", r"\dC", r"\dd", r"\dD", r"\ddp",
    r"\dE", r"\des", r"\deu", r"\dew", r"\det", r"\dF", r"\dL", r"\dP", r"\drds", r"\dRp", r"\dRs", r"\dX", r"\dy",
    r"\dA", r"\z", r"\dconfig", r"\d visits", r"\d+ visits", r"\d adults", r"\d+ adults", r"\d v*", r"\dt public.*",
    r"\dt *.visits", r"\dn public", r"\do public.*", r"\dO public.*", r"\da public.*",
    "SELECT current_user, current_database() \\gdesc",
]  # fmt: skip
"""What people type."""


class RealPostgres:
    """A database of a real PostgreSQL with the tables of a catalog, which notes what clients send."""

    def __init__(self, cluster: Cluster, catalog: PublicCatalog) -> None:
        self._cluster = cluster
        with cluster.connect() as owner:
            owner.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
            owner.execute("DROP ROLE IF EXISTS alice")
            owner.execute(f"CREATE ROLE alice LOGIN PASSWORD '{PASSWORD}'")
            owner.execute(f"CREATE DATABASE {DATABASE}")
            owner.execute("ALTER SYSTEM SET log_line_prefix = '@@%a@@ '")
            owner.execute("ALTER SYSTEM SET log_statement = 'all'")
            owner.execute("SELECT pg_reload_conf()")
        with cluster.connect(DATABASE) as owner:
            for each in catalog.relations:
                columns = ", ".join(f'"{column.name}" {column.kind}' for column in each.columns)
                kind = "TABLE" if each.kind == "r" else "VIEW"
                owner.execute(
                    f'CREATE TABLE "{each.name}" ({columns})'
                    if each.kind == "r"
                    else f'CREATE VIEW "{each.name}" AS {each.definition}'
                )
                if each.comment:
                    owner.execute(f"COMMENT ON {kind} \"{each.name}\" IS '{each.comment}'")
                for column in each.columns:
                    if column.comment:
                        place = f'"{each.name}"."{column.name}"'
                        owner.execute(f"COMMENT ON COLUMN {place} IS '{column.comment}'")
            owner.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO alice")
            self.names: dict[int, str] = dict(owner.execute(NUMBERS).fetchall())
        self._connection = cluster.connect(DATABASE, user="alice", password=PASSWORD, host="127.0.0.1")

    def close(self) -> None:
        self._connection.close()
        with self._cluster.connect() as owner:
            owner.execute("ALTER SYSTEM RESET ALL")
            owner.execute("SELECT pg_reload_conf()")

    def look_up(self, text: str) -> Table | str:
        """Return what PostgreSQL answers, or its error's code."""
        import psycopg

        try:
            cursor = self._connection.execute(text.encode())
        except psycopg.Error as refused:
            return str(refused.sqlstate)
        return [each.name for each in cursor.description or ()], normalise(cursor.fetchall(), self.names)

    def record(self, *clients: Callable[[dict[str, Any]], None]) -> list[tuple[str, str]]:
        """Return the statements that clients send, each once, with the client's name and values in place."""
        log = self._cluster.folder / "log"
        start = log.stat().st_size
        where = {"host": "127.0.0.1", "port": self._cluster.port, "user": "alice", "password": PASSWORD}
        for client in clients:
            client({**where, "database": DATABASE})
        return list(dict.fromkeys(read_log(log.read_bytes()[start:].decode(errors="replace"))))


NUMBERS = f"""
SELECT oid::int8, 'relation ' || relname FROM pg_class WHERE oid >= {FIRST}
UNION ALL SELECT oid::int8, 'type ' || typname FROM pg_type WHERE oid >= {FIRST}
UNION ALL SELECT oid::int8, 'schema ' || nspname FROM pg_namespace WHERE oid >= {FIRST}
UNION ALL SELECT oid::int8, 'database ' || datname FROM pg_database WHERE oid >= {FIRST}
UNION ALL SELECT oid::int8, 'role ' || rolname FROM pg_roles WHERE oid >= {FIRST}
"""


def name_numbers(catalog: PublicCatalog) -> dict[int, str]:
    """Return what the numbers of the imitated catalog stand for."""
    found: dict[int, str] = {13207: "schema information_schema", 16385: "database discreet", 16384: "role alice"}
    for relation in list_relations().values():
        found |= {relation.oid: f"relation {relation.name}", relation.row_type: f"type {relation.name}"}
    found |= {each.oid: f"type {each.values['typname']}" for each in list_types()}
    for each in catalog.relations:
        found |= {each.oid: f"relation {each.name}", each.type_oid: f"type {each.name}"}
        found |= {each.array_oid: f"type _{each.name}"}
    return {oid: name for oid, name in found.items() if oid >= FIRST}


def look_up(catalog: PublicCatalog, tables: Tables, names: dict[int, str], text: str) -> Table | str:
    """Return what the imitated catalog answers, or its error's code."""
    command = sort_query(text, tables)
    if not isinstance(command, LookUp):
        return "a question"
    try:
        found = catalog.look_up(command.tree, SETTINGS)
    except LookUpError as refused:
        return refused.code
    return [name for name, _ in found.columns], normalise(found.rows, names)


def translate(text: str, theirs: dict[int, str], ours: dict[int, str]) -> str:
    """Return a statement with the numbers of one database in place of those of the other."""
    back = {name: oid for oid, name in ours.items()}
    pattern = r"(?<![\d.\w])\d{5}(?!\d)"
    return re.sub(pattern, lambda found: str(back.get(theirs.get(int(found[0]), ""), found[0])), text)


def normalise(rows: Sequence[Sequence[object]], names: dict[int, str]) -> list[tuple[str, ...]]:
    """Return rows as texts, sorted, with names for numbers that differ between databases."""

    def write(value: object) -> str:
        if isinstance(value, bool) or value is None:
            return {True: "t", False: "f", None: "NULL"}[value]
        if isinstance(value, list | tuple):
            return "{" + ",".join(map(write, value)) + "}"
        if isinstance(value, int | float):
            return names.get(int(value), str(int(value))) if value == int(value) else str(value)
        text = str(value)
        return names.get(int(text), text) if text.isdigit() else text

    return sorted(tuple(map(write, row)) for row in rows)


def read_log(text: str) -> Iterator[tuple[str, str]]:
    """Yield the client and the text of every look-up in a log; parameters become literals."""
    pending: tuple[str, str] | None = None
    for entry in re.split(r"(?m)^@@", text):
        parameters = re.match(r"([^@]*)@@ DETAIL:  parameters: (.*)", entry, re.DOTALL)
        if pending is not None and parameters:
            values = re.findall(r"\$\d+ = ('(?:[^']|'')*'|NULL)", parameters[2])
            filled = re.sub(r"\$(\d+)", lambda found, values=values: values[int(found[1]) - 1], pending[1])  # type: ignore[misc]
            pending = (pending[0], filled)
        if pending is not None and not re.search(r"\$\d", pending[1]):
            yield pending
        pending = None
        found = re.match(r"([^@]*)@@ LOG:  (?:statement|execute [^:]*): (.*)", entry, re.DOTALL)
        if found and re.match(r"(?i)\s*(select|with)\b", found[2]) and not re.search(r"(?i);\s*close all", found[2]):
            pending = (found[1], found[2].replace("\n\t", "\n").strip().rstrip(";"))
    if pending is not None and not re.search(r"\$\d", pending[1]):
        yield pending


def run_psql(where: dict[str, Any]) -> None:
    program = need_program("psql", "postgresql-client")
    words = [program, "-X", "-q", "-h", where["host"], "-p", str(where["port"]), "-U", where["user"], where["database"]]
    given = {**os.environ, "PGPASSWORD": where["password"], "PGAPPNAME": "psql"}
    subprocess.run(words, input="\n".join(PSQL) + "\n", capture_output=True, text=True, env=given, timeout=60)


def run_psycopg(where: dict[str, Any]) -> None:
    import psycopg
    from psycopg.types import TypeInfo
    from psycopg.types.composite import CompositeInfo
    from psycopg.types.enum import EnumInfo
    from psycopg.types.multirange import MultirangeInfo
    from psycopg.types.range import RangeInfo

    more = {key: where[key] for key in ("host", "port", "user", "password")}
    with psycopg.connect(dbname=where["database"], application_name="psycopg", **more) as connection:
        TypeInfo.fetch(connection, "int8")
        TypeInfo.fetch(connection, "hstore")
        for info in (EnumInfo, RangeInfo, MultirangeInfo):
            info.fetch(connection, "nothing")
        CompositeInfo.fetch(connection, "visits")


def run_asyncpg(where: dict[str, Any]) -> None:
    asyncpg = need("asyncpg")

    async def run() -> None:
        connection = await asyncpg.connect(**where, server_settings={"application_name": "asyncpg"})
        await connection.fetch("SELECT $1::name[]", ["a"])
        await connection.fetch("SELECT nspname FROM pg_namespace WHERE oid = $1", 11)
        await connection.set_type_codec("int8", schema="pg_catalog", encoder=str, decoder=str)
        await connection.close()

    asyncio.run(run())


def run_sqlalchemy(where: dict[str, Any]) -> None:
    sqlalchemy = need("sqlalchemy")
    for driver in ("psycopg", "psycopg2", "pg8000"):
        need(driver, "psycopg2-binary" if driver == "psycopg2" else driver)
        url = sqlalchemy.URL.create(
            f"postgresql+{driver}", where["user"], where["password"], where["host"], where["port"], where["database"]
        )
        engine = sqlalchemy.create_engine(url, connect_args={"application_name": f"sqlalchemy {driver}"})
        inspector = sqlalchemy.inspect(engine)
        for name in ("schema_names", "table_names", "view_names", "materialized_view_names", "temp_table_names"):
            getattr(inspector, f"get_{name}")()
        for name in ("sequence_names", "enums", "domains", "multi_columns", "multi_indexes", "multi_foreign_keys"):
            getattr(inspector, f"get_{name}")()
        facts = ("columns", "pk_constraint", "foreign_keys", "indexes", "unique_constraints", "check_constraints")
        for table in ("visits", "adults"):
            for name in (*facts, "table_comment", "table_options"):
                getattr(inspector, f"get_{name}")(table)
            inspector.has_table(table)
        inspector.get_view_definition("adults")
        inspector.has_sequence("nothing")
        inspector.has_schema("public")
        sqlalchemy.MetaData().reflect(engine, views=True)
        engine.dispose()


def run_adbc(where: dict[str, Any]) -> None:
    dbapi = need("adbc_driver_postgresql.dbapi", "adbc-driver-postgresql")
    place = f"{where['user']}:{where['password']}@{where['host']}:{where['port']}/{where['database']}"
    with dbapi.connect(f"postgresql://{place}?application_name=adbc") as connection:
        for depth in ("all", "tables", "db_schemas", "catalogs"):
            connection.adbc_get_objects(depth=depth).read_all()
        connection.adbc_get_objects(depth="tables", table_name_filter="vis%").read_all()
        connection.adbc_get_table_schema("visits")
        connection.adbc_get_info()


def run_jdbc(where: dict[str, Any]) -> None:
    source = Path(__file__).parent.parent / "server" / "pg_catalog" / "Metadata.java"
    address = f"jdbc:postgresql://{where['host']}:{where['port']}/{where['database']}?ApplicationName=jdbc"
    words = write_java(source, address, where["user"], where["password"])
    subprocess.run(words, check=True, capture_output=True, timeout=120)
