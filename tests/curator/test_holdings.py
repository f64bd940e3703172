"""What sessions of one curator share."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.base.errors import OperationError
from discreet.curator import holdings
from support.clinic import open_clinic


def test_only_so_many_plans_are_remembered_and_the_newest_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holdings, "MOST_PLANS", 2)
    with open_clinic(tmp_path) as curator:
        first, second, third = (
            curator.prepare(f"SELECT COUNT(*) FROM visits WHERE cost > {each}", 1) for each in range(3)
        )
        with pytest.raises(OperationError, match="not made by this curator"):
            first.ask()
        curator.prepare(second.text, 1)
        first = curator.prepare(first.text, 1)
        first.ask()
        second.ask()
        with pytest.raises(OperationError, match="not made by this curator"):
            third.ask()
