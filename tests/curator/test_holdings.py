"""What sessions of one curator share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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


def test_a_plan_that_is_noted_once_more_is_never_missing_meanwhile(tmp_path: Path) -> None:
    """Eight threads asked one question: one of them was told, by chance, that nobody had made its plan."""
    with open_clinic(tmp_path) as curator:
        plan = curator.prepare("SELECT COUNT(*) FROM visits", 1).operation.plan
    issued, waiting = holdings.IssuedPlans(), []

    class Watched(dict[str, None]):
        def pop(self, *given: Any) -> Any:
            found = super().pop(*given)
            waiting.append(pool.submit(issued.check, plan))
            with pytest.raises(TimeoutError):
                waiting[-1].result(0.2)
            return found

    with ThreadPoolExecutor(1) as pool:
        issued.add(plan)
        issued._hashes = Watched(issued._hashes)
        issued.add(plan)
        assert [each.result(30) for each in waiting] == [None]
