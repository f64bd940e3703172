"""Scratch curators: a policy's tables, or other rows in their place, behind a ledger that is thrown away.

The policy's own ledger is never opened here, so nothing is charged to it; and answers that are drawn here under
recorded randomness protect nobody, so they are compared and thrown away as well.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.base.types import Type
from discreet.curator import Curator
from discreet.curator.asking.routes import make_routes
from discreet.curator.owner.account import read_facts
from discreet.engines.engines import Engines
from discreet.engines.sources import TableSource
from discreet.ledger import Ledger
from discreet.policy.model import DUCKDB, DeclaredEngine, EngineKind, Policy, SourceFormat, Table

PlaceTables = Callable[[Policy, Mapping[str, pa.Table], Path], Engines]
"""Puts tables where an engine finds them, with a folder for files, and opens the engines of a policy over them."""

MOST_PEOPLE = 500
"""How many people's rows are taken of tables that are larger than wanted."""

KINDS = {
    Type.BOOLEAN: pa.bool_(),
    Type.INTEGER: pa.int64(),
    Type.FLOAT: pa.float64(),
    Type.TEXT: pa.string(),
    Type.DATE: pa.date32(),
    Type.TIMESTAMP: pa.timestamp("us"),
}


def make_scratch_policy(policy: Policy) -> Policy:
    """Return a policy that promises the same, of tables that are handed over; nobody has a cap, and nothing is late."""
    tables = tuple(
        replace(
            each,
            source=None,
            format=SourceFormat.PYTHON,
            database_table=None,
            engine=DUCKDB,
            version=each.version or "1",
        )
        for each in policy.tables
    )
    engines = (DeclaredEngine(DUCKDB, EngineKind.DUCKDB),)
    return replace(policy, tables=tables, engines=engines, ledger=None, analysts=(), deadline=None)


def place_in_duckdb(policy: Policy, tables: Mapping[str, pa.Table], folder: Path) -> Engines:
    """Hand the tables over."""
    return Engines(policy, tables)


@contextmanager
def open_scratch(
    policy: Policy, tables: Mapping[str, pa.Table], place: PlaceTables = place_in_duckdb
) -> Iterator[Curator]:
    """Open a curator over some tables, with a new ledger in a folder that is deleted at the end."""
    with ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory(prefix="discreet-audit-")))
        own = replace(policy, path=folder / "policy.toml")
        engines = place(own, tables, folder)
        held.callback(engines.close)
        own = replace(engines.policy, ledger=None)
        with Ledger.create(folder / ".discreet" / "ledger.db", read_facts(own)):
            pass
        ledger = held.enter_context(closing(Ledger.open(folder / ".discreet" / "ledger.db", read_facts(own))))
        curator = Curator(own, engines, ledger, None, routes=make_routes(own))
        try:
            yield curator
        finally:
            curator._keeper.wait()


def read_tables(policy: Policy, given: Mapping[str, Any] | None, most_rows: int) -> dict[str, pa.Table]:
    """Return the tables of a policy as questions see them, of large ones the rows of some people. For the owner alone.

    Tables that are handed over as Arrow tables are taken as they are.
    """
    arrow = {name: each for name, each in (given or {}).items() if isinstance(each, pa.Table)}
    found: dict[str, pa.Table] = {}
    with closing(Engines(policy, given)) as engines:
        for table in policy.tables:
            name = next((each for each in arrow if each.casefold() == table.name.casefold()), None)
            if name is not None and len(arrow[name]) <= most_rows:
                found[table.name] = arrow[name]
        for people in _group_people([each for each in policy.tables if each.name not in found]):
            found |= _read_people(engines, people, most_rows)
    return found


def _group_people(tables: list[Table]) -> list[list[Table]]:
    """Return the tables by whose rows they hold: of these the same people are taken."""
    groups: dict[str, list[Table]] = {}
    for each in tables:
        shared = each.unit is not None and each.through is None and each.identifies is not None
        groups.setdefault(each.identifies or "" if shared else f"\0{each.name}", []).append(each)
    return list(groups.values())


def _read_people(engines: Engines, tables: list[Table], most_rows: int) -> dict[str, pa.Table]:
    chosen: str | None = None
    found = {}
    for table in tables:
        engine = engines._open(table.engine)
        source, read = engine._sources[table.name], engine._read  # type: ignore[attr-defined]
        ((rows,),) = read(table.name, f"SELECT count(*) FROM {source.clause}")
        has_unit = table.unit is not None and table.through is None
        if rows > most_rows and has_unit and chosen is None:
            chosen = _choose_people(source, partial(read, table.name), most_rows)
        names = list(source.types)
        listed = ", ".join(f"{source.write_value(each)} AS c{place}" for place, each in enumerate(names))
        condition = f" WHERE {source.write_unit(table.unit)} IN ({chosen})" if chosen and has_unit else ""
        limit = f" LIMIT {most_rows}" if rows > most_rows and not condition else ""
        found[table.name] = _to_arrow(
            source, names, read(table.name, f"SELECT {listed} FROM {source.clause}{condition}{limit}")
        )
    return found


def _choose_people(source: TableSource, read: Callable[[str], list[Any]], most_rows: int) -> str:
    """Return some people as constants of the engine's SQL."""
    unit = source.write_unit(source.table.unit or "")
    some = read(f"SELECT {unit} FROM {source.clause} LIMIT {most_rows}")
    people = list(dict.fromkeys(value for (value,) in some if value is not None))[:MOST_PEOPLE]
    kind = source.types[source.table.unit or ""]
    kind = Type.TEXT if kind is Type.DECIMAL else kind
    return ", ".join(source.dialect.write_constant(each, kind) for each in people)


def _to_arrow(source: TableSource, names: list[str], rows: list[Any]) -> pa.Table:
    columns = {}
    for place, name in enumerate(names):
        kind, values = source.types[name], [row[place] for row in rows]
        if name in source.digits:
            digits, scale = source.digits[name]
            exact = [None if each is None else Decimal(int(each)).scaleb(-scale) for each in values]
            columns[name] = pa.array(exact, pa.decimal128(digits, scale))
        elif kind is Type.DECIMAL:
            columns[name] = pa.array([None if each is None else float(each) for each in values], pa.float64())
        elif kind is Type.TIMESTAMP:
            columns[name] = pa.array([_drop_zone(each) for each in values], KINDS[kind])
        else:
            columns[name] = pa.array(values, KINDS[kind])
    return pa.table(columns)


def _drop_zone(moment: dt.datetime | None) -> dt.datetime | None:
    return None if moment is None else moment.astimezone(dt.UTC).replace(tzinfo=None) if moment.tzinfo else moment
