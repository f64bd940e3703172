"""Decimals are exact on PostgreSQL: every call is what fractions say, on the worst values there are."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from discreet.engines.postgres.forms import write_sql
from support.decimals import list_calls, list_differences, make_table


@pytest.mark.slow
def test_every_call_on_decimals_is_what_fractions_say(server: psycopg.Connection[Any]) -> None:
    server.execute("CREATE TEMP TABLE t (e bigint, w numeric, i bigint, f float8, row bigint)")
    with server.cursor().copy("COPY t FROM STDIN") as copy:
        for row in zip(*(column.to_pylist() for column in make_table().columns), strict=True):
            copy.write_row(row)
    try:
        found = list_differences(
            list_calls(), write_sql, lambda statement: server.execute(statement.encode()).fetchall()
        )
    finally:
        server.execute("DROP TABLE t")
    assert found[:5] == []
