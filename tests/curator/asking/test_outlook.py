"""What an answer would cost that is made from what was recorded."""

from __future__ import annotations

from pathlib import Path

from discreet.curator.asking.outlook import describe_share
from support.clinic import open_clinic

COUNT = "SELECT COUNT(*) AS n FROM visits"


def test_an_answer_that_others_paid_for_costs_the_askers_own_cap_alone_and_once(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        entry = curator.ask(COUNT, 0.3).receipt.entry
        charge = next(each.number for each in curator.ledger.entries() if each.kind == "CHARGE")
        assert charge <= entry
        assert describe_share(curator.ledger, (charge,), "alice") == "nothing"
        assert describe_share(curator.ledger, (charge,), None) == "nothing", "who has no cap pays nothing"
        shared = describe_share(curator.ledger, (charge, charge), "bob")
        assert shared.startswith("epsilon 0.3, rho ")
        assert shared.endswith(" of bob's own cap; the budget pays nothing")
        head = curator.ledger.head
        curator.session("bob").ask(COUNT, 0.3)
        assert curator.ledger.head != head
        assert describe_share(curator.ledger, (charge,), "bob") == "nothing"
