"""What may be asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.owner.tables import Tables
from discreet.policy.model import DeclaredView
from support.clinic import open_clinic


def test_tables_tell_public_facts_only(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        told = str(curator.tables)
        assert "0 to 5000; step 0.01" in told
        assert "north, south, icu" in told
        assert "wards (public)" in told
        assert "visits (unit: patient_id; max_rows = 3; max_groups = 2)" in told
        assert curator.tables["VISITS"].table.unit == "patient_id"
        assert len(curator.tables) == 4
        assert [each.table.name for each in curator.tables] == ["visits", "patients", "wards", "prices"]
        with pytest.raises(QueryError, match="visits, patients, wards, prices"):
            curator.tables["nowhere"]


def test_views_are_listed_with_their_text() -> None:
    told = str(Tables((), (DeclaredView("grown", "SELECT *\nFROM visits WHERE age >= 18"),)))
    assert told == "grown (view)\n  SELECT * FROM visits WHERE age >= 18"


def test_a_table_or_view_is_shown_alone_and_in_html(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        tables = curator.tables
    assert tables.names == ("visits", "patients", "wards", "prices", "adults")
    assert str(tables.find("PATIENTS")).startswith("patients (unit: patient_id; max_rows = 1)")
    assert str(tables.find("adults")) == "adults (view)\n  SELECT * FROM visits WHERE age >= 18"
    with pytest.raises(QueryError, match="these exist: visits, patients, wards, prices, adults"):
        tables.find("nothing")
    html = tables._repr_html_()
    assert "<b>visits</b>" in html
    assert "age &gt;= 18" in html
    assert "2025-01-01 to 2026-12-31" in html
