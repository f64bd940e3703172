"""What may be asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from discreet.curator.owner.tables import Tables
from discreet.policy.model import DeclaredView
from support.clinic import clinic


def test_tables_tell_public_facts_only(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.tables)
        assert "0 to 5000; step 0.01" in told
        assert "north, south, icu" in told
        assert "wards (public)" in told
        assert curator.tables["VISITS"].table.unit == "patient_id"
        assert len(curator.tables) == 2
        assert [each.table.name for each in curator.tables] == ["visits", "wards"]
        with pytest.raises(QueryError, match="visits, wards"):
            curator.tables["nowhere"]


def test_views_are_listed_with_their_text() -> None:
    told = str(Tables((), (DeclaredView("grown", "SELECT *\nFROM visits WHERE age >= 18"),)))
    assert told == "grown (view)\n  SELECT * FROM visits WHERE age >= 18"
