"""What is answered without a private row, and what is refused without a charge, though the tool has set a price."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from support.tool_statements import DECLARED, PROBES, SCANS
from support.wire import RunningWire


@pytest.fixture
def tool(wire: RunningWire) -> Iterator[psycopg.Connection]:
    """A tool's connection, on which a price is set."""
    with psycopg.connect(wire.dsn(options="-c discreet.epsilon=0.1"), autocommit=True) as connection:
        yield connection


@pytest.mark.parametrize("text", PROBES)
def test_probes_without_rows_are_free(wire: RunningWire, tool: psycopg.Connection, text: str) -> None:
    cursor = tool.execute(text.encode())
    assert cursor.fetchall() == []
    assert cursor.description
    assert wire.door.charges == 0


@pytest.mark.parametrize("text", DECLARED)
def test_declared_values_are_free(wire: RunningWire, tool: psycopg.Connection, text: str) -> None:
    assert sorted(tool.execute(text.encode()).fetchall()) == [("icu",), ("north",), ("south",)]
    assert wire.door.charges == 0


@pytest.mark.parametrize("text", SCANS)
def test_background_scans_are_refused_free_with_a_hint(wire: RunningWire, tool: psycopg.Connection, text: str) -> None:
    with pytest.raises(psycopg.Error) as refused:
        tool.execute(text.encode())
    assert "rows are never shown" in str(refused.value.diag.message_hint)
    assert wire.door.charges == 0


def test_a_probe_has_the_columns_of_the_table(tool: psycopg.Connection) -> None:
    cursor = tool.execute("SELECT * FROM visits LIMIT 0")
    found = [(each.name, each.type_code) for each in cursor.description or ()]
    assert found[:4] == [("patient_id", 20), ("age", 20), ("cost", 701), ("ward", 25)]
    assert found[5:7] == [("day", 1082), ("at", 1184)]


def test_a_condition_that_may_hold_is_no_probe(wire: RunningWire, tool: psycopg.Connection) -> None:
    for text in ("SELECT COUNT(*) FROM visits WHERE 1 = 1", "SELECT COUNT(*) FROM visits WHERE 1 = 0"):
        tool.execute(text.encode())
    assert wire.door.charges == 2  # a count of nothing is one as well: whoever plans it knows what it costs
