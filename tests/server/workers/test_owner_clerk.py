"""What a worker does for owners: spending over time adds up to what the budget says."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.curator import Curator
from discreet.server.workers.clerk import Clerk
from discreet.server.workers.owner_clerk import MOST_TIMES, SpendingOverTime, _measure
from support.serving import make_served_clinic


def test_spending_over_time_ends_at_what_is_spent(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)
    clerk = Clerk(path)
    try:
        assert [each.times for each in clerk.owner.read_spending()] == [(), (), ()]
        for name, epsilon in (("alice", 0.2), ("bob", 0.2), ("alice", 0.1)):
            with Curator.open(path, name) as curator:
                curator.ask("SELECT COUNT(*) FROM visits", epsilon)
        spending, budget = clerk.owner.read_spending(), clerk.owner.read_budget()
        ends = {each.name: each.times[-1][1] for each in spending}
        shares = {share.name: share.spent for share in (budget.total, *budget.analysts)}
        assert ends == pytest.approx(shares)
        assert ends["total"] == pytest.approx(0.1)  # 0.3 of 3: what bob shared costs the total nothing
        assert all(each.times[0][1] == 0 for each in spending)
    finally:
        clerk.close()


def test_long_times_are_thinned_out_and_keep_their_end(tmp_path: Path) -> None:
    path, _ = make_served_clinic(tmp_path)
    with Curator.open(path, operator=True) as curator:
        share = curator.budget.total
        times = {f"2026-01-01T{place // 60:02}:{place % 60:02}": (0.001, 1e-9, 0.0) for place in range(1000)}
        found = _measure(share, "2025-12-31T00:00", times)
    assert isinstance(found, SpendingOverTime)
    assert len(found.times) <= MOST_TIMES
    assert found.times[-1][0] == "2026-01-01T16:39"
    shares = [each for _, each in found.times]
    assert shares == sorted(shares)
