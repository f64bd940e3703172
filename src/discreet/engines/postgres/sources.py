"""Where rows come from: tables and views of a PostgreSQL database, every column in the type that questions see."""

from __future__ import annotations

import hashlib

from discreet.base.errors import PolicyError
from discreet.base.types import Digits, Type
from discreet.engines.postgres.catalog import find, writes
from discreet.engines.postgres.dialect import POSTGRES
from discreet.engines.postgres.forms_casts import OVERFLOW, UNDERFLOW
from discreet.engines.postgres.literals import (
    SQL_TYPES,
    WIDE,
    collate_bytewise,
    quote_name,
    write_double,
    write_whole,
)
from discreet.engines.postgres.session import PostgresSession, driver
from discreet.engines.sources import TableSource
from discreet.policy.model import MOST_LONGEST, Policy, Table

PUBLIC = "public"
"""The schema of tables that are named without one."""

SAFE_DIGITS = 300
"""Decimals with no more digits before and after the point are neither beyond all floats nor, but for 0, below."""

BIGINT_DIGITS = 18
"""Decimals with no more digits are whole numbers of 64 bits once they count their last places."""

MOST_BYTES = 4
"""Of a letter."""

LONG = frozenset({"text", "varchar", "bpchar"})
"""Types whose values may be very long; PostgreSQL tells how many bytes they have without reading them."""


class PostgresSource(TableSource):
    """One table's rows. Of private tables nothing is read but what the catalog says."""

    def __init__(self, policy: Policy, table: Table, session: PostgresSession) -> None:
        super().__init__(policy, table, POSTGRES)
        parts = (table.database_table or table.name).split(".")
        schema, name = (PUBLIC, *parts) if len(parts) == 1 else (parts[0], ".".join(parts[1:]))
        self.relation = find(session, schema, name, self._refuse)
        if table.version is None and writes(session, self.relation) is None:
            what = "a view" if self.relation.view else "a table whose writes are not counted here"
            wrong = f"{what} does not tell when its rows change"
            raise self.explain("version", wrong, 'name one, such as version = "2026-03"')
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

    def write_cast(self, name: str) -> str:
        """Return a column in its type; decimals beyond all floats are NULL."""
        stored, value = self.relation.columns[name], quote_name(name)
        kind = self.types[name]
        if kind is Type.DECIMAL:
            return _float(value, stored.digits)
        if stored.kind == "timestamptz":
            value = f"({value} AT TIME ZONE 'UTC')"
        return f"CAST({value} AS {SQL_TYPES[kind]})"

    def read_digits(self) -> dict[str, Digits]:
        """Return the digits of columns such as NUMERIC(15,2); NUMERIC alone has any number of them."""
        found = {name: stored.digits for name, stored in self.relation.columns.items()}
        return {name: (sum(digits), digits[1]) for name, digits in found.items() if digits is not None}

    def write_places(self, name: str, digits: int, scale: int) -> str:
        """Return a column of decimals as whole numbers of their last places; NaN lies above all numbers."""
        value = quote_name(name)
        near = f"CASE WHEN abs({value}) < {write_whole(10**digits)} THEN {value} END"  # others might overflow
        places = f"round(({near}) * {write_whole(10**scale)}, 0)"
        kind = "BIGINT" if digits <= BIGINT_DIGITS else WIDE
        return f"(CASE WHEN abs({places}) <= {write_whole(10**digits - 1)} THEN CAST({places} AS {kind}) END)"

    def write_text(self, name: str, most: int) -> str:
        """Return a column of texts, NULL where one has more letters. Those of char(n) end with blanks, as bytes do."""
        stored, value = self.relation.columns[name], quote_name(name)
        written = f"CAST({value} AS TEXT)"
        bytes_ = MOST_BYTES * (MOST_LONGEST if stored.kind == "bpchar" else most)
        unread = f"WHEN octet_length({value}) > {bytes_} THEN NULL " if stored.kind in LONG else ""
        return collate_bytewise(f"CASE {unread}WHEN length({written}) <= {most} THEN {written} END")

    def write_decimal(self, name: str) -> str:
        """Return a column of wide numbers as texts."""
        return collate_bytewise(f"CAST(trim_scale({quote_name(name)}) AS TEXT)")

    def fingerprint(self, session: PostgresSession) -> str:
        """Return a hash that changes with the rows, as far as PostgreSQL counts what is written."""
        return hashlib.sha256(str(writes(session, self.relation)).encode()).hexdigest()

    def _refuse(self, wrong: str, remedy: str) -> PolicyError:
        return self.explain("table", wrong, remedy)


def _float(value: str, digits: tuple[int, int] | None) -> str:
    """Return a decimal as the nearest float, NULL where it is beyond all of them."""
    cast = f"CAST({value} AS DOUBLE PRECISION)"
    if digits is not None and max(digits) <= SAFE_DIGITS:
        return cast
    return (
        f"(CASE WHEN {value} IN ('NaN', 'Infinity', '-Infinity') THEN {cast} WHEN abs({value}) >= {OVERFLOW} THEN NULL "
        f"WHEN abs({value}) <= {UNDERFLOW} THEN {write_double(0.0)} ELSE {cast} END)"
    )
