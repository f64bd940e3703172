"""What may be asked about."""

from __future__ import annotations

from pathlib import Path

from clinic import clinic


def test_tables_tell_public_facts_only(tmp_path: Path) -> None:
    with clinic(tmp_path) as curator:
        told = str(curator.tables)
        assert "0 to 5000; step 0.01" in told
        assert "north, south, icu" in told
        assert "wards (public)" in told
        assert curator.tables["VISITS"].table.unit == "patient_id"
        assert len(curator.tables) == 2
