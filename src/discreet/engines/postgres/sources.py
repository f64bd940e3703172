"""Where rows come from: tables and views of a PostgreSQL database, every column in the type that questions see."""

from __future__ import annotations

import hashlib

from discreet.base.errors import PolicyError
from discreet.base.types import Type
from discreet.engines.dialect import UNIT
from discreet.engines.postgres.catalog import find, writes
from discreet.engines.postgres.forms_casts import OVERFLOW, UNDERFLOW
from discreet.engines.postgres.literals import SQL_TYPES, collate_bytewise, quote_name, write_constant, write_double
from discreet.engines.postgres.session import PostgresSession, driver
from discreet.engines.rows import ENDS, MOST_BYTES
from discreet.engines.shapes import write_within
from discreet.policy.model import Policy, Table
from discreet.policy.problems import explain_problem

PUBLIC = "public"
"""The schema of tables that are named without one."""

SAFE_DIGITS = 300
"""Decimals with no more digits before and after the point are neither beyond all floats nor, but for 0, below."""

LONG = frozenset({"text", "varchar", "bpchar"})


class PostgresSource:
    """One table's rows, as a FROM clause. Of private tables nothing is read but what the catalog says."""

    def __init__(self, policy: Policy, table: Table, session: PostgresSession) -> None:
        self.policy, self.table = policy, table
        self.types: dict[str, Type] = {}
        """Types that the policy agrees with, set once the schema is checked."""

        parts = (table.database_table or table.name).split(".")
        schema, name = (PUBLIC, *parts) if len(parts) == 1 else (parts[0], ".".join(parts[1:]))
        self.relation = find(session, schema, name, self._refuse)
        if table.version is None and writes(session, self.relation) is None:
            what = "a view" if self.relation.view else "a table whose writes are not counted here"
            wrong = f"{what} does not tell when its rows change"
            raise explain_problem(
                policy.path, ("tables", table.name, "version"), wrong, 'name one, such as version = "2026-03"'
            )
        self.clause = f"{quote_name(schema)}.{quote_name(name)}"
        if self.relation.view:  # what a view computes is computed as it says, and not in the order of our conditions
            self.clause = f"(SELECT * FROM {self.clause} OFFSET 0) AS q"

    def schema(self) -> dict[str, Type | None]:
        """Return the columns and their types."""
        return {name: stored.type for name, stored in self.relation.columns.items()}

    def check(self, session: PostgresSession) -> None:
        """Refuse a table that cannot be read, or of which rows are hidden from this user."""
        psycopg = driver()
        try:
            session.rows(f"SELECT 1 FROM ({self.select(frozenset(self.types))}) AS q LIMIT 0")
        except psycopg.errors.InsufficientPrivilege as trouble:
            if "row-level security" in str(trouble):
                remedy = "ask as a user with BYPASSRLS, or make a view for this purpose"
                raise self._refuse("a row security policy hides rows of it", remedy) from None
            raise self._refuse("this user may not read it", "GRANT SELECT on it, and USAGE on its schema") from None
        except psycopg.Error:
            raise self._refuse("it cannot be read", "check that SELECT * FROM it works") from None

    def select(self, columns: frozenset[str]) -> str:
        """Return a SELECT of these columns, cast to their types, and of the unit; what does not fit is NULL."""
        listed = [f"{self._value(name)} AS {quote_name(name)}" for name in self.types if name in columns]
        if self.table.unit is not None:
            listed.append(f"{self._unit(self.table.unit)} AS {UNIT}")
        return f"SELECT {', '.join(listed) or '1'} FROM {self.clause}"

    def _value(self, name: str) -> str:
        """Return a column in its type. Text is compared byte by byte, whatever collation it has, and not without end.

        Days and times outside the years 1 to 9999 are NULL: engines have different calendars beyond, and Python none.
        """
        stored, value = self.relation.columns[name], quote_name(name)
        kind = self.types[name]
        if kind is Type.TEXT:
            written = f"CAST({value} AS TEXT)"
            short = f"CASE WHEN octet_length({value}) <= {MOST_BYTES} THEN {written} END"
            return collate_bytewise(short if stored.kind in LONG else written)
        if kind is Type.DECIMAL:
            return _float(value, stored.digits)
        if stored.kind == "timestamptz":
            value = f"({value} AT TIME ZONE 'UTC')"
        if kind in ENDS:
            return write_within(value, *(write_constant(end, kind) for end in ENDS[kind]))
        return f"CAST({value} AS {SQL_TYPES[kind]})"

    def _unit(self, name: str) -> str:
        """Return whose row it is. Decimals become texts: as floats, two units could be one.

        The zeros at their ends go, so that 1.0 and 1.00 in two tables are one unit.
        """
        if self.types[name] is not Type.DECIMAL:
            return self._value(name)
        return collate_bytewise(f"CAST(trim_scale({quote_name(name)}) AS TEXT)")

    def fingerprint(self, session: PostgresSession) -> str:
        """Return a hash that changes with the rows, as far as PostgreSQL counts what is written."""
        return hashlib.sha256(str(writes(session, self.relation)).encode()).hexdigest()

    def _refuse(self, wrong: str, remedy: str) -> PolicyError:
        return explain_problem(self.policy.path, ("tables", self.table.name, "table"), wrong, remedy)


def _float(value: str, digits: tuple[int, int] | None) -> str:
    """Return a decimal as the nearest float, NULL where it is beyond all of them."""
    cast = f"CAST({value} AS DOUBLE PRECISION)"
    if digits is not None and max(digits) <= SAFE_DIGITS:
        return cast
    return (
        f"(CASE WHEN {value} IN ('NaN', 'Infinity', '-Infinity') THEN {cast} WHEN abs({value}) >= {OVERFLOW} THEN NULL "
        f"WHEN abs({value}) <= {UNDERFLOW} THEN {write_double(0.0)} ELSE {cast} END)"
    )
