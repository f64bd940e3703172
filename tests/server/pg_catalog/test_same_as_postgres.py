"""What clients look up gives the same rows as a real PostgreSQL 15 with the same schema, but for a list with reasons.

The clients run against the real one, its log says what they sent, and both answer it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from discreet.server.pg_catalog.catalog import PublicCatalog
from servers.missing import missing
from support.clinic import open_clinic
from support.tool_statements import TOOLS
from support.wire_recording import (
    RealPostgres,
    look_up,
    name_numbers,
    run_adbc,
    run_asyncpg,
    run_jdbc,
    run_psql,
    run_psycopg,
    run_sqlalchemy,
    translate,
)

if TYPE_CHECKING:
    from discreet.curator.owner.tables import Tables
    from servers.postgres import Cluster

REASONS = {
    r"pg_(table|relation|total_relation|database)_size": "sizes are not public: none is told",
    r"pg_get_viewdef": "a view is told in the policy's own words",
    r"\bversion\(\)": "the version names this server",
    r"FROM pg_catalog.pg_extension e|FROM pg_catalog.pg_language": "no language or extension can be used here",
    r"pg_cast|pg_ts_config|pg_opclass": "casts, text search and operator classes are not listed: none can be used",
    r"FROM pg_catalog.pg_settings s\s+WHERE s.source": "no setting comes from a file",
    r"AS TABLE_CAT, n.nspname AS TABLE_SCHEM, c.relname AS TABLE_NAME,  CASE n.nspname ~(?!.*'public')": (
        "indexes and TOAST tables of the system are not listed"
    ),
    r"SELECT t.typname,t.oid FROM pg_catalog.pg_type t|typinput='pg_catalog.array_in'::regproc|as type_cat": (
        "row types of the system's own relations are not listed"
    ),
    r"SELECT oid, typname, typreceive": "row types of the system's own relations are not listed",
    r"SELECT\s+attrelid,\s+attname,\s+atttypid\s+FROM": "columns of the system's indexes are not listed",
}
"""Statements by what they hold, and why their rows differ. docs/server-wire.md has the same list."""


def find_reason(text: str) -> str | None:
    return next((reason for pattern, reason in REASONS.items() if re.search(pattern, text, re.DOTALL)), None)


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[Cluster]:
    """A PostgreSQL that no other test has left databases or roles in."""
    from servers.postgres import Cluster

    cluster = Cluster()
    yield cluster
    cluster.remove()


@pytest.fixture(scope="module")
def sides(
    own_postgres: Cluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[RealPostgres, PublicCatalog, Tables]]:
    with closing(open_clinic(tmp_path_factory.mktemp("clinic"), analysts=True, analyst="alice")) as curator:
        catalog = PublicCatalog(curator.tables, "alice", "PostgreSQL 15.0")
        with own_postgres.connect() as connection:
            if connection.info.server_version // 10_000 != 15:
                missing("PostgreSQL 15", "another version is installed, with another catalog")
        with closing(catalog), closing(RealPostgres(own_postgres, catalog)) as real:
            yield real, catalog, curator.tables


def compare(
    sides: tuple[RealPostgres, PublicCatalog, Tables], statements: list[tuple[str, str]]
) -> tuple[Counter[str], list[str]]:
    """Return how many statements are the same, differ for a reason, and differ for none, and the last."""
    real, catalog, tables = sides
    ours = name_numbers(catalog)
    count: Counter[str] = Counter()
    differ = []
    for client, text in statements:
        theirs = real.look_up(text)
        mine = look_up(catalog, tables, ours, translate(text, real.names, ours))
        if theirs == mine or (isinstance(theirs, str) and isinstance(mine, str)):
            count["same"] += 1
        elif find_reason(text) is not None:
            count["for a reason"] += 1
        else:
            count["without a reason"] += 1
            differ.append(f"{client}: {text}\n  PostgreSQL: {_shorten(theirs, mine)}\n  here: {_shorten(mine, theirs)}")
    return count, differ


def _shorten(one: object, other: object) -> str:
    if isinstance(one, str) or isinstance(other, str) or one[0] != other[0]:  # type: ignore[index]
        return str(one)[:300]
    return str([row for row in one[1] if row not in other[1]])[:300]  # type: ignore[index]


def test_psql_and_psycopg_see_the_same(sides: tuple[RealPostgres, PublicCatalog, Tables]) -> None:
    statements = sides[0].record(run_psql, run_psycopg)
    count, differ = compare(sides, statements)
    assert differ == []
    assert count["same"] > 60
    assert count["for a reason"] < 20


@pytest.mark.long
def test_all_clients_see_the_same(sides: tuple[RealPostgres, PublicCatalog, Tables]) -> None:
    every = (run_psql, run_psycopg, run_asyncpg, run_sqlalchemy, run_adbc, run_jdbc)
    statements = sides[0].record(*every)
    count, differ = compare(sides, statements)
    print(dict(count))
    assert differ == []
    assert count["same"] >= 0.9 * count.total()
    assert count.total() > 200


@pytest.mark.many
@pytest.mark.parametrize("tool", TOOLS)
def test_tools_see_the_same(sides: tuple[RealPostgres, PublicCatalog, Tables], tool: str) -> None:
    count, differ = compare(sides, [(tool, text) for text in TOOLS[tool]])
    assert differ == []
    assert count["same"] == len(TOOLS[tool])
    assert not any(isinstance(sides[0].look_up(text), str) for text in TOOLS[tool])


def test_a_difference_is_noticed(sides: tuple[RealPostgres, PublicCatalog, Tables]) -> None:
    real, catalog, tables = sides
    text = "SELECT relname FROM pg_catalog.pg_class WHERE relkind = 'r' AND relnamespace = 2200"
    ours = name_numbers(catalog)
    assert real.look_up(text) == look_up(catalog, tables, ours, text)
    assert real.look_up(text) != look_up(catalog, tables, ours, text.replace("'r'", "'v'"))
    assert find_reason(text) is None
